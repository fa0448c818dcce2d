//! The plots of the page, as SVG: dots with intervals, accuracy against cost, calibration. Each has a text alternative;
//! colours come from the style sheet, and shapes tell apart what colour alone would not.

use maud::{Markup, html};

use super::figure_text::{format_quantity, sanitize_text};
use crate::figures::cost::FrontPoint;

const WIDTH: f64 = 720.0;
/// Room for figures on the right of dots.
const FIGURES: f64 = 150.0;
/// Width of a letter of a name, at most; names differ in width.
const LETTER: f64 = 7.6;
const ROW: f64 = 34.0;
const AXIS: f64 = 34.0;
/// Letters of a name that fit.
const NAME_CHARS_MAX: usize = 32;
/// Colours of the style sheet.
const HUES: usize = 8;

/// A dot with its interval, and maybe a second one below it.
#[derive(Debug, Clone)]
pub(super) struct Dot {
    pub name: String,
    pub hue: usize,
    pub value: Option<f64>,
    pub ends: Option<(f64, f64)>,
    /// A hollow dot: another way of counting.
    pub other: Option<f64>,
    pub other_ends: Option<(f64, f64)>,
    pub figure: String,
}

/// A scale of numbers onto pixels.
struct Axis {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn position_of(&self, value: f64) -> f64 {
        let share = (value.clamp(self.from, self.to) - self.from) / (self.to - self.from);
        self.start + share * (self.end - self.start)
    }

    /// At most nine round numbers.
    fn tick_values(&self) -> Vec<f64> {
        let raw = (self.to - self.from) / 6.0;
        let power = 10_f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|of| of * power).into_iter().find(|step| *step >= raw).unwrap_or(raw);
        let first = (self.from / step - 1e-9).ceil() as i64;
        let last = (self.to / step + 1e-9).floor() as i64;
        (first..=last).take(20).map(|at| at as f64 * step).collect()
    }
}

/// Dots on one scale. With `zero` the scale holds it and a line marks it. Values are shares; the axis is in percent.
pub(super) fn draw_dot_plot(dots: &[Dot], zero: bool, said: &str) -> Markup {
    let numbers = dots.iter().flat_map(|dot| {
        let ends = [dot.ends, dot.other_ends].into_iter().flatten().flat_map(|(low, high)| [low, high]);
        ends.chain(dot.value).chain(dot.other)
    });
    let (mut from, mut to) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), n| (from.min(n), to.max(n)));
    if zero {
        (from, to) = (from.min(0.0), to.max(0.0));
    }
    if !from.is_finite() {
        (from, to) = (0.0, 1.0);
    }
    // Whole tenths around the numbers.
    let (from, to) = ((from * 10.0 - 0.2).floor() / 10.0, (to * 10.0 + 0.2).ceil() / 10.0);
    let (from, to) = if zero { (from, to) } else { (from.max(0.0), to.min(1.0).max(from.max(0.0) + 0.1)) };
    let longest = dots.iter().map(|dot| shorten_name(&dot.name).chars().count()).max().unwrap_or(0);
    let names = 24.0 + LETTER * longest as f64;
    let axis = Axis { from, to, start: names, end: WIDTH - FIGURES };
    let height = ROW * dots.len() as f64 + AXIS;
    let bottom = height - AXIS + 6.0;
    html! {
        svg .plot xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(sanitize_text(said)) {
            @for tick in axis.tick_values() {
                line .grid x1=(format_length(axis.position_of(tick))) x2=(format_length(axis.position_of(tick))) y1="2" y2=(format_length(bottom)) {}
                text .tick x=(format_length(axis.position_of(tick))) y=(format_length(bottom + 16.0)) text-anchor="middle" { (format_percent(tick, zero)) }
            }
            @if zero { line .zero x1=(format_length(axis.position_of(0.0))) x2=(format_length(axis.position_of(0.0))) y1="2" y2=(format_length(bottom)) {} }
            @for (at, dot) in dots.iter().enumerate() {
                @let y = ROW * (at as f64 + 0.5);
                g .(hue_class(dot.hue)) {
                    text .name x=(format_length(names - 16.0)) y=(format_length(y + 4.0)) text-anchor="end" { (shorten_name(&dot.name)) }
                    @if let Some((low, high)) = dot.other_ends {
                        line .reach.hollow x1=(format_length(axis.position_of(low))) x2=(format_length(axis.position_of(high))) y1=(format_length(y + 7.0)) y2=(format_length(y + 7.0)) {}
                    }
                    @if let Some(other) = dot.other { circle .hollow cx=(format_length(axis.position_of(other))) cy=(format_length(y + 7.0)) r="3.6" {} }
                    @let line = if dot.other.is_some() { y - 4.0 } else { y };
                    @if let Some((low, high)) = dot.ends {
                        line .reach x1=(format_length(axis.position_of(low))) x2=(format_length(axis.position_of(high))) y1=(format_length(line)) y2=(format_length(line)) {}
                        line .reach x1=(format_length(axis.position_of(low))) x2=(format_length(axis.position_of(low))) y1=(format_length(line - 4.0)) y2=(format_length(line + 4.0)) {}
                        line .reach x1=(format_length(axis.position_of(high))) x2=(format_length(axis.position_of(high))) y1=(format_length(line - 4.0)) y2=(format_length(line + 4.0)) {}
                    }
                    @if let Some(value) = dot.value { circle .dot cx=(format_length(axis.position_of(value))) cy=(format_length(line)) r="5" {} }
                    text .figure x=(format_length(WIDTH - FIGURES + 14.0)) y=(format_length(y + 4.0)) { (sanitize_text(&dot.figure)) }
                }
            }
        }
    }
}

