//! Labelled lines: a form as people write it, and what was written as a statement.
//!
//! Every field stands on a line of its own, `Label: words`; more lines belong to the field before them. The fields of a
//! list's items stand below its label, and again for each further item. A label may be followed by a hint in brackets.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    DEPTH_MAX, FormField, Holds, render_choice, render_word,
    values::{is_no, is_nothing, parse_field_value},
};

/// Choices that a template lists; a field with more has none of them as a hint.
const HINTS_MAX: usize = 8;
/// How much of a line is quoted where it is wrong, in characters.
const QUOTED_CHARS_MAX: usize = 80;

/// `form` (merged) with every label and nothing filled in.
pub fn render_template(form: &FormField) -> String {
    let mut lines = Vec::new();
    write_fields(form, 0, &mut lines);
    lines.join("\n") + "\n"
}

fn write_fields(form: &FormField, depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    for (name, field) in &form.fields {
        let name = field.field_label(name);
        match find_field_group(field).filter(|_| depth < DEPTH_MAX) {
            Some(inner) => {
                let is_list = field.holds() == Some(Holds::List);
                let hint = if is_list { format!(" ({})", count_hint(field)) } else { String::new() };
                lines.push(format!("{indent}{name}{hint}:"));
                write_fields(inner, depth + 1, lines);
            }
            None => lines.push(format!("{indent}{name}{}: ", describe_hint(&name, field))),
        }
    }
}

/// How often the lines below stand.
fn count_hint(list: &FormField) -> String {
    match (list.min_items, list.max_items) {
        (0, Some(most)) => format!("none, or these lines once for each, at most {most}"),
        (0, None) => "none, or these lines once for each".to_owned(),
        (least, Some(most)) if least == most => format!("these lines {least} times"),
        (least, Some(most)) => format!("these lines {least} to {most} times"),
        (least, None) => format!("these lines at least {least} times"),
    }
}

/// What may stand in a field, where it is a choice, a number, or yes or no.
fn describe_hint(name: &str, field: &FormField) -> String {
    let field = field.items.as_deref().filter(|_| field.holds() == Some(Holds::List)).unwrap_or(field);
    let hint = match field.holds() {
        Some(Holds::Choice) => {
            let all = field.list_choices().map(|choice| render_choice(name, &render_word(choice)));
            let all: Vec<String> = all.collect();
            (1..=HINTS_MAX).contains(&all.len()).then(|| all.join(", "))
        }
        Some(Holds::YesNo) => Some("yes or no".to_owned()),
        Some(Holds::Number | Holds::Whole) => Some("a number".to_owned()),
        _ => None,
    };
    hint.map(|hint| format!(" ({hint})")).unwrap_or_default()
}

/// The form of a field that has fields: its own, or those of its items.
fn find_field_group(field: &FormField) -> Option<&FormField> {
    let group = if field.holds()? == Holds::List { field.items.as_deref()? } else { field };
    (group.holds() == Some(Holds::Fields) && !group.fields.is_empty()).then_some(group)
}

/// The statement of a text in labelled lines; if it is none, what keeps it from being one.
pub(super) fn parse_labelled(form: &FormField, text: &str) -> Result<Value, String> {
    let mut page = LabelledText { open: vec![OpenObject::new(form, "", false)], last: None };
    for (at, line) in text.lines().enumerate() {
        let is_taken = split_label(line).is_some_and(|(name, words)| page.take_line(name, words));
        if !is_taken && !page.append_line(line) {
            return Err(format!("line {}, “{}”, names no field", at + 1, shorten_words(line)));
        }
    }
    page.close_objects(1);
    let written = page.innermost();
    if written.written.words.is_empty() && written.written.groups.is_empty() {
        return Err("no line names a field".into());
    }
    build_statement(form, &written.written)
}

/// What keeps `text` from being a statement in labelled lines, where something does.
pub fn describe_misfit(form: &FormField, text: &str) -> Option<String> {
    parse_labelled(form, text).err()
}

/// The beginning of `words`, on one line.
fn shorten_words(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTED_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
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

/// What was written into an object of a form.
#[derive(Default)]
struct WrittenObject<'f> {
    /// Words by field.
    words: BTreeMap<&'f str, String>,
    /// The objects of each field that has fields: one, or those of a list.
    groups: BTreeMap<&'f str, Vec<WrittenObject<'f>>>,
}

impl WrittenObject<'_> {
    /// Whether nothing was filled in.
    fn is_blank(&self) -> bool {
        self.words.values().all(|words| words.trim().is_empty()) && self.groups.values().flatten().all(Self::is_blank)
    }
}

/// An object that lines may belong to: its form, and its field in the object around it.
struct OpenObject<'f> {
    form: &'f FormField,
    field: &'f str,
    /// Whether it is one of a list.
    is_item: bool,
    written: WrittenObject<'f>,
}

impl<'f> OpenObject<'f> {
    fn new(form: &'f FormField, field: &'f str, is_item: bool) -> Self {
        Self { form, field, is_item, written: WrittenObject::default() }
    }
}

/// What has been read of a text.
struct LabelledText<'f> {
    /// The objects that lines belong to, from the whole form to the innermost one.
    open: Vec<OpenObject<'f>>,
    /// The field of the innermost one that the last line was for, if it is one for words.
    last: Option<&'f str>,
}

