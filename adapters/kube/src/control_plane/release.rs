//! Reads of Releases, and their finalizer.

use convoy_domain::id::ReleaseId;
use convoy_domain::names::FINALIZER;
use convoy_domain::release::Release;
use convoy_ports::ControlPlaneError;
use kube::api::{DynamicObject, ListParams, Patch, PatchParams};
use kube::core::PartialObjectMeta;
use kube::{Api, Client, Resource as _, ResourceExt as _};
use serde_json::json;

use super::error::{gone_is_fine, invalid, refused, version_of};
use super::{FIELD_MANAGER, status};
use crate::convert::{self, InvalidField};
use crate::crd;

/// Objects in one page of a list.
const PAGE: u32 = 500;

pub(super) fn described(id: &ReleaseId) -> String {
    format!("Release {id}")
}

/// Reads a Release. One that breaks a rule says so in its Ready condition, since nobody else can: what cannot be read
/// is never reconciled.
pub(super) async fn read(client: &Client, id: &ReleaseId) -> Result<Option<Release>, ControlPlaneError> {
    let object = described(id);
    let kind = kube::api::ApiResource::erase::<crd::Release>(&());
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), id.namespace(), &kind);
    let Some(found) = api.get_opt(id.name()).await.map_err(|error| refused(&object, error))? else {
        return Ok(None);
    };
    let metadata = found.metadata.clone();
    match understood(found) {
        Ok(release) => Ok(Some(release)),
        Err(error) => {
            status::report_invalid(client, id, &metadata, &error).await?;
            Err(invalid(&object, &error))
        }
    }
}

fn understood(found: DynamicObject) -> Result<Release, InvalidField> {
    let release: crd::Release = found
        .try_parse()
        .map_err(|error| InvalidField::new("spec", root_cause(&error)))?;
    convert::release(release)
}

fn root_cause(mut error: &dyn std::error::Error) -> String {
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// Ids of all Releases, page by page, metadata only.
pub(super) async fn ids(client: &Client) -> Result<Vec<ReleaseId>, ControlPlaneError> {
    let api: Api<crd::Release> = Api::all(client.clone());
    let mut ids = Vec::new();
    let mut parameters = ListParams::default().limit(PAGE);
    loop {
        let page = api
            .list_metadata(&parameters)
            .await
            .map_err(|error| refused("Releases", error))?;
        for found in &page.items {
            let namespace = found.namespace().unwrap_or_default();
            // The API server accepts no other names.
            ids.extend(ReleaseId::new(&namespace, &found.name_any()).ok());
        }
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => parameters = parameters.continue_token(&token),
            None => return Ok(ids),
        }
    }
}

/// Whether a Release has a `status.lastSuccessful`, read page by page as far as needed. What else a Release says does
/// not matter, and may be broken.
pub(super) async fn any_applied(client: &Client) -> Result<bool, ControlPlaneError> {
    let kind = kube::api::ApiResource::erase::<crd::Release>(&());
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &kind);
    let mut parameters = ListParams::default().limit(PAGE);
    loop {
        let page = api
            .list(&parameters)
            .await
            .map_err(|error| refused("Releases", error))?;
        let applied = |release: &DynamicObject| release.data.pointer("/status/lastSuccessful").is_some();
        if page.items.iter().any(applied) {
            return Ok(true);
        }
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => parameters = parameters.continue_token(&token),
            None => return Ok(false),
        }
    }
}

/// Adds the finalizer; answers the new resourceVersion.
pub(super) async fn add_finalizer(client: &Client, release: &Release) -> Result<String, ControlPlaneError> {
    change_finalizers(client, release, |names| {
        if !names.iter().any(|name| name == FINALIZER) {
            names.push(FINALIZER.to_owned());
        }
    })
    .await
}

/// Removes the finalizer; a Release that is gone needs none.
pub(super) async fn remove_finalizer(client: &Client, release: &Release) -> Result<(), ControlPlaneError> {
    let removed = change_finalizers(client, release, |names| names.retain(|name| name != FINALIZER)).await;
    gone_is_fine(removed.map(|_| ()))
}

async fn change_finalizers(
    client: &Client,
    release: &Release,
    change: impl FnOnce(&mut Vec<String>),
) -> Result<String, ControlPlaneError> {
    let object = described(&release.id);
    let api: Api<crd::Release> = Api::namespaced(client.clone(), release.id.namespace());
    let found: PartialObjectMeta<crd::Release> = api
        .get_metadata(release.id.name())
        .await
        .map_err(|error| refused(&object, error))?;
    if found.meta().uid.as_deref() != Some(release.uid.as_str()) {
        return Err(ControlPlaneError::NotFound { object });
    }
    // A list in a merge patch is replaced as a whole: it must be made from the very copy that the patch names.
    if found.meta().resource_version.as_deref() != Some(release.resource_version.as_str()) {
        return Err(ControlPlaneError::Stale { object });
    }
    let before = found.meta().finalizers.clone().unwrap_or_default();
    let mut after = before.clone();
    change(&mut after);
    if after == before {
        return Ok(release.resource_version.clone());
    }
    let patch = json!({ "metadata": { "resourceVersion": release.resource_version, "finalizers": after } });
    let parameters = PatchParams {
        field_manager: Some(FIELD_MANAGER.to_owned()),
        ..PatchParams::default()
    };
    let written = api
        .patch_metadata(release.id.name(), &parameters, &Patch::Merge(&patch))
        .await
        .map_err(|error| refused(&object, error))?;
    version_of(&object, &written)
}
