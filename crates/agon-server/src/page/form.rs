//! A form as a page shows it, and the statement out of the filled form. Names of fields are JSON
//! pointers, behind one letter that tells them from the form's own.

use agon_core::Key;
use agon_report::page::prose::escape_invisible;
use maud::{Markup, html};
use serde_json::{Map, Number, Value, json};

use agon_core::form::{FormField, Holds, escape_pointer, parse_field_value, render_choice, render_word};

use super::{SubmittedFields, field_faults::FieldFaults};
use crate::refusal::FormFault;

/// How deep a schema may be to become a form.
const DEPTH_MAX: usize = 5;
/// Maximum number of fields of a form; a larger schema is answered as JSON.
const FIELDS_MAX: usize = 640;
/// Maximum number of groups that a list is given.
const GROUPS_MAX: usize = 8;
/// A text of this length or more gets several lines.
const LONG_CHARS: u64 = 180;

/// What a form is filled with at first.
pub trait Filled {
    /// The value of the field at `pointer`.
    fn value_at(&self, pointer: &str) -> Option<String>;

    /// What is wrong in it, where that is known.
    fn faults(&self) -> &[FormFault] {
        &[]
    }
}

impl Filled for Value {
    fn value_at(&self, pointer: &str) -> Option<String> {
        let value = self.pointer(pointer)?;
        (!value.is_null() && !value.is_array() && !value.is_object()).then(|| render_word(value))
    }
}

impl Filled for SubmittedFields {
    fn value_at(&self, pointer: &str) -> Option<String> {
        self.trimmed_value(&field_name(pointer)).map(str::to_owned)
    }
}

fn field_name(pointer: &str) -> String {
    format!("f{pointer}")
}

/// Whether `form` can be filled in on a page.
pub fn is_fillable(form: &FormField) -> bool {
    count_fields(form, 0).is_some_and(|count| (1..=FIELDS_MAX).contains(&count))
}

fn count_fields(form: &FormField, depth: usize) -> Option<usize> {
    if depth > DEPTH_MAX {
        return None;
    }
    match form.holds()? {
        Holds::Fields if form.fields.is_empty() => None,
        Holds::Fields => form.fields.values().map(|field| count_fields(field, depth + 1)).sum(),
        Holds::List => Some(count_fields(form.items.as_ref()?, depth + 1)? * group_range(form).1),
        _ => Some(1),
    }
}

/// Fewest and most groups of a list.
fn group_range(list: &FormField) -> (usize, usize) {
    let least = list.min_items.min(GROUPS_MAX);
    (least, list.max_items.unwrap_or(least + 2).clamp(least.max(1), GROUPS_MAX))
}

/// The fields of `form`, which answers `key`.
pub fn render_form(form: &FormField, key: &Key, filled: &dyn Filled) -> Markup {
    FormMarkup { key, filled, is_optional: form.is_optional() }.render_value(form, "", "", true)
}

/// The items of `list` at `pointer`, each with its title. Where each is about another of as many
/// things, each says so already; what was `filled` in before stays where it stands.
fn list_items(list: &FormField, pointer: &str, label: &str, filled: &dyn Filled) -> Vec<(String, FormField)> {
    let count = group_range(list).1;
    let items = list.items.as_deref().cloned().unwrap_or_default();
    let Some((name, choices)) = list.one_for_each().filter(|(_, choices)| choices.len() == count) else {
        return (1..=count).map(|at| (format!("{} {at}", to_singular(label)), items.clone())).collect();
    };
    let before = (0..count).map(|at| {
        let before = filled.value_at(&format!("{pointer}/{at}/{}", escape_pointer(name)))?;
        choices.iter().copied().find(|choice| render_word(choice) == before)
    });
    let before = before.collect::<Vec<_>>();
    let mut left = choices.iter().copied().filter(|choice| !before.contains(&Some(*choice)));
    let of = before.iter().map(|known| known.or_else(|| left.next()).cloned().unwrap_or_default());
    of.map(|of| {
        let (mut item, title) = (items.clone(), render_choice(name, &render_word(&of)));
        item.fields[name].choices = Some(vec![of]);
        (title, item)
    })
    .collect()
}

