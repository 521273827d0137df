//! Nodes that write.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, the rest is alike here"
)]

use alloc::format;

use super::{Flow, Frame, Result, Slot, is_true, quick};
use crate::ast::{Action, Branch, Node, TemplateCall};
use crate::value::Type;
use crate::{Limit, Value, gofmt};

impl<'t> Frame<'t, '_> {
    pub(super) fn list(&mut self, dot: &Slot, nodes: &'t [Node]) -> Result<Flow> {
        for node in nodes {
            let flow = self.node(dot, node)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn node(&mut self, dot: &Slot, node: &'t Node) -> Result<Flow> {
        self.step()?;
        match node {
            Node::Text(text) => self.write(text.as_bytes())?,
            Node::Action(action) => self.action(dot, action)?,
            Node::If(branch) => return self.branch(dot, branch, false),
            Node::With(branch) => return self.branch(dot, branch, true),
            Node::Range(branch) => return self.range(dot, branch),
            Node::Template(call) => self.template(dot, call)?,
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if self.out.len() + bytes.len() > self.context.limits().output {
            return Err(self.limit(Limit::Output(self.context.limits().output)));
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn action(&mut self, dot: &Slot, action: &'t Action) -> Result<()> {
        self.at = Some(action);
        if let Some(word) = action.pipe.word()
            && let Some(found) = quick::Scope::of(self.context, &self.variables, dot).find(word)
            && !matches!(found.value, Value::Object(_))
        {
            if let Value::String(text) = found.value
                && self.out.len() + text.len() <= self.context.limits().output
            {
                self.out.extend_from_slice(text);
                return Ok(());
            }
            let value = found.value.clone();
            return self.print(action, &value);
        }
        let slot = self.pipeline(dot, &action.pipe)?;
        if action.pipe.decl.is_empty() {
            self.at = Some(action);
            if slot.is_addressed()
                && let Value::Object(object) = &slot.value
                && let Some(text) = object.pointer_text()
            {
                return self.write(text.as_bytes());
            }
            self.print(action, &slot.value)?;
        }
        Ok(())
    }

    fn print(&mut self, action: &'t Action, value: &Value) -> Result<()> {
        match value {
            Value::String(text) => self.write(text),
            Value::Nil => self.write(b"<no value>"),
            Value::Function(_) => {
                let name = Type::of(value, &self.context.heap);
                Err(self.error(format!("can't print {action} of type {name}")))
            }
            _ => {
                let max = self.context.limits().output;
                if let Some(text) = gofmt::Brief::of(value) {
                    return self.write(&text);
                }
                let text = gofmt::shown(&self.context.heap, core::slice::from_ref(value), max);
                let text = text.map_err(|limit| self.limit(limit))?;
                self.context
                    .spend(text.len() as u64 / 64)
                    .map_err(|limit| self.limit(limit))?;
                self.write(&text)
            }
        }
    }

    /// `if`, or `with`, which sets dot.
    fn branch(&mut self, dot: &Slot, branch: &'t Branch, sets_dot: bool) -> Result<Flow> {
        self.context.enter().map_err(|limit| self.limit(limit))?;
        self.at = Some(branch);
        let mark = self.variables.len();
        if !sets_dot
            && let Some(word) = branch.pipe.word()
            && let Some(found) = self.scope(dot).find(word)
        {
            let truth = is_true(found.value, &self.context.heap);
            self.at = Some(word);
            let flow = match (truth, &branch.otherwise) {
                (true, _) => self.list(dot, &branch.list)?,
                (false, Some(otherwise)) => self.list(dot, otherwise)?,
                (false, None) => Flow::Next,
            };
            self.variables.truncate(mark);
            self.context.leave();
            return Ok(flow);
        }
        let slot = self.pipeline(dot, &branch.pipe)?;
        let flow = if is_true(&slot.value, &self.context.heap) {
            self.list(if sets_dot { &slot } else { dot }, &branch.list)
        } else if let Some(otherwise) = &branch.otherwise {
            self.list(dot, otherwise)
        } else {
            Ok(Flow::Next)
        }?;
        self.variables.truncate(mark);
        self.context.leave();
        Ok(flow)
    }

    fn template(&mut self, dot: &Slot, call: &'t TemplateCall) -> Result<()> {
        self.at = Some(call);
        let Some(tree) = self.context.set.lookup(&call.name).cloned() else {
            let name = crate::quote::quote(call.name.as_bytes(), false);
            return Err(self.error(format!("template {name} not defined")));
        };
        let entered = self.context.enter_call().and_then(|()| self.context.enter());
        entered.map_err(|limit| self.limit(limit))?;
        let data = match &call.pipe {
            Some(pipe) => self.pipeline(dot, pipe)?,
            None => Slot::default(),
        };
        let outer = self.context.enter_template(tree.name.clone());
        Frame::run(self.context, &tree, &data, self.out)?;
        self.context.enter_template(outer);
        self.context.leave();
        self.context.leave_call();
        Ok(())
    }
}
