//! Tokens of a GitHub App's installation.
//!
//! The app signs a short statement of who it is with its private key; the API gives a token for it, which is kept
//! until shortly before it ends, and dropped at once when the git server does not take it.

use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use convoy_domain::access::GitHubApp;
use convoy_domain::secret::Secret;
use convoy_ports::FetchError;
use convoy_web::{Site, failure};
use data_encoding::BASE64URL_NOPAD;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue, USER_AGENT};
use reqwest::{Client, Url};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde_json::{Value, json};

use crate::wire::lock;

/// GitHub's own API.
const API: &str = "https://api.github.com";

/// Bytes of an answer of the API.
const ANSWER_BYTES: usize = 64 * 1024;

/// How long a statement holds; the API takes ten minutes at most. It begins a little earlier, for slow clocks.
const STATEMENT: Duration = Duration::from_mins(9);
const BEFORE: Duration = Duration::from_mins(1);

/// A token is not used any more this long before its end.
const MARGIN: Duration = Duration::from_mins(5);

/// How many tokens are kept.
const KEPT: usize = 256;

/// Tokens that still hold.
#[derive(Debug, Default)]
pub(crate) struct Tokens(Mutex<Vec<Kept>>);

#[derive(Debug)]
struct Kept {
    app: GitHubApp,
    token: Secret<String>,
    until: SystemTime,
}

impl Tokens {
    /// A token for `app`: a kept one, or one that the API gives now, over `client`.
    pub(crate) async fn get(
        &self,
        app: &GitHubApp,
        client: &Client,
        site: &Site,
    ) -> Result<Secret<String>, FetchError> {
        let now = SystemTime::now();
        {
            let mut kept = lock(&self.0);
            kept.retain(|kept| kept.until > now);
            if let Some(found) = kept.iter().find(|kept| kept.app == *app) {
                return Ok(found.token.clone());
            }
        }
        let statement = statement(app, now, site)?;
        let answer = ask(app, &statement, client, site).await?;
        let (token, until) = read(&answer, site)?;
        if let Some(until) = until.and_then(|until| until.checked_sub(MARGIN)) {
            let mut kept = lock(&self.0);
            if kept.len() >= KEPT {
                kept.remove(0);
            }
            kept.push(Kept {
                app: app.clone(),
                token: token.clone(),
                until,
            });
        }
        Ok(token)
    }

    /// Forgets what was kept for `app`, because it was refused.
    pub(crate) fn forget(&self, app: &GitHubApp) {
        lock(&self.0).retain(|kept| kept.app != *app);
    }
}

/// The URL of the API.
pub(crate) fn api(app: &GitHubApp, site: &Site) -> Result<Url, FetchError> {
    let refused = || site.refused("the API of its GitHub App has no http or https URL");
    let url = Url::parse(app.api.as_deref().unwrap_or(API).trim()).map_err(|_| refused())?;
    let plain = url.username().is_empty() && url.password().is_none();
    match url.scheme() {
        "http" | "https" if plain => Ok(url),
        _ => Err(refused()),
    }
}

/// The app's word for who it is: a JSON web token, signed with RS256.
fn statement(app: &GitHubApp, now: SystemTime, site: &Site) -> Result<Secret<String>, FetchError> {
    let unusable = || site.authentication("the private key of its GitHub App is no RSA key in PEM");
    let pem = app.private_key.expose().as_bytes();
    let key = PrivateKeyDer::from_pem_slice(pem).map_err(|_| unusable())?;
    let key = if let PrivateKeyDer::Pkcs1(key) = &key {
        RsaKeyPair::from_der(key.secret_pkcs1_der())
    } else if let PrivateKeyDer::Pkcs8(key) = &key {
        RsaKeyPair::from_pkcs8(key.secret_pkcs8_der())
    } else {
        return Err(unusable());
    };
    let key = key.map_err(|_| unusable())?;
    let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let head = json!({"alg": "RS256", "typ": "JWT"});
    let body = json!({"iat": seconds(now - BEFORE), "exp": seconds(now + STATEMENT), "iss": app.app});
    let part = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let signed = format!("{}.{}", part(&head), part(&body));
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        signed.as_bytes(),
        &mut signature,
    )
    .map_err(|_| unusable())?;
    Ok(Secret::new(format!("{signed}.{}", BASE64URL_NOPAD.encode(&signature))))
}

