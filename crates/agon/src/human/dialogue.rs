//! One request put to a person: what is asked, in which time, how it is answered; then their words, a form
//! field by field, or an editor. What cannot stand is said at once, before anyone else hears it.

use agon_core::{
    Fault,
    form::{self, Fitted, FormField, Holds},
    people::Skip,
};
use agon_runtime::prompts::RequestDescription;
use serde_json::Value;

use super::{draft::AnswerDraft, editor, lines::InputLines};
use crate::ui::{self, DIM, YELLOW};

/// Where a person is spoken to.
pub trait Screen {
    /// A line for the person.
    fn show_line(&self, line: &str);
    /// Where the person writes.
    fn show_prompt(&self, text: &str);
}

impl Screen for ui::Hold {
    fn show_line(&self, line: &str) {
        ui::Hold::print_line(self, line);
    }

    fn show_prompt(&self, text: &str) {
        ui::Hold::print_prompt(self, text);
    }
}

/// What is asked of the person.
pub struct DialogueRequest<'a> {
    /// What readers call the seat.
    pub title: &'a str,
    /// The request in plain words.
    pub told: &'a RequestDescription<'a>,
    /// The schema of the answer, with labels; `None` for prose.
    pub schema: Option<&'a FormField>,
    /// Whether an empty line is a consent.
    pub may_be_empty: bool,
    /// Whether the debate is about its material, so that all of it is shown.
    pub is_about_material: bool,
    /// What the rules have against an answer.
    pub objections: &'a (dyn Fn(&str) -> Vec<Fault> + Sync),
}

/// What a person does instead of answering the question.
#[derive(Debug)]
pub enum DialogueAction {
    /// Opens the editor.
    Edit,
    /// Begins again.
    Anew,
    /// Types JSON, as programs do.
    Json(String),
    /// Leaves this one out.
    LeftOut,
    /// Leaves the seat.
    Leave,
    /// Nothing can be kept.
    Lost(std::io::Error),
}

/// What a form or a field of it is filled in with, where it is.
pub(super) type Filled = Result<Option<Value>, DialogueAction>;

/// A person and a request.
pub struct Dialogue<'a> {
    pub(super) asked: DialogueRequest<'a>,
    lines: &'a mut InputLines,
    screen: &'a (dyn Screen + Sync),
    pub(super) draft: AnswerDraft,
    /// The field that is being filled in.
    pub(super) at: String,
    done: bool,
}

impl<'a> Dialogue<'a> {
    pub fn new(
        asked: DialogueRequest<'a>,
        lines: &'a mut InputLines,
        screen: &'a (dyn Screen + Sync),
        draft: AnswerDraft,
    ) -> Self {
        Self { asked, lines, screen, draft, at: String::new(), done: false }
    }

    /// What the person answers.
    pub async fn take_answer(&mut self) -> Result<String, DialogueAction> {
        self.show_introduction();
        let said = self.read_answer().await;
        self.done = matches!(said, Ok(_) | Err(DialogueAction::LeftOut));
        if self.done {
            self.draft.clear();
        }
        said
    }

    async fn read_answer(&mut self) -> Result<String, DialogueAction> {
        if self.asked.may_be_empty {
            return self.read_consent().await;
        }
        let is_worded = self.words_do();
        // Words that were written for a form are JSON, or meant to be.
        let has_words = !self.draft.text.trim().is_empty();
        let mut again = (has_words && !is_worded).then(|| DialogueAction::Json(String::new()));
        loop {
            let said = match again.take() {
                Some(DialogueAction::Edit) => self.edit_draft().await,
                Some(DialogueAction::Json(first)) => self.read_typed_lines(first).await.map(|text| (text, true)),
                _ if is_worded => self.read_typed_lines(String::new()).await.map(|text| {
                    let is_json = text.starts_with(['{', '`']);
                    (text, is_json)
                }),
                _ => self.fill_form().await.map(|statement| (statement, true)),
            };
            let (text, is_whole) = match said {
                Ok(said) => said,
                Err(turn @ (DialogueAction::Edit | DialogueAction::Json(_))) => {
                    again = Some(turn);
                    continue;
                }
                Err(DialogueAction::Anew) => {
                    self.draft.clear();
                    continue;
                }
                Err(other) => return Err(other),
            };
            if let Some(statement) = self.build_statement(text, is_whole).await? {
                return Ok(statement);
            }
        }
    }

    /// Whether a few sentences are an answer.
    pub(super) fn words_do(&self) -> bool {
        self.asked.schema.is_none() || self.asked.told.plain.is_some_and(|plain| plain.words.is_some())
    }

