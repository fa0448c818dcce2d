//! The form that starts a debate of one kind, made of what its protocol says of its motion, its seats and its options.

use agon_core::{Manifest, MotionKind, OptionKind, OptionSpec};
use agon_report::page::prose::escape_invisible;
use maud::{Markup, html};

use super::{
    SubmittedFields,
    field_faults::FieldFaults,
    remedy::{name_fields, page_remedy},
    render_form_complaint,
    shown_form::ShownForm,
    start_fields::{PASTED, PASTED_PATH, SEAT, label_of},
};
use crate::{Refusal, RouteContext, refusal::FormFault};

/// Limits of every debate, in addition to the options of its protocol, with what they are in.
const LIMITS: [(&str, &str); 4] =
    [("max_requests", ""), ("max_tokens", ""), ("max_cost", "in US dollars"), ("max_time", "for example 30m")];

/// Other fields of every debate that flags of the command line set, and those of a debate with members.
const COMMON: [&str; 5] = ["context", "context_tokens", "extract", "model", "rounds"];
const OF_MEMBERS: [&str; 2] = ["debaters", "seats"];

/// Where the form is shown again at its place on the page.
const SAME_PLACE: &str = "/debates#start-heading";
/// What the button of another kind says that it wants, before the name of the kind.
const OTHER_KIND: &str = "kind:";

/// The kind whose fields are wanted in place of those that were sent.
pub(super) fn find_other_kind(fields: &SubmittedFields) -> Option<&str> {
    fields.trimmed_value("wants")?.strip_prefix(OTHER_KIND)
}

/// The kind of debate that the form starts, what its fields hold, and how each kind of field is drawn.
struct StartForm<'a> {
    kind: &'a Manifest,
    attempt: Option<&'a ShownForm>,
    /// Why it was refused, in the words of the form.
    refusal: Option<Refusal>,
}

impl<'a> StartForm<'a> {
    fn new(kind: &'a Manifest, attempt: Option<&'a ShownForm>) -> Self {
        let form = Self { kind, attempt, refusal: None };
        Self { refusal: form.describe_refusal(), ..form }
    }

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

    /// The field that a flag of the command line sets.
    fn find_field(&self, flag: &str) -> Option<&str> {
        let mut options = self.kind.options.iter().filter(|option| !option.is_local());
        if let Some(option) = options.find(|option| option.flag_name() == flag) {
            return Some(&option.name);
        }
        let name = flag.replace('-', "_");
        let of_members = if self.kind.find_seat_row().is_some() { &OF_MEMBERS[..] } else { &[] };
        let mut fields = LIMITS.iter().map(|(field, _)| *field).chain(COMMON).chain(of_members.iter().copied());
        // A flag is given once for each line of the field.
        fields.find(|field| *field == name || field.strip_suffix('s') == Some(&name))
    }

    /// Why it was refused in the words of the form, with what is wrong in the field that it is about, where that is known:
    /// the refusal names it, its message begins with the flag of the field, or the motion is lacking.
    fn describe_refusal(&self) -> Option<Refusal> {
        let refusal = self.attempt?.refusal()?;
        let message = self.name_fields(&refusal.message);
        let ends_flag = |c: char| !c.is_ascii_alphanumeric() && c != '-';
        let flag = refusal.message.strip_prefix("--").and_then(|rest| rest.split(ends_flag).next());
        let named = refusal.faults.first().and_then(|fault| fault.field.as_deref());
        let lacks_motion = self.kind.motion_default.is_none() && self.kept_text("motion").is_empty();
        let named = named.or_else(|| self.find_field(flag?)).or_else(|| lacks_motion.then_some("motion"));
        let remedy = page_remedy(refusal, &|flag| self.find_label(flag));
        let told = Refusal::new(refusal.status.as_u16(), refusal.code.clone(), message, remedy);
        Some(match named {
            Some(name) => told.in_field(name),
            None => told,
        })
    }

    /// What the form calls the field that a flag sets.
    fn find_label(&self, flag: &str) -> Option<String> {
        self.find_field(flag).map(label_of)
    }

    /// `text` with the fields of the form in place of flags.
    fn name_fields(&self, text: &str) -> String {
        name_fields(text, &|flag| self.find_label(flag))
    }

    /// What is wrong in the fields.
    fn faults(&self) -> &[FormFault] {
        self.refusal.as_ref().map_or(&[], |refusal| &refusal.faults)
    }

    fn render_text_field(&self, name: &str, hint: &str) -> Markup {
        self.render_input(name, hint, None)
    }

    /// A field of one line, which suggests what `list` has.
    fn render_input(&self, name: &str, hint: &str, list: Option<&str>) -> Markup {
        let id = format!("start-{name}");
        let faults = FieldFaults::from_faults(self.faults(), name, &id);
        html! {
            div .field {
                label for=(id) { (label_of(name)) @if !hint.is_empty() { " " small { (escape_invisible(hint)) } } }
                (faults.render())
                input type="text" id=(id) name=(name) list=[list] autocomplete="off" value=(self.kept_text(name))
                    aria-invalid=[faults.invalid()] aria-describedby=[faults.described_by()];
            }
        }
    }

    fn render_lines_field(&self, name: &str, hint: &str) -> Markup {
        let id = format!("start-{name}");
        let faults = FieldFaults::from_faults(self.faults(), name, &id);
        html! {
            div .field {
                label for=(id) { (label_of(name)) " " small { (hint) } }
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
        let faults = FieldFaults::from_faults(self.faults(), "motion", "start-motion");
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
                (self.render_lines_field(PASTED, "a diff or a document, which prompts show and statements can quote"))
                (self.render_file_field(PASTED, "Take a file"))
                (self.render_text_field(PASTED_PATH, "for example docs/plan.md; a diff names its files itself, so leave this empty"))
                (self.render_lines_field("context", "one address per line, for example https://…"))
                (self.render_text_field("context_tokens", ""))
            }
        }
    }

