//! From tokens to trees, by recursive descent.
//!
//! Functions are resolved here, so that an unknown one is an error of parsing, as in Go.
#![expect(clippy::wildcard_enum_match_arm, reason = "every other token is out of place")]

mod control;
mod pipeline;
mod term;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::ast::{Node, Text, Tree};
use crate::lex::Lexer;
use crate::limits::{MAX_PARSE_DEPTH, MAX_SOURCE};
use crate::quote;
use crate::token::{Kind, Token};
use crate::{Characters, Functions, Limit, ParseError, lossy};

type Result<T> = core::result::Result<T, ParseError>;

/// The trees that one source defines, by name; the source's own is among them.
pub(crate) type Trees = BTreeMap<Arc<str>, Arc<Tree>>;

/// What is open while a template's body is parsed; a definition inside another has its own.
#[derive(Debug, Default)]
struct Scope {
    variables: Vec<u32>,
    range_depth: usize,
    action_line: usize,
}

impl Scope {
    /// Every body knows `$`.
    fn new() -> Self {
        Self {
            variables: alloc::vec![0],
            ..Self::default()
        }
    }
}

struct Parser<'s> {
    name: Arc<str>,
    source: Arc<[u8]>,
    functions: &'s Functions,
    lexer: Lexer<'s>,
    /// Tokens put back, the next one last.
    put_back: Vec<Token<'s>>,
    /// The line of the token read last.
    line: usize,
    depth: usize,
    scope: Scope,
    symbols: BTreeMap<Arc<str>, u32>,
    trees: Trees,
}

/// Parses `source` as the template `name`.
pub(crate) fn parse(name: &str, source: &Arc<[u8]>, delims: (&str, &str), functions: &Functions) -> Result<Trees> {
    let name: Arc<str> = name.into();
    let text = Characters::new(source);
    let mut parser = Parser {
        name: name.clone(),
        source: Arc::clone(source),
        functions,
        lexer: Lexer::new(&text, delims.0, delims.1),
        put_back: Vec::new(),
        line: 1,
        depth: 0,
        scope: Scope::new(),
        symbols: BTreeMap::from([(Arc::from("$"), 0)]),
        trees: Trees::new(),
    };
    if source.len() > MAX_SOURCE {
        return Err(parser.limit(Limit::Source));
    }
    let root = parser.body()?;
    parser.add(name, root)?;
    Ok(parser.trees)
}

/// How a list of nodes ended.
enum Ending {
    End,
    /// With the keyword that follows, `if` or `with`, which is not consumed.
    Else,
}

impl Ending {
    fn describe(&self) -> &'static str {
        match self {
            Self::End => "{{end}}",
            Self::Else => "{{else}}",
        }
    }
}

/// What stands between delimiters, or the text around them.
enum Item {
    Node(Node),
    Ending(Ending),
}

