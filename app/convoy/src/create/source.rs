//! `convoy create source git|helm|oci`: a source, checked as the controller checks it.
//!
//! Credentials are never flags: a process list and a shell's history would show them. A source names a Secret, and what
//! is said beside it is how to make that Secret from files.

use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use convoy_domain::source::SourceKind;
use convoy_domain::url::{has_user, without_credentials};
use convoy_kube::{GoDuration, written_source};
use convoy_value::{Map, Value};

use crate::args::duration;
use crate::failure::Failure;
use crate::{documents, print};

/// Writes a GitRepository, a HelmRegistry or an OCIRegistry.
#[expect(clippy::doc_markdown, reason = "this is the text of --help")]
#[derive(Debug, clap::Args)]
#[command(
    disable_help_subcommand = true,
    after_help = "Examples:\n  \
    convoy create source git shop --url ssh://git@git.example/acme/shop.git --auth ssh --secret shop-key\n  \
    convoy create source helm charts --url https://charts.example --auth basic --secret charts --ca-secret our-ca\n  \
    convoy create source oci charts --url oci://registry.example/charts --auth token --secret registry"
)]
pub(super) struct Args {
    #[command(subcommand)]
    kind: Kind,
}

/// The kinds of source.
#[derive(Debug, Subcommand)]
enum Kind {
    Git(Git),
    Helm(Helm),
    Oci(Oci),
}

/// What every source has.
#[derive(Debug, clap::Args)]
struct Common {
    /// Name of the source
    name: String,
    /// Namespace; without one, that of `kubectl apply`
    #[arg(short, long, value_name = "NAME")]
    namespace: Option<String>,
    /// Secret with the credentials, in the namespace of the source; needed for each --auth but none
    #[arg(long, value_name = "NAME")]
    secret: Option<String>,
    /// Secret whose `ca.crt` is trusted besides the system's certificate authorities
    #[arg(long, value_name = "NAME")]
    ca_secret: Option<String>,
    /// Does not check the server's certificate; the status of the source shows it
    #[arg(long)]
    insecure_skip_verify: bool,
    /// Secret whose `token` webhooks are signed with
    #[arg(long, value_name = "NAME")]
    webhook_secret: Option<String>,
    /// How often the server is asked whether it still answers [default: 1m]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    interval: Option<Duration>,
    /// How long one download may take [default: 2m]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    timeout: Option<Duration>,
    /// How the result is printed
    #[arg(short, long, value_enum, default_value_t)]
    output: Form,
}

/// YAML or JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// YAML
    #[default]
    Yaml,
    /// JSON
    Json,
}

/// Writes a GitRepository.
///
/// Entries of the Secret by --auth: basic: username, password · token: token · ssh: identity (and passphrase), or
/// password, and known_hosts · github-app: githubAppID, githubAppInstallationID, githubAppPrivateKey.
#[expect(clippy::doc_markdown, reason = "this is the text of --help")]
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy create source git podinfo --url https://github.com/stefanprodan/podinfo.git\n  \
    convoy create source git shop --url ssh://git@git.example/acme/shop.git --auth ssh --secret shop-key\n  \
    convoy create source git shop --url https://git.example/shop.git --verify tag --verify-secret signers")]
struct Git {
    /// URL: https, http, ssh, or, where the controller allows it, file
    #[arg(long, value_name = "URL")]
    url: String,
    /// Kind of credentials
    #[arg(long, value_enum, default_value_t)]
    auth: GitAuth,
    #[command(flatten)]
    common: Common,
    /// URL of a proxy, http or https
    #[arg(long, value_name = "URL")]
    proxy_url: Option<String>,
    /// A branch or tag is asked for at most once in this time [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    min_sync_interval: Option<Duration>,
    /// Fetches submodules too
    #[arg(long)]
    submodules: bool,
    /// What must be signed by a key of --verify-secret
    #[arg(long, value_enum, requires = "verify_secret")]
    verify: Option<Signed>,
    /// Secret with the public keys whose signatures count
    #[arg(long, value_name = "NAME", requires = "verify")]
    verify_secret: Option<String>,
}

/// Writes a HelmRegistry.
///
/// Entries of the Secret by --auth: basic: username, password · token: token · client-certificate: tls.crt, tls.key.
#[expect(clippy::doc_markdown, reason = "this is the text of --help")]
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy create source helm podinfo --url https://stefanprodan.github.io/podinfo\n  \
    convoy create source helm charts --url https://charts.example --auth client-certificate --secret charts-tls")]
struct Helm {
    /// URL: https or http; `index.yaml` is below it
    #[arg(long, value_name = "URL")]
    url: String,
    /// Kind of credentials
    #[arg(long, value_enum, default_value_t)]
    auth: HelmAuth,
    #[command(flatten)]
    common: Common,
    /// Sends the credentials to other hosts that the index names, too
    #[arg(long)]
    pass_credentials: bool,
}

