//! Pipelines, commands and the words that are values by themselves.

use alloc::format;

use super::{Frame, Result, Slot};
use crate::Value;
use crate::ast::{Arg, Command, NumberNode, Pipe, Variable};

impl<'t> Frame<'t, '_> {
    pub(super) fn pipeline(&mut self, dot: &Slot, pipe: &'t Pipe) -> Result<Slot> {
        if let Some(word) = pipe.word()
            && let Some(found) = self.scope(dot).find(word)
        {
            let mut slot = found.slot();
            slot.release();
            self.at = Some(word);
            return Ok(slot);
        }
        self.at = Some(pipe);
        self.context.enter().map_err(|limit| self.limit(limit))?;
        let mut commands = pipe.commands.iter();
        let mut value = match commands.next() {
            Some(command) => self.command(dot, command, None)?,
            None => Slot::default(),
        };
        // What an interface holds is taken out of it.
        value.release();
        for command in commands {
            value = self.command(dot, command, Some(value))?;
            value.release();
        }
        for variable in &pipe.decl {
            if pipe.assign {
                self.set_variable(variable.symbol, &variable.name, value.clone())?;
            } else {
                self.variables.push((variable.symbol, value.clone()));
            }
        }
        self.context.leave();
        Ok(value)
    }

    pub(super) fn command(&mut self, dot: &Slot, command: &'t Command, last: Option<Slot>) -> Result<Slot> {
        self.step()?;
        let Some((first, args)) = command.args.split_first() else {
            return Ok(Slot::default());
        };
        if args.is_empty()
            && last.is_none()
            && let Some(found) = self.scope(dot).find(first)
        {
            let slot = found.slot();
            self.at = Some(first);
            return Ok(slot);
        }
        match first {
            Arg::Field(field) => {
                self.at = Some(field);
                return self.field_chain(dot, dot.clone(), field, &field.names, args, last);
            }
            Arg::Chain(chain) => return self.chain(dot, chain, args, last),
            Arg::Identifier(identifier) => {
                self.at = Some(identifier);
                return self.call(dot, &identifier.function, command, args, last, None);
            }
            Arg::Pipe(pipe) => {
                self.takes_no_argument(first, args, last.as_ref())?;
                return self.pipeline(dot, pipe);
            }
            Arg::Variable(variable) => return self.variable_node(dot, variable, args, last),
            Arg::Bool(..) | Arg::Dot(_) | Arg::Nil(_) | Arg::Int(..) | Arg::Number(_) | Arg::String(_) => {}
        }
        self.at = Some(first);
        self.takes_no_argument(first, args, last.as_ref())?;
        match first {
            Arg::Bool(_, value) => Ok(Slot::plain(Value::Bool(*value))),
            Arg::Dot(_) => Ok(dot.clone()),
            Arg::Nil(_) => Err(self.error("nil is not a command")),
            Arg::Int(_, int) => Ok(Slot::plain(Value::int(*int))),
            Arg::Number(number) => self.ideal(number).map(Slot::plain),
            Arg::String(string) => Ok(Slot::plain(Value::String(string.text.clone()))),
            Arg::Field(_) | Arg::Chain(_) | Arg::Identifier(_) | Arg::Pipe(_) | Arg::Variable(_) => Ok(Slot::default()),
        }
    }

    fn takes_no_argument(&self, first: &Arg, args: &[Arg], last: Option<&Slot>) -> Result<()> {
        if args.is_empty() && last.is_none() {
            return Ok(());
        }
        Err(self.error(format!("can't give argument to non-function {first}")))
    }

    pub(super) fn variable_node(
        &mut self,
        dot: &Slot,
        variable: &'t Variable,
        args: &'t [Arg],
        last: Option<Slot>,
    ) -> Result<Slot> {
        self.at = Some(variable);
        let value = self.variable(variable.symbol, &variable.name)?.clone();
        if variable.names.is_empty() {
            if !args.is_empty() || last.is_some() {
                return Err(self.error(format!("can't give argument to non-function {variable}")));
            }
            return Ok(value);
        }
        self.field_chain(dot, value, variable, &variable.names, args, last)
    }

    /// A number where no type is asked for.
    pub(super) fn ideal(&self, number: &NumberNode) -> Result<Value> {
        match &number.ideal {
            Some(value) => Ok(value.clone()),
            None => Err(self.error(format!("{} overflows int", number.text))),
        }
    }
}