struct FormMarkup<'f> {
    key: &'f Key,
    filled: &'f dyn Filled,
    /// Whether nothing has to be filled in: then nothing that can be is hidden.
    is_optional: bool,
}

impl FormMarkup<'_> {
    fn render_value(&self, field: &FormField, pointer: &str, label: &str, required: bool) -> Markup {
        let fields = match field.holds() {
            Some(Holds::Fields) => self.render_object(field, pointer),
            Some(Holds::List) => self.render_list(field, pointer, label),
            _ => return self.render_field(field, pointer, label, required),
        };
        // What is wrong with several fields stands before the first of them.
        let id = format!("{}{pointer}", self.key);
        let faults = FieldFaults::from_faults(self.filled.faults(), pointer, &id);
        html! { @if faults.invalid().is_some() { div id=(id) { (faults.render()) } } (fields) }
    }

    /// Whether something is wrong in the field at `pointer`, or in a field of it.
    fn has_fault_in(&self, pointer: &str) -> bool {
        let of_pointer =
            |field: &str| field.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.filled.faults().iter().any(|fault| fault.field.as_deref().is_some_and(of_pointer))
    }

    fn render_object(&self, form: &FormField, pointer: &str) -> Markup {
        html! {
            @for (name, field) in &form.fields {
                (self.render_value(field, &format!("{pointer}/{}", escape_pointer(name)), &field.field_label(name), form.requires_field(name)))
            }
        }
    }

    fn render_list(&self, list: &FormField, pointer: &str, label: &str) -> Markup {
        let (least, most) = group_range(list);
        let is_group = list.items_hold() == Some(Holds::Fields);
        let is_top = pointer.matches('/').count() == 1;
        let open = least.max(usize::from(!is_group || (self.is_optional && is_top)));
        let items = list_items(list, pointer, label, self.filled);
        let group = |at: usize| {
            let at_pointer = format!("{pointer}/{at}");
            let (title, item) = &items[at];
            html! {
                @if is_group {
                    fieldset {
                        legend { (escape_invisible(title)) @if at >= least { " " small { "optional" } } }
                        (self.render_value(item, &at_pointer, title, at < least))
                    }
                } @else {
                    (self.render_value(item, &at_pointer, title, at < least))
                }
            }
        };
        html! {
            @for at in 0..open { (group(at)) }
            @if most > open {
                details open[(open..most).any(|at| self.has_fault_in(&format!("{pointer}/{at}")))] {
                    summary { (if open == 0 { format!("{label} (optional)") } else { format!("More {}", label.to_lowercase()) }) }
                    @for at in open..most { (group(at)) }
                }
            }
        }
    }

    fn render_field(&self, field: &FormField, pointer: &str, label: &str, required: bool) -> Markup {
        let (name, id) = (field_name(pointer), format!("{}{pointer}", self.key));
        let filled = self.filled.value_at(pointer).unwrap_or_default();
        let most = field.max_length;
        let long = most.is_none_or(|most| most >= LONG_CHARS);
        let choices: Vec<String> = match field.holds() {
            Some(Holds::YesNo) => vec!["true".into(), "false".into()],
            _ => field.choices.iter().flatten().map(render_word).collect(),
        };
        let own = pointer.rsplit('/').next().unwrap_or_default();
        let shown = |choice: &str| match (field.holds(), choice) {
            (Some(Holds::YesNo), "true") => "yes".to_owned(),
            (Some(Holds::YesNo), _) => "no".to_owned(),
            _ => render_choice(own, choice),
        };
        let about = field.description.as_deref();
        let hint = describe_limits(field);
        let faults = FieldFaults::from_faults(self.filled.faults(), pointer, &id);
        let (invalid, described_by) = (faults.invalid(), faults.described_by());
        // What has one answer is answered, and what its group is called after needs no field that says it once more.
        if let ([only], true) = (&choices[..], required) {
            return html! { input type="hidden" name=(name) value=(only); };
        }
        html! {
            div .field {
                label for=(id) { (escape_invisible(label)) @if !required { " " small { "optional" } } @if let Some(hint) = &hint { " " small { (hint) } } }
                @if let Some(about) = about { p .about { (escape_invisible(about)) } }
                (faults.render())
                @if !choices.is_empty() {
                    select id=(id) name=(name) aria-invalid=[invalid] aria-describedby=[described_by.as_deref()] {
                        option value="" selected[filled.is_empty()] { (if required { "choose" } else { "leave open" }) }
                        @for choice in &choices { option value=(choice) selected[*choice == filled] { (escape_invisible(&shown(choice))) } }
                    }
                } @else if matches!(field.holds(), Some(Holds::Number | Holds::Whole)) {
                    input type="text" inputmode="decimal" autocomplete="off" id=(id) name=(name) value=(filled) aria-invalid=[invalid] aria-describedby=[described_by.as_deref()];
                } @else if long {
                    textarea id=(id) name=(name) maxlength=[most] rows=(if most.is_some_and(|most| most < 500) { 3 } else { 5 }) aria-invalid=[invalid] aria-describedby=[described_by.as_deref()] { "\n" (filled) }
                } @else {
                    input type="text" autocomplete="off" id=(id) name=(name) maxlength=[most] value=(filled) aria-invalid=[invalid] aria-describedby=[described_by.as_deref()];
                }
            }
        }
    }
}

