//! What a reader decides by, at the end of a debate: what makes the outcome untrustworthy, one line on how far it can
//! be trusted, the strongest case of each side, what would change the outcome, and what was not settled.

use agon_core::Record;
use agon_formats::report::decision::{Decision, Sentence};
use agon_protocols::common::withheld;

use super::{BOLD, DIM, YELLOW, drawn, out, paint, wrapped};

/// Sentences of one part; the report has all of them.
const EACH_MAX: usize = 3;

/// Prints the decision of a closed debate, below its outcome.
pub fn decision(record: &Record) {
    // Who watches has the record as it is.
    let record = withheld::shown(record);
    let Decision { doubts, trust, cases, flips, open, .. } = Decision::with(&record, None);
    let joined = |all: &[Sentence], mark: &str| all.iter().map(Sentence::told).collect::<Vec<_>>().join(mark);
    if !doubts.is_empty() {
        out(&paint(&wrapped(&format!("Read with care. {}", joined(&doubts, " ")), ""), YELLOW));
    }
    out(&paint(&wrapped(&joined(&trust, drawn(" · ")), ""), DIM));
    let first = cases.into_iter().filter_map(|case| {
        let Sentence { text, quote, seq } = case.sentences.into_iter().next()?;
        Some(Sentence { text: format!("{}: {text}", case.name), quote, seq })
    });
    part("The strongest case of each side", &first.collect::<Vec<_>>());
    part("What would change the outcome", &flips[..flips.len().min(EACH_MAX)]);
    part("What was not settled", &open[..open.len().min(EACH_MAX)]);
}

/// A part with its heading; nothing where it is empty.
fn part(heading: &str, sentences: &[Sentence]) {
    if sentences.is_empty() {
        return;
    }
    out("");
    out(&paint(heading, BOLD));
    for sentence in sentences {
        out(&wrapped(&format!("{} [entry {}]", sentence.told(), sentence.seq), "  "));
    }
}
