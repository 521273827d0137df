//! Walking a tree: one frame for each template that is executing, one function for each kind of node.
#![expect(
    clippy::unnecessary_box_returns,
    reason = "errors are boxed, so that results stay small"
)]

mod arg;
mod call;
mod field;
mod method;
mod pipeline;
mod quick;
mod range;
mod slot;
mod walk;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::ast::{Spanned, Tree};
use crate::value::Type;
use crate::{CallError, Context, ExecError, Limit, Value};

pub(crate) use slot::Slot;

pub(crate) type Fail = Box<ExecError>;
type Result<T> = core::result::Result<T, Fail>;

/// How a list of nodes ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

/// One template that is executing.
pub(crate) struct Frame<'t, 'c> {
    context: &'c mut Context,
    tree: &'t Tree,
    out: &'c mut Vec<u8>,
    /// Variables by the number of their name, innermost last.
    variables: Vec<(u32, Slot)>,
    /// The node that an error points at.
    at: Option<&'t dyn Spanned>,
}

impl<'t, 'c> Frame<'t, 'c> {
    /// Executes `tree` with `data` as dot.
    pub(crate) fn run(context: &'c mut Context, tree: &'t Tree, data: &Slot, out: &'c mut Vec<u8>) -> Result<()> {
        let mut variables = context.frames.pop().unwrap_or_default();
        variables.push((0, data.clone()));
        let mut frame = Frame {
            context,
            tree,
            out,
            variables,
            at: None,
        };
        let flow = frame.list(data, &tree.root);
        let mut variables = frame.variables;
        variables.clear();
        context.frames.push(variables);
        flow.map(|_| ())
    }

    /// An error at the current node.
    fn error(&self, message: impl AsRef<str>) -> Fail {
        self.failure(message.as_ref(), None)
    }

    fn limit(&self, limit: Limit) -> Fail {
        self.failure(&limit.to_string(), Some(limit))
    }

    fn failure(&self, message: &str, limit: Option<Limit>) -> Fail {
        let name = &self.tree.name;
        let Some(node) = self.at else {
            return Box::new(ExecError {
                text: format!("template: {name}: {message}"),
                template: name.to_string(),
                line: 0,
                column: 0,
                limit,
            });
        };
        let (line, column) = place(&self.tree.source, node.pos().offset());
        let quoted = crate::quote::quote(name.as_bytes(), false);
        let parsed = &self.tree.parse_name;
        Box::new(ExecError {
            text: format!("template: {parsed}:{line}:{column}: executing {quoted} at <{node}>: {message}"),
            template: name.to_string(),
            line,
            column,
            limit,
        })
    }

    fn called(&self, name: &str, error: &CallError) -> Fail {
        self.failure(&format!("error calling {name}: {error}"), error.limit())
    }

    #[inline]
    fn scope<'v>(&'v self, dot: &'v Slot) -> quick::Scope<'v> {
        quick::Scope::of(self.context, &self.variables, dot)
    }

    #[inline]
    fn step(&mut self) -> Result<()> {
        self.context.spend(1).map_err(|limit| self.limit(limit))
    }

    /// The name of the type that a slot is declared with.
    fn type_name(&self, slot: &Slot) -> String {
        if slot.is_held() {
            Type::Any.to_string()
        } else {
            Type::of(&slot.value, &self.context.heap).to_string()
        }
    }

    fn set_variable(&mut self, symbol: u32, name: &str, value: Slot) -> Result<()> {
        match self.variables.iter_mut().rev().find(|(known, _)| *known == symbol) {
            Some((_, slot)) => {
                *slot = value;
                Ok(())
            }
            None => Err(self.error(format!("undefined variable: {name}"))),
        }
    }

    fn variable(&self, symbol: u32, name: &str) -> Result<&Slot> {
        match self.variables.iter().rev().find(|(known, _)| *known == symbol) {
            Some((_, slot)) => Ok(slot),
            None => Err(self.error(format!("undefined variable: {name}"))),
        }
    }
}

/// Line from 1 and column in bytes from 0.
fn place(source: &[u8], pos: usize) -> (usize, usize) {
    let before = source.get(..pos).unwrap_or(&[]);
    let line = before.split(|byte| *byte == b'\n').count();
    let start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    (line, pos - start)
}

/// Whether a value counts as true: anything but the zero of its type; structs always do.
pub(crate) fn is_true(value: &Value, heap: &crate::value::Heap) -> bool {
    match value {
        Value::Nil => false,
        Value::Bool(b) => *b,
        Value::Int(_, i) | Value::Duration(i) => *i != 0,
        Value::Uint(_, u) => *u != 0,
        Value::Float(f) => *f != 0.0,
        Value::Complex(parts) => **parts != (0.0, 0.0),
        Value::String(text) | Value::Bytes(text) => !text.is_empty(),
        Value::List(list) => !list.is_empty(),
        Value::Map(map) => heap.map_len(*map) > 0,
        Value::Object(object) => object.kind() != crate::value::ObjectKind::Map || !object.entries().is_empty(),
        Value::Time(_) | Value::Error(_) | Value::Function(_) => true,
    }
}
