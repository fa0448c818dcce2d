//! The score as a tug of war: one line from round to round, above the middle for one side and below
//! it for the other. Drawn here, so that it needs no script.

use agon_core::Record;
use maud::{Markup, PreEscaped, html};

use agon_formats::{ruling_view::list_scores, statement::signed};

use super::{live_feed::title, prose::visible};

/// The drawing's own measure; it scales with the page.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 150.0;
/// Room next to the line, for its ends.
const MARGIN: f64 = 6.0;
/// Room above and below, for the names of the sides.
const BAND: f64 = 30.0;
/// The smallest advantage that is drawn for a side, so that both are there.
const SPAN_MIN: f64 = 0.4;

/// One reading of the scores.
struct ChartPoint {
    label: String,
    first: f64,
    second: f64,
}

/// The totals of two sides, ruling by ruling.
struct ChartTotals {
    first: String,
    second: String,
    points: Vec<ChartPoint>,
}

/// The drawing, where rulings tell the totals of exactly two sides.
pub fn chart(record: &Record) -> Option<Markup> {
    let totals = totals(record)?;
    let last = totals.points.last()?;
    let ahead = match last.first - last.second {
        margin if margin.abs() < 0.005 => "Even".to_owned(),
        margin if margin > 0.0 => format!("{} ahead", totals.first),
        _ => format!("{} ahead", totals.second),
    };
    let said = format!(
        "{ahead}: {} {}, {} {}",
        totals.first,
        signed(last.first),
        totals.second,
        signed(last.second)
    );
    Some(html! {
        figure .pull {
            (draw(&totals, last, &said))
            details {
                summary { "The scores as a table" }
                table {
                    thead { tr { th scope="col" { "After" } th scope="col" { (visible(&totals.first)) } th scope="col" { (visible(&totals.second)) } } }
                    tbody { @for point in &totals.points { tr { th scope="row" { (visible(&point.label)) } td { (signed(point.first)) } td { (signed(point.second)) } } } }
                }
            }
        }
    })
}

fn totals(record: &Record) -> Option<ChartTotals> {
    let mut totals: Option<ChartTotals> = None;
    for (_, label, scores) in list_scores(record) {
        let [(first, one), (second, other)] = scores.totals;
        let names = || ChartTotals { first: title(first), second: title(second), points: Vec::new() };
        let totals = totals.get_or_insert_with(names);
        totals.points.push(ChartPoint { label, first: one, second: other });
    }
    totals
}

fn draw(totals: &ChartTotals, last: &ChartPoint, said: &str) -> Markup {
    let margins: Vec<f64> = totals.points.iter().map(|point| point.first - point.second).collect();
    // Each side gets the room that it needs.
    let above = margins.iter().fold(SPAN_MIN, |most, margin| most.max(*margin));
    let below = margins.iter().fold(SPAN_MIN, |most, margin| most.max(-margin));
    let scale = (HEIGHT - 2.0 * BAND) / (above + below);
    let middle = BAND + above * scale;
    let step = (WIDTH - 2.0 * MARGIN) / margins.len() as f64;
    let x = |at: usize| MARGIN + step * at as f64;
    let y = |margin: f64| middle - margin * scale;
    let mut line = format!("M{:.1} {middle:.1}", x(0));
    for (at, margin) in margins.iter().enumerate() {
        line.push_str(&format!(" L{:.1} {:.1}", x(at + 1), y(*margin)));
    }
    let end = x(margins.len());
    let area = format!("{line} L{end:.1} {middle:.1} Z");
    let drawing = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(visible(said)) {
            defs {
                clipPath id="above" { rect x="0" y="0" width=(WIDTH) height=(middle) {} }
                clipPath id="below" { rect x="0" y=(middle) width=(WIDTH) height=(HEIGHT) {} }
            }
            path .area .side-0 clip-path="url(#above)" d=(area) {}
            path .area .side-1 clip-path="url(#below)" d=(area) {}
            line .middle x1=(MARGIN) y1=(middle) x2=(WIDTH - MARGIN) y2=(middle) {}
            @for at in 1..margins.len() { line .tick x1=(x(at)) y1=(middle - 3.0) x2=(x(at)) y2=(middle + 3.0) {} }
            path .line d=(line) {}
            @for (at, margin) in margins.iter().enumerate() {
                circle .knot cx=(format!("{:.1}", x(at + 1))) cy=(format!("{:.1}", y(*margin))) r="4.5" {}
            }
            text .name .side-0 x="0" y="16" { (visible(&totals.first)) " " tspan .figure { (signed(last.first)) } }
            text .name .side-1 x="0" y=(HEIGHT - 6.0) { (visible(&totals.second)) " " tspan .figure { (signed(last.second)) } }
        }
    };
    PreEscaped(drawing.into_string())
}
