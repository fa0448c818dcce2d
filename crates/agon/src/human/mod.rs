//! A person at the terminal as a participant: told in plain words what is asked, answering in words or
//! field by field. What was typed is kept, so that an interruption loses nothing.

mod dialogue;
#[cfg(test)]
mod dialogue_tests;
mod draft;
mod editor;
mod fields;
mod introduction;
mod lines;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use agon_core::{DebateId, FailureKind, Key, Protocol, Record, Seat, Usage, View};
use agon_journal::Journal;
use agon_protocols::common::lineup::HOST;
use agon_runtime::{
    outside_seats::OutsideSeats,
    participant::{Answer, Call, CallFailure, Deltas, Participant},
    prompts::description,
};

pub use self::draft::{drafts_folder, forget_drafts};
use self::{
    dialogue::{Dialogue, DialogueAction, DialogueRequest},
    draft::AnswerDraft,
    lines::LINES,
};
use crate::ui;

/// A participant: the person at the terminal.
pub struct Human {
    seat: Seat,
    title: String,
    journal: Arc<Journal>,
    debate: DebateId,
    /// The data directory; drafts are kept below it.
    home: PathBuf,
    /// What was left out: it is not asked again.
    left_out: Mutex<BTreeMap<Key, String>>,
}

impl Human {
    /// At `seat` of `debate`, which readers call `title`.
    pub fn new(seat: Seat, title: &str, journal: Arc<Journal>, debate: DebateId, home: PathBuf) -> Self {
        Self { seat, title: title.to_owned(), journal, debate, home, left_out: Mutex::default() }
    }

    fn left_out(&self) -> std::sync::MutexGuard<'_, BTreeMap<Key, String>> {
        self.left_out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait::async_trait]
impl Participant for Human {
    async fn answer(&self, call: &Call, _: &dyn Deltas) -> Result<Answer, CallFailure> {
        if let Some(why) = self.left_out().get(&call.key).cloned() {
            return Err(empty_answer(why));
        }
        let (record, protocol) = self.read_debate()?;
        let (_, request) = record.find_request(&call.key).ok_or_else(|| broken_request("there is no such request"))?;
        let seats = OutsideSeats { journal: &self.journal, home: &self.home, debate: &self.debate, protocol };
        let told = seats.describe_for_person(&record, request).map_err(|error| broken_request(&error.to_string()))?;
        // One person answers one question at a time, and meanwhile nothing else is printed.
        let mut lines = LINES.lock().await;
        let held = ui::hold_screen();
        let schema = description::labelled_schema(protocol, &View::new(&record, request), request);
        let asked = DialogueRequest {
            title: &self.title,
            told: &told,
            schema: schema.as_ref(),
            may_be_empty: self.seat.as_str() == HOST,
            is_about_material: protocol.manifest().needs_material,
            objections: &|text| {
                let found = seats.find_objections(&record, request, text);
                found.into_iter().map(|(_, fault)| fault).collect()
            },
        };
        let mut draft = AnswerDraft::from_folder(&drafts_folder(&self.home, &self.debate), &call.key);
        let earlier = request.redraft.as_ref().and_then(|redraft| record.find_answer(&redraft.of));
        if let Some(text) = earlier.and_then(|(_, answered)| answered.reply.text()) {
            draft.begin_with(text, told.plain.and_then(|plain| plain.words.as_deref()));
        } else if let Some(filled) = told.filled.as_ref().filter(|filled| filled.is_object()) {
            draft.begin_with(&filled.to_string(), None);
        }
        let mut dialogue = Dialogue::new(asked, &mut lines, &held, draft);
        let said = dialogue.take_answer().await;
        drop(dialogue);
        let usage = Some(Usage { requests: 1, ..Usage::default() });
        match said {
            Ok(text) => Ok(Answer { text, usage, model: None, engine: None }),
            Err(DialogueAction::LeftOut) => {
                let why = format!("{} skipped it", self.title);
                self.left_out().insert(call.key.clone(), why.clone());
                Err(empty_answer(why))
            }
            Err(DialogueAction::Lost(why)) => Err(CallFailure::Unavailable {
                message: format!("the draft: {why}"),
                remedy: "free disk space, or set AGON_HOME".into(),
            }),
            Err(DialogueAction::Leave | DialogueAction::Edit | DialogueAction::Anew | DialogueAction::Json(_)) => {
                Err(CallFailure::Unavailable {
                    message: format!("you left the seat of the {}", self.title),
                    remedy: "your draft is kept, and you will be asked again".into(),
                })
            }
        }
    }
}

impl Human {
    fn read_debate(&self) -> Result<(Record, &'static dyn Protocol), CallFailure> {
        let record = self.journal.read_record(&self.debate).map_err(|error| broken_request(&error.to_string()))?;
        let protocol = agon_protocols::find_rules(&record).map_err(|error| broken_request(&error.to_string()))?;
        Ok((record, protocol))
    }
}

fn empty_answer(message: String) -> CallFailure {
    CallFailure::Answered { kind: FailureKind::Empty, message, usage: None }
}

fn broken_request(why: &str) -> CallFailure {
    CallFailure::Unavailable {
        message: format!("the request cannot be shown: {why}"),
        remedy: "check the debate with agon check".into(),
    }
}
