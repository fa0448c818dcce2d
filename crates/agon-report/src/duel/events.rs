//! `events.jsonl`: a duel as the events that the source system's participants emit, one a line, in
//! the order of the record.
//!
//! There is no lock here: the program itself gives the turn and writes it. A request for a turn
//! stands for `lock_acquired`, its acceptance for `lock_released`, and `lease_expires_at` and
//! `wait_until` are null, since nothing expires.

use std::sync::Arc;

use agon_core::{Event, Key, Outcome, Record, Request, Ruling, RulingKind, Seat, View};
use agon_protocols::duel::{
    outcome::{INVALIDATED, closing_name},
    state::{self, AcceptedTurn, History},
};
use serde::Serialize;
use serde_json::json;

use super::{PROTOCOL, artifact_writer};
use crate::{File, Format};

/// Name of the workflow in every event.
const WORKFLOW: &str = "socratic-duel";
/// Seconds after which the source system would look again.
const RETRY_AFTER_SECONDS: &str = "30";

/// `events.jsonl`.
/// They name the artifact by its whole path, but where it is registered: there it is relative to the folder.
pub static FORMAT: Format = Format {
    protocol: Some(PROTOCOL),
    ..Format::new("events", "a duel as the events of its source system, one JSON object a line", |record, _, folder| {
        vec![render_events_file(record, folder)]
    })
};

/// `events.jsonl` of a duel whose files are in `folder`, since its source system names artifacts by their
/// whole path; relative to its folder where that is empty.
pub fn render_events_file(record: &Record, folder: &str) -> File {
    let history = History::from_view(&View::of_whole_record(record));
    let path = match folder.trim_end_matches('/') {
        "" => artifact_writer::artifact_path(record),
        folder => format!("{folder}/{}", artifact_writer::artifact_path(record)),
    };
    let mut told = TurnEvents { record, history, path, lines: String::new(), step: "", has_artifact: false };
    told.enter_step("preparing");
    for (at, member) in told.history.members.clone().iter().enumerate() {
        let data = json!({
            "status": "completed", "event": "participant_registered", "participant_id": member.seat,
            "participant_count": (at + 1).to_string(), "source_path": told.source_path(),
        });
        told.emit_named_change("preparing", Some(&participant_unit(&member.seat)), data);
    }
    for (at, entry) in record.entries().iter().enumerate() {
        match &entry.what {
            Event::Asked(request) if !request.prompt.is_empty() && request.redraft.is_none() => {
                told.emit_composing(request)
            }
            Event::Ruled { key, ruling } => told.emit_ruling(at, key, ruling),
            Event::Closed { outcome } => told.emit_closing(outcome),
            _ => {}
        }
    }
    File::new("events.jsonl", told.lines)
}

struct TurnEvents<'r> {
    record: &'r Record,
    history: Arc<History>,
    /// Of the artifact.
    path: String,
    /// The events so far, a line each.
    lines: String,
    step: &'static str,
    has_artifact: bool,
}

