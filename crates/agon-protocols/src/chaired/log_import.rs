//! A log from elsewhere: its entries become those of this debate, and the script continues
//! where it stops.
//!
//! Words of debaters and of the audience are `imported` answers, one an entry; what the chair and the
//! verifier wrote is ruled as it stands. Which entry is what comes from the list of lines that the
//! record is pinned to.

use std::collections::BTreeSet;

use agon_core::{Floor, Flow, Outcome, Request, Seat};
use serde::{Deserialize, Serialize};

use super::{
    announcements,
    log::{EntryRuling, Phase, Type},
    state::ChairedState,
    statement,
};
use crate::common::named_seat;

/// Document that holds the lines.
pub const LINES: &str = "imported-lines";

/// One entry of the log, by its place. Words that are an answer's are left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportedLine {
    /// In which phase.
    pub phase: Phase,
    /// Whose.
    pub speaker: String,
    /// Seat of the speaker, where its words are an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Type,
    /// What the log calls it, where it is none of the known types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
    /// Words of the chair or the verifier.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// The argument that it rebuts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuttal_to_seq: Option<u64>,
    /// The entry that it challenges or verifies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_seq: Option<u64>,
    /// Of a redaction: the entry that it strikes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strikes: Option<u64>,
    /// Of a verification result: whether it found a fabrication.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fabricated: bool,
}

/// Where an imported log stops.
#[derive(Debug, Default)]
pub(super) struct ImportStop {
    /// How the debate ended, where it did.
    pub(super) outcome: Option<Outcome>,
    /// Whether the openings are over.
    pub(super) opened: bool,
    /// Who spoke in a round that is not over.
    pub(super) spoke: Option<BTreeSet<String>>,
    /// Whether the rounds are over.
    pub(super) rounds_over: bool,
}

/// Key of what answers the words of entry `seq`.
pub fn imported_key(seq: usize) -> String {
    format!("import/{seq:04}")
}

/// Puts every line on the record; `None` for a debate that was not taken over.
pub(super) fn replay_import(floor: &mut Floor<'_>, state: &mut ChairedState) -> Flow<Option<ImportStop>> {
    let lines = floor.document(LINES).filter(|_| floor.opened().import_details().is_some());
    let Some(lines) = lines else { return Ok(None) };
    let lines: Vec<ImportedLine> = serde_json::from_str(lines).unwrap_or_default();
    let mut stand = ImportStop::default();
    for (at, line) in lines.iter().enumerate() {
        write_line(floor, state, at, line)?;
        track_progress(state, &mut stand, line);
    }
    Ok(Some(stand))
}

fn write_line(floor: &mut Floor<'_>, state: &mut ChairedState, at: usize, line: &ImportedLine) -> Flow<()> {
    let mut item = EntryRuling {
        named: line.named.clone(),
        rebuttal_to_seq: line.rebuttal_to_seq,
        target_seq: line.target_seq,
        strikes: line.strikes,
        ..EntryRuling::new(line.phase, &line.speaker, line.kind, line.content.as_str())
    };
    let Some(seat) = &line.seat else { return state.log.write_script_entry(floor, item).map(drop) };
    let template = match line.phase {
        Phase::Opening => "opening",
        Phase::Closing => "closing",
        Phase::Rebuttal => "turn",
        Phase::System => "opinion",
    };
    let answer = floor.ask_seat(Request::new(imported_key(at), seat, template))?;
    let said = statement::import_statement(answer.reply.text().unwrap_or_default());
    (item.content, item.key, item.index) = (None, Some(answer.key.clone()), Some(0));
    let (words, sources) = said.entries.into_iter().next().map(|said| (said.content, said.sources)).unwrap_or_default();
    state.log.record_entry(floor, item, words, sources).map(drop)
}

/// What an entry means for the place where the debate stands.
fn track_progress(state: &mut ChairedState, stand: &mut ImportStop, line: &ImportedLine) {
    let text = line.content.as_str();
    match line.kind {
        Type::Announcement if text.starts_with("Round ") => {
            state.round += 1;
            stand.opened = true;
            stand.spoke = Some(BTreeSet::new());
        }
        Type::Announcement if text.starts_with("Phase 1 complete") => stand.opened = true,
        Type::Announcement if text.starts_with("Phase 2 complete") || text.starts_with("Pre-Phase-3") => {
            stand.rounds_over = true;
            stand.spoke = None;
        }
        // What is relayed after a round ends it.
        Type::Announcement if text.starts_with("Verifier findings relayed") => stand.spoke = None,
        Type::ClosingStatement => {
            stand.rounds_over = true;
            stand.spoke = None;
            state.closed.insert(line.speaker.clone());
        }
        Type::VerificationResult if line.fabricated => {
            let target = line.target_seq.and_then(|seq| state.log.entry_at(seq));
            state.fabricators.extend(target.map(|logged| logged.item.speaker.clone()));
        }
        Type::Conclusion => {
            stand.outcome = Some(match announcements::parse_conclusion(text) {
                Some((outcome, reason)) => super::closing_phase::build_outcome(state, outcome, reason),
                // The chair ended it in words that name no outcome; none is made up.
                None => Outcome::valid("concluded", text),
            });
            state.closed.clear();
        }
        Type::NewPoint | Type::Rebuttal | Type::Conjecture => {
            if let Some(spoke) = &mut stand.spoke {
                spoke.insert(line.speaker.clone());
            }
        }
        _ => {}
    }
}

/// The seat that the words of `speaker` are an answer of, given the names of the debaters in turn
/// order.
pub fn seat_of(speaker: &str, kind: Type, debaters: &[String]) -> Option<Seat> {
    if let Some(at) = debaters.iter().position(|name| name == speaker) {
        return Some(named_seat(&format!("debater-{}", at + 1)));
    }
    (speaker == "audience" && kind == Type::AudienceConclusion).then(|| named_seat("audience"))
}
