//! What a writer of YAML or TOML finds in a value: Go's kinds, as far as those libraries tell them apart.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_template::value::{Heap, ObjectKind, Time, Type, UintKind, duration_text};
use convoy_template::{Str, Value};

/// The shape of one value.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Nil without a type.
    Nil,
    /// A boolean.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// A float.
    Float(f64),
    /// A string, or what says itself which text it is.
    Text(Str),
    /// A moment.
    Time(Arc<Time>),
    /// The elements of a slice; bytes are numbers.
    List(Vec<Value>),
    /// The entries of a map, in order of the bytes of their keys; whether it is a nil map.
    Map(Vec<(Str, Value)>, bool),
    /// The fields of a struct, in order of declaration.
    Struct(Vec<(Str, Value)>),
    /// What has no text, by the name of its type.
    Other(String),
}

impl Shape {
    pub(super) fn of(heap: &Heap, value: &Value) -> Self {
        match value {
            Value::Nil => Self::Nil,
            Value::Bool(b) => Self::Bool(*b),
            Value::Int(_, i) => Self::Int(*i),
            Value::Uint(_, u) => Self::Uint(*u),
            Value::Float(f) => Self::Float(*f),
            Value::String(text) => Self::Text(text.clone()),
            Value::Duration(nanos) => Self::Text(duration_text(*nanos).into()),
            Value::Time(time) => Self::Time(Arc::clone(time)),
            Value::Bytes(bytes) => {
                let number = |byte: &u8| Value::Uint(UintKind::Uint8, u64::from(*byte));
                Self::List(bytes.iter().map(number).collect())
            }
            Value::List(list) => Self::List(heap.items(*list).to_vec()),
            Value::Map(map) => {
                let entries = heap.entries(*map).map(|(key, value)| (key.clone(), value.clone()));
                Self::Map(entries.collect(), heap.is_nil_map(*map))
            }
            Value::Error(_) => Self::Struct(Vec::new()),
            Value::Object(object) => match (object.json(), object.kind()) {
                (Some(Value::String(text)), _) => Self::Text(text),
                (_, ObjectKind::Map) => Self::Map(object.entries(), false),
                (_, ObjectKind::Struct | ObjectKind::Pointer) => Self::Struct(object.entries()),
                (_, ObjectKind::Opaque) => Self::Other(object.go_type().into()),
            },
            _ => Self::Other(alloc::format!("{}", Type::of(value, heap))),
        }
    }
}
