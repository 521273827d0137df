//! `status` of a Release ⇄ the domain's status, without loss.
//!
//! A condition that this version does not know is left out, since each reconcile decides them anew. Anything else that
//! cannot be understood is an error: to forget which render was the last successful one would let the garbage
//! collection take it.

use std::str::FromStr;

use convoy_domain::artifact::Revision;
use convoy_domain::condition::{Condition, Failure};
use convoy_domain::status::{
    Applied, Attempt, AttemptFailure, HealthyRender, Inputs, InventorySummary, ReleaseStatus, Retention, Rollout,
    Waiting,
};

use super::{InvalidField, moment, render_ref};
use crate::crd;

/// Longest message of a condition, in bytes (Kubernetes' own bound).
const MAX_MESSAGE: usize = 32_768;

/// The status as the API carries it.
pub(crate) fn release_status(status: &ReleaseStatus) -> crd::ReleaseStatus {
    crd::ReleaseStatus {
        // Never absent: the API server turns an applied status without any member into null, and refuses that.
        observed_generation: Some(status.observed_generation),
        shard: status.shard.clone(),
        last_handled_sync_request: status.last_handled_sync_request.clone(),
        last_handled_retry_request: status.last_handled_retry_request.clone(),
        warnings: status.warnings.clone(),
        conditions: status.conditions.iter().map(condition).collect(),
        last_attempted: status.last_attempted.as_ref().map(attempt),
        last_successful: status.last_successful.as_ref().map(|applied| crd::LastSuccessful {
            revision: applied.revision.0.clone(),
            render_ref: applied.render_ref.to_string(),
            short_render_ref: applied.render_ref.short(),
            applied_at: applied.at.to_string(),
            objects: applied.objects,
        }),
        last_healthy: status.last_healthy.as_ref().map(|healthy| crd::LastHealthy {
            revision: healthy.revision.0.clone(),
            render_ref: healthy.render_ref.to_string(),
            healthy_at: healthy.at.to_string(),
        }),
        rollback: None,
        rollout: status.rollout.as_ref().map(rollout),
        drift: None,
        resolved_retention_policy: status.retention.map(|retention| crd::ResolvedRetentionPolicy {
            keep_history: retention.keep_history,
            history_count: retention.history_count,
        }),
        inventory: status.inventory.as_ref().map(|inventory| crd::InventoryStatus {
            objects: inventory.objects,
            parts: inventory.parts,
            pruned: inventory.pruned,
            cluster_id: inventory.cluster_id.clone(),
        }),
    }
}

/// A condition as the API carries it.
pub(super) fn condition(condition: &Condition) -> crd::Condition {
    crd::Condition {
        kind: condition.kind.as_str().to_owned(),
        status: condition.truth.as_str().to_owned(),
        reason: condition.reason.as_str().to_owned(),
        message: bounded(&condition.message),
        observed_generation: Some(condition.observed_generation),
        last_transition_time: condition.last_transition.to_string(),
    }
}

/// A message that the schema accepts: a refused status would be worse than a message without its end.
pub(super) fn bounded(message: &str) -> String {
    let mut end = message.len().min(MAX_MESSAGE);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    message[..end].to_owned()
}

fn attempt(attempt: &Attempt) -> crd::LastAttempted {
    crd::LastAttempted {
        revision: attempt.revision.as_ref().map(|revision| revision.0.clone()),
        render_ref: attempt.render_ref.map(|render_ref| render_ref.to_string()),
        phase: attempt.phase.as_str().to_owned(),
        started_at: attempt.started.to_string(),
        finished_at: attempt.finished.map(|time| time.to_string()),
        failure: attempt.failure.as_ref().map(|failure| crd::FailureStatus {
            stage: failure.failure.stage.as_str().to_owned(),
            reason: failure.failure.reason.as_str().to_owned(),
            message: bounded(&failure.failure.message),
            retries: failure.retries,
            next_retry_at: failure.next_retry.map(|time| time.to_string()),
        }),
        inputs: crd::InputsStatus {
            source: attempt.inputs.source.clone(),
            values: attempt.inputs.values.clone(),
            mutations: attempt.inputs.mutations.clone(),
            fingerprint: attempt.inputs.fingerprint.clone(),
        },
    }
}

fn rollout(rollout: &Rollout) -> crd::RolloutStatus {
    let waiting = |waiting: &Waiting| crd::WaitingStatus {
        object: waiting.object.clone(),
        health: waiting.health.clone(),
        message: waiting.message.clone(),
    };
    crd::RolloutStatus {
        render_ref: rollout.render_ref.to_string(),
        step: rollout.step.as_str().to_owned(),
        wave: rollout.wave,
        waves: rollout.waves,
        started_at: rollout.started.to_string(),
        wave_applied_at: rollout.wave_applied.map(|time| time.to_string()),
        hooks: Vec::new(),
        waiting_for: rollout.waiting_for.iter().map(waiting).collect(),
    }
}

