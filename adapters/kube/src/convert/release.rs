//! `Release` → the domain's Release.

use std::collections::BTreeMap;

use convoy_domain::names::{FINALIZER, annotation};
use convoy_domain::release::{self as domain, Release};
use convoy_domain::retry::Backoff;
use convoy_domain::source::{GitRef, OciContent, SourceKey, SourceKind, SourceRef};
use convoy_value::Map;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use super::{InvalidField, created, from_json, identity, named, release_status_from, render_ref};
use crate::crd;

/// Paths of fields that are set and whose behaviour comes later.
#[derive(Default)]
struct Later {
    unsupported: Vec<String>,
    ignored: Vec<String>,
}

impl Later {
    fn refuse_if(&mut self, set: bool, path: &str) {
        if set {
            self.unsupported.push(path.to_owned());
        }
    }

    fn ignore_if(&mut self, set: bool, path: &str) {
        if set {
            self.ignored.push(path.to_owned());
        }
    }
}

/// Reads a Release.
///
/// # Errors
/// The first field that breaks a rule.
pub(crate) fn release(release: crd::Release) -> Result<Release, InvalidField> {
    let id = identity(&release.metadata)?;
    let metadata = &release.metadata;
    let crd::ReleaseFields { pin, mutations, spec } = release.spec;
    Ok(Release {
        uid: metadata.uid.clone().unwrap_or_default(),
        generation: metadata.generation.unwrap_or_default(),
        resource_version: metadata.resource_version.clone().unwrap_or_default(),
        created: created(metadata),
        deleted: metadata.deletion_timestamp.as_ref().map(|Time(time)| *time),
        has_finalizer: metadata.finalizers.iter().flatten().any(|name| name == FINALIZER),
        annotations: annotations(metadata.annotations.as_ref()),
        pin: pin.map(read_pin).transpose()?,
        mutations: mutations
            .into_iter()
            .enumerate()
            .map(|(index, mutation)| read_mutation(index, mutation))
            .collect::<Result<_, _>>()?,
        spec: read_spec(id.namespace(), spec)?,
        status: release
            .status
            .map(|status| release_status_from(&status))
            .transpose()?
            .unwrap_or_default(),
        id,
    })
}

fn annotations(all: Option<&BTreeMap<String, String>>) -> domain::ReleaseAnnotations {
    let text = |name: &str| all?.get(name).filter(|value| !value.is_empty()).cloned();
    let is_true = |name: &str| text(name).is_some_and(|value| value == "true");
    domain::ReleaseAnnotations {
        sync_requested: text(annotation::SYNC_REQUESTED),
        retry_requested: text(annotation::RETRY_REQUESTED),
        allow_prune: text(annotation::ALLOW_PRUNE),
        adopt_store: is_true(annotation::ADOPT_STORE),
        accept_cluster: text(annotation::ACCEPT_CLUSTER),
        skip_cluster_cleanup: is_true(annotation::SKIP_CLUSTER_CLEANUP),
    }
}

fn read_pin(pin: crd::Pin) -> Result<domain::Pin, InvalidField> {
    Ok(domain::Pin {
        render_ref: render_ref("pin.renderRef", &pin.render_ref)?,
        reason: pin.reason,
    })
}

fn read_mutation(index: usize, mutation: crd::Mutation) -> Result<domain::Mutation, InvalidField> {
    let action = match (mutation.kind, &mutation.wave_strategy) {
        (crd::MutationType::SyncWave, Some(strategy)) => domain::MutationAction::SyncWave {
            wave: strategy.wave,
            gate: match strategy.strategy {
                crd::Gate::WaitForHealthy => domain::Gate::WaitForHealthy,
                crd::Gate::Continue => domain::Gate::Continue,
            },
        },
        (crd::MutationType::SyncWave, None) => {
            return Err(InvalidField::new(
                format!("mutations[{index}].waveStrategy"),
                "must be set for type syncWave",
            ));
        }
        (kind, _) => {
            let settings = serde_json::to_value(&mutation)
                .map_err(|error| InvalidField::new(format!("mutations[{index}]"), error))?;
            domain::MutationAction::Unsupported {
                kind: kind.as_str().to_owned(),
                settings: from_json(settings)
                    .map_err(|error| InvalidField::new(format!("mutations[{index}]"), error))?,
            }
        }
    };
    Ok(domain::Mutation {
        target: domain::Target {
            group: mutation.target.group,
            version: mutation.target.version,
            kind: mutation.target.kind,
            name: mutation.target.name,
            namespace: mutation.target.namespace,
            label_selector: mutation.target.label_selector,
            annotation_selector: mutation.target.annotation_selector,
        },
        optional: mutation.optional,
        action,
    })
}

