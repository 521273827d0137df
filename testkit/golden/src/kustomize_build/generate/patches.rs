//! Patches of every form: strategic merges with directives, JSON patches, and all targets.

use std::fmt::Write as _;

use super::{Maker, Place};

/// Elements of a list of containers.
const CONTAINERS: &[&str] = &[
    "{name: main, image: new:1}",
    "{name: side, $patch: delete}",
    "{name: extra, image: extra}",
    "{name: main, env: [{name: A, value: x}, {name: B, $patch: delete}, {name: N, value: n}]}",
    "{name: main, env: null}",
    "{name: main, env: [{$patch: replace}, {name: Z, value: z}]}",
    "{name: main, env: [{name: B, value: plain, valueFrom: null}]}",
    "{name: main, ports: [{containerPort: 80, name: h}]}",
    "{name: main, ports: [{containerPort: 81, protocol: UDP, $patch: delete}]}",
    "{name: main, ports: [{containerPort: 81, protocol: TCP}, {containerPort: 80, protocol: TCP}]}",
    "{name: main, volumeMounts: [{mountPath: /x, name: v}, {mountPath: /y, name: v}]}",
    "{name: main, args: [z]}",
    "{name: main, args: null, command: [\"$(VALUE)\"]}",
    "{name: main, $setElementOrder/env: [{name: B}, {name: A}], env: [{name: A, value: s}]}",
    "{name: main, resources: {$retainKeys: [limits], limits: {cpu: 1}}}",
    "{name: main, resources: {limits: {cpu: 500m, memory: 1Gi}, requests: null}}",
    "{name: main, envFrom: [{configMapRef: {name: web}}, {secretRef: {name: db}}]}",
    "{name: main, $patch: replace, image: only}",
    "{name: main, $patch: merge, tty: true}",
    "{name: main, livenessProbe: {httpGet: {path: /x, port: 80}, exec: null}}",
    "{name: main, env: [{name: A, value: }], tty: }",
    "{name: main, lifecycle: {a, b: }}",
    "{name: main, securityContext: {$patch: delete}}",
    "{name: side, ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]}",
    "{name: main, resizePolicy: [{resourceName: cpu, restartPolicy: x}]}",
    "{name: main, image: &i x:1}, {name: side, image: *i}",
    "{image: nameless}",
    "{name: main, ports: [{$patch: delete}]}",
    "{$patch: replace}, {name: only, image: only}",
];

/// Fields of a pod.
const POD: &[&str] = &[
    "volumes: null",
    "volumes: [{name: v, emptyDir: {}}]",
    "volumes: [{name: v, configMap: null, emptyDir: {}}]",
    "volumes: [{name: v, $patch: delete}]",
    "volumes: [{name: v, $patch: replace, emptyDir: {}}, {name: w, configMap: {name: web, items: [{key: a, path: b}]}}]",
    "volumes: [{name: p, projected: {sources: [{secret: {name: other}}]}}]",
    "initContainers: [{name: init, image: i:2}, {name: second}]",
    "initContainers: [{name: init, volumeMounts: [{mountPath: /a, name: w}, {mountPath: /a, name: v, $patch: delete}]}]",
    "tolerations: [{key: a, operator: Exists}]",
    "imagePullSecrets: [{name: web}]",
    "hostAliases: [{ip: 1.2.3.4, hostnames: [a]}]",
    "topologySpreadConstraints: [{maxSkew: 2, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]",
    "topologySpreadConstraints: [{maxSkew: 2, topologyKey: y, whenUnsatisfiable: DoNotSchedule}]",
    "nodeSelector: {a: b, c: null}",
    "affinity: {$patch: replace, nodeAffinity: {}}",
    "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 2}]}}",
    "$patch: delete",
    "serviceAccountName: null",
    "serviceAccountName: db",
    "$deleteFromPrimitiveList/x: [a]",
    "ephemeralContainers: [{name: e, image: e}]",
    "resourceClaims: [{name: c}]",
    "schedulingGates: [{name: g}]",
    "securityContext: {sysctls: [{name: a, value: b}], supplementalGroups: [1]}",
    "readinessGates: [{conditionType: x}]",
    "containers: main",
    "containers: {name: main}",
    "$setElementOrder/containers: [{name: side}, {name: main}], containers: [{name: side, image: s}]",
    "$retainKeys: [containers]",
];

