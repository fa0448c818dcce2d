//! The findings of a review, in whatever form their severity is written: a tag, a word before a colon,
//! the cell of a table, or a line of its own below the finding.

use agon_text::is_copy;

use super::{critique::Severity, dimensions::DIMENSIONS, document::normalise_words};

/// A finding as it stands in a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FindingLine {
    /// None where no severity of the format is read.
    pub severity: Option<Severity>,
    /// What it says, without severity.
    pub text: String,
}

/// A finding of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its number within the review, as `F1`.
    pub id: String,
    /// How much it matters; none where no severity of the format is read.
    pub severity: Option<Severity>,
    /// One of [`DIMENSIONS`]; empty where the finding names none.
    pub dimension: String,
    /// File and line; empty where the finding names none.
    pub place: String,
    /// The finding as it was written, without number and severity.
    pub text: String,
}

/// What is said of a finding that stands though its author dropped it.
pub(super) const WITHDRAWN: &str = "(withdrawn by its author without reason)";

impl Finding {
    /// Whether `text` names it: by its id, or by its place.
    pub fn is_named(&self, text: &str) -> bool {
        let by_id = || text.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(&self.id));
        // Line 1 is not line 12.
        let is_whole = |(at, place): (usize, &str)| !text[at + place.len()..].starts_with(|c: char| c.is_ascii_digit());
        !self.place.is_empty() && text.match_indices(&self.place).any(is_whole) || by_id()
    }

    /// Whether `other` is the same finding in a later version of a review: it has its place, or its words.
    pub(super) fn is_kept_as(&self, other: &Self) -> bool {
        !self.place.is_empty() && self.place == other.place || is_copy(&other.text, &self.text)
    }
}

/// Reads findings line by line.
#[derive(Debug, Default)]
pub(super) struct FindingsReader {
    open: Option<OpenItem>,
    /// Whether an entry bore an id, a tag or a severity: then what bears none is a part of an entry.
    is_tagged: bool,
    /// Whether the last entry was a heading, to which the lists below it belong.
    is_headed: bool,
    /// Items that are not read as findings.
    pub unread: usize,
}

/// An item whose severity has not been read yet.
#[derive(Debug)]
struct OpenItem {
    text: String,
    /// Whether it is a finding even if no severity follows.
    is_finding: bool,
}

impl FindingsReader {
    /// What the next line settles. `listed` says whether it stands among the findings: elsewhere only a
    /// severity in capitals is meant.
    pub fn read_line(&mut self, line: &str, listed: bool) -> Vec<FindingLine> {
        if !listed {
            let before = self.close_item();
            return before.into_iter().chain(in_capitals(line)).collect();
        }
        if let Some(severity) = stated_severity(line)
            && let Some(item) = self.open.take()
        {
            return vec![FindingLine { severity: Some(severity), text: item.text }];
        }
        let is_indented = line.starts_with([' ', '\t']);
        match extract_severity(line) {
            // Only the word for it is next to the severity.
            Some((severity, rest)) if normalise_words(&rest).is_empty() => match self.open.take() {
                Some(item) => vec![FindingLine { severity: Some(severity), text: item.text }],
                None => in_capitals(line).into_iter().collect(),
            },
            Some((_, rest)) if is_nothing(&rest) => Vec::new(),
            // What belongs to an entry may speak of other things that are high or low.
            Some(_) if is_indented && in_capitals(line).is_none() => Vec::new(),
            Some((severity, text)) => {
                let before = self.close_item();
                (self.is_tagged, self.is_headed) = (true, line.starts_with('#'));
                before.into_iter().chain([FindingLine { severity: Some(severity), text }]).collect()
            }
            None if is_item(line) && !is_nothing(strip_item_marks(line)) => self.open_item(line, is_indented),
            None => Vec::new(),
        }
    }

    /// Begins an item without a severity, where it does not belong to the entry before it.
    fn open_item(&mut self, line: &str, is_indented: bool) -> Vec<FindingLine> {
        let text = strip_item_marks(line);
        let (is_heading, is_numbered) = (line.starts_with('#'), is_numbered(text));
        let is_entry = !is_indented && (is_heading || !self.is_headed);
        let is_labelled = is_entry && find_label(text).is_some();
        let is_placed = is_entry && !self.is_tagged && text.split_whitespace().any(is_place);
        if self.open.is_some() && !is_heading && !is_numbered && !is_labelled {
            return Vec::new();
        }
        let before = self.close_item();
        self.is_tagged |= is_numbered || is_labelled;
        self.is_headed = is_heading || (self.is_headed && !is_numbered);
        self.unread += usize::from(!is_heading && !line.trim_start().starts_with('|'));
        let is_finding = is_numbered || is_labelled || is_placed;
        self.open = Some(OpenItem { text: text.to_owned(), is_finding });
        before.into_iter().collect()
    }