fn read_spec(namespace: &str, spec: crd::ReleaseSpec) -> Result<domain::ReleaseSpec, InvalidField> {
    let crd::ReleaseSpec { cluster_ref, body } = spec;
    let mut later = Later::default();
    let (source, source_ref) = read_source(namespace, &body)?;
    later.refuse_if(body.lifecycle.as_ref().is_some_and(has_hooks), "spec.lifecycle");
    later.refuse_if(
        !body.sync_policy.ignore_differences.is_empty(),
        "spec.syncPolicy.ignoreDifferences",
    );
    later.ignore_if(body.sync_policy.force, "spec.syncPolicy.force");
    later.ignore_if(
        body.health_assessment.global_rule_set_selector.is_some(),
        "spec.healthAssessment.globalRuleSetSelector",
    );
    later.ignore_if(
        body.health_assessment.rule_set_selector.is_some(),
        "spec.healthAssessment.ruleSetSelector",
    );
    later.ignore_if(
        body.failure_policy.rollback == crd::Rollback::OnReleaseFailure,
        "spec.failurePolicy.rollback",
    );
    let depends_on = body
        .depends_on
        .iter()
        .enumerate()
        .map(|(index, other)| {
            let namespace = other.namespace.as_deref().unwrap_or(namespace);
            named(&format!("spec.dependsOn[{index}]"), namespace, &other.name)
        })
        .collect::<Result<_, _>>()?;
    named("spec.clusterRef.name", namespace, &cluster_ref.name)?;
    Ok(domain::ReleaseSpec {
        suspend: body.suspend,
        cluster: cluster_ref.name,
        source,
        source_ref,
        content: read_content(body.content)?,
        sync: read_sync(&body.sync_policy),
        health_deadline: body.health_assessment.deadline.get(),
        rollback: match body.failure_policy.rollback {
            crd::Rollback::Never => domain::RollbackPolicy::Never,
            crd::Rollback::OnReleaseFailure => domain::RollbackPolicy::OnReleaseFailure,
        },
        keep_history: Some(body.retention_policy.keep_history),
        deletion: match body.deletion_policy {
            crd::DeletionPolicy::Delete => domain::DeletionPolicy::Delete,
            crd::DeletionPolicy::Orphan => domain::DeletionPolicy::Orphan,
        },
        depends_on,
        service_account: body.service_account_name,
        unsupported: later.unsupported,
        ignored: later.ignored,
    })
}

fn has_hooks(lifecycle: &crd::Lifecycle) -> bool {
    !(lifecycle.pre_sync.is_empty() && lifecycle.post_sync.is_empty() && lifecycle.on_failure.is_empty())
}

fn read_sync(policy: &crd::SyncPolicy) -> domain::SyncPolicy {
    domain::SyncPolicy {
        automatic: policy.automatic,
        interval: policy.interval.get(),
        timeout: policy.timeout.get(),
        prune: domain::PrunePolicy {
            orphaned: policy.prune.orphaned,
            include_crds: policy.prune.include_crds,
            include_namespaces: policy.prune.include_namespaces,
        },
        correct_drift: policy.correct_drift,
        retry: policy.retry_backoff.map(|backoff| Backoff {
            base: backoff.base.get(),
            factor: backoff.factor,
            max: backoff.max.get(),
            limit: backoff.limit,
        }),
        force: policy.force,
    }
}

/// The block that `type` names, or the fault that it is absent.
fn block<'a, T>(block: Option<&'a T>, path: &str) -> Result<&'a T, InvalidField> {
    block.ok_or_else(|| InvalidField::new(path, "must be set, since `type` names it"))
}

fn read_source(namespace: &str, body: &crd::ReleaseBody) -> Result<(SourceKey, SourceRef), InvalidField> {
    let key = |kind, path: &str, name: &str, other: Option<&String>| {
        let namespace = other.map_or(namespace, String::as_str);
        named(path, namespace, name).map(|id| SourceKey { kind, id })
    };
    let source = &body.source;
    match source.kind {
        crd::SourceType::GitRepository => {
            let path = "spec.source.gitRepository";
            let git = block(source.git_repository.as_ref(), path)?;
            let reference = read_git_ref(&format!("{path}.ref"), git.reference.as_ref())?;
            let key = key(SourceKind::Git, path, &git.name, git.namespace.as_ref())?;
            Ok((key, SourceRef::Git(reference)))
        }
        crd::SourceType::HelmRegistry => {
            let path = "spec.source.helmRegistry";
            let helm = block(source.helm_registry.as_ref(), path)?;
            let key = key(SourceKind::Helm, path, &helm.name, helm.namespace.as_ref())?;
            let reference = SourceRef::Helm {
                chart: helm.chart.clone(),
                version: helm.version.clone(),
            };
            Ok((key, reference))
        }
        crd::SourceType::OciRegistry => {
            let path = "spec.source.ociRegistry";
            let oci = block(source.oci_registry.as_ref(), path)?;
            let version = match (&oci.version, &oci.digest) {
                (Some(version), None) | (None, Some(version)) => version.clone(),
                (Some(_), Some(_)) | (None, None) => {
                    return Err(InvalidField::new(path, "exactly one of version and digest must be set"));
                }
            };
            let key = key(SourceKind::Oci, path, &oci.name, oci.namespace.as_ref())?;
            let chart = oci.chart.clone();
            let content = match body.content.kind {
                crd::ContentType::Helm => OciContent::Chart,
                crd::ContentType::Kustomize | crd::ContentType::Manifests => OciContent::Files,
            };
            let reference = SourceRef::Oci {
                chart,
                version,
                content,
            };
            Ok((key, reference))
        }
    }
}

