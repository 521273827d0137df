//! The rules, as data.

#![expect(clippy::too_many_lines, reason = "each function is a table")]

use serde_json::{Value, json};

use super::Kind;

/// A rule: where, what keeps it, what breaks it, and a part of what is said then.
pub(super) type Rule = (Kind, &'static str, Value, Value, &'static str);

/// All of them.
pub(super) fn all() -> Vec<Rule> {
    let tables = [
        rules_of_sources_of_releases(),
        rules_of_releases(),
        rules_of_mutations(),
        rules_of_other_kinds(),
    ];
    tables.into_iter().flatten().collect()
}

fn rules_of_sources_of_releases() -> Vec<Rule> {
    let git = |reference: Value| json!({"type": "gitRepository", "gitRepository": {"name": "repo", "ref": reference}});
    let oci = |more: Value| {
        let mut block = json!({"name": "reg", "chart": "charts/web"});
        block.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"type": "ociRegistry", "ociRegistry": block})
    };
    let helm = json!({"name": "reg", "chart": "web", "version": "1.x"});
    let spec =
        |source: &Value, content: Value| json!({"clusterRef": {"name": "here"}, "source": source, "content": content});
    let from_helm = json!({"type": "helmRegistry", "helmRegistry": helm});
    let hex = "0123456789abcdef0123456789abcdef01234567";
    let sha = format!("sha256:{}", "0f".repeat(32));
    let (a, r) = ("/spec/source", Kind::Release);
    vec![
        (
            r,
            a,
            git(json!({})),
            json!({"type": "gitRepository"}),
            "exactly the block",
        ),
        (
            r,
            a,
            git(json!({"branch": "main"})),
            json!({"type": "gitRepository", "helmRegistry": helm}),
            "exactly the block",
        ),
        (
            r,
            "/spec",
            spec(&from_helm, json!({"type": "helm"})),
            spec(&from_helm, json!({"type": "kustomize"})),
            "helm content only",
        ),
        (
            r,
            "/spec",
            spec(&git(json!({})), json!({"type": "helm", "helm": {"path": "charts/web"}})),
            spec(&from_helm, json!({"type": "helm", "helm": {"path": "charts/web"}})),
            "gitRepository sources only",
        ),
        (
            r,
            a,
            git(json!({"branch": "a/b"})),
            git(json!({"branch": "a", "tag": "b"})),
            "at most one",
        ),
        (
            r,
            a,
            git(json!({"commit": hex})),
            git(json!({"commit": hex, "semver": "1"})),
            "at most one",
        ),
        (
            r,
            a,
            git(json!({"commit": format!("{hex}{}", &hex[..24])})),
            git(json!({"commit": "0123"})),
            "commit",
        ),
        (
            r,
            a,
            git(json!({"tag": "v1.0"})),
            git(json!({"tag": "--upload-pack=x"})),
            "tag",
        ),
        (
            r,
            a,
            oci(json!({"version": "1.0"})),
            oci(json!({})),
            "exactly one of version and digest",
        ),
        (
            r,
            a,
            oci(json!({"digest": sha})),
            oci(json!({"version": "1", "digest": sha})),
            "exactly one of version and digest",
        ),
        (
            r,
            "/spec",
            spec(
                &oci(json!({"version": "1"})),
                json!({"type": "manifests", "manifests": {"paths": ["."]}}),
            ),
            spec(&from_helm, json!({"type": "manifests", "manifests": {"paths": ["."]}})),
            "helm content only",
        ),
        (
            r,
            "/spec",
            spec(&oci(json!({"version": "1"})), json!({"type": "helm"})),
            spec(
                &oci(json!({"version": "1"})),
                json!({"type": "helm", "helm": {"path": "a"}}),
            ),
            "gitRepository sources only",
        ),
        (
            Kind::ReleaseSet,
            "/spec/template/spec",
            json!({"source": from_helm, "content": {"type": "helm"}}),
            json!({"source": from_helm, "content": {"type": "kustomize"}}),
            "helm content only",
        ),
    ]
}

