//! Which sources may have which artifacts.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_domain::sharing::{ArtifactKey, Proof, Prover};

/// What is known of sources and artifacts.
#[derive(Debug, Default)]
pub(super) struct Proofs(Mutex<HashMap<(Prover, ArtifactKey), Proof>>);

impl Proofs {
    /// Proofs remembered, at most; all are asked for again beyond it.
    const MOST: usize = 100_000;

    /// Whether a source of this interval may have the artifact now.
    pub(super) fn count(&self, prover: &Prover, key: &ArtifactKey, interval: Duration, now: Timestamp) -> bool {
        let proofs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = proofs.get(&(prover.clone(), key.clone()));
        known.is_some_and(|proof| proof.counts(interval, now))
    }

    /// Notes a proof. What a source fetched itself is not forgotten for a lesser one.
    pub(super) fn note(&self, prover: Prover, key: ArtifactKey, proof: Proof) {
        let mut proofs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if proofs.len() >= Self::MOST {
            proofs.clear();
        }
        let known = proofs.entry((prover, key)).or_insert(proof);
        if *known != Proof::Fetched {
            *known = proof;
        }
    }
}
