//! The render store on a store in memory, with and without faults.

mod behaviour;
mod faults;
mod model;
mod sealing;

use std::collections::BTreeSet;
use std::sync::Arc;

use convoy_domain::Timestamp;
use convoy_domain::id::ReleaseId;
use convoy_domain::limits::Limits;
use convoy_domain::object::Object;
use convoy_domain::render::Render;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key::{self, StoreKey};
use convoy_ports::BlobStore;
use convoy_testkit_fakes::FakeBlobStore;
use convoy_value::{Map, Value};

use super::RenderStore;

fn id(name: &str) -> ReleaseId {
    ReleaseId::new("team", name).expect("a name")
}

fn shop() -> ReleaseId {
    id("shop")
}

fn render(number: i64) -> Render {
    let metadata: Map = [("name", format!("object-{number}"))].into_iter().collect();
    let object: Map = [
        ("apiVersion", Value::from("v1")),
        ("kind", Value::from("ConfigMap")),
        ("metadata", Value::from(metadata)),
    ]
    .into_iter()
    .collect();
    let object = Object::new(Value::from(object)).expect("an object");
    Render::new(vec![object], &Limits::default()).expect("a small render")
}

fn render_ref(number: i64) -> RenderRef {
    render(number).render_ref()
}

fn refs(numbers: impl IntoIterator<Item = i64>) -> BTreeSet<RenderRef> {
    numbers.into_iter().map(render_ref).collect()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).expect("a time")
}

fn empty() -> (Arc<FakeBlobStore>, RenderStore) {
    let blobs = Arc::new(FakeBlobStore::new());
    let store = RenderStore::new(Arc::clone(&blobs) as Arc<dyn BlobStore>);
    (blobs, store)
}

/// Stores and records renders `1..=count`, one second apart.
async fn filled(count: i64) -> (Arc<FakeBlobStore>, RenderStore) {
    let (blobs, store) = empty();
    for number in 1..=count {
        store.put_render(&shop(), &render(number)).await.expect("stored");
        store
            .append_history(&shop(), render_ref(number), "summary", at(number))
            .await
            .expect("recorded");
    }
    (blobs, store)
}

/// The renders whose blobs are there.
fn stored(blobs: &FakeBlobStore) -> BTreeSet<RenderRef> {
    let keys = blobs.keys();
    keys.iter()
        .filter_map(|key| match store_key::parse(&shop(), key) {
            StoreKey::Blob(render_ref) => Some(render_ref),
            StoreKey::History(_) | StoreKey::Unknown => None,
        })
        .collect()
}

/// The renders of the history, oldest first.
fn recorded(blobs: &FakeBlobStore) -> Vec<RenderRef> {
    let keys = blobs.keys();
    keys.iter()
        .filter_map(|key| match store_key::parse(&shop(), key) {
            StoreKey::History(entry) => Some(entry.render()),
            StoreKey::Blob(_) | StoreKey::Unknown => None,
        })
        .collect()
}

/// Pointers that do not change during a collection.
fn unchanged(
    pointers: &BTreeSet<RenderRef>,
) -> impl FnOnce() -> std::future::Ready<Result<BTreeSet<RenderRef>, String>> {
    let pointers = pointers.clone();
    move || std::future::ready(Ok(pointers))
}
