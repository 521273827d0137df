//! Faults of a target cluster's API as the port's errors.

use convoy_domain::id::{Gvk, ObjectId};
use convoy_domain::object::Object;
use convoy_ports::ClusterError;
use kube::core::Status;

use crate::fault::{Fault, said};

/// What a call was about.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// Kind and name, as people read them.
    pub(super) text: String,
    /// Whether it is a Secret, whose values the server repeats in its errors.
    pub(super) secret: bool,
}

impl Subject {
    pub(super) fn named(id: &ObjectId) -> Self {
        Self {
            text: id.to_string(),
            secret: id.group.is_empty() && id.kind == "Secret",
        }
    }

    pub(super) fn of(object: &Object) -> Self {
        Self::named(&id_of(object))
    }

    pub(super) fn text(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            secret: false,
        }
    }
}

/// Who an object is.
pub(super) fn id_of(object: &Object) -> ObjectId {
    let gvk = object.gvk();
    ObjectId {
        group: gvk.group,
        kind: gvk.kind,
        namespace: object.namespace().to_owned(),
        name: object.name().to_owned(),
    }
}

/// What a fault means, whatever the call was.
pub(super) fn refused(subject: &Subject, fault: Fault) -> ClusterError {
    let object = subject.text.clone();
    let status = match fault {
        Fault::Unreachable(why) => return ClusterError::Unreachable { why },
        Fault::Undecodable(why) => return ClusterError::Busy { object, why },
        Fault::Answered(status) => status,
    };
    let why = said(&status, subject.secret);
    match status.code {
        409 if has_cause(&status, "FieldManagerConflict") => ClusterError::Conflict { object, why },
        409 => ClusterError::Stale { object },
        // The namespace goes away: in a moment it is gone, or back.
        403 if has_cause(&status, "NamespaceTerminating") => ClusterError::Busy { object, why },
        403 if status.message.contains("denied the request") => ClusterError::Refused { object, why },
        401 | 403 => ClusterError::Forbidden { object, why },
        422 if is_immutable(&status) => ClusterError::Immutable { object, why },
        // A field of another type than the schema's: the API server says so with 500 and no reason.
        500 if status.message.starts_with("failed to create typed patch object") => {
            ClusterError::Refused { object, why }
        }
        408 | 429 | 500..=599 => ClusterError::Busy { object, why },
        _ => ClusterError::Refused { object, why },
    }
}

/// What a fault of an apply means: there a 404 is never about the object itself.
pub(super) fn apply_refused(subject: &Subject, gvk: &Gvk, fault: Fault) -> ClusterError {
    if let Fault::Answered(status) = &fault
        && status.code == 404
    {
        return match missing_namespace(status) {
            Some(why) => ClusterError::NamespaceMissing {
                object: subject.text.clone(),
                why,
            },
            None => ClusterError::UnknownKind { kind: gvk.to_string() },
        };
    }
    refused(subject, fault)
}

/// The text of a 404 that is about the namespace.
pub(super) fn missing_namespace(status: &Status) -> Option<String> {
    let of_namespace = status
        .details
        .as_ref()
        .is_some_and(|details| details.kind == "namespaces" && details.group.is_empty());
    of_namespace.then(|| said(status, false))
}

fn has_cause(status: &Status, reason: &str) -> bool {
    status
        .details
        .iter()
        .flat_map(|details| &details.causes)
        .any(|cause| cause.reason == reason)
}

