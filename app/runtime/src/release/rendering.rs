//! From a source to the render that should be on the cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use convoy_domain::Timestamp;
use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::cluster::ClusterApi;
use convoy_domain::condition::{ConditionType, Failure, Reason, Stage, Truth};
use convoy_domain::content::{self, Inputs};
use convoy_domain::entropy::{self as keyed, EntropyKey};
use convoy_domain::id::ReleaseId;
use convoy_domain::limits::Limits;
use convoy_domain::mutation::mutate;
use convoy_domain::release::{CapabilitiesMode, Content, Mutation, Pin, Release};
use convoy_domain::render::Render;
use convoy_domain::wave::{Wave, waves};
use tracing::debug;

use super::requirements::{self, Requirements};
use super::session::{Session, cut};
use super::values::{self, Layers};
use crate::entropy;
use crate::failures;
use crate::registry::Work;
use crate::render_store::RenderStoreError;
use crate::sources::{Located, Reading};
use crate::target::Target;

/// What a render of the source is made from.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) source: Located,
    pub(crate) requirements: Requirements,
    pub(crate) layers: Layers,
}

/// Finds the charts that the source's chart needs.
pub(crate) async fn with_requirements(
    session: &Session<'_>,
    reading: &mut Reading<'_>,
    source: Result<Located, Failure>,
) -> Result<Found, Failure> {
    let source = source?;
    let requirements = requirements::locate(session.runtime, reading, &session.release, &source).await?;
    Ok(Found {
        source,
        requirements,
        layers: Layers::default(),
    })
}

/// Finds the layers of values, too.
pub(crate) async fn with_layers(
    session: &Session<'_>,
    reading: &mut Reading<'_>,
    found: Result<Found, Failure>,
) -> Result<Found, Failure> {
    let found = found?;
    let layers = values::locate(session.runtime, reading, &session.release).await?;
    Ok(Found { layers, ..found })
}

/// What a render of the source gave.
struct Made {
    revision: Revision,
    values: Vec<String>,
    render: Render,
    warnings: Vec<String>,
}

/// The effective render: the pin's, else the source's. The source is rendered in both cases, so that the status
/// shows what unpinning would do; when it cannot be, a pin whose blob is stored is not hindered by it.
pub(crate) async fn effective(
    session: &mut Session<'_>,
    found: Result<Found, Failure>,
    api: Option<ClusterApi>,
    fingerprint: String,
) -> Result<Work, Failure> {
    let rendered = match found {
        Ok(found) => from_source(session, found, api).await,
        Err(failure) => Err(failure),
    };
    match &rendered {
        Ok(Made { revision, render, .. }) => {
            session.set(
                ConditionType::SourceReady,
                Truth::True,
                Reason::Succeeded,
                format!("at {revision}"),
            );
            let message = format!("{} objects, {}", render.objects().len(), render.render_ref().short());
            session.set(ConditionType::Rendered, Truth::True, Reason::Succeeded, message);
        }
        Err(failure) => debug!(release = %session.release.id, ?failure, "the source does not render"),
    }
    let Some(pin) = session.release.pin.clone() else {
        session.unset(ConditionType::Pinned);
        return work(fingerprint, rendered?);
    };
    let stored_with = |render, warning| Made {
        revision: Revision(String::new()),
        values: Vec::new(),
        render,
        warnings: vec![warning],
    };
    let made = match rendered {
        Ok(made) if made.render.render_ref() == pin.render_ref => made,
        Ok(Made { render, .. }) => {
            let warning = format!("unpinning would apply {}", render.render_ref());
            stored_with(stored(session, &pin).await?, warning)
        }
        Err(failure) => {
            let warning = format!(
                "the source does not render, the pin is not hindered: {}",
                failure.message
            );
            let render = stored(session, &pin).await?;
            for (kind, truth) in convoy_domain::condition::conditions_of(&failure) {
                if matches!(kind, ConditionType::SourceReady | ConditionType::Rendered) {
                    session.set(*kind, *truth, failure.reason, failure.message.clone());
                }
            }
            stored_with(render, warning)
        }
    };
    let why = if pin.reason.is_empty() {
        String::new()
    } else {
        format!(": {}", pin.reason)
    };
    session.set(
        ConditionType::Pinned,
        Truth::True,
        Reason::Pinned,
        format!("pinned to {}{why}", pin.render_ref.short()),
    );
    work(fingerprint, made)
}

