//! Where the charts come from that another chart needs: the sources of the Release's namespace, and nothing else.
//!
//! # Invariant
//! A chart's author chooses URLs; the owner of the namespace chooses where credentials go. Nothing is asked of a server
//! for which there is no source, and a source's credentials go where that source's would.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_helm::requirements;
pub use convoy_helm::requirements::Requirement;

use crate::artifact::Files;
use crate::content::{ContentError, below, on_one_line};
use crate::limits::Limits;
use crate::manifests::normalize;
use crate::source::{OciContent, Source, SourceKey, SourceKind, SourceRef};

/// Where a required chart is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a folder of the same tree, by its path from the root.
    Folder(String),
    /// In a source.
    Source(SourceKey, SourceRef),
}

/// Why a required chart has no place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DependencyError {
    /// There is no source for it.
    #[error("the chart needs `{name}` from `{repository}`, which is no {kinds} of namespace `{namespace}`")]
    NoSource {
        /// The required chart.
        name: String,
        /// Where its chart says that it is, without credentials.
        repository: String,
        /// Which kinds of source could hold it.
        kinds: &'static str,
        /// The Release's namespace.
        namespace: String,
    },
    /// Its folder is not in the tree.
    #[error("the chart needs `{name}` from `{repository}`, which is no folder of the source")]
    NoFolder {
        /// The required chart.
        name: String,
        /// The folder, as its chart says it.
        repository: String,
    },
}

/// Finds the place of a requirement of the chart in `folder` of a tree.
///
/// # Errors
/// [`DependencyError`] when it is in none of `sources`, which are those of `namespace`.
pub fn place(
    requirement: &Requirement,
    folder: &str,
    sources: &[Source],
    namespace: &str,
) -> Result<Place, DependencyError> {
    let repository = requirement.repository.trim();
    if let Some(path) = repository.strip_prefix("file://") {
        return in_tree(requirement, folder, path);
    }
    let name = repository
        .strip_prefix('@')
        .or_else(|| repository.strip_prefix("alias:"));
    let found = match name {
        Some(name) => sources
            .iter()
            .filter(|source| source.key.id.name() == name)
            .find_map(|source| of_source(requirement, source, "")),
        None => sources.iter().find_map(|source| {
            let rest = rest_of(&source.url, repository)?;
            of_source(requirement, source, &rest)
        }),
    };
    found.ok_or_else(|| DependencyError::NoSource {
        name: requirement.name.clone(),
        repository: without_user(repository),
        kinds: if repository.starts_with("oci://") {
            SourceKind::Oci.kind()
        } else {
            SourceKind::Helm.kind()
        },
        namespace: namespace.to_string(),
    })
}

fn in_tree(requirement: &Requirement, folder: &str, path: &str) -> Result<Place, DependencyError> {
    let joined = match (folder, path.starts_with('/')) {
        ("", false) => path.to_string(),
        (_, false) => format!("{folder}/{path}"),
        // A path of somebody's machine.
        (_, true) => String::from(".."),
    };
    normalize(&joined)
        .map(Place::Folder)
        .ok_or_else(|| DependencyError::NoFolder {
            name: requirement.name.clone(),
            repository: requirement.repository.clone(),
        })
}

/// The chart in a source, `rest` below its URL.
fn of_source(requirement: &Requirement, source: &Source, rest: &str) -> Option<Place> {
    let version = match requirement.version.as_str() {
        "" => "*".to_string(),
        version => version.to_string(),
    };
    let wanted = match source.key.kind {
        SourceKind::Helm if rest.is_empty() => SourceRef::Helm {
            chart: requirement.name.clone(),
            version,
        },
        SourceKind::Helm | SourceKind::Git => return None,
        SourceKind::Oci => SourceRef::Oci {
            chart: match rest {
                "" => requirement.name.clone(),
                rest => format!("{rest}/{}", requirement.name),
            },
            version,
            content: OciContent::Chart,
        },
    };
    Some(Place::Source(source.key.clone(), wanted))
}

