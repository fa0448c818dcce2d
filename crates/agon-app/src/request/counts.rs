//! How many of each thing a request may name. Bytes are limited elsewhere: many small things take longer than one large.

use super::{DebaterRequest, OpeningRequest, SourceRequest};
use crate::failure::{Failure, Result};

/// Sources of material.
pub(super) const SOURCES_MAX: usize = 1_000;
/// Sources that are addresses: they are fetched one after the other.
const ADDRESSES_MAX: usize = 20;
/// Seats, debaters, judges, terms, drafts, and the seats that a source is for.
const MEMBERS_MAX: usize = 100;

impl OpeningRequest {
    /// Refuses a request that names too many of anything.
    ///
    /// # Errors
    ///
    /// The field, its number and the limit.
    pub(crate) fn check_counts(&self) -> Result<()> {
        let sources = &self.context.sources;
        let named = sources.iter().filter_map(SourceRequest::as_named);
        let seats = sources.iter().map(|source| match source {
            SourceRequest::Named(_) => 1,
            SourceRequest::Text { seats, .. } => seats.len(),
        });
        let details = self.lineup.debaters.iter().map(|debater| match debater {
            DebaterRequest::Line(_) => 1,
            DebaterRequest::Fields(fields) => fields.details.len(),
        });
        let counts = [
            ("context", sources.len(), SOURCES_MAX),
            ("addresses of context", named.filter(|text| text.contains("://")).count(), ADDRESSES_MAX),
            ("seats of a source", seats.max().unwrap_or_default(), MEMBERS_MAX),
            ("seats", self.seats.seats.len(), MEMBERS_MAX),
            ("debaters", self.lineup.debaters.len(), MEMBERS_MAX),
            ("debaters", self.lineup.count.unwrap_or_default() as usize, MEMBERS_MAX),
            ("fields of a debater", details.max().unwrap_or_default(), MEMBERS_MAX),
        ];
        let options = self.options.count_entries().map(|(name, count)| (name, count, MEMBERS_MAX));
        match counts.into_iter().chain(options).find(|(_, count, most)| count > most) {
            None => Ok(()),
            Some((what, count, most)) => Err(Failure::usage(
                format!("{what}: {count} are named, and at most {most} are allowed"),
                if what == "context" { "join small texts into one" } else { "name fewer" },
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::request::from_json;

    fn refused(name: &str, value: Value) -> String {
        let request = json!({"protocol": "exchange", name: value});
        let Value::Object(request) = request else { panic!() };
        from_json(request).map(drop).unwrap_err().message
    }

    #[test]
    fn too_many_of_anything_are_refused_with_the_limit() {
        let many = |count: usize, value: Value| Value::Array(vec![value; count]);
        let object = |count: usize| -> Value {
            let pairs = (0..count).map(|n| (format!("s{n}"), json!("x")));
            Value::Object(pairs.collect())
        };
        for (name, value, says) in [
            ("context", many(20_000, json!({"path": "a", "text": "b"})), "20000 are named, and at most 1000"),
            ("context", many(21, json!("https://a.example/")), "21 are named, and at most 20"),
            ("context", json!([{"path": "a", "text": "b", "seats": many(10_000, json!("judge"))}]), "10000"),
            ("seats", object(10_000), "seats: 10000 are named, and at most 100"),
            ("debaters", many(101, json!("Ada")), "debaters: 101"),
            ("debaters", json!(4_000_000_000_u32), "debaters: 4000000000"),
            ("debaters", json!([object(200)]), "fields of a debater: 200"),
            ("definitions", object(10_000), "definitions: 10000"),
            ("judges", many(10_000, json!("a:x")), "judges: 10000"),
        ] {
            let message = refused(name, value);
            assert!(message.contains(says), "{name}: {message}");
        }
        let most = json!({"protocol": "exchange", "context": many(1_000, json!({"path": "a", "text": "b"}))});
        let Value::Object(most) = most else { panic!() };
        assert!(from_json(most).is_ok());
    }
}
