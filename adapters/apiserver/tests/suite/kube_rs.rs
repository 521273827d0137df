//! kube-rs as a client.

use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Event as CoreEvent, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::core::{DynamicObject, GroupVersionKind};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Resource, ResourceExt};
use serde_json::json;

fn config_map(name: &str, value: &str) -> ConfigMap {
    ConfigMap {
        metadata: kube::api::ObjectMeta {
            name: Some(name.to_owned()),
            ..Default::default()
        },
        data: Some(BTreeMap::from([("a".to_owned(), value.to_owned())])),
        ..Default::default()
    }
}

fn definition() -> CustomResourceDefinition {
    serde_json::from_value(json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "cars.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "cars", "kind": "Car", "singular": "car"},
            "versions": [
                {"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": {"openAPIV3Schema":
                    {"type": "object", "properties": {"spec": {"type": "object", "properties": {"doors": {"type": "integer", "default": 4}}},
                        "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}},
                {"name": "v1alpha1", "served": true, "storage": false, "schema": {"openAPIV3Schema":
                    {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}},
            ]},
    }))
    .unwrap()
}

#[tokio::test]
async fn objects_are_created_changed_listed_and_deleted() {
    let (_server, client) = crate::common::start().await;
    let api: Api<ConfigMap> = Api::namespaced(client, "default");
    let mut map = api
        .create(&PostParams::default(), &config_map("one", "1"))
        .await
        .unwrap();
    map.data = Some(BTreeMap::from([("a".to_owned(), "2".to_owned())]));
    let replaced = api.replace("one", &PostParams::default(), &map).await.unwrap();
    assert_ne!(replaced.resource_version(), map.resource_version());
    let stale = api.replace("one", &PostParams::default(), &map).await.unwrap_err();
    let kube::Error::Api(status) = stale else {
        panic!("{stale:?}")
    };
    assert!(status.is_conflict());
    let one_at_a_time = api.list(&ListParams::default().limit(1)).await.unwrap();
    assert_eq!(one_at_a_time.items.len(), 1);
    let token = one_at_a_time.metadata.continue_.clone().unwrap();
    let rest = api
        .list(&ListParams::default().limit(10).continue_token(&token))
        .await
        .unwrap();
    assert!(
        rest.items
            .iter()
            .all(|item| item.name_any() != one_at_a_time.items[0].name_any())
    );
    api.delete("one", &DeleteParams::default()).await.unwrap();
    assert!(api.get_opt("one").await.unwrap().is_none());
}

/// Reads a watcher until it has seen the initial objects, a change and a removal.
async fn follow(client: kube::Client, config: watcher::Config) {
    let api: Api<ConfigMap> = Api::namespaced(client, "default");
    for number in 0..3 {
        let map = config_map(&format!("m{number}"), "1");
        api.create(&PostParams::default(), &map).await.unwrap();
    }
    let config = config.labels("!absent").fields("metadata.name!=kube-root-ca.crt");
    let mut stream = pin!(watcher(api.clone(), config).default_backoff());
    let mut initial = Vec::new();
    loop {
        match stream.next().await.unwrap().unwrap() {
            watcher::Event::InitApply(map) => initial.push(map.name_any()),
            watcher::Event::InitDone => break,
            watcher::Event::Init => {}
            other @ (watcher::Event::Apply(_) | watcher::Event::Delete(_)) => panic!("{other:?}"),
        }
    }
    initial.sort();
    assert_eq!(initial, ["m0", "m1", "m2"]);
    let patch = Patch::Merge(json!({"data": {"a": "2"}}));
    api.patch("m1", &PatchParams::default(), &patch).await.unwrap();
    api.delete("m2", &DeleteParams::default()).await.unwrap();
    let event = stream.next().await.unwrap().unwrap();
    assert!(
        matches!(event, watcher::Event::Apply(ref map) if map.name_any() == "m1"),
        "{event:?}"
    );
    let event = stream.next().await.unwrap().unwrap();
    assert!(
        matches!(event, watcher::Event::Delete(ref map) if map.name_any() == "m2"),
        "{event:?}"
    );
}

#[tokio::test]
async fn a_watcher_follows_lists_and_changes() {
    let (_server, client) = crate::common::start().await;
    follow(client, watcher::Config::default()).await;
}

#[tokio::test]
async fn a_watcher_follows_a_streaming_list() {
    let (_server, client) = crate::common::start().await;
    follow(client, watcher::Config::default().streaming_lists()).await;
}

#[tokio::test]
async fn a_watcher_recovers_when_the_past_is_forgotten() {
    let limits = convoy_apiserver::Limits {
        events: 10,
        ..convoy_apiserver::Limits::default()
    };
    let (server, client) = crate::common::started(crate::common::builder().limits(limits)).await;
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), "default");
    let first = api
        .list(&ListParams::default())
        .await
        .unwrap()
        .metadata
        .resource_version
        .unwrap();
    for number in 0..30 {
        api.create(&PostParams::default(), &config_map(&format!("m{number}"), "1"))
            .await
            .unwrap();
    }
    let mut old = pin!(api.watch(&kube::api::WatchParams::default(), &first).await.unwrap());
    let event = old.try_next().await.unwrap().unwrap();
    assert!(
        matches!(event, kube::core::WatchEvent::Error(ref status) if status.code == 410),
        "{event:?}"
    );
    let path = format!("/api/v1/namespaces/default/configmaps?resourceVersion={first}&resourceVersionMatch=Exact");
    assert_eq!(crate::common::get(&client, &path).await.code, 410);
    drop(server);
}

