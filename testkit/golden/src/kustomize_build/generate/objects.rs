//! Objects of the types that kustomize treats in ways of their own, and of others.

use std::fmt::Write as _;

use super::{Maker, NAMES};

const NAMESPACES: &[&str] = &["", "", "", "one", "two", "default"];

/// Types with the text that follows `metadata`, in which `$N` is a name, `$I` an image.
const KINDS: &[(&str, &str, &str)] = &[
    (
        "v1",
        "ConfigMap",
        "data:\n  a: \"7\"\n  b: |\n    x\n    y: 1\n  image: nginx:1.2\n  json: '{\"k\": \"v\", \"n\": [1, 2]}'\n",
    ),
    (
        "v1",
        "ConfigMap",
        "data: {a: x.y.z, url: \"http://$N.one.svc:80/path\"}\nbinaryData: {k: AAEC}\n",
    ),
    ("v1", "Secret", "type: Opaque\nstringData: {k: v, p: $(VALUE)}\n"),
    (
        "v1",
        "Service",
        "spec:\n  selector: {app: $N}\n  ports:\n  - port: 80\n    name: http\n  - port: 81\n    protocol: UDP\n",
    ),
    (
        "v1",
        "Service",
        "spec:\n  type: ExternalName\n  externalName: $(VALUE).example.com\n",
    ),
    (
        "v1",
        "ServiceAccount",
        "imagePullSecrets: [{name: $N}]\nsecrets: [{name: $N}]\n",
    ),
    (
        "v1",
        "PersistentVolumeClaim",
        "spec: {storageClassName: $N, volumeName: $N, accessModes: [ReadWriteOnce]}\n",
    ),
    (
        "v1",
        "PersistentVolume",
        "spec: {claimRef: {name: $N, namespace: one}, storageClassName: $N}\n",
    ),
    ("v1", "Namespace", ""),
    (
        "v1",
        "Pod",
        "spec:\n  serviceAccountName: $N\n  containers: [{name: main, image: \"$I\"}]\n",
    ),
    (
        "v1",
        "ReplicationController",
        "spec: {replicas: 1, selector: {app: $N}, template: {metadata: {labels: {app: $N}}, spec: {containers: [{name: main, image: \"$I\"}]}}}\n",
    ),
    (
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: $N}\nsubjects:\n- kind: ServiceAccount\n  name: default\n- {kind: ServiceAccount, name: $N, namespace: one}\n- {kind: User, name: $N}\n",
    ),
    (
        "rbac.authorization.k8s.io/v1",
        "RoleBinding",
        "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: $N}\nsubjects: [{kind: ServiceAccount, name: $N}]\n",
    ),
    (
        "rbac.authorization.k8s.io/v1",
        "ClusterRoleBinding",
        "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: $N}\nsubjects: [{kind: ServiceAccount, name: $N, namespace: two}, {kind: ServiceAccount, name: default, namespace: x}]\n",
    ),
    (
        "rbac.authorization.k8s.io/v1",
        "Role",
        "rules:\n- apiGroups: [\"\"]\n  resources: [secrets]\n  resourceNames: [$N, other]\n",
    ),
    (
        "rbac.authorization.k8s.io/v1",
        "ClusterRole",
        "rules:\n- {apiGroups: [\"\"], resources: [configmaps], resourceNames: [$N]}\n",
    ),
    (
        "networking.k8s.io/v1",
        "Ingress",
        "spec:\n  ingressClassName: $N\n  tls: [{secretName: $N, hosts: [a.b]}]\n  rules: [{host: $N.a.b, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: $N, port: {number: 80}}}}]}}]\n",
    ),
    (
        "networking.k8s.io/v1",
        "NetworkPolicy",
        "spec:\n  podSelector: {matchLabels: {app: $N}}\n  ingress: [{from: [{podSelector: {matchLabels: {app: $N}}}]}]\n",
    ),
    ("networking.k8s.io/v1", "IngressClass", "spec: {controller: x/y}\n"),
    (
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: $N}, maxReplicas: 3}\n",
    ),
    (
        "policy/v1",
        "PodDisruptionBudget",
        "spec: {minAvailable: 1, selector: {matchLabels: {app: $N}}}\n",
    ),
    (
        "batch/v1",
        "CronJob",
        "spec:\n  schedule: \"* * * * *\"\n  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: \"$I\", env: [{name: A, value: $(VALUE)}], envFrom: [{secretRef: {name: $N}}]}]}}}}\n",
    ),
    (
        "batch/v1",
        "Job",
        "spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: \"$I\"}], volumes: [{name: v, secret: {secretName: $N}}]}}}\n",
    ),
    (
        "storage.k8s.io/v1",
        "StorageClass",
        "provisioner: x\nparameters: {a: b}\n",
    ),
    ("scheduling.k8s.io/v1", "PriorityClass", "value: 10\n"),
    (
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "spec: {group: example.com, names: {kind: Widget}, conversion: {webhook: {clientConfig: {service: {name: $N, namespace: one}}}}}\n",
    ),
    (
        "apiregistration.k8s.io/v1",
        "APIService",
        "spec: {service: {name: $N, namespace: two}, group: x, version: v1}\n",
    ),
    (
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "webhooks: [{name: a.b, clientConfig: {service: {name: $N, namespace: one}}}]\n",
    ),
    (
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        "webhooks: [{name: a.b, clientConfig: {service: {name: $N, namespace: default}}}]\n",
    ),
    (
        "example.com/v1",
        "Widget",
        "spec:\n  size: 1.50\n  on: yes\n  ref: {name: $N}\n  labels: {app: $N}\n  list: [{name: a, v: 1}, {name: b, v: 2}]\n  image: $I\n  template: {spec: {containers: [{name: c, image: \"$I\"}]}}\n",
    ),
    (
        "example.com/v1",
        "Gadget",
        "spec: {configMap: $N, nothing: , bare, items: [x, \"y\", 3, null, {e: }], deep: [[{containers: [{image: \"$I\"}]}]], count: 2}\n",
    ),
    (
        "acid.zalan.do/v1",
        "postgresql",
        "spec: {numberOfInstances: 2, labels: {app: $N}}\n",
    ),
    ("v1", "Event", "message: nothing of it is known to a transformer\n"),
];

