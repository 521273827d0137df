//! The port over a backend of `object_store`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use convoy_ports::{BlobError, BlobStore, Pieces, StoreCalls, Written};
use futures::TryStreamExt;
use futures::future::ready;
use futures::stream::{self, StreamExt};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use tokio::sync::Semaphore;

use crate::bounds::Bounds;
use crate::calls::Calls;
use crate::directory::Directory;
use crate::error::{is_no_file, to_port};
use crate::key::{broken_file_rule, broken_url_rule, directory_of, to_path};
use crate::pieces::{PART, Parts, Received, WHOLE_UP_TO};
use crate::requests::Counting;

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
    /// At a server.
    Cloud {
        /// Its client.
        objects: Arc<dyn ObjectStore>,
        /// How it deletes many.
        bulk: Bulk,
        /// What went to it.
        requests: Counting,
    },
}

/// How a backend deletes many blobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bulk {
    /// One request takes so many keys.
    UpTo(usize),
    /// One request each.
    OneByOne,
}

impl Backend {
    fn objects(&self) -> &dyn ObjectStore {
        match self {
            Self::Memory(memory) => memory,
            Self::Files { files, .. } => files,
            Self::Cloud { objects, .. } => objects,
        }
    }

    async fn check(&self, key: &str) -> Result<(), BlobError> {
        match self {
            Self::Memory(_) | Self::Cloud { .. } => Ok(()),
            Self::Files { directory, .. } => directory.check(key).await,
        }
    }

