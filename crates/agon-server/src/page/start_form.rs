//! The form that starts a debate of one kind, made of what its protocol says of its motion, its seats and its options.

use agon_app::{OpeningRequest, request};
use agon_core::{Manifest, MotionKind, OptionKind, OptionSpec, people::humanize_name};
use agon_formats::page::prose::escape_invisible;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{SubmittedFields, field_faults::FieldFaults, render_form_complaint, shown_form::ShownForm};
use crate::{Refusal, RouteContext, refusal::FormFault};

/// Fields of every debate, in addition to the options of its protocol.
const LIMITS: [(&str, &str, &str); 4] = [
    ("max_requests", "Maximum calls", ""),
    ("max_tokens", "Maximum tokens", ""),
    ("max_cost", "Maximum cost", "in US dollars"),
    ("max_time", "Maximum time", "for example 30m"),
];

/// Where the form is shown again at its place on the page.
const SAME_PLACE: &str = "/debates#start-heading";
/// What the button of another kind says that it wants, before the name of the kind.
const OTHER_KIND: &str = "kind:";
/// The field for the model of a seat, before the name of the seat.
const SEAT: &str = "seat.";
/// The text of the material, and its name.
const PASTED: &str = "context_text";
const PASTED_PATH: &str = "context_path";

/// The kind whose fields are wanted in place of those that were sent.
pub(super) fn find_other_kind(fields: &SubmittedFields) -> Option<&str> {
    fields.trimmed_value("wants")?.strip_prefix(OTHER_KIND)
}

