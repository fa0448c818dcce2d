//! A request as a person is told it: what is asked in plain words, what was said since they answered last,
//! and the form that takes their answer. Programs get the prompt and the schema instead.

use std::collections::BTreeSet;

use agon_core::{
    Answered, Answerer, Event, Exhausted, Fault, LookupReach, Plain, Protocol, Record, Reply, Request, Stamp, View,
    form::FormField,
};
use agon_journal::{seal_entry, time};
use serde_json::Value;

use super::{
    PromptError, Renderer,
    material::MATERIAL,
    person_blocks::{PromptBlock, split_prompt},
};
use crate::{
    drive::ledger::seal_decisions,
    lookups::{LookupTool, find_reach},
    participant::{ChatMessage, ChatRole},
};

/// A request in plain words: the question, what is new, and the form to fill in.
#[derive(Debug, Clone)]
pub struct RequestDescription<'p> {
    /// What is asked.
    pub ask: String,
    /// What was said since this seat answered last.
    pub news: Vec<PromptBlock>,
    /// Whether it has answered before.
    pub has_answered: bool,
    /// Everything that the request shows.
    pub all: Vec<PromptBlock>,
    /// The form of the answer; `None` for prose.
    pub form: Option<FormField>,
    /// What is known of the answer already, to be filled in beforehand.
    pub filled: Option<Value>,
    /// Labels, and where plain words go.
    pub plain: Option<&'p Plain>,
    /// What was wrong with the answer before, where it is asked for again.
    pub faults: Vec<Fault>,
    /// How many seconds there are in all.
    pub wait_seconds: Option<u32>,
    /// When they are over.
    pub until: Option<Stamp>,
    /// Whether the debate continues where nobody answers.
    pub may_be_absent: bool,
    /// What can be looked up for the answer.
    pub lookups: Vec<LookupTool>,
}

impl RequestDescription<'_> {
    /// What is new under its headings: what the debate is about, and what was said, with `said` above it.
    pub fn list_news<'h>(&self, said: &'h str) -> Vec<(&'h str, Vec<&PromptBlock>)> {
        let (material, statements): (Vec<_>, Vec<_>) = self.news.iter().partition(|block| block.is_material);
        let parts = [("What it is about", material), (said, statements)];
        parts.into_iter().filter(|(_, blocks)| !blocks.is_empty()).collect()
    }
}

/// What the debate lets be looked up for the answer to `request`. A service that finds pages also needs to be configured.
pub(crate) fn list_lookup_tools(protocol: &dyn Protocol, record: &Record, request: &Request) -> Vec<LookupTool> {
    let seat = protocol.manifest().lookup_reach(request.seat.as_str(), &request.prompt);
    let Some(reach) = seat.zip(find_reach(record.opened())).map(|(seat, debate)| seat.min(debate)) else {
        return Vec::new();
    };
    let has_material = record.document(MATERIAL).is_some();
    let works = |tool: &LookupTool| tool.reach() <= reach && (has_material || tool.reach() != LookupReach::Material);
    LookupTool::ALL.into_iter().filter(works).collect()
}

/// `request` of `record` in plain words.
pub fn describe_request<'p>(
    protocol: &'p dyn Protocol,
    renderer: &Renderer,
    record: &Record,
    request: &Request,
) -> Result<RequestDescription<'p>, PromptError> {
    let view = View::new(record, request);
    let facts = protocol.prompt_facts(&view, request);
    // What is wrong is told by itself.
    let first = Request { redraft: None, ..request.clone() };
    let (words, mut all) = split_prompt(&join_shown_messages(&renderer.render(&first, &facts, &view)?));
    all.extend(view.interjections().map(|(by, text)| PromptBlock::new(format!("{by}, to all"), text)));
    let plain = protocol.human_prompts().get(&request.prompt);
    let ask = match plain.filter(|plain| !plain.ask.trim().is_empty()) {
        // A record of former rules may have other facts: its prompt says it as well.
        Some(plain) => renderer.render_words(&request.prompt, &plain.ask, &facts).unwrap_or(words),
        None => words,
    };
    let known = collect_known_texts(protocol, renderer, record, request)?;
    // What the chair announces tells nobody what was said, and everyone knows their own words.
    let own = ["name", "side"].iter().find_map(|name| facts.get(*name)?.as_str());
    let own = own.or_else(|| facts.get("you")?["name"].as_str()).unwrap_or_default();
    let is_own =
        |head: &str| head.split(", ").any(|part| part == own || part == "you") || head.starts_with(&format!("{own} ("));
    let is_said =
        |block: &&PromptBlock| !block.head.ends_with("announcement") && (own.is_empty() || !is_own(&block.head));
    let news = all.iter().filter(is_said).filter(|block| !known.contains(&block.body)).cloned().collect();
    let asked = record.find_request(&request.key).and_then(|(seq, _)| record.entries().get(seq as usize));
    let until = asked.zip(request.wait_seconds).map(|(entry, wait)| time::add_seconds(&entry.at, wait));
    Ok(RequestDescription {
        ask,
        news,
        has_answered: !known.is_empty(),
        all,
        form: labelled_schema(protocol, &view, request).map(|schema| schema.merge_variants()),
        plain,
        filled: facts.get("filled").cloned(),
        faults: request.redraft.as_ref().map(|redraft| place_faults(plain, &redraft.faults)).unwrap_or_default(),
        wait_seconds: request.wait_seconds,
        until,
        may_be_absent: request.exhausted == Exhausted::Answer,
        lookups: list_lookup_tools(protocol, record, request),
    })
}

