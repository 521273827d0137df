//! `OpenAPI` schemas of custom resources as types.

use std::sync::Arc;

use serde_json::Value;

use super::{Field, ListKind, PatchStrategy, Presence, Scalar, Struct, Type, builtin};

fn flag(schema: &Value, name: &str) -> bool {
    schema.get(name).and_then(Value::as_bool).unwrap_or(false)
}

/// The type that a whole custom resource has: its schema with `apiVersion`, `kind` and `metadata` filled in.
pub(crate) fn of_resource(schema: &Value) -> Type {
    let mut root = match of(schema) {
        Type::Struct(root) => Arc::unwrap_or_clone(root),
        Type::Any { .. } => Struct {
            rest: Some(Type::Any { atomic: false }),
            ..Struct::default()
        },
        Type::Scalar(_) | Type::Map { .. } | Type::Named { .. } | Type::List { .. } => Struct::default(),
    };
    with_type_meta(&mut root);
    Type::Struct(Arc::new(root))
}

fn with_type_meta(of: &mut Struct) {
    for (name, ty) in [
        ("apiVersion", Type::Scalar(Scalar::String)),
        ("kind", Type::Scalar(Scalar::String)),
        ("metadata", builtin::named("ObjectMeta")),
    ] {
        of.fields.insert(
            name.into(),
            Field {
                ty,
                required: false,
                default: None,
                patch: PatchStrategy::default(),
                presence: Presence::Plain,
                wire: Vec::new(),
            },
        );
    }
}

/// The type that a schema describes.
pub(crate) fn of(schema: &Value) -> Type {
    let preserve = flag(schema, "x-kubernetes-preserve-unknown-fields");
    if flag(schema, "x-kubernetes-int-or-string") {
        return Type::Scalar(Scalar::IntOrString);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "number" | "boolean") => Type::Scalar(Scalar::Untyped),
        Some("array") => list_of(schema),
        Some("object") => object_of(schema, preserve),
        _ => Type::Any { atomic: false },
    }
}

fn list_of(schema: &Value) -> Type {
    let element = Arc::new(schema.get("items").map_or(Type::Any { atomic: false }, of));
    let kind = match schema.get("x-kubernetes-list-type").and_then(Value::as_str) {
        Some("set") => ListKind::Set,
        Some("map") => {
            let keys = schema.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
            ListKind::Map(
                keys.into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect(),
            )
        }
        _ => ListKind::Atomic,
    };
    Type::List { element, kind }
}

fn object_of(schema: &Value, preserve: bool) -> Type {
    let atomic = schema.get("x-kubernetes-map-type").and_then(Value::as_str) == Some("atomic");
    let properties = schema.get("properties").and_then(Value::as_object);
    let embedded = flag(schema, "x-kubernetes-embedded-resource");
    let additional = schema.get("additionalProperties");
    if properties.is_none_or(serde_json::Map::is_empty) && !embedded {
        if let Some(additional) = additional {
            let element = if additional.is_object() {
                of(additional)
            } else {
                Type::Any { atomic: false }
            };
            return Type::Map {
                element: Arc::new(element),
                atomic,
            };
        }
        if preserve {
            return Type::Any { atomic };
        }
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let fields = properties
        .into_iter()
        .flatten()
        .map(|(name, property)| {
            let field = Field {
                ty: of(property),
                required: required.contains(&name.as_str()),
                default: property.get("default").cloned(),
                patch: PatchStrategy::default(),
                presence: Presence::Plain,
                wire: Vec::new(),
            };
            (name.clone(), field)
        })
        .collect();
    let rest = preserve.then_some(Type::Any { atomic: false });
    let mut of = Struct { fields, rest, atomic };
    if embedded {
        with_type_meta(&mut of);
    }
    Type::Struct(Arc::new(of))
}
