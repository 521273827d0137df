//! A current kubectl as a client.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use convoy_apiserver::Running;
use convoy_testkit_controlplane::component::require;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

const WEB: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: 'nginx:1', ports: [{containerPort: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: '1'}
";

const CARS: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cars.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: cars, kind: Car, shortNames: [cr]}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Doors, type: integer, jsonPath: .spec.doors}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {doors: {type: integer, minimum: 2}}}
";

struct Kubectl {
    program: PathBuf,
    folder: tempfile::TempDir,
    _server: Running,
}

impl Kubectl {
    /// None, audibly, where kubectl is not installed.
    async fn start() -> Option<Self> {
        let program = require("kubectl")?;
        let server = crate::common::builder().start().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config"), server.kubeconfig()).unwrap();
        Some(Self {
            program,
            folder,
            _server: server,
        })
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", "/usr/bin:/bin")
            .kill_on_drop(true);
        command.env("KUBECONFIG", self.folder.path().join("config"));
        command
    }

    /// Whether it succeeded, and all that it printed.
    async fn run(&self, arguments: &[&str]) -> (bool, String) {
        let output = tokio::time::timeout(Duration::from_mins(1), self.command(arguments).output());
        let output = output.await.unwrap().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    }

    async fn good(&self, arguments: &[&str]) -> String {
        let (success, text) = self.run(arguments).await;
        assert!(success, "kubectl {arguments:?}: {text}");
        text
    }

