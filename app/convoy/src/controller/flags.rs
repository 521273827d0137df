//! Settings of the controller: flags, `CONVOY_*` variables and a file, in that order of precedence.
//!
//! The file holds the same names as the flags, and each value is read by the flag's own parser, so that the three
//! cannot drift apart. A name that no flag has is an error, also when it belongs to a later version.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use convoy_domain::compat::{Compat, UnknownVersion};
use convoy_domain::limits::Limits;
use convoy_value::{Number, Value};

use crate::args::{ClusterArgs, duration};
use crate::documents;
use crate::failure::Failure;
use crate::lint::nearest;
use crate::logging::LogFormat;

/// Reconciles that run at a time when nothing is said.
const CONCURRENT_RECONCILES: usize = 4;

/// Everything that can be set; what is not set stays `None`, so that a lower source can give it.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct Flags {
    /// Where renders are kept: `file:///DIR?create_dir=true`, `s3://BUCKET`, `gs://BUCKET`, `azblob://CONTAINER` or
    /// `mem://`; empty: no render store
    #[arg(long, value_name = "URL", env = "CONVOY_RENDER_STORE_URL")]
    pub(crate) render_store_url: Option<String>,
    /// File with keys, one a line as base64 or hexadecimal digits of 32 bytes: renders are sealed with the first, and
    /// opened with any [default: renders are stored in clear]
    #[arg(long, value_name = "FILE", env = "CONVOY_RENDER_STORE_ENCRYPTION_KEY_FILE")]
    pub(crate) render_store_encryption_key_file: Option<PathBuf>,
    /// Allows sources with `file://` URLs, which read directories of this machine
    #[arg(long, value_name = "BOOL", env = "CONVOY_ALLOW_FILE_SOURCES", num_args = 0..=1,
          default_missing_value = "true", require_equals = true)]
    pub(crate) allow_file_sources: Option<bool>,
    /// Releases that are reconciled at a time [default: 4]
    #[arg(long, value_name = "N", env = "CONVOY_MAX_CONCURRENT_RECONCILES", value_parser = at_least_one)]
    pub(crate) max_concurrent_reconciles: Option<usize>,
    /// Name of this installation, written on applied objects; objects of another one are left alone
    /// [default: `default`]
    #[arg(long, value_name = "ID", env = "CONVOY_INSTALLATION_ID")]
    pub(crate) installation_id: Option<String>,
    /// Service account impersonated on target clusters for Releases that name none [default: none]
    #[arg(long, value_name = "NAME", env = "CONVOY_DEFAULT_SERVICE_ACCOUNT")]
    pub(crate) default_service_account: Option<String>,
    /// Name of the Secret with the key from which charts draw passwords and the like; it is in the namespace of the
    /// controller, and is made if no Release was ever applied [default: `convoy-entropy-key`]
    #[arg(long, value_name = "NAME", env = "CONVOY_ENTROPY_KEY_SECRET")]
    pub(crate) entropy_key_secret: Option<String>,
    /// Memory for fetched sources, for example `512Mi` [default: 512Mi]
    #[arg(long, value_name = "BYTES", env = "CONVOY_ARTIFACT_STORE_BYTES", value_parser = bytes)]
    pub(crate) artifact_store_bytes: Option<u64>,
    /// Address on which webhooks are received, `0.0.0.0:9292` for example; empty: none are. A source takes part that
    /// sets `webhookSecretRef`; TLS is for what stands before it
    #[arg(long, value_name = "ADDRESS", env = "CONVOY_WEBHOOK_ADDRESS", value_parser = address)]
    pub(crate) webhook_address: Option<Address>,
    /// Directory in which fetched sources outlive a restart; it is made if need be, and is one process's own
    /// [default: none]
    #[arg(long, value_name = "DIR", env = "CONVOY_ARTIFACT_STORE_DIR")]
    pub(crate) artifact_store_dir: Option<PathBuf>,
    /// Room for fetched sources in that directory, for example `4Gi` [default: 4Gi]
    #[arg(long, value_name = "BYTES", env = "CONVOY_ARTIFACT_STORE_DIR_BYTES", value_parser = bytes)]
    pub(crate) artifact_store_dir_bytes: Option<u64>,
    /// Keeps the behaviour of an earlier version where this one goes beyond it: `v0.9` [default: none]
    #[arg(long, value_name = "VERSION", env = "CONVOY_COMPAT", value_parser = compat)]
    pub(crate) compat: Option<Compat>,
    /// Form of log lines [default: text]
    #[arg(long, value_name = "FORMAT", env = "CONVOY_LOG_FORMAT", value_enum)]
    pub(crate) log_format: Option<LogFormat>,
    /// Least level of log lines, also by module: `info,convoy_runtime=debug` [default: info]
    #[arg(long, value_name = "FILTER", env = "CONVOY_LOG_LEVEL")]
    pub(crate) log_level: Option<String>,
    /// Applies convoy's CRDs before anything else
    #[arg(long, value_name = "BOOL", env = "CONVOY_INSTALL_CRDS", num_args = 0..=1,
          default_missing_value = "true", require_equals = true)]
    pub(crate) install_crds: Option<bool>,
    #[command(flatten)]
    pub(crate) limits: LimitFlags,
}

