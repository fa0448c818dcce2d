//! The fields of the form that starts a debate: what they are called, and what they say when they are filled in.

use agon_app::{
    OpeningRequest,
    request::{self, RequestFields, SourceRequest},
};
use agon_core::{Manifest, OptionKind};
use serde_json::json;

use super::SubmittedFields;
use crate::Refusal;

/// The field for the model of a seat, before the name of the seat.
pub(super) const SEAT: &str = "seat.";
/// The text of the material, and its name.
pub(super) const PASTED: &str = "context_text";
pub(super) const PASTED_PATH: &str = "context_path";

/// The names of the fields whose names do not say enough.
const LABELS: [(&str, &str); 12] = [
    (PASTED, "Text"),
    (PASTED_PATH, "Its name"),
    ("context", "Pages"),
    ("context_tokens", "Maximum tokens of material in a prompt"),
    ("debaters", "Members"),
    ("extract", "Argument graph"),
    ("max_cost", "Maximum cost"),
    ("max_requests", "Maximum calls"),
    ("max_time", "Maximum time"),
    ("max_tokens", "Maximum tokens"),
    ("seats", "Models of single members"),
    ("model", "Model"),
];

/// What the form calls the field `name`.
pub(super) fn label_of(name: &str) -> String {
    let own = LABELS.iter().find(|(field, _)| *field == name).map(|(_, label)| (*label).to_owned());
    own.unwrap_or_else(|| agon_text::humanize_name(name.strip_prefix(SEAT).unwrap_or(name)))
}

/// What a filled form wants, of the kind of `kinds` that it names.
pub(super) fn parse_opening(kinds: &[Manifest], fields: &SubmittedFields) -> Result<OpeningRequest, Refusal> {
    let mut wanted = RequestFields::new();
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
    let pages = parse_lines(fields, "context").into_iter().flatten();
    let pages = pages.map(|page| SourceRequest::Named(page.to_owned()));
    let context: Vec<_> = pasted_material(fields).into_iter().chain(pages).collect();
    if !context.is_empty() {
        wanted.insert("context".into(), json!(context));
    } else if let Some(kind) = kinds.iter().find(|kind| Some(kind.name.as_str()) == fields.trimmed_value("protocol"))
        && kind.needs_material
    {
        let remedy = format!("fill in “{}” or “{}”", label_of(PASTED), label_of("context"));
        return Err(Refusal::unusable(format!("{} needs material", kind.name), &remedy).in_field(PASTED));
    }
    for option in request::list_known_options().iter().filter(|option| !option.is_local()) {
        let value = match option.kind {
            OptionKind::Switch => fields.trimmed_value(&option.name).map(|_| true.into()),
            OptionKind::Terms | OptionKind::Texts => parse_lines(fields, &option.name).map(Into::into),
            _ => fields.trimmed_value(&option.name).map(Into::into),
        };
        wanted.extend(value.map(|value| (option.name.clone(), value)));
    }
    Ok(request::from_json(wanted)?)
}

/// The text that was pasted as material, with its name.
fn pasted_material(fields: &SubmittedFields) -> Option<SourceRequest> {
    let text = fields.verbatim_text(PASTED)?;
    let usual = if text.contains("\n@@ ") { "pasted.diff" } else { "pasted.txt" };
    let path = fields.trimmed_value(PASTED_PATH).unwrap_or(usual).to_owned();
    Some(SourceRequest::Text { path, text, seats: Vec::new() })
}

/// A number in a field, where there is one.
pub(super) fn parse_number<T: std::str::FromStr>(fields: &SubmittedFields, name: &str) -> Result<Option<T>, Refusal> {
    let Some(text) = fields.trimmed_value(name) else { return Ok(None) };
    let text: String = text.chars().take(40).collect();
    text.parse().map(Some).map_err(|_| {
        let why = format!("{}: {text:?} is not a valid number", label_of(name));
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
        let wanted = parse_opening(&[], &SubmittedFields(fields.to_vec())).unwrap().context;
        let sources = json!([{"path": "pasted.diff", "text": diff.replace("\r\n", "\n")}, "https://example.org/a"]);
        assert_eq!((json!(wanted.sources), wanted.tokens), (sources, Some(900)));
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
        let wanted = parse_opening(&[], &SubmittedFields(fields.to_vec())).unwrap();
        assert_eq!(wanted.seats.seats, ["moderator=outside", "Ada=local"]);
    }
}
