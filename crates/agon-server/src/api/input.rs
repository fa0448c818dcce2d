//! What comes from outside, read or refused in the one form of refusals.

use agon_core::DebateId;
use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request},
    http::{HeaderMap, header, request::Parts},
    response::{IntoResponse, Response},
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _, IgnoredAny},
};

use crate::{
    Refusal, State,
    visitor::{Called, Visitor},
};

/// Maximum size of a request's body, in bytes.
pub const BODY_BYTES_MAX: usize = 2 * 1024 * 1024;

/// The parameters of a route's path.
pub struct PathParams {
    /// The debate.
    pub id: DebateId,
    /// The seat, if the path has one.
    pub seat: String,
    /// The file, if the path has one.
    pub path: String,
}

impl FromRequestParts<State> for PathParams {
    type Rejection = Refusal;
    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Refusal> {
        let names = RawPathParams::from_request_parts(parts, state).await;
        let names = names.map_err(|error| Refusal::malformed(error.to_string(), "write the path in UTF-8"))?;
        let named = |name: &str| names.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        let id = named("id").unwrap_or_default();
        Ok(Self {
            // A name that no debate can have is a debate that does not exist.
            id: DebateId::new(id).map_err(|_| Refusal::no_such_debate(id))?,
            seat: named("seat").unwrap_or_default().to_owned(),
            path: named("path").unwrap_or_default().to_owned(),
        })
    }
}

/// A call of a visitor about what the path names.
pub struct At(pub State, pub Visitor, pub PathParams);

impl FromRequestParts<State> for At {
    type Rejection = Response;
    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Response> {
        let called = Called::from_request_parts(parts, state).await;
        let Called(shared, visitor) = called.map_err(IntoResponse::into_response)?;
        let at = PathParams::from_request_parts(parts, state).await;
        Ok(Self(shared, visitor, at.map_err(IntoResponse::into_response)?))
    }
}

/// The parsed query string of a request.
pub struct QueryParams<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<State> for QueryParams<T> {
    type Rejection = Refusal;
    async fn from_request_parts(parts: &mut Parts, _: &State) -> Result<Self, Refusal> {
        let query = Query::try_from_uri(&parts.uri);
        let Query(query) = query
            .map_err(|error| Refusal::malformed(error.body_text(), "/api/v1/openapi.json describes the requests"))?;
        Ok(Self(query))
    }
}

/// A JSON body.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<State> for JsonBody<T> {
    type Rejection = Refusal;
    async fn from_request(request: Request, _: &State) -> Result<Self, Refusal> {
        if media_type(request.headers()) != Some("application/json".into()) {
            let why = "the body must be application/json";
            return Err(Refusal::new(415, "content_type", why, "set Content-Type"));
        }
        let bytes = read_body(request).await?;
        // A list would be read as an object's fields in their order.
        if bytes.trim_ascii_start().starts_with(b"[") && serde_json::from_slice::<IgnoredAny>(&bytes).is_ok() {
            return Err(Refusal::unusable("the body must be an object", "/api/v1/openapi.json describes it"));
        }
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            let (status, code) = match error.classify() {
                serde_json::error::Category::Data => (422, "unusable"),
                _ => (400, "malformed"),
            };
            Refusal::new(status, code, error.to_string(), "/api/v1/openapi.json describes the request")
        })?;
        Ok(Self(value))
    }
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(value.split(';').next().unwrap_or(value).trim().to_ascii_lowercase())
}

/// The whole body of a request, unless it is too large.
pub async fn read_body(request: Request) -> Result<Bytes, Refusal> {
    // Only two things go wrong here: it is too large, or it broke off.
    axum::body::to_bytes(request.into_body(), BODY_BYTES_MAX).await.map_err(|error| {
        let limited = std::error::Error::source(&error).is_some_and(|cause| cause.to_string().contains("length limit"));
        match limited {
            true => Refusal::new(413, "too_large", format!("a body has at most {BODY_BYTES_MAX} bytes"), "send less"),
            false => Refusal::malformed("the body is incomplete", "send it again"),
        }
    })
}

/// A number up to the largest signed 64-bit integer, the limit of OpenAPI documents.
pub fn deserialize_whole_number<'de, D: Deserializer<'de>>(number: D) -> Result<u64, D::Error> {
    let number = u64::deserialize(number)?;
    let most = i64::MAX.unsigned_abs();
    let wrong = || D::Error::custom(format!("{number} is more than {most}"));
    (number <= most).then_some(number).ok_or_else(wrong)
}

/// The same for an optional number.
pub fn maybe_whole<'de, D: Deserializer<'de>>(number: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    struct Whole(#[serde(deserialize_with = "deserialize_whole_number")] u64);
    Ok(Option::<Whole>::deserialize(number)?.map(|Whole(number)| number))
}
