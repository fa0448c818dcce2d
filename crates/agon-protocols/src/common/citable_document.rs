//! A document as it was when its debate was opened, and the places in it that can be cited: a passage that stands there
//! word for word, a heading, a line, or a passage at one of these, and nothing else (rule D11 of the duel).

use std::{collections::BTreeSet, ops::Range};

use agon_text::{
    FoldedText, QuoteMatch, count_words, find_quotations, find_quote, folded_words, hyphenate, split_sentences,
};

use super::{
    fields::{one_line, shown_start},
    headings::{Heading, parse_headings},
};

/// Maximum number of headings that are offered to be addressed, and the longest of them, in characters.
const HEADINGS_MAX: usize = 40;
const HEADING_CHARS_MAX: usize = 100;
/// Fewest words that are compared as a passage.
const PASSAGE_WORDS_MIN: usize = 2;
/// Longest document of which every passage is offered, in characters.
const PASSAGES_CHARS_MAX: usize = 4_000;
/// Longest passage that a fault shows, in characters.
const NEAREST_CHARS_MAX: usize = 300;
/// What may stand around a place or a passage, and is not part of it.
const AROUND: &str = " \t\"'“”„‚‘’«»‹›「」『』*_`>.,;:!?()#§…—–-。，、；：？！،؟";

/// A document.
#[derive(Debug, Clone)]
pub struct CitableDocument {
    /// Its file's name, for example `plan.md`.
    pub name: String,
    headings: Vec<SectionHeading>,
    /// `None` where the text is not at hand, so that nothing can be looked up.
    text: Option<SearchableText>,
}

/// A heading with the lines of its section, from 1.
#[derive(Debug, Clone)]
struct SectionHeading {
    title: String,
    level: usize,
    lines: Range<u32>,
}

#[derive(Debug, Clone)]
struct SearchableText {
    whole: String,
    folded: FoldedText,
}

impl CitableDocument {
    /// The document that lay at `path`, with its text where that is at hand.
    pub fn from_text(path: &str, text: Option<&str>) -> Self {
        Self {
            name: file_name(path).to_owned(),
            headings: text.map(find_sections).unwrap_or_default(),
            text: text.map(|text| SearchableText { whole: text.to_owned(), folded: FoldedText::new(text) }),
        }
    }

    /// Its headings, in order, each once; long ones and those beyond a bound are left out.
    pub fn list_headings(&self) -> impl Iterator<Item = &str> {
        let titles = self.headings.iter().map(|heading| heading.title.as_str());
        let mut told = BTreeSet::new();
        let short = titles.filter(move |title| title.chars().count() <= HEADING_CHARS_MAX && told.insert(*title));
        short.take(HEADINGS_MAX)
    }

    /// Its sentences outside of headings, word for word, where it is short enough to list them; else none.
    pub fn list_passages(&self) -> Vec<String> {
        let whole = self.text.as_ref().map_or("", |document| document.whole.as_str());
        if whole.chars().count() > PASSAGES_CHARS_MAX {
            return Vec::new();
        }
        let paragraphs = whole.split("\n\n").filter(|paragraph| !paragraph.trim_start().starts_with('#'));
        let sentences = paragraphs.flat_map(split_sentences).map(|sentence| one_line(sentence.text));
        let mut passages: Vec<String> = sentences.filter(|passage| self.is_passage(passage)).collect();
        let mut told = BTreeSet::new();
        passages.retain(|passage| told.insert(passage.clone()));
        passages
    }

    /// Whether `text` names the document's file.
    pub fn is_named(&self, text: &str) -> bool {
        text.to_lowercase().contains(&self.name.to_lowercase())
    }

    /// Whether `text` names the document as a whole or a part that it has: a heading or a line.
    pub fn has_part(&self, text: &str) -> bool {
        let Some(document) = &self.text else { return true };
        let rest = self.behind_name(text);
        if !rest.contains(char::is_alphanumeric) {
            return true;
        }
        if let Some((lines, _)) = lines_at_start(rest) {
            return document.has_lines(&lines);
        }
        let folded = FoldedText::new(rest);
        self.heading_at_start(rest).is_some()
            || self.headings.iter().any(|heading| find_quote(&folded, &heading.title).verbatim_ranges().is_some())
    }