    async fn bad(&self, arguments: &[&str]) -> String {
        let (success, text) = self.run(arguments).await;
        assert!(!success, "kubectl {arguments:?} succeeded: {text}");
        text
    }
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn client_side_apply_creates_changes_and_prunes_fields() {
    let Some(kubectl) = Kubectl::start().await else { return };
    let file = kubectl.file("web.yaml", WEB);
    let text = kubectl.good(&["apply", "-f", &file]).await;
    assert_eq!(
        text,
        "deployment.apps/web created\nservice/web created\nconfigmap/settings created\n"
    );
    let text = kubectl.good(&["apply", "-f", &file]).await;
    assert_eq!(
        text,
        "deployment.apps/web unchanged\nservice/web unchanged\nconfigmap/settings unchanged\n"
    );
    let changed = WEB
        .replace("replicas: 2", "replicas: 3")
        .replace("{a: '1'}", "{b: '2'}");
    let file = kubectl.file("web.yaml", &changed);
    let text = kubectl.good(&["apply", "-f", &file]).await;
    assert_eq!(
        text,
        "deployment.apps/web configured\nservice/web unchanged\nconfigmap/settings configured\n"
    );
    let text = kubectl.good(&["get", "cm", "settings", "-o", "jsonpath={.data}"]).await;
    assert_eq!(text, "{\"b\":\"2\"}");
    let text = kubectl.good(&["diff", "-f", &file]).await;
    assert_eq!(text, "");
    kubectl
        .good(&["wait", "--for=condition=Available", "deploy/web", "--timeout=20s"])
        .await;
    kubectl
        .good(&["rollout", "status", "deploy/web", "--timeout=20s"])
        .await;
    let text = kubectl.good(&["delete", "-f", &file]).await;
    assert!(text.starts_with("deployment.apps \"web\" deleted"), "{text}");
    let text = kubectl.bad(&["get", "deploy", "web"]).await;
    assert_eq!(
        text,
        "Error from server (NotFound): deployments.apps \"web\" not found\n"
    );
    let text = squeezed(&kubectl.good(&["get", "pods"]).await);
    assert_eq!(text, "No resources found in default namespace.");
}

#[tokio::test]
async fn server_side_apply_conflicts_and_is_forced() {
    let Some(kubectl) = Kubectl::start().await else { return };
    let file = kubectl.file("web.yaml", WEB);
    let text = kubectl.good(&["apply", "--server-side", "-f", &file]).await;
    assert_eq!(
        text,
        "deployment.apps/web serverside-applied\nservice/web serverside-applied\nconfigmap/settings serverside-applied\n"
    );
    let other = kubectl.file("other.yaml", &WEB.replace("replicas: 2", "replicas: 5"));
    let text = kubectl
        .bad(&["apply", "--server-side", "--field-manager=other", "-f", &other])
        .await;
    assert!(
        text.contains("Apply failed with 1 conflict: conflict with \"kubectl\": .spec.replicas"),
        "{text}"
    );
    kubectl
        .good(&[
            "apply",
            "--server-side",
            "--field-manager=other",
            "--force-conflicts",
            "-f",
            &other,
        ])
        .await;
    let text = kubectl
        .good(&["get", "deploy", "web", "-o", "jsonpath={.spec.replicas}"])
        .await;
    assert_eq!(text, "5");
}

#[tokio::test]
async fn a_client_side_apply_moves_to_the_server_without_conflicts() {
    let Some(kubectl) = Kubectl::start().await else { return };
    let file = kubectl.file("web.yaml", WEB);
    kubectl.good(&["apply", "-f", &file]).await;
    let file = kubectl.file("web.yaml", &WEB.replace("nginx:1", "nginx:2"));
    kubectl.good(&["apply", "--server-side", "-f", &file]).await;
    let managers = "jsonpath={.metadata.managedFields[*].manager}";
    let text = kubectl
        .good(&["get", "cm", "settings", "--show-managed-fields", "-o", managers])
        .await;
    assert!(text.starts_with("kubectl"), "{text}");
}

#[tokio::test]
async fn objects_are_patched_labelled_scaled_and_described() {
    let Some(kubectl) = Kubectl::start().await else { return };
    let file = kubectl.file("web.yaml", WEB);
    kubectl.good(&["create", "-f", &file]).await;
    kubectl.good(&["scale", "deploy", "web", "--replicas=1"]).await;
    kubectl.good(&["label", "deploy", "web", "tier=front"]).await;
    kubectl.good(&["annotate", "deploy", "web", "note=x"]).await;
    kubectl.good(&["set", "image", "deploy/web", "web=nginx:7"]).await;
    kubectl
        .good(&[
            "patch",
            "cm",
            "settings",
            "--type=merge",
            "-p",
            "{\"data\":{\"c\":\"3\"}}",
        ])
        .await;
    let json = "[{\"op\":\"remove\",\"path\":\"/data/c\"}]";
    kubectl
        .good(&["patch", "cm", "settings", "--type=json", "-p", json])
        .await;
    let text = squeezed(&kubectl.good(&["get", "deploy", "-l", "tier=front", "-o", "wide"]).await);
    assert!(
        text.starts_with("NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR web"),
        "{text}"
    );
    assert!(text.ends_with("web nginx:7 app=web"), "{text}");
    let text = kubectl.good(&["describe", "deploy", "web"]).await;
    for line in [
        "Replicas:",
        "StrategyType:           RollingUpdate",
        "tier=front",
        "Image:         nginx:7",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    for resource in ["svc/web", "cm/settings", "ns/default", "node/convoy-node"] {
        kubectl.good(&["describe", resource]).await;
    }
    let text = kubectl.good(&["get", "deploy,svc,cm", "-A", "-o", "name"]).await;
    assert!(
        text.contains("deployment.apps/web\n") && text.contains("service/kubernetes\n"),
        "{text}"
    );
    let text = kubectl.bad(&["create", "cm", "Bad_Name"]).await;
    assert!(
        text.contains("a lowercase RFC 1123 subdomain must consist of"),
        "{text}"
    );
    let text = kubectl.good(&["auth", "can-i", "create", "pods"]).await;
    assert_eq!(text, "yes\n");
    let text = kubectl.good(&["explain", "deployment.spec.replicas"]).await;
    assert!(text.contains("FIELD: replicas <integer>"), "{text}");
}

/// Version 3 of the `OpenAPI` says nothing of lists, and kubectl asks version 2 in its binary form.
#[tokio::test]
async fn a_list_is_written_as_its_items_are() {
    let Some(kubectl) = Kubectl::start().await else { return };
    kubectl.good(&["create", "cm", "one", "--from-literal=a=1"]).await;
    kubectl.good(&["create", "cm", "two", "--from-literal=a=2"]).await;
    let list = kubectl.good(&["get", "cm", "one", "two", "-o", "yaml"]).await;
    assert!(list.contains("kind: List\n"), "{list}");
    let file = kubectl.file("list.yaml", &list);
    kubectl.good(&["apply", "-f", &file]).await;
    kubectl.good(&["delete", "cm", "one", "two"]).await;
    let items = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: one}, data: {a: '1'}}\n\
                 - {apiVersion: v1, kind: ConfigMap, metadata: {name: two}, data: {a: '2'}}\n";
    let fresh = kubectl.file("fresh.yaml", items);
    kubectl.good(&["create", "-f", &fresh]).await;
    let other = kubectl.file("other.yaml", &items.replace("'2'", "'3'"));
    kubectl.good(&["replace", "-f", &other]).await;
    let text = kubectl.good(&["get", "cm", "two", "-o", "jsonpath={.data.a}"]).await;
    assert_eq!(text, "3");
}

