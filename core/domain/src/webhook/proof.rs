//! Proofs that a sender knows a token: what each forge and registry sends, and whether it holds.
//!
//! | sender | header |
//! |---|---|
//! | GitHub | `X-Hub-Signature-256: sha256=<hex>` over the body |
//! | Bitbucket | `X-Hub-Signature: sha256=<hex>` over the body |
//! | Gitea, Forgejo, Gogs | `X-Gitea-Signature`, `X-Forgejo-Signature`, `X-Gogs-Signature`: `<hex>` over the body |
//! | GitLab | `X-Gitlab-Token: <token>`, or `webhook-signature: v1,<base64>` over id, time and body |
//! | Harbor | `Authorization: <token>`, also after a word such as `Bearer` |
//! | any other | `X-Signature: sha256=<hex>` or `sha512=<hex>` over the body |
//! | Docker Hub, and others that cannot sign | the `pathToken` as last part of the path |
//!
//! SHA-1 is taken from nobody: who sends it sends SHA-256 too, or can be told to.

use alloc::vec::Vec;

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::{Sha256, Sha512};

use super::path::PathToken;
use super::{PATH_TOKEN, TOKEN};
use crate::credentials::Entries;

/// Proofs that one request may hold; more are passed over.
const MOST: usize = 8;

/// The headers of one request that may hold a proof.
#[derive(Default)]
struct Claims {
    /// Macs of the body.
    of_body: Vec<Claim>,
    /// Macs of `<id>.<time>.<body>`.
    of_delivery: Vec<Claim>,
    id: Option<Vec<u8>>,
    time: Option<Vec<u8>>,
    /// Tokens themselves.
    tokens: Vec<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Claim {
    Sha256(Vec<u8>),
    Sha512(Vec<u8>),
}

/// A check under way: the body comes in pieces, so that none of it need be kept.
pub struct Check {
    proofs: Vec<Proof>,
    proved: bool,
}

enum Proof {
    Sha256(Hmac<Sha256>, Vec<u8>),
    Sha512(Hmac<Sha512>, Vec<u8>),
}

impl core::fmt::Debug for Check {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Check")
            .field("proofs", &self.proofs.len())
            .finish_non_exhaustive()
    }
}

impl Check {
    /// Begins a check of what `headers` and `token`, the last part of the path, claim. `entries` are those of the
    /// Secret that the source names; empty for a source that names none, or that does not exist.
    pub fn new<'h>(
        entries: &Entries,
        headers: impl IntoIterator<Item = (&'h str, &'h [u8])>,
        token: Option<PathToken<'_>>,
    ) -> Self {
        let claims = Claims::read(headers);
        let secret = entry(entries, TOKEN);
        let mut proved = false;
        for given in &claims.tokens {
            proved |= same(secret, given);
        }
        if let Some(given) = token {
            proved |= same(entry(entries, PATH_TOKEN), given.0.as_bytes());
        }
        // An empty key would make macs that anybody can compute.
        let proofs = secret.map(|secret| claims.proofs(secret)).unwrap_or_default();
        Self { proofs, proved }
    }

    /// The next piece of the body.
    pub fn update(&mut self, piece: &[u8]) {
        for proof in &mut self.proofs {
            proof.update(piece);
        }
    }

    /// Whether one of the proofs holds, now that the body is whole.
    #[must_use]
    pub fn passes(self) -> bool {
        let mut proved = self.proved;
        for proof in self.proofs {
            proved |= proof.holds();
        }
        proved
    }
}

/// A token that is there; one line end after it does not count.
fn entry<'a>(entries: &'a Entries, name: &str) -> Option<&'a [u8]> {
    let token = entries.get(name)?.expose().as_slice();
    let token = token.strip_suffix(b"\n").unwrap_or(token);
    let token = token.strip_suffix(b"\r").unwrap_or(token);
    (!token.is_empty()).then_some(token)
}

/// Compares by macs, whose comparison takes the same time whatever they are, and which hide how long a token is.
fn same(token: Option<&[u8]>, given: &[u8]) -> bool {
    let mac = |text: &[u8]| keyed::<Hmac<Sha256>>(b"convoy webhook token").map(|mac| mac.chain_update(text));
    match (token.and_then(mac), mac(given)) {
        (Some(one), Some(other)) => one.verify(&other.finalize().into_bytes()).is_ok(),
        (None, _) | (_, None) => false,
    }
}

/// A mac; every length of key will do.
fn keyed<M: KeyInit>(key: &[u8]) -> Option<M> {
    M::new_from_slice(key).ok()
}

