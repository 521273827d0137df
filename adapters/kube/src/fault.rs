//! What went wrong in a call of a Kubernetes API, before it is a control plane's or a cluster's error.
//!
//! # Invariant
//! The text of a fault about a Secret names fields and reasons only: the API server repeats values in its messages.

use std::error::Error as _;

use kube::core::Status;

/// Longest text of a server that is kept.
const MAX_TEXT: usize = 2_048;

/// Longest path of a field that is told of a Secret.
const MAX_FIELD: usize = 320;

/// Why a call failed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The server answered with an error.
    Answered(Box<Status>),
    /// The server's answer is not what was asked for.
    Undecodable(String),
    /// The server could not be reached, or broke off.
    Unreachable(String),
}

impl From<kube::Error> for Fault {
    fn from(error: kube::Error) -> Self {
        if let kube::Error::Api(status) = error {
            return Self::Answered(status);
        }
        let text = chain(&error);
        if matches!(error, kube::Error::SerdeError(_) | kube::Error::FromUtf8(_)) {
            Self::Undecodable(text)
        } else {
            Self::Unreachable(text)
        }
    }
}

/// The innermost cause of an error, which says what happened; the layers above it only say where.
fn chain(error: &kube::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    let mut text = cause.to_string();
    while let Some(source) = cause.source() {
        cause = source;
        text = cause.to_string();
    }
    // A lone `connection closed` and the like says too little without the layer above it.
    if text.len() < 24
        && let Some(source) = error.source()
    {
        text = format!("{source}: {text}");
    }
    shortened(&in_words(&text))
}

/// Faults of certificates that the TLS library prints as values of Rust.
fn in_words(text: &str) -> String {
    const WORDS: [(&str, &str); 2] = [
        (
            "Other(OtherError(CaUsedAsEndEntity))",
            "the server presents the certificate of a CA as its own",
        ),
        (
            "Other(OtherError(EndEntityUsedAsCa))",
            "the certificate that is trusted is no CA's",
        ),
    ];
    WORDS
        .iter()
        .fold(text.to_owned(), |text, (value, words)| text.replace(value, words))
}

/// The text of the server, without values when the object is a Secret: then its reason, and the fields it is about.
pub(crate) fn said(status: &Status, secret: bool) -> String {
    if !secret {
        return shortened(&status.message);
    }
    let causes = status.details.iter().flat_map(|details| &details.causes);
    let mut fields: Vec<&str> = causes
        .map(|cause| cause.field.as_str())
        .filter(|field| is_path(field))
        .collect();
    if fields.is_empty() {
        fields.extend(typed_patch_field(&status.message));
    }
    let reason = if status.reason.is_empty() {
        format!("status {}", status.code)
    } else {
        status.reason.clone()
    };
    let place = if fields.is_empty() {
        String::new()
    } else {
        format!(" at {}", fields.join(", "))
    };
    let told = shortened(&format!("{reason}{place}"));
    format!("{told}; the details are hidden because it is a Secret")
}

/// The field that an apply could not be merged at. The API server says it in prose only, followed by the value.
fn typed_patch_field(message: &str) -> Option<&str> {
    let (_, rest) = message
        .strip_prefix("failed to create typed patch object (")?
        .split_once("): ")?;
    let (field, _) = rest.split_once(": expected ")?;
    (field.starts_with('.') && is_path(field)).then_some(field)
}

/// Whether a text has the form of a field's path and can be nothing else.
fn is_path(text: &str) -> bool {
    let first = text
        .trim_start_matches('.')
        .split(['.', '['])
        .next()
        .unwrap_or_default();
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-/[]".contains(letter);
    matches!(
        first,
        "data" | "stringData" | "metadata" | "type" | "immutable" | "apiVersion" | "kind"
    ) && text.len() <= MAX_FIELD
        && text.chars().all(fits)
}

fn shortened(text: &str) -> String {
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let mut end = MAX_TEXT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use kube::core::response::{StatusCause, StatusDetails};

    use super::*;

    fn refusal() -> Status {
        let cause = StatusCause {
            reason: "FieldValueInvalid".to_owned(),
            message: "Invalid value: \"hunter2\"".to_owned(),
            field: "data.password".to_owned(),
        };
        Status::failure(
            "Secret \"a\" is invalid: data.password: Invalid value: \"hunter2\"",
            "Invalid",
        )
        .with_code(422)
        .with_details(StatusDetails {
            name: String::new(),
            group: String::new(),
            kind: String::new(),
            uid: String::new(),
            causes: vec![cause],
            retry_after_seconds: 0,
        })
    }

    #[test]
    fn a_fault_of_a_secret_names_the_field_and_not_the_value() {
        let check = |status: &Status, expect: &str| {
            let hidden = "; the details are hidden because it is a Secret";
            assert_eq!(said(status, true), format!("{expect}{hidden}"));
        };
        check(&refusal(), "Invalid at data.password");
        check(&Status::failure("hunter2", "BadRequest"), "BadRequest");
        let typed = |rest: &str| {
            let message = format!("failed to create typed patch object (a/b; /v1, Kind=Secret): {rest}");
            Status::failure(&message, "").with_code(500)
        };
        check(
            &typed(".data.a: expected string, got &{Value:hunter2}"),
            "status 500 at .data.a",
        );
        check(&typed("hunter2: expected string"), "status 500");
        check(&typed(".hunter2: expected string"), "status 500");
        check(&typed("errors:\n  .data.a: expected string, got hunter2"), "status 500");
        let mut odd = refusal();
        odd.details.as_mut().unwrap().causes[0].field = "hunter2 is wrong".to_owned();
        check(&odd, "Invalid");
        assert!(said(&refusal(), false).contains("data.password"));
    }

    #[test]
    fn a_fault_of_a_certificate_is_told_in_words() {
        let source = std::io::Error::other("invalid peer certificate: Other(OtherError(CaUsedAsEndEntity))");
        let Fault::Unreachable(text) = Fault::from(kube::Error::ReadEvents(source)) else {
            panic!("an I/O error is no answer");
        };
        assert_eq!(
            text,
            "invalid peer certificate: the server presents the certificate of a CA as its own"
        );
    }

    #[test]
    fn a_long_text_of_a_server_is_cut_between_characters() {
        let text = said(&Status::failure(&"é".repeat(5_000), "Invalid"), false);
        assert!(text.len() <= MAX_TEXT + 3 && text.ends_with('…'));
    }

    #[test]
    fn the_innermost_cause_is_what_is_told() {
        let error = kube::Error::ReadEvents(std::io::Error::other("the connection was closed by the peer"));
        let Fault::Unreachable(text) = Fault::from(error) else {
            panic!("an I/O error is no answer");
        };
        assert_eq!(text, "the connection was closed by the peer");
    }
}
