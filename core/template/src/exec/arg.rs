//! Operands of calls: evaluated for the type that the parameter declares.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, the rest is alike here"
)]
#![expect(
    clippy::unnecessary_box_returns,
    reason = "errors are boxed, so that results stay small"
)]

use alloc::format;

use super::{Frame, Result, Slot, quick};
use crate::ast::Arg;
use crate::number::Constant;
use crate::value::{Elem, Type};
use crate::{Str, Value};

impl<'t> Frame<'t, '_> {
    /// `arg` as a value of type `wanted`.
    pub(super) fn arg(&mut self, dot: &Slot, wanted: &Type, arg: &'t Arg) -> Result<Slot> {
        if let Some(found) = self.scope(dot).find(arg)
            && quick::fits(&self.context.heap, found.value, wanted)
        {
            let slot = found.slot();
            self.at = Some(arg);
            return Ok(slot);
        }
        self.at = Some(arg);
        let slot = match arg {
            Arg::Dot(_) => dot.clone(),
            Arg::Nil(_) => {
                if wanted.can_be_nil() {
                    return self.zero(wanted);
                }
                return Err(self.error(format!("cannot assign nil to {wanted}")));
            }
            Arg::Field(_) | Arg::Variable(_) | Arg::Pipe(_) | Arg::Identifier(_) | Arg::Chain(_) => {
                self.operand(dot, arg)?
            }
            Arg::Bool(_, value) => return self.bool_arg(wanted, arg, *value),
            Arg::Int(_, int) => return self.number_arg(wanted, arg, &Constant::of(*int), || Ok(Value::int(*int))),
            Arg::Number(number) => {
                return self.number_arg(wanted, arg, &number.constant, || self.ideal(number));
            }
            Arg::String(string) => return self.string_arg(wanted, arg, &string.text),
        };
        self.validate(slot, wanted)
    }

    /// A word that is evaluated without arguments of its own.
    pub(super) fn operand(&mut self, dot: &Slot, arg: &'t Arg) -> Result<Slot> {
        match arg {
            Arg::Field(field) => {
                self.at = Some(field);
                self.field_chain(dot, dot.clone(), field, &field.names, &[], None)
            }
            Arg::Variable(variable) => self.variable_node(dot, variable, &[], None),
            Arg::Pipe(pipe) => self.pipeline(dot, pipe),
            Arg::Identifier(identifier) => {
                self.at = Some(identifier);
                self.call(dot, &identifier.function, identifier, &[], None, None)
            }
            Arg::Chain(chain) => self.chain(dot, chain, &[], None),
            Arg::Dot(_) => Ok(dot.clone()),
            Arg::Bool(..) | Arg::Nil(_) | Arg::Int(..) | Arg::Number(_) | Arg::String(_) => Ok(Slot::default()),
        }
    }

    fn bool_arg(&self, wanted: &Type, arg: &Arg, value: bool) -> Result<Slot> {
        match wanted {
            Type::Bool | Type::Any | Type::Reflect => Ok(Slot::plain(Value::Bool(value))),
            _ => Err(self.unsuited(wanted, arg)),
        }
    }

    fn string_arg(&self, wanted: &Type, arg: &Arg, text: &Str) -> Result<Slot> {
        match wanted {
            Type::String | Type::Any | Type::Reflect => Ok(Slot::plain(Value::String(text.clone()))),
            _ => Err(self.unsuited(wanted, arg)),
        }
    }

    /// A number under the type that is wanted, or its `ideal` one.
    fn number_arg(
        &self,
        wanted: &Type,
        arg: &Arg,
        constant: &Constant,
        ideal: impl FnOnce() -> Result<Value>,
    ) -> Result<Slot> {
        let value = match wanted {
            Type::Any | Type::Reflect => return ideal().map(Slot::plain),
            Type::Int(kind) => constant.int.map(|int| Value::Int(*kind, int)),
            Type::Duration => constant.int.map(Value::Duration),
            Type::Uint(kind) => constant.uint.map(|uint| Value::Uint(*kind, uint)),
            Type::Float => constant.float.map(Value::Float),
            Type::Complex => constant
                .complex
                .map(|parts| Value::Complex(alloc::boxed::Box::new(parts))),
            _ => None,
        };
        value.map(Slot::plain).ok_or_else(|| self.unsuited(wanted, arg))
    }

    /// A constant where its kind does not fit.
    fn unsuited(&self, wanted: &Type, arg: &Arg) -> super::Fail {
        let expected = match wanted {
            Type::Bool => "bool",
            Type::String => "string",
            Type::Int(_) | Type::Duration => "integer",
            Type::Uint(_) => "unsigned integer",
            Type::Float => "float",
            Type::Complex => "complex",
            _ => return self.error(format!("can't handle {arg} for arg of type {wanted}")),
        };
        self.error(format!("expected {expected}; found {arg}"))
    }

    /// Makes sure that a value can be passed for `wanted`.
    pub(super) fn validate(&mut self, slot: Slot, wanted: &Type) -> Result<Slot> {
        if quick::fits(&self.context.heap, &slot.value, wanted) {
            return Ok(slot);
        }
        if slot.is_absent() {
            if wanted.can_be_nil() {
                return self.zero(wanted);
            }
            return Err(self.error(format!("invalid value; expected {wanted}")));
        }
        let fits = match (wanted, &slot.value) {
            (Type::Any | Type::Reflect, _) | (Type::String, Value::String(_)) => true,
            (_, Value::Nil) => false,
            (Type::Error, Value::Object(object)) => object.text().is_some() && object.go_type().contains("rror"),
            (_, value) => Type::of(value, &self.context.heap).assignable_to(wanted),
        };
        if fits {
            return Ok(slot);
        }
        let name = if slot.value.is_nil() {
            Type::Any
        } else {
            Type::of(&slot.value, &self.context.heap)
        };
        Err(self.error(format!("wrong type for value; expected {wanted}; got {name}")))
    }

    /// The zero value of a type that can be nil.
    fn zero(&mut self, wanted: &Type) -> Result<Slot> {
        let heap = &mut self.context.heap;
        let zero = match wanted {
            Type::Map(elem) | Type::Named(_, elem, true) => heap.nil_map(*elem).map(Value::Map),
            Type::List(elem) | Type::Named(_, elem, false) => heap.nil_list(*elem).map(Value::List),
            Type::Bytes => Ok(Value::Bytes(Str::default())),
            Type::Any => return Ok(Slot::held(Value::Nil)),
            _ => Ok(Value::Nil),
        };
        zero.map(Slot::plain).map_err(|limit| self.limit(limit))
    }

    /// The zero value of an element of a map.
    pub(super) fn zero_element(&mut self, elem: Elem) -> Result<Slot> {
        if elem == Elem::Any {
            return Ok(Slot::held(Value::Nil));
        }
        self.context
            .heap
            .zero_of(elem)
            .map(Slot::plain)
            .map_err(|limit| self.limit(limit))
    }
}
