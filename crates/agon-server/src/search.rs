//! Debates by words of what may be shown of them, and the place where one of the words stands.

use std::ops::Range;

use agon_core::{DebateId, Record};
use agon_journal::DebateSummary;
use agon_protocols::common::{
    parallel_answers,
    struck_text::{self, Withheld},
};
use agon_report::page::{ShownText, list_shown_texts};
use serde_json::Value;

use crate::{RouteContext, refusal::Refusal, visitor::Visitor};

/// Characters of a passage on each side of its word.
const SIDE_CHARS: usize = 90;

/// Where a word that was looked for stands in a statement.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundPassage {
    /// The entry of the statement.
    pub seq: u64,
    /// The name of who made it.
    pub speaker: String,
    /// What stands before the word.
    pub before: String,
    /// The word as it is written there.
    pub word: String,
    /// What stands behind it.
    pub after: String,
}

/// The newest debates that were found.
pub struct FoundDebates {
    /// Without those that may not show what was looked for.
    pub debates: Vec<DebateSummary>,
    /// Whether the journal has no older ones.
    pub is_all: bool,
}

/// The words and phrases of a search in lower case, as many as are looked for.
pub fn split_query(query: &str) -> Vec<String> {
    agon_journal::split_query(query).iter().map(|word| word.to_lowercase()).collect()
}

impl RouteContext {
    /// The debates that a visitor may read in which every word of `query` occurs, where it may be shown.
    pub fn search_for(&self, visitor: Visitor, query: &str, limit: u32) -> Result<FoundDebates, Refusal> {
        let found = match visitor.person.filter(|_| !self.reads_all(visitor)) {
            Some(person) => self.journal.search_for(person, query, limit)?,
            None => self.journal.search_debates(query, limit)?,
        };
        let (words, is_all) = (split_query(query), found.len() < limit as usize);
        if words.is_empty() {
            return Ok(FoundDebates { debates: found, is_all });
        }
        // Few debates withhold something: the others need not be read.
        let ids: Vec<&DebateId> = found.iter().map(|summary| &summary.id).collect();
        let (ruled, opened) = struck_text::TRACES;
        let mut traced = self.journal.that_name(&ids, ruled, opened)?;
        let open: Vec<&DebateId> =
            found.iter().filter(|summary| summary.outcome.is_none()).map(|summary| &summary.id).collect();
        for model in parallel_answers::PEOPLE {
            traced.extend(self.journal.that_name(&open, ruled, model)?);
        }
        let mut kept = Vec::new();
        for summary in found {
            let may_withhold = traced.contains(&summary.id) || struck_text::has_own(&summary.protocol);
            if !may_withhold || self.says_openly(&summary.id, &words)? {
                kept.push(summary);
            }
        }
        Ok(FoundDebates { debates: kept, is_all })
    }

    /// Whether every one of `words`, in lower case, stands in what may be shown of a debate.
    fn says_openly(&self, id: &DebateId, words: &[String]) -> Result<bool, Refusal> {
        let whole = self.journal.read_record(id)?;
        let record = parallel_answers::readable_record(&whole);
        let withheld = Withheld::from_record(&record);
        // The index found them in the whole record.
        if withheld.is_empty() && record.len() == whole.len() {
            return Ok(true);
        }
        let said = record.answers().filter(|(_, answer)| record.redaction_seq(&answer.key).is_none());
        let said =
            said.filter_map(|(_, answer)| Some(withheld.mask_answer(&answer.key, answer.reply.text()?).to_lowercase()));
        let all: Vec<String> = said.chain([record.opened().motion.to_lowercase()]).collect();
        Ok(words.iter().all(|word| all.iter().any(|text| text.contains(word))))
    }
}

/// The first statement of a debate, as its page shows it, in which one of `words` stands; each is in lower case.
pub fn find_passage(readable: &Record, words: &[String]) -> Option<FoundPassage> {
    list_shown_texts(readable).into_iter().find_map(|ShownText { seq, speaker, text }| {
        split_statement(&text).into_iter().find_map(|text| {
            let range = find_word(&text, words)?;
            Some(FoundPassage {
                seq,
                speaker: speaker.clone(),
                before: cut_before(&text[..range.start]),
                word: text[range.clone()].to_owned(),
                after: cut_after(&text[range.end..]),
            })
        })
    })
}

/// The texts of a statement: those of its fields where it is a form.
fn split_statement(text: &str) -> Vec<String> {
    let mut texts = Vec::new();
    match serde_json::from_str::<Value>(text) {
        Ok(form) => collect_texts(form, &mut texts),
        Err(_) => texts.push(text.to_owned()),
    }
    texts
}

fn collect_texts(value: Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.into_iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields.into_iter().for_each(|(_, item)| collect_texts(item, texts)),
        _ => {}
    }
}

/// Where the first of `words` that `text` has stands in it, in any case.
fn find_word(text: &str, words: &[String]) -> Option<Range<usize>> {
    let mut folded = String::with_capacity(text.len());
    // The character of `text` that each byte comes from.
    let mut origins: Vec<Range<usize>> = Vec::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        folded.extend(c.to_lowercase());
        origins.resize(folded.len(), at..at + c.len_utf8());
    }
    words.iter().find_map(|word| {
        let start = folded.find(word.as_str())?;
        let last = (start + word.len()).checked_sub(1)?;
        Some(origins.get(start)?.start..origins.get(last)?.end)
    })
}

fn cut_before(text: &str) -> String {
    let kept = text.char_indices().rev().take(SIDE_CHARS).last().map_or(text.len(), |(at, _)| at);
    if kept == 0 { text.to_owned() } else { format!("…{}", &text[kept..]) }
}

fn cut_after(text: &str) -> String {
    match text.char_indices().nth(SIDE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_in_any_case_where_it_is_written() {
        for (text, word, found) in [
            ("The Harbour of Norvik", "harbour", Some("Harbour")),
            ("İstanbul'da ŞEHİR", "şehi\u{307}r", Some("ŞEHİR")),
            ("港口很忙", "口很", Some("口很")),
            ("nothing", "harbour", None),
        ] {
            let words = ["absent".to_owned(), word.to_owned()];
            assert_eq!(find_word(text, &words).map(|range| &text[range]), found, "{text}");
        }
    }

    #[test]
    fn a_passage_is_cut_at_both_ends() {
        let long = "ä".repeat(200);
        assert_eq!(cut_before(&long).chars().count(), SIDE_CHARS + 1);
        assert_eq!(cut_after(&long).chars().count(), SIDE_CHARS + 1);
        assert_eq!((cut_before("short").as_str(), cut_after("").as_str(), cut_before("").as_str()), ("short", "", ""));
    }
}
