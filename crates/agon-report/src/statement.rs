//! A statement as a reader takes it in, whatever the protocol and wherever it is shown: prose as prose,
//! a form as a heading, a lead and labelled parts. Screen and page draw the same parts.

use agon_core::{Plain, form, parse, people::field_path};
use agon_text::format_signed;
use serde_json::{Map, Value};

/// The fields of an object of a form.
pub(crate) type Fields = Map<String, Value>;

/// Fields that are the heading of an object.
const HEADINGS: [&str; 7] = ["title", "headline", "heading", "topic", "name", "role", "finding"];
/// Fields that say the main thing, without a label.
const LEADS: [&str; 13] = [
    "claim",
    "content",
    "statement",
    "text",
    "answer",
    "question",
    "summary",
    "overview",
    "verdict",
    "opinion",
    "opening",
    "ruling",
    "position",
];
/// Fields that tell where something comes from.
const SOURCES: [&str; 2] = ["source", "url"];
/// Fields that a program compares letter by letter with another text, so that they are shown as they stand.
const LITERALS: [&str; 6] = ["quote", "quotes", "place", "places", "path", "excerpt"];
/// Kinds of support whose words are compared in the same way.
const LITERAL_KINDS: [&str; 4] = ["source", "turn", "url", "file"];
/// The field that holds a text of its own, and the path of the sections of one.
const DOCUMENT: &str = "document";
const SECTION: &str = "sections.text";
/// Stands in place of a statement without words.
pub(crate) const NO_TEXT: &str = "(no text)";
/// How deep a statement is read; what is deeper is shown as JSON.
const DEPTH_MAX: usize = 5;
/// A word or name, not a sentence: at most so many bytes.
const SHORT_BYTES: usize = 48;

/// The content of a statement, split into parts for readers.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementContent {
    /// Words of speech.
    Prose(String),
    /// A form, part by part.
    Form(Vec<FormPart>),
}

/// One part of a statement, by how it is shown: a heading, a text, a list, a score.
#[derive(Debug, Clone, PartialEq)]
pub enum FormPart {
    /// What it is called.
    Heading(String),
    /// Words of a fixed vocabulary, and ids.
    Tags(Vec<Tag>),
    /// The main thing.
    Lead(String),
    /// A text with its label.
    Field(String, String),
    /// Where something comes from, with its label: shown as it stands.
    Source(String, String),
    /// Words that are compared with another text, with their label: shown as they stand.
    Literal(String, Vec<String>),
    /// A document, with its label.
    Document(String, String),
    /// Several texts with their label.
    Texts(String, Vec<String>),
    /// Several things of one kind; the label is empty for the only list of a statement.
    Things(String, Vec<Vec<FormPart>>),
    /// What each thing is worth.
    Scores(String, Vec<ItemScore>),
    /// What was found of sources.
    Findings(String, Vec<StatementSource>),
    /// What is too deep to be read, as JSON.
    Deep(String),
}

/// A word of a fixed vocabulary, or an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// As readers know it.
    pub text: String,
    /// Whether it names something.
    pub is_id: bool,
}

/// The score or grade of one item, with its reason.
#[derive(Debug, Clone, PartialEq)]
pub struct ItemScore {
    /// What is scored.
    pub of: String,
    /// How much.
    pub score: f64,
    /// Whether it is a grade from 0 to 10; else it is a score from -1 to 1.
    pub is_grade: bool,
    /// How much it was before.
    pub before: Option<f64>,
    /// Why.
    pub why: String,
}

impl ItemScore {
    /// The number as readers see it.
    pub fn format_score(&self) -> String {
        if self.is_grade { format!("{} of 10", self.score) } else { format_score(self.score) }
    }

    /// How far it is from the middle of its range: -1 is the worst, 1 the best.
    pub fn from_middle(&self) -> f64 {
        let score = if self.is_grade { self.score / 5.0 - 1.0 } else { self.score };
        score.clamp(-1.0, 1.0)
    }
}

