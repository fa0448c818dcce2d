//! The form that starts a debate, made of what the protocols say of their options.

use agon_app::{OpeningRequest, request};
use agon_core::{MotionKind, OptionKind, OptionSpec};
use agon_formats::page::prose::escape_invisible;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{SubmittedFields, render_complaint};
use crate::{Refusal, RouteContext};

/// Fields of every debate, in addition to the options of its protocol.
const LIMITS: [(&str, &str, &str); 4] = [
    ("max_requests", "Maximum calls", ""),
    ("max_tokens", "Maximum tokens", ""),
    ("max_cost", "Maximum cost", "in US dollars"),
    ("max_time", "Maximum time", "for example 30m"),
];

/// The text of the material, and its name.
const PASTED: &str = "context_text";
const PASTED_PATH: &str = "context_path";

/// A form that was sent and that the page shows again: why it was refused, or what it would cost.
pub(super) struct SubmittedForm {
    pub fields: SubmittedFields,
    pub said: Result<String, Refusal>,
}

/// What the fields of the form hold, and how each kind of field is drawn.
struct StartForm<'a> {
    attempt: Option<&'a SubmittedForm>,
}

impl StartForm<'_> {
    fn kept_text(&self, name: &str) -> String {
        let fields = self.attempt.map(|attempt| &attempt.fields);
        match name {
            // Its blanks are a part of it.
            PASTED => fields.and_then(|fields| fields.verbatim_text(name)).unwrap_or_default(),
            _ => fields.and_then(|fields| fields.trimmed_value(name)).unwrap_or_default().to_owned(),
        }
    }

    fn is_filled(&self, names: impl IntoIterator<Item = impl AsRef<str>>) -> bool {
        names.into_iter().any(|name| !self.kept_text(name.as_ref()).is_empty())
    }

    fn render_text_field(&self, name: &str, label: &str, hint: &str) -> Markup {
        html! {
            div .field {
                label for=(format!("start-{name}")) { (label) @if !hint.is_empty() { " " small { (hint) } } }
                input type="text" id=(format!("start-{name}")) name=(name) autocomplete="off" value=(self.kept_text(name));
            }
        }
    }

    fn render_lines_field(&self, name: &str, label: &str, hint: &str) -> Markup {
        html! {
            div .field {
                label for=(format!("start-{name}")) { (label) " " small { (hint) } }
                textarea id=(format!("start-{name}")) name=(name) rows="3" { "\n" (self.kept_text(name)) }
            }
        }
    }

    /// The fields of the material.
    fn render_material(&self) -> Markup {
        html! {
            details open[self.is_filled([PASTED, PASTED_PATH, "context", "context_tokens"])] {
                summary { "Material" }
                (self.render_lines_field(PASTED, "Text", "a diff or a document, which prompts show and statements can quote"))
                (self.render_text_field(PASTED_PATH, "Its name", "for example docs/plan.md; a diff names its files itself, so leave this empty"))
                (self.render_lines_field("context", "Pages", "one address per line, for example https://…"))
                (self.render_text_field("context_tokens", "Maximum tokens of material in a prompt", ""))
            }
        }
    }

    /// The field of an option, by its kind.
    fn render_option(&self, option: &OptionSpec) -> Markup {
        let name = option.name.as_str();
        let takers = request::list_taking_protocols(name).join(", ");
        let hint = match request::default_of(name) {
            Some(default) => format!("{takers}; default: {default}"),
            None => takers.clone(),
        };
        match option.kind {
            OptionKind::Switch => html! {
                label .switch {
                    input type="checkbox" name=(name) value="yes" checked[!self.kept_text(name).is_empty()];
                    " " (option.about) " " small { (takers) }
                }
            },
            OptionKind::Choice => html! {
                div .field {
                    label for=(format!("start-{name}")) { (option.about) " " small { (hint) } }
                    select id=(format!("start-{name}")) name=(name) {
                        option value="" { "the protocol's default" }
                        @for choice in &option.values {
                            option value=(choice.name) selected[self.kept_text(name) == choice.name] {
                                (choice.name) ": " (choice.about)
                            }
                        }
                    }
                }
            },
            OptionKind::Terms => {
                self.render_lines_field(name, &option.about, &format!("{hint}; one per line: TERM=MEANING"))
            }
            OptionKind::Texts => {
                self.render_lines_field(name, &option.about, &format!("{hint}; one per line: NAME=TEXT"))
            }
            _ => self.render_text_field(name, &option.about, &hint),
        }
    }
}