    /// The item that is left without a severity, where it is a finding all the same: it bears an id or a tag, or
    /// names a place where no other entry bears any.
    pub fn close_item(&mut self) -> Option<FindingLine> {
        let item = self.open.take().filter(|item| item.is_finding)?;
        Some(FindingLine { severity: None, text: item.text })
    }
}

/// The tag in square brackets that an entry begins with, behind its id, and that is not a severity: `CRITICAL` of
/// `F1 [CRITICAL] …`. A box to tick and a link are not tags.
fn find_label(text: &str) -> Option<&str> {
    let (inner, rest) = behind_id(text).strip_prefix('[')?.split_once(']')?;
    let is_tag = inner.trim().chars().count() > 1 && !rest.starts_with('(') && !is_place(inner);
    is_tag.then_some(inner)
}

/// Whether a word is a file and a line.
pub(super) fn is_place(word: &str) -> bool {
    let word = word.trim_matches(['`', ',', ';', ':', '(', ')', '.', '*']);
    let place = word.rsplit_once(':');
    place.is_some_and(|(file, line)| !file.is_empty() && line.starts_with(|c: char| c.is_ascii_digit()))
}

/// A finding whose severity is a tag in capitals.
fn in_capitals(line: &str) -> Option<FindingLine> {
    let tags = |severity: Severity| {
        let name = severity.name();
        [format!("[{name}]"), format!("**{name}**"), format!("({name})")]
    };
    let severity = Severity::ALL.into_iter().find(|s| tags(*s).iter().any(|tag| line.contains(tag.as_str())))?;
    let text =
        tags(severity).iter().fold(strip_item_marks(line).to_owned(), |text, tag| text.replace(tag.as_str(), ""));
    is_item(line).then_some(FindingLine { severity: Some(severity), text })
}

/// Whether a line begins like an entry of a list, a heading or a row.
fn is_item(line: &str) -> bool {
    let start = line.trim_start();
    start.starts_with(['-', '*', '#', '|', '+']) || start.starts_with(|c: char| c.is_ascii_digit())
}

/// A line without the marks and the number of an item that it begins with.
fn strip_item_marks(line: &str) -> &str {
    let text = line.trim().trim_start_matches(['-', '*', '#', '|', '+', ' ']);
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_ordinal = rest.len() < text.len() && rest.starts_with(". ");
    if is_ordinal { rest[1..].trim_start() } else { text }
}

/// The severity that a line of its own states: `Severity: high`.
fn stated_severity(line: &str) -> Option<Severity> {
    let marks = ['*', '_', '`', ' '];
    let (label, name) = line.trim().trim_matches(marks).split_once(':')?;
    normalise_words(label).eq("severity").then(|| Severity::parse(name.trim_matches(marks)))?
}

/// The severity of an entry, in any case of letters, and the entry without it. A tag stands before what the entry
/// says, or at its end; where the entry begins with tags, they alone count.
fn extract_severity(line: &str) -> Option<(Severity, String)> {
    if !is_item(line) {
        return None;
    }
    if line.trim_start().starts_with('|') {
        return extract_cell_severity(line);
    }
    let text = strip_item_marks(line);
    // Lower case has the same length only in ASCII, and offsets are used below.
    let lower = text.to_ascii_lowercase();
    let from = text.len() - behind_id(text).len();
    let tagged_until = leading_tags(&lower, from);
    let mark = [": ", " — ", " – "].iter().filter_map(|mark| lower[from..].find(mark)).min();
    let head = match mark {
        _ if tagged_until > from => tagged_until,
        mark => mark.map_or(lower.len(), |at| from + at + 1),
    };
    let mut found: Vec<(usize, usize, Severity)> = Vec::new();
    for severity in Severity::ALL {
        let name = severity.name().to_ascii_lowercase();
        for tag in [format!("[{name}]"), format!("({name})"), format!("**{name}**"), format!("**{name}:**")] {
            let last = lower.trim_end().strip_suffix(&tag).filter(|_| tagged_until == from).map(str::len);
            found.extend(lower[..head].find(&tag).into_iter().chain(last).map(|at| (at, tag.len(), severity)));
        }
        found.extend(find_leading_severity(&lower, &name).map(|(at, length)| (at, length, severity)));
    }
    let (at, length, severity) = found.into_iter().min_by_key(|(at, ..)| *at)?;
    let (head, tail) = (&text[..at], &text[at + length..]);
    Some((severity, format!("{head}{tail}")))
}

