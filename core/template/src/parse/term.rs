//! Operands: terms, and the fields that follow them.
#![expect(clippy::wildcard_enum_match_arm, reason = "every other token is out of place")]

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;

use super::{Parser, Result};
use crate::ast::{Arg, Chain, Field, Identifier, NumberNode, Pos, StringNode, Variable};
use crate::token::{Kind, Token};
use crate::{Str, number, quote};

impl<'s> Parser<'s> {
    /// A term with the fields that follow it without space; `None` when no term comes next.
    pub(super) fn operand(&mut self) -> Result<Option<Arg>> {
        let Some(term) = self.term()? else { return Ok(None) };
        let first = self.next();
        if first.kind != Kind::Field {
            self.back(first);
            return Ok(Some(term));
        }
        let pos = Pos::of(first.pos);
        // Those that the term has already come first.
        let before: &[Str] = match &term {
            Arg::Field(field) => &field.names,
            Arg::Variable(variable) => &variable.names,
            _ => &[],
        };
        let mut names: Vec<Str> = before.to_vec();
        names.push(field_name(&first));
        while self.peek() == Kind::Field {
            let token = self.next();
            names.push(field_name(&token));
        }
        Ok(Some(match term {
            Arg::Field(mut field) => {
                field.pos = pos;
                field.names = names.into();
                Arg::Field(field)
            }
            Arg::Variable(mut variable) => {
                variable.pos = pos;
                variable.names = names.into();
                Arg::Variable(variable)
            }
            Arg::Bool(..) | Arg::String(_) | Arg::Int(..) | Arg::Number(_) | Arg::Nil(_) | Arg::Dot(_) => {
                let text = quote::quote(term.to_string().as_bytes(), false);
                return Err(self.error(format!("unexpected . after term {text}")));
            }
            Arg::Chain(_) | Arg::Identifier(_) | Arg::Pipe(_) => Arg::Chain(Box::new(Chain {
                pos,
                of: term,
                names: names.into(),
            })),
        }))
    }

    fn term(&mut self) -> Result<Option<Arg>> {
        let token = self.next_non_space();
        let pos = Pos::of(token.pos);
        Ok(Some(match token.kind {
            Kind::Identifier => {
                let function = self.functions.get(&token.text).ok_or_else(|| {
                    let name = quote::quote(token.text.as_bytes(), false);
                    self.error(format!("function {name} not defined"))
                })?;
                Arg::Identifier(Identifier {
                    pos,
                    function: function.clone(),
                })
            }
            Kind::Dot => Arg::Dot(pos),
            Kind::Nil => Arg::Nil(pos),
            Kind::Variable => Arg::Variable(self.use_variable(&token)?),
            Kind::Field => Arg::Field(Field {
                pos,
                names: Box::new([field_name(&token)]),
            }),
            Kind::Bool => Arg::Bool(pos, token.text == "true"),
            Kind::CharConstant | Kind::Complex | Kind::Number => match number::decimal(&token.text) {
                Some(int) => Arg::Int(pos, int),
                None => Arg::Number(Box::new(self.number(&token)?)),
            },
            Kind::LeftParen => {
                Arg::Pipe(self.nested(|parser| parser.pipeline("parenthesized pipeline", Kind::RightParen))?)
            }
            Kind::String | Kind::RawString => {
                let text = self.string(&token)?;
                let plain = token.text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                let is_plain = plain.is_some_and(|plain| plain.as_bytes() == text);
                Arg::String(StringNode {
                    pos,
                    written: (!is_plain).then(|| token.text.as_ref().into()),
                    text: text.into(),
                })
            }
            _ => {
                self.back(token);
                return Ok(None);
            }
        }))
    }

    fn number(&self, token: &Token<'s>) -> Result<NumberNode> {
        let constant = match token.kind {
            Kind::CharConstant => number::character(&token.text),
            Kind::Complex => number::complex(&token.text),
            _ => number::number(&token.text),
        };
        let constant = constant.map_err(|message| self.error(message))?;
        Ok(NumberNode {
            pos: Pos::of(token.pos),
            text: token.text.to_string(),
            ideal: number::ideal(&token.text, &constant),
            constant,
        })
    }

    fn use_variable(&mut self, token: &Token<'s>) -> Result<Variable> {
        let (name, symbol) = self.symbol(&token.text);
        if !self.scope.variables.contains(&symbol) {
            return Err(self.error(format!("undefined variable {}", quote::quote(name.as_bytes(), false))));
        }
        Ok(Variable {
            pos: Pos::of(token.pos),
            name,
            symbol,
            names: Box::default(),
        })
    }
}

/// The name of a field token, without its dot.
fn field_name(token: &Token<'_>) -> Str {
    token.text.strip_prefix('.').unwrap_or(&token.text).into()
}
