//! What is wrong with a declaration: one message with line, key and remedy.

use std::fmt;

use toml::de::{DeTable, DeValue};

/// Why a declaration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct DeclarationFault {
    /// Line of the file, from 1.
    pub line: usize,
    /// The key, for example `phase.ask.seats`; empty for the file.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

impl fmt::Display for DeclarationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match self.key.as_str() {
            "" => f.write_str(&self.message),
            key => write!(f, "{key}: {}", self.message),
        }
    }
}

impl DeclarationFault {
    /// At a path into the file, such as `phase[1].ask[0].seats`; the nearest part of it that is
    /// there gives the line.
    pub(super) fn at_path(text: &str, path: &str, message: impl Into<String>, remedy: impl Into<String>) -> Box<Self> {
        let key = path.split('.').map(|part| part.split('[').next().unwrap_or(part));
        Box::new(Self {
            line: line_at(text, locate_path(text, path)),
            key: key.collect::<Vec<_>>().join("."),
            message: message.into(),
            remedy: remedy.into(),
        })
    }

    /// What the reader of TOML says.
    pub(super) fn of_toml(text: &str, error: &toml::de::Error) -> Box<Self> {
        let message = error.message();
        let remedy = match message {
            m if m.starts_with("unknown field") => "correct the key, or take it out",
            m if m.starts_with("missing field") => "add it",
            m if m.starts_with("unknown variant") => "take one of those",
            _ => "mend that line; docs/protocols/declared.md lists what may stand there",
        };
        let at = error.span().map_or(0, |span| span.start);
        let message = message.lines().collect::<Vec<_>>().join("; ").replace('`', "");
        Box::new(Self { line: line_at(text, at), key: String::new(), message, remedy: remedy.into() })
    }
}

/// The line that byte `at` is in, from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// The byte at which what `path` names begins, as far down as it is there.
pub(super) fn locate_path(text: &str, path: &str) -> usize {
    let Ok(table) = DeTable::parse(text) else { return 0 };
    let mut at = 0;
    let mut here = DeValue::Table(table.into_inner());
    for part in path.split('.') {
        let (name, index) = match part.split_once('[') {
            Some((name, index)) => (name, index.trim_end_matches(']').parse::<usize>().ok()),
            None => (part, None),
        };
        let DeValue::Table(table) = here else { break };
        let Some((key, value)) = table.into_iter().find(|(key, _)| key.get_ref() == name) else { break };
        // The value of a table header is the table; the key is where people look.
        at = match value.get_ref() {
            DeValue::String(_) => value.span().start,
            _ => key.span().start,
        };
        here = value.into_inner();
        if let Some(index) = index {
            let DeValue::Array(items) = here else { break };
            let Some(item) = items.into_iter().nth(index) else { break };
            at = item.span().start;
            here = item.into_inner();
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_gives_the_line_of_what_it_names() {
        let text = "a = 1\n[[phase]]\nname = \"x\"\n[[phase.ask]]\nseats = [\n  \"s\",\n  \"t\"]\n[[phase]]\n\nname = \"\"\"\ny\"\"\"\n";
        for (path, line) in [
            ("a", 1),
            ("phase[0].name", 3),
            ("phase[0].ask[0]", 4),
            ("phase[0].ask[0].seats", 5),
            ("phase[0].ask[0].seats[1]", 7),
            ("phase[1]", 8),
            ("phase[1].name", 10),
            ("phase[0].ask[0].missing", 4),
            ("missing", 1),
        ] {
            assert_eq!(line_at(text, locate_path(text, path)), line, "{path}");
        }
    }
}
