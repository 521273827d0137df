//! What went wrong in a call of a Kubernetes API, before it is a control plane's or a cluster's error.
//!
//! # Invariant
//! The text of a fault about a Secret names fields and reasons only: the API server repeats values in its messages.

use std::error::Error as _;

use kube::core::Status;

/// Longest text of a server that is kept.
const MAX_TEXT: usize = 2_048;

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
    shortened(&text)
}

/// The text of the server, without values when the object is a Secret.
pub(crate) fn said(status: &Status, secret: bool) -> String {
    if !secret {
        return shortened(&status.message);
    }
    let fields: Vec<&str> = status
        .details
        .iter()
        .flat_map(|details| &details.causes)
        .map(|cause| cause.field.as_str())
        .filter(|field| !field.is_empty())
        .collect();
    if fields.is_empty() {
        status.reason.clone()
    } else {
        shortened(&format!("{} at {}", status.reason, fields.join(", ")))
    }
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
        assert_eq!(said(&refusal(), true), "Invalid at data.password");
        assert_eq!(said(&Status::failure("hunter2", "BadRequest"), true), "BadRequest");
        assert!(said(&refusal(), false).contains("data.password"));
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
