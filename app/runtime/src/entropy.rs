//! The installation's key: where it is, who makes it, and what is known of it.
//!
//! # Invariant
//! A key is made only while no Release was ever applied, and is never replaced: a second key would change every
//! password that charts have drawn from the first.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::entropy::{EntropyKey, KEY_ENTRY};
use convoy_domain::id::NamespacedName;
use convoy_domain::secret::Secret;
use tracing::info;

use crate::{Runtime, failures};

type Entries = BTreeMap<String, Secret<Vec<u8>>>;

/// The id of the key as it was last read.
#[derive(Debug, Default)]
pub(crate) struct KnownKey(Mutex<Option<String>>);

impl KnownKey {
    fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn put(&self, id: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = id;
    }
}

/// Reads the key, and makes it if it may be made.
///
/// # Errors
/// `EntropyKeyMissing` when it is gone or is none; the stage `values` when the control plane does not give it.
pub(crate) async fn key(runtime: &Runtime) -> Result<EntropyKey, Failure> {
    let read = read_or_make(runtime).await;
    runtime.key.put(read.as_ref().ok().map(EntropyKey::id));
    read
}

/// What stands for the key in a fingerprint: a look at what has not changed does not ask for it again.
pub(crate) async fn id(runtime: &Runtime) -> String {
    match runtime.key.get() {
        Some(id) => id,
        None => key(runtime).await.map_or_else(|_| String::new(), |key| key.id()),
    }
}

async fn read_or_make(runtime: &Runtime) -> Result<EntropyKey, Failure> {
    let settings = &runtime.settings;
    let id = NamespacedName::new(&settings.own_namespace, &settings.entropy_secret).map_err(|error| {
        missing(format!(
            "the Secret of the installation key has no usable name: {error}"
        ))
    })?;
    let entries = match read(runtime, &id).await? {
        Some(entries) => entries,
        None => make(runtime, &id).await?,
    };
    let bytes = entries.get(KEY_ENTRY).ok_or_else(|| {
        missing(format!(
            "Secret `{id}` has no entry `{KEY_ENTRY}`, the installation key"
        ))
    })?;
    EntropyKey::new(bytes.expose().clone())
        .map_err(|error| missing(format!("Secret `{id}` holds no installation key: {error}")))
}

async fn read(runtime: &Runtime, id: &NamespacedName) -> Result<Option<Entries>, Failure> {
    let answer = runtime.ports.control_plane.secret(id).await;
    answer.map_err(|error| failures::control_plane(Stage::Values, &error))
}

async fn make(runtime: &Runtime, id: &NamespacedName) -> Result<Entries, Failure> {
    let plane = &runtime.ports.control_plane;
    let refused = |error| failures::control_plane(Stage::Values, &error);
    if plane.any_applied().await.map_err(refused)? {
        return Err(missing(format!(
            "Secret `{id}` with the installation key does not exist, although Releases were applied: restore it from a \
             backup; a new key changes every generated password"
        )));
    }
    let mut bytes = vec![0; EntropyKey::BYTES];
    let filled = runtime.ports.entropy.fill(&mut bytes);
    filled.map_err(|error| missing(format!("no installation key can be made: {error}")))?;
    let entries = Entries::from([(KEY_ENTRY.to_string(), Secret::new(bytes))]);
    if plane.create_secret(id, &entries).await.map_err(refused)? {
        info!(secret = %id, "made the installation key");
        return Ok(entries);
    }
    // Another process was faster.
    let theirs = read(runtime, id).await?;
    theirs.ok_or_else(|| missing(format!("Secret `{id}` with the installation key does not stay")))
}

fn missing(message: String) -> Failure {
    Failure::new(Stage::Render, Reason::EntropyKeyMissing, message)
}
