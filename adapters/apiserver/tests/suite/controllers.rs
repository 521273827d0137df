//! What controllers and garbage collection do.

use serde_json::{Value, json};

use crate::common::{get, json as send, until};

const NS: &str = "/api/v1/namespaces/default";
const APPS: &str = "/apis/apps/v1/namespaces/default";
const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";

fn workload(kind: &str, annotations: &Value) -> Value {
    json!({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web", "annotations": annotations}, "spec": {
        "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "a", "image": "x"}]}}}})
}

fn condition<'a>(object: &'a Value, kind: &str) -> &'a Value {
    let conditions = object["status"]["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .find(|condition| condition["type"] == kind)
        .unwrap_or(&Value::Null)
}

#[tokio::test]
async fn a_deployment_fails_for_the_reason_of_its_annotation() {
    let (_server, client) = crate::common::start().await;
    let annotations = json!({"apiserver.convoy.kumodo.io/fail": "the image is broken"});
    send(
        &client,
        "POST",
        &format!("{APPS}/deployments"),
        &workload("Deployment", &annotations),
    )
    .await;
    let answer = until(&client, &format!("{APPS}/deployments/web"), "it fails", |answer| {
        condition(&answer.body, "Progressing")["reason"] == "ProgressDeadlineExceeded"
    })
    .await;
    assert_eq!(condition(&answer.body, "Progressing")["message"], "the image is broken");
    assert_eq!(condition(&answer.body, "Available")["status"], "False");
    until(&client, &format!("{NS}/pods"), "its pod crashes", |answer| {
        let state = &answer.body["items"][0]["status"]["containerStatuses"][0]["state"]["waiting"];
        state["reason"] == "CrashLoopBackOff" && state["message"] == "the image is broken"
    })
    .await;
}

#[tokio::test]
async fn an_annotation_changes_how_long_readiness_takes() {
    let (_server, client) = crate::common::start().await;
    let annotations = json!({"apiserver.convoy.kumodo.io/ready-after": "3600"});
    send(
        &client,
        "POST",
        &format!("{APPS}/deployments"),
        &workload("Deployment", &annotations),
    )
    .await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let answer = get(&client, &format!("{APPS}/deployments/web")).await;
    assert_eq!(condition(&answer.body, "Available")["status"], "False");
}

#[tokio::test]
async fn a_ready_time_is_a_duration_or_said_to_be_none() {
    let (_server, client) = crate::common::start().await;
    let write = async |name: &str, value: &str| {
        let mut deployment = workload("Deployment", &json!({"apiserver.convoy.kumodo.io/ready-after": value}));
        deployment["metadata"]["name"] = json!(name);
        send(&client, "POST", &format!("{APPS}/deployments"), &deployment).await
    };
    assert_eq!(write("long", "1h").await.warnings, Vec::<String>::new());
    let answer = write("odd", "in a while").await;
    assert_eq!(answer.code, 201);
    assert!(
        answer.warnings.len() == 1
            && answer.warnings[0].contains("in a while")
            && answer.warnings[0].contains("`1.5s`"),
        "{:?}",
        answer.warnings
    );
    until(&client, &format!("{APPS}/deployments/odd"), "it is ready", |answer| {
        condition(&answer.body, "Available")["status"] == "True"
    })
    .await;
    let answer = get(&client, &format!("{APPS}/deployments/long")).await;
    assert_eq!(condition(&answer.body, "Available")["status"], "False");
    let again = json!({"metadata": {"annotations": {"apiserver.convoy.kumodo.io/ready-after": "26h"}}});
    let answer = crate::common::call(
        &client,
        "PATCH",
        &format!("{APPS}/deployments/long"),
        "application/merge-patch+json",
        again.to_string().into_bytes(),
    )
    .await;
    assert!(
        answer
            .warnings
            .iter()
            .any(|warning| warning.contains("longer than a day")),
        "{answer:?}"
    );
}

#[tokio::test]
async fn an_autoscaler_becomes_active_once_its_target_is_there() {
    const SCALERS: &str = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    let (_server, client) = crate::common::start().await;
    let scaler = |name: &str, annotations: Value| {
        json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": name, "annotations": annotations},
            "spec": {"minReplicas": 1, "maxReplicas": 5, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
                "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}]}})
    };
    let annotations = json!({"apiserver.convoy.kumodo.io/fail": "no such metric"});
    for object in [scaler("good", json!({})), scaler("bad", annotations)] {
        let answer = send(&client, "POST", SCALERS, &object).await;
        assert_eq!(answer.code, 201, "{answer:?}");
    }
    until(&client, &format!("{SCALERS}/good"), "its target is missed", |answer| {
        condition(&answer.body, "AbleToScale")["reason"] == "FailedGetScale"
    })
    .await;
    let mut deployment = workload("Deployment", &json!({}));
    deployment["spec"]["replicas"] = json!(2);
    send(&client, "POST", &format!("{APPS}/deployments"), &deployment).await;
    let good = until(&client, &format!("{SCALERS}/good"), "it is active", |answer| {
        condition(&answer.body, "ScalingActive")["status"] == "True" && answer.body["status"]["currentReplicas"] == 2
    })
    .await;
    assert_eq!(condition(&good.body, "AbleToScale")["status"], "True");
    assert_eq!(condition(&good.body, "ScalingLimited")["status"], "False");
    assert_eq!(good.body["status"]["desiredReplicas"], 2);
    assert_eq!(
        good.body["status"].get("observedGeneration"),
        good.body["metadata"].get("generation")
    );
    let bad = get(&client, &format!("{SCALERS}/bad")).await;
    assert_eq!(condition(&bad.body, "ScalingActive")["status"], "False");
    assert_eq!(condition(&bad.body, "ScalingActive")["message"], "no such metric");
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let before = get(&client, &format!("{SCALERS}/good")).await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let after = get(&client, &format!("{SCALERS}/good")).await;
    assert_eq!(
        before.body["metadata"]["resourceVersion"],
        after.body["metadata"]["resourceVersion"]
    );
}

#[tokio::test]
async fn stateful_sets_and_daemon_sets_become_ready() {
    let (_server, client) = crate::common::start().await;
    let mut set = workload("StatefulSet", &json!({}));
    set["spec"]["replicas"] = json!(2);
    set["spec"]["volumeClaimTemplates"] = json!([{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}}}}]);
    send(&client, "POST", &format!("{APPS}/statefulsets"), &set).await;
    send(
        &client,
        "POST",
        &format!("{APPS}/daemonsets"),
        &workload("DaemonSet", &json!({})),
    )
    .await;
    let ready = |field: &'static str, count: i64| {
        move |answer: &crate::common::Answer| answer.body["status"][field] == json!(count)
    };
    until(
        &client,
        &format!("{APPS}/statefulsets/web"),
        "the StatefulSet is ready",
        ready("readyReplicas", 2),
    )
    .await;
    until(
        &client,
        &format!("{APPS}/daemonsets/web"),
        "the DaemonSet is ready",
        ready("numberReady", 1),
    )
    .await;
    let bound = |answer: &crate::common::Answer| answer.body["status"]["phase"] == "Bound";
    until(
        &client,
        &format!("{NS}/persistentvolumeclaims/data-web-1"),
        "the claim is bound",
        bound,
    )
    .await;
    assert_eq!(get(&client, &format!("{NS}/pods/web-1")).await.code, 200);
}

