//! The findings of a review, in whatever form their severity is written: a tag, a word before a colon,
//! the cell of a table, or a line of its own below the finding.

use super::{critique::Severity, document::normalised};

/// A finding as it stands in a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FindingLine {
    /// Medium where nothing is said.
    pub severity: Severity,
    /// Whether its severity is written.
    pub tagged: bool,
    /// What it says, without severity.
    pub text: String,
}

/// Reads findings line by line.
#[derive(Debug, Default)]
pub(super) struct FindingsReader {
    /// An item whose severity has not been read yet.
    open: Option<String>,
}

impl FindingsReader {
    /// What the next line settles. `listed` says whether it stands among the findings: elsewhere only a
    /// severity in capitals is meant.
    pub fn read(&mut self, line: &str, listed: bool) -> Vec<FindingLine> {
        if !listed {
            let before = self.end();
            return before.into_iter().chain(in_capitals(line)).collect();
        }
        match severity(line) {
            Some((severity, rest)) if is_alone(&rest) => match self.open.take() {
                Some(text) => vec![FindingLine { severity, tagged: true, text }],
                None => in_capitals(line).into_iter().collect(),
            },
            Some((_, rest)) if is_nothing(&rest) => Vec::new(),
            // What belongs to an entry may speak of other things that are high or low.
            Some(_) if line.starts_with([' ', '\t']) && in_capitals(line).is_none() => Vec::new(),
            Some((severity, text)) => {
                let before = self.end();
                before.into_iter().chain([FindingLine { severity, tagged: true, text }]).collect()
            }
            None if is_item(line)
                && (self.open.is_none() || line.starts_with('#') || is_numbered(bare(line))) =>
            {
                let before = self.end();
                self.open = Some(bare(line).to_owned());
                before.into_iter().collect()
            }
            None => Vec::new(),
        }
    }

    /// The item that is left without a severity, where it bears the id of a finding.
    pub fn end(&mut self) -> Option<FindingLine> {
        let text = self.open.take().filter(|text| is_numbered(text))?;
        Some(FindingLine { severity: Severity::Medium, tagged: false, text })
    }
}

/// A finding whose severity is a tag in capitals.
fn in_capitals(line: &str) -> Option<FindingLine> {
    let tags = |severity: Severity| {
        let name = severity.name();
        [format!("[{name}]"), format!("**{name}**"), format!("({name})")]
    };
    let severity =
        Severity::ALL.into_iter().find(|s| tags(*s).iter().any(|tag| line.contains(tag.as_str())))?;
    let text = tags(severity).iter().fold(bare(line).to_owned(), |text, tag| text.replace(tag.as_str(), ""));
    is_item(line).then_some(FindingLine { severity, tagged: true, text })
}

/// Whether a line begins like an entry of a list, a heading or a row.
fn is_item(line: &str) -> bool {
    let start = line.trim_start();
    start.starts_with(['-', '*', '#', '|', '+']) || start.starts_with(|c: char| c.is_ascii_digit())
}

/// A line without the marks that it begins with.
fn bare(line: &str) -> &str {
    line.trim().trim_start_matches(['-', '*', '#', '|', '+', ' '])
}

/// The severity of an entry, in any case of letters, and the entry without it.
fn severity(line: &str) -> Option<(Severity, String)> {
    if !is_item(line) {
        return None;
    }
    if line.trim_start().starts_with('|') {
        return cell(line);
    }
    let text = bare(line);
    // Lower case has the same length only in ASCII, and offsets are used below.
    let lower = text.to_ascii_lowercase();
    let found = Severity::ALL.into_iter().flat_map(|severity| {
        let name = severity.name().to_ascii_lowercase();
        let tags = [format!("[{name}]"), format!("({name})"), format!("**{name}**"), format!("**{name}:**")];
        let tagged =
            tags.into_iter().filter_map(|tag| Some((lower.find(&tag)?, tag.len()))).collect::<Vec<_>>();
        tagged.into_iter().chain(led(&lower, &name)).map(move |(at, length)| (at, length, severity))
    });
    let found = found.min_by_key(|(at, ..)| *at);
    let (at, length, severity) = found?;
    let (head, tail) = (&text[..at], &text[at + length..]);
    Some((severity, format!("{head}{tail}")))
}

/// Where a text begins with `name`, behind an id at most, or says `severity: name`.
fn led(lower: &str, name: &str) -> Option<(usize, usize)> {
    let ends = |at: usize| !lower[at..].starts_with(|c: char| c.is_alphanumeric() || c == '-');
    let marks =
        |from: usize| lower[from..].len() - lower[from..].trim_start_matches([' ', '*', ':', '_', '`']).len();
    if let Some(word) = lower.find("severity") {
        let at = word + "severity".len();
        let at = at + marks(at);
        if lower[at..].starts_with(name) && ends(at + name.len()) {
            return Some((word, at + name.len() - word));
        }
    }
    let id =
        lower.find(|c: char| !c.is_ascii_alphanumeric()).filter(|at| is_numbered(&lower[..*at])).unwrap_or(0);
    let from = id + lower[id..].len() - lower[id..].trim_start_matches([' ', '*', ':', '.', '-']).len();
    let behind = from + name.len();
    // A sentence may begin with the word: only a mark behind it makes it a severity.
    let marked = lower[from..].starts_with(name)
        && lower[behind..].trim_start_matches('*').trim_start().starts_with([':', '-', '—', '–', '|']);
    marked.then_some((from, name.len()))
}

/// The severity in the only cell of a row that holds one.
fn cell(line: &str) -> Option<(Severity, String)> {
    let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
    let of = |cell: &&str| Severity::of(cell.trim_matches(['*', '`', '[', ']', '(', ')']));
    let [severity] = cells.iter().filter_map(of).collect::<Vec<_>>()[..] else { return None };
    let rest: Vec<&str> = cells.iter().filter(|cell| of(cell).is_none()).copied().collect();
    // A row of counts says nothing about a file.
    let said = rest.iter().any(|cell| cell.split_whitespace().count() > 1 || cell.contains(['.', ':']));
    said.then(|| (severity, rest.join(", ")))
}

/// Whether only the word for it is next to a severity.
fn is_alone(rest: &str) -> bool {
    normalised(rest).is_empty()
}

/// Whether an entry says that there is nothing of a severity: a count of none, or none in words.
fn is_nothing(rest: &str) -> bool {
    let plain = normalised(rest);
    let words: Vec<&str> = plain.split(' ').collect();
    let none = ["none", "no", "nothing", "n"].contains(&words[0]) && words.len() <= 3;
    none || words.iter().all(|word| word.bytes().all(|b| b.is_ascii_digit()))
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

    fn found(text: &str) -> Vec<(Severity, bool, String)> {
        let mut reader = FindingsReader::default();
        let mut items: Vec<FindingLine> = text.lines().flat_map(|line| reader.read(line, true)).collect();
        items.extend(reader.end());
        items.into_iter().map(|item| (item.severity, item.tagged, normalised(&item.text))).collect()
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
        ] {
            assert_eq!(found(line), [(Severity::High, true, told.to_owned())], "{line}");
        }
    }

    #[test]
    fn an_id_without_a_severity_is_of_medium_severity_and_says_so() {
        assert_eq!(
            found("- F1 src/a.rs:1: open\n- Fix: close it"),
            [(Severity::Medium, false, "f1 src a rs 1 open".to_owned())]
        );
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
