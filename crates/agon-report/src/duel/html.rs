//! The flaws of a duel on its page: what happens, the repair, and what each participant makes of it.

use agon_core::{Record, View};
use agon_protocols::{
    common::lineup::Member,
    duel::{state::History, turn::ReplyStance},
};
use agon_text::count_noun;
use maud::{Markup, html};

use super::basis::{Flaw, NO_ANSWER, RAISED, list_flaws};
use crate::{
    graph::{answer_seq, map::side_class},
    page::{
        part::{PagePart, entry_link, render_mark, render_words},
        prose::escape_invisible,
    },
};

/// The table of flaws; nothing where no turn names one.
pub(super) fn build_page_parts(record: &Record) -> Vec<PagePart> {
    let history = History::from_view(&View::of_whole_record(record));
    let flaws = list_flaws(record, &history);
    if flaws.is_empty() {
        return Vec::new();
    }
    let body = html! {
        table .stack role="table" {
            thead role="rowgroup" {
                tr role="row" {
                    th scope="col" role="columnheader" { span .unseen { "Number" } }
                    th scope="col" role="columnheader" { "What happens" }
                    th scope="col" role="columnheader" { "Repair" }
                    @for (at, member) in history.members.iter().enumerate() { th .(side_class(Some(at))) scope="col" role="columnheader" { (escape_invisible(&member.name)) } }
                }
            }
            tbody role="rowgroup" {
                @for (number, flaw) in (1..).zip(&flaws) {
                    tr role="row" #(format!("flaw-{number}")) {
                        th scope="row" role="rowheader" { (number) }
                        td .point role="cell" { (what_happens(flaw)) }
                        @if flaw.said.repair.is_empty() { td .quiet role="cell" data-l="Repair" { "nobody named one" } }
                        @else { td .point role="cell" data-l="Repair" { (render_words(&flaw.said.repair)) } }
                        @for (at, member) in history.members.iter().enumerate() {
                            td .(side_class(Some(at))) role="cell" data-l=(escape_invisible(&member.name)) { (render_stance(record, flaw, member)) }
                        }
                    }
                }
            }
        }
    };
    let open = flaws.iter().filter(|flaw| flaw.is_asked && flaw.reply.is_none()).count();
    let about = match open {
        0 => count_noun(flaws.len(), "flaw", "flaws"),
        open => format!("{}, {open} without an answer", count_noun(flaws.len(), "flaw", "flaws")),
    };
    vec![PagePart { id: "flaws", title: "Flaws and repairs", about, body }]
}

/// The place, the claim, and what it rests on, as it was written.
fn what_happens(flaw: &Flaw<'_>) -> Markup {
    html! {
        @if !flaw.place.is_empty() { small dir="auto" lang="" { (escape_invisible(flaw.place)) } }
        (render_words(&flaw.said.claim))
        @if !flaw.said.support.is_empty() {
            details { summary { "What it rests on" } ul { @for text in &flaw.said.support { li { (render_words(text)) } } } }
        }
    }
}

/// What a participant says of a flaw, and in which turn.
fn render_stance(record: &Record, flaw: &Flaw<'_>, member: &Member) -> Markup {
    let turn = |number: u32, seq: u64| html! { "turn " (number) " " (entry_link(seq)) };
    if flaw.turn.accepted.seat == member.seat {
        return html! { (render_mark("raised", RAISED)) (turn(flaw.turn.accepted.turn, flaw.seq)) };
    }
    match flaw.reply.filter(|(by, _)| by.accepted.seat == member.seat) {
        Some((by, reply)) => {
            let (class, word) = match reply.stance {
                ReplyStance::Granted => ("granted", "granted"),
                ReplyStance::Narrowed => ("moved", "narrowed"),
                ReplyStance::Rejected => ("against", "rejected"),
            };
            html! {
                (render_mark(class, word)) (turn(by.accepted.turn, answer_seq(record, &by.accepted.key)))
                @if !reply.why.is_empty() { ": " (render_words(&reply.why)) }
            }
        }
        None if flaw.is_asked => render_mark("silent", NO_ANSWER),
        None => render_mark("silent", "not asked"),
    }
}
