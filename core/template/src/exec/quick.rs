//! Words that are found where they lie: fields of maps and variables, without a copy of what is on the way.
//!
//! # Invariant
//! What is found is what the long way ([`Frame::operand`](super::Frame)) answers. Where that would fail, call a method
//! or make a value, nothing is found. Who finds a word points at it, as the long way does: an error that comes later may
//! have no other place.

use super::Slot;
use super::slot::Place;
use crate::ast::Arg;
use crate::value::{Elem, Heap, Type};
use crate::{Context, MissingKey, Str, Value};

/// A value where it lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'v> {
    pub(super) value: &'v Value,
    place: Place,
}

impl Found<'_> {
    #[inline]
    pub(super) fn is_held(self) -> bool {
        self.place == Place::Held
    }

    #[inline]
    pub(super) fn slot(self) -> Slot {
        Slot::at(self.value.clone(), self.place)
    }
}

static NIL: Value = Value::Nil;

/// What words are looked up in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'v> {
    heap: &'v Heap,
    missing_key: MissingKey,
    variables: &'v [(u32, Slot)],
    dot: &'v Slot,
}

impl<'v> Scope<'v> {
    #[inline]
    pub(super) fn of(context: &'v Context, variables: &'v [(u32, Slot)], dot: &'v Slot) -> Self {
        Self {
            heap: &context.heap,
            missing_key: context.missing_key,
            variables,
            dot,
        }
    }

    #[inline]
    pub(super) fn find(self, arg: &Arg) -> Option<Found<'v>> {
        match arg {
            Arg::Field(field) => self.follow(self.dot, &field.names),
            Arg::Variable(variable) => {
                let of = |(known, _): &&(u32, Slot)| *known == variable.symbol;
                let (_, slot) = self.variables.iter().rev().find(of)?;
                self.follow(slot, &variable.names)
            }
            Arg::Dot(_) => self.follow(self.dot, &[]),
            Arg::Chain(_)
            | Arg::Identifier(_)
            | Arg::Pipe(_)
            | Arg::Bool(..)
            | Arg::Nil(_)
            | Arg::Int(..)
            | Arg::Number(_)
            | Arg::String(_) => None,
        }
    }

    #[inline]
    fn follow(self, from: &'v Slot, names: &[Str]) -> Option<Found<'v>> {
        let mut found = Found {
            value: &from.value,
            place: from.place(),
        };
        let mut names = names.iter();
        while let Some(name) = names.next() {
            let Value::Map(map) = found.value else { return None };
            let node = self.heap.node(*map)?;
            if node.has_method(*map, name) {
                return None;
            }
            let held = node.elem() == Elem::Any;
            found = match node.get(name) {
                Some(value) => Found {
                    value,
                    place: Place::of(held),
                },
                // A field of what is absent may be an error.
                None if names.len() > 0 => return None,
                None => match self.missing_key {
                    MissingKey::Default => Found {
                        value: &NIL,
                        place: Place::Plain,
                    },
                    MissingKey::Zero if held => Found {
                        value: &NIL,
                        place: Place::Held,
                    },
                    MissingKey::Zero | MissingKey::Error => return None,
                },
            };
        }
        Some(found)
    }
}

/// Whether a value that is there can be passed for `wanted` as it is. `false` says nothing.
#[inline]
pub(super) fn fits(heap: &Heap, value: &Value, wanted: &Type) -> bool {
    match (wanted, value) {
        (_, Value::Nil) => false,
        (Type::Any | Type::Reflect, _)
        | (Type::String, Value::String(_))
        | (Type::Bool, Value::Bool(_))
        | (Type::Float, Value::Float(_)) => true,
        (Type::Int(wanted), Value::Int(kind, _)) => wanted == kind,
        (Type::Map(elem), Value::Map(map)) => heap.map_elem(*map) == *elem,
        (Type::List(elem), Value::List(list)) => heap.list_elem(*list) == *elem,
        _ => false,
    }
}
