//! Pipelines and their commands.
#![expect(clippy::wildcard_enum_match_arm, reason = "every other token is out of place")]

use alloc::format;
use alloc::vec::Vec;

use super::{Parser, Result};
use crate::ast::{Arg, Command, Pipe, Variable};
use crate::token::{Kind, Token};

impl<'s> Parser<'s> {
    /// Declarations, commands and the token `end`.
    pub(super) fn pipeline(&mut self, context: &str, end: Kind) -> Result<Pipe> {
        let pos = self.peek_non_space().pos;
        let mut pipe = Pipe {
            pos,
            assign: false,
            decl: Vec::new(),
            commands: Vec::with_capacity(1),
        };
        while self.declaration(&mut pipe, context)? {}
        loop {
            let token = self.next_non_space();
            match token.kind {
                kind if kind == end => {
                    self.check_pipeline(&pipe, context)?;
                    return Ok(pipe);
                }
                Kind::Bool
                | Kind::CharConstant
                | Kind::Complex
                | Kind::Dot
                | Kind::Field
                | Kind::Identifier
                | Kind::Number
                | Kind::Nil
                | Kind::RawString
                | Kind::String
                | Kind::Variable
                | Kind::LeftParen => {
                    self.back(token);
                    let command = self.command()?;
                    pipe.commands.push(command);
                }
                _ => return Err(self.unexpected(&token, context)),
            }
        }
    }

    /// Reads `$x :=`, `$x =` or `$x,`; answers whether another declaration may follow.
    fn declaration(&mut self, pipe: &mut Pipe, context: &str) -> Result<bool> {
        let variable = self.next_non_space();
        if variable.kind != Kind::Variable {
            self.back(variable);
            return Ok(false);
        }
        let after = self.next();
        let next = if after.kind == Kind::Space {
            self.next_non_space()
        } else {
            after.clone()
        };
        if matches!(next.kind, Kind::Assign | Kind::Declare) {
            pipe.assign = next.kind == Kind::Assign;
            self.declare(pipe, &variable);
            return Ok(false);
        }
        if next.kind == Kind::Char && next.text == "," {
            self.declare(pipe, &variable);
            if context == "range" && pipe.decl.len() < 2 {
                let follows = self.peek_non_space().kind;
                if matches!(follows, Kind::Variable | Kind::RightDelim | Kind::RightParen) {
                    return Ok(true);
                }
                return Err(self.error("range can only initialize variables"));
            }
            return Err(self.error(format!("too many declarations in {context}")));
        }
        self.back(next);
        if after.kind == Kind::Space {
            self.back(after);
        }
        self.back(variable);
        Ok(false)
    }

    fn declare(&mut self, pipe: &mut Pipe, token: &Token<'s>) {
        let (name, symbol) = self.symbol(&token.text);
        self.scope.variables.push(symbol);
        pipe.decl.push(Variable {
            pos: token.pos,
            name,
            symbol,
            names: Vec::new(),
        });
    }

    /// Only the first command may be something that takes no argument.
    fn check_pipeline(&self, pipe: &Pipe, context: &str) -> Result<()> {
        if pipe.commands.is_empty() {
            return Err(self.error(format!("missing value for {context}")));
        }
        for (place, command) in pipe.commands.iter().enumerate().skip(1) {
            if let Some(Arg::Bool(..) | Arg::Dot(_) | Arg::Nil(_) | Arg::Number(_) | Arg::String(_)) =
                command.args.first()
            {
                return Err(self.error(format!("non executable command in pipeline stage {}", place + 1)));
            }
        }
        Ok(())
    }

    fn command(&mut self) -> Result<Command> {
        let pos = self.peek_non_space().pos;
        let mut args = Vec::with_capacity(1);
        loop {
            self.peek_non_space();
            if let Some(operand) = self.operand()? {
                args.push(operand);
            }
            let token = self.next();
            match token.kind {
                Kind::Space => {}
                Kind::RightDelim | Kind::RightParen => {
                    self.back(token);
                    break;
                }
                Kind::Pipe => break,
                _ => return Err(self.unexpected(&token, "operand")),
            }
        }
        if args.is_empty() {
            return Err(self.error("empty command"));
        }
        args.shrink_to_fit();
        Ok(Command { pos, args })
    }
}