/// The kind of debate that the form starts, what its fields hold, and how each kind of field is drawn.
struct StartForm<'a> {
    kind: &'a Manifest,
    attempt: Option<&'a ShownForm>,
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

    /// What is wrong in the field that the refusal is about, where that is known: the refusal names it, its message begins
    /// with the flag of the field, or the motion is lacking.
    fn find_fault(&self) -> Option<FormFault> {
        let (fields, refusal) = (&self.attempt?.fields, self.attempt?.refusal()?);
        let ends_flag = |c: char| !c.is_ascii_alphanumeric() && c != '-';
        let flag = refusal.message.strip_prefix("--").and_then(|rest| rest.split(ends_flag).next());
        let named = refusal.faults.first().and_then(|fault| fault.field.clone());
        let named = named.or_else(|| flag.map(|flag| flag.replace('-', "_")));
        let lacks_motion = self.kind.motion_default.is_none() && self.kept_text("motion").is_empty();
        let wanted = named.or_else(|| lacks_motion.then(|| "motion".to_owned()))?;
        let field = fields.0.iter().map(|(name, _)| name).find(|name| **name == wanted)?.clone();
        Some(FormFault { field: Some(field), what: refusal.message.clone() })
    }

    fn render_text_field(&self, name: &str, label: &str, hint: &str) -> Markup {
        self.render_input(name, label, hint, None)
    }

    /// A field of one line, which suggests what `list` has.
    fn render_input(&self, name: &str, label: &str, hint: &str, list: Option<&str>) -> Markup {
        let (id, found) = (format!("start-{name}"), self.find_fault());
        let faults = FieldFaults::of(found.as_slice(), name, &id);
        html! {
            div .field {
                label for=(id) { (label) @if !hint.is_empty() { " " small { (escape_invisible(hint)) } } }
                (faults.render())
                input type="text" id=(id) name=(name) list=[list] autocomplete="off" value=(self.kept_text(name))
                    aria-invalid=[faults.invalid()] aria-describedby=[faults.described_by()];
            }
        }
    }

    fn render_lines_field(&self, name: &str, label: &str, hint: &str) -> Markup {
        let (id, found) = (format!("start-{name}"), self.find_fault());
        let faults = FieldFaults::of(found.as_slice(), name, &id);
        html! {
            div .field {
                label for=(id) { (label) " " small { (hint) } }
                (faults.render())
                textarea id=(id) name=(name) rows="3" aria-invalid=[faults.invalid()] aria-describedby=[faults.described_by()] {
                    "\n" (self.kept_text(name))
                }
            }
        }
    }

    /// What takes the text of a file into the field `into`, for browsers that run scripts.
    fn render_file_field(&self, into: &str, label: &str) -> Markup {
        html! { p .field hidden { label { (label) " " input type="file" data-into=(format!("start-{into}")); } } }
    }

    /// The field for what is debated.
    fn render_motion(&self) -> Markup {
        let is_document = self.kind.motion == MotionKind::Document;
        let usual = self.kind.motion_default.as_deref();
        let (label, hint) = match (is_document, usual) {
            (true, _) => ("Document", "Markdown with a heading"),
            (false, Some(_)) => ("Task", "empty for the usual one"),
            (false, None) => ("Motion", ""),
        };
        let found = self.find_fault();
        let faults = FieldFaults::of(found.as_slice(), "motion", "start-motion");
        html! {
            div .field {
                label for="start-motion" { (label) @if !hint.is_empty() { " " small { (hint) } } }
                (faults.render())
                textarea id="start-motion" name="motion" rows=(if is_document { 10 } else { 4 }) dir="auto"
                    required[usual.is_none()] placeholder=[usual.or((!is_document).then_some("This house would …"))]
                    aria-invalid=[faults.invalid()] aria-describedby=[faults.described_by()] {
                    "\n" (self.kept_text("motion"))
                }
            }
            @if is_document { (self.render_file_field("motion", "Take a file")) }
        }
    }

    /// The fields of the material; open where the kind needs some.
    fn render_material(&self) -> Markup {
        let is_open = self.kind.needs_material || self.is_filled([PASTED, PASTED_PATH, "context", "context_tokens"]);
        html! {
            details open[is_open] {
                summary { "Material" }
                (self.render_lines_field(PASTED, "Text", "a diff or a document, which prompts show and statements can quote"))
                (self.render_file_field(PASTED, "Take a file"))
                (self.render_text_field(PASTED_PATH, "Its name", "for example docs/plan.md; a diff names its files itself, so leave this empty"))
                (self.render_lines_field("context", "Pages", "one address per line, for example https://…"))
                (self.render_text_field("context_tokens", "Maximum tokens of material in a prompt", ""))
            }
        }
    }

    /// The fields of the seats and of the limits.
    fn render_seats_and_limits(&self) -> Markup {
        let has_row = self.kind.find_seat_row().is_some();
        let seats = || self.kind.seats.iter().map(|seat| format!("{SEAT}{}", seat.name));
        let is_open = self.is_filled(["seats", "debaters"]) || self.is_filled(LIMITS.map(|(name, ..)| name));
        html! {
            details open[is_open || self.is_filled(seats())] {
                summary { "Seats and limits" }
                @for (seat, field) in self.kind.seats.iter().zip(seats()) {
                    (self.render_model_field(&field, &humanize_name(&seat.name), &seat.about))
                }
                @if has_row {
                    (self.render_lines_field("debaters", "Members", "one per line; NAME: PERSONA"))
                    (self.render_lines_field("seats", "Models of single members", "one per line; NAME=MODEL"))
                }
                @for (name, label, hint) in LIMITS { (self.render_text_field(name, label, hint)) }
            }
        }
    }

    fn render_model_field(&self, name: &str, label: &str, hint: &str) -> Markup {
        self.render_input(name, label, hint, Some("models"))
    }

    /// The field of an option, by its kind.
    fn render_option(&self, option: &OptionSpec) -> Markup {
        let name = option.name.as_str();
        let label = humanize_name(name);
        let default = option.default.as_ref().map(|default| format!("; default: {default}")).unwrap_or_default();
        let hint = format!("{}{default}", escape_invisible(&option.about));
        match option.kind {
            OptionKind::Switch => html! {
                label .switch {
                    input type="checkbox" name=(name) value="yes" checked[!self.kept_text(name).is_empty()];
                    " " (label) " " small { (hint) }
                }
            },
            OptionKind::Choice => html! {
                div .field {
                    label for=(format!("start-{name}")) { (label) " " small { (hint) } }
                    select id=(format!("start-{name}")) name=(name) {
                        option value="" { "the default" }
                        @for choice in &option.values {
                            option value=(choice.name) selected[self.kept_text(name) == choice.name] {
                                (choice.name) ": " (choice.about)
                            }
                        }
                    }
                }
            },
            OptionKind::Terms => self.render_lines_field(name, &label, &format!("{hint}; one per line: TERM=MEANING")),
            OptionKind::Texts => self.render_lines_field(name, &label, &format!("{hint}; one per line: NAME=TEXT")),
            OptionKind::Model => self.render_model_field(name, &label, &hint),
            _ => self.render_text_field(name, &label, &hint),
        }
    }

    /// The options of the kind that can be given here, those about judging and sources apart.
    fn render_options(&self, judging: bool, heading: &str) -> Markup {
        let options: Vec<&OptionSpec> = self.kind.options.iter().filter(|option| !option.is_local()).collect();
        let is_judging = |option: &&OptionSpec| option.judging || ["verify", "reader"].contains(&option.name.as_str());
        let options: Vec<&OptionSpec> = options.into_iter().filter(|option| is_judging(option) == judging).collect();
        html! {
            @if judging || !options.is_empty() {
                details open[self.is_filled(options.iter().map(|option| &option.name)) || judging && self.is_filled(["extract"])] {
                    summary { (heading) }
                    @for option in &options { (self.render_option(option)) }
                    @if judging {
                        (self.render_model_field("extract", "Argument graph", "MODEL that extracts relations from prose; reads each statement twice"))
                    }
                }
            }
        }
    }
}