    /// Whether what `entry` cites is in the document; says what is missing or wrong.
    pub fn check_citation(&self, entry: &str) -> Result<(), String> {
        let Some(document) = &self.text else { return Ok(()) };
        let rest = self.behind_name(entry);
        // A passage alone, though it may begin with the words of a heading.
        if self.is_passage(rest.trim_matches(|c| AROUND.contains(c))) {
            return Ok(());
        }
        let (place, rest) = match lines_at_start(rest) {
            Some((lines, rest)) => (Some(lines), rest),
            None => self.heading_at_start(rest).map_or((None, rest), |(lines, rest)| (Some(lines), rest)),
        };
        if let Some(lines) = place.as_ref().filter(|lines| !document.has_lines(lines)) {
            let (all, last) = (document.whole.lines().count(), lines.end - 1);
            let beyond = if lines.start == 0 { 0 } else { last };
            return Err(format!("{} has {all} lines; there is no line {beyond}", self.name));
        }
        if !rest.contains(char::is_alphanumeric) {
            return match place {
                Some(_) => Ok(()),
                None => Err(format!(
                    "it does not show where in {} this stands; copy a passage word for word in quotation marks, or name a heading or a line",
                    self.name
                )),
            };
        }
        extract_quotations(rest).into_iter().try_for_each(|quote| self.check_quotation(document, quote, place.as_ref()))
    }

    /// Whether `place` (`#heading`, `:line`) is in it; says what is missing or wrong.
    pub fn check_place(&self, place: &str) -> Result<(), String> {
        self.check_citation(&format!("{} {place}", self.name))
    }

    /// Whether the whole of `text` is a passage of the document, and can stand in quotation marks.
    pub fn is_passage(&self, text: &str) -> bool {
        let is_found = |document: &SearchableText| !document.find_quotation(text).is_empty();
        // A code span stands within quotation marks as it is.
        let is_plain = find_quotations(text).iter().all(|quote| text[..quote.range.start].ends_with('`'));
        self.text.as_ref().is_some_and(is_found) && is_plain && !text.contains('"')
    }

    /// Whether a quotation stands in the document, and in these lines of it.
    fn check_quotation(
        &self,
        document: &SearchableText,
        quote: &str,
        lines: Option<&Range<u32>>,
    ) -> Result<(), String> {
        let (found, start, name) = (document.find_quotation(quote), shown_start(quote), &self.name);
        if found.is_empty() {
            let nearest = document.find_nearest_sentence(quote).map(|nearest| format!("; the nearest is {nearest:?}"));
            let nearest = nearest.unwrap_or_default();
            return Err(format!(
                "{start:?} does not stand in {name} word for word; copy a passage exactly, or name a heading or a line alone{nearest}"
            ));
        }
        let within = |at: &Range<u32>| lines.is_none_or(|lines| at.start < lines.end && lines.start < at.end);
        match found.iter().any(within) {
            true => Ok(()),
            false => {
                let line = found[0].start;
                Err(format!("{start:?} stands in line {line} of {name}, and not where the entry says"))
            }
        }
    }

    /// An entry without the path of the document, where it begins with it or ends with it.
    fn behind_name<'t>(&self, entry: &'t str) -> &'t str {
        let (entry, name) = (entry.trim(), self.name.as_str());
        let is_name = |at: usize| entry.get(at..at + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
        let path_end = entry.find(char::is_whitespace).unwrap_or(entry.len());
        if let Some(at) = (0..path_end).rev().find(|at| is_name(*at)) {
            return &entry[at + name.len()..];
        }
        let trimmed = entry.trim_end_matches([')', '.', ' ', '`', '*']);
        match trimmed.len().checked_sub(name.len()).filter(|at| is_name(*at)) {
            Some(at) => &entry[..at],
            None => entry,
        }
    }

    /// The section of the heading that `text` begins with, the longest of several, and what follows it.
    fn heading_at_start<'t>(&self, text: &'t str) -> Option<(Range<u32>, &'t str)> {
        let start = text.trim_start_matches(|c| AROUND.contains(c));
        let lower = start.to_lowercase();
        let label = ["section ", "heading "].into_iter().find(|label| lower.starts_with(label));
        let start = start.get(label.map_or(0, str::len)..)?.trim_start_matches(|c| AROUND.contains(c));
        let folded = FoldedText::new(start);
        let ends_at = |heading: &SectionHeading| {
            let title = find_quote(&folded, &heading.title).verbatim_ranges();
            let title = title.into_iter().flatten().find(|range| range.start == 0).map(|range| range.end);
            // An anchor, as links to headings have it.
            let anchor = hyphenate(heading.title.to_lowercase().chars());
            let is_anchor =
                anchor.len() > 1 && start.get(..anchor.len()).is_some_and(|it| it.eq_ignore_ascii_case(&anchor));
            title.or_else(|| is_anchor.then_some(anchor.len()))
        };
        let found = self.headings.iter().filter_map(|heading| Some((ends_at(heading)?, heading)));
        let (end, heading) = found.max_by_key(|(end, _)| *end)?;
        Some((heading.lines.clone(), &start[end..]))
    }
}