#[tokio::test]
async fn custom_resources_have_their_columns_and_errors() {
    let Some(kubectl) = Kubectl::start().await else { return };
    let file = kubectl.file("cars.yaml", CARS);
    kubectl.good(&["apply", "--server-side", "-f", &file]).await;
    kubectl
        .good(&[
            "wait",
            "--for=condition=Established",
            "crd/cars.example.com",
            "--timeout=20s",
        ])
        .await;
    let car = "apiVersion: example.com/v1\nkind: Car\nmetadata: {name: mini}\nspec: {doors: 3}\n";
    let file = kubectl.file("car.yaml", car);
    kubectl.good(&["apply", "-f", &file]).await;
    let text = squeezed(&kubectl.good(&["get", "cars"]).await);
    assert!(text.starts_with("NAME DOORS AGE mini 3 "), "{text}");
    let broken = kubectl.file("broken.yaml", &car.replace('3', "1"));
    let text = kubectl.bad(&["apply", "-f", &broken]).await;
    assert!(
        text.contains("spec.doors in body should be greater than or equal to 2"),
        "{text}"
    );
    let unknown = kubectl.file("unknown.yaml", &car.replace("doors: 3", "wheels: 4"));
    let text = kubectl.bad(&["apply", "-f", &unknown]).await;
    assert!(
        text.contains("strict decoding error: unknown field \"spec.wheels\""),
        "{text}"
    );
    let text = kubectl
        .good(&["api-resources", "--api-group=example.com", "--no-headers"])
        .await;
    assert_eq!(squeezed(&text), "cars cr example.com/v1 true Car");
    kubectl.good(&["delete", "crd", "cars.example.com"]).await;
    let text = kubectl.bad(&["get", "cars"]).await;
    assert!(text.contains("cars"), "{text}");
}

#[tokio::test]
async fn a_watch_prints_changes_as_they_come() {
    let Some(kubectl) = Kubectl::start().await else { return };
    let mut watching = kubectl.command(&["get", "cm", "-w", "--output-watch-events", "--no-headers"]);
    let mut child = watching.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = async || {
        let line = tokio::time::timeout(Duration::from_secs(30), lines.next_line())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        let mut words = line.split_whitespace().map(str::to_owned);
        (words.next().unwrap(), words.next().unwrap())
    };
    assert_eq!(next().await, ("ADDED".to_owned(), "kube-root-ca.crt".to_owned()));
    kubectl.good(&["create", "cm", "one"]).await;
    assert_eq!(next().await, ("ADDED".to_owned(), "one".to_owned()));
    kubectl.good(&["label", "cm", "one", "a=b"]).await;
    assert_eq!(next().await, ("MODIFIED".to_owned(), "one".to_owned()));
    kubectl.good(&["delete", "cm", "one"]).await;
    assert_eq!(next().await, ("DELETED".to_owned(), "one".to_owned()));
    child.kill().await.unwrap();
}

#[tokio::test]
async fn dry_runs_change_nothing_and_namespaces_end() {
    let Some(kubectl) = Kubectl::start().await else { return };
    let file = kubectl.file("web.yaml", WEB);
    let text = kubectl.good(&["apply", "--dry-run=server", "-f", &file]).await;
    assert!(text.contains("deployment.apps/web created (server dry run)"), "{text}");
    kubectl.bad(&["get", "deploy", "web"]).await;
    let text = kubectl.bad(&["apply", "-n", "absent", "-f", &file]).await;
    assert!(text.contains("namespaces \"absent\" not found"), "{text}");
    kubectl.good(&["create", "ns", "short"]).await;
    kubectl.good(&["apply", "-n", "short", "-f", &file]).await;
    kubectl.good(&["delete", "ns", "short", "--timeout=30s"]).await;
    kubectl.bad(&["get", "ns", "short"]).await;
    kubectl.good(&["create", "job", "once", "--image=x"]).await;
    kubectl
        .good(&["wait", "--for=condition=Complete", "job/once", "--timeout=20s"])
        .await;
    kubectl.good(&["delete", "job", "once", "--cascade=foreground"]).await;
    let text = squeezed(&kubectl.good(&["get", "pods"]).await);
    assert_eq!(text, "No resources found in default namespace.");
}
