//! Whether a Release can be reconciled at all.
//!
//! Everything here is also in the CRD's schema where Kubernetes can check it; a CRD may be old, so that it is checked
//! again. What is wrong comes before what is not built: a Release is told first what it must mend.
//!
//! # Invariant
//! Nothing that this version does not do is passed over in silence: it is refused with `Unsupported`, or named by
//! [`warnings`].

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::compat::Compat;
use crate::condition::{Failure, Reason, Stage};
use crate::id::{check_label, check_subdomain};
use crate::mutation::Matcher;
use crate::release::{Content, DependencyMode, Helm, MutationAction, Release, ValuesLayer};
use crate::source::{GitRef, SourceKind, SourceRef};

/// Checks a Release, by the rules of `compat`.
///
/// # Errors
/// A [`Failure`] of the stage `validate`: `InvalidSpec` with every broken rule, `Unsupported` with every field that is
/// not built, or `DependencyCycle` when it depends on itself.
pub fn validate(release: &Release, compat: Compat) -> Result<(), Failure> {
    let mut broken = Vec::new();
    check_source(release, &mut broken);
    check_content(release, compat, &mut broken);
    check_names(release, &mut broken);
    check_policy(release, &mut broken);
    check_mutations(release, &mut broken);
    if !broken.is_empty() {
        return Err(Failure::new(Stage::Validate, Reason::InvalidSpec, broken.join("; ")));
    }
    if release.spec.depends_on.contains(&release.id) {
        let message = format!("`spec.dependsOn` names `{}` itself", release.id);
        return Err(Failure::new(Stage::Validate, Reason::DependencyCycle, message));
    }
    let missing = unsupported(release, compat);
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("not supported by this version: {}", missing.join(", "));
    Err(Failure::new(Stage::Validate, Reason::Unsupported, message))
}

/// What is passed over, for `status.warnings`.
#[must_use]
pub fn warnings(release: &Release) -> Vec<String> {
    let mut warnings: Vec<String> = release
        .spec
        .ignored
        .iter()
        .map(|path| format!("`{path}` is set, but has no effect in this version"))
        .collect();
    if let Content::Manifests(manifests) = &release.spec.content
        && manifests.target_namespace.is_some()
    {
        warnings.push("`spec.content.manifests.targetNamespace` does not change the rendered objects".into());
    }
    warnings
}

fn check_source(release: &Release, broken: &mut Vec<String>) {
    let source = &release.spec.source;
    if source.id.namespace() != release.id.namespace() {
        broken.push(format!(
            "`spec.source` names namespace `{}`, which is not the Release's",
            source.id.namespace()
        ));
    }
    match (source.kind, &release.spec.source_ref) {
        (SourceKind::Git, SourceRef::Git(wanted)) => {
            if let Err(why) = check_git_ref(wanted) {
                broken.push(format!("`spec.source.gitRepository.ref` is invalid: {why}"));
            }
        }
        (SourceKind::Helm, SourceRef::Helm { chart, version })
        | (SourceKind::Oci, SourceRef::Oci { chart, version, .. }) => {
            for (field, text) in [("chart", chart), ("version", version)] {
                if text.trim().is_empty() {
                    broken.push(format!("`spec.source` of kind {} has no `{field}`", source.kind.kind()));
                }
            }
        }
        (kind, SourceRef::Git(_) | SourceRef::Helm { .. } | SourceRef::Oci { .. }) => {
            broken.push(format!(
                "`spec.source` selects {} by a ref of another kind",
                kind.kind()
            ));
        }
    }
}

/// The rules of git for names of refs, as far as they keep a name from being something else to a server or a tool.
fn check_git_ref(wanted: &GitRef) -> Result<(), String> {
    match wanted {
        GitRef::Branch(name) => check_ref_name("branch", name),
        GitRef::Tag(name) => check_ref_name("tag", name),
        GitRef::Commit(sha) => {
            let hex = sha.bytes().all(|byte| byte.is_ascii_hexdigit());
            if hex && matches!(sha.len(), 40 | 64) {
                Ok(())
            } else {
                Err(format!("commit `{}` is not 40 or 64 hex digits", cut(sha)))
            }
        }
        GitRef::Semver(constraint) if constraint.trim().is_empty() => Err("the semver constraint is empty".into()),
        GitRef::Head | GitRef::Semver(_) => Ok(()),
    }
}

