//! The points of a panel on its page: who holds what, in four groups, and both cases of what is left open.

use agon_core::{Record, View};
use agon_protocols::panel::{
    state::{Panel, Panelist},
    synthesis::{PanelFinding, QuotedStance},
};
use agon_text::count_noun;
use maud::{Markup, html};

use super::basis::{GROUPS, SETTLED, UNSETTLED, find_standing_synthesis, group_of, turn_of};
use crate::{
    first_page::{AnswerBasis, BasisPoint},
    graph::{answer_seq, map::side_class},
    page::{
        part::{PagePart, entry_link, render_mark, render_notes, render_quotation, render_words},
        prose::escape_invisible,
    },
};

/// The matrix and what is open; nothing without a synthesis, where the disagreements stand as a list.
pub(super) fn build_page_parts(record: &Record, basis: &AnswerBasis) -> Vec<PagePart> {
    let panel = Panel::from_view(&View::of_whole_record(record));
    let Some((_, written)) = find_standing_synthesis(record, &panel) else { return Vec::new() };
    let all = &written.findings;
    let matrix = html! {
        table .stack .matrix role="table" {
            thead role="rowgroup" {
                tr role="row" {
                    th scope="col" role="columnheader" { "Point" }
                    @for (at, one) in panel.panelists.iter().enumerate() { th .(side_class(Some(at))) scope="col" role="columnheader" { (escape_invisible(&one.name)) } }
                }
            }
            @for group in GROUPS {
                @let own: Vec<&PanelFinding> = all.iter().filter(|finding| group_of(finding) == group).collect();
                @if !own.is_empty() {
                    tbody .set role="rowgroup" {
                        tr role="row" { th scope="rowgroup" role="rowheader" colspan=(panel.panelists.len() + 1) { (group) " " span .quiet { (own.len()) } } }
                        @for finding in own { (render_matrix_row(record, &panel, finding)) }
                    }
                }
            }
        }
    };
    let about = count_noun(all.len(), "point", "points");
    let mut parts = vec![PagePart { id: "points", title: "Who holds what", about, body: matrix }];
    let disagreements = [("settled", "Settled", SETTLED), ("left", "Left open", UNSETTLED)];
    parts.extend(disagreements.into_iter().filter_map(|(id, title, state)| {
        let points: Vec<&BasisPoint> = basis.points.iter().filter(|point| point.state == state).collect();
        let body = html! {
            @for point in &points {
                h3 { (escape_invisible(&point.id)) " " (render_words(&point.text)) " " (entry_link(point.seq)) }
                (render_notes(point))
            }
        };
        let about = count_noun(points.len(), "disagreement", "disagreements");
        (!points.is_empty()).then_some(PagePart { id, title, about, body })
    }));
    parts
}

fn render_matrix_row(record: &Record, panel: &Panel, finding: &PanelFinding) -> Markup {
    html! {
        tr role="row" {
            th .point scope="row" role="rowheader" {
                (render_words(&finding.finding))
                @if !finding.evidence.is_empty() { small { "Rests on: " (render_words(&finding.evidence)) } }
            }
            @for (at, panelist) in panel.panelists.iter().enumerate() {
                @match stance_of(finding, panelist) {
                    Some((word, stance)) => td .(side_class(Some(at))) role="cell" data-l=(escape_invisible(&panelist.name)) { (render_mark(word, word)) (render_stance_words(record, panel, stance)) },
                    None => td .void role="cell" { "–" },
                }
            }
        }
    }
}

/// What a panelist makes of a finding.
fn stance_of<'f>(finding: &'f PanelFinding, panelist: &Panelist) -> Option<(&'static str, &'f QuotedStance)> {
    let of = |all: &'f [QuotedStance]| all.iter().find(|stance| stance.name == panelist.name);
    let agreed = of(&finding.agreed).map(|stance| ("holds", stance));
    agreed.or_else(|| of(&finding.objected).map(|stance| ("against", stance)))
}

/// When it was said, and in which words.
fn render_stance_words(record: &Record, panel: &Panel, stance: &QuotedStance) -> Markup {
    let turn = turn_of(panel, stance);
    html! {
        @if let Some(turn) = turn {
            @if turn.round == 0 { "opening" } @else { "round " (turn.round) }
            " " (entry_link(answer_seq(record, &turn.key))) ": " (render_quotation(&stance.quote))
        }
    }
}
