//! Clients of target clusters: kubeconfigs, impersonation, limits, and kinds that come while we work.

use std::sync::Arc;
use std::time::{Duration, Instant};

use convoy_domain::cluster::{ClusterRecord, Connection};
use convoy_domain::id::{Gvk, NamespacedName, ObjectId};
use convoy_domain::object::Object;
use convoy_kube::{KubeCluster, KubeConnector, KubeControlPlane};
use convoy_ports::{
    ApplyRequest, Cluster, ClusterConnector as _, ClusterError, ControlPlane as _, DeleteRequest, Impersonation,
};
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::Config;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use super::Server;

pub(crate) async fn check(server: &Server) {
    a_kubeconfig_in_a_secret_is_used_and_its_rotation_seen(server).await;
    a_kubeconfig_that_runs_a_program_is_refused(server).await;
    limits_of_a_cluster_hold(server).await;
    a_kind_that_comes_later_is_found(server).await;
    no_request_is_made_for_a_name_that_leaves_its_address().await;
    if server.knows_users() {
        a_service_account_has_its_own_rights(server).await;
    }
    a_release_that_breaks_a_rule_says_so(server).await;
}

fn connector(server: &Server) -> KubeConnector {
    KubeConnector::new(server.config.clone(), server.client.clone())
}

async fn put_secret(server: &Server, namespace: &str, kubeconfig: &str) {
    let api: Api<Secret> = Api::namespaced(server.client.clone(), namespace);
    let secret: Secret = serde_json::from_value(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "far"},
        "data": {"kubeconfig": ByteString(kubeconfig.as_bytes().to_vec())},
    }))
    .unwrap();
    api.patch("far", &PatchParams::apply("test").force(), &Patch::Apply(&secret))
        .await
        .unwrap();
}

/// Creates a Cluster and reads it through the port.
async fn cluster(server: &Server, namespace: &str, spec: Value) -> ClusterRecord {
    let resource = ApiResource::erase::<convoy_kube::crd::Cluster>(&());
    let api: Api<DynamicObject> = Api::namespaced_with(server.client.clone(), namespace, &resource);
    let mut object = DynamicObject::new("far", &resource);
    object.data = json!({ "spec": spec });
    api.create(&PostParams::default(), &object).await.unwrap();
    let id = NamespacedName::new(namespace, "far").unwrap();
    KubeControlPlane::new(server.client.clone())
        .cluster(&id)
        .await
        .unwrap()
        .unwrap()
}

async fn far(server: &Server, namespace: &str) -> ClusterRecord {
    cluster(server, namespace, json!({"kubeconfig": {"secretRef": {"name": "far"}}})).await
}

async fn a_kubeconfig_in_a_secret_is_used_and_its_rotation_seen(server: &Server) {
    let namespace = server.namespace().await;
    let connector = connector(server);
    let record = far(server, &namespace).await;
    assert!(matches!(record.connection, Connection::Kubeconfig { .. }));
    let error = connector.connect(&record, &Impersonation::None).await.unwrap_err();
    assert!(
        matches!(&error, ClusterError::Kubeconfig { why } if why.contains("does not exist")),
        "{error}"
    );

    put_secret(server, &namespace, &server.kubeconfig).await;
    let first = connector.connect(&record, &Impersonation::None).await.unwrap();
    assert!(!first.facts().await.unwrap().cluster_id.is_empty());
    let again = connector.connect(&record, &Impersonation::None).await.unwrap();
    assert!(Arc::ptr_eq(&first, &again), "a client is kept");

    let broken = server.kubeconfig.replace("127.0.0.1", "cluster.invalid");
    put_secret(server, &namespace, &broken).await;
    let error = connector.connect(&record, &Impersonation::None).await.unwrap_err();
    assert!(matches!(error, ClusterError::Unreachable { .. }), "{error}");

    let metadata = server.kubeconfig.replace("127.0.0.1", "169.254.169.254");
    put_secret(server, &namespace, &metadata).await;
    let error = connector.connect(&record, &Impersonation::None).await.unwrap_err();
    assert!(
        matches!(&error, ClusterError::Kubeconfig { why } if why.contains("metadata")),
        "{error}"
    );

    // Nothing listens on the discard port.
    let deaf = format!("{}\n", replace_port(&server.kubeconfig, 9));
    put_secret(server, &namespace, &deaf).await;
    let lost = connector.connect(&record, &Impersonation::None).await.unwrap();
    let error = lost.facts().await.unwrap_err();
    assert!(
        matches!(error, ClusterError::Unreachable { .. }) && error.is_transient(),
        "{error}"
    );
}

