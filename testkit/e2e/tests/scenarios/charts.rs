//! Lives of Releases whose content is a chart or a kustomization.

use std::path::Path;

use convoy_testkit_e2e::{Server, World};
use serde_json::{Value, json};

use super::{commit, config_map, render_ref, value};

const CHART: &str = "apiVersion: v2\nname: web\nversion: 1.0.0\n";

/// A kind of its own for each world, since a cluster has one of each.
const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
    metadata: {name: widgets.NAMESPACE.example.com}\n\
    spec:\n  group: NAMESPACE.example.com\n  scope: Namespaced\n  names: {kind: Widget, plural: widgets, singular: widget}\n  \
    versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n";

fn helm(values: &Value) -> Value {
    json!({"type": "helm", "helm": {
        "path": "charts/web", "releaseName": "shop",
        "values": [{"type": "inline", "inline": {"who": "nobody"}}, {"type": "inline", "inline": values}],
    }})
}

fn template(text: &str) -> String {
    config_map("a", text)
}

/// The files of a chart, whose one template is `text`.
fn chart(text: &str) -> Vec<(&'static str, String)> {
    vec![
        ("charts/web/Chart.yaml", CHART.to_string()),
        ("charts/web/values.yaml", "greeting: hello\n".to_string()),
        ("charts/web/templates/a.yaml", text.to_string()),
    ]
}

pub(crate) async fn a_chart_lives(server: &Server, store: &Path) {
    let world = World::new(&server.client, "chart").await;
    let greeting = "{{ .Values.greeting }} {{ .Values.who }} of {{ .Release.Name }}";
    let hook = |name: &str, event: &str| {
        config_map(name, "x").replace(
            "  namespace",
            &format!("  annotations: {{helm.sh/hook: {event}}}\n  namespace"),
        )
    };
    let mut files = chart(&template(greeting));
    files.push(("charts/web/crds/widget.yaml", CRD.to_string()));
    let widget =
        "apiVersion: NAMESPACE.example.com/v1\nkind: Widget\nmetadata: {name: w, namespace: NAMESPACE}\nspec: {}\n";
    files.push(("charts/web/templates/0.yaml", widget.to_string()));
    files.push(("charts/web/templates/hook.yaml", hook("hook", "pre-install")));
    files.push(("charts/web/templates/tests/test.yaml", hook("test", "test")));
    let first = commit(&world, &files);
    world
        .release(json!({"spec": {"content": helm(&json!({"who": "world"}))}}))
        .await;
    let release = world.ready_at(&first).await;
    assert_eq!(value(&world, "a").await.as_deref(), Some("hello world of shop"));
    assert!(world.object("chart.example.com", "Widget", "w").await.is_some());
    assert_eq!(
        value(&world, "hook").await.as_deref(),
        Some("x"),
        "a hook is an ordinary object"
    );
    assert_eq!(value(&world, "test").await, None, "tests are left out");

    // Other values give another render, without a commit.
    let old = render_ref(&release);
    world
        .change(json!({"spec": {"content": helm(&json!({"who": "you"}))}}))
        .await;
    let changed = world
        .until("rendered from other values", |release| {
            render_ref(release) != old && release.to_string().contains("\"Succeeded\"")
        })
        .await;
    world
        .until_object("ConfigMap", "a", |a| a["data"]["key"] == "hello you of shop")
        .await;
    assert_eq!(changed["status"]["lastSuccessful"]["revision"], json!(first));

    // Another revision of the chart does too, and the old render comes back by a pin.
    files[1].1 = "greeting: bye\n".to_string();
    let second = commit(&world, &files);
    world.ready_at(&second).await;
    assert_eq!(value(&world, "a").await.as_deref(), Some("bye you of shop"));
    world.change(json!({"pin": {"renderRef": old}})).await;
    world
        .until("back at the old render", |release| render_ref(release) == old)
        .await;
    world
        .until_object("ConfigMap", "a", |a| a["data"]["key"] == "hello world of shop")
        .await;
    assert_eq!(world.stored(store).0.len(), 3, "three renders were in force");
}

pub(crate) async fn a_broken_chart_touches_nothing(server: &Server) {
    let world = World::new(&server.client, "broken-chart").await;
    let good = commit(&world, &chart(&template("good")));
    world
        .release(json!({"spec": {"content": helm(&json!({"password": "c4n4ry"}))}}))
        .await;
    world.ready_at(&good).await;
    for (broken, named) in [
        ("{{ .Values.absent.deeper }}", "web/templates/a.yaml:7:"),
        ("{{ fail \"not so\" }}", "execution error at (web/templates/a.yaml:7:"),
        ("{{ if }}", "web/templates/a.yaml:7"),
        ("{{ .Values.password.deeper }}", "web/templates/a.yaml:7:"),
    ] {
        commit(&world, &chart(&template(broken)));
        world.fails_with("render", "RenderFailed", named).await;
        assert_eq!(value(&world, "a").await.as_deref(), Some("good"), "{broken}");
    }
    let told = world.status().await.unwrap()["status"].to_string();
    let events = format!("{:?}", world.objects("", "Event").await);
    assert!(
        !told.contains("c4n4ry") && !events.contains("c4n4ry"),
        "{told} {events}"
    );
    commit(&world, &chart(&template("{{ range until 2000000000 }}x{{ end }}")));
    world.fails_with("render", "LimitExceeded", "limit").await;
    assert_eq!(value(&world, "a").await.as_deref(), Some("good"));

    let resolve = json!({"type": "helm", "helm": {"path": "charts/web", "dependencyMode": "resolve"}});
    world.change(json!({"spec": {"content": resolve}})).await;
    let mut needy = chart(&template("x"));
    needy[0].1 =
        format!("{CHART}dependencies: [{{name: a, version: 1.0.0, repository: 'https://elsewhere.example'}}]\n");
    commit(&world, &needy);
    world.fails_with("fetch", "Unsupported", "elsewhere.example").await;
    let secret = json!({"values": [{"type": "secret", "secret": {"name": "a"}}], "dependencyMode": "vendored"});
    world.change(json!({"spec": {"content": {"helm": secret}}})).await;
    world.fails_with("values", "ValuesNotFound", "Secret `a`").await;
    assert_eq!(value(&world, "a").await.as_deref(), Some("good"));
}