fn check_ref_name(what: &str, name: &str) -> Result<(), String> {
    let refuse = |why: &str| Err(format!("{what} `{}` {why}", cut(name)));
    if name.is_empty() || name.len() > 255 {
        return refuse("must have 1 to 255 characters");
    }
    if name.starts_with(['-', '/']) || name.ends_with(['/', '.']) {
        return refuse("must not start with `-` or `/`, or end with `/` or `.`");
    }
    if name
        .chars()
        .any(|c| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c))
    {
        return refuse("must not hold white space, control characters or any of `~^:?*[\\`");
    }
    if ["..", "//", "@{"].iter().any(|pair| name.contains(pair)) || name == "@" {
        return refuse("must not hold `..`, `//` or `@{`");
    }
    if name
        .split('/')
        .any(|part| part.starts_with('.') || part.strip_suffix(".lock").is_some())
    {
        return refuse("must not have a part that starts with `.` or ends with `.lock`");
    }
    Ok(())
}

fn check_content(release: &Release, compat: Compat, broken: &mut Vec<String>) {
    let kind = release.spec.source.kind;
    let content = &release.spec.content;
    // What an artifact of an OCI registry holds is known when it is fetched.
    if kind == SourceKind::Helm && !matches!(content, Content::Helm(_)) && !compat.is_v0_9() {
        broken.push(format!(
            "content `{}` cannot be made from a {}: it gives Helm charts",
            content.type_name(),
            kind.kind()
        ));
    }
    match content {
        Content::Helm(helm) => {
            if kind != SourceKind::Git && !helm.path.is_empty() {
                broken.push(format!(
                    "`spec.content.helm.path` is set, but a chart of a {} is at the root",
                    kind.kind()
                ));
            }
            check_helm(helm, broken);
        }
        Content::Kustomize(kustomize) => {
            check_path("kustomize.path", &kustomize.path, broken);
            check_namespace(
                "kustomize.targetNamespace",
                kustomize.target_namespace.as_deref(),
                broken,
            );
        }
        Content::Manifests(manifests) => {
            if manifests.paths.is_empty() {
                broken.push("`spec.content.manifests.paths` is empty".into());
            }
            for (index, path) in manifests.paths.iter().enumerate() {
                if path.is_empty() {
                    broken.push(format!("`spec.content.manifests.paths[{index}]` is empty"));
                }
                check_path(&format!("manifests.paths[{index}]"), path, broken);
            }
            check_namespace(
                "manifests.targetNamespace",
                manifests.target_namespace.as_deref(),
                broken,
            );
        }
    }
}

/// The longest name of a release that Helm takes.
const RELEASE_NAME: usize = 53;

fn check_helm(helm: &Helm, broken: &mut Vec<String>) {
    check_path("helm.path", &helm.path, broken);
    check_namespace("helm.releaseNamespace", helm.release_namespace.as_deref(), broken);
    for (index, layer) in helm.values.iter().enumerate() {
        check_layer(&format!("helm.values[{index}]"), layer, broken);
    }
    let Some(name) = &helm.release_name else {
        return;
    };
    if let Err(error) = check_subdomain("release name", name) {
        broken.push(format!("`spec.content.helm.releaseName`: {error}"));
    } else if name.len() > RELEASE_NAME {
        broken.push(format!(
            "`spec.content.helm.releaseName` has more than {RELEASE_NAME} characters"
        ));
    }
}

fn check_layer(field: &str, layer: &ValuesLayer, broken: &mut Vec<String>) {
    let name = match layer {
        ValuesLayer::Inline(_) | ValuesLayer::Read(_) => return,
        ValuesLayer::ConfigMap(at) | ValuesLayer::Secret(at) => {
            if at.key.is_empty() {
                broken.push(format!("`spec.content.{field}` has no `key`"));
            }
            &at.name
        }
        ValuesLayer::GitRepository(file) => {
            if file.path.is_empty() {
                broken.push(format!("`spec.content.{field}` has no `path`"));
            }
            check_path(&format!("{field}.gitRepository.path"), &file.path, broken);
            if let Err(why) = check_git_ref(&file.reference) {
                broken.push(format!("`spec.content.{field}.gitRepository.ref` is invalid: {why}"));
            }
            &file.repository
        }
    };
    if let Err(error) = check_subdomain("name", name) {
        broken.push(format!("`spec.content.{field}`: {error}"));
    }
}

