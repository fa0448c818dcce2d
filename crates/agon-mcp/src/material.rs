//! The material of the tool `debate`, as a request to open a debate names it.

use agon_app::request::SourceRequest;
use serde::Deserialize;

use crate::refusal::{Result, ToolRefusal};

/// An item of material: a path, or a text or a path with the seats that see it.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a path is needed, or an object with \"text\", \"path\" and \"seats\""
)]
pub(crate) enum MaterialItem {
    Path(String),
    Text {
        text: String,
        path: Option<String>,
        #[serde(default)]
        seats: Vec<String>,
    },
    ForSeats {
        path: String,
        #[serde(default)]
        seats: Vec<String>,
    },
}

/// `material` as sources of a request: what is named stays as it is, once for each seat it is for, and a text without a
/// path gets one.
pub(crate) fn build_sources(material: Vec<MaterialItem>) -> Vec<SourceRequest> {
    let expand = |(at, item)| match item {
        MaterialItem::Text { text, path, seats } => {
            let path = path.unwrap_or_else(|| format!("material-{at}.md"));
            vec![SourceRequest::Text { path, text, seats }]
        }
        MaterialItem::ForSeats { path, seats } if !seats.is_empty() => {
            seats.iter().map(|seat| SourceRequest::Named(format!("{seat}={path}"))).collect()
        }
        MaterialItem::Path(path) | MaterialItem::ForSeats { path, .. } => vec![SourceRequest::Named(path)],
    };
    (1..).zip(material).flat_map(expand).collect()
}

/// The document of a debate about a document, which is the first of its sources: its path, if this client may name
/// files, or its text. The end of its last line tells a text from a path.
pub(crate) fn document_source(first: SourceRequest, reads_files: bool) -> Result<String> {
    match first {
        SourceRequest::Text { text, .. } => Ok(format!("{}\n", text.trim_end())),
        SourceRequest::Named(path) if reads_files => Ok(path),
        SourceRequest::Named(path) => Err(ToolRefusal::new(
            "usage",
            format!("{path:?}: files of the server's machine cannot be named; send {{\"text\": …}}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::arguments::{HoldArguments, parse_arguments};

    fn sources(material: Value) -> Result<Vec<SourceRequest>> {
        let arguments = json!({"material": material});
        let arguments: HoldArguments = parse_arguments(arguments.as_object().cloned().unwrap())?;
        Ok(build_sources(arguments.material))
    }

    #[test]
    fn texts_and_paths_become_sources() {
        let material = json!([
            "src/",
            {"path": "a.md"},
            {"text": "B"},
            {"path": "c", "text": "C"},
            {"path": "d.md", "text": "D", "seats": ["judge"]},
            {"path": "e.md", "seats": ["judge", "critic"]},
        ]);
        let sources = sources(material).unwrap();
        let wanted = json!([
            "src/",
            "a.md",
            {"path": "material-3.md", "text": "B"},
            {"path": "c", "text": "C"},
            {"path": "d.md", "text": "D", "seats": ["judge"]},
            "judge=e.md",
            "critic=e.md",
        ]);
        assert_eq!(json!(sources), wanted);
        assert_eq!(document_source(sources[1].clone(), true).unwrap(), "a.md");
        assert_eq!(document_source(sources[2].clone(), false).unwrap(), "B\n");
        assert!(matches!(document_source(sources[1].clone(), false), Err(ToolRefusal::Refused { .. })));
    }

    #[test]
    fn what_is_neither_a_text_nor_a_path_is_refused() {
        let mistyped = [
            json!({"path": "a.md", "txt": "B"}),
            json!({"path": 3, "text": "B"}),
            json!({"text": "B", "seats": "judge"}),
        ];
        for wrong in [json!(3), json!({}), json!({"path": 3}), json!(null)].into_iter().chain(mistyped) {
            let refused = sources(json!([wrong])).unwrap_err();
            let says = "material[0]: a path is needed";
            assert!(matches!(&refused, ToolRefusal::Malformed(why) if why.starts_with(says)), "{wrong}: {refused:?}");
        }
    }
}
