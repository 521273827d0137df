//! `range`: lists, maps in order of keys, integers.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, the rest is alike here"
)]

use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;

use super::{Flow, Frame, Result, Slot};
use crate::ast::Branch;
use crate::value::{Elem, ListRef, ObjectKind};
use crate::{Str, Value, gofmt};

impl<'t> Frame<'t, '_> {
    pub(super) fn range(&mut self, dot: &Slot, branch: &'t Branch) -> Result<Flow> {
        self.context.enter().map_err(|limit| self.limit(limit))?;
        self.at = Some(branch);
        let mark = self.variables.len();
        let slot = self.pipeline(dot, &branch.pipe)?;
        let ran = self.iterate(&slot.value, branch)?;
        let flow = match &branch.otherwise {
            // A `break` in the `else` part ends this range too.
            Some(otherwise) if !ran => match self.list(dot, otherwise)? {
                Flow::Break => Flow::Next,
                flow => flow,
            },
            _ => Flow::Next,
        };
        self.variables.truncate(mark);
        self.context.leave();
        Ok(flow)
    }

    /// Runs the body for each element; answers whether there was one.
    fn iterate(&mut self, value: &Value, branch: &'t Branch) -> Result<bool> {
        match value {
            Value::Nil => Ok(false),
            Value::List(list) => self.over_list(*list, branch),
            Value::Bytes(bytes) => self.over_bytes(bytes, branch),
            Value::Map(map) => {
                let held = self.context.heap.map_elem(*map) == Elem::Any;
                if let Some(frozen) = self.context.heap.frozen(*map) {
                    let entries = frozen.entries().map(|(key, value)| (key.clone(), value.clone()));
                    return self.over_entries(entries, held, branch);
                }
                let entries = self.context.heap.entries(*map);
                let entries: Vec<(Str, Value)> = entries.map(|(key, value)| (key.clone(), value.clone())).collect();
                self.over_entries(entries.into_iter(), held, branch)
            }
            Value::Object(object) if object.kind() == ObjectKind::Map => {
                self.over_entries(object.entries().into_iter(), false, branch)
            }
            Value::Int(kind, count) => self.over_count(value, *count, branch, &|i| Value::Int(*kind, i)),
            Value::Uint(kind, count) => {
                let count = i64::try_from(*count).unwrap_or(i64::MAX);
                self.over_count(value, count, branch, &|i| Value::Uint(*kind, i.unsigned_abs()))
            }
            Value::Duration(count) => self.over_count(value, *count, branch, &Value::Duration),
            _ => {
                let text = self.shown(value)?;
                Err(self.error(format!("range can't iterate over {text}")))
            }
        }
    }

    /// `value` as an error shows it.
    pub(super) fn shown(&self, value: &Value) -> Result<alloc::string::String> {
        let text = gofmt::shown(
            &self.context.heap,
            core::slice::from_ref(value),
            self.context.limits().text,
        );
        let text = text.map_err(|limit| self.limit(limit))?;
        Ok(Str::from(text).to_string())
    }

    fn over_list(&mut self, list: ListRef, branch: &'t Branch) -> Result<bool> {
        let held = self.context.heap.list_elem(list) == Elem::Any;
        let mark = self.variables.len();
        for index in 0..list.len() {
            let Some(value) = self.context.heap.items(list).get(index).cloned() else {
                break;
            };
            let index = Value::int(i64::try_from(index).unwrap_or(i64::MAX));
            if self.once(index, &Slot::new(value, held), branch, mark)? {
                break;
            }
        }
        Ok(!list.is_empty())
    }

    fn over_bytes(&mut self, bytes: &Str, branch: &'t Branch) -> Result<bool> {
        let mark = self.variables.len();
        for (index, byte) in bytes.iter().enumerate() {
            let index = Value::int(i64::try_from(index).unwrap_or(i64::MAX));
            let byte = Slot::plain(Value::Uint(crate::value::UintKind::Uint8, u64::from(*byte)));
            if self.once(index, &byte, branch, mark)? {
                break;
            }
        }
        Ok(!bytes.is_empty())
    }

    fn over_entries(
        &mut self,
        entries: impl Iterator<Item = (Str, Value)>,
        held: bool,
        branch: &'t Branch,
    ) -> Result<bool> {
        let mark = self.variables.len();
        let mut ran = false;
        for (key, value) in entries {
            ran = true;
            if self.once(Value::String(key), &Slot::new(value, held), branch, mark)? {
                break;
            }
        }
        Ok(ran)
    }

    fn over_count(
        &mut self,
        value: &Value,
        count: i64,
        branch: &'t Branch,
        make: &dyn Fn(i64) -> Value,
    ) -> Result<bool> {
        if branch.pipe.decl.len() > 1 {
            let text = self.shown(value)?;
            return Err(self.error(format!("can't use {text} to iterate over more than one variable")));
        }
        let mark = self.variables.len();
        for i in 0..count {
            if self.once(Value::Nil, &Slot::plain(make(i)), branch, mark)? {
                break;
            }
        }
        Ok(count > 0)
    }

    /// One run of the body; answers whether it ended the loop.
    fn once(&mut self, index: Value, element: &Slot, branch: &'t Branch, mark: usize) -> Result<bool> {
        self.step()?;
        let pipe = &branch.pipe;
        if pipe.assign {
            match &*pipe.decl {
                [first, second, ..] => {
                    self.set_variable(first.symbol, &first.name, Slot::plain(index))?;
                    self.set_variable(second.symbol, &second.name, element.clone())?;
                }
                [only] => self.set_variable(only.symbol, &only.name, element.clone())?,
                [] => {}
            }
        } else {
            let count = pipe.decl.len();
            if count > 0 {
                self.set_top(1, element.clone());
            }
            if count > 1 {
                self.set_top(2, Slot::plain(index));
            }
        }
        let flow = self.list(element, &branch.list)?;
        self.variables.truncate(mark);
        Ok(flow == Flow::Break)
    }

    fn set_top(&mut self, from_top: usize, value: Slot) {
        let place = self.variables.len().wrapping_sub(from_top);
        if let Some((_, slot)) = self.variables.get_mut(place) {
            *slot = value;
        }
    }
}
