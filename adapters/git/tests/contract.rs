//! The contract of sources, on folders and on a real git server in each of its ways.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use convoy_domain::artifact::{Files, Revision};
use convoy_domain::source::Source;
use convoy_git::{GitFetcher, Options};
use convoy_ports::SourceFetcher;
use convoy_testkit_contract::source_fetcher::{SourceWorld, git_source, run};
use gix::ObjectId;
use gix::objs::Kind;

use support::http::GitServer;
use support::repositories::Repositories;
use support::sshd::{SshServer, by_ssh};

/// Repositories in a folder of their own below `server`'s, because the cases share it.
#[derive(Debug)]
struct World {
    fetcher: Arc<GitFetcher>,
    server: Place,
    /// What stands before `<folder>/<name>.git` in URLs.
    base: String,
    folder: String,
}

#[derive(Clone, Debug)]
enum Place {
    Folder(Arc<Repositories>),
    Server(Arc<GitServer>),
    Ssh(Arc<SshServer>),
}

impl World {
    fn repositories(&self) -> &Repositories {
        match &self.server {
            Place::Folder(repositories) => repositories,
            Place::Server(server) => &server.repositories,
            Place::Ssh(server) => &server.repositories,
        }
    }

    fn name(&self, repository: &str) -> String {
        format!("{}/{repository}", self.folder)
    }
}

impl SourceWorld for World {
    fn fetcher(&self) -> Arc<dyn SourceFetcher> {
        Arc::clone(&self.fetcher) as Arc<dyn SourceFetcher>
    }

    fn source(&self, repository: &str) -> Source {
        let source = git_source(&format!("{}/{}.git", self.base, self.name(repository)));
        match &self.server {
            Place::Folder(_) | Place::Server(_) => source,
            Place::Ssh(server) => Source {
                access: by_ssh(server.access(Some("ed25519"))),
                ..source
            },
        }
    }

    fn create(&self, repository: &str) {
        self.repositories().create(&self.name(repository));
    }

    fn commit(&self, repository: &str, branch: &str, files: &Files) -> Revision {
        self.repositories().commit(&self.name(repository), branch, files)
    }

    fn tag(&self, repository: &str, tag: &str, revision: &Revision) {
        let id = ObjectId::from_hex(revision.0.as_bytes()).expect("a commit");
        self.repositories().tag(&self.name(repository), tag, id, Kind::Commit);
    }
}

async fn check_place(fetcher: GitFetcher, server: Place, base: String) {
    let fetcher = Arc::new(fetcher);
    let cases = AtomicUsize::new(0);
    run(|| {
        Arc::new(World {
            fetcher: Arc::clone(&fetcher),
            server: server.clone(),
            base: base.clone(),
            folder: format!("case{}", cases.fetch_add(1, Ordering::Relaxed)),
        })
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_keep_the_contract() {
    let repositories = Repositories::new();
    let base = format!("file://{}", repositories.root.path().display());
    check_place(support::fetcher(), Place::Folder(Arc::new(repositories)), base).await;
}

/// Runs the suite on a server; `base` gives what stands before a repository's folder.
async fn check(base: impl Fn(&GitServer) -> String) {
    let Some(server) = GitServer::start() else { return };
    let options = Options {
        authorities: vec![server.authority.clone()],
        ..Options::default()
    };
    let base = base(&server);
    let fetcher = GitFetcher::new(options).expect("a fetcher");
    check_place(fetcher, Place::Server(Arc::new(server)), base).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_http_keeps_the_contract() {
    check(|server| format!("http://127.0.0.1:{}", server.plain_port)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_https_with_a_private_authority_keeps_the_contract() {
    check(|server| format!("https://localhost:{}", server.tls_port)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_of_the_old_protocol_keeps_the_contract() {
    check(|server| format!("http://127.0.0.1:{}/old", server.plain_port)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_redirects_keeps_the_contract() {
    check(|server| format!("http://127.0.0.1:{}/moved", server.plain_port)).await;
}

/// Runs the suite by ssh, on a server with `more` in its configuration.
async fn check_ssh(more: &str) {
    // A case makes more connections at once than sshd takes from strangers by itself.
    let Some(server) = SshServer::start(&format!("MaxStartups 100\n{more}")) else {
        return;
    };
    let root = server.repositories.root.path().display();
    let base = format!("ssh://git@127.0.0.1:{}{root}", server.port);
    let fetcher = GitFetcher::new(Options::default()).expect("a fetcher");
    check_place(fetcher, Place::Ssh(Arc::new(server)), base).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_by_ssh_keeps_the_contract() {
    check_ssh("AcceptEnv GIT_PROTOCOL").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_by_ssh_with_the_old_protocol_keeps_the_contract() {
    check_ssh("").await;
}