/// An entry without the id that it begins with, a box to tick, and the marks behind them.
fn behind_id(text: &str) -> &str {
    let text = text.trim_start_matches("[ ]").trim_start_matches("[x]").trim_start();
    if !is_numbered(text) {
        return text;
    }
    let id = text.trim_start_matches(['*', '[', '(', '`']);
    let rest = id.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    rest.trim_start_matches(['*', ']', ')', '`', ':', '.', ' ', '-', '—', '–'])
}

/// Where the tags in square brackets end that begin at `from`; `from` where there are none.
fn leading_tags(text: &str, from: usize) -> usize {
    let mut end = from;
    while let Some(rest) = text[end..].trim_start().strip_prefix('[')
        && let Some((_, behind)) = rest.split_once(']')
    {
        end = text.len() - behind.len();
    }
    end
}

/// Where a text begins with `name`, behind an id at most, or says `severity: name`.
fn find_leading_severity(lower: &str, name: &str) -> Option<(usize, usize)> {
    let ends = |at: usize| !lower[at..].starts_with(|c: char| c.is_alphanumeric() || c == '-');
    let marks = |from: usize| lower[from..].len() - lower[from..].trim_start_matches([' ', '*', ':', '_', '`']).len();
    if let Some(word) = lower.find("severity") {
        let at = word + "severity".len();
        let at = at + marks(at);
        if lower[at..].starts_with(name) && ends(at + name.len()) {
            return Some((word, at + name.len() - word));
        }
    }
    let id = lower.find(|c: char| !c.is_ascii_alphanumeric()).filter(|at| is_numbered(&lower[..*at])).unwrap_or(0);
    let from = id + lower[id..].len() - lower[id..].trim_start_matches([' ', '*', ':', '.', '-']).len();
    let behind = from + name.len();
    // A sentence may begin with the word: only a mark behind it makes it a severity.
    let marked = lower[from..].starts_with(name)
        && lower[behind..].trim_start_matches('*').trim_start().starts_with([':', '-', '—', '–', '|']);
    marked.then_some((from, name.len()))
}

/// The severity in the only cell of a row that holds one.
fn extract_cell_severity(line: &str) -> Option<(Severity, String)> {
    let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
    let of = |cell: &&str| Severity::parse(cell.trim_matches(['*', '`', '[', ']', '(', ')']));
    let [severity] = cells.iter().filter_map(of).collect::<Vec<_>>()[..] else { return None };
    let rest: Vec<&str> = cells.iter().filter(|cell| of(cell).is_none()).copied().collect();
    // A row of counts says nothing about a file.
    let said = rest.iter().any(|cell| cell.split_whitespace().count() > 1 || cell.contains(['.', ':']));
    said.then(|| (severity, rest.join(", ")))
}

/// Whether an entry says that there is nothing, in the words of the layout, or counts nothing.
fn is_nothing(rest: &str) -> bool {
    let plain = normalise_words(rest);
    ["none", "no findings", "n a"].contains(&plain.as_str())
        || plain.split(' ').all(|word| word.bytes().all(|b| b.is_ascii_digit()))
}

/// The finding of an entry, under its number.
pub(super) fn number_finding(item: &FindingLine, number: usize) -> Finding {
    let (severity, text) = (item.severity, &item.text);
    let own = format!("F{number}");
    let text = text.trim().strip_prefix(&own).unwrap_or(text.trim());
    let text = agon_text::to_single_line(text.trim_matches([' ', ':', '-', '—', '|', ',']));
    let lower = text.to_lowercase();
    let dimension = DIMENSIONS.into_iter().filter_map(|name| Some((lower.find(name)?, name))).min();
    let words = text.split_whitespace().map(|word| word.trim_matches(['`', ',', ';', ':', '(', ')', '.']));
    let place = words.clone().find(|word| is_place(word)).unwrap_or_default().to_owned();
    let dimension = dimension.map_or("", |(_, name)| name).to_owned();
    Finding { id: own, severity, dimension, place, text }
}