async fn ask(app: &GitHubApp, statement: &Secret<String>, client: &Client, site: &Site) -> Result<Vec<u8>, FetchError> {
    let mut url = api(app, site)?;
    if !app.installation.bytes().all(|byte| byte.is_ascii_digit()) || app.installation.is_empty() {
        return Err(site.authentication("the installation of its GitHub App is no number"));
    }
    let path = format!(
        "{}/app/installations/{}/access_tokens",
        url.path().trim_end_matches('/'),
        app.installation
    );
    url.set_path(&path);
    let mut bearer = HeaderValue::from_str(&format!("Bearer {}", statement.expose()))
        .map_err(|_| site.authentication("the id of its GitHub App cannot be sent"))?;
    bearer.set_sensitive(true);
    let broke = |error| failure::of_transport(site, error);
    let request = client
        .post(url)
        .header(AUTHORIZATION, bearer)
        .header(ACCEPT, "application/vnd.github+json")
        .header(USER_AGENT, concat!("convoy/", env!("CARGO_PKG_VERSION")));
    let mut response = request.send().await.map_err(broke)?;
    let status = response.status();
    match status.as_u16() {
        200 | 201 => {}
        401 | 403 | 404 | 422 if !response.headers().contains_key("retry-after") => {
            return Err(site.authentication(format!("the API of its GitHub App answered {}", status.as_u16())));
        }
        429 | 403 | 500..=599 => return Err(failure::of_answer(site, status, response.headers())),
        code => return Err(site.authentication(format!("the API of its GitHub App answered {code}"))),
    }
    let mut answer = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(broke)? {
        answer.extend_from_slice(&piece);
        if answer.len() > ANSWER_BYTES {
            return Err(site.limit(format!(
                "{ANSWER_BYTES} bytes of an answer of the API of its GitHub App"
            )));
        }
    }
    Ok(answer)
}

/// The token of an answer, and its end.
fn read(answer: &[u8], site: &Site) -> Result<(Secret<String>, Option<SystemTime>), FetchError> {
    let unreadable = || site.authentication("the API of its GitHub App gave no token");
    let answer: Value = serde_json::from_slice(answer).map_err(|_| unreadable())?;
    let token = answer
        .get("token")
        .and_then(Value::as_str)
        .filter(|token| !token.is_empty());
    let token = Secret::new(token.ok_or_else(unreadable)?.to_owned());
    let until = answer
        .get("expires_at")
        .and_then(Value::as_str)
        .and_then(|text| text.parse::<convoy_domain::Timestamp>().ok())
        .and_then(|until| u64::try_from(until.as_second()).ok())
        .map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
    Ok((token, until))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        Site::of(&Url::parse("https://example.com/a.git").unwrap())
    }

    #[test]
    fn an_answer_gives_a_token_and_its_end() {
        let (token, until) = read(br#"{"token":"t","expires_at":"2026-01-02T03:04:05Z"}"#, &site()).unwrap();
        assert_eq!(token.expose(), "t");
        assert_eq!(until, Some(UNIX_EPOCH + Duration::from_secs(1_767_323_045)));
        for answer in [&b"{}"[..], b"", b"[]", br#"{"token":""}"#, br#"{"token":7}"#] {
            assert!(read(answer, &site()).is_err());
        }
        let (_, until) = read(br#"{"token":"t","expires_at":"soon"}"#, &site()).unwrap();
        assert_eq!(until, None);
    }

    #[test]
    fn a_key_that_is_none_is_told_and_not_repeated() {
        for key in [
            "",
            "canary",
            "-----BEGIN PRIVATE KEY-----\nY2FuYXJ5\n-----END PRIVATE KEY-----\n",
        ] {
            let app = GitHubApp {
                app: "1".into(),
                installation: "2".into(),
                private_key: Secret::new(key.into()),
                api: None,
            };
            let error = statement(&app, SystemTime::now(), &site()).unwrap_err();
            assert!(matches!(error, FetchError::Authentication { .. }), "{error}");
            assert!(!format!("{error:?}").contains("anary"), "{error:?}");
        }
    }
}
