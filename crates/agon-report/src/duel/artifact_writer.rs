//! Renders the artifact of a record. Its texts are escaped, so that no statement can become structure of the file.

use agon_core::{Answered, Record, Seat, View};
use agon_protocols::{
    common::citable_document::file_name,
    duel::{
        outcome,
        state::{self, History, TURNS_MAX, TURNS_MIN},
        turn::{Contribution, TurnClaim, Unresolved},
    },
};
use agon_text::{
    markdown::{escape_line, escape_start, escape_title},
    topic_slug,
};

use super::artifact::{Artifact, Conclusion, ParticipantRow, TurnSection, render_code_span};
use crate::{add_extended_rounds, imported_files, markup::escape_unprintable};

/// Longest slug in a file name: with date and ending it fits every file system.
const SLUG_BYTES_MAX: usize = 120;
/// What stands for words that may no longer be shown.
const REDACTED: &str = "This text was redacted.";

/// The host of the participants, as the option `harness` names it.
pub(super) fn harness_name(record: &Record) -> &str {
    record.opened().options.get("harness").and_then(|name| name.as_str()).unwrap_or("agon")
}

/// Where the artifact of `record` stands, relative to the folder of the debate. The date is that
/// of the opening, in UTC.
pub fn artifact_path(record: &Record) -> String {
    if let Some(path) = find_original_artifact(record).map(|(path, _)| path) {
        return path.to_owned();
    }
    let opened = record.entries().first().map(|entry| entry.at.0.as_str()).unwrap_or_default();
    let date: String = opened.chars().take(10).filter(|c| c.is_ascii_digit() || *c == '-').collect();
    let mut slug = topic_slug(&record.opened().motion);
    slug.truncate(SLUG_BYTES_MAX);
    format!("debates/{date}-{}.md", slug.trim_end_matches('-'))
}

/// The artifact that the duel was taken over from, with its path.
pub(super) fn find_original_artifact(record: &Record) -> Option<(&str, &str)> {
    record.opened().import_details()?;
    let mut documents = record.documents().iter();
    documents.find_map(|(name, text)| {
        let path = name.strip_prefix(imported_files::PREFIX)?;
        path.starts_with("debates/").then_some((path, text.as_str()))
    })
}

/// The model that `seat` was to be, as the user named it.
pub(super) fn seat_model<'r>(record: &'r Record, seat: &Seat) -> &'r str {
    let sat = record.opened().lineup.iter().find(|sat| sat.seat == *seat);
    sat.map(|sat| sat.model.as_str()).filter(|model| !model.is_empty()).unwrap_or("unknown-model")
}

/// The artifact as it stands after the last entry of `record`.
pub fn build_artifact(record: &Record) -> Artifact {
    let opened = record.opened();
    let history = History::from_view(&View::of_whole_record(record));
    let joined = record.entries().first().map(|entry| entry.at.0.clone()).unwrap_or_default();
    let participants = history.members.iter().map(|member| ParticipantRow {
        name: escape_line(&member.name),
        harness: escape_line(harness_name(record)),
        model: escape_line(seat_model(record, &member.seat)),
        joined: joined.clone(),
    });
    let participants = participants.collect();
    let turns = history.turns.iter().map(|turn| {
        let seat = &turn.accepted.seat;
        let answered = record.find_answer(&turn.accepted.key).map(|(_, Answered { by, .. })| by.participant.as_str());
        let model = answered.filter(|model| !model.is_empty()).unwrap_or_else(|| seat_model(record, seat));
        TurnSection {
            number: turn.accepted.turn,
            participant: escape_line(history.find_member(seat).map_or(seat.as_str(), |member| &member.name)),
            harness: escape_line(harness_name(record)),
            model: escape_line(model),
            said: public_contribution(turn),
            peer_timeout: None,
        }
    });
    let topic = escape_title(&opened.motion);
    Artifact {
        topic_slug: topic_slug(&opened.motion),
        source_path: escape_path(state::source_path(opened)),
        source_link: render_file_link(state::source_path(opened)),
        status: if record.closing_outcome().is_some() { "CLOSED" } else { "ACTIVE" }.into(),
        created: joined.clone(),
        duel_id: opened.debate.to_string(),
        turns_max: add_extended_rounds(record, opened.limits.rounds).clamp(TURNS_MIN, TURNS_MAX),
        candidate_convergence: history.candidate_convergence(),
        participants,
        turns: turns.collect(),
        conclusion: build_conclusion(record, &history, &topic),
        topic,
    }
}