/// A point of accuracy against cost.
#[derive(Debug, Clone)]
pub(super) struct CostPoint<'f> {
    pub of: &'f FrontPoint,
    pub hue: usize,
    pub ends: Option<(f64, f64)>,
}

/// Accuracy against cost, with the front as a line of steps. Points are in the order of their costs.
pub(super) fn draw_cost_plot(points: &[CostPoint<'_>], unit: &str, said: &str) -> Markup {
    const HEIGHT: f64 = 330.0;
    let most = points.iter().map(|point| point.of.cost).fold(0.0, f64::max);
    let x = Axis { from: 0.0, to: if most > 0.0 { most * 1.12 } else { 1.0 }, start: 54.0, end: WIDTH - 20.0 };
    let lows = points.iter().map(|point| point.ends.map_or(point.of.accuracy, |(low, _)| low));
    let from = (lows.fold(1.0, f64::min) * 10.0 - 0.2).floor().max(0.0) / 10.0;
    let y = Axis { from: from.min(0.9), to: 1.0, start: HEIGHT - 46.0, end: 14.0 };
    let front = points.iter().map(|point| point.of).filter(|point| point.on_front).enumerate().map(|(at, point)| {
        let (to_x, to_y) = (x.position_of(point.cost), y.position_of(point.accuracy));
        if at == 0 { format!("M{to_x:.1} {to_y:.1}") } else { format!(" H{to_x:.1} V{to_y:.1}") }
    });
    let steps: String = front.collect();
    let path = if steps.is_empty() { steps } else { format!("{steps} H{:.1}", x.end) };
    let labels = place_labels(points, &x, &y);
    html! {
        svg .plot xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(sanitize_text(said)) {
            @for tick in y.tick_values() {
                line .grid x1=(format_length(x.start)) x2=(format_length(x.end)) y1=(format_length(y.position_of(tick))) y2=(format_length(y.position_of(tick))) {}
                text .tick x=(format_length(x.start - 8.0)) y=(format_length(y.position_of(tick) + 4.0)) text-anchor="end" { (format_percent(tick, false)) }
            }
            @for tick in x.tick_values() {
                text .tick x=(format_length(x.position_of(tick))) y=(format_length(HEIGHT - 26.0)) text-anchor="middle" { (format_tick(tick)) }
            }
            text .tick x=(format_length(x.end)) y=(format_length(HEIGHT - 6.0)) text-anchor="end" { (unit) " for an observation, mean →" }
            path .front d=(path) {}
            @for (point, (anchor, label_x, label_y)) in points.iter().zip(labels) {
                g .(hue_class(point.hue)) {
                    @if let Some((low, high)) = point.ends {
                        line .reach x1=(format_length(x.position_of(point.of.cost))) x2=(format_length(x.position_of(point.of.cost))) y1=(format_length(y.position_of(low))) y2=(format_length(y.position_of(high))) {}
                    }
                    circle .dot.hollow[!point.of.on_front] cx=(format_length(x.position_of(point.of.cost))) cy=(format_length(y.position_of(point.of.accuracy))) r="5.5" {}
                    text .name x=(format_length(label_x)) y=(format_length(label_y)) text-anchor=(anchor) { (shorten_name(&point.of.arm)) }
                }
            }
        }
    }
}

/// Where the names of points stand: on the side with room, and not on another name.
fn place_labels(points: &[CostPoint<'_>], x: &Axis, y: &Axis) -> Vec<(&'static str, f64, f64)> {
    let mut taken: Vec<(bool, f64, f64)> = Vec::new();
    let label = |point: &CostPoint<'_>| {
        let at = x.position_of(point.of.cost);
        let left = at > x.start + (x.end - x.start) * 0.7;
        let mut line = y.position_of(point.of.accuracy) - 8.0;
        // Each name needs a line of its own near others; downwards there is always room.
        while taken.iter().any(|(_, other_x, other)| (other - line).abs() < 14.0 && (other_x - at).abs() < 190.0) {
            line += 14.0;
        }
        taken.push((left, at, line));
        if left { ("end", at - 9.0, line) } else { ("start", at + 9.0, line) }
    };
    points.iter().map(label).collect()
}

/// One bin of a calibration plot: mean confidence, share of right answers, its interval, and how many.
pub(super) type BinPoint = (f64, f64, (f64, f64), u64);

/// Calibration of one arm: the share of right answers against confidence. On the diagonal is what was said.
pub(super) fn draw_calibration_plot(name: &str, arm: usize, bins: &[BinPoint], said: &str) -> Markup {
    const SIZE: f64 = 230.0;
    let x = Axis { from: 0.0, to: 1.0, start: 34.0, end: SIZE - 8.0 };
    let y = Axis { from: 0.0, to: 1.0, start: SIZE - 40.0, end: 24.0 };
    let most = bins.iter().map(|(.., n)| *n).max().unwrap_or(1).max(1) as f64;
    html! {
        svg .plot.small xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {SIZE} {SIZE}")) role="img" aria-label=(sanitize_text(said)) {
            g .(hue_class(arm)) {
                text .name x=(format_length(x.start)) y="14" { (shorten_name(name)) }
                @for tick in [0.0, 0.5, 1.0] {
                    line .grid x1=(format_length(x.position_of(tick))) x2=(format_length(x.position_of(tick))) y1=(format_length(y.start)) y2=(format_length(y.end)) {}
                    line .grid x1=(format_length(x.start)) x2=(format_length(x.end)) y1=(format_length(y.position_of(tick))) y2=(format_length(y.position_of(tick))) {}
                    text .tick x=(format_length(x.position_of(tick))) y=(format_length(y.start + 15.0)) text-anchor="middle" { (format_percent(tick, false)) }
                    text .tick x=(format_length(x.start - 5.0)) y=(format_length(y.position_of(tick) + 4.0)) text-anchor="end" { (format_percent(tick, false)) }
                }
                line .diagonal x1=(format_length(x.start)) y1=(format_length(y.start)) x2=(format_length(x.end)) y2=(format_length(y.end)) {}
                @for (confidence, right, (low, high), n) in bins {
                    line .reach x1=(format_length(x.position_of(*confidence))) x2=(format_length(x.position_of(*confidence))) y1=(format_length(y.position_of(*low))) y2=(format_length(y.position_of(*high))) {}
                    circle .dot cx=(format_length(x.position_of(*confidence))) cy=(format_length(y.position_of(*right))) r=(format_length(2.5 + 4.0 * (*n as f64 / most).sqrt())) {}
                }
                text .tick x=(format_length(x.end)) y=(format_length(SIZE - 8.0)) text-anchor="end" { "probability →, right ↑" }
            }
        }
    }
}

