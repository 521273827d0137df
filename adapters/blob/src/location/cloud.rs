//! Buckets and containers of clouds.

use url::Url;

use super::parameters::{Parameters, Scheme, refused};
use super::{Place, invalid};
use crate::error::OpenError;

/// A bucket of S3, or of what speaks as S3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct S3 {
    /// Its name.
    pub(crate) bucket: String,
    /// Where it is, if the URL says so.
    pub(crate) region: Option<String>,
    /// The server, when it is not Amazon's: a URL without the bucket.
    pub(crate) endpoint: Option<Url>,
    /// Whether the name of the bucket is the first part of paths, rather than of the host.
    pub(crate) path_style: bool,
    /// Whether requests are not signed.
    pub(crate) anonymous: bool,
    /// How the server encrypts.
    pub(crate) encryption: Option<(String, Option<String>)>,
}

/// A bucket of Google.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Google {
    /// Its name.
    pub(crate) bucket: String,
    /// Whether requests carry no token.
    pub(crate) anonymous: bool,
}

/// A container of Azure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Azure {
    /// Its name.
    pub(crate) container: String,
    /// The storage account, if the URL names it.
    pub(crate) account: Option<String>,
    /// Host and port behind the account's name.
    pub(crate) domain: Option<String>,
    /// Whether the protocol is http.
    pub(crate) plain_http: bool,
    /// Whether the account is the first part of paths, as at the emulator.
    pub(crate) emulator: bool,
    /// Whether the domain stands alone, without the account.
    pub(crate) cdn: bool,
}

pub(super) const S3_SCHEME: Scheme = Scheme {
    name: "s3",
    parameters: &[
        "region",
        "endpoint",
        "disableSSL",
        "disable_https",
        "s3ForcePathStyle",
        "use_path_style",
        "hostname_immutable",
        "anonymous",
        "ssetype",
        "kmskeyid",
        "secret",
        "prefix",
    ],
    passed_over: &[
        "profile",
        "awssdk",
        "rate_limiter_capacity",
        "request_checksum_calculation",
        "response_checksum_validation",
    ],
};
pub(super) const GS_SCHEME: Scheme = Scheme {
    name: "gs",
    parameters: &["anonymous", "secret", "prefix"],
    passed_over: &["access_id", "private_key_path"],
};
pub(super) const AZBLOB_SCHEME: Scheme = Scheme {
    name: "azblob",
    parameters: &[
        "storage_account",
        "domain",
        "protocol",
        "localemu",
        "cdn",
        "secret",
        "prefix",
    ],
    passed_over: &[],
};

pub(super) fn s3(url: &Url, parameters: &Parameters) -> Result<Place, OpenError> {
    let bucket = bucket(&S3_SCHEME, url)?;
    let region = parameters.checked("region", "expected letters, digits and `-`, at most 64", |text| {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
        !text.is_empty() && text.len() <= 64 && text.chars().all(fits)
    })?;
    let plain_http = parameters.any_flag(&["disableSSL", "disable_https"])?;
    let endpoint = parameters
        .get("endpoint")
        .map(|text| endpoint(text, plain_http))
        .transpose()?;
    if plain_http && endpoint.is_none() {
        return Err(refused("disableSSL", "it needs an `endpoint`"));
    }
    let asked_for = parameters.any_flag(&["s3ForcePathStyle", "use_path_style", "hostname_immutable"])?;
    // A certificate for `*.host` does not cover a bucket with dots, and an address has no names below it.
    let needed = bucket.contains('.')
        || endpoint
            .as_ref()
            .is_some_and(|url| url.domain().is_none_or(|host| host == "localhost"));
    let kinds = "expected AES256, aws:kms or aws:kms:dsse";
    let kind = parameters.checked("ssetype", kinds, |text| {
        matches!(text, "AES256" | "aws:kms" | "aws:kms:dsse")
    })?;
    let key = parameters.checked("kmskeyid", "expected the id of a key", |text| !text.is_empty())?;
    let encryption = match (kind, key) {
        (Some(kind), key) if kind != "AES256" || key.is_none() => Some((kind, key)),
        (None, None) => None,
        (Some(_) | None, _) => return Err(refused("kmskeyid", "it needs `ssetype=aws:kms` or `aws:kms:dsse`")),
    };
    Ok(Place::S3(S3 {
        bucket,
        region,
        endpoint,
        path_style: asked_for || needed,
        anonymous: parameters.flag("anonymous")?,
        encryption,
    }))
}

