//! How the command line speaks: help, usage errors, exit codes, version, completion.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use common::run;

#[test]
fn without_a_command_it_teaches_and_fails() {
    run(&[]).exits(2).says("convoy demo");
}

#[test]
fn help_is_an_answer_not_an_error() {
    let help = run(&["--help"]).exits(0);
    assert!(help.stderr.is_empty());
    for command in [
        "demo",
        "render",
        "get",
        "create",
        "fetch",
        "history",
        "sync",
        "controller-manager",
        "version",
        "completion",
    ] {
        assert!(help.stdout.contains(command), "{command} is not in:\n{}", help.stdout);
        let one = run(&[command, "--help"]).exits(0);
        assert!(one.stdout.contains("Examples:"), "{command} shows no example");
    }
}

#[test]
fn help_is_a_command_too() {
    let same = |words: &[&str], flag: &[&str]| {
        let text = run(flag).exits(0).stdout;
        run(words).exits(0).prints(&text);
    };
    same(&["help"], &["--help"]);
    same(&["help", "history"], &["history", "--help"]);
    same(&["help", "render", "manifests"], &["render", "manifests", "--help"]);
    run(&["help", "frobnicate"]).exits(2).says("unrecognized subcommand");
}

#[test]
fn wrong_usage_exits_with_2() {
    run(&["frobnicate"]).exits(2).says("unrecognized subcommand");
    run(&["get"]).exits(2).says("required");
    run(&["get", "pods"])
        .exits(2)
        .says("[possible values: releases, sources, clusters]");
    run(&["version", "-o", "xml"]).exits(2).says("invalid value 'xml'");
    run(&["demo", "--ready-after", "soon"])
        .exits(2)
        .says("write a duration such as");
    run(&["get", "releases", "-A", "-n", "x"])
        .exits(2)
        .says("cannot be used with");
}

#[test]
fn flags_of_later_versions_are_refused() {
    for flag in ["--metrics-address=x", "--otlp-endpoint=x", "--shard-lease-namespace=x"] {
        run(&["controller-manager", flag]).exits(2).says("unexpected argument");
    }
}

#[test]
fn version_is_printed_in_each_form() {
    let version = env!("CARGO_PKG_VERSION");
    run(&["version"]).exits(0).prints(&format!("convoy {version}\n"));
    run(&["--version"]).exits(0).prints(&format!("convoy {version}\n"));
    run(&["version", "-o", "name"]).exits(0).prints(&format!("{version}\n"));
    run(&["version", "-o", "yaml"]).exits(0).prints(&format!(
        "apiVersions:\n- core.convoy.kumodo.io/v1alpha1\n- source.convoy.kumodo.io/v1alpha1\nversion: {version}\n"
    ));
    let json = run(&["version", "-o", "json"]).exits(0).stdout;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["version"], version);
}

#[test]
fn every_shell_gets_its_completion() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completion", shell]).exits(0).stdout;
        assert!(script.contains("controller-manager"), "{shell}");
    }
}

#[test]
fn an_unreachable_server_is_named_with_what_to_do() {
    let ended = run(&["get", "releases", "--server", "http://127.0.0.1:9"]).exits(1);
    assert_eq!(
        ended.stderr,
        "error: cannot list releases in namespace `default`: Connection refused (os error 111)\n \
         hint: is there an API server at http://127.0.0.1:9/? `--server`, `--kubeconfig` and `--context` choose another\n"
    );
    assert!(ended.stdout.is_empty());
    let chain = run(&["-v", "get", "releases", "--server", "http://127.0.0.1:9"]).exits(1);
    assert!(chain.stderr.matches("because:").count() >= 2, "{}", chain.stderr);
}

#[test]
fn a_cluster_that_cannot_be_chosen_is_an_error() {
    run(&["get", "releases", "--server", "ftp://x"])
        .exits(2)
        .says("is not an http or https URL");
    run(&["get", "releases", "--kubeconfig", "absent"])
        .exits(1)
        .says("cannot read kubeconfig `absent`");
    run(&["get", "releases"])
        .exits(1)
        .says("cannot read a kubeconfig")
        .says("hint: name one with `--kubeconfig`");
}
