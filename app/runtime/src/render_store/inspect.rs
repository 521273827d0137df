//! Looks at every key of a store: what is whole, what is damaged, what is nobody's.
//!
//! Reads alone. A blob is read to its end and hashed; an entry is read and compared with its key.

use std::collections::{BTreeMap, BTreeSet};

use convoy_domain::history::HistoryEntry;
use convoy_domain::id::ReleaseId;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key::{self, StoreKey};
use convoy_ports::BlobError;
use futures::stream::{self, StreamExt};

use super::sealed::KeyId;
use super::{CONCURRENCY, RenderStoreError, StoredRenders};

/// What is wrong with a key, or notable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// The blob is not the render that its key names.
    Corrupt(String),
    /// The blob is sealed with a key that is not at hand, so that it could not be looked at.
    UnknownKey(KeyId),
    /// The entry is not what its key says.
    DamagedEntry(String),
    /// The entry names a render that is not stored.
    NoBlob(RenderRef),
    /// No entry names the blob; a pointer of the Release may.
    Orphan,
    /// No key that convoy writes.
    Foreign,
}

impl Problem {
    /// Whether something is lost or wrong, rather than notable.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        match self {
            Self::Corrupt(_) | Self::UnknownKey(_) | Self::DamagedEntry(_) | Self::NoBlob(_) => true,
            Self::Orphan | Self::Foreign => false,
        }
    }

    /// One word for it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Corrupt(_) => "corrupt",
            Self::UnknownKey(_) => "unknown-key",
            Self::DamagedEntry(_) => "damaged-entry",
            Self::NoBlob(_) => "no-blob",
            Self::Orphan => "orphan",
            Self::Foreign => "foreign",
        }
    }

    /// A sentence about it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Corrupt(why) | Self::DamagedEntry(why) => why.clone(),
            Self::UnknownKey(key) => format!("it is sealed with key `{key}`, which is not in the key file"),
            Self::NoBlob(render_ref) => format!("render {} is not stored", render_ref.short()),
            Self::Orphan => "no entry of the history names it; a pointer of the Release may".to_owned(),
            Self::Foreign => "convoy writes no such key".to_owned(),
        }
    }
}

/// A key and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The key.
    pub key: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What a look at a store has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Releases with keys.
    pub releases: usize,
    /// Blobs that are whole.
    pub blobs: usize,
    /// Their bytes, in the clear.
    pub bytes: u64,
    /// How many of them are sealed with which key.
    pub sealed: BTreeMap<KeyId, usize>,
    /// Entries of histories.
    pub entries: usize,
    /// What is wrong, by key.
    pub findings: Vec<Finding>,
}

/// What one key turned out to be.
enum Looked {
    Blob(super::Verified),
    Entry,
    Wrong(Problem),
    Gone,
}

impl StoredRenders {
    pub(super) async fn inspect(
        &self,
        prefix: &str,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Inspection, RenderStoreError> {
        let listed = self.blobs.list(prefix).await;
        let keys = listed.map_err(RenderStoreError::doing("list the keys of the store"))?;
        let located: Vec<Option<(ReleaseId, StoreKey)>> = keys.iter().map(|key| store_key::locate(key)).collect();
        let mut inspection = Inspection {
            releases: located
                .iter()
                .flatten()
                .map(|(release, _)| release)
                .collect::<BTreeSet<_>>()
                .len(),
            ..Inspection::default()
        };
        let looks = keys
            .iter()
            .zip(&located)
            .map(|(key, what)| async move { (key, self.look(key, what.as_ref()).await) });
        let mut looks = stream::iter(looks).buffered(CONCURRENCY);
        let mut done = 0;
        while let Some((key, looked)) = looks.next().await {
            done += 1;
            progress(done, keys.len());
            match looked? {
                Looked::Blob(verified) => {
                    inspection.blobs += 1;
                    inspection.bytes += verified.bytes;
                    if let Some(id) = verified.sealed_with {
                        *inspection.sealed.entry(id).or_default() += 1;
                    }
                }
                Looked::Entry => inspection.entries += 1,
                Looked::Wrong(problem) => inspection.findings.push(Finding {
                    key: key.clone(),
                    problem,
                }),
                Looked::Gone => {}
            }
        }
        inspection.findings.extend(unmatched(&keys, &located));
        inspection.findings.sort();
        Ok(inspection)
    }

    async fn look(&self, key: &str, what: Option<&(ReleaseId, StoreKey)>) -> Result<Looked, RenderStoreError> {
        match what {
            None | Some((_, StoreKey::Unknown)) => Ok(Looked::Wrong(Problem::Foreign)),
            Some((release, StoreKey::Blob(render_ref))) => match self.verify(release, *render_ref).await {
                Ok(verified) => Ok(Looked::Blob(verified)),
                Err(RenderStoreError::NotFound { .. }) => Ok(Looked::Gone),
                Err(RenderStoreError::UnknownKey { key, .. }) => Ok(Looked::Wrong(Problem::UnknownKey(key))),
                Err(RenderStoreError::Corrupt { cause, .. }) => Ok(Looked::Wrong(Problem::Corrupt(cause.to_string()))),
                Err(RenderStoreError::Unopened { why, .. }) => Ok(Looked::Wrong(Problem::Corrupt(why))),
                Err(error) => Err(error),
            },
            Some((_, StoreKey::History(entry))) => match self.blobs.get(key).await {
                Ok(bytes) => Ok(match HistoryEntry::from_bytes(entry.clone(), &bytes) {
                    Ok(_) => Looked::Entry,
                    Err(error) => Looked::Wrong(Problem::DamagedEntry(error.to_string())),
                }),
                Err(BlobError::NotFound { .. }) => Ok(Looked::Gone),
                Err(error) => Err(RenderStoreError::doing("read an entry of the history")(error)),
            },
        }
    }
}

/// Entries whose blob is not there, and blobs that no entry names.
fn unmatched(keys: &[String], located: &[Option<(ReleaseId, StoreKey)>]) -> Vec<Finding> {
    let (mut stored, mut named) = (BTreeSet::new(), BTreeSet::new());
    for (release, what) in located.iter().flatten() {
        match what {
            StoreKey::Blob(render_ref) => stored.insert((release, *render_ref)),
            StoreKey::History(entry) => named.insert((release, entry.render())),
            StoreKey::Unknown => false,
        };
    }
    let problem = |what: &(ReleaseId, StoreKey)| match what {
        (release, StoreKey::Blob(render_ref)) if !named.contains(&(release, *render_ref)) => Some(Problem::Orphan),
        (release, StoreKey::History(entry)) if !stored.contains(&(release, entry.render())) => {
            Some(Problem::NoBlob(entry.render()))
        }
        (_, StoreKey::Blob(_) | StoreKey::History(_) | StoreKey::Unknown) => None,
    };
    let found = |(key, what): (&String, &Option<(ReleaseId, StoreKey)>)| {
        let problem = what.as_ref().and_then(problem)?;
        Some(Finding {
            key: key.clone(),
            problem,
        })
    };
    keys.iter().zip(located).filter_map(found).collect()
}
