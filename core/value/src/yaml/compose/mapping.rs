//! Mappings: keys, duplicates and merges.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use super::scalar::decode_binary;
use super::{Anchor, Composer, Result, beyond_json, plain_error};
use crate::json::quote_go;
use crate::yaml::error::{Dialect, Error, ErrorKind, Mark};
use crate::yaml::event::{Event, Located, Scalar, Tag};
use crate::yaml::kustomize::TWICE;
use crate::yaml::resolve::Resolved;
use crate::yaml::token::Style;
use crate::{Map, Number, Numbers, Value, gofloat};

/// A mapping's key.
#[derive(Clone, Debug)]
pub(super) struct Key<'a> {
    pub(super) text: Cow<'a, str>,
    /// The text as written, where that is something else.
    pub(super) source: Option<Cow<'a, str>>,
    pub(super) kind: KeyKind,
    pub(super) tag: Tag,
    pub(super) alias: bool,
    pub(super) mark: Mark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyKind {
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
pub(super) enum Place {
    /// The root, or merged into a mapping whose keys are text: its text.
    Root,
    /// Anywhere else: an error, as JSON has no such key.
    Nested,
}

fn invalid_key(mark: Mark) -> Error {
    let message = "a mapping or a sequence cannot be a key";
    Error::new(ErrorKind::Key, message, mark, "yaml: invalid map key".into())
}

/// Whether a key is set already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Duplicate {
    None,
    /// It is, in another way: the new value counts.
    Fine,
    Refused,
}

/// A mapping in the making.
#[derive(Default)]
struct Entries {
    map: Map,
    /// Lines of the keys, by their index in the map (the Kustomize reader only).
    lines: Vec<u32>,
    /// Keys that an alias gave.
    from_alias: Vec<String>,
    /// Keys that are a null, and their lines.
    nulls: Vec<(String, u32)>,
    /// Keys with what they were before they became text (the strict Helm reader only).
    seen: BTreeMap<String, BTreeSet<Tag>>,
    /// Whether a key has no form in JSON.
    unsupported: bool,
}

impl Entries {
    /// The line, from 0, of a null key with this text.
    fn line_of_null(&self, text: &str) -> Option<u32> {
        let mut nulls = self.nulls.iter();
        nulls.find(|(null, _)| null == text).map(|(_, line)| *line)
    }

    /// Whether a key is set, and notes it: `1` and `"1"` are two keys. What a merged key was is not known any more
    /// (`Tag::None`): it is the same as any.
    fn is_set(&mut self, text: &str, tag: Tag) -> bool {
        let tags = self.seen.entry(text.into()).or_default();
        let set = tags.contains(&tag) || tags.contains(&Tag::None) || (tag == Tag::None && !tags.is_empty());
        tags.insert(tag);
        set
    }
}

