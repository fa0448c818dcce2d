//! Sources of an exchange: looked up before a statement is accepted. A statement whose page does not
//! say what is claimed goes back to its author once.

use agon_core::{Floor, Flow, Statement};

use super::{
    argument::{Arguments, Side},
    attempt_key, citations,
    state::ExchangeState,
};
use crate::common::{
    source_check::{CheckedStatement, ReadingTime, settle_each},
    verification::SourceCheck,
};

/// What was found about the sources of both sides; statements are replaced by better ones. Each comes with the attempt
/// that it is from.
pub(super) fn check_sources(
    floor: &mut Floor<'_>,
    state: &ExchangeState,
    exchange: u32,
    standing: [&mut (u32, Statement<Arguments>); 2],
) -> Flow<Vec<SourceCheck>> {
    let ids = Side::BOTH.map(|side| side.argument_ids(exchange));
    let cited = ids.each_ref().map(|ids| move |said: &Arguments| citations::collect_argument_citations(said, ids));
    let fault = ids
        .each_ref()
        .map(|ids| move |found: &SourceCheck| Some((citations::draft_path(ids, &found.at)?, found.describe_fault()?)));
    let asked = Side::BOTH
        .map(|side| state.draft_side(side, exchange, attempt_key(exchange, side.name(), standing[side as usize].0)));
    let checked = Side::BOTH.map(|side| {
        let (at, name) = (side as usize, side.name());
        let (request, check) = (&asked[at].request, &*asked[at].check);
        // What the reader says of a page counts before the statement goes back.
        let (reading, key_mark) = (ReadingTime::Always, "");
        let (cited, fault) = (&cited[at], &fault[at]);
        (CheckedStatement { request, name, check, cited, reading, key_mark, fault }, standing[at].1.clone())
    });
    let mut all = Vec::new();
    for ((_, statement), (settled, found)) in standing.into_iter().zip(settle_each(floor, checked.into())?) {
        *statement = settled;
        all.extend(found);
    }
    Ok(all)
}
