//! What a question names, and what lies in the folder. Nothing is read but names and what git noted.

use std::path::Path;

use agon_context::{at_hand::ChangesAtHand, place::LinePlace};

use crate::failure::{Failure, Result};

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
    /// The changes of the working copy.
    pub changes: Option<ChangesAtHand>,
}

/// What `question` names in `folder`, and the changes there.
///
/// # Errors
///
/// Where git does not end in time.
pub fn at_hand(question: &str, folder: &Path) -> Result<MaterialAtHand> {
    let mut named: Vec<NamedSource> = Vec::new();
    for word in question.split_whitespace().map(plain) {
        if named.len() == NAMED_MAX {
            break;
        }
        if named.iter().all(|known| known.word != word)
            && let Some(source) = source(word, folder)
        {
            named.push(source);
        }
    }
    let changes = agon_context::at_hand::changes(folder).map_err(|fault| {
        Failure::usage(fault.to_string(), "name the material with --context, so that git is not asked")
    })?;
    Ok(MaterialAtHand { named, changes })
}

/// A word without the punctuation around it.
pub(super) fn plain(word: &str) -> &str {
    let is_around = |c: char| "`'\"()[]{}<>,;!?“”‘’«»".contains(c);
    word.trim_matches(is_around).trim_end_matches(['.', ':']).trim_matches(is_around)
}

fn source(word: &str, folder: &Path) -> Option<NamedSource> {
    let named = |source: &str, is_document| {
        Some(NamedSource { word: word.to_owned(), source: source.to_owned(), is_document })
    };
    let is_foreign = ["git:", "https://", "http://"]
        .iter()
        .any(|start| word.strip_prefix(start).is_some_and(|rest| !rest.is_empty() || *start == "git:"));
    if is_foreign {
        return named(word, false);
    }
    // A word that happens to be the name of a folder is a word.
    if !word.contains(['/', '.']) || word.chars().all(|c| c == '.' || c == '/') {
        return None;
    }
    let path = match word.parse::<LinePlace>() {
        Ok(place) if !folder.join(word).exists() => place.path,
        _ => word.to_owned(),
    };
    let about = folder.join(&path).metadata().ok()?;
    let is_markdown = path.to_lowercase().ends_with(".md") || path.to_lowercase().ends_with(".markdown");
    // A path that looks like an option is not one.
    let shown = if path.starts_with('-') { format!("./{path}") } else { path };
    named(&shown, is_markdown && about.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in
            [("src/a.rs", "x\n"), ("docs/plan.md", "# x\n"), ("-x.md", "x\n"), ("a b.rs", "x")]
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
            ("src docs e.g. 1.5 and/or nothing.md ... / .. /..", vec![]),
        ] {
            let found = at_hand(question, folder.path()).unwrap();
            let named: Vec<(&str, bool)> =
                found.named.iter().map(|named| (named.source.as_str(), named.is_document)).collect();
            assert_eq!(named, sources, "{question}");
        }
    }
}