impl<'a> Composer<'a, '_> {
    /// Passes over a value that yaml.v3 does not look at; its grammar counts all the same.
    fn skip_value(&mut self) -> Result<()> {
        let (depth, gathered) = (self.depth, self.gathered.len());
        let event = self.event()?;
        let skipped = self.node(event, Place::Nested);
        self.gathered.truncate(gathered);
        match skipped {
            Err(error) if error.is_grammatical() => return Err(error),
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
                self.scalar(scalar.clone(), anchor, mark)?;
                let resolved = self.resolve(&scalar, mark)?;
                self.key_of(scalar, &resolved, mark)
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
                    _ => Err(invalid_key(mark)),
                }
            }
            event @ (Event::StreamEnd
            | Event::DocumentStart
            | Event::DocumentEnd
            | Event::SequenceStart { .. }
            | Event::SequenceEnd
            | Event::MappingStart { .. }
            | Event::MappingEnd) => {
                self.node((event, mark), Place::Nested)?;
                Err(invalid_key(mark))
            }
        }
    }

    pub(super) fn key_of(&self, scalar: Scalar<'a>, resolved: &Resolved, mark: Mark) -> Result<Key<'a>> {
        let Scalar { text, style, tag, .. } = scalar;
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

    pub(super) fn mapping(&mut self, place: Place) -> Result<Value> {
        let mut entries = Entries::default();
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
                        let go = "mapping key \"<<\" already defined";
                        self.gather("a mapping merges twice", go.into(), mark);
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
            self.insert(&mut entries, key, value, place);
        }
        // yaml.v3 merges last, and what is set stays.
        for source in merge.into_iter().flatten() {
            for (key, value) in source {
                if !entries.map.contains_key(&key) {
                    entries.map.insert(key, value);
                }
            }
        }
        entries.map.shrink();
        Ok(if entries.unsupported {
            beyond_json::mapping()
        } else {
            Value::Object(entries.map)
        })
    }

    fn insert(&mut self, entries: &mut Entries, key: Key<'a>, value: Value, place: Place) {
        let mark = key.mark;
        match self.options.dialect {
            Dialect::Helm => {
                if matches!(key.kind, KeyKind::Null | KeyKind::Unsigned) {
                    let (message, kind) = match key.kind {
                        KeyKind::Null => ("a null cannot be a key", "%!s(<nil>), key: <nil>"),
                        KeyKind::Text | KeyKind::Converted | KeyKind::Unsigned | KeyKind::Merge => {
                            ("an integer beyond 63 bits cannot be a key", "uint64")
                        }
                    };
                    let value = shown_scalar(&value).filter(|_| key.kind == KeyKind::Null);
                    let value = value.map(|value| format!(", value: {value}")).unwrap_or_default();
                    self.refuse_mapping(
                        entries,
                        message,
                        format!("unsupported map key of type: {kind}{value}"),
                        mark,
                    );
                    return;
                }
                let text = key.text.into_owned();
                if self.options.strict && entries.is_set(&text, key.tag) {
                    let go = format!("key {} already set in map", quote_go(&text));
                    self.gather("a key is set twice", go, mark);
                    return;
                }
                entries.map.insert(text, value);
            }
            Dialect::Kustomize => {
                if key.kind != KeyKind::Text && place == Place::Nested {
                    let go = "json: unsupported type: map[interface {}]interface {}";
                    self.refuse_mapping(entries, "a key below the root must be text", go.into(), mark);
                }
                match self.check_duplicate(entries, &key) {
                    Duplicate::None => {
                        entries.map.push(key.text.into_owned(), value);
                        entries.lines.push(mark.line);
                    }
                    Duplicate::Fine => {
                        entries.map.insert(key.text, value);
                    }
                    Duplicate::Refused => {}
                }
            }
        }
    }

    /// Notes that JSON cannot hold the mapping at hand: an error, unless another value replaces it.
    fn refuse_mapping(&mut self, entries: &mut Entries, message: &'static str, go: String, mark: Mark) {
        entries.unsupported = true;
        if self.unsupported.is_none() {
            self.unsupported = Some(Error::new(ErrorKind::Key, message, mark, go));
        }
    }

    /// Whether the key is set. yaml.v3 refuses that if both are written alike, an alias by its name.
    fn check_duplicate(&mut self, entries: &mut Entries, key: &Key<'a>) -> Duplicate {
        let written = key.source.as_ref().unwrap_or(&key.text);
        if let Some(first) = entries.line_of_null(&key.text) {
            self.gather_twice(entries, written, first, key.mark);
        }
        let mut duplicate = Duplicate::None;
        if let Some(index) = entries.map.index_of(&key.text) {
            duplicate = Duplicate::Fine;
            let was_alias = entries.from_alias.iter().any(|text| *text == key.text);
            if !key.alias && !was_alias {
                duplicate = Duplicate::Refused;
                let first = entries.lines.get(index).copied().unwrap_or_default();
                self.gather_twice(entries, written, first, key.mark);
            }
        }
        if key.alias {
            entries.from_alias.push(key.text.as_ref().into());
        }
        duplicate
    }

    /// Notes a key that line `first`, from 0, set already: among the entries, where what is written is kept.
    fn gather_twice(&mut self, entries: &mut Entries, written: &str, first: u32, mark: Mark) {
        let first = first as usize + 1;
        if self.options.numbers == Numbers::AsWritten {
            let (above, line) = (self.options.first_line - 1, mark.line as usize + 1);
            let (first, line, column) = (first + above, line + above, mark.column + 1);
            let problem = format!("the key of line {first} is set again at line {line} column {column}");
            let key = format!("{TWICE}{}", entries.map.len());
            entries.map.push(key, Value::String(problem));
            entries.lines.push(mark.line);
            return;
        }
        let go = format!("mapping key {} already defined at line {first}", quote_go(written));
        self.gather(format!("the key of line {first} is set again"), go, mark);
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
            event => Ok(vec![self.merge_source(event, mark)?]),
        }
    }

    fn merge_source(&mut self, event: Located<'a>, mark: Mark) -> Result<Map> {
        let is_collection = matches!(event.0, Event::MappingStart { .. } | Event::Alias(_));
        if let Value::Object(map) = self.node(event, Place::Root)?
            && is_collection
        {
            return Ok(map);
        }
        let message = "map merge requires map or sequence of maps as the value";
        Err(plain_error(ErrorKind::Merge, message, mark))
    }

    /// yaml.v2 merges where `<<` stands: over what is already set, the first of several mappings last.
    fn merge_over(&mut self, entries: &mut Entries, sources: Vec<Map>, mark: Mark) {
        for source in sources.into_iter().rev() {
            for (key, value) in source {
                if self.options.strict && entries.is_set(&key, Tag::None) {
                    let go = format!("key {} already set in map", quote_go(&key));
                    self.gather("a merge sets a key that is set already", go, mark);
                    continue;
                }
                entries.map.insert(key, value);
            }
        }
    }
}

/// A scalar in Go's syntax, as its library quotes it; great numbers are left out.
fn shown_scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("<nil>".into()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Number(Number::Int(number)) => Some(number.to_string()),
        Value::String(text) => Some(quote_go(text)),
        Value::Number(Number::Float(number)) if number.abs() < 1e15 => Some(number.to_string()),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
