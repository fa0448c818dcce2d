//! A request to open a debate, as the document of this interface describes it.

use std::borrow::Cow;

use agon_app::{OpeningRequest, request};
use serde::Deserialize;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, Schema, schema::Object},
};

/// A request to start a debate.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct OpeningBody(pub OpeningRequest);

impl PartialSchema for OpeningBody {
    fn schema() -> RefOr<Schema> {
        let schema = serde_json::from_value::<Schema>(serde_json::json!(request::request_schema(true)));
        RefOr::T(schema.unwrap_or_else(|_| Schema::Object(Object::new())))
    }
}

impl ToSchema for OpeningBody {
    fn name() -> Cow<'static, str> {
        "Opening".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_says_everything_that_can_be_asked_for() {
        let schema = serde_json::to_value(OpeningBody::schema()).unwrap();
        let named = schema["properties"].as_object().unwrap();
        let all = request::list_known_options().iter().filter(|option| !option.is_local());
        for option in all {
            assert!(named.contains_key(&option.name), "{}: {schema}", option.name);
        }
        assert_eq!(schema["additionalProperties"], false, "{schema}");
    }
}
