//! The value itself.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{Map, Number};

/// A YAML or JSON value with string keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`, `~`, or nothing.
    #[default]
    Null,
    /// `true` or `false` (and `yes`, `on`, … for the Helm reader).
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    String(String),
    /// A sequence.
    Array(Vec<Value>),
    /// A mapping.
    Object(Map),
}

impl Value {
    /// The map, if this is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Map> {
        match self {
            Self::Object(map) => Some(map),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Array(_) => None,
        }
    }

    /// The map to change, if this is one.
    pub fn as_object_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Object(map) => Some(map),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Array(_) => None,
        }
    }

    /// The elements, if this is a sequence.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Self::Array(items) => Some(items),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Object(_) => None,
        }
    }

    /// The text, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// The boolean, if this is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            Self::Null | Self::Number(_) | Self::String(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// The signed integer, if this is one that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(n) => n.as_i64(),
            Self::Null | Self::Bool(_) | Self::String(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    /// Whether JSON can hold all of it: no number in it is NaN or infinite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Number(number) => number.is_finite(),
            Self::Array(items) => items.iter().all(Self::is_finite),
            Self::Object(map) => map.values().all(Self::is_finite),
            Self::Null | Self::Bool(_) | Self::String(_) => true,
        }
    }

    /// Whether this is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The member `key` of a map.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }

    /// The value under a path of map keys.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Value> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}
impl From<i32> for Value {
    fn from(i: i32) -> Self {
        Self::Number(Number::Int(i.into()))
    }
}
impl From<u64> for Value {
    fn from(u: u64) -> Self {
        Self::Number(Number::from(u))
    }
}
impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}
impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Self::Number(Number::Int(i))
    }
}
impl From<f64> for Value {
    fn from(f: f64) -> Self {
        Self::Number(Number::Float(f))
    }
}
impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Self::String(s.into())
    }
}
impl From<String> for Value {
    fn from(s: String) -> Self {
        Self::String(s)
    }
}
impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Self::Array(items)
    }
}
impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Object(map)
    }
}
