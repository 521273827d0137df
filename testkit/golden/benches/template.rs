//! How fast our templates are against Go's, in one run on one machine: bodies as charts have them.
//!
//! `cargo bench -p convoy-testkit-golden --bench template [-- PART…]`; a part of a name picks bodies. Times are CPU for
//! one execution in microseconds. Go is measured twice: executing what is parsed already, and parsing and executing, as
//! Helm does at each render. We execute what is parsed, as a warm process does; a heap of our own is part of it. Both
//! sides must write the same text.
#![expect(clippy::print_stdout, reason = "what it is for is to print")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use convoy_template::value::{Base, Heap};
use convoy_template::{Context, Limits, MissingKey, TemplateSet, Value};
use convoy_testkit_golden::components;
use convoy_testkit_golden::encoding::base64;
use convoy_value::Numbers;

/// The allocator of the program `convoy`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How often both sides are measured in turn; the best of each counts.
const ROUNDS: usize = 3;

/// What every body may include.
const HELPERS: &str = r#"
{{- define "app.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- define "app.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}
{{- define "app.chart" -}}
{{- printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- define "app.selectorLabels" -}}
app.kubernetes.io/name: {{ include "app.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "app.labels" -}}
helm.sh/chart: {{ include "app.chart" . }}
{{ include "app.selectorLabels" . }}
{{- if .Chart.AppVersion }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
{{- define "common.render" -}}
{{- $value := typeIs "string" .value | ternary .value (.value | toYaml) }}
{{- if contains "{{" (toString $value) }}
{{- tpl $value .context }}
{{- else }}
{{- $value }}
{{- end }}
{{- end }}
{{- define "common.port" -}}
- name: {{ .name }}
  containerPort: {{ .port.number }}
  protocol: {{ default "TCP" .port.protocol }}
{{- end }}
"#;

/// Values, with numbers as floats, which is what YAML gives in Helm.
const DATA: &str = r#"{
  "Chart": {"Name": "payments", "Version": "1.4.2+build.7", "AppVersion": "2.0.1"},
  "Release": {"Name": "blue", "Namespace": "shop", "Service": "Helm", "IsInstall": true},
  "Values": {
    "nameOverride": "", "fullnameOverride": "", "replicas": 3, "debug": false,
    "image": {"registry": "registry.example.com", "repository": "shop/payments", "tag": "", "pullPolicy": "IfNotPresent"},
    "labels": {"team": "checkout", "tier": "backend", "cost-center": "4711"},
    "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "9090", "note": "{{ .Release.Name }} of {{ .Chart.Name }}"},
    "env": {"LOG_LEVEL": "info", "HTTP_PORT": "8080", "CACHE_URL": "redis://cache:6379", "DB_HOST": "db.shop.svc",
            "DB_NAME": "payments", "FEATURE_A": "on", "FEATURE_B": "off", "REGION": "eu-west-1"},
    "ports": {"http": {"number": 8080}, "metrics": {"number": 9090, "protocol": "TCP"}, "grpc": {"number": 9000}},
    "hosts": [{"host": "pay.example.com", "paths": ["/", "/api", "/static"]}, {"host": "pay.example.org", "paths": ["/"]},
              {"host": "admin.example.com", "paths": ["/admin", "/metrics"]}],
    "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
    "securityContext": {"runAsNonRoot": true, "runAsUser": 1000, "capabilities": {"drop": ["ALL"]},
                        "seccompProfile": {"type": "RuntimeDefault"}, "readOnlyRootFilesystem": true},
    "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm":
        {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "payments"}}}}]}},
    "probes": {"liveness": {"enabled": true, "path": "/healthz"}, "readiness": {"enabled": true, "path": "/ready"}, "startup": {"enabled": false}},
    "service": {"type": "ClusterIP", "port": 80}, "ingress": {"enabled": true, "className": "nginx", "tls": []},
    "config": "server {\n  listen 8080;\n  name {{ .Release.Name }};\n}\n",
    "emails": ["ada@example.com", "grace@example.org", "not an address", "linus@example.net"]
  }
}"#;

