//! A session with an ssh server: the host is told apart, then the user is proved, then a command runs.

use std::sync::Arc;

use convoy_domain::access::SshAccess;
use convoy_ports::FetchError;
use convoy_web::{Site, failure::clean};
use russh::client::{AuthResult, Config, Handle, Handler, Msg};
use russh::keys::ssh_key::Kdf;
use russh::keys::{
    Algorithm, EcdsaCurve, HashAlg, PrivateKey, PrivateKeyWithHashAlg, PublicKeyOrCertificate, decode_secret_key,
};
use russh::{AlgorithmKind, Channel, ChannelMsg, Error, Preferred, SshId, cipher};
use tokio::net::TcpStream;

use super::known_hosts::HostKeys;
use crate::endpoint::SshAddress;

/// A session whose user is proved.
pub(super) type Session = Handle<Host>;

/// Compares the key that a host shows.
#[derive(Debug)]
pub(super) struct Host(HostKeys);

impl Handler for Host {
    type Error = Error;

    async fn check_server_key(&mut self, shown: &PublicKeyOrCertificate) -> Result<bool, Error> {
        match shown {
            PublicKeyOrCertificate::PublicKey { key, .. } => Ok(self.0.trusts(key)),
            // None is asked for.
            PublicKeyOrCertificate::Certificate(_) => Ok(false),
        }
    }
}

/// Ciphers, quickest first.
const CIPHERS: &[cipher::Name] = &[
    cipher::AES_256_GCM,
    cipher::AES_128_GCM,
    cipher::CHACHA20_POLY1305,
    cipher::AES_256_CTR,
    cipher::AES_128_CTR,
];

/// Opens a session over `socket` and proves its user.
pub(super) async fn enter(
    socket: TcpStream,
    address: &SshAddress,
    access: &SshAccess,
    keys: HostKeys,
    site: &Site,
) -> Result<Session, FetchError> {
    let config = Config {
        client_id: SshId::Standard(concat!("SSH-2.0-convoy_", env!("CARGO_PKG_VERSION")).into()),
        preferred: Preferred {
            key: algorithms(&keys).into(),
            cipher: CIPHERS.into(),
            ..Preferred::DEFAULT
        },
        nodelay: true,
        ..Config::default()
    };
    // Before anything is sent: a key that cannot be read needs no server.
    let identity = identity(access, site)?;
    let connected = russh::client::connect_stream(Arc::new(config), socket, Host(keys)).await;
    let mut session = connected.map_err(|error| of_connection(&error, site))?;
    prove(&mut session, &address.user, identity, access, site).await?;
    Ok(session)
}

/// Bytes of an identity: more than the largest key that is of use.
const IDENTITY_BYTES: usize = 16 * 1024;

/// How often a passphrase is stirred at most; ssh-keygen does it 24 times unless told otherwise. It takes milliseconds
/// each, and nothing can interrupt it.
const ROUNDS: u32 = 512;

fn identity(access: &SshAccess, site: &Site) -> Result<Option<PrivateKey>, FetchError> {
    let Some(identity) = &access.identity else {
        return Ok(None);
    };
    let text = identity.expose().as_str();
    if text.len() > IDENTITY_BYTES {
        return Err(site.limit(format!("{IDENTITY_BYTES} bytes of an identity")));
    }
    // What locks keys in other formats may ask for any amount of time and memory.
    if text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.trim_start().starts_with("PuTTY-") {
        return Err(site.authentication("its identity is locked in another format than OpenSSH's"));
    }
    let rounds = PrivateKey::from_openssh(text).map(|key| key.kdf().clone());
    if let Ok(Kdf::Bcrypt { rounds, .. }) = rounds
        && rounds > ROUNDS
    {
        return Err(site.limit(format!("{ROUNDS} rounds of its identity's passphrase")));
    }
    let passphrase = access.passphrase.as_ref().map(|text| text.expose().as_str());
    match decode_secret_key(text, passphrase) {
        Ok(key) => Ok(Some(key)),
        // The library's words may repeat what it read.
        Err(_) if passphrase.is_some() => {
            Err(site.authentication("its identity is no private key, or has another passphrase"))
        }
        Err(_) => Err(site.authentication("its identity is no private key, or has a passphrase")),
    }
}

