//! The graph as a drawing: a column for each side, time from top to bottom, every statement a box.
//!
//! Place means something here, who and when, so the layout is not left to a general algorithm, which
//! would choose its layers by the edges. The drawing has no script and no style of its own; its classes are those of
//! [`CSS`], each box leads to its entry, and a page that shows it lists the same in words.

use agon_text::{count_noun, is_unprintable};
use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use crate::statement::format_score;

use super::{Edge, Graph, GraphStatement, MOVED, Relation, opinion::Opinion, semantics::StatementLabel};

/// The style sheet of the drawing. It wants the custom properties `--paper`, `--ink`, `--soft`,
/// `--rule`, `--grave`, `--sans` and, on `.side-0` to `.side-5`, `--side`.
pub const CSS: &str = include_str!("map.css");
/// Colours of sides and paper, by day and by night, as the custom properties that [`CSS`] wants.
pub const COLORS: &str = include_str!("colors.css");
/// Maximum number of statements that are drawn; a larger map is told in words alone.
pub const STATEMENTS_MAX: usize = 120;
/// Colours that sides are told apart by.
pub const SIDES: usize = 6;

/// Room for the names of the steps.
const GUTTER: f64 = 86.0;
/// Room for the names of the sides.
const HEAD: f64 = 34.0;
/// Room next to each column for what leads within it.
const LANE: f64 = 40.0;
const LINE: f64 = 15.0;
const PAD: f64 = 9.0;
const BETWEEN_STEPS: f64 = 30.0;
const BETWEEN_BOXES: f64 = 12.0;
const LINES_MAX: usize = 3;
/// Ends that differ less in height make a level line, and how far such a one is bent.
const LEVEL: f64 = 40.0;
const DIP: f64 = 78.0;

/// A box with its place.
struct Placed {
    x: f64,
    y: f64,
    height: f64,
    lines: Vec<String>,
}

/// Edges of one relation between the same two statements.
struct Bundle<'g> {
    /// The first of them.
    edge: &'g Edge,
    kinds: Vec<&'g str>,
}

/// The drawing for a page with [`CSS`], each box leading to its entry; nothing where there is nothing to draw, or too
/// much.
pub fn draw_map(graph: &Graph, opinion: &Opinion) -> Option<Markup> {
    let count = graph.statements.len();
    if count == 0 || count > STATEMENTS_MAX {
        return None;
    }
    let columns = graph.sides.len().max(1);
    let box_width = if columns <= 2 { 262.0 } else { 186.0 };
    let column = |side: usize| GUTTER + LANE + side as f64 * (box_width + 2.0 * LANE);
    let width = column(columns) - LANE;
    let (placed, steps, height) = place_boxes(graph, &column, box_width);
    let bundles = bundle_edges(graph);
    let ports = place_line_ends(graph, &bundles, &placed, columns);
    Some(html! {
        svg .map xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width:.0} {height:.0}"))
            width=(format!("{width:.0}")) height=(format!("{height:.0}")) role="group" aria-label=(describe_map(graph, opinion)) {
            defs {
                @for (relation, extracted) in list_line_kinds(graph) {
                    marker id=(marker_id(relation, extracted)) viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse" {
                        path .(line_classes("head", relation, extracted)) d="M0.5 0.8 L7.2 4 L0.5 7.2 Z" {}
                    }
                }
            }
            @for (side, name) in graph.sides.iter().enumerate() {
                text .(format!("side-name side-{}", side % SIDES)) x=(format_px(column(side))) y="14" { (replace_unprintable(&super::shorten_text(name, 28))) }
            }
            @for (name, y) in &steps {
                text .step x="0" y=(format_px(y + 14.0)) { (replace_unprintable(&super::shorten_text(name, 13))) }
                line .rule x1="0" y1=(format_px(y - BETWEEN_STEPS / 2.0)) x2=(format_px(width)) y2=(format_px(y - BETWEEN_STEPS / 2.0)) {}
            }
            g .edges {
                @for (bundle, [from, to]) in bundles.iter().zip(&ports) {
                    path .(line_classes("edge", bundle.edge.relation, bundle.edge.extracted)) d=(curve_path(graph, bundle, *from, *to, columns))
                        stroke-width=(format_px(1.3 + 0.5 * (bundle.kinds.len().min(5) - 1) as f64))
                        marker-end=(format!("url(#{})", marker_id(bundle.edge.relation, bundle.edge.extracted))) {
                        title { (replace_unprintable(&describe_bundle(graph, bundle))) }
                    }
                }
            }
            @for (at, (statement, placed)) in graph.statements.iter().zip(&placed).enumerate() {
                (statement_box(statement, opinion.standing[at], placed, box_width))
            }
        }
    })
}

