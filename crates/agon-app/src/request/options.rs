//! Values of the options that protocols declare in their manifests.

use std::{collections::BTreeMap, slice, sync::LazyLock};

use agon_core::{Manifest, OptionKind, OptionSpec};
use agon_text::join_names;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{
    display::suggest_name,
    failure::{Failure, Result},
};

/// The fields of every request, in addition to the options of its protocol.
const FIELDS: &str = "protocol, motion, id, model, debaters, lineup, rounds, extract, seed, out, max_requests, max_tokens, \
    max_cost, max_time, seats, yes, offline, context, context_tokens, allow_secrets, local_only";

/// Every option that some protocol takes, by name, in the order of protocols and manifests.
static KNOWN: LazyLock<Vec<OptionSpec>> = LazyLock::new(|| {
    let mut known: Vec<OptionSpec> = Vec::new();
    for option in agon_protocols::ALL.iter().flat_map(|protocol| &protocol.manifest().options) {
        if known.iter().all(|other| other.name != option.name) {
            known.push(option.clone());
        }
    }
    known
});

/// Every option that some protocol takes.
pub fn list_known_options() -> &'static [OptionSpec] {
    &KNOWN
}

/// Names of the shipped protocols that take the option `name`.
pub fn list_taking_protocols(name: &str) -> Vec<&'static str> {
    let takes = |protocol: &&&dyn agon_core::Protocol| protocol.manifest().find_option(name).is_some();
    agon_protocols::ALL.iter().filter(takes).map(|protocol| protocol.name()).collect()
}

/// What holds for the option `name` where nobody says: `off; chaired: on`, where protocols differ.
pub fn default_of(name: &str) -> Option<String> {
    let each = agon_protocols::ALL.iter().filter_map(|protocol| {
        let default = protocol.manifest().find_option(name)?.default.as_deref()?;
        Some((protocol.name(), default))
    });
    let each: Vec<(&str, &str)> = each.collect();
    let usual = each
        .iter()
        .map(|(_, default)| *default)
        .max_by_key(|default| each.iter().filter(|(_, other)| other == default).count())?;
    let others = each.iter().filter(|(_, default)| *default != usual);
    let others = others.map(|(protocol, default)| format!("; {protocol}: {default}"));
    Some(std::iter::once(usual.to_owned()).chain(others).collect())
}

/// What an option is set to; in JSON as [`Options::set`] takes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// A switch, which is on.
    Switch(bool),
    /// A number.
    Count(u32),
    /// A word, a text, a time, a model or a path.
    Text(String),
    /// Terms or texts, by name.
    #[serde(serialize_with = "serialize_pairs")]
    Pairs(Vec<(String, String)>),
}

fn serialize_pairs<S: Serializer>(pairs: &[(String, String)], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_seq(pairs.iter().map(|(name, text)| format!("{name}={text}")))
}

/// The options of a request, by name. Every value has the type that the manifest declares.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Options(BTreeMap<String, OptionValue>);

impl Options {
    /// Sets the option `name`, or that of its flag, to what `value` says: JSON as programs write it. `null`, and a switch that is
    /// off, leave it unset.
    ///
    /// # Errors
    ///
    /// Where no protocol has the option, or the value is of another kind.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        let means = |spec: &&OptionSpec| spec.name == name || spec.flag_name().replace('-', "_") == name;
        let spec = KNOWN.iter().find(means).ok_or_else(|| unknown_option(name))?;
        if let Some(value) = parse_option(spec, value)? {
            self.0.insert(spec.name.clone(), value);
        }
        Ok(())
    }

    /// The text of an option.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name)? {
            OptionValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number of an option.
    pub fn number(&self, name: &str) -> Option<u32> {
        match self.0.get(name)? {
            OptionValue::Count(count) => Some(*count),
            _ => None,
        }
    }

    /// The named texts of an option.
    pub fn pairs(&self, name: &str) -> &[(String, String)] {
        match self.0.get(name) {
            Some(OptionValue::Pairs(pairs)) => pairs,
            _ => &[],
        }
    }

    /// Whether an option is given.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// How many texts or models each option holds.
    pub(super) fn count_entries(&self) -> impl Iterator<Item = (&str, usize)> {
        let is_list = |name: &str| KNOWN.iter().any(|spec| spec.name == name && spec.kind == OptionKind::Models);
        self.0.iter().map(move |(name, value)| {
            let length = match value {
                OptionValue::Pairs(pairs) => pairs.len(),
                OptionValue::Text(text) if is_list(name) => text.split(',').count(),
                OptionValue::Switch(_) | OptionValue::Count(_) | OptionValue::Text(_) => 1,
            };
            (name.as_str(), length)
        })
    }

    /// Every option whose value is a text.
    pub fn list_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.keys().filter_map(|name| Some((name.as_str(), self.text(name)?)))
    }

    /// Refuses the first option that the protocol of `manifest` does not take, naming those that do.
    pub fn check_for_protocol(&self, manifest: &Manifest) -> Result<()> {
        for spec in KNOWN.iter().filter(|spec| self.has(&spec.name)) {
            if manifest.find_option(&spec.name).is_none() {
                return Err(Failure::usage(
                    format!("{} does not take {}", manifest.name, spec.render_flag()),
                    format!(
                        "{} is an option of {}; omit it here",
                        spec.render_flag(),
                        join_names(&list_taking_protocols(&spec.name))
                    ),
                ));
            }
        }
        Ok(())
    }
}

