//! A debate as it happens, for people: phases, speakers in colour, text while it is written, a
//! score line. Where standard output is no terminal, plain lines of what is on the record.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};

use agon_core::{
    Answered, Entry, Key, Kind, Outcome, Record, Reply, Request, Ruling, Seat, Standing, Usage, What,
};
use agon_runtime::drive::{Notice, Watch};
use anstyle::Style;
use serde_json::Value;

use super::{
    BLUE, BOLD, DIM, GREEN, MAGENTA, RED, YELLOW, count, is_terminal, money, out, paint,
    speech::{Piece, Speech},
    visible, wrapped,
};

/// Fields whose name says nothing a reader needs.
const UNNAMED: [&str; 3] = ["title", "claim", "content"];
/// Fields that are for the program.
const HIDDEN: [&str; 1] = ["stance"];

/// Shows a debate on standard output.
pub struct Live {
    quiet: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    asked: BTreeMap<Key, Request>,
    /// The one request whose text is streamed; others are shown whole when they end.
    streaming: Option<(Key, u32, Speech)>,
    /// Requests whose beginning nobody saw, since another was streamed.
    unseen: BTreeSet<Key>,
    used: Usage,
}

impl Live {
    /// A debate that goes on from `record`, which has used `used` so far. With `quiet`, only what is
    /// on the record and matters.
    pub fn new(quiet: bool, record: &Record, used: Usage) -> Self {
        let asked = record.unanswered().map(|request| (request.key.clone(), request.clone())).collect();
        Self { quiet, state: Mutex::new(State { asked, used, ..State::default() }) }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Live {
    fn entry(&self, entry: &Entry) {
        let mut state = self.state();
        match &entry.what {
            What::Opened(_) | What::Extended { .. } => {}
            What::Asked(request) => {
                if !self.quiet && !is_terminal() {
                    out(&format!("… {} is asked ({})", request.seat, request.key));
                }
                state.asked.insert(request.key.clone(), request.clone());
            }
            What::Answered(answered) => self.answered(&mut state, answered),
            What::Ruled { ruling, .. } => self.ruled(&state, ruling),
            What::Closed { outcome } => closed(outcome),
        }
    }

    fn delta(&self, key: &Key, attempt: u32, text: &str) {
        if self.quiet || !is_terminal() {
            return;
        }
        let mut state = self.state();
        if state.unseen.contains(key) {
            return;
        }
        let seat = state.asked.get(key).map(|request| request.seat.clone());
        let speech = match &mut state.streaming {
            Some((streamed, current, speech)) if streamed == key => {
                if *current != attempt {
                    out(&paint("  (begins again)", DIM));
                    (*current, *speech) = (attempt, Speech::default());
                }
                speech
            }
            Some(_) => {
                state.unseen.insert(key.clone());
                return;
            }
            none => {
                if let Some(seat) = &seat {
                    out(&heading(seat, key));
                }
                &mut none.insert((key.clone(), attempt, Speech::default())).2
            }
        };
        for piece in speech.push(text) {
            show(&piece, true);
        }
    }

    fn notice(&self, notice: &Notice) {
        if self.quiet {
            return;
        }
        let line = match notice {
            Notice::Retry { key, why, wait_ms, attempt, attempts_max } => {
                let wait = format!("{:.1} s", *wait_ms as f64 / 1e3);
                format!("{key}: {why}; again in {wait} ({attempt} of {attempts_max})")
            }
            Notice::Shortened { key, statements } => {
                format!(
                    "{key}: too long for the model; the {statements} oldest statements are shown to it by their claims"
                )
            }
        };
        super::err(&paint(&format!("  {}", visible(&line)), YELLOW));
    }
}

impl Live {
    fn answered(&self, state: &mut State, answered: &Answered) {
        state.used += answered.usage;
        let streamed = state.streaming.take_if(|(key, ..)| *key == answered.key).is_some();
        let Some(request) = state.asked.get(&answered.key) else { return };
        match &answered.reply {
            Reply::Said { text } => {
                if streamed {
                    out("");
                } else {
                    out(&heading(&request.seat, &request.key));
                    for piece in Speech::default().push(text) {
                        show(&piece, false);
                    }
                    out("");
                }
                if !self.quiet && is_terminal() {
                    let model = answered.by.model.as_deref().unwrap_or(&answered.by.participant);
                    out(&paint(&format!("  {} · {}", visible(model), spent(&state.used)), DIM));
                    out("");
                }
            }
            // What follows from a failure is the script's to say, by a ruling.
            Reply::Failed(_) | Reply::Elapsed => {}
        }
    }

    fn ruled(&self, state: &State, ruling: &Ruling) {
        let text = visible(&ruling.text);
        match ruling.kind {
            Kind::Phase => {
                let rule = "─".repeat(super::columns().saturating_sub(text.chars().count() + 4));
                out(&paint(&format!("── {text} {rule}"), BOLD));
                out("");
            }
            Kind::Scored => {
                out(&paint(&format!("Scores: {text}"), BOLD));
                if let Some(line) = tug_of_war(&ruling.data["totals"]) {
                    out(&line);
                }
                out(&paint(&spent(&state.used), DIM));
                out("");
            }
            Kind::Warned if self.quiet => {}
            Kind::Warned => out(&paint(
                &wrapped(
                    &format!("note on {}: {}", ruling.data["of"].as_str().unwrap_or("this"), ruling.text),
                    "  ",
                ),
                YELLOW,
            )),
            Kind::Absent | Kind::Redacted => out(&paint(&text, RED)),
            Kind::Lineup | Kind::Converged | Kind::Deadlocked | Kind::Invalidated => out(&paint(&text, BOLD)),
            Kind::Noted => {}
        }
    }
}

fn spent(used: &Usage) -> String {
    let about = if used.estimated { "about " } else { "" };
    let tokens = format!("{} calls, {about}{} tokens", used.requests, count(used.tokens()));
    if used.cost_microusd > 0 { format!("{tokens}, {about}{}", money(used.cost_microusd)) } else { tokens }
}

fn closed(outcome: &Outcome) {
    let style = if outcome.standing == Standing::Void { RED } else { GREEN };
    out(&paint(&wrapped(&outcome.summary, ""), style));
}

fn heading(seat: &Seat, key: &Key) -> String {
    let again = if key.as_str().contains("/redraft-") {
        " (again, since the first answer could not be used)"
    } else {
        ""
    };
    format!("{}{}", paint(&format!("▌{}", seat.as_str().to_uppercase()), style(seat)), paint(again, DIM))
}

fn style(seat: &Seat) -> Style {
    match seat.as_str() {
        "proposition" => GREEN.bold(),
        "opposition" => MAGENTA.bold(),
        "judge" | "chair" | "moderator" => YELLOW.bold(),
        _ => BLUE.bold(),
    }
}

fn show(piece: &Piece, streaming: bool) {
    match piece {
        Piece::Prose(text) if streaming => super::out_part(&visible(text)),
        Piece::Prose(text) => out(&wrapped(text, "  ")),
        Piece::Field(name, _) if HIDDEN.contains(&name.as_str()) => {}
        Piece::Field(name, text) if name == "title" || name == "argument_id" => {
            out(&format!("  {}", paint(&visible(text), BOLD)));
        }
        Piece::Field(name, text) if UNNAMED.contains(&name.as_str()) => out(&wrapped(text, "    ")),
        Piece::Field(name, text) => {
            out(&wrapped(&format!("{}: {text}", name.replace('_', " ")), "    "));
        }
    }
}

/// The totals as a rope between the two sides.
fn tug_of_war(totals: &Value) -> Option<String> {
    const HALF: i64 = 20;
    let total = |side: &str| totals[side]["total"].as_f64();
    let (pro, con) = (total("proposition")?, total("opposition")?);
    let lead = ((pro - con) / 2.0 * HALF as f64).round() as i64;
    let lead = lead.clamp(-HALF, HALF);
    let cell = |at: i64| match () {
        () if at == 0 => paint("┃", BOLD),
        () if at < 0 && at >= -lead => paint("━", GREEN),
        () if at > 0 && at <= -lead => paint("━", MAGENTA),
        () => paint("─", DIM),
    };
    let rope: String = (-HALF..=HALF).map(cell).collect();
    Some(format!(
        "{} {rope} {}",
        paint(&format!("proposition {pro:+.2}"), GREEN),
        paint(&format!("{con:+.2} opposition"), MAGENTA)
    ))
}
