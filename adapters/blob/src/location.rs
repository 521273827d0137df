//! What the URL of a store says.

use std::path::PathBuf;

use url::Url;

use crate::error::OpenError;
use crate::key::broken_rule;

/// A place for blobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// None.
    Nowhere,
    /// The memory of this process.
    Memory {
        /// Text before every key.
        prefix: String,
    },
    /// A directory.
    Directory {
        /// Its path.
        dir: PathBuf,
        /// Whether it is made when absent.
        create: bool,
        /// Text before every key.
        prefix: String,
    },
}

/// The parameters of a scheme, by the names that Go's blob drivers gave them.
struct Scheme {
    name: &'static str,
    parameters: &'static [&'static str],
    /// Accepted, without a use here.
    passed_over: &'static [&'static str],
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
const S3: Scheme = Scheme {
    name: "s3",
    parameters: &[
        "region",
        "endpoint",
        "disableSSL",
        "disable_https",
        "s3ForcePathStyle",
        "use_path_style",
        "anonymous",
        "prefix",
    ],
    passed_over: &["hostname_immutable", "profile", "awssdk"],
};
const GS: Scheme = Scheme {
    name: "gs",
    parameters: &["anonymous", "prefix"],
    passed_over: &["access_id"],
};
const AZBLOB: Scheme = Scheme {
    name: "azblob",
    parameters: &["storage_account", "domain", "protocol", "localemu", "prefix"],
    passed_over: &["cdn"],
};

/// Reads the URL of a store; the empty text is no store.
pub(crate) fn parse(text: &str) -> Result<Location, OpenError> {
    if text.is_empty() {
        return Ok(Location::Nowhere);
    }
    let url = Url::parse(text).map_err(OpenError::NotAUrl)?;
    match url.scheme() {
        "file" => directory(text, &url),
        "mem" => {
            let parameters = Parameters::read(&MEM, &url)?;
            if url.has_host() || !matches!(url.path(), "" | "/") {
                return Err(invalid(&MEM, "it is `mem://`, without host and path"));
            }
            Ok(Location::Memory {
                prefix: parameters.prefix()?,
            })
        }
        "s3" => unsupported(&S3, &url),
        "gs" => unsupported(&GS, &url),
        "azblob" => unsupported(&AZBLOB, &url),
        scheme => Err(OpenError::UnknownScheme {
            scheme: scheme.to_owned(),
        }),
    }
}

fn directory(text: &str, url: &Url) -> Result<Location, OpenError> {
    let parameters = Parameters::read(&FILE, url)?;
    // The URL library reads `file:dir` and `file://host/dir` as absolute paths too.
    if !text.to_ascii_lowercase().starts_with("file:///") {
        return Err(invalid(&FILE, "it is `file:///`, without a host, and an absolute path"));
    }
    let dir = url
        .to_file_path()
        .map_err(|()| invalid(&FILE, "its path is no path of this system"))?;
    Ok(Location::Directory {
        dir,
        create: parameters.flag("create_dir")?,
        prefix: parameters.prefix()?,
    })
}

fn unsupported(scheme: &'static Scheme, url: &Url) -> Result<Location, OpenError> {
    Parameters::read(scheme, url)?.prefix()?;
    if url.host_str().is_none_or(str::is_empty) {
        return Err(invalid(scheme, "it names no bucket"));
    }
    Err(OpenError::Unsupported { scheme: scheme.name })
}

fn invalid(scheme: &Scheme, rule: &'static str) -> OpenError {
    OpenError::InvalidUrl {
        scheme: scheme.name,
        rule,
    }
}

