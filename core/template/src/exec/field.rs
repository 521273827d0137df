//! Fields, keys and methods: `.a.b`.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, the rest is alike here"
)]
#![expect(
    clippy::unnecessary_box_returns,
    reason = "errors are boxed, so that results stay small"
)]

use alloc::format;
use alloc::string::ToString as _;

use super::{Frame, Result, Slot};
use crate::ast::{Arg, Chain, Spanned};
use crate::value::{Elem, MapRef, Node, Object, ObjectKind};
use crate::{MissingKey, Str, Value};

impl<'t> Frame<'t, '_> {
    pub(super) fn chain(&mut self, dot: &Slot, chain: &'t Chain, args: &'t [Arg], last: Option<Slot>) -> Result<Slot> {
        self.at = Some(chain);
        // Evaluated as an operand of no particular type.
        self.at = Some(&chain.of);
        let receiver = self.operand(dot, &chain.of)?;
        self.field_chain(dot, receiver, chain, &chain.names, args, last)
    }

    /// Follows `names` from `receiver`; only the last one may be a method with arguments.
    pub(super) fn field_chain(
        &mut self,
        dot: &Slot,
        mut receiver: Slot,
        node: &'t dyn Spanned,
        names: &'t [Str],
        args: &'t [Arg],
        last: Option<Slot>,
    ) -> Result<Slot> {
        let Some((final_name, names)) = names.split_last() else {
            return Ok(receiver);
        };
        for name in names {
            receiver = self.field(dot, name, node, &[], None, receiver)?;
        }
        self.field(dot, final_name, node, args, last, receiver)
    }

    fn field(
        &mut self,
        dot: &Slot,
        name: &'t Str,
        node: &'t dyn Spanned,
        args: &'t [Arg],
        last: Option<Slot>,
        receiver: Slot,
    ) -> Result<Slot> {
        if receiver.value.is_nil() {
            return self.field_of_nil(name, receiver.is_held());
        }
        let has_args = !args.is_empty() || last.is_some();
        if let Value::Map(map) = receiver.value
            && self.context.heap.map_name(map).is_none()
        {
            return self.key(map, name, has_args);
        }
        let text = name.to_text();
        if let Some(function) = self.method(&receiver, &text) {
            return self.call(dot, &function, node, args, last, Some(receiver.value));
        }
        match &receiver.value {
            Value::Map(map) => self.key(*map, name, has_args),
            Value::Object(object) => {
                let object = object.clone();
                self.member(object.as_ref(), &receiver, name, has_args)
            }
            _ => Err(self.no_field(name, &receiver)),
        }
    }

    fn no_field(&self, name: &Str, receiver: &Slot) -> super::Fail {
        let type_name = self.type_name(receiver);
        self.error(format!("can't evaluate field {name} in type {type_name}"))
    }

    fn field_of_nil(&self, name: &Str, held: bool) -> Result<Slot> {
        if held {
            return Err(self.error(format!("nil pointer evaluating interface {{}}.{name}")));
        }
        if self.context.missing_key == MissingKey::Error {
            let key = crate::quote::quote(name, false);
            return Err(self.error(format!("nil data; no entry for key {key}")));
        }
        Ok(Slot::default())
    }

    fn key(&mut self, map: MapRef, name: &Str, has_args: bool) -> Result<Slot> {
        if has_args {
            return Err(self.error(format!("{name} is not a method but has arguments")));
        }
        let node = self.context.heap.node(map);
        let elem = node.map_or(Elem::Any, Node::elem);
        if let Some(value) = node.and_then(|node| node.get(name)) {
            return Ok(Slot::new(value.clone(), elem == Elem::Any));
        }
        self.missing(name, elem)
    }

    fn missing(&mut self, name: &Str, elem: Elem) -> Result<Slot> {
        match self.context.missing_key {
            MissingKey::Default => Ok(Slot::default()),
            MissingKey::Zero => self.zero_element(elem),
            MissingKey::Error => {
                let key = crate::quote::quote(name, false);
                Err(self.error(format!("map has no entry for key {key}")))
            }
        }
    }

    /// A field of a host's value.
    fn member(&mut self, object: &dyn Object, receiver: &Slot, name: &Str, has_args: bool) -> Result<Slot> {
        let found = object.field(&name.to_text());
        if object.kind() == ObjectKind::Map {
            if has_args {
                return Err(self.error(format!("{name} is not a method but has arguments")));
            }
            return match found {
                Some(value) => Ok(Slot::plain(value)),
                None => self.missing(name, Elem::Bytes),
            };
        }
        match found {
            Some(_) if has_args => Err(self.error(format!("{name} has arguments but cannot be invoked as function"))),
            Some(value) if object.kind() == ObjectKind::Pointer || receiver.is_addressed() => {
                Ok(Slot::addressed(value))
            }
            Some(value) => Ok(Slot::plain(value)),
            None => Err(self.no_field(name, receiver)),
        }
    }

    /// How a slot's type reads, for errors elsewhere.
    pub(super) fn type_text(&self, value: &Value) -> alloc::string::String {
        crate::value::Type::of(value, &self.context.heap).to_string()
    }
}
