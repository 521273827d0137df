//! One look at a Release: from its source to its cluster, as far as it goes now.
//!
//! The stages are the pages': validate, dependencies, fetch, cluster, render, mutate, pin; then the sync. A stage
//! gives its value or a [`Failure`], which ends the look.

mod apply;
mod deletion;
mod dependencies;
mod executor;
mod inventory;
mod keeping;
mod prepare;
mod rendering;
mod requirements;
mod session;
mod steady;
mod values;

use convoy_domain::cluster::ClusterApi;
use convoy_domain::condition::{ConditionType, Failure, Reason, Stage, Truth};
use convoy_domain::fingerprint::Fingerprint;
use convoy_domain::id::ReleaseId;
use convoy_domain::release::Content;
use convoy_domain::status::Phase;
use convoy_domain::validate::{validate, warnings};
use convoy_ports::Requeue;
use tracing::warn;

use crate::Runtime;
use crate::entropy;
use crate::registry::Work;
use crate::runtime::UNREADABLE;
use crate::sources::Reading;
use crate::target::{self, Target};

pub(crate) use self::prepare::Prepared;
pub(crate) use self::requirements::KnownRequirements;
use self::session::Session;

/// Looks at a Release once.
pub(crate) async fn reconcile(runtime: &Runtime, id: &ReleaseId) -> Requeue {
    let release = match runtime.ports.control_plane.release(id).await {
        Ok(Some(release)) => release,
        Ok(None) => {
            runtime.registry.forget(id);
            return Requeue::OnChange;
        }
        Err(error) => {
            warn!(release = %id, %error, "cannot read the Release");
            return UNREADABLE;
        }
    };
    let mut session = Session::new(runtime, release, runtime.registry.take(id));
    let verdict = look(&mut session).await;
    let requeue = session.conclude(verdict).await;
    if session.is_gone() {
        runtime.registry.forget(id);
    } else {
        runtime.registry.put(id, session.into_memo());
    }
    requeue
}

async fn look(session: &mut Session<'_>) -> Result<Requeue, Failure> {
    if session.release.deleted.is_some() {
        return deletion::finalize(session).await;
    }
    session.answer_retry();
    if session.release.spec.suspend {
        return Ok(suspended(session));
    }
    session.unset(ConditionType::Suspended);
    validate(&session.release, session.runtime.settings.compat)?;
    dependencies::ready(session).await?;
    let mut reading = Reading::new(session.runtime);
    let spec = &session.release.spec;
    let source = reading.locate(&spec.source, &spec.source_ref).await;
    let source = rendering::with_requirements(session, &mut reading, source).await;
    let target = target::reach(session.runtime, &session.release).await?;
    let api = rendering::cluster_api(&session.release, &target).await?;
    let source = rendering::with_layers(session, &mut reading, source).await;
    let fingerprint = fingerprint(session, &source, &target, api.as_ref()).await;
    if let Some(requeue) = steady::unchanged(session, &target, &fingerprint).await? {
        return Ok(requeue);
    }
    let work = match session.memo.work.take().filter(|work| work.fingerprint == fingerprint) {
        Some(work) => work,
        None => rendering::effective(session, source, api, fingerprint).await?,
    };
    session.set_warnings(warnings(&session.release));
    session.add_warnings(&work.warnings);
    sync(session, &target, work).await
}

/// Applies the render, or finds that it is in force already.
async fn sync(session: &mut Session<'_>, target: &Target, mut work: Work) -> Result<Requeue, Failure> {
    let prepared = match work.prepared.clone() {
        Some(prepared) => prepared,
        None => prepare::prepare(session, target, &work).await?,
    };
    work.prepared = Some(prepared.clone());
    if let Some(requeue) = steady::in_force(session, target, &work, &prepared).await? {
        return Ok(requeue);
    }
    executor::roll_out(session, target, work, prepared).await
}

fn suspended(session: &mut Session<'_>) -> Requeue {
    session.set(
        ConditionType::Suspended,
        Truth::True,
        Reason::Suspended,
        "spec.suspend is true: nothing is done",
    );
    Requeue::OnChange
}

/// Hash of everything that a render and its apply are made from. A source that cannot be read has a fingerprint
/// too, so that a pin over it is not applied at each look.
async fn fingerprint(
    session: &Session<'_>,
    source: &Result<rendering::Found, Failure>,
    target: &Target,
    api: Option<&ClusterApi>,
) -> String {
    let release = &session.release;
    let (revision, charts, values) = match source {
        Ok(found) => (
            found.source.revision.0.as_str(),
            found.requirements.revisions(),
            found.layers.revisions(),
        ),
        Err(failure) => (failure.reason.as_str(), Vec::new(), Vec::new()),
    };
    let key = match &release.spec.content {
        Content::Helm(_) | Content::Kustomize(_) => entropy::id(session.runtime).await,
        Content::Manifests(_) => String::new(),
    };
    let settings = &session.runtime.settings;
    Fingerprint::new()
        .with("convoy", &settings.version)
        .with("limits", &format!("{:?}", settings.limits))
        .with("installation", &settings.installation_id)
        .with(
            "account",
            settings.default_service_account.as_deref().unwrap_or_default(),
        )
        .with("uid", &release.uid)
        .with("generation", &release.generation.to_string())
        .with("revision", revision)
        .with("charts", &charts.join("\n"))
        .with("values", &values.join("\n"))
        .with("entropy key", &key)
        .with("cluster", &target.facts.cluster_id)
        .with("cluster api", &api.map(|api| format!("{api:?}")).unwrap_or_default())
        .with_entries("labels", &target.record.labels)
        .with_entries("annotations", &target.record.annotations)
        .finish()
}

/// Whether the last sync applied everything: whatever failed since then left the cluster alone.
fn was_applied(session: &Session<'_>) -> bool {
    let status = &session.status;
    let Some(attempt) = &status.last_attempted else {
        return false;
    };
    let applied = status.last_successful.as_ref().map(|applied| applied.render_ref);
    let untouched = attempt
        .failure
        .as_ref()
        .is_none_or(|failed| leaves_cluster_alone(failed.failure.stage));
    let ended = matches!(attempt.phase, Phase::Succeeded | Phase::Failed);
    ended && untouched && status.rollout.is_none() && attempt.render_ref.is_some() && attempt.render_ref == applied
}

/// Stages whose failure says nothing of what is on the cluster.
const fn leaves_cluster_alone(stage: Stage) -> bool {
    match stage {
        Stage::Validate
        | Stage::Dependencies
        | Stage::Fetch
        | Stage::Cluster
        | Stage::Values
        | Stage::Render
        | Stage::Mutate
        | Stage::Pin
        | Stage::Health => true,
        Stage::Plan | Stage::DryRun | Stage::Persist | Stage::Apply | Stage::Rollback | Stage::Delete => false,
    }
}