fn build_conclusion(record: &Record, history: &History, topic: &str) -> Conclusion {
    let convergence = history.candidate_convergence();
    let Some(outcome) = record.closing_outcome() else { return Conclusion::pending(convergence) };
    let path = render_code_span(&escape_path(state::source_path(record.opened())));
    let turns = match history.turns.len() {
        0 => "No turn was accepted.".to_owned(),
        1 => "One turn was accepted.".to_owned(),
        n => format!("{n} turns were accepted."),
    };
    let mut blocks = vec![format!("Topic: {topic}. Source document: {path}. {turns}")];
    for member in &history.members {
        let Some(turn) = history.latest_turn(member) else {
            blocks.push(format!("- {} has no accepted turn.", escape_line(&member.name)));
            continue;
        };
        let said = public_contribution(turn);
        let (name, stance) = (escape_line(&member.name), turn.accepted.stance.name());
        let mut text = format!("- {name}, {stance} in turn {}: {}", turn.accepted.turn, said.position);
        for item in &said.unresolved {
            let blocking = if item.blocking { " (blocking)" } else { "" };
            text.push_str(&format!("\n  - Open{blocking}: {}", item.text));
        }
        blocks.push(text);
    }
    Conclusion {
        outcome: outcome::closing_name(outcome).to_owned(),
        closed_at: record.entries().last().map(|entry| entry.at.0.clone()),
        candidate_convergence: convergence,
        reason: escape_line(&outcome.render_summary()),
        summary: blocks.join("\n\n"),
    }
}

/// A turn's words, or what stands for them.
pub(super) fn public_contribution(turn: &state::Turn) -> Contribution {
    let Some(said) = &turn.contribution else { return redacted_contribution(turn) };
    let all = |support: &[String]| support.iter().map(|entry| escape_start(entry)).collect();
    let claim = |said: &TurnClaim, escape: fn(&str) -> String| TurnClaim {
        addresses: escape_line(&said.addresses),
        claim: escape(&said.claim),
        support: all(&said.support),
        ..TurnClaim::default()
    };
    let items =
        said.unresolved.iter().map(|item| Unresolved { text: escape_start(&item.text), blocking: item.blocking });
    Contribution {
        position: escape_start(&said.position),
        counterpoints: said.counterpoints.iter().map(|point| claim(point, escape_line)).collect(),
        agreements: all(&said.agreements),
        novel: claim(&said.novel, escape_start),
        unresolved: items.collect(),
        stance: said.stance,
        stance_support: all(&said.stance_support),
        ..Contribution::default()
    }
}

/// A turn whose words may not be shown keeps its form, so that the file stays one.
fn redacted_contribution(turn: &state::Turn) -> Contribution {
    let (text, support) = (|| REDACTED.to_owned(), || vec![format!("Principle: {REDACTED}")]);
    let claim = TurnClaim { addresses: text(), claim: text(), support: support(), ..TurnClaim::default() };
    Contribution {
        position: text(),
        counterpoints: vec![claim.clone()],
        agreements: vec![text()],
        novel: claim,
        unresolved: vec![Unresolved { text: text(), blocking: turn.accepted.blocking > 0 }],
        stance: turn.accepted.stance,
        stance_support: support(),
        ..Contribution::default()
    }
}

/// A path with what cannot be seen escaped, on one line.
fn escape_path(path: &str) -> String {
    agon_text::to_single_line(&escape_unprintable(path))
}

/// A Markdown link to a file: its name, and its path with all but plain characters encoded.
fn render_file_link(path: &str) -> String {
    let mut target = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => target.push(byte.into()),
            _ => target.push_str(&format!("%{byte:02X}")),
        }
    }
    let name = escape_line(file_name(path)).replace('[', "\\[").replace(']', "\\]");
    format!("[{name}]({target})")
}
