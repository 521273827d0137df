//! The port over a backend of `object_store`.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use convoy_ports::{BlobError, BlobStore, Written};
use futures::TryStreamExt;
use futures::future::ready;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use tokio::sync::Semaphore;

use crate::bounds::Bounds;
use crate::directory::Directory;
use crate::error::{is_no_file, to_port};
use crate::key::{broken_file_rule, directory_of, to_path};

/// Where the bytes are.
#[derive(Debug)]
pub(crate) enum Backend {
    /// In this process.
    Memory(InMemory),
    /// In files.
    Files {
        /// The files.
        files: LocalFileSystem,
        /// What they are below.
        directory: Directory,
    },
}

impl Backend {
    fn objects(&self) -> &dyn ObjectStore {
        match self {
            Self::Memory(memory) => memory,
            Self::Files { files, .. } => files,
        }
    }

    async fn check(&self, key: &str) -> Result<(), BlobError> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::Files { directory, .. } => directory.check(key).await,
        }
    }
}

/// What a store was opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads alone.
    Read,
    /// Reads and writes.
    Write,
}

/// A backend with a prefix and bounds.
#[derive(Debug)]
pub(crate) struct ObjectBlobStore {
    backend: Backend,
    prefix: String,
    access: Access,
    blob_bytes: u64,
    timeout: Duration,
    turns: Arc<Semaphore>,
}

impl ObjectBlobStore {
    pub(crate) fn new(backend: Backend, prefix: String, bounds: &Bounds, access: Access) -> Self {
        Self {
            backend,
            prefix,
            access,
            blob_bytes: bounds.blob_bytes,
            timeout: bounds.call_timeout,
            turns: Arc::new(Semaphore::new(bounds.concurrent_calls.max(1))),
        }
    }

    /// Performs a call in its turn and in time.
    async fn call<T>(&self, key: &str, act: impl Future<Output = Result<T, BlobError>>) -> Result<T, BlobError> {
        let in_turn = async {
            let _turn = self.turns.acquire().await.map_err(|closed| BlobError::Other {
                key: key.to_owned(),
                why: closed.to_string(),
            })?;
            self.backend.check(key).await?;
            act.await
        };
        tokio::time::timeout(self.timeout, in_turn).await.unwrap_or_else(|_| {
            Err(BlobError::Unavailable {
                key: key.to_owned(),
                why: format!("no answer within {:?}", self.timeout),
            })
        })
    }

    fn path(&self, key: &str) -> Result<Path, BlobError> {
        let path = to_path(&self.prefix, key)?;
        match (&self.backend, broken_file_rule(path.as_ref())) {
            (Backend::Files { .. }, Some(rule)) => Err(BlobError::Other {
                key: key.to_owned(),
                why: rule.to_owned(),
            }),
            (Backend::Files { .. }, None) | (Backend::Memory(_), _) => Ok(path),
        }
    }

    fn check_access(&self, key: &str) -> Result<(), BlobError> {
        match self.access {
            Access::Write => Ok(()),
            Access::Read => Err(BlobError::Denied {
                key: key.to_owned(),
                why: "the store was opened to be read only".to_owned(),
            }),
        }
    }

    fn check_size(&self, key: &str, bytes: u64) -> Result<(), BlobError> {
        if bytes <= self.blob_bytes {
            return Ok(());
        }
        Err(BlobError::Other {
            key: key.to_owned(),
            why: format!("{bytes} bytes pass the limit `bytes of a blob` of {}", self.blob_bytes),
        })
    }

    async fn write(&self, key: &str, bytes: Vec<u8>, mode: PutMode) -> Result<Written, BlobError> {
        let path = self.path(key)?;
        self.check_access(key)?;
        self.check_size(key, bytes.len() as u64)?;
        let options = PutOptions::from(mode);
        let payload = PutPayload::from(bytes);
        self.call(key, async {
            match self.backend.objects().put_opts(&path, payload, options).await {
                Ok(_) => Ok(Written::Created),
                Err(object_store::Error::AlreadyExists { .. }) => Ok(Written::Existed),
                Err(error) => Err(to_port(key, &error)),
            }
        })
        .await
    }
}