impl Claims {
    fn read<'h>(headers: impl IntoIterator<Item = (&'h str, &'h [u8])>) -> Self {
        let mut claims = Self::default();
        for (name, value) in headers {
            let name = name.to_ascii_lowercase();
            claims.header(&name, value.trim_ascii());
        }
        claims
    }

    fn header(&mut self, name: &str, value: &[u8]) {
        match name {
            "x-hub-signature-256" | "x-hub-signature" | "x-signature" if self.of_body.len() < MOST => {
                self.of_body.extend(prefixed(value));
            }
            "x-gitea-signature" | "x-forgejo-signature" | "x-gogs-signature" if self.of_body.len() < MOST => {
                self.of_body.extend(digits(value, 32).map(Claim::Sha256));
            }
            "webhook-signature" => {
                let room = MOST.saturating_sub(self.of_delivery.len());
                self.of_delivery.extend(versions(value).take(room));
            }
            "webhook-id" => self.id = Some(value.to_vec()),
            "webhook-timestamp" => self.time = Some(value.to_vec()),
            "x-gitlab-token" if self.tokens.len() < MOST => self.tokens.push(value.to_vec()),
            "authorization" if self.tokens.len() < MOST => {
                self.tokens.push(value.to_vec());
                if let Some(at) = value.iter().position(|byte| *byte == b' ') {
                    self.tokens.push(value[at + 1..].trim_ascii().to_vec());
                }
            }
            _ => {}
        }
    }

    fn proofs(self, secret: &[u8]) -> Vec<Proof> {
        let of_body = self.of_body.into_iter().filter_map(|claim| Proof::new(claim, secret));
        let mut proofs: Vec<Proof> = of_body.collect();
        if let (Some(id), Some(time)) = (self.id, self.time) {
            let key = signing_key(secret);
            let begun = self.of_delivery.into_iter().filter_map(|claim| {
                let mut proof = Proof::new(claim, &key)?;
                for piece in [&id[..], b".", &time, b"."] {
                    proof.update(piece);
                }
                Some(proof)
            });
            proofs.extend(begun);
        }
        proofs
    }
}

impl Proof {
    fn new(claim: Claim, key: &[u8]) -> Option<Self> {
        match claim {
            Claim::Sha256(claimed) => keyed(key).map(|mac| Self::Sha256(mac, claimed)),
            Claim::Sha512(claimed) => keyed(key).map(|mac| Self::Sha512(mac, claimed)),
        }
    }

    fn update(&mut self, piece: &[u8]) {
        match self {
            Self::Sha256(mac, _) => mac.update(piece),
            Self::Sha512(mac, _) => mac.update(piece),
        }
    }

    fn holds(self) -> bool {
        match self {
            Self::Sha256(mac, claimed) => mac.verify_slice(&claimed).is_ok(),
            Self::Sha512(mac, claimed) => mac.verify_slice(&claimed).is_ok(),
        }
    }
}

/// `<algorithm>=<hex>`.
fn prefixed(value: &[u8]) -> Option<Claim> {
    let at = value.iter().position(|byte| *byte == b'=')?;
    let (algorithm, hex) = (&value[..at], &value[at + 1..]);
    match algorithm {
        b"sha256" => digits(hex, 32).map(Claim::Sha256),
        b"sha512" => digits(hex, 64).map(Claim::Sha512),
        _ => None,
    }
}

/// Bytes in hex, of a length that must be right.
fn digits(hex: &[u8], length: usize) -> Option<Vec<u8>> {
    if hex.len() != length * 2 {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    hex.chunks_exact(2)
        .map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?))
        .collect()
}

/// `v1,<base64>` for each key that the sender has, separated by spaces.
fn versions(value: &[u8]) -> impl Iterator<Item = Claim> + '_ {
    value
        .split(|byte| *byte == b' ')
        .filter_map(|version| convoy_sprig::decode64(version.strip_prefix(b"v1,")?).ok())
        .filter(|mac| mac.len() == 32)
        .map(Claim::Sha256)
}

/// The key of `webhook-signature`: `whsec_` and base64, or the token as it is.
fn signing_key(secret: &[u8]) -> Vec<u8> {
    let encoded = secret.strip_prefix(b"whsec_");
    let key = encoded.and_then(|encoded| convoy_sprig::decode64(encoded).ok());
    key.unwrap_or_else(|| secret.to_vec())
}

#[cfg(test)]
mod tests;
