//! What the URL of a store says.

mod cloud;
mod parameters;

use std::path::PathBuf;

use url::Url;

use crate::error::OpenError;
use parameters::{Parameters, Scheme};

pub(crate) use cloud::{Azure, Google, S3};

/// A store: where it is, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// Where.
    pub(crate) place: Place,
    /// Text before every key.
    pub(crate) prefix: String,
    /// The Secret that holds the credentials.
    pub(crate) secret: Option<String>,
}

/// A place for blobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The memory of this process.
    Memory,
    /// A directory.
    Directory {
        /// Its path.
        dir: PathBuf,
        /// Whether it is made when absent.
        create: bool,
    },
    /// A bucket of S3.
    S3(S3),
    /// A bucket of Google.
    Google(Google),
    /// A container of Azure.
    Azure(Azure),
}

const FILE: Scheme = Scheme {
    name: "file",
    parameters: &["create_dir", "prefix"],
    passed_over: &["metadata", "no_tmp_dir"],
};
const MEM: Scheme = Scheme {
    name: "mem",
    parameters: &["prefix"],
    passed_over: &[],
};

/// Most bytes of a URL.
const MOST_BYTES: usize = 4_096;

/// Reads what is of one scheme: from the text, its parts and its parameters.
type Read = fn(&str, &Url, &Parameters) -> Result<Place, OpenError>;

/// Reads the URL of a store; the empty text is none.
pub(crate) fn parse(text: &str) -> Result<Option<Location>, OpenError> {
    if text.is_empty() {
        return Ok(None);
    }
    if text.len() > MOST_BYTES {
        return Err(OpenError::TooLong { limit: MOST_BYTES });
    }
    let url = Url::parse(text).map_err(OpenError::NotAUrl)?;
    let (scheme, read): (_, Read) = match url.scheme() {
        "file" => (&FILE, directory),
        "mem" => (&MEM, memory),
        "s3" => (&cloud::S3_SCHEME, |_, url, parameters| cloud::s3(url, parameters)),
        "gs" => (&cloud::GS_SCHEME, |_, url, parameters| cloud::google(url, parameters)),
        "azblob" => (&cloud::AZBLOB_SCHEME, |_, url, parameters| {
            cloud::azure(url, parameters)
        }),
        scheme => {
            return Err(OpenError::UnknownScheme {
                scheme: scheme.to_owned(),
            });
        }
    };
    let parameters = Parameters::read(scheme, &url)?;
    Ok(Some(Location {
        place: read(text, &url, &parameters)?,
        prefix: parameters.prefix()?,
        secret: parameters.secret()?,
    }))
}

fn memory(_: &str, url: &Url, _: &Parameters) -> Result<Place, OpenError> {
    if url.has_host() || !matches!(url.path(), "" | "/") {
        return Err(invalid(&MEM, "it is `mem://`, without host and path"));
    }
    Ok(Place::Memory)
}

fn directory(text: &str, url: &Url, parameters: &Parameters) -> Result<Place, OpenError> {
    // The URL library reads `file:dir` and `file://host/dir` as absolute paths too.
    if !text.trim_start().to_ascii_lowercase().starts_with("file:///") {
        return Err(invalid(&FILE, "it is `file:///`, without a host, and an absolute path"));
    }
    let dir = url
        .to_file_path()
        .map_err(|()| invalid(&FILE, "its path is no path of this system"))?;
    Ok(Place::Directory {
        dir,
        create: parameters.flag("create_dir")?,
    })
}

fn invalid(scheme: &Scheme, rule: &'static str) -> OpenError {
    OpenError::InvalidUrl {
        scheme: scheme.name,
        rule,
    }
}

#[cfg(test)]
mod tests;
