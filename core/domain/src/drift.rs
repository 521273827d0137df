//! Whether a live object is what it was, or what it would become.
//!
//! What the API server keeps for itself (managed fields, versions, times) and what controllers report (status) is
//! no part of the comparison.

use alloc::collections::BTreeMap;

use convoy_value::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::object::Object;

/// Members of `metadata` that the API server sets.
const SERVER_METADATA: [&str; 6] = [
    "managedFields",
    "resourceVersion",
    "generation",
    "uid",
    "creationTimestamp",
    "selfLink",
];

/// Short hash of what is desired of a live object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature([u8; 16]);

/// The signature of a live object.
#[must_use]
pub fn signature(live: &Object) -> Signature {
    let mut hash = Sha256::new();
    hash_members(&mut hash, desired(live.as_map()).filter(|(key, _)| *key != "metadata"));
    if let Some(Value::Object(metadata)) = live.as_map().get("metadata") {
        hash_members(&mut hash, kept_metadata(metadata));
    }
    let mut short = [0; 16];
    short.copy_from_slice(&hash.finalize()[..16]);
    Signature(short)
}

/// Hashes members in byte order of keys, each framed, since the order in which a server sends them says nothing.
fn hash_members<'a>(hash: &mut Sha256, members: impl Iterator<Item = (&'a str, &'a Value)>) {
    for (key, value) in members.collect::<BTreeMap<_, _>>() {
        hash.update((key.len() as u64).to_be_bytes());
        hash.update(key);
        json::write_canonical(value, &mut |bytes: &[u8]| hash.update(bytes));
        hash.update([0]);
    }
}

/// Whether applying would change nothing that is desired: `result` is what the dry run of the apply answered.
#[must_use]
pub fn same(live: &Object, result: &Object) -> bool {
    let (live, result) = (live.as_map(), result.as_map());
    let members = |map: &Map| desired(map).count();
    members(live) == members(result)
        && desired(live).all(|(key, value)| match (key, value, result.get(key)) {
            ("metadata", Value::Object(ours), Some(Value::Object(theirs))) => same_metadata(ours, theirs),
            (_, value, other) => other == Some(value),
        })
}

fn same_metadata(live: &Map, result: &Map) -> bool {
    kept_metadata(live).count() == kept_metadata(result).count()
        && kept_metadata(live).all(|(key, value)| result.get(key) == Some(value))
}

fn desired(object: &Map) -> impl Iterator<Item = (&str, &Value)> {
    object.iter().filter(|(key, _)| *key != "status")
}

fn kept_metadata(metadata: &Map) -> impl Iterator<Item = (&str, &Value)> {
    metadata.iter().filter(|(key, _)| !SERVER_METADATA.contains(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(text: &str) -> Object {
        Object::new(json::parse(text.as_bytes(), &convoy_value::Limits::default()).unwrap()).unwrap()
    }

    #[test]
    fn only_what_is_desired_counts() {
        let live = object(
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"1","managedFields":[1]},"data":{"k":"v"},"status":{"x":1}}"#,
        );
        let check = |other: &str, expect: bool| {
            let other = object(other);
            assert_eq!(same(&live, &other), expect, "{other:?}");
            assert_eq!(same(&other, &live), expect, "{other:?}");
            assert_eq!(signature(&live) == signature(&other), expect, "{other:?}");
        };
        check(
            r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"9"},"data":{"k":"v"}}"#,
            true,
        );
        check(
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"w"}}"#,
            false,
        );
        check(
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v","l":"w"}}"#,
            false,
        );
        check(
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"x":"y"}},"data":{"k":"v"}}"#,
            false,
        );
        check(
            r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"},"immutable":true}"#,
            false,
        );
    }
}
