//! JSON pointers: `/spec/containers/0/image`, with `~1` for `/` and `~0` for `~` in a part.

use alloc::borrow::Cow;

use crate::{Map, Value};

/// The parts of a pointer; none for the whole document, and nothing for what is no pointer.
#[must_use]
pub fn parts(pointer: &str) -> Option<impl DoubleEndedIterator<Item = Cow<'_, str>>> {
    let rest = match pointer {
        "" => None,
        _ => Some(pointer.strip_prefix('/')?.split('/')),
    };
    Some(rest.into_iter().flatten().map(unescape))
}

/// One part of a pointer as the key that it stands for.
pub(super) fn unescape(part: &str) -> Cow<'_, str> {
    if part.contains('~') {
        Cow::Owned(part.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(part)
    }
}

/// The value that `pointer` names, if it is there.
#[must_use]
pub fn get<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    parts(pointer)?.try_fold(value, |value, part| match value {
        Value::Object(map) => map.get(&part),
        Value::Array(items) => items.get(index(&part)?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

/// The value that `pointer` names, to change, if it is there.
pub fn get_mut<'v>(value: &'v mut Value, pointer: &str) -> Option<&'v mut Value> {
    parts(pointer)?.try_fold(value, |value, part| match value {
        Value::Object(map) => map.get_mut(&part),
        Value::Array(items) => items.get_mut(index(&part)?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

/// Sets what `pointer` names, and makes the mappings on the way that are missing or null; `-` appends to a
/// sequence. Answers whether it could: scalars on the way, and indices beyond a sequence's end, are in the way.
pub fn set(value: &mut Value, pointer: &str, new: impl Into<Value>) -> bool {
    let Some(parts) = parts(pointer) else { return false };
    let mut place = value;
    for part in parts {
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        place = match place {
            Value::Object(map) => map.or_insert(&part, Value::Null),
            Value::Array(items) => {
                let at = if part == "-" { Some(items.len()) } else { index(&part) };
                let Some(at) = at.filter(|at| *at <= items.len()) else {
                    return false;
                };
                if at == items.len() {
                    items.push(Value::Null);
                }
                &mut items[at]
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return false,
        };
    }
    *place = new.into();
    true
}

/// An index into a sequence: digits without a leading zero.
fn index(part: &str) -> Option<usize> {
    let canonical = part == "0" || !part.starts_with(['0', '+']);
    if canonical { part.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, json};

    fn value(text: &str) -> Value {
        json::parse(text, &Limits::default()).unwrap()
    }

    #[test]
    fn a_pointer_names_a_place() {
        let document = value(r#"{"a":{"b":[1,{"c/d":2,"e~f":3}]},"":4}"#);
        for (pointer, expect) in [
            ("/a/b/0", Some("1")),
            ("/a/b/1/c~1d", Some("2")),
            ("/a/b/1/e~0f", Some("3")),
            ("/", Some("4")),
            ("/a/b/2", None),
            ("/a/b/-", None),
            ("/a/b/00", None),
            ("/a/x", None),
            ("a", None),
        ] {
            assert_eq!(
                get(&document, pointer).map(json::to_canonical).as_deref(),
                expect,
                "{pointer}"
            );
            assert_eq!(
                get_mut(&mut document.clone(), pointer).is_some(),
                expect.is_some(),
                "{pointer}"
            );
        }
        assert_eq!(get(&document, ""), Some(&document));
    }

    #[test]
    fn what_is_missing_on_the_way_is_made() {
        for (document, pointer, expect) in [
            ("null", "/a/b", Some(r#"{"a":{"b":true}}"#)),
            (r#"{"a":null}"#, "/a/b", Some(r#"{"a":{"b":true}}"#)),
            (r#"{"a":[1]}"#, "/a/0", Some(r#"{"a":[true]}"#)),
            (r#"{"a":[1]}"#, "/a/1", Some(r#"{"a":[1,true]}"#)),
            (r#"{"a":[1]}"#, "/a/-", Some(r#"{"a":[1,true]}"#)),
            (r#"{"a":[]}"#, "/a/-/b", Some(r#"{"a":[{"b":true}]}"#)),
            ("1", "", Some("true")),
            (r#"{"a":[1]}"#, "/a/2", None),
            (r#"{"a":1}"#, "/a/b", None),
            ("{}", "a", None),
        ] {
            let mut document = value(document);
            let done = set(&mut document, pointer, true);
            assert_eq!(
                done.then(|| json::to_canonical(&document)).as_deref(),
                expect,
                "{pointer}"
            );
        }
    }
}
