//! From events to values: anchors, aliases, merge keys, and the bounds on all of it.
//!
//! # Invariant
//! No alias makes a value larger than the limits allow, no text nests values deeper than they allow, and an error
//! in the grammar is reported before any other, as by libraries that parse the whole document first.

mod beyond_json;
mod mapping;
mod scalar;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::error::{Dialect, Error, ErrorKind, Mark};
use super::event::{Event, Located};
use super::input::Broken;
use super::parser::Parser;
use crate::{Limits, Numbers, Value};
use mapping::{Key, Place};

/// How a reader differs from the other ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options<'l> {
    pub(super) dialect: Dialect,
    pub(super) numbers: Numbers,
    /// Refuse keys that are set twice (the Kustomize reader always does).
    pub(super) strict: bool,
    pub(super) limits: &'l Limits,
    /// The number of the text's first line, where it was cut out of another.
    pub(super) first_line: usize,
}

/// What a node counts for besides its text, in bytes.
const NODE_BYTES: usize = 32;

/// Defects of the kind that Go gathers before it gives up.
const MAX_GATHERED: usize = 100;

/// A node that has a name.
#[derive(Debug)]
struct Anchor {
    value: Value,
    /// The node as a key, if it is a scalar.
    key: Option<Key<'static>>,
    nodes: u64,
    bytes: usize,
}

/// A defect of the kind that Go gathers.
#[derive(Debug)]
struct Gathered {
    message: String,
    /// Go's words, which name the key.
    go: String,
    mark: Mark,
}

#[derive(Debug)]
pub(super) struct Composer<'a, 'l> {
    parser: Parser<'a>,
    options: Options<'l>,
    /// `None` while the node is not complete.
    anchors: BTreeMap<&'a str, Option<Anchor>>,
    /// How many named collections are open: what is kept inside of one is kept twice.
    open_anchors: usize,
    depth: usize,
    nodes: u64,
    alias_nodes: u64,
    bytes: usize,
    alias_bytes: usize,
    gathered: Vec<Gathered>,
    /// Where the first number is that JSON cannot hold.
    not_finite: Option<Mark>,
    /// The first mapping that JSON cannot hold.
    unsupported: Option<Error>,
}

type Result<T> = core::result::Result<T, Error>;

impl<'a, 'l> Composer<'a, 'l> {
    pub(super) fn new(text: &'a str, broken: Option<Broken>, options: Options<'l>) -> Self {
        Self {
            parser: Parser::new(text, broken, options.dialect),
            options,
            anchors: BTreeMap::new(),
            open_anchors: 0,
            depth: 0,
            nodes: 0,
            alias_nodes: 0,
            bytes: 0,
            alias_bytes: 0,
            gathered: Vec::new(),
            not_finite: None,
            unsupported: None,
        }
    }

    /// The next document and where its content begins.
    pub(super) fn document(&mut self) -> Result<Option<(Value, Mark)>> {
        let (event, _) = self.event()?;
        if matches!(event, Event::StreamEnd) {
            return Ok(None);
        }
        self.anchors.clear();
        self.open_anchors = 0;
        (self.not_finite, self.unsupported) = (None, None);
        (self.nodes, self.alias_nodes, self.bytes, self.alias_bytes) = (1, 0, 0, 0);
        let root = self.event()?;
        let mark = root.1;
        let value = self.node(root, Place::Root).map_err(|error| self.syntax_first(error))?;
        self.event()?;
        self.fail_gathered()?;
        self.check_json(&value)?;
        Ok(Some((value, mark)))
    }

