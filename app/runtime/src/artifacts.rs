//! Fetched artifacts, kept in memory within a bound, and what moving refs were last seen at.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::source::{GitRef, Source, SourceKey, SourceRef};

/// Files of one source at one revision. Sharing between sources would need each to prove its own access, so the
/// source (its uid and generation: a changed URL is another key) is a part of it.
type ArtifactKey = (SourceKey, String, i64, Revision);

/// Keeps the artifacts that were used last, up to a number of bytes.
#[derive(Debug)]
pub(crate) struct Artifacts {
    bound: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    clock: u64,
    bytes: u64,
    stored: BTreeMap<ArtifactKey, Stored>,
    resolved: BTreeMap<(SourceKey, String, i64, SourceRef), (Revision, Timestamp)>,
}

#[derive(Debug)]
struct Stored {
    artifact: Artifact,
    bytes: u64,
    used: u64,
}

impl Artifacts {
    pub(crate) fn new(bound: u64) -> Self {
        Self {
            bound,
            state: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, source: &Source, revision: &Revision) -> Option<Artifact> {
        let mut state = self.lock();
        state.clock += 1;
        let now = state.clock;
        let stored = state.stored.get_mut(&key(source, revision))?;
        stored.used = now;
        Some(stored.artifact.clone())
    }

    /// Keeps an artifact; the ones used longest ago go until the bound holds. One that is larger than the bound is
    /// not kept: whoever holds it goes on using it.
    pub(crate) fn keep(&self, source: &Source, artifact: &Artifact) {
        let bytes = artifact
            .files
            .iter()
            .map(|(path, content)| (path.len() + content.len()) as u64)
            .sum();
        if bytes > self.bound {
            return;
        }
        let mut state = self.lock();
        state.clock += 1;
        let used = state.clock;
        let stored = Stored {
            artifact: artifact.clone(),
            bytes,
            used,
        };
        if let Some(before) = state.stored.insert(key(source, &artifact.revision), stored) {
            state.bytes -= before.bytes;
        }
        state.bytes += bytes;
        while state.bytes > self.bound {
            let oldest = state
                .stored
                .iter()
                .min_by_key(|(_, stored)| stored.used)
                .map(|(key, _)| key.clone());
            let Some(gone) = oldest.and_then(|key| state.stored.remove(&key)) else {
                break;
            };
            state.bytes -= gone.bytes;
        }
    }

    /// The revision of a ref without asking: a commit is itself, and a moving ref is what it was when it was asked
    /// for within `minSyncInterval`.
    pub(crate) fn resolved(&self, source: &Source, wanted: &SourceRef, now: Timestamp) -> Option<Revision> {
        if let SourceRef::Git(GitRef::Commit(sha)) = wanted {
            return Some(Revision(sha.to_ascii_lowercase()));
        }
        let state = self.lock();
        let (revision, asked) = state.resolved.get(&resolution(source, wanted))?;
        let age = Duration::try_from(now.duration_since(*asked)).ok()?;
        (age < source.min_sync_interval).then(|| revision.clone())
    }

    /// Remembers what a ref resolved to.
    pub(crate) fn remember(&self, source: &Source, wanted: &SourceRef, revision: &Revision, now: Timestamp) {
        const MOST: usize = 100_000;
        let mut state = self.lock();
        if state.resolved.len() >= MOST {
            state.resolved.clear();
        }
        state
            .resolved
            .insert(resolution(source, wanted), (revision.clone(), now));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(source: &Source, revision: &Revision) -> ArtifactKey {
    (
        source.key.clone(),
        source.uid.clone(),
        source.generation,
        revision.clone(),
    )
}

fn resolution(source: &Source, wanted: &SourceRef) -> (SourceKey, String, i64, SourceRef) {
    (
        source.key.clone(),
        source.uid.clone(),
        source.generation,
        wanted.clone(),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use convoy_domain::id::NamespacedName;
    use convoy_domain::source::{SourceKind, Tls};

    use super::*;

    fn source(name: &str) -> Source {
        Source {
            key: SourceKey {
                kind: SourceKind::Git,
                id: NamespacedName::new("default", name).unwrap(),
            },
            uid: name.to_string(),
            generation: 1,
            resource_version: String::new(),
            url: String::new(),
            interval: Duration::from_mins(1),
            min_sync_interval: Duration::from_secs(30),
            timeout: Duration::from_mins(1),
            tls: Tls::default(),
            secrets: convoy_domain::credentials::SecretRefs::default(),
            access: convoy_domain::access::Access::default(),
            fetch_requested: None,
            unsupported: vec![],
            ignored: vec![],
            status: None,
        }
    }

    fn artifact(revision: &str, bytes: usize) -> Artifact {
        let files = [("f".to_string(), Arc::from(vec![0; bytes - 1]))].into();
        Artifact {
            revision: Revision(revision.to_string()),
            time: None,
            files: Arc::new(files),
        }
    }

    #[test]
    fn the_bound_holds_and_what_was_used_last_stays() {
        let artifacts = Artifacts::new(100);
        let source = source("a");
        artifacts.keep(&source, &artifact("1", 40));
        artifacts.keep(&source, &artifact("2", 40));
        assert!(artifacts.get(&source, &Revision("1".into())).is_some());
        artifacts.keep(&source, &artifact("3", 40));
        let there = |revision: &str| artifacts.get(&source, &Revision(revision.into())).is_some();
        assert_eq!([there("1"), there("2"), there("3")], [true, false, true]);
        artifacts.keep(&source, &artifact("4", 101));
        assert!(!there("4"), "one that is larger than the bound is not kept");
    }

    #[test]
    fn nothing_is_shared_between_sources_or_generations() {
        let artifacts = Artifacts::new(100);
        artifacts.keep(&source("a"), &artifact("1", 10));
        assert!(artifacts.get(&source("b"), &Revision("1".into())).is_none());
        let changed = Source {
            generation: 2,
            ..source("a")
        };
        assert!(artifacts.get(&changed, &Revision("1".into())).is_none());
    }

    #[test]
    fn a_moving_ref_is_asked_for_again_after_min_sync_interval_and_a_commit_never() {
        let artifacts = Artifacts::new(100);
        let (source, branch) = (source("a"), SourceRef::Git(GitRef::Branch("main".into())));
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        assert_eq!(artifacts.resolved(&source, &branch, at(0)), None);
        artifacts.remember(&source, &branch, &Revision("1".into()), at(0));
        assert_eq!(artifacts.resolved(&source, &branch, at(29)), Some(Revision("1".into())));
        assert_eq!(artifacts.resolved(&source, &branch, at(30)), None);
        assert_eq!(
            artifacts.resolved(&source, &branch, at(-5)),
            None,
            "a clock that stepped back proves nothing"
        );
        let commit = SourceRef::Git(GitRef::Commit("AB".repeat(20)));
        assert_eq!(
            artifacts.resolved(&source, &commit, at(0)),
            Some(Revision("ab".repeat(20)))
        );
    }
}