/// The class of an arm's colour.
pub(super) fn hue_class(arm: usize) -> String {
    format!("hue-{}", arm % HUES)
}

fn shorten_name(name: &str) -> String {
    let shown = sanitize_text(name);
    if shown.chars().count() <= NAME_CHARS_MAX {
        return shown;
    }
    shown.chars().take(NAME_CHARS_MAX - 1).chain(['…']).collect()
}

fn format_percent(share: f64, signed: bool) -> String {
    let number = (share * 100.0).round() + 0.0;
    let text = if signed && number != 0.0 { format!("{number:+}") } else { format!("{number} %") };
    text.replace('-', "\u{2212}")
}

/// A round number without the zeros at its end.
fn format_tick(tick: f64) -> String {
    let shown = format_quantity(tick);
    if shown.contains('.') { shown.trim_end_matches('0').trim_end_matches('.').to_owned() } else { shown }
}

/// A length in a drawing, to a tenth.
fn format_length(length: f64) -> String {
    format!("{length:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few_round_numbers_within_the_scale() {
        let axis = |from, to| Axis { from, to, start: 0.0, end: 1.0 };
        assert_eq!(axis(0.0, 1.0).tick_values().len(), 6);
        for (from, to) in [(0.4, 0.9), (-0.3, 0.2), (0.0, 1234.0), (0.0, 0.00031), (0.9, 1.0)] {
            let ticks = axis(from, to).tick_values();
            assert!((2..=9).contains(&ticks.len()), "{from} {to}: {ticks:?}");
            assert!(ticks.iter().all(|tick| *tick >= from - 1e-9 && *tick <= to + 1e-9), "{ticks:?}");
        }
    }

    #[test]
    fn round_numbers_are_short() {
        let shown: Vec<String> = [0.0, 0.01, 0.02, 0.5, 20.0, 2000.0].iter().map(|tick| format_tick(*tick)).collect();
        assert_eq!(shown, ["0", "0.01", "0.02", "0.5", "20", "2,000"]);
    }

    #[test]
    fn names_of_points_do_not_stand_on_each_other() {
        let front = [0.1, 0.1, 0.12].map(|cost| FrontPoint { arm: "n".into(), cost, accuracy: 0.8, on_front: false });
        let points = front.each_ref().map(|of| CostPoint { of, hue: 0, ends: None });
        let (x, y) =
            (Axis { from: 0.0, to: 1.0, start: 0.0, end: 700.0 }, Axis { from: 0.0, to: 1.0, start: 300.0, end: 0.0 });
        let found = place_labels(&points, &x, &y);
        let lines: Vec<f64> = found.iter().map(|(_, _, line)| *line).collect();
        assert!(lines[0] + 14.0 <= lines[1] && lines[1] + 14.0 <= lines[2], "{lines:?}");
    }

    #[test]
    fn nothing_to_draw_is_drawn_as_an_empty_scale() {
        assert!(draw_dot_plot(&[], false, "").into_string().contains("<svg"));
        assert!(draw_cost_plot(&[], "US dollars", "").into_string().contains("<svg"));
    }
}
