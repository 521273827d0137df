//! Decoding against a type: unknown fields are found and dropped, wrong types are named.
//!
//! # Invariant
//! What [`prune`] leaves has no unknown field and no null where the type knows the field.

use serde_json::{Map, Value};

use super::{Scalar, Type, View};
use crate::status::type_name;

/// Drops unknown fields and returns their paths, at most [`MAX_REPORTED`].
pub(crate) fn prune(ty: &Type, value: &mut Value, drop_nulls: bool) -> Vec<String> {
    let mut unknown = Vec::new();
    walk(ty, value, &mut String::new(), drop_nulls, &mut unknown);
    unknown
}

/// More unknown fields than this are dropped without being named.
pub(crate) const MAX_REPORTED: usize = 100;

fn walk(ty: &Type, value: &mut Value, path: &mut String, drop_nulls: bool, unknown: &mut Vec<String>) {
    match ty.view(Some(value)) {
        View::Leaf => {}
        View::List(element, _) => {
            let Some(items) = value.as_array_mut() else { return };
            for (index, item) in items.iter_mut().enumerate() {
                within(path, &format!("[{index}]"), |path| {
                    walk(element, item, path, drop_nulls, unknown);
                });
            }
        }
        View::Map(map) => {
            if ty.is_any() {
                return;
            }
            let Some(object) = value.as_object_mut() else { return };
            if map.fields.is_some() && map.rest.is_none() {
                drop_unknown(object, &|name| map.field(name).is_some(), path, unknown);
            }
            if drop_nulls && map.fields.is_some() {
                object
                    .retain(|name, item| !(item.is_null() && map.field(name).is_some_and(|field| !field.ty.is_any())));
            }
            for (name, item) in object.iter_mut() {
                let dot = if path.is_empty() {
                    name.clone()
                } else {
                    format!(".{name}")
                };
                within(path, &dot, |path| {
                    walk(map.child(name), item, path, drop_nulls, unknown);
                });
            }
        }
    }
}

fn drop_unknown(object: &mut Map<String, Value>, known: &dyn Fn(&str) -> bool, path: &str, unknown: &mut Vec<String>) {
    object.retain(|name, _| {
        let keep = known(name);
        if !keep && unknown.len() < MAX_REPORTED {
            unknown.push(if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            });
        }
        keep
    });
}

fn within(path: &mut String, step: &str, then: impl FnOnce(&mut String)) {
    let length = path.len();
    path.push_str(step);
    then(path);
    path.truncate(length);
}

/// The first value of a built-in kind whose JSON type cannot be decoded, worded as a decoder would.
pub(crate) fn type_mismatch(ty: &Type, value: &Value) -> Option<String> {
    mismatch(ty, value, &mut String::new(), "")
}

