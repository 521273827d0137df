//! Answers.

use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_TYPE, HeaderValue, WARNING};
use http::{HeaderName, StatusCode};
use serde_json::Value;

use crate::status::ApiError;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A JSON answer.
pub(crate) fn json(code: u16, value: &Value) -> Response {
    typed(code, JSON, value.to_string())
}

/// An answer of another media type.
pub(crate) fn typed(code: u16, media_type: HeaderValue, text: impl Into<Body>) -> Response {
    let mut response = Response::new(text.into());
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}

/// Plain text.
pub(crate) fn text(code: u16, text: &str) -> Response {
    typed(
        code,
        HeaderValue::from_static("text/plain; charset=utf-8"),
        text.to_owned(),
    )
}

/// A refusal.
pub(crate) fn refusal(error: &ApiError) -> Response {
    let mut response = json(error.code, &error.to_status());
    if error.details.get("retryAfterSeconds").is_some() {
        response
            .headers_mut()
            .insert(HeaderName::from_static("retry-after"), HeaderValue::from_static("1"));
    }
    response
}

/// Adds warnings, which clients print.
pub(crate) fn warn(response: &mut Response, warnings: &[String]) {
    for warning in warnings {
        let quoted: String = warning
            .chars()
            .filter(|letter| !letter.is_control())
            .flat_map(|letter| {
                let escape = matches!(letter, '"' | '\\').then_some('\\');
                escape.into_iter().chain(std::iter::once(letter))
            })
            .collect();
        if let Ok(value) = HeaderValue::from_bytes(format!("299 - \"{quoted}\"").as_bytes()) {
            response.headers_mut().append(WARNING, value);
        }
    }
}
