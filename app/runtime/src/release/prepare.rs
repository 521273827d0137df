//! The objects of a render as they are sent to a cluster: with namespace, ownership and identity.

use std::collections::BTreeMap;
use std::sync::Arc;

use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::id::{Gvk, ObjectId};
use convoy_domain::object::{Object, Scope};
use convoy_domain::ownership::{Owner, stamp};
use convoy_domain::scope::Scopes;
use convoy_ports::ClusterError;

use super::session::Session;
use crate::failures;
use crate::registry::Work;
use crate::target::Target;

/// One object, ready to be applied.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// With namespace and ownership.
    pub(crate) object: Object,
    /// Identity on the cluster.
    pub(crate) id: ObjectId,
    /// Version under which it is applied.
    pub(crate) version: String,
    /// Wave number.
    pub(crate) wave: i32,
    /// The cluster serves the kind. Otherwise a CRD of the same render will make it known.
    pub(crate) served: bool,
}

/// Who a Release is, as its objects say.
pub(crate) fn owner(session: &Session<'_>) -> Owner {
    Owner {
        release: session.release.id.clone(),
        uid: session.release.uid.clone(),
        installation: session.runtime.settings.installation_id.clone(),
    }
}

/// Prepares every object, in render order.
pub(crate) async fn prepare(session: &Session<'_>, target: &Target, work: &Work) -> Result<Arc<[Prepared]>, Failure> {
    let owner = owner(session);
    let kinds = kinds(target, work.render.objects()).await?;
    let mut wave_of = vec![0; work.render.objects().len()];
    for wave in work.waves.iter() {
        for index in wave.groups.iter().flatten() {
            wave_of[*index] = wave.number;
        }
    }
    let mut seen: BTreeMap<ObjectId, usize> = BTreeMap::new();
    let mut prepared = Vec::with_capacity(wave_of.len());
    for (index, (object, wave)) in work.render.objects().iter().zip(wave_of).enumerate() {
        let gvk = object.gvk();
        let (scope, served) = kinds.get(&gvk).copied().unwrap_or((Scope::Namespaced, false));
        let id = object.id(scope);
        if seen.insert(id.clone(), index).is_some() {
            return Err(Failure::new(
                Stage::Plan,
                Reason::Conflict,
                format!("the render holds {id} twice"),
            ));
        }
        let mut object = object.clone();
        if scope == Scope::Namespaced {
            object.set_namespace(&id.namespace);
        }
        stamp(&mut object, &owner);
        prepared.push(Prepared {
            object,
            id,
            version: gvk.version,
            wave,
            served,
        });
    }
    Ok(prepared.into())
}

/// Scope of every kind of the render, from discovery, else from a CRD of the same render.
async fn kinds(target: &Target, objects: &[Object]) -> Result<BTreeMap<Gvk, (Scope, bool)>, Failure> {
    let scopes = Scopes::of(objects);
    let mut kinds = BTreeMap::new();
    for object in objects {
        let gvk = object.gvk();
        if kinds.contains_key(&gvk) {
            continue;
        }
        let known = match target.client.kind(&gvk).await {
            Ok(kind) => (kind.scope, true),
            Err(ClusterError::UnknownKind { .. }) if defines(objects, &gvk) => {
                (scopes.scope(&gvk.group, &gvk.kind), false)
            }
            Err(error) => return Err(failures::cluster(Stage::DryRun, &error)),
        };
        kinds.insert(gvk, known);
    }
    Ok(kinds)
}

/// Whether a CRD of the render defines the kind.
fn defines(objects: &[Object], gvk: &Gvk) -> bool {
    objects
        .iter()
        .filter(|object| convoy_domain::scope::is_crd(object))
        .any(|crd| crd.text(&["spec", "group"]) == gvk.group && crd.text(&["spec", "names", "kind"]) == gvk.kind)
}
