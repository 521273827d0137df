//! What the fake cluster does beyond the contract of its port: statuses, refusals, kinds that come and go, faults.

use std::sync::Arc;
use std::time::Duration;

use convoy_domain::health::{HealthState, assess};
use convoy_domain::id::ObjectId;
use convoy_domain::object::{Object, Scope};
use convoy_ports::{ApplyRequest, Clock, Cluster, ClusterError, DeleteRequest, Deleted};
use convoy_testkit_fakes::faults::{EffectCounter, Fault, FaultyCluster, When, until_crash};
use convoy_testkit_fakes::{FakeClock, FakeCluster, Readiness, Times};
use convoy_value::{Limits, json};

fn object(api_version: &str, kind: &str, rest: &str) -> Object {
    let text = format!(r#"{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"name":"a"}}{rest}}}"#);
    Object::new(json::parse(text.as_bytes(), &Limits::default()).expect("JSON")).expect("an object")
}

fn deployment(replicas: u32) -> Object {
    object(
        "apps/v1",
        "Deployment",
        &format!(r#","spec":{{"replicas":{replicas}}}"#),
    )
}

async fn apply(cluster: &dyn Cluster, object: &Object, dry_run: bool) -> Result<Object, ClusterError> {
    let request = ApplyRequest {
        object,
        manager: "convoy",
        force: false,
        dry_run,
    };
    cluster.apply(request).await
}

async fn health(cluster: &FakeCluster, id: &ObjectId) -> HealthState {
    let found = cluster.get(id, "v1").await.expect("get").expect("exists");
    assess(&found).state
}

#[tokio::test]
async fn every_kind_that_is_waited_for_becomes_healthy_when_it_is_ready_and_not_before() {
    let rest = r#","spec":{"group":"example.com","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},"versions":[{"name":"v1"}]}"#;
    for (api_version, kind) in [
        ("apps/v1", "Deployment"),
        ("apps/v1", "StatefulSet"),
        ("apps/v1", "DaemonSet"),
        ("apps/v1", "ReplicaSet"),
        ("batch/v1", "Job"),
        ("v1", "Pod"),
        ("v1", "PersistentVolumeClaim"),
        ("networking.k8s.io/v1", "Ingress"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ] {
        let cluster = FakeCluster::new().with_readiness(Readiness::ByTest);
        let applied = apply(&cluster, &object(api_version, kind, rest), false)
            .await
            .expect("apply");
        let scope = cluster.kind(&applied.gvk()).await.expect("kind").scope;
        let id = applied.id(scope);
        assert_eq!(health(&cluster, &id).await, HealthState::Progressing, "{kind}");
        cluster.make_ready(&id);
        assert_eq!(health(&cluster, &id).await, HealthState::Healthy, "{kind}");
    }
}

#[tokio::test]
async fn readiness_comes_after_reads_and_anew_after_a_change() {
    let cluster = FakeCluster::new().with_readiness(Readiness::AfterReads(3));
    for replicas in [1, 2] {
        let id = apply(&cluster, &deployment(replicas), false)
            .await
            .unwrap()
            .id(Scope::Namespaced);
        let mut states = Vec::new();
        for _ in 0..4 {
            states.push(health(&cluster, &id).await);
        }
        assert_eq!(states[..2], [HealthState::Progressing; 2], "{replicas} replicas");
        assert_eq!(states[2..], [HealthState::Healthy; 2], "{replicas} replicas");
    }
}

#[tokio::test]
async fn readiness_comes_with_time() {
    let clock = Arc::new(FakeClock::at_second(0));
    let readiness = Readiness::AfterTime(Duration::from_secs(10), Arc::clone(&clock) as Arc<dyn Clock>);
    let cluster = FakeCluster::new().with_readiness(readiness);
    let id = apply(&cluster, &deployment(1), false)
        .await
        .unwrap()
        .id(Scope::Namespaced);
    clock.advance(Duration::from_secs(9));
    assert_eq!(health(&cluster, &id).await, HealthState::Progressing);
    clock.advance(Duration::from_secs(1));
    assert_eq!(health(&cluster, &id).await, HealthState::Healthy);
}

#[tokio::test]
async fn the_generation_counts_changes_of_the_spec_alone() {
    let cluster = FakeCluster::new();
    let generation = |object: &Object| {
        object
            .at(&["metadata", "generation"])
            .and_then(convoy_value::Value::as_i64)
    };
    let first = apply(&cluster, &deployment(1), false).await.unwrap();
    let mut labelled = deployment(1);
    labelled.set_label("app", "web");
    let second = apply(&cluster, &labelled, false).await.unwrap();
    let third = apply(&cluster, &deployment(2), false).await.unwrap();
    assert_eq!([&first, &second, &third].map(generation), [Some(1), Some(1), Some(2)]);
    assert_ne!(first.resource_version(), second.resource_version());
    assert_eq!(third.label("app"), None, "what leaves the apply leaves the object");
    assert_eq!(first.uid(), third.uid());
}

#[tokio::test]
async fn a_definition_makes_its_kind_known() {
    let cluster = FakeCluster::new();
    let widget = object("example.com/v1", "Widget", "");
    assert!(matches!(
        apply(&cluster, &widget, true).await,
        Err(ClusterError::UnknownKind { .. })
    ));
    let rest = r#","spec":{"group":"example.com","scope":"Cluster","names":{"kind":"Widget","plural":"widgets"},"versions":[{"name":"v1"}]}"#;
    let definition = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", rest);
    apply(&cluster, &definition, true).await.unwrap();
    assert!(
        apply(&cluster, &widget, true).await.is_err(),
        "a dry run defines nothing"
    );
    apply(&cluster, &definition, false).await.unwrap();
    let applied = apply(&cluster, &widget, false).await.unwrap();
    assert_eq!((applied.namespace(), cluster.ids().len()), ("", 2));
    cluster.stop_serving("example.com", "Widget");
    assert_eq!(cluster.ids().len(), 1);
}

#[tokio::test]
async fn an_object_with_finalizers_stays_until_it_is_removed() {
    let cluster = FakeCluster::new();
    let mut held = deployment(1);
    let applied = apply(&cluster, &held, false).await.unwrap();
    let id = applied.id(Scope::Namespaced);
    held.set_label("x", "y");
    cluster.edit(&id, "controller", |object| {
        let metadata = object
            .as_map_mut()
            .get_mut("metadata")
            .unwrap()
            .as_object_mut()
            .unwrap();
        metadata.insert("finalizers", vec![convoy_value::Value::from("example.com/hold")]);
    });
    let request = DeleteRequest {
        id: id.clone(),
        version: "v1".into(),
        uid: applied.uid().into(),
        resource_version: String::new(),
    };
    assert_eq!(cluster.delete(&request).await, Ok(Deleted::Requested));
    assert_eq!(health(&cluster, &id).await, HealthState::Progressing);
    cluster.remove(&id);
    assert_eq!(cluster.delete(&request).await, Ok(Deleted::Absent));
    assert_eq!(
        cluster.writes(),
        ["apply Deployment.apps default/a", "delete Deployment.apps default/a"]
    );
}

#[tokio::test]
async fn a_refusal_answers_in_place_of_the_cluster() {
    let cluster = FakeCluster::new();
    let busy = ClusterError::Busy {
        object: "a".into(),
        why: "too many requests".into(),
    };
    cluster.refuse("apply", "Deployment default/a", busy.clone(), Times::Next(1));
    let mut named = deployment(1);
    named.set_namespace("default");
    assert_eq!(apply(&cluster, &named, false).await, Err(busy));
    assert!(cluster.ids().is_empty());
    assert!(apply(&cluster, &named, false).await.is_ok());
}

#[tokio::test]
async fn dry_runs_are_no_effects_and_applies_are() {
    for (when, objects) in [(When::Before, 0), (When::After, 1)] {
        let inner = Arc::new(FakeCluster::new());
        let effects = EffectCounter::with(1, when, Fault::Crash);
        let cluster = FaultyCluster::new(Arc::clone(&inner) as Arc<dyn Cluster>, effects.clone());
        apply(&cluster, &deployment(1), true).await.unwrap();
        assert_eq!(effects.count(), 0);
        until_crash(apply(&cluster, &deployment(1), false)).await.unwrap_err();
        assert_eq!(inner.ids().len(), objects, "{when:?}");
        assert_eq!(effects.log(), ["cluster apply Deployment.apps a"]);
    }
}
