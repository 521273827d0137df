//! The tree of a parsed template. Names are resolved while parsing: functions to what they call, variables to
//! numbers, fields to texts that a map can look up as they are.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::number::Constant;
use crate::{Function, Str, Value};

/// A node that an error can point at.
pub(crate) trait Spanned: fmt::Display {
    /// Byte offset in the source.
    fn pos(&self) -> usize;
}

/// A parsed template.
#[derive(Debug)]
pub struct Tree {
    /// The template's name.
    pub(crate) name: Arc<str>,
    /// The name under which the source was parsed, for places in errors.
    pub(crate) parse_name: Arc<str>,
    /// The source.
    pub(crate) source: Arc<str>,
    /// What it does.
    pub(crate) root: Vec<Node>,
}

impl Tree {
    /// Whether there is nothing in it but space and definitions.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.iter().all(|node| match node {
            Node::Text(text) => text.iter().all(u8::is_ascii_whitespace),
            Node::Action(_)
            | Node::If(_)
            | Node::With(_)
            | Node::Range(_)
            | Node::Template(_)
            | Node::Break
            | Node::Continue => false,
        })
    }
}

#[derive(Debug)]
pub(crate) enum Node {
    Text(Box<[u8]>),
    Action(Action),
    If(Branch),
    With(Branch),
    Range(Branch),
    Template(TemplateCall),
    Break,
    Continue,
}

#[derive(Debug)]
pub(crate) struct Action {
    pub(crate) pos: usize,
    pub(crate) pipe: Pipe,
}

/// `if`, `with` or `range`.
#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) word: &'static str,
    pub(crate) pipe: Pipe,
    pub(crate) list: Vec<Node>,
    pub(crate) otherwise: Option<Vec<Node>>,
}

#[derive(Debug)]
pub(crate) struct TemplateCall {
    pub(crate) pos: usize,
    pub(crate) name: Arc<str>,
    pub(crate) pipe: Option<Pipe>,
}

#[derive(Debug)]
pub(crate) struct Pipe {
    pub(crate) pos: usize,
    pub(crate) assign: bool,
    pub(crate) decl: Vec<Variable>,
    pub(crate) commands: Vec<Command>,
}

impl Pipe {
    /// The word that is all of it.
    #[inline]
    pub(crate) fn word(&self) -> Option<&Arg> {
        match (self.decl.as_slice(), self.commands.as_slice()) {
            ([], [command]) => match command.args.as_slice() {
                [word] => Some(word),
                _ => None,
            },
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) pos: usize,
    pub(crate) args: Vec<Arg>,
}

/// A word of a command.
#[derive(Debug)]
pub(crate) enum Arg {
    Field(Field),
    Chain(Box<Chain>),
    Identifier(Identifier),
    Pipe(Pipe),
    Variable(Variable),
    Bool(usize, bool),
    Dot(usize),
    Nil(usize),
    Number(Box<NumberNode>),
    String(StringNode),
}

/// `.a.b`
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) pos: usize,
    pub(crate) names: Vec<Str>,
}

/// `(…).a.b`
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) pos: usize,
    pub(crate) of: Arg,
    pub(crate) names: Vec<Str>,
}

#[derive(Debug)]
pub(crate) struct Identifier {
    pub(crate) pos: usize,
    pub(crate) function: Arc<Function>,
}

/// `$x.a.b`
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) pos: usize,
    /// With its dollar sign.
    pub(crate) name: Arc<str>,
    /// The number of the name in this source.
    pub(crate) symbol: u32,
    pub(crate) names: Vec<Str>,
}

#[derive(Debug)]
pub(crate) struct NumberNode {
    pub(crate) pos: usize,
    pub(crate) text: String,
    pub(crate) constant: Constant,
    /// Its value where no type is asked for: its syntax decides. `None` when that is too large for an integer.
    pub(crate) ideal: Option<Value>,
}

#[derive(Debug)]
pub(crate) struct StringNode {
    pub(crate) pos: usize,
    pub(crate) quoted: Box<str>,
    pub(crate) text: Str,
}