pub(super) fn google(url: &Url, parameters: &Parameters) -> Result<Place, OpenError> {
    Ok(Place::Google(Google {
        bucket: bucket(&GS_SCHEME, url)?,
        anonymous: parameters.flag("anonymous")?,
    }))
}

pub(super) fn azure(url: &Url, parameters: &Parameters) -> Result<Place, OpenError> {
    let account = parameters.checked(
        "storage_account",
        "expected 3 to 24 lower-case letters and digits",
        |text| {
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            (3..=24).contains(&text.len()) && text.chars().all(fits)
        },
    )?;
    let domain = parameters.checked("domain", "expected a host, and a port if there is one", is_authority)?;
    let protocol = parameters.checked("protocol", "expected http or https", |text| {
        matches!(text, "http" | "https")
    })?;
    // As Go's driver: the emulator is known by its address too.
    let at_loopback = domain
        .as_deref()
        .is_some_and(|domain| domain.starts_with("127.0.0.1") || domain.starts_with("localhost"));
    let emulator = parameters.flag("localemu")? || at_loopback;
    Ok(Place::Azure(Azure {
        container: bucket(&AZBLOB_SCHEME, url)?,
        account,
        plain_http: protocol.as_deref() == Some("http") || (protocol.is_none() && emulator),
        domain,
        emulator,
        cdn: parameters.flag("cdn")?,
    }))
}

/// The host of the URL, which names the bucket.
fn bucket(scheme: &Scheme, url: &Url) -> Result<String, OpenError> {
    if !url.username().is_empty() || url.password().is_some() || url.port().is_some() {
        return Err(invalid(scheme, "it must not have a user, a password or a port"));
    }
    if !matches!(url.path(), "" | "/") {
        return Err(invalid(
            scheme,
            "it must not have a path: `prefix=` puts a text before every key",
        ));
    }
    let name = url.host_str().unwrap_or_default();
    if name.is_empty() {
        return Err(invalid(scheme, "it names no bucket"));
    }
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !(3..=222).contains(&name.len()) || !name.chars().all(fits) || name.contains("..") {
        return Err(invalid(
            scheme,
            "a bucket has 3 to 222 letters, digits, `-`, `_` and `.`",
        ));
    }
    Ok(name.to_owned())
}

/// A host with or without a port, or a URL of http or https.
fn endpoint(text: &str, plain_http: bool) -> Result<Url, OpenError> {
    const RULE: &str = "expected a host and port, or an http or https URL without user and query";
    let whole = if text.contains("://") {
        text.to_owned()
    } else if plain_http {
        format!("http://{text}")
    } else {
        format!("https://{text}")
    };
    let mut url = Url::parse(&whole).map_err(|_| refused("endpoint", RULE))?;
    let bare =
        url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
    if !matches!(url.scheme(), "http" | "https") || !bare || url.host_str().is_none_or(str::is_empty) {
        return Err(refused("endpoint", RULE));
    }
    if plain_http && url.scheme() == "https" {
        url.set_scheme("http").map_err(|()| refused("endpoint", RULE))?;
    }
    Ok(url)
}

/// Whether a text is a host with or without a port.
fn is_authority(text: &str) -> bool {
    Url::parse(&format!("https://{text}/")).is_ok_and(|url| {
        url.username().is_empty()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.password().is_none()
    }) && !text.contains(['/', '@', '?', '#'])
}
