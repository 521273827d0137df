//! The source kinds: `GitRepository`, `HelmRegistry`, `OCIRegistry`.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::common::{Condition, SecretRef, Url};
use super::release::ContentType;
use super::schema;
use crate::duration::GoDuration;

/// `spec` of a `GitRepository`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "source.convoy.kumodo.io",
    version = "v1alpha1",
    kind = "GitRepository",
    plural = "gitrepositories",
    shortname = "gitrepo",
    category = "convoy",
    namespaced,
    status = "SourceStatus",
    derive = "PartialEq",
    doc = "A GitRepository is the address of a git repository and its credentials; each Release selects its own ref.",
    printcolumn(name = "URL", type_ = "string", json_path = ".spec.url"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason"
    ),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].message",
        priority = "1"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [
    schema::cel("duration(self.interval) >= duration('1s')", "interval must be at least 1s"),
    schema::cel("duration(self.timeout) >= duration('1s')", "timeout must be at least 1s"),
]))]
pub struct GitRepositorySpec {
    /// http, https, ssh, or (where the controller allows it) file.
    #[schemars(schema_with = "schema::git_url")]
    pub url: Url,
    /// Credentials.
    #[serde(default)]
    pub auth: GitAuth,
    /// TLS.
    #[serde(default)]
    pub tls: Tls,
    /// Proxy, http or https, with its user and password if it wants them.
    #[serde(default, rename = "proxyURL", skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::proxy_url")]
    pub proxy_url: Option<Url>,
    /// Secret whose token webhooks are signed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_secret_ref: Option<SecretRef>,
    /// How often the endpoint is verified.
    #[serde(default = "one_minute")]
    pub interval: GoDuration,
    /// A moving ref is asked for at most once in this time.
    #[serde(default = "thirty_seconds")]
    pub min_sync_interval: GoDuration,
    /// Bound of one download.
    #[serde(default = "two_minutes")]
    pub timeout: GoDuration,
    /// Fetch submodules too.
    #[serde(default)]
    pub submodules: bool,
    /// Which signatures are asked for.
    #[serde(default)]
    pub verify: Verify,
}

/// `spec` of a `HelmRegistry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "source.convoy.kumodo.io",
    version = "v1alpha1",
    kind = "HelmRegistry",
    plural = "helmregistries",
    shortname = "helmreg",
    category = "convoy",
    namespaced,
    status = "SourceStatus",
    derive = "PartialEq",
    doc = "A HelmRegistry is the address of a Helm repository and its credentials.",
    printcolumn(name = "URL", type_ = "string", json_path = ".spec.url"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason"
    ),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].message",
        priority = "1"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [
    schema::cel("duration(self.interval) >= duration('1s')", "interval must be at least 1s"),
    schema::cel("duration(self.timeout) >= duration('1s')", "timeout must be at least 1s"),
]))]
pub struct HelmRegistrySpec {
    /// http or https; `index.yaml` is below it.
    #[schemars(schema_with = "schema::http_url")]
    pub url: Url,
    /// Credentials.
    #[serde(default)]
    pub auth: HelmAuth,
    /// TLS.
    #[serde(default)]
    pub tls: Tls,
    /// Send credentials to other hosts that the index names too.
    #[serde(default)]
    pub pass_credentials: bool,
    /// Secret whose token webhooks are signed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_secret_ref: Option<SecretRef>,
    /// How often the endpoint is verified.
    #[serde(default = "one_minute")]
    pub interval: GoDuration,
    /// Bound of one download.
    #[serde(default = "two_minutes")]
    pub timeout: GoDuration,
}

