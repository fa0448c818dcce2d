//! A status that is not a success, and what complaints call the fields of a request.

use reqwest::{Response, header::HeaderMap};

/// How complaints name the field of the limit of tokens.
pub(super) const LIMIT_FIELDS: [&str; 5] =
    ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxoutputtokens", "num_predict"];

/// A status that is not a success.
#[derive(Debug, Clone, Default)]
pub(crate) struct ErrorStatus {
    pub code: u16,
    pub headers: HeaderMap,
    pub body: String,
}

impl ErrorStatus {
    /// That of `response`, of whose body this came.
    pub fn from_response(response: &Response, body: &[u8]) -> Box<Self> {
        Box::new(Self {
            code: response.status().as_u16(),
            headers: response.headers().clone(),
            body: String::from_utf8_lossy(body).into_owned(),
        })
    }
}
