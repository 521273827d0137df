//! `ReleaseInventory` ⇄ the domain's part of an inventory.

use convoy_domain::id::ObjectId;
use convoy_domain::inventory::{InventoryEntry, InventoryPart};
use convoy_domain::names::FINALIZER;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::Resource as _;

use super::{InvalidField, identity, named, render_ref};
use crate::crd;

/// Name of the object that holds a part.
pub(crate) fn inventory_name(release: &str, part: u32) -> String {
    format!("{release}-{part}")
}

/// Reads a part.
pub(crate) fn inventory_part(object: crd::ReleaseInventory) -> Result<InventoryPart, InvalidField> {
    let id = identity(&object.metadata)?;
    let spec = object.spec;
    let objects = spec
        .objects
        .into_iter()
        .enumerate()
        .map(|(index, entry)| read_entry(index, entry))
        .collect::<Result<_, _>>()?;
    Ok(InventoryPart {
        release: named("spec.releaseRef.name", id.namespace(), &spec.release_ref.name)?,
        release_uid: spec.release_ref.uid,
        part: spec.part,
        cluster_id: spec.cluster_id,
        resource_version: object.metadata.resource_version.unwrap_or_default(),
        objects,
    })
}

fn read_entry(index: usize, entry: crd::InventoryObject) -> Result<InventoryEntry, InvalidField> {
    Ok(InventoryEntry {
        render_ref: render_ref(&format!("spec.objects[{index}].renderRef"), &entry.render_ref)?,
        id: ObjectId {
            group: entry.group,
            kind: entry.kind,
            namespace: entry.namespace,
            name: entry.name,
        },
        version: entry.version,
        uid: entry.uid,
        wave: entry.wave,
        adopted: entry.adopted,
    })
}

/// The object that holds a part, owned by its Release and kept by the finalizer.
pub(crate) fn inventory(part: &InventoryPart) -> crd::ReleaseInventory {
    let entry = |entry: &InventoryEntry| crd::InventoryObject {
        group: entry.id.group.clone(),
        version: entry.version.clone(),
        kind: entry.id.kind.clone(),
        namespace: entry.id.namespace.clone(),
        name: entry.id.name.clone(),
        uid: entry.uid.clone(),
        wave: entry.wave,
        render_ref: entry.render_ref.to_string(),
        adopted: entry.adopted,
    };
    let release = &part.release;
    crd::ReleaseInventory {
        metadata: ObjectMeta {
            name: Some(inventory_name(release.name(), part.part)),
            namespace: Some(release.namespace().to_owned()),
            resource_version: Some(part.resource_version.clone()).filter(|version| !version.is_empty()),
            finalizers: Some(vec![FINALIZER.to_owned()]),
            owner_references: Some(vec![OwnerReference {
                api_version: crd::Release::api_version(&()).into_owned(),
                kind: crd::Release::kind(&()).into_owned(),
                name: release.name().to_owned(),
                uid: part.release_uid.clone(),
                controller: Some(true),
                // The Release waits for its inventory by its own finalizer.
                block_owner_deletion: Some(false),
            }]),
            ..ObjectMeta::default()
        },
        spec: crd::ReleaseInventorySpec {
            release_ref: crd::ReleaseRef {
                name: release.name().to_owned(),
                uid: part.release_uid.clone(),
            },
            part: part.part,
            cluster_id: part.cluster_id.clone(),
            objects: part.objects.iter().map(entry).collect(),
        },
    }
}
