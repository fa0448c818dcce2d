//! A form filled in at the terminal, one question a field: choices by number, lists a line each, an empty
//! line for what optional or was filled in before.

use agon_core::form::{self, Holds};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::dialogue::{Dialogue, DialogueAction, chosen};
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
    fn faults(&self, value: &Value) -> Vec<String> {
        let (name, mut of, mut with) = (self.label.clone(), Map::new(), Map::new());
        of.insert(name.clone(), self.schema.clone());
        with.insert(name, value.clone());
        form::faults(&json!({"type": "object", "properties": of}), &with.into())
    }
}

impl Dialogue<'_> {
    /// Every field of the form, one after the other; then the whole, to be sent.
    pub(super) async fn filled(&mut self) -> Result<Value, DialogueAction> {
        let Some(schema) = self.asked.schema.cloned() else { return Err(DialogueAction::Leave) };
        if !self.draft.fields.is_empty() {
            self.note("An empty line keeps your earlier text, shown in brackets; /again starts over.");
        }
        loop {
            let field =
                InputField { schema: &schema, at: String::new(), label: String::new(), optional: false };
            let value = self.value(field).await?.unwrap_or_default();
            self.at.clear();
            self.say("");
            self.say(&ui::statement::lines(&value.to_string(), self.asked.told.plain));
            if self.is_sent().await? {
                return Ok(value);
            }
            self.note("Change the fields: an empty line keeps the text in brackets.");
        }
    }

    async fn is_sent(&mut self) -> Result<bool, DialogueAction> {
        loop {
            let Some(line) = self.line("  Send it? [Y/n] ").await? else { return Err(self.ended().await) };
            match line.trim().to_lowercase().as_str() {
                "" | "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => self.note("An empty line sends it, n changes it, /e opens it in your editor."),
            }
        }
    }

    fn value<'s>(
        &'s mut self,
        field: InputField<'s>,
    ) -> BoxFuture<'s, Result<Option<Value>, DialogueAction>> {
        Box::pin(async move {
            if field.schema["anyOf"].is_array() {
                return self.object(field).await;
            }
            match form::holds(field.schema) {
                Some(Holds::Fields) => self.object(field).await,
                Some(Holds::List) => self.list(field).await,
                Some(Holds::Choice) => self.choice(field).await,
                _ => self.scalar(field).await,
            }
        })
    }

    /// The fields of an object. Where it is one of several kinds, each answer leaves fewer of them.
    async fn object(&mut self, field: InputField<'_>) -> Result<Option<Value>, DialogueAction> {
        let mut kinds: Vec<Value> = match field.schema["anyOf"].as_array() {
            Some(kinds) => kinds.clone(),
            None => vec![field.schema.clone()],
        };
        let mut object = Map::new();
        let names: Vec<String> = {
            let merged = form::merged(&json!({"anyOf": kinds.clone()}));
            merged["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
        };
        for name in names {
            let merged = form::merged(&json!({"anyOf": kinds.clone()}));
            // Within a field kinds are told apart by its own answers.
            let nested = kinds.len() == 1;
            let schema = if nested {
                kinds[0]["properties"][&name].clone()
            } else {
                merged["properties"][&name].clone()
            };
            if schema.is_null() {
                continue;
            }
            let required = form::requires(&merged, &name);
            let only = form::given(&schema)
                .filter(|given| form::holds(&schema) == Some(Holds::Choice) && (required || given.is_null()));
            let at = format!("{}/{name}", field.at);
            let value = match only {
                Some(given) => Some(given),
                None => {
                    let label = form::label(&schema, &name);
                    let optional = !required || form::given(&schema).is_some();
                    self.value(InputField { schema: &schema, at, label, optional }).await?
                }
            };
            if let Some(value) = value.or_else(|| form::given(&schema).filter(|_| required)) {
                kinds.retain(|kind| {
                    let of = &kind["properties"][&name];
                    !of["enum"].is_array() || form::choices(of).contains(&value) || value.is_null()
                });
                object.insert(name, value);
            }
        }
        Ok(Some(object.into()))
    }

    async fn list(&mut self, field: InputField<'_>) -> Result<Option<Value>, DialogueAction> {
        let items = &field.schema["items"];
        let (least, most) = form::entries(field.schema);
        self.head(&field, &counted(least, most));
        let is_object = items["anyOf"].is_array() || form::holds(items) == Some(Holds::Fields);
        let each = if is_object {
            self.things(&field, least, most).await?
        } else {
            self.texts(&field, least, most).await?
        };
        Ok(Some(each.into()))
    }

    /// Things of several fields. Where each of a known number is about one of as many, they are taken in
    /// their order.
    async fn things(
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
                    form::word(&choices[at])
                }
                None => format!("{} {}", field.label, at + 1),
            };
            if least > 1 || at > 0 || each.is_some() {
                self.say(&ui::paint(&ui::wrapped(&title, "  "), BOLD));
            }
            let thing = InputField { schema: &schema, at: pointer, label: String::new(), optional: false };
            things.extend(self.value(thing).await?);
        }
        Ok(things)
    }

    async fn wants_more(&mut self, label: &str, at: usize) -> Result<bool, DialogueAction> {
        let which = if at == 0 { "Add one" } else { "One more" };
        match self.line(&format!("  {}: {which}? [y/N] ", ui::visible(label))).await? {
            Some(line) => Ok(line.trim().to_lowercase().starts_with('y')),
            None => Err(self.ended().await),
        }
    }

    /// Texts a line each, until an empty line; choices by their numbers on one line.
    async fn texts(
        &mut self,
        field: &InputField<'_>,
        least: usize,
        most: Option<usize>,
    ) -> Result<Vec<Value>, DialogueAction> {
        let items = &field.schema["items"];
        let choices: Vec<Value> = form::choices(items);
        if form::holds(items) == Some(Holds::YesNo) {
            let mut each = Vec::new();
            for at in 0..least {
                let pointer = format!("{}/{at}", field.at);
                let label = format!("{} {}", field.label, at + 1);
                each.extend(
                    self.value(InputField { schema: items, at: pointer, label, optional: false }).await?,
                );
            }
            return Ok(each);
        }
        let words: Vec<String> = choices.iter().map(form::word).collect();
        if !words.is_empty() {
            self.options(name_of(&field.at), &words);
            self.say(&ui::paint("    Numbers or names, separated by commas.", DIM));
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
            let line = if full { Some(String::new()) } else { self.line(&shown).await? };
            let Some(line) = line else { return Err(self.ended().await) };
            let line = line.trim();
            if line.is_empty() {
                if each.is_empty() {
                    each.clone_from(&before);
                }
                let value: Value = each.clone().into();
                let faults = field.faults(&value);
                if faults.is_empty() || full {
                    self.kept(&field.at, &value)?;
                    return Ok(each);
                }
                self.note(&format!("Enter {}.", counted(least, most)));
                continue;
            }
            if words.is_empty() {
                each.push(form::value(items, line).unwrap_or_default());
                continue;
            }
            for part in line.split(',').map(str::trim).filter(|part| !part.is_empty()) {
                let found =
                    chosen(&words, part).and_then(|word| words.iter().position(|known| known == word));
                match found {
                    Some(at) if !each.contains(&choices[at]) => each.push(choices[at].clone()),
                    Some(_) => {}
                    None => self.note(&format!("{part} is not in the list.")),
                }
            }
            if each.len() >= least.max(1) {
                let value: Value = each.clone().into();
                self.kept(&field.at, &value)?;
                return Ok(each);
            }
        }
    }

    async fn choice(&mut self, field: InputField<'_>) -> Result<Option<Value>, DialogueAction> {
        let choices = form::choices(field.schema);
        let words: Vec<String> = choices.iter().map(form::word).collect();
        self.head(&field, "");
        self.options(name_of(&field.at), &words);
        let before = self.draft.fields.get(&field.at).map(form::word);
        self.at.clone_from(&field.at);
        loop {
            let shown = before.as_ref().map_or(String::new(), |before| format!("[{before}] "));
            let Some(line) = self.line(&format!("  1-{}: {shown}", words.len())).await? else {
                return Err(self.ended().await);
            };
            let line = match (line.trim(), &before) {
                ("", Some(before)) => before.clone(),
                ("", None) if field.optional => return Ok(None),
                (line, _) => line.to_owned(),
            };
            if line.starts_with('{') {
                return Err(DialogueAction::Json(line));
            }
            if let Some(word) = chosen(&words, &line)
                && let Some(at) = words.iter().position(|known| known == word)
            {
                self.kept(&field.at, &choices[at])?;
                return Ok(Some(choices[at].clone()));
            }
            self.note("Type a number from the list.");
        }
    }

    async fn scalar(&mut self, field: InputField<'_>) -> Result<Option<Value>, DialogueAction> {
        let holds = form::holds(field.schema);
        let before = self.draft.fields.get(&field.at).cloned();
        let kind = match holds {
            Some(Holds::YesNo) => "yes or no".into(),
            Some(Holds::Number | Holds::Whole) => bounds(field.schema),
            _ if field.optional => "optional".into(),
            _ => String::new(),
        };
        self.head(&field, &kind);
        self.at.clone_from(&field.at);
        loop {
            let shown = before.as_ref().map_or(String::new(), |before| {
                let word = form::word(before);
                let short: String = word.chars().take(BEFORE_CHARS).collect();
                let more = if short.len() < word.len() { ui::drawn("…") } else { "" };
                format!("[{}{more}] ", ui::visible(&short))
            });
            let Some(line) = self.line(&format!("  {shown}> ")).await? else {
                return Err(self.ended().await);
            };
            if line.trim_start().starts_with('{') {
                return Err(DialogueAction::Json(line));
            }
            let value = match (line.trim(), &before) {
                ("", Some(before)) => before.clone(),
                ("", None) if field.optional => return Ok(None),
                ("", None) => {
                    self.note("This field is required.");
                    continue;
                }
                (words, _) => form::value(field.schema, words).unwrap_or_default(),
            };
            let faults = field.faults(&value);
            if faults.is_empty() {
                self.kept(&field.at, &value)?;
                return Ok(Some(value));
            }
            faults.iter().for_each(|fault| self.note(fault));
        }
    }

    fn head(&self, field: &InputField<'_>, more: &str) {
        if field.label.is_empty() {
            return;
        }
        let about = field.schema["description"].as_str().unwrap_or_default();
        let about = [about, more].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        let line = if about.is_empty() { field.label.clone() } else { format!("{}: {about}", field.label) };
        self.say(&ui::paint(&ui::wrapped(&line, "  "), BOLD));
    }

    /// What can be chosen in the field `name`.
    fn options(&self, name: &str, words: &[String]) {
        for (at, word) in words.iter().enumerate() {
            self.say(&ui::wrapped(&format!("{}. {}", at + 1, form::shown(name, word)), "    "));
        }
    }

    fn kept(&mut self, at: &str, value: &Value) -> Result<(), DialogueAction> {
        self.draft.fields.insert(at.to_owned(), value.clone());
        self.draft.keep().map_err(DialogueAction::Lost)
    }
}

/// The name of the field at a JSON pointer.
fn name_of(pointer: &str) -> &str {
    pointer.rsplit('/').find(|part| !part.bytes().all(|b| b.is_ascii_digit())).unwrap_or_default()
}

fn counted(least: usize, most: Option<usize>) -> String {
    match (least, most) {
        (0, Some(most)) => format!("up to {most}, or none"),
        (0, None) => "any number, or none".into(),
        (least, Some(most)) if least == most => format!("{least}"),
        (least, Some(most)) => format!("{least} to {most}"),
        (least, None) => format!("{least} or more"),
    }
}

fn bounds(schema: &Value) -> String {
    match (schema["minimum"].as_f64(), schema["maximum"].as_f64()) {
        (Some(least), Some(most)) => format!("a number, {least} to {most}"),
        _ => "a number".into(),
    }
}
