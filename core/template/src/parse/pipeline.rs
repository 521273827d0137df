//! Pipelines and their commands.
#![expect(clippy::wildcard_enum_match_arm, reason = "every other token is out of place")]

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::{Parser, Result};
use crate::ast::{Arg, Command, Pipe, Pos, Variable};
use crate::token::{Kind, Token};

impl<'s> Parser<'s> {
    /// Declarations, commands and the token `end`.
    pub(super) fn pipeline(&mut self, context: &str, end: Kind) -> Result<Pipe> {
        let pos = Pos::of(self.peek_non_space().pos);
        let (mut assign, mut decl, mut commands) = (false, Vec::new(), Vec::with_capacity(1));
        while self.declaration(&mut assign, &mut decl, context)? {}
        loop {
            let token = self.next_non_space();
            match token.kind {
                kind if kind == end => {
                    self.check_pipeline(&commands, context)?;
                    return Ok(Pipe {
                        pos,
                        assign,
                        decl: decl.into(),
                        commands: commands.into(),
                    });
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
                    commands.push(command);
                }
                _ => return Err(self.unexpected(&token, context)),
            }
        }
    }

    /// Reads `$x :=`, `$x =` or `$x,`; answers whether another declaration may follow.
    fn declaration(&mut self, assign: &mut bool, decl: &mut Vec<Variable>, context: &str) -> Result<bool> {
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
            *assign = next.kind == Kind::Assign;
            self.declare(decl, &variable);
            return Ok(false);
        }
        if next.kind == Kind::Char && next.text == "," {
            self.declare(decl, &variable);
            if context == "range" && decl.len() < 2 {
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

    fn declare(&mut self, decl: &mut Vec<Variable>, token: &Token<'s>) {
        let (name, symbol) = self.symbol(&token.text);
        self.scope.variables.push(symbol);
        decl.push(Variable {
            pos: Pos::of(token.pos),
            name,
            symbol,
            names: Box::default(),
        });
    }

    /// Only the first command may be something that takes no argument.
    fn check_pipeline(&self, commands: &[Command], context: &str) -> Result<()> {
        if commands.is_empty() {
            return Err(self.error(format!("missing value for {context}")));
        }
        for (place, command) in commands.iter().enumerate().skip(1) {
            if let Some(Arg::Bool(..) | Arg::Dot(_) | Arg::Nil(_) | Arg::Int(..) | Arg::Number(_) | Arg::String(_)) =
                command.args.first()
            {
                return Err(self.error(format!("non executable command in pipeline stage {}", place + 1)));
            }
        }
        Ok(())
    }

    fn command(&mut self) -> Result<Command> {
        let pos = Pos::of(self.peek_non_space().pos);
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
        Ok(Command { pos, args: args.into() })
    }
}
