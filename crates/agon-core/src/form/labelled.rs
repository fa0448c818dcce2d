//! Labelled lines: a form as people write it, and what was written as a statement.
//!
//! Every field stands on a line of its own, `Label: words`; more lines belong to the field before them. The fields of a
//! list's items stand below its label, and again for each further item. A label may be followed by a hint in brackets.

use serde_json::{Map, Value};

use super::{
    DEPTH_MAX, Holds, default_value, entry_bounds, field_label, field_type, list_choices, render_choice, render_word,
    requires_field,
    values::{is_no, is_nothing, parse_field_value},
};

/// Choices that a template lists; a field with more has none of them as a hint.
const HINTS_MAX: usize = 8;

/// The form of `schema` (merged) with every label and nothing filled in.
pub fn render_template(schema: &Value) -> String {
    let mut lines = Vec::new();
    write_fields(schema, 0, &mut lines);
    lines.join("\n") + "\n"
}

fn write_fields(schema: &Value, depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    for (name, of) in schema["properties"].as_object().into_iter().flatten() {
        let name = field_label(of, name);
        match find_field_group(of).filter(|_| depth < DEPTH_MAX) {
            Some(inner) => {
                let hint =
                    if field_type(of) == Some(Holds::List) { format!(" ({})", count_hint(of)) } else { String::new() };
                lines.push(format!("{indent}{name}{hint}:"));
                write_fields(inner, depth + 1, lines);
            }
            None => lines.push(format!("{indent}{name}{}: ", describe_hint(&name, of))),
        }
    }
}

/// How often the lines below stand.
fn count_hint(list: &Value) -> String {
    match entry_bounds(list) {
        (0, Some(most)) => format!("none, or these lines once for each, at most {most}"),
        (0, None) => "none, or these lines once for each".to_owned(),
        (least, Some(most)) if least == most => format!("these lines {least} times"),
        (least, Some(most)) => format!("these lines {least} to {most} times"),
        (least, None) => format!("these lines at least {least} times"),
    }
}

/// What may stand in a field, where it is a choice, a number, or yes or no.
fn describe_hint(name: &str, of: &Value) -> String {
    let items = if field_type(of) == Some(Holds::List) { &of["items"] } else { of };
    let hint = match field_type(items) {
        Some(Holds::Choice) => {
            let all = list_choices(items);
            let all: Vec<String> = all.iter().map(|choice| render_choice(name, &render_word(choice))).collect();
            (1..=HINTS_MAX).contains(&all.len()).then(|| all.join(", "))
        }
        Some(Holds::YesNo) => Some("yes or no".to_owned()),
        Some(Holds::Number | Holds::Whole) => Some("a number".to_owned()),
        _ => None,
    };
    hint.map(|hint| format!(" ({hint})")).unwrap_or_default()
}

/// The fields of a field: its own, or those of its items.
fn find_field_group(of: &Value) -> Option<&Value> {
    let inner = match field_type(of)? {
        Holds::Fields => of,
        Holds::List if field_type(&of["items"]) == Some(Holds::Fields) => &of["items"],
        _ => return None,
    };
    inner["properties"].is_object().then_some(inner)
}

/// The statement of a text in labelled lines, where it is one.
pub fn parse_labelled(schema: &Value, text: &str) -> Option<Value> {
    let mut page = LabelledText { written: Value::Object(Map::new()), open: vec![(schema, String::new())], last: None };
    for line in text.lines() {
        match split_label(line) {
            Some((name, words)) if page.take_line(name, words) => {}
            _ => page.go_on(line)?,
        }
    }
    page.last.as_ref()?;
    build_statement(schema, &page.written)
}

/// The label of a line, without its hint, and what follows.
fn split_label(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_start_matches("- ");
    // A hint may hold colons: it ends before the one that counts.
    let (label, words) = match line.split_once(" (") {
        Some((label, rest)) if !label.contains(':') => (label, rest.split_once("):")?.1),
        _ => line.split_once(':')?,
    };
    Some((label.trim().trim_matches('*'), words.trim()))
}

/// What has been read of a text.
struct LabelledText<'s> {
    /// Words by field; lists of objects as lists.
    written: Value,
    /// The objects that lines belong to, from the whole form to the innermost item: schema, and pointer into `written`.
    open: Vec<(&'s Value, String)>,
    /// Pointer to the field of the last line.
    last: Option<String>,
}

