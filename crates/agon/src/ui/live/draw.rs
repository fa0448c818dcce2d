//! How the view looks: two or three lines of progress, the pane, who speaks, what was spent, the keys.

use std::time::Instant;

use anstyle::Style;
use ratatui::{
    Frame,
    layout::Rect,
    text::{Line as CellLine, Span},
};
use ratatui_core::style::{Modifier, Style as CellStyle};
use unicode_width::UnicodeWidthStr;

use super::{
    block::TextBlock,
    call::CallLine,
    fit::{self, SEPARATOR},
    model::{State, ViewModel},
};
use crate::ui::{BOLD, DIM, YELLOW, displayable_sign, escape_invisible, statement::Line};

/// Cells of the gauge of calls.
const GAUGE: u64 = 10;
/// Least columns of a terminal where the gauge is drawn.
const GAUGE_COLUMNS_MIN: u16 = 60;
/// Least columns in which a phase is named.
const PHASE_MIN: usize = 8;
/// Most columns of the view: longer lines are hard to read.
const COLUMNS_MAX: u16 = 100;
/// Most calls under way that have a line each.
const CALLS_MAX: usize = 4;
/// Least lines of the pane, before anything else gets a line.
const PANE_MIN: u16 = 3;

/// Draws the view; `has_colour` is whether colours are wanted.
pub fn draw_view(frame: &mut Frame<'_>, model: &mut ViewModel, has_colour: bool, now: Instant) {
    let area = frame.area();
    let area = Rect { width: area.width.min(COLUMNS_MAX), ..area };
    let width = usize::from(area.width);
    let (mut above, mut below) = (render_head(model, area.width), render_foot(model, width, now));
    // On a low terminal the head and the keys stay longest.
    let room = usize::from(area.height.saturating_sub(PANE_MIN));
    above.truncate(room);
    let missing = below.len().saturating_sub(room - above.len());
    below.drain(..missing);
    let height = usize::from(area.height).saturating_sub(above.len() + below.len());
    let pane = if model.has_help {
        render_help(model, width).into_iter().take(height).collect()
    } else {
        let open = model.calls.iter().flat_map(|call| call.render_prose_lines(width)).collect();
        model.pane.lay_out_lines(width, height, open);
        // Drawn after the pane was laid: only then is it known how much is below.
        if let Some(rule) = below.first_mut().filter(|_| missing == 0) {
            *rule = render_position_line(model, width);
        }
        model.pane.visible_lines().cloned().collect::<Vec<Line>>()
    };
    let mut lines = above;
    let foot = lines.len() + height;
    lines.extend(pane);
    lines.resize(foot, Line::new());
    lines.extend(below);
    for (line, y) in lines.into_iter().zip(area.y..area.bottom()) {
        let row = Rect { y, height: 1, ..area };
        let spans = line
            .into_iter()
            .map(|(text, style)| Span::styled(text.replace('\t', " "), to_cell_style(style, has_colour)));
        frame.render_widget(CellLine::from(spans.collect::<Vec<_>>()), row);
    }
}

/// The head: what is debated, how far it is, where it stands.
fn render_head(model: &ViewModel, columns: u16) -> Vec<Line> {
    let width = usize::from(columns);
    let name = fit::clip_to_width(&model.protocol, width);
    let motion = fit::clip_to_width(&model.motion, width.saturating_sub(name.width() + 2));
    let mut lines = vec![vec![(name, BOLD), (format!("  {motion}"), Style::new())]];
    let state = match model.state {
        State::Running => "",
        State::Pausing => "pausing",
        State::Paused => "paused",
        State::Closed => "closed",
    };
    let round = match model.round {
        Some(round) if round <= model.limits.rounds => format!("round {round} of {}", model.limits.rounds),
        Some(round) => format!("round {round}"),
        None => String::new(),
    };
    let calls = match model.calls_max.filter(|_| columns >= GAUGE_COLUMNS_MIN) {
        Some(max) => format!("{} {}", render_gauge(model.calls_done, max), model.calls_told()),
        None => model.calls_told(),
    };
    let mut line: Line = Vec::new();
    if !state.is_empty() {
        line.push((format!("{state}  "), YELLOW));
    }
    let rest = width.saturating_sub(line.iter().map(|(text, _)| text.len()).sum());
    // The phase gives way to figures.
    let figures = fit::join_fitting_parts([round.as_str(), calls.as_str()], rest);
    let room = rest.saturating_sub(figures.width() + SEPARATOR.width());
    let phase = if room < PHASE_MIN { String::new() } else { fit::clip_to_width(&model.phase, room) };
    line.push((fit::join_fitting_parts([phase.as_str(), figures.as_str()], rest), Style::new()));
    lines.push(line);
    lines.extend(model.standing.as_ref().map(|standing| vec![(fit::clip_to_width(standing, width), BOLD)]));
    lines.push(vec![(displayable_sign("─").repeat(width), DIM)]);
    lines
}

