//! Drawings of figures: bars, and lines over time. Each has a text alternative; colours come from the
//! style sheet, and shades tell apart what colour alone would not.

use maud::{Markup, html};

use crate::{
    graph::map::{format_px, replace_unprintable, side_class},
    statement::format_score,
};

const WIDTH: f64 = 720.0;
const LABEL: f64 = 150.0;
const VALUE: f64 = 118.0;
const ROW: f64 = 26.0;
const BAR: f64 = 13.0;
/// Letters of a label that fit next to the bars.
const LABEL_CHARS_MAX: usize = 23;

/// One row of bars.
#[derive(Debug, Clone)]
pub struct Row {
    /// Left of the bar.
    pub label: String,
    /// Its colour.
    pub side: Option<usize>,
    /// Parts, in the order of the legend.
    pub parts: Vec<f64>,
    /// Right of the bar.
    pub value: String,
}

/// Rows of bars on one scale; `said` is the whole in words.
pub fn draw_bars(rows: &[Row], said: &str) -> Markup {
    let most = rows.iter().map(|row| row.parts.iter().sum::<f64>()).fold(0.0, f64::max);
    let room = WIDTH - LABEL - VALUE;
    let scale = if most > 0.0 { room / most } else { 0.0 };
    let height = ROW * rows.len() as f64;
    html! {
        svg .bars xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(replace_unprintable(said)) {
            @for (at, row) in rows.iter().enumerate() {
                @let y = ROW * at as f64 + (ROW - BAR) / 2.0;
                g .(side_class(row.side)) {
                    text .label x=(LABEL - 12.0) y=(y + BAR - 2.0) text-anchor="end" { (replace_unprintable(&crate::graph::shorten_text(&row.label, LABEL_CHARS_MAX))) }
                    line .zero x1=(LABEL) y1=(y - 4.0) x2=(LABEL) y2=(y + BAR + 4.0) {}
                    @for (part, length) in row.parts.iter().copied().enumerate() {
                        @if length > 0.0 {
                            @let from: f64 = row.parts[..part].iter().sum();
                            rect .(format!("part-{part}")) x=(format_px(LABEL + from * scale)) y=(format_px(y)) width=(format_px((length * scale).max(1.0))) height=(BAR) {}
                        }
                    }
                    @let end = LABEL + row.parts.iter().sum::<f64>() * scale + 8.0;
                    text .value x=(format_px(end)) y=(format_px(y + BAR - 2.0)) { (replace_unprintable(&row.value)) }
                }
            }
        }
    }
}

/// What the parts of bars are.
pub fn render_legend(names: &[&str]) -> Markup {
    html! {
        ul .map-legend {
            @for (part, name) in names.iter().enumerate() {
                li { svg width="18" height="10" viewBox="0 0 18 10" aria-hidden="true" { g .side-none { rect .(format!("part-{part}")) width="18" height="10" {} } } (name) }
            }
        }
    }
}

