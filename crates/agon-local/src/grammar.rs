//! JSON schemas as constraints on decoding.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{ApproximateTokEnv, TokEnv, TokRxInfo, TokTrie};
use llguidance::{Matcher, ParserFactory};
use serde_json::{Map, json};

use crate::{error::EngineError, llama::Vocabulary};

/// Compiles schemas for one model.
pub struct Grammars(ParserFactory);

impl Grammars {
    /// Walks `vocabulary`, which takes some tenths of a second.
    ///
    /// # Errors
    /// [`EngineError::Runtime`] if the vocabulary cannot be used.
    pub fn new(vocabulary: Vocabulary<'_>) -> Result<Self, EngineError> {
        let mut factory =
            ParserFactory::new_simple(&build_token_environment(vocabulary)).map_err(EngineError::runtime)?;
        factory.quiet();
        Ok(Self(factory))
    }

    /// A matcher for JSON on one line that follows `schema`, a JSON Schema. Keywords it cannot enforce are ignored.
    ///
    /// # Errors
    /// [`EngineError::Schema`] if `schema` is not an object, contradicts itself or is too complex.
    pub fn build_matcher(&self, schema: &str) -> Result<Matcher, EngineError> {
        let mut schema: Map<_, _> = serde_json::from_str(schema).map_err(|why| EngineError::Schema(why.to_string()))?;
        // One space after colon and comma, as models have read JSON: without it small ones begin their
        // texts with the colon that they miss.
        let spaced = json!({
            "whitespace_flexible": false, "key_separator": ": ", "item_separator": ", ", "lenient": true,
        });
        schema.insert("x-guidance".into(), spaced);
        let parser = self.0.create_parser(TopLevelGrammar::from_json_schema(schema.into()));
        let matcher = Matcher::new(parser);
        matcher.get_error().map_or(Ok(matcher), |reason| Err(EngineError::Schema(reason)))
    }
}

/// What llguidance needs to know of a vocabulary: the bytes of each token, and which of them end an answer.
fn build_token_environment(vocabulary: Vocabulary<'_>) -> TokEnv {
    let id = |token: crate::llama::Token| token.0.cast_unsigned();
    let end = vocabulary.end_of_turn().or(vocabulary.eos_token()).map(id).unwrap_or_default();
    // Any of them may end an answer, not only the first.
    let others = vocabulary.tokens().filter(|token| vocabulary.is_end(*token)).map(id);
    let ends: Vec<_> = std::iter::once(end).chain(others.filter(|other| *other != end)).collect();
    let words: Vec<_> = vocabulary.tokens().map(|token| token_bytes(vocabulary, token)).collect();
    let trie = TokTrie::from(&TokRxInfo::new(vocabulary.len().cast_unsigned(), end), &words);
    Arc::new(ApproximateTokEnv::new(trie.with_eos_tokens(&ends)))
}

/// The bytes of a token; a control token is marked, so that no text can be mistaken for it.
fn token_bytes(vocabulary: Vocabulary<'_>, token: crate::llama::Token) -> Vec<u8> {
    let bytes = vocabulary.token_bytes(token, false);
    if !bytes.is_empty() {
        return bytes;
    }
    let mut name = vocabulary.token_bytes(token, true);
    if !name.is_empty() {
        name.insert(0, TokTrie::SPECIAL_TOKEN_MARKER);
    }
    name
}