/// Bounds of one render; a breach is `LimitExceeded` and names the limit.
#[expect(
    clippy::struct_field_names,
    reason = "the names of the fields are the names of the flags"
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitFlags {
    /// Files in a source [default: 50000]
    #[arg(long, value_name = "N", env = "CONVOY_LIMIT_FILES", value_parser = at_least_one)]
    pub(crate) limit_files: Option<usize>,
    /// Bytes of all files of a source [default: 256Mi]
    #[arg(long, value_name = "BYTES", env = "CONVOY_LIMIT_SOURCE_BYTES", value_parser = bytes)]
    pub(crate) limit_source_bytes: Option<u64>,
    /// Bytes of one file [default: 16Mi]
    #[arg(long, value_name = "BYTES", env = "CONVOY_LIMIT_FILE_BYTES", value_parser = bytes)]
    pub(crate) limit_file_bytes: Option<u64>,
    /// Bytes that YAML aliases may add to one document [default: 10Mi]
    #[arg(long, value_name = "BYTES", env = "CONVOY_LIMIT_ALIAS_BYTES", value_parser = bytes)]
    pub(crate) limit_alias_bytes: Option<u64>,
    /// Nesting depth of a document [default: 200]
    #[arg(long, value_name = "N", env = "CONVOY_LIMIT_DEPTH", value_parser = at_least_one)]
    pub(crate) limit_depth: Option<usize>,
    /// Objects in a render [default: 10000]
    #[arg(long, value_name = "N", env = "CONVOY_LIMIT_OBJECTS", value_parser = at_least_one)]
    pub(crate) limit_objects: Option<usize>,
    /// Bytes of a render [default: 64Mi]
    #[arg(long, value_name = "BYTES", env = "CONVOY_LIMIT_RENDER_BYTES", value_parser = bytes)]
    pub(crate) limit_render_bytes: Option<u64>,
    /// Bytes that an archive may unpack to, for each of its own [default: 200]
    #[arg(long, value_name = "N", env = "CONVOY_LIMIT_ARCHIVE_RATIO", value_parser = at_least_one)]
    pub(crate) limit_archive_ratio: Option<usize>,
    /// Templates of a chart within templates [default: 1000]
    #[arg(long, value_name = "N", env = "CONVOY_LIMIT_TEMPLATE_RECURSION", value_parser = at_least_one)]
    pub(crate) limit_template_recursion: Option<usize>,
    /// Steps that the templates of a chart may take [default: 50000000]
    #[arg(long, value_name = "N", env = "CONVOY_LIMIT_TEMPLATE_STEPS", value_parser = at_least_one)]
    pub(crate) limit_template_steps: Option<usize>,
    /// Bytes that the templates of a chart may write [default: 64Mi]
    #[arg(long, value_name = "BYTES", env = "CONVOY_LIMIT_TEMPLATE_OUTPUT", value_parser = bytes)]
    pub(crate) limit_template_output: Option<u64>,
    /// Time that a render may take [default: 30s]
    #[arg(long, value_name = "DURATION", env = "CONVOY_LIMIT_RENDER_TIME", value_parser = some_time)]
    pub(crate) limit_render_time: Option<Duration>,
}