/// Fields of other things.
const OTHERS: &[&str] = &[
    "spec: {replicas: 7}",
    "spec: {replicas: null}",
    "spec: {replicas: \"3\"}",
    "spec: {strategy: {$retainKeys: [type], type: Recreate}}",
    "spec: {strategy: {$patch: replace, type: Recreate}}",
    "spec: {strategy: {rollingUpdate: {maxSurge: 1}}, selector: {matchLabels: {x: y, app: null}}}",
    "spec: {template: {metadata: {annotations: {a: b}, labels: null}}}",
    "spec: {template: {metadata: {annotations: {num: 1, t: true}}}}",
    "spec: {template: null}",
    "spec: {$patch: replace, a: b}",
    "spec: {$patch: delete}",
    "spec: null",
    "spec: {ports: [{port: 80, name: x, targetPort: 8}, {port: 82}]}",
    "spec: {ports: [{port: 81, protocol: UDP, $patch: delete}]}",
    "spec: {ports: [{port: 81, $patch: delete}]}",
    "spec: {list: [{name: b, w: 2}, {name: z}], size: 2.50, on: no}",
    "spec: {list: null, ref: {name: db}}",
    "spec: {list: [{name: a, $patch: delete}]}",
    "spec: {externalIPs: [1.1.1.1], selector: {app: null, x: y}}",
    "spec: {rules: [{host: z}], tls: null}",
    "spec: {volumeClaimTemplates: [{metadata: {name: data}, spec: {storageClassName: x}}]}",
    "spec: {accessModes: [ReadOnlyMany]}",
    "data: {b: null, new: v, a: \"8\"}",
    "data: {n: 1}",
    "stringData: {k: null, z: y}",
    "rules: [{apiGroups: [x], resources: [y], verbs: [z]}]",
    "subjects: [{kind: ServiceAccount, name: web}]",
    "subjects: null",
    "roleRef: {name: other}",
    "webhooks: [{name: a.b, failurePolicy: Ignore}, {name: c.d}]",
    "imagePullSecrets: [{name: more}]",
    "secrets: [{name: web, $patch: delete}]",
    "$patch: delete",
    "$patch: replace\nspec: {a: b}",
    "type: Opaque",
    "immutable: true",
    "status: {}",
    "{}",
    "$patch: other",
    "data: {a: |\n      new\n      lines\n    }",
    "spec: {ports: [{$patch: replace}, {port: 9}]}",
];

/// More of a patch's metadata.
const METADATA: &[&str] = &[
    "",
    "",
    "",
    ", namespace: one",
    ", labels: {new: \"1\", app: null}",
    ", annotations: {a: null, b: \"2\"}",
    ", annotations: {$patch: replace, only: x}",
    ", labels: null",
    ", finalizers: [c, a]",
    ", $deleteFromPrimitiveList/finalizers: [a]",
    ", ownerReferences: [{kind: Z, name: q, uid: z}]",
    ", labels: {num: 1}",
    ", annotations: {note: 2, time: 2020-01-01}",
    ", creationTimestamp: null",
];

const TYPES: &[&str] = &[
    "apiVersion: apps/v1\nkind: Deployment\n",
    "apiVersion: apps/v1\nkind: Deployment\n",
    "apiVersion: apps/v1\nkind: StatefulSet\n",
    "apiVersion: v1\nkind: Service\n",
    "apiVersion: v1\nkind: ConfigMap\n",
    "apiVersion: v1\nkind: Secret\n",
    "apiVersion: v1\nkind: ServiceAccount\n",
    "apiVersion: example.com/v1\nkind: Widget\n",
    "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n",
    "apiVersion: v1\nkind: Namespace\n",
    "apiVersion: networking.k8s.io/v1\nkind: Ingress\n",
    "kind: Deployment\n",
    "apiVersion: apps/v1\n",
];

