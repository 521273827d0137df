//! Artifacts beyond charts, as Flux, ORAS and Timoni push them, on both real registries.

mod support;

use std::collections::BTreeMap;

use convoy_domain::limits::Limits;
use convoy_domain::source::SourceRef;
use convoy_oci::layers::CHART;
use convoy_ports::{FetchError, SourceFetcher as _};

use support::archives::{self, packed};
use support::push::{self, FLUX, FLUX_CONFIG, INDEX, MANIFEST, ORAS, ORAS_CONFIG, TIMONI, TIMONI_CONFIG};
use support::registries::{RunningRegistry, Setup};

async fn fetched(registry: &RunningRegistry, wanted: &SourceRef) -> Result<BTreeMap<String, String>, FetchError> {
    let fetcher = support::fetcher();
    let source = support::plain(&registry.oci("team"));
    let revision = fetcher.resolve(&source, wanted).await?;
    let artifact = fetcher.fetch(&source, wanted, &revision, &Limits::default()).await?;
    let text = |content: &[u8]| String::from_utf8_lossy(content).into_owned();
    Ok(artifact
        .files
        .iter()
        .map(|(path, content)| (path.clone(), text(content)))
        .collect())
}

fn tree(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files
        .iter()
        .map(|(path, content)| ((*path).to_owned(), (*content).to_owned()))
        .collect()
}

async fn check(registry: RunningRegistry) {
    let port = registry.port;
    // Flux writes paths from the folder on, ORAS the folder too, tar itself a dot before them.
    let flux = packed(&[("kustomization.yaml", b"a"), ("base/b.yaml", b"b")]);
    let oras = archives::gzip(&archives::tar(&[
        ("deploy/", archives::FOLDER, b""),
        ("deploy/a.yaml", archives::FILE, b"a"),
    ]));
    let dotted = packed(&[("./a.yaml", b"a"), ("./b//c.yaml", b"c")]);
    let other = packed(&[("docs/d.yaml", b"d")]);
    push::push(port, "team/flux", "1.0.0", FLUX_CONFIG, &[(FLUX, &flux)]);
    push::push(port, "team/flux", "v1.2.0", FLUX_CONFIG, &[(FLUX, &dotted)]);
    push::push(
        port,
        "team/oras",
        "latest",
        ORAS_CONFIG,
        &[(ORAS, &oras), (ORAS, &other), ("text/plain", b"x")],
    );
    push::push(port, "team/timoni", "1.0.0", TIMONI_CONFIG, &[(TIMONI, &dotted)]);
    let chart = archives::chart("web", "1.0.0");
    push::push(port, "team/web", "1.0.0", push::CHART_CONFIG, &[(CHART, &chart)]);

    let flux_files = tree(&[("kustomization.yaml", "a"), ("base/b.yaml", "b")]);
    let dotted_files = tree(&[("a.yaml", "a"), ("b/c.yaml", "c")]);
    let files = support::files;
    assert_eq!(fetched(&registry, &files("flux", "1.0.0")).await, Ok(flux_files));
    assert_eq!(
        fetched(&registry, &files("flux", "^1")).await,
        Ok(dotted_files.clone()),
        "as Flux reads tags"
    );
    assert_eq!(fetched(&registry, &files("timoni", "1.0.0")).await, Ok(dotted_files));
    let both = tree(&[("deploy/a.yaml", "a"), ("docs/d.yaml", "d")]);
    assert_eq!(fetched(&registry, &files("oras", "latest")).await, Ok(both));
    let web = fetched(&registry, &files("web", "1.0.0"))
        .await
        .expect("a chart serves files too");
    assert!(web.contains_key("Chart.yaml"), "{web:?}");

    let none = fetched(&registry, &support::chart("flux", "1.0.0")).await;
    let Err(error @ FetchError::NoChartLayer { .. }) = &none else {
        panic!("a chart was found: {none:?}");
    };
    let said = error.to_string();
    assert!(said.contains("no chart layer") && said.contains(FLUX), "{said}");
    assert!(said.contains(&format!("127.0.0.1:{port}/team/flux")), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_the_reference_registry() {
    let Some(registry) = RunningRegistry::start(&Setup::default()) else {
        return;
    };
    check(registry).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_the_registry_of_other_people() {
    let Some(registry) = RunningRegistry::start_in_memory() else {
        return;
    };
    check(registry).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_leads_to_the_first_artifact_that_is_usable() {
    let Some(registry) = RunningRegistry::start(&Setup::default()) else {
        return;
    };
    let port = registry.port;
    let (chart, flux) = (archives::chart("web", "1.0.0"), packed(&[("a.yaml", b"a")]));
    push::push(port, "team/web", "flux", FLUX_CONFIG, &[(FLUX, &flux)]);
    push::push(port, "team/web", "chart", push::CHART_CONFIG, &[(CHART, &chart)]);
    let manifests = [
        push::manifest(FLUX_CONFIG, &[(FLUX, &flux)]),
        push::manifest(push::CHART_CONFIG, &[(CHART, &chart)]),
    ];
    let inner = push::index(&[(MANIFEST, &manifests[1])]);
    push::push_manifest(port, "team/web", "inner", INDEX, &inner);
    let outer = push::index(&[(MANIFEST, &manifests[0]), (INDEX, &inner)]);
    push::push_manifest(port, "team/web", "1.0.0", INDEX, &outer);
    let found = fetched(&registry, &support::chart("web", "1.0.0"))
        .await
        .expect("a chart");
    assert!(found.contains_key("Chart.yaml"), "{found:?}");
    let found = fetched(&registry, &support::files("web", "1.0.0"))
        .await
        .expect("files");
    assert_eq!(found, tree(&[("a.yaml", "a")]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_that_moves_is_another_revision() {
    let Some(registry) = RunningRegistry::start(&Setup::default()) else {
        return;
    };
    let fetcher = support::fetcher();
    let source = support::plain(&registry.oci("team"));
    let wanted = support::files("flux", "latest");
    let mut revisions = Vec::new();
    for content in [&b"1"[..], b"2"] {
        let layer = packed(&[("a.yaml", content)]);
        let digest = push::push(registry.port, "team/flux", "latest", FLUX_CONFIG, &[(FLUX, &layer)]);
        let revision = fetcher.resolve(&source, &wanted).await.expect("a revision");
        assert_eq!(revision.0, digest.as_str());
        revisions.push(revision);
    }
    let old = fetcher.prove(&source, &wanted, &revisions[0]).await;
    assert!(matches!(old, Err(FetchError::Invalid { .. })), "{old:?}");
    assert_eq!(fetcher.prove(&source, &wanted, &revisions[1]).await, Ok(()));
    // What was resolved before is fetched as it was.
    let artifact = fetcher
        .fetch(&source, &wanted, &revisions[0], &Limits::default())
        .await
        .expect("files");
    assert_eq!(&artifact.files["a.yaml"][..], b"1");
}
