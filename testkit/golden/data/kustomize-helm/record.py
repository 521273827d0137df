"""Records what kustomize makes of charts, one file a case: record.py KUSTOMIZE HELM

KUSTOMIZE is the tool built with `go install sigs.k8s.io/kustomize/kustomize/v5@v5.8.1`, HELM that of the components.
"""
import json, os, subprocess, sys, tempfile

KUSTOMIZE, HELM = sys.argv[1:3]
OUT = os.path.dirname(os.path.abspath(__file__))
TOOL = "kustomize 5.8.1, helm 4.2.3"

CHART = {
    "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.2.3\nappVersion: \"4.5\"\n",
    "values.yaml": "# what the chart says\nname: site\nreplicas: 1\nflag: yes\nport: 0o17\nbig: 12345678901\nlist: [a, b]\nnested:\n  keep: true\n  drop: 1\n",
    "templates/_helpers.tpl": "{{- define \"web.name\" -}}{{ .Release.Name }}-{{ .Values.name }}{{- end -}}\n",
    "templates/deployment.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ include \"web.name\" . }}\n  labels: {app: {{ .Values.name }}, release: {{ .Release.Name }}}\nspec:\n  replicas: {{ .Values.replicas }}\n  selector: {matchLabels: {app: {{ .Values.name }}}}\n  template:\n    metadata: {labels: {app: {{ .Values.name }}}}\n    spec:\n      containers:\n      - name: main\n        image: nginx:{{ .Chart.AppVersion }}\n        envFrom: [{configMapRef: {name: {{ include \"web.name\" . }}}}]\n",
    "templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ include \"web.name\" . }}\n  namespace: {{ .Release.Namespace }}\ndata:\n  values: {{ toJson .Values | quote }}\n  namespace: {{ .Release.Namespace }}\n  kube: {{ .Capabilities.KubeVersion.Version }}\n  monitoring: {{ .Capabilities.APIVersions.Has \"monitoring.coreos.com/v1\" | quote }}\n",
    "templates/hook.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ .Release.Name }}-hook\n  annotations: {\"helm.sh/hook\": pre-install}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}}}\n",
    "templates/tests/test.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}-test\n  annotations: {\"helm.sh/hook\": test}\nspec: {restartPolicy: Never, containers: [{name: c, image: busybox}]}\n",
    "templates/NOTES.txt": "Thanks for {{ .Release.Name }}\n",
    "crds/crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Widget, plural: widgets}\n  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n",
}


def chart(at="charts/web", **more):
    files = {f"{at}/{path}": text for path, text in CHART.items()}
    files.update({f"{at}/{path.replace('__', '/')}": text for path, text in more.items()})
    return files


cases = []


def case(kustomization, files=None, directory="", **more):
    tree = dict(chart() if files is None else files)
    tree.update({path.replace("__", "/").replace("_yaml", ".yaml"): text for path, text in more.items()})
    tree[os.path.join(directory, "kustomization.yaml")] = kustomization
    cases.append((tree, directory))


WEB = "helmCharts:\n- name: web\n  releaseName: r\n"
case(WEB)
case("helmCharts:\n- name: web\n")
case(WEB + "  namespace: shop\n")
case(WEB + "  includeCRDs: true\n")
case(WEB + "  skipHooks: true\n")
case(WEB + "  skipTests: true\n")
case(WEB + "  apiVersions: [monitoring.coreos.com/v1, a/v1]\n  kubeVersion: 1.22.3\n")
case("helmCharts:\n- name: web\n  nameTemplate: 'x{{ \"y\" | repeat 2 }}'\n")
case(WEB + "  nameTemplate: x\n")
case(WEB + "  valuesFile: v.yaml\n", v_yaml="name: other\n")
case(WEB + "  valuesFile: v.yaml\n  additionalValuesFiles: [w.yaml, x.yaml]\n", v_yaml="name: other\n", w_yaml="replicas: 3\nlist: [c]\n", x_yaml="replicas: 4\n")
case(WEB + "  additionalValuesFiles: [w.yaml]\n  valuesInline: {replicas: 9, name: in}\n", w_yaml="replicas: 3\n")
INLINE = "  valuesInline:\n    name: inline\n    list: [z]\n    nested: {drop: null, add: {a: 1.5}}\n    big: 98765432109876\n    yes: 'no'\n"
for merge in ["", "override", "merge", "replace", "other"]:
    case(WEB + INLINE + (f"  valuesMerge: {merge}\n" if merge else ""))
