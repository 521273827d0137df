//! From characters to tokens, as libyaml's scanner finds them.
//!
//! What makes YAML's scanner more than a lexer is the simple key: that a scalar, flow collection, anchor or tag
//! was a mapping's key shows only at the `:` behind it. So every place where a key may begin is remembered, one
//! for each flow level, and the KEY token (and the mapping's start) is inserted in the queue when the `:` comes.
//! A key must be on one line and within 1,024 characters.
//!
//! # Invariant
//! Every call makes progress in the text or ends the stream; nothing is read twice but a few bytes of look-ahead.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::cursor::Cursor;
use super::error::{Defect, Dialect, Layer, Mark};
use super::input::Broken;
use super::token::{Kind, Token};

/// A scanner's answer.
pub(super) type Scan<T> = Result<T, Box<Defect>>;

/// A place where a simple key may have begun.
#[derive(Clone, Copy, Debug, Default)]
struct SimpleKey {
    possible: bool,
    /// Whether the head of the queue waits for it. The first token in a flow collection that is empty takes this
    /// from the collection itself: a slip of Go's libraries, after which `[]:` is no key.
    awaited: bool,
    required: bool,
    token: usize,
    mark: Mark,
}

/// How far behind its start the `:` of a simple key may stand.
const KEY_REACH: u32 = 1024;

/// How far behind a token yaml.v3 looks for a comment on the same line.
const COMMENT_REACH: usize = 512;

/// Characters that libyaml wants to see before it decides what a token is.
const LOOK_AHEAD: usize = 4;

#[derive(Debug)]
pub(super) struct Scanner<'a> {
    pub(super) cursor: Cursor<'a>,
    broken: Option<Broken>,
    queue: VecDeque<Token<'a>>,
    /// Tokens that left the queue.
    taken: usize,
    /// Whether the token at the queue's head is known to be no key.
    ready: bool,
    /// Tokens that are scanned beyond the head before it is handed out.
    look_ahead: usize,
    pub(super) indent: i64,
    indents: Vec<i64>,
    pub(super) flow_level: usize,
    pub(super) simple_key_allowed: bool,
    simple_keys: Vec<SimpleKey>,
}

impl<'a> Scanner<'a> {
    /// A scanner over `text`, behind which stands `broken`, if it is not the end.
    pub(super) fn new(text: &'a str, broken: Option<Broken>, dialect: Dialect) -> Self {
        Self {
            cursor: Cursor::new(text),
            broken,
            queue: VecDeque::with_capacity(8),
            taken: 0,
            ready: false,
            look_ahead: match dialect {
                Dialect::Helm => 0,
                // yaml.v3 reads two tokens ahead to tell which comment belongs to what.
                Dialect::Kustomize => 2,
            },
            indent: -1,
            indents: Vec::new(),
            flow_level: 0,
            simple_key_allowed: true,
            simple_keys: vec![SimpleKey::default()],
        }
    }

