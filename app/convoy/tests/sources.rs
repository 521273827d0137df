//! Sources on the command line: what is written, what would be fetched, and what is said when it cannot be.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use std::fs;
use std::path::Path;

use common::{run, run_in};
use serde_json::{Value, json};

fn created(arguments: &[&str]) -> (String, String) {
    let ended = run(&[&["create", "source"], arguments].concat()).exits(0);
    (ended.stdout, ended.stderr)
}

#[test]
fn a_source_is_written_with_what_was_said_and_no_more() {
    let (yaml, said) = created(&["git", "podinfo", "--url", "https://github.com/stefanprodan/podinfo.git"]);
    assert_eq!(
        yaml,
        "apiVersion: source.convoy.kumodo.io/v1alpha1\nkind: GitRepository\nmetadata:\n  name: podinfo\nspec:\n  \
         url: https://github.com/stefanprodan/podinfo.git\n"
    );
    assert_eq!(said, "");
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn every_flag_is_a_field() {
    let check = |arguments: &[&str], kind: &str, spec: Value| {
        let (json, _) = created(&[arguments, &["-n", "web", "-o", "json"]].concat());
        let object: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            object,
            json!({
                "apiVersion": "source.convoy.kumodo.io/v1alpha1", "kind": kind,
                "metadata": {"name": "a", "namespace": "web"}, "spec": spec,
            })
        );
    };
    let named = |name: &str| json!({ "name": name });
    check(
        &[
            "git",
            "a",
            "--url",
            "ssh://git@h/a.git",
            "--auth",
            "ssh",
            "--secret",
            "s",
            "--ca-secret",
            "c",
            "--proxy-url",
            "http://p:3128",
            "--submodules",
            "--verify",
            "tag",
            "--verify-secret",
            "v",
            "--webhook-secret",
            "w",
            "--interval",
            "5m",
            "--min-sync-interval",
            "10s",
            "--timeout",
            "90s",
            "--insecure-skip-verify",
        ],
        "GitRepository",
        json!({
            "url": "ssh://git@h/a.git", "auth": {"type": "ssh", "secretRef": named("s")}, "proxyURL": "http://p:3128",
            "submodules": true, "verify": {"mode": "tag", "secretRef": named("v")}, "webhookSecretRef": named("w"),
            "interval": "5m0s", "minSyncInterval": "10s", "timeout": "1m30s",
            "tls": {"caSecretRef": named("c"), "insecureSkipVerify": true},
        }),
    );
    check(
        &[
            "git",
            "a",
            "--url",
            "https://h/a",
            "--auth",
            "github-app",
            "--secret",
            "s",
        ],
        "GitRepository",
        json!({"url": "https://h/a", "auth": {"type": "githubApp", "secretRef": named("s")}}),
    );
    check(
        &[
            "helm",
            "a",
            "--url",
            "https://h/",
            "--auth",
            "client-certificate",
            "--secret",
            "s",
            "--pass-credentials",
        ],
        "HelmRegistry",
        json!({"url": "https://h/", "auth": {"type": "clientCertificate", "secretRef": named("s")}, "passCredentials": true}),
    );
    check(
        &[
            "oci",
            "a",
            "--url",
            "oci://h/x",
            "--auth",
            "docker-config",
            "--secret",
            "s",
            "--plain-http",
        ],
        "OCIRegistry",
        json!({
            "url": "oci://h/x", "auth": {"type": "dockerConfig", "secretRef": named("s")}, "plainHTTP": true,
            "defaultContentType": "helm",
        }),
    );
}

#[test]
fn how_to_make_the_secret_is_said_beside_it() {
    let check = |kind: &str, url: &str, auth: &str, expect: &str| {
        let (_, said) = created(&[kind, "a", "--url", url, "--auth", auth, "--secret", "s", "-n", "web"]);
        assert!(said.contains(expect), "{said}");
    };
    check(
        "git",
        "ssh://h/a",
        "ssh",
        "kubectl create secret generic s --from-file=identity=FILE --from-file=known_hosts=FILE -n web",
    );
    check("git", "https://h/a", "token", "--from-file=token=FILE");
    check(
        "helm",
        "https://h",
        "client-certificate",
        "create secret tls s --cert=FILE --key=FILE",
    );
    check(
        "oci",
        "oci://h",
        "docker-config",
        "--type=kubernetes.io/dockerconfigjson",
    );
}

#[test]
fn what_cannot_be_a_source_is_refused_with_what_to_do() {
    let check = |arguments: &[&str], says: &[&str]| {
        let mut ended = run(&[&["create", "source"], arguments].concat()).exits(2);
        assert_eq!(ended.stdout, "");
        for text in says {
            ended = ended.says(text);
        }
        assert!(!ended.stderr.contains("canary"), "{}", ended.stderr);
    };
    check(
        &["git", "a", "--url", "git@github.com:acme/shop.git"],
        &[
            "must begin with one of https://, http://, ssh://, file://",
            "write it as ssh://git@github.com/acme/shop.git",
        ],
    );
    check(
        &["helm", "a", "--url", "oci://h"],
        &["must begin with one of https://, http://"],
    );
    check(
        &["git", "a", "--url", "https://u:canary@h/a"],
        &[
            "the URL of `https://h/a` holds credentials",
            "`--auth basic --secret NAME`",
        ],
    );
    check(&["git", "a", "--url", "ssh://git:canary@h/a"], &["holds credentials"]);
    check(
        &["git", "a", "--url", "https://h/a", "--proxy-url", "http://u:canary@p"],
        &["holds credentials"],
    );
    check(
        &["git", "a", "--url", "https://h/a", "--auth", "basic"],
        &["`--auth` needs `--secret NAME`"],
    );
    check(
        &["git", "a", "--url", "https://h/a", "--secret", "s"],
        &["`--secret` needs `--auth`"],
    );
    check(
        &["git", "A", "--url", "https://h/a"],
        &["there can be no such GitRepository"],
    );
    check(
        &["git", "a", "--url", "https://h/a", "--verify", "tag"],
        &["--verify-secret"],
    );
    check(&["svn", "a"], &["unrecognized subcommand"]);
    check(&["git", "a"], &["--url <URL>"]);
}

