//! Errors: why a store cannot be opened, and what a backend's failure means to the port.

use std::error::Error as StdError;
use std::io;
use std::path::PathBuf;

use convoy_ports::BlobError;
use object_store::client::HttpError;

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
    /// The URL is longer than any that means something.
    #[error("the URL of the render store passes the limit `bytes of a URL` of {limit}")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// Neither the URL nor the environment names the account of Azure.
    #[error("no storage account of Azure is named: add `storage_account=NAME`, or set AZURE_STORAGE_ACCOUNT")]
    NoAccount,
    /// A variable has a value that it cannot have.
    #[error("the variable `{name}` is invalid: {rule}")]
    InvalidVariable {
        /// Its name.
        name: &'static str,
        /// The broken rule.
        rule: &'static str,
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
    } else if matches!(error, E::PermissionDenied { .. } | E::Unauthenticated { .. })
        || matches!(status(error), Some(401 | 403))
    {
        BlobError::Denied { key, why }
    } else if matches!(error, E::Precondition { .. }) || network_may_heal(error) || server_may_heal(error) {
        BlobError::Unavailable { key, why }
    } else if let Some(kind) = io_kind(error) {
        from_io(key, why, kind)
    } else {
        BlobError::Other { key, why }
    }
}

/// Whether the way to the server broke: there was no whole answer, so that there may be one later.
fn network_may_heal(error: &object_store::Error) -> bool {
    chain(error).any(<dyn StdError>::is::<HttpError>)
}

/// Whether the server answered that it cannot now.
fn server_may_heal(error: &object_store::Error) -> bool {
    matches!(status(error), Some(408 | 429 | 500..=599))
}

/// The status of the server's answer, which is in no type that the library shows, only in its text.
fn status(error: &object_store::Error) -> Option<u16> {
    const BEFORE: &str = "status code: ";
    chain(error).find_map(|cause| {
        let text = cause.to_string();
        let from = text.find(BEFORE)? + BEFORE.len();
        text.get(from..from + 3)?.parse().ok()
    })
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
            | K::ConnectionRefused
            | K::ConnectionReset
            | K::ConnectionAborted
            | K::BrokenPipe
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
pub(crate) fn innermost(error: &object_store::Error) -> String {
    let text = chain(error).last().map(ToString::to_string).unwrap_or_default();
    one_line(&text)
}

/// Most characters of a server's text.
const MOST_CHARS: usize = 300;

/// A text on one line; of XML, its code and its message.
fn one_line(text: &str) -> String {
    let element = |name: &str| {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let from = text.find(&open)? + open.len();
        let to = from + text[from..].find(&close)?;
        Some(text[from..to].to_owned())
    };
    let (before, _) = text
        .split_once("<?xml")
        .or_else(|| text.split_once("<Error>"))
        .unwrap_or((text, ""));
    let told: Vec<String> = [Some(before.to_owned()), element("Code"), element("Message")]
        .into_iter()
        .flatten()
        .collect();
    let told = if told.len() > 1 {
        told.join(" ")
    } else {
        text.to_owned()
    };
    let words: Vec<&str> = told
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ").chars().take(MOST_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(text: &str) -> object_store::Error {
        object_store::Error::Generic {
            store: "S3",
            source: text.into(),
        }
    }

    #[test]
    fn the_status_of_a_server_tells_whether_it_may_answer_later() {
        for (status, transient) in [
            (408, true),
            (429, true),
            (500, true),
            (503, true),
            (400, false),
            (301, false),
            (416, false),
            (403, false),
        ] {
            let error = generic(&format!("Server returned non-2xx status code: {status} Text: body"));
            assert_eq!(to_port("k", &error).is_transient(), transient, "{status}");
        }
        assert!(!to_port("k", &generic("status code: 5")).is_transient());
        let denied = to_port(
            "k",
            &generic("Server returned non-2xx status code: 403 Forbidden: body"),
        );
        assert!(matches!(denied, BlobError::Denied { .. }), "{denied}");
    }

    #[test]
    fn a_server_is_quoted_on_one_short_line() {
        let xml = "Server returned non-2xx status code: 400 Bad Request: <?xml version=\"1.0\"?>\n<Error><Code>InvalidBucket</Code>\n\
                   <Message>no\nsuch</Message><AWSAccessKeyId>AKIA</AWSAccessKeyId></Error>";
        let error = to_port("k", &generic(xml)).to_string();
        assert!(error.ends_with("400 Bad Request: InvalidBucket no such"), "{error}");
        let long = to_port("k", &generic(&"x\u{1b}\n".repeat(1_000))).to_string();
        assert!(long.chars().count() < 400 && !long.contains(char::is_control), "{long}");
    }
}
