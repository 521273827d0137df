//! From tokens to events: libyaml's state machine.
//!
//! The states stand on an explicit stack, so that no nesting of the text costs stack space here.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the grammar asks of a token only whether it is one of a few"
)]

use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

use super::error::{Dialect, Mark};
use super::event::{Event, Located, Scalar, Tag};
use super::input::Broken;
use super::scanner::{Scan, Scanner, parser_fail};
use super::token::{Kind, Style, Token};

/// What is expected next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowSequenceEntryMappingKey,
    FlowSequenceEntryMappingValue,
    FlowSequenceEntryMappingEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

/// Where a node stands, which decides what it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Block,
    BlockOrIndentless,
    Flow,
}

#[derive(Debug)]
pub(super) struct Parser<'a> {
    scanner: Scanner<'a>,
    state: State,
    states: Vec<State>,
    /// Where the open collections begin.
    marks: Vec<Mark>,
    tags: Vec<(&'a str, Cow<'a, str>)>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, broken: Option<Broken>, dialect: Dialect) -> Self {
        Self {
            scanner: Scanner::new(text, broken, dialect),
            state: State::ImplicitDocumentStart,
            states: vec![],
            marks: vec![],
            tags: vec![],
        }
    }

    /// The next event; after the end, the end again.
    pub(super) fn next(&mut self) -> Scan<Located<'a>> {
        match self.state {
            State::ImplicitDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Context::Block),
            State::BlockSequenceFirstEntry => self.first(Self::block_sequence_entry),
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingFirstKey => self.first(Self::block_mapping_key),
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirstEntry => self.first(|parser| parser.flow_sequence_entry(true)),
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowSequenceEntryMappingKey => self.flow_sequence_entry_mapping_key(),
            State::FlowSequenceEntryMappingValue => self.flow_sequence_entry_mapping_value(),
            State::FlowSequenceEntryMappingEnd => {
                self.state = State::FlowSequenceEntry;
                Ok((Event::MappingEnd, self.mark()?))
            }
            State::FlowMappingFirstKey => self.first(|parser| parser.flow_mapping_key(true)),
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(false),
            State::FlowMappingEmptyValue => self.flow_mapping_value(true),
            State::End => Ok((Event::StreamEnd, Mark::default())),
        }
    }

    fn mark(&mut self) -> Scan<Mark> {
        Ok(self.scanner.peek()?.mark)
    }

    /// Whether the next token is one of those that `is` accepts.
    fn at(&mut self, is: impl FnOnce(&Kind<'a>) -> bool) -> Scan<bool> {
        Ok(is(&self.scanner.peek()?.kind))
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// Takes the token that opened a collection, and goes on with its first element.
    fn first(&mut self, then: impl FnOnce(&mut Self) -> Scan<Located<'a>>) -> Scan<Located<'a>> {
        let token = self.scanner.next()?;
        self.marks.push(token.mark);
        then(self)
    }

    fn close(&mut self, event: Event<'a>) -> Scan<Located<'a>> {
        let token = self.scanner.next()?;
        self.pop_state();
        self.marks.pop();
        Ok((event, token.mark))
    }

    fn unexpected<T>(&mut self, problem: &'static str) -> Scan<T> {
        let context = self.marks.pop().unwrap_or_default();
        let mark = self.mark()?;
        parser_fail(problem, mark, context)
    }

    // Documents.

    fn document_start(&mut self, implicit: bool) -> Scan<Located<'a>> {
        if !implicit {
            while self.at(|kind| matches!(kind, Kind::DocumentEnd))? {
                self.scanner.next()?;
            }
        }
        let mark = self.mark()?;
        if self.at(|kind| matches!(kind, Kind::StreamEnd))? {
            self.scanner.next()?;
            self.state = State::End;
            return Ok((Event::StreamEnd, mark));
        }
        let explicit = self.at(|kind| {
            matches!(
                kind,
                Kind::VersionDirective { .. } | Kind::TagDirective { .. } | Kind::DocumentStart
            )
        })?;
        self.directives()?;
        self.states.push(State::DocumentEnd);
        if implicit && !explicit {
            self.state = State::BlockNode;
            return Ok((Event::DocumentStart, mark));
        }
        if !self.at(|kind| matches!(kind, Kind::DocumentStart))? {
            let mark = self.mark()?;
            return parser_fail("did not find expected <document start>", mark, Mark::default());
        }
        self.scanner.next()?;
        self.state = State::DocumentContent;
        Ok((Event::DocumentStart, mark))
    }

    fn directives(&mut self) -> Scan<()> {
        let mut version_seen = false;
        while self.at(|kind| matches!(kind, Kind::VersionDirective { .. } | Kind::TagDirective { .. }))? {
            let token = self.scanner.next()?;
            match token.kind {
                Kind::VersionDirective { .. } if version_seen => {
                    return parser_fail("found duplicate %YAML directive", token.mark, Mark::default());
                }
                Kind::VersionDirective { major: 1, minor: 1 } => version_seen = true,
                Kind::TagDirective { handle, prefix } => {
                    if self.tags.iter().any(|(known, _)| *known == handle) {
                        return parser_fail("found duplicate %TAG directive", token.mark, Mark::default());
                    }
                    self.tags.push((handle, prefix));
                }
                _ => {
                    return parser_fail("found incompatible YAML document", token.mark, Mark::default());
                }
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if self.tags.iter().all(|(known, _)| *known != handle) {
                self.tags.push((handle, Cow::Borrowed(prefix)));
            }
        }
        Ok(())
    }

    fn document_content(&mut self) -> Scan<Located<'a>> {
        let empty = self.at(|kind| {
            matches!(
                kind,
                Kind::VersionDirective { .. }
                    | Kind::TagDirective { .. }
                    | Kind::DocumentStart
                    | Kind::DocumentEnd
                    | Kind::StreamEnd
            )
        })?;
        if empty {
            self.pop_state();
            return self.empty_scalar(Context::Block);
        }
        self.node(Context::Block)
    }

    fn document_end(&mut self) -> Scan<Located<'a>> {
        let mark = self.mark()?;
        if self.at(|kind| matches!(kind, Kind::DocumentEnd))? {
            self.scanner.next()?;
        }
        self.tags.clear();
        self.state = State::DocumentStart;
        Ok((Event::DocumentEnd, mark))
    }

    // Nodes.

    fn empty_scalar(&mut self, context: Context) -> Scan<Located<'a>> {
        let mark = self.mark()?;
        let scalar = empty(Tag::None, context);
        Ok((Event::Scalar { scalar, anchor: None }, mark))
    }

    fn node(&mut self, context: Context) -> Scan<Located<'a>> {
        let start = self.mark()?;
        if let Kind::Alias(name) = self.scanner.peek()?.kind {
            self.scanner.next()?;
            self.pop_state();
            return Ok((Event::Alias(name), start));
        }
        let (anchor, tag) = self.properties(start)?;
        let block = context != Context::Flow;
        let token = self.scanner.peek()?;
        let (event, state) = match token.kind {
            Kind::BlockEntry if context == Context::BlockOrIndentless => {
                (Event::SequenceStart { anchor }, State::IndentlessSequenceEntry)
            }
            Kind::Scalar { .. } => {
                let Kind::Scalar { text, style } = self.scanner.next()?.kind else {
                    return self.unexpected("did not find expected node content");
                };
                self.pop_state();
                return Ok((
                    Event::Scalar {
                        scalar: Scalar {
                            text,
                            style,
                            tag,
                            in_flow: !block,
                        },
                        anchor,
                    },
                    start,
                ));
            }
            Kind::FlowSequenceStart => (Event::SequenceStart { anchor }, State::FlowSequenceFirstEntry),
            Kind::FlowMappingStart => (Event::MappingStart { anchor }, State::FlowMappingFirstKey),
            Kind::BlockSequenceStart if block => (Event::SequenceStart { anchor }, State::BlockSequenceFirstEntry),
            Kind::BlockMappingStart if block => (Event::MappingStart { anchor }, State::BlockMappingFirstKey),
            _ if anchor.is_some() || tag != Tag::None => {
                self.pop_state();
                let scalar = empty(tag, context);
                return Ok((Event::Scalar { scalar, anchor }, start));
            }
            _ => {
                let mark = token.mark;
                return parser_fail("did not find expected node content", mark, start);
            }
        };
        self.state = state;
        Ok((event, start))
    }

    /// Anchor and tag, in either order. What follows them is scanned before the tag is looked up.
    fn properties(&mut self, start: Mark) -> Scan<(Option<&'a str>, Tag)> {
        let mut anchor = None;
        let mut tag = None;
        loop {
            match &self.scanner.peek()?.kind {
                Kind::Anchor(name) if anchor.is_none() => {
                    anchor = Some(*name);
                    self.scanner.next()?;
                }
                Kind::Tag { .. } if tag.is_none() => tag = Some(self.scanner.next()?),
                _ => break,
            }
        }
        let tag = match tag {
            Some(Token {
                kind: Kind::Tag { handle, suffix },
                mark,
            }) => self.tag(handle, &suffix, mark, start)?,
            _ => Tag::None,
        };
        Ok((anchor, tag))
    }

    fn tag(&self, handle: &str, suffix: &str, mark: Mark, start: Mark) -> Scan<Tag> {
        if handle.is_empty() {
            return Ok(Tag::from_long(suffix));
        }
        let Some((_, prefix)) = self.tags.iter().find(|(known, _)| *known == handle) else {
            return parser_fail("found undefined tag handle", mark, start);
        };
        let mut name = alloc::string::String::from(prefix.as_ref());
        name.push_str(suffix);
        Ok(Tag::from_long(&name))
    }

    // Block collections.

    fn block_sequence_entry(&mut self) -> Scan<Located<'a>> {
        match self.scanner.peek()?.kind {
            Kind::BlockEntry => {
                self.scanner.next()?;
                if self.at(|kind| matches!(kind, Kind::BlockEntry | Kind::BlockEnd))? {
                    self.state = State::BlockSequenceEntry;
                    return self.empty_scalar(Context::Block);
                }
                self.states.push(State::BlockSequenceEntry);
                self.node(Context::Block)
            }
            Kind::BlockEnd => self.close(Event::SequenceEnd),
            _ => self.unexpected("did not find expected '-' indicator"),
        }
    }

    fn indentless_sequence_entry(&mut self) -> Scan<Located<'a>> {
        if !self.at(|kind| matches!(kind, Kind::BlockEntry))? {
            self.pop_state();
            return Ok((Event::SequenceEnd, self.mark()?));
        }
        self.scanner.next()?;
        if self.at(|kind| matches!(kind, Kind::BlockEntry | Kind::Key | Kind::Value | Kind::BlockEnd))? {
            self.state = State::IndentlessSequenceEntry;
            return self.empty_scalar(Context::Block);
        }
        self.states.push(State::IndentlessSequenceEntry);
        self.node(Context::Block)
    }

    fn block_mapping_key(&mut self) -> Scan<Located<'a>> {
        match self.scanner.peek()?.kind {
            Kind::Key => {
                self.scanner.next()?;
                self.block_mapping_node(State::BlockMappingValue)
            }
            Kind::BlockEnd => self.close(Event::MappingEnd),
            _ => self.unexpected("did not find expected key"),
        }
    }

    fn block_mapping_value(&mut self) -> Scan<Located<'a>> {
        if self.at(|kind| matches!(kind, Kind::Value))? {
            self.scanner.next()?;
            return self.block_mapping_node(State::BlockMappingKey);
        }
        self.state = State::BlockMappingKey;
        self.empty_scalar(Context::Block)
    }

    fn block_mapping_node(&mut self, then: State) -> Scan<Located<'a>> {
        if self.at(|kind| matches!(kind, Kind::Key | Kind::Value | Kind::BlockEnd))? {
            self.state = then;
            return self.empty_scalar(Context::Block);
        }
        self.states.push(then);
        self.node(Context::BlockOrIndentless)
    }

    // Flow collections.

    fn flow_sequence_entry(&mut self, first: bool) -> Scan<Located<'a>> {
        if !self.at(|kind| matches!(kind, Kind::FlowSequenceEnd))? {
            if !first {
                if !self.at(|kind| matches!(kind, Kind::FlowEntry))? {
                    return self.unexpected("did not find expected ',' or ']'");
                }
                self.scanner.next()?;
            }
            if self.at(|kind| matches!(kind, Kind::Key))? {
                let token = self.scanner.next()?;
                self.state = State::FlowSequenceEntryMappingKey;
                return Ok((Event::MappingStart { anchor: None }, token.mark));
            }
            if !self.at(|kind| matches!(kind, Kind::FlowSequenceEnd))? {
                self.states.push(State::FlowSequenceEntry);
                return self.node(Context::Flow);
            }
        }
        self.close(Event::SequenceEnd)
    }

    fn flow_sequence_entry_mapping_key(&mut self) -> Scan<Located<'a>> {
        if self.at(|kind| matches!(kind, Kind::Value | Kind::FlowEntry | Kind::FlowSequenceEnd))? {
            // As in libyaml, the token is taken here, so that `[? : a]` and the like end in an error.
            let token = self.scanner.next()?;
            self.state = State::FlowSequenceEntryMappingValue;
            let scalar = empty(Tag::None, Context::Flow);
            return Ok((Event::Scalar { scalar, anchor: None }, token.mark));
        }
        self.states.push(State::FlowSequenceEntryMappingValue);
        self.node(Context::Flow)
    }

    fn flow_sequence_entry_mapping_value(&mut self) -> Scan<Located<'a>> {
        if self.at(|kind| matches!(kind, Kind::Value))? {
            self.scanner.next()?;
            if !self.at(|kind| matches!(kind, Kind::FlowEntry | Kind::FlowSequenceEnd))? {
                self.states.push(State::FlowSequenceEntryMappingEnd);
                return self.node(Context::Flow);
            }
        }
        self.state = State::FlowSequenceEntryMappingEnd;
        self.empty_scalar(Context::Flow)
    }

    fn flow_mapping_key(&mut self, first: bool) -> Scan<Located<'a>> {
        if !self.at(|kind| matches!(kind, Kind::FlowMappingEnd))? {
            if !first {
                if !self.at(|kind| matches!(kind, Kind::FlowEntry))? {
                    return self.unexpected("did not find expected ',' or '}'");
                }
                self.scanner.next()?;
            }
            if self.at(|kind| matches!(kind, Kind::Key))? {
                self.scanner.next()?;
                if self.at(|kind| matches!(kind, Kind::Value | Kind::FlowEntry | Kind::FlowMappingEnd))? {
                    self.state = State::FlowMappingValue;
                    return self.empty_scalar(Context::Flow);
                }
                self.states.push(State::FlowMappingValue);
                return self.node(Context::Flow);
            }
            if !self.at(|kind| matches!(kind, Kind::FlowMappingEnd))? {
                self.states.push(State::FlowMappingEmptyValue);
                return self.node(Context::Flow);
            }
        }
        self.close(Event::MappingEnd)
    }

    fn flow_mapping_value(&mut self, empty: bool) -> Scan<Located<'a>> {
        if !empty && self.at(|kind| matches!(kind, Kind::Value))? {
            self.scanner.next()?;
            if !self.at(|kind| matches!(kind, Kind::FlowEntry | Kind::FlowMappingEnd))? {
                self.states.push(State::FlowMappingKey);
                return self.node(Context::Flow);
            }
        }
        self.state = State::FlowMappingKey;
        self.empty_scalar(Context::Flow)
    }
}

/// A scalar without a text.
fn empty<'a>(tag: Tag, context: Context) -> Scalar<'a> {
    Scalar {
        text: Cow::Borrowed(""),
        style: Style::Plain,
        tag,
        in_flow: context == Context::Flow,
    }
}
