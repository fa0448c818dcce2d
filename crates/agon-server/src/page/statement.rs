//! A statement as a reader takes it in: prose as prose, JSON as a heading, a lead and labelled
//! parts, whatever the protocol.

use agon_core::parse;
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::{
    marks::{Mark, Marks},
    prose::{document, labelled, prose, visible},
    speech::title,
};

/// Fields that are the heading of an object.
const HEADINGS: [&str; 3] = ["title", "heading", "name"];
/// Fields that say the main thing, without a label.
const LEADS: [&str; 9] =
    ["claim", "content", "statement", "text", "answer", "question", "summary", "verdict", "reasoning"];
/// Fields that tell where something comes from.
const SOURCES: [&str; 2] = ["source", "url"];
/// Fields that say nothing to a reader who knows whose words they are.
const SILENT: [&str; 2] = ["position", "stance"];
/// The field that holds a text of its own.
const DOCUMENT: &str = "document";
/// How deep a statement is read; what is deeper is shown as JSON.
const DEPTH_MAX: usize = 5;

/// The statement `text`, whose arguments have `marks`; where it is prose, as a document if it `is_document`.
pub fn statement(text: &str, marks: &[Mark], all: &Marks, is_document: bool) -> Markup {
    // Prose that quotes JSON is prose.
    let whole = text.trim();
    let is_whole = (whole.starts_with('{') || whole.starts_with("```")) && whole.ends_with(['}', '`']);
    match parse::json(text) {
        Ok(Value::Object(fields)) if is_whole => Reader { all }.top(&fields, marks),
        _ if is_document => document(text),
        _ => prose(text),
    }
}

struct Reader<'m> {
    all: &'m Marks,
}

impl Reader<'_> {
    /// The outermost object: its only list needs no label.
    fn top(&self, fields: &Map<String, Value>, marks: &[Mark]) -> Markup {
        let lists = fields.values().filter(|value| is_objects(value)).count();
        html! {
            @if lists == 1 {
                @let rest: Map<String, Value> = fields.iter().filter(|(_, value)| !is_objects(value)).map(|(name, value)| (name.clone(), value.clone())).collect();
                (self.object(&rest, None, 0))
                @for value in fields.values().filter(|value| is_objects(value)) { (self.objects(value, marks, 0)) }
            } @else {
                (self.object(fields, marks.first(), 0))
            }
        }
    }

    fn objects(&self, list: &Value, marks: &[Mark], depth: usize) -> Markup {
        let items: Vec<&Map<String, Value>> =
            list.as_array().into_iter().flatten().filter_map(Value::as_object).collect();
        html! {
            @for (at, item) in items.iter().enumerate() {
                @if is_score(item) { (self.score(item)) }
                @else if is_finding(item) { (self.finding(item, depth)) }
                @else { div .item id=[marks.get(at).map(|mark| &mark.id)] { (self.object(item, marks.get(at), depth + 1)) } }
            }
        }
    }

    fn object(&self, fields: &Map<String, Value>, mark: Option<&Mark>, depth: usize) -> Markup {
        let text =
            |name: &str| fields.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let heading = HEADINGS.into_iter().find(|name| text(name).is_some());
        let lead = LEADS.into_iter().find(|name| text(name).is_some());
        let rest = fields.iter().filter(|(name, _)| {
            let name = name.as_str();
            Some(name) != heading && Some(name) != lead && !SILENT.contains(&name)
        });
        let (tags, parts): (Vec<_>, Vec<_>) = rest.partition(|(name, value)| is_tag(name, value));
        html! {
            @if heading.is_some() || mark.is_some() {
                h4 {
                    @if let Some(heading) = heading { (visible(text(heading).unwrap_or_default())) }
                    @if let Some(mark) = mark { " " span .mark { (mark.id) @if let Some(score) = mark.score { " " b { (signed(score)) } } } }
                }
            }
            @if !tags.is_empty() { p .tags { @for (name, value) in tags { (self.tag(name, value)) " " } } }
            @if let Some(lead) = lead { div .lead { (prose(text(lead).unwrap_or_default())) } }
            @for (name, value) in parts { (self.part(name, value, depth)) }
        }
    }

    fn part(&self, name: &str, value: &Value, depth: usize) -> Markup {
        let label = title(name);
        match value {
            Value::Null => html! {},
            Value::String(text) if text.trim().is_empty() => html! {},
            Value::String(text) if SOURCES.contains(&name) => {
                html! { div .source { (labelled(&label, text)) } }
            }
            Value::String(text) if name == DOCUMENT => html! {
                div .parts { p .label { (visible(&label)) } (document(text)) }
            },
            Value::String(text) => html! { div .part { (labelled(&label, text)) } },
            Value::Bool(yes) => html! { div .part { (labelled(&label, if *yes { "yes" } else { "no" })) } },
            Value::Number(number) => html! { div .part { (labelled(&label, &number.to_string())) } },
            Value::Array(items) if items.is_empty() => html! {},
            _ if depth >= DEPTH_MAX => html! { pre { (visible(&value.to_string())) } },
            Value::Array(_) if is_objects(value) => html! {
                div .parts { p .label { (visible(&label)) } (self.objects(value, &[], depth)) }
            },
            Value::Array(items) if items.iter().all(is_short) => {
                let text = |item: &Value| item.as_str().map_or_else(|| item.to_string(), str::to_owned);
                let items: Vec<String> = items.iter().map(text).collect();
                html! { div .part { (labelled(&label, &items.join(", "))) } }
            }
            Value::Array(items) => html! {
                div .parts {
                    p .label { (visible(&label)) }
                    ul { @for item in items { li { (plain(item)) } } }
                }
            },
            Value::Object(fields) => html! {
                div .parts { p .label { (visible(&label)) } div .item { (self.object(fields, None, depth + 1)) } }
            },
        }
    }

    /// A score with its reason: one row.
    fn score(&self, fields: &Map<String, Value>) -> Markup {
        let text = |names: [&str; 3]| names.into_iter().find_map(|name| fields.get(name)?.as_str());
        let score = ["score", "new_score", "points"].into_iter().find_map(|name| fields.get(name)?.as_f64());
        html! {
            div .score {
                p .score-of {
                    (self.id(text(["argument_id", "id", "name"]).unwrap_or_default())) " "
                    b { (signed(score.unwrap_or_default())) }
                    @if let Some(old) = fields.get("old_score").and_then(Value::as_f64) { " " small { "was " (signed(old)) } }
                }
                (prose(text(["reasoning", "reason", "why"]).unwrap_or_default()))
            }
        }
    }

    /// What was found of a source: one row, and all that was looked at behind it.
    fn finding(&self, fields: &Map<String, Value>, depth: usize) -> Markup {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        let status = text("status");
        let wrong = ["fabricated", "unreliable"].contains(&status).then_some("grave");
        let shown = ["url", "status", "explanation", "seq", "at"];
        let rest = fields.iter().filter(|(name, _)| !shown.contains(&name.as_str()));
        let rest: Map<String, Value> = rest.map(|(name, value)| (name.clone(), value.clone())).collect();
        html! {
            div .score {
                p .score-of {
                    @if let Some(seq) = fields.get("seq").and_then(Value::as_u64) { span .mark { "seq " (seq) } " " }
                    b class=[wrong] { (visible(status)) }
                }
                div {
                    div .source { (prose(text("url"))) }
                    (prose(text("explanation")))
                    @if !rest.is_empty() {
                        details { summary { "What was looked up" } (self.object(&rest, None, depth + 1)) }
                    }
                }
            }
        }
    }

    fn tag(&self, name: &str, value: &Value) -> Markup {
        let text = value.as_str().unwrap_or_default();
        html! { @if is_id(name) { (self.id(text)) } @else { span .tag { (visible(&text.replace('_', " "))) } } }
    }

    /// An id, with a way to what it names where that is on the page.
    fn id(&self, id: &str) -> Markup {
        html! {
            @if self.all.knows(id) { a .mark href=(format!("#{id}")) { (visible(id)) } }
            @else { span .mark { (visible(id)) } }
        }
    }
}

