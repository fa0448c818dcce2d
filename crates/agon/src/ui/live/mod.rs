//! A debate as it happens, for people: phases, speakers in colour, prose while it is written, forms as
//! soon as they are whole, a score line. If standard output is not a terminal, plain lines of what is on
//! the record.
//!
//! This file prints lines. The folder has the full-screen view: `model` is what it knows of a debate (`entries`
//! and `keys` change it), `pane` what is read, `draw` how it looks, `screen` the thread, `terminal` the terminal.

mod block;
mod call;
mod draw;
mod entries;
mod fit;
mod keys;
mod model;
mod pane;
mod screen;
mod terminal;
#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use agon_app::display;
use agon_core::{
    ActKind, Answered, Basis, Entry, Event, Key, Outcome, Plain, Protocol, Record, Reply, Request, Ruling, RulingKind,
    Seat, Standing, Usage, View,
};
use agon_report::{
    participation,
    ruling_view::{LogEntryView, RulingView, ScoresView, tell_ruling},
    views_of, views_of_protocol,
};
use agon_runtime::drive::{Notice, Watch};
use agon_text::{count_noun, format_signed};
use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use super::{
    BOLD, DIM, GREEN, MAGENTA, RED, YELLOW, begin_stream, clip_line, displayable_sign, end_stream, escape_invisible,
    is_terminal, is_verbose, paint_text, print_line, speakers::Speakers, statement, stream_part, terminal_columns,
    wrap::WrappedText, wrap_text,
};

pub use self::{
    fit::clip_to_width,
    keys::ViewCommand,
    model::{Powers, ViewEvent, ViewModel},
    screen::{ViewScreen, Watcher},
    terminal::is_wanted,
};

/// Where prose begins.
const PROSE_INDENT: &str = "  ";

/// Shows a debate on standard output.
pub struct Live {
    quiet: bool,
    state: Mutex<LiveState>,
}

#[derive(Default)]
struct LiveState {
    name: String,
    motion: String,
    protocol: Option<&'static dyn Protocol>,
    speakers: Speakers,
    asked: BTreeMap<Key, Request>,
    /// The part of the debate that the last heading named, where no ruling names it.
    phase: String,
    /// The one request whose prose is shown while it is written; others are shown whole when they end.
    streaming: Option<Streaming>,
    /// Requests whose text is not shown before it is whole: a form, or prose whose beginning nobody saw,
    /// with the characters that have come.
    unseen: BTreeMap<Key, usize>,
    used: Usage,
    /// What has happened: it decides which answers are forms.
    record: Option<Record>,
}

/// Prose that is shown while it is written.
struct Streaming {
    key: Key,
    attempt: u32,
    flow: WrappedText,
}

impl Streaming {
    fn new(key: &Key, attempt: u32) -> Self {
        Self { key: key.clone(), attempt, flow: WrappedText::new(terminal_columns(), PROSE_INDENT) }
    }
}

impl LiveState {
    /// What a ruling of this debate means beyond its text.
    fn view_ruling(&self, ruling: &Ruling) -> RulingView {
        self.record.as_ref().map_or(RulingView::Text, |record| views_of(record).ruling_view(ruling))
    }

    /// Takes an entry, which the record can have already.
    fn apply_entry(&mut self, entry: &Entry) {
        let record = self.record.as_mut();
        let is_new = record.is_some_and(|record| record.append_entry(entry.clone()).is_ok());
        if let Event::Asked(request) = &entry.what {
            self.asked.insert(request.key.clone(), request.clone());
            if is_new && self.is_form(request) {
                self.unseen.insert(request.key.clone(), 0);
            }
        }
    }

    /// Whether the answer is a form. A small model writes it in pieces of prose, in another order than readers see.
    fn is_form(&self, request: &Request) -> bool {
        let (Some(protocol), Some(record)) = (self.protocol, &self.record) else { return false };
        protocol.answer_schema(&View::new(record, request), request).is_some()
    }

    fn find_plain_words(&self, prompt: &str) -> Option<&'static Plain> {
        self.protocol?.human_prompts().get(prompt)
    }
}

