//! The texts that a debate publishes, to which the assessor can object.

use agon_core::{Key, View, parse};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    announce,
    log::{DebateLog, Logged, Type},
};
use crate::common::fields::{clean_paragraphs, one_line};

/// A text that can be objected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectedText {
    /// The reporter's summary.
    Summary,
    /// The reporter's blog post.
    Blog,
    /// The audience's opinion.
    Opinion,
    /// The chair's conclusion.
    Conclusion,
    /// What the chair answered to requests for a clarification.
    Clarification,
    /// What the chair named as unresolved before the closings.
    Review,
}

/// A text that is published, and the answer that holds it where it can be written again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedText {
    /// Which.
    pub text: ObjectedText,
    /// Its words.
    pub words: String,
    /// The accepted answer of the reporter; `None` of what stands in the log.
    pub answer: Option<Key>,
}

/// The texts that an assessor reads before they are published: those of the reporter, `written`, and those of the log.
pub(super) fn collect_published(
    log: &DebateLog,
    written: impl IntoIterator<Item = PublishedText>,
) -> Vec<PublishedText> {
    let opinion = log.0.iter().rev().find(|logged| logged.item.kind == Type::AudienceConclusion);
    let is_clarified = |logged: &&Logged| logged.item.kind == Type::ClarificationRequest && logged.struck.is_none();
    let requests: Vec<String> =
        log.0.iter().filter(is_clarified).map(|l| announce::ruling_text(l.item.seq, "")).collect();
    let rulings = log.0.iter().filter(|logged| logged.item.kind == Type::Ruling && logged.item.conduct.is_none());
    let answers =
        rulings.map(Logged::visible_content).filter(|text| requests.iter().any(|asked| text.starts_with(asked)));
    let review = announce::find_review(log).and_then(|at| log.0.get(at));
    let logged = [
        (ObjectedText::Opinion, opinion.map(Logged::visible_content).unwrap_or_default()),
        (ObjectedText::Conclusion, log.find_conclusion().map(Logged::visible_content).unwrap_or_default()),
        (ObjectedText::Clarification, answers.collect::<Vec<_>>().join("\n")),
        (ObjectedText::Review, review.map(Logged::visible_content).unwrap_or_default()),
    ];
    let logged = logged.into_iter().map(|(text, words)| PublishedText { text, words, answer: None });
    written.into_iter().chain(logged).filter(|text| !text.words.is_empty()).collect()
}

/// What was written about a conclusion and stands: data of the ruling `…/accepted`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedText {
    /// The draft that stands.
    pub key: Key,
    /// Its prompt: `summary`, `blog` or `assessment`.
    pub what: String,
    /// Entry of the log that holds the conclusion.
    pub conclusion: Option<u64>,
}

/// The same, with the answers of the reporter that a request names.
pub(super) fn published_in(
    heard: &View<'_>,
    log: &DebateLog,
    written: impl IntoIterator<Item = (ObjectedText, Option<Key>)>,
) -> Vec<PublishedText> {
    let written = written.into_iter().filter_map(|(text, key)| {
        let words = parse_prose(text, heard.answer_text(key.as_ref()?)?)?;
        Some(PublishedText { text, words, answer: key })
    });
    collect_published(log, written)
}

/// The prose of a statement of the reporter.
pub(super) fn parse_prose(of: ObjectedText, said: &str) -> Option<String> {
    let value = parse::parse_json_answer(said).ok()?;
    let whole = |name: &str| value[name].as_str().map(clean_paragraphs);
    let points = |list: &Value| -> Vec<String> {
        let all = list.as_array().into_iter().flatten();
        all.filter_map(|item| item.as_str().or(item["point"].as_str()).map(one_line)).collect()
    };
    let texts: Vec<String> = if of == ObjectedText::Blog {
        let parts = ["headline", "opening", "case_for", "case_against"].into_iter().filter_map(whole);
        parts.chain(points(&value["takeaways"])).collect()
    } else {
        let arguments = value["arguments"].as_array().into_iter().flatten();
        let points = arguments.flat_map(|each| points(&each["points"])).chain(points(&value["exchanges"]));
        ["overview", "flow"].into_iter().filter_map(whole).chain(points).collect()
    };
    Some(texts.join("\n"))
}
