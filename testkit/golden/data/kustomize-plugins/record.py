"""Makes cases for every built-in plugin and records what kubectl says, one file a case: record.py KUBECTL"""
import base64, json, os, subprocess, sys, tempfile

KUBECTL = sys.argv[1]
OUT = os.path.dirname(os.path.abspath(__file__))
TOOL = "kubectl 1.36.3, kustomize 5.8.1"

OBJECTS = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      initContainers: [{name: init, image: "busybox:1"}]
      containers:
      - name: main
        image: nginx:1.2
        args: [--a, --b=1]
        ports: [{containerPort: 80}, {containerPort: 53, protocol: UDP}]
        envFrom: [{configMapRef: {name: cm}}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: cm, namespace: has, annotations: {old: "1"}}
data: {k: v, number: "7"}
---
apiVersion: v1
kind: Service
metadata: {name: svc}
spec: {selector: {app: web}, ports: [{port: 80, name: http}, {port: 53, protocol: UDP}]}
---
apiVersion: v1
kind: Namespace
metadata: {name: old}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: rb}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
subjects:
- {kind: ServiceAccount, name: default}
- {kind: ServiceAccount, name: sa, namespace: old}
- {kind: User, name: default}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
spec: {image: "nginx:1.2", path: /a/b/c, replicas: 3, list: [{name: a, v: x}, {name: b}], text: "a:b:c"}
"""
FILES = {
    "all.yaml": OBJECTS,
    "e.env": "A=1\n# c\n  B=x y\n\nC\n",
    "f.txt": "line 1\nline 2\n",
    "p.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 9}\n",
    "p.json": '[{"op": "replace", "path": "/spec/replicas", "value": 8}]',
    "r.yaml": "- source: {kind: ConfigMap, fieldPath: data.k}\n  targets: [{select: {kind: Service}, fieldPaths: [spec.selector.app]}]\n",
    "t.yaml": "targets: [{selector: {kind: Widget}, fieldPath: spec/other}]\n",
}
cases = []


def plugin(kind, *bodies, meta="name: p", field=None, rest=""):
    field = field or ("generators" if kind.endswith("Generator") else "transformers")
    for body in bodies:
        text = f"apiVersion: builtin\nkind: {kind}\nmetadata: {{{meta}}}\n{body}\n"
        kustomization = f"resources: [all.yaml]\n{field}: [plugin.yaml]\n{rest}"
        cases.append((kind, {**FILES, "plugin.yaml": text, "kustomization.yaml": kustomization}, {}))


SPECS = ["[{path: metadata/labels, create: true}]", "[{path: metadata/labels}]", "[{path: spec/new/field, create: true, kind: Widget}]", "[{path: spec/template/metadata/labels, kind: Deployment, group: apps}]", "[]", "[{path: spec/list/labels, create: true, kind: Widget}]", "[{path: spec/image, kind: Widget}]", "[{path: 'spec/list[]/labels', create: true, kind: Widget}]", "[{path: metadata/labels, version: v1, create: true}]"]
plugin("LabelTransformer", *[f"labels: {{a: b, n: \"1\"}}\nfieldSpecs: {spec}" for spec in SPECS], "labels: {app: other}\nfieldSpecs: [{path: spec/selector, create: true, kind: Service}]", "labels: {}\nfieldSpecs: [{path: metadata/labels}]", "fieldSpecs: [{path: metadata/labels}]", "labels: {a: 1}\nfieldSpecs: [{path: metadata/labels, create: true}]")
plugin("AnnotationsTransformer", *[f"annotations: {{a: b, old: \"2\"}}\nfieldSpecs: {spec.replace('labels', 'annotations')}" for spec in SPECS], "annotations: {a: ''}\nfieldSpecs: [{path: metadata/annotations, create: true}]", "annotations: {b: true}\nfieldSpecs: [{path: metadata/annotations, create: true}]")
for kind, key in (("PrefixTransformer", "prefix"), ("SuffixTransformer", "suffix")):
    plugin(kind, *[f"{key}: x-\nfieldSpecs: {spec}" for spec in ["[{path: metadata/name}]", "[{path: metadata/name, kind: Service}]", "[{path: spec/image, kind: Widget}]", "[{path: spec/none, kind: Widget, create: true}]", "[{path: spec/none, kind: Widget}]", "[{path: spec/list/name, kind: Widget}]", "[]", "[{path: spec, kind: Widget}]", "[{path: metadata/name}, {path: data/k, kind: ConfigMap}]"]], f"{key}: ''\nfieldSpecs: [{{path: metadata/name}}]", f"{key}: x", "fieldSpecs: [{path: metadata/name}]")
plugin("PrefixSuffixTransformer", *[f"prefix: a-\nsuffix: -b\nfieldSpecs: {spec}" for spec in ["[{path: metadata/name}]", "[{path: metadata/name, kind: ConfigMap}]", "[{path: spec/image, kind: Widget}]", "[]", "[{path: spec/new, kind: Widget, create: true}]", "[{path: spec/list/name, kind: Widget}]"]], "prefix: a-\nfieldSpecs: [{path: metadata/name}]", "suffix: -b\nfieldSpecs: [{path: metadata/name}]", "prefix: a-", "fieldSpecs: [{path: metadata/name}]")
for more in ["", "unsetOnly: true", "setRoleBindingSubjects: none", "setRoleBindingSubjects: allServiceAccounts", "setRoleBindingSubjects: defaultOnly", "setRoleBindingSubjects: bad", "fieldSpecs: [{path: metadata/name, kind: Namespace, create: true}]", "fieldSpecs: [{path: spec/ns, kind: Widget, create: true}]", "unsetOnly: true\nsetRoleBindingSubjects: allServiceAccounts", "fieldSpecs: [{path: metadata/namespace, create: true}]"]:
    plugin("NamespaceTransformer", more, meta="name: p, namespace: nn")
plugin("NamespaceTransformer", "", "fieldSpecs: [{path: metadata/namespace, create: true}]")
plugin("ImageTagTransformer", *[f"imageTag: {{{image}}}" for image in ["name: nginx, newTag: v2", "name: nginx, newName: o/x", "name: nginx, digest: sha256:ab", "name: busybox, newTag: z", "name: none, newTag: z", "name: 'ng.*', newTag: z", "name: nginx, newName: a, newTag: b, digest: sha256:c", "name: nginx, tagSuffix: -x", "newTag: z"]], "imageTag: {name: nginx, newTag: v3}\nfieldSpecs: [{path: spec/image, kind: Widget}]", "imageTag: {name: nginx, newTag: v3}\nfieldSpecs: [{path: spec/list, kind: Widget}]", "")
plugin("ReplicaCountTransformer", *[f"replica: {{name: {name}, count: {count}}}\nfieldSpecs: {spec}" for name, count, spec in [("web", 5, "[{path: spec/replicas, create: true, kind: Deployment}]"), ("w", 0, "[{path: spec/replicas, kind: Widget}]"), ("w", 4, "[{path: spec/size, kind: Widget, create: true}]"), ("w", 4, "[{path: spec/size, kind: Widget}]"), ("none", 4, "[{path: spec/replicas}]"), ("web", -3, "[{path: spec/replicas}]"), ("cm", 2, "[{path: data/number, kind: ConfigMap}]"), ("web", 2, "[]"), ("w", 4, "[{path: spec/list, kind: Widget}]"), ("web", "'2'", "[{path: spec/replicas}]")]], "fieldSpecs: [{path: spec/replicas}]")
SOURCE = "{kind: ConfigMap, fieldPath: data.k}"
plugin("ReplacementTransformer", *[f"replacements: [{{source: {source}, targets: [{target}]}}]" for source, target in [(SOURCE, "{select: {kind: Service}, fieldPaths: [spec.selector.app]}"), (SOURCE, "{select: {kind: Widget}, fieldPaths: ['spec.list.[name=a].v']}"), (SOURCE, "{select: {kind: Widget}, fieldPaths: ['spec.list.*.v'], options: {create: true}}"), ("{kind: Widget, fieldPath: spec.text, options: {delimiter: ':', index: 1}}", "{select: {kind: Widget}, fieldPaths: [spec.path], options: {delimiter: /, index: 2}}"), (SOURCE, "{select: {kind: Widget}, fieldPaths: [spec.none]}"), (SOURCE, "{select: {name: '.*'}, reject: [{kind: Deployment}, {name: cm}], fieldPaths: [metadata.annotations.x], options: {create: true}}"), ("{kind: Service, fieldPath: spec.ports}", "{select: {kind: Widget}, fieldPaths: [spec.ports], options: {create: true}}"), ("{kind: None}", "{select: {kind: Widget}, fieldPaths: [spec.image]}"), ("{kind: Widget, name: w}", "{select: {kind: Service}}")]], "replacements: [{path: r.yaml}]", "replacements: [{path: none.yaml}]", "replacements: [{sourceValue: direct, targets: [{select: {kind: Widget}, fieldPaths: [spec.image]}]}]", "replacements: [{sourceValue: direct, targets: [{select: {labelSelector: app=web}, fieldPaths: [metadata.labels.x], options: {create: true}}]}]", "replacements: [{sourceValue: a, source: {kind: Widget}, targets: [{select: {kind: Widget}}]}]", "replacements: []")
SM = "patch: |-\n  apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: web}\n  "
plugin("PatchTransformer", SM + "spec: {replicas: 7}", SM + "spec: {template: {spec: {containers: [{name: main, args: null}]}}}", SM + "$patch: delete", "path: p.yaml", "path: p.yaml\ntarget: {kind: Deployment}", "path: p.json\ntarget: {name: web}", "path: p.json", "path: none.yaml", "patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"a\": \"b\"}}]'\ntarget: {annotationSelector: old=1}", "patch: '[{\"op\": \"remove\", \"path\": \"/spec\"}]'\ntarget: {labelSelector: app in (web)}", "path: p.yaml\npatch: x", "", "patch: '{apiVersion: v1, kind: Other, metadata: {name: z}, data: {k: c}}'\ntarget: {kind: ConfigMap}\noptions: {allowNameChange: true, allowKindChange: true}")
plugin("PatchStrategicMergeTransformer", "paths: [p.yaml]", "paths: [none.yaml]", "paths: []", "patches: |-\n  apiVersion: v1\n  kind: Service\n  metadata: {name: svc}\n  spec: {ports: [{port: 53, protocol: UDP, name: dns}]}", "patches: |-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: cm, namespace: has}\n  data: {k: null, new: x}", "patches: |-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: cm, namespace: has}\n  $patch: delete", "patches: |-\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: cm}\n  data: {a: b}", "paths: [p.yaml]\npatches: |-\n  apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: web}\n  spec: {replicas: 1}", "patches: |-\n  apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: web}\n  spec: {template: {spec: {containers: [{$patch: replace}, {name: only, image: x}]}}}", "patches: |-\n  apiVersion: example.com/v1\n  kind: Widget\n  metadata: {name: w}\n  spec: {list: [{name: b}], $setElementOrder/list: [{name: b}]}", "patches: |-\n  apiVersion: example.com/v1\n  kind: Widget\n  metadata: {name: w}\n  spec: {$retainKeys: [image], image: x, $deleteFromPrimitiveList/args: [a]}", "paths: [all.yaml]")
plugin("PatchJson6902Transformer", *[f"target: {{version: v1, kind: {kind}, name: {name}}}\njsonOp: '{ops}'" for kind, name, ops in [("Service", "svc", '[{"op": "replace", "path": "/spec/ports/0/port", "value": 8080}]'), ("Service", "svc", '[{"op": "add", "path": "/spec/ports/-", "value": {"port": 1}}]'), ("Service", "svc", '[{"op": "remove", "path": "/spec/none"}]'), ("ConfigMap", "cm", '[{"op": "move", "from": "/data/k", "path": "/data/l"}]'), ("ConfigMap", "cm", '[{"op": "copy", "from": "/metadata/name", "path": "/data/name"}]'), ("ConfigMap", "cm", '[{"op": "test", "path": "/data/k", "value": "x"}]'), ("ConfigMap", "none", '[{"op": "remove", "path": "/data"}]'), ("ConfigMap", "cm", "[]"), ("Widget", "w", '[{"op": "add", "path": "/spec/a~1b", "value": null}]')]], "target: {kind: Deployment, name: web}\npath: p.json", "target: {kind: Deployment, name: web}\npath: none.json", "target: {kind: Deployment}\npath: p.json", "path: p.json")
plugin("ValueAddTransformer", *[f"value: val\ntargets: [{{selector: {{kind: Widget}}, fieldPath: {path}}}]" for path in ["spec/image", "spec/new/deep", "spec/list/0/v", "metadata/namespace", "spec/list/-/v", "'spec/list/[name=a]/v'", "spec/list"]], *[f"value: val\ntargets: [{{selector: {{kind: Widget}}, fieldPath: spec/path, filePathPosition: {at}}}]" for at in (0, 1, 2, 9, -1)], "value: val\ntargets: [{fieldPath: metadata/annotations/x}]", "value: ' trimmed '\ntargets: [{selector: {name: svc}, fieldPath: spec/x}]", "value: v\ntargetFilePath: t.yaml", "value: v", "value: v\ntargets: [{selector: {kind: Widget}}]")
for rest in ["", "configMapGenerator: [{name: g, literals: [a=b]}]\n", "secretGenerator: [{name: g, literals: [a=b]}]\n", "configMapGenerator: [{name: g, literals: [a=b]}]\nnamePrefix: p-\n", "configMapGenerator: [{name: g, literals: [a=b]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n", "configMapGenerator: [{name: cm, namespace: has, behavior: merge, literals: [a=b]}]\n", "configMapGenerator: [{name: g, files: [f.txt]}]\nnamespace: z\n", "secretGenerator: [{name: g, envs: [e.env], type: a/b}]\ncommonLabels: {x: w}\n", "configMapGenerator: [{name: g}]\n", "configMapGenerator: [{name: g, literals: [a=b]}, {name: h, literals: [a=b]}]\n"]:
    plugin("HashTransformer", "", rest=rest)
GENERATORS = ["literals: [a=b]", "literals: [a=b, 'c=d e', n=1]", "envs: [e.env]", "env: e.env", "files: [f.txt]", "files: [k=f.txt]", "files: [none.txt]", "literals: [a=b]\nbehavior: create", "literals: [a=b]\noptions: {disableNameSuffixHash: true, labels: {l: m}, annotations: {n: o}, immutable: true}", "literals: [nokey]", "name: other\nliterals: [a=b]", "namespace: zz\nliterals: [a=b]", ""]
plugin("ConfigMapGenerator", *GENERATORS, "behavior: merge\nliterals: [k=new]", meta="name: gen, namespace: gn")
plugin("ConfigMapGenerator", "behavior: merge\nliterals: [k=new]", "behavior: replace\nliterals: [k=new]", meta="name: cm, namespace: has")
plugin("SecretGenerator", *GENERATORS, "type: a/b\nliterals: [a=b]", meta="name: gen")
plugin("IAMPolicyGenerator", *[f"cloud: {cloud}\nkubernetesService: {{{service}}}\nserviceAccount: {{{account}}}" for cloud, service, account in [("gke", "name: k", "name: s, projectId: p"), ("gke", "name: k, namespace: n", "name: s, projectId: p"), ("aws", "name: k", "name: s, projectId: p"), ("gke", "name: k", "name: s"), ("gke", "", "name: s, projectId: p"), ("gke", "namespace: n", "name: s, projectId: p"), ("gke", "name: 'k'", "projectId: p"), ("GKE", "name: k", "name: s, projectId: p")]], "cloud: gke", "")

# What is no text, which a case can only hold in another form.
BINARY = {"b.bin": bytes([0xFF, 0x00, 0x80]), "long.bin": bytes(range(128, 256)), "bom.txt": b"\xef\xbb\xbfa=b\n", "crlf.env": b"A=1\r\nB=2\r\n"}
for kind in ("configMap", "secret"):
    for body in ["files: [b.bin]", "files: [long.bin, f.txt]", "files: [k=bom.txt]", "envs: [crlf.env]", "envs: [bom.txt]", "files: [b.bin], literals: [a=b]", "files: [crlf.env]", "envs: [b.bin]", "files: [x=b.bin, y=b.bin], options: {immutable: true}", "files: [long.bin], options: {disableNameSuffixHash: true}"]:
        cases.append(("binary", {**FILES, "kustomization.yaml": f"{kind}Generator: [{{name: g, {body}}}]\n"}, BINARY))

counts = {}
for feature, files, binary in cases:
    counts[feature] = counts.get(feature, 0) + 1
    with tempfile.TemporaryDirectory() as root:
        for path, content in {**{path: text.encode() for path, text in files.items()}, **binary}.items():
            with open(os.path.join(root, path), "wb") as file:
                file.write(content)
        run = subprocess.run([KUBECTL, "kustomize", root], capture_output=True, env={"HOME": root, "HTTPS_PROXY": "http://127.0.0.1:9"})
    used = {path: text for path, text in files.items() if path == "kustomization.yaml" or any(path in text for text in files.values())}
    case = {"tool": TOOL, "files": used, "output": run.stdout.decode() if run.returncode == 0 else None}
    if binary:
        case["binary"] = {path: base64.b64encode(content).decode() for path, content in binary.items()}
    folder = os.path.join(OUT, feature)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{counts[feature]:02}.json"), "w") as file:
        json.dump(case, file, indent=1)
        file.write("\n")
print(counts)
