//! Values as Go's `reflect` sees them.

mod convert;
mod entries;
mod heap;
pub(crate) mod json;
mod object;
pub(crate) mod time;
mod types;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

pub use convert::PlainError;
pub(crate) use heap::Node;
pub use heap::{Base, Heap, ListRef, MapRef};
pub use object::{Named, Object, ObjectKind, Struct};
pub use time::{Civil, Time, Zone, days_from_civil, duration_text, time_quote};
pub use types::{Elem, IntKind, Type, UintKind, kind_of};

use crate::{Function, Str};

/// A value. Lists and maps are handles into a [`Heap`], so that a clone shares them, as in Go.
///
/// Its tag fills a word, so that it is moved in words: bytes beside a small tag are copied piece by piece.
#[derive(Clone, Debug, Default)]
#[repr(u64)]
#[non_exhaustive]
pub enum Value {
    /// Untyped nil, or no value at all.
    #[default]
    Nil,
    /// `bool`.
    Bool(bool),
    /// A signed integer of some size.
    Int(IntKind, i64),
    /// An unsigned integer of some size.
    Uint(UintKind, u64),
    /// `float64`.
    Float(f64),
    /// `complex128`: real and imaginary part.
    Complex(Box<(f64, f64)>),
    /// `string`.
    String(Str),
    /// `[]byte`; nothing in a template can change one.
    Bytes(Str),
    /// A slice.
    List(ListRef),
    /// A map with string keys.
    Map(MapRef),
    /// `time.Time`.
    Time(Arc<Time>),
    /// `time.Duration`, in nanoseconds.
    Duration(i64),
    /// An `error` made by `errors.New`.
    Error(Str),
    /// A value of the host, with fields and methods.
    Object(Arc<dyn Object>),
    /// A function as a value, for `call`.
    Function(Arc<Function>),
}

impl Value {
    /// An `int`.
    #[must_use]
    pub fn int(i: i64) -> Self {
        Self::Int(IntKind::Int, i)
    }

    /// An `int64`.
    #[must_use]
    pub fn int64(i: i64) -> Self {
        Self::Int(IntKind::Int64, i)
    }

    /// A `string`.
    #[must_use]
    pub fn string(text: impl Into<Str>) -> Self {
        Self::String(text.into())
    }

    /// Whether this is untyped nil.
    #[must_use]
    pub fn is_nil(&self) -> bool {
        matches!(self, Self::Nil)
    }

    /// The string, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&Str> {
        if let Self::String(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// The map, if this is one.
    #[must_use]
    pub fn as_map(&self) -> Option<MapRef> {
        if let Self::Map(map) = self { Some(*map) } else { None }
    }

    /// The list, if this is one.
    #[must_use]
    pub fn as_list(&self) -> Option<ListRef> {
        if let Self::List(list) = self { Some(*list) } else { None }
    }

    /// The host's value, if this is one of type `T`.
    #[must_use]
    pub fn downcast<T: Object + 'static>(&self) -> Option<&T> {
        if let Self::Object(object) = self {
            object.as_any().downcast_ref()
        } else {
            None
        }
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}
impl From<f64> for Value {
    fn from(f: f64) -> Self {
        Self::Float(f)
    }
}
/// Go's `int`.
impl From<isize> for Value {
    fn from(i: isize) -> Self {
        Self::int(i as i64)
    }
}
/// Go's `int64`.
impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Self::int64(i)
    }
}
impl From<Str> for Value {
    fn from(text: Str) -> Self {
        Self::String(text)
    }
}
impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}
impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}
/// A `string`, not `[]byte`.
impl From<Vec<u8>> for Value {
    fn from(text: Vec<u8>) -> Self {
        Self::String(text.into())
    }
}
impl From<ListRef> for Value {
    fn from(list: ListRef) -> Self {
        Self::List(list)
    }
}
impl From<MapRef> for Value {
    fn from(map: MapRef) -> Self {
        Self::Map(map)
    }
}
impl From<Time> for Value {
    fn from(time: Time) -> Self {
        Self::Time(Arc::new(time))
    }
}
