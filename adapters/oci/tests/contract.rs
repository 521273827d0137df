//! The contract of charts, on both real registries.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use convoy_domain::artifact::Files;
use convoy_domain::source::{Source, SourceRef};
use convoy_oci::OciFetcher;
use convoy_oci::layers::CHART;
use convoy_oci::reference::tag_of;
use convoy_ports::SourceFetcher;
use convoy_testkit_contract::charts::{ChartWorld, run};

use support::registries::{RunningRegistry, Setup};
use support::scripted::{Answer, Scripted};
use support::{archives, push};

/// A folder of repositories of its own, because the cases share a registry.
#[derive(Debug)]
struct World {
    fetcher: Arc<OciFetcher>,
    registry: Arc<RunningRegistry>,
    page: Arc<Scripted>,
    folder: String,
}

impl ChartWorld for World {
    fn fetcher(&self) -> Arc<dyn SourceFetcher> {
        Arc::clone(&self.fetcher) as Arc<dyn SourceFetcher>
    }

    fn source(&self) -> Source {
        support::plain(&self.registry.oci(&self.folder))
    }

    fn other_source(&self) -> Source {
        support::plain(&self.page.oci(&self.folder))
    }

    fn wanted(&self, chart: &str, version: &str) -> SourceRef {
        support::chart(chart, version)
    }

    fn publish(&self, chart: &str, version: &str, files: &Files) {
        let names: Vec<String> = files.keys().map(|name| format!("{chart}/{name}")).collect();
        let entries: Vec<(&str, &[u8])> = names
            .iter()
            .map(String::as_str)
            .zip(files.values().map(|content| &content[..]))
            .collect();
        let repository = format!("{}/{chart}", self.folder);
        let layer = archives::packed(&entries);
        let tag = tag_of(version);
        push::push(
            self.registry.port,
            &repository,
            &tag,
            push::CHART_CONFIG,
            &[(CHART, &layer)],
        );
    }
}

async fn check(registry: RunningRegistry) {
    let registry = Arc::new(registry);
    let fetcher = Arc::new(support::fetcher());
    let page = Arc::new(Scripted::start(|_| {
        Answer::new(200, "<html>a page</html>").with("Content-Type", "text/html; charset=utf-8")
    }));
    let cases = AtomicUsize::new(0);
    run(|| {
        Arc::new(World {
            fetcher: Arc::clone(&fetcher),
            registry: Arc::clone(&registry),
            page: Arc::clone(&page),
            folder: format!("case{}", cases.fetch_add(1, Ordering::SeqCst)),
        })
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_registry() {
    let Some(registry) = RunningRegistry::start(&Setup::default()) else {
        return;
    };
    check(registry).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_registry_of_other_people() {
    let Some(registry) = RunningRegistry::start_in_memory() else {
        return;
    };
    check(registry).await;
}
