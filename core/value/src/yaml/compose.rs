//! From events to values: anchors, aliases, merge keys, and the bounds on all of it.
//!
//! # Invariant
//! No alias makes a value larger than the limits allow, no text nests values deeper than they allow, and an error
//! in the grammar is reported before any other, as by libraries that parse the whole document first.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::error::{Dialect, Error, ErrorKind, Mark};
use super::event::{Event, Located, Scalar, Tag};
use super::input::Broken;
use super::parser::Parser;
use super::resolve::{self, Resolved};
use super::token::Style;
use crate::{Limits, Map, Number, Numbers, Value, gofloat, serde_impls::integral};

/// How a reader differs from the other ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options<'l> {
    pub(super) dialect: Dialect,
    pub(super) numbers: Numbers,
    /// Refuse keys that are set twice (the Kustomize reader always does).
    pub(super) strict: bool,
    pub(super) limits: &'l Limits,
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

/// A mapping's key.
#[derive(Clone, Debug)]
struct Key<'a> {
    text: Cow<'a, str>,
    /// The text as written, where that is something else.
    source: Option<Cow<'a, str>>,
    kind: KeyKind,
    tag: Tag,
    alias: bool,
    mark: Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyKind {
    Text,
    /// A number, boolean, time or text with a tag of its own: text by conversion.
    Converted,
    Null,
    /// An unsigned integer beyond 63 bits, which sigs.k8s.io/yaml does not convert.
    Unsigned,
    Merge,
}

/// Where a mapping stands, which decides what a key that is no text becomes for the Kustomize reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The root, or merged into a mapping whose keys are text: its text.
    Root,
    /// Anywhere else: an error, as JSON has no such key.
    Nested,
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
    gathered: Vec<(String, Mark)>,
    /// Where the first number is that JSON cannot hold.
    not_finite: Option<Mark>,
}

