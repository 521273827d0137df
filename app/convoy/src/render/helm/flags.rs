//! Flags of `helm template` that have no effect here, and those that ask for a network, a server or a program.
//!
//! The first are accepted, so that a command line can be taken over; the second are refused with what to do instead.
//! Switches are read as Helm reads them, with or without a value.

use clap::builder::OsStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use crate::failure::Failure;
use crate::print;

/// Switches that change nothing that is printed; some of both tables are [`REFUSED`].
const SWITCHES: [&str; 24] = [
    "atomic",
    "create-namespace",
    "debug",
    "devel",
    "disable-openapi-validation",
    "enable-dns",
    "force-conflicts",
    "force-replace",
    "force",
    "hide-notes",
    "insecure-skip-tls-verify",
    "kube-insecure-skip-tls-verify",
    "pass-credentials",
    "plain-http",
    "render-subchart-notes",
    "replace",
    "rollback-on-failure",
    "server-side",
    "skip-crds",
    "take-ownership",
    "wait-for-jobs",
    "validate",
    "verify",
    "dependency-update",
];

/// Options whose values change nothing that is printed.
const OPTIONS: [&str; 30] = [
    "burst-limit",
    "ca-file",
    "cert-file",
    "color",
    "colour",
    "content-cache",
    "description",
    "key-file",
    "keyring",
    "kube-apiserver",
    "kube-as-group",
    "kube-as-user",
    "kube-ca-file",
    "kube-context",
    "kube-tls-server-name",
    "kube-token",
    "kubeconfig",
    "labels",
    "password",
    "qps",
    "registry-config",
    "repository-cache",
    "repository-config",
    "timeout",
    "username",
    "version",
    "repo",
    "post-renderer",
    "post-renderer-args",
    "wait",
];

/// Flags that are refused: why, and what to do instead.
const REFUSED: [(&str, &str, &str); 6] = [
    (
        "repo",
        "nothing is fetched",
        "`helm pull` the chart first, and name its directory or .tgz",
    ),
    (
        "dependency-update",
        "nothing is fetched",
        "`helm dependency build` puts the dependencies into `charts/`",
    ),
    (
        "verify",
        "signatures are not checked",
        "`helm verify` checks a packaged chart",
    ),
    (
        "validate",
        "no server is asked",
        "pipe the text into `kubectl apply --dry-run=server -f -`",
    ),
    ("post-renderer", "no program is run", "pipe the text into the program"),
    (
        "post-renderer-args",
        "no program is run",
        "pipe the text into the program",
    ),
];

/// What was given of them.
#[derive(Clone, Debug, Default)]
pub(super) struct OfHelm {
    refused: Option<(&'static str, &'static str, &'static str)>,
    dry_run: Option<String>,
    enables_dns: bool,
}

impl clap::Args for OfHelm {
    fn augment_args(command: Command) -> Command {
        let switches = SWITCHES.map(|name| Arg::new(name).long(name).hide(true).action(ArgAction::SetTrue));
        let options = OPTIONS.map(|name| {
            let option = Arg::new(name).long(name).hide(true).action(ArgAction::Append);
            let option = option.value_parser(OsStringValueParser::new());
            match name {
                "labels" => option.short('l'),
                "wait" => option
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("watcher"),
                _ => option,
            }
        });
        let dry_run = Arg::new("dry-run")
            .long("dry-run")
            .hide(true)
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("client");
        command.args(switches).args(options).arg(dry_run)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OfHelm {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |name: &str| {
            if SWITCHES.contains(&name) {
                matches.get_flag(name)
            } else {
                matches.contains_id(name)
            }
        };
        Ok(Self {
            refused: REFUSED.into_iter().find(|(name, ..)| given(name)),
            dry_run: matches.get_one::<String>("dry-run").cloned(),
            enables_dns: matches.get_flag("enable-dns"),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl OfHelm {
    /// Refuses what cannot be done, and tells of what is passed over though it could matter.
    pub(super) fn check(&self) -> Result<(), Failure> {
        if let Some((name, why, instead)) = self.refused {
            return Err(Failure::usage(format!("`--{name}` is refused: {why}")).hint(instead));
        }
        match self.dry_run.as_deref() {
            None | Some("" | "client" | "true" | "false") => {}
            Some("server") => {
                return Err(Failure::usage("`--dry-run=server` is refused: no server is asked")
                    .hint("pipe the text into `kubectl apply --dry-run=server -f -`"));
            }
            Some(other) => {
                return Err(Failure::usage(format!(
                    "`{other}` is not a value of `--dry-run`; the only one here is `client`"
                )));
            }
        }
        if self.enables_dns {
            print::err_line(
                "warning: `--enable-dns` has no effect: `getHostByName` asks nobody, and gives an empty text",
            );
        }
        Ok(())
    }
}

/// Makes each switch take a value too, as `--include-crds=false`; the last one counts.
pub(in super::super) fn switch(arg: Arg) -> Arg {
    if !matches!(arg.get_action(), ArgAction::SetTrue) {
        return arg;
    }
    arg.action(ArgAction::Set)
        .value_parser(boolean)
        .value_name("BOOL")
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("true")
        .default_value("false")
        .hide_default_value(true)
}

/// The spellings that Go's `strconv.ParseBool` takes.
fn boolean(text: &str) -> Result<bool, String> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err("write true or false".into()),
    }
}
