//! What words mean in one field: a choice, a number, yes or no, a list, or nothing.

use serde_json::Value;

use super::{FormField, Holds, render_word};

/// Ways to say that there is nothing to say.
const NOTHING: [&str; 6] = ["", "no", "none", "nothing", "nothing to add", "skip"];

pub(super) fn is_nothing(text: &str) -> bool {
    NOTHING.contains(&normalize_words(text).as_str())
}

/// Whether `text` is `no` with the name of the field: whole, its first word, or one of the things that it lists.
pub(super) fn is_no(name: &str, field: &FormField, text: &str) -> bool {
    let said = normalize_words(text);
    let Some(what) = said.strip_prefix("no ") else { return false };
    let names = [name.replace('_', " "), field.field_label(name)].map(|name| name.to_lowercase());
    names.iter().any(|name| {
        let rest = name.strip_prefix(what).unwrap_or("?");
        rest.is_empty() || rest == "s" || rest.starts_with(' ') || rest.starts_with("s ")
    })
}

/// Words without what ends them, in small letters.
fn normalize_words(text: &str) -> String {
    text.trim().trim_end_matches(['.', '!']).to_lowercase()
}

pub(super) fn nonblank_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// What `words` mean in `field`; words that do not fit its type stay words, for the code that checks them to say so.
/// `None` for what one line cannot hold.
pub fn parse_field_value(field: &FormField, words: &str) -> Option<Value> {
    let words = words.trim();
    Some(match field.holds()? {
        Holds::Fields => return None,
        Holds::List => {
            let items = field.items.as_deref()?;
            // "None" may be one of the things to choose from.
            let is_choice = |choice: &Value| normalize_words(&render_word(choice)) == normalize_words(words);
            if is_nothing(words) && field.min_items == 0 && !items.list_choices().any(is_choice) {
                return Some(Value::Array(Vec::new()));
            }
            let each: Vec<&str> = match (words.contains('\n'), items.holds()?) {
                (false, Holds::Text) => vec![words],
                (false, _) => words.split([',', ' ']).filter(|word| !word.is_empty()).collect(),
                _ => nonblank_lines(words).map(|line| line.trim_start_matches("- ")).collect(),
            };
            each.into_iter().map(|words| parse_field_value(items, words)).collect::<Option<Vec<_>>>()?.into()
        }
        Holds::Choice => {
            let is_it = |choice: &&Value| {
                let name = render_word(choice);
                name.eq_ignore_ascii_case(words) || name.replace('_', " ").eq_ignore_ascii_case(words)
            };
            field.list_choices().find(is_it).cloned().unwrap_or_else(|| words.into())
        }
        Holds::YesNo => yes_or_no(words).map_or_else(|| words.into(), Value::from),
        Holds::Number | Holds::Whole => parse_number(words).unwrap_or_else(|| words.into()),
        Holds::Text => words.into(),
    })
}

/// `yes` or `no` in the words that people use.
fn yes_or_no(words: &str) -> Option<bool> {
    match words.to_lowercase().trim_end_matches(['.', '!']) {
        "y" | "yes" | "true" => Some(true),
        "n" | "no" | "false" => Some(false),
        _ => None,
    }
}

fn parse_number(words: &str) -> Option<Value> {
    let words = words.replace('\u{2212}', "-");
    let whole = words.parse::<i64>().ok().map(Value::from);
    let decimal = || words.replace(',', ".").parse::<f64>().ok().and_then(serde_json::Number::from_f64);
    whole.or_else(|| decimal().map(Value::Number))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_mean_what_their_field_holds() {
        for (schema, words, wanted) in [
            (json!({"type": "boolean"}), "Yes!", json!(true)),
            (json!({"type": "number"}), "\u{2212}0,5", json!(-0.5)),
            (json!({"type": "integer"}), "3", json!(3)),
            (json!({"type": "integer"}), "three", json!("three")),
            (json!({"enum": ["new_point"]}), "new point", json!("new_point")),
            (json!({"enum": [1, 2]}), "2", json!(2)),
            (json!({"type": "array", "items": {"type": "string"}}), "- a, b\n- c", json!(["a, b", "c"])),
        ] {
            assert_eq!(parse_field_value(&FormField::from_schema(&schema), words).unwrap(), wanted, "{words}");
        }
    }
}