    const fn bulk(&self) -> Bulk {
        match self {
            Self::Memory(_) | Self::Files { .. } => Bulk::OneByOne,
            Self::Cloud { bulk, .. } => *bulk,
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

/// Deletions of one call that are under way at a time where there are no bulk deletes.
const DELETIONS: usize = 16;

/// A backend with a prefix and bounds.
#[derive(Debug)]
pub(crate) struct ObjectBlobStore {
    backend: Backend,
    prefix: String,
    access: Access,
    blob_bytes: u64,
    timeout: Duration,
    turns: Arc<Semaphore>,
    calls: Calls,
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
            calls: Calls::default(),
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

    /// Counts a call.
    async fn counted<T>(
        &self,
        kind: &'static str,
        bytes: impl FnOnce(&T) -> usize,
        act: impl Future<Output = Result<T, BlobError>>,
    ) -> Result<T, BlobError> {
        let started = Instant::now();
        let answer = act.await;
        let bytes = answer.as_ref().map_or(0, bytes) as u64;
        self.calls.count(kind, &answer, bytes, started.elapsed());
        answer
    }

    fn path(&self, key: &str) -> Result<Path, BlobError> {
        let path = to_path(&self.prefix, key)?;
        let broken = match &self.backend {
            Backend::Memory(_) => None,
            Backend::Files { .. } => broken_file_rule(path.as_ref()),
            Backend::Cloud { .. } => broken_url_rule(path.as_ref()),
        };
        match broken {
            None => Ok(path),
            Some(rule) => Err(BlobError::Other {
                key: key.to_owned(),
                why: rule.to_owned(),
            }),
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

    /// Sends parts; what was sent of a blob that does not become whole is taken back.
    async fn write_parts(&self, key: &str, first: Vec<u8>, mut parts: Parts<'_>) -> Result<usize, BlobError> {
        let path = self.path(key)?;
        let fail = |error| to_port(key, &error);
        let begin = async { self.backend.objects().put_multipart(&path).await.map_err(fail) };
        let mut upload = self.call(key, begin).await?;
        let mut sent = 0_usize;
        let mut next = Ok((first, false));
        let written = loop {
            let (part, last) = match next {
                Ok(part) => part,
                Err(error) => break Err(error),
            };
            sent += part.len();
            if let Err(error) = self.check_size(key, sent as u64) {
                break Err(error);
            }
            if !part.is_empty() {
                let sending = upload.put_part(part.into());
                if let Err(error) = self.call(key, async { sending.await.map_err(fail) }).await {
                    break Err(error);
                }
            }
            if last {
                break self
                    .call(key, async { upload.complete().await.map_err(fail) })
                    .await
                    .map(|_| sent);
            }
            next = parts.next(PART).await;
        };
        if written.is_err() {
            // The backend forgets what it holds of it some day, or `store fsck` finds it.
            let _ = self.call(key, async { upload.abort().await.map_err(fail) }).await;
        }
        written
    }

    async fn write_pieces(&self, key: &str, pieces: &mut dyn Pieces) -> Result<usize, BlobError> {
        self.path(key)?;
        self.check_access(key)?;
        let mut parts = Parts::of(pieces);
        let (whole, ended) = parts.next(WHOLE_UP_TO).await?;
        if ended {
            let bytes = whole.len();
            return self.write(key, whole, PutMode::Overwrite).await.map(|_| bytes);
        }
        let (mut first, last) = parts.next(PART - WHOLE_UP_TO).await?;
        first.splice(..0, whole);
        if last {
            let bytes = first.len();
            return self.write(key, first, PutMode::Overwrite).await.map(|_| bytes);
        }
        self.write_parts(key, first, parts).await
    }

    async fn open(&self, key: &str) -> Result<object_store::GetResult, BlobError> {
        let path = self.path(key)?;
        self.call(key, async {
            let answer = found(key, self.backend.objects().get(&path).await)?;
            self.check_size(key, answer.meta.size)?;
            Ok(answer)
        })
        .await
    }

    async fn list_keys(&self, prefix: &str) -> Result<Vec<String>, BlobError> {
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

    /// The key without the store's prefix, if it starts with `whole`.
    fn own_key(&self, key: &str, whole: &str) -> Option<String> {
        if !key.starts_with(whole) {
            return None;
        }
        key.strip_prefix(&self.prefix)
            .filter(|key| !key.is_empty())
            .map(ToOwned::to_owned)
    }

    async fn delete_one(&self, key: &str) -> Result<(), BlobError> {
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

    /// Deletes with one request; answers the keys that may be there still.
    async fn delete_bulk(&self, keys: Vec<String>) -> Vec<(String, BlobError)> {
        let mut failures = Vec::new();
        let mut paths = Vec::new();
        for key in keys {
            match self.check_access(&key).and_then(|()| self.path(&key)) {
                Ok(path) => paths.push((key, path)),
                Err(error) => failures.push((key, error)),
            }
        }
        let Some((first, _)) = paths.first() else {
            return failures;
        };
        let locations: Vec<_> = paths.iter().map(|(_, path)| Ok(path.clone())).collect();
        let answers = self.call(first, async {
            let answers = self.backend.objects().delete_stream(stream::iter(locations).boxed());
            Ok(answers.collect::<Vec<_>>().await)
        });
        let (mut gone, mut why) = (BTreeSet::new(), None);
        match answers.await {
            Ok(answers) => {
                for answer in answers {
                    match answer {
                        Ok(path) => drop(gone.insert(path)),
                        // Absent is no error; its path is the text of the key.
                        Err(object_store::Error::NotFound { path, .. }) => {
                            gone.extend(
                                paths
                                    .iter()
                                    .map(|(_, own)| own)
                                    .filter(|own| own.as_ref() == path)
                                    .cloned(),
                            );
                        }
                        Err(error) => why = why.or(Some(to_port(first, &error))),
                    }
                }
            }
            Err(error) => why = Some(error),
        }
        let remain = paths.into_iter().filter(|(_, path)| !gone.contains(path));
        failures.extend(remain.map(|(key, _)| {
            let error = why.clone().unwrap_or_else(|| BlobError::Other {
                key: key.clone(),
                why: "the server did not say that it is deleted".to_owned(),
            });
            (key, error)
        }));
        failures
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
        let length = bytes.len();
        let write = self.write(key, bytes, PutMode::Overwrite);
        self.counted("put", |_| length, write).await.map(|_| ())
    }

    async fn put_pieces(&self, key: &str, pieces: &mut dyn Pieces) -> Result<(), BlobError> {
        let write = self.write_pieces(key, pieces);
        self.counted("put", |bytes| *bytes, write).await.map(|_| ())
    }

    async fn put_if_absent(&self, key: &str, bytes: Vec<u8>) -> Result<Written, BlobError> {
        let length = bytes.len();
        let write = self.write(key, bytes, PutMode::Create);
        self.counted("put_if_absent", |_| length, write).await
    }

    async fn get(&self, key: &str) -> Result<Vec<u8>, BlobError> {
        let read = async {
            let mut pieces = self.received(key).await?;
            let mut whole = Vec::with_capacity(usize::try_from(pieces.left).unwrap_or_default());
            while let Some(piece) = pieces.next().await? {
                whole.extend_from_slice(&piece);
            }
            Ok(whole)
        };
        self.counted("get", Vec::len, read).await
    }

    async fn get_pieces(&self, key: &str) -> Result<Box<dyn Pieces>, BlobError> {
        let length = |pieces: &Received| usize::try_from(pieces.left).unwrap_or_default();
        let pieces = self.counted("get", length, self.received(key)).await?;
        Ok(Box::new(pieces))
    }

    async fn exists(&self, key: &str) -> Result<bool, BlobError> {
        let look = async {
            let path = self.path(key)?;
            self.call(key, async {
                let answer = found(key, self.backend.objects().head(&path).await);
                if_found(answer).map(|meta| meta.is_some())
            })
            .await
        };
        self.counted("exists", |_| 0, look).await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<String>, BlobError> {
        self.counted("list", |_| 0, self.list_keys(prefix)).await
    }

    async fn delete(&self, key: &str) -> Result<(), BlobError> {
        self.counted("delete", |()| 0, self.delete_one(key)).await
    }

    async fn delete_many(&self, keys: Vec<String>) -> Vec<(String, BlobError)> {
        let Bulk::UpTo(most) = self.backend.bulk() else {
            let deletions = keys.into_iter().map(|key| async move {
                let answer = self.delete(&key).await;
                answer.err().map(|error| (key, error))
            });
            return stream::iter(deletions)
                .buffer_unordered(DELETIONS)
                .filter_map(ready)
                .collect()
                .await;
        };
        let mut failures = Vec::new();
        for group in keys.chunks(most) {
            let delete = async {
                let remain = self.delete_bulk(group.to_vec()).await;
                let first = remain.first().map(|(_, error)| error.clone());
                failures.extend(remain);
                first.map_or(Ok(()), Err)
            };
            // What failed is in `failures`, key by key.
            let _ = self.counted("delete_many", |()| 0, delete).await;
        }
        failures
    }

    fn calls(&self) -> StoreCalls {
        let requests = match &self.backend {
            Backend::Memory(_) | Backend::Files { .. } => 0,
            Backend::Cloud { requests, .. } => requests.requests(),
        };
        self.calls.now(requests)
    }
}

impl ObjectBlobStore {
    async fn received(&self, key: &str) -> Result<Received, BlobError> {
        let answer = self.open(key).await?;
        Ok(Received {
            key: key.to_owned(),
            left: answer.meta.size,
            stream: answer.into_stream(),
            timeout: self.timeout,
            turns: Arc::clone(&self.turns),
        })
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
