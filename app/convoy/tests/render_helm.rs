//! `convoy render helm`: the flags of `helm template`, its inputs and their bounds, and what it says of bad ones.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Ended, command, finish, run_in};

const TEMPLATE: &str = "n: {{ .Release.Name }}.{{ .Release.Namespace }}\nv: {{ .Values.v }}\n";
const PLAIN: &str = "---\n# Source: web/templates/a.yaml\nn: release-name.default\nv: none\n";

fn chart(template: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("c/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ("c/values.yaml", "v: none\n"),
        ("c/crds/x.yaml", "crd: 1\n"),
        ("c/templates/a.yaml", template),
        ("v.yaml", "v: given\n"),
    ] {
        let file = dir.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    dir
}

fn helm(dir: &Path, arguments: &[&str]) -> Ended {
    run_in(dir, &[&["render", "helm"], arguments].concat())
}

/// Runs a line of bash in which `$CONVOY` is the command.
#[cfg(unix)]
fn bash(dir: &Path, line: &str) -> Ended {
    let mut command = Command::new("bash");
    command.args(["-c", line]).current_dir(dir);
    command.env("CONVOY", env!("CARGO_BIN_EXE_convoy"));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    finish(&mut command, Duration::from_mins(1))
}

#[test]
fn flags_of_helm_without_effect_are_accepted() {
    let dir = chart(TEMPLATE);
    for flags in [
        "-g",
        "--generate-name",
        "--dry-run",
        "--dry-run=client",
        "--timeout 5m --wait --wait=legacy --wait-for-jobs --atomic --rollback-on-failure",
        "--description d -l a=b --labels c=d --version 1.0.0 --devel",
        "--kube-context x --kubeconfig x --color always --replace --force-conflicts --take-ownership",
        "--server-side --server-side=false --render-subchart-notes --hide-notes --disable-openapi-validation",
        "--skip-crds --debug --create-namespace --validate=false --verify=false --dependency-update=0",
        "--username u --password p --ca-file x --plain-http --registry-config x --qps 1.5",
    ] {
        let flags: Vec<&str> = flags.split(' ').collect();
        let ended = helm(dir.path(), &[&flags, &["./c"][..]].concat())
            .exits(0)
            .prints(PLAIN);
        assert_eq!(ended.stderr, "", "{flags:?}");
    }
    helm(dir.path(), &["--enable-dns", "./c"])
        .exits(0)
        .prints(PLAIN)
        .says("`--enable-dns` has no effect");
    helm(dir.path(), &["-g", "a", "./c"])
        .exits(2)
        .says("cannot set --generate-name and also specify a name");
}

#[test]
fn flags_that_need_a_network_a_server_or_a_program_are_refused() {
    let dir = chart(TEMPLATE);
    let check = |arguments: &[&str], expect: &str, hint: &str| {
        helm(dir.path(), arguments).exits(2).says(expect).says(hint);
    };
    check(
        &["--repo", "https://h", "c"],
        "`--repo` is refused: nothing is fetched",
        "helm pull",
    );
    check(
        &["--validate", "c"],
        "`--validate` is refused: no server is asked",
        "--dry-run=server",
    );
    check(&["--dry-run=server", "c"], "no server is asked", "kubectl apply");
    check(
        &["--dry-run=never", "c"],
        "`never` is not a value of `--dry-run`",
        "client",
    );
    check(&["--post-renderer", "x", "c"], "no program is run", "pipe the text");
    check(
        &["--dependency-update", "c"],
        "nothing is fetched",
        "helm dependency build",
    );
    check(&["--verify", "c"], "signatures are not checked", "helm verify");
    for arguments in [
        &["oci://h/c"][..],
        &["https://h/c.tgz"],
        &["-f", "http://h/v.yaml", "c"],
        &["--set-file", "v=https://h/x", "c"],
    ] {
        helm(dir.path(), arguments)
            .exits(1)
            .says("it is remote, and nothing is fetched");
    }
}

#[test]
fn switches_take_a_value_as_in_helm_and_the_last_counts() {
    let dir = chart(TEMPLATE);
    let has_crds = |flags: &[&str]| {
        let ended = helm(dir.path(), &[flags, &["./c"]].concat()).exits(0);
        ended.stdout.contains("crd: 1")
    };
    assert!(has_crds(&["--include-crds"]) && has_crds(&["--include-crds=T"]) && has_crds(&["--include-crds=1"]));
    assert!(!has_crds(&["--include-crds=false"]) && !has_crds(&["--include-crds", "--include-crds=0"]));
    assert!(!has_crds(&[
        "--skip-tests=true",
        "--no-hooks=false",
        "--is-upgrade=F",
        "-g=true"
    ]));
    helm(dir.path(), &["--include-crds=maybe", "./c"])
        .exits(2)
        .says("write true or false");
    fs::write(dir.path().join("kustomization.yaml"), "resources: []\n").unwrap();
    let kustomize = |flag| run_in(dir.path(), &["render", "kustomize", flag]);
    for harmless in ["--network", "--network=false"] {
        kustomize(harmless).exits(0);
    }
    kustomize("--network=maybe").exits(2).says("write true or false");
}

#[test]
fn empty_values_count_as_not_given() {
    let dir = chart(TEMPLATE);
    for flags in [
        &["-f", ""][..],
        &["--kube-version", "", "-n", ""],
        &["--name-template", "", "--output-dir", ""],
    ] {
        helm(dir.path(), &[flags, &["./c"]].concat()).exits(0).prints(PLAIN);
    }
    let emptied = helm(dir.path(), &["--set-file", "v=", "./c"]).exits(0);
    assert!(
        emptied.stdout.ends_with("v: \n") || emptied.stdout.ends_with("v:\n"),
        "{}",
        emptied.stdout
    );
}

#[cfg(unix)]
#[test]
fn pipes_are_read_where_they_are_named_and_refused_in_a_directory() {
    let dir = chart(TEMPLATE);
    for line in [
        r#""$CONVOY" render helm ./c -f <(echo 'v: given')"#,
        r#""$CONVOY" render helm ./c --set-file v=<(printf given)"#,
        r#"echo 'v: given' | "$CONVOY" render helm ./c -f /dev/stdin"#,
        r#"echo 'v: given' | "$CONVOY" render helm ./c -f -"#,
        r#"tar cz c | "$CONVOY" render helm /dev/stdin -f v.yaml"#,
    ] {
        let ended = bash(dir.path(), line).exits(0);
        assert!(ended.stdout.ends_with("v: given\n"), "{line}: {}", ended.stdout);
    }
    bash(dir.path(), r#"mkfifo c/pipe; "$CONVOY" render helm ./c"#)
        .exits(1)
        .says("c/pipe")
        .says("not a regular file");
}

#[cfg(unix)]
#[test]
fn input_without_end_ends_at_a_limit_that_a_flag_or_a_variable_sets() {
    let dir = chart(TEMPLATE);
    for line in [
        r#"yes 'a: b' | "$CONVOY" render helm ./c -f - "#,
        r#""$CONVOY" render helm ./c --limit-file-bytes 1Ki -f /dev/zero"#,
        r#"CONVOY_LIMIT_FILE_BYTES=1Ki "$CONVOY" render helm ./c -f <(yes)"#,
    ] {
        bash(dir.path(), line)
            .exits(1)
            .says("passes the limit of ")
            .says("`--limit-file-bytes` sets another");
    }
    helm(dir.path(), &["c", "--limit-file-bytes", "4"])
        .exits(1)
        .says("--limit-file-bytes");
    helm(dir.path(), &["c", "--entropy-key", "/dev/zero"])
        .exits(1)
        .says("limit of 65536 bytes");
}

#[test]
fn bounds_of_templates_are_set_by_the_flags_that_the_hints_name() {
    let dir = chart("{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}");
    helm(dir.path(), &["c", "--limit-template-steps", "1000"])
        .exits(1)
        .says("`--limit-template-steps` sets another");
    let started = Instant::now();
    helm(
        dir.path(),
        &[
            "c",
            "--limit-template-steps",
            "100000000000",
            "--limit-render-time",
            "300ms",
        ],
    )
    .exits(1)
    .says("limit of time of 300ms")
    .says("--limit-render-time");
    assert!(started.elapsed() < Duration::from_secs(30));
    let dir = chart("{{ repeat 1000 \"x\" }}");
    helm(dir.path(), &["c", "--limit-template-output", "100"])
        .exits(1)
        .says("`--limit-template-output` sets another");
}

#[test]
fn messages_name_the_chart() {
    let dir = chart(TEMPLATE);
    fs::create_dir(dir.path().join("empty")).unwrap();
    helm(dir.path(), &["./empty"])
        .exits(1)
        .says("cannot load chart `./empty`: Chart.yaml file is missing");
    helm(dir.path(), &["v.yaml"])
        .exits(1)
        .says("cannot load chart `v.yaml`: gzip: invalid header");
    helm(dir.path(), &["repo/web"])
        .exits(1)
        .says("path \"repo/web\" not found")
        .says("helm pull");
}

#[cfg(target_os = "linux")]
#[test]
fn a_directory_of_any_name_is_a_chart_and_a_file_of_such_a_name_is_told() {
    use std::os::unix::ffi::OsStrExt as _;
    let dir = chart(TEMPLATE);
    let odd = OsStr::from_bytes(b"d\xff");
    fs::rename(dir.path().join("c"), dir.path().join(odd)).unwrap();
    let run = || {
        finish(
            command(dir.path(), &["render", "helm"]).arg(odd),
            Duration::from_mins(1),
        )
    };
    run().exits(0).prints(PLAIN);
    fs::write(dir.path().join(odd).join(odd), "").unwrap();
    run().exits(1).says("the file name `d\u{fffd}` is not UTF-8");
}

#[cfg(unix)]
#[test]
fn a_link_in_an_archive_is_refused_by_name() {
    let dir = chart(TEMPLATE);
    std::os::unix::fs::symlink("values.yaml", dir.path().join("c/link")).unwrap();
    bash(dir.path(), r#"tar czf c.tgz c && "$CONVOY" render helm c.tgz"#)
        .exits(1)
        .says("cannot load chart `c.tgz`: chart illegally contains a link or a device: \"c/link\"");
}
