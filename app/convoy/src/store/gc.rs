//! `convoy store gc`: what the next collections would delete.

use std::collections::BTreeSet;

use convoy_domain::gc;
use convoy_domain::id::ReleaseId;
use convoy_domain::render_ref::RenderRef;
use convoy_kube::KubeControlPlane;
use convoy_ports::ControlPlane as _;
use convoy_runtime::render_store::{Collectable, RenderStore};

use super::count;
use crate::args::{ClusterArgs, NamespaceArgs};
use crate::connect::connect;
use crate::failure::Failure;
use crate::history::refuse_memory;
use crate::print;
use crate::render_store::{self, Access, StoreUrlArgs};
use crate::style::Style;
use crate::table::{Cell, table};

/// Lists what garbage collection would delete now.
///
/// The controller collects after each full apply, so there is nothing to do by hand; this shows what `keepHistory` and the
/// Release's pointers leave. The Releases are read from the cluster: without them nothing is known to be garbage.
/// Only `--dry-run` exists, because one process alone may write the keys of a Release, and that is the controller.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy store gc --dry-run --render-store-url file:///var/lib/convoy\n  \
    convoy store gc --dry-run -n web bookshelf --render-store-url file:///var/lib/convoy")]
pub(crate) struct Args {
    /// Names of Releases; without one: all of them, in every namespace
    names: Vec<String>,
    /// Deletes nothing
    #[arg(long, required = true)]
    dry_run: bool,
    #[command(flatten)]
    namespace: NamespaceArgs,
    #[command(flatten)]
    store: StoreUrlArgs,
    #[command(flatten)]
    cluster: ClusterArgs,
}

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    refuse_memory(args.store.url())?;
    debug_assert!(args.dry_run, "the parser requires it");
    let connection = connect(&args.cluster).await?;
    let store = render_store::open_with_secret(args.store.url(), None, Access::Read, Ok(&connection)).await?;
    if matches!(store, RenderStore::Disabled) {
        return Err(Failure::usage("there is no render store to collect")
            .hint("name one with `--render-store-url` or $CONVOY_RENDER_STORE_URL"));
    }
    let control_plane = KubeControlPlane::new(connection.client.clone());
    let namespace = connection.namespace(args.namespace.namespace.as_deref());
    let releases = if args.names.is_empty() {
        let listed = control_plane.releases().await;
        listed.map_err(|error| Failure::new("cannot list the Releases").because(&error))?
    } else {
        let id = |name: &String| {
            ReleaseId::new(&namespace, name)
                .map_err(|error| Failure::usage("there can be no such Release").because(&error))
        };
        args.names.iter().map(id).collect::<Result<_, _>>()?
    };
    let mut rows = Vec::new();
    let (mut entries, mut blobs) = (0, 0);
    for id in &releases {
        let collectable = plan(&store, &control_plane, id).await?;
        entries += collectable.entries.len();
        blobs += collectable.blobs.len();
        rows.extend(lines(id, &collectable));
    }
    if !rows.is_empty() {
        print::out(&table(
            &["RELEASE", "WOULD DELETE", "RENDER", "SYNCED"],
            &rows,
            Style::stdout(),
        ))?;
    }
    print::err_line(&format!(
        "{} of history and {} of {} would go",
        count(entries, "entry", "entries"),
        count(blobs, "render", "renders"),
        count(releases.len(), "Release", "Releases"),
    ));
    Ok(())
}

async fn plan(store: &RenderStore, control_plane: &KubeControlPlane, id: &ReleaseId) -> Result<Collectable, Failure> {
    let cannot = || Failure::new(format!("cannot tell what is garbage of Release `{id}`"));
    let read = control_plane
        .release(id)
        .await
        .map_err(|error| cannot().because(&error))?;
    let release = read.ok_or_else(|| cannot().because_text("there is no such Release"))?;
    let pin = release.pin.as_ref().map(|pin| pin.render_ref);
    let protected: BTreeSet<RenderRef> = gc::protected(&release.status, pin, None);
    let planned = store.plan_gc(id, release.spec.keep_history, &protected).await;
    planned.map_err(|error| cannot().because(&error))
}

fn lines(id: &ReleaseId, collectable: &Collectable) -> Vec<Vec<Cell>> {
    let line = |what: &str, render: RenderRef, synced: String| {
        vec![
            Cell::new(id.to_string()),
            Cell::new(what),
            Cell::new(render.short()),
            Cell::new(synced),
        ]
    };
    let entries = collectable.entries.iter();
    let entries = entries.map(|entry| line("entry", entry.render(), format!("{:.0}", entry.time())));
    let blobs = collectable
        .blobs
        .iter()
        .map(|render| line("render", *render, String::new()));
    entries.chain(blobs).collect()
}
