//! Bad input and full stores.

use convoy_apiserver::Limits;
use serde_json::json;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[tokio::test]
async fn bodies_that_are_too_large_too_deep_or_broken_are_refused() {
    let (_server, client) = crate::common::start().await;
    let large = "x".repeat((3 << 20) + 1).into_bytes();
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    for (media_type, body, code) in [
        ("application/json", large, 413),
        ("application/json", deep.clone(), 400),
        ("application/yaml", deep, 400),
        ("application/json", b"{".to_vec(), 400),
        ("application/yaml", b"a: &a [*a, *a]".to_vec(), 400),
        ("application/vnd.kubernetes.protobuf", b"k8s\0\x0a\xff".to_vec(), 400),
        ("application/cbor", b"x".to_vec(), 415),
        ("application/json", b"null".to_vec(), 400),
        ("application/json", b"{\"metadata\": 1}".to_vec(), 400),
        ("application/json", b"{\"metadata\": {\"labels\": 1}}".to_vec(), 400),
    ] {
        let answer = crate::common::call(&client, "POST", MAPS, media_type, body).await;
        assert_eq!(answer.code, code, "{answer:?}");
        assert_eq!(answer.body["kind"], "Status");
    }
}

#[tokio::test]
async fn yaml_is_read_as_json_is() {
    let (_server, client) = crate::common::start().await;
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: text\ndata:\n  a: 'on'\n";
    let answer = crate::common::call(&client, "POST", MAPS, "application/yaml", text.into()).await;
    assert_eq!((answer.code, &answer.body["data"]["a"]), (201, &json!("on")));
    let text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: text\ndata:\n  b: c\n";
    let path = format!("{MAPS}/text?fieldManager=me");
    let answer = crate::common::call(&client, "PATCH", &path, "application/apply-patch+yaml", text.into()).await;
    assert_eq!(answer.body["data"], json!({"a": "on", "b": "c"}));
}

#[tokio::test]
async fn a_full_store_says_which_limit_it_reached() {
    let limits = Limits {
        objects: 20,
        object_bytes: 2_000,
        ..Limits::default()
    };
    let (_server, client) = crate::common::started(crate::common::builder().limits(limits)).await;
    let map = |name: String, text: String| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": text}});
    let answer = crate::common::json(&client, "POST", MAPS, &map("large".into(), "x".repeat(3_000))).await;
    assert_eq!(answer.code, 413, "{answer:?}");
    let mut last = answer;
    for number in 0..30 {
        last = crate::common::json(&client, "POST", MAPS, &map(format!("m{number}"), String::new())).await;
    }
    assert_eq!(last.code, 507);
    assert_eq!(last.body["message"], "the store holds its limit of 20 objects");
    let answer = crate::common::json(&client, "DELETE", &format!("{MAPS}/m0"), &json!({})).await;
    assert_eq!(answer.code, 200, "a full store can be emptied");
}

#[tokio::test]
async fn hostile_requests_never_break_the_server() {
    let (_server, client) = crate::common::start().await;
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    let web = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
        "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "a", "image": "x"}]}}}});
    crate::common::json(&client, "POST", deployments, &web).await;
    let bodies = [
        json!({"spec": "x"}),
        json!({"spec": {"template": []}}),
        json!({"spec": {"template": {"spec": {"containers": {}}}}}),
        json!({"spec": {"template": {"spec": {"containers": [1, null]}}}}),
        json!({"spec": {"selector": 1}}),
        json!({"metadata": null}),
        json!({"metadata": {"annotations": [], "ownerReferences": "x", "managedFields": 1}}),
        json!({"metadata": {"managedFields": [{"manager": "a", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"k:{": {}}}]}}),
        json!({"status": []}),
        json!([]),
        json!("x"),
        json!({"spec": {"replicas": 1e300}}),
        json!({"$patch": "delete"}),
        json!({"$patch": "nonsense"}),
        json!({"spec": {"$setElementOrder/x": 1, "$deleteFromPrimitiveList/selector": 1, "$retainKeys": "x"}}),
    ];
    for media_type in [
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
        "application/json-patch+json",
    ] {
        for subresource in ["", "/status", "/scale"] {
            for body in &bodies {
                let path = format!(
                    "{deployments}/web{subresource}?fieldManager=me&force={}",
                    media_type.contains("apply")
                );
                let path = path.replace("&force=false", "");
                let answer =
                    crate::common::call(&client, "PATCH", &path, media_type, body.to_string().into_bytes()).await;
                assert!(answer.code < 600, "{answer:?}");
            }
        }
    }
    assert_eq!(
        crate::common::get(&client, &format!("{deployments}/web")).await.code,
        200
    );
    assert_eq!(crate::common::get(&client, "/readyz").await.body, "ok");
}

#[tokio::test]
async fn a_page_that_is_too_old_says_how_to_go_on() {
    let limits = Limits {
        events: 5,
        ..Limits::default()
    };
    let (_server, client) = crate::common::started(crate::common::builder().limits(limits).controllers(false)).await;
    let first = crate::common::get(&client, "/api/v1/namespaces?limit=1").await;
    let token = first.body["metadata"]["continue"]
        .as_str()
        .unwrap()
        .replace('=', "%3D")
        .replace('+', "%2B");
    assert_eq!(first.body["metadata"]["remainingItemCount"], 3);
    for number in 0..10 {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("m{number}")}});
        crate::common::json(&client, "POST", MAPS, &map).await;
    }
    let path = format!("/api/v1/namespaces?limit=1&continue={token}");
    let answer = crate::common::get(&client, &path).await;
    assert_eq!((answer.code, &answer.body["reason"]), (410, &json!("Expired")));
    assert!(answer.body["details"]["continue"].is_string() || answer.body["metadata"]["continue"].is_string());
}