    /// The next token, which stays.
    pub(super) fn peek(&mut self) -> Scan<&Token<'a>> {
        if !self.ready {
            self.fill()?;
        }
        let mark = self.cursor.mark();
        self.queue
            .front()
            .map_or_else(|| parser_fail("attempted to go past the end of stream", mark, mark), Ok)
    }

    /// The next token, which leaves.
    pub(super) fn next(&mut self) -> Scan<Token<'a>> {
        if !self.ready {
            self.fill()?;
        }
        let mark = self.cursor.mark();
        self.ready = false;
        self.taken += 1;
        self.queue
            .pop_front()
            .map_or_else(|| parser_fail("attempted to go past the end of stream", mark, mark), Ok)
    }

    /// Scans until the head of the queue cannot turn out to be a key any more.
    fn fill(&mut self) -> Scan<()> {
        loop {
            if self.queue.len() > self.look_ahead {
                let taken = self.taken;
                match self
                    .simple_keys
                    .iter()
                    .position(|key| key.awaited && key.token == taken)
                {
                    Some(index) if self.key_is_valid(index)? => {}
                    _ => break,
                }
            }
            let fetched = self.fetch();
            self.check_reading(1)?;
            fetched?;
        }
        self.ready = true;
        Ok(())
    }

    /// Refuses what is not allowed as soon as Go's reader would see it from `ahead` of here.
    pub(super) fn check_reading(&self, ahead: usize) -> Scan<()> {
        match self.broken {
            Some(Broken { problem, seen_from }) if self.cursor.pos() + ahead > seen_from => {
                Err(Box::new(self.reader_defect(problem)))
            }
            _ => Ok(()),
        }
    }

    fn reader_defect(&self, problem: &'static str) -> Defect {
        let mut place = Cursor::new(self.cursor.slice(0, self.cursor.pos() + self.cursor.left()));
        while !place.at_end() {
            place.take_line();
            place.take_break();
        }
        let mark = place.mark();
        Defect {
            layer: Layer::Reader,
            problem,
            problem_mark: mark,
            context_mark: mark,
        }
    }

    /// Fails at the place of the cursor, in something that began at `context`.
    #[cold]
    pub(super) fn fail<T>(&self, problem: &'static str, context: Mark) -> Scan<T> {
        let problem_mark = self.cursor.mark();
        Err(Box::new(Defect {
            layer: Layer::Scanner,
            problem,
            problem_mark,
            context_mark: context,
        }))
    }

    pub(super) fn push(&mut self, kind: Kind<'a>, mark: Mark) {
        self.queue.push_back(Token { kind, mark });
    }

    /// Scans one token, and what it implies.
    fn fetch(&mut self) -> Scan<()> {
        self.skip_to_next_token();
        self.check_reading(LOOK_AHEAD)?;
        self.unroll_indent(i64::from(self.cursor.column()));
        if self.cursor.at_end() {
            return self.fetch_stream_end();
        }
        let byte = self.cursor.peek(0);
        if self.cursor.column() == 0 {
            if byte == b'%' {
                return self.fetch_directive();
            }
            if self.cursor.at_document_indicator() {
                let kind = if byte == b'-' {
                    Kind::DocumentStart
                } else {
                    Kind::DocumentEnd
                };
                return self.fetch_document_indicator(kind);
            }
        }
        self.fetch_content(byte)?;
        if self.look_ahead > 0 {
            self.skip_line_comment();
        }
        Ok(())
    }

    /// yaml.v3 takes the comment behind a token at once, and the blanks before it, be they tabs.
    fn skip_line_comment(&mut self) {
        if matches!(
            self.queue.back(),
            Some(Token {
                kind: Kind::BlockEntry,
                ..
            })
        ) || self.cursor.begins_line()
        {
            return;
        }
        let blanks = self
            .cursor
            .rest()
            .iter()
            .take(COMMENT_REACH)
            .take_while(|&&b| b == b' ' || b == b'\t')
            .count();
        if blanks < COMMENT_REACH && self.cursor.peek(blanks) == b'#' {
            self.cursor.take_line();
        }
    }

    fn fetch_content(&mut self, byte: u8) -> Scan<()> {
        let flow = self.flow_level > 0;
        match byte {
            b'[' => self.fetch_flow_start(Kind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Kind::FlowMappingStart),
            b']' => self.fetch_flow_end(Kind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Kind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if self.cursor.is_blankz(1) => self.fetch_block_entry(),
            b'?' if flow || self.cursor.is_blankz(1) => self.fetch_key(),
            b':' if flow || self.cursor.is_blankz(1) => self.fetch_value(),
            b'*' | b'&' => self.fetch_anchor(),
            b'!' => self.fetch_keyable(Self::scan_tag),
            b'|' if !flow => self.fetch_block_scalar(true),
            b'>' if !flow => self.fetch_block_scalar(false),
            b'\'' => self.fetch_keyable(|scanner| scanner.scan_quoted_scalar(true)),
            b'"' => self.fetch_keyable(|scanner| scanner.scan_quoted_scalar(false)),
            b'-' if !self.cursor.is_blank(1) => self.fetch_keyable(Self::scan_plain_scalar),
            b'?' | b':' if !flow => self.fetch_keyable(Self::scan_plain_scalar),
            b'\t' | b'-' | b'?' | b':' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => self.no_token(),
            _ if self.cursor.is_blankz(0) => self.no_token(),
            _ => self.fetch_keyable(Self::scan_plain_scalar),
        }
    }

    fn no_token(&self) -> Scan<()> {
        self.fail("found character that cannot start any token", self.cursor.mark())
    }

    /// Passes white space and comments. A tab does not count as indentation, so that it is passed only where no
    /// key may begin.
    fn skip_to_next_token(&mut self) {
        if self.cursor.pos() == 0 && self.cursor.rest().starts_with("\u{feff}".as_bytes()) {
            self.cursor.skip_text(3);
        }
        loop {
            let tabs = self.flow_level > 0 || !self.simple_key_allowed;
            let blanks = self
                .cursor
                .rest()
                .iter()
                .take_while(|&&b| b == b' ' || (tabs && b == b'\t'))
                .count();
            self.cursor.skip(blanks);
            if self.cursor.peek(0) == b'#' {
                self.skip_comment();
            }
            if self.cursor.take_break().is_empty() {
                return;
            }
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    /// Passes over a comment; yaml.v3 also takes those that follow, whatever white space is between.
    fn skip_comment(&mut self) {
        self.cursor.take_line();
        while self.look_ahead > 0 {
            let rest = self.cursor.rest();
            let blanks = rest
                .iter()
                .take(COMMENT_REACH)
                .take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n'))
                .count();
            if blanks == COMMENT_REACH || rest.get(blanks) != Some(&b'#') {
                return;
            }
            let end = self.cursor.pos() + blanks;
            while self.cursor.pos() < end {
                if self.cursor.take_break().is_empty() {
                    self.cursor.skip(1);
                }
            }
            self.cursor.take_line();
        }
    }

    // Simple keys.

    /// Whether the key at `index` can still be one; a required key that cannot is a defect.
    fn key_is_valid(&mut self, index: usize) -> Scan<bool> {
        let here = self.cursor.mark();
        let key = self.simple_keys[index];
        if !key.possible {
            return Ok(false);
        }
        if key.mark.line < here.line || key.mark.index + KEY_REACH < here.index {
            if key.required {
                return self.fail("could not find expected ':'", key.mark);
            }
            self.simple_keys[index].possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    fn last_key(&self) -> usize {
        self.simple_keys.len() - 1
    }

    fn save_simple_key(&mut self) -> Scan<()> {
        if !self.simple_key_allowed {
            return Ok(());
        }
        let mark = self.cursor.mark();
        let required = self.flow_level == 0 && self.indent == i64::from(mark.column);
        let token = self.taken + self.queue.len();
        self.remove_simple_key()?;
        let last = self.last_key();
        self.simple_keys[last] = SimpleKey {
            possible: true,
            awaited: true,
            required,
            token,
            mark,
        };
        Ok(())
    }

    fn remove_simple_key(&mut self) -> Scan<()> {
        let last = self.last_key();
        let key = self.simple_keys[last];
        if key.possible && key.required {
            return self.fail("could not find expected ':'", key.mark);
        }
        if key.possible {
            self.simple_keys[last].possible = false;
            self.simple_keys[last].awaited = false;
        }
        Ok(())
    }

    // Indentation.

    /// Opens a block collection at `column` if that is deeper than where we are; `place` in the queue, or its end.
    fn roll_indent(&mut self, column: u32, place: Option<usize>, kind: Kind<'a>, mark: Mark) {
        if self.flow_level > 0 || self.indent >= i64::from(column) {
            return;
        }
        self.indents.push(self.indent);
        self.indent = i64::from(column);
        self.insert(place, Token { kind, mark });
    }

    fn insert(&mut self, place: Option<usize>, token: Token<'a>) {
        match place {
            Some(place) => self.queue.insert(place, token),
            None => self.queue.push_back(token),
        }
    }

    /// Closes the block collections that are deeper than `column`.
    fn unroll_indent(&mut self, column: i64) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(Kind::BlockEnd, self.cursor.mark());
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    // One function for each kind of token.

    fn fetch_stream_end(&mut self) -> Scan<()> {
        self.cursor.force_new_line();
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.push(Kind::StreamEnd, self.cursor.mark());
        Ok(())
    }

    fn fetch_directive(&mut self) -> Scan<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.scan_directive()
    }

    fn fetch_document_indicator(&mut self, kind: Kind<'a>) -> Scan<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.push(kind, self.cursor.mark());
        self.cursor.skip(3);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: Kind<'a>) -> Scan<()> {
        self.save_simple_key()?;
        let token = self.taken + self.queue.len();
        self.simple_keys.push(SimpleKey {
            token,
            ..SimpleKey::default()
        });
        self.flow_level += 1;
        self.simple_key_allowed = true;
        self.push(kind, self.cursor.mark());
        self.cursor.skip(1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: Kind<'a>) -> Scan<()> {
        self.remove_simple_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            let inner = self.simple_keys.pop().unwrap_or_default();
            let last = self.last_key();
            if self.simple_keys[last].token == inner.token {
                self.simple_keys[last].awaited = false;
            }
        }
        self.simple_key_allowed = false;
        self.push(kind, self.cursor.mark());
        self.cursor.skip(1);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Scan<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push(Kind::FlowEntry, self.cursor.mark());
        self.cursor.skip(1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Scan<()> {
        let mark = self.cursor.mark();
        // In a flow collection the parser refuses it: it knows the context.
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return self.fail("block sequence entries are not allowed in this context", mark);
            }
            self.roll_indent(mark.column, None, Kind::BlockSequenceStart, mark);
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push(Kind::BlockEntry, mark);
        self.cursor.skip(1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Scan<()> {
        let mark = self.cursor.mark();
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return self.fail("mapping keys are not allowed in this context", mark);
            }
            self.roll_indent(mark.column, None, Kind::BlockMappingStart, mark);
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.push(Kind::Key, mark);
        self.cursor.skip(1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Scan<()> {
        let mark = self.cursor.mark();
        let last = self.last_key();
        if self.key_is_valid(last)? {
            let key = self.simple_keys[last];
            // A key that left the queue already gets its tokens too late; the parser will refuse them.
            let place = key.token.checked_sub(self.taken);
            self.insert(
                place,
                Token {
                    kind: Kind::Key,
                    mark: key.mark,
                },
            );
            self.roll_indent(key.mark.column, place, Kind::BlockMappingStart, key.mark);
            self.simple_keys[last].possible = false;
            self.simple_keys[last].awaited = false;
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.simple_key_allowed {
                    return self.fail("mapping values are not allowed in this context", mark);
                }
                self.roll_indent(mark.column, None, Kind::BlockMappingStart, mark);
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.push(Kind::Value, mark);
        self.cursor.skip(1);
        Ok(())
    }

    fn fetch_anchor(&mut self) -> Scan<()> {
        self.fetch_keyable(Self::scan_anchor)
    }

    /// Scans what may begin a simple key, and after which none may begin.
    fn fetch_keyable(&mut self, scan: impl FnOnce(&mut Self) -> Scan<()>) -> Scan<()> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        scan(self)
    }

    fn fetch_block_scalar(&mut self, literal: bool) -> Scan<()> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.scan_block_scalar(literal)
    }
}

/// Fails in the parser.
#[cold]
pub(super) fn parser_fail<T>(problem: &'static str, problem_mark: Mark, context: Mark) -> Scan<T> {
    Err(Box::new(Defect {
        layer: Layer::Parser,
        problem,
        problem_mark,
        context_mark: context,
    }))
}
