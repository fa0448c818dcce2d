//! Words of participants, quoted as an entry of the record has them, so that a reader can check each sentence.

use agon_core::{Event, Key, Record, Reply};
use agon_protocols::common::struck_text::Withheld;
use agon_text::{split_sentences, to_single_line};
use serde_json::json;

use super::Sentence;
use crate::statement::{self, list_texts};

/// Longest quotation, in characters.
const QUOTE_CHARS_MAX: usize = 260;
/// Shortest sentence that is quoted alone, in characters: "Yes." says nothing by itself.
const SENTENCE_CHARS_MIN: usize = 40;
/// Characters of an entry that are shown, and so of which any are quoted.
const ENTRY_CHARS_MAX: usize = 20_000;
/// Passages of an entry that are shown.
const PASSAGES_MAX: usize = 200;

/// A text of an entry, with what it is called there; nothing for prose.
pub type Passage = (String, String);

/// The entries of a record, as they may be shown.
pub struct QuotedEntries<'r> {
    /// The record.
    pub record: &'r Record,
    withheld: Withheld,
}

impl<'r> QuotedEntries<'r> {
    /// Those of `record`.
    pub fn from_record(record: &'r Record) -> Self {
        Self { record, withheld: Withheld::from_record(record) }
    }

    /// The entry of the last end, or where there is none the last entry.
    pub fn end_seq(&self) -> u64 {
        let entries = self.record.entries();
        let closed = entries.iter().rev().find(|entry| matches!(entry.what, Event::Closed { .. }));
        closed.filter(|_| self.record.closing_outcome().is_some()).map_or(self.record.len() - 1, |entry| entry.seq)
    }

    /// The entry of the answer `key`; that of the end where there is none.
    pub fn answer_seq(&self, key: &Key) -> u64 {
        self.record.find_answer(key).map_or(self.end_seq(), |(seq, _)| seq)
    }

    /// A sentence that rests on the entry of the end.
    pub fn sentence_at_end(&self, text: impl Into<String>) -> Sentence {
        Sentence::new(self.end_seq(), text)
    }

    /// What stands in the entry `seq`: prose as it is, of a form every text; nothing where it was redacted.
    pub fn entry_passages(&self, seq: u64) -> Vec<Passage> {
        let mut all = Vec::new();
        let plain = |text: &str| (String::new(), text.trim().to_owned());
        let entry = usize::try_from(seq).ok().and_then(|at| self.record.entries().get(at));
        match entry.map(|entry| &entry.what) {
            Some(Event::Opened(opened)) => {
                all.push(plain(&opened.motion));
                all.extend(
                    opened.lineup.iter().map(|sat| (agon_text::humanize_name(sat.seat.as_str()), sat.model.clone())),
                );
            }
            Some(Event::Asked(request)) => {
                let faults = request.redraft.iter().flat_map(|redraft| &redraft.faults);
                all.extend(faults.map(|fault| plain(&fault.to_string())));
            }
            Some(Event::Answered(answered)) => match &answered.reply {
                Reply::Said { .. } if self.record.redaction_seq(&answered.key).is_some() => {}
                Reply::Said { text } => {
                    let text = self.withheld.mask_answer(&answered.key, text);
                    match statement::parse_form(&text) {
                        Some(fields) => all.extend(name_passages(list_texts("", &fields.into()))),
                        None => all.push(plain(&text)),
                    }
                }
                Reply::Failed(failed) => all.push(plain(&failed.detail)),
                Reply::Elapsed => {}
            },
            Some(Event::Ruled { ruling, .. }) => {
                all.push(plain(&ruling.text));
                // Keys and digests are nobody's words.
                let is_said = |(_, text): &Passage| text.contains(' ') && *text != ruling.text;
                all.extend(name_passages(list_texts("", &json!(ruling.export_data()))).filter(is_said));
            }
            Some(Event::Acted(act)) => all.push(plain(&act.describe_act())),
            Some(Event::Closed { outcome }) => all.push(plain(&outcome.render_summary())),
            Some(Event::Extended { .. }) | None => {}
        }
        let mut left = ENTRY_CHARS_MAX;
        all.truncate(PASSAGES_MAX);
        for (_, text) in &mut all {
            *text = text.chars().take(left).collect();
            left -= text.chars().count().min(left);
        }
        all.retain(|(_, text)| !text.is_empty());
        all
    }