type Result<T> = core::result::Result<T, alloc::boxed::Box<Error>>;

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
        (self.nodes, self.alias_nodes, self.bytes, self.alias_bytes) = (1, 0, 0, 0);
        let root = self.event()?;
        let mark = root.1;
        let value = self
            .node(root, Place::Root)
            .or_else(|error| Err(self.syntax_first(error)))?;
        self.event()?;
        self.fail_gathered()?;
        self.check_finite(&value)?;
        Ok(Some((value, mark)))
    }

    fn event(&mut self) -> Result<Located<'a>> {
        self.parser
            .next()
            .map_err(|defect| defect.into_error(self.options.dialect).into())
    }

    // Errors.

    /// Go's libraries parse a document as a whole before they look at values, so that an error of the grammar
    /// further down comes first.
    fn syntax_first(&mut self, error: alloc::boxed::Box<Error>) -> alloc::boxed::Box<Error> {
        if is_grammatical(&error) {
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
        match &event {
            Event::Alias(name) if !self.anchors.contains_key(name) => return Err(unknown_anchor(name, mark)),
            event => {
                if let Some(name) = anchor_of(event) {
                    self.anchors.insert(name, None);
                }
            }
        }
        Ok(event)
    }

    fn gather(&mut self, message: String, mark: Mark) {
        if self.gathered.len() < MAX_GATHERED {
            self.gathered.push((message, mark));
        }
    }

    fn fail_gathered(&mut self) -> Result<()> {
        let Some((message, mark)) = self.gathered.first() else {
            return Ok(());
        };
        let mut go = String::from("yaml: unmarshal errors:");
        for (message, mark) in &self.gathered {
            go.push_str(&format!("\n  line {}: {message}", mark.line + 1));
        }
        Err(Error::new(ErrorKind::DuplicateKey, message.clone(), *mark, go).into())
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
            return Err(plain_error(
                ErrorKind::Alias,
                "document contains excessive aliasing",
                mark,
            ));
        }
        Ok(())
    }

    fn deeper(&mut self, mark: Mark) -> Result<()> {
        let limit = self.options.limits.effective_depth();
        if self.depth == limit {
            return Err(Error::limit(format!("the nesting passes the limit of {limit}"), mark).into());
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
            Event::MappingStart { anchor } => {
                self.anchored(anchor, mark, |composer, mark| composer.mapping(mark, place))
            }
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
            return Err(Error::limit(format!("anchors and aliases pass the limit of {limit} bytes"), mark).into());
        }
        Ok(())
    }

    fn sequence(&mut self, _mark: Mark) -> Result<Value> {
        let mut items = Vec::new();
        loop {
            let event = self.event()?;
            if matches!(event.0, Event::SequenceEnd) {
                return Ok(Value::Array(items));
            }
            items.push(self.node(event, Place::Nested)?);
        }
    }

    fn scalar(&mut self, scalar: Scalar<'a>, anchor: Option<&'a str>, mark: Mark) -> Result<Value> {
        self.count(scalar.text.len(), mark)?;
        let resolved = self.resolve(&scalar, mark)?;
        let Some(name) = anchor else {
            return self.scalar_value(scalar, resolved, mark);
        };
        let key = self.key_of(scalar.clone(), &resolved, mark)?;
        let key = Key {
            text: Cow::Owned(key.text.into_owned()),
            source: key.source.map(|s| Cow::Owned(s.into_owned())),
            ..key
        };
        let bytes = scalar.text.len() + NODE_BYTES;
        let value = self.scalar_value(scalar, resolved, mark)?;
        self.anchors.insert(
            name,
            Some(Anchor {
                value: value.clone(),
                key: Some(key),
                nodes: 1,
                bytes,
            }),
        );
        Ok(value)
    }

    fn alias(&mut self, name: &'a str, mark: Mark) -> Result<Value> {
        self.nodes += 1;
        let anchor = match self.anchors.get(name) {
            None => return Err(unknown_anchor(name, mark)),
            Some(None) => {
                let message = format!("anchor '{name}' value contains itself");
                return Err(plain_error(ErrorKind::Alias, &message, mark));
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
        Err(Error::limit(format!("the nesting passes the limit of {limit}"), mark).into())
    }

    // Scalars.

    fn resolve(&self, scalar: &Scalar<'a>, mark: Mark) -> Result<Resolved> {
        let dialect = self.options.dialect;
        match (scalar.tag, scalar.style, dialect) {
            (Tag::None, Style::Plain, _) | (Tag::NonSpecific, Style::Plain, Dialect::Kustomize) => {
                Ok(resolve::plain(&scalar.text, dialect))
            }
            (Tag::None | Tag::NonSpecific | Tag::Other | Tag::Merge | Tag::Binary, _, _) => Ok(Resolved::Str),
            (tag, _, _) => resolve::tagged(tag, &scalar.text, dialect).map_err(|found| {
                let (found, tag) = (found.tag().short(), tag.short());
                let message = format!("cannot decode {found} `{}` as a {tag}", scalar.text);
                plain_error(ErrorKind::Value, &message, mark)
            }),
        }
    }

    fn scalar_value(&mut self, scalar: Scalar<'a>, resolved: Resolved, mark: Mark) -> Result<Value> {
        Ok(match resolved {
            Resolved::Null => Value::Null,
            Resolved::Bool(b) => Value::Bool(b),
            Resolved::Int(i) => self.integer(i),
            Resolved::Uint(u) => self.unsigned(u),
            Resolved::Float(f) => self.float(f, mark),
            Resolved::Big(digits, f) => match self.options.numbers {
                Numbers::Exact => Value::Number(Number::Big(digits)),
                Numbers::Float => self.float(f, mark),
            },
            Resolved::Timestamp if self.options.dialect == Dialect::Kustomize => {
                super::timestamp::to_rfc3339(&scalar.text).map_or(Value::Null, Value::String)
            }
            Resolved::Str if scalar.tag == Tag::Binary => Value::String(decode_binary(&scalar.text, mark)?),
            Resolved::Str | Resolved::Timestamp => Value::String(scalar.text.into_owned()),
        })
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest float is what Go's JSON reader makes of the digits"
    )]
    fn integer(&self, i: i64) -> Value {
        match self.options.numbers {
            Numbers::Exact => Value::Number(Number::Int(i)),
            Numbers::Float => Value::Number(Number::Float(i as f64)),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest float is what Go's JSON reader makes of the digits"
    )]
    fn unsigned(&self, u: u64) -> Value {
        match self.options.numbers {
            Numbers::Exact => Value::Number(Number::Uint(u)),
            Numbers::Float => Value::Number(Number::Float(u as f64)),
        }
    }

    fn float(&mut self, f: f64, mark: Mark) -> Value {
        if !f.is_finite() && self.not_finite.is_none() {
            self.not_finite = Some(mark);
        }
        // JSON writes a whole float without a point, so that the next reader sees an integer.
        match (self.options.numbers, integral(f)) {
            (Numbers::Exact, Some(i)) => Value::Number(Number::Int(i)),
            _ => Value::Number(Number::Float(f)),
        }
    }

    /// Refuses what JSON cannot hold, unless another value replaced it.
    fn check_finite(&self, value: &Value) -> Result<()> {
        let Some((mark, f)) = self.not_finite.and_then(|mark| Some((mark, not_finite(value)?))) else {
            return Ok(());
        };
        let name = if f.is_nan() {
            "NaN"
        } else if f > 0.0 {
            "+Inf"
        } else {
            "-Inf"
        };
        let message = format!("json: unsupported value: {name}");
        Err(Error::new(ErrorKind::Value, message.clone(), mark, message).into())
    }

    // Mappings.

    /// Passes over a value that yaml.v3 does not look at; its grammar counts all the same.
    fn skip_value(&mut self) -> Result<()> {
        let (depth, gathered) = (self.depth, self.gathered.len());
        let event = self.event()?;
        let skipped = self.node(event, Place::Nested);
        self.gathered.truncate(gathered);
        match skipped {
            Err(error) if is_grammatical(&error) => return Err(error),
            Ok(_) | Err(_) => {}
        }
        // An error stopped inside of the value.
        while self.depth > depth {
            match self.pass()? {
                Event::SequenceStart { .. } | Event::MappingStart { .. } => self.depth += 1,
                Event::SequenceEnd | Event::MappingEnd => self.depth -= 1,
                Event::StreamEnd
                | Event::DocumentStart
                | Event::DocumentEnd
                | Event::Alias(_)
                | Event::Scalar { .. } => {}
            }
        }
        Ok(())
    }

    fn key(&mut self, (event, mark): Located<'a>) -> Result<Key<'a>> {
        match event {
            Event::Scalar { scalar, anchor: None } => {
                self.count(scalar.text.len(), mark)?;
                let resolved = self.resolve(&scalar, mark)?;
                self.key_of(scalar, &resolved, mark)
            }
            Event::Scalar { scalar, anchor } => {
                let resolved = self.resolve(&scalar, mark)?;
                let key = self.key_of(scalar.clone(), &resolved, mark)?;
                self.scalar(scalar, anchor, mark)?;
                Ok(key)
            }
            Event::Alias(name) => {
                self.alias(name, mark)?;
                match self.anchors.get(name) {
                    Some(Some(Anchor { key: Some(key), .. })) => {
                        // An alias to `<<` is a key of that name, not a merge.
                        let kind = if key.kind == KeyKind::Merge {
                            KeyKind::Text
                        } else {
                            key.kind
                        };
                        Ok(Key {
                            kind,
                            alias: true,
                            mark,
                            ..key.clone()
                        })
                    }
                    _ => Err(plain_error(ErrorKind::Key, "invalid map key", mark)),
                }
            }
            event => {
                self.node((event, mark), Place::Nested)?;
                Err(plain_error(ErrorKind::Key, "invalid map key", mark))
            }
        }
    }

    fn key_of(&self, scalar: Scalar<'a>, resolved: &Resolved, mark: Mark) -> Result<Key<'a>> {
        let Scalar { text, style, tag } = scalar;
        let key = |text, kind| Key {
            text,
            source: None,
            kind,
            tag: if *resolved == Resolved::Timestamp {
                Tag::Str
            } else {
                resolved.tag()
            },
            alias: false,
            mark,
        };
        let kustomize = self.options.dialect == Dialect::Kustomize;
        if text == "<<" {
            let implicit = match self.options.dialect {
                Dialect::Helm => (tag == Tag::None && style == Style::Plain) || tag == Tag::NonSpecific,
                Dialect::Kustomize => matches!(tag, Tag::None | Tag::NonSpecific) && style == Style::Plain,
            };
            if implicit || tag == Tag::Merge {
                return Ok(key(text, KeyKind::Merge));
            }
        }
        let converted = |converted: String, text| Key {
            source: Some(text),
            ..key(Cow::Owned(converted), KeyKind::Converted)
        };
        Ok(match resolved {
            Resolved::Str if tag == Tag::Binary => converted(decode_binary(&text, mark)?, text),
            Resolved::Str if kustomize && matches!(tag, Tag::Other | Tag::Merge) => key(text, KeyKind::Converted),
            Resolved::Str => key(text, KeyKind::Text),
            Resolved::Null => key(text, KeyKind::Null),
            Resolved::Uint(_) if !kustomize => key(text, KeyKind::Unsigned),
            Resolved::Timestamp if !kustomize => key(text, KeyKind::Text),
            _ if kustomize => key(text, KeyKind::Converted),
            Resolved::Bool(b) => converted(b.to_string(), text),
            Resolved::Int(i) => converted(i.to_string(), text),
            Resolved::Float(f) | Resolved::Big(_, f) => {
                let mut out = String::new();
                gofloat::push_general32(&mut out, *f);
                converted(out, text)
            }
            Resolved::Uint(_) | Resolved::Timestamp => key(text, KeyKind::Converted),
        })
    }

    fn mapping(&mut self, _mark: Mark, place: Place) -> Result<Value> {
        let mut entries = Entries {
            map: Map::new(),
            lines: Vec::new(),
            from_alias: Vec::new(),
            nulls: Vec::new(),
            seen: BTreeSet::new(),
        };
        let mut merge = None;
        loop {
            let event = self.event()?;
            if matches!(event.0, Event::MappingEnd) {
                break;
            }
            let key = self.key(event)?;
            if key.kind == KeyKind::Merge {
                let mark = key.mark;
                let sources = self.merge_sources(mark)?;
                match self.options.dialect {
                    Dialect::Helm => self.merge_over(&mut entries, sources, mark),
                    Dialect::Kustomize if merge.is_some() || entries.map.contains_key("<<") => {
                        self.gather("mapping key \"<<\" already defined".into(), mark);
                    }
                    Dialect::Kustomize => merge = Some(sources),
                }
                continue;
            }
            if key.kind == KeyKind::Null && place == Place::Root && self.options.dialect == Dialect::Kustomize {
                self.check_duplicate(&mut entries, &key);
                entries.nulls.push((key.text.into_owned(), key.mark.line));
                self.skip_value()?;
                continue;
            }
            let event = self.event()?;
            let value = self.node(event, Place::Nested)?;
            self.insert(&mut entries, key, value, place)?;
        }
        // yaml.v3 merges last, and what is set stays.
        for source in merge.into_iter().flatten() {
            for (key, value) in source {
                if !entries.map.contains_key(&key) {
                    entries.map.insert(key, value);
                }
            }
        }
        Ok(Value::Object(entries.map))
    }

    fn insert(&mut self, entries: &mut Entries, key: Key<'a>, value: Value, place: Place) -> Result<()> {
        let mark = key.mark;
        match self.options.dialect {
            Dialect::Helm => {
                if matches!(key.kind, KeyKind::Null | KeyKind::Unsigned) {
                    let kind = if key.kind == KeyKind::Null { "<nil>" } else { "uint64" };
                    let message = format!("unsupported map key of type: {kind}");
                    return Err(Error::new(ErrorKind::Key, message.clone(), mark, message).into());
                }
                let text = key.text.into_owned();
                if self.options.strict && !entries.seen.insert((key.tag, text.clone())) {
                    self.gather(format!("key {} already set in map", crate::json::quote_go(&text)), mark);
                    return Ok(());
                }
                entries.map.insert(text, value);
            }
            Dialect::Kustomize => {
                if key.kind != KeyKind::Text && place == Place::Nested {
                    let message = "json: unsupported type: map[interface {}]interface {}";
                    return Err(Error::new(ErrorKind::Key, message.into(), mark, message.into()).into());
                }
                self.check_duplicate(entries, &key);
                if entries.map.insert(key.text, value).is_none() {
                    entries.lines.push(mark.line);
                }
            }
        }
        Ok(())
    }

    /// yaml.v3 compares keys as they are written, an alias by its name.
    fn check_duplicate(&mut self, entries: &mut Entries, key: &Key<'a>) {
        let written = key.source.as_ref().unwrap_or(&key.text);
        if let Some((_, first)) = entries.nulls.iter().find(|(text, _)| *text == key.text) {
            let message = format!(
                "mapping key {} already defined at line {}",
                crate::json::quote_go(written),
                first + 1
            );
            self.gather(message, key.mark);
        } else if let Some(index) = entries.map.index_of(&key.text) {
            let was_alias = entries.from_alias.iter().any(|text| *text == key.text);
            if !key.alias && !was_alias {
                let first = entries.lines.get(index).copied().unwrap_or_default() + 1;
                let name = crate::json::quote_go(written);
                self.gather(format!("mapping key {name} already defined at line {first}"), key.mark);
            }
        }
        if key.alias {
            entries.from_alias.push(key.text.as_ref().into());
        }
    }

    /// The mappings behind `<<`, in the order in which they stand.
    fn merge_sources(&mut self, mark: Mark) -> Result<Vec<Map>> {
        let event = self.event()?;
        match event {
            (Event::SequenceStart { anchor }, mark) => {
                let mut sources = Vec::new();
                self.anchored(anchor, mark, |composer, mark| {
                    loop {
                        let event = composer.event()?;
                        if matches!(event.0, Event::SequenceEnd) {
                            return Ok(Value::Array(sources.iter().cloned().map(Value::Object).collect()));
                        }
                        sources.push(composer.merge_source(event, mark)?);
                    }
                })?;
                Ok(sources)
            }
            event => Ok(alloc::vec![self.merge_source(event, mark)?]),
        }
    }

    fn merge_source(&mut self, event: Located<'a>, mark: Mark) -> Result<Map> {
        let is_collection = matches!(event.0, Event::MappingStart { .. } | Event::Alias(_));
        match self.node(event, Place::Root)? {
            Value::Object(map) if is_collection => Ok(map),
            _ => {
                let message = "map merge requires map or sequence of maps as the value";
                Err(plain_error(ErrorKind::Merge, message, mark))
            }
        }
    }

    /// yaml.v2 merges where `<<` stands: over what is already set, the first of several mappings last.
    fn merge_over(&mut self, entries: &mut Entries, sources: Vec<Map>, mark: Mark) {
        for source in sources.into_iter().rev() {
            for (key, value) in source {
                if self.options.strict && !entries.seen.insert((Tag::Str, key.clone())) {
                    self.gather(format!("key {} already set in map", crate::json::quote_go(&key)), mark);
                    continue;
                }
                entries.map.insert(key, value);
            }
        }
    }
}

/// A mapping in the making.
struct Entries {
    map: Map,
    /// Lines of the keys, by their index in the map (the Kustomize reader only).
    lines: Vec<u32>,
    /// Keys that an alias gave.
    from_alias: Vec<String>,
    /// Keys that are a null, and their lines.
    nulls: Vec<(String, u32)>,
    /// Keys with what they were before they became text (the strict Helm reader only).
    seen: BTreeSet<(Tag, String)>,
}

fn decode_binary(text: &str, mark: Mark) -> Result<String> {
    resolve::binary(text)
        .ok_or_else(|| plain_error(ErrorKind::Value, "!!binary value contains invalid base64 data", mark))
}

/// Whether an error stands before all those that concern values.
fn is_grammatical(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Encoding | ErrorKind::Syntax | ErrorKind::UnknownAnchor | ErrorKind::Limit => true,
        ErrorKind::Alias | ErrorKind::DuplicateKey | ErrorKind::Key | ErrorKind::Merge | ErrorKind::Value => false,
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

fn plain_error(kind: ErrorKind, message: &str, mark: Mark) -> alloc::boxed::Box<Error> {
    Error::new(kind, message.into(), mark, format!("yaml: {message}")).into()
}

fn unknown_anchor(name: &str, mark: Mark) -> alloc::boxed::Box<Error> {
    plain_error(
        ErrorKind::UnknownAnchor,
        &format!("unknown anchor '{name}' referenced"),
        mark,
    )
}

/// The first number in `value` that JSON cannot hold.
fn not_finite(value: &Value) -> Option<f64> {
    match value {
        Value::Number(Number::Float(f)) if !f.is_finite() => Some(*f),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        Value::Array(items) => items.iter().find_map(not_finite),
        Value::Object(map) => map.values().find_map(not_finite),
    }
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
