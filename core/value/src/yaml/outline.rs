//! The outline of a document: which lines hold which member of its root mapping.
//!
//! A manifest is mostly lines like `key: text`, nested by indentation. Of such a text a walk over the lines tells that
//! it is well-formed, and where its members stand, at a fraction of the cost of tokens and events; the reader then sees
//! the lines of the few members that are wanted.
//!
//! # Invariant
//! A text that has an outline is one that the Helm reader takes, and the value of a member is that of its lines alone.
//! What is rare (anchors, tags, mappings in braces, keys that are no text, anything but ASCII) has no outline,
//! be it well-formed or not.

use alloc::string::String;
use alloc::vec::Vec;

use super::error::Dialect;
use super::resolve::{self, Resolved};

/// The lines of the wanted members of the root mapping, and of mappings that are such members; `None` if the text has
/// no outline.
pub(super) fn members(text: &str, depth: usize, wanted: &dyn Fn(&[&str]) -> bool) -> Option<String> {
    let mut outline = Outline {
        text,
        at: 0,
        levels: Vec::with_capacity(8),
        depth,
        pending: false,
    };
    let mut lines = String::new();
    // The member of the root that is being read, and whether it is wanted.
    let mut root = ("", false);
    // Where the lines begin that are being read, and whether they are wanted.
    let (mut start, mut is_wanted) = (0, false);
    loop {
        let column = outline.next_line()?;
        let first = outline.at;
        if outline.rest().is_empty() {
            break;
        }
        outline.line(column)?;
        // A line that begins neither is a text below its key, or within the member that is being read.
        let member = match *outline.levels.as_slice() {
            [_] => column == 0,
            [
                _,
                Level {
                    kind: Kind::Mapping,
                    column: own,
                },
            ] => root.1 && own == column,
            _ => false,
        };
        if !member {
            continue;
        }
        if is_wanted {
            lines.push_str(text.get(start..first - column)?);
        }
        start = first - column;
        let key = outline.key_at(first)?;
        is_wanted = if column == 0 {
            root = (key, wanted(&[key]));
            root.1
        } else {
            wanted(&[root.0, key])
        };
    }
    if is_wanted {
        lines.push_str(text.get(start..)?);
    }
    (!outline.levels.is_empty()).then_some(lines)
}

/// How far from its beginning the `:` behind a key may stand; libyaml allows 1,024 characters.
const KEY_REACH: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Mapping,
    Sequence,
}

/// A block collection that is open.
#[derive(Clone, Copy, Debug)]
struct Level {
    column: usize,
    kind: Kind,
}

struct Outline<'a> {
    text: &'a str,
    at: usize,
    /// From the outside in. Columns grow, but a sequence may stand at the column of the key that it belongs to.
    levels: Vec<Level>,
    /// Most collections within collections.
    depth: usize,
    /// Whether the last entry has no value yet: a collection of its own may follow, or nothing.
    pending: bool,
}