/// Reads a status.
///
/// # Errors
/// The first field that cannot be understood.
pub(crate) fn release_status_from(status: &crd::ReleaseStatus) -> Result<ReleaseStatus, InvalidField> {
    Ok(ReleaseStatus {
        observed_generation: status.observed_generation.unwrap_or_default(),
        shard: status.shard.clone(),
        last_handled_sync_request: status.last_handled_sync_request.clone(),
        last_handled_retry_request: status.last_handled_retry_request.clone(),
        warnings: status.warnings.clone(),
        conditions: status.conditions.iter().filter_map(condition_from).collect(),
        last_attempted: status.last_attempted.as_ref().map(attempt_from).transpose()?,
        last_successful: status.last_successful.as_ref().map(applied_from).transpose()?,
        last_healthy: status.last_healthy.as_ref().map(healthy_from).transpose()?,
        rollout: status.rollout.as_ref().map(rollout_from).transpose()?,
        retention: status.resolved_retention_policy.map(|policy| Retention {
            keep_history: policy.keep_history,
            history_count: policy.history_count,
        }),
        inventory: status.inventory.as_ref().map(|inventory| InventorySummary {
            objects: inventory.objects,
            parts: inventory.parts,
            pruned: inventory.pruned,
            cluster_id: inventory.cluster_id.clone(),
        }),
    })
}

fn condition_from(condition: &crd::Condition) -> Option<Condition> {
    Some(Condition {
        kind: condition.kind.parse().ok()?,
        truth: condition.status.parse().ok()?,
        reason: condition.reason.parse().ok()?,
        message: condition.message.clone(),
        observed_generation: condition.observed_generation.unwrap_or_default(),
        last_transition: condition.last_transition_time.parse().ok()?,
    })
}

fn attempt_from(attempt: &crd::LastAttempted) -> Result<Attempt, InvalidField> {
    Ok(Attempt {
        revision: attempt.revision.clone().map(Revision),
        render_ref: attempt
            .render_ref
            .as_deref()
            .map(|text| render_ref("status.lastAttempted.renderRef", text))
            .transpose()?,
        phase: name("status.lastAttempted.phase", &attempt.phase)?,
        started: moment("status.lastAttempted.startedAt", &attempt.started_at)?,
        finished: optional_moment("status.lastAttempted.finishedAt", attempt.finished_at.as_deref())?,
        failure: attempt.failure.as_ref().map(failure_from).transpose()?,
        inputs: Inputs {
            source: attempt.inputs.source.clone(),
            values: attempt.inputs.values.clone(),
            mutations: attempt.inputs.mutations.clone(),
            fingerprint: attempt.inputs.fingerprint.clone(),
        },
    })
}

fn failure_from(failure: &crd::FailureStatus) -> Result<AttemptFailure, InvalidField> {
    Ok(AttemptFailure {
        failure: Failure {
            stage: name("status.lastAttempted.failure.stage", &failure.stage)?,
            reason: name("status.lastAttempted.failure.reason", &failure.reason)?,
            message: failure.message.clone(),
        },
        retries: failure.retries,
        next_retry: optional_moment(
            "status.lastAttempted.failure.nextRetryAt",
            failure.next_retry_at.as_deref(),
        )?,
    })
}

fn applied_from(applied: &crd::LastSuccessful) -> Result<Applied, InvalidField> {
    Ok(Applied {
        revision: Revision(applied.revision.clone()),
        render_ref: render_ref("status.lastSuccessful.renderRef", &applied.render_ref)?,
        at: moment("status.lastSuccessful.appliedAt", &applied.applied_at)?,
        objects: applied.objects,
    })
}

fn healthy_from(healthy: &crd::LastHealthy) -> Result<HealthyRender, InvalidField> {
    Ok(HealthyRender {
        revision: Revision(healthy.revision.clone()),
        render_ref: render_ref("status.lastHealthy.renderRef", &healthy.render_ref)?,
        at: moment("status.lastHealthy.healthyAt", &healthy.healthy_at)?,
    })
}

fn rollout_from(rollout: &crd::RolloutStatus) -> Result<Rollout, InvalidField> {
    let waiting = |waiting: &crd::WaitingStatus| Waiting {
        object: waiting.object.clone(),
        health: waiting.health.clone(),
        message: waiting.message.clone(),
    };
    Ok(Rollout {
        render_ref: render_ref("status.rollout.renderRef", &rollout.render_ref)?,
        step: name("status.rollout.step", &rollout.step)?,
        wave: rollout.wave,
        waves: rollout.waves,
        started: moment("status.rollout.startedAt", &rollout.started_at)?,
        wave_applied: optional_moment("status.rollout.waveAppliedAt", rollout.wave_applied_at.as_deref())?,
        waiting_for: rollout.waiting_for.iter().map(waiting).collect(),
    })
}

fn name<T: FromStr>(path: &str, text: &str) -> Result<T, InvalidField> {
    text.parse().map_err(|_| {
        InvalidField::new(
            path,
            format!("`{}` is not a known name", text.chars().take(64).collect::<String>()),
        )
    })
}

fn optional_moment(path: &str, text: Option<&str>) -> Result<Option<convoy_domain::Timestamp>, InvalidField> {
    text.map(|text| moment(path, text)).transpose()
}