/// The form that starts a debate, with what was filled in before, and the kinds to choose from.
pub(super) fn start_form(shared: &RouteContext, attempt: Option<&ShownForm>) -> Markup {
    let kinds = shared.list_protocols();
    let wanted =
        attempt.and_then(|attempt| find_other_kind(&attempt.fields).or(attempt.fields.trimmed_value("protocol")));
    let Some(kind) = kinds
        .iter()
        .find(|kind| Some(kind.name.as_str()) == wanted)
        .or(kinds.iter().find(|kind| kind.motion == MotionKind::Text))
    else {
        return html! {};
    };
    let form = StartForm { kind, attempt };
    html! {
        form method="post" action="/debates" {
            @match attempt.and_then(|attempt| attempt.said.as_ref()) {
                Some(Err(refusal)) => (render_form_complaint(refusal, form.find_fault().as_slice(), &|field| format!("start-{field}"))),
                Some(Ok(plan)) => div .plan role="status" {
                    h3 { "Calls and cost" }
                    @for line in plan.lines() { p .inner[line.starts_with(' ')] { (escape_invisible(line.trim())) } }
                },
                None => {},
            }
            // The first button is the one that the key Enter presses.
            button .unseen type="submit" tabindex="-1" aria-hidden="true" { "Start" }
            fieldset .kinds {
                legend { "Kind" }
                @for other in &kinds {
                    button .plain-button type="submit" name="wants" value=(format!("{OTHER_KIND}{}", other.name)) formaction=(SAME_PLACE) formnovalidate
                        aria-pressed=(if other.name == kind.name { "true" } else { "false" }) { (escape_invisible(&other.name)) }
                    " "
                }
            }
            input type="hidden" name="protocol" value=(kind.name);
            p .quiet { (escape_invisible(&kind.summary)) }
            (form.render_motion())
            (form.render_model_field("model", "Model", "for every seat; empty for the configured one"))
            datalist id="models" { @for model in &shared.models { option value=(model) {} } }
            (form.render_text_field("rounds", "Rounds", &format!("{}; default: {}", kind.rounds.about, kind.rounds.default)))
            (form.render_material())
            (form.render_seats_and_limits())
            (form.render_options(true, "Judging and sources"))
            (form.render_options(false, "Options"))
            p .actions {
                button type="submit" { "Start" }
                " " button .plain-button type="submit" name="wants" value="plan" formaction=(SAME_PLACE) { "Show the cost" }
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
    wanted.extend(parse_lines(fields, "debaters").map(|lines| ("debaters".to_owned(), lines.into())));
    let named = fields.0.iter().filter_map(|(name, model)| Some((name.strip_prefix(SEAT)?, model.trim())));
    let named = named.filter(|(_, model)| !model.is_empty()).map(|(seat, model)| format!("{seat}={model}"));
    let members = parse_lines(fields, "seats").into_iter().flatten().map(str::to_owned);
    let seats: Vec<String> = named.chain(members).collect();
    if !seats.is_empty() {
        wanted.insert("seats".into(), seats.into());
    }
    let pages = parse_lines(fields, "context").into_iter().flatten().map(Value::from);
    let context: Vec<_> = pasted_material(fields).into_iter().chain(pages).collect();
    if !context.is_empty() {
        wanted.insert("context".into(), context.into());
    }
    for option in request::list_known_options().iter().filter(|option| !option.is_local()) {
        let value = match option.kind {
            OptionKind::Switch => fields.trimmed_value(&option.name).map(|_| true.into()),
            OptionKind::Terms | OptionKind::Texts => parse_lines(fields, &option.name).map(Value::from),
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
        Refusal::unusable(why, "write digits, or leave it empty").in_field(name)
    })
}

/// The lines of a field, where it has any.
fn parse_lines<'f>(fields: &'f SubmittedFields, name: &str) -> Option<Vec<&'f str>> {
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
        let attempt = ShownForm { seat: None, fields, said: None };
        let kind = agon_protocols::find_protocol("exchange").unwrap().manifest();
        StartForm { kind, attempt: Some(&attempt) }.render_material().into_string()
    }

    #[test]
    fn each_kind_shows_its_own_fields_alone_and_all_of_them() {
        for protocol in agon_protocols::ALL {
            let kind = protocol.manifest();
            let form = StartForm { kind, attempt: None };
            let parts = [form.render_motion(), form.render_material(), form.render_seats_and_limits()];
            let options = [form.render_options(true, "J"), form.render_options(false, "O")];
            let page: String = parts.into_iter().chain(options).map(Markup::into_string).collect();
            for option in request::list_known_options().iter().filter(|option| !option.is_local()) {
                let is_shown = page.contains(&format!("name=\"{}\"", option.name));
                assert_eq!(is_shown, kind.find_option(&option.name).is_some(), "{}: {}", kind.name, option.name);
            }
            for seat in &kind.seats {
                assert!(page.contains(&format!("name=\"seat.{}\"", seat.name)), "{}: {}", kind.name, seat.name);
            }
            assert_eq!(page.contains("name=\"debaters\""), kind.find_seat_row().is_some(), "{}", kind.name);
            assert_eq!(page.contains(">Document"), kind.motion == MotionKind::Document, "{}", kind.name);
            assert_eq!(page.contains("<details open><summary>Material"), kind.needs_material, "{}", kind.name);
        }
    }

    #[test]
    fn models_of_seats_are_those_of_their_fields_and_lines() {
        let fields = [
            ("protocol", "panel"),
            ("motion", "Why?"),
            ("seat.moderator", " outside "),
            ("seat.panelist", ""),
            ("seats", "Ada=local\n\n"),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let wanted = parse_opening(&SubmittedFields(fields.to_vec())).unwrap();
        assert_eq!(wanted.seats.seats, ["moderator=outside", "Ada=local"]);
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
