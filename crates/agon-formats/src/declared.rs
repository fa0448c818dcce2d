//! Statements of declared protocols, whose fields nobody but their file knows: a line a field, and what
//! was found about the pages that they cite.

use std::collections::BTreeMap;

use agon_core::{Key, Record};
use agon_protocols::declared::{
    self,
    declaration::spoken,
    form::{FormStatement, said},
    sources::told,
};
use serde_json::Value;

use crate::markdown::{line, prose, start};

/// Every statement that was accepted as Markdown, by the answer that gave it; none for other protocols.
pub fn statements(record: &Record) -> BTreeMap<Key, String> {
    let Some((declaration, state)) = declared::said(record) else { return BTreeMap::new() };
    let shown = state.said.iter().filter_map(|said| {
        let told = told(record.opened(), declaration.ask(&said.ask)?, said);
        Some((said.key.clone(), statement(&told)))
    });
    shown.collect()
}

fn statement(statement: &FormStatement) -> String {
    if statement.values.is_empty() {
        return prose(&statement.text);
    }
    let blocks = statement.values.iter().map(|(name, value)| {
        let name = line(&spoken(name));
        match value {
            Value::Array(entries) => {
                let entries = entries.iter().map(|entry| format!("\n- {}", start(&said(entry))));
                format!("**{name}**\n{}", entries.collect::<String>())
            }
            value => format!("**{name}**: {}", line(&said(value))),
        }
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_lines_and_forge_nothing() {
        let values = json!({"why_so": "it is # late", "go": true, "risks": ["a", "# b"], "n": 3});
        let values = values.as_object().cloned().unwrap_or_default();
        let shown = statement(&FormStatement { text: String::new(), values });
        assert_eq!(shown, "**Why so**: it is # late\n\n**Go**: yes\n\n**Risks**\n\n- a\n- \\# b\n\n**N**: 3");
    }
}
