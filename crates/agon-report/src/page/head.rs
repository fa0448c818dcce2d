//! What a reader decides by: question, answer, how it ended, and what would change that.

use agon_core::{GateClass, Record, Seat, Standing};
use maud::{Markup, html};

use super::{
    course::Speaker,
    debate::add_full_stop,
    part::{PagePart, entry_link, render_points, render_sentence, render_sentences},
    prose::escape_invisible,
};
use crate::{
    first_page::{FirstPage, NOTHING_DECISIVE, NOTHING_OPEN, Sentence, StatedAnswer, TRUST_HINT},
    participation::list_troubles,
};

/// Longest question in the larger size, and longest first sentence of an answer that stands alone, in characters.
const QUESTION_CHARS_MAX: usize = 140;
const LEAD_CHARS_MAX: usize = 90;

/// The question, with the whole motion behind it where it is longer.
pub fn render_question(page: &FirstPage, motion: &str) -> Markup {
    let motion = motion.trim();
    let is_long = page.question.chars().count() > QUESTION_CHARS_MAX;
    html! {
        h1 .long[is_long] id="entry-0" dir="auto" lang="" { (escape_invisible(&page.question)) }
        @if agon_text::to_single_line(motion) != page.question {
            details .motion { summary { "The whole motion" } div dir="auto" lang="" { (render_paragraphs(motion)) } }
        }
    }
}

/// The answer, how the debate ended, how far to trust that, and what it cost.
pub fn render_result(record: &Record, page: &FirstPage) -> Markup {
    let one = match page.answers.as_slice() {
        [one] => Some(one),
        _ => None,
    };
    let is_over = record.closing_outcome().is_some();
    html! {
        @if is_over || !page.answers.is_empty() {
            section .part .answer #answer aria-labelledby="answer-title" {
                div .head { h2 #answer-title { "Answer" } @if let Some(one) = one { p { "By " (escape_invisible(&one.by)) " " (entry_link(one.seq)) } } }
                div .content {
                    @if page.answers.is_empty() { p .lead { "No answer is on record." } }
                    @for answer in &page.answers { (self::render_answer(answer, one.is_none())) }
                }
            }
        }
        dl .facts #outcome {
            div {
                dt { "How it ended" }
                dd { span .state .verdict .(outcome_class(record)) { (escape_invisible(&page.verdict)) } @if let Some(told) = &page.told { " " span dir="auto" { (escape_invisible(page.describe_reason(told))) } " " (entry_link(told.seq)) } }
                @for one in &page.positions { dd { (render_sentence(one)) } }
                @if !page.doubts.is_empty() {
                    dd .doubts { strong { "Read with care." } @for one in &page.doubts { " " (render_sentence(one)) } }
                }
                dd .trust { @for one in &page.trust { span { (render_sentence(one)) } " " } small { (TRUST_HINT) } }
            }
            @if let Some(cost) = &page.cost { div { dt { "What it cost" } dd { (escape_invisible(cost)) } } }
        }
    }
}

fn render_answer(answer: &StatedAnswer, is_named: bool) -> Markup {
    let StatedAnswer { by, answer, seq } = answer;
    let (lead, rest) = split_answer(&answer.action);
    html! {
        div {
            @if is_named { p .label { (escape_invisible(by)) " " (entry_link(*seq)) } }
            div dir="auto" lang="" {
                @if !lead.is_empty() { p .lead { (escape_invisible(lead)) } }
                @if !rest.is_empty() { p .rest { (escape_invisible(rest)) } }
            }
            @for (label, text) in [("Why", &answer.because), ("Changes if", &answer.unless)] {
                @if !text.is_empty() { p .unless { span .label { (label) } " " span dir="auto" lang="" { (escape_invisible(text)) } } }
            }
        }
    }
}

/// The first sentence of an answer, if it is short enough to stand alone, and the rest. A dot behind a number or a short
/// word with a capital may belong to it (`31. Januar`, `Dr. Ray`), so such a sentence takes the next one with it.
fn split_answer(action: &str) -> (&str, &str) {
    let ends = agon_text::split_sentences(action).into_iter().map(|one| one.range.end);
    let first =
        ends.into_iter().find(|end| *end == action.len() || !ends_in_abbreviation(&action[..*end])).unwrap_or(0);
    match action[..first].chars().count() {
        count if count <= LEAD_CHARS_MAX => (action[..first].trim(), action[first..].trim()),
        _ => ("", action.trim()),
    }
}