case(WEB + INLINE + "  valuesFile: v.yaml\n  valuesMerge: merge\n", v_yaml="name: file\nlist: null\n")
case(WEB + INLINE, chart(**{"values.yaml": ""}))
case(WEB + INLINE, chart(**{"values.yaml": "# nothing\n"}))
case(WEB + "  valuesInline: {}\n")
case(WEB, {path: text for path, text in chart().items() if not path.endswith("values.yaml")})
case("helmGlobals: {chartHome: deps}\n" + WEB, chart("deps/web"))
case("helmGlobals: {chartHome: deps, configHome: /nowhere}\n" + WEB, chart("deps/web"))
case("helmChartInflationGenerator:\n- chartName: web\n  releaseName: old\n  releaseNamespace: ns\n  chartHome: deps\n  values: v.yaml\n  valuesLocal: {replicas: 7}\n  valuesMerge: override\n", chart("deps/web"), v_yaml="name: other\n")
case("helmChartInflationGenerator:\n- chartName: web\n  releaseName: old\n" + WEB)
case("generators: [g.yaml]\n", g_yaml="apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: any}\nname: web\nreleaseName: g\nnamespace: n\nvaluesInline: {replicas: 5}\n")
case("namespace: own\n" + WEB)
case("namespace: own\n" + WEB + "  namespace: theirs\n")
case("resources: [../base]\nnamespace: above\n", {f"base/{path}": text for path, text in chart().items()} | {"base/kustomization.yaml": WEB}, "top")
case("resources: [../mid]\n", {f"base/{path}": text for path, text in chart().items()} | {"base/kustomization.yaml": WEB, "mid/kustomization.yaml": "resources: [../base]\nnamespace: mid\n"}, "top")
case("namePrefix: p-\nnameSuffix: -s\n" + WEB)
case("commonLabels: {a: b}\ncommonAnnotations: {c: d}\n" + WEB)
case("labels: [{pairs: {x: z}, includeSelectors: true}]\n" + WEB + "images: [{name: nginx, newTag: '9'}]\nreplicas: [{name: r-site, count: 8}]\n")
case(WEB + "patches:\n- target: {kind: Deployment}\n  patch: '- {op: replace, path: /spec/replicas, value: 6}'\n- patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: r-site}, data: {added: x}}'\n")
case("configMapGenerator: [{name: r-site, behavior: merge, literals: [a=b]}]\nresources: [cm.yaml]\n" + WEB, cm_yaml="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n")
case(WEB + "- name: web\n  releaseName: r\n")
case(WEB + "- name: web\n  releaseName: s\n")
case("buildMetadata: [originAnnotations, transformerAnnotations]\nnamePrefix: p-\n" + WEB)
case("sortOptions: {order: fifo}\n" + WEB + "  includeCRDs: true\n")
case(WEB + "  version: 1.2.3\n")
case(WEB + "  version: 1.2.3\n  repo: http://127.0.0.1:9/\n", chart("charts/web-1.2.3/web"))
case(WEB + "  repo: http://127.0.0.1:9/\n", {})
case(WEB, {})
case("helmCharts: [{releaseName: r}]\n")
case("helmCharts: [{name: web, nonsense: 1}]\n")
case(WEB + "  debug: false\n  devel: true\n")
case("helmGlobals: {chartHome: ../deps}\n" + WEB, chart("deps/web"), "top")
case(WEB + "  valuesFile: ../v.yaml\n", {f"top/{path}": text for path, text in chart().items()} | {"v.yaml": "name: up\n"}, "top")
case(WEB, chart(templates__bad="{{ fail \"no\" }}"))
case(WEB, chart(**{"templates/empty.yaml": "# nothing\n", "templates/list.yaml": "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: l1}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: l2}}\n"}))
case("helmCharts: [{name: web, releaseName: r, skipHooks: true, valuesInline: {name: '1.10', replicas: 0x10}}]\n")
case("components: [c]\n" + WEB, chart() | {"c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{target: {kind: Deployment}, patch: '- {op: add, path: /metadata/labels/c, value: d}'}]\n"})
case("namespace: own\n" + WEB + "resources: [cm.yaml]\n", cm_yaml="apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n")

for number, (tree, directory) in enumerate(cases, 1):
    with tempfile.TemporaryDirectory() as root:
        for path, text in tree.items():
            path = os.path.join(root, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(text)
        os.makedirs(os.path.join(root, directory), exist_ok=True)
        run = subprocess.run(
            [KUSTOMIZE, "build", "--enable-helm", "--helm-command", HELM, os.path.join(root, directory)],
            capture_output=True, text=True, env={"HOME": root, "PATH": "/usr/bin:/bin", "HTTPS_PROXY": "http://127.0.0.1:9"},
        )
    answer = {"tool": TOOL, "directory": directory, "files": tree, "output": run.stdout if run.returncode == 0 else None}
    if run.returncode:
        print(number, run.stderr.strip()[:300], file=sys.stderr)
    with open(os.path.join(OUT, f"{number:02}.json"), "w") as file:
        json.dump(answer, file, indent=1)
        file.write("\n")