/// Whether a 422 says that a field cannot change. There is no reason for it in the API: each validation says it in
/// its own words.
fn is_immutable(status: &Status) -> bool {
    const WORDS: [&str; 4] = [
        "immutable",
        "may not change",
        "may not be changed",
        "updates to statefulset spec for fields other than",
    ];
    let causes = status.details.iter().flat_map(|details| &details.causes);
    causes
        .map(|cause| cause.message.as_str())
        .chain([status.message.as_str()])
        .map(str::to_lowercase)
        .any(|text| WORDS.iter().any(|word| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use kube::core::response::{StatusCause, StatusDetails};

    use super::*;

    fn status(code: u16, reason: &str, message: &str, kind: &str, cause: (&str, &str)) -> Fault {
        let cause = StatusCause {
            reason: cause.0.to_owned(),
            message: cause.1.to_owned(),
            field: ".spec.x".to_owned(),
        };
        let details = StatusDetails {
            name: String::new(),
            group: String::new(),
            kind: kind.to_owned(),
            uid: String::new(),
            causes: vec![cause],
            retry_after_seconds: 0,
        };
        let status = Status::failure(message, reason).with_code(code).with_details(details);
        Fault::Answered(Box::new(status))
    }

    fn gvk() -> Gvk {
        Gvk::from_api_version("apps/v1", "Deployment")
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of answers")]
    fn each_answer_to_an_apply_has_its_error() {
        let check = |fault: Fault, transient: bool, expect: fn(&ClusterError) -> bool| {
            let shown = format!("{fault:?}");
            let error = apply_refused(&Subject::text("Deployment.apps a/b"), &gvk(), fault);
            assert!(expect(&error), "{shown}: {error:?}");
            assert_eq!(error.is_transient(), transient, "{error:?}");
        };
        let none = ("", "");
        check(
            status(
                409,
                "Conflict",
                "Apply failed with 1 conflict",
                "",
                ("FieldManagerConflict", "conflict with \"x\""),
            ),
            false,
            |e| matches!(e, ClusterError::Conflict { .. }),
        );
        check(
            status(409, "Conflict", "the object has been modified", "", none),
            true,
            |e| matches!(e, ClusterError::Stale { .. }),
        );
        check(
            status(404, "NotFound", "namespaces \"a\" not found", "namespaces", none),
            false,
            |e| matches!(e, ClusterError::NamespaceMissing { .. }),
        );
        check(status(404, "", "404 page not found", "", none), false, |e| {
            matches!(e, ClusterError::UnknownKind { .. })
        });
        check(
            status(
                422,
                "Invalid",
                "is invalid",
                "",
                ("FieldValueInvalid", "Invalid value: {}: field is immutable"),
            ),
            false,
            |e| matches!(e, ClusterError::Immutable { .. }),
        );
        check(
            status(
                422,
                "Invalid",
                "x",
                "",
                (
                    "FieldValueForbidden",
                    "Forbidden: updates to statefulset spec for fields other than 'replicas'",
                ),
            ),
            false,
            |e| matches!(e, ClusterError::Immutable { .. }),
        );
        check(
            status(
                422,
                "Invalid",
                "is invalid",
                "",
                ("FieldValueRequired", "Required value"),
            ),
            false,
            |e| matches!(e, ClusterError::Refused { .. }),
        );
        check(
            status(
                403,
                "Forbidden",
                "unable to create",
                "",
                ("NamespaceTerminating", "namespace a is being terminated"),
            ),
            true,
            |e| matches!(e, ClusterError::Busy { .. }),
        );
        check(
            status(
                403,
                "Forbidden",
                "admission webhook \"w\" denied the request: no",
                "",
                none,
            ),
            false,
            |e| matches!(e, ClusterError::Refused { .. }),
        );
        check(
            status(403, "Forbidden", "User \"a\" cannot patch", "", none),
            false,
            |e| matches!(e, ClusterError::Forbidden { .. }),
        );
        check(status(400, "BadRequest", "cannot decode", "", none), false, |e| {
            matches!(e, ClusterError::Refused { .. })
        });
        check(
            status(
                500,
                "",
                "failed to create typed patch object (a/b; apps/v1, Kind=Deployment): .spec: wrong",
                "",
                none,
            ),
            false,
            |e| matches!(e, ClusterError::Refused { .. }),
        );
        check(status(500, "InternalError", "etcd is away", "", none), true, |e| {
            matches!(e, ClusterError::Busy { .. })
        });
        check(status(429, "TooManyRequests", "slow down", "", none), true, |e| {
            matches!(e, ClusterError::Busy { .. })
        });
        check(status(503, "ServiceUnavailable", "no", "", none), true, |e| {
            matches!(e, ClusterError::Busy { .. })
        });
        check(Fault::Unreachable("connection refused".to_owned()), true, |e| {
            matches!(e, ClusterError::Unreachable { .. })
        });
    }

    #[test]
    fn a_refused_secret_shows_no_value() {
        let id = ObjectId {
            group: String::new(),
            kind: "Secret".to_owned(),
            namespace: "a".to_owned(),
            name: "b".to_owned(),
        };
        let fault = status(
            422,
            "Invalid",
            "data: hunter2",
            "",
            ("FieldValueInvalid", "Invalid value: hunter2"),
        );
        let error = refused(&Subject::named(&id), fault);
        assert!(!format!("{error:?} {error}").contains("hunter2"), "{error:?}");
    }

    #[test]
    fn a_secret_of_a_wrong_type_says_why_its_details_are_missing() {
        let id = ObjectId {
            group: String::new(),
            kind: "Secret".to_owned(),
            namespace: "default".to_owned(),
            name: "x".to_owned(),
        };
        let text = "failed to create typed patch object (default/x; /v1, Kind=Secret): .data.pin: expected string, got &value.valueUnstructured{Value:12345}";
        let status = Status::failure(text, "").with_code(500);
        let error = refused(&Subject::named(&id), Fault::Answered(Box::new(status)));
        assert_eq!(
            error.to_string(),
            "the cluster refuses `Secret default/x`: status 500 at .data.pin; the details are hidden because it is a Secret"
        );
    }
}
