//! Sources: endpoints and credentials, and what a Release selects of them.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use crate::access::Access;
use crate::condition::Truth;
use crate::credentials::SecretRefs;
use crate::id::NamespacedName;
use crate::url::without_credentials;

/// The kinds of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// `GitRepository`.
    Git,
    /// `HelmRegistry`.
    Helm,
    /// `OCIRegistry`.
    Oci,
}

impl SourceKind {
    /// The Kubernetes kind.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Git => "GitRepository",
            Self::Helm => "HelmRegistry",
            Self::Oci => "OCIRegistry",
        }
    }
}

/// Which source object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceKey {
    /// Its kind.
    pub kind: SourceKind,
    /// Namespace and name.
    pub id: NamespacedName,
}

impl core::fmt::Display for SourceKey {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {}", self.kind.kind(), self.id)
    }
}

/// What a Release selects of a git repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GitRef {
    /// The server's HEAD.
    Head,
    /// A branch.
    Branch(String),
    /// A tag.
    Tag(String),
    /// 40 or 64 hex digits.
    Commit(String),
    /// Highest tag that matches a constraint.
    Semver(String),
}

impl core::fmt::Display for GitRef {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Head => f.write_str("HEAD"),
            Self::Branch(name) => write!(f, "branch {name}"),
            Self::Tag(name) => write!(f, "tag {name}"),
            Self::Commit(sha) => write!(f, "commit {sha}"),
            Self::Semver(constraint) => write!(f, "semver {constraint}"),
        }
    }
}

/// What a Release selects of a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceRef {
    /// Of a git repository.
    Git(GitRef),
    /// A chart of a Helm repository: name, and exact version or constraint.
    Helm {
        /// Chart name.
        chart: String,
        /// Exact version or constraint.
        version: String,
    },
    /// Of an OCI registry: repository path, and version or digest.
    Oci {
        /// Repository path below the registry's URL.
        chart: String,
        /// Tag, constraint, or `sha256:…`.
        version: String,
        /// What is taken of the artifact.
        content: OciContent,
    },
}

impl SourceRef {
    /// The kind of source that it selects from.
    #[must_use]
    pub const fn kind(&self) -> SourceKind {
        match self {
            Self::Git(_) => SourceKind::Git,
            Self::Helm { .. } => SourceKind::Helm,
            Self::Oci { .. } => SourceKind::Oci,
        }
    }
}

/// What is taken of an OCI artifact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OciContent {
    /// The layer with a Helm chart, its `Chart.yaml` at the root of the files; without one there is no usable layer.
    #[default]
    Chart,
    /// The files of a tar layer, else of the chart's.
    Files,
}

/// `spec.tls` of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    /// Certificates are not checked. Shown in status.
    pub insecure_skip_verify: bool,
    /// Name of a Secret with `ca.crt`.
    pub ca_secret: Option<String>,
}

/// A source object as the control plane records it. `Debug` shows its URL without credentials.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    /// Kind, namespace and name.
    pub key: SourceKey,
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.generation`.
    pub generation: i64,
    /// `metadata.resourceVersion`.
    pub resource_version: String,
    /// Endpoint.
    pub url: String,
    /// How often it is verified.
    pub interval: Duration,
    /// A moving ref is asked for at most once in this time.
    pub min_sync_interval: Duration,
    /// Bound of one download.
    pub timeout: Duration,
    /// TLS settings.
    pub tls: Tls,
    /// Which Secrets hold what a fetch needs.
    pub secrets: SecretRefs,
    /// What its Secrets hold, and what else is asked for; of its Secrets nothing until [`Source::with_secrets`].
    pub access: Access,
    /// When a webhook last asked for a look at what it gives.
    pub fetch_requested: Option<jiff::Timestamp>,
    /// Fields whose behaviour comes later but that may not be passed over (credentials, signatures), by path:
    /// a source that sets one is refused with `Unsupported`.
    pub unsupported: Vec<String>,
    /// Fields whose behaviour comes later and that may be passed over with a warning, by path.
    pub ignored: Vec<String>,
    /// Its present Ready condition, if it has one.
    pub status: Option<SourceStatus>,
}

impl core::fmt::Debug for Source {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self {
            key,
            uid,
            generation,
            resource_version,
            url,
            interval,
            min_sync_interval,
            timeout,
            tls,
            secrets,
            access,
            fetch_requested,
            unsupported,
            ignored,
            status,
        } = self;
        f.debug_struct("Source")
            .field("key", key)
            .field("uid", uid)
            .field("generation", generation)
            .field("resource_version", resource_version)
            .field("url", &without_credentials(url))
            .field("interval", interval)
            .field("min_sync_interval", min_sync_interval)
            .field("timeout", timeout)
            .field("tls", tls)
            .field("secrets", secrets)
            .field("access", access)
            .field("fetch_requested", fetch_requested)
            .field("unsupported", unsupported)
            .field("ignored", ignored)
            .field("status", status)
            .finish()
    }
}

/// What the source controller found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStatus {
    /// Generation that it speaks of.
    pub observed_generation: i64,
    /// Value of the Ready condition.
    pub ready: Truth,
    /// Its reason.
    pub reason: SourceReason,
    /// For people; never a secret.
    pub message: String,
    /// When the endpoint was last asked.
    pub last_verified: Option<jiff::Timestamp>,
    /// When `ready` last changed.
    pub last_transition: jiff::Timestamp,
    /// URL without credentials.
    pub endpoint: String,
}

crate::condition::names! {
    /// Why a source is or is not Ready.
    SourceReason {
        /// The endpoint answered.
        Verified = "Verified",
        /// Credentials were refused or are missing.
        AuthenticationFailed = "AuthenticationFailed",
        /// The endpoint does not answer.
        Unreachable = "Unreachable",
        /// The certificate is not trusted.
        TlsFailed = "TLSFailed",
        /// It answers, but as no git repository or Helm repository.
        NotARepository = "NotARepository",
        /// The index of a Helm repository cannot be read.
        IndexInvalid = "IndexInvalid",
        /// It answers, but as no OCI registry.
        NotARegistry = "NotARegistry",
        /// The host key is unknown.
        HostNotTrusted = "HostNotTrusted",
        /// The spec breaks a rule.
        InvalidSpec = "InvalidSpec",
        /// The spec asks for what this version does not do.
        Unsupported = "Unsupported",
    }
}
