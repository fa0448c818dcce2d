//! A statement as HTML: the parts that [`crate::statement`] takes it apart into.

use std::collections::BTreeMap;

use agon_core::{Key, Plain};
use maud::{Markup, html};

use super::prose::{escape_invisible, render_document, render_labelled_prose, render_literal, render_prose};
use crate::{
    statement::{FormPart, ItemScore, StatementContent, StatementSource, Tag, format_score, parse_statement},
    views::Mark,
};

/// What a protocol's own reading adds to statements: the ids that arguments are known by and the scores that stand, by
/// the key of the statement, in its order.
pub type ArgumentLabels = BTreeMap<Key, Vec<Mark>>;

/// The statement `text`, whose arguments have `marks`; where it is prose, as a document if it `is_document`.
/// `plain` has the labels of its fields.
pub fn render_statement(
    text: &str,
    plain: Option<&Plain>,
    marks: &[Mark],
    all: &ArgumentLabels,
    is_document: bool,
) -> Markup {
    match parse_statement(text, plain) {
        StatementContent::Form(parts) => render_outermost(&parts, marks, all),
        StatementContent::Prose(text) if is_document => render_document(&text),
        StatementContent::Prose(text) => render_prose(&text),
    }
}

fn render_outermost(parts: &[FormPart], marks: &[Mark], all: &ArgumentLabels) -> Markup {
    let has_list = parts.iter().any(|part| matches!(part, FormPart::Things(label, _) if label.is_empty()));
    html! {
        @if has_list {
            @for part in parts {
                @match part {
                    FormPart::Things(label, things) if label.is_empty() => {
                        @for (at, thing) in things.iter().enumerate() {
                            div .item id=[marks.get(at).filter(|mark| !mark.is_elsewhere).map(|mark| &mark.id)] { (render_parts(thing, marks.get(at), all)) }
                        }
                    }
                    part => { (render_part(part, all)) }
                }
            }
        } @else { (render_parts(parts, marks.first(), all)) }
    }
}

/// The parts of one thing, with its mark in the heading.
fn render_parts(parts: &[FormPart], mark: Option<&Mark>, all: &ArgumentLabels) -> Markup {
    let heading = match parts.first() {
        Some(FormPart::Heading(text)) => Some(text),
        _ => None,
    };
    html! {
        @if heading.is_some() || mark.is_some() {
            h5 {
                @if let Some(heading) = heading { (escape_invisible(heading)) }
                @if let Some(mark) = mark {
                    @if mark.is_elsewhere { " " (render_id(&mark.id, all)) }
                    @else { " " span .mark { (mark.id) @if let Some(score) = mark.score { " " b { (format_score(score)) } } } }
                }
            }
        }
        @for part in parts.iter().skip(usize::from(heading.is_some())) { (render_part(part, all)) }
    }
}

fn render_part(part: &FormPart, all: &ArgumentLabels) -> Markup {
    match part {
        FormPart::Heading(text) => html! { h5 { (escape_invisible(text)) } },
        FormPart::Tags(tags) => html! { p .tags { @for tag in tags { (render_tag(tag, all)) " " } } },
        FormPart::Lead(text) => html! { div .lead { (render_prose(text)) } },
        FormPart::Field(label, text) => html! { div .part { (render_labelled_prose(label, text)) } },
        // An address is looked up as it stands.
        FormPart::Source(label, text) => html! {
            div .source { p { span .label { (escape_invisible(label)) } " " (escape_invisible(text)) } }
        },
        FormPart::Literal(label, texts) => html! {
            div .part { span .label { (escape_invisible(label)) } " " @for text in texts { (render_literal(text)) " " } }
        },
        FormPart::Document(label, text) => {
            html! { div .parts { p .label { (escape_invisible(label)) } (render_document(text)) } }
        }
        FormPart::Texts(label, texts) => html! {
            div .parts { p .label { (escape_invisible(label)) } ul { @for text in texts { li { (render_prose(text)) } } } }
        },
        FormPart::Things(label, things) => html! {
            div .parts {
                @if !label.is_empty() { p .label { (escape_invisible(label)) } }
                @for thing in things { div .item { (render_parts(thing, None, all)) } }
            }
        },
        FormPart::Scores(label, scores) => html! {
            @if !label.is_empty() { p .label { (escape_invisible(label)) } }
            @for score in scores { (render_score(score, all)) }
        },
        FormPart::Findings(label, findings) => html! {
            @if !label.is_empty() { p .label { (escape_invisible(label)) } }
            @for finding in findings { (render_finding(finding, all)) }
        },
        FormPart::Deep(json) => html! { pre { (escape_invisible(json)) } },
    }
}

/// A score with its reason: one row.
fn render_score(score: &ItemScore, all: &ArgumentLabels) -> Markup {
    html! {
        div .score {
            p .score-of {
                (render_id(&score.of, all)) " " b { (score.format_score()) }
                @if let Some(before) = score.before { " " small { "was " (format_score(before)) } }
            }
            (render_prose(&score.why))
        }
    }
}

