//! The texts that a debate publishes, and objections of the assessor to them before they are published: words that favour
//! a side, a blog post that tells of the debate, and struck matter that is told again.
//!
//! Each quotes the text that it is about and is read a second time. What both readings share goes back to its author
//! once, where the log does not hold it already. Then words that favour a side and leaks are printed with a mark, and
//! struck matter is withheld, also where the second reading differs: that a redaction is honoured has no exception.

use agon_core::{
    Attempt, Faults, Floor, Flow, Key, Request, RulingKind, View,
    draft::Draft,
    parse,
    reading::{Doubt, Meaning, ReadText, Reading},
};
use agon_text::{FoldedText, find_quote, split_sentences};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    announcements,
    confirmation::PROMPT,
    debaters::{DebaterLabels, LABELS},
    log::{DebateLog, Logged, Type},
};
use crate::common::{
    fields::{clean_paragraphs, one_line},
    form::{Field, Form, Kind, Reader, choice_kind, form_field, list_kind, text_kind},
    named_seat,
    prompt_facts::FactSheet,
    readings::{confirmation_key, is_fit_reader, reading_fields, unclear_reading},
    request_values::{read_fact, word_of},
};

/// Objections of one assessment.
const OBJECTIONS_MAX: usize = 6;
/// Longest quotation, in characters.
const QUOTE_CHARS_MAX: u32 = 400;
/// The rule that faults name.
pub(super) const RULE: &str = "objections";
/// Key of the ruling on all objections of one conclusion.
pub(super) const KEY: &str = "objections";

/// What is wrong with words of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectionKind {
    /// Nothing.
    None,
    /// They favour a side.
    Neutrality,
    /// They tell of the debate in an article that is about its topic.
    Leak,
    /// They tell again what was struck.
    Struck,
}

/// An objection as the assessor made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Objection {
    /// To which text.
    #[serde(rename = "where")]
    pub text: ObjectedText,
    /// What is wrong.
    pub kind: ObjectionKind,
    /// The words.
    pub quote: String,
}

/// What becomes of words that were objected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectionEnd {
    /// They stand: the objection was not confirmed.
    Stands,
    /// Their author wrote the text again without them.
    Redrafted,
    /// They stand with a mark.
    Marked,
    /// They are not shown.
    Withheld,
}

/// An objection with what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuledObjection {
    /// What was objected.
    pub objection: Objection,
    /// What both readings come to.
    pub meaning: Meaning<ObjectionKind>,
    /// What follows.
    pub end: ObjectionEnd,
    /// The sentences that tell struck matter again, which nothing shows: of the text, and of the one before it where it was
    /// written again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
}

/// The data of the ruling on all objections to the texts about one conclusion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectionRuling {
    /// The entry of the log that holds the conclusion.
    pub conclusion: u64,
    /// In the order of the assessment.
    pub objections: Vec<RuledObjection>,
}

impl ObjectionKind {
    /// As readers are told.
    pub fn description(self) -> &'static str {
        match self {
            ObjectionKind::None => "nothing is wrong with it",
            ObjectionKind::Neutrality => "it favours a side",
            ObjectionKind::Leak => "it tells of the debate",
            ObjectionKind::Struck => "it tells again what was struck",
        }
    }
}

/// Kinds of objections that a debate can have.
fn list_objection_kinds(log: &DebateLog, texts: &[PublishedText]) -> Vec<ObjectionKind> {
    let has_struck = log.0.iter().any(|logged| logged.struck.is_some());
    let has_blog = texts.iter().any(|text| text.text == ObjectedText::Blog);
    let all = [(ObjectionKind::Neutrality, true), (ObjectionKind::Leak, has_blog), (ObjectionKind::Struck, has_struck)];
    all.into_iter().filter(|(_, has)| *has).map(|(kind, _)| kind).collect()
}