/// The options that can be given here.
fn list_options(judging: bool) -> impl Iterator<Item = &'static OptionSpec> {
    let all = request::list_known_options().iter().filter(|option| !option.is_local());
    all.filter(move |option| (option.judging || ["verify", "reader"].contains(&option.name.as_str())) == judging)
}

/// The form that starts a debate, with what was filled in before.
pub(super) fn start_form(shared: &RouteContext, attempt: Option<&SubmittedForm>) -> Markup {
    let form = StartForm { attempt };
    let names = |judging| list_options(judging).map(|option| option.name.as_str());
    html! {
        form method="post" action="/debates" {
            @match attempt.map(|attempt| &attempt.said) {
                Some(Err(refusal)) => (render_complaint(refusal)),
                Some(Ok(plan)) => div .plan role="status" {
                    h3 { "Calls and cost" }
                    @for line in plan.lines() { p .inner[line.starts_with(' ')] { (escape_invisible(line.trim())) } }
                },
                None => {},
            }
            div .field {
                label for="start-motion" { "Motion" }
                textarea id="start-motion" name="motion" rows="4" required placeholder="This house would …" { "\n" (form.kept_text("motion")) }
            }
            div .field {
                label for="start-protocol" { "Protocol" }
                select id="start-protocol" name="protocol" {
                    // A debate about a file is started where the file is.
                    @for kind in shared.list_protocols().iter().filter(|kind| kind.motion == MotionKind::Text) {
                        option value=(kind.name) selected[form.kept_text("protocol") == kind.name] { (escape_invisible(&kind.name)) ": " (escape_invisible(&kind.summary)) }
                    }
                }
            }
            div .field {
                label for="start-model" { "Model " small { "for every seat; empty for the configured one" } }
                input type="text" id="start-model" name="model" list="models" autocomplete="off" value=(form.kept_text("model"));
                datalist id="models" { @for model in &shared.models { option value=(model) {} } }
            }
            (form.render_text_field("rounds", "Rounds", "empty for the protocol's default"))
            details open[form.is_filled(["seats", "debaters"]) || form.is_filled(LIMITS.map(|(name, ..)| name))] {
                summary { "Seats and limits" }
                (form.render_lines_field("seats", "Seats", "one per line, for example judge=MODEL"))
                (form.render_lines_field("debaters", "Debaters", "panel, revise, chaired; one per line: NAME: PERSONA"))
                @for (name, label, hint) in LIMITS { (form.render_text_field(name, label, hint)) }
            }
            (form.render_material())
            details open[form.is_filled(names(true)) || form.is_filled(["extract"])] {
                summary { "Judging and sources" }
                @for option in list_options(true) { (form.render_option(option)) }
                (form.render_text_field("extract", "Argument graph", "MODEL that extracts relations from prose; reads each statement twice"))
            }
            details open[form.is_filled(names(false))] {
                summary { "Options of some protocols" }
                @for option in list_options(false) { (form.render_option(option)) }
            }
            p .actions {
                button type="submit" { "Start" }
                " " button .plain-button type="submit" name="wants" value="plan" { "Show the cost" }
            }
        }
    }
}