const OPERATIONS: &[&str] = &[
    "{op: add, path: /metadata/annotations, value: {s: x}}",
    "{op: add, path: /metadata/labels, value: {l: \"1\"}}",
    "{op: add, path: /metadata/namespace, value: moved}",
    "{op: copy, from: /metadata/name, path: /metadata/copy}",
    "{op: add, path: /added, value: {list: [1, \"2\", {a: null}], text: \"multi\\nline\", number: 1.50}}",
    "{op: test, path: /metadata/missing, value: null}",
    "{op: replace, path: /metadata/name, value: renamed}",
    "{op: add, path: /metadata/annotations, value: {num: 1, t: true, s: x}}",
    "{op: add, path: /metadata/annotations/patched, value: \"yes\"}",
    "{op: replace, path: /kind, value: Other}",
    "{op: remove, path: /spec/replicas}",
    "{op: replace, path: /spec/replicas, value: 3}",
    "{op: add, path: /spec/template/spec/containers/-, value: {name: n, image: nginx}}",
    "{op: add, path: /spec/template/spec/containers/0, value: {name: first}}",
    "{op: remove, path: /spec/template/spec/containers/1}",
    "{op: replace, path: /spec/template/spec/containers/0/image, value: 1.10}",
    "{op: test, path: /spec/replicas, value: 2}",
    "{op: test, path: /metadata/name, value: web}",
    "{op: move, from: /spec/template, path: /spec/moved}",
    "{op: add, path: /metadata/labels/a~1b~0c, value: x}",
    "{op: add, path: /data/x, value: \"multi\\nline\"}",
    "{op: remove, path: /none}",
    "{op: add, path: /none/deep, value: 1}",
    "{op: add, path: \"\", value: {}}",
    "{op: replace, path: /spec, value: null}",
    "{op: add, path: /spec/list/99, value: 1}",
    "{op: add, path: /spec/list/-1, value: 1}",
    "{op: bogus, path: /spec}",
    "{op: add, value: 1}",
    "{op: remove, path: /kind}",
    "{op: remove, path: /apiVersion}",
    "{op: remove, path: /metadata}",
    "{op: remove, path: /metadata/name}",
    "{op: remove, path: /metadata/annotations}",
    "{op: replace, path: /metadata/name, value: null}",
    "{op: replace, path: /metadata/name, value: 5}",
    "{op: replace, path: /metadata, value: {name: other, labels: {l: \"1\"}}}",
    "{op: replace, path: \"\", value: {apiVersion: v1, kind: ConfigMap, metadata: {name: whole}}}",
    "{op: replace, path: \"\", value: {apiVersion: v1, kind: ConfigMap}}",
    "{op: copy, from: \"\", path: /metadata/whole}",
    "{op: move, from: /spec, path: \"\"}",
    "{op: test, path: \"\", value: {}}",
    "{op: replace, path: /metadata/annotations, value: {a: 1, b: null, c: {d: e}}}",
    "{op: replace, path: /metadata/labels, value: [x]}",
    "{op: add, path: /metadata/labels/y, value: x}",
    "{op: add, path: spec/x, value: 1}",
];

const SELECTORS: &[&str] = &[
    "kind: Deployment",
    "kind: \"Deployment|StatefulSet\"",
    "kind: .*Set",
    "kind: ConfigMap",
    "kind: Service",
    "kind: Widget",
    "kind: \"Config.*\", name: web",
    "name: web",
    "name: web.*",
    "name: \"w|db\"",
    "name: p-web",
    "name: \"[wd].*\", kind: Deployment",
    "group: apps",
    "group: apps, version: v1, kind: Deployment, name: db",
    "version: v1",
    "group: \"\", kind: Service",
    "namespace: one",
    "namespace: \"one|two\", kind: Deployment",
    "namespace: default",
    "labelSelector: \"app in (web, db)\"",
    "labelSelector: app=web",
    "labelSelector: \"app!=web,tier\"",
    "labelSelector: \"!tier\"",
    "labelSelector: \"tier notin (front)\"",
    "labelSelector: \"app==web, tier=front\"",
    "annotationSelector: note=x",
    "annotationSelector: note",
    "annotationSelector: \"!note\", kind: Deployment",
    "kind: None",
    "name: \"^web$\"",
    "kind: deployment",
    "labelSelector: \"app in (\"",
    "name: \"[\"",
];

