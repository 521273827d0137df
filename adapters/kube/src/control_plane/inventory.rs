//! The parts of a Release's inventory.

use convoy_domain::id::ReleaseId;
use convoy_domain::inventory::InventoryPart;
use convoy_domain::names::FINALIZER;
use convoy_ports::ControlPlaneError;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions};
use kube::{Api, Client};
use serde_json::json;

use super::FIELD_MANAGER;
use super::error::{gone_is_fine, invalid, refused, version_of};
use crate::convert::{inventory, inventory_name, inventory_part};
use crate::crd::ReleaseInventory;

/// Parts in one page of a list: each can be some 300 kB.
const PAGE: u32 = 20;

fn described(release: &ReleaseId, part: u32) -> String {
    format!(
        "ReleaseInventory {}/{}",
        release.namespace(),
        inventory_name(release.name(), part)
    )
}

fn api(client: &Client, release: &ReleaseId) -> Api<ReleaseInventory> {
    Api::namespaced(client.clone(), release.namespace())
}

/// Reads all parts, by number.
pub(super) async fn read(client: &Client, release: &ReleaseId) -> Result<Vec<InventoryPart>, ControlPlaneError> {
    let object = format!("inventory of Release {release}");
    let api = api(client, release);
    let of_release = format!("spec.releaseRef.name={}", release.name());
    let of_release = ListParams::default().fields(&of_release).limit(PAGE);
    let mut parts = match list(&api, &object, release, of_release).await {
        // An older definition does not let its objects be selected: all of the namespace are read then.
        Err(ControlPlaneError::Other { .. }) => list(&api, &object, release, ListParams::default().limit(PAGE)).await?,
        other => other?,
    };
    parts.sort_by_key(|part| part.part);
    Ok(parts)
}

async fn list(
    api: &Api<ReleaseInventory>,
    object: &str,
    release: &ReleaseId,
    mut parameters: ListParams,
) -> Result<Vec<InventoryPart>, ControlPlaneError> {
    let mut parts = Vec::new();
    loop {
        let page = api.list(&parameters).await.map_err(|error| refused(object, error))?;
        for found in page.items {
            let part = inventory_part(found).map_err(|error| invalid(object, &error))?;
            if part.release == *release {
                parts.push(part);
            }
        }
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => parameters = parameters.continue_token(&token),
            None => return Ok(parts),
        }
    }
}

/// Creates or replaces a part; answers its new resourceVersion.
pub(super) async fn write(client: &Client, part: &InventoryPart) -> Result<String, ControlPlaneError> {
    let object = described(&part.release, part.part);
    let api = api(client, &part.release);
    let parameters = PostParams {
        field_manager: Some(FIELD_MANAGER.to_owned()),
        ..PostParams::default()
    };
    let body = inventory(part);
    let written = if part.resource_version.is_empty() {
        api.create(&parameters, &body).await
    } else {
        let name = inventory_name(part.release.name(), part.part);
        api.replace(&name, &parameters, &body).await
    };
    version_of(&object, &written.map_err(|error| refused(&object, error))?)
}

/// Deletes a part and lets it go. The deletion comes first, so that a crash between the two leaves an object that
/// still names what was applied.
pub(super) async fn delete(client: &Client, part: &InventoryPart) -> Result<(), ControlPlaneError> {
    gone_is_fine(delete_found(client, part).await)
}

async fn delete_found(client: &Client, part: &InventoryPart) -> Result<(), ControlPlaneError> {
    let object = described(&part.release, part.part);
    let refused = |error| refused(&object, error);
    let name = inventory_name(part.release.name(), part.part);
    let api = api(client, &part.release);
    let found = api.get(&name).await.map_err(refused)?;
    let uid = found.metadata.uid.clone();
    // A part of another Release of this name, made anew since: ours is gone.
    if found.spec.release_ref.uid != part.release_uid {
        return Ok(());
    }
    let parameters = DeleteParams {
        preconditions: Some(Preconditions {
            uid: uid.clone(),
            resource_version: None,
        }),
        ..DeleteParams::background()
    };
    api.delete(&name, &parameters).await.map_err(refused)?;
    let after = api.get(&name).await.map_err(refused)?;
    if after.metadata.uid != uid {
        return Ok(());
    }
    let finalizers: Vec<&String> = after
        .metadata
        .finalizers
        .iter()
        .flatten()
        .filter(|name| *name != FINALIZER)
        .collect();
    let patch = json!({
        "metadata": { "resourceVersion": after.metadata.resource_version, "finalizers": finalizers },
    });
    api.patch_metadata(&name, &PatchParams::default(), &Patch::Merge(&patch))
        .await
        .map_err(refused)?;
    Ok(())
}
