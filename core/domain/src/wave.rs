//! In which order the objects of a render are applied.
//!
//! # Invariant
//! Every object is in exactly one group of exactly one [`Wave`]. Waves ascend; a wave's CRDs come as an entry of their
//! own, with the same number, before its other objects, and are gated on being established. Within a wave groups go in
//! Helm's install order of kinds; the objects of a group may be applied at the same time.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use convoy_helm::INSTALL_ORDER;

use crate::names;
use crate::object::Object;
use crate::release::Gate;
use crate::scope::is_crd;

/// Place of a kind in the install order; all unknown kinds share the last.
#[must_use]
pub fn install_rank(kind: &str) -> usize {
    INSTALL_ORDER
        .iter()
        .position(|known| *known == kind)
        .unwrap_or(INSTALL_ORDER.len())
}

/// An annotation that says nothing usable about the wave of an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("annotation `{annotation}` of {kind} `{name}` is `{text}`, which is no {expected}")]
pub struct WaveError {
    /// The annotation.
    pub annotation: &'static str,
    /// Kind of the object.
    pub kind: String,
    /// Namespace and name of the object, as rendered.
    pub name: String,
    /// What it says, cut to 64 characters.
    pub text: String,
    /// What it must say.
    pub expected: &'static str,
}

/// Objects that are applied before the next wave; numbers are indexes into the render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// Number of the wave. The CRDs of a wave and its other objects have the same.
    pub number: i32,
    /// Objects of one install-order rank each, which may be applied at the same time; groups go one after another.
    pub groups: Vec<Vec<usize>>,
    /// The objects that must be healthy before the next wave.
    pub gate: Vec<usize>,
}

/// The waves of a render, in order.
///
/// # Errors
/// [`WaveError`] for the first object whose annotations cannot be read.
pub fn waves(objects: &[Object]) -> Result<Vec<Wave>, WaveError> {
    // Keyed so that the order of the map is the order of the waves: within a number `false` (CRDs) comes first.
    let mut parts: BTreeMap<(i32, bool), Vec<usize>> = BTreeMap::new();
    let mut gates = BTreeSet::new();
    for (index, object) in objects.iter().enumerate() {
        let crd = is_crd(object);
        if crd || gate(object)? == Gate::WaitForHealthy {
            gates.insert(index);
        }
        parts.entry((number(object)?, !crd)).or_default().push(index);
    }
    Ok(parts
        .into_iter()
        .map(|((number, _), members)| {
            let groups = groups(objects, &members);
            let gate = groups
                .iter()
                .flatten()
                .copied()
                .filter(|index| gates.contains(index))
                .collect();
            Wave { number, groups, gate }
        })
        .collect())
}

/// Members by rank, then kind, name and namespace.
fn groups(objects: &[Object], members: &[usize]) -> Vec<Vec<usize>> {
    let mut ranked: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for index in members {
        ranked
            .entry(install_rank(objects[*index].kind()))
            .or_default()
            .push(*index);
    }
    for group in ranked.values_mut() {
        group.sort_by_cached_key(|index| {
            let object = &objects[*index];
            (object.kind(), object.name(), object.namespace(), *index)
        });
    }
    ranked.into_values().collect()
}

/// Number of the wave of an object, 0 when it says none.
///
/// # Errors
/// [`WaveError`] when the annotation is no integer of 32 bits.
pub fn number(object: &Object) -> Result<i32, WaveError> {
    let annotation = names::annotation::SYNC_WAVE;
    let Some(value) = object.at(&["metadata", "annotations", annotation]) else {
        return Ok(0);
    };
    let text = value.as_str();
    text.and_then(|text| text.parse().ok())
        .ok_or_else(|| error(object, annotation, text, "integer between -2147483648 and 2147483647"))
}

/// Whether the next wave waits for an object; it does not when the object says nothing.
///
/// # Errors
/// [`WaveError`] when the annotation is neither `waitForHealthy` nor `continue`.
pub fn gate(object: &Object) -> Result<Gate, WaveError> {
    let annotation = names::annotation::WAVE_GATE;
    let Some(value) = object.at(&["metadata", "annotations", annotation]) else {
        return Ok(Gate::Continue);
    };
    match value.as_str() {
        Some(names::GATE_WAIT) => Ok(Gate::WaitForHealthy),
        Some(names::GATE_CONTINUE) => Ok(Gate::Continue),
        text => Err(error(object, annotation, text, "`waitForHealthy` or `continue`")),
    }
}