/// Name and source of each body.
const BODIES: [(&str, &str); 11] = [
    (
        "text and fields",
        r"apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}-{{ .Chart.Name }}
  namespace: {{ .Release.Namespace }}
spec:
  type: {{ .Values.service.type }}
  ports:
    - port: {{ .Values.service.port }}
      targetPort: http
      protocol: TCP
      name: http
  selector:
    app: {{ .Chart.Name }}
    release: {{ .Release.Name }}
",
    ),
    (
        "range over maps",
        r"{{- range $key, $value := .Values.env }}
- name: {{ $key }}
  value: {{ $value }}
{{- end }}
{{- range $name, $port := .Values.ports }}
- name: {{ $name }}
  port: {{ $port.number }}
{{- end }}
{{- range $i, $host := .Values.hosts }}
{{ $i }}: {{ $host.host }}{{ range .paths }} {{ . }}{{ end }}
{{- end }}
{{- range $key, $value := .Values.labels }}
{{ $key }}: {{ $value }}
{{- end }}",
    ),
    (
        "include with dict",
        r#"{{ include "app.fullname" . }}
{{ include "app.labels" . | nindent 4 }}
{{- range $name, $port := .Values.ports }}
{{ include "common.port" (dict "name" $name "port" $port "context" $) | indent 2 }}
{{- end }}
{{- $labels := merge (dict "app" (include "app.name" .)) .Values.labels (dict "zone" "a" "tier" "none") }}
{{- range $key, $value := $labels }}
{{ $key }}: {{ $value | quote }}
{{- end }}"#,
    ),
    (
        "tpl",
        r#"{{ tpl .Values.config . | nindent 2 }}
{{- range $key, $value := .Values.annotations }}
{{ $key }}: {{ include "common.render" (dict "value" $value "context" $) | quote }}
{{- end }}"#,
    ),
    (
        "toYaml and nindent",
        r"resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext: {{ toYaml .Values.securityContext | nindent 2 }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 4 }}
{{- end }}",
    ),
    (
        "printf",
        r#"{{- range $i := until 10 }}
{{ printf "%s-%d.%s.%s.svc" $.Release.Name $i $.Chart.Name $.Release.Namespace }} {{ printf "%05d|%-8s|%q|%v" $i "x" "y" $.Values.replicas }} {{ printf "%.2f" 3.14159 }}
{{- end }}"#,
    ),
    (
        "regex",
        r#"{{- range .Values.emails }}
{{ if regexMatch "^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$" . }}{{ regexReplaceAll "@.*$" . "" }}: {{ regexFind "[a-z]+\\.[a-z]+$" . }}{{ else }}{{ regexReplaceAllLiteral "[^a-z]+" . "-" }}{{ end }}
{{- end }}
{{ semverCompare ">=1.19-0 <2" "v1.31.4" }} {{ semverCompare "^1.2.x" .Chart.Version }}"#,
    ),
    (
        "nested conditionals",
        r#"{{- range $name := list "liveness" "readiness" "startup" }}
{{- $probe := get $.Values.probes $name }}
{{- if and $probe.enabled (not $.Values.debug) }}
{{- if or (eq $name "liveness") (and (eq $name "readiness") (gt (int $.Values.replicas) 1)) }}
{{ $name }}Probe:
  httpGet: {{ $probe.path }}
{{- else if eq $name "startup" }}
{{ $name }}
{{- end }}
{{- else if hasKey $.Values.probes "none" }}none
{{- else }}
# {{ $name }} {{ if empty $.Values.ingress.tls }}plain{{ else }}tls{{ end }}{{ if and (eq $.Values.service.type "ClusterIP") (ne $.Values.ingress.className "") }} {{ $.Values.ingress.className }}{{ end }}
{{- end }}
{{- end }}"#,
    ),
    (
        "string pipelines",
        r#"{{ .Values.image.registry | trimSuffix "/" | quote }}
{{ .Values.image.repository | replace "/" "-" | upper | trunc 20 | squote }}
{{ .Values.image.tag | default .Chart.AppVersion | toString | trimPrefix "v" | b64enc }}
{{ join "," (splitList "/" .Values.image.repository | reverse) }} {{ "a b c" | title | nospace | lower | repeat 2 }}
{{ .Values.labels | toJson | sha256sum | trunc 12 }} {{ .Release.Name | indent 3 }} {{ coalesce .Values.nameOverride .Values.fullnameOverride .Chart.Name | camelcase | kebabcase }}"#,
    ),
    (
        "arithmetic and lists",
        r#"{{- $total := 0 }}{{ $list := list }}
{{- range $i := until 20 }}
{{- $total = add $total (mul $i 3) }}
{{- $list = append $list (printf "n%d" $i) }}
{{- end }}
{{ $total }} {{ len $list }} {{ first $list }} {{ last $list }} {{ has "n7" $list }} {{ join "+" $list }} {{ without $list "n1" "n2" | len }} {{ max 1 2 3 }} {{ .Values.replicas | int64 | mod 7 }}"#,
    ),
    ("deployment", DEPLOYMENT),
];