fn read_git_ref(path: &str, reference: Option<&crd::GitRef>) -> Result<GitRef, InvalidField> {
    let Some(reference) = reference else {
        return Ok(GitRef::Head);
    };
    let choices = [
        reference.branch.clone().map(GitRef::Branch),
        reference.tag.clone().map(GitRef::Tag),
        reference.commit.clone().map(GitRef::Commit),
        reference.semver.clone().map(GitRef::Semver),
    ];
    let mut set = choices.into_iter().flatten();
    match (set.next(), set.next()) {
        (None, _) => Ok(GitRef::Head),
        // Whether it can be the name of a ref is the domain's to say, in the status of the Release.
        (Some(one), None) => Ok(one),
        (Some(_), Some(_)) => Err(InvalidField::new(
            path,
            "at most one of branch, tag, commit and semver may be set",
        )),
    }
}

fn read_content(content: crd::Content) -> Result<domain::Content, InvalidField> {
    Ok(match content.kind {
        crd::ContentType::Helm => domain::Content::Helm(read_helm(content.helm)?),
        crd::ContentType::Kustomize => {
            let kustomize = content.kustomize.unwrap_or_default();
            domain::Content::Kustomize(domain::Kustomize {
                path: kustomize.path.unwrap_or_default(),
                target_namespace: kustomize.target_namespace,
            })
        }
        crd::ContentType::Manifests => {
            let manifests = content
                .manifests
                .ok_or_else(|| InvalidField::new("spec.content.manifests", "must be set, since `type` names it"))?;
            domain::Content::Manifests(domain::Manifests {
                paths: manifests.paths,
                target_namespace: manifests.target_namespace,
            })
        }
    })
}

/// A chart without settings has the defaults of each.
fn read_helm(helm: Option<crd::HelmContent>) -> Result<domain::Helm, InvalidField> {
    let Some(helm) = helm else {
        return Ok(domain::Helm {
            include_crds: true,
            ..domain::Helm::default()
        });
    };
    let values = helm.values.into_iter().enumerate();
    Ok(domain::Helm {
        path: helm.path.unwrap_or_default(),
        release_name: helm.release_name,
        release_namespace: helm.release_namespace,
        dependencies: match helm.dependency_mode {
            crd::DependencyMode::Vendored => domain::DependencyMode::Vendored,
            crd::DependencyMode::Resolve => domain::DependencyMode::Resolve,
        },
        capabilities: match helm.capabilities {
            crd::Capabilities::Defaults => domain::CapabilitiesMode::Defaults,
            crd::Capabilities::Cluster => domain::CapabilitiesMode::Cluster,
        },
        include_crds: helm.include_crds,
        values: values
            .map(|(index, layer)| read_layer(&format!("spec.content.helm.values[{index}]"), &layer))
            .collect::<Result<_, _>>()?,
    })
}

fn read_layer(path: &str, layer: &crd::ValuesLayer) -> Result<domain::ValuesLayer, InvalidField> {
    match layer.kind {
        crd::ValuesType::Inline => {
            let path = format!("{path}.inline");
            let inline = block(layer.inline.as_ref(), &path)?;
            let mut values = Map::new();
            for (key, value) in inline {
                let value = from_json(value.clone()).map_err(|error| InvalidField::new(&path, error))?;
                values.insert(key, value);
            }
            Ok(domain::ValuesLayer::Inline(values))
        }
        crd::ValuesType::ConfigMap => {
            let block = block(layer.config_map.as_ref(), &format!("{path}.configMap"))?;
            Ok(domain::ValuesLayer::ConfigMap(values_key(block)))
        }
        crd::ValuesType::Secret => {
            let block = block(layer.secret.as_ref(), &format!("{path}.secret"))?;
            Ok(domain::ValuesLayer::Secret(values_key(block)))
        }
        crd::ValuesType::GitRepository => {
            let path = format!("{path}.gitRepository");
            let file = block(layer.git_repository.as_ref(), &path)?;
            Ok(domain::ValuesLayer::GitRepository(domain::ValuesFile {
                repository: file.name.clone(),
                reference: read_git_ref(&format!("{path}.ref"), file.reference.as_ref())?,
                path: file.path.clone(),
                optional: file.optional,
            }))
        }
    }
}

fn values_key(key: &crd::ValuesKey) -> domain::ValuesKey {
    domain::ValuesKey {
        name: key.name.clone(),
        key: key.key.clone(),
        optional: key.optional,
    }
}