fn unknown_option(name: &str) -> Failure {
    let names = KNOWN.iter().map(|spec| spec.name.as_str()).chain(FIELDS.split(", "));
    let shown: String = name.chars().take(80).collect();
    let hint = suggest_name(name, &names.collect::<Vec<_>>());
    Failure::usage(
        format!("{shown:?} is not an option of a debate"),
        format!("{hint}agon run --help lists the options"),
    )
}

/// The value that `value` gives to the option, where it sets it.
fn parse_option(spec: &OptionSpec, value: &Value) -> Result<Option<OptionValue>> {
    let wrong = |wanted: String| {
        let shown: String = value.to_string().chars().take(80).collect();
        Failure::usage(format!("{} {shown}: {wanted}", spec.render_flag()), spec.about.clone())
    };
    let text = |value: &Value| value.as_str().map(str::to_owned).or_else(|| value.as_number().map(ToString::to_string));
    if value.is_null() {
        return Ok(None);
    }
    Ok(Some(match spec.kind {
        OptionKind::Switch => {
            let on = value.as_bool().ok_or_else(|| wrong("must be true or false".into()))?;
            return Ok(on.then_some(OptionValue::Switch(true)));
        }
        OptionKind::Count => {
            let count = text(value).and_then(|text| text.trim().parse().ok());
            let (min, max) = (spec.min.unwrap_or(0), spec.max.unwrap_or(u32::MAX));
            let count = count.filter(|count| (min..=max).contains(count));
            let wanted = match (spec.min, spec.max) {
                (_, Some(max)) => format!("must be a whole number from {min} to {max}"),
                (Some(min), None) => format!("must be a whole number of at least {min}"),
                (None, None) => "must be a whole number".to_owned(),
            };
            OptionValue::Count(count.ok_or_else(|| wrong(wanted))?)
        }
        OptionKind::Choice => {
            let words: Vec<&str> = spec.values.iter().map(|choice| choice.name.as_str()).collect();
            let word = value.as_str().filter(|word| words.contains(word));
            OptionValue::Text(word.ok_or_else(|| wrong(format!("must be {}", words.join(" or "))))?.to_owned())
        }
        OptionKind::Models => match value.as_array() {
            Some(models) => {
                let models: Option<Vec<String>> = models.iter().map(text).collect();
                OptionValue::Text(models.ok_or_else(|| wrong("must be a list of models".into()))?.join(","))
            }
            None => OptionValue::Text(text(value).ok_or_else(|| wrong("must be a number or models".into()))?),
        },
        OptionKind::Duration | OptionKind::Text | OptionKind::Model | OptionKind::Folder => {
            OptionValue::Text(text(value).ok_or_else(|| wrong("must be a text".into()))?)
        }
        OptionKind::Terms | OptionKind::Texts => OptionValue::Pairs(parse_pairs(spec, value)?),
    }))
}

