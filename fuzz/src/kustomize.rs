//! Kustomizations: no file makes a build panic, run away or differ from itself.

use convoy_kustomize::{Error, Files, Limits, Options, build};
use convoy_value::{Value, json};

const OBJECTS: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: 'nginx:1', args: ['$(V)', a], ports: [{containerPort: 80}, {containerPort: 53, protocol: UDP}]}
      - {name: side, image: busybox, envFrom: [{configMapRef: {name: config}}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config}
data: {k: v, json: '{\"a\": {\"b\": [1, 2]}}', yaml: \"a:\\n  b: c\\n\"}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: other}
spec: {selector: {app: web}, ports: [{port: 80, name: http}]}
";

/// Small, so that the fuzzer meets them and no input takes long.
fn limits() -> Limits {
    Limits {
        file_bytes: 1 << 16,
        kustomizations: 40,
        depth: 20,
        objects: 50,
        bytes: 1 << 18,
        nodes: 20_000,
        written: 1 << 18,
        steps: 300_000,
        text: convoy_value::Limits {
            bytes: 1 << 16,
            depth: 60,
            alias_bytes: 1 << 14,
            documents: 30,
        },
    }
}

/// Builds a tree twice: both must say the same, and what is built must be writable or refused.
fn check(files: &[(&str, &[u8])]) {
    let tree: Files = files.iter().copied().collect();
    let options = Options {
        limits: limits(),
        target_namespace: files.len().is_multiple_of(2).then(|| "target".to_string()),
        ..Options::default()
    };
    let built = build(&tree, "", &options);
    assert_eq!(built, build(&tree, "", &options));
    match built {
        Ok(built) => {
            assert!(built.resources.len() <= 50, "{} objects", built.resources.len());
            let _ = built.to_yaml();
        }
        Err(Error::Limit { message, .. }) => assert!(message.contains("limit of"), "{message}"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A kustomization over objects, a base, a component and files.
pub fn kustomization(data: &[u8]) {
    check(&[
        ("kustomization.yaml", data),
        ("all.yaml", OBJECTS.as_bytes()),
        ("base/kustomization.yaml", b"resources: [cm.yaml]\nnamePrefix: base-\n"),
        (
            "base/cm.yaml",
            b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {k: v}\n",
        ),
        (
            "part/kustomization.yaml",
            b"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -part\n",
        ),
        ("file.env", b"A=b\n# c\nD=e f\n"),
        ("file.bin", b"\xFF\x00"),
        ("patch.yaml", b"- {op: add, path: /metadata/labels/x, value: y}\n"),
    ]);
}

/// A patch of either kind, for everything and for what it names.
pub fn kustomize_patch(data: &[u8]) {
    for kustomization in [
        "resources: [all.yaml]\npatches: [{path: p.yaml, target: {kind: '.*'}}]\n",
        "resources: [all.yaml]\npatches: [{path: p.yaml, options: {allowNameChange: true, allowKindChange: true}}]\nnamePrefix: x-\n",
    ] {
        check(&[
            ("kustomization.yaml", kustomization.as_bytes()),
            ("all.yaml", OBJECTS.as_bytes()),
            ("p.yaml", data),
        ]);
    }
}

/// A file of replacements.
pub fn kustomize_replacements(data: &[u8]) {
    check(&[
        (
            "kustomization.yaml",
            b"resources: [all.yaml]\nreplacements: [{path: r.yaml}]\nnameSuffix: -x\n",
        ),
        ("all.yaml", OBJECTS.as_bytes()),
        ("r.yaml", data),
    ]);
}

/// A path of fields, wherever one may stand.
pub fn kustomize_paths(data: &[u8]) {
    let Ok(path) = str::from_utf8(data) else { return };
    let path = json::to_canonical(&Value::from(path));
    let kustomization = format!(
        "resources: [all.yaml]
replacements:
- source: {{kind: ConfigMap, fieldPath: data.k}}
  targets: [{{select: {{kind: '.*'}}, fieldPaths: [{path}], options: {{create: true}}}}]
- source: {{kind: ConfigMap, fieldPath: {path}}}
  targets: [{{select: {{kind: Service}}, fieldPaths: [metadata.name]}}]
"
    );
    let labels =
        format!("resources: [all.yaml]\nlabels: [{{pairs: {{a: b}}, fields: [{{path: {path}, create: true}}]}}]\n");
    let vars = format!(
        "resources: [all.yaml]\nvars: [{{name: V, objref: {{apiVersion: v1, kind: ConfigMap, name: config}}, fieldref: {{fieldPath: {path}}}}}]\n"
    );
    let added = format!(
        "apiVersion: builtin\nkind: ValueAddTransformer\nmetadata: {{name: a}}\nvalue: x\ntargets: [{{fieldPath: {path}, filePathPosition: 2}}]\n"
    );
    for (kustomization, transformer) in [
        (&*kustomization, ""),
        (&*labels, ""),
        (&*vars, ""),
        ("resources: [all.yaml]\ntransformers: [t.yaml]\n", &*added),
    ] {
        check(&[
            ("kustomization.yaml", kustomization.as_bytes()),
            ("all.yaml", OBJECTS.as_bytes()),
            ("t.yaml", transformer.as_bytes()),
        ]);
    }
}
