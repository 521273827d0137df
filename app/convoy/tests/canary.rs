//! No secret gets out: one is put into every field that can hold one, the controller and the commands are made to use
//! it against a server that says it back, and all that people can read is searched for it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[expect(dead_code, reason = "other test files use the rest")]
mod common;

use std::fs::{self, OpenOptions};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{command, run_in};
use convoy_apiserver::ApiServer;
use convoy_testkit_canary::{Canary, Leak};
use kube::api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::{Api, Client, Config};
use serde_json::{Value, json};

const WORD: &str = "c4n4ry5ecret";
const SOURCE: &str = "source.convoy.kumodo.io";
const CORE: &str = "core.convoy.kumodo.io";

/// A server that refuses everybody, and tells them what they sent.
fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || say_back(stream));
        }
    });
    port
}

fn say_back(mut stream: TcpStream) {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut piece) {
            Ok(read) if read > 0 && request.len() < 1 << 20 => request.extend_from_slice(&piece[..read]),
            Ok(_) | Err(_) => return,
        }
    }
    let text = String::from_utf8_lossy(&request).into_owned();
    let sent = text
        .lines()
        .find(|line| line.to_ascii_lowercase().starts_with("authorization:"))
        .unwrap_or("nothing");
    let body = format!("you sent {sent}\n{text}");
    let answer = format!(
        "HTTP/1.1 401 you sent {sent}\r\nwww-authenticate: Basic realm=\"{sent}\"\r\ncontent-type: text/plain\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let _gone_already = stream.write_all(answer.as_bytes());
}

struct World {
    runtime: tokio::runtime::Runtime,
    server: Option<convoy_apiserver::Running>,
    client: Client,
    dir: tempfile::TempDir,
    controller: Child,
    /// What commands printed.
    printed: Vec<(String, String)>,
}