/// The result of checking one source of a statement.
#[derive(Debug, Clone, PartialEq)]
pub struct StatementSource {
    /// The entry that cites it, where it is known by a number.
    pub seq: Option<u64>,
    /// Its address.
    pub url: String,
    /// In a word.
    pub status: String,
    /// In a sentence.
    pub explanation: String,
    /// Everything else that was looked up.
    pub rest: Vec<FormPart>,
}

impl StatementSource {
    /// Whether it counts against the participant that cites it.
    pub fn is_grave(&self) -> bool {
        matches!(self.status.as_str(), "fabricated" | "unreliable")
    }
}

/// Takes `text` apart, with the labels of `plain` where there are some.
pub fn parse_statement(text: &str, plain: Option<&Plain>) -> StatementContent {
    match parse_form(text) {
        Some(fields) => StatementContent::Form(StatementReader { plain }.read_outermost(&fields)),
        None if text.trim().is_empty() => StatementContent::Prose(NO_TEXT.to_owned()),
        None => StatementContent::Prose(text.trim().to_owned()),
    }
}

/// The fields of an answer that is a form; prose that quotes JSON is prose.
pub(crate) fn parse_form(text: &str) -> Option<Fields> {
    let whole = text.trim();
    let is_whole = (whole.starts_with('{') || whole.starts_with("```")) && whole.ends_with(['}', '`']);
    match parse::parse_json_answer(text) {
        Ok(Value::Object(fields)) if is_whole => Some(fields),
        _ => None,
    }
}

/// Each plain value within `value`, which stands in the field `name`: as readers see it, below the field that holds it.
pub(crate) fn list_texts<'v>(name: &'v str, value: &'v Value) -> Vec<(&'v str, String)> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().flat_map(|item| list_texts(name, item)).collect(),
        Value::Object(fields) => fields.iter().flat_map(|(name, value)| list_texts(name, value)).collect(),
        plain => vec![(name, format_value(plain))],
    }
}

struct StatementReader<'p> {
    plain: Option<&'p Plain>,
}

