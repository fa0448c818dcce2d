//! The debate log: what stands in `debate-log.jsonl`, derived from the record. Each entry is fixed
//! by one small ruling `log/NNNN`; words of debaters and audience stay in their answers.
//!
//! The script, the prompts and the files all look at a debate through it, so that a sequence number
//! means the same everywhere.

use std::sync::Arc;

use agon_core::{Citation, Floor, Flow, Key, Ruling, RulingKind, View};
use agon_text::HiddenPassages;
use serde::{Deserialize, Serialize};

pub use super::log_types::{Phase, Type};
use super::{
    audience,
    conduct_rules::Conduct,
    source_form,
    statement::{self, DebaterStatement},
};
pub use crate::common::first_sentence::extract_gist;
use crate::common::redacted_text::{REDACTED, RUN};

/// The data of the ruling that adds one entry to the log.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryRuling {
    /// Its number, from 0 without a gap.
    pub seq: u64,
    /// In which phase.
    pub phase: Phase,
    /// Whose.
    pub speaker: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Type,
    /// What a log made elsewhere calls it, where it is none of the known types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub named: Option<String>,
    /// Its words, where they are not those of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The answer that holds its words; of a redaction, the answer that is struck; of a conclusion, the answer of the
    /// chair that stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// Which entry of that answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// The argument that it rebuts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rebuttal_to_seq: Option<u64>,
    /// The entry that it challenges or verifies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_seq: Option<u64>,
    /// Of a redaction: the entry that it strikes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strikes: Option<u64>,
    /// Of an audience question: the debater that must answer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// A named framework that it brings into the debate, and what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framework: Option<(String, String)>,
    /// Of a ruling on conduct: on what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conduct: Option<Conduct>,
}

/// A named analytical framework.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AnalyticalFramework {
    /// Its name.
    pub name: String,
    /// What it says.
    pub about: String,
    /// Who brought it.
    pub by: String,
    /// By which entry.
    pub seq: u64,
}

impl EntryRuling {
    /// An entry in words of the script.
    pub fn new(phase: Phase, speaker: &str, kind: Type, content: impl Into<String>) -> Self {
        Self { phase, speaker: speaker.to_owned(), kind, content: Some(content.into()), ..Self::default() }
    }

    /// Its type, as the log writes it.
    pub fn type_name(&self) -> &str {
        self.named.as_deref().unwrap_or(self.kind.name())
    }

    /// The chair's.
    pub fn by_chair(phase: Phase, kind: Type, content: impl Into<String>) -> Self {
        Self::new(phase, "chair", kind, content)
    }

    /// An entry whose words stand in the answer under `key`.
    pub fn from_answer(phase: Phase, speaker: &str, kind: Type, key: &Key, index: usize) -> Self {
        Self { content: None, key: Some(key.clone()), index: Some(index), ..Self::new(phase, speaker, kind, "") }
    }
}

/// A log entry with its words, sources and redactions.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// What was ruled about it.
    pub item: EntryRuling,
    words: String,
    all_sources: Vec<Citation>,
    /// What its words cite in addition to them.
    in_words: Vec<String>,
    /// Why it may no longer be shown.
    pub struck: Option<String>,
    /// Its words without those of redacted entries, where it quotes any.
    masked: Option<String>,
}

impl Logged {
    /// Its words, or that it was redacted and why.
    pub fn visible_content(&self) -> String {
        match &self.struck {
            None => self.masked.clone().unwrap_or_else(|| self.words.clone()),
            Some(reason) => format!("[REDACTED — {reason}]"),
        }
    }

    /// Its sources; none where it was redacted.
    pub fn visible_sources(&self) -> &[Citation] {
        if self.struck.is_some() { &[] } else { &self.all_sources }
    }

    /// Addresses that it rests on: of its sources, then in its words. None where it was redacted.
    pub fn cited_addresses(&self) -> impl Iterator<Item = &str> {
        self.all_addresses().filter(|_| self.struck.is_none())
    }

    fn all_addresses(&self) -> impl Iterator<Item = &str> + Clone {
        self.all_sources.iter().map(|source| source.source.as_str()).chain(self.in_words.iter().map(String::as_str))
    }

    /// Words and sources also where it was redacted: for the append-only log and for finding leaks.
    pub fn original_content(&self) -> (&str, &[Citation]) {
        (&self.words, &self.all_sources)
    }

    /// Whether it is an argument of a debater that stands.
    pub fn is_standing_argument(&self) -> bool {
        self.item.kind.is_argument() && self.struck.is_none()
    }

    /// The first sentence of its words.
    pub fn gist(&self) -> String {
        extract_gist(&self.visible_content())
    }
}

/// The whole log of a chaired debate, entry by entry, and what nobody may repeat since it was struck.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DebateLog(pub Vec<Logged>, HiddenPassages);

impl DebateLog {
    /// As `view` shows it.
    pub fn from_view(view: &View<'_>) -> Self {
        let mut log = Self::default();
        for seq in 0.. {
            let Some(item) = view.find_ruling_data::<EntryRuling>(entry_key(seq)) else { break };
            let (words, sources) = entry_words(view, &item);
            log.add_entry(item.as_ref().clone(), words, sources);
        }
        log
    }