/// Boxes, and the name and top of each step; the height of all.
fn place_boxes(graph: &Graph, column: &dyn Fn(usize) -> f64, width: f64) -> (Vec<Placed>, Vec<(String, f64)>, f64) {
    let letters = ((width - 2.0 * PAD - 6.0) / 6.7) as usize;
    let mut placed: Vec<Placed> = Vec::new();
    let (mut steps, mut top, mut bottom) = (Vec::new(), HEAD, HEAD);
    let mut stacks: BTreeMap<usize, f64> = BTreeMap::new();
    let mut step = None;
    for statement in &graph.statements {
        if step != Some(statement.step) {
            if step.is_some() {
                top = bottom + BETWEEN_STEPS;
            }
            step = Some(statement.step);
            steps.push((statement.when.clone(), top));
            stacks.clear();
        }
        let lines = wrap_title(&statement.title, letters);
        let height = 2.0 * PAD + LINE * (1 + lines.len()) as f64 - 2.0;
        let y = stacks.get(&statement.side).map_or(top, |used| used + BETWEEN_BOXES);
        stacks.insert(statement.side, y + height);
        bottom = f64::max(bottom, y + height);
        placed.push(Placed { x: column(statement.side), y, height, lines });
    }
    (placed, steps, bottom + 6.0)
}

fn wrap_title(title: &str, letters: usize) -> Vec<String> {
    let text = replace_unprintable(title);
    let mut lines: Vec<String> = textwrap::wrap(&text, letters).into_iter().map(|line| line.into_owned()).collect();
    if lines.len() > LINES_MAX {
        lines.truncate(LINES_MAX);
        if let Some(last) = lines.last_mut() {
            let kept: String = last.chars().take(letters.saturating_sub(1)).collect();
            *last = kept.trim_end().to_owned() + "…";
        }
    }
    lines
}

fn bundle_edges(graph: &Graph) -> Vec<Bundle<'_>> {
    let key = |edge: &Edge| (edge.from, edge.to, edge.relation, edge.extracted);
    let mut bundles: Vec<Bundle<'_>> = Vec::new();
    for edge in &graph.edges {
        match bundles.iter_mut().find(|bundle| key(bundle.edge) == key(edge)) {
            Some(bundle) => bundle.kinds.push(&edge.kind),
            None => bundles.push(Bundle { edge, kinds: vec![edge.kind.as_str()] }),
        }
    }
    bundles
}

/// The sorts of lines that occur: a relation, and whether it was extracted.
fn list_line_kinds(graph: &Graph) -> BTreeSet<(Relation, bool)> {
    graph.edges.iter().map(|edge| (edge.relation, edge.extracted)).collect()
}

/// The classes of a line or of its head.
fn line_classes(part: &str, relation: Relation, extracted: bool) -> String {
    format!("{part} {relation}{}", if extracted { " extracted" } else { "" })
}

fn marker_id(relation: Relation, extracted: bool) -> String {
    format!("map-{relation}{}", if extracted { "-extracted" } else { "" })
}

/// Whether an end lies on the right of its box: towards the other column, and within one column on
/// its outer side.
fn is_right(graph: &Graph, at: usize, other: usize, columns: usize) -> bool {
    let (own, other) = (graph.statements[at].side, graph.statements[other].side);
    if own == other { own + 1 == columns && columns > 1 } else { own < other }
}