impl TurnEvents<'_> {
    fn source_path(&self) -> &str {
        state::source_path(self.record.opened())
    }

    fn emit_event(&mut self, kind: &str, step: &str, unit: Option<&str>, data: impl Serialize, close: bool) {
        let opened = self.record.opened();
        let mut event = json!({
            "workflow": WORKFLOW, "type": kind, "run_id": opened.debate, "harness": artifact_writer::harness_name(self.record),
            "step": step,
        });
        if let Some(unit) = unit {
            event["unit"] = unit.into();
        }
        event["data"] = json!(data);
        if close {
            event["close_run"] = true.into();
        }
        self.lines.push_str(&format!("{event}\n"));
    }

    /// A change of state that names duel, artifact and topic, as all but entries of a state do. The one of no unit ends
    /// the run.
    fn emit_named_change(&mut self, step: &str, unit: Option<&str>, data: impl Serialize) {
        let mut data = json!(data);
        let opened = self.record.opened();
        let named = [("duel_id", opened.debate.as_str()), ("debate_path", &self.path), ("topic", &opened.motion)];
        named.into_iter().for_each(|(name, value)| data[name] = value.into());
        self.emit_event("status_change", step, unit, data, unit.is_none());
    }

    /// Entry of a primary state.
    fn enter_step(&mut self, step: &'static str) {
        if self.step != step {
            self.step = step;
            let opened = self.record.opened();
            let data = json!({"status": "running", "target": self.source_path(), "topic": opened.motion});
            self.emit_event("status_change", step, None, data, false);
        }
    }

    fn emit_composing(&mut self, request: &Request) {
        self.enter_step("debating");
        let data = json!({"status": "completed", "event": "lock_acquired", "lease_expires_at": null});
        self.emit_named_change("debating", Some(&participant_unit(&request.seat)), data);
        let data = json!({"status": "running", "event": "turn_composing", "participant_id": request.seat});
        let turn = request.facts["turn"].as_u64().unwrap_or_default();
        self.emit_named_change("debating", Some(&format!("turn:{turn}")), data);
    }

    fn emit_ruling(&mut self, at: usize, key: &Key, ruling: &Ruling) {
        if let (RulingKind::Noted, Some(accepted)) = (ruling.kind, ruling.decode_data::<AcceptedTurn>()) {
            self.emit_accepted_turn(at, &accepted);
        }
        if ruling.kind == RulingKind::Absent
            && let Some((_, asked)) =
                self.record.find_request(&Key::from_parts(key.as_str().trim_end_matches("/absent")))
        {
            self.emit_waiting(&asked.seat, &ruling.text);
        }
    }

    fn emit_accepted_turn(&mut self, at: usize, accepted: &AcceptedTurn) {
        self.artifact_registered();
        let outcome = self.ends_with(at).map(|outcome| closing_name(outcome).to_owned()).unwrap_or_default();
        let mut so_far = History::clone(&self.history);
        so_far.turns.truncate(accepted.turn as usize);
        let convergence = so_far.candidate_convergence();
        let data = json!({
            "status": "completed", "event": "artifact_updated", "participant_id": accepted.seat,
            "candidate_convergence": convergence.to_string(), "terminal_outcome": outcome,
        });
        self.emit_named_change("debating", Some(&format!("turn:{}", accepted.turn)), data);
        if !outcome.is_empty() {
            return;
        }
        self.emit_release(&accepted.seat, false);
        if convergence {
            let opened = self.record.opened();
            let data = json!({
                "message": "Candidate convergence detected; duel remains active until explicit terminal criteria are met.",
                "metadata": {
                    "duel_id": opened.debate, "turn_number": accepted.turn.to_string(),
                    "candidate_convergence": true, "debate_path": self.path, "topic": opened.motion,
                },
            });
            self.emit_event("btw_update", "debating", None, data, false);
        }
    }

    fn emit_release(&mut self, seat: &Seat, closed: bool) {
        let data = json!({"status": "completed", "event": "lock_released", "closed": closed.to_string()});
        self.emit_named_change("closing", Some(&participant_unit(seat)), data);
    }

    /// The peer of a seat that did not answer waited for it.
    fn emit_waiting(&mut self, absent: &Seat, reason: &str) {
        self.enter_step("waiting_for_participant");
        let peer = self.record.opened().lineup.iter().map(|sat| &sat.seat).find(|seat| *seat != absent);
        let data = json!({
            "status": "waiting", "event": "participant_waiting", "reason": reason,
            "retry_after_seconds": RETRY_AFTER_SECONDS, "wait_until": null,
        });
        self.emit_named_change("waiting_for_participant", Some(&participant_unit(peer.unwrap_or(absent))), data);
    }

    /// Exactly once, when the file is first written.
    fn artifact_registered(&mut self) {
        if std::mem::replace(&mut self.has_artifact, true) {
            return;
        }
        let opened = self.record.opened();
        let data = json!({
            "path": artifact_writer::artifact_path(self.record), "storageRoot": "work_dir", "type": "markdown",
            "feature": WORKFLOW, "source_path": self.source_path(), "topic": opened.motion, "duel_id": opened.debate,
        });
        self.emit_event("artifact_registered", "debating", None, data, false);
    }

    fn emit_closing(&mut self, outcome: &Outcome) {
        let name = closing_name(outcome);
        self.enter_step("closing");
        self.artifact_registered();
        // The last speaker holds the pen; before the first turn, the one who begins.
        let last = self.history.turns.last().map(|turn| turn.accepted.seat.clone());
        let holder = last.or_else(|| self.history.members.first().map(|member| member.seat.clone()));
        if let Some(seat) = holder {
            self.emit_release(&seat, true);
            let data = json!({
                "status": "completed", "event": "artifact_updated", "participant_id": seat,
                "candidate_convergence": self.history.candidate_convergence().to_string(),
                "terminal_outcome": name,
            });
            self.emit_named_change("closing", Some(&format!("conclusion:{name}")), data);
        }
        let (step, status, told) = match name == INVALIDATED {
            true => ("invalidated", "failed", "message"),
            false => ("completed", "completed", "summary"),
        };
        self.step = step;
        let mut data = json!({"status": status, "outcome": name, "source_path": self.source_path()});
        data[told] = outcome.summary.clone().into();
        self.emit_named_change(step, None, data);
    }

    /// The outcome, where entry `at` brings it about: nobody speaks any more, and the look at the files
    /// before the close finds nothing wrong.
    fn ends_with(&self, at: usize) -> Option<&Outcome> {
        let ends = self.record.entries()[at..].iter().find_map(|entry| match &entry.what {
            Event::Asked(request) if !request.prompt.is_empty() => Some(None),
            Event::Closed { outcome } => Some(Some(outcome)),
            _ => None,
        })?;
        ends.filter(|outcome| closing_name(outcome) != INVALIDATED)
    }
}

fn participant_unit(seat: &Seat) -> String {
    format!("participant:{seat}")
}