/// A Release, its source with a repository of two files, and what else stands beside them.
fn project(dir: &Path, spec: &Value, more: &str) -> String {
    let repository = dir.join("tree.git");
    convoy_git::repository::init(&repository, "main").unwrap();
    let tree = dir.join("tree");
    fs::create_dir_all(tree.join("deploy")).unwrap();
    fs::write(tree.join("README.md"), "hello\n").unwrap();
    fs::write(tree.join("deploy/a.yaml"), "kind: ConfigMap\n").unwrap();
    let commit = convoy_git::repository::commit_directory(&repository, "main", &tree).unwrap();
    let mut spec = spec.clone();
    if spec["url"].is_null() {
        spec["url"] = format!("file://{}", repository.display()).into();
    }
    let release = json!({
        "apiVersion": "core.convoy.kumodo.io/v1alpha1", "kind": "Release", "metadata": {"name": "web"},
        "spec": {
            "clusterRef": {"name": "here"},
            "source": {"type": "gitRepository", "gitRepository": {"name": "tree", "ref": {"branch": "main"}}},
            "content": {"type": "manifests", "manifests": {"paths": ["deploy"]}},
        },
    });
    let source = json!({
        "apiVersion": "source.convoy.kumodo.io/v1alpha1", "kind": "GitRepository", "metadata": {"name": "tree"},
        "spec": spec,
    });
    fs::write(dir.join("web.yaml"), format!("{release}\n---\n{source}\n---\n{more}")).unwrap();
    commit.revision.to_string()
}

#[test]
fn what_would_be_fetched_is_shown_in_each_form() {
    let dir = tempfile::tempdir().unwrap();
    let commit = project(dir.path(), &json!({}), "");
    let fetched = |arguments: &[&str]| {
        run_in(dir.path(), &[&["fetch", "web.yaml"], arguments].concat())
            .exits(0)
            .stdout
    };
    let table = fetched(&[]);
    for text in ["GitRepository default/tree", "branch main", &commit, "Files", "Bytes"] {
        assert!(table.contains(text), "{text} is not in:\n{table}");
    }
    assert!(!table.contains("README.md"), "{table}");
    assert!(fetched(&["--list"]).contains("README.md"));
    assert_eq!(fetched(&["-o", "name"]), "README.md\ndeploy/a.yaml\n");
    let json: Value = serde_json::from_str(&fetched(&["-o", "json", "--list"])).unwrap();
    assert_eq!(json["revision"], json!(commit));
    assert_eq!((&json["files"], &json["bytes"]), (&json!(2), &json!(22)));
    assert_eq!(json["list"][1], json!({"path": "deploy/a.yaml", "bytes": 16}));
}

#[test]
fn a_secret_beside_its_source_is_read_and_never_printed() {
    let check = |spec: Value, secret: Value, says: &[&str]| {
        let dir = tempfile::tempdir().unwrap();
        let secret = if secret.is_null() {
            String::new()
        } else {
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "creds"}, "data": secret}).to_string()
        };
        project(dir.path(), &spec, &secret);
        let mut ended = run_in(dir.path(), &["fetch", "web.yaml", "-v"]).exits(1);
        assert!(!ended.stderr.contains("canary"), "{}", ended.stderr);
        for text in says {
            ended = ended.says(text);
        }
    };
    let basic = json!({"url": "http://127.0.0.1:9/a.git", "auth": {"type": "basic", "secretRef": {"name": "creds"}}});
    let lacks = "Secret `creds` of `spec.auth.secretRef`";
    check(
        basic.clone(),
        Value::Null,
        &[lacks, "does not exist", "name a file with the Secret too"],
    );
    check(
        basic.clone(),
        json!({"username": "Y2FuYXJ5"}),
        &[lacks, "has no entry `password`"],
    );
    check(
        basic.clone(),
        json!({"username": "canary!"}),
        &["`data.username` of Secret `creds`", "is no base64"],
    );
    // Whole: nobody listens there.
    check(
        basic,
        json!({"username": "Y2FuYXJ5", "password": "Y2FuYXJ5"}),
        &["cannot fetch GitRepository default/tree", "127.0.0.1:9"],
    );
}

#[test]
fn what_cannot_be_fetched_says_why() {
    let dir = tempfile::tempdir().unwrap();
    run_in(dir.path(), &["fetch", "absent.yaml"])
        .exits(1)
        .says("`absent.yaml`");
    run_in(dir.path(), &["fetch", "web", "--server", "http://127.0.0.1:9"])
        .exits(1)
        .says("Release default/web")
        .says("Connection refused");
    run_in(dir.path(), &["fetch"]).exits(2).says("required");
    project(dir.path(), &json!({"url": "file://./tree"}), "");
    run_in(dir.path(), &["fetch", "web.yaml"])
        .exits(1)
        .says("of which there is nothing to fetch");
}