/// The field of an assessment that holds its objections; `None` without a text.
pub(super) fn objections_field(log: &DebateLog, texts: &[PublishedText]) -> Option<Field> {
    let fields = [
        form_field("where", choice_kind(texts.iter().map(|text| word_of(text.text)))),
        form_field("quote", text_kind(1, QUOTE_CHARS_MAX)),
        form_field("kind", choice_kind(list_objection_kinds(log, texts).into_iter().map(word_of))),
    ];
    let item = Kind::Object(Form::new(RULE, fields));
    (!texts.is_empty()).then(|| form_field("objections", list_kind(0, OBJECTIONS_MAX, item)).with_rule(RULE))
}

/// The objections in an assessment of `texts`. One that cannot be is a fault, and left out once its author was `told`.
pub(super) fn parse_objections(
    fields: &Reader<'_, '_>,
    texts: &[PublishedText],
    told: bool,
    faults: &mut Faults,
) -> Vec<Objection> {
    let mut objections: Vec<Objection> = Vec::new();
    if texts.is_empty() {
        return objections;
    }
    let mut wrong = Faults::default();
    for part in fields.read_parts("objections", &mut wrong).into_iter().take(OBJECTIONS_MAX) {
        let mut own = Faults::default();
        let read = part.open(&mut own).and_then(|item| parse_objection(&item, texts, &mut own));
        match read.filter(|_| own.0.is_empty()) {
            Some(objection) if !objections.contains(&objection) => objections.push(objection),
            _ => wrong.0.extend(own.0),
        }
    }
    faults.0.extend(wrong.0.into_iter().filter(|_| !told));
    objections
}

fn parse_objection(item: &Reader<'_, '_>, texts: &[PublishedText], faults: &mut Faults) -> Option<Objection> {
    let text: Option<ObjectedText> = item.read_enum("where", faults);
    let kind: Option<ObjectionKind> = item.read_enum("kind", faults);
    let quote = item.read_text("quote", faults);
    let (text, kind) = (text?, kind?);
    let words = texts.iter().find(|known| known.text == text).map(|known| known.words.as_str());
    if kind == ObjectionKind::Leak && text != ObjectedText::Blog {
        item.add_fault("kind", "only the blog post may not tell of the debate", faults);
    }
    if !is_in(words.unwrap_or_default(), &quote) {
        let message = format!("{quote:?} does not stand in the {}; copy its words exactly", word_of(text));
        item.add_fault("quote", message, faults);
    }
    Some(Objection { text, kind, quote })
}

/// Whether `quote` stands in `text` word for word. A text that quotes struck matter retells it, too.
pub(super) fn is_in(text: &str, quote: &str) -> bool {
    find_quote(&FoldedText::new(text), quote).verbatim_ranges().is_some()
}

/// The sentence of `text` that holds `quote`, or `quote` where it goes beyond one.
fn sentence_of(text: &str, quote: &str) -> String {
    let found = find_quote(&FoldedText::new(text), quote).verbatim_ranges().and_then(|all| all.into_iter().next());
    let Some(range) = found else { return quote.to_owned() };
    let holding = split_sentences(text).into_iter().find(|s| s.range.start <= range.start && range.end <= s.range.end);
    holding.map_or_else(|| quote.to_owned(), |sentence| sentence.text.trim().to_owned())
}

/// The form of the second reading.
pub(super) fn confirm_form(choices: Vec<String>) -> Form {
    Form::new(RULE, reading_fields(choices))
}

/// The choices of the second reading, in another order than those of the first.
fn confirmation_choices(text: ObjectedText, kinds: Vec<ObjectionKind>) -> Vec<String> {
    let fit = kinds.into_iter().rev().filter(|kind| text == ObjectedText::Blog || *kind != ObjectionKind::Leak);
    [ObjectionKind::None].into_iter().chain(fit).map(word_of).collect()
}

/// The assessor's own objections, while they are settled.
pub(super) struct ObjectionCheck<'a> {
    /// The assessment.
    pub answer: &'a Key,
    /// What the texts were when they were assessed.
    pub texts: &'a [PublishedText],
    /// The log.
    pub log: &'a DebateLog,
    /// Letters for names, where the assessor reads of those.
    pub labels: &'a DebaterLabels,
}

