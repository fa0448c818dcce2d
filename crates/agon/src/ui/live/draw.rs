//! How the view looks: two or three lines of progress, the pane, who speaks, what was spent, the keys.

use std::time::Instant;

use anstyle::{AnsiColor, Color as AnsiStyleColor, Effects, Style};
use ratatui::{
    Frame,
    layout::Rect,
    style::{Color, Modifier, Style as CellStyle},
    text::{Line as CellLine, Span},
};
use unicode_width::UnicodeWidthStr;

use super::{
    block::TextBlock,
    call::CallLine,
    fit::{self, SEPARATOR},
    model::{State, ViewModel},
};
use crate::ui::{BOLD, DIM, YELLOW, drawn, statement::Line, visible};

/// Cells of the gauge of calls.
const GAUGE: u64 = 10;
/// Least columns of a terminal where the gauge is drawn.
const GAUGE_COLUMNS_MIN: u16 = 60;
/// Least columns in which a phase is named.
const PHASE_MIN: usize = 8;
/// Most calls under way that have a line each.
const CALLS_MAX: usize = 4;
/// Least lines of the pane, before anything else gets a line.
const PANE_MIN: u16 = 3;

/// Draws the view; `has_colour` is whether colours are wanted.
pub fn draw(frame: &mut Frame<'_>, model: &mut ViewModel, has_colour: bool, now: Instant) {
    let area = frame.area();
    let width = usize::from(area.width);
    let (mut above, mut below) = (above(model, area.width), below(model, width, now));
    // On a low terminal the head and the keys stay longest.
    let room = usize::from(area.height.saturating_sub(PANE_MIN));
    above.truncate(room);
    let missing = below.len().saturating_sub(room - above.len());
    below.drain(..missing);
    let height = usize::from(area.height).saturating_sub(above.len() + below.len());
    let pane = if model.has_help {
        help(model, width).into_iter().take(height).collect()
    } else {
        let open = model.calls.iter().flat_map(|call| call.lines(width)).collect();
        model.pane.lay(width, height, open);
        // Drawn after the pane was laid: only then is it known how much is below.
        if let Some(rule) = below.first_mut().filter(|_| missing == 0) {
            *rule = position(model, width);
        }
        model.pane.shown().cloned().collect::<Vec<Line>>()
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
            .map(|(text, style)| Span::styled(text.replace('\t', " "), cell(style, has_colour)));
        frame.render_widget(CellLine::from(spans.collect::<Vec<_>>()), row);
    }
}

/// The head: what is debated, how far it is, where it stands.
fn above(model: &ViewModel, columns: u16) -> Vec<Line> {
    let width = usize::from(columns);
    let name = fit::clipped(&model.protocol, width);
    let motion = fit::clipped(&model.motion, width.saturating_sub(name.width() + 2));
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
        Some(max) => format!("{} {}", gauge(model.calls_done, max), model.calls_told()),
        None => model.calls_told(),
    };
    let mut line: Line = Vec::new();
    if !state.is_empty() {
        line.push((format!("{state}  "), YELLOW));
    }
    let rest = width.saturating_sub(line.iter().map(|(text, _)| text.len()).sum());
    // The phase gives way to figures.
    let figures = fit::joined([round.as_str(), calls.as_str()], rest);
    let room = rest.saturating_sub(figures.width() + SEPARATOR.width());
    let phase = if room < PHASE_MIN { String::new() } else { fit::clipped(&model.phase, room) };
    line.push((fit::joined([phase.as_str(), figures.as_str()], rest), Style::new()));
    lines.push(line);
    lines.extend(model.standing.as_ref().map(|standing| vec![(fit::clipped(standing, width), BOLD)]));
    lines.push(vec![(drawn("─").repeat(width), DIM)]);
    lines
}

/// The foot: how much is below the pane, who speaks, what was spent, the keys.
fn below(model: &ViewModel, width: usize, now: Instant) -> Vec<Line> {
    let mut lines = vec![vec![(drawn("─").repeat(width), DIM)]];
    if model.state == State::Paused {
        let how = if model.powers.drives { "p continues" } else { "agon resume continues it" };
        lines
            .push(vec![(fit::clipped(&format!("nobody is asked while it is paused; {how}"), width), YELLOW)]);
    }
    let calls = if model.state == State::Paused { &[][..] } else { &model.calls[..] };
    let most = if calls.len() > CALLS_MAX { CALLS_MAX - 1 } else { CALLS_MAX };
    lines.extend(calls.iter().take(most).map(|call| speaker(call, width, now)));
    if let Some(more) = calls.len().checked_sub(most).filter(|more| *more > 0) {
        let names = calls[most..].iter().map(|call| call.name.as_str()).collect::<Vec<_>>().join(", ");
        lines.push(vec![(fit::clipped(&visible(&format!("{more} more: {names}")), width), DIM)]);
    }
    if calls.is_empty() && model.state == State::Running {
        lines.push(vec![("nobody is asked".to_owned(), DIM)]);
    }
    let spent = model.spent(now);
    lines.push(vec![(fit::joined(spent.iter().map(String::as_str), width), Style::new())]);
    lines.push(keys(model, width));
    lines
}

