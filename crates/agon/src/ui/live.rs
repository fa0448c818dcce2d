//! A debate as it happens, for people: phases, speakers in colour, text while it is written, a
//! score line. Where standard output is no terminal, plain lines of what is on the record.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, PoisonError},
};

use agon_core::{
    Answered, Deed, Entry, Key, Kind, Outcome, Record, Reply, Request, Ruling, Seat, Standing, Usage, What,
};
use agon_protocols::exchange::blind::Labels;
use agon_runtime::drive::{Notice, Watch};
use serde_json::Value;

use super::{
    BOLD, DIM, GREEN, MAGENTA, RED, YELLOW,
    cast::Cast,
    columns, count,
    flow::Flow,
    is_terminal, money, out, out_part, paint,
    speech::{Piece, Speech},
    visible, wrapped,
};

/// Fields whose name says nothing a reader needs.
const UNNAMED: [&str; 3] = ["title", "claim", "content"];
/// Texts that begin on a line of their own, below their label: longer than this, in characters.
const LABELLED_CHARS_MAX: usize = 240;
/// Where prose begins.
const PROSE_INDENT: &str = "  ";

/// Shows a debate on standard output.
pub struct Live {
    quiet: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    protocol: String,
    cast: Cast,
    asked: BTreeMap<Key, Request>,
    /// The one request whose text is streamed; others are shown whole when they end.
    streaming: Option<Streaming>,
    /// Requests whose beginning nobody saw, since another was streamed.
    unseen: BTreeSet<Key>,
    used: Usage,
}

/// An answer that is shown while it is written.
struct Streaming {
    key: Key,
    attempt: u32,
    speech: Speech,
    flow: Flow,
    labels: Option<Labels>,
}

impl Streaming {
    fn new(key: &Key, attempt: u32, labels: Option<Labels>) -> Self {
        let flow = Flow::new(columns(), PROSE_INDENT);
        Self { key: key.clone(), attempt, speech: Speech::default(), flow, labels }
    }
}

