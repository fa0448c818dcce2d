//! An id for each request: in its answer, and in every line of the log that it causes.

use agon_journal::uuid;
use axum::{
    extract::Request,
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use tracing::Instrument;

/// The header, of requests and answers.
const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id that a client can choose, in bytes.
const BYTES_MAX: usize = 64;

/// Gives a request its id: that of the client if it is plain, or a random one.
pub(crate) async fn with_id(request: Request, next: Next) -> Response {
    let chosen = request.headers().get(HEADER).filter(|id| is_plain(id)).cloned();
    let id = chosen.or_else(|| HeaderValue::from_str(&uuid::random_uuid().ok()?).ok());
    let Some(id) = id else { return next.run(request).await };
    let span = tracing::info_span!("request", id = id.to_str().unwrap_or_default());
    let mut response = next.run(request).instrument(span).await;
    response.headers_mut().insert(HEADER, id);
    response
}

fn is_plain(id: &HeaderValue) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    (1..=BYTES_MAX).contains(&id.len()) && id.as_bytes().iter().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_chooses_a_plain_id_only() {
        for (id, plain) in [("a-1_b.C", true), ("", false), ("a b", false), ("a\"b", false), ("é", false)] {
            assert_eq!(HeaderValue::from_bytes(id.as_bytes()).is_ok_and(|id| is_plain(&id)), plain, "{id}");
        }
        assert!(!is_plain(&HeaderValue::from_str(&"a".repeat(65)).unwrap()));
    }
}
