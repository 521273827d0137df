//! From a source to the render that should be on the cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::condition::{ConditionType, Failure, Reason, Stage, Truth};
use convoy_domain::manifests::render_manifests;
use convoy_domain::mutation::mutate;
use convoy_domain::release::{Content, Pin, Release};
use convoy_domain::render::Render;
use convoy_domain::source::Source;
use convoy_domain::wave::{Wave, waves};
use tracing::debug;

use super::session::Session;
use crate::registry::Work;
use crate::render_store::RenderStoreError;
use crate::{Runtime, failures};

/// A source, and what the Release's ref is at now.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) source: Source,
    pub(crate) revision: Revision,
}

/// Reads the source object and asks for the revision, without downloading content.
pub(crate) async fn locate(session: &Session<'_>) -> Result<Located, Failure> {
    let (runtime, spec) = (session.runtime, &session.release.spec);
    let source = runtime.ports.control_plane.source(&spec.source).await;
    let source = source
        .map_err(|error| failures::control_plane(Stage::Fetch, &error))?
        .ok_or_else(|| {
            Failure::new(
                Stage::Fetch,
                Reason::SourceNotFound,
                format!("{} does not exist", spec.source),
            )
        })?;
    if !source.unsupported.is_empty() {
        let what = source.unsupported.join("`, `");
        return Err(Failure::new(
            Stage::Fetch,
            Reason::Unsupported,
            format!("{} sets `{what}`, which is not supported yet", spec.source),
        ));
    }
    let now = session.now();
    if let Some(revision) = runtime.artifacts.resolved(&source, &spec.source_ref, now) {
        return Ok(Located { source, revision });
    }
    let revision = runtime
        .ports
        .sources
        .resolve(&source, &spec.source_ref)
        .await
        .map_err(|error| failures::fetch(&error))?;
    runtime.artifacts.remember(&source, &spec.source_ref, &revision, now);
    Ok(Located { source, revision })
}

/// The effective render: the pin's, else the source's. The source is rendered in both cases, so that the status
/// shows what unpinning would do; when it cannot be, a pin whose blob is stored is not hindered by it.
pub(crate) async fn effective(
    session: &mut Session<'_>,
    located: Result<Located, Failure>,
    fingerprint: String,
) -> Result<Work, Failure> {
    let rendered = match located {
        Ok(located) => from_source(session, located).await,
        Err(failure) => Err(failure),
    };
    match &rendered {
        Ok((revision, render)) => {
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
        let (revision, render) = rendered?;
        return work(fingerprint, revision, render, vec![]);
    };
    let mut warnings = vec![];
    let (revision, render) = match rendered {
        Ok((revision, render)) if render.render_ref() == pin.render_ref => (revision, render),
        Ok((_, render)) => {
            warnings.push(format!("unpinning would apply {}", render.render_ref()));
            (Revision(String::new()), stored(session, &pin).await?)
        }
        Err(failure) => {
            warnings.push(format!(
                "the source does not render, the pin is not hindered: {}",
                failure.message
            ));
            let render = stored(session, &pin).await?;
            for (kind, truth) in convoy_domain::condition::conditions_of(&failure) {
                if matches!(kind, ConditionType::SourceReady | ConditionType::Rendered) {
                    session.set(*kind, *truth, failure.reason, failure.message.clone());
                }
            }
            (Revision(String::new()), render)
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
    work(fingerprint, revision, render, warnings)
}

fn work(fingerprint: String, revision: Revision, render: Render, warnings: Vec<String>) -> Result<Work, Failure> {
    let waves: Vec<Wave> = waves(render.objects())?;
    Ok(Work {
        fingerprint,
        revision,
        render: Arc::new(render),
        waves: waves.into(),
        prepared: None,
        applied: BTreeMap::new(),
        adopted: BTreeSet::new(),
        warnings,
    })
}

async fn from_source(session: &Session<'_>, located: Located) -> Result<(Revision, Render), Failure> {
    let artifact = artifact(session.runtime, &session.release, &located).await?;
    let render = render(&artifact, &session.release, session.runtime)?;
    Ok((located.revision, render))
}

async fn artifact(runtime: &Runtime, release: &Release, located: &Located) -> Result<Artifact, Failure> {
    let Located { source, revision } = located;
    if let Some(artifact) = runtime.artifacts.get(source, revision) {
        return Ok(artifact);
    }
    let wanted = &release.spec.source_ref;
    let fetched = runtime
        .ports
        .sources
        .fetch(source, wanted, revision, &runtime.settings.limits)
        .await;
    let artifact = fetched.map_err(|error| failures::fetch(&error))?;
    runtime.artifacts.keep(source, &artifact);
    Ok(artifact)
}

/// Renders and mutates.
fn render(artifact: &Artifact, release: &Release, runtime: &Runtime) -> Result<Render, Failure> {
    let limits = &runtime.settings.limits;
    let mut objects = match &release.spec.content {
        Content::Manifests(manifests) => render_manifests(&artifact.files, manifests, limits)?,
        Content::Helm { .. } | Content::Kustomize { .. } => {
            return Err(Failure::new(
                Stage::Render,
                Reason::Unsupported,
                "this content type is not supported yet",
            ));
        }
    };
    mutate(&release.mutations, &mut objects)?;
    Ok(Render::new(objects, limits)?)
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
                RenderStoreError::Corrupt { .. } => Reason::StoreCorrupt,
                RenderStoreError::Store { .. }
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
