//! What a debate did not settle: what the protocol knows of, sources that nobody could verify, and seats that did not
//! answer.

use agon_core::RulingKind;

use super::{Sentence, quote::QuotedEntries};
use crate::{
    cited::{CitedSource, Counts},
    graph::Graph,
};

/// Seats without an answer that are named.
const ABSENT_MAX: usize = 2;

pub(super) fn list_open_points(
    entries: &QuotedEntries<'_>,
    graph: &Graph,
    cited: &[CitedSource],
    counts: Counts,
) -> Vec<Sentence> {
    let mut all = crate::views_of(entries.record).open_points(entries, graph);
    let at = |test: &dyn Fn(&CitedSource) -> bool| first_citing_entry(entries, graph, cited, test);
    let opened = counts.open > 0;
    // What is wrong is said with what makes the outcome untrustworthy.
    let told = Counts { bad: 0, ..counts }.describe_troubles().into_iter().enumerate();
    all.extend(told.map(|(i, text)| {
        let seq = if i == 0 && opened { at(&|cited| cited.is_open) } else { at(&|cited| !cited.is_open) };
        Sentence::new(seq, text)
    }));
    let absent = entries.record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Absent);
    all.extend(
        absent
            .take(ABSENT_MAX)
            .map(|(seq, _, ruling)| Sentence::new(seq, format!("{}.", ruling.text.trim_end_matches('.')))),
    );
    all
}

/// The entry that cites the first source of which `test` holds, where that is known.
pub(super) fn first_citing_entry(
    entries: &QuotedEntries<'_>,
    graph: &Graph,
    cited: &[CitedSource],
    test: &dyn Fn(&CitedSource) -> bool,
) -> u64 {
    let of = cited.iter().filter(|cited| test(cited)).find_map(|cited| graph.index(&cited.of));
    of.map_or(entries.end_seq(), |at| graph.statements[at].seq)
}