/// Writes an OCIRegistry.
///
/// Entries of the Secret by --auth: basic: username, password · token: token · docker-config: .dockerconfigjson, as
/// `kubectl create secret docker-registry` makes it.
#[expect(clippy::doc_markdown, reason = "this is the text of --help")]
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy create source oci podinfo --url oci://ghcr.io/stefanprodan/charts\n  \
    convoy create source oci charts --url oci://registry.example/charts --auth docker-config --secret pull")]
struct Oci {
    /// URL: oci://HOST, with a path if wanted
    #[arg(long, value_name = "URL")]
    url: String,
    /// Kind of credentials
    #[arg(long, value_enum, default_value_t)]
    auth: OciAuth,
    #[command(flatten)]
    common: Common,
    /// Speaks http, which hides nothing
    #[arg(long)]
    plain_http: bool,
    /// Required by the API, and unused
    #[arg(long, value_enum, default_value_t)]
    default_content_type: ContentType,
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$one:meta])* $variant:ident = $text:literal),+ $(,)? })+) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
        enum $name { $($(#[$one])* $variant),+ }

        impl $name {
            /// As the API has it.
            const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
    )+ };
}

words! {
    /// Kinds of credentials of a git repository.
    GitAuth {
        /// None
        #[default]
        None = "none",
        /// User name and password
        Basic = "basic",
        /// Bearer token
        Token = "token",
        /// ssh key, or ssh password
        Ssh = "ssh",
        /// GitHub App
        GithubApp = "githubApp",
    }
    /// Kinds of credentials of a Helm repository.
    HelmAuth {
        /// None
        #[default]
        None = "none",
        /// User name and password
        Basic = "basic",
        /// Bearer token
        Token = "token",
        /// TLS client certificate
        ClientCertificate = "clientCertificate",
    }
    /// Kinds of credentials of an OCI registry.
    OciAuth {
        /// None
        #[default]
        None = "none",
        /// User name and password
        Basic = "basic",
        /// Bearer token
        Token = "token",
        /// docker's configuration file
        DockerConfig = "dockerConfig",
    }
    /// What must be signed.
    Signed {
        /// The commit
        #[default]
        Head = "head",
        /// The tag
        Tag = "tag",
    }
    /// Renderers.
    ContentType {
        /// Helm
        #[default]
        Helm = "helm",
        /// Kustomize
        Kustomize = "kustomize",
        /// Manifests
        Manifests = "manifests",
    }
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let (kind, common, auth, spec) = match &args.kind {
        Kind::Git(git) => (SourceKind::Git, &git.common, git.auth.as_str(), git.spec()?),
        Kind::Helm(helm) => (SourceKind::Helm, &helm.common, helm.auth.as_str(), helm.spec()?),
        Kind::Oci(oci) => (SourceKind::Oci, &oci.common, oci.auth.as_str(), oci.spec()?),
    };
    let object = object(kind, common, spec);
    let json = serde_json::to_value(&object).unwrap_or_default();
    written_source(kind, json)
        .map_err(|error| Failure::usage(format!("there can be no such {}", kind.kind())).because(&error))?;
    print::out(&match common.output {
        Form::Yaml => documents::to_yaml(&object),
        Form::Json => documents::to_json(&object),
    })?;
    if let Some(secret) = &common.secret {
        let namespace = common
            .namespace
            .as_ref()
            .map(|name| format!(" -n {name}"))
            .unwrap_or_default();
        print::err_line(&format!(
            "Make the Secret, if there is none yet:\n  kubectl create secret {}{namespace}",
            command(auth, secret)
        ));
    }
    Ok(())
}

/// What makes the Secret for a kind of credentials; values come from files, not from the command line.
fn command(auth: &str, secret: &str) -> String {
    let generic = |entries: &[&str]| {
        let entries: Vec<String> = entries
            .iter()
            .map(|entry| format!("--from-file={entry}=FILE"))
            .collect();
        format!("generic {secret} {}", entries.join(" "))
    };
    match auth {
        "basic" => generic(&["username", "password"]),
        "token" => generic(&["token"]),
        "ssh" => generic(&["identity", "known_hosts"]),
        "githubApp" => generic(&["githubAppID", "githubAppInstallationID", "githubAppPrivateKey"]),
        "clientCertificate" => format!("tls {secret} --cert=FILE --key=FILE"),
        _ => format!(
            "generic {secret} --type=kubernetes.io/dockerconfigjson --from-file=.dockerconfigjson=$HOME/.docker/config.json"
        ),
    }
}

fn object(kind: SourceKind, common: &Common, spec: Map) -> Value {
    let mut metadata = Map::from_iter([("name", common.name.as_str())]);
    if let Some(namespace) = &common.namespace {
        metadata.insert("namespace", namespace.as_str());
    }
    let group = convoy_kube::crd::SOURCE_GROUP;
    Value::Object(Map::from_iter([
        ("apiVersion", Value::from(format!("{group}/v1alpha1"))),
        ("kind", Value::from(kind.kind())),
        ("metadata", Value::Object(metadata)),
        ("spec", Value::Object(spec)),
    ]))
}

fn reference(secret: &str) -> Value {
    Value::Object(Map::from_iter([("name", secret)]))
}

impl Common {
    /// The members of a spec that every kind has; those that say nothing new are left out.
    fn spec(&self, url: &str, schemes: &[&str], auth: &str) -> Result<Map, Failure> {
        let mut spec = Map::from_iter([("url", Value::from(checked(url, schemes)?))]);
        match (&self.secret, auth) {
            (None, "none") => {}
            (Some(secret), auth) if auth != "none" => {
                spec.insert(
                    "auth",
                    Map::from_iter([("type", Value::from(auth)), ("secretRef", reference(secret))]),
                );
            }
            (Some(_), _) => return Err(Failure::usage("`--secret` needs `--auth`, which says what it holds")),
            (None, _) => {
                return Err(
                    Failure::usage("`--auth` needs `--secret NAME`, which holds the credentials")
                        .hint("`--help` names the entries of the Secret"),
                );
            }
        }
        let mut tls = Map::new();
        if let Some(secret) = &self.ca_secret {
            tls.insert("caSecretRef", reference(secret));
        }
        if self.insecure_skip_verify {
            tls.insert("insecureSkipVerify", true);
        }
        if !tls.is_empty() {
            spec.insert("tls", tls);
        }
        if let Some(secret) = &self.webhook_secret {
            spec.insert("webhookSecretRef", reference(secret));
        }
        insert_time(&mut spec, "interval", self.interval);
        insert_time(&mut spec, "timeout", self.timeout);
        Ok(spec)
    }
}

fn insert_time(spec: &mut Map, name: &str, time: Option<Duration>) {
    if let Some(time) = time {
        spec.insert(name, GoDuration::from(time).to_string());
    }
}

/// A URL of one of the schemes, without credentials.
fn checked(url: &str, schemes: &[&str]) -> Result<String, Failure> {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    let shown = without_credentials(url);
    if !scheme.is_some_and(|scheme| schemes.contains(&scheme)) {
        let failure = Failure::usage(format!(
            "the URL `{shown}` must begin with one of {}",
            schemes.join("://, ") + "://"
        ));
        return Err(match url.split_once(':') {
            Some((host, path)) if schemes.contains(&"ssh") && host.contains('@') => {
                failure.hint(format!("write it as ssh://{host}/{path}"))
            }
            _ => failure,
        });
    }
    // Of ssh the user is a part of the address; a password is not.
    let user_is_address = scheme == Some("ssh") && !password(url);
    if has_user(url) && !user_is_address {
        return Err(Failure::usage(format!("the URL of `{shown}` holds credentials"))
            .hint("name a Secret that holds them with `--auth basic --secret NAME`"));
    }
    Ok(url.to_owned())
}

/// Whether the user of a URL has a password.
fn password(url: &str) -> bool {
    let authority = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))
}

