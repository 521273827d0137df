//! What happens in a Release's life, told through the API server and the render store only.

mod charts;
mod failures;
mod registries;

pub(crate) use charts::{
    a_broken_chart_touches_nothing, a_chart_lives, a_kustomization_lives, a_lost_key_stops_charts,
    a_password_outlives_its_release,
};
pub(crate) use failures::{
    a_failed_gate_stops_the_waves_after_it, a_release_does_not_apply_itself,
    a_wave_that_times_out_says_so_until_it_is_healthy, an_emptied_inventory_orphans_nothing, bad_input_touches_nothing,
    nobody_elses_objects_are_taken, what_is_missing_is_named,
};

pub(crate) use registries::{
    a_chart_of_a_registry_lives, a_chart_of_a_repository_lives, what_a_chart_needs_is_fetched,
};

use std::path::Path;

use convoy_testkit_e2e::{Server, World};
use serde_json::{Value, json};

pub(crate) fn config_map(name: &str, value: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: NAMESPACE\ndata:\n  key: \"{value}\"\n"
    )
}

pub(crate) fn deployment(name: &str, annotations: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\n  namespace: NAMESPACE\n  annotations: {{{annotations}}}\n\
         spec:\n  replicas: 1\n  selector:\n    matchLabels: {{app: {name}}}\n  template:\n    metadata:\n      labels: {{app: {name}}}\n    \
         spec:\n      containers:\n        - name: main\n          image: example.invalid/{name}:1\n"
    )
}

/// Commits manifests after putting the world's namespace into them.
pub(crate) fn commit(world: &World, files: &[(&str, String)]) -> String {
    let files: Vec<(&str, String)> = files
        .iter()
        .map(|(path, text)| (*path, text.replace("NAMESPACE", world.namespace())))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    world.commit(&files)
}

pub(crate) async fn value(world: &World, name: &str) -> Option<String> {
    let object = world.object("", "ConfigMap", name).await?;
    object.pointer("/data/key").and_then(Value::as_str).map(str::to_string)
}

pub(crate) fn render_ref(release: &Value) -> String {
    release
        .pointer("/status/lastSuccessful/renderRef")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_string()
}

pub(crate) async fn a_commit_reaches_the_cluster(server: &Server, store: &Path) {
    let world = World::new(&server.client, "commit").await;
    let first = commit(&world, &[("a.yaml", config_map("a", "one"))]);
    world.release(json!({})).await;
    let release = world.ready_at(&first).await;
    assert_eq!(value(&world, "a").await.as_deref(), Some("one"));
    let object = world.object("", "ConfigMap", "a").await.unwrap();
    let uid = release.pointer("/metadata/uid").and_then(Value::as_str).unwrap();
    assert_eq!(object["metadata"]["labels"]["core.convoy.kumodo.io/release-uid"], uid);
    assert_eq!(
        object["metadata"]["annotations"]["core.convoy.kumodo.io/release"],
        "commit/web"
    );

    let second = commit(&world, &[("a.yaml", config_map("a", "two"))]);
    let after = world.ready_at(&second).await;
    assert_eq!(value(&world, "a").await.as_deref(), Some("two"));
    assert_ne!(render_ref(&release), render_ref(&after));
    let (history, blobs) = world.stored(store);
    let names: Vec<String> = history.iter().map(ToString::to_string).collect();
    assert_eq!(
        names,
        [render_ref(&release), render_ref(&after)],
        "a commit adds an entry"
    );
    assert_eq!(blobs.len(), 2);

    // Another commit that renders the same is no other render.
    let third = commit(
        &world,
        &[("a.yaml", format!("# a comment\n{}", config_map("a", "two")))],
    );
    let same = world
        .until("at the third commit", |release| {
            release
                .pointer("/status/lastSuccessful/revision")
                .and_then(Value::as_str)
                == Some(third.as_str())
        })
        .await;
    assert_eq!(render_ref(&same), render_ref(&after));
    assert_eq!(world.stored(store).0.len(), 2);
}