#[tokio::test]
async fn a_definition_is_established_and_serves_its_versions() {
    let (_server, client) = crate::common::start().await;
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let params = PatchParams::apply("test");
    definitions
        .patch("cars.example.com", &params, &Patch::Apply(definition()))
        .await
        .unwrap();
    let established = await_condition(
        definitions.clone(),
        "cars.example.com",
        conditions::is_crd_established(),
    );
    tokio::time::timeout(Duration::from_secs(5), established)
        .await
        .unwrap()
        .unwrap();
    let kind = GroupVersionKind::gvk("example.com", "v1", "Car");
    let (resource, _) = kube::discovery::pinned_kind(&client, &kind).await.unwrap();
    let cars: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &resource);
    let car = json!({"apiVersion": "example.com/v1", "kind": "Car", "metadata": {"name": "a"}, "spec": {"wheels": 3}});
    let car = cars.patch("a", &params, &Patch::Apply(car)).await;
    assert!(car.is_err(), "a field that the schema does not declare is refused");
    let car = json!({"apiVersion": "example.com/v1", "kind": "Car", "metadata": {"name": "a"}, "spec": {}});
    let car = cars.patch("a", &params, &Patch::Apply(car)).await.unwrap();
    assert_eq!(car.data["spec"]["doors"], 4);
    let status = json!({"apiVersion": "example.com/v1", "kind": "Car", "status": {"phase": "Parked"}});
    let car = cars.patch_status("a", &params, &Patch::Apply(status)).await.unwrap();
    assert_eq!(car.data["status"]["phase"], "Parked");
    assert_eq!(car.metadata.generation, Some(1));
    let old = crate::common::get(&client, "/apis/example.com/v1alpha1/namespaces/default/cars/a").await;
    assert_eq!(old.body["apiVersion"], "example.com/v1alpha1");
    definitions
        .delete("cars.example.com", &DeleteParams::default())
        .await
        .unwrap();
    crate::common::until(&client, "/apis/example.com/v1/cars", "the resource is gone", |answer| {
        answer.code == 404
    })
    .await;
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/cars.example.com";
    crate::common::until(&client, path, "the definition is gone", |answer| answer.code == 404).await;
}

