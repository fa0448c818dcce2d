//! The material of the tool `debate`, as a request to open a debate names it.

use serde_json::{Value, json};

use crate::refusal::ToolRefusal;

/// `material` as sources of a request: what is named stays as it is, and a text without a path gets one.
pub(crate) fn sources(material: Vec<Value>) -> Result<Vec<Value>, ToolRefusal> {
    // What is mistyped would be ignored, and a path be read in the place of a text.
    let is_known =
        |(name, value): (&String, &Value)| ["path", "text"].contains(&name.as_str()) && value.is_string();
    let fields = |item: &Value, name: &str| {
        let fields = item.as_object().filter(|fields| fields.iter().all(is_known))?;
        fields.get(name)?.as_str().map(str::to_owned)
    };
    let one = |(at, item): (usize, Value)| match (fields(&item, "text"), fields(&item, "path"), item.as_str())
    {
        (Some(text), path, _) => {
            let path = path.unwrap_or_else(|| format!("material-{}.md", at + 1));
            Ok(json!({"path": path, "text": text}))
        }
        (None, Some(path), _) => Ok(path.into()),
        (None, None, Some(path)) => Ok(path.into()),
        (None, None, None) => Err(ToolRefusal::Malformed(format!(
            "material[{at}]: a path, or an object with \"text\" and \"path\", is needed"
        ))),
    };
    material.into_iter().enumerate().map(one).collect()
}

/// The document of a debate about a document, which is the first of its `sources`: its path, if this client may
/// name files, or its text. The end of its last line tells a text from a path.
pub(crate) fn document(first: &Value, reads_files: bool) -> Result<String, ToolRefusal> {
    match (first["text"].as_str(), first.as_str()) {
        (None, Some(path)) if reads_files => Ok(path.to_owned()),
        (None, path) => Err(ToolRefusal::new(
            "usage",
            format!(
                "{:?}: files of the server's machine cannot be named; send {{\"text\": …}}",
                path.unwrap_or_default()
            ),
        )),
        (Some(text), _) => Ok(format!("{}\n", text.trim_end())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_paths_become_sources() {
        let material = vec![
            json!("src/"),
            json!({"path": "a.md"}),
            json!({"text": "B"}),
            json!({"path": "c", "text": "C"}),
        ];
        let sources = sources(material).unwrap();
        let wanted = [
            json!("src/"),
            json!("a.md"),
            json!({"path": "material-3.md", "text": "B"}),
            json!({"path": "c", "text": "C"}),
        ];
        assert_eq!(sources, wanted);
        assert_eq!(document(&sources[1], true).unwrap(), "a.md");
        assert_eq!(document(&sources[2], false).unwrap(), "B\n");
        assert!(matches!(document(&sources[1], false), Err(ToolRefusal::Refused { .. })));
    }

    #[test]
    fn what_is_neither_a_text_nor_a_path_is_refused() {
        let mistyped = [json!({"path": "a.md", "txt": "B"}), json!({"path": 3, "text": "B"})];
        for wrong in [json!(3), json!({}), json!({"path": 3}), json!(null)].into_iter().chain(mistyped) {
            assert!(matches!(sources(vec![wrong.clone()]), Err(ToolRefusal::Malformed(_))), "{wrong}");
        }
    }
}