    /// What `words` of `speaker` cite in addition to `sources`, were they the next entry.
    pub fn in_words(&self, speaker: &str, words: &str, sources: &[Citation]) -> Vec<String> {
        let others = self.0.iter().filter(|logged| logged.item.speaker != speaker);
        source_form::in_words(words, sources, others.flat_map(Logged::all_addresses))
    }

    /// Number of the next entry.
    pub fn next(&self) -> u64 {
        self.0.len() as u64
    }

    /// The entry with that number.
    pub fn entry_at(&self, seq: u64) -> Option<&Logged> {
        self.0.get(usize::try_from(seq).ok()?)
    }

    /// Arguments of debaters that stand.
    pub fn standing_arguments(&self) -> impl Iterator<Item = &Logged> {
        self.0.iter().filter(|logged| logged.is_standing_argument())
    }

    /// The standing argument with that number.
    pub fn standing_argument(&self, seq: u64) -> Option<&Logged> {
        self.entry_at(seq).filter(|logged| logged.is_standing_argument())
    }

    /// The numbers of standing arguments, of all or of `speaker` alone, as forms offer them.
    pub fn list_standing_seqs(&self, speaker: Option<&str>) -> Vec<String> {
        let own = self.standing_arguments().filter(|logged| speaker.is_none_or(|by| logged.item.speaker == by));
        own.map(|logged| logged.item.seq.to_string()).collect()
    }

    /// Standing entries that correct a source of the entry `seq`, each with the address that it replaces.
    pub fn find_corrections(&self, seq: u64) -> Vec<(u64, String)> {
        let Some(of) = self.entry_at(seq) else { return Vec::new() };
        let own =
            self.standing_arguments().filter(|later| later.item.seq > seq && later.item.speaker == of.item.speaker);
        let corrects = |later: &Logged| {
            let found = source_form::parse_correction(&later.words).ok()??;
            (found.seq == seq).then_some((later.item.seq, found.old))
        };
        own.filter_map(corrects).collect()
    }

    /// Every framework, with the entry that brought it first, unless that was redacted.
    pub fn list_frameworks(&self) -> Vec<AnalyticalFramework> {
        let brought = self.standing_arguments().filter_map(|logged| {
            let (name, about) = logged.item.framework.clone()?;
            Some(AnalyticalFramework { name, about, by: logged.item.speaker.clone(), seq: logged.item.seq })
        });
        brought.collect()
    }

    /// Frameworks of others since `speaker` last spoke; those of the openings are due in the first round.
    pub fn frameworks_for(&self, speaker: &str) -> Vec<AnalyticalFramework> {
        let last = self.last_by(speaker, |kind| kind.is_argument() && kind != Type::OpeningStatement);
        let mut all = self.list_frameworks();
        all.retain(|framework| framework.by != speaker && last.is_none_or(|last| framework.seq > last));
        all
    }

    /// Number of the last argument of `speaker`.
    pub fn last_of(&self, speaker: &str) -> Option<u64> {
        self.last_by(speaker, Type::is_argument)
    }

    fn last_by(&self, speaker: &str, is: impl Fn(Type) -> bool) -> Option<u64> {
        self.0.iter().rev().find(|l| is(l.item.kind) && l.item.speaker == speaker).map(|logged| logged.item.seq)
    }

    /// The conclusion, unless the debate went on after it.
    pub fn find_conclusion(&self) -> Option<&Logged> {
        let after = |kind: Type| matches!(kind, Type::AudienceConclusion | Type::VerificationResult);
        self.0.iter().rev().find(|logged| !after(logged.item.kind)).filter(|l| l.item.kind == Type::Conclusion)
    }

    /// Puts words of the script on the record as the next entry, and gives its number.
    pub fn write_script_entry(&mut self, floor: &mut Floor<'_>, item: EntryRuling) -> Flow<u64> {
        let words = item.content.clone().unwrap_or_default();
        self.record_entry(floor, item, words, Vec::new())
    }

    /// Puts the entries of a debater's answer on the record, and gives their numbers.
    pub fn write_said(
        &mut self,
        floor: &mut Floor<'_>,
        phase: Phase,
        speaker: &str,
        answer: &Key,
        said: &DebaterStatement,
    ) -> Flow<Vec<u64>> {
        let mut seqs = Vec::new();
        for (index, entry) in said.entries.iter().enumerate() {
            let mut item = EntryRuling::from_answer(phase, speaker, entry.kind, answer, index);
            item.rebuttal_to_seq = entry.rebuttal_to_seq;
            item.target_seq = entry.target_seq;
            if let Some((name, about)) = said.framework.as_ref().filter(|_| index == 0)
                && !self.list_frameworks().iter().any(|known| known.name.eq_ignore_ascii_case(name))
            {
                item.framework = Some((name.clone(), about.clone()));
            }
            seqs.push(self.record_entry(floor, item, entry.content.clone(), entry.sources.clone())?);
        }
        Ok(seqs)
    }

