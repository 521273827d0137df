//! What the requests to a source carry besides its address: credentials, trust, way, and what else is asked for.
//!
//! Values, not references: whoever fetches has read the Secrets that a source names. Two sources that differ in any of
//! it share nothing that was fetched without asking again.

use alloc::string::String;
use alloc::vec::Vec;

use crate::secret::Secret;

/// Everything that a fetch needs and that the source object only names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Who asks. Sent to scheme, host and port of the source's URL only.
    pub credentials: Credentials,
    /// PEM of the certificate authorities of `tls.caSecretRef`, trusted besides the system's.
    pub authorities: Option<Vec<u8>>,
    /// URL of the proxy (`http` or `https`), with its user and password if it wants them.
    pub proxy: Option<Secret<String>>,
    /// Whether the submodules of a git repository are fetched too.
    pub submodules: bool,
    /// Which signature a git repository must show.
    pub signature: Option<SignaturePolicy>,
    /// Whether the credentials of a Helm repository go to other hosts that its index names, too.
    pub pass_credentials: bool,
    /// Whether an OCI registry is spoken to by http.
    pub plain_http: bool,
}

/// Who asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Credentials {
    /// Nobody.
    #[default]
    None,
    /// User and password, by HTTP's basic scheme.
    Basic {
        /// User; some servers take a token here.
        username: Secret<String>,
        /// Password.
        password: Secret<String>,
    },
    /// A bearer token.
    Token(Secret<String>),
    /// What a registry's token service takes in place of a password (`identitytoken` of docker's configuration).
    IdentityToken(Secret<String>),
    /// A certificate that the client shows within TLS.
    ClientCertificate(ClientCertificate),
    /// By ssh.
    Ssh(SshAccess),
    /// As an installation of a GitHub App.
    GitHubApp(GitHubApp),
}

/// What a client shows within TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate {
    /// Certificate, with those between it and its authority, PEM.
    pub certificate: Vec<u8>,
    /// Its private key, PEM.
    pub key: Secret<Vec<u8>>,
}

/// How an ssh server is entered and recognised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshAccess {
    /// Private key, PEM.
    pub identity: Option<Secret<String>>,
    /// What unlocks `identity`.
    pub passphrase: Option<Secret<String>>,
    /// Password of the user, tried after `identity`.
    pub password: Option<Secret<String>>,
    /// Host keys, in the format of `known_hosts`; a host that is not there is refused.
    pub known_hosts: Option<Secret<String>>,
}

/// An installation of a GitHub App.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitHubApp {
    /// Id of the app.
    pub app: String,
    /// Id of the installation.
    pub installation: String,
    /// RSA private key of the app, PEM.
    pub private_key: Secret<String>,
    /// URL of the API, if it is not GitHub's own; its host gets the app's signature, not the source's host.
    pub api: Option<String>,
}

/// Which signature counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignaturePolicy {
    /// What must be signed.
    pub subject: SignedSubject,
    /// Public keys of PGP, armoured or not, or lines of ssh public keys, alone or as `allowed_signers`.
    pub keys: Vec<Secret<Vec<u8>>>,
}

/// What must be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedSubject {
    /// The commit that is fetched.
    Head,
    /// The annotated tag that selects it; a source with this policy is read by tag or version only.
    Tag,
}
