//! Defaults of structural schemas.

use serde_json::{Value, json};

/// Fills in defaults. Nulls where a schema does not allow them count as absent.
pub(crate) fn fill(schema: &Value, value: &mut Value) {
    if let Some(properties) = schema.get("properties").and_then(Value::as_object)
        && let Some(object) = value.as_object_mut()
    {
        for (name, property) in properties {
            let nullable = property.get("nullable") == Some(&json!(true));
            if !nullable && object.get(name).is_some_and(Value::is_null) {
                object.remove(name);
            }
            if let Some(default) = property.get("default")
                && !object.contains_key(name)
            {
                object.insert(name.clone(), default.clone());
            }
            if let Some(child) = object.get_mut(name) {
                fill(property, child);
            }
        }
    }
    if let Some(additional) = schema
        .get("additionalProperties")
        .filter(|additional| additional.is_object())
        && let Some(object) = value.as_object_mut()
    {
        let known = schema.get("properties").and_then(Value::as_object);
        for (name, child) in object {
            if known.is_none_or(|known| !known.contains_key(name)) {
                fill(additional, child);
            }
        }
    }
    if let Some(of) = schema.get("items")
        && let Some(items) = value.as_array_mut()
    {
        for item in items {
            fill(of, item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_reach_into_given_objects_only() {
        let schema = json!({"properties": {
            "a": {"type": "integer", "default": 1},
            "b": {"type": "object", "properties": {"c": {"default": "x"}}},
            "d": {"items": {"properties": {"e": {"default": true}}}},
            "f": {"default": {}, "properties": {"g": {"default": 2}}}}});
        let mut value = json!({"a": null, "d": [{}]});
        fill(&schema, &mut value);
        assert_eq!(value, json!({"a": 1, "d": [{"e": true}], "f": {"g": 2}}));
    }
}
