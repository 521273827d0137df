//! Kustomizations of any size, for measuring.

use std::fmt::Write as _;

use crate::kustomize_build::Tree;

fn config_maps(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = write!(
            text,
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config-{number}\n  labels:\n    app: app-{number}\ndata:\n  key: \"{number}\"\n  other: some text that a program reads\n"
        );
        text
    })
}

fn tree(files: &[(&str, String)]) -> Tree {
    files
        .iter()
        .map(|(path, text)| ((*path).to_string(), text.clone()))
        .collect()
}

/// So many `ConfigMaps` in one file, and nothing done to them.
#[must_use]
pub fn plain(count: usize) -> Tree {
    tree(&[
        ("kustomization.yaml", "resources:\n- all.yaml\n".into()),
        ("all.yaml", config_maps(count)),
    ])
}

/// So many `ConfigMaps` in a base, and an overlay with a namespace, a prefix, and labels in selectors.
#[must_use]
pub fn overlay(count: usize) -> Tree {
    tree(&[
        (
            "kustomization.yaml",
            "resources:\n- base\nnamespace: web\nnamePrefix: prod-\nlabels:\n- pairs:\n    env: prod\n  includeSelectors: true\n".into(),
        ),
        ("base/kustomization.yaml", "resources:\n- all.yaml\n".into()),
        ("base/all.yaml", config_maps(count)),
    ])
}

/// What a small service has: a base and an overlay.
#[must_use]
pub fn small() -> Tree {
    tree(&[
        (
            "kustomization.yaml",
            "resources:\n- base\nnamespace: web\nimages:\n- name: nginx\n  newTag: \"1.29\"\npatches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata:\n      name: web\n    spec:\n      replicas: 3\n".into(),
        ),
        (
            "base/kustomization.yaml",
            "resources:\n- deployment.yaml\n- service.yaml\nconfigMapGenerator:\n- name: config\n  literals:\n  - a=b\n".into(),
        ),
        (
            "base/deployment.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  selector:\n    matchLabels:\n      app: web\n  template:\n    metadata:\n      labels:\n        app: web\n    spec:\n      containers:\n      - name: web\n        image: nginx:1.27\n        envFrom:\n        - configMapRef:\n            name: config\n".into(),
        ),
        (
            "base/service.yaml",
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  selector:\n    app: web\n  ports:\n  - port: 80\n".into(),
        ),
    ])
}
