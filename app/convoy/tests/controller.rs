//! `convoy controller-manager` as a process: settings, reasons to stop at start, the end.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use std::fs;
use std::time::Duration;

use common::{Running, command, finish, run, run_in};

#[test]
fn a_store_that_cannot_be_opened_stops_the_process_with_the_reason() {
    let check = |url: &str, expect: &str| {
        run(&[
            "controller-manager",
            "--server",
            "http://127.0.0.1:9",
            "--render-store-url",
            url,
        ])
        .exits(1)
        .says(expect);
    };
    check(
        "file:///nowhere/at/all",
        "cannot open the render store `file:///nowhere/at/all`",
    );
    check("ftp://x", "cannot open the render store `ftp://x`");
    check(
        "file:///proc/renders?create_dir=true",
        "cannot open the render store `file:///proc/renders`",
    );
}

#[test]
fn a_server_that_does_not_answer_stops_the_process_with_the_reason() {
    run(&["controller-manager", "--server", "http://127.0.0.1:9", "--install-crds"])
        .exits(1)
        .says("cannot install the CRDs on `http://127.0.0.1:9/`")
        .says("Connection refused");
}

#[test]
fn settings_come_from_flags_variables_and_a_file_in_this_order() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("settings.yaml"),
        "render-store-url: file:///from/file\nlog-format: json\n",
    )
    .unwrap();
    let with = |arguments: &[&str], variable: Option<&str>| {
        let all = [
            &[
                "controller-manager",
                "--server",
                "http://127.0.0.1:9",
                "--config",
                "settings.yaml",
            ],
            arguments,
        ]
        .concat();
        let mut command = command(dir.path(), &all);
        if let Some(url) = variable {
            command.env("CONVOY_RENDER_STORE_URL", url);
        }
        finish(&mut command, Duration::from_mins(1)).exits(1)
    };
    with(&[], None).says("`file:///from/file`");
    with(&[], Some("file:///from/variable")).says("`file:///from/variable`");
    with(
        &["--render-store-url", "file:///from/flag"],
        Some("file:///from/variable"),
    )
    .says("`file:///from/flag`");
}

#[test]
fn a_file_with_an_unknown_key_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let check = |text: &str, expect: &str| {
        fs::write(dir.path().join("settings.yaml"), text).unwrap();
        run_in(dir.path(), &["controller-manager", "--config", "settings.yaml"])
            .exits(2)
            .says(expect);
    };
    check(
        "render-store: mem://",
        "settings file `settings.yaml` has an unknown key `render-store`",
    );
    check("limit-depht: 10", "did you mean `limit-depth`?");
    check("limit-depth: deep", "invalid value 'deep' for '--limit-depth <N>'");
    check("- a", "must be a mapping");
    fs::write(dir.path().join("settings.yaml"), "a: [").unwrap();
    run_in(dir.path(), &["controller-manager", "--config", "settings.yaml"])
        .exits(1)
        .says("is not YAML");
}

#[test]
fn a_store_in_memory_warns_and_sigterm_ends_the_process() {
    let dir = tempfile::tempdir().unwrap();
    let mut demo = Running::start(&mut command(dir.path(), &["demo"]));
    let url = demo.prints("API server").split_whitespace().last().unwrap().to_string();
    let arguments = [
        "controller-manager",
        "--server",
        &url,
        "--render-store-url",
        "mem://",
        "--log-format",
        "json",
    ];
    let mut controller = Running::start(&mut command(dir.path(), &arguments));
    let warning: serde_json::Value = serde_json::from_str(&controller.says("in memory")).unwrap();
    assert_eq!(warning["level"], "WARN");
    controller.says("reconciling");
    let (code, took) = controller.terminate();
    assert_eq!(code, 0);
    assert!(took < Duration::from_secs(25), "{took:?}");
}