impl World {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        let server = runtime.block_on(ApiServer::builder().start()).unwrap();
        let client = runtime.block_on(async { Client::try_from(Config::new(server.url().parse().unwrap())).unwrap() });
        let dir = tempfile::tempdir().unwrap();
        let url = server.url();
        let arguments = [
            "controller-manager",
            "--server",
            &url,
            "--install-crds",
            "--render-store-url",
            "mem://",
            "--log-level",
            "trace",
            "--webhook-address",
            "127.0.0.1:0",
        ];
        // To its end, wherever that is: what a test adds must stay.
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(dir.path().join("log"))
            .unwrap();
        let controller = command(dir.path(), &arguments)
            .stdout(Stdio::from(log.try_clone().unwrap()))
            .stderr(Stdio::from(log))
            .spawn()
            .unwrap();
        let world = Self {
            runtime,
            server: Some(server),
            client,
            dir,
            controller,
            printed: Vec::new(),
        };
        world.until("the controller reconciles", |world| world.log().contains("reconciling"));
        world
    }

    fn url(&self) -> String {
        self.server.as_ref().unwrap().url()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap()
    }

    fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let end = Instant::now() + Duration::from_secs(90);
        while !holds(self) {
            assert!(Instant::now() < end, "never seen: {what}");
            thread::sleep(Duration::from_millis(200));
        }
    }

    fn api(&self, group: &str, version: &str, kind: &str) -> Api<DynamicObject> {
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        Api::namespaced_with(self.client.clone(), "default", &kind)
    }

    fn create(&self, group: &str, kind: &str, name: &str, members: &Value) {
        let version = if group.is_empty() { "v1" } else { "v1alpha1" };
        let mut object = members.clone();
        let prefix = if group.is_empty() {
            String::new()
        } else {
            format!("{group}/")
        };
        object["apiVersion"] = format!("{prefix}{version}").into();
        object["kind"] = kind.into();
        object["metadata"] = json!({ "name": name });
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let api = self.api(group, version, kind);
        self.runtime
            .block_on(api.create(&PostParams::default(), &object))
            .unwrap_or_else(|error| panic!("{kind} {name}: {error}"));
    }

    /// A source of each kind with credentials of each kind, and a Release of each.
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn populate(&self, port: u16) -> Vec<String> {
        let secret = |name: &str, entries: Value| self.create("", "Secret", name, &json!({ "stringData": entries }));
        let key = format!("-----BEGIN PRIVATE KEY-----\n{WORD}\n-----END PRIVATE KEY-----\n");
        secret(
            "basic",
            json!({"username": format!("u-{WORD}"), "password": format!("p-{WORD}")}),
        );
        secret("token", json!({"token": format!("t-{WORD}")}));
        secret("lines", json!({"token": format!("t-{WORD}\nanother")}));
        secret(
            "ssh",
            json!({
                "identity": key, "passphrase": WORD, "password": WORD, "known_hosts": format!("{WORD} {WORD}\n"),
            }),
        );
        secret(
            "app",
            json!({
                "githubAppID": "1", "githubAppInstallationID": "2", "githubAppPrivateKey": key,
                "githubAppBaseURL": format!("http://127.0.0.1:{port}/{WORD}"),
            }),
        );
        secret("certificate", json!({"tls.crt": key, "tls.key": key}));
        let docker = json!({"auths": {
            format!("127.0.0.1:{port}"): {"username": WORD, "password": WORD, "auth": "x", "email": WORD},
        }});
        secret("docker", json!({".dockerconfigjson": docker.to_string()}));
        secret("damaged", json!({".dockerconfigjson": format!("{{\"auths\": {WORD}")}));
        secret("ca", json!({"ca.crt": key}));
        secret("keys", json!({"one.pub": key}));
        secret(
            "hook",
            json!({"token": format!("h-{WORD}"), "pathToken": format!("w-{WORD}")}),
        );
        secret("values", json!({"values.yaml": format!("password: {WORD}: {WORD}\n")}));
        let auth = |kind: &str, name: &str| json!({"type": kind, "secretRef": {"name": name}});
        let http = format!("http://127.0.0.1:{port}/a.git");
        let oci = format!("oci://127.0.0.1:{port}");
        let proxy = format!("http://u:{WORD}@127.0.0.1:{port}");
        let with_user = format!("http://u:{WORD}@127.0.0.1:{port}/a.git");
        let ssh = format!("ssh://git@127.0.0.1:{port}/a.git");
        let named = |name: &str| json!({ "name": name });
        let sources = [
            (
                "GitRepository",
                "git-basic",
                json!({"url": http, "auth": auth("basic", "basic"), "webhookSecretRef": named("hook")}),
            ),
            (
                "GitRepository",
                "git-token",
                json!({"url": http, "auth": auth("token", "token")}),
            ),
            (
                "GitRepository",
                "git-lines",
                json!({"url": http, "auth": auth("token", "lines")}),
            ),
            (
                "GitRepository",
                "git-app",
                json!({"url": http, "auth": auth("githubApp", "app")}),
            ),
            (
                "GitRepository",
                "git-ssh",
                json!({"url": ssh, "auth": auth("ssh", "ssh")}),
            ),
            ("GitRepository", "git-user", json!({"url": with_user})),
            (
                "GitRepository",
                "git-proxy",
                json!({"url": "http://git.invalid/a.git", "proxyURL": proxy}),
            ),
            (
                "GitRepository",
                "git-ca",
                json!({"url": format!("https://127.0.0.1:{port}/a.git"), "tls": {"caSecretRef": named("ca")}}),
            ),
            (
                "GitRepository",
                "git-verify",
                json!({"url": http, "verify": {"mode": "head", "secretRef": named("keys")}}),
            ),
            (
                "HelmRegistry",
                "helm-basic",
                json!({"url": http, "auth": auth("basic", "basic"), "passCredentials": true}),
            ),
            (
                "HelmRegistry",
                "helm-token",
                json!({"url": http, "auth": auth("token", "token")}),
            ),
            ("HelmRegistry", "helm-user", json!({"url": with_user})),
            (
                "HelmRegistry",
                "helm-certificate",
                json!({"url": http, "auth": auth("clientCertificate", "certificate")}),
            ),
            (
                "OCIRegistry",
                "oci-basic",
                json!({"url": oci, "plainHTTP": true, "auth": auth("basic", "basic"), "defaultContentType": "helm"}),
            ),
            (
                "OCIRegistry",
                "oci-token",
                json!({"url": oci, "plainHTTP": true, "auth": auth("token", "token"), "defaultContentType": "helm"}),
            ),
            (
                "OCIRegistry",
                "oci-docker",
                json!({"url": oci, "plainHTTP": true, "auth": auth("dockerConfig", "docker"), "defaultContentType": "helm"}),
            ),
            (
                "OCIRegistry",
                "oci-damaged",
                json!({"url": oci, "auth": auth("dockerConfig", "damaged"), "defaultContentType": "helm"}),
            ),
            (
                "OCIRegistry",
                "oci-user",
                json!({"url": format!("oci://u:{WORD}@127.0.0.1:{port}"), "plainHTTP": true, "defaultContentType": "helm"}),
            ),
        ];
        self.create(CORE, "Cluster", "here", &json!({"spec": {"inCluster": true}}));
        let far = format!("apiVersion: v1\nkind: Config\nusers: [{{name: u, user: {{token: {WORD}}}}}]\n{WORD}: [");
        secret("far", json!({ "kubeconfig": far }));
        self.create(
            CORE,
            "Cluster",
            "far",
            &json!({"spec": {"kubeconfig": {"secretRef": named("far")}}}),
        );
        for (kind, name, spec) in &sources {
            self.create(SOURCE, kind, name, &json!({ "spec": spec }));
            let block = match *kind {
                "GitRepository" => ("gitRepository", json!({ "name": name })),
                "HelmRegistry" => ("helmRegistry", json!({"name": name, "chart": "a", "version": "1.0.0"})),
                _ => ("ociRegistry", json!({"name": name, "chart": "a", "version": "1.0.0"})),
            };
            let layer = json!({"type": "secret", "secret": {"name": "values"}});
            self.create(
                CORE,
                "Release",
                name,
                &json!({"spec": {
                    "clusterRef": named(if *name == "git-user" { "far" } else { "here" }),
                    "source": {"type": block.0, block.0: block.1},
                    "content": {"type": "helm", "helm": {"values": [layer]}},
                }}),
            );
        }
        sources.iter().map(|(_, name, _)| (*name).to_owned()).collect()
    }

    fn list(&self, group: &str, version: &str, kind: &str) -> Vec<Value> {
        let api = self.api(group, version, kind);
        let list = self.runtime.block_on(api.list(&ListParams::default())).unwrap();
        list.items
            .into_iter()
            .map(|item| serde_json::to_value(item).unwrap())
            .collect()
    }

    fn sources(&self) -> Vec<Value> {
        let of = |kind| self.list(SOURCE, "v1alpha1", kind);
        [of("GitRepository"), of("HelmRegistry"), of("OCIRegistry")].concat()
    }

    fn releases(&self) -> Vec<Value> {
        self.list(CORE, "v1alpha1", "Release")
    }

    fn run(&mut self, arguments: &[&str]) {
        let url = self.url();
        let ended = run_in(self.dir.path(), &[arguments, &["--server", &url]].concat());
        let what = arguments.join(" ");
        self.printed.push((what, format!("{}\n{}", ended.stdout, ended.stderr)));
    }

    /// Webhooks that are refused, and one that counts.
    fn send_webhooks(&self) {
        let log = self.log();
        let line = log.lines().find(|line| line.contains("receiving webhooks")).unwrap();
        let address = line
            .split("address=")
            .nth(1)
            .unwrap()
            .split_whitespace()
            .next()
            .unwrap();
        for (path, header) in [
            (format!("git-basic/w-{WORD}"), String::new()),
            (format!("git-basic/x-{WORD}"), String::new()),
            ("git-basic".to_owned(), format!("authorization: Bearer x-{WORD}\r\n")),
            ("absent".to_owned(), format!("x-gitlab-token: {WORD}\r\n")),
        ] {
            let mut stream = TcpStream::connect(address).unwrap();
            let request = format!(
                "POST /hook/gitrepository/default/{path} HTTP/1.1\r\nhost: a\r\n{header}content-length: {}\r\n\r\n{WORD}",
                WORD.len()
            );
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            let accepted = path == format!("git-basic/w-{WORD}");
            assert_eq!(answer.starts_with("HTTP/1.1 202"), accepted, "{path}: {answer}");
        }
    }

    /// All that people can read, but for what they wrote themselves.
    fn places(&self) -> Vec<(String, String)> {
        let mut places = self.printed.clone();
        places.push(("log".to_owned(), self.log()));
        let objects = [self.sources(), self.releases(), self.list(CORE, "v1alpha1", "Cluster")].concat();
        for object in objects {
            let name = format!("status of {} {}", object["kind"], object["metadata"]["name"]);
            places.push((name, object["status"].to_string()));
            let annotations = object["metadata"]["annotations"].to_string();
            places.push((format!("annotations of {}", object["metadata"]["name"]), annotations));
        }
        let events = self.list("", "v1", "Event");
        places.extend(events.into_iter().map(|event| ("event".to_owned(), event.to_string())));
        places
    }

    fn leaks(&self) -> Vec<Leak> {
        let canary = Canary::new(WORD);
        let places = self.places();
        places
            .iter()
            .flat_map(|(place, text)| canary.leaks(place, text))
            .collect()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let id = self.controller.id().to_string();
        let _ended_already = Command::new("kill").args(["-TERM", &id]).status();
        let _reaped_already = self.controller.wait();
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.shutdown());
        }
    }
}