/// What a field wants, where its schema says so. How short a text may be is not refused here.
fn describe_limits(field: &FormField) -> Option<String> {
    let [least, most] = [&field.minimum, &field.maximum].map(|bound| bound.as_ref().and_then(Number::as_f64));
    match (least, most, field.max_length) {
        (Some(least), Some(most), _) => Some(format!("{least} to {most}")),
        (_, _, Some(most)) => Some(format!("at most {most} characters")),
        _ => None,
    }
}

/// The statement that a filled form makes; `None` where nothing was filled in.
pub fn parse_form(form: &FormField, fields: &SubmittedFields) -> Option<Value> {
    parse_value(form, "", fields, 0)
}

/// The place in the form of what stands at `pointer` in the statement, which has no groups that were left empty. `None`
/// where the form has no such place.
pub fn find_form_place(form: &FormField, fields: &SubmittedFields, pointer: &str) -> Option<String> {
    let (mut form, mut place) = (form.clone(), String::new());
    for (depth, part) in pointer.split('/').skip(1).enumerate() {
        match form.holds()? {
            Holds::Fields => {
                let (_, field) = form.fields.into_iter().find(|(name, _)| escape_pointer(name) == part)?;
                place = format!("{place}/{part}");
                form = field;
            }
            Holds::List => {
                let items = list_items(&form, &place, "", fields).into_iter().enumerate();
                let items = items.map(|(at, (_, item))| (format!("{place}/{at}"), item));
                let is_filled = |(at, item): &(String, FormField)| parse_value(item, at, fields, depth + 1).is_some();
                let found = items.filter(is_filled).nth(part.parse().ok()?)?;
                (place, form) = found;
            }
            _ => return None,
        }
    }
    (!place.is_empty()).then_some(place)
}

