//! Companion debates, and what they and their debate show together: `mirror.md`, `baseline.md` and
//! `extraction.md`. Everything about the first debate is in the options of the second, so that the file
//! follows from one record.

use agon_core::{DebateId, Digest, Outcome, Record, Role, SeatModel};
use agon_text::markdown::{escape_cell, escape_line};
use serde::{Deserialize, Serialize};

use crate::File;

/// Option of a mirror: the debate that it mirrors.
pub const MIRROR_OF: &str = "mirror_of";
/// Option of a debate: the id that its mirror is to have.
pub const MIRROR: &str = "mirror";
/// Option of a debate: the id that its baseline is to have.
pub const BASELINE: &str = "baseline";
/// Kind of a companion that reads the debate, and option of a debate: the id that it is to have.
pub const EXTRACTION: &str = "extraction";
/// Option of a debate: the model that is to read it.
pub const EXTRACTOR: &str = "extractor";

/// Longest part of a debate's id in that of a companion.
const ID_BYTES_MAX: usize = 50;
/// Extractions of one debate: it may be read by several models, and again once it went on.
pub const EXTRACTIONS_MAX: usize = 20;

/// The id of a companion of `debate`.
pub fn companion_id(debate: &DebateId, kind: &str) -> String {
    let text = debate.as_str();
    if text.len() <= ID_BYTES_MAX {
        return format!("{text}-{kind}");
    }
    format!("{}-{}-{kind}", &text[..ID_BYTES_MAX - 9], &Digest::from_content(text).as_str()[..8])
}

/// The ids that extractions of `debate` have, in the order in which they are taken.
pub fn extraction_ids(debate: &DebateId) -> impl Iterator<Item = DebateId> {
    let kinds = (1..=EXTRACTIONS_MAX).map(|number| match number {
        1 => EXTRACTION.to_owned(),
        _ => format!("{EXTRACTION}-{number}"),
    });
    kinds.filter_map(|kind| DebateId::new(companion_id(debate, &kind)).ok())
}

/// The newest extraction of `record` that has ended; `read` gives a debate by its id, `None` where there
/// is none.
pub fn find_extraction<E>(
    record: &Record,
    mut read: impl FnMut(&DebateId) -> Result<Option<Record>, E>,
) -> Result<Option<Record>, E> {
    let mut newest = None;
    for id in extraction_ids(&record.opened().debate) {
        let Some(other) = read(&id)? else { break };
        if crate::views_of(&other).is_extraction_of(&other, record) {
            newest = Some(other);
        }
    }
    Ok(newest)
}

/// A debate that has ended, as its companion remembers it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndedDebate {
    /// Its id.
    pub debate: String,
    /// Its outcome in a word.
    pub outcome: String,
    /// Its outcome in a sentence.
    pub summary: String,
    /// Who prevailed, if anyone.
    pub winner: Option<String>,
    /// Who argued, in the order of their seats.
    pub debaters: Vec<Contributor>,
    /// Tokens that it used.
    pub tokens: u64,
}

/// Someone who argued.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contributor {
    /// Where.
    pub seat: String,
    /// Name, where it differs.
    pub name: Option<String>,
    /// The model.
    pub model: String,
}

impl Contributor {
    fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("{name} ({})", self.model),
            None => self.model.clone(),
        }
    }
}

/// Who argues in `lineup`, in its order.
pub fn list_debaters<'l>(protocol: &str, lineup: &'l [SeatModel]) -> Vec<&'l SeatModel> {
    let protocol = agon_protocols::find_protocol(protocol);
    let role = |sat: &SeatModel| Some(protocol?.manifest().find_seat(sat.seat.as_str())?.role);
    lineup.iter().filter(|sat| role(sat) == Some(Role::Debater)).collect()
}

impl EndedDebate {
    /// A debate that ended so, with the line-up as it was in the end.
    pub fn new(debate: &str, protocol: &str, lineup: &[SeatModel], outcome: &Outcome, tokens: u64) -> Self {
        let debaters = list_debaters(protocol, lineup).into_iter().map(|sat| Contributor {
            seat: sat.seat.to_string(),
            name: sat.name.clone(),
            model: sat.model.clone(),
        });
        Self {
            debate: debate.to_owned(),
            outcome: outcome.name.clone(),
            summary: outcome.render_summary(),
            winner: outcome.winner.clone(),
            debaters: debaters.collect(),
            tokens,
        }
    }