/// The text of a strategic merge patch, for an object of the name that it has or for any.
fn merge(maker: &mut Maker<'_>, named: bool) -> Option<String> {
    let mut out = maker.choose(TYPES, TYPES.len() - 2).to_owned();
    let kind = out.trim_end().rsplit(' ').next().unwrap_or_default().to_owned();
    if named && !maker.has(&kind) {
        return None;
    }
    let ((name, namespace), metadata) = (maker.object(&kind), maker.choose(METADATA, METADATA.len() - 3));
    let namespace = if namespace.is_empty() || metadata.contains("namespace") {
        String::new()
    } else {
        format!(", namespace: {namespace}")
    };
    let _ = writeln!(out, "metadata: {{name: {name}{namespace}{metadata}}}");
    let workload = ["Deployment", "StatefulSet"].contains(&&*kind) || !named;
    let with_containers = workload && maker.one_in(2);
    let with_pod = workload && !with_containers && maker.one_in(2);
    if with_containers {
        let containers = maker.some(CONTAINERS, CONTAINERS.len() - 3);
        let mut pod = format!("containers: [{containers}]");
        if maker.one_in(3) {
            let _ = write!(pod, ", {}", maker.choose(POD, POD.len() - 4));
        }
        let _ = writeln!(out, "spec: {{template: {{spec: {{{pod}}}}}}}");
    } else if with_pod {
        let pod = maker.choose(POD, POD.len() - 4);
        let _ = writeln!(out, "spec: {{template: {{spec: {{{pod}}}}}}}");
    } else {
        let _ = writeln!(out, "{}", maker.choose(OTHERS, OTHERS.len() - 4));
    }
    if maker.mistakes > 0 && maker.one_in(12) {
        let more = merge(maker, named)?;
        let _ = write!(out, "---\n{more}");
    }
    Some(out)
}

/// The text of a JSON patch.
fn operations(maker: &mut Maker<'_>) -> String {
    let mut out = String::new();
    for _ in 0..=maker.random.below(2) {
        let _ = writeln!(out, "- {}", maker.choose(OPERATIONS, 5));
    }
    if maker.one_in(8) {
        return "[{\"op\": \"add\", \"path\": \"/metadata/annotations\", \"value\": {\"j\": \"1\"}}]".into();
    }
    out
}

/// A literal block below `key`.
pub(super) fn block(key: &str, text: &str, indent: usize) -> String {
    let mut out = format!("{key}: |-\n");
    for line in text.lines() {
        let _ = writeln!(out, "{:indent$}{line}", "");
    }
    out
}

pub(super) fn patches(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    let mut out = "patches:\n".to_owned();
    for index in 0..=maker.random.below(3) {
        let json = maker.one_in(3);
        let target = json || maker.one_in(2) || (maker.mistakes > 0 && maker.one_in(6));
        let text = if json {
            Some(operations(maker))
        } else {
            merge(maker, !target)
        };
        let Some(text) = text else { continue };
        // Kustomize's order of Namespaces of several groups is none.
        let may_change = !text.contains("kind: Namespace");
        if maker.one_in(4) {
            let file = maker.file(place, &format!("patch{index}.yaml"), text);
            let _ = writeln!(out, "- path: {file}");
        } else {
            let _ = write!(out, "- {}", block("patch", &text, 4));
        }
        if target {
            let selector = maker.choose(SELECTORS, SELECTORS.len() - 2);
            let _ = writeln!(out, "  target: {{{selector}}}");
        }
        if may_change && maker.one_in(6) {
            let options = maker.pick(&[
                "{allowNameChange: true}",
                "{allowKindChange: true}",
                "{allowNameChange: true, allowKindChange: true}",
                "{allowNameChange: false}",
            ]);
            let _ = writeln!(out, "  options: {options}");
        }
    }
    if out == "patches:\n" { String::new() } else { out }
}

pub(super) fn strategic_merge(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    let Some(text) = merge(maker, true) else {
        return String::new();
    };
    if maker.one_in(2) {
        let file = maker.file(place, "merge.yaml", text);
        return format!("patchesStrategicMerge: [{file}]\n");
    }
    let text = block("", &text, 2);
    format!("patchesStrategicMerge:\n-{}", &text[1..])
}

pub(super) fn json(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    let kind = maker.pick(&["Deployment", "Service", "ConfigMap"]);
    if !maker.has(kind) {
        return String::new();
    }
    let version = match (kind, maker.mistakes > 0 && maker.one_in(3)) {
        ("Deployment", false) => "group: apps, version: v1, ",
        (_, false) => "version: v1, ",
        (_, true) => "namespace: one, ",
    };
    let (name, namespace) = maker.object(kind);
    let namespace = match (namespace, version.contains("namespace")) {
        ("", _) | (_, true) => String::new(),
        (namespace, false) => format!(", namespace: {namespace}"),
    };
    let target = format!("{{{version}kind: {kind}, name: {name}{namespace}}}");
    let text = operations(maker);
    if maker.one_in(2) {
        let file = maker.file(place, "operations.yaml", text);
        return format!("patchesJson6902:\n- target: {target}\n  path: {file}\n");
    }
    format!("patchesJson6902:\n- target: {target}\n  {}", block("patch", &text, 4))
}
