//! Every backend passes the suite of the port.

use std::cell::RefCell;
use std::sync::Arc;

use convoy_blob::open;
use convoy_ports::BlobStore;
use convoy_testkit_contract::blob_store;
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