impl ObjectionCheck<'_> {
    /// The text that an objection is to, as it was assessed.
    pub fn find_text(&self, objection: &Objection) -> &PublishedText {
        let found = self.texts.iter().find(|text| text.text == objection.text);
        found.unwrap_or_else(|| unreachable!("an objection quotes a text that is there"))
    }

    /// Asks about the objection number `at` to `known`; `of` tells two questions about one apart.
    pub fn draft_second_reading(
        &self,
        at: usize,
        of: &str,
        known: &PublishedText,
    ) -> Draft<'static, Reading<ObjectionKind>> {
        let key = confirmation_key(self.answer.as_str(), &format!("objection-{}{of}", at + 1));
        let choices = confirmation_choices(known.text, list_objection_kinds(self.log, self.texts));
        let request = Request::new(key, &named_seat("assessor"), PROMPT).or_absent().with_fact("matter", "objection");
        let mut request = request.with_fact("where", word_of(known.text)).with_fact("choices", choices.clone());
        if let Some(of) = &known.answer {
            request = request.with_fact("of", of.as_str());
        }
        let (form, words) = (confirm_form(choices), self.labels.hide_names(&known.words));
        let check = move |draft: Attempt<'_>| {
            form.read_statement(draft.text, |fields, faults| {
                let choice: ObjectionKind = fields.read_enum("choice", faults)?;
                let quote = fields.read_text("quote", faults);
                if choice != ObjectionKind::None && !is_in(&words, &quote) {
                    let message = format!("{quote:?} does not stand in the text; copy its words exactly");
                    fields.add_fault("quote", message, faults);
                }
                Some(Reading { choice, quote })
            })
        };
        Draft::new(self.labels.add_to(request), check)
    }

    /// What each objection comes to once it is read a second time.
    pub fn confirm_objections(
        &self,
        floor: &mut Floor<'_>,
        objections: &[Objection],
    ) -> Flow<Vec<Meaning<ObjectionKind>>> {
        if !is_fit_reader(floor, self.answer) {
            return Ok(objections.iter().map(|_| unclear_reading(self.answer, Doubt::UnfitReader)).collect());
        }
        let drafts = objections.iter().enumerate();
        let drafts = drafts.map(|(at, objection)| self.draft_second_reading(at, "", self.find_text(objection)));
        let second = floor.ask_each_until_valid(drafts.collect())?;
        let meaning = |(objection, answer): (&Objection, _)| match answer {
            Ok(agon_core::Statement { key, value }) => {
                let first = Reading { choice: objection.kind, quote: objection.quote.clone() };
                let text = self.labels.hide_names(&self.find_text(objection).words);
                ReadText { text: &text, not_from: &[] }.compare_readings((self.answer, &first), (&key, &*value))
            }
            Err(_) => unclear_reading(self.answer, Doubt::NotConfirmed),
        };
        Ok(objections.iter().zip(second).map(meaning).collect())
    }
}

/// What follows for words that were not written again, or that stand in the text that was.
pub(super) fn end_of(objection: &Objection, meaning: &Meaning<ObjectionKind>) -> ObjectionEnd {
    match meaning.doubt() {
        Some(Doubt::UnfitReader) => ObjectionEnd::Stands,
        _ if objection.kind == ObjectionKind::Struck => ObjectionEnd::Withheld,
        None => ObjectionEnd::Marked,
        Some(_) => ObjectionEnd::Stands,
    }
}

/// The sentences that are withheld where an objection ends so; `told` are the texts that have its words, each with the
/// quotation.
pub(super) fn list_withheld(kind: ObjectionKind, end: ObjectionEnd, told: &[(&str, &str)]) -> Vec<String> {
    if kind != ObjectionKind::Struck || !matches!(end, ObjectionEnd::Withheld | ObjectionEnd::Redrafted) {
        return Vec::new();
    }
    let mut withheld: Vec<String> = told.iter().map(|(words, quote)| sentence_of(words, quote)).collect();
    withheld.dedup();
    withheld
}

impl RuledObjection {
    /// What came of it, in a sentence. It repeats no words of the text.
    pub fn describe_result(&self) -> String {
        let Objection { text, kind, .. } = &self.objection;
        let end = match self.end {
            ObjectionEnd::Stands => "This is not confirmed, and nothing follows",
            ObjectionEnd::Redrafted => "Its author wrote it again",
            ObjectionEnd::Marked => "It is printed with a mark",
            ObjectionEnd::Withheld => "The sentence is withheld",
        };
        format!("The assessor objects to the {}: {}. {end}.", word_of(text), kind.description())
    }
}