const IMAGES: &[&str] = &[
    "nginx:1.2",
    "docker.io/nginx",
    "redis@sha256:ab",
    "busybox",
    "nginx",
    "example.com:5000/nginx:1@sha256:cd",
    "nginx:$(VALUE)",
    "my-nginx:1",
];

/// One to three objects in one file, perhaps as a list.
pub(super) fn stream(maker: &mut Maker<'_>) -> String {
    let count = 1 + maker.random.below(3);
    let objects: Vec<String> = (0..count).map(|_| object(maker)).collect();
    if maker.one_in(16) {
        return list(maker, &objects);
    }
    let mut out = if maker.one_in(8) { "---\n" } else { "" }.to_owned();
    out.push_str(&objects.join(maker.pick(&["---\n", "---\n", "---\n# a comment\n", "---\n---\n", "--- \n"])));
    if maker.one_in(12) {
        out.push_str(maker.pick(&["---\n", "# the end\n", "...\n", "---\nnull\n", "\n\n"]));
    }
    out
}

fn list(maker: &mut Maker<'_>, objects: &[String]) -> String {
    let kind = maker.choose(&["List", "List", "ConfigMapList", "ResourceList"], 3);
    let mut out = format!("apiVersion: v1\nkind: {kind}\nitems:\n");
    for object in objects {
        for (number, line) in object.lines().enumerate() {
            let _ = writeln!(out, "{}{line}", if number == 0 { "- " } else { "  " });
        }
    }
    out
}

fn object(maker: &mut Maker<'_>) -> String {
    if maker.one_in(3) {
        return workload(maker);
    }
    let (version, kind, rest) = KINDS[maker.random.below(KINDS.len())];
    let mut out = format!("apiVersion: {version}\nkind: {kind}\n");
    metadata(maker, kind, &mut out);
    let rest = rest.replace("$N", maker.pick(NAMES)).replace("$I", maker.pick(IMAGES));
    out.push_str(&rest);
    out
}