/// Known parameters, each at most once.
struct Parameters(Vec<(&'static str, String)>);

impl Parameters {
    fn read(scheme: &'static Scheme, url: &Url) -> Result<Self, OpenError> {
        let mut read: Vec<(&'static str, String)> = Vec::new();
        for (name, value) in url.query_pairs() {
            let known = scheme.parameters.iter().chain(scheme.passed_over);
            let Some(name) = known.copied().find(|known| *known == name) else {
                return Err(OpenError::UnknownParameter {
                    scheme: scheme.name,
                    name: name.chars().take(64).collect(),
                    known: scheme.parameters.join(", "),
                });
            };
            if read.iter().any(|(earlier, _)| *earlier == name) {
                return Err(OpenError::InvalidParameter {
                    name,
                    rule: "it stands twice",
                });
            }
            if scheme.passed_over.contains(&name) {
                tracing::warn!(
                    scheme = scheme.name,
                    parameter = name,
                    "the parameter of the render store has no use and is ignored"
                );
            }
            read.push((name, value.into_owned()));
        }
        if url.fragment().is_some() {
            return Err(invalid(scheme, "it must not have a fragment (`#`)"));
        }
        Ok(Self(read))
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    }

    fn flag(&self, name: &'static str) -> Result<bool, OpenError> {
        match self.get(name) {
            None | Some("false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(_) => Err(OpenError::InvalidParameter {
                name,
                rule: "expected true or false",
            }),
        }
    }

    /// Literal text: `a/` makes a directory of it, `a-` does not.
    fn prefix(&self) -> Result<String, OpenError> {
        let prefix = self.get("prefix").unwrap_or_default();
        // Whether a key behind it can be a key.
        match broken_rule(&format!("{prefix}k")) {
            None => Ok(prefix.to_owned()),
            Some(rule) => Err(OpenError::InvalidParameter { name: "prefix", rule }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dir(path: &str, create: bool, prefix: &str) -> Location {
        Location::Directory {
            dir: path.into(),
            create,
            prefix: prefix.into(),
        }
    }

    #[test]
    fn urls_name_a_place() {
        let memory = |prefix: &str| Location::Memory { prefix: prefix.into() };
        for (url, expected) in [
            ("", Location::Nowhere),
            ("mem://", memory("")),
            ("mem://?prefix=a/b-", memory("a/b-")),
            ("file:///var/lib/convoy", dir("/var/lib/convoy", false, "")),
            ("file:///var/lib/convoy/", dir("/var/lib/convoy/", false, "")),
            ("FILE:///a%20b?create_dir=true", dir("/a b", true, "")),
            (
                "file:///a?create_dir=1&prefix=team%2Fone%20",
                dir("/a", true, "team/one "),
            ),
            ("file:///a?create_dir=false&metadata=skip", dir("/a", false, "")),
        ] {
            assert_eq!(parse(url).unwrap(), expected, "{url}");
        }
    }

    #[test]
    fn other_urls_say_what_is_wrong() {
        for (url, expected) in [
            ("/var/lib/convoy", "the URL of the render store cannot be parsed"),
            ("ftp://host/dir", "`ftp` is no scheme of a render store"),
            ("file:var/lib", "without a host, and an absolute path"),
            ("file://host/var/lib", "without a host, and an absolute path"),
            (
                "file:///a?creat_dir=true",
                "`creat_dir` is no parameter of a `file` render store",
            ),
            ("file:///a?create_dir=yes", "expected true or false"),
            ("file:///a?create_dir=true&create_dir=false", "it stands twice"),
            ("file:///a?prefix=/x", "must be relative"),
            ("file:///a?prefix=a/../", "must be relative"),
            ("file:///a#b", "must not have a fragment"),
            ("mem://host", "without host and path"),
            ("mem:///path", "without host and path"),
            (
                "mem://?create_dir=true",
                "`create_dir` is no parameter of a `mem` render store",
            ),
            (
                "s3://bucket?region=eu-1&endpoint=x&disableSSL=true&s3ForcePathStyle=true&hostname_immutable=true&profile=p",
                "`s3` are not supported yet",
            ),
            (
                "s3://bucket?regoin=eu-1",
                "`regoin` is no parameter of a `s3` render store",
            ),
            ("s3://", "it names no bucket"),
            ("gs://bucket", "`gs` are not supported yet"),
            ("azblob://container?storage_account=x", "`azblob` are not supported yet"),
        ] {
            let message = parse(url).unwrap_err().to_string();
            assert!(message.contains(expected), "{url}: {message}");
        }
    }

    #[test]
    fn errors_keep_credentials_to_themselves() {
        for url in [
            "s3://user:hunter2@bucket",
            "file://user:hunter2@host/a",
            "mem://user:hunter2@h",
            "x://u:hunter2@h",
        ] {
            let error = parse(url).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
        }
    }
}
