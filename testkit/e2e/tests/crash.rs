//! The controller, as a process of its own, aborts before and after every effect in turn; a second one takes over.
//! Whatever the place, the end is that of a life without a crash: nothing is lost, and nothing is double.
//!
//! Each life has an API server of its own, which survives its controllers. The number of effects comes from a clean
//! run.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeSet;
use std::time::Duration;

use convoy_testkit_e2e::{AbortAt, Controller, Server, World};
use futures::StreamExt;
use serde_json::{Value, json};

/// Lives at the same time.
const AT_ONCE: usize = 4;

/// What is left at the end of a life.
#[derive(Debug, PartialEq)]
struct End {
    objects: Vec<(String, Value)>,
    status: Value,
    history: usize,
    blobs: usize,
    inventory: BTreeSet<String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_abort_at_any_effect_leads_to_the_same_end() {
    let (clean, effects) = life(None).await;
    assert!(effects.len() > 20, "{effects:#?}");
    assert_eq!((clean.history, clean.blobs), (2, 2));
    let places: Vec<AbortAt> = (1..=effects.len())
        .flat_map(|effect| [AbortAt::Before(effect), AbortAt::After(effect)])
        .collect();
    let ends: Vec<(AbortAt, End)> = futures::stream::iter(places)
        .map(|place| async move { (place, life(Some(place)).await.0) })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    assert_eq!(ends.len(), effects.len() * 2);
    for (place, end) in ends {
        assert_eq!(end, clean, "after an abort {place:?}; the effects are {effects:#?}");
    }
}

/// Two commits, the second of which drops an object that is pruned; the controller dies at `abort`, if there is one.
async fn life(abort: Option<AbortAt>) -> (End, Vec<String>) {
    let server = Server::embedded().await;
    let world = World::new(&server.client, "life").await;
    let store = world.file("renders");
    let start = |abort| {
        let binary = env!("CARGO_BIN_EXE_controller-under-test");
        Controller::start(
            binary,
            server.kubeconfig(),
            &World::store_url(&store),
            world.file("effects"),
            abort,
        )
    };
    let mut controller = start(abort);
    let mut died = abort.is_none();
    let first = world.commit(&[("a.yaml", MANIFESTS), ("b.yaml", EXTRA)]);
    world.release(release()).await;
    controller = survive(&world, controller, &first, &mut died, &start).await;
    let second = world.commit(&[("a.yaml", &MANIFESTS.replace("first", "second"))]);
    controller = survive(&world, controller, &second, &mut died, &start).await;
    world.ready_at(&second).await;
    // The last effects come after the status that ends the wait.
    let died = died || controller.ended(Duration::from_secs(20)).await.is_some();
    assert!(died, "the controller did not abort {abort:?}");
    // Events follow the status, and the log follows the effects.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let effects = controller.effects();
    (end(&world, &store).await, effects)
}

/// Waits until the commit is in force; when the controller dies on the way, another one takes over.
async fn survive(
    world: &World,
    mut controller: Controller,
    commit: &str,
    died: &mut bool,
    start: &impl Fn(Option<AbortAt>) -> Controller,
) -> Controller {
    let ready = world.ready_at(commit);
    let mut ready = std::pin::pin!(ready);
    loop {
        if tokio::time::timeout(Duration::from_millis(50), &mut ready)
            .await
            .is_ok()
        {
            return controller;
        }
        if !controller.is_running() {
            assert!(
                !std::mem::replace(died, true),
                "a controller without a planned abort ended"
            );
            controller = start(None);
        }
    }
}

async fn end(world: &World, store: &std::path::Path) -> End {
    let mut objects = vec![];
    for (group, kind) in [("", "ConfigMap"), ("apps", "Deployment")] {
        for (name, object) in world.objects(group, kind).await {
            let kept =
                json!({"data": object["data"], "spec": object["spec"], "labels": object["metadata"]["annotations"]});
            objects.push((format!("{kind} {name}"), kept));
        }
    }
    let release = world.status().await.unwrap();
    let status = release["status"].clone();
    let (history, blobs) = world.stored(store);
    assert_eq!(
        history.iter().collect::<BTreeSet<_>>().len(),
        history.len(),
        "no render is twice in the history"
    );
    let inventory = world.objects("core.convoy.kumodo.io", "ReleaseInventory").await;
    let recorded = inventory
        .values()
        .flat_map(|part| part["spec"]["objects"].as_array().cloned().unwrap_or_default());
    let inventory = recorded
        .map(|entry| {
            assert!(
                entry["uid"].as_str().is_some_and(|uid| !uid.is_empty()),
                "every object is recorded with its uid"
            );
            format!("{} {}", entry["kind"], entry["name"])
        })
        .collect();
    End {
        objects,
        status: timeless(&status),
        history: history.len(),
        blobs: blobs.len(),
        inventory,
    }
}

/// What a status says beside times, revisions (commits carry times) and what their hashes enter.
fn timeless(status: &Value) -> Value {
    let conditions: Vec<Value> = status["conditions"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|condition| json!([condition["type"], condition["status"], condition["reason"]]))
        .collect();
    json!({
        "conditions": conditions,
        "renders": [status["lastAttempted"]["renderRef"], status["lastSuccessful"]["renderRef"], status["lastHealthy"]["renderRef"]],
        "phase": status["lastAttempted"]["phase"],
        "failure": status["lastAttempted"]["failure"],
        "rollout": status["rollout"],
        "retention": status["resolvedRetentionPolicy"],
        "objects": status["inventory"]["objects"],
        "parts": status["inventory"]["parts"],
    })
}

fn release() -> Value {
    json!({
        "mutations": [{
            "type": "syncWave", "target": {"kind": "Deployment"},
            "waveStrategy": {"strategy": "waitForHealthy", "wave": 1},
        }],
        "spec": {"syncPolicy": {"prune": {"orphaned": true}}},
    })
}

const MANIFESTS: &str = "\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: life}
data: {key: first}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: life}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: main, image: example.invalid/web:1}]
";

const EXTRA: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: life}\ndata: {key: x}\n";