    fn event(&mut self) -> Result<Located<'a>> {
        self.parser
            .next()
            .map_err(|defect| defect.into_error(self.options.dialect))
    }

    // Errors.

    /// Go's libraries parse a document as a whole before they look at values, so that an error of the grammar
    /// further down comes first.
    fn syntax_first(&mut self, error: Error) -> Error {
        if error.is_grammatical() {
            return error;
        }
        loop {
            match self.pass() {
                Err(syntax) => return syntax,
                Ok(Event::DocumentEnd | Event::StreamEnd) => return error,
                Ok(_) => {}
            }
        }
    }

    /// The next event, of which only the grammar counts.
    fn pass(&mut self) -> Result<Event<'a>> {
        let (event, mark) = self.event()?;
        if let Event::Alias(name) = event
            && !self.anchors.contains_key(name)
        {
            return Err(unknown_anchor(name, mark));
        }
        if let Some(name) = anchor_of(&event) {
            self.anchors.insert(name, None);
        }
        Ok(event)
    }

    fn gather(&mut self, message: impl Into<String>, go: String, mark: Mark) {
        if self.gathered.len() < MAX_GATHERED {
            let message = message.into();
            self.gathered.push(Gathered { message, go, mark });
        }
    }

    fn fail_gathered(&mut self) -> Result<()> {
        let Some(first) = self.gathered.first() else {
            return Ok(());
        };
        let mut go = String::from("yaml: unmarshal errors:");
        for gathered in &self.gathered {
            // Writing into a String cannot fail.
            let _ = write!(go, "\n  line {}: {}", gathered.mark.line + 1, gathered.go);
        }
        Err(Error::new(
            ErrorKind::DuplicateKey,
            first.message.clone(),
            first.mark,
            go,
        ))
    }

    // Bounds.

    /// Counts a node, and refuses a document that is mostly aliases, as go-yaml does.
    fn count(&mut self, bytes: usize, mark: Mark) -> Result<()> {
        self.nodes += 1;
        self.bytes += bytes + NODE_BYTES;
        self.check_aliasing(mark)
    }

    fn check_aliasing(&self, mark: Mark) -> Result<()> {
        if self.alias_nodes > 100 && self.nodes > 1000 && aliasing_is_excessive(self.alias_nodes, self.nodes) {
            return Err(Error::alias_share(mark));
        }
        Ok(())
    }

    fn deeper(&mut self, mark: Mark) -> Result<()> {
        let limit = self.options.limits.effective_depth();
        if self.depth == limit {
            return Err(Error::limit("levels of nesting", limit, mark));
        }
        self.depth += 1;
        Ok(())
    }

    // Nodes.

    fn node(&mut self, (event, mark): Located<'a>, place: Place) -> Result<Value> {
        match event {
            Event::Scalar { scalar, anchor } => self.scalar(scalar, anchor, mark),
            Event::Alias(name) => self.alias(name, mark),
            Event::SequenceStart { anchor } => self.anchored(anchor, mark, Self::sequence),
            Event::MappingStart { anchor } => self.anchored(anchor, mark, |composer, _| composer.mapping(place)),
            Event::StreamEnd | Event::DocumentStart | Event::DocumentEnd | Event::SequenceEnd | Event::MappingEnd => {
                Err(plain_error(ErrorKind::Syntax, "attempted to parse unknown event", mark))
            }
        }
    }

    fn anchored(
        &mut self,
        anchor: Option<&'a str>,
        mark: Mark,
        compose: impl FnOnce(&mut Self, Mark) -> Result<Value>,
    ) -> Result<Value> {
        let (nodes, bytes) = (self.nodes, self.bytes);
        if let Some(name) = anchor {
            self.anchors.insert(name, None);
            self.open_anchors += 1;
        }
        self.deeper(mark)?;
        self.count(0, mark)?;
        let value = compose(self, mark)?;
        self.depth -= 1;
        if let Some(name) = anchor {
            self.open_anchors -= 1;
            let (nodes, bytes) = (self.nodes - nodes, self.bytes - bytes);
            if self.open_anchors > 0 {
                self.charge(bytes, mark)?;
            }
            self.anchors.insert(
                name,
                Some(Anchor {
                    value: value.clone(),
                    key: None,
                    nodes,
                    bytes,
                }),
            );
        }
        Ok(value)
    }

    /// Counts what an alias, or an anchor inside of another, adds to what the text itself holds.
    fn charge(&mut self, bytes: usize, mark: Mark) -> Result<()> {
        let limit = self.options.limits.alias_bytes;
        self.alias_bytes += bytes;
        if self.alias_bytes > limit {
            return Err(Error::limit("bytes that anchors and aliases add", limit, mark));
        }
        Ok(())
    }

    fn sequence(&mut self, _mark: Mark) -> Result<Value> {
        let mut items = Vec::new();
        loop {
            let event = self.event()?;
            if matches!(event.0, Event::SequenceEnd) {
                items.shrink_to_fit();
                return Ok(Value::Array(items));
            }
            items.push(self.node(event, Place::Nested)?);
        }
    }

    fn alias(&mut self, name: &'a str, mark: Mark) -> Result<Value> {
        self.nodes += 1;
        let anchor = match self.anchors.get(name) {
            None => return Err(unknown_anchor(name, mark)),
            Some(None) => {
                let go = format!("yaml: anchor '{name}' value contains itself");
                let message = "the value of an anchor contains itself";
                return Err(Error::new(ErrorKind::Alias, message, mark, go));
            }
            Some(Some(anchor)) => anchor,
        };
        let (nodes, bytes) = (anchor.nodes, anchor.bytes);
        self.nodes += nodes;
        self.alias_nodes += nodes;
        self.bytes += bytes;
        self.charge(bytes, mark)?;
        let Some(Some(Anchor { value, .. })) = self.anchors.get(name) else {
            return Err(unknown_anchor(name, mark));
        };
        let value = value.clone();
        self.check_aliasing(mark)?;
        self.check_alias_depth(&value, mark)?;
        Ok(value)
    }

    /// An alias nests what it names below the place where it stands.
    fn check_alias_depth(&self, value: &Value, mark: Mark) -> Result<()> {
        let limit = self.options.limits.effective_depth();
        if within_depth(value, limit.saturating_sub(self.depth)) {
            return Ok(());
        }
        Err(Error::limit("levels of nesting", limit, mark))
    }
}