fn plain(value: &Value) -> Markup {
    match value {
        Value::String(text) => prose(text),
        other => html! { (visible(&other.to_string())) },
    }
}

fn is_objects(value: &Value) -> bool {
    value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(Value::is_object))
}

/// Whether an object gives something a score, and little else.
fn is_score(fields: &Map<String, Value>) -> bool {
    let scored = ["score", "new_score", "points"]
        .into_iter()
        .any(|name| fields.get(name).is_some_and(Value::is_number));
    let names =
        ["argument_id", "id", "name"].into_iter().any(|name| fields.get(name).is_some_and(Value::is_string));
    scored && names && fields.values().all(|value| !value.is_array() && !value.is_object())
}

/// Whether an object says what was found of a source.
fn is_finding(fields: &Map<String, Value>) -> bool {
    ["url", "status", "explanation"].into_iter().all(|name| fields.get(name).is_some_and(Value::is_string))
}

/// Whether a value is a number or a word, of which several go on one line.
fn is_short(value: &Value) -> bool {
    value.is_number()
        || value
            .as_str()
            .is_some_and(|text| !text.is_empty() && text.len() <= 40 && !text.contains([' ', '\n']))
}

fn is_id(name: &str) -> bool {
    name == "id" || name.ends_with("_id")
}

/// Words of a fixed vocabulary, such as the kind of an attack.
fn is_tag(name: &str, value: &Value) -> bool {
    let Some(text) = value.as_str() else { return false };
    let word = text.len() <= 40
        && !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    word && (is_id(name) || name.ends_with("_type") || name == "kind" || name == "type")
}

/// A figure as a score is written.
pub fn signed(value: f64) -> String {
    let text = format!("{value:+.2}");
    let zero = text.trim_start_matches(['+', '-']).chars().all(|c| c == '0' || c == '.');
    if zero { "0".into() } else { text.replace('-', "\u{2212}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        statement(text, &[], &Marks::default(), false).into_string()
    }

    #[test]
    fn json_is_read_field_by_field() {
        let html = shown(
            r#"{"arguments":[{"title":"T","claim":"C.","warrant":"W.","grounds":[{"source":"S","content":"G"}]}]}"#,
        );
        assert!(html.contains("<h4>T</h4>") && html.contains("<div class=\"lead\"><p>C.</p>"), "{html}");
        assert!(html.contains("<span class=\"label\">Warrant</span> W."), "{html}");
        let scores = shown(r#"{"scores":[{"argument_id":"prop_000a","reasoning":"R","score":-0.5}]}"#);
        assert!(scores.contains("\u{2212}0.50"), "{scores}");
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
        let as_document = |is| statement(written, &[], &Marks::default(), is).into_string();
        assert_eq!(as_document(true), "<p class=\"heading\">Rules</p>");
        assert_eq!(as_document(false).trim(), "<p># Rules</p>");
        assert!(shown(r##"{"document":"# Rules","claim":"# Moderator"}"##).contains("<p># Moderator</p>"));
        assert!(shown(r##"{"document":"# Rules"}"##).contains("<p class=\"heading\">Rules</p>"));
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
