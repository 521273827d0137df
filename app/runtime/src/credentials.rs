//! The Secrets that a source names, read when its server is asked.

use std::collections::BTreeMap;

use convoy_domain::condition::{Failure, Stage};
use convoy_domain::credentials::CredentialsError;
use convoy_domain::id::NamespacedName;
use convoy_domain::source::{Source, SourceReason};
use convoy_ports::{ControlPlane, ControlPlaneError};

use crate::failures;

/// Why a source's Secrets cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// They cannot be read now, or not by us.
    #[error("the Secrets of the source cannot be read")]
    Unreadable(#[source] ControlPlaneError),
    /// One is absent, or does not hold what it must.
    #[error(transparent)]
    Unusable(#[from] CredentialsError),
}

impl SecretsError {
    /// Why the source is not Ready; `None` when that is not known now.
    pub(crate) fn source_reason(&self) -> Option<SourceReason> {
        match self {
            Self::Unreadable(error) if error.is_transient() => None,
            Self::Unreadable(_) => Some(SourceReason::AuthenticationFailed),
            Self::Unusable(error) => Some(error.source_reason()),
        }
    }
}

impl From<SecretsError> for Failure {
    fn from(error: SecretsError) -> Self {
        match error {
            SecretsError::Unreadable(error) => failures::control_plane(Stage::Fetch, &error),
            SecretsError::Unusable(error) => error.into(),
        }
    }
}

/// The source with its `access` complete. Its Secrets are read from the control plane, of its own namespace only and
/// never from a cache, so that one that was changed counts at once.
///
/// # Errors
/// [`SecretsError`] names the field and the Secret, never what it holds.
pub async fn with_secrets(control_plane: &dyn ControlPlane, source: Source) -> Result<Source, SecretsError> {
    let mut found = BTreeMap::new();
    for name in source.secret_names() {
        let Ok(id) = NamespacedName::new(source.key.id.namespace(), name) else {
            continue;
        };
        if let Some(entries) = control_plane.secret(&id).await.map_err(SecretsError::Unreadable)? {
            found.insert(name.to_owned(), entries);
        }
    }
    Ok(source.with_secrets(&found)?)
}
