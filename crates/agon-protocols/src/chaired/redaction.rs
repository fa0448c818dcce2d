//! What is withheld of a chaired debate: entries that were struck, what the verifier quotes of them, and sentences that
//! tell them again.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{Event, Key, Record, Request, RulingKind, View, parse, reading::Meaning};
use agon_text::{FoldedText, HiddenPassages, find_quote};
use serde_json::{Value, json};

use super::{
    log::{DebateLog, EntryRuling, Type},
    objections::{self, ObjectionKind, ObjectionRuling},
    verification::{self, Findings},
};
use crate::common::{
    redacted_text::{REDACTED, RUN, said_otherwise},
    request_values::{find_verified_key, list_requests, word_of},
    struck_text::LogRedaction,
};

/// What of the verifier's findings about a struck entry is told: which page, and what became of it.
const TOLD: [&str; 5] = ["seq", "at", "url", "status", "code"];
/// Seats whose texts the assessor reads before they are published.
const OFFICIALS: [&str; 3] = ["reporter", "chair", "audience"];

/// Everything that a chaired debate withholds: struck entries, their words and their addresses.
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    /// What nobody may repeat.
    quoted: HiddenPassages,
    /// Addresses of struck entries alone.
    urls: BTreeSet<String>,
    /// Which entries of an answer were struck.
    entries: BTreeMap<Key, BTreeSet<usize>>,
    /// Other drafts of those answers: nobody needs them, and they say the same.
    drafts: BTreeSet<Key>,
    /// Numbers of the entries in the log.
    seqs: BTreeSet<u64>,
    /// Answers of the verifier, each with the draft that it is about, if any.
    verifications: BTreeMap<Key, Option<Key>>,
    /// Answers of the assessor, whose objections quote what is withheld.
    assessments: BTreeSet<Key>,
    /// Sentences of the reporter, the chair and the audience that tell struck matter again.
    retold: Vec<String>,
    /// Their answers that hold one of those.
    retellers: BTreeSet<Key>,
}

impl Redaction {
    /// Of `record`; `None` where nothing is withheld.
    pub fn from_record(record: &Record) -> Option<Self> {
        let view = View::of_whole_record(record);
        view.rulings_of_kind(RulingKind::Redacted).next()?;
        let asked: Vec<&Request> = list_requests(record).collect();
        let of_seat = |seat: &'static str| asked.iter().filter(move |asked| asked.seat.as_str() == seat);
        let log = DebateLog::from_view(&view);
        let mut redaction = Self { quoted: log.collect_hidden(), ..Self::default() };
        redaction.retold =
            objections::collect_ruled_objections(&view, None).into_iter().flat_map(|ruled| ruled.withheld).collect();
        let mut retold = HiddenPassages::from_texts(redaction.retold.iter().map(String::as_str), RUN);
        // What a debater said stands, also where it is repeated.
        log.standing_arguments().for_each(|logged| retold.allow_text(logged.original_content().0));
        redaction.quoted.merge_passages(retold);
        let retellers = OFFICIALS.into_iter().flat_map(of_seat).map(|asked| &asked.key).filter(|key| {
            let said = view.answer_text(key).filter(|_| !redaction.retold.is_empty()).unwrap_or_default();
            said_otherwise(said, &|text| redaction.without_retold(text)).is_some()
        });
        redaction.retellers = retellers.cloned().collect();
        redaction.assessments = of_seat("assessor").map(|asked| asked.key.clone()).collect();
        let verifications = of_seat("verifier").map(|asked| (asked.key.clone(), find_verified_key(asked)));
        redaction.verifications = verifications.collect();
        let standing: BTreeSet<&str> =
            log.0.iter().filter(|logged| logged.struck.is_none()).flat_map(|logged| logged.cited_addresses()).collect();
        for logged in log.0.iter().filter(|logged| logged.struck.is_some()) {
            redaction.seqs.insert(logged.item.seq);
            if let Some((key, index)) = logged.item.key.clone().zip(logged.item.index) {
                redaction.entries.entry(key).or_default().insert(index);
            }
            let urls = logged.original_content().1.iter().map(|source| source.source.as_str());
            redaction.urls.extend(urls.filter(|url| !standing.contains(url)).map(str::to_owned));
        }
        let struck: BTreeSet<String> = redaction.entries.keys().map(first_draft_key).collect();
        let drafts = asked.iter().map(|asked| &asked.key).filter(|key| struck.contains(&first_draft_key(key)));
        redaction.drafts = drafts.filter(|key| !redaction.entries.contains_key(*key)).cloned().collect();
        Some(redaction)
    }

    /// `text` of the reporter, the chair or the audience without the sentences that tell struck matter again; `None` where
    /// it has none.
    fn without_retold(&self, text: &str) -> Option<String> {
        let mut shown: Option<String> = None;
        for sentence in &self.retold {
            let now = FoldedText::new(shown.as_deref().unwrap_or(text));
            for range in find_quote(&now, sentence).verbatim_ranges().into_iter().flatten().rev() {
                shown.get_or_insert_with(|| text.to_owned()).replace_range(range, REDACTED);
            }
        }
        shown
    }

