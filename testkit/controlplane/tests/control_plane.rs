//! The control plane of the tests does what its users rely on: it stores, defines, reconciles, refuses, and ends.

use std::io::Write as _;
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use convoy_testkit_controlplane::{ControlPlane, Options};

const WIDGETS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.test.convoy.dev}
spec:
  group: test.convoy.dev
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, minimum: 1}}}
";

const DEPLOYMENT: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: short-lived}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: example.invalid/web:1}]}
";

/// Runs a command with `input` and returns what it said, or what it complained about.
fn run(mut command: Command, arguments: &[&str], input: &str) -> Result<String, String> {
    let command = command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    child
        .stdin
        .take()
        .expect("its input is a pipe")
        .write_all(input.as_bytes())
        .expect("it reads its input");
    let output = child.wait_with_output().expect("its output is read");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).trim().to_owned();
    if output.status.success() {
        Ok(text(output.stdout))
    } else {
        Err(text(output.stderr))
    }
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_mins(1), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn it_stores_defines_refuses_and_ends() {
    let Some(plane) = ControlPlane::start_or_skip(Options::default()) else {
        return;
    };
    let kubectl = |arguments: &[&str], input: &str| run(plane.kubectl(), arguments, input);

    kubectl(&["create", "configmap", "settings", "--from-literal=color=green"], "").unwrap();
    let color = kubectl(&["get", "configmap", "settings", "-o", "jsonpath={.data.color}"], "").unwrap();
    assert_eq!(color, "green");

    kubectl(&["apply", "--server-side", "-f", "-"], WIDGETS).unwrap();
    kubectl(
        &[
            "wait",
            "--for=condition=Established",
            "crd/widgets.test.convoy.dev",
            "--timeout=60s",
        ],
        "",
    )
    .unwrap();
    let widget = |size: u8| {
        format!("{{apiVersion: test.convoy.dev/v1, kind: Widget, metadata: {{name: one}}, spec: {{size: {size}}}}}")
    };
    // kubectl reads the API's description before it sends anything, and that is renewed a moment later.
    eventually("the acceptance of a widget", || {
        kubectl(&["apply", "--server-side", "-f", "-"], &widget(1)).is_ok()
    });
    let refusal = kubectl(&["apply", "--server-side", "-f", "-"], &widget(0)).unwrap_err();
    assert!(refusal.contains("spec.size"), "{refusal}");

    let mut powerless = plane.kubectl();
    powerless.env("KUBECONFIG", plane.powerless_kubeconfig_path());
    let refusal = run(powerless, &["get", "configmaps"], "").unwrap_err();
    assert!(
        refusal.contains("Forbidden") && refusal.contains("\"powerless\""),
        "{refusal}"
    );

    let address = plane.url().strip_prefix("https://").unwrap().to_owned();
    let folder = plane.kubeconfig_path().parent().unwrap().to_owned();
    TcpStream::connect(&address).unwrap();
    drop(plane);
    TcpStream::connect(&address).unwrap_err();
    assert!(!folder.exists(), "{} is still there", folder.display());
}

#[test]
fn the_controller_manager_makes_replica_sets_and_empties_deleted_namespaces() {
    let Some(plane) = ControlPlane::start_or_skip(Options {
        controller_manager: true,
    }) else {
        return;
    };
    let kubectl = |arguments: &[&str], input: &str| run(plane.kubectl(), arguments, input);

    kubectl(&["create", "namespace", "short-lived"], "").unwrap();
    kubectl(&["apply", "--server-side", "-f", "-"], DEPLOYMENT).unwrap();
    eventually("the creation of a ReplicaSet", || {
        let names = kubectl(&["get", "replicasets", "--namespace=short-lived", "-o", "name"], "").unwrap();
        names.starts_with("replicaset.apps/web-")
    });
    kubectl(&["delete", "namespace", "short-lived", "--timeout=60s"], "").unwrap();
    let gone = kubectl(&["get", "namespace", "short-lived"], "").unwrap_err();
    assert!(gone.contains("NotFound"), "{gone}");
}