/// What follows a source's URL in a repository's; nothing when the repository is elsewhere. Scheme and host have no
/// case, and a default port is none.
fn rest_of(source: &str, repository: &str) -> Option<String> {
    let ((source_at, source_path), (at, path)) = (parts(source)?, parts(repository)?);
    if source_at != at {
        return None;
    }
    let rest = path.strip_prefix(source_path)?;
    let ends_here = rest.is_empty() || source_path.is_empty() || rest.starts_with('/');
    ends_here.then(|| rest.trim_matches('/').to_string())
}

/// Scheme and host, and the path without slashes around it. A URL with a user, a query or a fragment has none: it is
/// never taken for another.
fn parts(url: &str) -> Option<(String, &str)> {
    let (scheme, rest) = url.trim().split_once("://")?;
    if rest.contains(['@', '?', '#']) {
        return None;
    }
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (scheme, host) = (scheme.to_ascii_lowercase(), host.to_ascii_lowercase());
    let host = match scheme.as_str() {
        "https" | "oci" => host.strip_suffix(":443").unwrap_or(&host),
        "http" => host.strip_suffix(":80").unwrap_or(&host),
        _ => &host,
    };
    Some((format!("{scheme}://{host}"), path.trim_matches('/')))
}

fn without_user(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
            let place = place.split(['?', '#']).next().unwrap_or_default();
            format!("{scheme}://{place}")
        }
        None => url.to_string(),
    }
}

/// What the chart in `folder` of a tree needs and does not bring.
///
/// # Errors
/// When it does not say so in a way that can be read.
pub fn needed(files: &Files, folder: &str) -> Result<Vec<Requirement>, ContentError> {
    let tree = below(files, &normalize(folder).unwrap_or_default());
    requirements::requirements(&tree).map_err(|error| unreadable(folder, &error))
}

/// The files of a folder of a tree, by their paths below it.
///
/// # Errors
/// [`DependencyError::NoFolder`] when it has none.
pub fn folder(files: &Files, path: &str, requirement: &Requirement) -> Result<Files, DependencyError> {
    let found = below(files, path);
    if found.is_empty() {
        return Err(DependencyError::NoFolder {
            name: requirement.name.clone(),
            repository: requirement.repository.clone(),
        });
    }
    Ok(found)
}

/// The tree with all these charts beside the one in `folder`.
///
/// # Errors
/// When one of them is no chart, or another than is needed; or when the tree passes a limit with them.
pub fn supply(
    files: &Files,
    folder: &str,
    charts: &[(Requirement, Files)],
    limits: &Limits,
) -> Result<Files, ContentError> {
    let path = normalize(folder).unwrap_or_default();
    let mut tree = below(files, &path);
    for (requirement, chart) in charts {
        let supplied = requirements::supply(&mut tree, requirement, chart, &limits.of_archives());
        supplied.map_err(|error| unreadable(folder, &error))?;
    }
    let prefix = if path.is_empty() { path } else { format!("{path}/") };
    let mut whole: Files = files
        .iter()
        .filter(|(name, _)| !name.starts_with(&prefix))
        .map(|(name, content)| (name.clone(), Arc::clone(content)))
        .collect();
    whole.extend(
        tree.into_iter()
            .map(|(name, content)| (format!("{prefix}{name}"), content)),
    );
    within(&whole, limits)?;
    Ok(whole)
}

fn within(files: &Files, limits: &Limits) -> Result<(), ContentError> {
    let passed = |limit: String| {
        Err(ContentError::Chart {
            place: "the chart with all that it needs".to_string(),
            why: format!("it passes the limit of {limit}"),
            limit: true,
        })
    };
    let bytes: u64 = files.values().map(|content| content.len() as u64).sum();
    if files.len() > limits.files {
        return passed(format!("{} files in a source", limits.files));
    }
    if bytes > limits.source_bytes {
        return passed(format!("{} bytes of a source", limits.source_bytes));
    }
    Ok(())
}

