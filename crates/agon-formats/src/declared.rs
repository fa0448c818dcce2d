//! Statements of declared protocols, whose fields nobody but their file knows: a line a field.

use agon_core::parse;
use agon_protocols::declared::{declaration::spoken, form::said};
use serde_json::Value;

use crate::markdown::{line, start};

/// The fields of a statement as Markdown; `None` for prose.
pub fn fields(text: &str) -> Option<String> {
    let Ok(Value::Object(fields)) = parse::json(text) else { return None };
    let blocks = fields.iter().map(|(name, value)| {
        let name = line(&spoken(name));
        match value {
            Value::Array(entries) => {
                let entries = entries.iter().map(|entry| format!("\n- {}", start(&said(entry))));
                format!("**{name}**\n{}", entries.collect::<String>())
            }
            value => format!("**{name}**: {}", line(&said(value))),
        }
    });
    let blocks: Vec<String> = blocks.collect();
    (!blocks.is_empty()).then(|| blocks.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_lines_and_forge_nothing() {
        let text = "Sure:\n```json\n{\"why_so\": \"it is\\n# late\", \"go\": true, \"risks\": [\"a\", \"# b\"], \"n\": 3}\n```";
        let shown = fields(text).unwrap();
        assert_eq!(shown, "**Why so**: it is # late\n\n**Go**: yes\n\n**Risks**\n\n- a\n- \\# b\n\n**N**: 3");
        assert_eq!(fields("prose"), None);
    }
}
