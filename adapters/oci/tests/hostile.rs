//! Registries that want to do harm: each attempt ends in an error that names what was passed.

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::source::SourceRef;
use convoy_oci::digest::Digest;
use convoy_oci::layers::CHART;
use convoy_ports::{FetchError, SourceFetcher as _};

use support::archives::{self, Entry, FILE, LINK};
use support::push::{self, CHART_CONFIG, INDEX, MANIFEST, ORAS};
use support::scripted::{Answer, Scripted};

/// Serves answers by target; all others are 404.
fn serving(answers: Vec<(String, Answer)>) -> Scripted {
    let answers: Arc<BTreeMap<String, Answer>> = Arc::new(answers.into_iter().collect());
    Scripted::start(move |asked| {
        answers
            .get(&asked.target)
            .cloned()
            .unwrap_or_else(|| Answer::new(404, "{}"))
    })
}

fn at_manifest(bytes: &[u8]) -> String {
    format!("/v2/charts/web/manifests/{}", Digest::of(bytes))
}

fn at_blob(bytes: &[u8]) -> String {
    format!("/v2/charts/web/blobs/{}", Digest::of(bytes))
}

/// Fetches what `manifest` names from a registry with these answers.
async fn fetch(
    answers: Vec<(String, Answer)>,
    manifest: &[u8],
    wanted: SourceRef,
    limits: &Limits,
) -> (String, Scripted) {
    let registry = serving(answers);
    let source = support::plain(&registry.oci("charts"));
    let revision = Revision::of_chart("web", "1.0.0", Digest::of(manifest).as_str());
    let found = support::fetcher().fetch(&source, &wanted, &revision, limits).await;
    let said = match found {
        Ok(artifact) => format!("fetched {} files", artifact.files.len()),
        Err(error) => told(&error),
    };
    (said, registry)
}

/// The kind of an error and its words.
#[expect(clippy::wildcard_enum_match_arm, reason = "the others are told as they print")]
fn told(error: &FetchError) -> String {
    match error {
        FetchError::Limit { limit, .. } => format!("limit: {limit}"),
        FetchError::Invalid { why, .. } => format!("invalid: {why}"),
        FetchError::NoChartLayer { found, .. } => format!("no layer: {found}"),
        other => format!("{other:?}"),
    }
}

fn web() -> SourceRef {
    support::chart("web", "1.0.0")
}

/// A manifest with one layer, and where the layer is.
fn one_layer(media_type: &str, layer: &[u8]) -> (Vec<u8>, Vec<(String, Answer)>) {
    let manifest = push::manifest(CHART_CONFIG, &[(media_type, layer)]);
    let answers = vec![
        (at_manifest(&manifest), Answer::new(200, manifest.clone())),
        (at_blob(layer), Answer::new(200, layer)),
    ];
    (manifest, answers)
}