/// `spec` of an `OCIRegistry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "source.convoy.kumodo.io",
    version = "v1alpha1",
    kind = "OCIRegistry",
    plural = "ociregistries",
    shortname = "ocireg",
    category = "convoy",
    namespaced,
    status = "SourceStatus",
    derive = "PartialEq",
    doc = "An OCIRegistry is the address of an OCI registry and its credentials.",
    printcolumn(name = "URL", type_ = "string", json_path = ".spec.url"),
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].status"
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].reason"
    ),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[?(@.type==\"Ready\")].message",
        priority = "1"
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[schemars(extend("x-kubernetes-validations" = [
    schema::cel("duration(self.interval) >= duration('1s')", "interval must be at least 1s"),
    schema::cel("duration(self.timeout) >= duration('1s')", "timeout must be at least 1s"),
]))]
pub struct OCIRegistrySpec {
    /// `oci://` and the host, with a path if wanted.
    #[schemars(schema_with = "schema::oci_url")]
    pub url: Url,
    /// Credentials.
    #[serde(default)]
    pub auth: OciAuth,
    /// TLS.
    #[serde(default)]
    pub tls: Tls,
    /// Speak http.
    #[serde(default, rename = "plainHTTP")]
    pub plain_http: bool,
    /// Secret whose token webhooks are signed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_secret_ref: Option<SecretRef>,
    /// How often the endpoint is verified.
    #[serde(default = "one_minute")]
    pub interval: GoDuration,
    /// Bound of one download.
    #[serde(default = "two_minutes")]
    pub timeout: GoDuration,
    /// Required and unused.
    pub default_content_type: ContentType,
}

/// The rule that credentials come from a Secret, and `none` from nowhere.
fn secret_unless_none() -> serde_json::Value {
    schema::cel(
        "(self.type == 'none') != has(self.secretRef)",
        "secretRef must be set, but for type none, where it must not",
    )
}

/// Credentials of a `GitRepository`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [secret_unless_none()]))]
pub struct GitAuth {
    /// Kind of credentials.
    #[serde(default, rename = "type")]
    pub kind: GitAuthType,
    /// Secret that holds them: `username` and `password`, `token` (or `bearerToken`), `identity` (or `ssh-privatekey`),
    /// `passphrase`, `password` and `known_hosts`, or `githubAppID`, `githubAppInstallationID`, `githubAppPrivateKey` and
    /// `githubAppBaseURL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretRef>,
}

/// Kind of credentials of a `GitRepository`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum GitAuthType {
    /// None.
    #[default]
    None,
    /// User name and password.
    Basic,
    /// Bearer token.
    Token,
    /// SSH key.
    Ssh,
    /// GitHub App.
    GithubApp,
}

/// Credentials of a `HelmRegistry`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [secret_unless_none()]))]
pub struct HelmAuth {
    /// Kind of credentials.
    #[serde(default, rename = "type")]
    pub kind: HelmAuthType,
    /// Secret that holds them: `username` and `password`, `token` (or `bearerToken`), or `tls.crt` and `tls.key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretRef>,
}

/// Kind of credentials of a `HelmRegistry`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum HelmAuthType {
    /// None.
    #[default]
    None,
    /// User name and password.
    Basic,
    /// Bearer token.
    Token,
    /// TLS client certificate.
    ClientCertificate,
}

/// Credentials of an `OCIRegistry`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [secret_unless_none()]))]
pub struct OciAuth {
    /// Kind of credentials.
    #[serde(default, rename = "type")]
    pub kind: OciAuthType,
    /// Secret that holds them: `username` and `password`, `token` (or `bearerToken`), or `.dockerconfigjson`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretRef>,
}

/// Kind of credentials of an `OCIRegistry`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OciAuthType {
    /// None.
    #[default]
    None,
    /// User name and password.
    Basic,
    /// Bearer token.
    Token,
    /// `config.json` of docker.
    DockerConfig,
}

/// TLS settings of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tls {
    /// Certificates are not checked; the status shows it.
    #[serde(default)]
    pub insecure_skip_verify: bool,
    /// Secret whose `ca.crt` is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_secret_ref: Option<SecretRef>,
}

/// Which signatures are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = [schema::cel(
    "(self.mode == 'none') != has(self.secretRef)",
    "secretRef must be set, but for mode none, where it must not"
)]))]
pub struct Verify {
    /// What must be signed.
    #[serde(default)]
    pub mode: VerifyMode,
    /// Secret with the keys that are trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretRef>,
}

/// What must be signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum VerifyMode {
    /// Nothing.
    #[default]
    None,
    /// The commit.
    Head,
    /// The tag.
    Tag,
}

/// `status` of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceStatus {
    /// Generation that was verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Ready.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
    /// When the endpoint was last asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "schema::time")]
    pub last_verified_at: Option<String>,
    /// URL without credentials.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub endpoint: String,
}

const fn thirty_seconds() -> GoDuration {
    GoDuration::from_secs(30)
}

const fn one_minute() -> GoDuration {
    GoDuration::from_secs(60)
}

const fn two_minutes() -> GoDuration {
    GoDuration::from_secs(120)
}
