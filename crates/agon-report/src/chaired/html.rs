//! What a chaired debate shows on its page: the chair's reasons with the words that they rest on, and the public record
//! with the marks of its sources and what was ruled.

use agon_core::Record;
use agon_protocols::{
    chaired::{
        conduct,
        log::{Logged, Type},
        outcome::ChairReason,
        turn_rules::CONJECTURE,
    },
    common::verification::SourceStatus,
};
use agon_text::count_noun;
use maud::{Markup, html};

use super::{DebateView, basis, find_entry_ruling};
use crate::{
    graph::map,
    page::{
        part::{PagePart, render_mark, render_points, render_quotation, render_table_head, render_words},
        prose::escape_invisible,
    },
};

/// Reasons, rulings and the public record; each where there are some.
pub(super) fn build_page_parts(record: &Record) -> Vec<PagePart> {
    let debate = DebateView::from_record(record);
    let mut parts = Vec::new();
    let reasons = debate.list_reasons();
    if !reasons.is_empty() {
        let about = count_noun(reasons.len(), "reason", "reasons");
        let body = reason_table(&debate, &reasons);
        parts.push(PagePart { id: "reasons", title: "The chair's reasons", about, body });
    }
    let ruled = basis::list_ruling_points(&debate);
    if !ruled.is_empty() {
        let (id, title, about) = ("ruled", "Rulings on conduct", String::new());
        parts.push(PagePart { id, title, about, body: render_points(&ruled) });
    }
    let entries: Vec<&Logged> = debate.log.0.iter().filter(|logged| is_public(logged)).collect();
    if !entries.is_empty() {
        let about = count_noun(entries.len(), "entry", "entries");
        let body = render_docket(&debate, &entries);
        parts.push(PagePart { id: "public", title: "Public record", about, body });
    }
    parts
}

/// Whether an entry is an argument or a question, and not an announcement of the chair or a result of the program.
fn is_public(logged: &Logged) -> bool {
    logged.item.kind.is_argument()
        || matches!(logged.item.kind, Type::AudienceQuestion | Type::ClarificationRequest | Type::SourceChallenge)
}

/// The colour of who speaks.
fn side_class(debate: &DebateView<'_>, speaker: &str) -> String {
    map::side_class(debate.debaters.0.iter().position(|debater| debater.name == speaker))
}

/// The number of an entry of the log, as the way to it.
fn seq_link(debate: &DebateView<'_>, seq: u64) -> Markup {
    match find_entry_ruling(debate.record, seq) {
        Some(at) => html! { a href=(format!("#entry-{at}")) { "seq " (seq) } },
        None => html! { "seq " (seq) },
    }
}

fn reason_table(debate: &DebateView<'_>, reasons: &[ChairReason]) -> Markup {
    html! {
        table .stack .reasons role="table" {
            (render_table_head(&["For", "The chair says", "It rests on"]))
            tbody role="rowgroup" {
                @for reason in reasons {
                    tr role="row" {
                        td .(side_class(debate, &reason.debater)) role="cell" data-l="For" { b .dot {} (escape_invisible(debate.debaters.title_of(&reason.debater))) }
                        td .point role="cell" data-l="Reason" { (render_words(&reason.text)) }
                        td .point role="cell" data-l="Rests on" {
                            @for logged in reason.entries.iter().filter_map(|seq| debate.log.entry_at(*seq)) {
                                p { (render_quotation(&logged.gist())) " " small { (seq_link(debate, logged.item.seq)) } (render_marks(debate, logged)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn render_docket(debate: &DebateView<'_>, entries: &[&Logged]) -> Markup {
    html! {
        table .stack .docket role="table" {
            (render_table_head(&["Entry", "Speaker", "Says", "Sources", "What became of it"]))
            @for phase in entries.chunk_by(|a, b| a.item.phase == b.item.phase) {
                tbody .set role="rowgroup" {
                    tr role="row" { th scope="rowgroup" role="rowheader" colspan="5" { (agon_text::humanize_name(phase[0].item.phase.name())) } }
                    @for logged in phase { (render_row(debate, logged)) }
                }
            }
        }
    }
}

fn render_row(debate: &DebateView<'_>, logged: &Logged) -> Markup {
    let seq = logged.item.seq;
    let answers = debate.log.0.iter().filter(|other| other.item.rebuttal_to_seq == Some(seq));
    let answers: Vec<u64> = answers.map(|other| other.item.seq).collect();
    let mut ruled = conduct::standing_rulings(&debate.log);
    ruled.retain(|(_, conduct)| conduct.of == seq);
    html! {
        tr role="row" {
            th .num scope="row" role="rowheader" { (seq_link(debate, seq)) }
            td .num .(side_class(debate, &logged.item.speaker)) role="cell" { b .dot {} (escape_invisible(debate.debaters.title_of(&logged.item.speaker))) }
            td .point role="cell" { @if logged.struck.is_some() { span .quiet { (escape_invisible(&logged.visible_content())) } } @else { (render_words(&logged.gist())) } }
            td role="cell" { (render_marks(debate, logged)) }
            td role="cell" {
                @for (by, conduct) in &ruled { span .m .bad { (conduct.verdict.describe_verdict()) } (seq_link(debate, by.item.seq)) " " }
                @if !answers.is_empty() { "Answered in " @for (at, seq) in answers.iter().enumerate() { @if at > 0 { ", " } (seq_link(debate, *seq)) } }
            }
        }
    }
}

/// What is known of the sources of an entry, and whether it is a conjecture.
fn render_marks(debate: &DebateView<'_>, logged: &Logged) -> Markup {
    let seq = logged.item.seq;
    let found = debate.findings.iter().filter(|found| found.seq == seq && logged.struck.is_none());
    html! {
        @for found in found {
            @let class = match found.status {
                SourceStatus::Verified => "good",
                SourceStatus::Unreliable | SourceStatus::Fabricated => "bad",
                SourceStatus::Unverified | SourceStatus::Unchecked => "silent",
            };
            (render_mark(class, found.status.name()))
        }
        @if logged.visible_content().starts_with(CONJECTURE) { (render_mark("guess", "conjecture")) }
    }
}
