//! The contract of sources of charts, on a real server in each of its ways.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use convoy_domain::access::{Access, Credentials};
use convoy_domain::artifact::Files;
use convoy_domain::source::{Source, SourceRef};
use convoy_ports::SourceFetcher;
use convoy_testkit_contract::charts::{ChartWorld, run};

use support::charts::{self, Listed};
use support::server::{PASSWORD, Server, TOKEN};
use support::{by, fetcher, password, source_with, token};

/// A repository in a folder of its own, because the cases share the server.
#[derive(Debug)]
struct World {
    fetcher: Arc<dyn SourceFetcher>,
    server: Arc<Server>,
    base: String,
    access: Access,
    folder: String,
    listed: Mutex<Vec<Listed>>,
}

impl ChartWorld for World {
    fn fetcher(&self) -> Arc<dyn SourceFetcher> {
        Arc::clone(&self.fetcher)
    }

    fn source(&self) -> Source {
        source_with(&format!("{}{}", self.base, self.folder), self.access.clone())
    }

    fn other_source(&self) -> Source {
        source_with(&format!("{}absent", self.base), self.access.clone())
    }

    fn wanted(&self, chart: &str, version: &str) -> SourceRef {
        support::chart(chart, version)
    }

    fn publish(&self, chart: &str, version: &str, files: &Files) {
        let mut tar = Vec::new();
        for (path, content) in files {
            charts::add(&mut tar, &format!("{chart}/{path}"), content);
        }
        tar.extend([0; 1024]);
        let archive = charts::gzip(&tar);
        let folder = self.server.root().join(&self.folder);
        let file = format!("{chart}-{version}.tgz");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(&file), &archive).expect("an archive");
        let mut listed = self.listed.lock().expect("a list");
        let before = listed.len();
        listed.retain(|entry| (entry.chart.as_str(), entry.version.as_str()) != (chart, version));
        // nginx tells versions of a file by its second and its size.
        let again = if listed.len() < before { "# again\n" } else { "" };
        listed.push(charts::listed(chart, version, &charts::digest(&archive), &[&file]));
        listed.sort_by(|one, other| one.chart.cmp(&other.chart));
        let text = charts::index(&listed) + again;
        std::fs::write(folder.join("index.yaml"), text).expect("an index");
    }
}

async fn holds(server: &Arc<Server>, base: String, access: Access) {
    let counter = AtomicUsize::new(0);
    let fetcher: Arc<dyn SourceFetcher> = Arc::new(fetcher());
    let way: String = base.chars().filter(char::is_ascii_alphanumeric).collect();
    run(|| {
        let number = counter.fetch_add(1, Ordering::SeqCst);
        Arc::new(World {
            fetcher: Arc::clone(&fetcher),
            server: Arc::clone(server),
            base: base.clone(),
            access: access.clone(),
            folder: format!("{way}{number}"),
            listed: Mutex::default(),
        })
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_helm_repository_keeps_the_contract() {
    let Some(server) = Server::start() else { return };
    let server = Arc::new(server);
    let secure = |access: Access| Access {
        authorities: Some(server.authority.clone()),
        ..access
    };
    let certified = by(Credentials::ClientCertificate(server.client.clone()));
    for (base, access) in [
        (server.http(""), Access::default()),
        (server.https(""), secure(Access::default())),
        (server.http("basic/"), by(password(PASSWORD))),
        (server.https("bearer/"), secure(by(token(TOKEN)))),
        (server.mutual(""), secure(certified)),
        (server.http("elsewhere/"), Access::default()),
    ] {
        holds(&server, base, access).await;
    }
}