impl Live {
    /// A debate that goes on from `record`, which has used `used` so far. With `quiet`, only what is
    /// on the record and matters.
    pub fn new(quiet: bool, record: &Record, used: Usage) -> Self {
        let asked = record.unanswered().map(|request| (request.key.clone(), request.clone())).collect();
        let protocol = agon_protocols::of(record).ok();
        let mut cast = Cast::of(record.opened(), protocol.map(|protocol| protocol.manifest()));
        for (_, _, ruling) in record.rulings().filter(|(_, _, ruling)| ruling.kind == Kind::Lineup) {
            cast.settle(ruling);
        }
        let protocol = record.opened().protocol.clone();
        Self { quiet, state: Mutex::new(State { protocol, cast, asked, used, ..State::default() }) }
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
                // A part of the program that looks at something says nothing to readers.
                if !self.quiet && !is_terminal() && !request.prompt.is_empty() {
                    out(&visible(&format!(
                        "… {} is asked ({})",
                        state.cast.name(&request.seat),
                        request.key
                    )));
                }
                state.asked.insert(request.key.clone(), request.clone());
            }
            What::Answered(answered) => self.answered(&mut state, answered),
            What::Ruled { ruling, .. } => self.ruled(&mut state, ruling),
            What::Acted(act) => {
                let words = match &act.deed {
                    Deed::Interjected { text } => format!(": {text}"),
                    _ => String::new(),
                };
                out(&paint(&wrapped(&format!("{}{words}", act.line()), ""), DIM));
            }
            What::Closed { outcome } => closed(outcome),
        }
        self.status(&state);
    }

    fn delta(&self, key: &Key, attempt: u32, text: &str) {
        if self.quiet || !is_terminal() {
            return;
        }
        let mut state = self.state();
        if state.unseen.contains(key) {
            return;
        }
        let State { protocol, cast, asked, streaming, unseen, .. } = &mut *state;
        let streaming = match streaming {
            Some(streaming) if streaming.key == *key => {
                if streaming.attempt != attempt {
                    out(&paint("  (begins again)", DIM));
                    *streaming = Streaming::new(key, attempt, streaming.labels);
                }
                streaming
            }
            Some(_) => {
                unseen.insert(key.clone());
                return;
            }
            none => {
                let Some(request) = asked.get(key).filter(|request| !request.prompt.is_empty()) else {
                    return;
                };
                out(&heading(cast, &request.seat, key));
                none.insert(Streaming::new(key, attempt, Labels::under(protocol, request)))
            }
        };
        for piece in streaming.speech.push(text) {
            match piece {
                Piece::Prose(text) => out_part(&streaming.flow.push(&visible(&text))),
                field => show(told(field, streaming.labels)),
            }
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
            Notice::Outside { key, seat } => {
                format!("{key}: waits for somebody at the seat {seat}; agon seats shows how")
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
        state.unseen.remove(&answered.key);
        let streamed = state.streaming.take_if(|streaming| streaming.key == answered.key);
        let Some(request) = state.asked.remove(&answered.key).filter(|r| !r.prompt.is_empty()) else {
            return;
        };
        match &answered.reply {
            Reply::Said { text } => {
                match streamed {
                    Some(mut streaming) => out(&streaming.flow.end()),
                    None => {
                        out(&heading(&state.cast, &request.seat, &request.key));
                        let labels = Labels::under(&state.protocol, &request);
                        Speech::default().push(text).into_iter().for_each(|piece| show(told(piece, labels)));
                        out("");
                    }
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

    /// Who is waited for, while nobody's words are coming.
    fn status(&self, state: &State) {
        if self.quiet || state.streaming.is_some() {
            return;
        }
        let waiting = state.asked.values().filter(|request| !request.prompt.is_empty());
        let mut names: Vec<&str> = waiting.map(|request| state.cast.name(&request.seat)).collect();
        names.dedup();
        if !names.is_empty() {
            super::status(&format!("… {} · {}", names.join(", "), spent(&state.used)));
        }
    }

    fn ruled(&self, state: &mut State, ruling: &Ruling) {
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
            Kind::Warned => {
                let of = ruling.data["of"].as_str().map_or(String::new(), |of| format!(" on {of}"));
                out(&paint(&wrapped(&format!("note{of}: {}", ruling.text), "  "), YELLOW));
            }
            Kind::Absent | Kind::Redacted | Kind::Invalidated => out(&paint(&wrapped(&ruling.text, ""), RED)),
            Kind::Lineup => {
                out(&paint(&wrapped(&format!("Taking part: {}", ruling.text), ""), BOLD));
                for (name, persona) in state.cast.settle(ruling) {
                    if !persona.is_empty() && !self.quiet {
                        out(&paint(&wrapped(&format!("{name}: {persona}"), "  "), DIM));
                    }
                }
                out("");
            }
            Kind::Converged | Kind::Deadlocked => out(&paint(&wrapped(&ruling.text, ""), BOLD)),
            Kind::Noted if self.quiet => {}
            Kind::Noted => out(&paint(&wrapped(&ruling.text, "  "), DIM)),
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

fn heading(cast: &Cast, seat: &Seat, key: &Key) -> String {
    let again = if key.as_str().contains("/redraft-") {
        " (again, since the first answer could not be used)"
    } else {
        ""
    };
    let name = visible(&cast.name(seat).to_uppercase());
    format!("{}{}", paint(&format!("▌{name}"), cast.style(seat)), paint(again, DIM))
}

/// A piece of what somebody says who may know sides and arguments by other names than readers do.
fn told(piece: Piece, labels: Option<Labels>) -> Piece {
    match (piece, labels) {
        (Piece::Prose(text), Some(labels)) => Piece::Prose(labels.told(&text)),
        (Piece::Field(name, text), Some(labels)) => Piece::Field(name, labels.told(&text)),
        (piece, None) => piece,
    }
}

fn show(piece: Piece) {
    match &piece {
        Piece::Prose(text) => out(&wrapped(text, PROSE_INDENT)),
        // A side that only says which side it is.
        Piece::Field(name, text) if name == "stance" && text.contains(": the motion ") => {}
        Piece::Field(name, text) if name == "title" || name == "argument_id" => {
            out(&format!("  {}", paint(&visible(text), BOLD)));
        }
        Piece::Field(name, text) if UNNAMED.contains(&name.as_str()) => out(&wrapped(text, "    ")),
        Piece::Field(name, text) => {
            let label = visible(&name.replace('_', " "));
            if text.contains('\n') || text.chars().count() > LABELLED_CHARS_MAX {
                out(&format!("    {}", paint(&format!("{label}:"), BOLD)));
                out(&wrapped(text, "    "));
            } else {
                out(&wrapped(&format!("{label}: {text}"), "    "));
            }
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