impl Live {
    /// A debate that goes on from `record`, which has used `used` so far. With `quiet`, only what is
    /// on the record and matters.
    pub fn new(quiet: bool, record: &Record, used: Usage) -> Self {
        let asked = record.unanswered_requests().map(|request| (request.key.clone(), request.clone())).collect();
        let protocol = agon_protocols::find_rules(record).ok();
        let mut speakers = Speakers::from_opened(record.opened(), protocol.map(|protocol| protocol.manifest()));
        for (_, _, ruling) in record.rulings().filter(|(_, _, ruling)| ruling.kind == RulingKind::Lineup) {
            speakers.apply_lineup(ruling);
        }
        let (name, motion) = (record.opened().protocol.clone(), record.opened().motion.clone());
        let record = Some(record.clone());
        let mut state = LiveState { name, motion, protocol, speakers, asked, used, record, ..LiveState::default() };
        let forms = state.asked.values().filter(|request| state.is_form(request));
        state.unseen = forms.map(|request| (request.key.clone(), 0)).collect();
        Self { quiet, state: Mutex::new(state) }
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Live {
    /// A debate that stops while somebody speaks still tells why.
    fn drop(&mut self) {
        if self.lock_state().streaming.take().is_some() {
            stream_part("\n");
            end_stream();
        }
    }
}

impl Watch for Live {
    fn on_entry(&self, entry: &Entry) {
        let mut state = self.lock_state();
        state.apply_entry(entry);
        match &entry.what {
            Event::Opened(_) | Event::Extended { .. } => {}
            Event::Asked(request) => {
                self.print_phase_heading(&mut state, request);
                // A part of the program that looks at something says nothing to readers.
                if !self.quiet && !is_terminal() && !request.prompt.is_empty() {
                    let key = if is_verbose() { format!(" ({})", request.key) } else { String::new() };
                    print_line(&escape_invisible(&format!(
                        "… {} is asked{key}",
                        state.speakers.seat_name(&request.seat)
                    )));
                }
            }
            Event::Answered(answered) => self.print_answer(&mut state, answered),
            Event::Ruled { key, ruling } => self.print_ruling(&mut state, key, ruling),
            Event::Acted(act) => {
                let words = match &act.deed {
                    ActKind::Interjected { text } => format!(": {text}"),
                    _ => String::new(),
                };
                print_line(&paint_text(&wrap_text(&format!("{}{words}", act.describe_act()), ""), DIM));
            }
            Event::Closed { outcome } => {
                if !self.quiet {
                    print_line("");
                    print_line(&paint_text(&clip_line(&state.motion, ""), BOLD));
                }
                print_outcome(outcome);
            }
        }
        self.show_waiting_seats(&state);
    }

    fn on_delta(&self, key: &Key, attempt: u32, text: &str) {
        if self.quiet || !is_terminal() {
            return;
        }
        let mut state = self.lock_state();
        let LiveState { name, speakers, asked, streaming, unseen, .. } = &mut *state;
        if let Some(chars) = unseen.get_mut(key) {
            *chars += text.chars().count();
            return self.show_waiting_seats(&state);
        }
        let Some(request) = asked.get(key).filter(|request| !request.prompt.is_empty()) else { return };
        let is_streamed = streaming.as_ref().is_some_and(|streaming| streaming.key == *key);
        // A form is shown when it is whole, as a reader takes it in; so is what somebody else talks over.
        let is_form = text.trim_start().starts_with(['{', '`']);
        if !is_streamed && (streaming.is_some() || is_form) {
            unseen.insert(key.clone(), text.chars().count());
            return self.show_waiting_seats(&state);
        }
        if !is_streamed {
            if text.trim().is_empty() {
                return;
            }
            begin_stream(&render_speaker_heading(speakers, &request.seat, key));
        }
        let streaming = streaming.get_or_insert_with(|| Streaming::new(key, attempt));
        if streaming.attempt != attempt {
            stream_part(&format!("\n{}\n", paint_text("  (begins again)", DIM)));
            *streaming = Streaming::new(key, attempt);
        }
        let text = views_of_protocol(name).name_for_readers(request, Cow::Borrowed(text));
        stream_part(&streaming.flow.wrap_piece(&escape_invisible(&text)));
    }

    fn on_notice(&self, notice: &Notice) {
        if self.quiet {
            return;
        }
        let state = self.lock_state();
        let who = |key: &Key| match state.asked.get(key) {
            Some(request) if !is_verbose() => state.speakers.seat_name(&request.seat).to_owned(),
            _ => key.to_string(),
        };
        super::print_error_line(&paint_text(&format!("  {}", escape_invisible(&describe_notice(notice, who))), YELLOW));
    }
}

impl Live {
    fn print_answer(&self, state: &mut LiveState, answered: &Answered) {
        state.used += answered.usage;
        state.unseen.remove(&answered.key);
        let streamed = state.streaming.take_if(|streaming| streaming.key == answered.key);
        let is_streamed = streamed.is_some();
        if let Some(mut streaming) = streamed {
            stream_part(&format!("{}\n", streaming.flow.flush_word()));
        }
        if let Some(request) = state.asked.remove(&answered.key).filter(|r| !r.prompt.is_empty())
            // What follows from a failure is the script's to say, by a ruling.
            && let Reply::Said { text } = &answered.reply
        {
            // Whoever wrote it at this terminal has it before their eyes.
            let is_own = is_terminal() && answered.by.participant == "human";
            if !is_own && !is_streamed {
                print_line(&render_speaker_heading(&state.speakers, &request.seat, &request.key));
                print_line(&render_answer_text(state, &request, text));
                print_line("");
            }
            if !self.quiet && is_terminal() && !is_own {
                let model = answered.by.model.as_deref().unwrap_or(&answered.by.participant);
                let by = paint_text(
                    &format!("  {}{}{}", escape_invisible(model), displayable_sign(" · "), describe_usage(&state.used)),
                    DIM,
                );
                if is_streamed { stream_part(&format!("{by}\n\n")) } else { print_line(&format!("{by}\n")) }
            }
        }
        if is_streamed {
            end_stream();
        }
    }

    /// The heading of the part of the debate that `request` belongs to, where it begins one.
    fn print_phase_heading(&self, state: &mut LiveState, request: &Request) {
        let Some(phase) = state.find_plain_words(&request.prompt).and_then(|plain| plain.phase.as_deref()) else {
            return;
        };
        if state.phase != phase {
            print_part_heading(phase);
            phase.clone_into(&mut state.phase);
        }
    }

    /// Who is waited for, while nobody's words are coming.
    fn show_waiting_seats(&self, state: &LiveState) {
        if self.quiet || state.streaming.is_some() {
            return;
        }
        let waiting = state.asked.values().filter(|request| !request.prompt.is_empty());
        let mut names: Vec<&str> = waiting.map(|request| state.speakers.seat_name(&request.seat)).collect();
        names.dedup();
        if !names.is_empty() {
            let chars: usize = state.unseen.values().sum();
            let written = if chars > 0 {
                format!(" (writing, {} characters)", display::format_count(chars as u64))
            } else {
                String::new()
            };
            super::show_status(&format!(
                "{}{}{written}{}{}",
                displayable_sign("… "),
                names.join(", "),
                displayable_sign(" · "),
                describe_usage(&state.used)
            ));
        }
    }

    fn print_ruling(&self, state: &mut LiveState, key: &Key, ruling: &Ruling) {
        let text = escape_invisible(&tell_ruling(ruling));
        match ruling.kind {
            RulingKind::Phase => {
                state.phase.clear();
                print_part_heading(&text);
            }
            RulingKind::Scored => {
                match state.view_ruling(ruling) {
                    RulingView::Scores(scores) => {
                        print_line(&paint_text(&format!("Scores: {text}"), BOLD));
                        print_line(&statement::paint_line(&tug_of_war(&scores)));
                    }
                    _ => print_line(&paint_text(&wrap_text(&text, ""), BOLD)),
                }
                print_line(&paint_text(&describe_usage(&state.used), DIM));
                print_line("");
            }
            RulingKind::Warned if self.quiet => {}
            RulingKind::Warned => {
                let of = ruling.warned_author().map_or(String::new(), |of| format!("{of}: "));
                let text = format!("! {of}{}", tell_ruling(ruling));
                // The whole of it stands at the end, and in the transcript.
                let text = if is_verbose() || !is_terminal() { wrap_text(&text, "  ") } else { clip_line(&text, "  ") };
                print_line(&paint_text(&text, YELLOW));
            }
            RulingKind::Absent | RulingKind::Redacted | RulingKind::Invalidated => {
                print_line(&paint_text(&wrap_text(&ruling.text, ""), RED))
            }
            RulingKind::Lineup => {
                print_line(&paint_text(&wrap_text(&format!("Taking part: {}", ruling.text), ""), BOLD));
                for (name, persona) in state.speakers.apply_lineup(ruling) {
                    if !persona.is_empty() && !self.quiet {
                        print_line(&paint_text(&wrap_text(&format!("{name}: {persona}"), "  "), DIM));
                    }
                }
                print_line("");
            }
            RulingKind::Converged | RulingKind::Deadlocked => {
                print_line(&paint_text(&wrap_text(&ruling.text, ""), BOLD))
            }
            RulingKind::Noted if self.quiet || participation::is_routine(key, ruling) => {}
            // What was said is on the screen; others will refer to it by its number.
            RulingKind::Noted => match state.view_ruling(ruling) {
                RulingView::LogEntry(LogEntryView { number, key: Some(_), .. }) => {
                    print_line(&paint_text(&format!("  seq {number}"), DIM));
                    print_line("");
                }
                _ => print_line(&paint_text(&wrap_text(&ruling.text, "  "), DIM)),
            },
        }
    }
}

/// A notice in a line; `who` tells whom a request was put to.
fn describe_notice(notice: &Notice, who: impl Fn(&Key) -> String) -> String {
    match notice {
        Notice::Retry { key, why, wait_ms, attempt, attempts_max } => {
            let wait = format!("{:.1} s", *wait_ms as f64 / 1e3);
            format!("{}: {why}; again in {wait} ({attempt} of {attempts_max})", who(key))
        }
        Notice::Outside { seat, .. } => {
            format!("waits for somebody at the seat {seat}; agon seats shows how")
        }
        Notice::Shortened { key, statements } => {
            format!(
                "{}: too long for the model; the {statements} oldest statements are shown to it by their claims",
                who(key)
            )
        }
    }
}

fn describe_usage(used: &Usage) -> String {
    let about = if used.estimated { "about " } else { "" };
    let calls = count_noun(used.requests, "call", "calls");
    let tokens = format!("{calls}, {about}{} tokens", display::format_count(used.total_tokens()));
    match (used.cost_basis, used.cost_microusd) {
        (Basis::Reported, 0) => tokens,
        _ => format!("{tokens}, {}", display::describe_cost(used)),
    }
}

/// How a debate ended.
pub fn print_outcome(outcome: &Outcome) {
    let style = if outcome.standing == Standing::Void { RED } else { GREEN };
    print_line(&paint_text(&wrap_text(&outcome.render_summary(), ""), style));
}

fn render_speaker_heading(speakers: &Speakers, seat: &Seat, key: &Key) -> String {
    let again =
        if key.as_str().contains("/redraft-") { " (again, since the first answer could not be used)" } else { "" };
    let name = escape_invisible(&speakers.seat_name(seat).to_uppercase());
    format!(
        "{}{}",
        paint_text(&format!("{}{name}", displayable_sign("▌")), speakers.seat_style(seat)),
        paint_text(again, DIM)
    )
}

/// What somebody says, who may know sides and arguments by other names than readers do.
fn render_answer_text(state: &LiveState, request: &Request, text: &str) -> String {
    let text = views_of_protocol(&state.name).name_for_readers(request, Cow::Borrowed(text));
    statement::render_statement(&text, state.find_plain_words(&request.prompt))
}

/// The heading of a part of the debate.
fn print_part_heading(text: &str) {
    let rule = displayable_sign("─").repeat(terminal_columns().saturating_sub(text.width() + 4));
    print_line(&paint_text(&format!("{} {} {rule}", displayable_sign("──"), escape_invisible(text)), BOLD));
    print_line("");
}

/// The totals as a rope between the two sides.
fn tug_of_war(scores: &ScoresView) -> statement::Line {
    const HALF: i64 = 20;
    let [(first, one), (second, other)] = scores.totals;
    let lead = ((one - other) / 2.0 * HALF as f64).round() as i64;
    let mut line = vec![(format!("{first} {}", format_signed(one, 2)), GREEN), (" ".to_owned(), Style::new())];
    line.extend(statement::draw_centred_bar(-lead, HALF, (GREEN, MAGENTA)));
    line.extend([(" ".to_owned(), Style::new()), (format!("{} {second}", format_signed(other, 2)), MAGENTA)]);
    line
}
