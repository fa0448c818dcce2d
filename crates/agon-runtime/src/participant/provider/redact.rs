//! Text from a provider made fit to be shown: one line, no markup, no secrets.

use std::error::Error as _;

use agon_text::{is_joiner, is_unprintable};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

/// Longest line, in characters.
const LINE_CHARS_MAX: usize = 300;
/// Beginnings of keys, for keys that are not ours.
const KEY_PREFIXES: [&str; 7] = ["sk-", "sk_", "AIza", "gsk_", "xai-", "hf_", "pplx-"];
/// Shortest run of characters after a prefix that is taken for a key.
const KEY_CHARS_MIN: usize = 8;
/// A key shorter than this is not replaced: replacing it would damage messages more than it protects.
const OWN_KEY_CHARS_MIN: usize = 4;
const REPLACED: &str = "[key]";

/// `text` as one line without control characters, keys, or characters that change the direction of
/// text, cut at 300 characters.
pub(in crate::participant) fn redact_line(text: &str, key: Option<&SecretString>) -> String {
    let mut text = text.to_owned();
    if let Some(key) = key.map(ExposeSecret::expose_secret).filter(|key| key.chars().count() >= OWN_KEY_CHARS_MIN) {
        text = text.replace(key, REPLACED);
    }
    let text = without_keys(&text);
    let shown = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect::<String>();
    let line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LINE_CHARS_MAX) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}

/// The innermost cause: the outer ones name the URL, which may hold a secret.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let mut cause = error.source();
    let mut text = None;
    while let Some(error) = cause {
        text = Some(error.to_string());
        cause = error.source();
    }
    text.unwrap_or_else(|| "unknown cause".to_owned())
}

/// Control characters, and those that reorder or hide text.
fn is_hidden(c: char) -> bool {
    c.is_control() || is_unprintable(c) || is_joiner(c)
}

fn without_keys(text: &str) -> String {
    let of_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*' | '.' | '…');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let run = rest.find(|c| !of_key(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(run);
        out.push_str(if is_key(word, &out) { REPLACED } else { word });
        let next = after.find(of_key).unwrap_or(after.len());
        out.push_str(&after[..next]);
        rest = &after[next..];
    }
    out
}

fn is_key(word: &str, before: &str) -> bool {
    let long = |prefix: &&str| word.starts_with(*prefix) && word.len() >= prefix.len() + KEY_CHARS_MIN;
    let bearer = before.trim_end().to_ascii_lowercase().ends_with("bearer") && word.len() >= KEY_CHARS_MIN;
    bearer || KEY_PREFIXES.iter().any(long)
}

/// The message within the body of an error: of the JSON shapes that providers use, else the title
/// of a page, else the first line.
pub(super) fn error_reason(body: &str) -> String {
    if let Ok(value) = serde_json::from_str(body)
        && let Some(message) = error_message(&value)
    {
        return message;
    }
    let body = body.trim_start();
    if body.starts_with('<') {
        return find_page_title(body).unwrap_or_else(|| "a page of markup".to_owned());
    }
    body.lines().find(|line| !line.trim().is_empty()).unwrap_or("").chars().take(4 * LINE_CHARS_MAX).collect()
}

/// The message of an error in JSON.
pub(super) fn error_message(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            let messages: Vec<String> = items.iter().filter_map(error_message).collect();
            (!messages.is_empty()).then(|| messages.join("; "))
        }
        Value::Object(fields) => {
            let within = ["error", "message", "detail", "msg", "errors"];
            let found = within.iter().find_map(|name| fields.get(*name).and_then(error_message))?;
            let place = fields.get("loc").and_then(Value::as_array).map(|loc| {
                loc.iter().map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned)).collect::<Vec<_>>()
            });
            Some(place.map_or(found.clone(), |place| format!("{}: {found}", place.join("."))))
        }
        _ => None,
    }
}

fn find_page_title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let start = start + lower[start..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    let title = page[start..end].trim();
    (!title.is_empty()).then(|| title.replace(['<', '>'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_never_show() {
        let own = SecretString::from("plainkey-123");
        let table = [
            ("bad plainkey-123!", "bad [key]!"),
            ("provided: sk-proj-abcdefghijkl. Find", "provided: [key] Find"),
            ("provided: sk-abcd***********wxyz", "provided: [key]"),
            ("?key=AIzaSyA1234567890abc&alt=sse", "?key=[key]&alt=sse"),
            ("Authorization: Bearer abcdefgh12", "Authorization: Bearer [key]"),
            ("the risk-averse model sk-1", "the risk-averse model sk-1"),
        ];
        for (text, wanted) in table {
            assert_eq!(redact_line(text, Some(&own)), wanted);
        }
    }

    #[test]
    fn a_line_is_one_line_without_escapes() {
        assert_eq!(redact_line("a\u{1b}[31mred\r\nb\u{202e}c\u{7}\u{9b}d", None), "a [31mred b c d");
        let long = redact_line(&"ä".repeat(400), None);
        assert_eq!((long.chars().count(), long.ends_with('…')), (301, true));
        // The key is taken out before the line is cut, so no part of it is left at the end.
        let own = SecretString::from("0123456789");
        let text = format!("{}0123456789", "x ".repeat(148));
        assert!(!redact_line(&text, Some(&own)).contains("0123"));
    }

    #[test]
    fn reasons_are_found_in_every_shape() {
        let table = [
            (r#"{"error":{"message":"no","type":"t"}}"#, "no"),
            (r#"{"type":"error","error":{"type":"t","message":"no"}}"#, "no"),
            (r#"{"error":"no"}"#, "no"),
            (r#"[{"error":{"code":400,"message":"no"}}]"#, "no"),
            (
                r#"{"detail":[{"loc":["body","response_format"],"msg":"extra","input":{"a":1}}]}"#,
                "body.response_format: extra",
            ),
            (r#"{"object":"error","message":"no"}"#, "no"),
            ("<html><head><TITLE>502 Bad\nGateway</TITLE></head>", "502 Bad\nGateway"),
            ("<p>oh", "a page of markup"),
            ("\n\nplain\nsecond", "plain"),
            ("", ""),
        ];
        for (body, wanted) in table {
            assert_eq!(error_reason(body), wanted, "{body}");
        }
    }
}