fn work(fingerprint: String, made: Made) -> Result<Work, Failure> {
    let Made {
        revision,
        values,
        render,
        warnings,
    } = made;
    let waves: Vec<Wave> = waves(render.objects())?;
    Ok(Work {
        fingerprint,
        revision: Revision(revision.shown().to_string()),
        source: revision.0,
        values,
        render: Arc::new(render),
        waves: waves.into(),
        prepared: None,
        applied: BTreeMap::new(),
        adopted: BTreeSet::new(),
        warnings,
    })
}

/// What the target cluster serves, if the Release's chart wants to know.
pub(crate) async fn cluster_api(release: &Release, target: &Target) -> Result<Option<ClusterApi>, Failure> {
    match &release.spec.content {
        Content::Helm(helm) if helm.capabilities == CapabilitiesMode::Cluster => {
            let answer = target.client.api().await;
            answer
                .map(Some)
                .map_err(|error| failures::cluster(Stage::Cluster, &error))
        }
        Content::Helm(_) | Content::Kustomize(_) | Content::Manifests(_) => Ok(None),
    }
}

async fn from_source(session: &Session<'_>, found: Found, api: Option<ClusterApi>) -> Result<Made, Failure> {
    let (runtime, release) = (session.runtime, &session.release);
    let Found {
        source,
        requirements,
        layers,
    } = found;
    let mut artifact = source.artifact(runtime).await?;
    artifact.files = requirements.supply(runtime, release, &artifact).await?;
    let key = match &release.spec.content {
        Content::Helm(_) => Some(entropy::key(runtime).await?),
        // It needs the key only where it names charts, and says so then.
        Content::Kustomize(_) => entropy::key(runtime).await.ok(),
        Content::Manifests(_) => None,
    };
    let inputs = layers.revisions();
    let mut content = release.spec.content.clone();
    if let Content::Helm(helm) = &mut content {
        helm.values = layers.read(runtime).await?;
    }
    let job = Job {
        release: release.id.clone(),
        now: keyed::clock(artifact.time, release.created),
        artifact,
        content,
        mutations: release.mutations.clone(),
        key,
        api,
        limits: runtime.settings.limits.clone(),
    };
    let bound = runtime.settings.limits.render_time;
    let (render, warnings) = runtime.engines.run(bound, move |cancel| job.render(cancel)).await?;
    Ok(Made {
        revision: source.revision,
        values: inputs,
        render,
        warnings,
    })
}

/// All that one render needs, so that it can run where nobody waits for it.
struct Job {
    release: ReleaseId,
    now: Timestamp,
    artifact: Artifact,
    content: Content,
    mutations: Vec<Mutation>,
    key: Option<EntropyKey>,
    api: Option<ClusterApi>,
    limits: Limits,
}

impl Job {
    /// Renders and mutates.
    fn render(self, cancel: &Arc<AtomicBool>) -> Result<(Render, Vec<String>), Failure> {
        let inputs = Inputs {
            release: &self.release,
            entropy: self.key.as_ref(),
            now: self.now,
            cluster: self.api.as_ref(),
            cancel: Some(Arc::clone(cancel)),
        };
        let rendered = content::render(&self.artifact.files, &self.content, &inputs, &self.limits)?;
        let mut objects = rendered.objects;
        mutate(&self.mutations, &mut objects)?;
        Ok((Render::new(objects, &self.limits)?, within_bounds(rendered.warnings)))
    }
}

/// The first of many warnings, each cut to what a status holds.
fn within_bounds(warnings: Vec<String>) -> Vec<String> {
    const MOST: usize = 20;
    let others = warnings.len().saturating_sub(MOST);
    let mut shown: Vec<String> = warnings.into_iter().take(MOST).map(cut).collect();
    if others > 0 {
        shown.push(format!("and {others} more warnings of the render"));
    }
    shown
}

/// The render of a pin, from the store.
async fn stored(session: &Session<'_>, pin: &Pin) -> Result<Render, Failure> {
    let store = &session.runtime.ports.store;
    store
        .get_render(&session.release.id, pin.render_ref)
        .await
        .map_err(|error| {
            let reason = match &error {
                RenderStoreError::Disabled | RenderStoreError::NotFound { .. } => Reason::Pinned,
                RenderStoreError::Corrupt { .. } | RenderStoreError::Unopened { .. } => Reason::StoreCorrupt,
                RenderStoreError::Store { .. }
                | RenderStoreError::UnknownKey { .. }
                | RenderStoreError::Time { .. }
                | RenderStoreError::PointersUnknown { .. }
                | RenderStoreError::NotDeleted { .. } => Reason::StoreUnavailable,
            };
            Failure::new(
                Stage::Pin,
                reason,
                format!("the pinned render {} cannot be read: {error}", pin.render_ref.short()),
            )
        })
}