impl Spanned for Action {
    fn pos(&self) -> usize {
        self.pos
    }
}
impl Spanned for Branch {
    fn pos(&self) -> usize {
        self.pipe.pos
    }
}
impl Spanned for TemplateCall {
    fn pos(&self) -> usize {
        self.pos
    }
}
impl Spanned for Pipe {
    fn pos(&self) -> usize {
        self.pos
    }
}
impl Spanned for Command {
    fn pos(&self) -> usize {
        self.pos
    }
}
impl Spanned for Field {
    fn pos(&self) -> usize {
        self.pos
    }
}
impl Spanned for Chain {
    fn pos(&self) -> usize {
        self.pos
    }
}
impl Spanned for Identifier {
    fn pos(&self) -> usize {
        self.pos
    }
}
impl Spanned for Variable {
    fn pos(&self) -> usize {
        self.pos
    }
}
impl Spanned for Arg {
    fn pos(&self) -> usize {
        match self {
            Self::Field(field) => field.pos,
            Self::Chain(chain) => chain.pos,
            Self::Identifier(identifier) => identifier.pos,
            Self::Pipe(pipe) => pipe.pos,
            Self::Variable(variable) => variable.pos,
            Self::Bool(pos, _) | Self::Dot(pos) | Self::Nil(pos) => *pos,
            Self::Number(number) => number.pos,
            Self::String(string) => string.pos,
        }
    }
}

fn write_names(f: &mut fmt::Formatter<'_>, names: &[Str]) -> fmt::Result {
    names.iter().try_for_each(|name| write!(f, ".{name}"))
}

fn write_list(f: &mut fmt::Formatter<'_>, nodes: &[Node]) -> fmt::Result {
    nodes.iter().try_for_each(|node| write!(f, "{node}"))
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&String::from_utf8_lossy(text)),
            Self::Action(action) => action.fmt(f),
            Self::If(branch) | Self::With(branch) | Self::Range(branch) => branch.fmt(f),
            Self::Template(call) => call.fmt(f),
            Self::Break => f.write_str("{{break}}"),
            Self::Continue => f.write_str("{{continue}}"),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{{}}}}}", self.pipe)
    }
}

impl fmt::Display for Branch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{{} {}}}}}", self.word, self.pipe)?;
        write_list(f, &self.list)?;
        if let Some(otherwise) = &self.otherwise {
            f.write_str("{{else}}")?;
            write_list(f, otherwise)?;
        }
        f.write_str("{{end}}")
    }
}

impl fmt::Display for TemplateCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{template {}", crate::quote::quote(self.name.as_bytes(), false))?;
        if let Some(pipe) = &self.pipe {
            write!(f, " {pipe}")?;
        }
        f.write_str("}}")
    }
}

impl fmt::Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, variable) in self.decl.iter().enumerate() {
            if place > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{variable}")?;
        }
        if !self.decl.is_empty() {
            f.write_str(if self.assign { " = " } else { " := " })?;
        }
        for (place, command) in self.commands.iter().enumerate() {
            if place > 0 {
                f.write_str(" | ")?;
            }
            write!(f, "{command}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, arg) in self.args.iter().enumerate() {
            if place > 0 {
                f.write_str(" ")?;
            }
            if let Arg::Pipe(pipe) = arg {
                write!(f, "({pipe})")?;
            } else {
                write!(f, "{arg}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => field.fmt(f),
            Self::Chain(chain) => chain.fmt(f),
            Self::Identifier(identifier) => identifier.fmt(f),
            Self::Pipe(pipe) => pipe.fmt(f),
            Self::Variable(variable) => variable.fmt(f),
            Self::Bool(_, value) => write!(f, "{value}"),
            Self::Dot(_) => f.write_str("."),
            Self::Nil(_) => f.write_str("nil"),
            Self::Number(number) => f.write_str(&number.text),
            Self::String(string) => f.write_str(&string.quoted),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_names(f, &self.names)
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Arg::Pipe(pipe) = &self.of {
            write!(f, "({pipe})")?;
        } else {
            write!(f, "{}", self.of)?;
        }
        write_names(f, &self.names)
    }
}

impl fmt::Display for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.function.name())
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        write_names(f, &self.names)
    }
}
