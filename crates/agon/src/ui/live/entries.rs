//! What an entry changes in the view, and what of it is there to read.

use std::time::Instant;

use agon_core::{ActKind, Answered, Entry, Event, Key, Reply, Request, Ruling, RulingKind, Standing};
use agon_report::{
    participation,
    ruling_view::{LogEntryView, RulingView, tell_ruling},
};
use agon_runtime::drive::Notice;

use super::{
    block::TextBlock,
    model::{State, ViewModel},
    tug_of_war,
};
use crate::ui::{BOLD, DIM, GREEN, RED, YELLOW, escape_invisible};

impl ViewModel {
    /// Takes an entry that was appended at `at`, unless it was taken before.
    pub(super) fn apply_entry(&mut self, entry: &Entry, at: Instant) {
        if entry.seq < self.next {
            return;
        }
        self.next = entry.seq + 1;
        match &entry.what {
            Event::Opened(_) | Event::Extended { .. } => {}
            Event::Asked(request) => self.apply_request(request, at),
            Event::Answered(answered) => self.apply_answer(answered),
            Event::Ruled { key, ruling } => self.apply_ruling(key, ruling),
            Event::Acted(act) => {
                let words = match &act.deed {
                    ActKind::Interjected { text } => format!(": {text}"),
                    ActKind::Paused { .. } => {
                        let state = if self.powers.drives { State::Pausing } else { State::Paused };
                        self.change_state(state, at);
                        String::new()
                    }
                    ActKind::Resumed => {
                        self.change_state(State::Running, at);
                        String::new()
                    }
                    ActKind::Cancelled { .. } => String::new(),
                };
                self.pane.push(TextBlock::text(format!("{}{words}", act.describe_act()), DIM, 0));
                self.pane.push(TextBlock::Gap);
            }
            Event::Closed { outcome } => {
                self.change_state(State::Closed, at);
                let style = if outcome.standing == Standing::Void { RED } else { GREEN };
                self.pane.push(TextBlock::text(outcome.render_summary(), style, 0));
            }
        }
    }

    fn apply_request(&mut self, request: &Request, at: Instant) {
        // A part of the program that looks at something, or the clock, says nothing to readers.
        if request.prompt.is_empty() {
            return;
        }
        let plain = self.rules.and_then(|protocol| protocol.human_prompts().get(&request.prompt));
        if let Some(phase) = plain.and_then(|plain| plain.phase.as_deref())
            && self.phase != phase
        {
            self.begin_part(phase);
        }
        let call = self.call(request, at);
        self.calls.push(call);
    }

    fn begin_part(&mut self, text: &str) {
        self.phase = escape_invisible(text);
        self.pane.push(TextBlock::Part(text.to_owned()));
    }

    fn apply_answer(&mut self, answered: &Answered) {
        self.used += answered.usage;
        let Some(at) = self.calls.iter().position(|call| call.request.key == answered.key) else { return };
        let call = self.calls.remove(at);
        self.calls_done += u64::from(call.request.redraft.is_none());
        // What follows from a failure is the script's to say, by a ruling.
        if let Reply::Said { text } = &answered.reply {
            let by = answered.by.model.as_deref().unwrap_or(&answered.by.participant);
            self.pane.push(TextBlock::Statement(call.build_statement_block(text, by.to_owned())));
        }
    }

    fn apply_ruling(&mut self, key: &Key, ruling: &Ruling) {
        let text: &str = &tell_ruling(ruling);
        match ruling.kind {
            RulingKind::Phase => self.begin_part(text),
            RulingKind::Scored => {
                match self.views().ruling_view(ruling) {
                    RulingView::Scores(scores) => {
                        self.pane.push(TextBlock::text(format!("Scores: {text}"), BOLD, 0));
                        self.pane.push(TextBlock::Drawn(tug_of_war(&scores)));
                    }
                    _ => self.pane.push(TextBlock::text(text, BOLD, 0)),
                }
                self.pane.push(TextBlock::Gap);
            }
            RulingKind::Warned => {
                let of = ruling.warned_author().map_or(String::new(), |of| format!("{of}: "));
                let text = format!("! {of}{text}");
                // The whole of it stands in the transcript.
                self.pane.push(match self.is_verbose {
                    true => TextBlock::text(text, YELLOW, 2),
                    false => TextBlock::Brief { text, style: YELLOW, indent: 2 },
                });
            }
            RulingKind::Absent | RulingKind::Redacted | RulingKind::Invalidated => {
                self.pane.push(TextBlock::text(text, RED, 0))
            }
            RulingKind::Lineup => {
                self.pane.push(TextBlock::text(format!("Taking part: {text}"), BOLD, 0));
                for (name, persona) in self.speakers.apply_lineup(ruling) {
                    if !persona.is_empty() {
                        self.pane.push(TextBlock::text(format!("{name}: {persona}"), DIM, 2));
                    }
                }
                self.pane.push(TextBlock::Gap);
            }
            RulingKind::Converged | RulingKind::Deadlocked => self.pane.push(TextBlock::text(text, BOLD, 0)),
            RulingKind::Noted if participation::is_routine(key, ruling) => {}
            RulingKind::Noted => self.pane.push(match self.views().ruling_view(ruling) {
                // Others will refer to what was said by its number.
                RulingView::LogEntry(LogEntryView { number, key: Some(_), .. }) => {
                    TextBlock::text(format!("seq {number}"), DIM, 2)
                }
                _ => TextBlock::text(text, DIM, 2),
            }),
        }
    }

    /// Takes something that is not on the record.
    pub(super) fn apply_notice(&mut self, notice: &Notice) {
        let name = |key: &Key| {
            let call = self.calls.iter().find(|call| call.request.key == *key);
            call.filter(|_| !self.is_verbose).map_or_else(|| key.to_string(), |call| call.name.clone())
        };
        let line = super::describe_notice(notice, name);
        self.pane.push(TextBlock::text(line, YELLOW, 2));
    }
}
