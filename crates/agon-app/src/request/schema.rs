//! The JSON Schema of a request, from the manifests of the protocols.

use agon_core::{MotionKind, OptionKind, OptionSpec};
use serde::Serialize;
use serde_json::{Map, json};

use super::{counts::SOURCES_MAX, list_known_options, list_taking_protocols};
use crate::opening;

/// Longest motion that a request may hold: a whole document. Motions that are texts have a limit of their own.
const MOTION_BYTES_MAX: u64 = opening::DOCUMENT_BYTES_MAX;

/// The JSON Schema of an [`OpeningRequest`](super::OpeningRequest) of someone at this machine, or from
/// elsewhere.
pub fn request_schema(from_elsewhere: bool) -> impl Serialize {
    let number = |about: &str| json!({"type": "integer", "format": "int64", "minimum": 1, "maximum": i64::MAX, "description": about});
    let text = |about: &str| json!({"type": "string", "description": about});
    let switch = |about: &str| json!({"type": "boolean", "description": about});
    let examines = list_taking_protocols("topic").join(", ");
    let motion = match from_elsewhere {
        true => format!("The motion, as text; {examines}: the document, as Markdown"),
        false => format!("The motion: a text, or the path of a file that contains it; {examines}: the document"),
    };
    // One whose motion is a text, as that of the next example is.
    let mut manifests = agon_protocols::ALL.iter().map(|protocol| protocol.manifest());
    let example = manifests.find(|manifest| manifest.motion == MotionKind::Text).map(|manifest| &manifest.name);
    let before = json!({
        "protocol": {"type": "string", "description": "Name of the protocol", "example": example},
        "motion": {"type": "string", "minLength": 1, "maxLength": MOTION_BYTES_MAX, "description": motion, "example": "This house would rest."},
        "id": {"type": "string", "pattern": "^[a-z0-9-]{1,64}$", "description": "Id of the debate; by default a new id that sorts by time"},
        "rounds": {"type": "integer", "format": "int32", "minimum": 0, "description": describe_rounds()},
        "model": text("Model for every seat that `seats` does not name"),
        "seats": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Model of each seat, by the seat's name"},
        "debaters": debaters_schema(),
    });
    let options = list_known_options().iter().filter(|option| !(from_elsewhere && option.is_local()));
    let options = options.map(|option| (option.name.clone(), json!(option_schema(option, from_elsewhere))));
    let after = json!({
        "extract": {"type": "string", "minLength": 1, "example": "local", "description": "Model that extracts relations between statements after the debate, for the argument graph"},
        "seed": {"type": "integer", "format": "int64", "minimum": 0, "maximum": i64::MAX, "description": "Seed of all random choices"},
        "context": context_schema(from_elsewhere),
        "context_tokens": {"type": "integer", "format": "int32", "minimum": 1, "description": "Maximum number of tokens of material in one prompt"},
        "allow_secrets": switch("Use material even if it seems to contain secrets"),
        "local_only": switch("Refuse models and addresses that anything would leave this machine for"),
        "max_requests": number("Maximum number of model calls"),
        "max_tokens": number("Maximum number of tokens"),
        "max_cost": {"type": "number", "exclusiveMinimum": 0, "description": "Maximum cost, in US dollars"},
        "max_time": {"type": "string", "description": "Maximum driven time", "example": "30m"},
    });
    let [before, after] = [before, after].map(|part| part.as_object().cloned().unwrap_or_default());
    let properties: Map<_, _> = before.into_iter().chain(options).chain(after).collect();
    json!({
        "type": "object", "description": "Request to start a debate",
        "required": ["protocol", "motion"], "additionalProperties": false, "properties": properties,
    })
}

/// What rounds are in each protocol.
pub fn describe_rounds() -> String {
    let each = agon_protocols::ALL.iter().map(|protocol| {
        let manifest = protocol.manifest();
        format!("{}, {}", manifest.name, manifest.rounds.about)
    });
    format!("Rounds: {}", each.collect::<Vec<_>>().join("; "))
}

fn debaters_schema() -> impl Serialize {
    let member = json!({
        "type": "object", "required": ["name"], "additionalProperties": {"type": "string"},
        "properties": {"name": {"type": "string"}, "persona": {"type": "string"}, "model": {"type": "string"}},
    });
    json!({
        "description": "Debaters, for protocols with a row of seats: `NAME: PERSONA` lines, objects, or their number",
        "oneOf": [
            {"type": "array", "maxItems": 24, "items": {"oneOf": [{"type": "string", "minLength": 1}, member]}},
            {"type": "integer", "format": "int32", "minimum": 1},
        ],
    })
}

/// The schema of the material. Someone elsewhere sends texts and addresses; the files here are not theirs.
fn context_schema(from_elsewhere: bool) -> impl Serialize {
    let text = json!({
        "type": "object", "required": ["path", "text"], "additionalProperties": false,
        "properties": {
            "path": {"type": "string", "minLength": 1, "example": "src/main.rs"},
            "text": {"type": "string", "minLength": 1},
            "seats": {"type": "array", "items": {"type": "string"}},
        },
    });
    let (named, about) = match from_elsewhere {
        true => ("`[SEAT=]https://…`", "texts with their paths, or addresses"),
        false => ("`[SEAT=]WHAT`", "files, folders, `git:BASE..HEAD`, addresses, or texts with their paths"),
    };
    json!({
        "type": "array", "maxItems": SOURCES_MAX, "items": {"oneOf": [{"type": "string", "minLength": 1}, text]},
        "description": format!("Material that prompts show in passages, and that can be quoted: {named}; {about}"),
    })
}

/// The schema of an option's value.
fn option_schema(option: &OptionSpec, from_elsewhere: bool) -> impl Serialize + use<> {
    let about = format!("{} ({})", option.about, list_taking_protocols(&option.name).join(", "));
    let mut schema = match option.kind {
        OptionKind::Switch => json!({"type": "boolean"}),
        OptionKind::Choice => {
            let words: Vec<&str> = option.values.iter().map(|choice| choice.name.as_str()).collect();
            json!({"type": "string", "enum": words})
        }
        OptionKind::Count => {
            json!({"type": "integer", "format": "int32", "minimum": option.min.unwrap_or(0), "maximum": option.max})
        }
        OptionKind::Terms | OptionKind::Texts => {
            json!({"type": "object", "additionalProperties": {"type": "string", "minLength": 1}})
        }
        OptionKind::Models => json!({"type": "string", "minLength": 1, "example": "3"}),
        OptionKind::Duration => json!({"type": "string", "example": "20m"}),
        OptionKind::Text | OptionKind::Model | OptionKind::Folder => json!({"type": "string", "minLength": 1}),
    };
    let about = match option.kind {
        OptionKind::Texts if from_elsewhere => format!("{about}: the texts, by name"),
        _ => about,
    };
    schema["description"] = about.into();
    if let Some(object) = schema.as_object_mut() {
        object.retain(|_, value| !value.is_null());
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_in_the_schema_with_who_takes_it() {
        let (here, elsewhere) = (json!(request_schema(false)), json!(request_schema(true)));
        for option in list_known_options() {
            let shown = here["properties"][&option.name]["description"].as_str().unwrap_or_default();
            assert!(
                list_taking_protocols(&option.name).iter().all(|name| shown.contains(name)),
                "{}: {shown}",
                option.name
            );
            assert_eq!(elsewhere["properties"][&option.name].is_null(), option.is_local(), "{}", option.name);
        }
        assert!(elsewhere["properties"]["debaters"]["oneOf"].is_array());
    }
}
