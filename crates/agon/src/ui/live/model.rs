//! What the full-screen view knows of a debate. It only changes by events and keys, and reads no clock.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use agon_app::display;
use agon_core::{Entry, Key, Limits, Opened, Protocol, Record, Seat, Usage};
use agon_protocols::common::struck_text;
use agon_report::{
    views::{Common, Views},
    views_of,
};
use agon_runtime::drive::{Notice, current_limits};

use super::{call::CallLine, fit::format_clock, pane::Pane};
use crate::ui::{escape_invisible, speakers::Speakers};

/// What changes the view.
#[derive(Debug)]
pub enum ViewEvent {
    /// An entry as it may be shown, and how long ago it was appended.
    Entry(Box<Entry>, Duration),
    /// The record after its newest entry, as it is stored.
    Record(Box<Record>),
    /// More of an answer.
    Delta { key: Key, attempt: u32, text: String },
    /// Something that is not on the record.
    Notice(Notice),
    /// How many calls the debate makes at most if every first answer can be used.
    CallsMax(u64),
    /// How long the debate has been driven, where another process drives it.
    Driven(Duration),
    /// Nothing is under way any more, and the debate is paused.
    Stopped,
    /// A line for the reader.
    Message(String),
    /// The debate is over, or continues without this view: it ends unless its reader went back.
    End,
    /// The view ends now.
    EndNow,
}

/// Whether the debate continues.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum State {
    #[default]
    Running,
    /// Paused, and calls are under way that are awaited.
    Pausing,
    Paused,
    Closed,
}

/// What the reader can do, in addition to reading.
#[derive(Debug, Default, Clone, Copy)]
pub struct Powers {
    /// The debate is driven here: it continues after a pause, and stops with the view.
    pub drives: bool,
    /// The protocol lets people speak who have not been asked.
    pub interjects: bool,
}

/// The view of one debate.
#[derive(Default)]
pub struct ViewModel {
    pub protocol: String,
    pub motion: String,
    pub id: String,
    pub powers: Powers,
    pub pane: Pane,
    pub calls: Vec<CallLine>,
    pub state: State,
    /// The last phase, the round in it, and where the debate stands.
    pub phase: String,
    pub round: Option<u32>,
    pub standing: Option<String>,
    pub calls_done: u64,
    pub calls_max: Option<u64>,
    pub message: Option<String>,
    pub has_help: bool,
    /// What the reader is writing.
    pub input: Option<String>,
    pub(super) rules: Option<&'static dyn Protocol>,
    pub(super) speakers: Speakers,
    pub(super) is_verbose: bool,
    pub(super) used: Usage,
    pub(super) limits: Limits,
    pub(super) next: u64,
    models: BTreeMap<Seat, String>,
    newest: Option<Box<Record>>,
    driven: Duration,
    /// Since when it is driven; `None` while it is not driven here.
    since: Option<Instant>,
}

impl ViewModel {
    /// A debate of which nothing has been shown yet, and which was driven for `driven` before.
    pub fn new(opened: &Opened, rules: Option<&'static dyn Protocol>, driven: Duration, now: Instant) -> Self {
        let manifest = rules.map(|protocol| protocol.manifest());
        let models = opened.lineup.iter().map(|sat| (sat.seat.clone(), sat.model.clone()));
        Self {
            protocol: escape_invisible(&opened.protocol),
            motion: escape_invisible(&opened.motion),
            id: opened.debate.to_string(),
            powers: Powers { drives: true, interjects: manifest.is_some_and(|manifest| manifest.interjections) },
            speakers: Speakers::from_opened(opened, manifest),
            rules,
            is_verbose: crate::ui::is_verbose(),
            limits: opened.limits.clone(),
            models: models.collect(),
            driven,
            since: Some(now),
            ..Self::default()
        }
    }

