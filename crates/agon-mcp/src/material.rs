//! The material of the tool `debate`, as a request to open a debate names it.

use serde_json::{Value, json};

use crate::refusal::{Result, ToolRefusal};

/// What an item of material is.
const NEEDED: &str = "a path is needed, or an object with \"text\", \"path\" and \"seats\"";

/// `material` as sources of a request: what is named stays as it is, and a text without a path gets one.
pub(crate) fn build_sources(material: Vec<Value>) -> Result<Vec<Value>> {
    let all: Result<Vec<_>> = material.into_iter().enumerate().map(expand_item).collect();
    Ok(all?.concat())
}

/// What one item stands for: a path for some seats is named once for each.
fn expand_item((at, item): (usize, Value)) -> Result<Vec<Value>> {
    let refused = |why: String| ToolRefusal::Malformed(format!("material[{at}]: {why}"));
    if let Some(path) = item.as_str() {
        return Ok(vec![path.into()]);
    }
    let fields = item.as_object().ok_or_else(|| refused(NEEDED.to_owned()))?;
    // What is mistyped would be ignored, and a path be read in the place of a text.
    for (name, value) in fields {
        let seats = || value.as_array().is_some_and(|seats| seats.iter().all(Value::is_string));
        match name.as_str() {
            "path" | "text" if value.is_string() => {}
            "seats" if seats() => {}
            "path" | "text" => return Err(refused(format!("{name} is a text"))),
            "seats" => return Err(refused("seats is a list of names of seats".into())),
            _ => return Err(refused(format!("{name:?} is not known; {NEEDED}"))),
        }
    }
    let field = |name: &str| fields.get(name).and_then(Value::as_str);
    let seats: Vec<&str> =
        fields.get("seats").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    match (field("text"), field("path")) {
        (Some(text), path) => {
            let path = path.map_or_else(|| format!("material-{}.md", at + 1), str::to_owned);
            let mut source = json!({"path": path, "text": text});
            if !seats.is_empty() {
                source["seats"] = json!(seats);
            }
            Ok(vec![source])
        }
        (None, Some(path)) if seats.is_empty() => Ok(vec![path.into()]),
        (None, Some(path)) => Ok(seats.iter().map(|seat| format!("{seat}={path}").into()).collect()),
        (None, None) => Err(refused(NEEDED.to_owned())),
    }
}

/// The document of a debate about a document, which is the first of its `sources`: its path, if this client may
/// name files, or its text. The end of its last line tells a text from a path.
pub(crate) fn document_source(first: &Value, reads_files: bool) -> Result<String> {
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
            json!({"path": "d.md", "text": "D", "seats": ["judge"]}),
            json!({"path": "e.md", "seats": ["judge", "critic"]}),
        ];
        let sources = build_sources(material).unwrap();
        let wanted = [
            json!("src/"),
            json!("a.md"),
            json!({"path": "material-3.md", "text": "B"}),
            json!({"path": "c", "text": "C"}),
            json!({"path": "d.md", "text": "D", "seats": ["judge"]}),
            json!("judge=e.md"),
            json!("critic=e.md"),
        ];
        assert_eq!(sources, wanted);
        assert_eq!(document_source(&sources[1], true).unwrap(), "a.md");
        assert_eq!(document_source(&sources[2], false).unwrap(), "B\n");
        assert!(matches!(document_source(&sources[1], false), Err(ToolRefusal::Refused { .. })));
    }

    #[test]
    fn what_is_neither_a_text_nor_a_path_is_refused() {
        let mistyped = [
            json!({"path": "a.md", "txt": "B"}),
            json!({"path": 3, "text": "B"}),
            json!({"text": "B", "seats": "judge"}),
        ];
        for wrong in [json!(3), json!({}), json!({"path": 3}), json!(null)].into_iter().chain(mistyped) {
            assert!(matches!(build_sources(vec![wrong.clone()]), Err(ToolRefusal::Malformed(_))), "{wrong}");
        }
    }
}