/// The schema of the answer to `request`, with the names that people know its fields by; `None` for prose.
pub fn labelled_schema(protocol: &dyn Protocol, heard: &View<'_>, request: &Request) -> Option<FormField> {
    let mut schema = protocol.answer_schema(heard, request)?;
    if let Some(plain) = protocol.human_prompts().get(&request.prompt) {
        plain.label_form(&mut schema);
    }
    Some(schema)
}

/// `faults` with their places in the words of the form.
pub(crate) fn place_faults(plain: Option<&Plain>, faults: &[Fault]) -> Vec<Fault> {
    let unnamed = Plain::default();
    let plain = plain.unwrap_or(&unnamed);
    faults.iter().map(|fault| Fault { at: plain.describe_place(&fault.at), ..fault.clone() }).collect()
}

/// What the seat was shown when it was asked what it answered last.
fn collect_known_texts(
    protocol: &dyn Protocol,
    renderer: &Renderer,
    record: &Record,
    request: &Request,
) -> Result<BTreeSet<String>, PromptError> {
    let before = record.find_request(&request.key).map_or(record.len(), |(seq, _)| seq);
    let answers = record.answers().take_while(|(seq, _)| *seq < before);
    let asked = answers.filter_map(|(_, answered)| Some(record.find_request(&answered.key)?.1));
    let Some(last) = asked.filter(|asked| asked.seat == request.seat && asked.redraft.is_none()).last() else {
        return Ok(BTreeSet::new());
    };
    let view = View::new(record, last);
    let shown = join_shown_messages(&renderer.render(last, &protocol.prompt_facts(&view, last), &view)?);
    let said = view.interjections().map(|(_, text)| text.to_owned());
    let mut known: BTreeSet<String> = split_prompt(&shown).1.into_iter().map(|block| block.body).chain(said).collect();
    // Nobody needs to be told what they said themselves.
    known.extend(record.find_answer(&last.key).and_then(|(_, answered)| answered.reply.text()).map(str::to_owned));
    Ok(known)
}

fn join_shown_messages(messages: &[ChatMessage]) -> String {
    let told = messages.iter().filter(|message| message.role != ChatRole::System);
    told.map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

/// What the rules would have against `text` as the answer to `request`: what they would ask for again, found
/// out before it is on the record.
pub(crate) fn find_rule_objections(
    protocol: &dyn Protocol,
    record: &Record,
    request: &Request,
    text: &str,
) -> Vec<Fault> {
    let mut record = record.clone();
    let answered = Answered::new(request.key.clone(), Reply::Said { text: text.to_owned() }, Answerer::default());
    let mut sealed = Vec::new();
    if seal_entry(&mut record, Event::Answered(answered)).is_err()
        || seal_decisions(protocol, &mut record, &mut sealed).is_err()
    {
        return Vec::new();
    }
    let again = sealed.iter().find_map(|entry| match &entry.what {
        Event::Asked(next) => next.redraft.as_ref().filter(|redraft| redraft.of == request.key),
        _ => None,
    });
    again.map(|redraft| redraft.faults.clone()).unwrap_or_default()
}