/// Everything that was ruled on objections so far, of the conclusion `of` alone where it is given.
pub fn collect_ruled_objections(view: &View<'_>, of: Option<u64>) -> Vec<RuledObjection> {
    let ruled = view.rulings_of_kind(RulingKind::Warned).filter(|(key, _)| key.as_str().ends_with(KEY));
    let ruled = ruled.filter_map(|(_, ruling)| ruling.decode_data::<ObjectionRuling>());
    ruled.filter(|ruling| of.is_none_or(|of| ruling.conclusion == of)).flat_map(|ruling| ruling.objections).collect()
}

/// What the prompt of the second reading shows: the text, and what was struck, which nobody else is shown.
pub(super) fn confirm_facts(heard: &View<'_>, request: &Request, facts: &mut FactSheet) {
    let Some(text) = read_fact(request, "where") else { return };
    let log = DebateLog::from_view(heard);
    let mut texts = published_in(heard, &log, [(text, read_fact(request, "of"))]).into_iter();
    let labels = DebaterLabels::from_request(request);
    let words = texts.find(|known| known.text == text);
    facts.put("text", words.map(|known| labels.hide_names(&known.words)));
    facts.put("struck", list_struck_entries(&log, &labels));
    facts.put(LABELS, ());
}

/// What was struck, for the assessor alone: nobody can find it told again who has not read it.
pub(super) fn list_struck_entries(log: &DebateLog, labels: &DebaterLabels) -> Vec<impl Serialize> {
    let entries = log.0.iter().filter(|logged| logged.struck.is_some());
    let show =
        |logged: &Logged| json!({"seq": logged.item.seq, "content": labels.hide_names(logged.original_content().0)});
    entries.map(show).collect()
}

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
pub(super) fn collect_published(log: &DebateLog, written: Vec<PublishedText>) -> Vec<PublishedText> {
    let opinion = log.0.iter().rev().find(|logged| logged.item.kind == Type::AudienceConclusion);
    let is_clarified = |logged: &&Logged| logged.item.kind == Type::ClarificationRequest && logged.struck.is_none();
    let requests: Vec<String> =
        log.0.iter().filter(is_clarified).map(|l| announcements::ruling_text(l.item.seq, "")).collect();
    let rulings = log.0.iter().filter(|logged| logged.item.kind == Type::Ruling && logged.item.conduct.is_none());
    let answers =
        rulings.map(Logged::visible_content).filter(|text| requests.iter().any(|asked| text.starts_with(asked)));
    let shown = |logged: Option<&Logged>| logged.map(Logged::visible_content).unwrap_or_default();
    let logged = [
        (ObjectedText::Opinion, shown(opinion)),
        (ObjectedText::Conclusion, shown(log.find_conclusion())),
        (ObjectedText::Clarification, answers.collect::<Vec<_>>().join("\n")),
        (ObjectedText::Review, shown(announcements::find_review(log))),
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
    collect_published(log, written.collect())
}

/// The prose of a statement of the reporter.
pub(super) fn parse_prose(of: ObjectedText, said: &str) -> Option<String> {
    let value = parse::parse_json_answer(said).ok()?;
    let (whole, lists): (&[&str], Vec<_>) = match of {
        ObjectedText::Blog => (&["headline", "opening", "case_for", "case_against"], vec![&value["takeaways"]]),
        _ => {
            let arguments = value["arguments"].as_array().into_iter().flatten().map(|each| &each["points"]);
            (&["overview", "flow"], arguments.chain([&value["exchanges"]]).collect())
        }
    };
    let whole = whole.iter().filter_map(|name| value[*name].as_str().map(clean_paragraphs));
    let items = lists.into_iter().filter_map(|list| list.as_array()).flatten();
    let points = items.filter_map(|item| item.as_str().or(item["point"].as_str()).map(one_line));
    Some(whole.chain(points).collect::<Vec<_>>().join("\n"))
}