fn unreadable(folder: &str, error: &convoy_helm::Error) -> ContentError {
    ContentError::Chart {
        place: crate::content::place("chart", folder),
        why: on_one_line(&error.to_string()),
        limit: error.is_limit(),
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;
    use crate::access::Access;
    use crate::credentials::SecretRefs;
    use crate::id::NamespacedName;
    use crate::source::Tls;

    fn source(kind: SourceKind, name: &str, url: &str) -> Source {
        Source {
            key: SourceKey {
                kind,
                id: NamespacedName::new("team", name).unwrap(),
            },
            uid: String::new(),
            generation: 1,
            resource_version: String::new(),
            url: url.into(),
            interval: Duration::ZERO,
            min_sync_interval: Duration::ZERO,
            timeout: Duration::ZERO,
            tls: Tls::default(),
            secrets: SecretRefs::default(),
            access: Access::default(),
            fetch_requested: None,
            unsupported: alloc::vec![],
            ignored: alloc::vec![],
            status: None,
        }
    }

    fn at(repository: &str) -> Requirement {
        Requirement {
            name: "redis".into(),
            version: "^1".into(),
            repository: repository.into(),
        }
    }

    /// Where a chart in `charts/app` finds `redis`.
    fn found(repository: &str) -> String {
        let sources = [
            source(SourceKind::Git, "git", "https://charts.example/git"),
            source(SourceKind::Helm, "stable", "https://Charts.example/stable/"),
            source(SourceKind::Helm, "port", "http://charts.example:8080"),
            source(SourceKind::Oci, "registry", "oci://registry.example/team"),
            source(SourceKind::Oci, "whole", "oci://whole.example:443"),
        ];
        match place(&at(repository), "charts/app", &sources, "team") {
            Ok(Place::Folder(path)) => format!("folder {path}"),
            Ok(Place::Source(key, SourceRef::Oci { chart, version, .. } | SourceRef::Helm { chart, version })) => {
                format!("{} {chart} {version}", key.id.name())
            }
            Ok(Place::Source(_, SourceRef::Git(_))) => unreachable!("no chart is asked of git"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_required_chart_is_in_a_source_of_its_url_or_name() {
        for (repository, expect) in [
            ("https://charts.example/stable", "stable redis ^1"),
            ("https://charts.example:443/stable/", "stable redis ^1"),
            ("http://CHARTS.example:8080/", "port redis ^1"),
            ("@stable", "stable redis ^1"),
            ("alias:stable", "stable redis ^1"),
            ("@registry", "registry redis ^1"),
            ("oci://registry.example/team", "registry redis ^1"),
            ("oci://registry.example/team/charts", "registry charts/redis ^1"),
            ("oci://whole.example/a/b", "whole a/b/redis ^1"),
        ] {
            assert_eq!(found(repository), expect, "{repository}");
        }
    }

    #[test]
    fn any_other_place_is_refused_and_named_without_credentials() {
        for repository in [
            "https://charts.example/STABLE",
            "https://charts.example/stable2",
            "https://charts.example/stable/deeper",
            "http://charts.example/stable",
            "https://charts.example:8443/stable",
            "https://charts.example.evil/stable",
            "https://charts.example@evil/stable",
            "https://evil/https://charts.example/stable",
            "http://charts.example:8080@evil",
            "https://charts.example/git",
            "oci://registry.example/teams",
            "oci://registry.example",
            "@git",
            "@absent",
            "stable",
        ] {
            let why = found(repository);
            assert!(why.contains("which is no "), "{repository}: {why}");
        }
        assert_eq!(
            found("https://user:secret@elsewhere.example/a?token=secret"),
            "the chart needs `redis` from `https://elsewhere.example/a`, which is no HelmRegistry of namespace `team`"
        );
    }

    #[test]
    fn folders_stay_in_the_tree() {
        assert_eq!(found("file://../redis"), "folder charts/redis");
        assert_eq!(found("file://sub"), "folder charts/app/sub");
        assert_eq!(found("file://../../lib"), "folder lib");
        for outside in ["file://../../../lib", "file:///etc", "file://a/../../../../x"] {
            assert!(found(outside).contains("which is no folder of the source"), "{outside}");
        }
    }
}
