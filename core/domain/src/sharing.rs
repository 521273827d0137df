//! Which requests may share what one of them fetched, and which must prove first that they may have it.
//!
//! A [`bucket`] gathers what is called alike: URL and revision, as the page on sources says. Within it, only requests of
//! equal [`Terms`] speak of the same content, and only a [`Caller`] that a server has seen knows what that server lets
//! it have. So content that one source fetched reaches another only after the server has answered the other's own
//! credentials ([`Proof`]).
//!
//! # Invariants
//! - Equal terms mean: equal in kind, place, trust, way and choice; nothing that changes what a server answers is left
//!   out but the credentials, which are the caller.
//! - Terms and callers are hashes: neither prints, stores or compares a secret.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::time::Duration;

use convoy_sprig::semver::Constraint;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::access::{Access, Credentials, SignedSubject, SshAccess};
use crate::artifact::Revision;
use crate::source::{GitRef, OciContent, Source, SourceKey, SourceKind, SourceRef};

/// The page's key: the URL without white space around it, a trailing `/` and a trailing `.git`, in lower case, and the
/// revision as people see it.
#[must_use]
pub fn bucket(url: &str, revision: &Revision) -> String {
    format!("{}#{}", trimmed(url).to_lowercase(), revision.shown())
}

/// The URL with the case of its path; scheme and host have none.
fn place(url: &str) -> String {
    let url = trimmed(url);
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_string();
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, host) = authority
        .rsplit_once('@')
        .map_or(("", authority), |(user, host)| (user, host));
    let at = if authority.contains('@') { "@" } else { "" };
    format!("{}://{user}{at}{}{path}", scheme.to_lowercase(), host.to_lowercase())
}

fn trimmed(url: &str) -> &str {
    let url = url.trim();
    let url = url.strip_suffix('/').unwrap_or(url);
    url.strip_suffix(".git").unwrap_or(url)
}

/// What two requests have in common that may share an entry, a look-up or a download.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Terms([u8; 32]);

impl Terms {
    /// The terms of a request.
    ///
    /// The submodules of a repository may be in others, which the server of the first cannot speak for: with them, the
    /// credentials are a part of the terms.
    #[must_use]
    pub fn of(source: &Source, wanted: &SourceRef) -> Self {
        let access = &source.access;
        let (chart, content) = match wanted {
            SourceRef::Git(_) => ("", ""),
            SourceRef::Helm { chart, .. } => (chart.as_str(), ""),
            SourceRef::Oci { chart, content, .. } => match content {
                OciContent::Chart => (chart.as_str(), "chart"),
                OciContent::Files => (chart.as_str(), "files"),
            },
        };
        let hash = Framed::new("terms")
            .text(source.key.kind.kind())
            .text(&place(&source.url))
            .flag(source.tls.insecure_skip_verify)
            .maybe(access.authorities.as_deref())
            .flag(access.plain_http)
            .maybe(access.proxy.as_ref().map(|proxy| proxy.expose().as_bytes()))
            .flag(access.submodules)
            .text(chart)
            .text(content);
        Self(if access.submodules {
            hash.bytes(&Caller::of(source).0).finish()
        } else {
            hash.finish()
        })
    }
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Terms({})", hex(&self.0[..6]))
    }
}

/// As whom a request is made, and by which rule on signatures: requests of one caller on equal terms get equal answers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Caller([u8; 32]);

impl Caller {
    /// As whom the requests of a source are made.
    #[must_use]
    pub fn of(source: &Source) -> Self {
        let access = &source.access;
        let hash = credentials(Framed::new("caller"), &access.credentials).flag(access.pass_credentials);
        Self(signature(hash, access).finish())
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Caller(***)")
    }
}

fn credentials(hash: Framed, credentials: &Credentials) -> Framed {
    match credentials {
        Credentials::None => hash.text("none"),
        Credentials::Basic { username, password } => hash.text("basic").text(username.expose()).text(password.expose()),
        Credentials::Token(token) => hash.text("token").text(token.expose()),
        Credentials::IdentityToken(token) => hash.text("identity token").text(token.expose()),
        Credentials::ClientCertificate(shown) => hash
            .text("certificate")
            .bytes(&shown.certificate)
            .bytes(shown.key.expose()),
        Credentials::Ssh(SshAccess {
            identity,
            passphrase,
            password,
            known_hosts,
        }) => [identity, passphrase, password, known_hosts]
            .into_iter()
            .fold(hash.text("ssh"), |hash, part| {
                hash.maybe(part.as_ref().map(|part| part.expose().as_bytes()))
            }),
        Credentials::GitHubApp(app) => hash
            .text("github app")
            .text(&app.app)
            .text(&app.installation)
            .text(app.private_key.expose())
            .maybe(app.api.as_deref().map(str::as_bytes)),
    }
}

fn signature(hash: Framed, access: &Access) -> Framed {
    let Some(policy) = &access.signature else {
        return hash.text("any");
    };
    let hash = hash.text(match policy.subject {
        SignedSubject::Head => "head",
        SignedSubject::Tag => "tag",
    });
    policy.keys.iter().fold(hash, |hash, key| hash.bytes(key.expose()))
}

/// One source as it is now: another object of the same name, or other credentials, is another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Prover {
    source: SourceKey,
    uid: String,
    caller: Caller,
}

impl Prover {
    /// The source as a prover.
    #[must_use]
    pub fn of(source: &Source) -> Self {
        Self {
            source: source.key.clone(),
            uid: source.uid.clone(),
            caller: Caller::of(source),
        }
    }

