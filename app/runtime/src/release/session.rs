//! What one look knows and writes: the Release as it was read, the status as it will be, and the events between.

use std::time::Duration;

use convoy_domain::Timestamp;
use convoy_domain::condition::{
    Condition, ConditionType, Failure, Reason, Stage, Truth, derive_ready, set_condition, set_failure,
};
use convoy_domain::release::Release;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::retry;
use convoy_domain::status::{Attempt, AttemptFailure, Phase, ReleaseStatus};
use convoy_domain::sync::Permission;
use convoy_ports::{ControlPlaneError, Event, EventType, Requeue};
use tracing::{info, warn};

use crate::registry::Memo;
use crate::{Runtime, failures};

/// One look at one Release.
pub(crate) struct Session<'r> {
    pub(crate) runtime: &'r Runtime,
    /// As last read or written: `status` and `resource_version` follow each write.
    pub(crate) release: Release,
    /// The status that will be written.
    pub(crate) status: ReleaseStatus,
    pub(crate) memo: Memo,
    /// What the status was when the look began.
    before: ReleaseStatus,
    /// What happened that the status does not tell.
    notes: Vec<Event>,
    gone: bool,
}

impl<'r> Session<'r> {
    pub(crate) fn new(runtime: &'r Runtime, release: Release, memo: Memo) -> Self {
        let mut status = release.status.clone();
        status.observed_generation = release.generation;
        status.shard.clone_from(&runtime.settings.replica);
        Self {
            runtime,
            before: release.status.clone(),
            release,
            status,
            memo,
            notes: vec![],
            gone: false,
        }
    }

    pub(crate) fn into_memo(self) -> Memo {
        self.memo
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.runtime.now()
    }

    /// The status as it was read when the look began.
    pub(crate) fn status_at_start(&self) -> &ReleaseStatus {
        &self.before
    }