impl StatementReader<'_> {
    fn field_label(&self, path: &str, name: &str) -> String {
        let label = self.plain.and_then(|plain| plain.find_label(path)).map(|(label, _)| label.to_owned());
        label.unwrap_or_else(|| agon_text::humanize_name(name))
    }

    fn is_hidden(&self, path: &str) -> bool {
        self.plain.is_some_and(|plain| plain.hidden.iter().any(|hidden| hidden == path))
    }

    /// The outermost object: its only list needs no label.
    fn read_outermost(&self, fields: &Fields) -> Vec<FormPart> {
        let mut parts = self.read_object(fields, "", 0);
        if parts.is_empty() {
            let empty = fields.iter().filter(|(name, value)| {
                let is_empty =
                    value.as_array().map(Vec::is_empty).or(value.as_str().map(|text| text.trim().is_empty()));
                is_empty == Some(true) && !self.is_hidden(name)
            });
            parts.extend(empty.map(|(name, _)| FormPart::Field(self.field_label(name, name), "none".to_owned())));
        }
        if parts.is_empty() {
            parts.push(FormPart::Lead(NO_TEXT.to_owned()));
        }
        let labels = parts.iter_mut().filter_map(|part| match part {
            FormPart::Things(label, _) | FormPart::Scores(label, _) | FormPart::Findings(label, _) => Some(label),
            _ => None,
        });
        if let [label] = labels.collect::<Vec<_>>().as_mut_slice() {
            label.clear();
        }
        parts
    }

    fn read_object(&self, fields: &Fields, path: &str, depth: usize) -> Vec<FormPart> {
        let text = |name: &str| fields.get(name)?.as_str().filter(|text| !text.trim().is_empty());
        if let Some(line) = self.read_named_text(fields, path) {
            return vec![line];
        }
        let heading = HEADINGS.into_iter().find(|name| text(name).is_some());
        let lead = LEADS.into_iter().find(|name| text(name).is_some());
        let (mut tags, mut parts) = (Vec::new(), Vec::new());
        for (name, value) in fields {
            let path = field_path(path, name);
            if [heading, lead].contains(&Some(name.as_str())) || self.is_hidden(&path) {
                continue;
            }
            match value.as_str().and_then(|text| read_tag(name, text)) {
                Some(tag) => tags.push(tag),
                None => parts.extend(self.read_part(name, value, &path, depth)),
            }
        }
        let heading = heading.and_then(text).map(|text| FormPart::Heading(text.to_owned()));
        let tags = (!tags.is_empty()).then_some(FormPart::Tags(tags));
        let lead = lead.and_then(text).map(|text| FormPart::Lead(text.to_owned()));
        heading.into_iter().chain(tags).chain(lead).chain(parts).collect()
    }

    /// An object of a short text and a long one: the one says whose or of what kind the other is.
    fn read_named_text(&self, fields: &Fields, path: &str) -> Option<FormPart> {
        let texts: Option<Vec<(&String, &str)>> =
            fields.iter().map(|(name, value)| Some((name, value.as_str()?))).collect();
        let [(first, short), (second, long)] = texts?[..] else { return None };
        let is_heading = [&HEADINGS[..], &LEADS, &SOURCES, &[DOCUMENT]].concat().contains(&first.as_str());
        let hidden = self.is_hidden(&field_path(path, first)) || self.is_hidden(&field_path(path, second));
        let fits = short.len() <= SHORT_BYTES && !short.trim().is_empty() && !short.contains('\n');
        if !fits || is_heading || hidden || read_tag(second, long).is_some_and(|tag| tag.is_id) {
            return None;
        }
        let label = form::render_choice(first, short);
        let is_literal = LITERALS.contains(&second.as_str()) || (first == "kind" && LITERAL_KINDS.contains(&short));
        Some(match is_literal {
            true => FormPart::Literal(label, vec![long.to_owned()]),
            false => FormPart::Field(label, long.to_owned()),
        })
    }

    fn read_part(&self, name: &str, value: &Value, path: &str, depth: usize) -> Option<FormPart> {
        let label = self.field_label(path, name);
        Some(match value {
            Value::Null => return None,
            Value::String(text) => return read_text(label, name, path, text.clone()),
            Value::Bool(_) | Value::Number(_) => FormPart::Field(label, format_value(value)),
            Value::Array(items) if items.is_empty() => return None,
            _ if depth >= DEPTH_MAX => FormPart::Deep(value.to_string()),
            Value::Array(items) => match items.iter().map(Value::as_object).collect::<Option<Vec<_>>>() {
                Some(objects) => self.read_things(label, &objects, path, depth),
                None => read_list(label, name, items),
            },
            Value::Object(fields) => FormPart::Things(label, vec![self.read_object(fields, path, depth + 1)]),
        })
    }

    fn read_things(&self, label: String, objects: &[&Fields], path: &str, depth: usize) -> FormPart {
        let objects = || objects.iter().copied();
        if let Some(scores) = objects().map(read_score).collect() {
            return FormPart::Scores(label, scores);
        }
        if let Some(found) = objects().map(|item| self.read_finding(item, path, depth)).collect() {
            return FormPart::Findings(label, found);
        }
        FormPart::Things(label, objects().map(|item| self.read_object(item, path, depth + 1)).collect())
    }

    /// What an object says was found of a source; none where it says something else.
    fn read_finding(&self, fields: &Fields, path: &str, depth: usize) -> Option<StatementSource> {
        let text = |name: &str| fields.get(name)?.as_str().map(str::to_owned);
        let (url, status, explanation) = (text("url")?, text("status")?, text("explanation")?);
        let seq = fields.get("seq").and_then(Value::as_u64);
        let mut rest = fields.clone();
        rest.retain(|name, _| !["url", "status", "explanation", "seq", "at"].contains(&name.as_str()));
        Some(StatementSource { seq, url, status, explanation, rest: self.read_object(&rest, path, depth + 1) })
    }
}

/// A text of the field `name`; none where it says nothing.
fn read_text(label: String, name: &str, path: &str, text: String) -> Option<FormPart> {
    // A statement that gives its side shows it next to the speaker's name.
    let is_shown_elsewhere = name == "stance" && text.contains(": the motion ");
    (!text.trim().is_empty() && !is_shown_elsewhere).then(|| match name {
        name if SOURCES.contains(&name) => FormPart::Source(label, text),
        name if LITERALS.contains(&name) => FormPart::Literal(label, vec![text]),
        name if name == DOCUMENT || path == SECTION => FormPart::Document(label, text),
        _ => FormPart::Field(label, text),
    })
}

