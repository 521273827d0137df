//! Tokens: what a registry's token service is asked, what it answers, and who may be shown the source's credentials.
//!
//! The service is named by the registry, and may be on another host: Docker Hub's is. A password of the source goes
//! there only where [`may_receive`] says so; without one, any service is asked as nobody.

use std::time::Duration;

use convoy_domain::secret::Secret;
use serde::Deserialize;
use url::Url;

use crate::reference::Repository;

/// Bytes of an answer that are read.
pub const TOKEN_BYTES: u64 = 64 * 1024;

/// How long a token lasts whose service does not say: what clients have to take it for.
const LIFETIME: Duration = Duration::from_mins(1);

/// The longest time that a token is kept, whatever its service says.
const LONGEST_LIFETIME: Duration = Duration::from_hours(1);

/// How long before its end a token is not used any more.
const MARGIN: Duration = Duration::from_secs(10);

/// How many scopes of a challenge are asked for.
const SCOPES: usize = 8;

/// Why a token service is not asked, or its answer does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The registry names no URL of http or https.
    #[error("its token service has no http(s) URL")]
    Realm,
    /// The URL has a user or a password.
    #[error("the URL of its token service holds credentials")]
    RealmCredentials,
    /// From https to http.
    #[error("its token service is without TLS, which the registry has")]
    Downgrade,
    /// There is no token in the answer.
    #[error("its token service gave no token")]
    None,
    /// The token cannot be a part of a header.
    #[error("its token service gave a token that HTTP cannot send")]
    Unsendable,
}

/// Reads the URL of the token service of `registry`.
///
/// # Errors
/// When it is none, holds credentials, or is without TLS where the registry has it.
pub fn service_url(realm: &str, registry: &Url) -> Result<Url, TokenError> {
    let mut url = Url::parse(realm.trim()).map_err(|_| TokenError::Realm)?;
    match url.scheme() {
        "https" => {}
        "http" if registry.scheme() == "http" => {}
        "http" => return Err(TokenError::Downgrade),
        _ => return Err(TokenError::Realm),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(TokenError::RealmCredentials);
    }
    url.set_fragment(None);
    Ok(url)
}

/// Whether the token service may see the credentials of a source for `registry`: on the registry's own host, or, by TLS,
/// on a name within the domain that the registry's name is of (`auth.docker.io` for `registry-1.docker.io`, `gitlab.com`
/// for `registry.gitlab.com`).
///
/// Docker and Helm send them wherever the registry says. Whoever wants another host names it in a docker configuration,
/// with the credentials that are meant for it.
#[must_use]
pub fn may_receive(registry: &Url, service: &Url) -> bool {
    let (Some(own), Some(other)) = (registry.host_str(), service.host_str()) else {
        return false;
    };
    if registry.scheme() == "https" && service.scheme() != "https" {
        return false;
    }
    if own == other {
        return true;
    }
    let is_name = |host: &str| !host.starts_with('[') && host.parse::<std::net::Ipv4Addr>().is_err();
    if service.scheme() != "https" || !is_name(own) || !is_name(other) {
        return false;
    }
    let within = |domain: &str| other.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
    let parent = own.split_once('.').map(|(_, parent)| parent);
    // A domain of one part is everybody's.
    let parent = parent.filter(|parent| parent.contains('.'));
    within(own) || parent.is_some_and(|parent| other == parent || within(parent))
}

/// What a token must allow: what the registry asks for, without more than reading; if it does not say, reading the
/// repository.
#[must_use]
pub fn scopes(challenged: Option<&str>, repository: Option<&Repository>) -> Vec<String> {
    let asked = challenged.unwrap_or_default().split_ascii_whitespace();
    let scopes: Vec<String> = asked.take(SCOPES).filter_map(reading).collect();
    match repository {
        Some(repository) if scopes.is_empty() => vec![format!("repository:{repository}:pull")],
        Some(_) | None => scopes,
    }
}