    /// Puts an entry with its words and sources on the record, and gives its number.
    pub fn record_entry(
        &mut self,
        floor: &mut Floor<'_>,
        mut item: EntryRuling,
        words: String,
        sources: Vec<Citation>,
    ) -> Flow<u64> {
        let seq = self.next();
        item.seq = seq;
        // Every entry is ruled at every step of the script.
        floor.rule_by(entry_key(seq), || {
            let text = match &item.content {
                Some(content) => content.clone(),
                None => format!("seq {seq}: {} of {}", item.type_name(), item.speaker),
            };
            let phase = item.phase == Phase::Rebuttal || text.starts_with("Phase");
            let kind = match item.kind {
                Type::Redaction => RulingKind::Redacted,
                Type::Announcement if phase => RulingKind::Phase,
                _ => RulingKind::Noted,
            };
            Ruling::new(kind, text).with_data(&item)
        })?;
        self.add_entry(item, words, sources);
        Ok(seq)
    }

    fn add_entry(&mut self, item: EntryRuling, words: String, sources: Vec<Citation>) {
        let mut from = self.0.len();
        if let Some(struck) = item.strikes.and_then(|seq| usize::try_from(seq).ok()).and_then(|at| self.0.get_mut(at)) {
            struck.struck = Some(redaction_reason(&words).to_owned());
            from = 0;
        }
        let in_words = match item.kind.is_argument() {
            true => self.in_words(&item.speaker, &words, &sources),
            false => Vec::new(),
        };
        self.0.push(Logged { item, words, all_sources: sources, in_words, struck: None, masked: None });
        if from == 0 {
            self.1 = self.collect_hidden();
        }
        // Hides what the new entry, or after a redaction any, quotes of redacted ones.
        let Self(entries, struck) = self;
        for logged in entries[from..].iter_mut().filter(|logged| logged.struck.is_none()) {
            logged.masked = struck.redact_text(&logged.words, REDACTED);
        }
    }

    /// What no reader is shown: words of entries that were struck, unless they stood there before.
    pub fn collect_hidden(&self) -> HiddenPassages {
        let mut all = HiddenPassages::default();
        for (at, logged) in self.0.iter().enumerate().filter(|(_, logged)| logged.struck.is_some()) {
            let mut own = HiddenPassages::default();
            own.hide_around_links(&logged.words, RUN);
            let standing = |title: &str| {
                let others = self.0.iter().filter(|other| other.struck.is_none());
                others.flat_map(|other| &other.all_sources).any(|source| source.title == title)
            };
            let titles = logged.all_sources.iter().map(|source| source.title.as_str());
            titles.filter(|title| !standing(title)).for_each(|title| own.hide_title(title));
            let about = logged.item.framework.iter();
            about.for_each(|(name, about)| own.hide_runs(&format!("{name}: {about}"), RUN));
            self.0[..at].iter().filter(|l| l.struck.is_none()).for_each(|before| own.allow_text(&before.words));
            all.merge_passages(own);
        }
        all
    }

    /// What nobody may repeat, since it was struck.
    pub fn struck_passages(&self) -> &HiddenPassages {
        &self.1
    }
}

/// Key of the ruling that fixes entry `seq`.
pub fn entry_key(seq: u64) -> String {
    format!("log/{seq:04}")
}

/// The reason that the words of a redaction give.
pub fn redaction_reason(redaction: &str) -> &str {
    let after = redaction.split_once("Reason: ").map_or(redaction, |(_, reason)| reason);
    after.split(". Entry is struck").next().unwrap_or(after).trim_end_matches('.')
}

/// The words of an entry and its sources. Redaction strikes single entries: what else stands in the
/// same answer stays.
fn entry_words(view: &View<'_>, item: &EntryRuling) -> (String, Vec<Citation>) {
    if let Some(content) = &item.content {
        return (content.clone(), Vec::new());
    }
    let Some(key) = &item.key else { return Default::default() };
    let text = || view.find_answer(key).and_then(|answer| answer.reply.text());
    if item.kind == Type::AudienceConclusion && !view.is_imported(key) {
        let text = view.answer_text(key).and_then(|text| audience::parse_opinion(text).ok());
        return (text.unwrap_or_default(), Vec::new());
    }
    let parse = |text: &str| statement::parse_statement(text).map(Arc::new);
    let entry = if view.is_imported(key) {
        text().and_then(|text| statement::import_statement(text).entries.into_iter().next())
    } else {
        let kept = view.parse_statement(key, parse).map(|kept| kept.as_ref().clone());
        let said = kept.or_else(|| text().map(parse)).and_then(Result::ok);
        said.and_then(|said| said.entries.get(item.index?).cloned())
    };
    entry.map(|entry| (entry.content, entry.sources)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_a_redaction_is_read_from_its_text() {
        let text = super::super::announcements::redaction_text(3, "ada", "a source was made up");
        assert_eq!(redaction_reason(&text), "a source was made up");
    }
}
