//! The document of a duel as it was when the duel was opened, and the places that a turn can cite.
//!
//! Rule D11: evidence from the document names a heading, a line or a passage that is really there.

use agon_text::{FoldedText, count_words, find_quotations, folded_words, sentences, words};

use crate::common::fields::{one_line, shown_start};

/// Fewest words in a row that count as a passage where no quotation marks tell.
const PASSAGE_WORDS_MIN: usize = 4;
/// Words in a row that make a passage within other words.
const PASSAGE_WORDS: usize = 6;
/// Maximum number of headings that are offered to be addressed, and the longest of them, in characters.
const HEADINGS_MAX: usize = 40;
const HEADING_CHARS_MAX: usize = 100;
/// Maximum number of characters of a document whose sentences are listed.
const PASSAGES_CHARS_MAX: usize = 4_000;
/// What shows that a word is meant as the name of a part of the document.
const PARTS: [&str; 6] = ["section", "heading", "chapter", "under", "part", "paragraph"];

/// A document.
#[derive(Debug, Clone)]
pub struct DuelDocument {
    /// Its file's name, for example `plan.md`.
    pub name: String,
    headings: Vec<String>,
    lines: u32,
    passages: Vec<String>,
    /// Its words; `None` where the text is not at hand, so that nothing can be looked up.
    folded: Option<FoldedText>,
}

impl DuelDocument {
    /// The document that lay at `path`, with its text where that is at hand.
    pub fn of(path: &str, text: Option<&str>) -> Self {
        Self {
            name: file_name(path).to_owned(),
            headings: text.map(headings).unwrap_or_default(),
            passages: text.map(passages).unwrap_or_default(),
            lines: text.map_or(0, |text| text.lines().count() as u32),
            folded: text.map(FoldedText::new),
        }
    }

    /// Its headings, in order, each once; long ones and those beyond a bound are left out.
    pub fn headings(&self) -> impl Iterator<Item = &str> {
        let short = self.headings.iter().filter(|heading| heading.chars().count() <= HEADING_CHARS_MAX);
        short.map(String::as_str).take(HEADINGS_MAX)
    }

    /// Its sentences, word for word, where it is short enough to list them; else none.
    pub fn passages(&self) -> &[String] {
        let chars: usize = self.passages.iter().map(|passage| passage.chars().count()).sum();
        if chars <= PASSAGES_CHARS_MAX { &self.passages } else { &[] }
    }

    /// Whether `text` names the document's file.
    pub fn is_named(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.name.to_lowercase())
    }

    /// Whether `text` names a part of the document.
    pub fn has_part(&self, text: &str) -> bool {
        let folded = FoldedText::new(text);
        let names = |heading: &String| folded.find(&FoldedText::new(heading), 0).is_some();
        self.folded.is_none() || self.is_named(text) || self.headings.iter().any(names)
    }

    /// Whether what `entry` cites is in the document; says what is missing or wrong.
    pub fn cited(&self, entry: &str) -> Result<(), String> {
        if self.folded.is_none() {
            return Ok(());
        }
        let rest = without(entry, &self.name);
        let quotes = quotations(&rest);
        for quote in &quotes {
            if let Some(missing) = parts(quote).find(|part| !self.holds(part)) {
                let missing = shown_start(missing);
                return Err(format!(
                    "{missing:?} does not stand in {}; copy a passage word for word",
                    self.name
                ));
            }
        }
        let lines = line_numbers(&rest);
        if let Some(beyond) = lines.iter().find(|line| !(1..=self.lines).contains(line)) {
            return Err(format!("{} has {} lines; there is no line {beyond}", self.name, self.lines));
        }
        if !quotes.is_empty() || !lines.is_empty() || self.names_heading(&rest) || self.holds_passage(&rest) {
            return Ok(());
        }
        Err(format!(
            "it does not show where in {} this stands; copy a passage word for word in quotation marks, or name a heading or a line",
            self.name
        ))
    }

    /// Whether the whole of `text` is a passage of the document, without quotation marks so far.
    pub fn is_passage(&self, text: &str) -> bool {
        self.holds(text) && is_unmarked(text)
    }

    fn holds(&self, text: &str) -> bool {
        self.folded.as_ref().is_some_and(|all| all.find(&FoldedText::new(text), 0).is_some())
    }

    fn names_heading(&self, text: &str) -> bool {
        let folded = FoldedText::new(text);
        let is_marked =
            text.contains(['#', '§']) || folded_words(text).iter().any(|word| PARTS.contains(&word.as_str()));
        let mut places = self.headings.iter().filter_map(|heading| folded.find(&FoldedText::new(heading), 0));
        places.any(|place| place.start == 0 || is_marked)
    }

    fn holds_passage(&self, text: &str) -> bool {
        let mut words = words(text);
        words.retain(|word| word.text.contains(char::is_alphanumeric));
        words.len() >= PASSAGE_WORDS_MIN
            && words.windows(PASSAGE_WORDS.min(words.len())).any(|run| match run {
                [first, .., last] => self.holds(&text[first.range.start..last.range.end]),
                _ => false,
            })
    }
}

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("source.md")
}

/// Headings that begin with `#`; what stands in a code fence is none.
fn headings(text: &str) -> Vec<String> {
    let mut headings: Vec<String> = Vec::new();
    let mut fenced = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
        }
        let title = line.trim_start_matches('#');
        let level = line.len() - title.len();
        let title = title.trim_start().trim_end_matches('#').trim();
        let is_heading = (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']);
        if is_heading && !fenced && !title.is_empty() && !headings.iter().any(|known| known == title) {
            headings.push(one_line(title));
        }
    }
    headings
}

