//! Lays a configuration over the live object, by the types' list and map kinds.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;

use super::item_element;
use crate::fields::PathElement;
use crate::types::{ListKind, MapView, Type, View};

/// Why a configuration cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MergeError {
    #[error("{path}: duplicate entries for key {element}")]
    Duplicate { path: String, element: String },
    #[error("{path}: element {index}: associative list with keys has an element that omits key field {keys}")]
    NoKey { path: String, index: usize, keys: String },
}

/// The live value with the configuration laid over it.
pub(crate) fn merge(ty: &Type, live: Option<&Value>, config: Option<&Value>) -> Option<Value> {
    let (Some(left), Some(right)) = (live, config) else {
        return config.or(live).cloned();
    };
    if ty.is_any() && !left.is_null() && !right.is_null() && left.is_object() != right.is_object() {
        return Some(right.clone());
    }
    match ty.view(Some(if right.is_null() { left } else { right })) {
        View::Map(map) if !map.atomic => {
            let (Some(left), Some(right)) = (left.as_object(), right.as_object()) else {
                return Some(
                    if right.is_null() && left.as_object().is_some_and(|map| !map.is_empty()) {
                        left.clone()
                    } else {
                        right.clone()
                    },
                );
            };
            Some(merge_fields(&map, left, right))
        }
        View::List(element, kind) if *kind != ListKind::Atomic => {
            let (Some(left), Some(right)) = (left.as_array(), right.as_array()) else {
                return Some(
                    if right.is_null() && left.as_array().is_some_and(|list| !list.is_empty()) {
                        left.clone()
                    } else {
                        right.clone()
                    },
                );
            };
            Some(Value::Array(merge_items(element, kind, left, right)))
        }
        View::Leaf | View::Map(_) | View::List(..) => Some(right.clone()),
    }
}

fn merge_fields(
    map: &MapView<'_>,
    left: &serde_json::Map<String, Value>,
    right: &serde_json::Map<String, Value>,
) -> Value {
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    let merged = names
        .into_iter()
        .filter_map(|name| Some((name.clone(), merge(map.child(name), left.get(name), right.get(name))?)));
    Value::Object(merged.collect())
}

/// Items of the configuration keep their order; live items that it does not name keep their place between them.
fn merge_items(element: &Type, kind: &ListKind, left: &[Value], right: &[Value]) -> Vec<Value> {
    let steps = |list: &[Value]| -> Vec<Option<PathElement>> {
        list.iter().map(|item| item_element(kind, element, item)).collect()
    };
    let (left_steps, right_steps) = (steps(left), steps(right));
    let by_step = |steps: &[Option<PathElement>]| -> BTreeMap<PathElement, Option<usize>> {
        let mut out: BTreeMap<PathElement, Option<usize>> = BTreeMap::new();
        for (at, step) in steps.iter().enumerate() {
            if let Some(step) = step {
                // A step that occurs twice names no single item.
                out.entry(step.clone())
                    .and_modify(|place| *place = None)
                    .or_insert(Some(at));
            }
        }
        out
    };
    let (in_left, in_right) = (by_step(&left_steps), by_step(&right_steps));
    let known = |steps: &BTreeMap<PathElement, Option<usize>>, step: &Option<PathElement>| {
        step.as_ref().is_some_and(|step| steps.contains_key(step))
    };
    let mut shared: VecDeque<&Option<PathElement>> = right_steps.iter().filter(|step| known(&in_left, step)).collect();
    let mut merged: BTreeSet<&Option<PathElement>> = BTreeSet::new();
    let mut out = Vec::with_capacity(left.len().max(right.len()));
    let (mut l, mut r) = (0, 0);
    let pair = |step: &Option<PathElement>, at: usize| {
        let live = step
            .as_ref()
            .and_then(|step| in_left.get(step).copied().flatten())
            .map(|at| &left[at]);
        merge(element, live, Some(&right[at]))
    };
    while l < left.len() || r < right.len() {
        if l < left.len() && r < right.len() {
            let step = &left_steps[l];
            if step.is_some() && *step == right_steps[r] {
                merged.insert(step);
                out.extend(pair(step, r));
                (l, r) = (l + 1, r + 1);
                shared.pop_front();
                continue;
            }
            if known(&in_right, step) && shared.front().is_some_and(|next| *next != step) {
                l += 1;
                continue;
            }
        }
        if l < left.len() {
            let step = &left_steps[l];
            if !known(&in_right, step) {
                out.push(left[l].clone());
                l += 1;
                continue;
            }
            if merged.contains(step) {
                l += 1;
            }
        }
        if r < right.len() {
            let step = &right_steps[r];
            merged.insert(step);
            out.extend(pair(step, r));
            r += 1;
            if shared.front().is_some_and(|next| *next == step) {
                shared.pop_front();
            }
        }
    }
    out
}

/// Refuses a configuration whose granular lists have two items with one key, or items without key.
pub(crate) fn check_lists(ty: &Type, value: &Value) -> Result<(), MergeError> {
    check(ty, value, &mut Vec::new())
}

fn check(ty: &Type, value: &Value, path: &mut Vec<PathElement>) -> Result<(), MergeError> {
    match ty.view(Some(value)) {
        View::Map(map) if !map.atomic => {
            for (name, child) in value.as_object().into_iter().flatten() {
                path.push(PathElement::field(name));
                check(map.child(name), child, path)?;
                path.pop();
            }
        }
        View::List(element, kind) if *kind != ListKind::Atomic => {
            let mut seen = BTreeSet::new();
            for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                let Some(step) = item_element(kind, element, item) else {
                    let keys = if let ListKind::Map(keys) = kind {
                        format!("{:?}", keys.join(","))
                    } else {
                        String::new()
                    };
                    return Err(MergeError::NoKey {
                        path: crate::fields::show(path),
                        index,
                        keys,
                    });
                };
                if !seen.insert(step.clone()) {
                    return Err(MergeError::Duplicate {
                        path: crate::fields::show(path),
                        element: step.show(),
                    });
                }
                path.push(step);
                check(element, item, path)?;
                path.pop();
            }
        }
        View::Leaf | View::Map(_) | View::List(..) => {}
    }
    Ok(())
}
