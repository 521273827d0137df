//! Faults of a blob store.

use std::sync::Arc;

use async_trait::async_trait;
use convoy_ports::{BlobError, BlobStore, Pieces, Written};

use super::EffectCounter;

/// A blob store whose puts and deletes are counted effects.
#[derive(Debug)]
pub struct FaultyBlobStore {
    inner: Arc<dyn BlobStore>,
    effects: EffectCounter,
}

impl FaultyBlobStore {
    /// Decorates `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn BlobStore>, effects: EffectCounter) -> Self {
        Self { inner, effects }
    }

    async fn effect<T>(
        &self,
        call: &str,
        key: &str,
        act: impl Future<Output = Result<T, BlobError>>,
    ) -> Result<T, BlobError> {
        self.effects
            .effect(format!("blob {call} {key}"), unavailable(key), act)
            .await
    }

    async fn read<T>(
        &self,
        call: &str,
        key: &str,
        act: impl Future<Output = Result<T, BlobError>>,
    ) -> Result<T, BlobError> {
        self.effects
            .read(format!("blob {call} {key}"), unavailable(key), act)
            .await
    }
}

fn unavailable(key: &str) -> impl Fn(String) -> BlobError {
    let key = key.to_owned();
    move |why| BlobError::Unavailable { key: key.clone(), why }
}

#[async_trait]
impl BlobStore for FaultyBlobStore {
    async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), BlobError> {
        self.effect("put", key, self.inner.put(key, bytes)).await
    }

    async fn put_pieces(&self, key: &str, pieces: &mut dyn Pieces) -> Result<(), BlobError> {
        self.effect("put", key, self.inner.put_pieces(key, pieces)).await
    }

    async fn put_if_absent(&self, key: &str, bytes: Vec<u8>) -> Result<Written, BlobError> {
        self.effect("put_if_absent", key, self.inner.put_if_absent(key, bytes))
            .await
    }

    async fn get(&self, key: &str) -> Result<Vec<u8>, BlobError> {
        self.read("get", key, self.inner.get(key)).await
    }

    async fn get_pieces(&self, key: &str) -> Result<Box<dyn Pieces>, BlobError> {
        self.read("get", key, self.inner.get_pieces(key)).await
    }

    async fn exists(&self, key: &str) -> Result<bool, BlobError> {
        self.read("exists", key, self.inner.exists(key)).await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, BlobError> {
        self.read("list", prefix, self.inner.list(prefix)).await
    }

    async fn delete(&self, key: &str) -> Result<(), BlobError> {
        self.effect("delete", key, self.inner.delete(key)).await
    }

    /// Each key is an effect of its own, so that a fault may come between any two.
    async fn delete_many(&self, keys: Vec<String>) -> Vec<(String, BlobError)> {
        let mut failures = Vec::new();
        for key in keys {
            if let Err(error) = self.delete(&key).await {
                failures.push((key, error));
            }
        }
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Crash, Fault, When, until_crash};
    use super::*;
    use crate::FakeBlobStore;

    fn store(effects: &EffectCounter) -> (Arc<FakeBlobStore>, FaultyBlobStore) {
        let inner = Arc::new(FakeBlobStore::new());
        let faulty = FaultyBlobStore::new(Arc::clone(&inner) as Arc<dyn BlobStore>, effects.clone());
        (inner, faulty)
    }

    #[tokio::test]
    async fn reads_are_no_effects_unless_told() {
        for (effects, count) in [(EffectCounter::new(), 2), (EffectCounter::new().counting_reads(), 5)] {
            let (_, store) = store(&effects);
            store.put("a", vec![1]).await.unwrap();
            store.get("a").await.unwrap();
            store.exists("a").await.unwrap();
            store.list("").await.unwrap();
            store.delete("a").await.unwrap();
            assert_eq!(effects.count(), count, "{:?}", effects.log());
        }
    }

    #[tokio::test]
    async fn a_fault_before_leaves_no_effect_and_one_after_loses_the_answer() {
        for (when, written) in [(When::Before, None), (When::After, Some(vec![2]))] {
            let effects = EffectCounter::with(2, when, Fault::Fail);
            let (inner, store) = store(&effects);
            store.put("a", vec![1]).await.unwrap();
            let error = store.put("b", vec![2]).await.unwrap_err();
            assert!(error.is_transient(), "{error}");
            assert_eq!(inner.bytes("b"), written, "{when:?}");
            store.put("c", vec![3]).await.unwrap();
        }
    }

    #[tokio::test]
    async fn after_a_crash_nothing_happens_until_the_process_is_started_again() {
        let effects = EffectCounter::with(1, When::After, Fault::Crash);
        let (inner, store) = store(&effects);
        assert_eq!(until_crash(store.put("a", vec![1])).await, Err(Crash { effect: 1 }));
        assert!(effects.is_dead());
        assert_eq!(until_crash(store.put("b", vec![1])).await, Err(Crash { effect: 1 }));
        assert_eq!(until_crash(store.get("a")).await, Err(Crash { effect: 1 }));
        assert_eq!(inner.keys(), ["a"]);
        effects.revive();
        assert_eq!(until_crash(store.put("b", vec![1])).await, Ok(Ok(())));
        assert_eq!(effects.log(), ["blob put a", "blob put b"]);
    }

    #[tokio::test]
    async fn a_closure_runs_at_its_effect() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let act = Arc::new(move || sender.send(()).unwrap());
        let effects = EffectCounter::with(1, When::Before, Fault::Call(act));
        let (inner, store) = store(&effects);
        assert!(receiver.try_recv().is_err());
        until_crash(store.delete("a")).await.unwrap_err();
        receiver.try_recv().unwrap();
        assert!(inner.keys().is_empty());
    }
}