impl SearchableText {
    /// The lines in which a quotation stands word for word, but for marked omissions.
    fn find_quotation(&self, quote: &str) -> Vec<Range<u32>> {
        let quote = quote.trim_matches(|c| AROUND.contains(c));
        if count_words(quote) < PASSAGE_WORDS_MIN {
            return Vec::new();
        }
        let ranges = match find_quote(&self.folded, quote) {
            QuoteMatch::Verbatim(ranges) => ranges,
            QuoteMatch::Edited { parts, .. } => parts,
            QuoteMatch::Near { .. } | QuoteMatch::Absent => Vec::new(),
        };
        let line = |at: usize| self.whole[..at].matches('\n').count() as u32 + 1;
        ranges.into_iter().map(|range| line(range.start)..line(range.end) + 1).collect()
    }

    fn has_lines(&self, lines: &Range<u32>) -> bool {
        lines.start >= 1 && lines.start < lines.end && lines.end as usize <= self.whole.lines().count() + 1
    }

    /// The sentence that is most like a quotation, as a redraft shows it.
    fn find_nearest_sentence(&self, quote: &str) -> Option<String> {
        let wanted: BTreeSet<String> = folded_words(quote).into_iter().collect();
        let common = |text: &str| folded_words(text).iter().filter(|word| wanted.contains(*word)).count();
        let sentences = split_sentences(&self.whole).into_iter().map(|sentence| one_line(sentence.text));
        let (most, nearest) = sentences.map(|text| (common(&text), text)).max_by_key(|(most, _)| *most)?;
        (most > 1).then(|| nearest.chars().take(NEAREST_CHARS_MAX).collect())
    }
}

/// The quotations of an entry: what stands in marks, where nothing but signs stands around them; else all of it.
fn extract_quotations(text: &str) -> Vec<&str> {
    let found = find_quotations(text);
    let mut outside = String::new();
    let mut from = 0;
    for quote in &found {
        outside.push_str(text.get(from..quote.range.start).unwrap_or_default());
        from = quote.range.end;
    }
    outside.push_str(&text[from..]);
    match found.is_empty() || outside.contains(char::is_alphanumeric) {
        true => vec![text.trim_matches(|c| AROUND.contains(c))],
        false => found.into_iter().map(|quote| quote.text).collect(),
    }
}

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("source.md")
}

/// Headings with their sections; one that is indented is one, too.
fn find_sections(text: &str) -> Vec<SectionHeading> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut headings: Vec<SectionHeading> = Vec::new();
    for Heading { level, text: title, line } in parse_headings(&lines.join("\n")) {
        let number = line as u32 + 1;
        for open in headings.iter_mut().filter(|open| open.level >= level && open.lines.end > number) {
            open.lines.end = number;
        }
        headings.push(SectionHeading { title, level, lines: number..lines.len() as u32 + 1 });
    }
    headings
}

/// The lines that `text` begins with, and what follows: `:12` behind a file's name, `line 12`, `lines 3-5`, `L12`.
fn lines_at_start(text: &str) -> Option<(Range<u32>, &str)> {
    let start = text.trim_start_matches([' ', ',', '#', '(']);
    // A colon before a number names a line; before anything else it only parts the name from what follows.
    let start = match start.strip_prefix(':') {
        Some(rest) if !rest.starts_with(|c: char| c.is_ascii_digit()) => rest.trim_start(),
        _ => start,
    };
    let is_digit = |rest: &&str| rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let behind = |prefix: &str| {
        start.get(..prefix.len()).filter(|it| it.eq_ignore_ascii_case(prefix)).map(|it| &start[it.len()..])
    };
    let rest = [":", "lines ", "line ", "L"].into_iter().filter_map(behind).find(is_digit)?.trim_start();
    let (first, rest) = parse_leading_number(rest)?;
    let range = rest.strip_prefix(['-', '–']).map(|rest| rest.strip_prefix(['L', 'l']).unwrap_or(rest));
    let (last, rest) = range.and_then(parse_leading_number).unwrap_or((first, rest));
    (!rest.starts_with(char::is_alphanumeric)).then(|| (first..last.saturating_add(1), rest))
}

