//! Which Secrets a source names, and what their entries mean.
//!
//! The names of entries are those that Flux reads, and those of Kubernetes' own types of Secrets, so that a Secret that
//! another tool uses can be named as it is. A text may end in one line end, which tools that write files leave.
//!
//! # Invariant
//! An error names the field, the Secret and the entry; it never repeats what an entry holds.

mod docker;
mod entries;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use entries::Reading;

use crate::access::{Access, ClientCertificate, Credentials, GitHubApp, SignaturePolicy, SignedSubject, SshAccess};
use crate::condition::Reason;
use crate::secret::Secret;
use crate::source::{Source, SourceReason};
use crate::url;

/// The entries of a Secret.
pub type Entries = BTreeMap<String, Secret<Vec<u8>>>;

/// Names of Secrets, all in the namespace of the source; the one of certificate authorities is in
/// [`Tls`](crate::source::Tls).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SecretRefs {
    /// `spec.auth`: which kind of credentials, and the Secret that holds them.
    pub credentials: Option<(CredentialKind, String)>,
    /// `spec.verify`: what must be signed, and the Secret with the keys that count.
    pub signature: Option<(SignedSubject, String)>,
    /// `spec.webhookSecretRef`. No fetch reads it.
    pub webhook: Option<String>,
}

/// `spec.auth.type`, but for `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialKind {
    /// `username` and `password`.
    Basic,
    /// `token` or `bearerToken`.
    Token,
    /// `identity` (or `ssh-privatekey`) or `password`, and `known_hosts`.
    Ssh,
    /// `githubAppID`, `githubAppInstallationID`, `githubAppPrivateKey`, and `githubAppBaseURL` of a server of one's own.
    GitHubApp,
    /// `tls.crt` and `tls.key`.
    ClientCertificate,
    /// `.dockerconfigjson`.
    DockerConfig,
}

/// The field of a source that names a Secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretField {
    /// `spec.auth.secretRef`.
    Credentials,
    /// `spec.tls.caSecretRef`.
    Authorities,
    /// `spec.verify.secretRef`.
    Signature,
}

impl core::fmt::Display for SecretField {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Credentials => "spec.auth.secretRef",
            Self::Authorities => "spec.tls.caSecretRef",
            Self::Signature => "spec.verify.secretRef",
        })
    }
}

/// A Secret that a source names is absent, or does not hold what it must.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Secret `{secret}` of `{field}` {why}")]
pub struct CredentialsError {
    /// The field that names it.
    pub field: SecretField,
    /// Its name.
    pub secret: String,
    /// What is wrong.
    pub why: Flaw,
}

/// What is wrong with a Secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// There is no such Secret.
    #[error("does not exist")]
    Absent,
    /// An entry is missing, which may have any of these names.
    #[error("has no entry {}", names(.0))]
    NoEntry(Vec<&'static str>),
    /// It has no entries at all.
    #[error("has no entries")]
    Empty,
    /// An entry cannot be used.
    #[error("has an entry `{0}` that {1}")]
    Unusable(&'static str, &'static str),
    /// A docker configuration does not name the registry.
    #[error("has credentials for other registries than `{0}`")]
    OtherHost(String),
}

impl CredentialsError {
    fn lacks_host_keys(&self) -> bool {
        matches!(&self.why, Flaw::NoEntry(names) if names[..] == [KNOWN_HOSTS])
    }

    /// The reason of a Release that needs the source.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self.field {
            SecretField::Credentials if self.lacks_host_keys() => Reason::HostNotTrusted,
            SecretField::Credentials => Reason::AuthenticationFailed,
            SecretField::Authorities => Reason::TlsFailed,
            SecretField::Signature => Reason::SignatureInvalid,
        }
    }

    /// The reason of the source itself.
    #[must_use]
    pub fn source_reason(&self) -> SourceReason {
        match self.field {
            SecretField::Credentials if self.lacks_host_keys() => SourceReason::HostNotTrusted,
            SecretField::Credentials | SecretField::Signature => SourceReason::AuthenticationFailed,
            SecretField::Authorities => SourceReason::TlsFailed,
        }
    }
}

/// The entry with the keys of ssh hosts.
const KNOWN_HOSTS: &str = "known_hosts";

/// `a` (or `b`).
fn names(all: &[&str]) -> String {
    let quoted: Vec<String> = all.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_first() {
        Some((first, [])) => first.clone(),
        Some((first, others)) => format!("{first} (or {})", others.join(", ")),
        None => String::new(),
    }
}

impl Source {
    /// The Secrets that a fetch or a verification needs, each once.
    #[must_use]
    pub fn secret_names(&self) -> BTreeSet<&str> {
        let credentials = self.secrets.credentials.as_ref().map(|(_, secret)| secret);
        let signature = self.secrets.signature.as_ref().map(|(_, secret)| secret);
        let all = [credentials, signature, self.tls.ca_secret.as_ref()];
        all.into_iter().flatten().map(String::as_str).collect()
    }

