//! In which form a client wants an answer.

use http::HeaderMap;
use http::header::ACCEPT;

use crate::status::ApiError;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    Table,
    Partial,
    /// Discovery of all groups in one document.
    Aggregated,
}

/// The first form of the `Accept` header that can be served.
///
/// # Errors
/// 406 when there is none.
pub(crate) fn form(headers: &HeaderMap) -> Result<Form, ApiError> {
    let mut text = String::new();
    for value in headers.get_all(ACCEPT) {
        text.push(',');
        text.push_str(value.to_str().unwrap_or(""));
    }
    if text.trim_matches(',').trim().is_empty() {
        return Ok(Form::Plain);
    }
    text.split(',')
        .filter(|option| !option.trim().is_empty())
        .find_map(one)
        .ok_or_else(|| {
            ApiError::new(
                406,
                "NotAcceptable",
                "only the following media types are accepted: application/json, application/json;as=Table, \
             application/json;as=PartialObjectMetadata",
            )
        })
}

/// Whether a client wants the `OpenAPI` document of version 2 in the binary format; older ones write `v2@v1.0`.
pub(crate) fn wants_binary_openapi(headers: &HeaderMap) -> bool {
    const KINDS: [&str; 2] = [
        "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
        "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    ];
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or("");
    let first = accept.split([',', ';']).next().unwrap_or("").trim();
    KINDS.contains(&first)
}

fn one(option: &str) -> Option<Form> {
    let mut parts = option.split(';').map(str::trim);
    let media = parts.next().unwrap_or("");
    if !matches!(
        media,
        "application/json" | "*/*" | "application/*" | "application/json;stream=watch"
    ) {
        return None;
    }
    let (mut kind, mut group, mut version) = ("", "", "");
    for part in parts {
        match part.split_once('=') {
            Some(("as", value)) => kind = value,
            Some(("g", value)) => group = value,
            Some(("v", value)) => version = value,
            _ => {}
        }
    }
    match (kind, group, version) {
        ("", _, _) => Some(Form::Plain),
        ("Table", "meta.k8s.io", "v1") => Some(Form::Table),
        ("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", "v1") => Some(Form::Partial),
        ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2") => Some(Form::Aggregated),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_form_that_can_be_served_wins() {
        for (accept, expect) in [
            ("application/json", Some(Form::Plain)),
            ("", Some(Form::Plain)),
            (
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
                Some(Form::Table),
            ),
            (
                "application/vnd.kubernetes.protobuf,application/json",
                Some(Form::Plain),
            ),
            (
                "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json",
                Some(Form::Plain),
            ),
            (
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
                Some(Form::Partial),
            ),
            ("application/vnd.kubernetes.protobuf", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, accept.parse().unwrap());
            assert_eq!(form(&headers).ok(), expect, "{accept}");
        }
    }
}
