//! A form filled in at the terminal, one question a field: choices by number, lists a line each, an empty
//! line for what optional or was filled in before.

use agon_core::form::{self, FormField, Holds};
use futures::future::BoxFuture;
use serde_json::{Map, Number, Value};

use super::dialogue::{Dialogue, DialogueAction, Filled, find_choice};
use crate::ui::{self, BOLD, DIM};

/// Longest text that is shown of what was filled in before, in characters.
const BEFORE_CHARS: usize = 60;

/// A field that is filled in.
struct InputField<'f> {
    form: &'f FormField,
    /// Where it stands, as a JSON pointer.
    at: String,
    label: String,
    optional: bool,
}

impl Dialogue<'_> {
    /// Every field of the form, one after the other; then the whole, to be sent.
    pub(super) async fn fill_form(&mut self) -> Result<String, DialogueAction> {
        let Some(schema) = self.asked.schema else { return Err(DialogueAction::Leave) };
        if !self.draft.fields.is_empty() {
            self.show_note("An empty line keeps your earlier text, shown in brackets; /again starts over.");
        }
        loop {
            let field = InputField { form: schema, at: String::new(), label: String::new(), optional: false };
            let statement = self.read_value(field).await?.unwrap_or_default().to_string();
            self.at.clear();
            self.show_line("");
            self.show_line(&ui::statement::render_statement(&statement, self.asked.told.plain));
            if self.is_sent().await? {
                return Ok(statement);
            }
            self.show_note("Change the fields: an empty line keeps the text in brackets.");
        }
    }

    async fn is_sent(&mut self) -> Result<bool, DialogueAction> {
        loop {
            match self.require_line("  Send it? [Y/n] ").await?.trim().to_lowercase().as_str() {
                "" | "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => self.show_note("An empty line sends it, n changes it, /e opens it in your editor."),
            }
        }
    }

    fn read_value<'s>(&'s mut self, field: InputField<'s>) -> BoxFuture<'s, Filled> {
        Box::pin(async move {
            match field.form.holds() {
                Some(Holds::Fields) => self.read_object(field).await,
                _ if !field.form.variants.is_empty() => self.read_object(field).await,
                Some(Holds::List) => self.read_list(field).await,
                Some(Holds::Choice) => self.read_choice(field).await,
                _ => self.read_scalar(field).await,
            }
        })
    }

    /// The fields of an object. Where it is one of several kinds, each answer leaves fewer of them.
    async fn read_object(&mut self, field: InputField<'_>) -> Filled {
        let mut kinds = field.form.list_variants().to_vec();
        let mut object = Map::new();
        let names: Vec<String> = form::unite_variants(&kinds).fields.into_keys().collect();
        for name in names {
            let merged = form::unite_variants(&kinds).merge_variants();
            // Within a field kinds are told apart by its own answers.
            let kind = if let [kind] = &kinds[..] { kind } else { &merged };
            let Some(form) = kind.fields.get(&name).cloned() else { continue };
            let required = merged.requires_field(&name);
            let default = form.default_value();
            let only =
                default.clone().filter(|given| form.holds() == Some(Holds::Choice) && (required || given.is_null()));
            let at = format!("{}/{name}", field.at);
            let value = match only {
                Some(given) => Some(given),
                None => {
                    let label = form.field_label(&name);
                    let optional = !required || default.is_some();
                    self.read_value(InputField { form: &form, at, label, optional }).await?
                }
            };
            if let Some(value) = value.or(default.filter(|_| required)) {
                kinds.retain(|kind| {
                    let choices = kind.fields.get(&name).filter(|of| of.holds() == Some(Holds::Choice));
                    value.is_null() || choices.is_none_or(|of| of.list_choices().any(|choice| *choice == value))
                });
                object.insert(name, value);
            }
        }
        Ok(Some(object.into()))
    }

    async fn read_list(&mut self, field: InputField<'_>) -> Filled {
        let free = FormField::default();
        let items = field.form.items.as_deref().unwrap_or(&free);
        self.show_field_head(&field, &describe_count(field.form));
        if !items.variants.is_empty() || items.holds() == Some(Holds::Fields) {
            self.read_list_objects(&field, items).await
        } else {
            self.read_list_texts(&field, items).await
        }
    }

    /// Things of several fields. Where each of a known number is about one of as many, they are taken in
    /// their order.
    async fn read_list_objects(&mut self, field: &InputField<'_>, items: &FormField) -> Filled {
        let (least, most) = (field.form.min_items, field.form.max_items);
        let each = field.form.one_for_each();
        let mut things = Vec::new();
        while most.is_none_or(|most| things.len() < most) {
            let at = things.len();
            let pointer = format!("{}/{at}", field.at);
            let before = self.draft.fields.keys().any(|key| key.starts_with(&format!("{pointer}/")));
            if at >= least && !before && !self.wants_more(&field.label, at).await? {
                break;
            }
            let mut form = items.clone();
            let title = match &each {
                Some((name, choices)) => {
                    form.fields[*name].choices = Some(vec![choices[at].clone()]);
                    form::render_word(choices[at])
                }
                None => format!("{} {}", field.label, at + 1),
            };
            if least > 1 || at > 0 || each.is_some() {
                self.show_line(&ui::paint_text(&ui::wrap_text(&title, "  "), BOLD));
            }
            let thing = InputField { form: &form, at: pointer, label: String::new(), optional: false };
            things.extend(self.read_value(thing).await?);
        }
        Ok(Some(things.into()))
    }

    async fn wants_more(&mut self, label: &str, at: usize) -> Result<bool, DialogueAction> {
        let which = if at == 0 { "Add one" } else { "One more" };
        let line = self.require_line(&format!("  {}: {which}? [y/N] ", ui::escape_invisible(label))).await?;
        Ok(line.trim().to_lowercase().starts_with('y'))
    }

    /// Texts a line each, until an empty line; choices by their numbers on one line.
    async fn read_list_texts(&mut self, field: &InputField<'_>, items: &FormField) -> Filled {
        let (least, most) = (field.form.min_items, field.form.max_items);
        let choices: Vec<_> = items.list_choices().collect();
        if items.holds() == Some(Holds::YesNo) {
            let mut each = Vec::new();
            for at in 0..least {
                let pointer = format!("{}/{at}", field.at);
                let label = format!("{} {}", field.label, at + 1);
                each.extend(self.read_value(InputField { form: items, at: pointer, label, optional: false }).await?);
            }
            return Ok(Some(each.into()));
        }
        let words: Vec<String> = items.list_choices().map(form::render_word).collect();
        if !words.is_empty() {
            self.show_options(name_of(&field.at), &words);
            self.show_line(&ui::paint_text("    Numbers or names, separated by commas.", DIM));
        }
        let before = self.draft.fields.get(&field.at).and_then(|before| before.as_array()).cloned().unwrap_or_default();
        let mut each = Vec::new();
        self.at.clone_from(&field.at);
        loop {
            let full = most.is_some_and(|most| each.len() >= most);
            let shown = if each.is_empty() && !before.is_empty() {
                format!("  [{} kept] - ", before.len())
            } else {
                "  - ".into()
            };
            let line = if full { String::new() } else { self.require_line(&shown).await? };
            let line = line.trim();
            if line.is_empty() {
                if each.is_empty() {
                    each.clone_from(&before);
                }
                let value = each.clone().into();
                if full || form::check_named_field(field.form, &field.label, &value).is_empty() {
                    return self.save_value(&field.at, value);
                }
                self.show_note(&format!("Enter {}.", describe_count(field.form)));
                continue;
            }
            if words.is_empty() {
                each.push(form::parse_field_value(items, line).unwrap_or_default());
                continue;
            }
            for part in line.split(',').map(str::trim).filter(|part| !part.is_empty()) {
                match find_choice(&words, part) {
                    Some(at) if !each.contains(choices[at]) => each.push(choices[at].clone()),
                    Some(_) => {}
                    None => self.show_note(&format!("{part} is not in the list.")),
                }
            }
            if each.len() >= least.max(1) {
                return self.save_value(&field.at, each.into());
            }
        }
    }

    async fn read_choice(&mut self, field: InputField<'_>) -> Filled {
        let choices: Vec<_> = field.form.list_choices().collect();
        let words: Vec<String> = field.form.list_choices().map(form::render_word).collect();
        self.show_field_head(&field, "");
        self.show_options(name_of(&field.at), &words);
        let before = self.draft.fields.get(&field.at).map(form::render_word);
        self.at.clone_from(&field.at);
        loop {
            let shown = before.as_ref().map_or(String::new(), |before| format!("[{before}] "));
            let line = self.require_line(&format!("  1-{}: {shown}", words.len())).await?;
            let line = match (line.trim(), &before) {
                ("", Some(before)) => before.clone(),
                ("", None) if field.optional => return Ok(None),
                (line, _) => line.to_owned(),
            };
            if line.starts_with('{') {
                return Err(DialogueAction::Json(line));
            }
            if let Some(at) = find_choice(&words, &line) {
                return self.save_value(&field.at, choices[at].clone());
            }
            self.show_note("Type a number from the list.");
        }
    }

    async fn read_scalar(&mut self, field: InputField<'_>) -> Filled {
        let before = self.draft.fields.get(&field.at).cloned();
        let kind = match field.form.holds() {
            Some(Holds::YesNo) => "yes or no".into(),
            Some(Holds::Number | Holds::Whole) => describe_bounds(field.form),
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
            let line = self.require_line(&format!("  {shown}> ")).await?;
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
                (words, _) => form::parse_field_value(field.form, words).unwrap_or_default(),
            };
            let faults = form::check_named_field(field.form, &field.label, &value);
            if faults.is_empty() {
                return self.save_value(&field.at, value);
            }
            faults.iter().for_each(|fault| self.show_note(fault));
        }
    }

    fn show_field_head(&self, field: &InputField<'_>, more: &str) {
        if field.label.is_empty() {
            return;
        }
        let about = field.form.description.as_deref().unwrap_or_default();
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

    fn save_value(&mut self, at: &str, value: Value) -> Filled {
        self.draft.fields.insert(at.to_owned(), value.clone());
        self.draft.save().map(|()| Some(value)).map_err(DialogueAction::Lost)
    }
}

/// The name of the field at a JSON pointer.
fn name_of(pointer: &str) -> &str {
    pointer.rsplit('/').find(|part| !part.bytes().all(|b| b.is_ascii_digit())).unwrap_or_default()
}

fn describe_count(list: &FormField) -> String {
    match (list.min_items, list.max_items) {
        (0, Some(most)) => format!("up to {most}, or none"),
        (0, None) => "any number, or none".into(),
        (least, Some(most)) if least == most => format!("{least}"),
        (least, Some(most)) => format!("{least} to {most}"),
        (least, None) => format!("{least} or more"),
    }
}

fn describe_bounds(field: &FormField) -> String {
    match (field.minimum.as_ref().and_then(Number::as_f64), field.maximum.as_ref().and_then(Number::as_f64)) {
        (Some(least), Some(most)) => format!("a number, {least} to {most}"),
        _ => "a number".into(),
    }
}