fn starts(said: &str, expect: &str) {
    assert!(said.starts_with(expect), "`{said}` in place of `{expect}`");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manifest_without_end_is_received_to_its_limit() {
    let endless = Answer {
        endless: true,
        ..Answer::new(200, "{\"schemaVersion\":2,\"layers\":[")
    };
    let announced = Answer {
        length: Some(5 << 20),
        ..Answer::new(200, "{")
    };
    for answer in [endless, announced] {
        let (said, _) = fetch(vec![(at_manifest(b""), answer)], b"", web(), &Limits::default()).await;
        starts(&said, "limit: 4194304 bytes of a manifest");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn manifests_are_what_they_are_called_by() {
    let chart = archives::chart("web", "1.0.0");
    let (manifest, answers) = one_layer(CHART, &chart);
    let (said, _) = fetch(answers, &manifest, web(), &Limits::default()).await;
    assert_eq!(said, "fetched 2 files");
    let other = vec![(at_manifest(b"other"), Answer::new(200, manifest))];
    let (said, _) = fetch(other, b"other", web(), &Limits::default()).await;
    starts(&said, "invalid: its manifest: its digest is sha256:");
    let (said, _) = fetch(
        vec![(at_manifest(b"[]"), Answer::new(200, "[]"))],
        b"[]",
        web(),
        &Limits::default(),
    )
    .await;
    starts(&said, "invalid: its manifest cannot be read");
}

#[tokio::test(flavor = "multi_thread")]
async fn indexes_lead_neither_deep_nor_wide() {
    let empty = push::manifest(CHART_CONFIG, &[]);
    let mut answers = vec![(at_manifest(&empty), Answer::new(200, empty.clone()))];
    let mut chain = vec![(MANIFEST, empty.clone())];
    for _ in 0..5 {
        let (kind, inner) = chain.last().cloned().expect("one");
        let index = push::index(&[(kind, &inner)]);
        answers.push((at_manifest(&index), Answer::new(200, index.clone())));
        chain.push((INDEX, index));
    }
    let outer = |depth: usize| chain[depth].1.clone();
    let (said, _) = fetch(answers.clone(), &outer(3), web(), &Limits::default()).await;
    starts(&said, "no layer: it has no layers");
    let (said, registry) = fetch(answers.clone(), &outer(5), web(), &Limits::default()).await;
    starts(&said, "limit: 3 indexes within each other");
    assert_eq!(registry.asked().len(), 4);

    let many: Vec<(&str, &[u8])> = vec![(MANIFEST, empty.as_slice()); 33];
    let wide = push::index(&many);
    answers.push((at_manifest(&wide), Answer::new(200, wide.clone())));
    let (said, registry) = fetch(answers, &wide, web(), &Limits::default()).await;
    starts(&said, "limit: 32 manifests of an index");
    assert_eq!(registry.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_index_says_of_a_manifest_is_checked() {
    let empty = push::manifest(CHART_CONFIG, &[]);
    let lying = |size: u64| {
        let text = String::from_utf8(push::index(&[(MANIFEST, &empty)])).expect("text");
        text.replace(&format!("\"size\":{}", empty.len()), &format!("\"size\":{size}"))
            .into_bytes()
    };
    for (size, expect) in [
        (
            1,
            format!("invalid: its manifest has {} bytes in place of 1", empty.len()),
        ),
        (1 << 40, "limit: 4194304 bytes of a manifest".to_owned()),
    ] {
        let index = lying(size);
        let answers = vec![
            (at_manifest(&index), Answer::new(200, index.clone())),
            (at_manifest(&empty), Answer::new(200, empty.clone())),
        ];
        let (said, _) = fetch(answers, &index, web(), &Limits::default()).await;
        starts(&said, &expect);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn layers_are_as_long_as_their_manifest_says_and_no_other() {
    let chart = archives::chart("web", "1.0.0");
    let (manifest, answers) = one_layer(CHART, &chart);
    let with = |answer: Answer| {
        let mut answers = answers.clone();
        answers[1].1 = answer;
        answers
    };
    let mut longer = chart.clone();
    longer.push(0);
    let mut other = chart.clone();
    other[20] ^= 1;
    let endless = Answer {
        endless: true,
        ..Answer::new(200, chart.clone())
    };
    let length = chart.len();
    for (answer, expect) in [
        (
            Answer::new(200, longer),
            format!("invalid: this layer is longer than the {length} bytes"),
        ),
        (
            endless,
            format!("invalid: this layer is longer than the {length} bytes"),
        ),
        (
            Answer::new(200, &chart[..10]),
            format!("invalid: this layer has 10 bytes in place of the {length}"),
        ),
        (
            Answer::new(200, other),
            "invalid: this layer: its digest is sha256:".to_owned(),
        ),
        (
            Answer::new(404, ""),
            "invalid: its registry does not have this layer".to_owned(),
        ),
    ] {
        let (said, _) = fetch(with(answer), &manifest, web(), &Limits::default()).await;
        starts(&said, &expect);
    }
    let small = Limits {
        source_bytes: 100,
        ..Limits::default()
    };
    let (said, registry) = fetch(answers, &manifest, web(), &small).await;
    starts(&said, "limit: 100 bytes in all files");
    assert_eq!(registry.asked().len(), 1, "the layer was not asked for");
}

/// What becomes of a chart whose archive has these entries besides `Chart.yaml`, and of files that have them.
async fn unpacked(entries: &[Entry<'_>]) -> [String; 2] {
    let limits = Limits::default();
    let mut chart: Vec<Entry<'_>> = vec![("web/Chart.yaml", FILE, b"apiVersion: v2\nname: web\nversion: 1.0.0\n")];
    chart.extend_from_slice(entries);
    let layer = archives::gzip(&archives::tar(&chart));
    let (manifest, answers) = one_layer(CHART, &layer);
    let (of_chart, _) = fetch(answers, &manifest, web(), &limits).await;
    let (manifest, answers) = one_layer(ORAS, &layer);
    let (of_files, _) = fetch(answers, &manifest, support::files("web", "1.0.0"), &limits).await;
    [of_chart, of_files]
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_links_lead_nowhere() {
    let check = async |name: &str, kind: u8, content: &[u8], expect: [&str; 2]| {
        let found = unpacked(&[(name, kind, content)]).await;
        starts(&found[0], expect[0]);
        starts(&found[1], expect[1]);
    };
    check("web/a", FILE, b"1", ["fetched 2", "fetched 2"]).await;
    check(
        "web/../../etc/passwd",
        FILE,
        b"1",
        [
            "invalid: chart illegally references parent",
            "invalid: the archive has a file named",
        ],
    )
    .await;
    check(
        "../a",
        FILE,
        b"1",
        ["fetched 2", "invalid: the archive has a file named \"../a\""],
    )
    .await;
    check(
        "/etc/passwd",
        FILE,
        b"1",
        ["fetched 2", "invalid: the archive has a file named \"/etc/passwd\""],
    )
    .await;
    check(
        "web//etc/passwd",
        FILE,
        b"1",
        ["invalid: chart illegally contains absolute", "fetched 2"],
    )
    .await;
    check(
        "web/link",
        LINK,
        b"/etc/passwd",
        [
            "invalid: chart illegally contains a link",
            "invalid: chart illegally contains a link",
        ],
    )
    .await;
    check(
        "web/device",
        b'3',
        b"",
        [
            "invalid: chart illegally contains a link",
            "invalid: chart illegally contains a link",
        ],
    )
    .await;
    check(
        "web/Chart.yaml/a",
        FILE,
        b"1",
        [
            "invalid: `Chart.yaml` is a file and a folder",
            "invalid: `web/Chart.yaml` is a file and a folder",
        ],
    )
    .await;
    check(
        "web/.wh.values.yaml",
        FILE,
        b"",
        ["fetched 2", "invalid: `web/.wh.values.yaml` removes a file"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bombs_stay_packed() {
    let zeros = vec![0; 1 << 20];
    let names: Vec<String> = (0..80).map(|number| format!("web/{number}")).collect();
    let large: Vec<Entry<'_>> = names
        .iter()
        .map(|name| (name.as_str(), FILE, zeros.as_slice()))
        .collect();
    for said in unpacked(&large).await {
        starts(&said, "limit: 200 unpacked bytes for each packed one");
    }
    let zeros = vec![0; 17 << 20];
    let noise: Vec<u8> = (0..200_000_u32)
        .flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    let [of_chart, of_files] = unpacked(&[("web/noise", FILE, &noise), ("web/zeros", FILE, &zeros)]).await;
    starts(&of_chart, "limit: 5242880 bytes for the file `web/zeros`");
    starts(&of_files, "limit: 16777216 bytes for the file `web/zeros`");
    let names: Vec<String> = (0..60_000).map(|number| format!("web/{number}")).collect();
    let many: Vec<Entry<'_>> = names.iter().map(|name| (name.as_str(), FILE, &b""[..])).collect();
    for said in unpacked(&many).await {
        starts(&said, "limit: 50000 files");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_tags_end() {
    let resolve = async |registry: &Scripted| {
        let source = support::plain(&registry.oci("charts"));
        let found = support::fetcher().resolve(&source, &support::chart("web", "*")).await;
        found.map_or_else(|error| told(&error), |revision| revision.to_string())
    };
    let link = |number: usize| format!("</v2/charts/web/tags/list?last={number}>; rel=\"next\"");
    let circle = Scripted::start(move |asked| {
        let number = usize::from(asked.target.ends_with('1'));
        Answer::new(200, r#"{"tags":["1.0.0"]}"#).with("Link", link(1 - number))
    });
    starts(
        &resolve(&circle).await,
        "invalid: its list of tags leads back to a page of its own",
    );
    assert!(circle.asked().len() <= 4);
    let endless = Scripted::start(move |asked| {
        let number: usize = asked
            .target
            .rsplit('=')
            .next()
            .and_then(|last| last.parse().ok())
            .unwrap_or(0);
        Answer::new(200, r#"{"tags":["1.0.0"]}"#).with("Link", link(number + 1))
    });
    starts(&resolve(&endless).await, "limit: 1000 pages of tags");
    let page = Scripted::start(|_| Answer {
        endless: true,
        ..Answer::new(200, "{\"tags\":[\"")
    });
    starts(&resolve(&page).await, "limit: 4194304 bytes of a list of tags");
    let many = Scripted::start(|_| Answer::new(200, format!("{{\"tags\":[{}\"x\"]}}", "\"a\",".repeat(250_000))));
    starts(&resolve(&many).await, "limit: 200000 tags");
}

#[tokio::test(flavor = "multi_thread")]
async fn challenges_and_tokens_end() {
    let resolve = async |registry: &Scripted| {
        let source = support::with(
            support::basic(support::PASSWORD),
            support::plain(&registry.oci("charts")),
        );
        support::fetcher().resolve(&source, &web()).await
    };
    let service = Scripted::start(|_| Answer {
        endless: true,
        ..Answer::new(200, "{\"token\":\"")
    });
    let realm = format!("Bearer realm=\"http://127.0.0.1:{}/t\"", service.port);
    let registry = Scripted::start(move |_| Answer::new(401, "").with("WWW-Authenticate", realm.clone()));
    let found = resolve(&registry).await;
    assert!(
        matches!(&found, Err(FetchError::Limit { limit, .. }) if limit == "65536 bytes of a token"),
        "{found:?}"
    );
    for bomb in [
        "Basic realm=\"x\", ".repeat(100),
        format!("Bearer realm=\"{}\"", "x".repeat(9000)),
        "Basic".to_owned(),
    ] {
        let registry = Scripted::start(move |_| Answer::new(401, "").with("WWW-Authenticate", bomb.clone()));
        let found = resolve(&registry).await;
        assert!(matches!(found, Err(FetchError::Authentication { .. })), "{found:?}");
        assert!(registry.asked().len() <= 2);
    }
    for realm in [
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "http://169.254.169.254/token",
        "http://ann:x@127.0.0.1/",
    ] {
        let challenge = format!("Bearer realm=\"{realm}\"");
        let registry = Scripted::start(move |_| Answer::new(401, "").with("WWW-Authenticate", challenge.clone()));
        let source = support::plain(&registry.oci("charts"));
        let found = support::fetcher().resolve(&source, &web()).await;
        assert!(
            matches!(found, Err(FetchError::HostRefused { .. })),
            "{realm}: {found:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_end() {
    let registry = Scripted::start(|asked| Answer::new(307, "").with("Location", asked.target.clone()));
    let source = support::plain(&registry.oci("charts"));
    let found = support::fetcher().resolve(&source, &web()).await;
    assert!(matches!(found, Err(FetchError::HostRefused { .. })), "{found:?}");
    assert!(registry.asked().len() < 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn digests_of_tags_are_digests() {
    for digest in ["", "sha256:0", "sha256:../../x", "md5:0"] {
        let registry = Scripted::start(move |_| Answer::new(200, "").with("Docker-Content-Digest", digest));
        let source = support::plain(&registry.oci("charts"));
        let found = support::fetcher().resolve(&source, &web()).await;
        assert!(matches!(found, Err(FetchError::Invalid { .. })), "{digest}: {found:?}");
    }
    // A registry that tells none is asked for the manifest.
    let body = br#"{"schemaVersion":2,"layers":[]}"#;
    for head in [200, 405] {
        let registry = Scripted::start(move |asked| match asked.method.as_str() {
            "HEAD" => Answer::new(head, ""),
            _ => Answer::new(200, &body[..]),
        });
        let source = support::plain(&registry.oci("charts"));
        let found = support::fetcher().resolve(&source, &web()).await;
        assert_eq!(
            found,
            Ok(Revision::of_chart("web", "1.0.0", Digest::of(body).as_str())),
            "{head}"
        );
    }
}