impl<'s> LabelledText<'s> {
    /// Takes a labelled line; false if nothing that is open has such a field.
    fn take_line(&mut self, name: &str, words: &str) -> bool {
        for depth in (0..self.open.len()).rev() {
            let (schema, at) = self.open[depth].clone();
            if let Some((field, of)) = find_field(schema, name) {
                self.open.truncate(depth + 1);
                self.put_field(&at, field, of, words);
                return true;
            }
        }
        // The fields of a list's items may stand without its label, where one list alone has them.
        let (schema, at) = self.open[0].clone();
        let fields = schema["properties"].as_object().into_iter().flatten();
        let mut groups =
            fields.filter(|(_, of)| find_field_group(of).is_some_and(|inner| find_field(inner, name).is_some()));
        let (Some((field, of)), None) = (groups.next(), groups.next()) else { return false };
        self.open.truncate(1);
        self.put_field(&at, field, of, "");
        self.take_line(name, words)
    }

    fn put_field(&mut self, at: &str, field: &'s str, of: &'s Value, words: &str) {
        let place = format!("{at}/{field}");
        let Some(inner) = find_field_group(of) else {
            if self.written.pointer(&place).is_some() && self.is_item(at) {
                // A label that comes again begins the next item.
                let next = self.begin_item(at.rsplit_once('/').map_or("", |(list, _)| list));
                if let Some((_, open)) = self.open.last_mut() {
                    open.clone_from(&next);
                }
                return self.write_words(&next, field, words);
            }
            return self.write_words(at, field, words);
        };
        let list = field_type(of) == Some(Holds::List);
        if self.written.pointer(&place).is_none() {
            let empty = if list { Value::Array(Vec::new()) } else { Value::Object(Map::new()) };
            self.insert_value(at, field, empty);
        }
        self.last = Some(place.clone());
        if list && (is_nothing(words) && !words.is_empty() || is_no(field, of, words)) {
            return;
        }
        let item = if list { self.begin_item(&place) } else { place };
        self.open.push((inner, item));
    }

    /// Whether the object at `at` is an item of a list.
    fn is_item(&self, at: &str) -> bool {
        at.rsplit_once('/').and_then(|(list, _)| self.written.pointer(list)).is_some_and(Value::is_array)
    }

    /// Begins an item of the list at `list`, unless its last one is still empty; gives its pointer.
    fn begin_item(&mut self, list: &str) -> String {
        let Some(Value::Array(items)) = self.written.pointer_mut(list) else { return list.to_owned() };
        let has_room = items.last().and_then(Value::as_object).is_some_and(Map::is_empty);
        if !has_room {
            items.push(Value::Object(Map::new()));
        }
        format!("{list}/{}", items.len() - 1)
    }

    fn write_words(&mut self, at: &str, field: &str, words: &str) {
        self.insert_value(at, field, words.into());
        self.last = Some(format!("{at}/{field}"));
    }

    fn insert_value(&mut self, at: &str, field: &str, value: Value) {
        if let Some(Value::Object(object)) = self.written.pointer_mut(at) {
            object.insert(field.to_owned(), value);
        }
    }

    /// Adds a line to the field before it; `None` where there is none.
    fn go_on(&mut self, line: &str) -> Option<()> {
        if line.trim().is_empty() && self.last.is_none() {
            return Some(());
        }
        match self.written.pointer_mut(self.last.as_ref()?)? {
            Value::String(words) => {
                words.push('\n');
                words.push_str(line);
            }
            // Words behind the label of a group belong to no field.
            _ if line.trim().is_empty() => {}
            _ => return None,
        }
        Some(())
    }
}

/// The field of an object that is called `name`.
fn find_field<'s>(schema: &'s Value, name: &str) -> Option<(&'s str, &'s Value)> {
    let lower = name.to_lowercase();
    let is_it =
        |field: &str, of: &Value| field.to_lowercase() == lower || field_label(of, field).to_lowercase() == lower;
    let mut fields = schema["properties"].as_object()?.iter();
    fields.find(|(field, of)| is_it(field, of)).map(|(field, of)| (field.as_str(), of))
}

/// Whether nothing was filled in.
fn is_blank(written: &Value) -> bool {
    match written {
        Value::String(words) => words.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        Value::Object(fields) => fields.values().all(is_blank),
        _ => true,
    }
}

