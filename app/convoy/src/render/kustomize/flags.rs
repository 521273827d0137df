//! Flags that every command of kubectl has, for servers and logs: accepted and not looked at, since `kubectl kustomize`
//! does not look at them either.

use clap::builder::OsStringValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

const SWITCHES: [&str; 5] = [
    "disable-compression",
    "insecure-skip-tls-verify",
    "match-server-version",
    "stack-trace",
    "warnings-as-errors",
];

const OPTIONS: [&str; 23] = [
    "as",
    "as-group",
    "as-uid",
    "as-user-extra",
    "cache-dir",
    "certificate-authority",
    "client-certificate",
    "client-key",
    "cluster",
    "context",
    "kubeconfig",
    "kuberc",
    "log-flush-frequency",
    "password",
    "profile",
    "profile-output",
    "request-timeout",
    "server",
    "tls-server-name",
    "token",
    "user",
    "username",
    "v",
];

/// Nothing is kept of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfKubectl;

impl Args for OfKubectl {
    fn augment_args(command: Command) -> Command {
        let switches = SWITCHES.map(|name| Arg::new(name).long(name).hide(true).action(ArgAction::SetTrue));
        let options = OPTIONS.map(|name| {
            let option = Arg::new(name).long(name).hide(true).action(ArgAction::Append);
            let option = option.value_parser(OsStringValueParser::new());
            if name == "server" { option.short('s') } else { option }
        });
        command.args(switches).args(options)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OfKubectl {
    fn from_arg_matches(_: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self)
    }

    fn update_from_arg_matches(&mut self, _: &ArgMatches) -> Result<(), clap::Error> {
        Ok(())
    }
}
