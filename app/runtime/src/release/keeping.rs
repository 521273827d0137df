//! What a sync keeps in the render store: the blob before the apply, then history and garbage collection.
//!
//! Without a store each of them does nothing. The blob is a condition of the apply; history and collection are a
//! record of it: what fails there is logged, and fails nothing.

use std::collections::BTreeSet;

use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::gc;
use convoy_domain::release::Release;
use convoy_domain::render::summary;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::status::{ReleaseStatus, Retention};
use tracing::{debug, warn};

use super::session::Session;
use crate::registry::Work;
use crate::render_store::{Collected, RenderStore, RenderStoreError};

/// Keys under the name of a Release that has no finalizer yet are an earlier owner's: they go, unless the Release
/// says that it adopts them.
pub(crate) async fn adopt(session: &Session<'_>) -> Result<(), Failure> {
    let store = &session.runtime.ports.store;
    if matches!(store, RenderStore::Disabled) || session.release.annotations.adopt_store {
        return Ok(());
    }
    store
        .delete_release(&session.release.id)
        .await
        .map_err(|error| not_stored(&error))
}

/// Stores the render; nothing is applied that is not stored.
pub(crate) async fn persist(session: &Session<'_>, work: &Work) -> Result<(), Failure> {
    match put(session, work).await {
        Ok(()) | Err(RenderStoreError::Disabled) => Ok(()),
        Err(error) => Err(not_stored(&error)),
    }
}

fn not_stored(error: &RenderStoreError) -> Failure {
    Failure::new(Stage::Persist, Reason::DeployFailed, error.to_string())
}

async fn put(session: &Session<'_>, work: &Work) -> Result<(), RenderStoreError> {
    session
        .runtime
        .ports
        .store
        .put_render(&session.release.id, &work.render)
        .await
}

/// Adds the render to the history, unless it is there. The blob is made sure of first: a late call of an earlier
/// owner may have deleted it meanwhile.
pub(crate) async fn record_history(session: &Session<'_>, work: &Work) {
    match record(session, work).await {
        Ok(()) | Err(RenderStoreError::Disabled) => {}
        Err(error) => warn!(release = %session.release.id, %error, "cannot record history; the history has a gap"),
    }
}

async fn record(session: &Session<'_>, work: &Work) -> Result<(), RenderStoreError> {
    let (store, release) = (&session.runtime.ports.store, &session.release.id);
    put(session, work).await?;
    let content = session.release.spec.content.type_name();
    let summary = summary(content, &work.revision, work.render.objects().len());
    store
        .record_history(release, work.render.render_ref(), &summary, session.now())
        .await
        .map(|_new| ())
}

/// Makes sure, once after a start or a change, that the render in force is stored: somebody may have deleted it, and now
/// it is at hand. Asks nothing when that was done for this render.
pub(crate) async fn ensure(session: &mut Session<'_>, work: &Work) {
    let render_ref = work.render.render_ref();
    let store = &session.runtime.ports.store;
    let done = if session.memo.ensured == Some(render_ref) {
        store.heal(&session.release.id, &work.render).await.map(|_healed| ())
    } else {
        put(session, work).await
    };
    match done {
        Ok(()) => session.memo.ensured = Some(render_ref),
        Err(RenderStoreError::Disabled) => {}
        Err(error) => {
            warn!(release = %session.release.id, %error, "cannot make sure that the render in force is stored");
        }
    }
}

/// Forgets what is beyond `keepHistory` and nothing points to; counts what is left.
pub(crate) async fn collect_garbage(session: &mut Session<'_>, work: &Work) {
    let keep = session.release.spec.keep_history;
    let collected = collect(session, work.render.render_ref()).await;
    let release = &session.release.id;
    let counted = match collected {
        Ok(Collected {
            failures,
            entries,
            blobs,
            kept,
            ..
        }) => {
            for error in failures {
                warn!(%release, %error, "cannot forget; the next collection tries again");
            }
            debug!(%release, entries, blobs, "collected");
            (gc::effective_keep(keep) > 0).then_some(kept)
        }
        Err(RenderStoreError::Disabled) => Some(0),
        Err(error) => {
            warn!(%release, %error, "cannot collect garbage");
            None
        }
    };
    let history_count = match counted {
        Some(count) => u32::try_from(count).unwrap_or(u32::MAX),
        None => count(session).await,
    };
    session.memo.ensured = Some(work.render.render_ref());
    session.status.retention = Some(Retention {
        keep_history: gc::effective_keep(keep),
        history_count,
    });
}

/// Entries of the history; as they were last counted when the store does not say.
async fn count(session: &Session<'_>) -> u32 {
    let release = &session.release.id;
    match session.runtime.ports.store.history_count(release).await {
        Ok(count) => u32::try_from(count).unwrap_or(u32::MAX),
        Err(error) => {
            warn!(%release, %error, "cannot count the history");
            session.status.retention.map_or(0, |retention| retention.history_count)
        }
    }
}

async fn collect(session: &Session<'_>, applied: RenderRef) -> Result<Collected, RenderStoreError> {
    let (release, control_plane) = (&session.release, &session.runtime.ports.control_plane);
    let mut protected = pointers(release, session.status_at_start(), applied);
    protected.extend(pointers(release, &session.status, applied));
    let live = || async {
        match control_plane.release(&release.id).await {
            Ok(Some(live)) => Ok(pointers(&live, &live.status, applied)),
            Ok(None) => Err("the Release is gone".to_string()),
            Err(error) => Err(error.to_string()),
        }
    };
    session
        .runtime
        .ports
        .store
        .gc(&release.id, release.spec.keep_history, &protected, live)
        .await
}

/// The renders that a Release points to.
fn pointers(release: &Release, status: &ReleaseStatus, applied: RenderRef) -> BTreeSet<RenderRef> {
    gc::protected(status, release.pin.as_ref().map(|pin| pin.render_ref), Some(applied))
}
