//! Lives in which something is wrong: each gives its reason, and nothing that was applied is touched.

use convoy_testkit_e2e::{Server, World};
use serde_json::{Value, json};

use super::{commit, config_map, deployment, value};

pub(crate) async fn a_failed_gate_stops_the_waves_after_it(server: &Server) {
    let world = World::new(&server.client, "gate").await;
    let failing = deployment("web", "\"apiserver.convoy.kumodo.io/fail\": \"asked to fail\"");
    commit(&world, &[("a.yaml", failing), ("b.yaml", config_map("after", "x"))]);
    let wave = |kind: &str, group: &str, wave: u32| {
        json!({"type": "syncWave", "target": {"group": group, "kind": kind},
               "waveStrategy": {"strategy": "waitForHealthy", "wave": wave}})
    };
    world
        .release(json!({"mutations": [wave("Deployment", "apps", 1), wave("ConfigMap", "", 2)]}))
        .await;
    world.fails_with("apply", "Degraded", "asked to fail").await;
    assert!(world.object("", "ConfigMap", "after").await.is_none());
    assert!(
        world.object("apps", "Deployment", "web").await.is_some(),
        "what was applied stays"
    );
}

/// Each bad commit has its reason; the good render before it stays applied, and the next good one heals.
pub(crate) async fn bad_input_touches_nothing(server: &Server) {
    let world = World::new(&server.client, "bad").await;
    let good = commit(&world, &[("a.yaml", config_map("a", "good"))]);
    world.release(json!({})).await;
    world.ready_at(&good).await;
    let bomb: String = (1..30).fold("a0: &a0 [x, x]\n".to_string(), |text, level| {
        format!(
            "{text}a{level}: &a{level} [*a{}, *a{}, *a{}, *a{}]\n",
            level - 1,
            level - 1,
            level - 1,
            level - 1
        )
    });
    let cases: [(&str, String, &str, &str); 5] = [
        (
            "broken YAML",
            "apiVersion: v1\nkind: [\n".to_string(),
            "RenderFailed",
            "bad.yaml",
        ),
        (
            "no kind",
            "apiVersion: v1\nmetadata: {name: x}\n".to_string(),
            "RenderFailed",
            "kind",
        ),
        (
            "10,000 deep",
            format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)),
            "LimitExceeded",
            "200",
        ),
        ("alias bomb", bomb, "LimitExceeded", "alias"),
        (
            "20 MiB",
            format!("# {}\n", "x".repeat(20 * 1024 * 1024)),
            "LimitExceeded",
            "16",
        ),
    ];
    for (what, text, reason, named) in cases {
        commit(&world, &[("a.yaml", config_map("a", what)), ("bad.yaml", text)]);
        let stage = if what == "20 MiB" { "fetch" } else { "render" };
        world.fails_with(stage, reason, named).await;
        assert_eq!(
            value(&world, "a").await.as_deref(),
            Some("good"),
            "{what}: nothing applied before is touched"
        );
    }
    let events = world.objects("", "Event").await;
    let told = |reason: &str| events.values().any(|event| event["reason"] == reason);
    assert!(
        told("RenderFailed") && told("LimitExceeded"),
        "each reason is an event: {events:#?}"
    );
    let healed = commit(&world, &[("a.yaml", config_map("a", "better"))]);
    world.ready_at(&healed).await;
    assert_eq!(value(&world, "a").await.as_deref(), Some("better"));
}

pub(crate) async fn what_is_missing_is_named(server: &Server) {
    let world = World::new(&server.client, "missing").await;
    commit(&world, &[("a.yaml", config_map("a", "x"))]);
    let branch = |name: &str| json!({"spec": {"source": {"gitRepository": {"ref": {"branch": name}}}}});
    world.release(branch("absent")).await;
    world.fails_with("fetch", "RefNotFound", "absent").await;

    world
        .change(json!({"spec": {"source": {"gitRepository": {"name": "absent"}}}}))
        .await;
    world.fails_with("fetch", "SourceNotFound", "missing/absent").await;
    world
        .change(json!({"spec": {"source": {"gitRepository": {"name": "web", "ref": {"branch": "main"}}}}}))
        .await;

    world
        .change_source(json!({"spec": {"url": "http://127.0.0.1:9/nothing.git"}}))
        .await;
    world.fails_with("fetch", "FetchFailed", "127.0.0.1:9").await;

    let other = World::new(&server.client, "no-cluster").await;
    commit(&other, &[("a.yaml", config_map("a", "x"))]);
    other
        .release(json!({"spec": {"clusterRef": {"name": "elsewhere"}}}))
        .await;
    other
        .fails_with("cluster", "ClusterNotFound", "no-cluster/elsewhere")
        .await;

    let helm = World::new(&server.client, "unsupported").await;
    commit(&helm, &[("a.yaml", config_map("a", "x"))]);
    helm.release(json!({"spec": {"lifecycle": {"preSync": [{
        "name": "migrate", "job": {"template": {"spec": {"template": {"spec": {"containers": []}}}}},
    }]}}}))
    .await;
    helm.fails_with("validate", "Unsupported", "lifecycle").await;
}

