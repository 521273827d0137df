//! `convoy sync`: lets the render that a Release waits with through.

use convoy_domain::Timestamp;
use convoy_domain::condition::Reason;
use convoy_domain::id::ReleaseId;
use convoy_domain::names::annotation;
use convoy_domain::release::Release;
use convoy_domain::render_ref::RenderRef;
use convoy_kube::KubeControlPlane;
use convoy_ports::ControlPlane as _;
use convoy_value::Value;
use kube::api::{Patch, PatchParams};
use kube::core::Request;

use crate::args::{ClusterArgs, NamespaceArgs};
use crate::connect::connect;
use crate::failure::Failure;
use crate::print;

/// Lets the render that a Release waits with through, once.
///
/// A Release with `syncPolicy.automatic: false` renders and compares, and then waits. The request names the render that
/// its status shows: should the source have moved by the time the controller looks, the request is refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy sync bookshelf\n  \
    convoy sync bookshelf -n web --server http://127.0.0.1:8001")]
pub(crate) struct Args {
    /// Name of the Release
    name: String,
    #[command(flatten)]
    namespace: NamespaceArgs,
    #[command(flatten)]
    cluster: ClusterArgs,
}

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    let connection = connect(&args.cluster).await?;
    let namespace = connection.namespace(args.namespace.namespace.as_deref());
    let id = ReleaseId::new(&namespace, &args.name)
        .map_err(|error| Failure::usage("there can be no such Release").because(&error))?;
    let release = KubeControlPlane::new(connection.client.clone())
        .release(&id)
        .await
        .map_err(|error| Failure::of(&error))?
        .ok_or_else(|| {
            Failure::new(format!("there is no Release `{id}`")).hint("`convoy get releases -A` lists all")
        })?;
    let render = waiting(&release).ok_or_else(|| {
        Failure::new(format!("Release `{id}` does not wait for a sync request"))
            .hint("only one with `spec.syncPolicy.automatic: false` whose render differs from the cluster does")
    })?;
    let what = || format!("cannot request a sync of Release `{id}`");
    let patch = serde_json::json!({"metadata": {"annotations": {
        annotation::SYNC_REQUESTED: format!("{render}@{:.0}", Timestamp::now())
    }}});
    let call = Request::new(format!(
        "/apis/core.convoy.kumodo.io/v1alpha1/namespaces/{namespace}/releases"
    ))
    .patch(&args.name, &PatchParams::default(), &Patch::Merge(patch))
    .map_err(|error| Failure::new(what()).because(&error))?;
    connection
        .client
        .request::<Value>(call)
        .await
        .map_err(|error| connection.failure(what(), &error))?;
    print::out(&format!(
        "requested a sync of render {} of Release {id}\n",
        render.short()
    ))
}

/// The render that a Release waits with.
fn waiting(release: &Release) -> Option<RenderRef> {
    let conditions = &release.status.conditions;
    let waits = conditions
        .iter()
        .any(|condition| condition.reason == Reason::AwaitingSync);
    release.status.last_attempted.as_ref()?.render_ref.filter(|_| waits)
}