fn replace_port(kubeconfig: &str, port: u16) -> String {
    let (before, after) = kubeconfig.split_once("127.0.0.1:").unwrap();
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}127.0.0.1:{port}{rest}")
}

async fn a_kubeconfig_that_runs_a_program_is_refused(server: &Server) {
    let namespace = server.namespace().await;
    let record = far(server, &namespace).await;
    let text = "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n\
                clusters: [{name: k, cluster: {server: 'https://127.0.0.1:6443'}}]\n\
                users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [hunter2]}}}]\n";
    put_secret(server, &namespace, text).await;
    let error = connector(server)
        .connect(&record, &Impersonation::None)
        .await
        .unwrap_err();
    assert!(
        matches!(&error, ClusterError::Kubeconfig { why } if why.contains("`exec`")),
        "{error}"
    );
    assert!(!format!("{error:?}").contains("hunter2"));
}

async fn limits_of_a_cluster_hold(server: &Server) {
    let namespace = server.namespace().await;
    let record = cluster(server, &namespace, json!({"inCluster": true, "qps": 10, "burst": 2})).await;
    let client = connector(server).connect(&record, &Impersonation::None).await.unwrap();
    let started = Instant::now();
    // Three calls each: version, kube-system, nodes.
    for _ in 0..3 {
        client.facts().await.unwrap();
    }
    assert!(
        started.elapsed() >= Duration::from_millis(650),
        "{:?}",
        started.elapsed()
    );
}

fn object(json: Value) -> Object {
    Object::new(serde_json::from_value(json).unwrap()).unwrap()
}

async fn apply(cluster: &Arc<dyn Cluster>, object: &Object) -> Result<Object, ClusterError> {
    let request = ApplyRequest {
        object,
        manager: "convoy-0123456789abcdef",
        force: false,
        dry_run: false,
    };
    cluster.apply(request).await
}

async fn a_kind_that_comes_later_is_found(server: &Server) {
    let namespace = server.namespace().await;
    let record = cluster(server, &namespace, json!({"inCluster": true})).await;
    let client = connector(server).connect(&record, &Impersonation::None).await.unwrap();
    let gvk = Gvk::from_api_version("later.example/v1", "Widget");
    assert!(matches!(client.kind(&gvk).await, Err(ClusterError::UnknownKind { .. })));
    let definition = object(json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.later.example"},
        "spec": {
            "group": "later.example", "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer", "minimum": 1}}}},
            }}}],
        },
    }));
    apply(&client, &definition).await.unwrap();
    let started = Instant::now();
    while client.kind(&gvk).await.is_err() {
        assert!(started.elapsed() < Duration::from_secs(30), "the kind never came");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let widget = |size: u32| {
        object(json!({
            "apiVersion": "later.example/v1", "kind": "Widget",
            "metadata": {"name": "a", "namespace": namespace}, "spec": {"size": size},
        }))
    };
    let started = Instant::now();
    while let Err(error) = apply(&client, &widget(1)).await {
        assert!(started.elapsed() < Duration::from_secs(30), "{error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let refused = apply(&client, &widget(0)).await.unwrap_err();
    assert!(
        matches!(&refused, ClusterError::Refused { why, .. } if why.contains("spec.size")),
        "{refused}"
    );
}

/// A name is put into addresses as it is: this one would read and delete a Secret in place of a `ConfigMap`. Nothing
/// listens where the client calls, so that a call which is made is not refused but fails.
async fn no_request_is_made_for_a_name_that_leaves_its_address() {
    let config = Config::new("http://127.0.0.1:9".parse().unwrap());
    let cluster: Arc<dyn Cluster> = Arc::new(KubeCluster::new(kube::Client::try_from(config).unwrap()));
    let places = [
        ("default", "sec?x=/../../secrets/sec", "metadata.name"),
        ("default", "../secrets/sec", "metadata.name"),
        ("default", "..", "metadata.name"),
        ("default/secrets/sec?", "a", "metadata.namespace"),
    ];
    for (namespace, name, field) in places {
        let map = object(json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": namespace, "managedFields": [
                {"manager": "kubectl-client-side-apply", "operation": "Update", "apiVersion": "v1", "fieldsV1": {}},
            ]},
        }));
        let id = ObjectId {
            group: String::new(),
            kind: "ConfigMap".to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        let deletion = DeleteRequest {
            id: id.clone(),
            version: "v1".to_owned(),
            uid: "u".to_owned(),
            resource_version: "1".to_owned(),
        };
        let manager = "convoy-0123456789abcdef";
        let answers = [
            ("get", cluster.get(&id, "v1").await.err()),
            ("apply", apply(&cluster, &map).await.err()),
            ("delete", cluster.delete(&deletion).await.err()),
            ("take_over", cluster.take_over(&map, manager).await.err()),
            (
                "release_ownership",
                cluster.release_ownership(&map, manager).await.err(),
            ),
        ];
        for (call, answer) in answers {
            assert!(
                matches!(&answer, Some(ClusterError::Refused { object, why }) if object.contains(name) && why.contains(field)),
                "{call} of {namespace:?} {name:?}: {answer:?}"
            );
        }
    }
    let elsewhere = Gvk::from_api_version("apps/../../api/v1/secrets?", "Secret");
    let answer = cluster.kind(&elsewhere).await;
    assert!(matches!(answer, Err(ClusterError::Refused { .. })), "{answer:?}");
}