    /// The Release has no finalizer any more: nothing is written of it.
    pub(crate) fn mark_gone(&mut self) {
        self.gone = true;
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// The next look when nothing happens before.
    pub(crate) fn interval(&self) -> Requeue {
        Requeue::After(retry::jittered_interval(
            self.release.spec.sync.interval,
            &self.release.uid,
        ))
    }

    /// The next look at objects that are not healthy: the interval, but not longer than 10 s.
    pub(crate) fn soon(&self) -> Requeue {
        const SOON: Duration = Duration::from_secs(10);
        match self.interval() {
            Requeue::After(interval) => Requeue::After(interval.min(SOON)),
            Requeue::OnChange => Requeue::After(SOON),
        }
    }

    /// Whether this render may be applied: by policy, or by a request that names it and was not answered before.
    /// The request counts as answered now.
    pub(crate) fn permission(&mut self, render_ref: RenderRef) -> Permission {
        let Some(request) = &self.release.annotations.sync_requested else {
            return if self.release.spec.sync.automatic {
                Permission::Granted
            } else {
                Permission::Withheld
            };
        };
        let named = request
            .split_once('@')
            .map_or(request.as_str(), |(render, _time)| render);
        let fresh = self.before.last_handled_sync_request != *request;
        let under_way = self
            .before
            .rollout
            .as_ref()
            .is_some_and(|rollout| rollout.render_ref == render_ref);
        let requested = named.parse() == Ok(render_ref) && (fresh || under_way);
        self.status.last_handled_sync_request.clone_from(request);
        if requested || self.release.spec.sync.automatic {
            Permission::Granted
        } else {
            Permission::Withheld
        }
    }

    /// A request to forget a failure is answered once seen: each look tries anyway.
    pub(crate) fn answer_retry(&mut self) {
        if let Some(request) = &self.release.annotations.retry_requested {
            self.status.last_handled_retry_request.clone_from(request);
        }
    }

    pub(crate) fn set_warnings(&mut self, warnings: Vec<String>) {
        self.status.warnings = warnings;
    }

    pub(crate) fn add_warnings(&mut self, warnings: &[String]) {
        for warning in warnings {
            if !self.status.warnings.contains(warning) {
                self.status.warnings.push(warning.clone());
            }
        }
    }

    pub(crate) fn set(&mut self, kind: ConditionType, truth: Truth, reason: Reason, message: impl Into<String>) {
        let condition = Condition {
            kind,
            truth,
            reason,
            message: message.into(),
            observed_generation: self.release.generation,
            last_transition: self.now(),
        };
        set_condition(&mut self.status.conditions, condition);
    }

    pub(crate) fn unset(&mut self, kind: ConditionType) {
        self.status.conditions.retain(|condition| condition.kind != kind);
    }

    /// Writes the status if it changed.
    pub(crate) async fn save(&mut self) -> Result<(), ControlPlaneError> {
        if self.gone || self.status == self.release.status {
            return Ok(());
        }
        let version = self
            .runtime
            .ports
            .control_plane
            .write_status(&self.release, &self.status)
            .await?;
        self.release.resource_version = version;
        self.release.status = self.status.clone();
        Ok(())
    }

    /// Writes the status, as a part of a stage.
    pub(crate) async fn save_in(&mut self, stage: Stage) -> Result<(), Failure> {
        self.save()
            .await
            .map_err(|error| failures::control_plane(stage, &error))
    }

    /// Ends the look: status, events, and when to look again.
    pub(crate) async fn conclude(&mut self, verdict: Result<Requeue, Failure>) -> Requeue {
        let requeue = match verdict {
            Ok(requeue) => {
                self.derive_ready();
                requeue
            }
            Err(failure) => self.fail(&failure),
        };
        if self.gone {
            return requeue;
        }
        if let Err(error) = self.save().await {
            let release = &self.release.id;
            warn!(%release, %error, "cannot write the status");
            return Requeue::After(Duration::from_millis(500));
        }
        self.tell().await;
        requeue
    }

    /// Writes a failure into the status.
    fn fail(&mut self, failure: &Failure) -> Requeue {
        let release = &self.release.id;
        info!(%release, stage = %failure.stage, reason = %failure.reason, message = failure.message, "stopped");
        let now = self.now();
        set_failure(&mut self.status.conditions, failure, self.release.generation, now);
        let retries = self.retries(failure);
        let wait = if failure.is_transient() {
            retry::delay(self.release.spec.sync.retry.as_ref(), &self.release.uid, retries)
        } else {
            None
        };
        let requeue = wait.map_or_else(|| self.interval(), Requeue::After);
        let next_retry = wait.and_then(|wait| now.checked_add(wait).ok());
        let mut attempt = self.status.last_attempted.take().unwrap_or_else(|| new_attempt(now));
        attempt.phase = Phase::Failed;
        attempt.finished = Some(now);
        attempt.failure = Some(AttemptFailure {
            failure: failure.clone(),
            retries,
            next_retry,
        });
        if self.same_failure(failure) && !failure.is_transient() {
            // A permanent failure that is found again says nothing new: times stay, so that nothing is written.
            if let Some(before) = &self.before.last_attempted {
                attempt.finished = before.finished;
                attempt.started = before.started;
            }
        }
        self.status.last_attempted = Some(attempt);
        requeue
    }

    fn same_failure(&self, failure: &Failure) -> bool {
        let before = self
            .before
            .last_attempted
            .as_ref()
            .and_then(|attempt| attempt.failure.as_ref());
        before.is_some_and(|before| before.failure == *failure)
            && self.before.observed_generation == self.release.generation
    }

    fn retries(&self, failure: &Failure) -> u32 {
        let before = self
            .before
            .last_attempted
            .as_ref()
            .and_then(|attempt| attempt.failure.as_ref());
        match before {
            Some(before)
                if failure.is_transient()
                    && before.failure.reason == failure.reason
                    && before.failure.stage == failure.stage =>
            {
                before.retries.saturating_add(1)
            }
            Some(_) | None => 0,
        }
    }

    fn derive_ready(&mut self) {
        if self.release.deleted.is_some() {
            return;
        }
        if self.release.spec.suspend {
            self.set(
                ConditionType::Ready,
                Truth::Unknown,
                Reason::Suspended,
                "nothing is done while it is suspended",
            );
        } else {
            let ready = derive_ready(&self.status.conditions, false, self.release.generation, self.now());
            set_condition(&mut self.status.conditions, ready);
        }
    }

    /// Remembers an event for the end of the look.
    pub(crate) fn note(&mut self, kind: EventType, reason: Reason, message: String) {
        self.notes.push(event(kind, reason, message));
    }

    /// Events on changes of state only.
    async fn tell(&self) {
        let control_plane = &self.runtime.ports.control_plane;
        for event in self.changes() {
            if let Err(error) = control_plane.record_event(&self.release, &event).await {
                warn!(release = %self.release.id, %error, "cannot record an event");
            }
        }
    }

    fn changes(&self) -> Vec<Event> {
        let mut events = self.notes.clone();
        let failure = |status: &ReleaseStatus| {
            status
                .last_attempted
                .as_ref()
                .and_then(|attempt| attempt.failure.as_ref())
                .map(|failed| failed.failure.clone())
        };
        if let Some(now) = failure(&self.status)
            && failure(&self.before).as_ref() != Some(&now)
        {
            events.push(event(
                EventType::Warning,
                now.reason,
                format!("{}: {}", now.stage, now.message),
            ));
        }
        let (before, after) = (&self.before.last_successful, &self.status.last_successful);
        if let Some(applied) = after
            && before.as_ref().map(|before| before.render_ref) != Some(applied.render_ref)
        {
            let message = format!(
                "applied {} objects of {} at {}",
                applied.objects,
                applied.render_ref.short(),
                applied.revision
            );
            events.push(event(EventType::Normal, Reason::Succeeded, message));
        }
        let truth = |status: &ReleaseStatus, kind| {
            status
                .conditions
                .iter()
                .find(|condition| condition.kind == kind)
                .map(|condition| condition.truth)
        };
        let healthy = |status| truth(status, ConditionType::Healthy) == Some(Truth::True);
        if healthy(&self.status) && !healthy(&self.before) {
            events.push(event(EventType::Normal, Reason::Succeeded, "healthy".to_string()));
        }
        if truth(&self.status, ConditionType::Suspended) == Some(Truth::True)
            && truth(&self.before, ConditionType::Suspended) != Some(Truth::True)
        {
            events.push(event(EventType::Normal, Reason::Suspended, "suspended".to_string()));
        }
        events
    }
}

fn event(kind: EventType, reason: Reason, message: String) -> Event {
    Event {
        kind,
        reason,
        message: cut(message),
    }
}

/// Cuts a message to what an event holds, 1,024 bytes.
pub(crate) fn cut(mut message: String) -> String {
    const MOST: usize = 1_024;
    if message.len() > MOST {
        let cut = (0..=MOST - '…'.len_utf8())
            .rev()
            .find(|at| message.is_char_boundary(*at))
            .unwrap_or(0);
        message.truncate(cut);
        message.push('…');
    }
    message
}

/// An attempt of which nothing is known yet.
pub(crate) fn new_attempt(now: Timestamp) -> Attempt {
    Attempt {
        revision: None,
        render_ref: None,
        phase: Phase::Pending,
        started: now,
        finished: None,
        failure: None,
        inputs: convoy_domain::status::Inputs::default(),
    }
}