    /// What the verifier said, without what it quotes of a struck entry.
    fn redact_verification(&self, of: Option<&Key>, text: &str) -> Option<String> {
        let mut value = parse::parse_json_answer(text).ok()?;
        let indices = of.and_then(|of| self.entries.get(of));
        let is_struck = |finding: &Value| {
            let seq = finding["seq"].as_u64().is_some_and(|seq| self.seqs.contains(&seq));
            let at = finding["at"].as_str().unwrap_or_default();
            let is_draft = of.is_some_and(|of| self.drafts.contains(of));
            seq || is_draft || indices.is_some_and(|all| all.iter().any(|index| at == format!("entries[{index}]")))
        };
        let mut changed = false;
        for finding in value["findings"].as_array_mut().into_iter().flatten().filter(|found| is_struck(found)) {
            if let Some(fields) = finding.as_object_mut() {
                fields.retain(|name, _| TOLD.contains(&name.as_str()));
                changed = true;
            }
        }
        changed.then(|| value.to_string())
    }
}

impl LogRedaction for Redaction {
    fn hidden_passages(&self) -> (&HiddenPassages, &BTreeSet<String>) {
        (&self.quoted, &self.urls)
    }

    fn has_struck(&self) -> bool {
        !self.seqs.is_empty()
    }

    fn is_struck(&self, key: &Key) -> bool {
        self.entries.contains_key(key) || self.drafts.contains(key) || self.retellers.contains(key)
    }

    fn is_verifier(&self, key: &Key) -> bool {
        self.verifications.contains_key(key)
    }

    fn redact_answer(&self, key: &Key, text: &str) -> Option<String> {
        if self.drafts.contains(key) {
            return Some(REDACTED.into());
        }
        if let Some(indices) = self.entries.get(key) {
            let Ok(mut value) = parse::parse_json_answer(text) else { return Some(REDACTED.into()) };
            for index in indices {
                let entry = &mut value["entries"][*index];
                if entry.is_object() {
                    entry["content"] = REDACTED.into();
                    entry["sources"] = json!([]);
                }
                if *index == 0 && value["framework"].is_string() {
                    value["framework"] = "".into();
                }
            }
            return Some(value.to_string());
        }
        if self.retellers.contains(key) {
            return said_otherwise(text, &|text| self.without_retold(text));
        }
        if let Some(of) = self.verifications.get(key) {
            return self.redact_verification(of.as_ref(), text);
        }
        self.assessments.contains(key).then(|| without_quotes(text))?
    }

    fn redact_ruling(&self, what: &Event) -> Option<Event> {
        let Event::Ruled { key, ruling } = what else { return None };
        let mut ruling = ruling.clone();
        if key.as_str().ends_with("/findings") {
            let mut all: Findings = ruling.decode_data()?;
            if !all.seqs.iter().chain(all.findings.iter().map(|found| &found.seq)).any(|seq| self.seqs.contains(seq)) {
                return None;
            }
            for found in all.findings.iter_mut().filter(|found| self.seqs.contains(&found.seq)) {
                (found.explanation, found.sentence, found.reading) = (String::new(), None, None);
            }
            ruling.text = verification::relay_text(&all.findings);
            return Some(Event::Ruled { key: key.clone(), ruling: ruling.with_data(&all) });
        }
        if let Some(mut all) = ruling.decode_data::<ObjectionRuling>() {
            for ruled in all.objections.iter_mut().filter(|ruled| ruled.objection.kind == ObjectionKind::Struck) {
                (ruled.objection.quote, ruled.withheld) = (REDACTED.into(), Vec::new());
                if let Meaning::Settled { quote, .. } = &mut ruled.meaning {
                    *quote = REDACTED.into();
                }
            }
            return Some(Event::Ruled { key: key.clone(), ruling: ruling.with_data(&all) });
        }
        let mut item = key.as_str().starts_with("log/").then(|| ruling.decode_data::<EntryRuling>())??;
        if self.seqs.contains(&item.seq) {
            item.framework = None;
        } else if item.kind == Type::VerificationResult && item.target_seq.is_some_and(|seq| self.seqs.contains(&seq)) {
            ruling.text = verification::hide_explanation(item.content.as_deref()?)?;
            item.content = Some(ruling.text.clone());
        } else {
            let retold = |text: &str| self.without_retold(text).filter(|_| !item.kind.is_argument());
            let (text, content) = (retold(&ruling.text), item.content.as_deref().and_then(retold));
            if text.is_none() && content.is_none() {
                return None;
            }
            ruling.text = text.unwrap_or(ruling.text);
            item.content = content.or(item.content);
        }
        Some(Event::Ruled { key: key.clone(), ruling: ruling.with_data(&item) })
    }
}

/// An answer of the assessor without what it quotes as struck matter; `None` where it quotes none.
fn without_quotes(text: &str) -> Option<String> {
    let mut value = parse::parse_json_answer(text).ok()?;
    let struck = word_of(ObjectionKind::Struck);
    let is_struck = |item: &Value| item["kind"] == struck || item["choice"] == struck;
    let mut changed = false;
    let mut hide = |item: &mut Value| {
        if is_struck(item) && item["quote"].is_string() {
            item["quote"] = REDACTED.into();
            changed = true;
        }
    };
    hide(&mut value);
    value["objections"].as_array_mut().into_iter().flatten().for_each(hide);
    changed.then(|| value.to_string())
}

/// What was first asked where `key` names one of its drafts.
fn first_draft_key(key: &Key) -> String {
    let key = key.as_str();
    let end = ["/redraft-", "/sourced"].iter().filter_map(|mark| key.find(mark)).min();
    key[..end.unwrap_or(key.len())].to_owned()
}
