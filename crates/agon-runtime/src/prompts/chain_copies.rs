//! Examples of a prompt that a small model writes down where its own words are wanted.

use agon_core::form::FormField;
use agon_text::{KnownTexts, count_words, find_quotations};
use serde_json::json;

use super::material::collect_texts;
use crate::message::{ChatMessage, ChatRole};

/// Quotations with fewer words are words to choose from, such as a name in a form.
const EXAMPLE_WORDS_MIN: usize = 4;

/// Whether `text`, which was written for a piece of the form `schema`, or as prose without one, is an example that the
/// prompt `said` gives in quotation marks. What a form lists may be chosen, and what stands between tags may be quoted.
pub fn copies_example(said: &[ChatMessage], text: &str, schema: Option<&FormField>) -> bool {
    let told = said.iter().filter(|message| message.role != ChatRole::Assistant);
    let told: Vec<String> = told.map(|message| drop_tagged(&message.text)).collect();
    let examples = told.iter().flat_map(|told| find_quotations(told)).map(|example| example.text);
    let examples = KnownTexts::from_texts(examples.filter(|example| count_words(example) >= EXAMPLE_WORDS_MIN));
    let is_example = |text: &str| examples.find_copied(text).is_some_and(|copied| copied.share >= 1.0);
    let Some(schema) = schema else { return is_example(text) };
    let listed = schema.to_string();
    let is_own = |text: &str| !listed.contains(&json!(text).to_string());
    let value = serde_json::from_str(text.trim()).unwrap_or_default();
    let mut texts = Vec::new();
    collect_texts(&value, &mut texts);
    texts.into_iter().any(|text| is_own(text) && is_example(text))
}

/// `said` without what stands between tags, which are words of others.
fn drop_tagged(said: &str) -> String {
    let (mut own, mut rest) = (String::new(), said);
    while let Some((before, after)) = rest.split_once('<') {
        own.push_str(before);
        let name: String = after.chars().take_while(char::is_ascii_alphabetic).collect();
        match after.split_once(&format!("</{name}>")) {
            Some((_, behind)) if !name.is_empty() => rest = behind,
            _ => {
                own.push('<');
                rest = after;
            }
        }
    }
    own + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_of_the_prompt_is_no_answer() {
        let said = "<statement by=\"ada\">She says \"We should pay the drivers more\".</statement> If 1 < 2, write the matter, \
                    such as \"Whether fewer cars would harm the shops\", or \"none\".";
        let said = [
            ChatMessage::new(ChatRole::User, said),
            ChatMessage::new(ChatRole::Assistant, "\"Nobody pays for the signs at all.\""),
        ];
        let example = "Whether fewer cars would harm the shops";
        assert!(copies_example(&said, "whether fewer cars would harm the shops.", None));
        for own in [
            "Whether longer days would harm the drivers",
            "none",
            "We should pay the drivers more",
            "Nobody pays for the signs at all.",
        ] {
            assert!(!copies_example(&said, own, None), "{own}");
        }
        let form = |topic: serde_json::Value| {
            FormField::from_schema(&json!({"type": "object", "properties": {"topic": topic}}))
        };
        let text = json!({ "topic": example }).to_string();
        assert!(copies_example(&said, &text, Some(&form(json!({"type": "string"})))));
        assert!(!copies_example(&said, &text, Some(&form(json!({"enum": [example]})))), "it may be chosen");
    }
}