#[tokio::test]
async fn jobs_complete_or_fail_on_request() {
    let (_server, client) = crate::common::start().await;
    let job = |name: &str, annotations: Value| {
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "annotations": annotations}, "spec":
            {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "x"}]}}}})
    };
    send(&client, "POST", JOBS, &job("good", json!({}))).await;
    send(
        &client,
        "POST",
        JOBS,
        &job("bad", json!({"apiserver.convoy.kumodo.io/fail": "no disk"})),
    )
    .await;
    until(&client, &format!("{JOBS}/good"), "it completes", |answer| {
        condition(&answer.body, "Complete")["status"] == "True"
    })
    .await;
    let bad = until(&client, &format!("{JOBS}/bad"), "it fails", |answer| {
        condition(&answer.body, "Failed")["status"] == "True"
    })
    .await;
    assert!(
        condition(&bad.body, "Failed")["message"]
            .as_str()
            .unwrap()
            .contains("no disk")
    );
}

#[tokio::test]
async fn a_new_template_replaces_the_pods() {
    let (_server, client) = crate::common::start().await;
    send(
        &client,
        "POST",
        &format!("{APPS}/deployments"),
        &workload("Deployment", &json!({})),
    )
    .await;
    let path = format!("{APPS}/deployments/web");
    let done = |generation: i64| {
        move |answer: &crate::common::Answer| {
            answer.body["status"]["observedGeneration"] == json!(generation)
                && condition(&answer.body, "Progressing")["reason"] == "NewReplicaSetAvailable"
        }
    };
    until(&client, &path, "the first is there", done(1)).await;
    let change = json!({"spec": {"template": {"spec": {"containers": [{"name": "a", "image": "y"}]}}}}).to_string();
    crate::common::call(
        &client,
        "PATCH",
        &path,
        "application/strategic-merge-patch+json",
        change.into_bytes(),
    )
    .await;
    until(&client, &path, "the second is there", done(2)).await;
    let pods = until(&client, &format!("{NS}/pods"), "one pod is left", |answer| {
        answer.body["items"].as_array().is_some_and(|items| items.len() == 1)
    })
    .await;
    assert_eq!(pods.body["items"][0]["spec"]["containers"][0]["image"], "y");
}

