//! JSON schemas as constraints on decoding.

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};

use crate::error::EngineError;

/// Compiles schemas for one model.
pub struct Grammars(ParserFactory);

impl Grammars {
    /// Walks the vocabulary of `model`, which takes some tenths of a second.
    ///
    /// # Errors
    /// [`EngineError::Runtime`] if the vocabulary cannot be used.
    pub fn new(model: &LlamaModel) -> Result<Self, EngineError> {
        let environment = LlamaSampler::llguidance_tok_env(model);
        let mut factory = ParserFactory::new_simple(&environment).map_err(EngineError::runtime)?;
        factory.quiet();
        Ok(Self(factory))
    }

    /// A matcher for JSON on one line that follows `schema`. Keywords it cannot enforce are ignored.
    ///
    /// # Errors
    /// [`EngineError::Schema`] if `schema` is not an object, contradicts itself or is too complex.
    pub fn matcher(&self, schema: &Value) -> Result<Matcher, EngineError> {
        let mut schema = schema.clone();
        let object = schema.as_object_mut();
        let object = object.ok_or_else(|| EngineError::Schema("a schema must be a JSON object".into()))?;
        // One space after colon and comma, as models have read JSON: without it small ones begin their
        // texts with the colon that they miss.
        let spaced = json!({
            "whitespace_flexible": false, "key_separator": ": ", "item_separator": ", ", "lenient": true,
        });
        object.insert("x-guidance".into(), spaced);
        let parser = self.0.create_parser(TopLevelGrammar::from_json_schema(schema));
        let matcher = Matcher::new(parser);
        matcher.get_error().map_or(Ok(matcher), |reason| Err(EngineError::Schema(reason)))
    }
}
