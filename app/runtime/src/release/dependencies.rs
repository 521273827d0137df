//! `spec.dependsOn`: other Releases that must be Healthy first.

use std::collections::BTreeSet;

use convoy_domain::condition::{ConditionType, Failure, Reason, Stage, Truth};
use convoy_domain::id::ReleaseId;
use convoy_domain::release::Release;

use super::session::Session;
use crate::failures;

/// Releases looked at in search of a circle, at most.
const MOST: usize = 1_000;

/// Whether every dependency is Healthy at its current generation.
pub(crate) async fn ready(session: &Session<'_>) -> Result<(), Failure> {
    let direct = &session.release.spec.depends_on;
    if direct.is_empty() {
        return Ok(());
    }
    let own = &session.release.id;
    let mut seen = BTreeSet::from([own.clone()]);
    let mut waiting = None;
    let mut open: Vec<(ReleaseId, bool)> = direct.iter().rev().map(|id| (id.clone(), true)).collect();
    while let Some((id, is_direct)) = open.pop() {
        if id == *own {
            return Err(Failure::new(
                Stage::Dependencies,
                Reason::DependencyCycle,
                format!("Release `{own}` waits for itself through spec.dependsOn"),
            ));
        }
        if !seen.insert(id.clone()) || seen.len() > MOST {
            continue;
        }
        let release = session.runtime.ports.control_plane.release(&id).await;
        let release = release.map_err(|error| failures::control_plane(Stage::Dependencies, &error))?;
        if is_direct && waiting.is_none() {
            waiting = why_not_ready(&id, release.as_ref());
        }
        open.extend(
            release
                .into_iter()
                .flat_map(|release| release.spec.depends_on)
                .map(|id| (id, false)),
        );
    }
    waiting.map_or(Ok(()), |message| {
        Err(Failure::new(Stage::Dependencies, Reason::DependencyNotReady, message))
    })
}

fn why_not_ready(id: &ReleaseId, release: Option<&Release>) -> Option<String> {
    let Some(release) = release else {
        return Some(format!("Release `{id}` does not exist"));
    };
    let healthy = release.status.conditions.iter().any(|condition| {
        condition.kind == ConditionType::Ready
            && condition.truth == Truth::True
            && condition.observed_generation == release.generation
    });
    (!healthy).then(|| format!("Release `{id}` is not Ready at its generation {}", release.generation))
}
