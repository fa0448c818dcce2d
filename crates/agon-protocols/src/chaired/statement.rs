//! The form of a debater's statement: the entries of one turn.

use agon_core::{Citation, Faults};
use serde::Deserialize;
use serde_with::{DefaultOnError, serde_as};

use super::{
    log_types::Type,
    source_form::{self, LogSource},
};
use crate::common::{
    fields::{ObjectReader, clean_paragraphs, parse_number, read_object},
    request_values::parse_word,
};

/// Entries of one turn.
pub(super) const ENTRIES_MAX: usize = 3;
/// One entry as its debater wrote it, before the script accepts it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftEntry {
    /// What it is.
    pub kind: Type,
    /// Its words, line breaks kept.
    pub content: String,
    /// What it rests on.
    pub sources: Vec<Citation>,
    /// The argument that it rebuts.
    pub rebuttal_to_seq: Option<u64>,
    /// The entry that it challenges.
    pub target_seq: Option<u64>,
}

/// The parsed answer of a debater: the entries of a turn, and a framework if it names one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebaterStatement {
    /// In order.
    pub entries: Vec<DraftEntry>,
    /// A named analytical framework that it brings into the debate, with a description.
    pub framework: Option<(String, String)>,
}

impl DebaterStatement {
    /// Whether it interrupts the round: the chair acts, and the turn is resumed.
    pub fn is_interruption(&self) -> bool {
        let interrupts = |kind| matches!(kind, Type::ClarificationRequest | Type::SourceChallenge);
        self.entries.iter().any(|entry| interrupts(entry.kind))
    }
}

/// The form of a statement, or every fault of it. What it may refer to is for [`super::turn_rules::Turn::check_statement`].
pub fn parse_statement(text: &str) -> Result<DebaterStatement, Faults> {
    read_object(text, |fields, faults| {
        let items = fields.read_list("entries", "form", faults);
        if !(1..=ENTRIES_MAX).contains(&items.len()) {
            faults.add("form", "entries", format!("1 to {ENTRIES_MAX} entries are wanted, found {}", items.len()));
        }
        let mut entries = Vec::new();
        for (i, item) in items.iter().take(ENTRIES_MAX).enumerate() {
            let entry = ObjectReader::from_value(item, format!("entries[{i}]"), faults);
            entries.extend(entry.and_then(|entry| parse_entry(&entry, faults)));
        }
        // Without a colon it is not a name with a description, and so not a framework.
        let framework = fields.optional_text("framework", "form", faults).and_then(|text| {
            let (name, about) = text.split_once([':', '：'])?;
            Some((name.trim().to_owned(), about.trim().to_owned()))
        });
        DebaterStatement { entries, framework }
    })
}

/// A statement as the import of a log writes it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ImportedStatement {
    entries: Vec<ImportedEntry>,
}

/// An entry of such a statement; a field of another kind than is usual is empty.
#[serde_as]
#[derive(Default, Deserialize)]
#[serde(default)]
struct ImportedEntry {
    #[serde(rename = "type")]
    #[serde_as(as = "DefaultOnError")]
    kind: String,
    #[serde_as(as = "DefaultOnError")]
    content: String,
    #[serde_as(as = "DefaultOnError")]
    sources: Vec<LogSource>,
    #[serde_as(as = "DefaultOnError")]
    rebuttal_to_seq: Option<u64>,
    #[serde_as(as = "DefaultOnError")]
    target_seq: Option<u64>,
}

/// A statement out of a log from elsewhere: one entry, its words as they are.
pub fn import_statement(text: &str) -> DebaterStatement {
    let entry = serde_json::from_str(text).ok().and_then(|said: ImportedStatement| said.entries.into_iter().next());
    let entry = entry.unwrap_or_default();
    let cite = |LogSource { url, title, accessed }| Citation { title, accessed, ..Citation::cite_page(url) };
    let spoken = DraftEntry {
        kind: parse_word(&entry.kind).unwrap_or(Type::Other),
        content: clean_paragraphs(&entry.content),
        sources: entry.sources.into_iter().map(cite).collect(),
        rebuttal_to_seq: entry.rebuttal_to_seq,
        target_seq: entry.target_seq,
    };
    DebaterStatement { entries: vec![spoken], framework: None }
}

fn parse_entry(entry: &ObjectReader<'_>, faults: &mut Faults) -> Option<DraftEntry> {
    let kind = entry.read_text("type", "L5", faults);
    let known = parse_word(&kind).filter(|known| *known != Type::Other);
    if known.is_none() && !kind.is_empty() {
        faults.add("L5", entry.field_path("type"), format!("{kind:?} is no type of entry"));
    }
    let content = entry.read_paragraphs("content", "form", faults);
    Some(DraftEntry {
        kind: known?,
        content,
        sources: source_form::parse_sources(entry, faults),
        rebuttal_to_seq: parse_seq_field(entry, "rebuttal_to_seq", "L6", faults),
        target_seq: parse_seq_field(entry, "target_seq", "L7", faults),
    })
}

/// A reference to an entry: a number, or a text that is one; null for none.
fn parse_seq_field(entry: &ObjectReader<'_>, name: &str, rule: &str, faults: &mut Faults) -> Option<u64> {
    let value = entry.get(name)?;
    let number = parse_number(value, "seq");
    let is_empty = |text: &str| text.trim().trim_start_matches("seq").trim().is_empty();
    if number.is_none() && !value.as_str().is_some_and(is_empty) {
        faults.add(rule, entry.field_path(name), format!("{name} must be the seq of an entry, or null"));
    }
    number
}
