//! The tree of a parsed template. Names are resolved while parsing: functions to what they call, variables to
//! numbers, fields to texts that a map can look up as they are.
//!
//! Trees are most of what a chart takes in memory: nodes are kept small, lists exact, and text is a part of the source.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use crate::number::Constant;
use crate::text::is_blank;
use crate::{Function, Str, Value, lossy};

/// A node that an error can point at.
pub(crate) trait Spanned: fmt::Display {
    /// Byte offset in the source.
    fn pos(&self) -> Pos;
}

/// A byte offset in a source, which is shorter than [`MAX_SOURCE`](crate::limits::MAX_SOURCE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pos(u32);

impl Pos {
    #[inline]
    pub(crate) fn of(offset: usize) -> Self {
        Self(u32::try_from(offset).unwrap_or(u32::MAX))
    }

    #[inline]
    pub(crate) fn offset(self) -> usize {
        self.0 as usize
    }
}

/// Text between actions: a part of the source.
#[derive(Debug)]
pub(crate) struct Text {
    source: Arc<[u8]>,
    start: Pos,
    end: Pos,
}

impl Text {
    /// The `len` bytes of a source from `start` on.
    pub(crate) fn new(source: &Arc<[u8]>, start: usize, len: usize) -> Self {
        Self {
            source: Arc::clone(source),
            start: Pos::of(start),
            end: Pos::of(start + len),
        }
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.source.get(self.start.offset()..self.end.offset()).unwrap_or(&[])
    }
}

/// A parsed template.
#[derive(Debug)]
pub struct Tree {
    /// The template's name.
    pub(crate) name: Arc<str>,
    /// The name under which the source was parsed, for places in errors.
    pub(crate) parse_name: Arc<str>,
    /// The source.
    pub(crate) source: Arc<[u8]>,
    /// What it does.
    pub(crate) root: Box<[Node]>,
}

impl Tree {
    /// Whether there is nothing in it but space and definitions.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.iter().all(|node| match node {
            Node::Text(text) => is_blank(text.as_bytes()),
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
    Text(Text),
    Action(Action),
    If(Box<Branch>),
    With(Box<Branch>),
    Range(Box<Branch>),
    Template(Box<TemplateCall>),
    Break,
    Continue,
}

#[derive(Debug)]
pub(crate) struct Action {
    pub(crate) pos: Pos,
    pub(crate) pipe: Pipe,
}

/// `if`, `with` or `range`.
#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) word: &'static str,
    pub(crate) pipe: Pipe,
    pub(crate) list: Box<[Node]>,
    pub(crate) otherwise: Option<Box<[Node]>>,
}

#[derive(Debug)]
pub(crate) struct TemplateCall {
    pub(crate) pos: Pos,
    pub(crate) name: Arc<str>,
    pub(crate) pipe: Option<Pipe>,
}

#[derive(Debug)]
pub(crate) struct Pipe {
    pub(crate) pos: Pos,
    pub(crate) assign: bool,
    pub(crate) decl: Box<[Variable]>,
    pub(crate) commands: Box<[Command]>,
}

impl Pipe {
    /// The word that is all of it.
    #[inline]
    pub(crate) fn word(&self) -> Option<&Arg> {
        match (&*self.decl, &*self.commands) {
            ([], [command]) => match &*command.args {
                [word] => Some(word),
                _ => None,
            },
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) pos: Pos,
    pub(crate) args: Box<[Arg]>,
}

/// A word of a command.
#[derive(Debug)]
pub(crate) enum Arg {
    Field(Field),
    Chain(Box<Chain>),
    Identifier(Identifier),
    Pipe(Pipe),
    Variable(Variable),
    Bool(Pos, bool),
    Dot(Pos),
    Nil(Pos),
    /// A number that is written as its decimal digits: most are.
    Int(Pos, i64),
    Number(Box<NumberNode>),
    String(StringNode),
}

/// `.a.b`
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) pos: Pos,
    pub(crate) names: Box<[Str]>,
}

/// `(…).a.b`
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) pos: Pos,
    pub(crate) of: Arg,
    pub(crate) names: Box<[Str]>,
}

#[derive(Debug)]
pub(crate) struct Identifier {
    pub(crate) pos: Pos,
    pub(crate) function: Arc<Function>,
}

/// `$x.a.b`
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) pos: Pos,
    /// With its dollar sign.
    pub(crate) name: Arc<str>,
    /// The number of the name in this source.
    pub(crate) symbol: u32,
    pub(crate) names: Box<[Str]>,
}

#[derive(Debug)]
pub(crate) struct NumberNode {
    pub(crate) pos: Pos,
    pub(crate) text: String,
    pub(crate) constant: Constant,
    /// Its value where no type is asked for: its syntax decides. `None` when that is too large for an integer.
    pub(crate) ideal: Option<Value>,
}

#[derive(Debug)]
pub(crate) struct StringNode {
    pub(crate) pos: Pos,
    /// As it is written, unless that is the text in quotation marks.
    pub(crate) written: Option<Box<str>>,
    pub(crate) text: Str,
}

impl Spanned for Action {
    fn pos(&self) -> Pos {
        self.pos
    }
}
impl Spanned for Branch {
    fn pos(&self) -> Pos {
        self.pipe.pos
    }
}
impl Spanned for TemplateCall {
    fn pos(&self) -> Pos {
        self.pos
    }
}
impl Spanned for Pipe {
    fn pos(&self) -> Pos {
        self.pos
    }
}
impl Spanned for Command {
    fn pos(&self) -> Pos {
        self.pos
    }
}
impl Spanned for Field {
    fn pos(&self) -> Pos {
        self.pos
    }
}
impl Spanned for Chain {
    fn pos(&self) -> Pos {
        self.pos
    }
}
impl Spanned for Identifier {
    fn pos(&self) -> Pos {
        self.pos
    }
}
impl Spanned for Variable {
    fn pos(&self) -> Pos {
        self.pos
    }
}
impl Spanned for Arg {
    fn pos(&self) -> Pos {
        match self {
            Self::Field(field) => field.pos,
            Self::Chain(chain) => chain.pos,
            Self::Identifier(identifier) => identifier.pos,
            Self::Pipe(pipe) => pipe.pos,
            Self::Variable(variable) => variable.pos,
            Self::Bool(pos, _) | Self::Dot(pos) | Self::Nil(pos) | Self::Int(pos, _) => *pos,
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
            Self::Text(text) => f.write_str(&lossy(text.as_bytes())),
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
            Self::Int(_, int) => write!(f, "{int}"),
            Self::Number(number) => f.write_str(&number.text),
            Self::String(string) => string.fmt(f),
        }
    }
}

impl fmt::Display for StringNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written {
            Some(written) => f.write_str(written),
            None => write!(f, "\"{}\"", self.text.to_text()),
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
