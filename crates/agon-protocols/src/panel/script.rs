//! One run of the script: where the panel stands, who is missing, what it may still ask, and how it ends: by a status that
//! is computed.

use std::sync::Arc;

use agon_core::{Absent, Attempt, Floor, Flow, Key, Lost, Outcome, Request, Ruling, RulingKind, Seat, Statement};
use agon_text::{capitalise_first, count_noun};
use serde::Serialize;
use serde_json::json;

use super::{
    MODERATOR,
    disagreement::{DisagreementState, PanelStatus},
    moderator_seat,
    panelist_prose::Speech,
    state::{ExaminationEnd, Panel, PanelEvent, PanelRuling},
};
use crate::common::{
    absence::rule_absent,
    source_check::{CheckedStatement, DRAFT_MARK, Looked, ReadingTime, settle_each},
    verification::{self, SourceCheck},
};

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
            found.map(|(_, speech)| speech.clone()).unwrap_or_else(|| Arc::new(Speech::from_text("")))
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

    /// Ends without a verdict, for want of the moderator; passes when the debate is extended.
    pub(super) fn give_up(&mut self, floor: &mut Floor<'_>, key: &str, lost: &Lost) -> Flow<()> {
        self.record_absence(floor, &moderator_seat(), key, lost)?;
        floor.adjourn_debate(void_outcome(&self.panel, &self.absent))?;
        self.absent.retain(|absent| absent.seat != moderator_seat());
        self.exchanges_left(floor);
        Ok(())
    }
}

/// Statements with what was found about the pages that they cite, which are looked up before their words are heard;
/// without it where no pages are opened. Panelists speak in prose, so a passage is what cites.
pub(super) fn check_sources(
    floor: &mut Floor<'_>,
    panel: &Panel,
    spoken: Vec<(Request, Statement<Speech>)>,
) -> Flow<Vec<Looked<Speech>>> {
    if !verification::is_fetched(floor.opened()) {
        return Ok(spoken.into_iter().map(|(_, statement)| (statement, Vec::new())).collect());
    }
    let check = |(request, _): &(Request, Statement<Speech>)| {
        let seat = request.seat.clone();
        move |draft: Attempt<'_>| panel.said.check_speech(&seat, draft)
    };
    let checks: Vec<_> = spoken.iter().map(check).collect();
    let cited = |speech: &Speech| verification::find_cited_passages(&speech.text);
    let fault = |found: &SourceCheck| Some((found.at.clone(), found.describe_fault()?));
    let vetted = spoken.iter().zip(&checks).map(|((request, statement), check)| {
        let name = panel.panelist_name(&request.seat);
        let (reading, key_mark) = (ReadingTime::Settled, DRAFT_MARK);
        (CheckedStatement { request, name, check, cited: &cited, reading, key_mark, fault: &fault }, statement.clone())
    });
    settle_each(floor, vetted.collect())
}

/// A participant's words, with what was found about their sources.
pub(super) fn ask_speech(floor: &mut Floor<'_>, panel: &Panel, request: Request) -> Flow<Result<Looked<Speech>, Lost>> {
    match floor.ask_until_valid(request.clone(), |draft| panel.said.check_speech(&request.seat, draft))? {
        Ok(statement) => {
            let mut looked = check_sources(floor, panel, vec![(request, statement)])?;
            Ok(Ok(looked.pop().unwrap_or_else(|| unreachable!("a statement that was given comes back"))))
        }
        Err(lost) => Ok(Err(lost)),
    }
}

/// The end by the rules. The moderator's absence from the synthesis takes away the prose alone.
pub(super) fn panel_outcome(panel: &Panel, lost: &[Absent], synthesis: Vec<Absent>) -> Outcome {
    let status = panel.status();
    let mut absent = lost.to_vec();
    absent.retain(|earlier| synthesis.iter().all(|later| later.seat != earlier.seat));
    absent.extend(synthesis);
    let count = |state: DisagreementState| panel.disagreements.iter().filter(|d| d.state == state).count();
    let ended = match panel.ended {
        Some(ExaminationEnd::Limit) => " The limit of exchanges was reached.",
        Some(ExaminationEnd::TooLong) => " The transcript no longer fits the context of a seat, and is never cut.",
        Some(ExaminationEnd::NoQuestion) => " The moderator gave no usable question.",
        Some(ExaminationEnd::Exhausted) | None => "",
    };
    let course = match panel.disagreements.len() {
        0 => "all agree, and the strongest case against it changed nobody's mind".to_owned(),
        all => {
            let (deadlocked, left) = (count(DisagreementState::Deadlocked), count(DisagreementState::Unresolved));
            let (converged, about) =
                (count(DisagreementState::Converged), count_noun(all, "disagreement", "disagreements"));
            format!("{converged} of {about} converged, {deadlocked} deadlocked, {left} unresolved")
        }
    };
    let readings = describe_readings(panel);
    let summary = format!("{}{}: {course}.{readings}{ended}", describe_missing(panel, &absent), status.title());
    let figures = json!(outcome_figures(panel, Some(status)));
    let outcome = Outcome { absent, figures, ..Outcome::valid(status.outcome_name(), summary) };
    let found = panel.said.0.iter().flat_map(|turn| &turn.speech.sources);
    verification::add_source_counts(outcome, found.map(|found| found.status))
}

/// Who read and who confirmed what decided, or why nothing was decided.
fn describe_readings(panel: &Panel) -> String {
    if panel.disagreements.is_empty() {
        let challenger = panel.valves.last().map(|valve| panel.panelist_name(&valve.seat));
        return challenger.map(|name| format!(" Read by the moderator, confirmed by {name}.")).unwrap_or_default();
    }
    let each = panel.disagreements.iter();
    each.filter_map(|about| Some(format!(" {}: {}.", about.id, panel.reading_line(about)?))).collect()
}

/// The end without a verdict.
pub(super) fn void_outcome(panel: &Panel, lost: &[Absent]) -> Outcome {
    let absent = lost.to_vec();
    let names: Vec<String> = absent.iter().map(|a| format!("{} ({})", absent_name(panel, a), a.why)).collect();
    let summary = format!("No verdict: no usable answer came from {}.", names.join(" and "));
    Outcome { absent, figures: json!(outcome_figures(panel, None)), ..Outcome::void("no_verdict", summary) }
}

fn describe_missing(panel: &Panel, absent: &[Absent]) -> String {
    absent
        .iter()
        .map(|a| format!("{} did not answer ({}). ", capitalise_first(&absent_name(panel, a)), a.why))
        .collect()
}

fn absent_name(panel: &Panel, absent: &Absent) -> String {
    if absent.seat.as_str() == MODERATOR {
        "the moderator".into()
    } else {
        panel.panelist_name(&absent.seat).to_owned()
    }
}

fn outcome_figures(panel: &Panel, status: Option<PanelStatus>) -> impl Serialize {
    let states = panel.disagreements.iter().map(|d| {
        let mut about = json!({"id": d.id, "topic": d.topic, "state": d.state});
        let sided = panel.sides_of_thirds(d).into_iter();
        let sided =
            sided.map(|(one, with)| json!({"third": panel.panelist_name(one), "with": panel.panelist_name(with)}));
        let sided: Vec<_> = sided.collect();
        if !sided.is_empty() {
            about["sided"] = sided.into();
        }
        about
    });
    json!({
        "openings": panel.openings.len(), "exchanges": panel.count_answers(), "status": status.map(PanelStatus::title),
        "ended": panel.ended, "disagreements": states.collect::<Vec<_>>(),
    })
}
