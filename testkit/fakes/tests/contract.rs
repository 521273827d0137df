//! The fakes pass the suites of their ports.

use std::sync::Arc;

use convoy_testkit_fakes::FakeBlobStore;

#[tokio::test]
async fn the_blob_store_keeps_the_contract() {
    convoy_testkit_contract::blob_store::run(|| Arc::new(FakeBlobStore::new())).await;
}
