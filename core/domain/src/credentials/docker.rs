//! The credentials of one registry in docker's configuration file.
//!
//! `auths` maps places to credentials. A place is a host, with or without scheme, port and path; as for the kubelet, a
//! part of the host may be `*`, and of several places that fit the one with the longest path counts. Programs that
//! keep credentials (`credHelpers`, `credsStore`) are not run.

use alloc::borrow::ToOwned as _;
use alloc::string::{String, ToString};

use convoy_value::{Limits, Map, Value, json};

use super::entries::Reading;
use super::{CredentialsError, Flaw};
use crate::access::Credentials;
use crate::secret::Secret;
use crate::url;

/// The entry of a Secret of type `kubernetes.io/dockerconfigjson`.
const ENTRY: &str = ".dockerconfigjson";

/// Where images and charts of Docker Hub come from, by each of its names.
const DOCKER_HUB: [&str; 3] = ["docker.io", "index.docker.io", "registry-1.docker.io"];

/// The credentials for the registry of `url`.
pub(super) fn credentials(reading: &Reading<'_>, url: &str) -> Result<Credentials, CredentialsError> {
    let unusable = |why| reading.flaw(Flaw::Unusable(ENTRY, why));
    let config = json::parse(reading.bytes(ENTRY)?.expose(), &Limits::default()).map_err(|_| unusable("is no JSON"))?;
    let auths = config.get("auths").and_then(Value::as_object);
    let auths = auths.ok_or_else(|| unusable("has no mapping `auths`"))?;
    let (host, path) = url::place(url).unwrap_or_default();
    let other = || reading.flaw(Flaw::OtherHost(host.clone()));
    let entry = entry(auths, &host, &path).ok_or_else(other)?;
    of_entry(entry).map_err(unusable)
}

/// The entry whose place fits best.
fn entry<'a>(auths: &'a Map, host: &str, path: &str) -> Option<&'a Value> {
    auths
        .iter()
        .filter_map(|(place, entry)| Some((fit(place, host, path)?, entry)))
        .max_by_key(|(fit, _)| *fit)
        .map(|(_, entry)| entry)
}

/// How well a place fits: the length of its path, then whether it names the host itself.
fn fit(place: &str, host: &str, path: &str) -> Option<(usize, bool)> {
    let place = place
        .split_once("://")
        .map_or(place, |(_, rest)| rest)
        .trim_matches('/');
    let (of_host, of_path) = place.split_once('/').unwrap_or((place, ""));
    // `https://index.docker.io/v1/` is how docker writes the Hub: the version of the API is no path of images.
    let of_path = match of_path.trim_matches('/') {
        "v1" | "v2" => "",
        path => path,
    };
    let below = path
        .strip_prefix(of_path)
        .is_some_and(|rest| of_path.is_empty() || rest.is_empty() || rest.starts_with('/'));
    let exact = same_host(of_host, host);
    (below && (exact || covers(of_host, host))).then_some((of_path.len(), exact))
}

fn same_host(one: &str, other: &str) -> bool {
    let hub = |host: &str| DOCKER_HUB.iter().any(|name| name.eq_ignore_ascii_case(host));
    one.eq_ignore_ascii_case(other) || hub(one) && hub(other)
}

/// Whether a host with `*` for whole parts covers another of as many parts, with the same port.
fn covers(pattern: &str, host: &str) -> bool {
    let split = |text: &str| {
        let (name, port) = text.split_once(':').unwrap_or((text, ""));
        (name.to_ascii_lowercase(), port.to_owned())
    };
    let ((pattern, its_port), (host, port)) = (split(pattern), split(host));
    let same_count = pattern.split('.').count() == host.split('.').count();
    let mut parts = pattern.split('.').zip(host.split('.'));
    pattern.contains('*') && its_port == port && same_count && parts.all(|(one, other)| one == "*" || one == other)
}

fn of_entry(entry: &Value) -> Result<Credentials, &'static str> {
    let text = |name: &str| {
        let text = entry.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.map(ToString::to_string)
    };
    if let Some(token) = text("registrytoken") {
        return Ok(Credentials::Token(Secret::new(token)));
    }
    if let Some(token) = text("identitytoken") {
        return Ok(Credentials::IdentityToken(Secret::new(token)));
    }
    let (username, password) = match (text("username"), text("password"), text("auth")) {
        (Some(username), Some(password), _) => (username, password),
        (_, _, Some(auth)) => decoded(&auth)?,
        (Some(_), None, None) | (None, _, None) => {
            return Err("has neither `auth` nor `username` and `password` for the registry");
        }
    };
    Ok(Credentials::Basic {
        username: Secret::new(username),
        password: Secret::new(password),
    })
}

/// `user:password` in base64; docker may end it in zero bytes.
fn decoded(auth: &str) -> Result<(String, String), &'static str> {
    const WHY: &str = "has an `auth` for the registry that is no `user:password` in base64";
    let bytes = convoy_sprig::decode64(auth.trim().as_bytes()).map_err(|_| WHY)?;
    let text = String::from_utf8(bytes).map_err(|_| WHY)?;
    let (username, password) = text.split_once(':').ok_or(WHY)?;
    Ok((username.to_owned(), password.trim_matches('\0').to_owned()))
}