impl LimitFlags {
    /// What is set here, else what `lower` sets.
    fn or(self, lower: Self) -> Self {
        Self {
            limit_files: self.limit_files.or(lower.limit_files),
            limit_source_bytes: self.limit_source_bytes.or(lower.limit_source_bytes),
            limit_file_bytes: self.limit_file_bytes.or(lower.limit_file_bytes),
            limit_alias_bytes: self.limit_alias_bytes.or(lower.limit_alias_bytes),
            limit_depth: self.limit_depth.or(lower.limit_depth),
            limit_objects: self.limit_objects.or(lower.limit_objects),
            limit_render_bytes: self.limit_render_bytes.or(lower.limit_render_bytes),
            limit_archive_ratio: self.limit_archive_ratio.or(lower.limit_archive_ratio),
            limit_template_recursion: self.limit_template_recursion.or(lower.limit_template_recursion),
            limit_template_steps: self.limit_template_steps.or(lower.limit_template_steps),
            limit_template_output: self.limit_template_output.or(lower.limit_template_output),
            limit_render_time: self.limit_render_time.or(lower.limit_render_time),
        }
    }

    /// The bounds, defaults where nothing is set.
    pub(crate) fn limits(self) -> Limits {
        let default = Limits::default();
        let fitting = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        Limits {
            files: self.limit_files.unwrap_or(default.files),
            source_bytes: self.limit_source_bytes.unwrap_or(default.source_bytes),
            file_bytes: self.limit_file_bytes.unwrap_or(default.file_bytes),
            alias_bytes: self.limit_alias_bytes.map_or(default.alias_bytes, fitting),
            depth: self.limit_depth.unwrap_or(default.depth),
            objects: self.limit_objects.unwrap_or(default.objects),
            render_bytes: self.limit_render_bytes.unwrap_or(default.render_bytes),
            archive_ratio: self.limit_archive_ratio.unwrap_or(default.archive_ratio),
            template_recursion: self.limit_template_recursion.unwrap_or(default.template_recursion),
            template_steps: self
                .limit_template_steps
                .map_or(default.template_steps, |steps| steps as u64),
            template_output: self.limit_template_output.map_or(default.template_output, fitting),
            render_time: self.limit_render_time.unwrap_or(default.render_time),
        }
    }
}

impl Flags {
    /// What is set here, else what `lower` sets.
    fn or(self, lower: Self) -> Self {
        Self {
            render_store_url: self.render_store_url.or(lower.render_store_url),
            render_store_encryption_key_file: self
                .render_store_encryption_key_file
                .or(lower.render_store_encryption_key_file),
            allow_file_sources: self.allow_file_sources.or(lower.allow_file_sources),
            max_concurrent_reconciles: self.max_concurrent_reconciles.or(lower.max_concurrent_reconciles),
            installation_id: self.installation_id.or(lower.installation_id),
            default_service_account: self.default_service_account.or(lower.default_service_account),
            entropy_key_secret: self.entropy_key_secret.or(lower.entropy_key_secret),
            artifact_store_bytes: self.artifact_store_bytes.or(lower.artifact_store_bytes),
            webhook_address: self.webhook_address.or(lower.webhook_address),
            artifact_store_dir: self.artifact_store_dir.or(lower.artifact_store_dir),
            artifact_store_dir_bytes: self.artifact_store_dir_bytes.or(lower.artifact_store_dir_bytes),
            compat: self.compat.or(lower.compat),
            log_format: self.log_format.or(lower.log_format),
            log_level: self.log_level.or(lower.log_level),
            install_crds: self.install_crds.or(lower.install_crds),
            limits: self.limits.or(lower.limits),
        }
    }

    /// Where fetched sources outlive a restart, and how many bytes of them.
    pub(crate) fn artifact_folder(&self) -> Option<(PathBuf, u64)> {
        let folder = self.artifact_store_dir.clone()?;
        Some((folder, self.artifact_store_dir_bytes.unwrap_or(4 << 30)))
    }

    /// Reconciles that run at a time.
    pub(crate) fn concurrency(&self) -> usize {
        self.max_concurrent_reconciles.unwrap_or(CONCURRENT_RECONCILES)
    }
}

/// What a file can set.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct FromFile {
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    cluster: ClusterArgs,
}

/// Completes flags (and variables) with a file.
pub(crate) fn complete(
    flags: Flags,
    cluster: ClusterArgs,
    file: Option<&Path>,
) -> Result<(Flags, ClusterArgs), Failure> {
    let Some(path) = file else {
        return Ok((flags, cluster));
    };
    let place = format!("settings file `{}`", path.display());
    let settings = documents::read_one(path)?;
    let lower = parse(&settings, &place)?;
    let chosen = cluster.server.is_some() || cluster.kubeconfig.is_some() || cluster.context.is_some();
    // Server, kubeconfig and context choose one cluster together: a file's context means nothing to a flag's server.
    Ok((flags.or(lower.flags), if chosen { cluster } else { lower.cluster }))
}