/// A list of what are not all objects.
fn read_list(label: String, name: &str, items: &[Value]) -> FormPart {
    let texts: Vec<String> = items.iter().map(format_value).collect();
    match LITERALS.contains(&name) && items.iter().all(Value::is_string) {
        true => FormPart::Literal(label, texts),
        false if items.iter().all(is_short) => FormPart::Field(label, texts.join(", ")),
        false => FormPart::Texts(label, texts),
    }
}

fn format_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        other => other.to_string(),
    }
}

const GRADED: &str = "grade";
const SCORED: [&str; 4] = ["score", "new_score", "points", GRADED];
const SCORED_OF: [&str; 3] = ["argument_id", "id", "name"];

/// The score that an object gives something; none where it says more, or gives none.
fn read_score(fields: &Fields) -> Option<ItemScore> {
    let number = |name: &str| fields.get(name)?.as_f64();
    let text = |names: [&str; 3]| names.into_iter().find_map(|name| fields.get(name)?.as_str());
    let score = ItemScore {
        of: text(SCORED_OF)?.to_owned(),
        score: SCORED.into_iter().find_map(number)?,
        is_grade: number(GRADED).is_some(),
        before: number("old_score"),
        why: text(["reasoning", "reason", "why"]).unwrap_or_default().to_owned(),
    };
    fields.values().all(|value| !value.is_array() && !value.is_object()).then_some(score)
}

/// Whether a value is a number or a word, so that several fit on one line.
fn is_short(value: &Value) -> bool {
    let word = |text: &str| !text.is_empty() && text.len() <= SHORT_BYTES && !text.contains([' ', '\n']);
    value.is_number() || value.is_boolean() || value.as_str().is_some_and(word)
}

/// Words of a fixed vocabulary, such as the kind of an attack, and ids.
fn read_tag(name: &str, text: &str) -> Option<Tag> {
    let is_id = name == "id" || name.ends_with("_id");
    let word = text.len() <= SHORT_BYTES
        && !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let is_tag = is_id || name.ends_with("_type") || ["kind", "type", "rank", "severity"].contains(&name);
    let text = if is_id { text.to_owned() } else { text.replace('_', " ") };
    (word && is_tag).then_some(Tag { text, is_id })
}

