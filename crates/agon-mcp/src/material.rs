//! The material of the tool `debate`: files of this machine, or texts that the client sends.

use std::path::Path;

use agon_app::opening;
use serde_json::Value;

use crate::refusal::ToolRefusal;

/// A text that the debate is to be held about.
#[derive(Debug, PartialEq)]
pub(crate) struct MaterialText {
    /// How readers refer to it.
    name: String,
    text: String,
}

/// Reads `material`: paths, or objects with a `text` and, if they like, its `path`. A client that may not name
/// files of this machine sends texts.
pub(crate) fn read(material: Vec<Value>, reads_files: bool) -> Result<Vec<MaterialText>, ToolRefusal> {
    let one = |(at, item): (usize, Value)| {
        let path = item.as_str().or_else(|| item["path"].as_str()).map(str::to_owned);
        let name = path.clone().unwrap_or_else(|| format!("material-{}.md", at + 1));
        match (item["text"].as_str(), path) {
            (Some(text), _) => Ok(MaterialText { name, text: text.to_owned() }),
            (None, Some(path)) if reads_files => {
                Ok(MaterialText { text: opening::document(Path::new(&path))?, name })
            }
            (None, Some(path)) => Err(ToolRefusal::new(
                "usage",
                format!("{path:?}: files of the server's machine cannot be named; send {{\"text\": …}}"),
            )),
            (None, None) => Err(ToolRefusal::Malformed(format!(
                "material[{at}]: a path, or an object with \"text\" and \"path\", is needed"
            ))),
        }
    };
    material.into_iter().enumerate().map(one).collect()
}

/// The motion, followed by its material.
pub(crate) fn with(motion: &str, texts: &[MaterialText]) -> String {
    let mut whole = motion.trim().to_owned();
    for MaterialText { name, text } in texts {
        let fence = fence(text);
        whole.push_str(&format!("\n\nMaterial {name}:\n\n{fence}\n{}\n{fence}", text.trim_end()));
    }
    whole
}

/// The one document of a debate about a document; the end of its line tells it from a path.
pub(crate) fn document(texts: &[MaterialText]) -> Result<String, ToolRefusal> {
    match texts {
        [one] => Ok(format!("{}\n", one.text.trim_end())),
        _ => Err(ToolRefusal::new("usage", "a debate of this kind is about one document; send one text")),
    }
}

/// A fence longer than any in `text`, so that the text cannot end it.
fn fence(text: &str) -> String {
    let ticks = text.lines().map(|line| line.trim_start().bytes().take_while(|byte| *byte == b'`').count());
    "`".repeat(ticks.max().unwrap_or_default().max(2) + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_and_files_become_part_of_the_motion() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        std::fs::write(&path, "Rest is cheap.\n").unwrap();
        let path = path.to_str().unwrap();
        let material =
            vec![json!(path), json!({"text": "```\ncode\n```"}), json!({"path": "b.md", "text": "B"})];
        let texts = read(material, true).unwrap();
        let whole = with(" Rest? ", &texts);
        assert_eq!(
            whole,
            format!(
                "Rest?\n\nMaterial {path}:\n\n```\nRest is cheap.\n```\n\nMaterial material-2.md:\n\n\
                 ````\n```\ncode\n```\n````\n\nMaterial b.md:\n\n```\nB\n```"
            )
        );
        assert!(document(&texts).is_err());
        assert_eq!(document(&texts[2..]).unwrap(), "B\n");
    }

    #[test]
    fn what_is_neither_a_text_nor_a_file_that_may_be_read_is_refused() {
        assert!(matches!(read(vec![json!("a.md")], false), Err(ToolRefusal::Refused { .. })));
        assert!(matches!(read(vec![json!("absent.md")], true), Err(ToolRefusal::Refused { .. })));
        for wrong in [json!(3), json!({}), json!({"path": 3}), json!(null)] {
            assert!(matches!(read(vec![wrong], true), Err(ToolRefusal::Malformed(_))));
        }
    }
}
