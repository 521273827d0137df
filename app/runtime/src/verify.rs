//! The source controller: asks an endpoint whether it is what its source says, and writes the Ready condition.

use std::time::Duration;

use convoy_domain::condition::Truth;
use convoy_domain::source::{Source, SourceKey, SourceReason, SourceStatus};
use convoy_ports::Requeue;
use tracing::{debug, warn};

use crate::Runtime;
use crate::failures;
use crate::runtime::UNREADABLE;

pub(crate) async fn source(runtime: &Runtime, key: &SourceKey) -> Requeue {
    let source = match runtime.ports.control_plane.source(key).await {
        Ok(Some(source)) => source,
        Ok(None) => return Requeue::OnChange,
        Err(error) => {
            warn!(source = %key, %error, "cannot read the source");
            return UNREADABLE;
        }
    };
    if let Some(left) = not_due(runtime, &source) {
        return Requeue::After(left);
    }
    let status = verified(runtime, &source).await;
    debug!(source = %key, ready = %status.ready, reason = %status.reason, "verified");
    if source.status.as_ref() != Some(&status)
        && let Err(error) = runtime.ports.control_plane.write_source_status(&source, &status).await
    {
        warn!(source = %key, %error, "cannot write the status of the source");
        return UNREADABLE;
    }
    Requeue::After(source.interval.max(source.min_sync_interval))
}

/// An endpoint is asked at each change, else at its interval and never more often than `minSyncInterval`.
fn not_due(runtime: &Runtime, source: &Source) -> Option<Duration> {
    let status = source
        .status
        .as_ref()
        .filter(|status| status.observed_generation == source.generation)?;
    let age = Duration::try_from(runtime.now().duration_since(status.last_verified?)).ok()?;
    source
        .interval
        .max(source.min_sync_interval)
        .checked_sub(age)
        .filter(|left| !left.is_zero())
}

async fn verified(runtime: &Runtime, source: &Source) -> SourceStatus {
    let (ready, reason, message) = if source.unsupported.is_empty() {
        match runtime.ports.sources.verify(source).await {
            Ok(()) => (Truth::True, SourceReason::Verified, verified_message(source)),
            Err(error) => (
                Truth::False,
                failures::verification(source.key.kind, &error),
                error.to_string(),
            ),
        }
    } else {
        let what = source.unsupported.join("`, `");
        (
            Truth::False,
            SourceReason::Unsupported,
            format!("`{what}` is not supported yet"),
        )
    };
    let now = runtime.now();
    let before = source.status.as_ref().filter(|status| status.ready == ready);
    SourceStatus {
        observed_generation: source.generation,
        ready,
        reason,
        message,
        last_verified: Some(now),
        last_transition: before.map_or(now, |status| status.last_transition),
        endpoint: source.url.clone(),
    }
}

fn verified_message(source: &Source) -> String {
    let insecure = if source.tls.insecure_skip_verify {
        "; its certificate is not checked"
    } else {
        ""
    };
    let ignored = if source.ignored.is_empty() {
        String::new()
    } else {
        format!("; passed over: `{}`", source.ignored.join("`, `"))
    };
    format!("the repository answers{insecure}{ignored}")
}
