//! A request as JSON, for HTTP, MCP and the lines of a batch.

use std::slice;

use agon_core::parse;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _},
};
use serde_json::{Map, Value};

use super::{Budget, ContextRequest, LineupRequest, OpeningRequest, SeatRequest};
use crate::failure::{Failure, Result};

/// The fields of a request and its options, by name.
pub type RequestFields = Map<String, Value>;

/// Reads a request. Names may have hyphens in the place of underscores.
///
/// # Errors
///
/// Where a value is of another kind, or no debate has an option of that name.
pub fn from_json(object: RequestFields) -> Result<OpeningRequest> {
    let mut request = OpeningRequest::default();
    let mut protocol = None;
    for (name, value) in object {
        let name = name.replace('-', "_");
        if value.is_null() {
            continue;
        }
        let field = RequestField { name: &name, value: &value };
        let SeatRequest { seats, model } = &mut request.seats;
        let LineupRequest { debaters, count, file } = &mut request.lineup;
        let Budget { max_requests, max_tokens, max_cost, max_time } = &mut request.budget;
        let ContextRequest { sources, tokens, allow_secrets, local_only } = &mut request.context;
        match name.as_str() {
            "protocol" => protocol = Some(field.parse_text()?),
            "motion" => request.motion = Some(field.parse_text()?),
            "id" => request.id = Some(field.parse_text()?),
            "seats" | "seat" => *seats = field.parse_pairs()?,
            "model" => *model = Some(field.parse_text()?),
            "debaters" | "debater" if value.is_number() => *count = Some(field.parse_count()?),
            "debaters" | "debater" => {
                let remedy = "a debater has the fields name, persona, model, and those of its protocol (agon protocols show NAME)";
                *debaters = field.parse_items(value.is_string(), "a list of debaters or their number", remedy)?;
            }
            "lineup" => *file = Some(field.parse_text()?.into()),
            "rounds" => request.rounds = Some(field.parse_count()?),
            "extract" => request.extract = Some(field.parse_text()?),
            "context" => {
                let remedy = "send {\"path\": \"src/a.rs\", \"text\": \"…\"}";
                *sources = field.parse_items(value.is_string() || value.is_object(), "a list of sources", remedy)?;
            }
            "context_tokens" => *tokens = Some(field.parse_count()?),
            "allow_secrets" => *allow_secrets = field.parse_switch()?,
            "local_only" => *local_only = field.parse_switch()?,
            "seed" => request.seed = Some(field.parse_whole_number()?),
            "max_requests" => *max_requests = Some(field.parse_whole_number()?),
            "max_tokens" => *max_tokens = Some(field.parse_whole_number()?),
            "max_cost" => {
                *max_cost = Some(value.as_f64().ok_or_else(|| field.type_failure("an amount of money"))?);
            }
            "max_time" => *max_time = Some(field.parse_text()?),
            "out" => request.out = Some(field.parse_text()?.into()),
            "yes" => request.yes = field.parse_switch()?,
            "offline" => request.offline = field.parse_switch()?,
            _ => request.options.set(&name, &value)?,
        }
    }
    request.protocol =
        protocol.ok_or_else(|| Failure::usage("\"protocol\" is missing", "agon protocols list shows the protocols"))?;
    request.check_counts()?;
    Ok(request)
}

/// One field of a request.
struct RequestField<'a> {
    name: &'a str,
    value: &'a Value,
}

impl RequestField<'_> {
    fn type_failure(&self, wanted: &str) -> Failure {
        let shown: String = self.value.to_string().chars().take(80).collect();
        Failure::usage(format!("{:?} is {shown}, but must be {wanted}", self.name), "agon run --help describes it")
    }

    fn parse_text(&self) -> Result<String> {
        self.value.as_str().map(str::to_owned).ok_or_else(|| self.type_failure("a text"))
    }

    fn parse_switch(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.type_failure("true or false"))
    }

    /// A list, or what `is_one` of its items.
    fn parse_items<T: DeserializeOwned>(&self, is_one: bool, wanted: &str, remedy: &str) -> Result<Vec<T>> {
        let items = match self.value.as_array() {
            Some(all) => all,
            None if is_one => slice::from_ref(self.value),
            None => return Err(self.type_failure(wanted)),
        };
        let wrong = |error: serde_json::Error| Failure::usage(error.to_string(), remedy);
        items.iter().map(|item| T::deserialize(item).map_err(wrong)).collect()
    }

    fn parse_count(&self) -> Result<u32> {
        Ok(self.parse_number(u32::MAX.into())? as u32)
    }

    /// A number as large as documents of interfaces allow, which know 64 bits with a sign.
    fn parse_whole_number(&self) -> Result<u64> {
        self.parse_number(i64::MAX.unsigned_abs())
    }

    fn parse_number(&self, most: u64) -> Result<u64> {
        let number = self.value.as_u64().filter(|number| *number <= most);
        number.ok_or_else(|| self.type_failure(&format!("a whole number up to {most}")))
    }

    /// `NAME=TEXT`, of an object or a list.
    fn parse_pairs(&self) -> Result<Vec<String>> {
        let wrong = || self.type_failure("models by seat");
        if let Some(pairs) = self.value.as_object() {
            let pairs = pairs.iter().map(|(name, model)| Some(format!("{name}={}", model.as_str()?)));
            return pairs.collect::<Option<_>>().ok_or_else(wrong);
        }
        let pairs = self.value.as_array().map_or(slice::from_ref(self.value), Vec::as_slice).iter();
        pairs.map(|pair| pair.as_str().map(str::to_owned)).collect::<Option<_>>().ok_or_else(wrong)
    }
}