fn parse_value(form: &FormField, pointer: &str, fields: &SubmittedFields, depth: usize) -> Option<Value> {
    if depth > DEPTH_MAX {
        return None;
    }
    match form.holds()? {
        Holds::Fields => {
            let mut object = Map::new();
            for (name, field) in &form.fields {
                if let Some(value) =
                    parse_value(field, &format!("{pointer}/{}", escape_pointer(name)), fields, depth + 1)
                {
                    object.insert(name.clone(), value);
                }
            }
            // A group of which only the choices that have one answer are filled in is empty.
            let is_given = |name: &str| form.fields[name].choices.as_ref().is_some_and(|choices| choices.len() == 1);
            let said = object.iter().any(|(name, value)| value.is_null() || !is_given(name));
            // A list that must be there may be empty.
            let is_list = |name: &&String| form.fields.get(*name).and_then(FormField::holds) == Some(Holds::List);
            for name in form.required.iter().filter(is_list) {
                object.entry(name).or_insert_with(|| json!([]));
            }
            said.then(|| object.into())
        }
        Holds::List => {
            let items = list_items(form, pointer, "", fields).into_iter().enumerate();
            let items =
                items.filter_map(|(at, (_, item))| parse_value(&item, &format!("{pointer}/{at}"), fields, depth + 1));
            let items = items.collect::<Vec<_>>();
            (!items.is_empty()).then(|| items.into())
        }
        _ => fields.trimmed_value(&field_name(pointer)).and_then(|text| parse_field_value(form, text)),
    }
}