/// What was found of a source: one row, and all that was looked at behind it.
fn render_finding(finding: &StatementSource, all: &ArgumentLabels) -> Markup {
    let wrong = finding.is_grave().then_some("grave");
    html! {
        div .score {
            p .score-of {
                @if let Some(seq) = finding.seq { span .mark { "seq " (seq) } " " }
                b class=[wrong] { (escape_invisible(&finding.status)) }
            }
            div {
                div .source { p { (escape_invisible(&finding.url)) } }
                (render_prose(&finding.explanation))
                @if !finding.rest.is_empty() {
                    details { summary { "Details of the check" } (render_parts(&finding.rest, None, all)) }
                }
            }
        }
    }
}

fn render_tag(tag: &Tag, all: &ArgumentLabels) -> Markup {
    html! { @if tag.is_id { (render_id(&tag.text, all)) } @else { span .tag { (escape_invisible(&tag.text)) } } }
}

/// An id, with a way to what it names where that is on the page.
fn render_id(id: &str, all: &ArgumentLabels) -> Markup {
    html! {
        @if all.values().flatten().any(|mark| mark.id == id) { a .mark href=(format!("#{id}")) { (escape_invisible(id)) } }
        @else { span .mark { (escape_invisible(id)) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        render_statement(text, None, &[], &ArgumentLabels::default(), false).into_string()
    }

    #[test]
    fn a_form_is_read_field_by_field() {
        let html = shown(
            r#"{"arguments":[{"title":"T","claim":"C.","warrant":"W.","grounds":[{"source":"S","content":"G"}]}]}"#,
        );
        assert!(html.contains("<h5>T</h5>") && html.contains("<div class=\"lead\"><p>C.</p>"), "{html}");
        assert!(html.contains("<span class=\"label\">Warrant</span> W."), "{html}");
        let scores = shown(r#"{"scores":[{"argument_id":"prop_000a","reasoning":"R","score":-0.5}]}"#);
        assert!(scores.contains("-0.50"), "{scores}");
    }

    #[test]
    fn what_was_found_of_a_source_is_one_row_and_the_rest_behind_it() {
        let html = shown(
            r#"{"findings":[{"seq":2,"url":"http://a.org/","status":"fabricated","explanation":"no such page","code":"never-seen"}],"seqs":[11,12]}"#,
        );
        let row = "<span class=\"mark\">seq 2</span> <b class=\"grave\">fabricated</b>";
        assert!(html.contains(row) && html.contains("<p>no such page</p>"), "{html}");
        let (before, behind) = html.split_once("<details>").unwrap();
        assert!(!before.contains("never-seen") && behind.contains("never-seen"), "{html}");
        assert!(html.contains("<span class=\"label\">Seqs</span> 11, 12"), "{html}");
    }

    #[test]
    fn a_heading_is_one_in_a_document_and_words_in_speech() {
        let written = "# Rules";
        let as_document = |is| render_statement(written, None, &[], &ArgumentLabels::default(), is).into_string();
        assert_eq!(as_document(true), "<p class=\"heading\">Rules</p>");
        assert_eq!(as_document(false).trim(), "<p># Rules</p>");
        assert!(shown(r##"{"document":"# Rules","claim":"# Moderator"}"##).contains("<p># Moderator</p>"));
        assert!(shown(r##"{"document":"# Rules"}"##).contains("<p class=\"heading\">Rules</p>"));
    }

    #[test]
    fn what_is_compared_letter_by_letter_is_shown_as_it_stands() {
        let written = [
            "def __init__(self): self.__dict__ = x_y_z",
            r#"["'']?[ \t]*[,;]?[ \t]*\r?$'"#,
            "src/**/*.rs",
            "a * b * c",
            "`x` and ``y``",
            "<b>bold</b> &amp; <script>",
            "~~gone~~ # not a heading",
            "    if x:\n        *p = 1;",
        ];
        let escaped = |text: &str| html! { (text) }.into_string();
        for text in written {
            for form in [
                serde_json::json!({"findings": [{"place": text, "quote": text, "claim": "C."}]}),
                serde_json::json!({"claims": [{"panelist": "Ada", "quote": text}]}),
                serde_json::json!({"turns": [{"quotes": [text, "b c"], "why": "W."}]}),
                serde_json::json!({"support": [{"kind": "source", "text": text}]}),
                serde_json::json!({"grounds": [{"source": text, "content": "C."}]}),
                serde_json::json!({"findings": [{"url": text, "status": "verified", "explanation": "E."}]}),
            ] {
                let html = shown(&form.to_string());
                let stands =
                    html.contains(&format!(">{}<", escaped(text))) || html.contains(&format!(" {}<", escaped(text)));
                assert!(stands, "{text}: {html}");
            }
        }
        assert!(shown(r#"{"quote": "a\nb", "claim": "C."}"#).contains("<pre class=\"literal\">a\nb</pre>"));
    }

    #[test]
    fn names_of_fields_are_text_too() {
        let html = shown(r#"{"<script>x</script>":"y","a":{"<img>":[{"<b>":"z"}]}}"#);
        assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("<b>z"), "{html}");
    }

    #[test]
    fn depth_has_an_end() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(90), "}".repeat(90));
        assert!(shown(&deep).contains("<pre>"));
    }
}