fn reason(object: &Value, condition: &str) -> Option<String> {
    let conditions = object.pointer("/status/conditions")?.as_array()?;
    let found = conditions.iter().find(|one| one["type"] == condition)?;
    Some(found["reason"].as_str()?.to_owned())
}

#[test]
fn no_secret_gets_out_and_one_that_does_is_found() {
    let mut world = World::new();
    let names = world.populate(echo());
    world.until("every source and Release says what is wrong", |world| {
        let sources = world.sources();
        let told = sources
            .iter()
            .filter(|source| reason(source, "Ready").is_some())
            .count();
        let failed = world.releases();
        let failed = failed
            .iter()
            .filter(|release| reason(release, "Ready").is_some())
            .count();
        told == names.len() && failed == names.len()
    });
    world.send_webhooks();
    world.run(&["get", "sources", "-A"]);
    world.run(&["get", "releases", "-A"]);
    for name in &names {
        world.run(&["fetch", name, "-v"]);
    }
    // What was tried is what was meant to be.
    let of = |name: &str| {
        let sources = world.sources();
        let found = sources
            .iter()
            .find(|source| source["metadata"]["name"] == name)
            .unwrap();
        reason(found, "Ready").unwrap()
    };
    for (name, expect) in [
        ("git-basic", "AuthenticationFailed"),
        ("git-token", "AuthenticationFailed"),
        ("git-lines", "AuthenticationFailed"),
        ("git-ca", "TLSFailed"),
        ("helm-basic", "AuthenticationFailed"),
        ("helm-token", "AuthenticationFailed"),
        ("oci-basic", "AuthenticationFailed"),
        ("oci-docker", "AuthenticationFailed"),
        ("oci-damaged", "AuthenticationFailed"),
    ] {
        assert_eq!(of(name), expect, "{name}");
    }
    let leaks: Vec<String> = world.leaks().iter().map(ToString::to_string).collect();
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));

    plant(&world);
    let mut found: Vec<String> = world.leaks().into_iter().map(|leak| leak.place).collect();
    found.sort();
    found.dedup();
    assert_eq!(found, ["event", "log", "status of \"GitRepository\" \"git-user\""]);
}

/// Lets the secret out on purpose, once in each place and each time in another form.
fn plant(world: &World) {
    let status = json!({"status": {"endpoint": format!("http://u:{WORD}@host/")}});
    let api = world.api(SOURCE, "v1alpha1", "GitRepository");
    world
        .runtime
        .block_on(api.patch_status("git-user", &PatchParams::default(), &Patch::Merge(&status)))
        .unwrap();
    // base64 of `u:c4n4ry5ecret`
    let message = "sent Basic dTpjNG40cnk1ZWNyZXQ=";
    let event = json!({
        "involvedObject": {"kind": "Release", "namespace": "default", "name": "git-user"}, "message": message,
    });
    world.create("", "Event", "planted", &event);
    let mut log = OpenOptions::new()
        .append(true)
        .open(world.dir.path().join("log"))
        .unwrap();
    writeln!(log, "connecting with C4N4RY5ECRET").unwrap();
}