async fn owner_and_dependent(client: &kube::Client) {
    let owner = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner"}});
    let owner = send(client, "POST", &format!("{NS}/configmaps"), &owner).await;
    let reference = json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner.body["metadata"]["uid"],
        "blockOwnerDeletion": true}]);
    let dependent =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "dependent", "ownerReferences": reference}});
    send(client, "POST", &format!("{NS}/secrets"), &dependent).await;
}

#[tokio::test]
async fn dependents_go_with_their_owner_unless_orphaned() {
    for (policy, goes) in [("Background", true), ("Foreground", true), ("Orphan", false)] {
        let (_server, client) = crate::common::start().await;
        owner_and_dependent(&client).await;
        let path = format!("{NS}/configmaps/owner");
        send(&client, "DELETE", &path, &json!({"propagationPolicy": policy})).await;
        until(&client, &path, "the owner is gone", |answer| answer.code == 404).await;
        let dependent = format!("{NS}/secrets/dependent");
        if goes {
            until(&client, &dependent, policy, |answer| answer.code == 404).await;
        } else {
            let orphan = get(&client, &dependent).await;
            assert_eq!(orphan.body["metadata"].get("ownerReferences"), None);
        }
    }
}

#[tokio::test]
async fn an_object_of_an_absent_owner_is_collected() {
    let (_server, client) = crate::common::start().await;
    let reference =
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": "no", "uid": "11111111-1111-4111-8111-111111111111"}]);
    let map =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "orphan", "ownerReferences": reference}});
    send(&client, "POST", &format!("{NS}/configmaps"), &map).await;
    until(
        &client,
        &format!("{NS}/configmaps/orphan"),
        "it is collected",
        |answer| answer.code == 404,
    )
    .await;
}

#[tokio::test]
async fn a_namespace_is_emptied_and_waits_for_finalizers() {
    let (_server, client) = crate::common::start().await;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "short"}});
    send(&client, "POST", "/api/v1/namespaces", &namespace).await;
    let maps = "/api/v1/namespaces/short/configmaps";
    let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "held", "finalizers": ["example.com/hold"]}});
    send(&client, "POST", maps, &map).await;
    send(&client, "DELETE", "/api/v1/namespaces/short", &json!({})).await;
    until(&client, &format!("{maps}/held"), "it is being deleted", |answer| {
        answer.body["metadata"].get("deletionTimestamp").is_some()
    })
    .await;
    let answer = get(&client, "/api/v1/namespaces/short").await;
    assert_eq!(answer.body["status"]["phase"], "Terminating");
    let refused = send(
        &client,
        "POST",
        maps,
        &json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "late"}}),
    )
    .await;
    assert_eq!((refused.code, &refused.body["reason"]), (403, &json!("Forbidden")));
    let free = json!({"metadata": {"finalizers": null}}).to_string().into_bytes();
    crate::common::call(
        &client,
        "PATCH",
        &format!("{maps}/held"),
        "application/merge-patch+json",
        free,
    )
    .await;
    until(&client, "/api/v1/namespaces/short", "the namespace is gone", |answer| {
        answer.code == 404
    })
    .await;
}

#[tokio::test]
async fn controllers_come_to_rest() {
    let (_server, client) = crate::common::start().await;
    send(
        &client,
        "POST",
        &format!("{APPS}/deployments"),
        &workload("Deployment", &json!({})),
    )
    .await;
    send(
        &client,
        "POST",
        &format!("{APPS}/statefulsets"),
        &workload("StatefulSet", &json!({})),
    )
    .await;
    send(
        &client,
        "POST",
        &format!("{APPS}/daemonsets"),
        &workload("DaemonSet", &json!({})),
    )
    .await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    let revision = |answer: crate::common::Answer| answer.body["metadata"]["resourceVersion"].clone();
    let before = revision(get(&client, &format!("{NS}/pods")).await);
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(revision(get(&client, &format!("{NS}/pods")).await), before);
}