fn error(object: &Object, annotation: &'static str, text: Option<&str>, expected: &'static str) -> WaveError {
    let name = match object.namespace() {
        "" => object.name().to_string(),
        namespace => alloc::format!("{namespace}/{}", object.name()),
    };
    WaveError {
        annotation,
        kind: object.kind().to_string(),
        name,
        text: text.unwrap_or("not a text").chars().take(64).collect(),
        expected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use convoy_value::{Limits, json};

    fn object(api: &str, kind: &str, name: &str, annotations: &[(&str, &str)]) -> Object {
        let text = alloc::format!(r#"{{"apiVersion":"{api}","kind":"{kind}","metadata":{{"name":"{name}"}}}}"#);
        let mut object = Object::new(json::parse(&text, &Limits::default()).unwrap()).unwrap();
        for (key, value) in annotations {
            object.set_annotation(&alloc::format!("core.convoy.kumodo.io/{key}"), value);
        }
        object
    }

    fn wave(number: i32, groups: &[&[usize]], gate: &[usize]) -> Wave {
        Wave {
            number,
            groups: groups.iter().map(|group| group.to_vec()).collect(),
            gate: gate.to_vec(),
        }
    }

    #[test]
    fn kinds_go_in_install_order_then_by_name() {
        let objects = [
            object("example.com/v1", "Widget", "a", &[]),
            object("apps/v1", "Deployment", "b", &[]),
            object("apps/v1", "Deployment", "a", &[]),
            object("v1", "Namespace", "z", &[]),
            object("example.com/v1", "Alpha", "z", &[]),
            object("v1", "Service", "a", &[]),
        ];
        assert_eq!(
            waves(&objects),
            Ok(alloc::vec![wave(0, &[&[3], &[5], &[2, 1], &[4, 0]], &[])])
        );
    }

    #[test]
    fn waves_ascend_and_gate_on_what_asks_for_it() {
        let objects = [
            object("v1", "ConfigMap", "late", &[("sync-wave", "2")]),
            object("v1", "ConfigMap", "plain", &[]),
            object(
                "v1",
                "Pod",
                "first",
                &[("sync-wave", "-1"), ("wave-gate", "waitForHealthy")],
            ),
            object(
                "v1",
                "Secret",
                "first",
                &[("sync-wave", "-1"), ("wave-gate", "continue")],
            ),
        ];
        assert_eq!(
            waves(&objects),
            Ok(alloc::vec![
                wave(-1, &[&[3], &[2]], &[2]),
                wave(0, &[&[1]], &[]),
                wave(2, &[&[0]], &[]),
            ])
        );
    }

    #[test]
    fn the_crds_of_a_wave_are_established_before_its_other_objects() {
        let crd = ("apiextensions.k8s.io/v1", "CustomResourceDefinition");
        let objects = [
            object("v1", "Namespace", "a", &[]),
            object(crd.0, crd.1, "b", &[]),
            object(crd.0, crd.1, "a", &[("wave-gate", "continue")]),
            object(crd.0, crd.1, "c", &[("sync-wave", "1")]),
            object("other.io/v1", "CustomResourceDefinition", "d", &[("sync-wave", "1")]),
        ];
        assert_eq!(
            waves(&objects),
            Ok(alloc::vec![
                wave(0, &[&[2, 1]], &[2, 1]),
                wave(0, &[&[0]], &[]),
                wave(1, &[&[3]], &[3]),
                wave(1, &[&[4]], &[]),
            ])
        );
    }

    #[test]
    fn a_render_without_objects_has_no_waves() {
        assert_eq!(waves(&[]), Ok(Vec::new()));
    }

    #[test]
    fn annotations_that_cannot_be_read_name_the_object() {
        for (annotation, text) in [
            ("sync-wave", "one"),
            ("sync-wave", "1.5"),
            ("sync-wave", ""),
            ("sync-wave", "2147483648"),
            ("wave-gate", "WaitForHealthy"),
            ("wave-gate", ""),
        ] {
            let mut broken = object("v1", "Pod", "web", &[(annotation, text)]);
            broken.set_namespace("prod");
            let error = waves(&[broken]).unwrap_err();
            assert_eq!((error.kind.as_str(), error.name.as_str()), ("Pod", "prod/web"));
            assert_eq!(error.text, text);
        }
    }
}
