//! What a question names, and what lies in the folder. Nothing is read but names and what git noted.

use std::path::Path;

use agon_material::local_changes::ChangesAtHand;
use agon_text::parse_place;

use crate::{
    failure::{Failure, Result},
    own_files::OwnFiles,
};

/// Sources that are taken from a question.
const NAMED_MAX: usize = 20;

/// Material that a question names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSource {
    /// The word of the question.
    pub word: String,
    /// As `--context` takes it.
    pub source: String,
    /// Whether it is a Markdown file.
    pub is_document: bool,
}

/// What can be material of a debate about a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaterialAtHand {
    /// What the question names and is there.
    pub named: Vec<NamedSource>,
    /// The first path of the question that is not there.
    pub missing: Option<String>,
    /// The changes of the working copy.
    pub changes: Option<ChangesAtHand>,
}

/// What `question` names in `folder`, or else the changes there, if it can mean them.
///
/// # Errors
///
/// Where git does not end in time.
pub fn at_hand(question: &str, folder: &Path) -> Result<MaterialAtHand> {
    let mut named: Vec<NamedSource> = Vec::new();
    let mut missing = None;
    let mut rest = question.to_owned();
    for span in quoted_spans(question) {
        let is_address = is_foreign(span);
        if let Some(source) = find_source(span, folder).filter(|_| !is_address).filter(|_| named.len() < NAMED_MAX) {
            rest = rest.replace(span, " ");
            named.push(source);
        }
    }
    for word in rest.split_whitespace().map(strip_punctuation) {
        if named.len() == NAMED_MAX {
            break;
        }
        if named.iter().any(|known| known.word == word) {
            continue;
        }
        match find_source(word, folder) {
            Some(source) => named.push(source),
            None if missing.is_none() && is_missing_path(word, folder) => missing = Some(word.to_owned()),
            None => {}
        }
    }
    let mut found = MaterialAtHand { named, missing, changes: None };
    let words = super::question_words(question, &found);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // Git is not asked where nobody wants to know: a home folder can be a repository.
    if found.named.is_empty() && super::may_mean_changes(question.trim().ends_with('?'), &words) {
        let own = OwnFiles::default();
        let changes = agon_material::local_changes::find_changes(folder, &|path| own.has_file(path));
        found.changes = changes.map_err(|fault| {
            Failure::usage(fault.to_string(), "name the material with --context, so that git is not asked")
        })?;
    }
    Ok(found)
}

/// A word without the punctuation around it.
pub(super) fn strip_punctuation(word: &str) -> &str {
    let is_around = |c: char| "`'\"()[]{}<>,;!?“”‘’«»".contains(c);
    word.trim_matches(is_around).trim_end_matches(['.', ':']).trim_matches(is_around)
}

/// What stands in quotes with a blank in it, as names of files must that have one.
fn quoted_spans(question: &str) -> Vec<&str> {
    let mut spans: Vec<&str> = Vec::new();
    for (open, close) in [('`', '`'), ('"', '"'), ('“', '”'), ('«', '»'), ('\'', '\'')] {
        let mut rest = question;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((span, later)) = after.split_once(close) else { break };
            let is_name = span.trim() == span && span.contains(' ') && !spans.contains(&span);
            spans.extend(is_name.then_some(span));
            // An apostrophe opens nothing, so what closes can also open.
            rest = if open == '\'' { after } else { later };
        }
    }
    spans
}

/// Whether a word is written as nothing but a path is, from this folder or with a line, and nothing is there.
fn is_missing_path(word: &str, folder: &Path) -> bool {
    let has_ending = |path: &str| path.rsplit_once('.').is_some_and(|(_, end)| end.starts_with(char::is_alphabetic));
    let is_path = word.starts_with("./")
        || word.starts_with("../")
        || parse_place(word).is_ok_and(|place| has_ending(&place.path));
    is_path && !folder.join(word).exists()
}

/// Whether a word names something other than a file.
fn is_foreign(word: &str) -> bool {
    let starts = ["git:", "https://", "http://"];
    starts.iter().any(|start| word.strip_prefix(start).is_some_and(|rest| !rest.is_empty() || *start == "git:"))
}

fn find_source(word: &str, folder: &Path) -> Option<NamedSource> {
    let named =
        |source: &str, is_document| Some(NamedSource { word: word.to_owned(), source: source.to_owned(), is_document });
    if is_foreign(word) {
        return named(word, false);
    }
    // A word that happens to be the name of a folder is a word.
    if !word.contains(['/', '.']) || word.chars().all(|c| c == '.' || c == '/') {
        return None;
    }
    let path = match parse_place(word) {
        Ok(place) if !folder.join(word).exists() => place.path,
        _ => word.to_owned(),
    };
    let about = folder.join(&path).metadata().ok()?;
    let is_markdown = path.to_lowercase().ends_with(".md") || path.to_lowercase().ends_with(".markdown");
    // A path that looks like an option is not one, nor does it say who sees it.
    let shown = if path.starts_with('-') || path.contains('=') { format!("./{path}") } else { path };
    named(&shown, is_markdown && about.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in
            [("src/a.rs", "x\n"), ("docs/plan.md", "# x\n"), ("-x.md", "x\n"), ("a b.rs", "x"), ("critic=r.rs", "x")]
        {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        for (question, sources) in [
            ("Is src/a.rs right?", vec![("src/a.rs", false)]),
            ("Look at `src/a.rs:1-3`, please.", vec![("src/a.rs", false)]),
            ("Attack docs/plan.md.", vec![("docs/plan.md", true)]),
            ("Read src/ and (docs/plan.md)!", vec![("src/", false), ("docs/plan.md", true)]),
            ("src/a.rs or src/a.rs?", vec![("src/a.rs", false)]),
            (
                "What of git:main..HEAD and https://a.org/b?",
                vec![("git:main..HEAD", false), ("https://a.org/b", false)],
            ),
            ("Take -x.md", vec![("./-x.md", true)]),
            ("Review `a b.rs:1` please, it's urgent", vec![("a b.rs", false)]),
            ("It's \"a b.rs\" and 'a b.rs' or “a b.rs”", vec![("a b.rs", false)]),
            ("critic=r.rs", vec![("./critic=r.rs", false)]),
            ("src docs e.g. 1.5 and/or nothing.md ... / .. /..", vec![]),
        ] {
            let found = at_hand(question, folder.path()).unwrap();
            let named: Vec<(&str, bool)> =
                found.named.iter().map(|named| (named.source.as_str(), named.is_document)).collect();
            assert_eq!(named, sources, "{question}");
        }
    }

    #[test]
    fn a_question_names_what_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.rs"), "x\n").unwrap();
        for (question, missing) in [
            ("Look at `b.rs:3`, a.rs:1, and ../a.rs", Some("b.rs:3")),
            ("Is ./ or ./a.rs or ./PLAN.MD right?", Some("./PLAN.MD")),
            ("Is src/a.rs right, or Node.js, at 10:30 or 5.30:1, in example.org/a.html?", None),
            ("https://example.org/x.html:1 git:a.rs:1", None),
        ] {
            let found = at_hand(question, folder.path()).unwrap();
            assert_eq!(found.missing.as_deref(), missing, "{question}");
        }
    }
}