fn to_singular(label: &str) -> String {
    match label.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None if label.ends_with("ss") || label == "Grounds" => label.to_owned(),
        None => label.strip_suffix('s').unwrap_or(label).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(schema: Value) -> FormField {
        FormField::from_schema(&schema)
    }

    fn schema() -> FormField {
        form(json!({"type": "object", "required": ["title", "kind", "points", "attacks"], "properties": {
            "title": {"type": "string", "maxLength": 80},
            "kind": {"type": "string", "enum": ["a_b"]},
            "points": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "object", "properties": {
                "text": {"type": "string"}, "weight": {"type": "number"}, "sure": {"type": "boolean"}}}},
            "attacks": {"type": "array", "maxItems": 2, "items": {"type": "object", "properties": {"of": {"type": "string"}}}},
        }}))
    }

    fn fields(pairs: &[(&str, &str)]) -> SubmittedFields {
        SubmittedFields(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn a_filled_form_is_the_statement() {
        let filled = fields(&[
            ("f/title", " T "),
            ("f/kind", "a_b"),
            ("f/points/0/text", "x"),
            ("f/points/0/weight", "\u{2212}0,5"),
            ("f/points/1/text", ""),
            ("f/points/2/text", "y"),
            ("f/points/2/weight", "heavy"),
            ("f/points/2/sure", "true"),
        ]);
        let read = parse_form(&schema(), &filled).unwrap();
        assert_eq!(
            read,
            json!({"title": "T", "kind": "a_b", "points": [
            {"text": "x", "weight": -0.5}, {"text": "y", "weight": "heavy", "sure": true}], "attacks": []})
        );
        assert!(self::parse_form(&schema(), &fields(&[("f/other", "x")])).is_none());
    }

    #[test]
    fn a_place_of_the_statement_is_found_in_the_form() {
        let filled = fields(&[("f/points/1/text", "x"), ("f/points/2/text", "y")]);
        for (pointer, place) in [
            ("/title", Some("/title")),
            ("/points", Some("/points")),
            ("/points/1/text", Some("/points/2/text")),
            ("/points/0", Some("/points/1")),
            ("/points/2/text", None),
            ("/points/1/other", None),
            ("/title/0", None),
            ("", None),
        ] {
            assert_eq!(find_form_place(&schema(), &filled, pointer).as_deref(), place, "{pointer}");
        }
    }

    #[test]
    fn a_label_promises_no_limit_that_is_not_kept() {
        let limits = |limits: Value| describe_limits(&form(limits));
        let text = json!({"type": "string", "minLength": 16, "maxLength": 160});
        assert_eq!(limits(text).as_deref(), Some("at most 160 characters"));
        assert_eq!(limits(json!({"minimum": -1, "maximum": 1})).as_deref(), Some("-1 to 1"));
        assert_eq!(limits(json!({"minLength": 16})), None);
    }

    #[test]
    fn every_field_of_the_form_is_read_again() {
        let key = Key::from_parts("turn");
        let html = render_form(&schema(), &key, &Value::Null).into_string();
        for name in ["f/title", "f/kind", "f/points/2/sure", "f/attacks/1/of"] {
            assert!(html.contains(&format!("name=\"{name}\"")), "{name}");
        }
        let again = render_form(&schema(), &key, &json!({"title": "<b>\"x"})).into_string();
        assert!(again.contains("&lt;b&gt;&quot;x"), "{again}");
    }

    #[test]
    fn what_is_all_that_can_be_filled_in_is_never_folded_away() {
        let item = json!({"type": "object", "required": ["to", "question"], "properties": {
            "to": {"type": "string", "enum": ["ada_l", "bob"]}, "question": {"type": "string", "minLength": 10}}});
        let questions = json!({"type": "array", "minItems": 0, "maxItems": 2, "title": "Questions", "items": item});
        let drawn = |required: &[&str]| {
            let schema = json!({"type": "object", "required": required, "properties": {
                "questions": questions, "note": {"type": "string", "minLength": 3}}});
            render_form(&form(schema), &Key::from_parts("turn"), &Value::Null).into_string()
        };
        let html = drawn(&["questions"]);
        let (open, folded) = html.split_once("<details>").unwrap();
        assert!(open.contains("f/questions/0/question") && folded.contains("f/questions/1/question"), "{html}");
        assert!(open.contains("Question 1 <small>optional</small>"), "{html}");
        assert!(open.contains(">ada_l</option>"), "an id of the debate stays as it is: {html}");
        let html = drawn(&["questions", "note"]);
        assert!(!html.split("<details>").next().unwrap().contains("f/questions/0"), "{html}");
    }

    #[test]
    fn a_score_for_each_argument_is_asked_for_by_its_name() {
        let item = json!({"type": "object", "required": ["argument_id", "score"], "properties": {
            "argument_id": {"type": "string", "enum": ["prop_000a", "opp_000a"]}, "score": {"type": "number"}}});
        let schema = json!({"type": "object", "required": ["scores"], "properties": {
            "scores": {"type": "array", "minItems": 2, "maxItems": 2, "items": item}}});
        let schema = form(schema);
        let html = render_form(&schema, &Key::from_parts("turn"), &Value::Null).into_string();
        assert!(html.contains("<legend>prop_000a</legend>") && !html.contains("<select"), "{html}");
        assert!(html.contains(r#"<input type="hidden" name="f/scores/1/argument_id" value="opp_000a">"#), "{html}");
        let sent = [("f/scores/0/argument_id", "prop_000a"), ("f/scores/1/argument_id", "opp_000a")];
        assert!(parse_form(&schema, &fields(&sent)).is_none(), "names alone say nothing");
        let sent = [&sent[..], &[("f/scores/1/score", "0.5")]].concat();
        let wanted = json!({"scores": [{"argument_id": "opp_000a", "score": 0.5}]});
        assert_eq!(parse_form(&schema, &fields(&sent)), Some(wanted));
        let side = json!({"type": "object", "required": ["side"], "properties": {
            "side": {"type": "string", "enum": ["for"]}}});
        let html = render_form(&form(side), &Key::from_parts("turn"), &Value::Null).into_string();
        assert!(html.contains(r#"<input type="hidden" name="f/side" value="for">"#), "one choice is none: {html}");
        // A draft in another order is mended in its own.
        let draft = json!({"scores": [{"argument_id": "opp_000a", "score": 1}, {"score": -1}]});
        let html = render_form(&schema, &Key::from_parts("turn"), &draft).into_string();
        assert!(html.find("<legend>opp_000a").unwrap() < html.find("<legend>prop_000a").unwrap(), "{html}");
    }

    #[test]
    fn what_is_too_large_is_no_form() {
        assert!(is_fillable(&schema()));
        let mut deep = json!({"type": "string"});
        for _ in 0..8 {
            deep = json!({"type": "object", "properties": {"a": deep}});
        }
        assert!(!is_fillable(&form(deep)));
        assert!(!is_fillable(&form(json!({"anyOf": []}))));
    }
}
