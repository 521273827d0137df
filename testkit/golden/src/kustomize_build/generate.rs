//! Trees of kustomizations from a seed: bases, overlays, components, and all transformers in combination.

use std::fmt::Write as _;

use super::Tree;
use crate::generate::Random;

const NAMES: &[&str] = &["web", "db", "cache", "api", "web-2"];
const NAMESPACES: &[&str] = &["", "", "one", "two", "default"];

/// A tree whose `top` is the kustomization to build.
#[must_use]
pub fn tree(random: &mut Random) -> Tree {
    let mut tree = Tree::new();
    let bases = 1 + random.below(2);
    for base in 0..bases {
        let mut names = Vec::new();
        for index in 0..=random.below(4) {
            let file = format!("r{index}.yaml");
            tree.insert(format!("base{base}/{file}"), objects(random));
            names.push(file);
        }
        let text = kustomization(random, &names, "Kustomization", &mut tree, &format!("base{base}"));
        tree.insert(format!("base{base}/kustomization.yaml"), text);
    }
    let mut resources: Vec<String> = (0..bases).map(|base| format!("../base{base}")).collect();
    if random.one_in(3) {
        tree.insert("middle/kustomization.yaml".into(), String::new());
        let text = kustomization(random, &resources, "Kustomization", &mut tree, "middle");
        tree.insert("middle/kustomization.yaml".into(), text);
        resources = vec!["../middle".into()];
    }
    if random.one_in(3) {
        let text = kustomization(random, &[], "Component", &mut tree, "component");
        tree.insert("component/kustomization.yaml".into(), text);
        let mut text = kustomization(random, &resources, "Kustomization", &mut tree, "top");
        text.push_str("components: [../component]\n");
        tree.insert("top/kustomization.yaml".into(), text);
    } else {
        let text = kustomization(random, &resources, "Kustomization", &mut tree, "top");
        tree.insert("top/kustomization.yaml".into(), text);
    }
    tree
}

fn metadata(random: &mut Random, out: &mut String) -> String {
    let name = random.pick(NAMES).to_string();
    let _ = writeln!(out, "metadata:\n  name: {name}");
    let namespace = random.pick(NAMESPACES);
    if !namespace.is_empty() {
        let _ = writeln!(out, "  namespace: {namespace}");
    }
    if random.one_in(2) {
        let _ = writeln!(out, "  labels: {{app: {name}, tier: \"{}\"}}", random.below(3));
    }
    if random.one_in(3) {
        let value = random.pick(&["1.10", "true", "x", "\"5\"", "2020-01-02", "null", "~", ""]);
        let _ = writeln!(out, "  annotations:\n    note: {value}");
    }
    name
}

fn objects(random: &mut Random) -> String {
    let mut out = String::new();
    for index in 0..=random.below(2) {
        if index > 0 {
            out.push_str("---\n");
        }
        object(random, &mut out);
    }
    out
}

fn object(random: &mut Random, out: &mut String) {
    match random.below(9) {
        0 => {
            out.push_str("apiVersion: v1\nkind: ConfigMap\n");
            metadata(random, out);
            let _ = writeln!(
                out,
                "data:\n  a: \"{}\"\n  b: |\n    x\n    y: 1\n  image: nginx:1.2",
                random.below(9)
            );
        }
        1 => {
            out.push_str("apiVersion: v1\nkind: Secret\n");
            metadata(random, out);
            out.push_str("type: Opaque\nstringData: {k: v}\n");
        }
        2 => {
            out.push_str("apiVersion: v1\nkind: Service\n");
            let name = metadata(random, out);
            let _ = writeln!(
                out,
                "spec:\n  selector: {{app: {name}}}\n  ports:\n  - port: 80\n    name: http\n  - port: 81\n    protocol: UDP"
            );
        }
        3 | 4 => workload(random, out),
        5 => {
            out.push_str("apiVersion: v1\nkind: ServiceAccount\n");
            metadata(random, out);
        }
        6 => {
            out.push_str("apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n");
            metadata(random, out);
            let (role, account) = (random.pick(NAMES), random.pick(&["default", "web", "db"]));
            let _ = writeln!(
                out,
                "roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: Role, name: {role}}}"
            );
            let _ = writeln!(out, "subjects:\n- kind: ServiceAccount\n  name: {account}");
            if random.one_in(2) {
                let _ = writeln!(out, "  namespace: {}", random.pick(&["one", "two", "default"]));
            }
        }
        7 => {
            out.push_str("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n");
            metadata(random, out);
            let _ = writeln!(
                out,
                "rules:\n- apiGroups: [\"\"]\n  resources: [secrets]\n  resourceNames: [{}]",
                random.pick(NAMES)
            );
        }
        _ => {
            out.push_str("apiVersion: example.com/v1\nkind: Widget\n");
            metadata(random, out);
            out.push_str("spec:\n  size: 1.50\n  list: [{name: a, v: 1}, {name: b}]\n  template: {spec: {containers: [{name: c, image: \"nginx:1\"}]}}\n");
        }
    }
}

fn workload(random: &mut Random, out: &mut String) {
    let kind = random.pick(&["Deployment", "StatefulSet", "DaemonSet"]);
    let _ = writeln!(out, "apiVersion: apps/v1\nkind: {kind}");
    let name = metadata(random, out);
    let (image, config, secret) = (
        random.pick(&["nginx:1.2", "docker.io/nginx", "redis@sha256:ab", "busybox"]),
        random.pick(NAMES),
        random.pick(NAMES),
    );
    let _ = write!(
        out,
        "spec:\n  replicas: {}\n  selector:\n    matchLabels: {{app: {name}}}\n  template:\n    metadata:\n      labels: {{app: {name}}}\n    spec:\n      serviceAccountName: {}\n      containers:\n      - name: main\n        image: {image}\n        args: [\"--v=$(VALUE)\", x]\n        ports:\n        - containerPort: 80\n        - containerPort: 81\n          protocol: UDP\n        env:\n        - name: A\n          value: \"1\"\n        - name: B\n          valueFrom: {{configMapKeyRef: {{name: {config}, key: a}}}}\n        envFrom:\n        - secretRef: {{name: {secret}}}\n      - name: side\n        image: busybox\n      volumes:\n      - name: v\n        configMap: {{name: {config}}}\n",
        1 + random.below(3),
        random.pick(NAMES),
    );
}