pub(crate) async fn waves_wait_for_their_gates(server: &Server) {
    let world = World::new(&server.client, "waves").await;
    let commit = commit(
        &world,
        &[
            ("a.yaml", deployment("late", "")),
            ("b.yaml", deployment("early", "")),
            ("c.yaml", config_map("first", "x")),
        ],
    );
    let wave = |name: &str, wave: u32| {
        json!({"type": "syncWave", "target": {"group": "apps", "kind": "Deployment", "name": name},
               "waveStrategy": {"strategy": "waitForHealthy", "wave": wave}})
    };
    world
        .release(json!({"mutations": [wave("early", 1), wave("late", 2)]}))
        .await;
    world.ready_at(&commit).await;
    let late = world.object("apps", "Deployment", "late").await.unwrap();
    let early = world.object("apps", "Deployment", "early").await.unwrap();
    assert_eq!(late["metadata"]["annotations"]["core.convoy.kumodo.io/sync-wave"], "2");
    let version = |object: &Value, pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap().to_string();
    let created = |object: &Value| version(object, "/metadata/creationTimestamp");
    assert!(created(&early) <= created(&late));
    let became = early["status"]["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["type"] == "Available")
        .unwrap();
    if let Some(available) = became["lastTransitionTime"].as_str() {
        assert!(
            available <= created(&late).as_str(),
            "the gate of wave 1 held wave 2 back"
        );
    }
}

pub(crate) async fn the_oldest_entry_goes_and_protected_blobs_stay(server: &Server, store: &Path) {
    let world = World::new(&server.client, "history").await;
    let first = commit(&world, &[("a.yaml", config_map("a", "0"))]);
    world.release(json!({})).await;
    let healthy = render_ref(&world.ready_at(&first).await);
    // From here on no render is ever healthy: the first stays the last healthy one, which is protected.
    let broken = deployment("broken", "\"apiserver.convoy.kumodo.io/fail\": \"asked to fail\"");
    for number in 1..=11 {
        let commit = commit(
            &world,
            &[
                ("a.yaml", config_map("a", &number.to_string())),
                ("b.yaml", broken.clone()),
            ],
        );
        world
            .until("applied and failed", |release| {
                release
                    .pointer("/status/lastSuccessful/revision")
                    .and_then(Value::as_str)
                    == Some(commit.as_str())
                    && release
                        .pointer("/status/lastAttempted/failure/reason")
                        .and_then(Value::as_str)
                        == Some("Degraded")
            })
            .await;
    }
    let (history, blobs) = world.stored(store);
    assert_eq!(history.len(), 10, "keepHistory is 10");
    assert!(
        !history.iter().any(|render| render.to_string() == healthy),
        "the oldest entry is gone"
    );
    assert!(
        blobs.iter().any(|render| render.to_string() == healthy),
        "the last healthy render stays"
    );
    assert_eq!(
        blobs.len(),
        11,
        "ten entries and the protected one; the second render is forgotten"
    );
    let release = world.status().await.unwrap();
    assert_eq!(
        release.pointer("/status/resolvedRetentionPolicy/historyCount"),
        Some(&json!(10))
    );
}

pub(crate) async fn a_pin_brings_an_old_render_back(server: &Server, store: &Path) {
    let world = World::new(&server.client, "pin").await;
    let first = commit(&world, &[("a.yaml", config_map("a", "old"))]);
    world.release(json!({})).await;
    let old = render_ref(&world.ready_at(&first).await);
    let second = commit(&world, &[("a.yaml", config_map("a", "new"))]);
    world.ready_at(&second).await;
    world
        .change(json!({"pin": {"renderRef": old, "reason": "the new one is slow"}}))
        .await;
    world
        .until("back at the old render", |release| {
            render_ref(release) == old && release.to_string().contains("the new one is slow")
        })
        .await;
    assert_eq!(value(&world, "a").await.as_deref(), Some("old"));
    let absent = "sha256:".to_string() + &"ab".repeat(32);
    world.change(json!({"pin": {"renderRef": absent}})).await;
    world.fails_with("pin", "Pinned", "not in the store").await;
    assert_eq!(
        value(&world, "a").await.as_deref(),
        Some("old"),
        "what was applied stays"
    );
    world.change(json!({"pin": null})).await;
    world.ready_at(&second).await;
    assert_eq!(value(&world, "a").await.as_deref(), Some("new"));
    assert_eq!(
        world.stored(store).0.len(),
        2,
        "a render that comes back is no new entry"
    );
}

pub(crate) async fn orphans_are_pruned_when_asked(server: &Server) {
    let world = World::new(&server.client, "prune").await;
    let first = commit(
        &world,
        &[("a.yaml", config_map("a", "x")), ("b.yaml", config_map("b", "x"))],
    );
    world.release(json!({})).await;
    world.ready_at(&first).await;
    let second = commit(&world, &[("a.yaml", config_map("a", "x"))]);
    world.ready_at(&second).await;
    assert!(
        world.object("", "ConfigMap", "b").await.is_some(),
        "pruning is off by default"
    );
    world
        .change(json!({"spec": {"syncPolicy": {"prune": {"orphaned": true}}}}))
        .await;
    let third = commit(&world, &[("a.yaml", config_map("a", "y"))]);
    world.ready_at(&third).await;
    assert!(world.object("", "ConfigMap", "b").await.is_none());
    commit(&world, &[("empty.yaml", "# nothing\n".to_string())]);
    world.fails_with("plan", "PruneGuard", "no objects").await;
    assert_eq!(
        value(&world, "a").await.as_deref(),
        Some("y"),
        "an empty render prunes nothing"
    );
}

pub(crate) async fn drift_is_corrected(server: &Server) {
    let world = World::new(&server.client, "drift").await;
    let first = commit(
        &world,
        &[
            ("a.yaml", config_map("a", "right")),
            ("b.yaml", config_map("b", "right")),
        ],
    );
    world.release(json!({})).await;
    world.ready_at(&first).await;
    world.overwrite("a", "wrong").await;
    world.remove("ConfigMap", "b").await;
    world
        .until_object("ConfigMap", "a", |a| a["data"]["key"] == "right")
        .await;
    world
        .until_object("ConfigMap", "b", |b| b["data"]["key"] == "right")
        .await;
    world.ready_at(&first).await;
}

pub(crate) async fn without_permission_differences_wait(server: &Server) {
    let world = World::new(&server.client, "manual").await;
    let first = commit(&world, &[("a.yaml", config_map("a", "x"))]);
    world
        .release(json!({"spec": {"syncPolicy": {"automatic": false}}}))
        .await;
    let waiting = world
        .until("awaiting a sync", |release| {
            release.to_string().contains("AwaitingSync")
        })
        .await;
    assert!(world.object("", "ConfigMap", "a").await.is_none());
    let render = waiting
        .pointer("/status/lastAttempted/renderRef")
        .and_then(Value::as_str)
        .unwrap();
    let request = format!("{render}@2026-01-01T00:00:00Z");
    world
        .change(json!({"metadata": {"annotations": {"core.convoy.kumodo.io/sync-requested": request}}}))
        .await;
    let done = world.ready_at(&first).await;
    assert_eq!(done.pointer("/status/lastHandledSyncRequest"), Some(&json!(request)));
    assert_eq!(value(&world, "a").await.as_deref(), Some("x"));
    commit(&world, &[("a.yaml", config_map("a", "y"))]);
    world
        .until("awaiting another sync", |release| {
            let conditions = release
                .pointer("/status/conditions")
                .map(ToString::to_string)
                .unwrap_or_default();
            conditions.contains("AwaitingSync")
        })
        .await;
    assert_eq!(
        value(&world, "a").await.as_deref(),
        Some("x"),
        "the request was for one render"
    );
}

pub(crate) async fn deletion_leaves_nothing(server: &Server, store: &Path) {
    let world = World::new(&server.client, "deletion").await;
    let first = commit(
        &world,
        &[
            ("a.yaml", config_map("a", "x")),
            ("b.yaml", deployment("b", "")),
            (
                "c.yaml",
                config_map("kept", "x").replace(
                    "  name: kept",
                    "  name: kept\n  annotations: {core.convoy.kumodo.io/prune: disabled}",
                ),
            ),
        ],
    );
    world.release(json!({})).await;
    world.ready_at(&first).await;
    assert!(store.join("deletion/web").exists());
    assert_eq!(
        world.objects("core.convoy.kumodo.io", "ReleaseInventory").await.len(),
        1
    );
    world.delete().await;
    world.until_gone().await;
    assert!(world.object("", "ConfigMap", "a").await.is_none());
    assert!(world.object("apps", "Deployment", "b").await.is_none());
    assert!(
        world.object("", "ConfigMap", "kept").await.is_some(),
        "prune: disabled protects"
    );
    assert_eq!(world.stored(store), (vec![], vec![]));
    assert!(
        world
            .objects("core.convoy.kumodo.io", "ReleaseInventory")
            .await
            .is_empty()
    );
}
