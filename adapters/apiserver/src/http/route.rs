//! What a path names.

use crate::status::ApiError;

/// A path, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    Version,
    Health,
    Root,
    CoreVersions,
    Groups,
    Group(String),
    Resources { group: String, version: String },
    OpenApiV2,
    OpenApiV3,
    OpenApiV3Of { group: String, version: String },
    Objects(Path),
    Unknown,
}

/// A path to objects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Path {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) namespace: String,
    pub(crate) plural: String,
    pub(crate) name: String,
    pub(crate) subresource: String,
}

/// A longer path is refused.
const MAX_PATH_BYTES: usize = 8_192;

/// Takes a path apart.
///
/// # Errors
/// 400 when it is too long or its escapes cannot be read.
pub(crate) fn route(path: &str) -> Result<Route, ApiError> {
    if path.len() > MAX_PATH_BYTES {
        return Err(ApiError::bad_request(format!(
            "the path is longer than {MAX_PATH_BYTES} bytes"
        )));
    }
    let steps = path.split('/').filter(|step| !step.is_empty()).map(unescape);
    let steps = steps
        .collect::<Option<Vec<String>>>()
        .ok_or_else(|| ApiError::bad_request("the path has a bad escape"))?;
    let words: Vec<&str> = steps.iter().map(String::as_str).collect();
    Ok(match words.as_slice() {
        [] => Route::Root,
        ["version"] => Route::Version,
        ["healthz" | "livez" | "readyz", ..] => Route::Health,
        ["api"] => Route::CoreVersions,
        ["apis"] => Route::Groups,
        ["apis", group] => Route::Group((*group).to_owned()),
        ["api", version] => Route::Resources {
            group: String::new(),
            version: (*version).to_owned(),
        },
        ["apis", group, version] => Route::Resources {
            group: (*group).to_owned(),
            version: (*version).to_owned(),
        },
        ["openapi", "v2"] => Route::OpenApiV2,
        ["openapi", "v3"] => Route::OpenApiV3,
        ["openapi", "v3", "api", version] => Route::OpenApiV3Of {
            group: String::new(),
            version: (*version).to_owned(),
        },
        ["openapi", "v3", "apis", group, version] => Route::OpenApiV3Of {
            group: (*group).to_owned(),
            version: (*version).to_owned(),
        },
        ["api", version, rest @ ..] => objects("", version, rest),
        ["apis", group, version, rest @ ..] => objects(group, version, rest),
        _ => Route::Unknown,
    })
}

fn objects(group: &str, version: &str, rest: &[&str]) -> Route {
    let mut path = Path {
        group: group.to_owned(),
        version: version.to_owned(),
        ..Path::default()
    };
    let rest = match rest {
        // Subresources of a namespace look like resources in it.
        ["namespaces", _, "status" | "finalize"] => rest,
        ["namespaces", namespace, plural, after @ ..] => {
            (*namespace).clone_into(&mut path.namespace);
            (*plural).clone_into(&mut path.plural);
            return finish(path, after);
        }
        _ => rest,
    };
    let Some((plural, after)) = rest.split_first() else {
        return Route::Unknown;
    };
    (*plural).clone_into(&mut path.plural);
    finish(path, after)
}

fn finish(mut path: Path, after: &[&str]) -> Route {
    match after {
        [] => {}
        [name] => (*name).clone_into(&mut path.name),
        [name, subresource, ..] => {
            (*name).clone_into(&mut path.name);
            (*subresource).clone_into(&mut path.subresource);
        }
    }
    Route::Objects(path)
}

fn unescape(step: &str) -> Option<String> {
    if !step.contains('%') {
        return Some(step.to_owned());
    }
    let mut out = Vec::with_capacity(step.len());
    let mut bytes = step.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let value = digit(bytes.next())? * 16 + digit(bytes.next())?;
            out.push(u8::try_from(value).ok()?);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects_of(path: &str) -> (String, String, String, String, String) {
        let Ok(Route::Objects(path)) = route(path) else {
            panic!("{path} names no objects")
        };
        (path.group, path.namespace, path.plural, path.name, path.subresource)
    }

    #[test]
    fn paths_are_taken_apart() {
        for (path, expect) in [
            ("/api/v1/pods", ["", "", "pods", "", ""]),
            ("/api/v1/namespaces/a/pods/b/status", ["", "a", "pods", "b", "status"]),
            ("/api/v1/namespaces/a", ["", "", "namespaces", "a", ""]),
            ("/api/v1/namespaces/a/status", ["", "", "namespaces", "a", "status"]),
            ("/api/v1/namespaces/a/finalize", ["", "", "namespaces", "a", "finalize"]),
            (
                "/apis/apps/v1/namespaces/a/deployments/b/scale",
                ["apps", "a", "deployments", "b", "scale"],
            ),
            (
                "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa",
                ["rbac.authorization.k8s.io", "", "clusterroles", "system:a", ""],
            ),
        ] {
            let (group, namespace, plural, name, sub) = objects_of(path);
            assert_eq!([group, namespace, plural, name, sub], expect, "{path}");
        }
        assert!(route("/api/v1/pods/%zz").is_err());
        assert_eq!(route("/nothing").unwrap(), Route::Unknown);
    }
}
