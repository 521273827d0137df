//! Calls of functions and methods.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, the rest is alike here"
)]

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Frame, Result, Slot, is_true, quick};
use crate::ast::{Arg, Spanned};
use crate::function::{Body, Special};
use crate::value::Type;
use crate::{CallError, Function, Value};

impl<'t> Frame<'t, '_> {
    /// Calls `function` with `args` and, behind them, the value of the pipeline so far.
    pub(super) fn call(
        &mut self,
        dot: &Slot,
        function: &Arc<Function>,
        node: &'t dyn Spanned,
        args: &'t [Arg],
        last: Option<Slot>,
        receiver: Option<Value>,
    ) -> Result<Slot> {
        let bound = usize::from(receiver.is_some());
        self.check_count(function, args.len(), usize::from(last.is_some()), bound)?;
        match function.special {
            Special::And => return self.short_circuit(dot, args, last, false),
            Special::Or => return self.short_circuit(dot, args, last, true),
            Special::Refuse(message) => return Err(self.error(message)),
            Special::None | Special::Call => {}
        }
        let mut operands = self.context.pool.pop().unwrap_or_default();
        let mut held: u64 = 0;
        operands.extend(receiver);
        for (place, arg) in args.iter().enumerate() {
            let wanted = function.param(place + bound);
            if let Some(found) = self.scope(dot).find(arg)
                && quick::fits(&self.context.heap, found.value, wanted)
            {
                note_held(&mut held, operands.len(), found.is_held());
                operands.push(found.value.clone());
                self.at = Some(arg);
                continue;
            }
            if let Arg::String(string) = arg
                && matches!(wanted, Type::String | Type::Any | Type::Reflect)
            {
                operands.push(Value::String(string.text.clone()));
                self.at = Some(arg);
                continue;
            }
            let slot = self.arg(dot, wanted, arg)?;
            note_held(&mut held, operands.len(), slot.is_held());
            operands.push(slot.value);
        }
        if let Some(mut slot) = last {
            let wanted = function.param(args.len() + bound);
            if !quick::fits(&self.context.heap, &slot.value, wanted) {
                slot = self.validate(slot, wanted)?;
            }
            note_held(&mut held, operands.len(), slot.is_held());
            operands.push(slot.value);
        }
        let answer = if function.special == Special::Call {
            self.call_value(args, &mut operands)
        } else {
            match &function.body {
                Body::Plain(body) => body(self.context, &mut operands).map(Slot::plain),
                Body::Reflect(body) => body(self.context, &mut operands, held),
            }
        };
        operands.clear();
        self.context.pool.push(operands);
        answer.map_err(|error| {
            self.at = Some(node);
            self.called(function.name(), &error)
        })
    }

    fn check_count(&self, function: &Function, args: usize, last: usize, bound: usize) -> Result<()> {
        let given = args + last;
        let fixed = function.fixed() - bound;
        let name = function.name();
        if function.is_variadic() {
            if given < fixed {
                return Err(self.error(format!(
                    "wrong number of args for {name}: want at least {fixed} got {args}"
                )));
            }
        } else if given != fixed {
            return Err(self.error(format!("wrong number of args for {name}: want {fixed} got {given}")));
        }
        Ok(())
    }

    /// `and` and `or`: the first operand that decides, or the last one.
    fn short_circuit(&mut self, dot: &Slot, args: &'t [Arg], last: Option<Slot>, stop_at: bool) -> Result<Slot> {
        let mut slot = Slot::default();
        for arg in args {
            if let Some(found) = self.scope(dot).find(arg)
                && quick::fits(&self.context.heap, found.value, &Type::Reflect)
            {
                slot = found.slot();
                self.at = Some(arg);
            } else {
                slot = self.arg(dot, &Type::Reflect, arg)?;
            }
            if is_true(&slot.value, &self.context.heap) == stop_at {
                return Ok(slot);
            }
        }
        match last {
            Some(last) => self.validate(last, &Type::Reflect),
            None => Ok(slot),
        }
    }

    /// `call f x y`.
    fn call_value(&mut self, args: &'t [Arg], operands: &mut [Value]) -> core::result::Result<Slot, CallError> {
        let name = args.first().map_or_else(String::new, |arg| match arg {
            Arg::Pipe(pipe) => pipe.to_string(),
            _ => arg.to_string(),
        });
        let Some((callee, operands)) = operands.split_first_mut() else {
            return Err("call of nil".into());
        };
        let function = match callee {
            Value::Function(function) => function.clone(),
            Value::Nil => return Err("call of nil".into()),
            other => {
                let type_name = self.type_text(other);
                return Err(format!("non-function {name} of type {type_name}").into());
            }
        };
        let (given, fixed) = (operands.len(), function.fixed());
        if function.is_variadic() && given < fixed {
            return Err(format!("wrong number of args for {name}: got {given} want at least {fixed}").into());
        }
        if !function.is_variadic() && given != fixed {
            return Err(format!("wrong number of args for {name}: got {given} want {fixed}").into());
        }
        for (place, operand) in operands.iter().enumerate() {
            let wanted = function.param(place);
            let actual = Type::of(operand, &self.context.heap);
            if operand.is_nil() && !wanted.can_be_nil() {
                return Err(format!("arg {place}: value is nil; should be of type {wanted}").into());
            }
            if !operand.is_nil() && !actual.assignable_to(wanted) {
                return Err(format!("arg {place}: value has type {actual}; should be {wanted}").into());
            }
        }
        let mut operands: Vec<Value> = operands.iter_mut().map(core::mem::take).collect();
        self.context.call(&function, &mut operands).map(Slot::plain)
    }
}

fn note_held(held: &mut u64, place: usize, is_held: bool) {
    if is_held && place < 64 {
        *held |= 1 << place;
    }
}