/// Whether a text begins with the id of a finding, such as F3.
pub(super) fn is_numbered(text: &str) -> bool {
    let rest = text.trim_start_matches(['*', '[', '(', '`']);
    let Some(rest) = rest.strip_prefix(['F', 'f']) else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && !rest[digits..].starts_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(Option<Severity>, String)> {
        let mut reader = FindingsReader::default();
        let mut items: Vec<FindingLine> = text.lines().flat_map(|line| reader.read_line(line, true)).collect();
        items.extend(reader.close_item());
        items.into_iter().map(|item| (item.severity, normalise_words(&item.text))).collect()
    }

    #[test]
    fn a_severity_is_read_in_every_form_that_models_give_it() {
        let told = "f1 security src a rs 1 open";
        for line in [
            "- F1 [HIGH] security, src/a.rs:1: open",
            "- F1 [High] security, src/a.rs:1: open",
            "- **F1** (high) security, src/a.rs:1: open",
            "- F1 HIGH: security, src/a.rs:1: open",
            "- F1: High — security, src/a.rs:1: open",
            "### F1 **high** security, src/a.rs:1: open",
            "- F1 security, src/a.rs:1: open. Severity: High",
            "- F1 security, src/a.rs:1: open (severity: **high**)",
            "| F1 | High | security | src/a.rs:1 | open |",
            "| F1 | security | src/a.rs:1 | open | **HIGH** |",
            "### F1 security, src/a.rs:1: open\n- Severity: High\n- Fix it",
            "- F1 security, src/a.rs:1: open\n  - **Severity**: HIGH",
            "- F1 security, src/a.rs:1: open\nSeverity: HIGH",
            "### F1 security, src/a.rs:1: open\n\n**Severity:** high\n\nClose it.",
            "- F1 security, src/a.rs:1: open\n  Severity: `High`",
        ] {
            assert_eq!(found(line), [(Some(Severity::High), told.to_owned())], "{line}");
        }
    }

    #[test]
    fn another_word_than_the_three_is_not_read() {
        for line in [
            "- F1 [CRITICAL] security, src/a.rs:1: open",
            "- [BLOCKER] security, src/a.rs:1: open, with a priority (low) behind it",
            "- F1 BLOCKER: the priority (low) of src/a.rs:1 is wrong",
            "- F1 [VERY HIGH] security, src/a.rs:1: open",
            "- [HIGH (certain)] security, src/a.rs:1: open",
            "- F1 [High/Critical] security, src/a.rs:1: open",
            "1. [P0] security: open",
            "- [HOCH] Sicherheit, src/a.rs:1: offen",
            "- F1 [严重] 安全, src/a.rs:1: 开着",
            "- 🔴 security, src/a.rs:1: open",
            "- [NIT] quality, src/a.rs:1: a name",
            "- [INFO] quality: a name",
            "- P3: quality, src/a.rs:1: a name",
            "| F1 | CRITICAL | security | src/a.rs:1 | open |",
            "- F1 security, src/a.rs:1: open\nSeverity: CRITICAL",
            "- F1 src/a.rs:1: open\n- Fix: close it",
            "### F1 [SEVERE] security\n- Place: src/a.rs:1\n- [BAD] as it is",
        ] {
            let found = found(line);
            assert_eq!(found.iter().map(|(severity, _)| *severity).collect::<Vec<_>>(), [None], "{line}: {found:?}");
        }
        let both = "- F1 [HIGH] security, src/a.rs:1: open\n- See src/b.rs:3\n- [CRITICAL] quality, src/c.rs:1: long";
        assert_eq!(found(both).len(), 2);
        let first = found("- Severity: **HIGH**\n- The lock is never released");
        assert_eq!(first[0].0, Some(Severity::High), "a severity that stands before what it is about: {first:?}");
        let short = found("- HIGH: no lock");
        assert_eq!(short, [(Some(Severity::High), "no lock".to_owned())], "two words are a finding");
    }

    #[test]
    fn what_is_no_finding_is_none() {
        for text in [
            "- None",
            "No findings.",
            "| ID | Severity | Place |\n|---|---|---|",
            "| High | Medium | Low |\n|---|---|---|\n| 0 | 1 | 2 |",
            "| High | 0 |",
            "- High: none",
            "- HIGH: 0",
            "- Medium: no findings",
            "- High standards are kept.",
            "- A low wall",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