async fn prove(
    session: &mut Session,
    user: &str,
    identity: Option<PrivateKey>,
    access: &SshAccess,
    site: &Site,
) -> Result<(), FetchError> {
    let broke = |error: Error| of_connection(&error, site);
    let mut tried = Vec::new();
    if let Some(key) = identity {
        let hash = if key.algorithm().is_rsa() {
            let best = session.best_supported_rsa_hash().await.map_err(broke)?;
            best.unwrap_or(Some(HashAlg::Sha256))
        } else {
            None
        };
        let key = PrivateKeyWithHashAlg::new(Arc::new(key), hash);
        if let AuthResult::Success = session.authenticate_publickey(user, key).await.map_err(broke)? {
            return Ok(());
        }
        tried.push("key");
    }
    if let Some(password) = &access.password {
        let answer = session.authenticate_password(user, password.expose().as_str()).await;
        if let AuthResult::Success = answer.map_err(broke)? {
            return Ok(());
        }
        tried.push("password");
    }
    if tried.is_empty() {
        if let AuthResult::Success = session.authenticate_none(user).await.map_err(broke)? {
            return Ok(());
        }
        return Err(site.authentication("it wants an identity or a password"));
    }
    Err(site.authentication(format!(
        "it does not take the {} of `{}`",
        tried.join(" or the "),
        clean(user)
    )))
}

/// Starts `command`, and gives the channel that carries its input and output.
pub(super) async fn run(session: &Session, command: &str, site: &Site) -> Result<Channel<Msg>, FetchError> {
    let broke = |error: Error| of_connection(&error, site);
    let mut channel = session.channel_open_session().await.map_err(broke)?;
    // Servers that do not take it answer in the old protocol.
    channel
        .set_env(false, "GIT_PROTOCOL", "version=2")
        .await
        .map_err(broke)?;
    channel.exec(true, command).await.map_err(broke)?;
    loop {
        match channel.wait().await {
            Some(ChannelMsg::Success) => return Ok(channel),
            Some(ChannelMsg::Failure) => return Err(site.not_a_repository("it does not run `git-upload-pack`")),
            Some(ChannelMsg::WindowAdjusted { .. }) => {}
            Some(_) => return Err(site.unreachable("it answers what it was not asked")),
            None => return Err(site.unreachable("it closed the session")),
        }
    }
}

/// The key types of the host's known keys: it is asked for no other, so that it shows one that can be compared.
fn algorithms(keys: &HostKeys) -> Vec<Algorithm> {
    let mut found = Vec::new();
    for key in keys.trusted() {
        if key.algorithm().is_rsa() {
            found.extend([HashAlg::Sha512, HashAlg::Sha256].map(|hash| Algorithm::Rsa { hash: Some(hash) }));
        } else {
            found.push(key.algorithm());
        }
    }
    let best_first = [
        Algorithm::Ed25519,
        Algorithm::Ecdsa {
            curve: EcdsaCurve::NistP256,
        },
        Algorithm::Ecdsa {
            curve: EcdsaCurve::NistP384,
        },
        Algorithm::Ecdsa {
            curve: EcdsaCurve::NistP521,
        },
        Algorithm::Rsa {
            hash: Some(HashAlg::Sha512),
        },
        Algorithm::Rsa {
            hash: Some(HashAlg::Sha256),
        },
    ];
    best_first.into_iter().filter(|one| found.contains(one)).collect()
}

/// Why a session failed.
fn of_connection(error: &Error, site: &Site) -> FetchError {
    let stranger = matches!(
        error,
        Error::UnknownKey
            | Error::WrongServerSig
            | Error::NoCommonAlgo {
                kind: AlgorithmKind::Key,
                ..
            }
    );
    if stranger {
        site.not_trusted()
    } else {
        site.unreachable(clean(&error.to_string()))
    }
}
