//! Sources.

use alloc::boxed::Box;
use alloc::string::String;
use core::time::Duration;

use async_trait::async_trait;
use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{Source, SourceRef};

/// Why a call failed. Texts carry no credentials.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// Credentials were refused or are missing.
    #[error("`{url}` asks for other credentials: {why}")]
    Authentication {
        /// URL without credentials.
        url: String,
        /// What was said.
        why: String,
    },
    /// The host key is unknown.
    #[error("the host key of `{url}` is not trusted")]
    HostNotTrusted {
        /// URL without credentials.
        url: String,
    },
    /// The address policy, or a switch that is off, refuses the URL.
    #[error("`{url}` is refused: {why}")]
    HostRefused {
        /// URL without credentials.
        url: String,
        /// Which rule.
        why: String,
    },
    /// The certificate is not trusted.
    #[error("TLS with `{url}` failed: {why}")]
    Tls {
        /// URL without credentials.
        url: String,
        /// What was said.
        why: String,
    },
    /// The server could not be reached or broke off.
    #[error("`{url}` cannot be reached: {why}")]
    Unreachable {
        /// URL without credentials.
        url: String,
        /// What was said.
        why: String,
    },
    /// The server asks to be left alone for a while.
    #[error("`{url}` asks to wait {} s: {why}", after.as_secs())]
    Busy {
        /// URL without credentials.
        url: String,
        /// What was said.
        why: String,
        /// How long it asks to wait, at most an hour.
        after: Duration,
    },
    /// The server was too slow.
    #[error("`{url}` did not answer within {seconds} s")]
    Timeout {
        /// URL without credentials.
        url: String,
        /// The bound.
        seconds: u64,
    },
    /// It answers, but is no repository.
    #[error("`{url}` is not a repository: {why}")]
    NotARepository {
        /// URL without credentials.
        url: String,
        /// What was said.
        why: String,
    },
    /// It answers, but its index is none, or not one that can be relied on.
    #[error("the index of `{url}` is invalid: {why}")]
    IndexInvalid {
        /// URL without credentials.
        url: String,
        /// Place and rule.
        why: String,
    },
    /// The chart does not exist, or no version of it that fits.
    #[error("{wanted} does not exist in `{url}`")]
    ChartNotFound {
        /// URL without credentials.
        url: String,
        /// Chart, and version as it was asked for.
        wanted: String,
    },
    /// Branch, tag or commit does not exist.
    #[error("{wanted} does not exist in `{url}`")]
    RefNotFound {
        /// URL without credentials.
        url: String,
        /// What was asked for.
        wanted: String,
    },
    /// What was fetched is damaged, or holds what is refused (links out of the tree, LFS pointers).
    #[error("what `{url}` gave is invalid: {why}")]
    Invalid {
        /// URL without credentials.
        url: String,
        /// Path and rule.
        why: String,
    },
    /// An OCI artifact has no layer of the kind that is asked for.
    #[error("no chart layer in `{url}`: {found}")]
    NoChartLayer {
        /// URL of the artifact, without credentials.
        url: String,
        /// The media types that were found.
        found: String,
    },
    /// The signature that the source asks for is absent, or not by one of its keys.
    #[error("the signature of what `{url}` gave does not count: {why}")]
    Signature {
        /// URL without credentials.
        url: String,
        /// What was signed, and what is wrong.
        why: String,
    },
    /// A bound was passed.
    #[error("`{url}` passes the limit of {limit}")]
    Limit {
        /// URL without credentials.
        url: String,
        /// The limit and its value.
        limit: String,
    },
    /// The kind of source, or a setting of it, is not built yet.
    #[error("{what} is not supported")]
    Unsupported {
        /// What is asked for.
        what: String,
    },
}

impl FetchError {
    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Timeout { .. } | Self::Busy { .. } => true,
            Self::Authentication { .. }
            | Self::HostNotTrusted { .. }
            | Self::HostRefused { .. }
            | Self::Tls { .. }
            | Self::NotARepository { .. }
            | Self::IndexInvalid { .. }
            | Self::ChartNotFound { .. }
            | Self::RefNotFound { .. }
            | Self::Invalid { .. }
            | Self::NoChartLayer { .. }
            | Self::Signature { .. }
            | Self::Limit { .. }
            | Self::Unsupported { .. } => false,
        }
    }

    /// How long the server asks to be left alone, where it does.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy { after, .. } => Some(*after),
            Self::Authentication { .. }
            | Self::HostNotTrusted { .. }
            | Self::HostRefused { .. }
            | Self::Tls { .. }
            | Self::Unreachable { .. }
            | Self::Timeout { .. }
            | Self::NotARepository { .. }
            | Self::IndexInvalid { .. }
            | Self::ChartNotFound { .. }
            | Self::RefNotFound { .. }
            | Self::Invalid { .. }
            | Self::NoChartLayer { .. }
            | Self::Signature { .. }
            | Self::Limit { .. }
            | Self::Unsupported { .. } => None,
        }
    }
}

/// Reads sources.
#[async_trait]
pub trait SourceFetcher: Send + Sync + core::fmt::Debug {
    /// Asks the endpoint whether it is what the source says, without downloading content.
    async fn verify(&self, source: &Source) -> Result<(), FetchError>;
    /// The revision that `wanted` is at now, without downloading content. A `wanted` that names its revision may answer
    /// without asking: it proves nothing about the source's access.
    async fn resolve(&self, source: &Source, wanted: &SourceRef) -> Result<Revision, FetchError>;
    /// Asks the endpoint, with this source's own credentials and by its own rule on signatures, whether it may have
    /// `revision`, which `wanted` resolved to and which another source fetched; without downloading content. A server
    /// that has another digest than the revision's does not prove it.
    async fn prove(&self, source: &Source, wanted: &SourceRef, revision: &Revision) -> Result<(), FetchError>;
    /// The files of `revision`, which `wanted` resolved to. Content is bounded by `limits` while it is received.
    async fn fetch(
        &self,
        source: &Source,
        wanted: &SourceRef,
        revision: &Revision,
        limits: &Limits,
    ) -> Result<Artifact, FetchError>;
}