impl<'s> Parser<'s> {
    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError {
            template: self.name.to_string(),
            line: self.line,
            message: message.into(),
            limit: None,
        }
    }

    fn limit(&self, limit: Limit) -> ParseError {
        ParseError {
            limit: Some(limit),
            ..self.error(limit.to_string())
        }
    }

    fn next(&mut self) -> Token<'s> {
        if let Some(token) = self.put_back.pop() {
            return token;
        }
        let token = self.lexer.token();
        self.line = token.line;
        token
    }

    fn back(&mut self, token: Token<'s>) {
        self.put_back.push(token);
    }

    fn peek(&mut self) -> Kind {
        let token = self.next();
        let kind = token.kind;
        self.back(token);
        kind
    }

    fn next_non_space(&mut self) -> Token<'s> {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    /// The next token that is no space, which stays; spaces before it are gone.
    fn peek_non_space(&mut self) -> Token<'s> {
        let token = self.next_non_space();
        self.back(token.clone());
        token
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Result<Token<'s>> {
        let token = self.next_non_space();
        if token.kind == kind {
            Ok(token)
        } else {
            Err(self.unexpected(&token, context))
        }
    }

    fn unexpected(&self, token: &Token<'_>, context: &str) -> ParseError {
        if token.kind != Kind::Error {
            return self.error(alloc::format!("unexpected {} in {context}", token.describe()));
        }
        let started = self.scope.action_line;
        if started == 0 || started == token.line {
            return self.error(token.describe());
        }
        let action = if token.text.ends_with(" action") {
            ""
        } else {
            " in action"
        };
        self.error(alloc::format!(
            "{}{action} started at {}:{started}",
            token.describe(),
            self.name
        ))
    }

    /// One level deeper, for as long as `parse` runs.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_PARSE_DEPTH {
            return Err(self.limit(Limit::ParseDepth));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// The whole source, definitions included.
    fn body(&mut self) -> Result<Box<[Node]>> {
        let mut root = Vec::new();
        loop {
            let token = self.next();
            match token.kind {
                Kind::Eof => {
                    return Ok(root.into());
                }
                Kind::LeftDelim => {
                    let word = self.next_non_space();
                    if word.kind == Kind::Define {
                        self.definition()?;
                        continue;
                    }
                    self.back(word);
                    self.back(token);
                }
                _ => self.back(token),
            }
            match self.text_or_action()? {
                Item::Node(node) => root.push(node),
                Item::Ending(ending) => return Err(self.error(alloc::format!("unexpected {}", ending.describe()))),
            }
        }
    }

    fn definition(&mut self) -> Result<()> {
        const CONTEXT: &str = "define clause";
        let token = self.next_non_space();
        // The definition has its own count of lines of actions.
        let outer = core::mem::replace(&mut self.scope, Scope::new());
        let name = self.template_name(&token, CONTEXT)?;
        self.expect(Kind::RightDelim, CONTEXT)?;
        let (list, ending) = self.item_list()?;
        if let Ending::Else = ending {
            return Err(self.error(alloc::format!("unexpected {} in {CONTEXT}", ending.describe())));
        }
        self.scope = outer;
        self.add(name, list)
    }

    fn template_name(&mut self, token: &Token<'_>, context: &str) -> Result<Arc<str>> {
        if !matches!(token.kind, Kind::String | Kind::RawString) {
            return Err(self.unexpected(token, context));
        }
        let name = self.string(token)?;
        Ok(lossy(&name).into())
    }

    /// The bytes of a string: what is no UTF-8 stays in a raw one, and is U+FFFD in a quoted one.
    fn string(&self, token: &Token<'_>) -> Result<Vec<u8>> {
        let bytes = match token.kind {
            Kind::RawString => quote::unquote_raw(self.source.get(token.pos..).unwrap_or(&[]), token.len as usize),
            _ => quote::unquote(&token.text),
        };
        bytes.ok_or_else(|| self.error("invalid syntax"))
    }

    /// Registers a tree; an empty one never replaces another.
    fn add(&mut self, name: Arc<str>, root: Box<[Node]>) -> Result<()> {
        let tree = Tree {
            name: name.clone(),
            parse_name: self.name.clone(),
            source: self.source.clone(),
            root,
        };
        if self.trees.get(&name).is_none_or(|known| known.is_empty()) {
            self.trees.insert(name, Arc::new(tree));
        } else if !tree.is_empty() {
            let name = quote::quote(name.as_bytes(), false);
            return Err(self.error(alloc::format!("template: multiple definition of template {name}")));
        }
        Ok(())
    }

    /// Nodes up to `end` or `else`.
    fn item_list(&mut self) -> Result<(Box<[Node]>, Ending)> {
        let mut list = Vec::new();
        loop {
            if self.peek_non_space().kind == Kind::Eof {
                return Err(self.error("unexpected EOF"));
            }
            match self.text_or_action()? {
                Item::Node(node) => list.push(node),
                Item::Ending(ending) => {
                    // Most lists are short, and all of them stay: room for more would be most of a tree.
                    return Ok((list.into(), ending));
                }
            }
        }
    }

    fn text_or_action(&mut self) -> Result<Item> {
        let token = self.next_non_space();
        match token.kind {
            Kind::Text => Ok(Item::Node(Node::Text(Text::new(
                &self.source,
                token.pos,
                token.len as usize,
            )))),
            Kind::LeftDelim => {
                self.scope.action_line = token.line;
                let item = self.nested(Self::action);
                self.scope.action_line = 0;
                item
            }
            _ => Err(self.unexpected(&token, "input")),
        }
    }

    /// The number of a variable's name.
    fn symbol(&mut self, name: &str) -> (Arc<str>, u32) {
        if let Some((name, symbol)) = self.symbols.get_key_value(name) {
            return (name.clone(), *symbol);
        }
        let name: Arc<str> = name.into();
        let symbol = u32::try_from(self.symbols.len()).unwrap_or(u32::MAX);
        self.symbols.insert(name.clone(), symbol);
        (name, symbol)
    }
}