fn ends_in_abbreviation(text: &str) -> bool {
    let Some(before) = text.trim_end().strip_suffix('.') else { return false };
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    word.chars().all(char::is_numeric) || (word.starts_with(char::is_uppercase) && word.chars().count() <= 3)
}

/// Class of the state: what the outcome means for a pipeline, or whose it is.
fn outcome_class(record: &Record) -> String {
    let Some(outcome) = record.closing_outcome() else { return "open".to_owned() };
    if outcome.standing == Standing::Void {
        return "void".to_owned();
    }
    if let Some(seat) = outcome.winner.as_ref().and_then(|winner| Seat::new(winner.to_lowercase()).ok()) {
        return format!("ahead {}", Speaker::at_seat(record, &seat).css_class());
    }
    let manifest = agon_protocols::find_recorded_protocol(record).ok().map(|protocol| protocol.manifest());
    let class = manifest.and_then(|manifest| manifest.find_outcome(&outcome.name)).map(|spec| spec.gate);
    match class {
        Some(GateClass::Pass) => "agreed",
        Some(GateClass::Fail) => "blocked",
        Some(GateClass::Unclear) | None => "part-agreed",
    }
    .to_owned()
}

/// What the answer rests on in the form of its kind, what would change it, and what was not settled.
pub fn build_first_parts(record: &Record, page: &FirstPage) -> Vec<PagePart> {
    let mut all = crate::views_of(record).page_parts(record, &page.basis);
    if all.is_empty() && !page.basis.points.is_empty() {
        let body = render_points(&page.basis.points);
        all.push(PagePart { id: "basis", title: page.basis.title, about: String::new(), body });
    }
    let mut add = |id, title, told: &[Sentence], none: &str| {
        let body = html! { @if told.is_empty() { p { (none) } } @else { (render_sentences(told)) } };
        all.push(PagePart { id, title, about: String::new(), body });
    };
    if record.closing_outcome().is_some() {
        add("change", "What would change how it ended", &page.flips, NOTHING_DECISIVE);
    }
    add("open", "What was not settled", &page.open, NOTHING_OPEN);
    all
}

/// What did not work, one line each; without what the page tells as not settled.
pub fn list_untold_troubles(record: &Record, page: &FirstPage) -> Vec<String> {
    let is_over = record.closing_outcome().is_some();
    let is_told = |trouble: &String| is_over && page.open.iter().any(|told| told.text == add_full_stop(trouble));
    let mut troubles = list_troubles(record);
    troubles.retain(|trouble| !is_told(trouble));
    troubles
}

/// Where the parts of a page are; `more` are those behind the debate.
pub fn render_part_links(parts: &[PagePart], more: &[(&str, &str)]) -> Markup {
    html! {
        nav .ways aria-labelledby="ways-title" {
            h2 #ways-title { "On this page" }
            ul {
                @for part in parts { li { a href=(format!("#{}", part.id)) { (part.title) } } }
                li { a href="#debate" { "The debate" } }
                @for (id, title) in more { li { a href=(format!("#{id}")) { (title) } } }
            }
        }
    }
}

/// A text as its paragraphs.
pub fn render_paragraphs(text: &str) -> Markup {
    let whole = text.replace("\r\n", "\n");
    html! { @for part in whole.split("\n\n").map(str::trim).filter(|part| !part.is_empty()) { p { (escape_invisible(part)) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_sentence_ends_where_a_reader_ends_it() {
        for (action, lead) in [
            ("Ship it. Then measure.", "Ship it."),
            ("先做试点。然后再决定。", "先做试点。"),
            ("Bis zum 31. Januar bleibt die Fähre. Danach nicht.", "Bis zum 31. Januar bleibt die Fähre."),
            ("Ask Dr. Ray first. Then decide.", "Ask Dr. Ray first."),
            ("Wait until 2031.", "Wait until 2031."),
        ] {
            assert_eq!(split_answer(action).0, lead, "{action}");
        }
    }
}