fn check_namespace(field: &str, namespace: Option<&str>, broken: &mut Vec<String>) {
    if let Some(Err(error)) = namespace.map(|namespace| check_label("namespace", namespace)) {
        broken.push(format!("`spec.content.{field}`: {error}"));
    }
}

/// Whether a path stays inside the source; the empty path is the root.
fn check_path(field: &str, path: &str, broken: &mut Vec<String>) {
    let mut depth = 0_i32;
    let leaves = path.split('/').any(|part| {
        depth += match part {
            "" | "." => 0,
            ".." => -1,
            _ => 1,
        };
        depth < 0
    });
    if path.starts_with('/') || leaves || path.contains('\0') {
        broken.push(format!(
            "`spec.content.{field}` leads out of the source: `{}`",
            cut(path)
        ));
    }
}

fn check_names(release: &Release, broken: &mut Vec<String>) {
    if let Err(error) = check_subdomain("Cluster name", &release.spec.cluster) {
        broken.push(format!("`spec.clusterRef`: {error}"));
    }
    let account = release.spec.service_account.as_deref();
    if let Some(Err(error)) = account.map(|name| check_subdomain("service account", name)) {
        broken.push(format!("`spec.serviceAccountName`: {error}"));
    }
}

fn check_policy(release: &Release, broken: &mut Vec<String>) {
    let Some(backoff) = &release.spec.sync.retry else {
        return;
    };
    if backoff.factor == 0 {
        broken.push("`spec.syncPolicy.retryBackoff.factor` is 0".into());
    }
    if backoff.max < backoff.base {
        broken.push("`spec.syncPolicy.retryBackoff.max` is shorter than its `base`".into());
    }
}

fn check_mutations(release: &Release, broken: &mut Vec<String>) {
    for (index, mutation) in release.mutations.iter().enumerate() {
        if let Err(error) = Matcher::new(&mutation.target) {
            broken.push(format!("`mutations[{index}].target`: {error}"));
        }
    }
}

impl Content {
    /// `spec.content.type`.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Helm(_) => "helm",
            Self::Kustomize(_) => "kustomize",
            Self::Manifests(_) => "manifests",
        }
    }
}

/// Every part of the Release that is not built yet and may not be passed over.
fn unsupported(release: &Release, compat: Compat) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    match &release.spec.content {
        Content::Manifests(_) | Content::Kustomize(_) => {}
        Content::Helm(helm) => unsupported_of_helm(helm, compat, &mut found),
    }
    found.extend(release.spec.unsupported.iter().map(|path| format!("`{path}`")));
    for (index, mutation) in release.mutations.iter().enumerate() {
        match &mutation.action {
            MutationAction::SyncWave { .. } => {}
            MutationAction::Unsupported { kind, .. } => {
                found.push(format!("`mutations[{index}]` of type `{}`", cut(kind)));
            }
        }
    }
    found
}

fn unsupported_of_helm(helm: &Helm, compat: Compat, found: &mut Vec<String>) {
    match helm.dependencies {
        DependencyMode::Resolve if compat.is_v0_9() => {
            found.push("`spec.content.helm.dependencyMode` of `resolve`".into());
        }
        DependencyMode::Vendored | DependencyMode::Resolve => {}
    }
}