    /// The source with its `access` complete: what `found` holds of the Secrets that it names is read into it.
    ///
    /// # Errors
    /// [`CredentialsError`] for the first field whose Secret is not in `found`, or does not hold what it must.
    pub fn with_secrets(self, found: &BTreeMap<String, Entries>) -> Result<Self, CredentialsError> {
        let mut access = Access {
            credentials: Credentials::None,
            authorities: None,
            signature: None,
            ..self.access.clone()
        };
        if let Some((kind, secret)) = &self.secrets.credentials {
            let reading = Reading::new(SecretField::Credentials, secret, found)?;
            access.credentials = credentials(*kind, &reading, &self.url)?;
        }
        if let Some(secret) = &self.tls.ca_secret {
            let reading = Reading::new(SecretField::Authorities, secret, found)?;
            access.authorities = Some(reading.bytes("ca.crt")?.expose().clone());
        }
        if let Some((subject, secret)) = &self.secrets.signature {
            let reading = Reading::new(SecretField::Signature, secret, found)?;
            access.signature = Some(SignaturePolicy {
                subject: *subject,
                keys: reading.all()?,
            });
        }
        Ok(Self { access, ..self })
    }
}

fn credentials(kind: CredentialKind, reading: &Reading<'_>, url: &str) -> Result<Credentials, CredentialsError> {
    Ok(match kind {
        CredentialKind::Basic => Credentials::Basic {
            username: reading.line("username")?,
            password: reading.line("password")?,
        },
        CredentialKind::Token => Credentials::Token(
            reading
                .optional_line("token")?
                .or(reading.optional_line("bearerToken")?)
                .ok_or_else(|| reading.flaw(Flaw::NoEntry(vec!["token", "bearerToken"])))?,
        ),
        CredentialKind::Ssh => Credentials::Ssh(ssh(reading)?),
        CredentialKind::GitHubApp => Credentials::GitHubApp(github_app(reading)?),
        CredentialKind::ClientCertificate => Credentials::ClientCertificate(ClientCertificate {
            certificate: reading.bytes("tls.crt")?.expose().clone(),
            key: reading.bytes("tls.key")?.clone(),
        }),
        CredentialKind::DockerConfig => docker::credentials(reading, url)?,
    })
}

/// With an identity, `password` unlocks it, as Flux has it, unless `passphrase` does; without one it is the user's.
fn ssh(reading: &Reading<'_>) -> Result<SshAccess, CredentialsError> {
    let identity = match reading.optional_text("identity")? {
        Some(identity) => Some(identity),
        None => reading.optional_text("ssh-privatekey")?,
    };
    let known_hosts = reading
        .optional_text(KNOWN_HOSTS)?
        .ok_or_else(|| reading.flaw(Flaw::NoEntry(vec![KNOWN_HOSTS])))?;
    let passphrase = reading.optional_line("passphrase")?;
    let password = reading.optional_line("password")?;
    let (passphrase, password) = match (&identity, passphrase) {
        (None, _) if password.is_none() => {
            return Err(reading.flaw(Flaw::NoEntry(vec!["identity", "ssh-privatekey", "password"])));
        }
        (None, _) => (None, password),
        (Some(_), None) => (password, None),
        (Some(_), passphrase) => (passphrase, password),
    };
    Ok(SshAccess {
        identity,
        passphrase,
        password,
        known_hosts: Some(known_hosts),
    })
}

fn github_app(reading: &Reading<'_>) -> Result<GitHubApp, CredentialsError> {
    // Both become parts of an address and of a claim.
    let id = |entry, allowed: fn(u8) -> bool, why| {
        let text = reading.line(entry)?;
        if text.expose().bytes().all(allowed) {
            Ok(text.expose().clone())
        } else {
            Err(reading.flaw(Flaw::Unusable(entry, why)))
        }
    };
    let api = reading.optional_line("githubAppBaseURL")?;
    if api.as_ref().is_some_and(|api| url::has_user(api.expose())) {
        return Err(reading.flaw(Flaw::Unusable("githubAppBaseURL", "holds a user")));
    }
    Ok(GitHubApp {
        app: id(
            "githubAppID",
            |byte| byte.is_ascii_alphanumeric() || byte == b'.',
            "is no id of an app",
        )?,
        installation: id("githubAppInstallationID", |byte| byte.is_ascii_digit(), "is no number")?,
        private_key: reading.text("githubAppPrivateKey")?,
        api: api.map(|api| api.expose().clone()),
    })
}

#[cfg(test)]
mod tests;
