//! Errors: why a store cannot be opened, and what a backend's failure means to the port.

use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use convoy_ports::BlobError;

/// Why a store cannot be opened. Texts never hold the URL, which may carry credentials.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The text is no URL.
    #[error("the URL of the render store cannot be parsed")]
    NotAUrl(#[source] url::ParseError),
    /// No backend has the scheme.
    #[error("`{scheme}` is no scheme of a render store: expected file, mem, s3, gs or azblob")]
    UnknownScheme {
        /// The scheme.
        scheme: String,
    },
    /// The backend is not built yet.
    #[error("render stores of scheme `{scheme}` are not supported yet: use file or mem")]
    Unsupported {
        /// The scheme.
        scheme: &'static str,
    },
    /// The backend has no such parameter.
    #[error("`{name}` is no parameter of a `{scheme}` render store: expected one of {known}")]
    UnknownParameter {
        /// The scheme.
        scheme: &'static str,
        /// The parameter.
        name: String,
        /// The parameters that there are.
        known: String,
    },
    /// A parameter has a value that it cannot have, or stands twice.
    #[error("the parameter `{name}` of the render store is invalid: {rule}")]
    InvalidParameter {
        /// The parameter.
        name: &'static str,
        /// The broken rule.
        rule: &'static str,
    },
    /// A part of the URL breaks a rule of its scheme.
    #[error("the URL of the `{scheme}` render store is invalid: {rule}")]
    InvalidUrl {
        /// The scheme.
        scheme: &'static str,
        /// The broken rule.
        rule: &'static str,
    },
    /// There is no directory, and `create_dir` does not ask for one.
    #[error("the directory `{}` of the render store does not exist: create it, or add `create_dir=true`", dir.display())]
    Absent {
        /// The directory.
        dir: PathBuf,
    },
    /// The path is not a directory.
    #[error("`{}` of the render store is not a directory", dir.display())]
    NotADirectory {
        /// The path.
        dir: PathBuf,
    },
    /// The directory could not be made.
    #[error("the directory `{}` of the render store cannot be created", dir.display())]
    Create {
        /// The directory.
        dir: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Files cannot be written in the directory.
    #[error("the directory `{}` of the render store cannot be written", dir.display())]
    Unwritable {
        /// The directory.
        dir: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The directory cannot be looked at.
    #[error("the directory `{}` of the render store cannot be read", dir.display())]
    Unreadable {
        /// The directory.
        dir: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The backend refuses its settings.
    #[error("the backend of the render store refuses its settings: {why}")]
    Backend {
        /// What it said.
        why: String,
    },
}

/// What a failure of the backend means to the port.
pub(crate) fn to_port(key: &str, error: &object_store::Error) -> BlobError {
    use object_store::Error as E;
    let key = key.to_owned();
    let why = innermost(error);
    if matches!(error, E::NotFound { .. }) {
        BlobError::NotFound { key }
    } else if matches!(error, E::PermissionDenied { .. } | E::Unauthenticated { .. }) {
        BlobError::Denied { key, why }
    } else if let Some(kind) = io_kind(error) {
        from_io(key, why, kind)
    } else {
        BlobError::Other { key, why }
    }
}

/// What an I/O failure means to the port.
pub(crate) fn from_io(key: String, why: String, kind: io::ErrorKind) -> BlobError {
    use io::ErrorKind as K;
    if matches!(kind, K::PermissionDenied | K::ReadOnlyFilesystem) {
        return BlobError::Denied { key, why };
    }
    // Time, space or the network may come back.
    let may_pass = matches!(
        kind,
        K::TimedOut
            | K::Interrupted
            | K::WouldBlock
            | K::ResourceBusy
            | K::StorageFull
            | K::QuotaExceeded
            | K::StaleNetworkFileHandle
            | K::NetworkDown
            | K::NetworkUnreachable
            | K::HostUnreachable
            | K::NotConnected
            | K::ConnectionReset
            | K::ConnectionAborted
    );
    if may_pass {
        BlobError::Unavailable { key, why }
    } else {
        BlobError::Other { key, why }
    }
}

/// Whether the path of a key leads through a file, or to a directory: no blob can be there.
pub(crate) fn is_no_file(error: &object_store::Error) -> bool {
    matches!(
        io_kind(error),
        Some(io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory)
    )
}

fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}

fn io_kind(error: &object_store::Error) -> Option<io::ErrorKind> {
    chain(error).find_map(|error| error.downcast_ref::<io::Error>().map(io::Error::kind))
}

/// The text of the first cause: those above it repeat it.
fn innermost(error: &object_store::Error) -> String {
    chain(error).last().map(ToString::to_string).unwrap_or_default()
}
