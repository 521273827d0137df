//! How often a registry is asked, counted in its own log.

mod support;

use convoy_domain::limits::Limits;
use convoy_ports::SourceFetcher as _;

use support::push::{self, FLUX, FLUX_CONFIG};
use support::registries::{RunningRegistry, Setup};
use support::tokens::TokenService;
use support::{archives, helm::Helm};

#[tokio::test(flavor = "multi_thread")]
async fn an_unchanged_tag_costs_one_head_and_no_download() {
    let Some(registry) = RunningRegistry::start(&Setup::default()) else {
        return;
    };
    let layer = archives::packed(&[("a.yaml", b"a")]);
    let digest = push::push(registry.port, "team/flux", "latest", FLUX_CONFIG, &[(FLUX, &layer)]);
    let pushed = registry.asked(6).len();
    let fetcher = support::fetcher();
    let source = support::plain(&registry.oci("team"));
    let wanted = support::files("flux", "latest");
    for _ in 0..5 {
        fetcher.resolve(&source, &wanted).await.expect("a revision");
    }
    let asked = registry.asked(pushed + 5);
    assert_eq!(asked[pushed..], vec!["HEAD /v2/team/flux/manifests/latest 200"; 5]);
    let revision = fetcher.resolve(&source, &wanted).await.expect("a revision");
    fetcher.prove(&source, &wanted, &revision).await.expect("a proof");
    fetcher
        .fetch(&source, &wanted, &revision, &Limits::default())
        .await
        .expect("files");
    let asked = registry.asked(pushed + 9);
    let expect = [
        "HEAD /v2/team/flux/manifests/latest 200".to_owned(),
        "HEAD /v2/team/flux/manifests/latest 200".to_owned(),
        format!("GET /v2/team/flux/manifests/{digest} 200"),
        format!("GET /v2/team/flux/blobs/{} 200", convoy_oci::digest::Digest::of(&layer)),
    ];
    assert_eq!(asked[pushed + 5..], expect);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_asked_for_once_in_its_lifetime() {
    let tokens = TokenService::start();
    let setup = Setup {
        tokens: Some(&tokens),
        ..Setup::default()
    };
    let (Some(registry), Some(helm)) = (RunningRegistry::start(&setup), Helm::find()) else {
        return;
    };
    helm.publish(&registry, "charts", "web", "1.0.0");
    let fetcher = support::fetcher();
    let source = support::with(
        support::basic(support::PASSWORD),
        support::plain(&registry.oci("charts")),
    );
    let wanted = support::chart("web", "1.0.0");
    let asked = || tokens.server.asked().len();
    let before = (registry.asked(1).len(), asked());
    for _ in 0..4 {
        fetcher.resolve(&source, &wanted).await.expect("a revision");
    }
    assert_eq!(asked() - before.1, 1, "one token for all");
    let log = registry.asked(before.0 + 5);
    let head = "HEAD /v2/charts/web/manifests/1.0.0";
    let expect: Vec<String> = [401, 200, 200, 200, 200]
        .iter()
        .map(|status| format!("{head} {status}"))
        .collect();
    assert_eq!(log[before.0..], expect);
}