/// Named texts: an object, a list of `NAME=TEXT`, or one such text.
fn parse_pairs(spec: &OptionSpec, value: &Value) -> Result<Vec<(String, String)>> {
    let wrong = |shown: String| {
        let shown: String = shown.chars().take(80).collect();
        let form = spec.placeholder.as_deref().unwrap_or("NAME=TEXT");
        Failure::usage(
            format!("{} {shown:?} lacks a name or a text", spec.render_flag()),
            format!("write {} {form}", spec.render_flag()),
        )
    };
    if let Some(pairs) = value.as_object() {
        let pairs = pairs.iter().map(|(name, text)| {
            let given = text.as_str().filter(|text| !text.trim().is_empty() && !name.trim().is_empty());
            let given = given.ok_or_else(|| wrong(format!("{name}={text}")))?;
            Ok((name.trim().to_owned(), given.to_owned()))
        });
        return pairs.collect();
    }
    let texts = value.as_array().map_or(slice::from_ref(value), Vec::as_slice);
    let pairs = texts.iter().map(|value| {
        let text = value.as_str().ok_or_else(|| wrong(value.to_string()))?;
        let pair = text.split_once('=').map(|(name, text)| (name.trim(), text.trim()));
        let pair = pair.filter(|(name, text)| !name.is_empty() && !text.is_empty());
        pair.map(|(name, text)| (name.to_owned(), text.to_owned())).ok_or_else(|| wrong(text.to_owned()))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(name: &str, value: Value) -> Result<Options> {
        let mut options = Options::default();
        options.set(name, &value).map(|()| options)
    }

    #[test]
    fn values_are_taken_as_programs_and_people_write_them() {
        for (name, value, wanted) in [
            ("mirror", json!(true), Some(OptionValue::Switch(true))),
            ("mirror", json!(false), None),
            ("scope", Value::Null, None),
            ("phase", json!(3), Some(OptionValue::Count(3))),
            ("phase", json!("3"), Some(OptionValue::Count(3))),
            ("judges", json!(3), Some(OptionValue::Text("3".into()))),
            ("judges", json!(["a:x", "b:y"]), Some(OptionValue::Text("a:x,b:y".into()))),
            (
                "definitions",
                json!({"rest": "a pause"}),
                Some(OptionValue::Pairs(vec![("rest".into(), "a pause".into())])),
            ),
            ("definitions", json!(["rest=a=b"]), Some(OptionValue::Pairs(vec![("rest".into(), "a=b".into())]))),
        ] {
            assert_eq!(set(name, value.clone()).unwrap().0.get(name).cloned(), wanted, "{name} {value}");
        }
    }

    #[test]
    fn an_option_is_also_known_by_its_flag() {
        let options = set("define", json!(["rest=a pause"])).unwrap();
        assert_eq!(options.pairs("definitions").len(), 1);
    }

    #[test]
    fn what_is_of_another_kind_is_refused_with_what_is_wanted() {
        for (name, value, says) in [
            ("phase", json!(0), "at least 1"),
            ("time_budget", json!(1441), "from 1 to 1440"),
            ("phase", json!(-1), "whole number"),
            ("verify", json!("maybe"), "must be off or on"),
            ("mirror", json!("yes"), "true or false"),
            ("scope", json!([1]), "must be a text"),
            ("definitions", json!(["rest"]), "--define \"rest\" lacks"),
            ("definitions", json!({"rest": ""}), "lacks"),
            ("drafts", json!(["a="]), "--draft"),
            ("rund", json!(1), "is not an option"),
        ] {
            let error = set(name, value.clone()).unwrap_err();
            assert!(error.exit == 2 && error.message.contains(says), "{name} {value}: {}", error.message);
        }
    }

    #[test]
    fn a_default_that_one_protocol_has_alone_is_told_with_its_name() {
        assert_eq!(default_of("verify").as_deref(), Some("off; chaired: on"));
        assert_eq!(default_of("wait").as_deref(), Some("20m"));
        assert_eq!(default_of("scope"), None);
    }

    #[test]
    fn every_protocol_refuses_what_it_does_not_take() {
        for protocol in agon_protocols::ALL {
            for spec in list_known_options() {
                let mut options = Options::default();
                let value = match spec.kind {
                    OptionKind::Switch => json!(true),
                    OptionKind::Choice => json!(spec.values[0].name),
                    OptionKind::Count => json!(spec.min.unwrap_or(1)),
                    _ => json!("a=b"),
                };
                options.set(&spec.name, &value).unwrap();
                let takes = protocol.manifest().find_option(&spec.name).is_some();
                let checked = options.check_for_protocol(protocol.manifest());
                assert_eq!(checked.is_ok(), takes, "{} of {}", spec.name, protocol.name());
                let told = checked.err().map(|failure| failure.remedy).unwrap_or_default();
                assert!(takes || list_taking_protocols(&spec.name).iter().all(|name| told.contains(name)), "{told}");
            }
        }
    }
}