/// Written words as the values that their fields hold, with what stands in those that were left alone.
fn build_statement(schema: &Value, written: &Value) -> Option<Value> {
    let mut object = Map::new();
    for (field, of) in schema["properties"].as_object()? {
        let said = match (find_field_group(of), &written[field]) {
            (_, Value::Null) => {
                let given = default_value(of).filter(|_| requires_field(schema, field));
                object.extend(given.map(|given| (field.clone(), given)));
                continue;
            }
            (Some(inner), Value::Array(items)) => {
                let items = items.iter().filter(|item| !is_blank(item));
                items.map(|item| build_statement(inner, item)).collect::<Option<Vec<Value>>>()?.into()
            }
            (Some(inner), object) => build_statement(inner, object)?,
            (None, Value::String(words)) if field_type(of) == Some(Holds::List) && is_no(field, of, words.trim()) => {
                default_value(of)?
            }
            (None, words) => {
                // What a template leaves open is left alone.
                let words = words.as_str()?.trim();
                if words.is_empty() {
                    let given = default_value(of).filter(|_| requires_field(schema, field));
                    object.extend(given.map(|given| (field.clone(), given)));
                    continue;
                }
                parse_field_value(of, words)?
            }
        };
        object.insert(field.clone(), said);
    }
    Some(object.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn findings() -> Value {
        let severity = json!({"type": "string", "enum": ["high", "medium", "low"]});
        let text = json!({"type": "string", "minLength": 1});
        let item = json!({"type": "object", "required": ["place", "quote", "claim", "severity"], "properties": {
            "place": text, "quote": text, "claim": text, "severity": severity}});
        json!({"type": "object", "required": ["findings"], "properties": {
            "findings": {"type": "array", "minItems": 0, "maxItems": 8, "items": item}}})
    }

    #[test]
    fn findings_in_labelled_lines_keep_the_brackets_of_code() {
        let text = "Place: src/store.py:7\nQuote: def __init__(self, coupons=[]):\nClaim: one list\nfor all: {}\nSeverity: high\n\n\
                    Place: src/cart.py:5\nQuote: total = sum(x)\nClaim: 空购物车会失败。\nSeverity: LOW";
        let first = json!({"place": "src/store.py:7", "quote": "def __init__(self, coupons=[]):",
            "claim": "one list\nfor all: {}", "severity": "high"});
        let second = json!({"place": "src/cart.py:5", "quote": "total = sum(x)", "claim": "空购物车会失败。", "severity": "low"});
        assert_eq!(parse_labelled(&findings(), text), Some(json!({"findings": [first, second]})));
        assert_eq!(parse_labelled(&findings(), "Findings: none"), Some(json!({"findings": []})));
        assert_eq!(parse_labelled(&findings(), "I see two errors: one."), None);
    }

    #[test]
    fn a_template_that_is_filled_in_is_the_statement() {
        let support = json!({"type": "array", "minItems": 0, "items": {"type": "object", "required": ["kind", "text"],
            "properties": {"kind": {"enum": ["source", "principle"]}, "text": {"type": "string"}}}});
        let claim = json!({"type": "string", "minLength": 1});
        let schema = json!({"type": "object", "required": ["points", "new", "agrees"], "properties": {
            "points": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "object", "required": ["claim", "support"],
                "properties": {"claim": claim, "support": support}}},
            "new": {"type": "object", "title": "New argument", "required": ["claim"], "properties": {"claim": claim}},
            "agrees": {"type": "boolean"}, "note": {"type": "string"}}});
        let template = render_template(&schema);
        assert_eq!(
            template,
            "Points (these lines 1 to 3 times):\n  Claim: \n  Support (none, or these lines once for each):\n    \
             Kind (source, principle): \n    Text: \nNew argument:\n  Claim: \nAgrees (yes or no): \nNote: \n"
        );
        let filled = "Points (these lines 1 to 3 times):\n  Claim: A\n  Support:\n    Kind: source\n    Text: p. 3\n    \
                      Kind: principle\n    Text: fairness\n  Claim: B\nNew argument:\n  Claim: C\nAgrees (yes or no): yes\nNote: \n";
        let wanted = json!({"points": [
            {"claim": "A", "support": [{"kind": "source", "text": "p. 3"}, {"kind": "principle", "text": "fairness"}]},
            {"claim": "B", "support": []}], "new": {"claim": "C"}, "agrees": true});
        assert_eq!(parse_labelled(&schema, filled), Some(wanted));
        assert_eq!(parse_labelled(&schema, &template).map(|said| said["points"].clone()), Some(json!([])));
    }
}