fn parse(settings: &Value, place: &str) -> Result<FromFile, Failure> {
    let entries = match settings {
        Value::Null => None,
        Value::Object(map) => Some(map),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(Failure::usage(format!(
                "{place} must be a mapping of flag names to values"
            )));
        }
    };
    let command = FromFile::command();
    let known: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
    let mut arguments = Vec::new();
    for (key, value) in entries.into_iter().flat_map(convoy_value::Map::iter) {
        if !known.contains(&key) {
            let failure = Failure::usage(format!("{place} has an unknown key `{key}`"));
            return Err(match nearest(key, known.iter().copied()) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => {
                    failure.hint("the keys are the flags of `convoy controller-manager --help`, without the dashes")
                }
            });
        }
        let text = scalar(value)
            .ok_or_else(|| Failure::usage(format!("`{key}` in {place} must be a text, a number, or true or false")))?;
        arguments.push(format!("--{key}={text}"));
    }
    let refuse = |error: &clap::Error| {
        let text = error.to_string();
        let line = text
            .lines()
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_string();
        Failure::usage(format!("{place} is not valid")).because_text(line)
    };
    command
        .try_get_matches_from(arguments)
        .and_then(|matches| FromFile::from_arg_matches(&matches))
        .map_err(|error| refuse(&error))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Bool(b) => Some(b.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Number(Number::Int(i)) => Some(i.to_string()),
        Value::Number(Number::Uint(u)) => Some(u.to_string()),
        Value::Number(Number::Float(_) | Number::Big(_)) | Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Reads a number of bytes: digits, and a unit of Kubernetes' quantities (`Ki`, `Mi`, `Gi`, `k`, `M`, `G`).
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match &text[digits.len()..] {
        "" => 1,
        "k" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        other => {
            return Err(format!(
                "`{other}` is not a unit; write a number such as `1048576` or `16Mi`"
            ));
        }
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| "write a number such as `1048576` or `16Mi`".to_string())?;
    number
        .checked_mul(unit)
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "the number is out of range".to_string())
}

/// An address to listen on, or that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address(pub(crate) Option<SocketAddr>);

fn address(text: &str) -> Result<Address, String> {
    if text.is_empty() {
        return Ok(Address(None));
    }
    // As Go's programs write all addresses of a machine.
    let all = text.strip_prefix(':').map(|port| format!("[::]:{port}"));
    let parsed = all.as_deref().unwrap_or(text).parse();
    parsed
        .map(|address| Address(Some(address)))
        .map_err(|_| "write a port, such as `:9292`, or an address and a port, such as `127.0.0.1:9292`".to_string())
}

fn compat(text: &str) -> Result<Compat, String> {
    text.parse().map_err(|error: UnknownVersion| error.to_string())
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        Ok(_) => Err("the number must be at least 1".to_string()),
        Err(_) => Err("write a whole number".to_string()),
    }
}

/// A duration in which something can happen.
fn some_time(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("the time must be longer than nothing".to_string()),
        time => Ok(time),
    }
}