impl Git {
    fn spec(&self) -> Result<Map, Failure> {
        let mut spec = self
            .common
            .spec(&self.url, &["https", "http", "ssh", "file"], self.auth.as_str())?;
        if let Some(proxy) = &self.proxy_url {
            spec.insert("proxyURL", checked(proxy, &["http", "https"])?);
        }
        insert_time(&mut spec, "minSyncInterval", self.min_sync_interval);
        if self.submodules {
            spec.insert("submodules", true);
        }
        if let (Some(mode), Some(secret)) = (self.verify, &self.verify_secret) {
            let verify = [("mode", Value::from(mode.as_str())), ("secretRef", reference(secret))];
            spec.insert("verify", Map::from_iter(verify));
        }
        Ok(spec)
    }
}

impl Helm {
    fn spec(&self) -> Result<Map, Failure> {
        let mut spec = self.common.spec(&self.url, &["https", "http"], self.auth.as_str())?;
        if self.pass_credentials {
            spec.insert("passCredentials", true);
        }
        Ok(spec)
    }
}

impl Oci {
    fn spec(&self) -> Result<Map, Failure> {
        let mut spec = self.common.spec(&self.url, &["oci"], self.auth.as_str())?;
        if self.plain_http {
            spec.insert("plainHTTP", true);
        }
        spec.insert("defaultContentType", self.default_content_type.as_str());
        Ok(spec)
    }
}
