//! Every backend passes the suite of the port.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use convoy_blob::{Environment, Options, open, open_with};
use convoy_ports::BlobStore;
use convoy_testkit_contract::{Failing, blob_store};
use convoy_testkit_controlplane::BlobServer;
use tempfile::TempDir;

fn opened(url: &str) -> Arc<dyn BlobStore> {
    open(url).expect("the store opens").expect("the URL names a store")
}

/// New directories, which live as long as this.
#[derive(Default)]
struct Directories(RefCell<Vec<TempDir>>);

impl Directories {
    fn store(&self, query: &str) -> Arc<dyn BlobStore> {
        let dir = tempfile::tempdir().expect("a directory");
        let store = opened(&format!("file://{}/store?create_dir=true{query}", dir.path().display()));
        self.0.borrow_mut().push(dir);
        store
    }
}

/// Runs the suite at a server, each case below a prefix of its own.
async fn run_at(server: Option<BlobServer>, failing: &[Failing]) {
    let Some(server) = server else { return };
    let options = Options {
        environment: Environment::default().with(server.variables()),
        ..Options::default()
    };
    let stores = Cell::new(0);
    let store = || {
        stores.set(stores.get() + 1);
        let opened = open_with(&server.url(&format!("case-{}/", stores.get())), &options);
        opened.expect("the store opens").expect("the URL names a store")
    };
    blob_store::run_except(store, failing).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_keeps_the_contract() {
    blob_store::run(|| opened("mem://")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_with_a_prefix_keeps_the_contract() {
    blob_store::run(|| opened("mem://?prefix=team/one-")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_keep_the_contract() {
    let directories = Directories::default();
    blob_store::run(|| directories.store("")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_with_a_prefix_keep_the_contract() {
    let directories = Directories::default();
    blob_store::run(|| directories.store("&prefix=team/one-")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn amazon_keeps_the_contract() {
    run_at(BlobServer::amazon(), &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn google_keeps_the_contract() {
    run_at(BlobServer::google(), &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn azure_keeps_the_contract() {
    run_at(BlobServer::azure(), &[]).await;
}