/// A scope without actions besides `pull`; one of another form is the registry's own affair.
fn reading(scope: &str) -> Option<String> {
    let Some((resource, actions)) = scope.rsplit_once(':').filter(|_| scope.starts_with("repository")) else {
        return (scope.len() <= 256).then(|| scope.to_owned());
    };
    let pulls = actions.split(',').any(|action| matches!(action, "pull" | "*"));
    (pulls && scope.len() <= 512).then(|| format!("{resource}:pull"))
}

/// The URL that gives a token, for a user with a password or for nobody.
#[must_use]
pub fn query(service_url: &Url, service: Option<&str>, scopes: &[String]) -> Url {
    let mut url = service_url.clone();
    if service.is_some() || !scopes.is_empty() {
        let mut pairs = url.query_pairs_mut();
        if let Some(service) = service {
            pairs.append_pair("service", service);
        }
        for scope in scopes {
            pairs.append_pair("scope", scope);
        }
    }
    url
}

/// The form that is sent to get a token for an identity token.
#[must_use]
pub fn form(identity: &Secret<String>, service: Option<&str>, scopes: &[String]) -> Secret<Vec<u8>> {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("grant_type", "refresh_token");
    form.append_pair("client_id", "convoy");
    form.append_pair("service", service.unwrap_or_default());
    form.append_pair("scope", &scopes.join(" "));
    form.append_pair("refresh_token", identity.expose().trim());
    Secret::new(form.finish().into_bytes())
}

/// A token, and how long it can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What is shown.
    pub value: Secret<String>,
    /// From when it was given on, with a margin.
    pub lifetime: Duration,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    token: Option<String>,
    #[serde(default)]
    access_token: Option<String>,
    #[serde(default)]
    expires_in: Option<serde_json::Value>,
}

