//! Large texts of the kind that charts and repositories hold, for measuring.

use std::fmt::Write as _;

use super::Random;

/// Names and texts: many workloads, a schema that nests deeply, and values with comments.
#[must_use]
pub fn manifests() -> Vec<(&'static str, String)> {
    vec![
        ("workloads.yaml", workloads(600)),
        ("schema.yaml", schema(5, 6)),
        ("values.yaml", values(800)),
    ]
}

fn workloads(count: usize) -> String {
    let mut random = Random::new(1);
    let mut out = String::from("apiVersion: v1\nkind: List\nitems:\n");
    for index in 0..count {
        let port = 1024 + random.below(60_000);
        let image = random.pick(&[
            "nginx:1.27.1",
            "ghcr.io/example/api@sha256:0b1c2d",
            "redis",
            "registry.k8s.io/pause:3.10",
        ]);
        write!(
            out,
            r#"- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: app-{index}
    namespace: team-{}
    labels: &labels-{index}
      app.kubernetes.io/name: app-{index}
      app.kubernetes.io/managed-by: "convoy"
    annotations:
      description: 'the {index}th workload, it''s only a sample'
      checksum/config: 4e1243bd22c66e76c2ba9eddc1f91394e57f9f83{index:08x}
  spec:
    replicas: {}
    selector:
      matchLabels: *labels-{index}
    template:
      metadata:
        labels: {{app: app-{index}, tier: backend}}
      spec:
        containers:
        - name: main
          image: {image}
          args: ["--port", "{port}", "--log=debug"]
          env:
            - name: GREETING
              value: "Grüße\tund \u00e9tude"
            - name: MEMORY
              valueFrom:
                resourceFieldRef: {{resource: limits.memory}}
          resources:
            limits: {{cpu: 500m, memory: 128Mi}}
            requests:
              cpu: 0.25
              memory: 64Mi
          livenessProbe:
            httpGet: {{path: /healthz, port: {port}}}
            initialDelaySeconds: 3
        volumes:
          - name: script
            configMap: {{name: script-{index}, defaultMode: 0644}}
- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: script-{index}
  data:
    run.sh: |
      #!/bin/sh
      set -eu
      # wait for the database
      until nc -z db-{index} 5432; do
        sleep 1
      done
      exec /app --port {port}
    long: >-
      this text is folded over
      several lines so that the
      reader has something to do
"#,
            index % 7,
            1 + random.below(5),
        )
        .expect("a String can be written");
    }
    out
}

fn schema(depth: usize, width: usize) -> String {
    fn properties(out: &mut String, indent: usize, depth: usize, width: usize) {
        let pad = " ".repeat(indent);
        for index in 0..width {
            write!(
                out,
                "{pad}field{index}:\n{pad}  description: |-\n{pad}    Describes what the field number {index} at this level is for, and\n\
                 {pad}    where to read more: https://example.com/docs#field{index}\n{pad}  x-kubernetes-preserve-unknown-fields: false\n"
            )
            .expect("a String can be written");
            if depth > 0 {
                write!(out, "{pad}  type: object\n{pad}  properties:\n").expect("a String can be written");
                properties(out, indent + 4, depth - 1, width);
            } else {
                write!(
                    out,
                    "{pad}  type: string\n{pad}  maxLength: 253\n{pad}  enum:\n{pad}  - A\n{pad}  - B\n"
                )
                .expect("a String can be written");
            }
        }
    }
    let mut out = String::from("openAPIV3Schema:\n  type: object\n  properties:\n");
    properties(&mut out, 4, depth.saturating_sub(1), width);
    out
}

fn values(count: usize) -> String {
    let mut random = Random::new(2);
    let mut out = String::from("# Default values.\n# This is a YAML-formatted file.\n\n");
    for index in 0..count {
        let on = random.pick(&["true", "false", "yes", "off"]);
        write!(
            out,
            "## @param component{index}.enabled Whether the component is deployed\n##\ncomponent{index}:\n  enabled: {on}\n  \
             # -- how many there are\n  replicaCount: {}\n  image:\n    repository: example/component-{index}\n    tag: \"1.{}.0\"\n    \
             pullPolicy: IfNotPresent\n  nodeSelector: {{}}\n  tolerations: []\n  affinity: {{}}\n  ## ref: https://example.com/\n  \
             service: {{type: ClusterIP, port: {}}}\n  config: {{\"a\": 1, \"b\": [1, 2, 3.5], \"c\": null}}\n\n",
            random.below(4),
            random.below(30),
            random.below(65_536),
        )
        .expect("a String can be written");
    }
    out
}