fn rules_of_releases() -> Vec<Rule> {
    let helm = |layer: Value| json!({"type": "helm", "helm": {"values": [layer]}});
    let manifests = json!({"type": "manifests", "manifests": {"paths": ["a", "b/c.yaml"]}});
    let hook = |body: Value| {
        let mut hook = json!({"name": "migrate"});
        hook.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        json!({"preSync": [hook]})
    };
    let job = json!({"template": {"spec": {"containers": []}}});
    let object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}});
    let selector = |requirement: Value| json!({"ruleSetSelector": {"matchExpressions": [requirement]}});
    let sha = format!("sha256:{}", "0f".repeat(32));
    let r = Kind::Release;
    vec![
        (
            r,
            "/spec/content",
            manifests.clone(),
            json!({"type": "manifests"}),
            "only the block",
        ),
        (
            r,
            "/spec/content",
            json!({"type": "kustomize"}),
            json!({"type": "helm", "kustomize": {}}),
            "only the block",
        ),
        (
            r,
            "/spec/content",
            manifests,
            json!({"type": "manifests", "manifests": {"paths": []}}),
            "paths",
        ),
        (
            r,
            "/spec/content",
            helm(json!({"type": "inline", "inline": {"a": {"b": [1]}}})),
            helm(json!({"type": "inline"})),
            "exactly the block",
        ),
        (
            r,
            "/spec/content",
            helm(json!({"type": "secret", "secret": {"name": "a"}})),
            helm(json!({"type": "secret", "configMap": {"name": "a"}})),
            "exactly the block",
        ),
        (
            r,
            "/spec/syncPolicy",
            json!({"interval": "1h30m"}),
            json!({"interval": "1ms"}),
            "interval must be at least 1s",
        ),
        (
            r,
            "/spec/syncPolicy",
            json!({"interval": "1.5s"}),
            json!({"interval": "1 day"}),
            "interval",
        ),
        (
            r,
            "/spec/syncPolicy",
            json!({"timeout": "1s"}),
            json!({"timeout": "0"}),
            "timeout must be at least 1s",
        ),
        (
            r,
            "/spec/syncPolicy",
            json!({"retryBackoff": {}}),
            json!({"retryBackoff": {"base": "0s"}}),
            "base must be longer",
        ),
        (
            r,
            "/spec/syncPolicy",
            json!({"retryBackoff": {"base": "1s", "max": "1s"}}),
            json!({"retryBackoff": {"base": "1m", "max": "1s"}}),
            "max must not be shorter",
        ),
        (
            r,
            "/spec/syncPolicy",
            json!({"ignoreDifferences": [{"target": {"kind": "*"}, "jsonPointers": ["/spec/a~1b"]}]}),
            json!({"ignoreDifferences": [{"target": {"kind": "*"}}]}),
            "jsonPointers or managers",
        ),
        (
            r,
            "/spec/syncPolicy",
            json!({"ignoreDifferences": [{"managers": ["hpa"]}]}),
            json!({"ignoreDifferences": [{"jsonPointers": ["spec"]}]}),
            "jsonPointers",
        ),
        (
            r,
            "/spec/lifecycle",
            hook(json!({"job": job})),
            hook(json!({})),
            "exactly one of job and object",
        ),
        (
            r,
            "/spec/lifecycle",
            hook(json!({"object": object})),
            hook(json!({"object": object, "job": job})),
            "exactly one of job and object",
        ),
        (
            r,
            "/spec/healthAssessment",
            selector(json!({"key": "a", "operator": "In", "values": ["b"]})),
            selector(json!({"key": "a", "operator": "In"})),
            "need values",
        ),
        (
            r,
            "/spec/healthAssessment",
            selector(json!({"key": "a", "operator": "Exists"})),
            selector(json!({"key": "a", "operator": "Exists", "values": ["b"]})),
            "need values",
        ),
        (
            r,
            "/spec/failurePolicy",
            json!({"rollback": "OnReleaseFailure"}),
            json!({"rollback": "Always"}),
            "rollback",
        ),
        (
            r,
            "/spec/retentionPolicy",
            json!({"keepHistory": -1}),
            json!({"keepHistory": "ten"}),
            "keepHistory",
        ),
        (
            r,
            "/spec/dependsOn",
            json!([{"name": "a.b", "namespace": "c"}]),
            json!([{"name": "A"}]),
            "dependsOn",
        ),
        (r, "/spec/clusterRef", json!({"name": "here"}), json!({}), "name"),
        (
            r,
            "/pin",
            json!({"renderRef": sha}),
            json!({"renderRef": "sha256:0F"}),
            "renderRef",
        ),
    ]
}