    /// `text` as words of the program about the entry `seq`, with the first sentences of `said` that stand there;
    /// nothing where none does.
    pub fn quote_entry(&self, seq: u64, text: impl Into<String>, said: &str) -> Option<Sentence> {
        let passages: Vec<String> = self.entry_passages(seq).iter().map(|(_, text)| to_single_line(text)).collect();
        let quote = find_quote(said, |words| passages.iter().any(|passage| passage.contains(words)))?;
        Some(Sentence { text: text.into(), quote: Some(quote), seq })
    }
}

/// Those of `texts` that say something, with what readers know the fields as.
fn name_passages(texts: Vec<(&str, String)>) -> impl Iterator<Item = Passage> {
    let passages = texts.into_iter().map(|(name, text)| (agon_text::humanize_name(name), text.trim().to_owned()));
    passages.filter(|(_, text)| !text.is_empty())
}

/// The first sentences in a row of `text` that `stand` somewhere, as many as fit; a sentence that is too long is cut
/// between words.
fn find_quote(text: &str, stands: impl Fn(&str) -> bool) -> Option<String> {
    let lines: Vec<String> = text.lines().filter_map(prose_line).collect();
    let fits = |words: &str| words.chars().count() <= QUOTE_CHARS_MAX;
    let from = |line: &str, spans: &[std::ops::Range<usize>]| {
        let words = spans.iter().map(|span| &line[spans[0].start..span.end]);
        words.take_while(|words| fits(words) && stands(words)).last().map(str::to_owned)
    };
    let mut short = None;
    for line in &lines {
        let spans: Vec<_> = split_sentences(line).into_iter().map(|one| one.trim().range).collect();
        for at in 0..spans.len() {
            let words = match from(line, &spans[at..]) {
                Some(words) => words,
                None => {
                    let cut = shorten_sentence(&line[spans[at].clone()]);
                    let Some(cut) = cut.filter(|cut| stands(cut)) else { continue };
                    format!("{cut}…")
                }
            };
            if words.chars().count() >= SENTENCE_CHARS_MIN {
                return Some(words);
            }
            short.get_or_insert(words);
        }
    }
    short
}

/// A line of prose on one line, without the mark of a list; nothing for headings, tables, code and labels.
fn prose_line(line: &str) -> Option<String> {
    let line = to_single_line(line);
    let words = line.trim_start_matches(['-', '*', '+', '>', ' ']);
    let digits = words.trim_start_matches(|c: char| c.is_ascii_digit());
    let words = match digits.strip_prefix(". ") {
        Some(rest) if digits.len() < words.len() => rest,
        _ => words,
    };
    let is_layout = line.starts_with(['#', '|', '`', '~']) || words.starts_with("**") || line.starts_with("**");
    (!is_layout && words.chars().any(char::is_alphanumeric)).then(|| words.trim().to_owned())
}

/// As many words of a sentence as fit; nothing of one that fits whole.
fn shorten_sentence(sentence: &str) -> Option<String> {
    let (at, _) = sentence.char_indices().nth(QUOTE_CHARS_MAX)?;
    let end = sentence[..at].rfind(' ').filter(|end| *end > at / 2).unwrap_or(at);
    Some(sentence[..end].trim_end_matches([',', ';', ':', ' ']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_stands_there_and_is_prose() {
        let long = "word ".repeat(80);
        for (text, entry, wanted) in [
            ("It is so. It was so.", "It is so. It was so. And more.", Some("It is so. It was so.")),
            (
                "# Plan\n\n- Keep one cache of the results.\n",
                "- Keep one cache of the results.",
                Some("Keep one cache of the results."),
            ),
            (
                "[CONJECTURE] Ships came in 1999. They left again in the year after.",
                "They left again in the year after.",
                Some("They left again in the year after."),
            ),
            (
                "Yes. The town has four thousand seven hundred streets.",
                "Yes. The town has four thousand seven hundred streets.",
                Some("Yes. The town has four thousand seven hundred streets."),
            ),
            ("Nothing of it.", "Something else.", None),
            ("## Only a heading", "## Only a heading", None),
        ] {
            let found = find_quote(text, |words| entry.contains(words));
            assert_eq!(found.as_deref(), wanted, "{text}");
        }
        let cut = find_quote(&long, |words| long.contains(words)).unwrap();
        assert!(cut.ends_with("word…") && cut.chars().count() <= QUOTE_CHARS_MAX + 1, "{cut}");
    }
}