#[tokio::test]
async fn applying_the_same_again_writes_nothing() {
    let (_server, client) = crate::common::started(crate::common::builder().controllers(false)).await;
    let api: Api<Deployment> = Api::namespaced(client, "default");
    let config = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
        "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "a", "image": "x", "env": [{"name": "EMPTY", "value": ""}]}]}}}});
    let params = PatchParams::apply("me").force();
    let first = api.patch("web", &params, &Patch::Apply(&config)).await.unwrap();
    let second = api.patch("web", &params, &Patch::Apply(&config)).await.unwrap();
    assert_eq!(first.resource_version(), second.resource_version());
    let dry = api
        .patch("web", &params.clone().dry_run(), &Patch::Apply(&config))
        .await
        .unwrap();
    assert_eq!(first.metadata, dry.metadata);
}

#[tokio::test]
async fn workloads_become_ready_and_conditions_can_be_awaited() {
    let (_server, client) = crate::common::start().await;
    let api: Api<Deployment> = Api::namespaced(client, "default");
    let deployment: Deployment = serde_json::from_value(json!({"apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "web"}, "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "a", "image": "x"}]}}}}))
    .unwrap();
    api.create(&PostParams::default(), &deployment).await.unwrap();
    let done = await_condition(api.clone(), "web", conditions::is_deployment_completed());
    tokio::time::timeout(Duration::from_secs(5), done)
        .await
        .unwrap()
        .unwrap();
    let status = api.get("web").await.unwrap().status.unwrap();
    assert_eq!((status.ready_replicas, status.observed_generation), (Some(2), Some(1)));
}

#[tokio::test]
async fn events_and_leases_work() {
    let (_server, client) = crate::common::start().await;
    let namespace = Api::<Namespace>::all(client.clone()).get("default").await.unwrap();
    let mut about = namespace.object_ref(&());
    about.namespace = Some("default".to_owned());
    let recorder = Recorder::new(
        client.clone(),
        Reporter {
            controller: "test/a".into(),
            instance: None,
        },
    );
    let event = Event {
        type_: EventType::Normal,
        reason: "Tested".into(),
        note: Some("it works".into()),
        action: "Test".into(),
        secondary: None,
    };
    recorder.publish(&event, &about).await.unwrap();
    recorder.publish(&event, &about).await.unwrap();
    let events: Api<CoreEvent> = Api::all(client.clone());
    let params = ListParams::default().fields("involvedObject.name=default,involvedObject.kind=Namespace");
    let found = events.list(&params).await.unwrap().items;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message.as_deref(), Some("it works"));
    let leases: Api<Lease> = Api::namespaced(client, "kube-system");
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "l"},
        "spec": {"holderIdentity": "me", "leaseDurationSeconds": 10}});
    let lease = leases
        .patch("l", &PatchParams::apply("me"), &Patch::Apply(lease))
        .await
        .unwrap();
    assert_eq!(lease.spec.unwrap().holder_identity.as_deref(), Some("me"));
}

#[tokio::test]
async fn the_death_of_clients_leaves_no_watch_behind() {
    let limits = convoy_apiserver::Limits {
        watches: 3,
        ..convoy_apiserver::Limits::default()
    };
    let (server, _) = crate::common::started(crate::common::builder().limits(limits)).await;
    for _ in 0..10 {
        let client = crate::common::client(&server.url());
        let api: Api<ConfigMap> = Api::namespaced(client, "default");
        let mut stream = pin!(api.watch(&kube::api::WatchParams::default(), "0").await.unwrap());
        stream.try_next().await.unwrap();
    }
    let survivor = crate::common::client(&server.url());
    let path = "/api/v1/configmaps?watch=true&timeoutSeconds=1";
    let answer = crate::common::until(&survivor, path, "dead watches are closed", |answer| answer.code == 200).await;
    assert!(
        answer.body.as_str().is_some_and(|text| text.contains("ADDED")),
        "{answer:?}"
    );
    server.shutdown().await;
}