fn metadata(maker: &mut Maker<'_>, kind: &'static str, out: &mut String) -> String {
    let namespace = maker.pick(NAMESPACES);
    let name = maker.fresh(kind, namespace);
    let _ = writeln!(out, "metadata:\n  name: {name}");
    if !namespace.is_empty() {
        let _ = writeln!(out, "  namespace: {namespace}");
    }
    if maker.one_in(2) {
        let tier = maker.choose(&["\"0\"", "front", "\"true\"", "\"\"", "1.0", "true", "null"], 4);
        if maker.one_in(4) {
            let _ = writeln!(out, "  labels: {{app: {name}, tier: {tier}}}");
        } else {
            let _ = writeln!(out, "  labels: {{app: {name}, tier: front}}");
        }
    }
    if maker.one_in(3) {
        let value = maker.pick(&[
            "1.10",
            "true",
            "x",
            "yes",
            "\"5\"",
            "2020-01-02",
            "null",
            "~",
            "",
            "|\n      two\n      lines",
        ]);
        let _ = writeln!(out, "  annotations:\n    note: {value}");
        if maker.one_in(4) {
            out.push_str(maker.pick(&[
                "    config.kubernetes.io/local-config: \"true\"\n",
                "    config.kubernetes.io/local-config: \"false\"\n",
                "    config.kubernetes.io/path: a.yaml\n",
                "    internal.config.kubernetes.io/prefixes: x-\n",
                "    nginx.ingress.kubernetes.io/auth-secret: web\n",
                "    kustomize.config.k8s.io/needs-hash: \"true\"\n",
                "    kustomize.config.k8s.io/behavior: merge\n",
            ]));
        }
    }
    if maker.one_in(24) {
        out.push_str(maker.pick(&[
            "  creationTimestamp: null\n",
            "  finalizers: [a, b]\n",
            "  ownerReferences: [{kind: X, name: y, uid: z}]\n",
            "  generateName: web-\n",
        ]));
    }
    name
}

fn workload(maker: &mut Maker<'_>) -> String {
    let kind = maker.pick(&["Deployment", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"]);
    let version = if maker.one_in(12) {
        "extensions/v1beta1"
    } else {
        "apps/v1"
    };
    let mut out = format!("apiVersion: {version}\nkind: {kind}\n");
    let name = metadata(maker, kind, &mut out);
    let (image, config, secret, account) = (maker.pick(IMAGES), maker.name(), maker.name(), maker.name());
    let _ = write!(
        out,
        "spec:\n  replicas: {}\n  selector:\n    matchLabels: {{app: {name}}}\n",
        1 + maker.random.below(3)
    );
    if kind == "StatefulSet" {
        let _ = writeln!(out, "  serviceName: {}", maker.name());
        if maker.one_in(2) {
            out.push_str("  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec: {storageClassName: web}\n");
        }
    }
    let _ = write!(
        out,
        "  template:\n    metadata:\n      labels: {{app: {name}}}\n    spec:\n      serviceAccountName: {account}\n      containers:\n      - name: main\n        image: {image}\n        args: [\"--v=$(VALUE)\", \"$(OTHER)x$$(VALUE)\"]\n        ports:\n        - containerPort: 80\n        - containerPort: 81\n          protocol: UDP\n        env:\n        - name: A\n          value: \"1\"\n        - name: B\n          valueFrom: {{configMapKeyRef: {{name: {config}, key: a}}}}\n        envFrom:\n        - secretRef: {{name: {secret}}}\n      - name: side\n        image: busybox\n"
    );
    if maker.one_in(3) {
        let _ = writeln!(
            out,
            "      initContainers: [{{name: init, image: \"{image}\", volumeMounts: [{{name: v, mountPath: /a}}, {{name: v, mountPath: /b}}]}}]"
        );
    }
    if maker.one_in(3) {
        let _ = writeln!(
            out,
            "      affinity:\n        podAntiAffinity:\n          preferredDuringSchedulingIgnoredDuringExecution:\n          - weight: 1\n            podAffinityTerm: {{topologyKey: z, labelSelector: {{matchLabels: {{app: {name}}}}}}}\n      topologySpreadConstraints: [{{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule, labelSelector: {{matchLabels: {{app: {name}}}}}}}]"
        );
    }
    let _ = writeln!(
        out,
        "      volumes:\n      - name: v\n        configMap: {{name: {config}}}"
    );
    if maker.one_in(3) {
        let _ = writeln!(
            out,
            "      - {{name: p, projected: {{sources: [{{secret: {{name: {secret}}}}}, {{configMap: {{name: {config}}}}}]}}}}\n      - {{name: c, persistentVolumeClaim: {{claimName: {secret}}}}}"
        );
    }
    out
}
