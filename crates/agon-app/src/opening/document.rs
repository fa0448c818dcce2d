//! The document of a debate: agon reads the Markdown file once, or takes the text that a client sends, and pins it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use agon_protocols::common::fields::one_line;

use super::{input_text, subject::DebateIntake};
use crate::failure::{Failure, Result};

/// Name of the document that a debate is about.
pub const SOURCE: &str = "source";
/// Name of the option that says where it was.
pub const SOURCE_PATH: &str = "source_path";

/// The document at `given`, or the text itself: what has several lines, and all that someone elsewhere sends.
/// Its topic is the one given, its first heading, or its name.
pub fn read_document(given: Option<&str>, topic: Option<&str>, from_elsewhere: bool) -> Result<DebateIntake> {
    let Some(given) = given else {
        return Err(Failure::usage("no document", "name the Markdown file to debate"));
    };
    let (path, text) = match from_elsewhere || given.contains('\n') {
        true => (None, input_text::check_inline_text(given)?),
        false => read_markdown(Path::new(given)).map(|(path, text)| (Some(path), text))?,
    };
    let stem = path.as_ref().and_then(|path| Some(one_line(&path.file_stem()?.to_string_lossy())));
    let topic = topic.map(one_line).filter(|topic| !topic.is_empty());
    let Some(topic) = topic.or_else(|| input_text::find_heading(&text)).or(stem) else {
        return Err(Failure::usage(
            "the document has no heading",
            "send Markdown with a heading, or name the question to examine it for (topic)",
        ));
    };
    let path = path.map(|path| (SOURCE_PATH.to_owned(), path.display().to_string().into()));
    Ok(DebateIntake {
        motion: input_text::check_motion(&topic)?,
        options: path.into_iter().collect(),
        documents: BTreeMap::from([(SOURCE.to_owned(), text)]),
        ..DebateIntake::default()
    })
}

/// The Markdown file at `path`, with its place from the root. The files of an imported debate say where theirs is:
/// nothing but Markdown is taken from there, for models will read it.
///
/// # Errors
///
/// Where it is none, or cannot be read.
pub fn read_markdown(path: &Path) -> Result<(PathBuf, String)> {
    let ending = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    if !matches!(ending.as_deref(), Some("md" | "markdown")) {
        let given: String = path.to_string_lossy().chars().take(80).collect();
        return Err(Failure::usage(
            format!("{given:?} is not a Markdown file"),
            "name the document to debate, a file that ends in .md or .markdown",
        ));
    }
    let text = input_text::read_document(path)?;
    let path = path
        .canonicalize()
        .map_err(|error| Failure::io(format!("{}: {error}", path.display()), "grant permission to read it"))?;
    Ok((path, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_taken_with_its_topic_and_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Plan A.MD");
        let name = path.to_str().unwrap();
        std::fs::write(&path, "intro\n# Move house\n").unwrap();
        let topic = |given: Option<&str>| read_document(Some(name), given, false).unwrap().motion;
        assert_eq!(topic(None), "Move house");
        assert_eq!(topic(Some(" Why\nnow? ")), "Why now?");
        assert_eq!(topic(Some("  ")), "Move house");
        std::fs::write(&path, "no heading").unwrap();
        assert_eq!(topic(None), "Plan A");
        let read = read_document(Some(name), None, false).unwrap();
        assert!(Path::new(read.options[SOURCE_PATH].as_str().unwrap()).is_absolute());
    }

    #[test]
    fn what_is_no_markdown_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(folder.path().join("x.txt"), "x").unwrap();
        std::fs::create_dir(folder.path().join("d.md")).unwrap();
        for (given, says) in [
            (None, "no document"),
            (Some("This house would.".to_owned()), "is not a Markdown file"),
            (Some(at("x.txt")), "is not a Markdown file"),
            (Some(at("absent.md")), "no file"),
            (Some(at("d.md")), "is a folder"),
        ] {
            let error = read_document(given.as_deref(), None, false).unwrap_err();
            assert!(error.message.contains(says) && error.exit == 2, "{given:?}: {}", error.message);
        }
    }

    #[test]
    fn a_text_that_is_sent_is_the_document() {
        let text = "# Move house\n\nThe rent is lower.\n";
        for from_elsewhere in [false, true] {
            let read = read_document(Some(text), None, from_elsewhere).unwrap();
            assert_eq!((read.motion.as_str(), read.documents[SOURCE].as_str()), ("Move house", text));
            assert!(read.options.is_empty());
        }
        assert_eq!(read_document(Some("One line."), Some("Why?"), true).unwrap().motion, "Why?");
        for (sent, says) in [("No heading.", "no heading"), (" \n ", "empty")] {
            let error = read_document(Some(sent), None, true).unwrap_err();
            assert!(error.message.contains(says) && error.exit == 2, "{}", error.message);
        }
        // Someone elsewhere names no file of this machine.
        let path = std::env::current_dir().unwrap().join("Cargo.toml");
        assert!(read_document(path.to_str(), None, true).unwrap_err().message.contains("no heading"));
    }
}
