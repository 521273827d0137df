//! The types that a template can see, and their names.

use alloc::sync::Arc;
use core::fmt;

use super::{Heap, Named, Value};

/// Sizes of signed integers, and the named types over `int` that print as words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum IntKind {
    Int,
    Int8,
    Int16,
    Int32,
    Int64,
    Month,
    Weekday,
}

/// Sizes of unsigned integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum UintKind {
    Uint,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
}

impl IntKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Month => "time.Month",
            Self::Weekday => "time.Weekday",
        }
    }

    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Month | Self::Weekday => "int",
            Self::Int | Self::Int8 | Self::Int16 | Self::Int32 | Self::Int64 => self.name(),
        }
    }
}

impl UintKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Uint => "uint",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
        }
    }
}

/// What the elements of a list or map are declared to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elem {
    /// `interface {}`.
    Any,
    /// `string`.
    String,
    /// `int`.
    Int,
    /// `float64`.
    Float,
    /// `[]uint8`.
    Bytes,
    /// `[]interface {}`.
    List,
    /// `[]string`.
    Strings,
    /// `map[string]interface {}`.
    Map,
    /// Some other type, by name; its zero value is nil.
    Other(&'static str),
}

impl Elem {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Any => "interface {}",
            Self::String => "string",
            Self::Int => "int",
            Self::Float => "float64",
            Self::Bytes => "[]uint8",
            Self::List => "[]interface {}",
            Self::Strings => "[]string",
            Self::Map => "map[string]interface {}",
            Self::Other(name) => name,
        }
    }
}

/// A type: of a value, or of a parameter.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Type {
    /// Untyped nil has no type.
    Nil,
    /// `interface {}`.
    Any,
    /// `reflect.Value`: anything, and the difference between no value and a nil one is seen.
    Reflect,
    /// `bool`.
    Bool,
    /// A signed integer.
    Int(IntKind),
    /// An unsigned integer.
    Uint(UintKind),
    /// `float64`.
    Float,
    /// `complex128`.
    Complex,
    /// `string`.
    String,
    /// A slice of bytes.
    Bytes,
    /// A slice.
    List(Elem),
    /// A map with string keys.
    Map(Elem),
    /// `time.Time`.
    Time,
    /// `time.Duration`.
    Duration,
    /// `error`.
    Error,
    /// The type of `errors.New`.
    ErrorString,
    /// A function.
    Function,
    /// A named map or slice, with what it is made of.
    Named(Arc<Named>, Elem, bool),
    /// A type of the host, by name; with whether nil can be one.
    Host(&'static str, bool),
}

impl Type {
    /// The type of `value`.
    #[must_use]
    pub fn of(value: &Value, heap: &Heap) -> Self {
        match value {
            Value::Nil => Self::Nil,
            Value::Bool(_) => Self::Bool,
            Value::Int(kind, _) => Self::Int(*kind),
            Value::Uint(kind, _) => Self::Uint(*kind),
            Value::Float(_) => Self::Float,
            Value::Complex(_) => Self::Complex,
            Value::String(_) => Self::String,
            Value::Bytes(_) => Self::Bytes,
            Value::List(list) => match heap.list_name(*list) {
                Some(named) => Self::Named(named.clone(), heap.list_elem(*list), false),
                None => Self::List(heap.list_elem(*list)),
            },
            Value::Map(map) => match heap.map_name(*map) {
                Some(named) => Self::Named(named.clone(), heap.map_elem(*map), true),
                None => Self::Map(heap.map_elem(*map)),
            },
            Value::Time(_) => Self::Time,
            Value::Duration(_) => Self::Duration,
            Value::Error(_) => Self::ErrorString,
            Value::Object(object) => Self::Host(object.go_type(), false),
            Value::Function(_) => Self::Function,
        }
    }

    /// Whether untyped nil can be a value of it.
    pub(crate) fn can_be_nil(&self) -> bool {
        match self {
            Self::Nil
            | Self::Any
            | Self::Reflect
            | Self::Bytes
            | Self::List(_)
            | Self::Map(_)
            | Self::Error
            | Self::ErrorString
            | Self::Function
            | Self::Named(..) => true,
            Self::Host(_, nil) => *nil,
            Self::Bool
            | Self::Int(_)
            | Self::Uint(_)
            | Self::Float
            | Self::Complex
            | Self::String
            | Self::Time
            | Self::Duration => false,
        }
    }

    /// Whether a value of type `self` can be passed for `wanted`.
    pub(crate) fn assignable_to(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (_, Self::Any | Self::Reflect)
            | (Self::Bool, Self::Bool)
            | (Self::Float, Self::Float)
            | (Self::Complex, Self::Complex)
            | (Self::String, Self::String)
            | (Self::Bytes, Self::Bytes)
            | (Self::Time, Self::Time)
            | (Self::Duration, Self::Duration)
            | (Self::ErrorString, Self::Error | Self::ErrorString)
            | (Self::Function, Self::Function) => true,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Uint(a), Self::Uint(b)) => a == b,
            (Self::List(a), Self::List(b)) | (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Named(_, a, is_map), Self::Map(b)) => *is_map && a == b,
            (Self::Named(_, a, is_map), Self::List(b)) => !is_map && a == b,
            (Self::Named(a, ..), Self::Named(b, ..)) => a.name == b.name,
            (Self::Host(a, _), Self::Host(b, _)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nil => f.write_str("<nil>"),
            Self::Any => f.write_str("interface {}"),
            Self::Reflect => f.write_str("reflect.Value"),
            Self::Bool => f.write_str("bool"),
            Self::Int(kind) => f.write_str(kind.name()),
            Self::Uint(kind) => f.write_str(kind.name()),
            Self::Float => f.write_str("float64"),
            Self::Complex => f.write_str("complex128"),
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("[]uint8"),
            Self::List(elem) => write!(f, "[]{}", elem.name()),
            Self::Map(elem) => write!(f, "map[string]{}", elem.name()),
            Self::Time => f.write_str("time.Time"),
            Self::Duration => f.write_str("time.Duration"),
            Self::Error => f.write_str("error"),
            Self::ErrorString => f.write_str("*errors.errorString"),
            Self::Function => f.write_str("func"),
            Self::Named(named, ..) => f.write_str(named.name),
            Self::Host(name, _) => f.write_str(name),
        }
    }
}

/// The name of the kind of `value`, as `reflect.Kind` prints it.
#[must_use]
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Nil => "invalid",
        Value::Bool(_) => "bool",
        Value::Int(kind, _) => kind.kind(),
        Value::Uint(kind, _) => kind.name(),
        Value::Float(_) => "float64",
        Value::Complex(_) => "complex128",
        Value::String(_) => "string",
        Value::Bytes(_) | Value::List(_) => "slice",
        Value::Map(_) => "map",
        Value::Time(_) => "struct",
        Value::Duration(_) => "int64",
        Value::Error(_) => "ptr",
        Value::Object(object) => object.kind().name(),
        Value::Function(_) => "func",
    }
}