/// A score for a reader: signed, two decimals, three where they matter. The sign is that of records and files.
pub fn format_score(score: f64) -> String {
    let text = format_signed(score, 3);
    text.strip_suffix('0').unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> Vec<FormPart> {
        match parse_statement(text, None) {
            StatementContent::Form(parts) => parts,
            StatementContent::Prose(text) => panic!("{text} is read as prose"),
        }
    }

    fn literal(label: &str, text: &str) -> FormPart {
        FormPart::Literal(label.into(), vec![text.into()])
    }

    fn field(label: &str, text: &str) -> FormPart {
        FormPart::Field(label.into(), text.into())
    }

    #[test]
    fn a_form_is_a_heading_a_lead_and_labelled_parts() {
        let parts = form(
            r#"{"stance": "for: the motion is right", "arguments": [{"title": "T", "claim": "C.", "kind": "moral_one",
                "warrant": "W.", "backing": "", "sure": true, "grounds": [{"source": "S", "content": "G", "relevance": "R"}]}]}"#,
        );
        let ground =
            vec![FormPart::Lead("G".into()), FormPart::Source("Source".into(), "S".into()), field("Relevance", "R")];
        let tag = Tag { text: "moral one".into(), is_id: false };
        let argument = vec![
            FormPart::Heading("T".into()),
            FormPart::Tags(vec![tag]),
            FormPart::Lead("C.".into()),
            field("Warrant", "W."),
            field("Sure", "yes"),
            FormPart::Things("Grounds".into(), vec![ground]),
        ];
        assert_eq!(parts, [FormPart::Things(String::new(), vec![argument])]);
    }

    #[test]
    fn a_statement_without_words_says_so() {
        assert_eq!(form(r#"{"findings": []}"#), [field("Findings", "none")]);
        assert_eq!(form(r#"{"findings": [], "need": ""}"#), [field("Findings", "none"), field("Need", "none")]);
        assert_eq!(form("{}"), [FormPart::Lead(NO_TEXT.into())]);
        assert_eq!(parse_statement(" \n", None), StatementContent::Prose(NO_TEXT.into()));
    }

    #[test]
    fn scores_and_findings_are_lists_of_their_own() {
        let parts = form(r#"{"scores": [{"argument_id": "a", "reasoning": "R", "score": -0.5}]}"#);
        let score = ItemScore { of: "a".into(), score: -0.5, is_grade: false, before: None, why: "R".into() };
        assert_eq!(parts, [FormPart::Scores(String::new(), vec![score])]);
        let parts = form(r#"{"grades": [{"argument_id": "a", "reasoning": "R", "grade": 7.5}]}"#);
        let [FormPart::Scores(_, grades)] = &parts[..] else { panic!("{parts:?}") };
        assert_eq!((grades[0].format_score().as_str(), grades[0].from_middle()), ("7.5 of 10", 0.5));
        let parts = form(
            r#"{"findings": [{"seq": 2, "url": "u", "status": "fabricated", "explanation": "no page", "code": "x"}]}"#,
        );
        let [FormPart::Findings(_, found)] = &parts[..] else { panic!("{parts:?}") };
        assert!(found[0].is_grave() && found[0].rest == [field("Code", "x")], "{found:?}");
    }

    #[test]
    fn who_says_what_is_one_line() {
        let parts = form(r#"{"claims": [{"panelist": "Ada", "quote": "Two hours."}], "seqs": [3, 4]}"#);
        assert_eq!(
            parts,
            [FormPart::Things(String::new(), vec![vec![literal("Ada", "Two hours.")]]), field("Seqs", "3, 4")]
        );
        let parts = form(r#"{"points": [{"of": "prop_000a", "why": "W."}, {"kind": "a_b", "why": "X."}]}"#);
        let lines = vec![vec![field("prop_000a", "W.")], vec![field("a b", "X.")]];
        assert_eq!(parts, [FormPart::Things(String::new(), lines)]);
    }

    #[test]
    fn what_is_compared_letter_by_letter_is_literal() {
        let parts = form(
            r#"{"finding": "F1", "place": "a.rs:1", "quote": "x *= 2;\n", "quotes": ["a b", "c"], "why": "W.",
                "support": [{"kind": "source", "text": "It is so."}, {"kind": "principle", "text": "Be fair."}]}"#,
        );
        let wanted = [
            FormPart::Heading("F1".into()),
            literal("Place", "a.rs:1"),
            literal("Quote", "x *= 2;\n"),
            FormPart::Literal("Quotes".into(), vec!["a b".into(), "c".into()]),
            field("Why", "W."),
            FormPart::Things(
                String::new(),
                vec![vec![literal("source", "It is so.")], vec![field("principle", "Be fair.")]],
            ),
        ];
        assert_eq!(parts, wanted);
    }

    #[test]
    fn labels_come_from_the_protocol_and_hidden_fields_are_left_out() {
        let plain = Plain {
            fields: [("natural_end".into(), "At its natural end: yes or no".into())].into(),
            hidden: vec!["next".into(), "quote".into()],
            ..Plain::default()
        };
        let text = r#"{"natural_end": false, "next": {"question": "Q?"}, "quote": "x", "none": null}"#;
        assert_eq!(
            parse_statement(text, Some(&plain)),
            StatementContent::Form(vec![field("At its natural end", "no")])
        );
    }

    #[test]
    fn prose_that_quotes_json_is_prose() {
        let prose = "He wrote {\"a\": 1} and left.";
        assert_eq!(parse_statement(prose, None), StatementContent::Prose(prose.into()));
    }

    #[test]
    fn depth_has_an_end() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(90), "}".repeat(90));
        assert!(format!("{:?}", form(&deep)).contains("Deep"));
    }
}
