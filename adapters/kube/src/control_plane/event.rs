//! Events about a Release, which `kubectl describe` shows.
//!
//! An event's name is a hash of what it says, so that saying the same again, also after a restart, raises its count
//! instead of making another.

use convoy_domain::release::Release;
use convoy_ports::{ControlPlaneError, EventType};
use k8s_openapi::api::core::v1::{Event, EventSource, ObjectReference};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time};
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource as _};
use serde_json::json;

use super::FIELD_MANAGER;
use super::error::refused;
use super::release::described;
use crate::crd;
use crate::time::now;

/// Longest message, in bytes: the API server refuses more.
const MAX_MESSAGE: usize = 1_024;

/// Longest part of the Release's name in an event's name.
const MAX_NAME: usize = 200;

/// How often a count that another writer raised at the same time is tried again.
const ATTEMPTS: usize = 3;

/// Records an event.
pub(super) async fn record(
    client: &Client,
    release: &Release,
    event: &convoy_ports::Event,
) -> Result<(), ControlPlaneError> {
    let object = format!("event about {}", described(&release.id));
    let api: Api<Event> = Api::namespaced(client.clone(), release.id.namespace());
    let body = first(release, event);
    let name = body.metadata.name.clone().unwrap_or_default();
    for _ in 0..ATTEMPTS {
        match api.create(&PostParams::default(), &body).await {
            Ok(_) => return Ok(()),
            Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => {}
            Err(error) => return Err(refused(&object, error)),
        }
        let Some(before) = api.get_opt(&name).await.map_err(|error| refused(&object, error))? else {
            continue;
        };
        let again = json!({
            "metadata": { "resourceVersion": before.metadata.resource_version },
            "count": before.count.unwrap_or(1).saturating_add(1),
            "lastTimestamp": body.last_timestamp,
        });
        match api.patch(&name, &PatchParams::default(), &Patch::Merge(&again)).await {
            Ok(_) => return Ok(()),
            Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {}
            Err(error) => return Err(refused(&object, error)),
        }
    }
    Err(ControlPlaneError::Stale { object })
}

/// The event as it is created.
fn first(release: &Release, event: &convoy_ports::Event) -> Event {
    let kind = match event.kind {
        EventType::Normal => "Normal",
        EventType::Warning => "Warning",
    };
    let message = cut(&event.message, MAX_MESSAGE);
    let said = [release.uid.as_str(), kind, event.reason.as_str(), message];
    let time = Time(now());
    Event {
        metadata: ObjectMeta {
            name: Some(format!("{}.{:016x}", cut(release.id.name(), MAX_NAME), hash(&said))),
            namespace: Some(release.id.namespace().to_owned()),
            ..ObjectMeta::default()
        },
        involved_object: ObjectReference {
            api_version: Some(crd::Release::api_version(&()).into_owned()),
            kind: Some(crd::Release::kind(&()).into_owned()),
            namespace: Some(release.id.namespace().to_owned()),
            name: Some(release.id.name().to_owned()),
            uid: Some(release.uid.clone()),
            resource_version: Some(release.resource_version.clone()),
            ..ObjectReference::default()
        },
        type_: Some(kind.to_owned()),
        reason: Some(event.reason.as_str().to_owned()),
        message: Some(message.to_owned()),
        count: Some(1),
        first_timestamp: Some(time.clone()),
        last_timestamp: Some(time),
        source: Some(EventSource {
            component: Some(FIELD_MANAGER.to_owned()),
            host: None,
        }),
        reporting_component: Some(FIELD_MANAGER.to_owned()),
        ..Event::default()
    }
}

/// FNV-1a over the parts and their ends: stable over restarts and versions, which the standard library's is not.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim_end_matches(['.', '-'])
}
