//! What a person has written of an answer, kept until the debate is over: an interruption, or a time that
//! is up, loses nothing.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use agon_core::{DebateId, Key};
use serde_json::Value;

/// Where a debate's drafts are kept until it is closed.
pub fn drafts_folder(home: &Path, debate: &DebateId) -> PathBuf {
    home.join("drafts").join(debate.as_str())
}

/// Forgets where the drafts of a debate that is over were. What was written and never sent stays: its
/// writer was told where it is.
pub fn forget_drafts(home: &Path, debate: &DebateId) {
    remove_empty(&drafts_folder(home, debate));
}

fn remove_empty(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_empty(&entry.path());
        }
    }
    // A folder that holds something is left alone by the system.
    let _ = fs::remove_dir(folder);
}

/// Fields, by JSON pointer.
pub type DraftFields = BTreeMap<String, Value>;

/// The draft of one answer: words, and fields by their place in the form.
#[derive(Debug, Default)]
pub struct AnswerDraft {
    path: PathBuf,
    /// Words.
    pub text: String,
    /// Fields, by JSON pointer.
    pub fields: DraftFields,
}

impl AnswerDraft {
    /// The draft of the answer to `key`, with what was written before.
    pub fn from_folder(folder: &Path, key: &Key) -> Self {
        let path = folder.join(format!("{key}.txt"));
        let text = fs::read_to_string(&path).unwrap_or_default();
        let fields = fs::read_to_string(path.with_extension("json"));
        let fields = fields.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        Self { path, text, fields }
    }

    /// Where it is kept.
    pub fn path(&self) -> PathBuf {
        if self.text.is_empty() { self.path.with_extension("json") } else { self.path.clone() }
    }

    /// The file of its words.
    pub fn words_path(&self) -> PathBuf {
        self.path.clone()
    }

    /// Whether anything was written.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.fields.is_empty()
    }

    /// Writes it down.
    pub fn save(&self) -> io::Result<()> {
        self.path.parent().map_or(Ok(()), fs::create_dir_all)?;
        if !self.text.is_empty() {
            fs::write(&self.path, &self.text)?;
        }
        if !self.fields.is_empty() {
            let fields = serde_json::to_string_pretty(&self.fields).map_err(io::Error::other)?;
            fs::write(self.path.with_extension("json"), fields)?;
        }
        Ok(())
    }

    /// Begins with what an earlier answer said, where nothing was written since.
    pub fn begin_with(&mut self, earlier: &str, words: Option<&str>) {
        if !self.is_empty() {
            return;
        }
        let Ok(value) = agon_core::parse::parse_json_answer(earlier) else {
            self.text = earlier.to_owned();
            return;
        };
        match words.and_then(|path| at_path(&value, path)) {
            Some(text) => self.text = text.to_owned(),
            None => flatten_fields(&value, "", &mut self.fields),
        }
    }

    /// Begins again.
    pub fn clear(&mut self) {
        self.text.clear();
        self.fields.clear();
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(self.path.with_extension("json"));
    }
}

/// The text at `path`, in the first entry of each list.
fn at_path<'v>(value: &'v Value, path: &str) -> Option<&'v str> {
    let found = path.split('.').try_fold(value, |value, name| value.get(0).unwrap_or(value).get(name))?;
    found.get(0).unwrap_or(found).as_str()
}

/// Every field of `value` that holds no others, by its place.
fn flatten_fields(value: &Value, at: &str, fields: &mut DraftFields) {
    if let Some(object) = value.as_object() {
        object.iter().for_each(|(name, value)| flatten_fields(value, &format!("{at}/{name}"), fields));
    } else if let Some(items) = value.as_array().filter(|items| items.iter().any(|item| item.is_object())) {
        items.iter().enumerate().for_each(|(i, item)| flatten_fields(item, &format!("{at}/{i}"), fields));
    } else if !value.is_null() {
        fields.insert(at.to_owned(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_is_there_again_after_an_interruption() {
        let folder = tempfile::tempdir().unwrap();
        let key = Key::from_parts("round-001/debater-1");
        let mut draft = AnswerDraft::from_folder(folder.path(), &key);
        assert!(draft.is_empty());
        draft.text = "Half a sen".into();
        draft.fields.insert("/score".into(), 1.into());
        draft.save().unwrap();
        let mut again = AnswerDraft::from_folder(folder.path(), &key);
        assert_eq!((again.text.as_str(), again.fields.len()), ("Half a sen", 1));
        again.clear();
        assert!(AnswerDraft::from_folder(folder.path(), &key).is_empty());
        let debate = DebateId::new("d1").unwrap();
        let mut left = AnswerDraft::from_folder(&drafts_folder(folder.path(), &debate), &key);
        left.text = "never sent".into();
        left.save().unwrap();
        forget_drafts(folder.path(), &debate);
        assert!(left.path().exists(), "what was never sent stays");
        left.clear();
        forget_drafts(folder.path(), &debate);
        assert!(!drafts_folder(folder.path(), &debate).exists());
    }

    #[test]
    fn an_answer_that_is_asked_for_again_is_where_one_begins() {
        let earlier = r#"{"entries": [{"type": "new_point", "content": "So."}], "ids": [1, 2], "none": null}"#;
        let mut draft = AnswerDraft::default();
        draft.begin_with(earlier, Some("entries.content"));
        assert_eq!(draft.text, "So.");
        let mut draft = AnswerDraft::default();
        draft.begin_with(earlier, None);
        let known: Vec<&str> = draft.fields.keys().map(String::as_str).collect();
        assert_eq!(known, ["/entries/0/content", "/entries/0/type", "/ids"]);
    }
}