fn rules_of_mutations() -> Vec<Rule> {
    let one = |mutation: Value| json!([mutation]);
    let git = json!({"kind": "GitRepository", "name": "a", "path": "p.yaml"});
    let patch = json!({"spec": {"replicas": "${release.name}"}});
    let rule = |good: Value, bad: Value, says: &'static str| (Kind::Release, "/mutations", one(good), one(bad), says);
    let matching = "exactly the block";
    let patches = "exactly one of strategicMerge";
    vec![
        rule(
            json!({"type": "syncWave", "waveStrategy": {"wave": -1}}),
            json!({"type": "syncWave"}),
            matching,
        ),
        rule(
            json!({"type": "labels", "labels": {"set": {"a": "b"}}}),
            json!({"type": "labels", "annotations": {}}),
            matching,
        ),
        rule(
            json!({"type": "annotations", "annotations": {"remove": ["a"]}}),
            json!({"type": "annotations"}),
            matching,
        ),
        rule(
            json!({"type": "replicas", "replicas": 0}),
            json!({"type": "replicas"}),
            matching,
        ),
        rule(
            json!({"type": "namespace", "namespace": "web"}),
            json!({"type": "namespace"}),
            matching,
        ),
        rule(
            json!({"type": "remove", "target": {"kind": "Job"}}),
            json!({"type": "remove", "namespace": "web"}),
            matching,
        ),
        rule(
            json!({"type": "set", "set": {"pointer": "/a", "value": "1"}}),
            json!({"type": "set"}),
            matching,
        ),
        rule(
            json!({"type": "image", "image": {"name": "a", "newTag": "1"}}),
            json!({"type": "image", "image": {"name": "a"}}),
            "newName, newTag or digest",
        ),
        rule(
            json!({"type": "patch", "strategicMerge": patch, "templated": true}),
            json!({"type": "patch"}),
            patches,
        ),
        rule(
            json!({"type": "patch", "from": git}),
            json!({"type": "patch", "from": git, "strategicMerge": patch}),
            patches,
        ),
        rule(
            json!({"type": "patch", "json6902": [{"op": "add", "path": "/a", "value": [1, {"b": null}]}]}),
            json!({"type": "patch", "json6902": [{"op": "put", "path": "/a"}]}),
            "op",
        ),
        rule(
            json!({"type": "remove"}),
            json!({"type": "remove", "strategicMerge": patch}),
            patches,
        ),
        rule(
            json!({"type": "remove"}),
            json!({"type": "remove", "templated": true}),
            patches,
        ),
        rule(
            json!({"type": "patch", "from": {"kind": "Secret", "name": "a", "key": "k"}}),
            json!({"type": "patch", "from": {"kind": "Secret", "name": "a", "path": "k"}}),
            "a GitRepository needs path",
        ),
        rule(
            json!({"type": "patch", "from": {"kind": "GitRepository", "name": "a", "path": "p", "ref": {"tag": "v1"}}}),
            json!({"type": "patch", "from": {"kind": "ConfigMap", "name": "a", "key": "p", "ref": {"tag": "v1"}}}),
            "a GitRepository needs path",
        ),
        rule(
            json!({"type": "remove", "target": {"group": "", "version": "*", "kind": "*", "name": "system:node", "labelSelector": "a in (b)"}}),
            json!({"type": "remove", "target": {"kind": "a/b"}}),
            "kind",
        ),
    ]
}