impl<'f> LabelledText<'f> {
    /// Takes a labelled line; false if nothing that is open has such a field.
    fn take_line(&mut self, name: &str, words: &str) -> bool {
        let find = |(depth, open): (usize, &OpenObject<'f>)| Some((depth, find_field(open.form, name)?));
        if let Some((depth, (field, of))) = self.open.iter().enumerate().rev().find_map(find) {
            self.close_objects(depth + 1);
            self.put_field(field, of, words);
            return true;
        }
        // The fields of a list's items may stand without its label, where one list alone has them.
        let has_it = |of: &FormField| find_field_group(of).is_some_and(|inner| find_field(inner, name).is_some());
        let mut groups = self.open[0].form.fields.iter().filter(|(_, of)| has_it(of));
        let (Some((field, of)), None) = (groups.next(), groups.next()) else { return false };
        self.close_objects(1);
        self.put_field(field, of, "");
        self.take_line(name, words)
    }

    fn innermost(&mut self) -> &mut OpenObject<'f> {
        self.open.last_mut().unwrap_or_else(|| unreachable!("the whole form stays open"))
    }

    /// Closes all but the outermost `count` objects.
    fn close_objects(&mut self, count: usize) {
        while self.open.len() > count {
            let Some(closed) = self.open.pop() else { return };
            self.innermost().written.groups.entry(closed.field).or_default().push(closed.written);
        }
    }

    fn put_field(&mut self, field: &'f str, of: &'f FormField, words: &str) {
        self.last = None;
        let Some(form) = find_field_group(of) else {
            let innermost = self.innermost();
            if innermost.is_item && innermost.written.words.contains_key(field) {
                // A label that comes again begins the next item.
                let next = OpenObject::new(innermost.form, innermost.field, true);
                self.close_objects(self.open.len() - 1);
                self.open.push(next);
            }
            self.innermost().written.words.insert(field, words.to_owned());
            self.last = Some(field);
            return;
        };
        let is_item = of.holds() == Some(Holds::List);
        let objects = self.innermost().written.groups.entry(field).or_default();
        if is_item && (is_nothing(words) && !words.is_empty() || is_no(field, of, words)) {
            return;
        }
        let written = if is_item { WrittenObject::default() } else { objects.pop().unwrap_or_default() };
        self.open.push(OpenObject { form, field, is_item, written });
    }

    /// Adds a line to the field before it; false where there is none that takes it.
    fn append_line(&mut self, line: &str) -> bool {
        let last = self.last;
        match last.and_then(|field| self.innermost().written.words.get_mut(field)) {
            Some(words) => {
                words.extend(["\n", line]);
                true
            }
            // Before the first label, and behind that of a group, words belong to no field.
            None => line.trim().is_empty(),
        }
    }
}

/// The field of a form that is called `name`.
fn find_field<'f>(form: &'f FormField, name: &str) -> Option<(&'f str, &'f FormField)> {
    let lower = name.to_lowercase();
    let is_it =
        |field: &str, of: &FormField| [field, &of.field_label(field)].iter().any(|one| one.to_lowercase() == lower);
    form.fields.iter().map(|(field, of)| (field.as_str(), of)).find(|(field, of)| is_it(field, of))
}

/// Written words as the values that their fields hold, with what stands in those that were left alone; or the field whose
/// words do not give it a value.
fn build_statement(form: &FormField, written: &WrittenObject<'_>) -> Result<Value, String> {
    let mut object = Map::new();
    for (name, field) in &form.fields {
        let objects = find_field_group(field).zip(written.groups.get(name.as_str()));
        // What a template leaves open is left alone.
        let words = written.words.get(name.as_str()).map(|words| words.trim()).filter(|words| !words.is_empty());
        let is_list = field.holds() == Some(Holds::List);
        let said = match (objects, words) {
            (Some((inner, objects)), _) if is_list => {
                let objects = objects.iter().filter(|object| !object.is_blank());
                Some(objects.map(|object| build_statement(inner, object)).collect::<Result<Vec<_>, _>>()?.into())
            }
            (Some((inner, objects)), _) => objects.first().map(|object| build_statement(inner, object)).transpose()?,
            (None, Some(words)) => {
                let is_none = is_list && is_no(name, field, words);
                let value = if is_none { field.default_value() } else { parse_field_value(field, words) };
                let unfit = || format!("{}: “{}” does not fit", field.field_label(name), shorten_words(words));
                Some(value.ok_or_else(unfit)?)
            }
            (None, None) => field.default_value().filter(|_| form.requires_field(name)),
        };
        object.extend(said.map(|said| (name.clone(), said)));
    }
    Ok(object.into())
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
        assert_eq!(
            parse_labelled(&FormField::from_schema(&findings()), text),
            Ok(json!({"findings": [first, second]}))
        );
        assert_eq!(parse_labelled(&FormField::from_schema(&findings()), "Findings: none"), Ok(json!({"findings": []})));
    }

    #[test]
    fn what_keeps_words_from_being_a_statement_is_named() {
        let form = FormField::from_schema(&findings());
        let misfit = |text: &str| describe_misfit(&form, text).unwrap();
        assert_eq!(misfit("I see two errors: one."), "line 1, “I see two errors: one.”, names no field");
        assert_eq!(misfit("\nFindings:\n  - Plaec: src/a.rs:1"), "line 3, “- Plaec: src/a.rs:1”, names no field");
        assert_eq!(misfit(" \n"), "no line names a field");
        assert_eq!(describe_misfit(&form, "Findings: none"), None);
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
        let schema = FormField::from_schema(&schema);
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
        assert_eq!(parse_labelled(&schema, filled), Ok(wanted));
        assert_eq!(parse_labelled(&schema, &template).map(|said| said["points"].clone()), Ok(json!([])));
    }
}