    /// The fields of the seats and of the limits.
    fn render_seats_and_limits(&self) -> Markup {
        let has_row = self.kind.find_seat_row().is_some();
        let seats = || self.kind.seats.iter().map(|seat| format!("{SEAT}{}", seat.name));
        let is_open = self.is_filled(OF_MEMBERS) || self.is_filled(LIMITS.map(|(name, _)| name));
        html! {
            details open[is_open || self.is_filled(seats())] {
                summary { "Seats and limits" }
                @for (seat, field) in self.kind.seats.iter().zip(seats()) {
                    (self.render_model_field(&field, &seat.about))
                }
                @if has_row {
                    (self.render_lines_field("debaters", "one per line; NAME: PERSONA"))
                    (self.render_lines_field("seats", "one per line; NAME=MODEL"))
                }
                @for (name, hint) in LIMITS { (self.render_text_field(name, hint)) }
            }
        }
    }

    fn render_model_field(&self, name: &str, hint: &str) -> Markup {
        self.render_input(name, hint, Some("models"))
    }

    /// The field of an option, by its kind.
    fn render_option(&self, option: &OptionSpec) -> Markup {
        let name = option.name.as_str();
        let label = label_of(name);
        let default = option.default.as_ref().map(|default| format!("; default: {default}")).unwrap_or_default();
        let hint = format!("{}{default}", escape_invisible(&option.about));
        match option.kind {
            OptionKind::Switch => html! {
                label .switch {
                    input type="checkbox" id=(format!("start-{name}")) name=(name) value="yes" checked[!self.kept_text(name).is_empty()];
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
            OptionKind::Terms => self.render_lines_field(name, &format!("{hint}; one per line: TERM=MEANING")),
            OptionKind::Texts => self.render_lines_field(name, &format!("{hint}; one per line: NAME=TEXT")),
            OptionKind::Model => self.render_model_field(name, &hint),
            _ => self.render_text_field(name, &hint),
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
                        (self.render_model_field("extract", "MODEL that extracts relations from prose; reads each statement twice"))
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
    let form = StartForm::new(kind, attempt);
    html! {
        form method="post" action="/debates" {
            @if let Some(refusal) = &form.refusal { (render_form_complaint(refusal, &refusal.faults, &|field| format!("start-{field}"))) }
            @if let Some(Ok(plan)) = attempt.and_then(|attempt| attempt.said.as_ref()) {
                div .plan role="status" {
                    h3 { "Calls and cost" }
                    @for line in form.name_fields(plan).lines() { p .inner[line.starts_with(' ')] { (escape_invisible(line.trim())) } }
                }
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
            (form.render_model_field("model", "for every seat; empty for the configured one"))
            datalist id="models" { @for model in &shared.models { option value=(model) {} } }
            (form.render_text_field("rounds", &format!("{}; default: {}", kind.rounds.about, kind.rounds.default)))
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

#[cfg(test)]
mod tests {
    use agon_app::request;

    use super::*;

    fn shown_again(name: &str, value: &str) -> String {
        let fields = SubmittedFields(vec![(name.to_owned(), value.to_owned())]);
        let attempt = ShownForm { seat: None, fields, said: None };
        let kind = agon_protocols::find_protocol("exchange").unwrap().manifest();
        StartForm::new(kind, Some(&attempt)).render_material().into_string()
    }

    #[test]
    fn each_kind_shows_its_own_fields_alone_and_all_of_them() {
        for protocol in agon_protocols::ALL {
            let kind = protocol.manifest();
            let form = StartForm::new(kind, None);
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
    fn a_refusal_speaks_of_the_fields_of_the_form() {
        let kind = agon_protocols::find_protocol("panel").unwrap().manifest();
        let refused = |message: &str, remedy: &str| {
            let said = Some(Err(agon_app::Failure::usage(message, remedy).into()));
            let attempt =
                ShownForm { seat: None, fields: SubmittedFields(vec![("motion".into(), "Why?".into())]), said };
            let refusal = StartForm::new(kind, Some(&attempt)).refusal.unwrap();
            let field = refusal.faults.first().and_then(|fault| fault.field.clone());
            (refusal.message, refusal.remedy, field)
        };
        for (message, remedy, told, to_do, field) in [
            ("--rounds 99: at most 9", "use --rounds 9", "“Rounds” 99: at most 9", "use “Rounds” 9", Some("rounds")),
            (
                "--seat: no seat x",
                "did you mean y? agon protocols show lists them",
                "“Models of single members”: no seat x",
                "did you mean y?",
                Some("seats"),
            ),
            ("--context: it is empty", "see --help", "“Pages”: it is empty", "", Some("context")),
            ("unknown model x", "agon doctor shows the models", "unknown model x", "", None),
        ] {
            assert_eq!(refused(message, remedy), (told.into(), to_do.into(), field.map(str::to_owned)));
        }
        for option in kind.options.iter().filter(|option| !option.is_local()) {
            let form = StartForm::new(kind, None);
            let told = form.name_fields(&format!("Recommended: {}.", option.render_flag()));
            assert_eq!(told, format!("Recommended: “{}”.", agon_text::humanize_name(&option.name)));
        }
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
