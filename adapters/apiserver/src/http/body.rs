//! Bodies of requests.

use axum::body::{Body, to_bytes};
use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde_json::Value;

use super::protobuf;
use crate::json;
use crate::status::ApiError;
use crate::types::Type;

/// The largest body, as a Kubernetes API server has it.
pub(crate) const MAX_BYTES: usize = 3 << 20;

/// The media type of a request's body, without its parameters.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let text = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("");
    text.split(';').next().unwrap_or("").trim().to_ascii_lowercase()
}

/// The bytes of a body.
///
/// # Errors
/// 413 beyond the limit.
pub(crate) async fn read(body: Body) -> Result<Bytes, ApiError> {
    to_bytes(body, MAX_BYTES).await.map_err(|_| {
        ApiError::new(
            413,
            "RequestEntityTooLarge",
            format!("Request entity too large: limit is {MAX_BYTES}"),
        )
    })
}

/// The value of a body of this type and the fields that it has twice.
///
/// # Errors
/// 415 for formats that are not read, 400 for broken text.
pub(crate) fn decode(media_type: &str, bytes: &Bytes, ty: &Type) -> Result<(Value, Vec<String>), ApiError> {
    match media_type {
        "" | "application/json" => json::parse(bytes).map_err(|error| {
            ApiError::bad_request(format!(
                "the object provided is unrecognized (must be of type JSON): {error}"
            ))
        }),
        "application/yaml" | "application/x-yaml" | "text/yaml" => yaml(bytes),
        "application/vnd.kubernetes.protobuf" if !ty.is_any() && !matches!(ty, Type::Struct(_)) => {
            let parsed = protobuf::parse(bytes, ty).map(|value| (value, Vec::new()));
            parsed.map_err(|error| ApiError::bad_request(format!("the object provided is unrecognized: {error}")))
        }
        _ => Err(unsupported(&[
            "application/json",
            "application/yaml",
            "application/vnd.kubernetes.protobuf",
        ])),
    }
}

/// The value of a patch.
///
/// # Errors
/// As for [`decode`].
pub(crate) fn decode_patch(yaml_too: bool, bytes: &Bytes) -> Result<(Value, Vec<String>), ApiError> {
    match json::parse(bytes) {
        Ok(parsed) => Ok(parsed),
        Err(_) if yaml_too => yaml(bytes),
        Err(error) => Err(ApiError::bad_request(format!("error decoding patch: {error}"))),
    }
}

fn yaml(bytes: &Bytes) -> Result<(Value, Vec<String>), ApiError> {
    if let Ok(parsed) = json::parse(bytes) {
        return Ok(parsed);
    }
    crate::yaml::parse(bytes)
        .map(|value| (value, Vec::new()))
        .map_err(|error| ApiError::bad_request(format!("error decoding YAML: {error}")))
}

/// The refusal of a body's format.
pub(crate) fn unsupported(accepted: &[&str]) -> ApiError {
    let list = accepted.join(", ");
    ApiError::new(
        415,
        "UnsupportedMediaType",
        format!("the body of the request was in an unknown format - accepted media types include: {list}"),
    )
}