/// Both ends of each bundle. Ends at one edge of a box are spread over it in the order of where they
/// lead, so that few cross.
fn place_line_ends(graph: &Graph, bundles: &[Bundle<'_>], placed: &[Placed], columns: usize) -> Vec<[(f64, f64); 2]> {
    // The far end's height, the bundle, and which end; by box and edge of it.
    type End = (i64, usize, usize);
    let mut ends: BTreeMap<(usize, bool), Vec<End>> = BTreeMap::new();
    for (number, bundle) in bundles.iter().enumerate() {
        let Edge { from, to, .. } = *bundle.edge;
        for (end, (at, other)) in [(from, to), (to, from)].into_iter().enumerate() {
            let key = (at, is_right(graph, at, other, columns));
            let far = placed[other].y + placed[other].height / 2.0;
            ends.entry(key).or_default().push((far as i64, number, end));
        }
    }
    let width = if graph.sides.len() <= 2 { 262.0 } else { 186.0 };
    let mut ports = vec![[(0.0, 0.0); 2]; bundles.len()];
    for ((at, right), mut list) in ends {
        list.sort_unstable();
        let Placed { x, y, height, .. } = &placed[at];
        let room = height / (list.len() + 1) as f64;
        for (place, (_, number, end)) in list.into_iter().enumerate() {
            ports[number][end] = (if right { x + width } else { *x }, y + room * (place + 1) as f64);
        }
    }
    ports
}

fn curve_path(graph: &Graph, bundle: &Bundle<'_>, from: (f64, f64), to: (f64, f64), columns: usize) -> String {
    let out = |at: usize, other: usize| if is_right(graph, at, other, columns) { 1.0 } else { -1.0 };
    let (leave, arrive) = (out(bundle.edge.from, bundle.edge.to), out(bundle.edge.to, bundle.edge.from));
    let same = graph.statements[bundle.edge.from].side == graph.statements[bundle.edge.to].side;
    let reach = if same {
        // The further apart, the wider, within the lane.
        (14.0 + (from.1 - to.1).abs() / 16.0).min(LANE - 6.0) * 4.0 / 3.0
    } else {
        ((from.0 - to.0).abs() * 0.5).clamp(30.0, 150.0)
    };
    let apart = graph.statements[bundle.edge.from].side.abs_diff(graph.statements[bundle.edge.to].side);
    // Level lines would run behind the boxes between and seem to be theirs.
    let dip = if apart > 1 && (from.1 - to.1).abs() < LEVEL { DIP } else { 0.0 };
    let (c1, c2) = (from.0 + leave * reach, to.0 + arrive * reach);
    let (d1, d2) = (from.1 + dip, to.1 + dip);
    format!("M{:.1} {:.1} C{c1:.1} {d1:.1} {c2:.1} {d2:.1} {:.1} {:.1}", from.0, from.1, to.0, to.1)
}

fn statement_box(statement: &GraphStatement, standing: StatementLabel, placed: &Placed, width: f64) -> Markup {
    let Placed { x, y, height, lines } = placed;
    let redacted = statement.text.is_none();
    let mark = if redacted { " redacted" } else { "" };
    let look = format!("statement side-{} {standing}{mark}", statement.side % SIDES);
    let baseline = |line: usize| y + PAD + 9.0 + LINE * line as f64;
    html! {
        a href=(format!("#entry-{}", statement.seq)) { g .(look) {
            title { (replace_unprintable(&format!("{} ({}): {}", statement.id, statement.speaker, if redacted { "redacted" } else { &statement.title }))) }
            rect x=(format_px(*x)) y=(format_px(*y)) width=(format_px(width)) height=(format_px(*height)) rx="3" {}
            rect .mark x=(format_px(*x)) y=(format_px(*y)) width="4" height=(format_px(*height)) rx="2" {}
            text .id x=(format_px(x + PAD + 5.0)) y=(format_px(baseline(0))) { (statement.id) }
            @if let Some(score) = statement.score {
                text .score x=(format_px(x + width - PAD)) y=(format_px(baseline(0))) text-anchor="end" { (format_score(score)) }
            }
            @if redacted { text .title x=(format_px(x + PAD + 5.0)) y=(format_px(baseline(1))) { "redacted" } }
            @for (line, text) in lines.iter().enumerate() {
                text .title x=(format_px(x + PAD + 5.0)) y=(format_px(baseline(line + 1))) { (text) }
            }
        } }
    }
}

/// What a bundle says, as its tooltip.
fn describe_bundle(graph: &Graph, bundle: &Bundle<'_>) -> String {
    let mut kinds: Vec<String> = bundle.kinds.iter().map(|kind| kind.replace('_', " ")).collect();
    kinds.dedup();
    if let Some(label) = graph.extraction_label(bundle.edge.extracted) {
        kinds = vec![label];
    }
    let moved = bundle.kinds.iter().all(|kind| *kind == MOVED);
    if moved && !bundle.kinds.is_empty() {
        kinds.clear();
    }
    let verb = if moved { bundle.edge.relation.verb_of_kind(MOVED) } else { bundle.edge.relation.verb() };
    let (from, to) = (&graph.statements[bundle.edge.from].id, &graph.statements[bundle.edge.to].id);
    let kinds = if kinds.is_empty() { String::new() } else { format!(": {}", kinds.join(", ")) };
    format!("{from} {verb} {to}{kinds}")
}

fn describe_map(graph: &Graph, opinion: &Opinion) -> String {
    let count = |relation: Relation| graph.edges.iter().filter(|edge| edge.relation == relation).count();
    let counts = Relation::ALL.into_iter().map(|relation| (count(relation), relation));
    let counts: Vec<String> = counts
        .filter(|(count, _)| *count > 0)
        .map(|(count, relation)| format!("{count} {relation}{}", if count == 1 { "" } else { "s" }))
        .collect();
    let engaged = if counts.is_empty() { "no relations".into() } else { counts.join(", ") };
    let basis = opinion.basis.as_ref().map(|basis| format!(" {basis}")).unwrap_or_default();
    let told = replace_unprintable(&format!("{}{basis}", opinion.describe_favour()));
    format!("Map of {} with {engaged}. {told}", count_noun(graph.statements.len(), "statement", "statements"))
}

/// The class of what is drawn in the colour of a side, or in that of none.
pub(crate) fn side_class(side: Option<usize>) -> String {
    side.map_or("side-none".into(), |side| format!("side-{}", side % SIDES))
}

pub(crate) fn format_px(value: f64) -> String {
    format!("{value:.1}")
}

/// `text` as a drawing shows it.
pub(crate) fn replace_unprintable(text: &str) -> String {
    text.replace(is_unprintable, "\u{fffd}")
}

/// What lines and boxes mean: the relations and standings that occur.
pub fn render_legend(graph: &Graph, opinion: &Opinion) -> Markup {
    let stands = if graph.has_sides() { "stands: every attack on it is answered" } else { "stands" };
    let standings =
        [(StatementLabel::Stands, stands), (StatementLabel::Falls, "falls"), (StatementLabel::Open, "left open")];
    let standings = standings.into_iter().filter(|(wanted, _)| opinion.standing.contains(wanted));
    html! {
        ul .map-legend {
            @for (relation, extracted) in list_line_kinds(graph) {
                li {
                    svg width="34" height="10" viewBox="0 0 34 10" aria-hidden="true" {
                        path .(line_classes("edge", relation, extracted)) d="M1 5 H26" stroke-width="1.6" {}
                        path .(line_classes("head", relation, extracted)) d="M26 1.6 L33 5 L26 8.4 Z" {}
                    }
                    (relation.verb())
                    @if let Some(label) = graph.extraction_label(extracted) { ", " (replace_unprintable(&label)) }
                }
            }
            @for (standing, words) in standings {
                li {
                    svg width="22" height="12" viewBox="0 0 22 12" aria-hidden="true" {
                        g .(format!("statement side-none {standing}")) { rect x="1" y="1" width="20" height="10" rx="2" {} }
                    }
                    (words)
                }
            }
        }
    }
}
