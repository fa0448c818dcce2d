//! Files that begin with a JSON object: pretty-printed as Python prints it, one blank line, then
//! the body.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::python_json;

/// A file of JSON frontmatter and a Markdown body.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The object, keys in their order.
    pub front: Map<String, Value>,
    /// What follows the blank line.
    pub body: String,
}

impl Document {
    /// Reads a file. Leading white space and the newlines before the body are dropped.
    ///
    /// # Errors
    ///
    /// Why the text is not such a file, in the words of the source system.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim_start();
        if !text.starts_with('{') {
            return Err("JSON frontmatter must start with '{'".into());
        }
        let end = end_of_object(text).ok_or("JSON frontmatter not properly closed")?;
        let front =
            serde_json::from_str(&text[..end]).map_err(|error| format!("Invalid JSON in frontmatter: {error}"))?;
        Ok(Self { front, body: text[end..].trim_start_matches('\n').to_owned() })
    }

    /// The text of a key; none where it is missing or something else.
    pub fn find_text(&self, key: &str) -> Option<&str> {
        self.front.get(key)?.as_str()
    }

    /// The whole number of a key; none where it is missing or something else.
    pub fn find_number(&self, key: &str) -> Option<u64> {
        self.front.get(key)?.as_u64()
    }

    /// The object as it stands in a file.
    pub fn frontmatter_text(text: &str) -> Option<&str> {
        let text = text.trim_start();
        end_of_object(text).map(|end| &text[..end])
    }

    /// The file, in the canonical form.
    pub fn render(&self) -> String {
        render_document(&self.front, &self.body)
    }
}

/// A file of this frontmatter and this body.
pub(super) fn render_document(front: &impl Serialize, body: &str) -> String {
    format!("{}\n\n{body}", python_json::render_indented_json(front))
}

/// Byte behind the brace that closes the first one; braces within strings do not count.
fn end_of_object(text: &str) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_object_ends_at_its_own_brace() {
        let text = "\n {\"a\": \"} \\\" }\", \"b\": {\"c\": 1}}\n\n\nBody } with {braces}.\n";
        let document = Document::parse(text).unwrap();
        assert_eq!(Value::Object(document.front), json!({"a": "} \" }", "b": {"c": 1}}));
        assert_eq!(document.body, "Body } with {braces}.\n");
    }

    #[test]
    fn errors_are_those_of_the_source_system() {
        let table = [
            ("", "JSON frontmatter must start with '{'"),
            ("---\n{}", "JSON frontmatter must start with '{'"),
            ("[1]", "JSON frontmatter must start with '{'"),
            ("{\"a\": \"}", "JSON frontmatter not properly closed"),
            ("{\"a\": {}", "JSON frontmatter not properly closed"),
            ("{a: 1}", "Invalid JSON in frontmatter: "),
        ];
        for (text, message) in table {
            let error = Document::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(key in any::<String>(), text in any::<String>(), body in "[^\n].*") {
            let front = json!({ key: text, "n": [{"x": 0.1}] }).as_object().unwrap().clone();
            let document = Document { front, body };
            prop_assert_eq!(Document::parse(&document.render()), Ok(document));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[{}\"\\\\a,: \n⚔]{0,30}") {
            let _ = Document::parse(&text);
        }
    }
}