fn rules_of_other_kinds() -> Vec<Rule> {
    let secret = json!({"name": "a"});
    let git = Kind::GitRepository;
    let (helm, oci, cluster) = (Kind::HelmRegistry, Kind::OciRegistry, Kind::Cluster);
    let kubeconfig = json!({"secretRef": {"name": "a"}});
    let auth = |kind: &str| json!({"type": kind, "secretRef": secret});
    let needs = "secretRef must be set";
    let group = |more: Value| {
        let mut group = json!({"name": "first", "clusterSelector": {}});
        group.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"groups": [group]})
    };
    vec![
        (
            git,
            "/spec/url",
            json!("ssh://git@example.invalid/a"),
            json!("ext::sh -c x"),
            "url",
        ),
        (git, "/spec/auth", auth("githubApp"), json!({"type": "token"}), needs),
        (git, "/spec/auth", json!({"type": "none"}), auth("none"), needs),
        (git, "/spec/auth", auth("ssh"), auth("dockerConfig"), "type"),
        (
            git,
            "/spec/verify",
            json!({"mode": "head", "secretRef": secret}),
            json!({"mode": "head"}),
            needs,
        ),
        (
            git,
            "/spec/interval",
            json!("1s"),
            json!("999ms"),
            "interval must be at least 1s",
        ),
        (
            git,
            "/spec/timeout",
            json!("1s"),
            json!("0s"),
            "timeout must be at least 1s",
        ),
        (
            helm,
            "/spec/url",
            json!("http://example.invalid"),
            json!("oci://example.invalid"),
            "url",
        ),
        (
            helm,
            "/spec/auth",
            auth("clientCertificate"),
            json!({"type": "basic"}),
            needs,
        ),
        (
            helm,
            "/spec/interval",
            json!("1s"),
            json!("0"),
            "interval must be at least 1s",
        ),
        (
            helm,
            "/spec/timeout",
            json!("1s"),
            json!("0"),
            "timeout must be at least 1s",
        ),
        (
            oci,
            "/spec/url",
            json!("oci://example.invalid/a"),
            json!("https://example.invalid"),
            "url",
        ),
        (
            oci,
            "/spec/auth",
            auth("dockerConfig"),
            json!({"type": "dockerConfig"}),
            needs,
        ),
        (
            oci,
            "/spec/interval",
            json!("1s"),
            json!("0"),
            "interval must be at least 1s",
        ),
        (
            oci,
            "/spec/timeout",
            json!("1s"),
            json!("0"),
            "timeout must be at least 1s",
        ),
        (
            oci,
            "/spec/defaultContentType",
            json!("manifests"),
            json!("tar"),
            "defaultContentType",
        ),
        (
            git,
            "/spec/proxyURL",
            json!("http://user:password@proxy.invalid:3128"),
            json!("socks5://proxy.invalid"),
            "proxyURL",
        ),
        (
            git,
            "/spec/tls",
            json!({"caSecretRef": secret}),
            json!({"caSecretRef": {"name": "A/b"}}),
            "name",
        ),
        (
            git,
            "/spec/verify",
            json!({"mode": "tag", "secretRef": secret}),
            json!({"mode": "none", "secretRef": secret}),
            needs,
        ),
        (
            git,
            "/spec/webhookSecretRef",
            secret.clone(),
            json!({"name": ""}),
            "name",
        ),
        (
            git,
            "/spec/minSyncInterval",
            json!("0s"),
            json!("soon"),
            "minSyncInterval",
        ),
        (helm, "/spec/auth", auth("basic"), auth("ssh"), "type"),
        (helm, "/spec/auth", auth("token"), auth("none"), needs),
        (
            helm,
            "/spec/tls",
            json!({"caSecretRef": secret}),
            json!({"caSecretRef": {}}),
            "name",
        ),
        (
            helm,
            "/spec/passCredentials",
            json!(true),
            json!("yes"),
            "passCredentials",
        ),
        (
            helm,
            "/spec/webhookSecretRef",
            secret.clone(),
            json!({"name": "../a"}),
            "name",
        ),
        (oci, "/spec/auth", auth("token"), auth("clientCertificate"), "type"),
        (oci, "/spec/auth", auth("basic"), auth("none"), needs),
        (oci, "/spec/plainHTTP", json!(true), json!("http"), "plainHTTP"),
        (
            oci,
            "/spec/webhookSecretRef",
            secret.clone(),
            json!({"name": "../a"}),
            "name",
        ),
        (
            cluster,
            "/spec",
            json!({"kubeconfig": kubeconfig}),
            json!({}),
            "exactly one of inCluster",
        ),
        (
            cluster,
            "/spec",
            json!({"inCluster": true}),
            json!({"inCluster": false}),
            "exactly one of inCluster",
        ),
        (
            cluster,
            "/spec",
            json!({"inCluster": false, "kubeconfig": kubeconfig}),
            json!({"inCluster": true, "kubeconfig": kubeconfig}),
            "exactly one of inCluster",
        ),
        (
            Kind::HealthRuleSet,
            "/spec/rules",
            json!([{"target": {"kind": "A"}, "degraded": "false"}]),
            json!([{"target": {"kind": "A"}, "message": "'x'"}]),
            "healthy, progressing or degraded",
        ),
        (
            Kind::ReleaseSet,
            "/spec/rollout",
            group(json!({"maxParallel": "25%", "pause": "approval"})),
            group(json!({"maxParallel": "25"})),
            "maxParallel",
        ),
        (
            Kind::ReleaseSet,
            "/spec/rollout",
            group(json!({"maxParallel": 3, "pause": "10m"})),
            group(json!({"pause": "later"})),
            "pause",
        ),
    ]
}