/// What a chart of ours draws.
fn drawing(comment: &str) -> Vec<(&'static str, String)> {
    chart(&format!(
        "# {comment}\napiVersion: v1\nkind: Secret\nmetadata: {{name: drawn, namespace: NAMESPACE}}\n\
         stringData: {{password: '{{{{ randAlphaNum 20 }}}}'}}\n"
    ))
}

async fn password(world: &World) -> Value {
    let secret = world.object("", "Secret", "drawn").await.unwrap_or_default();
    secret["data"]["password"].clone()
}

pub(crate) async fn a_password_outlives_its_release(server: &Server) {
    let world = World::new(&server.client, "drawn").await;
    let content = json!({"spec": {"content": helm(&json!({}))}});
    let first = commit(&world, &drawing("first"));
    world.release(content.clone()).await;
    world.ready_at(&first).await;
    let drawn = password(&world).await;
    assert!(drawn.as_str().is_some_and(|text| text.len() > 20), "{drawn}");

    let second = commit(&world, &drawing("an unrelated edit"));
    world.ready_at(&second).await;
    assert_eq!(password(&world).await, drawn);

    world.delete().await;
    world.until_gone().await;
    assert_eq!(password(&world).await, Value::Null);
    world.release(content).await;
    world.ready_at(&second).await;
    assert_eq!(password(&world).await, drawn, "the same name has the same password");
}

/// Needs a controller of its own: what it loses is everybody's.
pub(crate) async fn a_lost_key_stops_charts(world: &World) {
    let first = commit(world, &drawing("first"));
    world.release(json!({"spec": {"content": helm(&json!({}))}})).await;
    world.ready_at(&first).await;
    let drawn = password(world).await;
    world.lose_key().await;
    let files = drawing("second");
    let changed: Vec<(&str, String)> = files
        .iter()
        .map(|(path, text)| (*path, text.replace("'{{", "'x{{")))
        .collect();
    commit(world, &changed);
    world
        .fails_with("render", "EntropyKeyMissing", "convoy-system/convoy-entropy-key")
        .await;
    assert_eq!(password(world).await, drawn, "nothing is applied");
}

pub(crate) async fn a_kustomization_lives(server: &Server) {
    let world = World::new(&server.client, "kustomization").await;
    let files = |value: &str| {
        vec![
            (
                "overlays/prod/kustomization.yaml",
                "resources: [../../base, ../../extra/own.yaml]\nnamePrefix: prod-\n".to_string(),
            ),
            (
                "base/kustomization.yaml",
                format!(
                    "resources: [map.yaml]\nnamespace: elsewhere\ncommonLabels: {{app: web}}\nconfigMapGenerator:\n- {{name: settings, literals: [key={value}]}}\n"
                ),
            ),
            (
                "base/map.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {key: x}\n".to_string(),
            ),
            (
                "extra/own.yaml",
                "apiVersion: v1\nkind: Namespace\nmetadata: {name: kustomized}\n".to_string(),
            ),
        ]
    };
    let content =
        json!({"type": "kustomize", "kustomize": {"path": "overlays/prod", "targetNamespace": "kustomization"}});
    let first = commit(&world, &files("one"));
    world.release(json!({"spec": {"content": content}})).await;
    let release = world.ready_at(&first).await;
    assert_eq!(value(&world, "prod-a").await.as_deref(), Some("x"));
    let generated = |maps: &std::collections::BTreeMap<String, Value>| -> Vec<(String, Value)> {
        let ours = maps.iter().filter(|(name, _)| name.starts_with("prod-settings-"));
        ours.map(|(name, map)| (name.clone(), map["data"]["key"].clone()))
            .collect()
    };
    let maps = generated(&world.objects("", "ConfigMap").await);
    assert_eq!(maps.len(), 1, "{maps:?}");
    assert_eq!(maps[0].1, "one");
    let warnings = release["status"]["warnings"].to_string();
    assert!(warnings.contains("commonLabels"), "{warnings}");
    assert!(
        warnings.contains("kustomized") && warnings.contains("kustomization"),
        "{warnings}"
    );

    let second = commit(&world, &files("two"));
    world.ready_at(&second).await;
    let maps = generated(&world.objects("", "ConfigMap").await);
    assert!(maps.iter().any(|(_, key)| key == "two"), "{maps:?}");

    let mut broken = files("three");
    broken[1].1 = "resources: [absent.yaml]\n".to_string();
    commit(&world, &broken);
    world.fails_with("render", "RenderFailed", "absent.yaml").await;
    assert_eq!(
        value(&world, "prod-a").await.as_deref(),
        Some("x"),
        "what was applied stays"
    );
}
