//! Lives of Releases whose charts, values and required charts come from servers of charts and from the API server.

use convoy_testkit_e2e::{ChartServer, Server, World};
use serde_json::{Value, json};

use super::{commit, config_map, value};

/// Publishes a version of a chart that writes its own version, and what its values say.
fn publish(charts: &ChartServer, world: &World, name: &str, version: &str) {
    let text = config_map(name, "{{ .Chart.Version }} {{ .Values.who }}").replace("NAMESPACE", world.namespace());
    charts.publish(
        name,
        version,
        &[("templates/a.yaml", &text), ("values.yaml", "who: nobody\n")],
    );
}

fn revision(release: &Value) -> &str {
    let found = release.pointer("/status/lastSuccessful/revision");
    found.and_then(Value::as_str).unwrap_or_default()
}

pub(crate) async fn a_chart_of_a_repository_lives(server: &Server) {
    let charts = ChartServer::start().await;
    let world = World::new(&server.client, "helm-registry").await;
    publish(&charts, &world, "web", "1.0.0");
    world
        .source(
            "HelmRegistry",
            "stable",
            json!({"url": charts.helm_url(), "auth": {"type": "none"}, "interval": "1m"}),
        )
        .await;
    world
        .data("ConfigMap", "values", json!({"values.yaml": "who: somebody"}))
        .await;
    let source = |version: &str| json!({"type": "helmRegistry", "helmRegistry": {"name": "stable", "chart": "web", "version": version}});
    let content = json!({"type": "helm", "helm": {"values": [
        {"type": "configMap", "configMap": {"name": "values"}},
    ]}});
    world
        .release(json!({"spec": {"source": source("1.0.0"), "content": content}}))
        .await;
    let release = world.ready_at("web-1.0.0").await;
    assert!(revision(&release).starts_with("web-1.0.0"));
    assert_eq!(value(&world, "web").await.as_deref(), Some("1.0.0 somebody"));
    let downloads = charts.requests("/stable/web-1.0.0.tgz");
    assert_eq!(downloads, 1);

    // A changed ConfigMap is a new render of the same archive.
    world
        .data("ConfigMap", "values", json!({"values.yaml": "who: another"}))
        .await;
    world
        .until_object("ConfigMap", "web", |web| web["data"]["key"] == "1.0.0 another")
        .await;
    assert_eq!(charts.requests("/stable/web-1.0.0.tgz"), 1);

    publish(&charts, &world, "web", "1.2.0");
    world.change(json!({"spec": {"source": source("^1.1")}})).await;
    world.ready_at("web-1.2.0").await;
    assert_eq!(value(&world, "web").await.as_deref(), Some("1.2.0 another"));
    world.change(json!({"spec": {"source": source("^7")}})).await;
    world.fails_with("fetch", "ChartNotFound", "web").await;
    assert_eq!(value(&world, "web").await.as_deref(), Some("1.2.0 another"));
}

pub(crate) async fn a_chart_of_a_registry_lives(server: &Server) {
    let charts = ChartServer::start().await;
    let world = World::new(&server.client, "oci-registry").await;
    publish(&charts, &world, "web", "2.0.0");
    let spec = json!({
        "url": charts.oci_url(), "auth": {"type": "none"}, "plainHTTP": true, "interval": "1m",
        "defaultContentType": "helm",
    });
    world.source("OCIRegistry", "registry", spec).await;
    world
        .data("Secret", "values", json!({"values.yaml": "who: a secret"}))
        .await;
    let source = |version: &str| json!({"type": "ociRegistry", "ociRegistry": {"name": "registry", "chart": "web", "version": version}});
    let content = json!({"type": "helm", "helm": {"values": [{"type": "secret", "secret": {"name": "values"}}]}});
    world
        .release(json!({"spec": {"source": source("2.0.0"), "content": content}}))
        .await;
    world.ready_at("web-2.0.0").await;
    assert_eq!(value(&world, "web").await.as_deref(), Some("2.0.0 a secret"));
    publish(&charts, &world, "web", "2.1.0");
    world.change(json!({"spec": {"source": source("~2.1.0")}})).await;
    let release = world.ready_at("web-2.1.0").await;
    assert_eq!(value(&world, "web").await.as_deref(), Some("2.1.0 a secret"));
    assert!(!release["status"].to_string().contains("a secret"));
}

pub(crate) async fn what_a_chart_needs_is_fetched(server: &Server) {
    let charts = ChartServer::start().await;
    let world = World::new(&server.client, "dependencies").await;
    for version in ["1.0.0", "1.5.0"] {
        publish(&charts, &world, "cache", version);
        publish(&charts, &world, "queue", version);
    }
    world
        .source(
            "HelmRegistry",
            "stable",
            json!({"url": charts.helm_url(), "auth": {"type": "none"}, "interval": "1m"}),
        )
        .await;
    let spec = json!({
        "url": charts.oci_url(), "auth": {"type": "none"}, "plainHTTP": true, "interval": "1m",
        "defaultContentType": "helm",
    });
    world.source("OCIRegistry", "registry", spec).await;
    let chart = format!(
        "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n  - {{name: cache, version: ^1, repository: {:?}}}\n  \
         - {{name: queue, version: 1.0.0, repository: {:?}}}\n",
        charts.helm_url(),
        charts.oci_url(),
    );
    let first = commit(
        &world,
        &[
            ("Chart.yaml", chart),
            ("templates/a.yaml", config_map("a", "{{ .Values.cache.who }}")),
        ],
    );
    world
        .release(json!({"spec": {"content": {"type": "helm", "helm": {"dependencyMode": "resolve"}}}}))
        .await;
    world.ready_at(&first).await;
    assert_eq!(value(&world, "cache").await.as_deref(), Some("1.5.0 nobody"));
    assert_eq!(value(&world, "queue").await.as_deref(), Some("1.0.0 nobody"));
    assert_eq!(value(&world, "a").await.as_deref(), Some("nobody"));
}