fn kustomization(random: &mut Random, resources: &[String], kind: &str, tree: &mut Tree, folder: &str) -> String {
    let version = if kind == "Component" { "v1alpha1" } else { "v1beta1" };
    let mut out = format!("apiVersion: kustomize.config.k8s.io/{version}\nkind: {kind}\n");
    if !resources.is_empty() {
        let _ = writeln!(out, "resources: [{}]", resources.join(", "));
    }
    if random.one_in(3) {
        let _ = writeln!(out, "namespace: {}", random.pick(&["one", "two", "three"]));
    }
    if random.one_in(3) {
        let _ = writeln!(out, "namePrefix: {}", random.pick(&["p-", "q-"]));
    }
    if random.one_in(4) {
        out.push_str("nameSuffix: -s\n");
    }
    match random.below(5) {
        0 => out.push_str("commonLabels: {team: \"7\", app: x}\n"),
        1 => {
            let _ = writeln!(
                out,
                "labels:\n- pairs: {{team: blue}}\n  includeSelectors: {}",
                random.one_in(2)
            );
        }
        2 => out.push_str("labels:\n- pairs: {team: blue, z: \"true\"}\n  includeTemplates: true\n"),
        _ => {}
    }
    if random.one_in(4) {
        out.push_str("commonAnnotations: {owner: me, m: \"1\"}\n");
    }
    if random.one_in(3) {
        generators(random, &mut out, tree, folder);
    }
    if random.one_in(3) {
        out.push_str(
            "images:\n- name: nginx\n  newTag: \"2\"\n- name: busybox\n  newName: other/box\n  digest: sha256:cd\n",
        );
    }
    if random.one_in(3) {
        patches(random, &mut out);
    }
    if random.one_in(6) {
        out.push_str("replacements:\n- source: {kind: ConfigMap, fieldPath: data.a}\n  targets:\n  - select: {kind: Deployment}\n    fieldPaths: [\"spec.template.spec.containers.[name=main].env.[name=A].value\", spec.replicas]\n");
    }
    if random.one_in(8) {
        out.push_str("buildMetadata: [originAnnotations, transformerAnnotations]\n");
    }
    if random.one_in(8) {
        out.push_str("sortOptions: {order: fifo}\n");
    }
    out
}

fn generators(random: &mut Random, out: &mut String, tree: &mut Tree, folder: &str) {
    let name = random.pick(NAMES);
    let behavior = random.pick(&["create", "create", "merge", "replace"]);
    let _ = writeln!(
        out,
        "configMapGenerator:\n- name: {name}\n  behavior: {behavior}\n  literals: [a=9, \"c=d e\", 'q=\"z\"']"
    );
    if random.one_in(2) {
        tree.insert(format!("{folder}/env.txt"), "# no\nX=1\n Y=<2>&\n\nZ\n".into());
        out.push_str("  envs: [env.txt]\n");
    }
    if random.one_in(2) {
        let _ = writeln!(
            out,
            "secretGenerator:\n- name: {}\n  literals: [p={}]",
            random.pick(NAMES),
            "s".repeat(random.below(90))
        );
    }
    if random.one_in(4) {
        out.push_str("generatorOptions: {disableNameSuffixHash: true, labels: {gen: \"1\"}, immutable: true}\n");
    }
}

fn patches(random: &mut Random, out: &mut String) {
    out.push_str("patches:\n");
    for _ in 0..=random.below(2) {
        let kind = random.pick(&[
            "Deployment",
            "StatefulSet",
            "Deployment|DaemonSet",
            ".*Set",
            "ConfigMap",
        ]);
        out.push_str(match random.below(7) {
            0 => "- patch: |-\n    - op: add\n      path: /metadata/annotations/patched\n      value: \"yes\"\n",
            1 => "- patch: |-\n    - {op: replace, path: /metadata/name, value: renamed}\n",
            2 => "- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: any, labels: {new: \"1\", app: null}}\n    spec:\n      template:\n        spec:\n          containers:\n          - {name: extra, image: extra}\n          - name: main\n            env: [{name: A, $patch: delete}, {name: N, value: n}]\n            ports: [{containerPort: 80, name: http}]\n",
            3 => "- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: any}\n    spec:\n      template:\n        spec:\n          containers:\n          - $patch: replace\n          - {name: only, image: only}\n          volumes: null\n",
            4 => "- patch: |-\n    apiVersion: v1\n    kind: any\n    metadata: {name: any}\n    $patch: delete\n",
            5 => "- patch: |-\n    kind: any\n    metadata: {name: any}\n    data: {b: null, new: v}\n    spec: {replicas: 7, list: [{name: b, w: 2}]}\n",
            _ => "- patch: |-\n    [{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"l\": \"1\"}}]\n",
        });
        let _ = write!(out, "  target: {{kind: \"{kind}\"");
        if random.one_in(3) {
            let _ = write!(out, ", name: {}", random.pick(&["web", "web.*", "db", "p-web"]));
        }
        if random.one_in(4) {
            out.push_str(", labelSelector: \"app in (web, db)\"");
        }
        out.push_str("}\n");
    }
}
