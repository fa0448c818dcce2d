//! The JSON values that stand in a text, wherever they stand.

use serde_json::Value;

use crate::strict_json::parse_strict_json;

/// Objects and lists within `text`, in order, each with its own text. One within another is not given. A bracket of the
/// prose is passed over, and with it what was read behind it as JSON: what stands within a value that is broken or
/// broken off is not taken for a value of its own.
pub(super) fn find_json_values(text: &str) -> impl Iterator<Item = (Value, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(found) = text[at..].find(['{', '[']) {
            let start = at + found;
            let rest = &text[start..];
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
            let read = values.next();
            let length = values.byte_offset();
            match read {
                Some(Ok(_)) => {
                    at = start + length;
                    let text = &rest[..length];
                    // Two fields of one name are a fault that the protocol tells.
                    if let Ok(value) = parse_strict_json(text) {
                        return Some((value, text));
                    }
                }
                Some(Err(error)) if error.is_eof() => at = text.len(),
                _ => at = start + broken_at(rest, read.and_then(Result::err).as_ref()),
            }
        }
        None
    })
}

/// The object that `keep` takes behind a bracket that never closes, with no words after it.
pub(super) fn find_hidden_object(text: &str, keep: impl Fn(&Value) -> bool) -> Option<(Value, &str)> {
    text.match_indices('{').find_map(|(start, _)| {
        let mut read = serde_json::Deserializer::from_str(&text[start..]).into_iter::<serde::de::IgnoredAny>();
        read.next()?.ok()?;
        let (written, rest) = text[start..].split_at(read.byte_offset());
        let value = parse_strict_json(written).ok()?;
        (!rest.contains(char::is_alphanumeric) && keep(&value)).then_some((value, written))
    })
}

/// The values of `text` that `keep` takes, each once, with its text.
pub(crate) fn list_different_values(text: &str, keep: impl Fn(&Value) -> bool) -> Vec<(Value, &str)> {
    let mut values: Vec<(Value, &str)> = Vec::new();
    for (value, text) in find_json_values(text).filter(|(value, _)| keep(value)) {
        if values.iter().all(|(known, _)| *known != value) {
            values.push((value, text));
        }
    }
    values
}

/// Where in `text` reading broke, behind its first character and at the beginning of one.
fn broken_at(text: &str, error: Option<&serde_json::Error>) -> usize {
    let (line, column) = error.map_or((1, 1), |error| (error.line(), error.column()));
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (before + column.saturating_sub(1)).clamp(1, text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values(text: &str) -> Vec<Value> {
        find_json_values(text).map(|(value, _)| value).collect()
    }

    #[test]
    fn every_value_is_found_and_none_within_another() {
        assert_eq!(
            values(r#"a {"x":[1]} b [2] {"y":{"z":3}}"#),
            [json!({"x": [1]}), json!([2]), json!({"y": {"z": 3}})]
        );
        assert_eq!(values(r#"text {"a":"} \" {"} more"#), [json!({"a": "} \" {"})]);
        assert_eq!(values("[as asked]\n[not {this}\n{\"a\":1}"), [json!({"a": 1})]);
        assert_eq!(values("ü{ü}[ü] {\"ü\":1}"), [json!({"ü": 1})]);
        assert_eq!(values(r#"{"a":1,"a":2} {"b":1}"#), [json!({"b": 1})]);
        assert_eq!(values(r#"{"list":[{"a":1},{"b":2},]}"#), Vec::<Value>::new(), "broken, and what is within with it");
        assert_eq!(values(r#"{"list":[{"a":1},{"b":"#), Vec::<Value>::new());
        for none in ["", "{", "[", "no", "}{", "{{{{", &"[".repeat(100_000), &"[\"".repeat(100_000)] {
            assert_eq!(values(none), Vec::<Value>::new());
        }
    }
}