impl Token {
    /// Reads what a token service answers.
    ///
    /// # Errors
    /// When there is no token in it.
    pub fn parse(bytes: &[u8]) -> Result<Self, TokenError> {
        let answer: Answer = serde_json::from_slice(bytes).map_err(|_| TokenError::None)?;
        let given = |token: Option<String>| token.filter(|token| !token.is_empty());
        let value = given(answer.token).or_else(|| given(answer.access_token));
        let value = value.ok_or(TokenError::None)?;
        if !value.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(TokenError::Unsendable);
        }
        // Some services write the number as a text, or with a fraction.
        let seconds = match answer.expires_in {
            Some(serde_json::Value::Number(number)) => number.as_f64(),
            Some(serde_json::Value::String(text)) => text.trim().parse().ok(),
            Some(_) | None => None,
        };
        let said = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let lifetime = said.filter(|said| !said.is_zero()).unwrap_or(LIFETIME);
        Ok(Self {
            value: Secret::new(value),
            lifetime: lifetime.min(LONGEST_LIFETIME).saturating_sub(MARGIN),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Registry;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_service_has_tls_where_the_registry_has_it() {
        let check = |realm: &str, registry: &str, expect: Result<&str, TokenError>| {
            let found = service_url(realm, &url(registry)).map(String::from);
            assert_eq!(found, expect.map(str::to_owned), "{realm} {registry}");
        };
        check("https://auth/token#x", "https://r/", Ok("https://auth/token"));
        check("http://auth/token?a=b", "http://r/", Ok("http://auth/token?a=b"));
        check("https://auth/token", "http://r/", Ok("https://auth/token"));
        check("http://auth/token", "https://r/", Err(TokenError::Downgrade));
        check(
            "https://ann:canary@auth/token",
            "https://r/",
            Err(TokenError::RealmCredentials),
        );
        check("file:///etc/passwd", "http://r/", Err(TokenError::Realm));
        check("/token", "https://r/", Err(TokenError::Realm));
        check("", "https://r/", Err(TokenError::Realm));
    }

    #[test]
    fn credentials_stay_with_the_registry_and_its_domain() {
        let check = |registry: &str, service: &str, expect: bool| {
            assert_eq!(
                may_receive(&url(registry), &url(service)),
                expect,
                "{registry} {service}"
            );
        };
        check("https://ghcr.io", "https://ghcr.io/token", true);
        check("https://r.example:5000", "https://r.example:5001/token", true);
        check("http://127.0.0.1:5000", "http://127.0.0.1:5001/token", true);
        check("https://registry-1.docker.io", "https://auth.docker.io/token", true);
        check("https://registry.gitlab.com", "https://gitlab.com/jwt/auth", true);
        check("https://example.com", "https://auth.example.com/token", true);
        check("http://r.example.com", "https://auth.example.com/token", true);
        check("http://r.example.com", "http://auth.example.com/token", false);
        check("https://r.example.com", "http://r.example.com/token", false);
        check("https://ghcr.io", "https://evil.io/token", false);
        check("https://ghcr.io", "https://io/token", false);
        check("https://r.example.com", "https://evilexample.com/token", false);
        check("https://r.example.com", "https://example.com.evil.io/token", false);
        check("http://127.0.0.1:5000", "http://127.0.0.2:5001/token", false);
        check("https://10.1.2.3", "https://9.1.2.3/token", false);
        check("https://[::1]", "https://[::2]/token", false);
        check("https://localhost", "https://evil.localhost.example/token", false);
    }

    #[test]
    fn no_token_allows_more_than_reading() {
        let repository = Registry::parse("oci://h/a").unwrap().repository("b").unwrap();
        let check = |challenged: Option<&str>, expect: &[&str]| {
            assert_eq!(scopes(challenged, Some(&repository)), expect, "{challenged:?}");
        };
        check(None, &["repository:a/b:pull"]);
        check(Some(""), &["repository:a/b:pull"]);
        check(Some("repository:a/b:pull,push,delete"), &["repository:a/b:pull"]);
        check(Some("repository:a/b:push"), &["repository:a/b:pull"]);
        check(
            Some("repository(plugin):a:pull,push  aws"),
            &["repository(plugin):a:pull", "aws"],
        );
        check(Some("registry:catalog:*"), &["registry:catalog:*"]);
        assert_eq!(scopes(None, None), [""; 0]);
        assert_eq!(scopes(Some(&"a ".repeat(1000)), None).len(), SCOPES);
    }

    #[test]
    fn requests_are_as_services_read_them() {
        let scopes = ["repository:a/b:pull".to_owned(), "c d".to_owned()];
        let found = query(&url("https://auth/token?x=1"), Some("r & s"), &scopes);
        assert_eq!(
            found.as_str(),
            "https://auth/token?x=1&service=r+%26+s&scope=repository%3Aa%2Fb%3Apull&scope=c+d"
        );
        assert_eq!(
            query(&url("https://auth/token"), None, &[]).as_str(),
            "https://auth/token"
        );
        let form = form(&Secret::new("ca&nary\n".to_owned()), Some("s"), &scopes);
        assert!(!format!("{form:?}").contains("nary"));
        assert_eq!(
            String::from_utf8(form.expose().clone()).unwrap(),
            "grant_type=refresh_token&client_id=convoy&service=s&scope=repository%3Aa%2Fb%3Apull+c+d&refresh_token=ca%26nary"
        );
    }

    #[test]
    fn tokens_are_read_in_both_notations() {
        let check = |text: &str, expect: Result<(&str, u64), TokenError>| {
            let found =
                Token::parse(text.as_bytes()).map(|token| (token.value.expose().clone(), token.lifetime.as_secs()));
            assert_eq!(
                found,
                expect.map(|(value, lifetime)| (value.to_owned(), lifetime)),
                "{text}"
            );
        };
        check(r#"{"token":"a","expires_in":300}"#, Ok(("a", 290)));
        check(r#"{"access_token":"a"}"#, Ok(("a", 50)));
        check(r#"{"token":"","access_token":"b","expires_in":"120"}"#, Ok(("b", 110)));
        check(r#"{"token":"a","expires_in":99999999}"#, Ok(("a", 3590)));
        check(r#"{"token":"a","expires_in":0}"#, Ok(("a", 50)));
        check(r#"{"token":"a","expires_in":-5}"#, Ok(("a", 50)));
        check(r#"{"token":"a","expires_in":5}"#, Ok(("a", 0)));
        check(r#"{"token":"a b"}"#, Err(TokenError::Unsendable));
        check(r#"{"token":null}"#, Err(TokenError::None));
        check("{}", Err(TokenError::None));
        check("no", Err(TokenError::None));
    }
}