/// What a filled form wants.
pub(super) fn parse_opening(fields: &SubmittedFields) -> Result<OpeningRequest, Refusal> {
    let mut wanted = Map::new();
    for name in ["protocol", "motion", "model", "extract", "max_time"] {
        wanted.extend(fields.trimmed_value(name).map(|text| (name.to_owned(), text.into())));
    }
    for name in ["rounds", "max_requests", "max_tokens", "context_tokens"] {
        wanted.insert(name.to_owned(), json!(parse_number::<u64>(fields, name)?));
    }
    wanted.insert("max_cost".to_owned(), json!(parse_number::<f64>(fields, "max_cost")?));
    for name in ["seats", "debaters"] {
        wanted.extend(parse_lines(fields, name).map(|lines| (name.to_owned(), lines)));
    }
    let pages = parse_lines(fields, "context").and_then(|lines| lines.as_array().cloned()).unwrap_or_default();
    let context: Vec<Value> = pasted_material(fields).into_iter().chain(pages).collect();
    if !context.is_empty() {
        wanted.insert("context".into(), context.into());
    }
    for option in list_options(true).chain(list_options(false)) {
        let value = match option.kind {
            OptionKind::Switch => fields.trimmed_value(&option.name).map(|_| true.into()),
            OptionKind::Terms | OptionKind::Texts => parse_lines(fields, &option.name),
            _ => fields.trimmed_value(&option.name).map(Value::from),
        };
        wanted.extend(value.map(|value| (option.name.clone(), value)));
    }
    request::from_json(wanted).map_err(|failure| Refusal::unusable(failure.message, &failure.remedy))
}

/// The text that was pasted as material, with its name.
fn pasted_material(fields: &SubmittedFields) -> Option<Value> {
    let text = fields.verbatim_text(PASTED)?;
    let usual = if text.contains("\n@@ ") { "pasted.diff" } else { "pasted.txt" };
    Some(json!({"path": fields.trimmed_value(PASTED_PATH).unwrap_or(usual), "text": text}))
}

/// A number in a field, where there is one.
pub(super) fn parse_number<T: std::str::FromStr>(fields: &SubmittedFields, name: &str) -> Result<Option<T>, Refusal> {
    let Some(text) = fields.trimmed_value(name) else { return Ok(None) };
    let text: String = text.chars().take(40).collect();
    text.parse().map(Some).map_err(|_| {
        let why = format!("{}: {text:?} is not a valid number", name.replace('_', " "));
        Refusal::unusable(why, "write digits, or leave it empty")
    })
}

/// The lines of a field, where it has any.
fn parse_lines(fields: &SubmittedFields, name: &str) -> Option<Value> {
    let lines = fields.trimmed_value(name)?.lines().map(str::trim).filter(|line| !line.is_empty());
    Some(lines.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_material_comes_as_a_file_has_it() {
        let diff = "--- a/x\r\n+++ b/x\r\n@@ -1 +1,2 @@\r\n a\r\n+b\r\n ";
        let fields = [
            ("protocol", "exchange"),
            ("motion", "This house would."),
            (PASTED, diff),
            ("context", "https://example.org/a\r\n"),
            ("context_tokens", "900"),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let wanted = parse_opening(&SubmittedFields(fields.to_vec())).unwrap().context;
        let text = json!({"path": "pasted.diff", "text": diff.replace("\r\n", "\n")});
        assert_eq!((wanted.sources, wanted.tokens), (vec![text, "https://example.org/a".into()], Some(900)));
    }

    fn shown_again(name: &str, value: &str) -> String {
        let fields = SubmittedFields(vec![(name.to_owned(), value.to_owned())]);
        let attempt = SubmittedForm { fields, said: Ok(String::new()) };
        StartForm { attempt: Some(&attempt) }.render_material().into_string()
    }

    #[test]
    fn pasted_material_comes_back_as_it_was_sent() {
        // The last line is an empty line of context; without its blank the hunk is cut off.
        let page = shown_again(PASTED, "\n@@ -1,2 +1,3 @@\r\n a\r\n+b\r\n ");
        assert!(page.contains(">\n\n@@ -1,2 +1,3 @@\n a\n+b\n </textarea>"), "{page}");
    }

    #[test]
    fn the_section_is_open_if_any_of_its_fields_was_filled_in() {
        for name in [PASTED, PASTED_PATH, "context", "context_tokens"] {
            assert!(shown_again(name, "x").starts_with("<details open>"), "{name}");
        }
        assert!(shown_again("motion", "x").starts_with("<details><summary>"));
    }
}
