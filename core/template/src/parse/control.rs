//! Actions that are more than a pipeline.
#![expect(clippy::wildcard_enum_match_arm, reason = "every other token is out of place")]

use alloc::boxed::Box;
use alloc::format;

use super::{Ending, Item, Parser, Result, Scope};
use crate::ast::{Action, Branch, Node, Pos, TemplateCall};
use crate::token::Kind;

impl Parser<'_> {
    /// What follows a left delimiter.
    pub(super) fn action(&mut self) -> Result<Item> {
        let token = self.next_non_space();
        match token.kind {
            Kind::Block => self.block(),
            Kind::Break => self.jump("{{break}}").map(|()| Item::Node(Node::Break)),
            Kind::Continue => self.jump("{{continue}}").map(|()| Item::Node(Node::Continue)),
            Kind::Else => self.otherwise(),
            Kind::End => {
                self.expect(Kind::RightDelim, "end")?;
                Ok(Item::Ending(Ending::End))
            }
            Kind::If => Ok(Item::Node(Node::If(self.branch("if")?))),
            Kind::Range => Ok(Item::Node(Node::Range(self.branch("range")?))),
            Kind::With => Ok(Item::Node(Node::With(self.branch("with")?))),
            Kind::Template => self.template(),
            _ => {
                let pos = Pos::of(token.pos);
                self.back(token);
                let pipe = self.pipeline("command", Kind::RightDelim)?;
                Ok(Item::Node(Node::Action(Action { pos, pipe })))
            }
        }
    }

    fn jump(&mut self, name: &str) -> Result<()> {
        let token = self.next_non_space();
        if token.kind != Kind::RightDelim {
            return Err(self.unexpected(&token, name));
        }
        if self.scope.range_depth == 0 {
            return Err(self.error(format!("{name} outside {{{{range}}}}")));
        }
        Ok(())
    }

    /// `else`; a following `if` or `with` stays, for the branch to see.
    fn otherwise(&mut self) -> Result<Item> {
        if !matches!(self.peek_non_space().kind, Kind::If | Kind::With) {
            self.expect(Kind::RightDelim, "else")?;
        }
        Ok(Item::Ending(Ending::Else))
    }

    fn branch(&mut self, word: &'static str) -> Result<Box<Branch>> {
        let variables = self.scope.variables.len();
        let pipe = self.pipeline(word, Kind::RightDelim)?;
        let in_range = usize::from(word == "range");
        self.scope.range_depth += in_range;
        let (list, ending) = self.item_list()?;
        self.scope.range_depth -= in_range;
        let otherwise = match ending {
            Ending::End => None,
            Ending::Else => Some(self.else_list(word)?),
        };
        self.scope.variables.truncate(variables);
        Ok(Box::new(Branch {
            word,
            pipe,
            list,
            otherwise,
        }))
    }

    /// What follows `else`: a list, or one `if` or `with` that shares the `end`.
    fn else_list(&mut self, word: &str) -> Result<Box<[Node]>> {
        let kind = self.peek();
        if word == "if" && kind == Kind::If {
            self.next();
            let inner = self.nested(|parser| parser.branch("if"))?;
            return Ok(Box::new([Node::If(inner)]));
        }
        if word == "with" && kind == Kind::With {
            self.next();
            let inner = self.nested(|parser| parser.branch("with"))?;
            return Ok(Box::new([Node::With(inner)]));
        }
        let (list, ending) = self.item_list()?;
        match ending {
            Ending::End => Ok(list),
            Ending::Else => Err(self.error(format!("expected end; found {}", ending.describe()))),
        }
    }

    fn template(&mut self) -> Result<Item> {
        const CONTEXT: &str = "template clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let next = self.next_non_space();
        let pipe = if next.kind == Kind::RightDelim {
            None
        } else {
            self.back(next);
            Some(self.pipeline(CONTEXT, Kind::RightDelim)?)
        };
        Ok(Item::Node(Node::Template(Box::new(TemplateCall {
            pos: Pos::of(token.pos),
            name,
            pipe,
        }))))
    }

    fn block(&mut self) -> Result<Item> {
        const CONTEXT: &str = "block clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let pipe = self.pipeline(CONTEXT, Kind::RightDelim)?;
        let outer = core::mem::replace(&mut self.scope, Scope::new());
        let (list, ending) = self.item_list()?;
        if let Ending::Else = ending {
            return Err(self.error(format!("unexpected {} in {CONTEXT}", ending.describe())));
        }
        self.scope = outer;
        self.add(name.clone(), list)?;
        Ok(Item::Node(Node::Template(Box::new(TemplateCall {
            pos: Pos::of(token.pos),
            name,
            pipe: Some(pipe),
        }))))
    }
}
