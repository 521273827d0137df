//! The source kinds → the domain's Source, and its status back.

use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_domain::access::{Access, SignedSubject};
use convoy_domain::credentials::{CredentialKind, SecretRefs};
use convoy_domain::id::check_subdomain;
use convoy_domain::names::annotation;
use convoy_domain::secret::Secret;
use convoy_domain::source::{Source, SourceKey, SourceKind, SourceStatus, Tls};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::status::bounded;
use super::{InvalidField, identity, moment};
use crate::crd;

/// A source may be asked at most this often when it says nothing of it.
pub(crate) const MIN_SYNC_INTERVAL: Duration = Duration::from_secs(30);

/// Reads a `GitRepository`.
pub(crate) fn git_repository(object: crd::GitRepository) -> Result<Source, InvalidField> {
    let crd::GitRepository { metadata, spec, status } = object;
    let kind = match spec.auth.kind {
        crd::GitAuthType::None => None,
        crd::GitAuthType::Basic => Some(CredentialKind::Basic),
        crd::GitAuthType::Token => Some(CredentialKind::Token),
        crd::GitAuthType::Ssh => Some(CredentialKind::Ssh),
        crd::GitAuthType::GithubApp => Some(CredentialKind::GitHubApp),
    };
    let subject = match spec.verify.mode {
        crd::VerifyMode::None => None,
        crd::VerifyMode::Head => Some(SignedSubject::Head),
        crd::VerifyMode::Tag => Some(SignedSubject::Tag),
    };
    Ok(Source {
        url: spec.url.0,
        interval: spec.interval.get(),
        min_sync_interval: spec.min_sync_interval.get(),
        timeout: spec.timeout.get(),
        tls: tls(spec.tls)?,
        secrets: SecretRefs {
            credentials: named_secret("spec.auth", kind, spec.auth.secret_ref)?,
            signature: named_secret("spec.verify", subject, spec.verify.secret_ref)?,
            webhook: webhook(spec.webhook_secret_ref)?,
        },
        access: Access {
            proxy: spec.proxy_url.map(|url| Secret::new(url.0)),
            submodules: spec.submodules,
            ..Access::default()
        },
        ..described(SourceKind::Git, &metadata, status.as_ref())?
    })
}

/// Reads a `HelmRegistry`.
pub(crate) fn helm_registry(object: crd::HelmRegistry) -> Result<Source, InvalidField> {
    let crd::HelmRegistry { metadata, spec, status } = object;
    let kind = match spec.auth.kind {
        crd::HelmAuthType::None => None,
        crd::HelmAuthType::Basic => Some(CredentialKind::Basic),
        crd::HelmAuthType::Token => Some(CredentialKind::Token),
        crd::HelmAuthType::ClientCertificate => Some(CredentialKind::ClientCertificate),
    };
    Ok(Source {
        url: spec.url.0,
        interval: spec.interval.get(),
        timeout: spec.timeout.get(),
        tls: tls(spec.tls)?,
        secrets: SecretRefs {
            credentials: named_secret("spec.auth", kind, spec.auth.secret_ref)?,
            webhook: webhook(spec.webhook_secret_ref)?,
            ..SecretRefs::default()
        },
        access: Access {
            pass_credentials: spec.pass_credentials,
            ..Access::default()
        },
        ..described(SourceKind::Helm, &metadata, status.as_ref())?
    })
}

/// Reads an `OCIRegistry`; its default content type is required and unused.
pub(crate) fn oci_registry(object: crd::OCIRegistry) -> Result<Source, InvalidField> {
    let crd::OCIRegistry { metadata, spec, status } = object;
    let kind = match spec.auth.kind {
        crd::OciAuthType::None => None,
        crd::OciAuthType::Basic => Some(CredentialKind::Basic),
        crd::OciAuthType::Token => Some(CredentialKind::Token),
        crd::OciAuthType::DockerConfig => Some(CredentialKind::DockerConfig),
    };
    Ok(Source {
        url: spec.url.0,
        interval: spec.interval.get(),
        timeout: spec.timeout.get(),
        tls: tls(spec.tls)?,
        secrets: SecretRefs {
            credentials: named_secret("spec.auth", kind, spec.auth.secret_ref)?,
            webhook: webhook(spec.webhook_secret_ref)?,
            ..SecretRefs::default()
        },
        access: Access {
            plain_http: spec.plain_http,
            ..Access::default()
        },
        ..described(SourceKind::Oci, &metadata, status.as_ref())?
    })
}

/// A kind and the Secret that goes with it: both, or neither.
fn named_secret<T>(
    path: &str,
    kind: Option<T>,
    secret: Option<crd::SecretRef>,
) -> Result<Option<(T, String)>, InvalidField> {
    let path = format!("{path}.secretRef");
    match (kind, secret) {
        (None, None) => Ok(None),
        (Some(kind), Some(secret)) => Ok(Some((kind, secret_name(&path, secret)?))),
        (None, Some(_)) => Err(InvalidField::new(path, "must not be set for `none`")),
        (Some(_), None) => Err(InvalidField::new(path, "must be set")),
    }
}

fn webhook(secret: Option<crd::SecretRef>) -> Result<Option<String>, InvalidField> {
    let name = |secret| secret_name("spec.webhookSecretRef", secret);
    secret.map(name).transpose()
}

/// The name of a Secret, which becomes a part of an address.
fn secret_name(path: &str, secret: crd::SecretRef) -> Result<String, InvalidField> {
    check_subdomain("name", &secret.name).map_err(|error| InvalidField::new(path, error))?;
    Ok(secret.name)
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
        secrets: SecretRefs::default(),
        access: Access::default(),
        fetch_requested: fetch_requested(metadata),
        unsupported: Vec::new(),
        ignored: Vec::new(),
        status: status.and_then(source_status_from),
    })
}

/// The stamp of a webhook; one that is no time asks for nothing.
fn fetch_requested(metadata: &ObjectMeta) -> Option<Timestamp> {
    let annotations = metadata.annotations.as_ref()?;
    annotations.get(annotation::FETCH_REQUESTED)?.parse().ok()
}

fn tls(tls: crd::Tls) -> Result<Tls, InvalidField> {
    Ok(Tls {
        insecure_skip_verify: tls.insecure_skip_verify,
        ca_secret: tls
            .ca_secret_ref
            .map(|secret| secret_name("spec.tls.caSecretRef", secret))
            .transpose()?,
    })
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