    /// What its rulings mean.
    pub(super) fn views(&self) -> &'static dyn Views {
        self.rules.map_or(&Common, |_| agon_report::views_of_protocol(&self.protocol))
    }

    /// Says which models really sit at the seats.
    pub fn record_seat_models(&mut self, models: impl IntoIterator<Item = (Seat, String)>) {
        self.models.extend(models);
    }

    /// Takes what happened.
    pub fn apply_event(&mut self, event: ViewEvent, now: Instant) {
        match event {
            ViewEvent::Entry(entry, age) => self.apply_entry(&entry, now.checked_sub(age).unwrap_or(now)),
            ViewEvent::Record(record) => self.newest = Some(record),
            ViewEvent::Delta { key, attempt, text } => {
                if let Some(call) = self.calls.iter_mut().find(|call| call.request.key == key) {
                    call.append_delta(attempt, &text, now);
                }
            }
            ViewEvent::Notice(notice) => self.apply_notice(&notice),
            ViewEvent::CallsMax(max) => self.calls_max = Some(max),
            ViewEvent::Driven(driven) => (self.driven, self.since) = (driven, None),
            ViewEvent::Stopped => {
                self.message = None;
                self.change_state(State::Paused, now);
            }
            ViewEvent::Message(message) => self.message = Some(message),
            ViewEvent::End | ViewEvent::EndNow => {
                self.change_state(State::Closed, now);
                self.message = Some("the debate is over; q closes this view".into());
            }
        }
    }

    /// Works out what follows from the newest record: once for every picture, however much came.
    pub fn refresh_from_record(&mut self) {
        let Some(record) = self.newest.take() else { return };
        let shown = struck_text::publishable_record(&record);
        let views = views_of(&shown);
        self.limits = current_limits(&shown);
        self.round = views.current_round(&shown);
        self.standing = views.progress_line(&shown).map(|line| escape_invisible(&line));
    }

    /// A new call for the request that was asked at `asked`.
    pub(super) fn call(&self, request: &agon_core::Request, asked: Instant) -> CallLine {
        let model = self.models.get(&request.seat).cloned().unwrap_or_default();
        let manifest = self.rules.map(|protocol| protocol.manifest());
        CallLine {
            name: self.speakers.seat_name(&request.seat).to_owned(),
            style: self.speakers.seat_style(&request.seat),
            is_local: model == "local" || model.starts_with("local:"),
            model: escape_invisible(&model),
            tokens_max: manifest.and_then(|manifest| manifest.prompts.get(&request.prompt)).map(|p| p.tokens_max),
            plain: self.rules.and_then(|protocol| protocol.human_prompts().get(&request.prompt)),
            views: agon_report::views_of_protocol(&self.protocol),
            ..CallLine::new(request, asked)
        }
    }

    pub(super) fn change_state(&mut self, state: State, now: Instant) {
        self.driven = self.driven_time(now);
        if (self.state, state) == (State::Paused, State::Running) {
            self.calls.iter_mut().for_each(|call| call.restart_clock(now));
        }
        let runs = matches!(state, State::Running | State::Pausing) && self.powers.drives;
        self.since = runs.then_some(now);
        self.state = state;
    }

    /// How long the debate has been driven.
    pub fn driven_time(&self, now: Instant) -> Duration {
        self.driven + self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }

    /// Whether a second matters: something is under way whose time is shown.
    pub fn is_timed(&self) -> bool {
        self.since.is_some() || !self.calls.is_empty()
    }

    /// What was done of what there is to do.
    pub fn calls_told(&self) -> String {
        match self.calls_max.filter(|max| self.calls_done <= *max) {
            Some(max) => format!("{} of at most {max} calls", self.calls_done),
            None if self.calls_done == 1 => "1 call".to_owned(),
            None => format!("{} calls", self.calls_done),
        }
    }

    /// Time, money and tokens, each with what is left of its budget.
    pub fn describe_spending(&self, now: Instant) -> Vec<String> {
        let Limits { requests_max, tokens_max, cost_microusd_max, time_seconds_max, .. } = &self.limits;
        let left = |left: Option<String>| left.map_or(String::new(), |left| format!(", {left} left"));
        let (time, used) = (self.driven_time(now), &self.used);
        let about = if used.estimated { "about " } else { "" };
        let of_time = time_seconds_max.map(|max| format_clock(Duration::from_secs(max).saturating_sub(time)));
        let of_money = cost_microusd_max.map(|max| display::format_money(max.saturating_sub(used.cost_microusd)));
        let of_tokens = tokens_max.map(|max| display::format_count(max.saturating_sub(used.total_tokens())));
        let mut spent = vec![format!("time {}{}", format_clock(time), left(of_time))];
        if used.cost_microusd > 0 || of_money.is_some() {
            spent.push(format!("{about}{}{}", display::format_money(used.cost_microusd), left(of_money)));
        }
        spent.push(format!("{about}{} tokens{}", display::format_count(used.total_tokens()), left(of_tokens)));
        spent.extend(requests_max.map(|max| {
            let requests = u64::from(used.requests);
            format!("{requests} requests, {} left", max.saturating_sub(requests))
        }));
        spent
    }
}
