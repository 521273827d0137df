//! The source kinds → the domain's Source, and its status back.

use std::time::Duration;

use convoy_domain::access::Access;
use convoy_domain::source::{Source, SourceKey, SourceKind, SourceStatus, Tls};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::status::bounded;
use super::{InvalidField, identity, moment};
use crate::crd;

/// A source may be asked at most this often when it says nothing of it.
const MIN_SYNC_INTERVAL: Duration = Duration::from_secs(30);

/// Reads a `GitRepository`.
pub(crate) fn git_repository(object: crd::GitRepository) -> Result<Source, InvalidField> {
    let crd::GitRepository { metadata, spec, status } = object;
    let later = |set: bool, path: &str| set.then(|| path.to_owned());
    let unsupported = [
        later(spec.auth.kind != crd::GitAuthType::None, "spec.auth"),
        later(spec.proxy_url.is_some(), "spec.proxyURL"),
        later(spec.submodules, "spec.submodules"),
        later(spec.verify.mode != crd::VerifyMode::None, "spec.verify"),
    ];
    let ignored = [later(spec.webhook_secret_ref.is_some(), "spec.webhookSecretRef")];
    Ok(Source {
        url: spec.url,
        interval: spec.interval.get(),
        min_sync_interval: spec.min_sync_interval.get(),
        timeout: spec.timeout.get(),
        tls: tls(spec.tls),
        unsupported: unsupported.into_iter().flatten().collect(),
        ignored: ignored.into_iter().flatten().collect(),
        ..described(SourceKind::Git, &metadata, status.as_ref())?
    })
}

/// Reads a `HelmRegistry`.
pub(crate) fn helm_registry(object: crd::HelmRegistry) -> Result<Source, InvalidField> {
    let crd::HelmRegistry { metadata, spec, status } = object;
    let unsupported = (spec.auth.kind != crd::HelmAuthType::None).then(|| "spec.auth".to_owned());
    // Without credentials there is nothing to pass.
    let ignored = spec.pass_credentials.then(|| "spec.passCredentials".to_owned());
    Ok(Source {
        url: spec.url,
        interval: spec.interval.get(),
        timeout: spec.timeout.get(),
        tls: tls(spec.tls),
        unsupported: unsupported.into_iter().collect(),
        ignored: ignored.into_iter().collect(),
        ..described(SourceKind::Helm, &metadata, status.as_ref())?
    })
}

/// Reads an `OCIRegistry`.
pub(crate) fn oci_registry(object: crd::OCIRegistry) -> Result<Source, InvalidField> {
    let crd::OCIRegistry { metadata, spec, status } = object;
    let later = |set: bool, path: &str| set.then(|| path.to_owned());
    let unsupported = [
        later(spec.auth.kind != crd::OciAuthType::None, "spec.auth"),
        later(spec.plain_http, "spec.plainHTTP"),
    ];
    Ok(Source {
        url: spec.url,
        interval: spec.interval.get(),
        timeout: spec.timeout.get(),
        tls: tls(spec.tls),
        unsupported: unsupported.into_iter().flatten().collect(),
        ..described(SourceKind::Oci, &metadata, status.as_ref())?
    })
}

/// What all kinds have; the rest is empty.
fn described(
    kind: SourceKind,
    metadata: &ObjectMeta,
    status: Option<&crd::SourceStatus>,
) -> Result<Source, InvalidField> {
    Ok(Source {
        key: SourceKey {
            kind,
            id: identity(metadata)?,
        },
        uid: metadata.uid.clone().unwrap_or_default(),
        generation: metadata.generation.unwrap_or_default(),
        resource_version: metadata.resource_version.clone().unwrap_or_default(),
        url: String::new(),
        interval: Duration::ZERO,
        min_sync_interval: MIN_SYNC_INTERVAL,
        timeout: Duration::ZERO,
        tls: Tls::default(),
        access: Access::default(),
        unsupported: Vec::new(),
        ignored: Vec::new(),
        status: status.and_then(source_status_from),
    })
}

fn tls(tls: crd::Tls) -> Tls {
    Tls {
        insecure_skip_verify: tls.insecure_skip_verify,
        ca_secret: tls.ca_secret_ref.map(|secret| secret.name),
    }
}

/// The Ready condition, if there is one that can be understood: it is made anew at each verification, so that a
/// damaged one is worth no more than none.
fn source_status_from(status: &crd::SourceStatus) -> Option<SourceStatus> {
    let ready = status.conditions.iter().find(|condition| condition.kind == "Ready")?;
    Some(SourceStatus {
        observed_generation: ready
            .observed_generation
            .or(status.observed_generation)
            .unwrap_or_default(),
        ready: ready.status.parse().ok()?,
        reason: ready.reason.parse().ok()?,
        message: ready.message.clone(),
        last_verified: match &status.last_verified_at {
            Some(text) => Some(moment("status.lastVerifiedAt", text).ok()?),
            None => None,
        },
        last_transition: moment("status.conditions", &ready.last_transition_time).ok()?,
        endpoint: status.endpoint.clone(),
    })
}

/// The status as the API carries it.
pub(crate) fn source_status(status: &SourceStatus) -> crd::SourceStatus {
    crd::SourceStatus {
        observed_generation: Some(status.observed_generation),
        conditions: vec![crd::Condition {
            kind: "Ready".to_owned(),
            status: status.ready.as_str().to_owned(),
            reason: status.reason.as_str().to_owned(),
            message: bounded(&status.message),
            observed_generation: Some(status.observed_generation),
            last_transition_time: status.last_transition.to_string(),
        }],
        last_verified_at: status.last_verified.map(|time| time.to_string()),
        endpoint: status.endpoint.clone(),
    }
}