/// A flag that names a file of settings.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FileFlag {
    /// File of settings: flag names and values, as YAML; flags and CONVOY_* variables come before it
    #[arg(long, value_name = "FILE", env = "CONVOY_CONFIG")]
    pub(crate) config: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use convoy_value::Map;

    fn settings(entries: &[(&str, Value)]) -> Value {
        Value::Object(
            entries
                .iter()
                .map(|(key, value)| (*key, value.clone()))
                .collect::<Map>(),
        )
    }

    fn refused(entries: &[(&str, Value)]) -> String {
        format!("{:?}", parse(&settings(entries), "settings file `f`").unwrap_err())
    }

    #[test]
    fn a_file_sets_what_flags_set() {
        let parsed = parse(
            &settings(&[
                ("render-store-url", "file:///renders".into()),
                ("allow-file-sources", true.into()),
                ("max-concurrent-reconciles", 7.into()),
                ("limit-file-bytes", "1Mi".into()),
                ("limit-render-time", "5s".into()),
                ("limit-template-steps", 1000.into()),
                ("log-format", "json".into()),
                ("context", "stage".into()),
            ]),
            "f",
        )
        .unwrap();
        assert_eq!(parsed.flags.render_store_url.as_deref(), Some("file:///renders"));
        assert_eq!(parsed.flags.allow_file_sources, Some(true));
        assert_eq!(parsed.flags.concurrency(), 7);
        let limits = parsed.flags.limits.limits();
        assert_eq!(limits.file_bytes, 1 << 20);
        assert_eq!(
            (limits.render_time, limits.template_steps),
            (Duration::from_secs(5), 1000)
        );
        assert_eq!(limits.template_output, 64 << 20);
        assert_eq!(parsed.flags.log_format, Some(LogFormat::Json));
        assert_eq!(parsed.cluster.context.as_deref(), Some("stage"));
    }

    #[test]
    fn artifacts_outlive_a_restart_only_where_a_directory_is_named() {
        let folder = |entries: &[(&str, Value)]| parse(&settings(entries), "f").unwrap().flags.artifact_folder();
        assert_eq!(folder(&[]), None);
        assert_eq!(
            folder(&[("artifact-store-dir", "/var/cache/convoy".into())]),
            Some(("/var/cache/convoy".into(), 4 << 30))
        );
        assert_eq!(
            folder(&[
                ("artifact-store-dir", "/x".into()),
                ("artifact-store-dir-bytes", "1Gi".into())
            ]),
            Some(("/x".into(), 1 << 30))
        );
    }

    #[test]
    fn one_earlier_version_can_be_kept() {
        let compat = |text: &str| parse(&settings(&[("compat", text.into())]), "f").map(|parsed| parsed.flags.compat);
        assert_eq!(compat("v0.9").unwrap(), Some(Compat::V0_9));
        assert!(compat("v0.8").is_err());
    }

    #[test]
    fn a_flag_comes_before_the_file() {
        let flag = Flags {
            installation_id: Some("flag".to_string()),
            ..Flags::default()
        };
        let file = Flags {
            installation_id: Some("file".to_string()),
            default_service_account: Some("deployer".to_string()),
            ..Flags::default()
        };
        let merged = flag.or(file);
        assert_eq!(merged.installation_id.as_deref(), Some("flag"));
        assert_eq!(merged.default_service_account.as_deref(), Some("deployer"));
    }

    #[test]
    fn an_address_is_a_port_with_or_without_a_host() {
        let check = |text: &str, expect: Option<&str>| {
            let expect = expect.map(|text| text.parse().unwrap());
            assert_eq!(address(text), Ok(Address(expect)), "{text}");
        };
        check("", None);
        check(":9292", Some("[::]:9292"));
        check("127.0.0.1:0", Some("127.0.0.1:0"));
        for wrong in [":", "9292", "localhost:9292", ":70000"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_unknown_key_is_refused_with_the_nearest_known_one() {
        let text = refused(&[("render-store-urll", "mem://".into())]);
        assert!(text.contains("unknown key `render-store-urll`") && text.contains("did you mean `render-store-url`"));
        // Flags of later versions are not passed over either.
        assert!(refused(&[("otlp-endpoint", ":4317".into())]).contains("unknown key `otlp-endpoint`"));
    }

    #[test]
    fn a_value_of_another_type_is_refused_with_its_key() {
        assert!(refused(&[("limit-depth", "deep".into())]).contains("limit-depth"));
        assert!(refused(&[("limit-depth", Value::Object(Map::new()))]).contains("`limit-depth`"));
        assert!(parse(&Value::from("text"), "f").is_err());
        assert!(parse(&Value::Null, "f").is_ok(), "an empty file sets nothing");
    }

    proptest::proptest! {
        #[test]
        fn every_value_of_a_file_is_taken_or_refused(
            key in proptest::sample::select(vec!["limit-depth", "log-format", "installation-id", "install-crds", "x"]),
            value in convoy_testkit_strategies::value(),
        ) {
            let taken = parse(&settings(&[(key, value.clone())]), "f").is_ok();
            proptest::prop_assert!(!taken || scalar(&value).is_some());
        }

        #[test]
        fn any_text_is_a_size_or_refused(text in convoy_testkit_strategies::unicode()) {
            proptest::prop_assert!(bytes(&text).is_ok_and(|bytes| bytes > 0) || bytes(&text).is_err());
        }
    }

    #[test]
    fn sizes_are_read_as_kubernetes_writes_them() {
        let check = |text: &str, expect: Option<u64>| assert_eq!(bytes(text).ok(), expect, "{text}");
        check("1024", Some(1024));
        check("16Mi", Some(16 << 20));
        check("2G", Some(2_000_000_000));
        check("0", None);
        check("-1", None);
        check("16MB", None);
        check("99999999999Gi", None);
        check("Mi", None);
    }
}