    /// The next line; what is a command is done.
    pub(super) async fn read_line(&mut self, prompt: &str) -> Result<Option<String>, DialogueAction> {
        loop {
            self.screen.show_prompt(prompt);
            let Some(line) = self.lines.next().await else {
                self.show_line("");
                return Ok(None);
            };
            match line.trim() {
                "/e" | "/edit" if editor::find_editor().is_some() => return Err(DialogueAction::Edit),
                "/e" | "/edit" => self.show_note("No editor is set; set VISUAL or EDITOR."),
                "/all" => {
                    self.show_blocks(&self.asked.told.all);
                    self.show_line(&ui::wrap_text(&self.asked.told.ask, "  "));
                }
                "/new" => self.show_blocks(&self.asked.told.news),
                "/again" => return Err(DialogueAction::Anew),
                "/skip" | "/leave" => return Err(self.confirm_leaving().await),
                "/help" | "/?" => self.show_help(),
                _ => return Ok(Some(line)),
            }
        }
    }

    /// The next line within a form; where input ended, the person may leave.
    pub(super) async fn require_line(&mut self, prompt: &str) -> Result<String, DialogueAction> {
        match self.read_line(prompt).await? {
            Some(line) => Ok(line),
            None => Err(self.confirm_leaving().await),
        }
    }

    /// What it means to go without an answer, where the person still wants it.
    async fn confirm_leaving(&mut self) -> DialogueAction {
        if self.find_skip().is_some() {
            return DialogueAction::LeftOut;
        }
        let (question, turn) = match self.asked.told.may_be_absent {
            true => ("Skip this? The debate continues without your answer. [y/N] ", DialogueAction::LeftOut),
            false => ("Leave the seat? The debate stops until it is resumed. [y/N] ", DialogueAction::Leave),
        };
        self.screen.show_prompt(question);
        match self.lines.next().await {
            Some(line) if !line.trim().to_lowercase().starts_with('y') => DialogueAction::Anew,
            _ => turn,
        }
    }

    async fn read_consent(&mut self) -> Result<String, DialogueAction> {
        match self.read_line("> ").await? {
            Some(line) if !line.trim().is_empty() => Ok(line.trim().to_owned()),
            Some(_) => Ok("yes".into()),
            None => Err(DialogueAction::Leave),
        }
    }

    /// Lines until an empty one; `first` was typed already.
    async fn read_typed_lines(&mut self, first: String) -> Result<String, DialogueAction> {
        let kept = std::mem::take(&mut self.draft.text).trim().to_owned();
        let mut text = first;
        if !text.is_empty() {
            self.draft.text.clone_from(&text);
            self.draft.save().map_err(DialogueAction::Lost)?;
        }
        if text.is_empty() && !kept.is_empty() {
            self.show_line(&ui::paint_text("  Your draft:", DIM));
            self.show_line(&ui::wrap_text(&kept, "    "));
            self.show_note("An empty line sends it, /e edits it; other text replaces it.");
        }
        loop {
            if text.is_empty() {
                self.draft.text.clone_from(&kept);
            }
            match self.read_line("> ").await {
                Ok(Some(line)) if !line.trim().is_empty() => {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text.push_str(&line);
                    self.draft.text.clone_from(&text);
                    self.draft.save().map_err(DialogueAction::Lost)?;
                }
                Ok(_) if !text.is_empty() => return Ok(text.trim().to_owned()),
                Ok(Some(_)) if !kept.is_empty() => return Ok(kept),
                Ok(Some(_)) if self.find_skip().is_some() => return self.skip_answer(),
                Ok(Some(_)) => {}
                Ok(None) => match self.confirm_leaving().await {
                    DialogueAction::LeftOut => return self.skip_answer(),
                    DialogueAction::Anew => {}
                    turn => return Err(turn),
                },
                Err(DialogueAction::LeftOut) => return self.skip_answer(),
                Err(turn) => return Err(turn),
            }
        }
    }

    /// How this is left out, where it can be.
    pub(super) fn find_skip(&self) -> Option<&Skip> {
        self.asked.told.plain.and_then(|plain| plain.skip.as_ref())
    }

    /// The answer that leaves this out, where there is one.
    fn skip_answer(&self) -> Result<String, DialogueAction> {
        self.find_skip().and_then(|skip| skip.answer.clone()).ok_or(DialogueAction::LeftOut)
    }

    async fn edit_draft(&mut self) -> Result<(String, bool), DialogueAction> {
        let Some(program) = editor::find_editor() else { return Err(DialogueAction::Anew) };
        let before = match self.asked.schema {
            Some(schema) if !self.words_do() && self.draft.text.trim().is_empty() => {
                let form = schema.merge_variants();
                let skeleton = editor::build_skeleton(&form, "", &self.draft.fields);
                serde_json::to_string_pretty(&skeleton).unwrap_or_default()
            }
            _ => self.draft.text.clone(),
        };
        self.draft.text = before;
        // An editor needs a file, even for an empty text.
        self.draft.text.push('\n');
        self.draft.save().map_err(DialogueAction::Lost)?;
        match editor::edit_file(program, self.draft.words_path()).await {
            Ok(text) if !text.trim().is_empty() => {
                self.draft.text.clone_from(&text);
                let text = text.trim().to_owned();
                let is_json = text.starts_with(['{', '`']);
                Ok((text, is_json))
            }
            Ok(_) => Err(DialogueAction::Anew),
            Err(error) => {
                self.show_note(&format!("The editor: {error}"));
                Err(DialogueAction::Anew)
            }
        }
    }