/// The answer of a read, with what says that nothing can be at the path as `NotFound`.
fn found<T>(key: &str, answer: object_store::Result<T>) -> Result<T, BlobError> {
    answer.map_err(|error| {
        if is_no_file(&error) {
            BlobError::NotFound { key: key.to_owned() }
        } else {
            to_port(key, &error)
        }
    })
}

/// Absent is no error.
fn if_found<T>(answer: Result<T, BlobError>) -> Result<Option<T>, BlobError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(BlobError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[async_trait]
impl BlobStore for ObjectBlobStore {
    async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), BlobError> {
        self.write(key, bytes, PutMode::Overwrite).await.map(|_| ())
    }

    async fn put_if_absent(&self, key: &str, bytes: Vec<u8>) -> Result<Written, BlobError> {
        self.write(key, bytes, PutMode::Create).await
    }

    async fn get(&self, key: &str) -> Result<Vec<u8>, BlobError> {
        let path = self.path(key)?;
        self.call(key, async {
            let answer = found(key, self.backend.objects().get(&path).await)?;
            self.check_size(key, answer.meta.size)?;
            let bytes = answer.bytes().await.map_err(|error| to_port(key, &error))?;
            Ok(bytes.into())
        })
        .await
    }

    async fn exists(&self, key: &str) -> Result<bool, BlobError> {
        let path = self.path(key)?;
        self.call(key, async {
            let answer = found(key, self.backend.objects().head(&path).await);
            if_found(answer).map(|meta| meta.is_some())
        })
        .await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, BlobError> {
        let whole = format!("{}{prefix}", self.prefix);
        let Some(directory) = directory_of(&whole) else {
            return Ok(Vec::new());
        };
        self.call(prefix, async {
            // The backend matches whole parts and leaves out a key that equals the prefix; the port matches text.
            let mut keys: Vec<String> = self
                .backend
                .objects()
                .list(Some(&directory))
                .map_ok(|meta| String::from(meta.location))
                .try_filter_map(|key| ready(Ok(self.own_key(&key, &whole))))
                .try_collect()
                .await
                .map_err(|error| to_port(prefix, &error))?;
            keys.sort_unstable();
            Ok(keys)
        })
        .await
    }

    async fn delete(&self, key: &str) -> Result<(), BlobError> {
        let path = self.path(key)?;
        self.check_access(key)?;
        self.call(key, async {
            let answer = found(key, self.backend.objects().delete(&path).await);
            if if_found(answer)?.is_some()
                && let Backend::Files { files, .. } = &self.backend
                && let Ok(file) = files.path_to_filesystem(&path)
            {
                Directory::sync_parent(file, key).await?;
            }
            Ok(())
        })
        .await
    }
}

impl ObjectBlobStore {
    /// The key without the store's prefix, if it starts with `whole`.
    fn own_key(&self, key: &str, whole: &str) -> Option<String> {
        if !key.starts_with(whole) {
            return None;
        }
        key.strip_prefix(&self.prefix)
            .filter(|key| !key.is_empty())
            .map(ToOwned::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_that_gets_no_turn_in_time_is_a_transient_error() {
        let bounds = Bounds {
            call_timeout: Duration::from_millis(20),
            concurrent_calls: 1,
            ..Bounds::default()
        };
        let store = ObjectBlobStore::new(Backend::Memory(InMemory::new()), String::new(), &bounds, Access::Write);
        let turn = Arc::clone(&store.turns).acquire_owned().await.unwrap();
        let error = store.put("a/key", vec![1]).await.unwrap_err();
        assert!(error.is_transient(), "{error}");
        assert!(error.to_string().contains("no answer within 20ms"), "{error}");
        drop(turn);
        assert_eq!(store.exists("a/key").await, Ok(false));
    }
}