/// Who answers, and how far it is.
fn speaker(call: &CallLine, width: usize, now: Instant) -> Line {
    let name = fit::clipped(&format!("{}{}", drawn("▌"), visible(&call.name.to_uppercase())), width);
    let rest = width.saturating_sub(name.width() + 2);
    let mut parts = call.figures(now);
    // The name of the model gives way to its figures.
    let at = parts.len().min(1);
    parts.insert(at, fit::clipped(&call.model, width / 3));
    let figures = fit::joined(parts.iter().map(String::as_str), rest);
    vec![(name, call.style), (format!("  {figures}"), DIM)]
}

/// The line below the pane, with how much is beyond it.
fn position(model: &ViewModel, width: usize) -> Line {
    let below = model.pane.below();
    if model.pane.follows() || below == 0 {
        return vec![(drawn("─").repeat(width), DIM)];
    }
    let plural = if below == 1 { "" } else { "s" };
    let text =
        fit::clipped(&format!("{below} line{plural} below, End shows the newest"), width.saturating_sub(4));
    let rest = width.saturating_sub(text.width() + 4);
    vec![(format!("{} {text} {}", drawn("──"), drawn("─").repeat(rest)), YELLOW)]
}

/// The last line: a message, what is being written, or the keys.
fn keys(model: &ViewModel, width: usize) -> Line {
    if let Some(input) = &model.input {
        let prompt = "to all: ";
        let shown = visible(input);
        let input = fit::end(&shown, width.saturating_sub(prompt.len() + 1));
        return vec![(prompt.to_owned(), BOLD), (input.to_owned(), Style::new()), ("_".to_owned(), BOLD)];
    }
    if let Some(message) = &model.message {
        return vec![(fit::clipped(&visible(message), width), YELLOW)];
    }
    let pause = match model.state {
        State::Closed => "",
        State::Paused if !model.powers.drives => "",
        State::Paused | State::Pausing => "p continue",
        State::Running => "p pause",
    };
    let interject = if model.powers.interjects && model.state != State::Closed { "i interject" } else { "" };
    let keys = ["? help", "q quit", pause, interject, "space, j, k, End: read"];
    vec![(fit::joined(keys, width), DIM)]
}

/// How many calls are done, in cells.
fn gauge(done: u64, max: u64) -> String {
    let full = (done * GAUGE).checked_div(max).unwrap_or(0).min(GAUGE);
    let (full, rest) = (full as usize, (GAUGE - full) as usize);
    format!("{}{}", drawn("█").repeat(full), drawn("░").repeat(rest))
}

fn help(model: &ViewModel, width: usize) -> Vec<Line> {
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
    lines.flat_map(|line| TextBlock::text(line, Style::new(), 2).lines(width)).collect()
}

/// A style of this program as a cell has it.
fn cell(style: Style, has_colour: bool) -> CellStyle {
    let mut cell = CellStyle::new();
    let effects = style.get_effects();
    if effects.contains(Effects::BOLD) {
        cell = cell.add_modifier(Modifier::BOLD);
    }
    if !has_colour {
        return cell;
    }
    if effects.contains(Effects::DIMMED) {
        cell = cell.add_modifier(Modifier::DIM);
    }
    let colour = match style.get_fg_color() {
        Some(AnsiStyleColor::Ansi(AnsiColor::Red)) => Color::Red,
        Some(AnsiStyleColor::Ansi(AnsiColor::Green)) => Color::Green,
        Some(AnsiStyleColor::Ansi(AnsiColor::Yellow)) => Color::Yellow,
        Some(AnsiStyleColor::Ansi(AnsiColor::Cyan)) => Color::Cyan,
        Some(AnsiStyleColor::Ansi(AnsiColor::Magenta)) => Color::Magenta,
        Some(AnsiStyleColor::Ansi(AnsiColor::Blue)) => Color::Blue,
        _ => return cell,
    };
    cell.fg(colour)
}