    /// The statement that an answer makes; `None` where it cannot stand, which the person was told.
    async fn build_statement(&mut self, text: String, is_whole: bool) -> Result<Option<String>, DialogueAction> {
        let statement = match self.asked.schema {
            Some(schema) if !is_whole => match self.fit_form(schema, &text).await? {
                Some(value) => value.to_string(),
                None => return Ok(None),
            },
            _ => text.clone(),
        };
        let faults = (self.asked.objections)(&statement);
        if faults.is_empty() {
            return Ok(Some(statement));
        }
        self.show_note("This breaks rules:");
        faults.iter().for_each(|fault| self.show_bullet(&fault.to_string()));
        self.show_note("Edit it with /e, or write it again. Nothing was sent.");
        if !is_whole || self.words_do() {
            self.draft.text = text;
        }
        Ok(None)
    }

    async fn fit_form(&mut self, schema: &FormField, text: &str) -> Filled {
        let mut form = schema.merge_variants();
        loop {
            match form::fit_words(&form, self.asked.told.plain, text) {
                Fitted::Statement(value) => {
                    let faults = form::check_statement(&form, &value);
                    if faults.is_empty() {
                        return Ok(Some(value));
                    }
                    faults.iter().for_each(|fault| self.show_bullet(fault));
                    self.show_note("Nothing was sent; write it again.");
                    return Ok(None);
                }
                Fitted::Which(field, choices) => {
                    let choice = self.choose_one(&field, &choices).await?;
                    narrow_choices(&mut form, &field, &choice);
                }
                Fitted::Unfit(fields) => {
                    let line = format!("Some fields are missing: {}.", fields.join(", "));
                    self.show_note(&line);
                    return Ok(None);
                }
            }
        }
    }

    /// One of several by its number or its name.
    pub(super) async fn choose_one(&mut self, label: &str, choices: &[String]) -> Result<String, DialogueAction> {
        for (at, choice) in choices.iter().enumerate() {
            self.show_line(&ui::wrap_text(&format!("{}. {choice}", at + 1), "    "));
        }
        loop {
            let prompt = format!("  {}? [1-{}] ", ui::escape_invisible(label), choices.len());
            if let Some(at) = find_choice(choices, &self.require_line(&prompt).await?) {
                return Ok(choices[at].clone());
            }
            self.show_note("Type a number from the list.");
        }
    }

    pub(super) fn show_line(&self, line: &str) {
        self.screen.show_line(line);
    }

    pub(super) fn show_note(&self, line: &str) {
        self.show_line(&ui::paint_text(&ui::wrap_text(line, "  "), YELLOW));
    }

    pub(super) fn show_bullet(&self, line: &str) {
        self.show_line(&ui::wrap_text(&format!("- {line}"), "    "));
    }
}

/// What was typed when nobody waits for it any more is kept, and said where.
impl Drop for Dialogue<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        if let Some(half) = self.lines.take_unfinished_line() {
            if self.at.is_empty() {
                if !self.draft.text.is_empty() {
                    self.draft.text.push('\n');
                }
                self.draft.text.push_str(&half);
            } else {
                self.draft.fields.insert(self.at.clone(), half.into());
            }
        }
        let over = self.asked.told.until.as_ref().is_some_and(|until| *until <= agon_journal::time::current_stamp());
        self.show_line("");
        if over {
            self.show_note("The time is up; the debate continues.");
        }
        if !self.draft.is_empty() && self.draft.save().is_ok() {
            // A path is never broken in two.
            self.show_note("Your draft is kept in");
            self.show_line(&ui::escape_invisible(&self.draft.path().display().to_string()));
        }
    }
}

/// Where the choice is that a line names by its number, its name or the beginning of its name.
pub(super) fn find_choice(choices: &[String], line: &str) -> Option<usize> {
    let line = line.trim();
    let number = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    if let Some(at) = number.filter(|at| *at < choices.len()) {
        return Some(at);
    }
    let wanted = line.to_lowercase().replace(' ', "_");
    let names: Vec<String> = choices.iter().map(|choice| choice.to_lowercase().replace(' ', "_")).collect();
    names.iter().position(|name| *name == wanted).or_else(|| {
        let mut found = names.iter().enumerate().filter(|(_, name)| name.starts_with(&wanted));
        let (at, _) = found.next().filter(|_| !wanted.is_empty())?;
        found.next().is_none().then_some(at)
    })
}

/// Leaves `choice` alone in every field that is called `label`.
fn narrow_choices(form: &mut FormField, label: &str, choice: &str) {
    for (name, field) in &mut form.fields {
        if field.field_label(name) == label && field.holds() == Some(Holds::Choice) {
            field.choices = Some(vec![choice.into()]);
        }
        narrow_choices(field, label, choice);
    }
    if let Some(items) = &mut form.items {
        narrow_choices(items, label, choice);
    }
}
