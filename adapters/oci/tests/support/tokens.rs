//! A token service as registries use one (JWT claimed by ES256), which knows one user, and gives nobody nothing.

use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::{BASE64, BASE64URL_NOPAD};
use rcgen::KeyPair;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use url::form_urlencoded;

use super::scripted::{Answer, Asked, Scripted};
use super::{PASSWORD, USER};

/// How the registry names its service, and the service itself.
pub(crate) const SERVICE: &str = "registry";
pub(crate) const ISSUER: &str = "tokens";

/// How many seconds its tokens last.
const LIFETIME: u64 = 300;

/// What the service takes in place of the password.
pub(crate) const IDENTITY: &str = "canary-identity";

/// The running service.
#[derive(Debug)]
pub(crate) struct TokenService {
    pub(crate) server: Scripted,
    /// The keys that the registry trusts, as JSON.
    pub(crate) keys: String,
}

impl TokenService {
    pub(crate) fn start() -> Self {
        let key = KeyPair::generate().expect("a key");
        let point = key.public_key_raw().to_vec();
        let coordinate = |range: std::ops::Range<usize>| BASE64URL_NOPAD.encode(&point[range]);
        let keys = format!(
            r#"{{"keys":[{{"kty":"EC","crv":"P-256","kid":"k","use":"sig","alg":"ES256","x":"{}","y":"{}"}}]}}"#,
            coordinate(1..33),
            coordinate(33..65)
        );
        let random = SystemRandom::new();
        let signer = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &key.serialize_der(), &random);
        let signer = signer.expect("a key for signing");
        let server = Scripted::start(move |asked| answer(asked, &signer, &random));
        Self { server, keys }
    }

    pub(crate) fn realm(&self) -> String {
        format!("http://127.0.0.1:{}/token", self.server.port)
    }
}

fn answer(asked: &Asked, signer: &EcdsaKeyPair, random: &SystemRandom) -> Answer {
    let by_password = asked.authorization() == Some(&basic(USER, PASSWORD));
    let form: Vec<(String, String)> = form_urlencoded::parse(&asked.body).into_owned().collect();
    let by_identity = form
        .iter()
        .any(|(name, value)| name == "refresh_token" && value == IDENTITY);
    if !by_password && !by_identity {
        return Answer::new(401, r#"{"errors":[{"code":"UNAUTHORIZED"}]}"#);
    }
    let query = asked.target.split_once('?').map_or("", |(_, query)| query);
    let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .chain(form)
        .collect();
    let scopes = pairs.iter().filter(|(name, _)| name == "scope");
    let access: Vec<String> = scopes
        .flat_map(|(_, scopes)| scopes.split(' '))
        .filter_map(access)
        .collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock").as_secs();
    let claims = format!(
        r#"{{"iss":"{ISSUER}","sub":"{USER}","aud":"{SERVICE}","exp":{},"nbf":{},"iat":{now},"jti":"{now}","access":[{}]}}"#,
        now + LIFETIME,
        now - 5,
        access.join(",")
    );
    let claimed = format!(
        "{}.{}",
        BASE64URL_NOPAD.encode(br#"{"typ":"JWT","alg":"ES256","kid":"k"}"#),
        BASE64URL_NOPAD.encode(claims.as_bytes())
    );
    let signature = signer.sign(random, claimed.as_bytes()).expect("a signature");
    let token = format!("{claimed}.{}", BASE64URL_NOPAD.encode(signature.as_ref()));
    Answer::new(200, format!(r#"{{"token":"{token}","expires_in":{LIFETIME}}}"#))
}

/// `repository:a/b:pull,push` as a token has it.
fn access(scope: &str) -> Option<String> {
    let (kind, rest) = scope.split_once(':')?;
    let (name, actions) = rest.rsplit_once(':')?;
    let actions: Vec<String> = actions.split(',').map(|action| format!("\"{action}\"")).collect();
    Some(format!(
        r#"{{"type":"{kind}","name":"{name}","actions":[{}]}}"#,
        actions.join(",")
    ))
}

/// The header of HTTP's basic scheme.
pub(crate) fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", BASE64.encode(format!("{user}:{password}").as_bytes()))
}
