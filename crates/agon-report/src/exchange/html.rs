//! What decided an exchange, on its page: the clash in the judge's words, the attack that moved a score most, the best
//! argument of each side with its grounds and what was said against it, and every score.

use agon_core::Record;
use agon_protocols::exchange::{
    argument::Side,
    judgment::Rescore,
    state::{ExchangeState, PlacedArgument},
};
use agon_text::count_noun;
use maud::{Markup, html};

use super::{basis, find_best_argument, public_state};
use crate::page::{
    part::{PagePart, render_mark, render_notes, render_quotation, render_words},
    prose::escape_invisible,
};
use crate::statement::format_score;

/// Width of a drawn score from -1 to +1.
const SCALE_WIDTH: f64 = 200.0;

/// The clash, the best arguments and the scores; each where there are some.
pub(super) fn build_page_parts(record: &Record) -> Vec<PagePart> {
    let state = public_state(record);
    let mut parts = Vec::new();
    let mut add = |id, title, about: &str, body| {
        parts.push(PagePart { id, title, about: about.to_owned(), body });
    };
    if let Some(clash) = basis::told_clash(record, &state) {
        let body = html! { div .case { p .big { (render_words(&clash.text)) } (render_notes(&clash)) } };
        add("clash", "The clash that decided", "The judge, of the exchange that gained the winner most", body);
    }
    if let Some(hit) = basis::hardest_hit(record, &state) {
        let side = state.find_argument(&hit.id).map(|held| side_class(held.side)).unwrap_or_default();
        let body = html! {
            div .case .(side) {
                h3 { a href=(format!("#{}", hit.id)) { (escape_invisible(&hit.id)) } " attacks:" }
                p .big { (render_words(&hit.text)) }
                (render_notes(&hit))
            }
        };
        add("hit", "The attack that hit hardest", "It moved a score most", body);
    }
    let ranked = state.rank_arguments();
    let best = Side::BOTH.map(|side| find_best_argument(&state, side));
    if best.iter().any(Option::is_some) {
        let body = html! {
            div .pair { @for (held, score) in best.iter().flatten() { (render_argument(&state, held, *score)) } }
        };
        add("best", "The best of each side", "By score, at the end", body);
    }
    if !ranked.is_empty() {
        let about = count_noun(ranked.len(), "argument", "arguments");
        add("scores", "Scores", &about, render_scores(&state, &ranked));
    }
    parts
}

fn side_class(side: Side) -> &'static str {
    side.pick(["side-0", "side-1"])
}

/// An argument with its grounds and the attacks on it.
fn render_argument(state: &ExchangeState, held: &PlacedArgument, score: f64) -> Markup {
    let argument = held.argument();
    let against = state.arguments.iter().flat_map(|other| {
        let attacks = other.argument().attacks.iter().filter(|attack| attack.target_id == held.id);
        attacks.map(move |attack| (other, attack))
    });
    html! {
        div .case .(side_class(held.side)) {
            h3 { (held.side.name()) ": " (render_words(&argument.title)) }
            p .big { (render_words(&argument.claim)) }
            @for ground in &argument.grounds {
                blockquote { (render_quotation(&ground.content)) @if !ground.is_own_reasoning() { " " small dir="auto" lang="" { (escape_invisible(&ground.source)) } } }
            }
            p { span .label { "Because" } " " (render_words(&argument.warrant)) }
            @if let Some(qualifier) = &argument.qualifier { p { span .label { "Holds" } " " (render_words(qualifier)) } }
            @for (other, attack) in against { p { span .label { "Against it, " (id_link(&other.id)) } " " (render_words(&attack.content)) } }
            small { (id_link(&held.id)) ", " (format_score(score)) }
        }
    }
}

fn id_link(id: &str) -> Markup {
    html! { a href=(format!("#{id}")) { (escape_invisible(id)) } }
}

/// Every argument with its score, the highest first, and the last correction of it.
fn render_scores(state: &ExchangeState, ranked: &[(&PlacedArgument, f64)]) -> Markup {
    let corrected = |id: &str| -> Option<&Rescore> {
        let mut last_first = state.judgments.iter().rev().flat_map(|scored| scored.rescores.iter().rev());
        last_first.find(|rescore| rescore.argument_id == id)
    };
    html! {
        table .stack role="table" {
            caption { "The judge's scores after the last exchange. A ring is the score before it was corrected." }
            thead role="rowgroup" { tr role="row" {
                th scope="col" role="columnheader" { "Argument" }
                th scope="col" role="columnheader" { span .unseen { "Drawn" } }
                th scope="col" role="columnheader" { "Score" }
                th scope="col" role="columnheader" { "Last correction" }
            } }
            tbody role="rowgroup" {
                @for (held, score) in ranked.iter().copied() {
                    @let change = corrected(&held.id);
                    tr role="row" .(side_class(held.side)) {
                        th .point scope="row" role="rowheader" { b .dot {} (id_link(&held.id)) " " (render_words(&held.argument().title)) }
                        td role="cell" { (render_score_bar(score, change.map(|change| change.old_score))) }
                        td .num role="cell" data-l="Score" {
                            @if let Some(change) = change { (format_score(change.old_score)) " → " }
                            b { (format_score(score)) }
                        }
                        td role="cell" {
                            @if let Some(change) = change { (render_mark(if change.new_score < change.old_score { "bad" } else { "good" }, if change.new_score < change.old_score { "fell" } else { "rose" })) (render_words(&change.reasoning)) }
                        }
                    }
                }
            }
        }
    }
}

/// A score as a bar from the middle, with a ring where it was before.
fn render_score_bar(score: f64, before: Option<f64>) -> Markup {
    let middle = SCALE_WIDTH / 2.0;
    let x = |score: f64| middle + score.clamp(-1.0, 1.0) * middle;
    let (from, to) = if score < 0.0 { (x(score), middle) } else { (middle, x(score)) };
    let px = |value: f64| format!("{value:.1}");
    html! {
        svg .rope viewBox=(format!("0 0 {SCALE_WIDTH} 16")) aria-hidden="true" {
            rect .bar x=(px(from)) y="4.5" width=(px(to - from)) height="7" {}
            line .axis x1=(middle) x2=(middle) y1="0" y2="16" {}
            @if let Some(before) = before {
                line .way x1=(px(x(before))) x2=(px(x(score))) y1="8" y2="8" {}
                circle .was cx=(px(x(before))) cy="8" r="3.2" {}
            }
        }
    }
}
