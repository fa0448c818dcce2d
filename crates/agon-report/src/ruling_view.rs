//! What a ruling means to a reader beyond its line of text, whatever its protocol: screens, reports and pages draw these
//! types, and each protocol makes them of its own ([`crate::views::Views::ruling_view`]).

use std::borrow::Cow;

use agon_core::{Key, Plain, Record, Ruling, RulingKind, Seat};

/// A ruling, as readers see it.
#[derive(Debug, Clone, PartialEq)]
pub enum RulingView {
    /// Its text says all.
    Text,
    /// Scores were accepted.
    Scores(ScoresView),
    /// A judge's vote was counted.
    Vote(VoteView),
    /// An entry of a log of the protocol's own.
    LogEntry(LogEntryView),
}

/// Accepted scores.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoresView {
    /// The judgment that gave them.
    pub key: Key,
    /// The sides and their totals after it, in the protocol's order.
    pub totals: [(&'static str, f64); 2],
    /// Where the new arguments met and which point decided, in the judge's words, and the answer that has them.
    pub clash: Option<(Key, String)>,
    /// Of new arguments, in the protocol's order, then corrections of earlier ones.
    pub lines: Vec<ScoreLine>,
}

/// A difference of totals, or of mean strengths in a graph, below this favours nobody.
pub const MARGIN_MIN: f64 = 0.01;

impl ScoresView {
    /// The side that is ahead after it.
    pub fn leading_side(&self) -> Option<&'static str> {
        let [(first, one), (second, other)] = self.totals;
        let ahead = [(first, one - other), (second, other - one)].into_iter().find(|(_, lead)| *lead > MARGIN_MIN);
        ahead.map(|(side, _)| side)
    }
}

/// The score of one argument.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreLine {
    /// For example `prop_000a`.
    pub argument: String,
    /// What stands now.
    pub score: f64,
    /// Another number that stood before it.
    pub before: ScoreBefore,
    /// Why, in the judge's words.
    pub why: String,
}

/// What stood before a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScoreBefore {
    /// Nothing: it stands as it was given.
    Nothing,
    /// The judge's grade, 0 to 10, that the score follows from.
    Grade(f64),
    /// Given so, and moved so that a batch sums to zero.
    Given(f64),
    /// The score that a later judgment corrected.
    Corrected(f64),
}

/// The vote of one judge.
#[derive(Debug, Clone, PartialEq)]
pub struct VoteView {
    /// Whose.
    pub judge: Seat,
    /// In each order: the side that was read first, and how far the first side of the debate was preferred.
    pub orders: Vec<(&'static str, f64)>,
    /// The same of the vote that counts.
    pub margin: f64,
    /// The place of the side that it prefers; `None` for a tie.
    pub prefers: Option<u8>,
    /// Whether the two orders had opposite winners.
    pub is_flip: bool,
}

/// An entry of a protocol's own log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntryView {
    /// Its number there, by which participants name it.
    pub number: u64,
    /// The answer whose words it holds; none of a ruling or an announcement.
    pub key: Option<Key>,
    /// Whether it is a ruling by the chair.
    pub is_chair_ruling: bool,
}

/// The text of a ruling; places of a form in a warning are told in words.
pub fn tell_ruling(ruling: &Ruling) -> Cow<'_, str> {
    match ruling.kind {
        RulingKind::Warned => Cow::Owned(name_form_places(&ruling.text)),
        _ => Cow::Borrowed(&ruling.text),
    }
}

/// A warning with the places of a form in words: `arguments[0]: claim has 32 words` as `Arguments 1: claim has 32
/// words`. Only what stands before a colon is a place: the rest may be a quotation.
pub fn name_form_places(warning: &str) -> String {
    let is_place = |at: &str| at.contains('[') && at.chars().all(|c| c.is_ascii_alphanumeric() || "_.[]".contains(c));
    let told = warning.split("; ").map(|part| match part.split_once(": ") {
        Some((at, rest)) if is_place(at) => Cow::Owned(format!("{}: {rest}", Plain::default().describe_place(at))),
        _ => Cow::Borrowed(part),
    });
    told.collect::<Vec<_>>().join("; ")
}

/// The accepted scores of a debate, oldest first: the entry, the title of the phase, and the scores.
pub fn list_scores(record: &Record) -> Vec<(u64, String, ScoresView)> {
    let views = crate::views_of(record);
    let mut phase = String::new();
    let mut all = Vec::new();
    for (seq, _, ruling) in record.rulings() {
        if ruling.kind == RulingKind::Phase {
            phase.clone_from(&ruling.text);
        }
        if let RulingView::Scores(scores) = views.ruling_view(ruling) {
            all.push((seq, phase.clone(), scores));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_a_form_are_told_in_words() {
        for (warning, told) in [
            (
                "arguments[0]: claim has 32 words, 25 are asked for; arguments[2]: warrant has 60 words",
                "Arguments 1: claim has 32 words, 25 are asked for; Arguments 3: warrant has 60 words",
            ),
            ("arguments[1].grounds[0]: odd", "Arguments 2, Grounds 1: odd"),
            ("it says \"a[0]\"; b: c", "it says \"a[0]\"; b: c"),
        ] {
            assert_eq!(name_form_places(warning), told);
        }
    }
}