pub(crate) async fn nobody_elses_objects_are_taken(server: &Server) {
    let owner = World::new(&server.client, "owner").await;
    let first = commit(&owner, &[("a.yaml", config_map("shared", "theirs"))]);
    owner.release(json!({})).await;
    owner.ready_at(&first).await;
    let thief = World::new(&server.client, "thief").await;
    let text = config_map("shared", "mine").replace("NAMESPACE", "owner");
    commit(&thief, &[("a.yaml", text)]);
    thief.release(json!({})).await;
    thief.fails_with("plan", "Conflict", "owner/web").await;
    assert_eq!(value(&owner, "shared").await.as_deref(), Some("theirs"));

    // What nobody owns is adopted.
    let adopter = World::new(&server.client, "adopter").await;
    adopter.overwrite("a", "by hand").await;
    let commit = commit(&adopter, &[("a.yaml", config_map("a", "by convoy"))]);
    adopter.release(json!({})).await;
    adopter.ready_at(&commit).await;
    assert_eq!(value(&adopter, "a").await.as_deref(), Some("by convoy"));
    let inventory = adopter.objects("core.convoy.kumodo.io", "ReleaseInventory").await;
    let recorded = inventory
        .values()
        .next()
        .and_then(|part| part.pointer("/spec/objects/0/adopted"))
        .cloned();
    assert_eq!(recorded, Some(Value::Bool(true)));
}

pub(crate) async fn a_release_does_not_apply_itself(server: &Server) {
    let world = World::new(&server.client, "itself").await;
    let text = "apiVersion: core.convoy.kumodo.io/v1alpha1\nkind: Release\nmetadata: {name: web, namespace: itself}\n\
                spec:\n  clusterRef: {name: web}\n  source: {type: gitRepository, gitRepository: {name: web}}\n  \
                content: {type: manifests, manifests: {paths: [.]}}\n";
    commit(&world, &[("a.yaml", text.to_string())]);
    world.release(json!({})).await;
    world.fails_with("plan", "Conflict", "the Release itself").await;
}

pub(crate) async fn an_emptied_inventory_orphans_nothing(server: &Server) {
    let world = World::new(&server.client, "emptied").await;
    let first = commit(&world, &[("a.yaml", config_map("a", "x"))]);
    world.release(json!({})).await;
    world.ready_at(&first).await;
    world.change_inventory(json!({"spec": {"objects": []}})).await;
    world.delete().await;
    world
        .fails_with("delete", "InventoryIncomplete", "skip-cluster-cleanup")
        .await;
    assert_eq!(value(&world, "a").await.as_deref(), Some("x"));
    let leave = json!({"metadata": {"annotations": {"core.convoy.kumodo.io/skip-cluster-cleanup": "true"}}});
    world.change(leave).await;
    world.until_gone().await;
    assert_eq!(
        value(&world, "a").await.as_deref(),
        Some("x"),
        "the cluster is left as it is"
    );
}

/// A wave that is never healthy fails at its deadline, and goes on saying so while it is tried again.
pub(crate) async fn a_wave_that_times_out_says_so_until_it_is_healthy(server: &Server) {
    let world = World::new(&server.client, "timeout").await;
    commit(&world, &[("a.yaml", NEVER_READY.replace("NAMESPACE", "timeout"))]);
    let wave = json!({"type": "syncWave", "target": {"kind": "Pod"},
                      "waveStrategy": {"strategy": "waitForHealthy", "wave": 1}});
    world
        .release(json!({"mutations": [wave], "spec": {"healthAssessment": {"deadline": "2s"}}}))
        .await;
    world.fails_with("apply", "WaveTimeout", "wave 1").await;
    for _ in 0..40 {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        let release = world.status().await.unwrap();
        let failure = release
            .pointer("/status/lastAttempted/failure/reason")
            .and_then(Value::as_str);
        assert_eq!(failure, Some("WaveTimeout"));
        let ready = release["status"]["conditions"][0]["reason"].as_str();
        assert_eq!(ready, Some("WaveTimeout"), "{}", release["status"]);
    }
}

/// A Pod that no scheduler takes.
const NEVER_READY: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: never, namespace: NAMESPACE, annotations: \
    {apiserver.convoy.kumodo.io/ready-after: \"3600\"}}\n\
    spec:\n  schedulerName: nobody\n  containers: [{name: main, image: example.invalid/never:1}]\n";