fn parse_leading_number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    (digits > 0).then(|| (number.parse().unwrap_or(u32::MAX - 1), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Keeping a record\n\n## Proposal\n\n\
        Every decision is written down\nwithin a day, with its reasons.\n\n```\n# no heading\n```\n\n\
        ## Open questions\n\n\
        Who reads the record? Jobs go to `LPUSH`.\nNiemand hat einen Plan für den Streikfall. The fare: kostet 89 Euro. The flag `--proposal` says who signs.\n\
        每项决定都在一天之内写下来。\n";

    fn source() -> CitableDocument {
        CitableDocument::from_text("/home/a/plan.md", Some(TEXT))
    }

    #[test]
    fn headings_are_found_outside_of_fences() {
        assert_eq!(source().list_headings().collect::<Vec<_>>(), ["Keeping a record", "Proposal", "Open questions"]);
    }

    #[test]
    fn a_sentence_with_a_code_span_is_a_passage_and_stands_in_marks() {
        assert!(source().is_passage("Jobs go to `LPUSH`."));
        assert!(source().list_passages().iter().any(|passage| passage.ends_with("Jobs go to `LPUSH`.")));
        assert!(source().check_citation("plan.md: \"Jobs go to `LPUSH`.\"").is_ok());
        assert!(!source().is_passage("Jobs go to “`LPUSH`”."));
    }

    #[test]
    fn d11_source_evidence_cites_a_heading_a_line_or_a_passage_that_is_there() {
        for entry in [
            "plan.md: \"Every decision is written down within a day\"",
            "plan.md: \u{201c}every decision is written … with its reasons\u{201d}",
            "plan.md: „Niemand hat einen Plan für den Streikfall.“",
            "plan.md: Niemand hat einen Plan für den Streikfall",
            "\"Who reads the record?\" (plan.md)",
            "plan.md: \"Jobs go to `LPUSH`.\"",
            "plan.md: Jobs go to `LPUSH`",
            "plan.md: 「每项决定都在一天之内写下来」",
            "plan.md#open-questions",
            "plan.md, section Proposal",
            "Proposal",
            "Proposal: \"within a day, with its reasons\"",
            "plan.md:5",
            "plan.md:6: \"within a day\"",
            "/home/a/PLAN.MD lines 5-6: \"Every decision is written down within a day\"",
            "plan.md L5",
            "plan.md: line 5",
            "plan.md: who reads the record",
            "plan.md: \"Every decision\", \"with its reasons\"",
            "plan.md: \"`--proposal` says who signs\"",
        ] {
            assert_eq!(source().check_citation(entry), Ok(()), "{entry}");
        }
    }

    #[test]
    fn d11_what_does_not_stand_in_the_source_is_quoted_back() {
        for (entry, wrong) in [
            ("plan.md: \"Decisions are kept for ever\"", "\"Decisions are kept for ever\" does not stand in plan.md"),
            ("plan.md: \"Every decision … is deleted\"", "does not stand"),
            (
                "plan.md: Jemand hat einen Plan für den Streikfall.",
                "the nearest is \"Niemand hat einen Plan für den Streikfall.",
            ),
            ("plan.md: 'Jemand hat einen Plan für den Streikfall.'", "does not stand"),
            ("plan.md: »Jemand hat einen Plan für den Streikfall«", "does not stand"),
            ("plan.md: **Jemand hat einen Plan für den Streikfall**", "does not stand"),
            ("plan.md: The fare: kostet 98 Euro.", "does not stand"),
            ("plan.md: every decision is written down within a day, and everybody is paid 500 euros", "does not stand"),
            ("plan.md: it says that every decision is written down within a day", "does not stand"),
            ("plan.md: 每项决定都在十天之内写下来", "does not stand"),
            ("plan.md:1: \"Who reads the record?\"", "stands in line 14 of plan.md, and not where the entry says"),
            ("Proposal: \"Who reads the record?\"", "stands in line 14"),
            ("plan.md, section Proposal: it sets a deadline", "does not stand"),
            ("plan.md:99", "plan.md has 16 lines; there is no line 99"),
            ("plan.md, line 0", "there is no line 0"),
            ("plan.md, section Costs", "does not stand"),
            ("plan.md says that it is good", "does not stand"),
            ("plan.md", "does not show where"),
        ] {
            let why = source().check_citation(entry).expect_err(entry);
            assert!(why.contains(wrong), "{entry}: {why}");
        }
    }

    #[test]
    fn a_part_is_the_whole_a_heading_or_a_line_that_is_there() {
        for part in ["plan.md", "Proposal", "the proposal", "plan.md#open-questions", "plan.md:5", "line 3"] {
            assert!(source().has_part(part), "{part}");
        }
        for part in ["Haftung", "plan.md: Haftung", "plan.md:99", "line 0"] {
            assert!(!source().has_part(part), "{part}");
        }
    }

    #[test]
    fn a_document_without_words_cites_nothing() {
        let empty = CitableDocument::from_text("", Some(""));
        assert_eq!(empty.name, "source.md");
        assert!(empty.check_citation("source.md: \"anything\"").is_err());
        assert!(empty.check_citation("source.md: \"—\"").is_err());
    }

    #[test]
    fn where_the_text_is_not_at_hand_nothing_is_called_wrong() {
        let unread = CitableDocument::from_text("/home/a/plan.md", None);
        assert_eq!((unread.check_citation("plan.md: \"anything\""), unread.has_part("Costs")), (Ok(()), true));
    }
}