impl<'de> Deserialize<'de> for OpeningRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let object = Map::deserialize(deserializer)?;
        from_json(object).map_err(|failure| D::Error::custom(format!("{}: {}", failure.message, failure.remedy)))
    }
}

impl OpeningRequest {
    /// The request in `text`, one JSON object in which no name stands twice.
    ///
    /// # Errors
    ///
    /// Where it is none.
    pub fn parse(text: &str) -> Result<Self> {
        from_json(parse_fields(text).map_err(|why| Failure::usage(why, "send one JSON object"))?)
    }
}

/// The one JSON object in `text`, in which no name stands twice; or what else it is.
pub fn parse_fields(text: &str) -> std::result::Result<RequestFields, String> {
    match parse::parse_strict_json(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("not a JSON object".to_owned()),
        Err(error) => Err(format!("not a JSON object: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_comes_back_as_it_was() {
        let text = r#"{"protocol": "exchange", "motion": "--not a flag", "rounds": 2, "seats": {"judge": "local"},
            "definitions": {"rest": "a pause"}, "max-requests": 9, "context-tokens": 900, "local_only": true,
            "context": ["src", {"path": "a.md", "text": "b"}], "judges": ["a:x", "b:y", "c:z"],
            "self_judging": true, "mirror": false, "scope": null, "debaters": [{"name": "Ada"}, "Ben: a cook"]}"#;
        let request = OpeningRequest::parse(text).unwrap();
        assert_eq!((request.motion.as_deref(), request.rounds), (Some("--not a flag"), Some(2)));
        assert_eq!(request.seats.seats, ["judge=local"]);
        assert_eq!(request.options.pairs("definitions"), [("rest".into(), "a pause".into())]);
        assert_eq!(request.options.text("judges"), Some("a:x,b:y,c:z"));
        assert!(request.options.has("self_judging") && !request.options.has("mirror"));
        assert_eq!(request.budget.max_requests, Some(9));
        assert_eq!((request.context.sources.len(), request.context.tokens), (2, Some(900)));
        assert_eq!(OpeningRequest::parse(&json!(request).to_string()).unwrap(), request);
    }

    #[test]
    fn what_is_no_request_says_why() {
        for (text, says) in [
            ("[]", "not a JSON object"),
            (r#"{"protocol": "exchange", "rounds": 1, "rounds": 2}"#, "\"rounds\" stands twice"),
            (r#"{"motion": "x"}"#, "\"protocol\" is missing"),
            (r#"{"protocol": "exchange", "motion": 3}"#, "must be a text"),
            (r#"{"protocol": "exchange", "plan": true}"#, "\"plan\" is not an option"),
            (r#"{"protocol": "exchange", "-x": true}"#, "is not an option"),
            (r#"{"protocol": "exchange", "rounds": [[1]]}"#, "a whole number"),
            (r#"{"protocol": "exchange", "seed": 9223372036854775808}"#, "a whole number"),
            (r#"{"protocol": "exchange", "seats": {"judge": 1}}"#, "models by seat"),
        ] {
            let error = OpeningRequest::parse(text).unwrap_err();
            assert!(error.exit == 2 && error.message.contains(says), "{text}: {}", error.message);
        }
        let error = OpeningRequest::parse(r#"{"protocol": "exchange", "runds": 2}"#).unwrap_err();
        assert!(error.remedy.contains("rounds"), "{}", error.remedy);
    }
}
