//! Faults of the control plane's API as the port's errors.

use convoy_ports::ControlPlaneError;

use crate::convert::InvalidField;
use crate::fault::{Fault, said};

/// What a fault of a call about `object` means to the caller of the port.
pub(super) fn refused(object: &str, fault: impl Into<Fault>) -> ControlPlaneError {
    let object = object.to_owned();
    let status = match fault.into() {
        Fault::Unreachable(why) => return ControlPlaneError::Unavailable { object, why },
        Fault::Undecodable(why) => return ControlPlaneError::Invalid { object, why },
        Fault::Answered(status) => status,
    };
    let why = said(&status, object.starts_with("Secret "));
    match (status.code, status.reason.as_str()) {
        (404, _) => ControlPlaneError::NotFound { object },
        (409, _) => ControlPlaneError::Stale { object },
        (401 | 403, _) => ControlPlaneError::Forbidden { object, why },
        (422, _) => ControlPlaneError::Invalid { object, why },
        (408 | 429 | 500..=599, _) | (_, "Timeout" | "ServerTimeout" | "TooManyRequests") => {
            ControlPlaneError::Unavailable { object, why }
        }
        _ => ControlPlaneError::Other { object, why },
    }
}

/// An object that cannot be understood.
pub(super) fn invalid(object: &str, error: &InvalidField) -> ControlPlaneError {
    ControlPlaneError::Invalid {
        object: object.to_owned(),
        why: error.to_string(),
    }
}

/// Turns the answer that an object does not exist into success.
pub(super) fn gone_is_fine(result: Result<(), ControlPlaneError>) -> Result<(), ControlPlaneError> {
    match result {
        Err(ControlPlaneError::NotFound { .. }) => Ok(()),
        other => other,
    }
}

/// The `resourceVersion` of a written object.
pub(super) fn version_of<K: kube::Resource>(object: &str, written: &K) -> Result<String, ControlPlaneError> {
    written
        .meta()
        .resource_version
        .clone()
        .ok_or_else(|| ControlPlaneError::Other {
            object: object.to_owned(),
            why: "the server answered without a resourceVersion".to_owned(),
        })
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    #[test]
    fn each_answer_has_its_error() {
        let check = |code: u16, reason: &str, transient: bool, expect: fn(&ControlPlaneError) -> bool| {
            let status = Status::failure("said", reason).with_code(code);
            let error = refused("Release a/b", kube::Error::Api(Box::new(status)));
            assert!(expect(&error), "{code} {reason}: {error:?}");
            assert_eq!(error.is_transient(), transient, "{error:?}");
        };
        check(404, "NotFound", false, |e| {
            matches!(e, ControlPlaneError::NotFound { .. })
        });
        check(409, "Conflict", true, |e| matches!(e, ControlPlaneError::Stale { .. }));
        check(409, "AlreadyExists", true, |e| {
            matches!(e, ControlPlaneError::Stale { .. })
        });
        check(403, "Forbidden", false, |e| {
            matches!(e, ControlPlaneError::Forbidden { .. })
        });
        check(401, "Unauthorized", false, |e| {
            matches!(e, ControlPlaneError::Forbidden { .. })
        });
        check(422, "Invalid", false, |e| {
            matches!(e, ControlPlaneError::Invalid { .. })
        });
        check(429, "TooManyRequests", true, |e| {
            matches!(e, ControlPlaneError::Unavailable { .. })
        });
        check(500, "InternalError", true, |e| {
            matches!(e, ControlPlaneError::Unavailable { .. })
        });
        check(504, "Timeout", true, |e| {
            matches!(e, ControlPlaneError::Unavailable { .. })
        });
        check(400, "BadRequest", false, |e| {
            matches!(e, ControlPlaneError::Other { .. })
        });
    }
}
