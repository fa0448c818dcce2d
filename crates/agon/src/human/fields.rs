//! A form filled in at the terminal, one question a field: choices by number, lists a line each, an empty
//! line for what optional or was filled in before.

use agon_core::form::{self, Holds};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::dialogue::{Dialogue, DialogueAction, find_choice};
use crate::ui::{self, BOLD, DIM};

/// Longest text that is shown of what was filled in before, in characters.
const BEFORE_CHARS: usize = 60;

/// A field that is filled in.
struct InputField<'f> {
    schema: &'f Value,
    /// Where it stands, as a JSON pointer.
    at: String,
    label: String,
    optional: bool,
}

impl InputField<'_> {
    /// What is wrong with `value` in it.
    fn check_value(&self, value: &Value) -> Vec<String> {
        let (name, mut of, mut with) = (self.label.clone(), Map::new(), Map::new());
        of.insert(name.clone(), self.schema.clone());
        with.insert(name, value.clone());
        form::check_against_schema(&json!({"type": "object", "properties": of}), &with.into())
    }
}

impl Dialogue<'_> {
    /// Every field of the form, one after the other; then the whole, to be sent.
    pub(super) async fn fill_form(&mut self) -> Result<Value, DialogueAction> {
        let Some(schema) = self.asked.schema.cloned() else { return Err(DialogueAction::Leave) };
        if !self.draft.fields.is_empty() {
            self.show_note("An empty line keeps your earlier text, shown in brackets; /again starts over.");
        }
        loop {
            let field = InputField { schema: &schema, at: String::new(), label: String::new(), optional: false };
            let value = self.read_value(field).await?.unwrap_or_default();
            self.at.clear();
            self.show_line("");
            self.show_line(&ui::statement::render_statement(&value.to_string(), self.asked.told.plain));
            if self.is_sent().await? {
                return Ok(value);
            }
            self.show_note("Change the fields: an empty line keeps the text in brackets.");
        }
    }

    async fn is_sent(&mut self) -> Result<bool, DialogueAction> {
        loop {
            let Some(line) = self.read_line("  Send it? [Y/n] ").await? else {
                return Err(self.confirm_end().await);
            };
            match line.trim().to_lowercase().as_str() {
                "" | "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => self.show_note("An empty line sends it, n changes it, /e opens it in your editor."),
            }
        }
    }

    fn read_value<'s>(&'s mut self, field: InputField<'s>) -> BoxFuture<'s, Result<Option<Value>, DialogueAction>> {
        Box::pin(async move {
            if field.schema["anyOf"].is_array() {
                return self.read_object(field).await;
            }
            match form::field_type(field.schema) {
                Some(Holds::Fields) => self.read_object(field).await,
                Some(Holds::List) => self.read_list(field).await,
                Some(Holds::Choice) => self.read_choice(field).await,
                _ => self.read_scalar(field).await,
            }
        })
    }

    /// The fields of an object. Where it is one of several kinds, each answer leaves fewer of them.
    async fn read_object(&mut self, field: InputField<'_>) -> Result<Option<Value>, DialogueAction> {
        let mut kinds: Vec<Value> = match field.schema["anyOf"].as_array() {
            Some(kinds) => kinds.clone(),
            None => vec![field.schema.clone()],
        };
        let mut object = Map::new();
        let names: Vec<String> = {
            let merged = form::merge_variants(&json!({"anyOf": kinds.clone()}));
            merged["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
        };
        for name in names {
            let merged = form::merge_variants(&json!({"anyOf": kinds.clone()}));
            // Within a field kinds are told apart by its own answers.
            let nested = kinds.len() == 1;
            let schema =
                if nested { kinds[0]["properties"][&name].clone() } else { merged["properties"][&name].clone() };
            if schema.is_null() {
                continue;
            }
            let required = form::requires_field(&merged, &name);
            let only = form::default_value(&schema)
                .filter(|given| form::field_type(&schema) == Some(Holds::Choice) && (required || given.is_null()));
            let at = format!("{}/{name}", field.at);
            let value = match only {
                Some(given) => Some(given),
                None => {
                    let label = form::field_label(&schema, &name);
                    let optional = !required || form::default_value(&schema).is_some();
                    self.read_value(InputField { schema: &schema, at, label, optional }).await?
                }
            };
            if let Some(value) = value.or_else(|| form::default_value(&schema).filter(|_| required)) {
                kinds.retain(|kind| {
                    let of = &kind["properties"][&name];
                    !of["enum"].is_array() || form::list_choices(of).contains(&value) || value.is_null()
                });
                object.insert(name, value);
            }
        }
        Ok(Some(object.into()))
    }

    async fn read_list(&mut self, field: InputField<'_>) -> Result<Option<Value>, DialogueAction> {
        let items = &field.schema["items"];
        let (least, most) = form::entry_bounds(field.schema);
        self.show_field_head(&field, &describe_count(least, most));
        let is_object = items["anyOf"].is_array() || form::field_type(items) == Some(Holds::Fields);
        let each = if is_object {
            self.read_list_objects(&field, least, most).await?
        } else {
            self.read_list_texts(&field, least, most).await?
        };
        Ok(Some(each.into()))
    }

    /// Things of several fields. Where each of a known number is about one of as many, they are taken in
    /// their order.
    async fn read_list_objects(
        &mut self,
        field: &InputField<'_>,
        least: usize,
        most: Option<usize>,
    ) -> Result<Vec<Value>, DialogueAction> {
        let items = &field.schema["items"];
        let each = form::one_for_each(field.schema);
        let mut things = Vec::new();
        while most.is_none_or(|most| things.len() < most) {
            let at = things.len();
            let pointer = format!("{}/{at}", field.at);
            let before = self.draft.fields.keys().any(|key| key.starts_with(&format!("{pointer}/")));
            if at >= least && !before && !self.wants_more(&field.label, at).await? {
                break;
            }
            let mut schema = items.clone();
            let title = match &each {
                Some((name, choices)) => {
                    schema["properties"][*name]["enum"] = json!([choices[at]]);
                    form::render_word(&choices[at])
                }
                None => format!("{} {}", field.label, at + 1),
            };
            if least > 1 || at > 0 || each.is_some() {
                self.show_line(&ui::paint_text(&ui::wrap_text(&title, "  "), BOLD));
            }
            let thing = InputField { schema: &schema, at: pointer, label: String::new(), optional: false };
            things.extend(self.read_value(thing).await?);
        }
        Ok(things)
    }

    async fn wants_more(&mut self, label: &str, at: usize) -> Result<bool, DialogueAction> {
        let which = if at == 0 { "Add one" } else { "One more" };
        match self.read_line(&format!("  {}: {which}? [y/N] ", ui::escape_invisible(label))).await? {
            Some(line) => Ok(line.trim().to_lowercase().starts_with('y')),
            None => Err(self.confirm_end().await),
        }
    }

    /// Texts a line each, until an empty line; choices by their numbers on one line.
    async fn read_list_texts(
        &mut self,
        field: &InputField<'_>,
        least: usize,
        most: Option<usize>,
    ) -> Result<Vec<Value>, DialogueAction> {
        let items = &field.schema["items"];
        let choices: Vec<Value> = form::list_choices(items);
        if form::field_type(items) == Some(Holds::YesNo) {
            let mut each = Vec::new();
            for at in 0..least {
                let pointer = format!("{}/{at}", field.at);
                let label = format!("{} {}", field.label, at + 1);
                each.extend(self.read_value(InputField { schema: items, at: pointer, label, optional: false }).await?);
            }
            return Ok(each);
        }
        let words: Vec<String> = choices.iter().map(form::render_word).collect();
        if !words.is_empty() {
            self.show_options(name_of(&field.at), &words);
            self.show_line(&ui::paint_text("    Numbers or names, separated by commas.", DIM));
        }
        let before: Vec<Value> =
            self.draft.fields.get(&field.at).and_then(Value::as_array).cloned().unwrap_or_default();
        let mut each: Vec<Value> = Vec::new();
        self.at.clone_from(&field.at);
        loop {
            let full = most.is_some_and(|most| each.len() >= most);
            let shown = if each.is_empty() && !before.is_empty() {
                format!("  [{} kept] - ", before.len())
            } else {
                "  - ".into()
            };
            let line = if full { Some(String::new()) } else { self.read_line(&shown).await? };
            let Some(line) = line else { return Err(self.confirm_end().await) };
            let line = line.trim();
            if line.is_empty() {
                if each.is_empty() {
                    each.clone_from(&before);
                }
                let value: Value = each.clone().into();
                let faults = field.check_value(&value);
                if faults.is_empty() || full {
                    self.save_value(&field.at, &value)?;
                    return Ok(each);
                }
                self.show_note(&format!("Enter {}.", describe_count(least, most)));
                continue;
            }
            if words.is_empty() {
                each.push(form::parse_field_value(items, line).unwrap_or_default());
                continue;
            }
            for part in line.split(',').map(str::trim).filter(|part| !part.is_empty()) {
                let found = find_choice(&words, part).and_then(|word| words.iter().position(|known| known == word));
                match found {
                    Some(at) if !each.contains(&choices[at]) => each.push(choices[at].clone()),
                    Some(_) => {}
                    None => self.show_note(&format!("{part} is not in the list.")),
                }
            }
            if each.len() >= least.max(1) {
                let value: Value = each.clone().into();
                self.save_value(&field.at, &value)?;
                return Ok(each);
            }
        }
    }

    async fn read_choice(&mut self, field: InputField<'_>) -> Result<Option<Value>, DialogueAction> {
        let choices = form::list_choices(field.schema);
        let words: Vec<String> = choices.iter().map(form::render_word).collect();
        self.show_field_head(&field, "");
        self.show_options(name_of(&field.at), &words);
        let before = self.draft.fields.get(&field.at).map(form::render_word);
        self.at.clone_from(&field.at);
        loop {
            let shown = before.as_ref().map_or(String::new(), |before| format!("[{before}] "));
            let Some(line) = self.read_line(&format!("  1-{}: {shown}", words.len())).await? else {
                return Err(self.confirm_end().await);
            };
            let line = match (line.trim(), &before) {
                ("", Some(before)) => before.clone(),
                ("", None) if field.optional => return Ok(None),
                (line, _) => line.to_owned(),
            };
            if line.starts_with('{') {
                return Err(DialogueAction::Json(line));
            }
            if let Some(word) = find_choice(&words, &line)
                && let Some(at) = words.iter().position(|known| known == word)
            {
                self.save_value(&field.at, &choices[at])?;
                return Ok(Some(choices[at].clone()));
            }
            self.show_note("Type a number from the list.");
        }
    }

    async fn read_scalar(&mut self, field: InputField<'_>) -> Result<Option<Value>, DialogueAction> {
        let holds = form::field_type(field.schema);
        let before = self.draft.fields.get(&field.at).cloned();
        let kind = match holds {
            Some(Holds::YesNo) => "yes or no".into(),
            Some(Holds::Number | Holds::Whole) => describe_bounds(field.schema),
            _ if field.optional => "optional".into(),
            _ => String::new(),
        };
        self.show_field_head(&field, &kind);
        self.at.clone_from(&field.at);
        loop {
            let shown = before.as_ref().map_or(String::new(), |before| {
                let word = form::render_word(before);
                let short: String = word.chars().take(BEFORE_CHARS).collect();
                let more = if short.len() < word.len() { ui::displayable_sign("…") } else { "" };
                format!("[{}{more}] ", ui::escape_invisible(&short))
            });
            let Some(line) = self.read_line(&format!("  {shown}> ")).await? else {
                return Err(self.confirm_end().await);
            };
            if line.trim_start().starts_with('{') {
                return Err(DialogueAction::Json(line));
            }
            let value = match (line.trim(), &before) {
                ("", Some(before)) => before.clone(),
                ("", None) if field.optional => return Ok(None),
                ("", None) => {
                    self.show_note("This field is required.");
                    continue;
                }
                (words, _) => form::parse_field_value(field.schema, words).unwrap_or_default(),
            };
            let faults = field.check_value(&value);
            if faults.is_empty() {
                self.save_value(&field.at, &value)?;
                return Ok(Some(value));
            }
            faults.iter().for_each(|fault| self.show_note(fault));
        }
    }

    fn show_field_head(&self, field: &InputField<'_>, more: &str) {
        if field.label.is_empty() {
            return;
        }
        let about = field.schema["description"].as_str().unwrap_or_default();
        let about = [about, more].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        let line = if about.is_empty() { field.label.clone() } else { format!("{}: {about}", field.label) };
        self.show_line(&ui::paint_text(&ui::wrap_text(&line, "  "), BOLD));
    }

    /// What can be chosen in the field `name`.
    fn show_options(&self, name: &str, words: &[String]) {
        for (at, word) in words.iter().enumerate() {
            self.show_line(&ui::wrap_text(&format!("{}. {}", at + 1, form::render_choice(name, word)), "    "));
        }
    }

    fn save_value(&mut self, at: &str, value: &Value) -> Result<(), DialogueAction> {
        self.draft.fields.insert(at.to_owned(), value.clone());
        self.draft.save().map_err(DialogueAction::Lost)
    }
}

/// The name of the field at a JSON pointer.
fn name_of(pointer: &str) -> &str {
    pointer.rsplit('/').find(|part| !part.bytes().all(|b| b.is_ascii_digit())).unwrap_or_default()
}

fn describe_count(least: usize, most: Option<usize>) -> String {
    match (least, most) {
        (0, Some(most)) => format!("up to {most}, or none"),
        (0, None) => "any number, or none".into(),
        (least, Some(most)) if least == most => format!("{least}"),
        (least, Some(most)) => format!("{least} to {most}"),
        (least, None) => format!("{least} or more"),
    }
}

fn describe_bounds(schema: &Value) -> String {
    match (schema["minimum"].as_f64(), schema["maximum"].as_f64()) {
        (Some(least), Some(most)) => format!("a number, {least} to {most}"),
        _ => "a number".into(),
    }
}