async fn a_service_account_has_its_own_rights(server: &Server) {
    let namespace = server.namespace().await;
    let record = cluster(server, &namespace, json!({"inCluster": true})).await;
    let tenant = Impersonation::ServiceAccount {
        namespace: namespace.clone(),
        name: "tenant".to_owned(),
    };
    let connector = connector(server);
    let ours = connector.connect(&record, &Impersonation::None).await.unwrap();
    let theirs = connector.connect(&record, &tenant).await.unwrap();
    let map = object(json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": namespace}, "data": {"a": "b"},
    }));
    let refused = apply(&theirs, &map).await.unwrap_err();
    let named = format!("system:serviceaccount:{namespace}:tenant");
    assert!(
        matches!(&refused, ClusterError::Forbidden { why, .. } if why.contains(&named)),
        "{refused}"
    );
    for object in [
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
            "metadata": {"name": "tenant", "namespace": namespace},
            "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "create", "patch"]}],
        }),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
            "metadata": {"name": "tenant", "namespace": namespace},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "tenant"},
            "subjects": [{"kind": "ServiceAccount", "name": "tenant", "namespace": namespace}],
        }),
    ] {
        apply(&ours, &self::object(object)).await.unwrap();
    }
    let started = Instant::now();
    while let Err(error) = apply(&theirs, &map).await {
        assert!(started.elapsed() < Duration::from_secs(10), "{error}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    apply(&ours, &map).await.expect("our own rights stay");
    let facts = theirs.facts().await;
    assert!(matches!(facts, Err(ClusterError::Forbidden { .. })), "{facts:?}");
}

/// A namespace in a reference cannot be checked by the definition where it has a bad form only for us; a Release that
/// an older definition let through is told so in its status.
async fn a_release_that_breaks_a_rule_says_so(server: &Server) {
    let namespace = server.namespace().await;
    let resource = ApiResource::erase::<convoy_kube::crd::Release>(&());
    let api: Api<DynamicObject> = Api::namespaced_with(server.client.clone(), &namespace, &resource);
    let mut release = DynamicObject::new("web", &resource);
    release.data = json!({"spec": {
        "clusterRef": {"name": "here"},
        "source": {"type": "gitRepository", "gitRepository": {"name": "repo"}},
        "content": {"type": "manifests", "manifests": {"paths": ["."]}},
    }});
    api.create(&PostParams::default(), &release).await.unwrap();
    // Only the status subresource lets through what its schema has no bound for.
    let status = json!({"status": {
        "lastHandledSyncRequest": "kept",
        "lastSuccessful": {"revision": "a", "renderRef": "gone", "appliedAt": "2026-01-02T03:04:05Z"},
        "conditions": [{"type": "Healthy", "status": "True", "reason": "Succeeded", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z"}],
    }});
    api.patch_status("web", &PatchParams::default(), &Patch::Merge(&status))
        .await
        .unwrap();
    let port = KubeControlPlane::new(server.client.clone());
    let id = NamespacedName::new(&namespace, "web").unwrap();
    let mut versions = Vec::new();
    for _ in 0..2 {
        let error = port.release(&id).await.unwrap_err();
        assert!(error.to_string().contains("status.lastSuccessful.renderRef"), "{error}");
        let found = api.get("web").await.unwrap();
        versions.push(found.metadata.resource_version.clone());
        let conditions = found
            .data
            .pointer("/status/conditions")
            .and_then(Value::as_array)
            .unwrap();
        assert_eq!(conditions.len(), 2, "{conditions:?}");
        let ready = conditions
            .iter()
            .find(|condition| condition["type"] == "Ready")
            .unwrap();
        assert_eq!(
            (&ready["status"], &ready["reason"]),
            (&json!("False"), &json!("InvalidSpec"))
        );
        assert_eq!(
            found.data.pointer("/status/lastHandledSyncRequest"),
            Some(&json!("kept"))
        );
        assert_eq!(
            found.data.pointer("/status/lastSuccessful/renderRef"),
            Some(&json!("gone"))
        );
    }
    assert_eq!(versions[0], versions[1], "it is said once");
}
