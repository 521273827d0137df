//! Writing the objects of a demo to its API server.

use convoy_domain::names::annotation;
use convoy_value::{Map, Value};
use kube::Api;
use kube::api::{DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::discovery::{Scope, pinned_kind};

use super::project::{kind, relative_url};
use super::trees::Tree;
use crate::connect::Connection;
use crate::documents::Document;
use crate::failure::Failure;

/// The field manager of what a demo writes.
const MANAGER: &str = "convoy-demo";

/// Applies the objects: Namespaces first, Releases last, so that a Release finds what it names.
///
/// With `adopt` a Release takes over what the render store holds under its name, from an earlier demo.
pub(super) async fn apply(
    connection: &Connection,
    objects: &[Document],
    trees: &[Tree],
    adopt: bool,
) -> Result<(), Failure> {
    let rank = |object: &&Document| match kind(&object.value) {
        "Namespace" => 0,
        "Release" | "ReleaseSet" => 2,
        _ => 1,
    };
    let mut ordered: Vec<&Document> = objects.iter().collect();
    ordered.sort_by_key(rank);
    for object in ordered {
        apply_one(connection, object, trees, adopt).await?;
    }
    Ok(())
}

async fn apply_one(connection: &Connection, object: &Document, trees: &[Tree], adopt: bool) -> Result<(), Failure> {
    let what = || format!("cannot apply {}", object.place());
    let gvk = convoy_domain::id::Gvk::from_api_version(object.text(&["apiVersion"]), kind(&object.value));
    let gvk = GroupVersionKind::gvk(&gvk.group, &gvk.version, &gvk.kind);
    let (resource, capabilities) = pinned_kind(&connection.client, &gvk)
        .await
        .map_err(|error| connection.failure(what(), &error))?;
    let api: Api<DynamicObject> = match capabilities.scope {
        Scope::Cluster => Api::all_with(connection.client.clone(), &resource),
        Scope::Namespaced => Api::namespaced_with(connection.client.clone(), object.namespace(), &resource),
    };
    let mut value = served(&object.value, trees);
    if adopt && kind(&object.value) == "Release" {
        annotate(&mut value, annotation::ADOPT_STORE, "true");
    }
    api.patch(
        object.text(&["metadata", "name"]),
        &PatchParams::apply(MANAGER).force(),
        &Patch::Apply(&value),
    )
    .await
    .map(drop)
    .map_err(|error| connection.failure(what(), &error))
}

fn annotate(object: &mut Value, key: &str, value: &str) {
    let metadata = object
        .as_object_mut()
        .map(|object| object.or_insert("metadata", Map::new()));
    let annotations = metadata
        .and_then(Value::as_object_mut)
        .map(|metadata| metadata.or_insert("annotations", Map::new()));
    if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
        annotations.insert(key, value);
    }
}

/// The object with the URL of the repository that its directory became.
fn served(object: &Value, trees: &[Tree]) -> Value {
    let mut object = object.clone();
    let url = relative_url(&object)
        .and_then(|name| trees.iter().find(|tree| tree.name == name))
        .map(Tree::url);
    if let Some(url) = url
        && let Some(spec) = object.as_object_mut().and_then(|object| object.get_mut("spec"))
        && let Some(spec) = spec.as_object_mut()
    {
        spec.insert("url", url);
    }
    object
}