/// A text for an error, at most 80 characters of it.
fn cut(text: &str) -> String {
    if text.chars().count() <= 80 {
        return text.to_string();
    }
    let mut short: String = text.chars().take(79).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use convoy_value::{Map, Value};
    use jiff::Timestamp;

    use super::*;
    use crate::id::NamespacedName;
    use crate::release::{
        DeletionPolicy, Gate, Kustomize, Manifests, Mutation, PrunePolicy, ReleaseAnnotations, ReleaseSpec,
        RollbackPolicy, SyncPolicy, Target, ValuesFile, ValuesKey,
    };
    use crate::retry::Backoff;
    use crate::source::{OciContent, SourceKey};
    use crate::status::ReleaseStatus;

    fn id(namespace: &str, name: &str) -> NamespacedName {
        NamespacedName::new(namespace, name).unwrap()
    }

    fn release() -> Release {
        Release {
            id: id("apps", "web"),
            uid: "u".into(),
            generation: 1,
            resource_version: "1".into(),
            created: Timestamp::UNIX_EPOCH,
            deleted: None,
            has_finalizer: false,
            annotations: ReleaseAnnotations::default(),
            pin: None,
            mutations: Vec::new(),
            spec: ReleaseSpec {
                suspend: false,
                cluster: "dev".into(),
                source: SourceKey {
                    kind: SourceKind::Git,
                    id: id("apps", "repo"),
                },
                source_ref: SourceRef::Git(GitRef::Head),
                content: manifests(&["."]),
                sync: SyncPolicy {
                    automatic: true,
                    interval: Duration::from_mins(1),
                    timeout: Duration::from_mins(5),
                    prune: PrunePolicy::default(),
                    correct_drift: true,
                    retry: None,
                    force: false,
                },
                health_deadline: Duration::from_mins(5),
                rollback: RollbackPolicy::Never,
                keep_history: None,
                deletion: DeletionPolicy::Delete,
                depends_on: Vec::new(),
                service_account: None,
                unsupported: Vec::new(),
                ignored: Vec::new(),
            },
            status: ReleaseStatus::default(),
        }
    }

    fn chart(path: &str) -> Content {
        Content::Helm(Helm {
            path: path.into(),
            ..Helm::default()
        })
    }

    fn manifests(paths: &[&str]) -> Content {
        Content::Manifests(Manifests {
            paths: paths.iter().map(ToString::to_string).collect(),
            target_namespace: None,
        })
    }

    fn check(change: impl FnOnce(&mut Release), expect: Result<(), (Reason, &str)>) {
        let mut release = release();
        change(&mut release);
        let found = validate(&release, Compat::Current).map_err(|failure| {
            assert_eq!(failure.stage, Stage::Validate);
            (failure.reason, failure.message)
        });
        let expect = expect.map_err(|(reason, message)| (reason, message.to_string()));
        assert_eq!(found, expect);
    }

    fn invalid(change: impl FnOnce(&mut Release), message: &str) {
        check(change, Err((Reason::InvalidSpec, message)));
    }

    fn unsupported(change: impl FnOnce(&mut Release), message: &str) {
        check(change, Err((Reason::Unsupported, message)));
    }

    #[test]
    fn a_release_of_manifests_from_git_is_fine() {
        check(|_| {}, Ok(()));
        check(|r| r.spec.content = manifests(&["a", "./b/", "c/../d.yaml"]), Ok(()));
        check(|r| r.spec.depends_on = alloc::vec![id("other", "web")], Ok(()));
    }

    #[test]
    fn git_refs_follow_the_rules_of_git() {
        let git = |wanted: GitRef| move |r: &mut Release| r.spec.source_ref = SourceRef::Git(wanted);
        for name in ["main", "feature/x-1", "v1.2.3", "ünï", "a@b"] {
            check(git(GitRef::Branch(name.into())), Ok(()));
            check(git(GitRef::Tag(name.into())), Ok(()));
        }
        for name in [
            "", "-x", "/x", "x/", "x.", "a b", "a\nb", "a..b", "a~1", "a^", "a:b", "a?", "a*", "a[", "a\\b", "a//b",
            "@", "a@{1", ".a", "b/.a", "a.lock", "a.lock/b",
        ] {
            let mut release = release();
            release.spec.source_ref = SourceRef::Git(GitRef::Branch(name.into()));
            let failure = validate(&release, Compat::Current).unwrap_err();
            assert_eq!(failure.reason, Reason::InvalidSpec, "{name:?}");
        }
        for length in [40, 64] {
            check(git(GitRef::Commit("aF0".repeat(22)[..length].into())), Ok(()));
        }
        invalid(
            git(GitRef::Commit("abc".into())),
            "`spec.source.gitRepository.ref` is invalid: commit `abc` is not 40 or 64 hex digits",
        );
        invalid(
            git(GitRef::Commit("g".repeat(40))),
            "`spec.source.gitRepository.ref` is invalid: commit `gggggggggggggggggggggggggggggggggggggggg` is not 40 or 64 hex digits",
        );
        check(git(GitRef::Semver(">=1".into())), Ok(()));
        invalid(
            git(GitRef::Semver(" ".into())),
            "`spec.source.gitRepository.ref` is invalid: the semver constraint is empty",
        );
    }

    #[test]
    fn pairs_of_source_and_content_that_cannot_work_are_refused() {
        let helm = |r: &mut Release| {
            r.spec.source.kind = SourceKind::Helm;
            r.spec.source_ref = SourceRef::Helm {
                chart: "web".into(),
                version: "1".into(),
            };
        };
        invalid(
            helm,
            "content `manifests` cannot be made from a HelmRegistry: it gives Helm charts",
        );
        invalid(
            |r| {
                helm(r);
                r.spec.content = chart("charts");
            },
            "`spec.content.helm.path` is set, but a chart of a HelmRegistry is at the root",
        );
        check(
            |r| {
                helm(r);
                r.spec.content = chart("");
            },
            Ok(()),
        );
        for content in [manifests(&["."]), chart("")] {
            let from_oci = |r: &mut Release| {
                r.spec.source.kind = SourceKind::Oci;
                r.spec.source_ref = SourceRef::Oci {
                    chart: "apps/web".into(),
                    version: "1".into(),
                    content: OciContent::Files,
                };
                r.spec.content = content;
            };
            check(from_oci, Ok(()));
        }
        invalid(
            |r| {
                r.spec.source.kind = SourceKind::Oci;
                r.spec.content = chart("");
            },
            "`spec.source` selects OCIRegistry by a ref of another kind",
        );
        invalid(
            |r| {
                r.spec.source.kind = SourceKind::Oci;
                r.spec.source_ref = SourceRef::Oci {
                    chart: String::new(),
                    version: "1".into(),
                    content: OciContent::Chart,
                };
                r.spec.content = chart("");
            },
            "`spec.source` of kind OCIRegistry has no `chart`",
        );
    }

    #[test]
    fn of_old_charts_were_not_fetched_for_others_and_pairs_were_not_checked() {
        let mut resolving = release();
        resolving.spec.content = Content::Helm(Helm {
            dependencies: DependencyMode::Resolve,
            ..Helm::default()
        });
        assert_eq!(validate(&resolving, Compat::Current), Ok(()));
        let failure = validate(&resolving, Compat::V0_9).unwrap_err();
        assert_eq!(failure.reason, Reason::Unsupported);
        assert_eq!(
            failure.message,
            "not supported by this version: `spec.content.helm.dependencyMode` of `resolve`"
        );
        let mut pair = release();
        pair.spec.source.kind = SourceKind::Helm;
        pair.spec.source_ref = SourceRef::Helm {
            chart: "web".into(),
            version: "1.0.0".into(),
        };
        assert_eq!(
            validate(&pair, Compat::Current).unwrap_err().reason,
            Reason::InvalidSpec
        );
        assert_eq!(validate(&pair, Compat::V0_9), Ok(()));
    }

    #[test]
    fn a_release_of_a_chart_or_a_kustomization_is_fine() {
        check(|r| r.spec.content = chart("charts/web"), Ok(()));
        check(
            |r| {
                r.spec.content = Content::Kustomize(Kustomize {
                    path: "overlays/prod".into(),
                    target_namespace: Some("prod".into()),
                });
            },
            Ok(()),
        );
    }

    #[test]
    fn layers_of_values_name_what_can_exist() {
        let of = |layer: ValuesLayer| {
            move |r: &mut Release| {
                r.spec.content = Content::Helm(Helm {
                    values: alloc::vec![ValuesLayer::Inline(Map::new()), layer],
                    ..Helm::default()
                });
            }
        };
        let key = |name: &str, key: &str| ValuesKey {
            name: name.into(),
            key: key.into(),
            optional: true,
        };
        let file = |name: &str, reference: GitRef, path: &str| {
            ValuesLayer::GitRepository(ValuesFile {
                repository: name.into(),
                reference,
                path: path.into(),
                optional: false,
            })
        };
        invalid(
            of(ValuesLayer::ConfigMap(key("a/b", "k"))),
            "`spec.content.helm.values[1]`: `a/b` is not a valid name: only lower-case letters, digits, `-` and `.` are allowed",
        );
        invalid(
            of(ValuesLayer::Secret(key("a", ""))),
            "`spec.content.helm.values[1]` has no `key`",
        );
        invalid(
            of(file("a", GitRef::Head, "../x")),
            "`spec.content.helm.values[1].gitRepository.path` leads out of the source: `../x`",
        );
        invalid(
            of(file("a", GitRef::Head, "")),
            "`spec.content.helm.values[1]` has no `path`",
        );
        invalid(
            of(file("a", GitRef::Semver(String::new()), "x")),
            "`spec.content.helm.values[1].gitRepository.ref` is invalid: the semver constraint is empty",
        );
    }

    #[test]
    fn names_of_helm_releases_are_helms() {
        let named = |name: String| {
            move |r: &mut Release| {
                r.spec.content = Content::Helm(Helm {
                    release_name: Some(name),
                    ..Helm::default()
                });
            }
        };
        check(named("a.b-c".into()), Ok(()));
        check(named("a".repeat(53)), Ok(()));
        invalid(
            named("a".repeat(54)),
            "`spec.content.helm.releaseName` has more than 53 characters",
        );
        invalid(
            named("A".into()),
            "`spec.content.helm.releaseName`: `A` is not a valid release name: only lower-case letters, digits, `-` and `.` are allowed",
        );
        invalid(
            |r| {
                r.spec.content = Content::Helm(Helm {
                    release_namespace: Some("a/b".into()),
                    ..Helm::default()
                });
            },
            "`spec.content.helm.releaseNamespace`: `a/b` is not a valid namespace: only lower-case letters, digits and `-` are allowed",
        );
    }

    #[test]
    fn names_and_paths_are_checked_and_all_broken_rules_are_told() {
        invalid(
            |r| r.spec.source.id = id("other", "repo"),
            "`spec.source` names namespace `other`, which is not the Release's",
        );
        invalid(
            |r| {
                r.spec.cluster = "Dev".into();
                r.spec.content = manifests(&["ok", "../x", ""]);
            },
            "`spec.content.manifests.paths[1]` leads out of the source: `../x`; `spec.content.manifests.paths[2]` is empty; `spec.clusterRef`: `Dev` is not a valid Cluster name: only lower-case letters, digits, `-` and `.` are allowed",
        );
        invalid(
            |r| r.spec.content = manifests(&[]),
            "`spec.content.manifests.paths` is empty",
        );
        for path in ["/etc", "a/../../b", "a\0"] {
            let mut release = release();
            release.spec.content = Content::Kustomize(Kustomize {
                path: path.into(),
                target_namespace: None,
            });
            assert_eq!(
                validate(&release, Compat::Current).unwrap_err().reason,
                Reason::InvalidSpec,
                "{path}"
            );
        }
        invalid(
            |r| r.spec.service_account = Some("a/b".into()),
            "`spec.serviceAccountName`: `a/b` is not a valid service account: only lower-case letters, digits, `-` and `.` are allowed",
        );
    }

    #[test]
    fn odd_backoffs_and_broken_targets_are_refused() {
        invalid(
            |r| {
                r.spec.sync.retry = Some(Backoff {
                    base: Duration::from_secs(9),
                    factor: 0,
                    max: Duration::from_secs(1),
                    limit: 0,
                });
            },
            "`spec.syncPolicy.retryBackoff.factor` is 0; `spec.syncPolicy.retryBackoff.max` is shorter than its `base`",
        );
        let wave = |selector: &str| Mutation {
            target: Target {
                label_selector: Some(selector.into()),
                ..Target::default()
            },
            optional: false,
            action: MutationAction::SyncWave {
                wave: 1,
                gate: Gate::Continue,
            },
        };
        check(|r| r.mutations = alloc::vec![wave("a in (b)")], Ok(()));
        invalid(
            |r| r.mutations = alloc::vec![wave("a"), wave("a in b")],
            "`mutations[1].target`: selector `a in b` is invalid: expected `(` at byte 5",
        );
    }

    #[test]
    fn what_is_not_built_is_refused_by_name_or_warned_about() {
        unsupported(
            |r| {
                r.spec.unsupported = alloc::vec!["spec.lifecycle".into()];
                r.mutations = alloc::vec![Mutation {
                    target: Target::default(),
                    optional: false,
                    action: MutationAction::Unsupported {
                        kind: "patch".into(),
                        settings: Value::Null,
                    },
                }];
            },
            "not supported by this version: `spec.lifecycle`, `mutations[0]` of type `patch`",
        );
        check(
            |r| r.spec.depends_on = alloc::vec![id("apps", "web")],
            Err((Reason::DependencyCycle, "`spec.dependsOn` names `apps/web` itself")),
        );
        let mut release = release();
        assert_eq!(warnings(&release), [""; 0]);
        release.spec.ignored = alloc::vec!["spec.healthAssessment.ruleSetSelector".into()];
        release.spec.content = Content::Manifests(Manifests {
            paths: alloc::vec![".".into()],
            target_namespace: Some("x".into()),
        });
        assert_eq!(
            warnings(&release),
            [
                "`spec.healthAssessment.ruleSetSelector` is set, but has no effect in this version",
                "`spec.content.manifests.targetNamespace` does not change the rendered objects",
            ]
        );
    }
}