/// The foot: how much is below the pane, who speaks, what was spent, the keys.
fn render_foot(model: &ViewModel, width: usize, now: Instant) -> Vec<Line> {
    let mut lines = vec![vec![(displayable_sign("─").repeat(width), DIM)]];
    if model.state == State::Paused {
        let how = if model.powers.drives { "p continues" } else { "agon resume continues it" };
        lines.push(vec![(fit::clip_to_width(&format!("nobody is asked while it is paused; {how}"), width), YELLOW)]);
    }
    let calls = if model.state == State::Paused { &[][..] } else { &model.calls[..] };
    let most = if calls.len() > CALLS_MAX { CALLS_MAX - 1 } else { CALLS_MAX };
    let is_twin = |call: &CallLine| calls.iter().filter(|other| other.name == call.name).count() > 1;
    lines.extend(calls.iter().take(most).map(|call| render_speaker_line(call, is_twin(call), width, now)));
    if let Some(more) = calls.len().checked_sub(most).filter(|more| *more > 0) {
        let names = calls[most..].iter().map(|call| call.name.as_str()).collect::<Vec<_>>().join(", ");
        lines.push(vec![(fit::clip_to_width(&escape_invisible(&format!("{more} more: {names}")), width), DIM)]);
    }
    if calls.is_empty() && model.state == State::Running {
        lines.push(vec![("nobody is asked".to_owned(), DIM)]);
    }
    let spent = model.describe_spending(now);
    lines.push(vec![(fit::join_fitting_parts(spent.iter().map(String::as_str), width), Style::new())]);
    lines.push(render_input_line(model, width));
    lines
}

/// Who answers, and how far it is; with what tells it from another call of one name, if it `is_twin`.
fn render_speaker_line(call: &CallLine, is_twin: bool, width: usize, now: Instant) -> Line {
    let name =
        fit::clip_to_width(&format!("{}{}", displayable_sign("▌"), escape_invisible(&call.name.to_uppercase())), width);
    let rest = width.saturating_sub(name.width() + 2);
    let mut parts = call.describe_progress(now);
    // The name of the model gives way to its figures.
    let at = parts.len().min(1);
    parts.insert(at, fit::clip_to_width(&call.model, width / 3));
    if is_twin {
        parts.insert(0, call.describe_part());
    }
    let figures = fit::join_fitting_parts(parts.iter().map(String::as_str), rest);
    vec![(name, call.style), (format!("  {figures}"), DIM)]
}

/// The line below the pane, with how much is beyond it.
fn render_position_line(model: &ViewModel, width: usize) -> Line {
    let below = model.pane.count_lines_below();
    if model.pane.is_following() || below == 0 {
        return vec![(displayable_sign("─").repeat(width), DIM)];
    }
    let plural = if below == 1 { "" } else { "s" };
    let text =
        fit::clip_to_width(&format!("{below} line{plural} below, End shows the newest"), width.saturating_sub(4));
    let rest = width.saturating_sub(text.width() + 4);
    vec![(format!("{} {text} {}", displayable_sign("──"), displayable_sign("─").repeat(rest)), YELLOW)]
}

/// The last line: a message, what is being written, or the keys.
fn render_input_line(model: &ViewModel, width: usize) -> Line {
    if let Some(input) = &model.input {
        let prompt = "to all: ";
        let shown = escape_invisible(input);
        let input = fit::fitting_end(&shown, width.saturating_sub(prompt.len() + 1));
        return vec![(prompt.to_owned(), BOLD), (input.to_owned(), Style::new()), ("_".to_owned(), BOLD)];
    }
    if let Some(message) = &model.message {
        return vec![(fit::clip_to_width(&escape_invisible(message), width), YELLOW)];
    }
    let pause = match model.state {
        State::Closed => "",
        State::Paused if !model.powers.drives => "",
        State::Paused | State::Pausing => "p continue",
        State::Running => "p pause",
    };
    let interject = if model.powers.interjects && model.state != State::Closed { "i interject" } else { "" };
    let keys = ["? help", "q quit", pause, interject, "space, j, k, End: read"];
    vec![(fit::join_fitting_parts(keys, width), DIM)]
}

/// How many calls are done, in cells.
fn render_gauge(done: u64, max: u64) -> String {
    let full = (done * GAUGE).checked_div(max).unwrap_or(0).min(GAUGE);
    let (full, rest) = (full as usize, (GAUGE - full) as usize);
    format!("{}{}", displayable_sign("█").repeat(full), displayable_sign("░").repeat(rest))
}

fn render_help(model: &ViewModel, width: usize) -> Vec<Line> {
    let quit = match model.powers.drives && model.state != State::Closed {
        true => format!("q: stop here. The debate is kept, and agon resume {} continues it", model.id),
        false => "q: leave. The debate is not affected".to_owned(),
    };
    let interject = model.powers.interjects.then_some("i: say something to all participants");
    let lines = [
        "space, Page Down: next page",
        "b, Page Up: previous page",
        "j, k, arrows: one line down or up",
        "Home: the beginning",
        "End: the newest text; the view follows it",
        "p: pause the debate, or continue it",
    ];
    let lines = lines.into_iter().chain(interject).chain([quit.as_str(), "Any key closes this help"]);
    lines.flat_map(|line| TextBlock::text(line, Style::new(), 2).render_lines(width)).collect()
}

/// A style of this program as a cell has it.
fn to_cell_style(style: Style, has_colour: bool) -> CellStyle {
    let cell = CellStyle::from(style);
    if has_colour { cell } else { CellStyle::new().add_modifier(cell.add_modifier & Modifier::BOLD) }
}
