//! Sources of an exchange: looked up before a statement is accepted. A statement whose page does not
//! say what is claimed goes back to its author once.

use agon_core::{Faults, Floor, Flow, Pending, Redraft, Statement};

use super::{
    argument::{Arguments, Side},
    attempt_key, cited,
    state::ExchangeState,
};
use crate::common::{
    absence::record_warnings,
    claim_reading,
    verification::{self, CitedPlace, SourceCheck},
};

/// A side's statement that stands, and the attempt that it comes from.
type Standing = Option<(u32, Statement<Arguments>)>;
/// What was found for each side.
type FoundBySide = [Vec<SourceCheck>; 2];

/// What was found about the sources of both sides; statements are replaced by better ones.
pub(super) fn check_sources(
    floor: &mut Floor<'_>,
    state: &ExchangeState,
    exchange: u32,
    standing: &mut [Standing; 2],
) -> Flow<Vec<SourceCheck>> {
    let first = look_up(floor, exchange, standing, &Side::BOTH)?;
    let mut returned = Vec::new();
    let mut drafts = Vec::new();
    for (side, found) in Side::BOTH.into_iter().zip(&first) {
        let faults = collect_source_faults(side, exchange, found);
        if let (Some((attempt, statement)), false) = (&standing[side as usize], faults.0.is_empty()) {
            let redraft = Redraft { of: statement.key.clone(), number: 1, faults: faults.shorten_for_redraft() };
            let key = format!("{}/sourced", attempt_key(exchange, side.name(), *attempt));
            drafts.push(state.draft_side(side, exchange, key.clone(), Some(redraft)));
            returned.push((side, *attempt, key));
        }
    }
    if drafts.is_empty() {
        return Ok(first.into_iter().flatten().collect());
    }
    let mut mended = Vec::new();
    let answers = floor.ask_each_until_valid(drafts)?;
    for ((side, attempt, key), answer) in returned.into_iter().zip(answers) {
        match answer {
            Ok(statement) => {
                standing[side as usize] = Some((attempt, statement));
                mended.push(side);
            }
            Err(lost) => {
                record_warnings(floor, &key, side.name(), &[format!("its sources were not mended: {lost}")])?;
            }
        }
    }
    let second = look_up(floor, exchange, standing, &mended)?;
    let both = Side::BOTH.into_iter().zip(first).zip(second);
    Ok(both.flat_map(|((side, first), second)| if mended.contains(&side) { second } else { first }).collect())
}

/// Has the sources of the statements of `sides` looked up, at once; a list for each side of the debate.
fn look_up(floor: &mut Floor<'_>, exchange: u32, standing: &[Standing; 2], sides: &[Side]) -> Flow<FoundBySide> {
    let mut open: Vec<(Side, Vec<CitedPlace>, Pending)> = Vec::new();
    for side in sides {
        let Some((_, statement)) = &standing[*side as usize] else { continue };
        let cited = cited::collect_argument_citations(&statement.value, &side.argument_ids(exchange));
        if !cited.is_empty() {
            let request = verification::verification_request(statement.key.as_str(), &statement.key);
            let request = request.with_fact("side", side.name()).with_fact("exchange", exchange);
            open.push((*side, cited, floor.start_request(request)?));
        }
    }
    let mut found = [Vec::new(), Vec::new()];
    let mut answers = Vec::new();
    for (side, cited, pending) in &open {
        let answer = floor.wait_for_answer(pending.clone())?;
        found[*side as usize] = verification::parse_source_checks(&answer.reply, cited);
        answers.push((answer.key.clone(), answer.reply.clone()));
    }
    let readings = claim_reading::read_claims(floor, &answers)?;
    for ((side, ..), readings) in open.into_iter().zip(readings) {
        verification::with_readings(&mut found[side as usize], readings);
    }
    Ok(found)
}

fn collect_source_faults(side: Side, exchange: u32, found: &[SourceCheck]) -> Faults {
    let mut faults = Faults::default();
    let path = |found: &SourceCheck| cited::draft_path(&side.argument_ids(exchange), &found.at);
    for (message, path) in found.iter().filter_map(|found| found.describe_fault().zip(path(found))) {
        faults.add("source", path, message);
    }
    faults
}
