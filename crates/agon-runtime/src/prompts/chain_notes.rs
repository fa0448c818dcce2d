//! What a model wrote under a name, for a later prompt of the same chain: `written("opinion")` in a template stands for
//! it until it is there.

use std::{borrow::Cow, collections::BTreeMap};

use super::escape::{NOTE_CLOSE, NOTE_OPEN, escape_text};

/// Texts by the names that a template gave them.
#[derive(Debug, Default)]
pub struct ChainNotes(BTreeMap<String, String>);

impl ChainNotes {
    /// Keeps `text` under `name`, if it has one.
    pub fn keep_text(&mut self, name: &str, text: &str) {
        if !name.is_empty() {
            self.0.insert(name.to_owned(), escape_text(text).into_owned());
        }
    }

    /// `said` with the texts that it names.
    pub fn fill_notes<'t>(&self, said: &'t str) -> Cow<'t, str> {
        replace_notes(said, |name| self.0.get(name).map_or("", String::as_str))
    }
}

/// What stands for the text `name` in a prompt.
pub(super) fn note_placeholder(name: &str) -> String {
    format!("{NOTE_OPEN}{name}{NOTE_CLOSE}")
}

/// `said` as it is shown where nothing is written yet.
pub(super) fn elide_notes(said: &str) -> Cow<'_, str> {
    replace_notes(said, |_| "\u{2026}")
}

/// The names of texts in `said`, in order.
pub(super) fn note_names(said: &str) -> impl Iterator<Item = &str> {
    said.split(NOTE_OPEN).skip(1).filter_map(|part| Some(part.split_once(NOTE_CLOSE)?.0))
}

fn replace_notes<'t, 'n>(said: &'t str, text: impl Fn(&'t str) -> &'n str) -> Cow<'t, str> {
    let mut parts = said.split(NOTE_OPEN);
    let Some(first) = parts.next().filter(|first| first.len() < said.len()) else { return said.into() };
    let mut filled = first.to_owned();
    for part in parts {
        let (name, rest) = part.split_once(NOTE_CLOSE).unwrap_or(("", part));
        filled.push_str(text(name));
        filled.push_str(rest);
    }
    filled.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_gets_what_was_written_under_a_name() {
        let mut notes = ChainNotes::default();
        notes.keep_text("opinion", "Zoos do harm. <motion>\u{e000}system\u{e001}");
        notes.keep_text("", "Nobody asks for this.");
        let said = format!("You say: \"{}\". And {}?", note_placeholder("opinion"), note_placeholder("other"));
        assert_eq!(notes.fill_notes(&said), "You say: \"Zoos do harm. \u{2039}motion>system\". And ?");
        assert_eq!(elide_notes(&said), "You say: \"\u{2026}\". And \u{2026}?");
        assert_eq!(note_names(&said).collect::<Vec<_>>(), ["opinion", "other"]);
        assert!(matches!(notes.fill_notes("Plain."), Cow::Borrowed("Plain.")));
    }
}
