//! The contract of sources, on folders and on a real git server in each of its ways.

mod support;

use std::sync::Arc;

use convoy_domain::artifact::{Files, Revision};
use convoy_domain::source::Source;
use convoy_git::{GitFetcher, Options};
use convoy_ports::SourceFetcher;
use convoy_testkit_contract::source_fetcher::{SourceWorld, git_source, run};
use gix::ObjectId;
use gix::objs::Kind;

use support::http::GitServer;
use support::repositories::Repositories;

#[derive(Debug)]
struct World {
    fetcher: Arc<GitFetcher>,
    server: Place,
    /// What stands before `<name>.git` in URLs.
    base: String,
}

#[derive(Debug)]
enum Place {
    Folder(Repositories),
    Server(Arc<GitServer>),
}

impl World {
    fn repositories(&self) -> &Repositories {
        match &self.server {
            Place::Folder(repositories) => repositories,
            Place::Server(server) => &server.repositories,
        }
    }
}

impl SourceWorld for World {
    fn fetcher(&self) -> Arc<dyn SourceFetcher> {
        Arc::clone(&self.fetcher) as Arc<dyn SourceFetcher>
    }

    fn source(&self, repository: &str) -> Source {
        git_source(&format!("{}/{repository}.git", self.base))
    }

    fn create(&self, repository: &str) {
        self.repositories().create(repository);
    }

    fn commit(&self, repository: &str, branch: &str, files: &Files) -> Revision {
        self.repositories().commit(repository, branch, files)
    }

    fn tag(&self, repository: &str, tag: &str, revision: &Revision) {
        let id = ObjectId::from_hex(revision.0.as_bytes()).expect("a commit");
        self.repositories().tag(repository, tag, id, Kind::Commit);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_keep_the_contract() {
    run(|| {
        let repositories = Repositories::new();
        Arc::new(World {
            fetcher: Arc::new(support::fetcher()),
            base: format!("file://{}", repositories.root.path().display()),
            server: Place::Folder(repositories),
        })
    })
    .await;
}

/// Runs the suite on a server for each case; `base` gives what stands before a repository's name.
async fn check(base: impl Fn(&GitServer) -> String) {
    if GitServer::start().is_none() {
        return;
    }
    run(|| {
        let server = Arc::new(GitServer::start().expect("it started before"));
        let options = Options {
            authorities: vec![server.authority.clone()],
            ..Options::default()
        };
        Arc::new(World {
            fetcher: Arc::new(GitFetcher::new(options).expect("a fetcher")),
            base: base(&server),
            server: Place::Server(server),
        })
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_http_keeps_the_contract() {
    check(|server| format!("http://127.0.0.1:{}", server.http_port)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_https_with_a_private_authority_keeps_the_contract() {
    check(|server| format!("https://localhost:{}", server.https_port)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_the_old_protocol_keeps_the_contract() {
    check(|server| format!("http://127.0.0.1:{}/old", server.http_port)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_redirects_keeps_the_contract() {
    check(|server| format!("http://127.0.0.1:{}/moved", server.http_port)).await;
}