fn anchor_of<'a>(event: &Event<'a>) -> Option<&'a str> {
    match event {
        Event::Scalar { anchor, .. } | Event::SequenceStart { anchor } | Event::MappingStart { anchor } => *anchor,
        Event::StreamEnd
        | Event::DocumentStart
        | Event::DocumentEnd
        | Event::Alias(_)
        | Event::SequenceEnd
        | Event::MappingEnd => None,
    }
}

/// An error whose words are Go's, since they show nothing of the text.
fn plain_error(kind: ErrorKind, message: &'static str, mark: Mark) -> Error {
    Error::new(kind, message, mark, format!("yaml: {message}"))
}

fn unknown_anchor(name: &str, mark: Mark) -> Error {
    let go = format!("yaml: unknown anchor '{name}' referenced");
    Error::new(ErrorKind::UnknownAnchor, "an alias names an unknown anchor", mark, go)
}

/// go-yaml's rule: 99 of 100 nodes may come from aliases up to 400,000 nodes, 10 of 100 from 4,000,000 on.
#[expect(clippy::cast_precision_loss, reason = "a ratio")]
fn aliasing_is_excessive(alias_nodes: u64, nodes: u64) -> bool {
    const LOW: f64 = 400_000.0;
    const HIGH: f64 = 4_000_000.0;
    let nodes = nodes as f64;
    let allowed = 0.99 - 0.89 * ((nodes - LOW) / (HIGH - LOW)).clamp(0.0, 1.0);
    alias_nodes as f64 / nodes > allowed
}

/// Whether collections in `value` nest at most `depth` deep.
fn within_depth(value: &Value, depth: usize) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        Value::Array(items) => depth > 0 && items.iter().all(|item| within_depth(item, depth - 1)),
        Value::Object(map) => depth > 0 && map.values().all(|item| within_depth(item, depth - 1)),
    }
}