impl<'a> Outline<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Passes over the bytes up to the first that `table` names.
    fn run(&mut self, table: &[bool; 256]) {
        let rest = self.rest();
        self.at += rest
            .iter()
            .position(|&byte| table[usize::from(byte)])
            .unwrap_or(rest.len());
    }

    fn spaces(&mut self) -> usize {
        let spaces = self.rest().iter().take_while(|&&byte| byte == b' ').count();
        self.at += spaces;
        spaces
    }

    fn is_end_of_line(&self) -> bool {
        matches!(self.peek(), None | Some(b'\n'))
    }

    /// The column of the next line that holds more than a comment; then its first character is at hand, or the end.
    fn next_line(&mut self) -> Option<usize> {
        loop {
            let column = self.blank_lines();
            if self.peek() != Some(b'#') {
                return Some(column);
            }
            self.comment()?;
        }
    }

    /// Passes over blank lines; answers the column of the first that is not.
    fn blank_lines(&mut self) -> usize {
        loop {
            let column = self.spaces();
            if self.peek() != Some(b'\n') {
                return column;
            }
            self.at += 1;
        }
    }

    /// Passes over the rest of a line, whatever stands in it.
    fn comment(&mut self) -> Option<()> {
        self.run(&LINE_STOPS);
        self.line_break()
    }

    fn line_break(&mut self) -> Option<()> {
        match self.peek() {
            None => Some(()),
            Some(b'\n') => {
                self.at += 1;
                Some(())
            }
            Some(_) => None,
        }
    }

    /// Passes over the rest of a line, in which nothing but a comment stands.
    fn end_of_line(&mut self) -> Option<()> {
        if self.spaces() > 0 && self.peek() == Some(b'#') {
            return self.comment();
        }
        self.line_break()
    }

    /// Whether a sequence's entry begins here.
    fn is_entry(&self) -> bool {
        matches!(self.rest(), [b'-'] | [b'-', b' ' | b'\n', ..])
    }

    /// Passes over a line whose first character stands at `column`, and all lines of a text that begins in it.
    fn line(&mut self, mut column: usize) -> Option<()> {
        let is_entry = self.is_entry();
        while self.is_entry() {
            self.place(column, Kind::Sequence)?;
            self.at += 1;
            column += 1 + self.spaces();
            // What follows on this line is the value of the entry.
            self.pending = true;
            if self.is_end_of_line() {
                return self.line_break();
            }
        }
        if self.key().is_some() {
            self.place(column, Kind::Mapping)?;
            self.spaces();
            self.pending = self.is_end_of_line() || self.peek() == Some(b'#');
            return self.value();
        }
        // A text: behind an entry's dash, or on a line of its own below the key that it belongs to.
        let is_value = is_entry || self.pending && self.levels.last()?.column < column;
        self.pending = self.peek() == Some(b'#');
        self.value().filter(|()| is_value)
    }

    /// Closes the collections that end before an entry of `kind` at `column`, and opens the one that begins with it.
    fn place(&mut self, column: usize, kind: Kind) -> Option<()> {
        while let Some(top) = self.levels.last() {
            match (top.kind, kind) {
                _ if top.column < column => break,
                (Kind::Mapping, Kind::Sequence) if top.column == column => break,
                _ if top.column == column && top.kind == kind => return Some(()),
                _ => {
                    self.levels.pop();
                    self.pending = false;
                }
            }
        }
        let is_root = self.levels.is_empty() && column == 0 && kind == Kind::Mapping && !self.pending;
        let opens = is_root || self.pending && !self.levels.is_empty();
        (opens && self.levels.len() < self.depth).then(|| self.levels.push(Level { column, kind }))
    }

    /// The key that begins at `start`.
    fn key_at(&mut self, start: usize) -> Option<&'a str> {
        let at = core::mem::replace(&mut self.at, start);
        let key = self.key();
        self.at = at;
        key
    }

    /// Passes over a key that is text and the colon behind it; if there is none, over nothing.
    fn key(&mut self) -> Option<&'a str> {
        let start = self.at;
        let key = match self.peek()? {
            b'"' | b'\'' => {
                let quoted = self.quoted();
                let inner = self.text.get(start + 1..self.at.saturating_sub(1));
                quoted.and(inner).filter(|key| !key.contains(['\\', '\'', '\n']))
            }
            first if first.is_ascii_alphanumeric() || first == b'_' => {
                self.run(&WORD_STOPS);
                let key = self.text.get(start..self.at);
                key.filter(|key| resolve::plain(key, Dialect::Helm) == Resolved::Str)
            }
            _ => None,
        };
        let ends = matches!(self.rest(), [b':'] | [b':', b' ' | b'\n', ..]) && self.at - start < KEY_REACH;
        match key {
            Some(key) if ends && key != "<<" => {
                self.at += 1;
                Some(key)
            }
            _ => {
                self.at = start;
                None
            }
        }
    }

    /// Passes over a value that ends with the line, or a block of text.
    fn value(&mut self) -> Option<()> {
        match self.rest() {
            [] | [b'\n', ..] => self.line_break(),
            [b'#', ..] => self.comment(),
            [b'"' | b'\'', ..] => {
                self.quoted()?;
                self.end_of_line()
            }
            [b'[' | b'{', ..] => {
                self.flow()?;
                self.end_of_line()
            }
            [b'|' | b'>', ..] => self.block(),
            // What could be no number of JSON's: `.inf`, `-.inf`, `.nan`.
            [b'.', b'i' | b'I' | b'n' | b'N', ..] | [b'+' | b'-', b'.', ..]
            // What says nothing by itself, but makes a key, an entry or a mistake of what follows.
            | [b'-' | b'?' | b':', b' ' | b'\n', ..] | [b'-' | b'?' | b':'] => None,
            [first, ..] if NO_PLAIN[usize::from(*first)] => None,
            _ => self.plain(),
        }
    }

    /// Passes over text without quotation marks; deeper lines that follow belong to it.
    fn plain(&mut self) -> Option<()> {
        let parent = self.levels.last()?.column;
        loop {
            self.run(&PLAIN_STOPS);
            match self.rest() {
                [] => return Some(()),
                [b'\n', ..] => {
                    let line = self.at + 1;
                    let column = self.blank_lines();
                    if column <= parent || matches!(self.peek(), None | Some(b'#')) {
                        self.at = line;
                        return Some(());
                    }
                }
                [b':', next, ..] if !matches!(next, b' ' | b'\n') => self.at += 1,
                [b'#', ..] if self.text.as_bytes()[..self.at].ends_with(b" ") => return self.comment(),
                [b'#', ..] => self.at += 1,
                _ => return None,
            }
        }
    }

    /// Passes over a text in quotation marks.
    fn quoted(&mut self) -> Option<()> {
        let single = self.peek() == Some(b'\'');
        self.at += 1;
        loop {
            self.run(if single { &SINGLE_STOPS } else { &DOUBLE_STOPS });
            match self.rest() {
                [b'\'', b'\'', ..] if single => self.at += 2,
                [b'\\', b'\\' | b'"' | b'n' | b't' | b'r' | b' ', ..] => self.at += 2,
                [b'\\', b'\n', ..] => self.at += 1,
                // It may end with another line, but what could end the document is no text.
                [b'\n', next, ..] if !matches!(next, b'-' | b'.') => self.at += 1,
                [b'\'' | b'"', ..] => {
                    self.at += 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// Passes over an empty collection, or a list of words and quoted texts.
    fn flow(&mut self) -> Option<()> {
        let is_list = self.peek() == Some(b'[');
        if self.levels.len() >= self.depth {
            return None;
        }
        self.at += 1;
        self.spaces();
        if matches!((is_list, self.peek()), (true, Some(b']')) | (false, Some(b'}'))) {
            self.at += 1;
            return Some(());
        }
        if !is_list {
            return None;
        }
        loop {
            match self.peek()? {
                b'"' | b'\'' => self.quoted()?,
                first if first.is_ascii_alphanumeric() => self.run(&WORD_STOPS),
                _ => return None,
            }
            self.spaces();
            let next = self.peek()?;
            self.at += 1;
            match next {
                b']' => return Some(()),
                b',' => self.spaces(),
                _ => return None,
            };
        }
    }

    /// Passes over a block of text.
    fn block(&mut self) -> Option<()> {
        let parent = self.levels.last()?.column;
        self.at += 1;
        let (mut indent, mut chomps) = (0, false);
        for _ in 0..2 {
            match self.peek() {
                Some(digit @ b'1'..=b'9') if indent == 0 => indent = parent + usize::from(digit - b'0'),
                Some(b'+' | b'-') if !chomps => chomps = true,
                _ => break,
            }
            self.at += 1;
        }
        self.end_of_line()?;
        let mut deepest = 0;
        loop {
            let line = self.at;
            let spaces = self.spaces();
            match self.peek() {
                None => return Some(()),
                Some(b'\n') => {
                    self.at += 1;
                    deepest = deepest.max(spaces);
                }
                // It could be taken for indentation.
                Some(b'\t') if indent == 0 || spaces < indent => return None,
                Some(_) => {
                    if indent == 0 {
                        // Blank lines before the first one count, too.
                        indent = spaces.max(deepest).max(parent + 1);
                    }
                    if spaces < indent {
                        self.at = line;
                        return Some(());
                    }
                    self.comment()?;
                }
            }
        }
    }
}

/// Bytes that end a stretch of characters: all that are not printable ASCII, and those of `list`.
const fn stops(list: &[u8]) -> [bool; 256] {
    let mut table = [true; 256];
    let mut byte = b' ';
    while byte <= b'~' {
        table[byte as usize] = false;
        byte += 1;
    }
    let mut place = 0;
    while place < list.len() {
        table[list[place] as usize] = true;
        place += 1;
    }
    table
}

static PLAIN_STOPS: [bool; 256] = stops(b":#");
static SINGLE_STOPS: [bool; 256] = stops(b"'");
static DOUBLE_STOPS: [bool; 256] = stops(b"\"\\");
/// In a comment or a block of text, a tab is a character like another.
static LINE_STOPS: [bool; 256] = {
    let mut table = stops(b"");
    table[b'\t' as usize] = false;
    table
};
/// What ends a key or a word: anything but letters, digits and `_./-`.
static WORD_STOPS: [bool; 256] = stops(b" !\"#$%&'()*+,:;<=>?@[\\]^`{|}~");
/// What begins no text without quotation marks.
static NO_PLAIN: [bool; 256] = stops(b" !\"#%&'*,>@[]`{|}");

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::Limits;
    use crate::yaml::helm;

    fn outline(text: &str) -> Option<String> {
        members(text, 200, &|path| {
            matches!(path, ["kind" | "metadata"] | ["metadata", "name" | "labels"])
        })
    }

    #[test]
    fn the_lines_of_wanted_members_are_found() {
        let text = "apiVersion: v1\n# about\nkind: \"Service\" # one\nspec:\n  - a: 1\n    b: [x, \"y\"]\nmetadata:\n  labels:\n  - |\n    kind: none\n\nstatus: {}\n";
        let lines = "kind: \"Service\" # one\nmetadata:\n  labels:\n  - |\n    kind: none\n\n";
        assert_eq!(outline(text).as_deref(), Some(lines));
        let text = "metadata:\n  # about\n  name: a\n  other:\n    name: b\n  labels:\n  - c\nspec:\n  name: d\n";
        let lines = "metadata:\n  # about\n  name: a\n  labels:\n  - c\n";
        assert_eq!(outline(text).as_deref(), Some(lines));
        assert_eq!(
            outline("metadata:\n- name: a\n  b: c").as_deref(),
            Some("metadata:\n- name: a\n  b: c")
        );
        assert_eq!(outline("metadata: {}").as_deref(), Some("metadata: {}"));
        assert_eq!(outline("a: 1").as_deref(), Some(""));
        assert_eq!(outline("kind: a").as_deref(), Some("kind: a"));
    }

    /// What templates write has an outline; were it not so, every manifest would cost a reading of all of it.
    #[test]
    fn what_manifests_are_made_of_has_an_outline() {
        for text in [
            "a:\nb: c",
            "a:\n- b\n- c: d\n  e:\n  - f\ng: h\n",
            "a:\n  - b\n  -\n    c: d\n  - - e\n    - f\n",
            "a: b # c\nd: e#f\n# g\n\n   \nh:   i  \n",
            "a: \"b: c # d\"\n'e f': 'it''s'\n\"g\": \"\\\"\\n\\\\\"\n",
            "a: |\n\n  b: : c\n \n    - d\n  # e\nf: >-\n  g\nh: |2-\n    i\n",
            "a: [b, \"c\", '*' ]\nd: []\ne: {}\n",
            "a: b\n  c\n\n  d - e\nf:\n  g\nh: \"i\n  j\\\n  k\"\n",
            "a: --b=c:d\ne: -1\nf: http://g/h\ni: .j\nk: <l>\n",
            "8a: b\nyes.no: d\n_e: f\n",
        ] {
            assert!(outline(text).is_some(), "{text:?}");
            assert!(helm::parse(text, &Limits::default()).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn what_is_rare_or_wrong_has_none() {
        for text in [
            "",
            "- a",
            " a: b",
            "a",
            "a:b",
            "a: b: c",
            "a: b\n  c: d",
            "a:\n  b: c\n d: e",
            "a: b\n- c",
            "a:\n  - b\n  c: d",
            "a: 'b\nc: d",
            "a: 'b' c",
            "a: 'b\n---\nc'",
            "'a\n b': c",
            "a: \"\\q\"",
            "a: [b, c",
            "a: [b c]",
            "a: []: b",
            "a: {b: c}",
            "a: - b",
            "a: ? b",
            "? a",
            "a: |3x\n",
            "a: |\n\tb",
            "a: |\n    \n  b",
            "a: &b c",
            "a: *b",
            "a: !c d",
            "<<: a",
            "'<<': a",
            "on: a",
            "1: a",
            "a: .inf",
            "a: -.inf",
            "a:\tb",
            "a: b\r\n",
            "a: \u{e4}",
            "a: b\n---\nc: d",
            "a: b\n...\n",
            "%YAML 1.1\n---\na: b",
            "a: @b",
        ] {
            assert_eq!(outline(text), None, "{text:?}");
        }
        let long = format!("{}: a", "k".repeat(2_000));
        assert_eq!(outline(&long), None);
        let deep: Vec<String> = (0..300).map(|depth| " ".repeat(depth) + "a:\n").collect();
        assert_eq!(outline(&deep.concat()), None);
        assert_eq!(members("a:\n  - []\n", 2, &|_: &[&str]| true), None);
        assert!(members("a:\n  - []\n", 3, &|_: &[&str]| true).is_some());
    }
}