/// What most charts have at least once.
const DEPLOYMENT: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "app.fullname" . }}
  labels:
    {{- include "app.labels" . | nindent 4 }}
  {{- with .Values.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if not .Values.autoscaling }}
  replicas: {{ .Values.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "app.selectorLabels" . | nindent 6 }}
  template:
    metadata:
      annotations:
        checksum/config: {{ .Values.config | sha256sum }}
      labels:
        {{- include "app.selectorLabels" . | nindent 8 }}
        {{- with .Values.labels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- with .Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .Chart.Name }}
          securityContext:
            {{- toYaml .Values.securityContext | nindent 12 }}
          image: "{{ .Values.image.registry }}/{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          ports:
            {{- range $name, $port := .Values.ports }}
            - name: {{ $name }}
              containerPort: {{ $port.number }}
              protocol: {{ $port.protocol | default "TCP" }}
            {{- end }}
          env:
            {{- range $key, $value := .Values.env }}
            - name: {{ $key }}
              value: {{ $value | quote }}
            {{- end }}
          {{- if .Values.probes.liveness.enabled }}
          livenessProbe:
            httpGet:
              path: {{ .Values.probes.liveness.path }}
              port: http
          {{- end }}
          {{- if .Values.probes.readiness.enabled }}
          readinessProbe:
            httpGet:
              path: {{ .Values.probes.readiness.path }}
              port: http
          {{- end }}
          resources:
            {{- toYaml .Values.resources | nindent 12 }}
      {{- with .Values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
"#;

fn main() {
    let Some(oracle) = components::find("template-oracle") else {
        return;
    };
    let parts: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    println!(
        "{:22} {:>10} {:>12} {:>10} {:>8} {:>8}",
        "body", "Go run us", "Go parse+run", "ours us", "run", "whole"
    );
    let mut products = (0.0, 0.0, 0.0);
    for (name, source) in BODIES {
        if !parts.is_empty() && !parts.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        let (run, whole, ours) = compare(&oracle, name, source);
        println!(
            "{name:22} {run:10.1} {whole:12.1} {ours:10.1} {:8.1} {:8.1}",
            run / ours,
            whole / ours
        );
        products = (
            products.0 + (run / ours).ln(),
            products.1 + (whole / ours).ln(),
            products.2 + 1.0,
        );
    }
    println!(
        "{:56} {:8.1} {:8.1}",
        "geometric mean",
        (products.0 / products.2).exp(),
        (products.1 / products.2).exp()
    );
}

/// Both sides in turn, several times, so that a busy moment of the machine hits neither alone.
fn compare(oracle: &Path, name: &str, source: &str) -> (f64, f64, f64) {
    let mut best = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let ready = Ready::new(source);
    for _ in 0..ROUNDS {
        let go = ask(oracle, source);
        let text = go["out"].as_str().expect("Go answers with a text");
        let ours = ready.run();
        assert_eq!(
            text,
            base64(&ours),
            "{name}: ours is\n{}",
            String::from_utf8_lossy(&ours)
        );
        let micros = |key: &str| go[key].as_f64().expect("Go answers with a time") / 1e3;
        best.0 = best.0.min(micros("execute"));
        best.1 = best.1.min(micros("whole"));
        best.2 = best.2.min(fastest(|| drop(black_box(ready.run()))).as_secs_f64() * 1e6);
    }
    best
}

fn ask(oracle: &Path, source: &str) -> serde_json::Value {
    let data: serde_json::Value = serde_json::from_str(DATA).expect("the data is JSON");
    let templates = BTreeMap::from([("_helpers", HELPERS), ("x", source)]);
    let line = serde_json::json!({"templates": templates, "name": "x", "data": data});
    let mut child = Command::new(oracle)
        .arg("bench")
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the oracle starts");
    let mut stdin = child.stdin.take().expect("the oracle listens");
    writeln!(stdin, "{line}").expect("the oracle reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the oracle ends");
    serde_json::from_slice(&output.stdout).expect("the oracle answers with JSON")
}

/// Parsed templates and frozen data: what a warm process has at hand.
struct Ready {
    set: Arc<TemplateSet>,
    base: Arc<Base>,
    data: Value,
}

impl Ready {
    fn new(source: &str) -> Self {
        let mut set = TemplateSet::new(convoy_helm::functions()).missing_key(MissingKey::Zero);
        set.parse("_helpers", HELPERS).expect("the helpers parse");
        set.parse("x", source).expect("the body parses");
        let plain = convoy_value::json::parse_with(DATA, &convoy_value::Limits::default(), Numbers::Float);
        let mut heap = Heap::default();
        let data = heap.import(&plain.expect("the data is JSON")).expect("it fits");
        Self {
            set: Arc::new(set),
            base: heap.freeze(),
            data,
        }
    }

    fn run(&self) -> Vec<u8> {
        let mut context = Context::new(self.set.clone(), self.base.clone(), Limits::default());
        context.execute("x", self.data.clone()).expect("the body runs")
    }
}

/// The mean of the fastest of several batches.
fn fastest(run: impl Fn()) -> Duration {
    const BATCH: u32 = 50;
    let mut best = Duration::MAX;
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(400) {
        let round = Instant::now();
        for _ in 0..BATCH {
            run();
        }
        best = best.min(round.elapsed() / BATCH);
    }
    best
}
