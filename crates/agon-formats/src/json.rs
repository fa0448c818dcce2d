//! JSON exactly as Python's `json.dumps` writes it, which the formats of some source systems
//! demand: ASCII only, keys in their order, floats in Python's notation.

use serde_json::{Number, Value};

/// As `json.dumps(value, indent=2)`.
pub fn render_indented_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, Some(0), &mut out);
    out
}

/// As `json.dumps(value)`: one line, a space after each colon and comma.
pub fn render_json_line(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, None, &mut out);
    out
}

/// `number` in Python's notation: `0`, `2.05`, `1e-05`, `1e+16`.
pub fn format_number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => self::format_float(float),
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

/// `value` as Python's `repr` shows it within messages: `{'a': [1, None]}`.
pub fn render_python_repr(value: &Value) -> String {
    let list = |items: Vec<String>| items.join(", ");
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Number(number) => self::format_number(number),
        Value::String(text) => {
            let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
            let text = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
            let text = text.replace('\t', "\\t").replace(quote, &format!("\\{quote}"));
            format!("{quote}{text}{quote}")
        }
        Value::Array(items) => format!("[{}]", list(items.iter().map(render_python_repr).collect())),
        Value::Object(fields) => {
            let field = |(key, field): (&String, &Value)| {
                format!("{}: {}", render_python_repr(&key.as_str().into()), render_python_repr(field))
            };
            format!("{{{}}}", list(fields.iter().map(field).collect()))
        }
    }
}

/// `depth` is that of the value itself; `None` writes one line.
fn write_value(value: &Value, depth: Option<usize>, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&self::format_number(number)),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            let inner = depth.map(|depth| depth + 1);
            write_enclosed(['[', ']'], depth, items.iter(), out, |item, out| write_value(item, inner, out));
        }
        Value::Object(fields) => {
            let inner = depth.map(|depth| depth + 1);
            write_enclosed(['{', '}'], depth, fields.iter(), out, |(key, field), out| {
                write_string(key, out);
                out.push_str(": ");
                write_value(field, inner, out);
            });
        }
    }
}

fn write_enclosed<T>(
    [open, close]: [char; 2],
    depth: Option<usize>,
    items: impl ExactSizeIterator<Item = T>,
    out: &mut String,
    mut each: impl FnMut(T, &mut String),
) {
    let empty = items.len() == 0;
    out.push(open);
    for (i, item) in items.enumerate() {
        match depth {
            Some(depth) => {
                out.push_str(if i > 0 { ",\n" } else { "\n" });
                out.extend(std::iter::repeat_n("  ", depth + 1));
            }
            None if i > 0 => out.push_str(", "),
            None => {}
        }
        each(item, out);
    }
    if let Some(depth) = depth.filter(|_| !empty) {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    }
    out.push(close);
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

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
