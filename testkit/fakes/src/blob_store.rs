//! A store of blobs in a map.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use async_trait::async_trait;
use convoy_ports::{BlobError, BlobStore, Pieces, Written};

use crate::refusals::{Refusals, Times};
use crate::sync::{interleave, lock};

const CALLS: &[&str] = &["put", "put_if_absent", "get", "exists", "list", "delete"];

/// Bytes of a piece that is read: small, so that blobs of tests have several.
const PIECE: usize = 1_000;

/// Bytes, piece by piece.
#[derive(Debug)]
pub struct PiecesOf(std::vec::IntoIter<Vec<u8>>);

impl PiecesOf {
    /// Pieces of a size, which is above 0; the last may have fewer bytes.
    ///
    /// # Panics
    /// When the size is 0.
    #[must_use]
    pub fn new(bytes: &[u8], size: usize) -> Self {
        let pieces: Vec<Vec<u8>> = bytes.chunks(size).map(<[u8]>::to_vec).collect();
        Self(pieces.into_iter())
    }
}

#[async_trait]
impl Pieces for PiecesOf {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        Ok(self.0.next())
    }
}

/// Blobs by key. Lists may be told to miss keys, as those of a store that is consistent only later.
#[derive(Debug)]
pub struct FakeBlobStore(Mutex<State>);

#[derive(Debug)]
struct State {
    blobs: BTreeMap<String, Vec<u8>>,
    hidden: BTreeSet<String>,
    refusals: Refusals<BlobError>,
}

impl Default for FakeBlobStore {
    fn default() -> Self {
        Self(Mutex::new(State {
            blobs: BTreeMap::new(),
            hidden: BTreeSet::new(),
            refusals: Refusals::of(CALLS),
        }))
    }
}

impl FakeBlobStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// All keys, also those that lists miss.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        lock(&self.0).blobs.keys().cloned().collect()
    }

    /// The bytes of a key.
    #[must_use]
    pub fn bytes(&self, key: &str) -> Option<Vec<u8>> {
        lock(&self.0).blobs.get(key).cloned()
    }

    /// Writes behind the back of the code under test.
    pub fn set(&self, key: &str, bytes: impl Into<Vec<u8>>) {
        lock(&self.0).blobs.insert(key.to_owned(), bytes.into());
    }

    /// Deletes behind the back of the code under test.
    pub fn remove(&self, key: &str) {
        lock(&self.0).blobs.remove(key);
    }

    /// Changes the first byte of a blob, or gives an empty one a byte.
    ///
    /// # Panics
    /// When there is no such blob.
    pub fn corrupt(&self, key: &str) {
        let mut state = lock(&self.0);
        let bytes = state.blobs.get_mut(key).expect("a blob to corrupt");
        match bytes.first_mut() {
            Some(byte) => *byte ^= 1,
            None => bytes.push(0),
        }
    }

    /// Lists miss this key from now on; every other call knows it.
    pub fn hide_from_lists(&self, key: &str) {
        lock(&self.0).hidden.insert(key.to_owned());
    }

    /// Lists are complete again.
    pub fn reveal(&self) {
        lock(&self.0).hidden.clear();
    }

    /// Answers `error` to `call` (a method of the port; empty for all) when the key or prefix contains `operand`.
    pub fn refuse(&self, call: &str, operand: &str, error: BlobError, times: Times) {
        lock(&self.0).refusals.add(call, operand, error, times);
    }

    /// Lifts every refusal.
    pub fn lift_refusals(&self) {
        lock(&self.0).refusals.lift();
    }

    async fn call<T>(
        &self,
        call: &str,
        operand: &str,
        act: impl FnOnce(&mut State) -> Result<T, BlobError>,
    ) -> Result<T, BlobError> {
        interleave().await;
        let mut state = lock(&self.0);
        state.refusals.check(call, operand)?;
        if call != "list" {
            check_key(operand)?;
        }
        act(&mut state)
    }
}

fn check_key(key: &str) -> Result<(), BlobError> {
    let bad_part = |part: &str| matches!(part, "" | "." | "..") || part.chars().any(|c| c.is_ascii_control());
    if key.split('/').any(bad_part) {
        return Err(BlobError::Other {
            key: key.to_owned(),
            why: "the key is not relative, or has an empty, `.` or `..` part or a control character".to_owned(),
        });
    }
    Ok(())
}

#[async_trait]
impl BlobStore for FakeBlobStore {
    async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), BlobError> {
        self.call("put", key, |state| {
            state.blobs.insert(key.to_owned(), bytes);
            Ok(())
        })
        .await
    }

    async fn put_pieces(&self, key: &str, pieces: &mut dyn Pieces) -> Result<(), BlobError> {
        let mut bytes = Vec::new();
        while let Some(piece) = pieces.next().await? {
            bytes.extend(piece);
        }
        self.put(key, bytes).await
    }

    async fn put_if_absent(&self, key: &str, bytes: Vec<u8>) -> Result<Written, BlobError> {
        self.call("put_if_absent", key, |state| {
            if state.blobs.contains_key(key) {
                return Ok(Written::Existed);
            }
            state.blobs.insert(key.to_owned(), bytes);
            Ok(Written::Created)
        })
        .await
    }

    async fn get(&self, key: &str) -> Result<Vec<u8>, BlobError> {
        self.call("get", key, |state| {
            state
                .blobs
                .get(key)
                .cloned()
                .ok_or_else(|| BlobError::NotFound { key: key.to_owned() })
        })
        .await
    }

    async fn get_pieces(&self, key: &str) -> Result<Box<dyn Pieces>, BlobError> {
        Ok(Box::new(PiecesOf::new(&self.get(key).await?, PIECE)))
    }

    async fn exists(&self, key: &str) -> Result<bool, BlobError> {
        self.call("exists", key, |state| Ok(state.blobs.contains_key(key)))
            .await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, BlobError> {
        self.call("list", prefix, |state| {
            let from_prefix = state.blobs.range(prefix.to_owned()..);
            let matching = from_prefix
                .map(|(key, _)| key)
                .take_while(|key| key.starts_with(prefix));
            Ok(matching.filter(|key| !state.hidden.contains(*key)).cloned().collect())
        })
        .await
    }

    async fn delete(&self, key: &str) -> Result<(), BlobError> {
        self.call("delete", key, |state| {
            state.blobs.remove(key);
            Ok(())
        })
        .await
    }

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
