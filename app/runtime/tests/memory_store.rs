//! Artifacts in memory: the suite of the port, and what somebody holds.

use std::sync::Arc;

use convoy_ports::ArtifactStore;
use convoy_runtime::MemoryStore;
use convoy_testkit_contract::artifact_store::{self, artifact, key};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_suite_of_the_port_holds() {
    artifact_store::run(|bound| Arc::new(MemoryStore::new(bound)) as Arc<dyn ArtifactStore>).await;
}

#[tokio::test]
async fn what_somebody_holds_makes_no_room() {
    let store = MemoryStore::new(10_000);
    let large = vec![0; 4_000];
    for commit in ["1", "2"] {
        assert_eq!(
            store.put(&key("app", commit), &artifact(commit, &large)).await,
            Ok(true)
        );
    }
    // The one that was used longest ago is in use.
    let held = store.get(&key("app", "1")).await.unwrap().unwrap();
    drop(store.get(&key("app", "2")).await);
    assert_eq!(store.put(&key("app", "3"), &artifact("3", &large)).await, Ok(true));
    assert!(store.holds(&key("app", "1")) && !store.holds(&key("app", "2")));
    let also_held = store.get(&key("app", "3")).await.unwrap().unwrap();
    assert_eq!(
        store.put(&key("app", "4"), &artifact("4", &large)).await,
        Ok(false),
        "all is in use, and the bound holds"
    );
    assert!(store.usage().bytes <= 10_000);
    drop((held, also_held));
    assert_eq!(store.put(&key("app", "4"), &artifact("4", &large)).await, Ok(true));
    assert_eq!(store.usage().evictions, 2);
}
