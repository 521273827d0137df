//! Between live objects as JSON and the domain's objects.

use convoy_domain::object::{NotAnObject, Object};
use convoy_value::Value;
use serde_json::Value as Json;

/// Deepest nesting of a live object; the API server itself bounds what it stores by bytes only.
const MAX_DEPTH: usize = 200;

/// Why a live object cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidObject {
    /// It lacks what every object has.
    #[error("what the server gave is no object: {0}")]
    NotAnObject(#[from] NotAnObject),
    /// It is nested too deeply.
    #[error("the object is nested deeper than {MAX_DEPTH}")]
    TooDeep,
}

/// The value as JSON.
pub(crate) fn to_json(value: &Value) -> Json {
    // A value has text keys and finite numbers only, which always have a JSON form.
    serde_json::to_value(value).unwrap_or_default()
}

/// JSON as a value.
pub(crate) fn from_json(json: Json) -> Result<Value, InvalidObject> {
    if depth(&json) > MAX_DEPTH {
        return Err(InvalidObject::TooDeep);
    }
    Ok(serde_json::from_value(json).unwrap_or_default())
}

/// A live object.
pub(crate) fn object_from_json(json: Json) -> Result<Object, InvalidObject> {
    Ok(Object::new(from_json(json)?)?)
}

fn depth(json: &Json) -> usize {
    match json {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 0,
    }
}
