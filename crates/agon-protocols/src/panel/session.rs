//! One run of the script: where the panel stands, who is missing, and what it may still ask.

use std::sync::Arc;

use agon_core::{Absent, Floor, Flow, Key, Lost, Request, Ruling, RulingKind, Seat};

use super::{
    moderator_seat, outcome,
    speech::Speech,
    state::{ExaminationEnd, Panel, PanelEvent, PanelRuling},
};
use crate::common::absence::rule_absent;

/// One run of the script: the panel, and what it may still spend.
pub(super) struct Session {
    pub(super) panel: Panel,
    /// Seats that did not answer and have not answered since.
    pub(super) absent: Vec<Absent>,
    /// Exchanges that may be held, from the first on.
    pub(super) exchanges_max: u32,
    /// The limit of rounds that this counts in already.
    pub(super) rounds_seen: u32,
    pub(super) analyses: u32,
    pub(super) routes: u32,
    pub(super) ends: u32,
}

impl Session {
    pub(super) fn new(panel: Panel, rounds: u32) -> Self {
        let absent = Vec::new();
        Self { panel, absent, exchanges_max: rounds, rounds_seen: rounds, analyses: 0, routes: 0, ends: 0 }
    }

    /// Puts what changes the panel on the record, and changes it.
    pub(super) fn record_event(&mut self, floor: &mut Floor<'_>, key: &str, text: &str, event: PanelEvent) -> Flow<()> {
        self.happen_with(floor, key, text, event, &[])
    }

    /// [`Session::record_event`] for an event by which a participant speaks.
    pub(super) fn happen_with(
        &mut self,
        floor: &mut Floor<'_>,
        key: &str,
        text: &str,
        event: PanelEvent,
        speeches: &[(Key, Arc<Speech>)],
    ) -> Flow<()> {
        floor
            .record_ruling(key, Ruling::new(RulingKind::Noted, text).with_data(PanelRuling { panel: event.clone() }))?;
        self.panel.apply_event(event, |key| {
            let found = speeches.iter().find(|(at, _)| at == key);
            found.map(|(_, speech)| speech.clone()).unwrap_or_else(|| Arc::new(Speech::of("")))
        });
        Ok(())
    }

    /// Exchanges that are left, extensions included.
    pub(super) fn exchanges_left(&mut self, floor: &mut Floor<'_>) -> u32 {
        let rounds = floor.current_limits().rounds;
        self.exchanges_max += rounds.saturating_sub(self.rounds_seen);
        self.rounds_seen = rounds;
        self.exchanges_max.saturating_sub(self.panel.exchanges.len() as u32)
    }

    /// A request to the moderator, who knows how many exchanges are left and what people have said to all
    /// by then: the panel has heard it, too.
    pub(super) fn moderator_request(&mut self, floor: &mut Floor<'_>, key: &str, prompt: &str) -> Request {
        let request = Request::new(key, &moderator_seat(), prompt);
        self.panel.interjections.clear();
        for (by, text) in floor.interjections_before(&request.key) {
            self.panel.add_interjection(by, text);
        }
        request.with_fact("left", self.exchanges_left(floor))
    }

    /// Whether the limit ends what could still be asked.
    pub(super) fn is_cut_off(&mut self, floor: &mut Floor<'_>) -> bool {
        self.panel.active_disagreements().next().is_some() && self.exchanges_left(floor) == 0
    }

    /// Ends cross-examination. What it did not use lapses: an extension allows so many more.
    pub(super) fn end_examination(&mut self, floor: &mut Floor<'_>, end: ExaminationEnd) -> Flow<()> {
        let key = format!("end-{:03}", self.ends);
        self.ends += 1;
        let text = match end {
            ExaminationEnd::Exhausted => "nothing is left to ask",
            ExaminationEnd::Limit => "the limit of exchanges is reached",
            ExaminationEnd::TooLong => "the transcript no longer fits, and is never cut",
            ExaminationEnd::NoQuestion => "the moderator gave no usable question",
        };
        let told = self.panel.exchanges.last().map_or(0, |exchange| exchange.notes.len());
        self.record_event(floor, &key, text, PanelEvent::Ended(end))?;
        self.rule_notes(floor, &key, told)?;
        self.exchanges_max = self.panel.exchanges.len() as u32;
        Ok(())
    }

    pub(super) fn reopen_examination(&mut self, floor: &mut Floor<'_>) -> Flow<()> {
        let key = format!("end-{:03}/reopened", self.ends - 1);
        self.record_event(floor, &key, "more exchanges are allowed", PanelEvent::Reopened)
    }

    /// Rules each note of the last exchange from number `from` on.
    pub(super) fn rule_notes(&self, floor: &mut Floor<'_>, key: &str, from: usize) -> Flow<()> {
        let notes = self.panel.exchanges.last().map(|exchange| exchange.notes.as_slice()).unwrap_or_default();
        for (i, note) in notes.iter().enumerate().skip(from) {
            floor.record_ruling(format!("{key}/note-{}", i + 1), Ruling::new(note.kind, &note.text))?;
        }
        Ok(())
    }

    /// Says that `seat` did not answer.
    pub(super) fn record_absence(&mut self, floor: &mut Floor<'_>, seat: &Seat, key: &str, lost: &Lost) -> Flow<()> {
        let name = self.panel.panelist_name(seat).to_owned();
        let absent = rule_absent(floor, seat, &name, key, lost)?;
        self.absent.retain(|earlier| earlier.seat != *seat);
        self.absent.push(absent);
        Ok(())
    }

    /// Ends without a verdict, for want of `seat`; passes when the debate is extended.
    pub(super) fn give_up(&mut self, floor: &mut Floor<'_>, seat: &Seat, key: &str, lost: &Lost) -> Flow<()> {
        self.record_absence(floor, seat, key, lost)?;
        floor.adjourn_debate(outcome::void_outcome(&self.panel, &self.absent))?;
        self.absent.retain(|absent| absent.seat != *seat);
        self.exchanges_left(floor);
        Ok(())
    }
}
