//! Requests that the mock rejects before it generates anything.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::{MockFault, shape::Shape};

/// The answer to a request that `fault` turns away; `None` where the fault lies in the reply.
/// `key` is quoted as careless providers do.
pub fn build_refusal(shape: &impl Shape, fault: &MockFault, key: Option<&str>) -> Option<Response> {
    let error =
        |status: StatusCode, kind: &str, message: &str| (status, Json(shape.error_body(kind, message))).into_response();
    Some(match fault {
        MockFault::Status(status, after) => {
            let mut response = error(*status, "mock_error", &format!("the mock answers {status} on request"));
            if let Some(after) = after.as_deref().and_then(|after| HeaderValue::from_str(after).ok()) {
                response.headers_mut().insert(header::RETRY_AFTER, after);
            }
            response
        }
        MockFault::Says(status, message) => error(*status, "mock_error", message),
        MockFault::Quota => error(
            StatusCode::TOO_MANY_REQUESTS,
            "insufficient_quota",
            "You exceeded your current quota, please check your plan and billing details.",
        ),
        MockFault::Unauthorized => error(
            StatusCode::UNAUTHORIZED,
            "authentication_error",
            &format!("Incorrect API key provided: {}.", key.unwrap_or("none")),
        ),
        MockFault::Html => (
            StatusCode::BAD_GATEWAY,
            [(header::CONTENT_TYPE, "text/html")],
            "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>",
        )
            .into_response(),
        MockFault::Page => (
            [(header::CONTENT_TYPE, "text/html")],
            "<html><head><title>Sign in</title></head>\n\n<body><p>Welcome to our network.</p></body></html>",
        )
            .into_response(),
        MockFault::Redirect(to) => (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to.as_str())]).into_response(),
        MockFault::HugeError => (StatusCode::INTERNAL_SERVER_ERROR, "x".repeat(10_000_000)).into_response(),
        MockFault::RefusesSchema => {
            let fields = "'response_format' of type 'json_schema', output_config.format, responseJsonSchema or format";
            error(StatusCode::BAD_REQUEST, "invalid_request_error", &format!("{fields} is not supported."))
        }
        MockFault::RefusesField(field) => {
            let hint = if field == "max_tokens" { " Use 'max_completion_tokens' instead." } else { "" };
            let message = format!("Unsupported parameter: '{field}' is not supported with this model.{hint}");
            (StatusCode::BAD_REQUEST, Json(json!({"error": {"message": message, "param": field}}))).into_response()
        }
        _ => return None,
    })
}