    /// As whom it asks.
    #[must_use]
    pub const fn caller(&self) -> Caller {
        self.caller
    }
}

/// How a source came to know that it may have an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It was given it by its server.
    Fetched,
    /// Another source fetched it; its server said at this time that it may have it too.
    Shown(Timestamp),
}

impl Proof {
    /// Whether the proof still counts for a source of this interval. A clock that stepped back proves nothing.
    #[must_use]
    pub fn counts(&self, interval: Duration, now: Timestamp) -> bool {
        match self {
            Self::Fetched => true,
            Self::Shown(at) => {
                Duration::try_from(now.duration_since(*at)).is_ok_and(|age| age < interval || age.is_zero())
            }
        }
    }
}

/// Whether having asked for a moving ref proves as much as asking for a proof: it is the same question, to the same
/// repository, where no signature has to be seen.
#[must_use]
pub fn asking_proves(source: &Source, wanted: &SourceRef) -> bool {
    source.key.kind == SourceKind::Git && source.access.signature.is_none() && !is_fixed(wanted)
}

/// Whether a ref always means one revision: a commit, an exact version of a chart, a tag or digest of a registry.
/// What is not, moves: branches, tags of git, and constraints.
#[must_use]
pub fn is_fixed(wanted: &SourceRef) -> bool {
    match wanted {
        SourceRef::Git(GitRef::Commit(_)) => true,
        SourceRef::Git(GitRef::Head | GitRef::Branch(_) | GitRef::Tag(_) | GitRef::Semver(_)) => false,
        SourceRef::Helm { version, .. } => is_exact(version),
        SourceRef::Oci { version, .. } => {
            version.starts_with("sha256:") || is_exact(version) || Constraint::parse(version).is_err()
        }
    }
}

/// Whether a text is a whole version, of three numbers, and nothing else.
fn is_exact(version: &str) -> bool {
    let version = version.trim();
    let version = version.strip_prefix('v').unwrap_or(version);
    let core = version.split(['-', '+']).next().unwrap_or_default();
    let mut numbers = core.split('.');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let whole = is_number(numbers.next()) && is_number(numbers.next()) && is_number(numbers.next());
    whole && numbers.next().is_none() && !version.contains(|c: char| c.is_whitespace() || ",|<>=~^*".contains(c))
}

/// Under what an artifact is stored. The chart is a part of the terms, so that chart and version count as a pair
/// although a revision joins them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactKey {
    bucket: String,
    terms: Terms,
    revision: Revision,
    lasting: bool,
}

impl ArtifactKey {
    /// The key of what a request gave.
    #[must_use]
    pub fn new(source: &Source, wanted: &SourceRef, revision: &Revision) -> Self {
        Self {
            bucket: bucket(&source.url, revision),
            terms: Terms::of(source, wanted),
            revision: revision.clone(),
            lasting: is_content_address(source.key.kind, revision) && !holds_secret(source),
        }
    }

    /// The revision.
    #[must_use]
    pub const fn revision(&self) -> &Revision {
        &self.revision
    }

    /// Whether it may outlive the process: the revision names its content, so that nothing else can come to be stored
    /// under it, and no secret went into the key.
    #[must_use]
    pub const fn lasts(&self) -> bool {
        self.lasting
    }

    /// 64 hex digits that stand for the key, and from which nothing of it can be read.
    #[must_use]
    pub fn name(&self) -> String {
        let hash = Framed::new("artifact")
            .text(&self.bucket)
            .bytes(&self.terms.0)
            .text(&self.revision.0);
        hex(&hash.finish())
    }
}

/// Whether a revision names its content: a commit, or a digest.
fn is_content_address(kind: SourceKind, revision: &Revision) -> bool {
    match kind {
        SourceKind::Git => true,
        SourceKind::Helm | SourceKind::Oci => {
            let digest = revision
                .0
                .rsplit_once('@')
                .map_or(revision.0.as_str(), |(_, digest)| digest);
            digest.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64)
        }
    }
}

/// Whether the URL, the proxy's, or terms with submodules may hold a secret.
fn holds_secret(source: &Source) -> bool {
    let may_hold = |url: &str| {
        let authority = url
            .split_once("://")
            .map_or("", |(_, rest)| rest.split('/').next().unwrap_or_default());
        // The user of ssh is a name; that of http may be a token.
        let user = authority.rsplit_once('@').map_or("", |(user, _)| user);
        url.contains('?') || user.contains(':') || !user.is_empty() && !url.trim().starts_with("ssh:")
    };
    let proxy = source.access.proxy.as_ref();
    let tells_caller = source.access.submodules && source.access.credentials != Credentials::None;
    tells_caller || may_hold(&source.url) || proxy.is_some_and(|proxy| may_hold(proxy.expose()))
}

/// A hash over parts, each framed by its length, so that no two lists of parts run together.
struct Framed(Sha256);

impl Framed {
    fn new(what: &str) -> Self {
        Self(Sha256::new()).text(what)
    }

    fn bytes(mut self, part: &[u8]) -> Self {
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
        self
    }

    fn text(self, part: &str) -> Self {
        self.bytes(part.as_bytes())
    }

    fn flag(self, set: bool) -> Self {
        self.bytes(&[u8::from(set)])
    }

    /// An absent part differs from an empty one.
    fn maybe(self, part: Option<&[u8]>) -> Self {
        let framed = self.flag(part.is_some());
        match part {
            Some(part) => framed.bytes(part),
            None => framed,
        }
    }

    fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