/// The balance of two sides over time: above the middle the first leads. Each point is what it is
/// called, and the totals of both.
pub fn draw_balance(names: [&str; 2], points: &[(String, [f64; 2])], said: &str) -> Markup {
    const HEIGHT: f64 = 210.0;
    const BAND: f64 = 34.0;
    const SPAN_MIN: f64 = 0.4;
    let margins: Vec<f64> = points.iter().map(|(_, [first, second])| first - second).collect();
    let above = margins.iter().fold(SPAN_MIN, |most, margin| most.max(*margin));
    let below = margins.iter().fold(SPAN_MIN, |most, margin| most.max(-margin));
    let scale = (HEIGHT - 2.0 * BAND) / (above + below);
    let middle = BAND + above * scale;
    let (left, right) = (14.0, WIDTH - 96.0);
    let step = (right - left) / margins.len().max(1) as f64;
    let x = |at: usize| left + step * at as f64;
    let y = |margin: f64| middle - margin * scale;
    let knots = margins.iter().enumerate().map(|(at, margin)| format!(" L{:.1} {:.1}", x(at + 1), y(*margin)));
    let line = format!("M{left} {middle:.1}{}", knots.collect::<String>());
    let area = format!("{line} L{:.1} {middle:.1} Z", x(margins.len()));
    html! {
        svg .balance xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(replace_unprintable(said)) {
            defs {
                clipPath id="above" { rect x="0" y="0" width=(WIDTH) height=(format_px(middle)) {} }
                clipPath id="below" { rect x="0" y=(format_px(middle)) width=(WIDTH) height=(format_px(HEIGHT - middle)) {} }
            }
            path .area .side-0 clip-path="url(#above)" d=(area) {}
            path .area .side-1 clip-path="url(#below)" d=(area) {}
            line .zero x1="0" y1=(format_px(middle)) x2=(WIDTH) y2=(format_px(middle)) {}
            path .line d=(line) {}
            @for (at, ((name, _), margin)) in points.iter().zip(&margins).enumerate() {
                @let up = *margin >= 0.0;
                circle .knot cx=(format_px(x(at + 1))) cy=(format_px(y(*margin))) r="4" {}
                text .figure x=(format_px(x(at + 1))) y=(format_px(y(*margin) + if up { -11.0 } else { 20.0 })) text-anchor="middle" { (format_score(*margin)) }
                text .tick x=(format_px(x(at + 1))) y=(format_px(middle + if up { 16.0 } else { -8.0 })) text-anchor="middle" { (replace_unprintable(&crate::graph::shorten_text(name, 16))) }
            }
            text .name .side-0 x="0" y="14" { (replace_unprintable(names[0])) " leads" }
            text .name .side-1 x="0" y=(HEIGHT - 6.0) { (replace_unprintable(names[1])) " leads" }
        }
    }
}

/// Where each of some people stood over time, on a scale of words; the first word is the top.
pub fn draw_stances(scale: &[&str], people: &[(String, Vec<(usize, usize)>)], times: &[String], said: &str) -> Markup {
    const LEFT: f64 = 178.0;
    let row = 36.0;
    let top = 20.0;
    let height = top + row * scale.len() as f64 + 26.0;
    let step = (WIDTH - LEFT - 60.0) / times.len().saturating_sub(1).max(1) as f64;
    let x = |at: usize| LEFT + 26.0 + step * at as f64;
    let y = |level: usize| top + row * level as f64;
    html! {
        svg .stances xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(replace_unprintable(said)) {
            @for (level, word) in scale.iter().enumerate() {
                text .label x="0" y=(format_px(y(level) + 4.0)) { (replace_unprintable(word)) }
                line .grid x1=(LEFT) y1=(format_px(y(level))) x2=(WIDTH) y2=(format_px(y(level))) {}
            }
            @for (at, time) in times.iter().enumerate() {
                text .tick x=(format_px(x(at))) y=(format_px(height - 8.0)) text-anchor="middle" { (replace_unprintable(time)) }
            }
            @for (side, (name, course)) in people.iter().enumerate() {
                g .(side_class(Some(side))) {
                    @let path: Vec<String> = course.iter().enumerate().map(|(i, (at, level))| format!("{}{:.1} {:.1}", if i == 0 { "M" } else { "L" }, x(*at), y(*level))).collect();
                    path .(format!("course dash-{}", side % 2)) d=(path.join(" ")) {}
                    @for (at, level) in course { circle .knot cx=(format_px(x(*at))) cy=(format_px(y(*level))) r="5" {} }
                    @if let Some((at, level)) = course.last() {
                        // Two who end alike stand above and below their line.
                        @let beside = if side % 2 == 0 { -11.0 } else { 22.0 };
                        @let anchor = if *at + 1 == times.len() { "end" } else { "middle" };
                        text .name x=(format_px(x(*at))) y=(format_px(y(*level) + beside)) text-anchor=(anchor) { (replace_unprintable(&crate::graph::shorten_text(name, 18))) }
                    }
                }
            }
        }
    }
}