/// Sentences outside of headings that are long enough to be found again.
fn passages(text: &str) -> Vec<String> {
    let mut passages: Vec<String> = Vec::new();
    for paragraph in text.split("\n\n").filter(|paragraph| !paragraph.trim_start().starts_with('#')) {
        let paragraph = one_line(paragraph);
        for sentence in sentences(&paragraph) {
            let passage = sentence.text.trim().trim_start_matches(['-', '*', ' ']);
            let is_long = count_words(passage) >= PASSAGE_WORDS_MIN;
            if is_long && is_unmarked(passage) && !passages.iter().any(|known| known == passage) {
                passages.push(passage.to_owned());
            }
        }
    }
    passages
}

/// `text` with the document's name taken out, whatever its case.
fn without(text: &str, name: &str) -> String {
    match text.to_lowercase().find(&name.to_lowercase()) {
        // Lower case may have another length; then nothing is taken out.
        Some(at) if text.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name)) => {
            format!("{} {}", &text[..at], &text[at + name.len()..])
        }
        _ => text.to_owned(),
    }
}

/// Whether `text` holds no quotation marks: what does cannot be quoted without changing them.
fn is_unmarked(text: &str) -> bool {
    quotations(text).is_empty() && !text.contains(['"', '`'])
}

/// What stands between quotation marks, or where there are none, in marks of code.
fn quotations(text: &str) -> Vec<String> {
    let between =
        |text: &str| find_quotations(text).into_iter().map(|one| one.text.to_owned()).collect::<Vec<_>>();
    let found = between(text);
    if found.is_empty() { between(&text.replace('`', "\"")) } else { found }
}

/// The parts of a quotation between its omissions.
fn parts(quote: &str) -> impl Iterator<Item = &str> {
    quote.split("...").flat_map(|part| part.split('…')).filter(|part| part.contains(char::is_alphanumeric))
}

/// `line 12`, `lines 3-5`, `L12`, and `:12` behind a file's name.
fn line_numbers(text: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    let mut after_line = false;
    for word in text.split_whitespace() {
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        let behind_colon =
            word.strip_prefix(':').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let behind_l =
            plain.strip_prefix(['L', 'l']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if let Some(range) = behind_colon.or(behind_l).or(after_line.then_some(plain)) {
            let ends = range.split(|c: char| !c.is_ascii_digit()).filter(|end| !end.is_empty());
            numbers.extend(ends.take(2).map(|end| end.parse::<u32>().unwrap_or(u32::MAX)));
        }
        after_line = ["line", "lines"].contains(&plain.to_lowercase().as_str());
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Keeping a record\n\n## Proposal\n\nEvery decision is written down\nwithin a day, with its reasons.\n\n```\n# no heading\n```\n\n## Open questions\n\nWho reads the record?\n";

    fn source() -> DuelDocument {
        DuelDocument::of("/home/a/plan.md", Some(TEXT))
    }

    #[test]
    fn headings_are_found_outside_of_fences() {
        assert_eq!(
            source().headings().collect::<Vec<_>>(),
            ["Keeping a record", "Proposal", "Open questions"]
        );
    }

    #[test]
    fn d11_source_evidence_cites_a_heading_a_line_or_a_passage_that_is_there() {
        for entry in [
            "plan.md: \"Every decision is written down within a day\"",
            "plan.md: \u{201c}every decision … with its reasons\u{201d} (emphasis mine)",
            "plan.md#open-questions",
            "plan.md, section Proposal: it sets a deadline",
            "Proposal: it sets a deadline",
            "plan.md:5",
            "/home/a/PLAN.MD lines 5-6: a deadline",
            "plan.md L5",
            "plan.md: it says that every decision is written down within a day",
            "plan.md: who reads the record",
        ] {
            assert_eq!(source().cited(entry), Ok(()), "{entry}");
        }
    }

    #[test]
    fn d11_every_passage_that_is_listed_stands_in_the_source() {
        let source = source();
        assert_eq!(
            source.passages(),
            ["Every decision is written down within a day, with its reasons.", "Who reads the record?"]
        );
        assert!(source.passages().iter().all(|passage| source.is_passage(passage)));
        let long = TEXT.to_owned()
            + &(0..200).map(|n| format!("\n\nSentence number {n} of many.")).collect::<String>();
        assert!(
            DuelDocument::of("plan.md", Some(&long)).passages().is_empty(),
            "a long one is quoted freely"
        );
    }

    #[test]
    fn d11_what_does_not_stand_in_the_source_is_quoted_back() {
        for (entry, wrong) in [
            (
                "plan.md: \"Decisions are kept for ever\"",
                "\"Decisions are kept for ever\" does not stand in plan.md",
            ),
            ("plan.md: \"Every decision … is deleted\"", "\" is deleted\" does not stand"),
            ("plan.md:99", "plan.md has 14 lines; there is no line 99"),
            ("plan.md, line 0", "there is no line 0"),
            ("plan.md, section Costs", "does not show where in plan.md"),
            ("plan.md says that it is good", "does not show where"),
            ("plan.md", "does not show where"),
        ] {
            let why = source().cited(entry).expect_err(entry);
            assert!(why.contains(wrong), "{entry}: {why}");
        }
    }

    #[test]
    fn a_document_without_words_cites_nothing() {
        let empty = DuelDocument::of("", Some(""));
        assert_eq!(empty.name, "source.md");
        assert!(empty.cited("source.md: \"anything\"").is_err());
        assert!(empty.cited("source.md: \"—\"").is_err());
    }

    #[test]
    fn where_the_text_is_not_at_hand_nothing_is_called_wrong() {
        let unread = DuelDocument::of("/home/a/plan.md", None);
        assert_eq!((unread.cited("plan.md: \"anything\""), unread.has_part("Costs")), (Ok(()), true));
    }
}