/// `holder` is the struct that has the field; keys and indexes are not part of the path.
fn mismatch(ty: &Type, value: &Value, path: &mut String, holder: &str) -> Option<String> {
    let wrong = |want: &str, path: &str| {
        let dot = if holder.is_empty() { "" } else { "." };
        Some(format!(
            "json: cannot unmarshal {} into Go struct field {holder}{dot}{path} of type {want}",
            go_name(value)
        ))
    };
    if value.is_null() {
        return None;
    }
    if let Type::Scalar(scalar) = ty {
        if *scalar == Scalar::Bytes
            && let Some(text) = value.as_str()
        {
            return illegal_base64(text);
        }
        return if fits(*scalar, value) {
            None
        } else {
            wrong(go_type(*scalar), path)
        };
    }
    match ty.view(Some(value)) {
        View::Leaf => None,
        View::List(element, _) => {
            let Some(items) = value.as_array() else {
                return wrong("slice", path);
            };
            items.iter().find_map(|item| mismatch(element, item, path, holder))
        }
        View::Map(map) => {
            let Some(object) = value.as_object() else {
                return wrong("struct", path);
            };
            let named = if let Type::Named { index, .. } = ty {
                super::builtin::name_of(*index)
            } else {
                holder
            };
            object.iter().find_map(|(name, item)| {
                let length = path.len();
                if map.fields.is_some() {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                let found = mismatch(map.child(name), item, path, named);
                path.truncate(length);
                found
            })
        }
    }
}

/// The first value of a configuration that has not the form of its type, worded as typed merging does.
pub(crate) fn untyped(ty: &Type, value: &Value) -> Option<String> {
    untyped_at(ty, value, &mut String::new())
}

fn untyped_at(ty: &Type, value: &Value, path: &mut String) -> Option<String> {
    let wrong = |want: &str, path: &str| Some(format!("{path}: expected {want}, got {}", go_name(value)));
    if value.is_null() {
        return None;
    }
    if let Type::Scalar(scalar) = ty {
        let (fits, want) = match scalar {
            Scalar::Int32 | Scalar::Int64 | Scalar::Number => (value.is_number(), "numeric (int or float)"),
            Scalar::Bool => (value.is_boolean(), "boolean"),
            Scalar::String | Scalar::Time | Scalar::Bytes => (value.is_string(), "string"),
            Scalar::Quantity | Scalar::IntOrString | Scalar::Untyped => {
                (!value.is_array() && !value.is_object(), "scalar")
            }
        };
        return if fits { None } else { wrong(want, path) };
    }
    let children: Vec<(String, &Type, &Value)> = match ty.view(Some(value)) {
        View::Leaf => return None,
        View::List(element, _) => {
            let Some(items) = value.as_array() else {
                return wrong("list", path);
            };
            items
                .iter()
                .enumerate()
                .map(|(at, item)| (format!("[{at}]"), element, item))
                .collect()
        }
        View::Map(map) => {
            let Some(object) = value.as_object() else {
                return wrong("map", path);
            };
            object
                .iter()
                .map(|(name, item)| (format!(".{name}"), map.child(name), item))
                .collect()
        }
    };
    children.into_iter().find_map(|(step, ty, item)| {
        let length = path.len();
        path.push_str(&step);
        let found = untyped_at(ty, item, path);
        path.truncate(length);
        found
    })
}

fn illegal_base64(text: &str) -> Option<String> {
    if crate::validate::format::base64(text) {
        return None;
    }
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let at = text.bytes().position(|byte| !good(byte)).unwrap_or(text.len() / 4 * 4);
    Some(format!("illegal base64 data at input byte {at}"))
}

fn go_name(value: &Value) -> &'static str {
    if value.is_boolean() {
        "bool"
    } else if value.is_number() {
        "number"
    } else {
        type_name(value)
    }
}

fn go_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::String | Scalar::Quantity | Scalar::Untyped => "string",
        Scalar::Time => "time.Time",
        Scalar::Int32 => "int32",
        Scalar::Int64 => "int64",
        Scalar::Number => "float64",
        Scalar::Bool => "bool",
        Scalar::IntOrString => "intstr.IntOrString",
        Scalar::Bytes => "[]uint8",
    }
}

fn fits(scalar: Scalar, value: &Value) -> bool {
    match scalar {
        Scalar::Untyped => true,
        Scalar::String | Scalar::Time | Scalar::Bytes => value.is_string(),
        Scalar::Quantity => value.is_string() || value.is_number(),
        Scalar::Int32 => whole(value).is_some_and(|number| i32::try_from(number).is_ok()),
        Scalar::Int64 => whole(value).is_some(),
        Scalar::Number => value.is_number(),
        Scalar::Bool => value.is_boolean(),
        Scalar::IntOrString => value.is_string() || whole(value).is_some(),
    }
}

/// An integer, also when written as `1.0`.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let float = value.as_f64()?;
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
        (float.fract() == 0.0 && float.abs() < 9.0e15).then_some(float as i64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::builtin;
    use serde_json::json;

    #[test]
    fn unknown_fields_of_a_deployment_are_named_and_dropped() {
        let mut value = json!({"spec": {"replicas": 1, "foo": 1, "template": {"spec": {"containers": [
            {"name": "a", "imagee": "x"}]}}}});
        let unknown = prune(&builtin::named("Deployment"), &mut value, true);
        assert_eq!(unknown, ["spec.foo", "spec.template.spec.containers[0].imagee"]);
        assert_eq!(value["spec"].get("foo"), None);
    }

    #[test]
    fn a_string_where_a_number_belongs_is_named() {
        let found = type_mismatch(&builtin::named("Deployment"), &json!({"spec": {"replicas": "1"}}));
        assert_eq!(
            found.as_deref(),
            Some("json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32")
        );
    }
}