    /// Place of the winner among those who argued.
    fn winner_place(&self) -> Option<usize> {
        let winner = self.winner.as_deref()?;
        self.debaters.iter().position(|debater| debater.seat == winner || debater.name.as_deref() == Some(winner))
    }
}

/// The debate that an option of its companion tells of.
pub(crate) fn earlier_debate(record: &Record, option: &str) -> Option<EndedDebate> {
    EndedDebate::deserialize(record.opened().options.get(option)?).ok()
}

/// What a debate and its mirror say about the place of who argues.
pub(crate) fn mirror_file(record: &Record) -> Option<File> {
    let first = earlier_debate(record, MIRROR_OF)?;
    let outcome = record.closing_outcome()?;
    let opened = record.opened();
    let second = EndedDebate::new(opened.debate.as_str(), &opened.protocol, &opened.lineup, outcome, 0);
    let mut blocks = vec![
        format!("# The mirror of {}", escape_line(&first.debate)),
        "The same motion, debated twice: in the second debate, the debaters have swapped sides.".to_owned(),
    ];
    let row = |what: &str, one: &str, other: &str| {
        format!("| {} | {} | {} |", escape_cell(what), escape_cell(one), escape_cell(other))
    };
    let [one, other] = [&first, &second].map(|ended| escape_cell(&ended.debate));
    let mut rows = vec![format!("| | {one} | {other} |"), "|---|---|---|".to_owned()];
    let places = first.debaters.iter().zip(&second.debaters);
    rows.extend(places.map(|(one, other)| row(&one.seat, &one.title(), &other.title())));
    let winner = |ended: &EndedDebate| match ended.winner_place() {
        Some(at) => format!("{}, {}", ended.debaters[at].seat, ended.debaters[at].title()),
        None => "nobody".into(),
    };
    rows.push(row("Outcome", &first.outcome, &second.outcome));
    rows.push(row("Ahead", &winner(&first), &winner(&second)));
    blocks.push(rows.join("\n"));
    blocks.push(describe_place_effect(&first, &second));
    blocks.push(format!("{}: {}", escape_line(&first.debate), escape_line(&first.summary)));
    blocks.push(format!("{}: {}", escape_line(&second.debate), escape_line(&second.summary)));
    Some(File::new("mirror.md", blocks.join("\n\n") + "\n"))
}

/// What moved with the places.
fn describe_place_effect(first: &EndedDebate, second: &EndedDebate) -> String {
    let count = first.debaters.len();
    let same_model = first.debaters.windows(2).all(|pair| pair[0].title() == pair[1].title());
    let (Some(one), Some(other)) = (first.winner_place(), second.winner_place()) else {
        return "At least one of the debates has no winner, so they do not show whether the side decides.".into();
    };
    if same_model {
        let verb = if one == other { "did" } else { "did not" };
        return format!(
            "One model argued for both sides, so the two debates differ only by chance: the same side {verb} win twice."
        );
    }
    match (one == other, one + other + 1 == count) {
        (true, true) => "The debater in the middle won both times.".into(),
        (true, false) => format!(
            "The side decided, not the debater: {} won twice, with different debaters. One pair of debates is a hint, not a proof.",
            first.debaters[one].seat
        ),
        (false, true) => {
            "The debater decided, not the side: the same debater won from both sides. One pair of debates is a hint, not a proof.".into()
        }
        (false, false) => "A different debater won from a different side: neither the debater nor the side alone decided.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_companions_are_ids_and_never_the_same() {
        let long = |last: char| DebateId::new(format!("{}{last}", "x".repeat(63))).unwrap();
        let ids =
            [companion_id(&long('a'), MIRROR), companion_id(&long('b'), MIRROR), companion_id(&long('a'), BASELINE)];
        assert!(ids.iter().all(|id| DebateId::new(id.as_str()).is_ok()), "{ids:?}");
        assert!(ids[0] != ids[1] && ids[0] != ids[2]);
        assert_eq!(companion_id(&DebateId::new("d1").unwrap(), MIRROR), "d1-mirror");
        assert_eq!(extraction_ids(&long('a')).count(), EXTRACTIONS_MAX);
    }
}
