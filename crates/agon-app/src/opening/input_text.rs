//! Texts of a new debate: its motion, and files of the user.

use std::{io::Read, path::Path};

use agon_protocols::common::fields::one_line;

use crate::failure::{Failure, Result};

/// Longest motion, in characters.
pub const MOTION_CHARS_MAX: usize = 20_000;
/// Largest document, in bytes.
pub const DOCUMENT_BYTES_MAX: u64 = 1024 * 1024;
/// Longest topic made from a heading, in characters.
const TOPIC_CHARS_MAX: usize = 300;

/// The motion: a text, or what a file holds unless it is to be a `text_only`.
pub fn read_motion(given: Option<&str>, text_only: bool) -> Result<String> {
    let Some(given) = given else {
        return Err(Failure::usage("no motion", "give the motion: a text, or a file that contains it"));
    };
    if text_only {
        return check_motion(given);
    }
    let path = Path::new(given);
    let is_file = given.len() < 4096 && !given.contains('\n') && path.exists();
    // One byte more than can be taken tells that it is too long without reading all of it.
    let text = if is_file { read_text_file(path, MOTION_CHARS_MAX as u64 * 4 + 1)? } else { given.to_owned() };
    if !is_file && looks_like_a_path(given) {
        return Err(Failure::usage(format!("no file {given}"), "check its name, or give the motion as text"));
    }
    check_motion(&text)
}

/// `text` as a motion.
pub fn check_motion(text: &str) -> Result<String> {
    let motion = text.trim();
    if !motion.chars().any(char::is_alphanumeric) {
        return Err(Failure::usage(
            if motion.is_empty() { "the motion is empty" } else { "the motion has no words" },
            "give a motion, for example \"This house would …\"",
        ));
    }
    let length = motion.chars().count();
    if length > MOTION_CHARS_MAX {
        return Err(Failure::usage(
            format!("the motion has {length} characters; at most {MOTION_CHARS_MAX} are allowed"),
            "state it in a sentence or a page",
        ));
    }
    Ok(motion.to_owned())
}

fn looks_like_a_path(text: &str) -> bool {
    !text.contains(char::is_whitespace) && [".md", ".txt", ".markdown"].iter().any(|end| text.ends_with(end))
}

/// A text file, whole: UTF-8, at most 1 MB, with something in it.
pub fn read_document(path: &Path) -> Result<String> {
    if let Ok(about) = std::fs::metadata(path)
        && !about.is_file()
        && !about.is_dir()
    {
        return Err(Failure::usage(format!("{} is not a regular file", path.display()), "name a text file"));
    }
    let text = read_text_file(path, DOCUMENT_BYTES_MAX + 1)?;
    check_size(&text, &path.display().to_string(), ["use only the part that matters", "name a text file"])
}

/// A text that someone elsewhere sent in a file's place: at most 1 MB, with something in it.
pub fn check_inline_text(text: &str) -> Result<String> {
    check_size(text, "a text", ["send only the part that matters", "send the text itself"])
}

/// `text` as a document, which is called `name`; the remedies are for one that is too large and for one that is empty.
fn check_size(text: &str, name: &str, [large, empty]: [&str; 2]) -> Result<String> {
    if text.len() as u64 > DOCUMENT_BYTES_MAX {
        return Err(Failure::usage(format!("{name} is larger than 1 MB"), large));
    }
    if text.trim().is_empty() {
        return Err(Failure::usage(format!("{name} is empty"), empty));
    }
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned())
}

/// The first `bytes_max` bytes of a text file.
fn read_text_file(path: &Path, bytes_max: u64) -> Result<String> {
    let name = path.display();
    if path.is_dir() {
        return Err(Failure::usage(format!("{name} is a folder"), "name a file, or give the motion as text"));
    }
    let fault = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::usage(format!("no file {name}"), "check its name"),
        _ => Failure::io(format!("{name}: {error}"), "grant permission to read it"),
    };
    let mut bytes = Vec::new();
    std::fs::File::open(path).map_err(fault)?.take(bytes_max).read_to_end(&mut bytes).map_err(fault)?;
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    text.ok_or_else(|| Failure::usage(format!("{name} is not a text file"), "name a file of UTF-8 text"))
}

/// The first heading of a Markdown text, outside of fenced code.
pub fn find_heading(markdown: &str) -> Option<String> {
    let mut fence: Option<&str> = None;
    for line in markdown.lines() {
        let line = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                let text = line.trim_start_matches('#');
                let level = line.len() - text.len();
                if (1..=6).contains(&level) && text.starts_with([' ', '\t']) {
                    let text = one_line(text.trim_end().trim_end_matches('#'));
                    if text.chars().any(char::is_alphanumeric) {
                        return Some(text.chars().take(TOPIC_CHARS_MAX).collect());
                    }
                }
            }
            (Some(_), _) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::exit;

    #[test]
    fn motions_that_say_nothing_are_refused() {
        for bad in ["", "   ", "?!…", "absent-file.md"] {
            assert!(read_motion(Some(bad), false).is_err(), "{bad:?}");
        }
        assert!(read_motion(Some(&"x".repeat(100_000)), false).is_err());
        assert_eq!(read_motion(Some(" This house would. "), false).unwrap(), "This house would.");
    }

    #[test]
    fn the_first_heading_of_a_text_is_its_topic() {
        for (text, wanted) in [
            ("# One\n# Two", Some("One")),
            ("words\n\n  ## Two words ##\n", Some("Two words")),
            ("```\n# in code\n```\n# Real", Some("Real")),
            ("#hashtag\n#######  seven\n# ***\n", None),
            ("", None),
        ] {
            assert_eq!(find_heading(text).as_deref(), wanted, "{text:?}");
        }
    }

    #[test]
    fn documents_are_whole_texts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.md");
        for (content, says) in [
            (&b""[..], "is empty"),
            (b" \n", "is empty"),
            (b"\x89PNG\0", "not a text file"),
            (&[b'x'; 1024 * 1024 + 1], "larger than 1 MB"),
        ] {
            std::fs::write(&path, content).unwrap();
            assert!(read_document(&path).unwrap_err().message.contains(says));
        }
        assert_eq!(read_document(folder.path()).unwrap_err().exit, exit::USAGE);
        assert!(read_document(&folder.path().join("absent")).unwrap_err().message.starts_with("no file"));
    }
}
