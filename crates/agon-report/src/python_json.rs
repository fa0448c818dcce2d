//! JSON exactly as Python's `json.dumps` writes it, which the formats of some source systems
//! demand: ASCII only, keys in their order, floats in Python's notation.

use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::{Number, Value, json};

/// A field of a file that anyone may have written: the default where it holds something else than what is wanted.
pub fn read_leniently<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(field: D) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Deserialize::deserialize(field)?).unwrap_or_default())
}

/// The items of a list of such a field, each read in the same way; none where it holds something else.
pub fn read_items<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(field: D) -> Result<Vec<T>, D::Error> {
    let items: Vec<_> = read_leniently(field)?;
    Ok(items.into_iter().map(|item| serde_json::from_value(item).unwrap_or_default()).collect())
}

/// As `json.dumps(value, indent=2)`.
pub fn render_indented_json<T: Serialize + ?Sized>(value: &T) -> String {
    render_value(value, Notation::Indented(0))
}

/// As `json.dumps(value)`: one line, a space after each colon and comma.
pub fn render_json_line<T: Serialize + ?Sized>(value: &T) -> String {
    render_value(value, Notation::Line)
}

/// `value` as Python's `repr` shows it within messages: `{'a': [1, None]}`.
pub fn render_python_repr<T: Serialize + ?Sized>(value: &T) -> String {
    render_value(value, Notation::Repr)
}

/// `number` in Python's notation: `0`, `2.05`, `1e-05`, `1e+16`.
pub fn format_number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => format_float(float),
        _ => number.to_string(),
    }
}

/// `float` as Python's `repr` has it.
pub fn format_float(float: f64) -> String {
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = float.to_string();
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// How Python writes a value.
#[derive(Clone, Copy, PartialEq)]
enum Notation {
    /// JSON over lines, at this depth.
    Indented(usize),
    /// JSON on one line.
    Line,
    /// As in a program's text.
    Repr,
}

fn render_value<T: Serialize + ?Sized>(value: &T, notation: Notation) -> String {
    // Every key is a text, so there is nothing that could not be written.
    format_value(&serde_json::to_value(value).unwrap_or_default(), notation)
}

fn format_value(value: &Value, notation: Notation) -> String {
    let [null, no, yes] = match notation {
        Notation::Repr => ["None", "False", "True"],
        Notation::Indented(_) | Notation::Line => ["null", "false", "true"],
    };
    let inner = match notation {
        Notation::Indented(depth) => Notation::Indented(depth + 1),
        other => other,
    };
    match value {
        Value::Null => null.to_owned(),
        Value::Bool(bool) => if *bool { yes } else { no }.to_owned(),
        Value::Number(number) => format_number(number),
        Value::String(text) => format_text(text, notation),
        Value::Array(items) => {
            enclose_items(['[', ']'], notation, items.iter().map(|item| format_value(item, inner)).collect())
        }
        Value::Object(fields) => {
            let field = |key, held| format!("{}: {}", format_text(key, inner), format_value(held, inner));
            enclose_items(['{', '}'], notation, fields.iter().map(|(key, held)| field(key, held)).collect())
        }
    }
}

fn enclose_items([open, close]: [char; 2], notation: Notation, items: Vec<String>) -> String {
    let line = |depth: usize| format!("\n{}", "  ".repeat(depth));
    match notation {
        Notation::Indented(depth) if !items.is_empty() => {
            let inner = line(depth + 1);
            format!("{open}{inner}{}{}{close}", items.join(&format!(",{inner}")), line(depth))
        }
        _ => format!("{open}{}{close}", items.join(", ")),
    }
}

fn format_text(text: &str, notation: Notation) -> String {
    if notation == Notation::Repr {
        let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
        let text = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
        let text = text.replace('\t', "\\t").replace(quote, &format!("\\{quote}"));
        return format!("{quote}{text}{quote}");
    }
    // As JSON everywhere, and nothing beyond ASCII.
    let mut out = String::new();
    for c in json!(text).to_string().chars() {
        match c {
            ' '..='~' => out.push(c),
            _ => out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}"))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn floats_are_written_as_python_writes_them() {
        // Each pair as `repr` of CPython 3.11 prints it.
        let table: &[(f64, &str)] = &[
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (2.05, "2.05"),
            (-1.2, "-1.2"),
            (0.1 + 0.2, "0.30000000000000004"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e300, "1.5e+300"),
            (5e-324, "5e-324"),
            (123456789.125, "123456789.125"),
        ];
        for (value, want) in table {
            assert_eq!(format_float(*value), *want);
        }
        assert_eq!(render_json_line(&json!([0, -3, 18446744073709551615u64])), "[0, -3, 18446744073709551615]");
    }

    #[test]
    fn what_is_not_ascii_is_escaped_with_surrogate_pairs() {
        assert_eq!(
            render_json_line(&json!("é\u{7f}⚔️𝒳\u{0}\u{8}\u{c}\n\"\\/")),
            r#""\u00e9\u007f\u2694\ufe0f\ud835\udcb3\u0000\b\f\n\"\\/""#
        );
    }

    #[test]
    fn two_spaces_keys_in_order_and_empty_lists_closed() {
        let value = json!({"b": [], "a": {"z": {}, "list": [1, {"k": null}]}, "t": true});
        let want = "{\n  \"b\": [],\n  \"a\": {\n    \"z\": {},\n    \"list\": [\n      1,\n      {\n        \"k\": null\n      }\n    ]\n  },\n  \"t\": true\n}";
        assert_eq!(render_indented_json(&value), want);
        assert_eq!(render_json_line(&value), r#"{"b": [], "a": {"z": {}, "list": [1, {"k": null}]}, "t": true}"#);
        assert_eq!(render_indented_json(&json!({})), "{}");
    }

    #[test]
    fn messages_show_values_as_python_does() {
        // Each pair as `repr` of CPython 3.11 prints it.
        let value = json!({"a": [1, 0.5, null, true], "it's": "x\ny", "q": "both ' and \""});
        assert_eq!(render_python_repr(&value), r#"{'a': [1, 0.5, None, True], "it's": 'x\ny', 'q': 'both \' and "'}"#);
    }

    proptest! {
        #[test]
        fn every_text_and_float_reads_back(text in any::<String>(), float in any::<f64>().prop_filter("finite", |f| f.is_finite())) {
            let value = json!({ text.clone(): [text, float] });
            let back: Value = serde_json::from_str(&render_indented_json(&value)).unwrap();
            prop_assert_eq!(&back, &value);
            prop_assert!(render_json_line(&value).is_ascii());
        }
    }
}
