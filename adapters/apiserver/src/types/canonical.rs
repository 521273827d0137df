//! The form that built-in objects have after passing through the server's structs.
//!
//! Empty optional fields vanish, and fields without a way to be absent appear with their zero: clients see `spec: {}`
//! although nobody wrote it, and `value: ""` is gone although somebody did.

use serde_json::{Map, Value};

use super::{Field, MapView, Presence, Scalar, Type, View};

/// Brings a value of a built-in type into its canonical form.
pub(crate) fn canonical(ty: &Type, value: &mut Value) {
    match ty.view(Some(value)) {
        View::Leaf => {}
        View::List(element, _) => {
            value
                .as_array_mut()
                .into_iter()
                .flatten()
                .for_each(|item| canonical(element, item));
        }
        View::Map(map) => {
            if let Some(object) = value.as_object_mut() {
                fields(&map, object);
            }
        }
    }
}

/// The form of an object in which nothing is set.
pub(crate) fn skeleton(ty: &Type) -> Value {
    let mut value = Value::Object(Map::new());
    canonical(ty, &mut value);
    value
}

fn fields(map: &MapView<'_>, object: &mut Map<String, Value>) {
    if map.fields.is_some() {
        object.retain(|name, value| {
            let drops = map
                .field(name)
                .is_some_and(|field| field.presence == Presence::DropEmpty);
            !(drops && is_empty(value))
        });
    }
    for (name, field) in map.fields.into_iter().flatten() {
        let absent = object.get(name).is_none_or(Value::is_null);
        match field.presence {
            Presence::WriteZero if absent => {
                object.insert(name.clone(), zero(field));
            }
            Presence::WriteNull if absent => {
                object.insert(name.clone(), Value::Null);
            }
            Presence::Plain | Presence::DropEmpty | Presence::WriteZero | Presence::WriteNull => {}
        }
    }
    for (name, value) in object.iter_mut() {
        canonical(map.child(name), value);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(set) => !set,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

fn zero(field: &Field) -> Value {
    match &field.ty {
        Type::Scalar(Scalar::String | Scalar::Bytes | Scalar::Quantity | Scalar::Untyped) => Value::from(""),
        Type::Scalar(Scalar::Int32 | Scalar::Int64 | Scalar::Number | Scalar::IntOrString) => Value::from(0),
        Type::Scalar(Scalar::Bool) => Value::Bool(false),
        Type::Scalar(Scalar::Time) | Type::Map { .. } | Type::List { .. } | Type::Any { .. } => Value::Null,
        Type::Struct(_) | Type::Named { .. } => Value::Object(Map::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::builtin::named;
    use serde_json::json;

    #[test]
    fn absent_structs_appear_and_empty_options_vanish() {
        let skeleton = skeleton(&named("Deployment"));
        assert_eq!(
            skeleton["spec"]["template"],
            json!({"metadata": {}, "spec": {"containers": null}})
        );
        assert_eq!(skeleton["spec"]["strategy"], json!({}));
        let mut pod =
            json!({"spec": {"hostNetwork": false, "containers": [{"name": "a", "env": [{"name": "A", "value": ""}]}]}});
        canonical(&named("Pod"), &mut pod);
        let expect = json!({"containers": [{"name": "a", "env": [{"name": "A"}], "resources": {}}]});
        assert_eq!(pod["spec"], expect);
    }
}
