//! What the fields of a kind are, as far as merging, pruning and patching need to know.
//!
//! One [`Type`] serves built-in kinds (read from the compact table in `data/types.txt`) and custom ones (converted
//! from their `OpenAPI` schema), so that there is one merge, one field set and one pruning.

pub(crate) mod builtin;
pub(crate) mod canonical;
pub(crate) mod decode;
pub(crate) mod schema;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

/// The type of a value.
#[derive(Debug, Clone)]
pub(crate) enum Type {
    Scalar(Scalar),
    /// Anything; atomic, or merged by what the value turns out to be.
    Any {
        atomic: bool,
    },
    Map {
        element: Arc<Type>,
        atomic: bool,
    },
    Struct(Arc<Struct>),
    /// A definition of the built-in table.
    Named {
        index: usize,
        atomic: bool,
    },
    List {
        element: Arc<Type>,
        kind: ListKind,
    },
}

/// Scalars as the wire format of built-in kinds tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    String,
    Int32,
    Int64,
    Number,
    Bool,
    Time,
    Quantity,
    IntOrString,
    Bytes,
    Untyped,
}

/// How the items of a list are told apart when two lists are merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListKind {
    Atomic,
    Set,
    Map(Vec<String>),
}

/// An object with named fields.
#[derive(Debug, Clone, Default)]
pub(crate) struct Struct {
    pub(crate) fields: BTreeMap<String, Field>,
    /// The type of fields that are not named; none when they are unknown.
    pub(crate) rest: Option<Type>,
    pub(crate) atomic: bool,
}

/// A named field.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) ty: Type,
    pub(crate) required: bool,
    pub(crate) default: Option<Value>,
    pub(crate) patch: PatchStrategy,
    pub(crate) presence: Presence,
    /// The numbers that lead to it in the binary format; empty where it has none.
    pub(crate) wire: Vec<u32>,
}

/// What becomes of a field that is absent or empty when an object passes through the server's structs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It stays as it is.
    #[default]
    Plain,
    /// It is dropped when empty.
    DropEmpty,
    /// It is written as its zero when absent.
    WriteZero,
    /// It is written as null when absent.
    WriteNull,
}

/// How a strategic merge patch treats a field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PatchStrategy {
    pub(crate) merge: bool,
    pub(crate) retain_keys: bool,
    pub(crate) key: Option<String>,
}

pub(crate) static ANY: Type = Type::Any { atomic: false };

/// A type looked at from the side of one value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum View<'a> {
    Leaf,
    Map(MapView<'a>),
    List(&'a Type, &'a ListKind),
}

/// An object type: named fields, the type of others, or both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MapView<'a> {
    pub(crate) fields: Option<&'a BTreeMap<String, Field>>,
    pub(crate) rest: Option<&'a Type>,
    pub(crate) atomic: bool,
}

impl<'a> MapView<'a> {
    pub(crate) fn field(&self, name: &str) -> Option<&'a Field> {
        self.fields.and_then(|fields| fields.get(name))
    }

    pub(crate) fn child(&self, name: &str) -> &'a Type {
        self.field(name).map(|field| &field.ty).or(self.rest).unwrap_or(&ANY)
    }
}

impl Type {
    /// What the type is for a value of this form; a value decides only where the type says "anything".
    pub(crate) fn view(&self, value: Option<&Value>) -> View<'_> {
        match self {
            Self::Scalar(_) => View::Leaf,
            Self::Any { atomic } => {
                if value.is_some_and(Value::is_object) {
                    View::Map(MapView {
                        fields: None,
                        rest: Some(&ANY),
                        atomic: *atomic,
                    })
                } else {
                    View::Leaf
                }
            }
            Self::Map { element, atomic } => View::Map(MapView {
                fields: None,
                rest: Some(element),
                atomic: *atomic,
            }),
            Self::Struct(of) => View::Map(of.view(of.atomic)),
            Self::Named { index, atomic } => {
                let of = builtin::definition(*index);
                View::Map(of.view(*atomic || of.atomic))
            }
            Self::List { element, kind } => View::List(element, kind),
        }
    }

    pub(crate) fn is_any(&self) -> bool {
        matches!(self, Self::Any { .. })
    }
}

impl Struct {
    fn view(&self, atomic: bool) -> MapView<'_> {
        MapView {
            fields: Some(&self.fields),
            rest: self.rest.as_ref(),
            atomic,
        }
    }
}
