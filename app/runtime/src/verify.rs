//! The source controller: asks an endpoint whether it is what its source says, and writes the Ready condition.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use convoy_domain::access::Access;
use convoy_domain::condition::{Truth, chain};
use convoy_domain::source::{Source, SourceKey, SourceKind, SourceReason, SourceStatus};
use convoy_domain::url::without_credentials;
use convoy_ports::Requeue;
use tracing::{debug, warn};

use crate::Runtime;
use crate::credentials::{SecretsError, with_secrets};
use crate::failures;
use crate::runtime::UNREADABLE;

/// What each source of this process was last asked with, or why it could not be asked.
#[derive(Debug, Default)]
pub(crate) struct Asked(Mutex<BTreeMap<SourceKey, Result<Access, String>>>);

impl Asked {
    /// Notes what a source is asked with; answers whether it was something else before.
    fn changes(&self, key: &SourceKey, opened: &Result<Source, SecretsError>) -> bool {
        let now = match opened {
            Ok(source) => Ok(source.access.clone()),
            Err(error) => Err(chain(error)),
        };
        let mut asked = self.lock();
        let changes = asked.get(key).is_some_and(|before| *before != now);
        asked.insert(key.clone(), now);
        changes
    }

    fn forget(&self, key: &SourceKey) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SourceKey, Result<Access, String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) async fn source(runtime: &Runtime, key: &SourceKey) -> Requeue {
    let source = match runtime.ports.control_plane.source(key).await {
        Ok(Some(source)) => source,
        Ok(None) => {
            runtime.asked.forget(key);
            return Requeue::OnChange;
        }
        Err(error) => {
            warn!(source = %key, %error, "cannot read the source");
            return UNREADABLE;
        }
    };
    let opened = with_secrets(&*runtime.ports.control_plane, source.clone()).await;
    // A Secret that was mended or rotated is a change, which the source's own generation does not tell.
    let changed = match &opened {
        Err(error) if error.source_reason().is_none() => false,
        known => runtime.asked.changes(key, known),
    };
    if let Some(left) = not_due(runtime, &source).filter(|_| !changed) {
        return Requeue::After(left);
    }
    let Some(verdict) = verdict(runtime, opened).await else {
        return UNREADABLE;
    };
    let status = status(runtime, &source, verdict);
    debug!(source = %key, ready = %status.ready, reason = %status.reason, "verified");
    if source.status.as_ref() != Some(&status)
        && let Err(error) = runtime.ports.control_plane.write_source_status(&source, &status).await
    {
        warn!(source = %key, %error, "cannot write the status of the source");
        return UNREADABLE;
    }
    Requeue::After(rest(runtime, &source))
}

/// How long an endpoint is left alone: its interval, and never less than `minSyncInterval`. Of old it was the time after
/// which the usual informers show everything again, whatever the source said.
fn rest(runtime: &Runtime, source: &Source) -> Duration {
    const RESYNC: Duration = Duration::from_hours(10);
    if runtime.settings.compat.is_v0_9() {
        return RESYNC;
    }
    source.interval.max(source.min_sync_interval)
}

/// An endpoint is asked at each change, else when it has rested.
fn not_due(runtime: &Runtime, source: &Source) -> Option<Duration> {
    let status = source
        .status
        .as_ref()
        .filter(|status| status.observed_generation == source.generation)?;
    let age = Duration::try_from(runtime.now().duration_since(status.last_verified?)).ok()?;
    rest(runtime, source).checked_sub(age).filter(|left| !left.is_zero())
}

/// Ready, why, and what people read; `None` when it cannot be known now.
type Verdict = (Truth, SourceReason, String);

async fn verdict(runtime: &Runtime, opened: Result<Source, SecretsError>) -> Option<Verdict> {
    let source = match opened {
        Ok(source) => source,
        Err(error) => {
            let reason = error.source_reason()?;
            return Some((Truth::False, reason, chain(&error)));
        }
    };
    if !source.unsupported.is_empty() {
        let message = format!("`{}` is not supported yet", source.unsupported.join("`, `"));
        return Some((Truth::False, SourceReason::Unsupported, message));
    }
    Some(match runtime.ports.sources.verify(&source).await {
        Ok(()) => (Truth::True, SourceReason::Verified, verified_message(&source)),
        Err(error) => (
            Truth::False,
            failures::verification(source.key.kind, &error),
            error.to_string(),
        ),
    })
}

fn status(runtime: &Runtime, source: &Source, (ready, reason, message): Verdict) -> SourceStatus {
    let now = runtime.now();
    let before = source.status.as_ref().filter(|status| status.ready == ready);
    SourceStatus {
        observed_generation: source.generation,
        ready,
        reason,
        message,
        last_verified: Some(now),
        last_transition: before.map_or(now, |status| status.last_transition),
        endpoint: without_credentials(&source.url),
    }
}

fn verified_message(source: &Source) -> String {
    let what = match source.key.kind {
        SourceKind::Git => "the repository answers",
        SourceKind::Helm => "the index can be read",
        SourceKind::Oci => "the registry answers",
    };
    let mut message = what.to_owned();
    if source.tls.insecure_skip_verify {
        message.push_str("; its certificate is not checked");
    }
    if source.access.plain_http {
        message.push_str("; by http, which hides nothing");
    }
    if !source.ignored.is_empty() {
        message.push_str("; passed over: `");
        message.push_str(&source.ignored.join("`, `"));
        message.push('`');
    }
    message
}
