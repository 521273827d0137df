//! Random YAML texts: valid ones in every style, broken ones, and soup.

use super::Random;
use super::value::{WORDS, string};

/// Pieces of YAML's syntax, for [`soup`] and [`mutated_text`].
const PIECES: &[&str] = &[
    ": ",
    ":",
    "- ",
    "-",
    "? ",
    "?",
    ", ",
    ",",
    "[",
    "]",
    "{",
    "}",
    "\n",
    "\n",
    "\n  ",
    "\n    ",
    "\n- ",
    "\n  - ",
    " ",
    "  ",
    "\t",
    "a",
    "b",
    "key",
    "1",
    "x y",
    "'",
    "''",
    "\"",
    "\\",
    "\\n",
    "\\x41",
    "\\u00e9",
    "\\U0001F600",
    "\\ ",
    "\\\n",
    "|",
    ">",
    "|-",
    ">+",
    "|2",
    ">1-",
    "#",
    " # c",
    "&a ",
    "*a",
    "&b ",
    "*b",
    "!",
    "!!str ",
    "!!int ",
    "!x ",
    "!<tag:yaml.org,2002:int> ",
    "!!binary ",
    "---\n",
    "...\n",
    "--- ",
    "%YAML 1.1\n---\n",
    "%TAG ! tag:x,2000:\n---\n",
    "<<",
    "<<: *a\n",
    "<<: [*a, *b]\n",
    "\r\n",
    "\r",
    "é",
    "😀",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "@",
    "`",
    "%",
    "~",
    "null",
    "yes",
    "a: b",
    "- a\n",
    "k: v\n",
    "null: x",
    "? a\n: b\n",
];

/// Pieces in a row: mostly broken.
pub fn soup(random: &mut Random) -> String {
    (0..=random.below(14)).map(|_| random.pick(PIECES)).collect()
}

/// `text` with a few changes.
pub fn mutated_text(random: &mut Random, text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(chars.len() + 1);
        match random.below(5) {
            0 if at < chars.len() => {
                chars.remove(at);
            }
            1 if at < chars.len() => {
                let end = (at + 1 + random.below(8)).min(chars.len());
                let copy: Vec<char> = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, copy);
            }
            2 => {
                chars.splice(at..at, random.pick(WORDS).chars());
            }
            _ => {
                chars.splice(at..at, random.pick(PIECES).chars());
            }
        }
    }
    chars.into_iter().collect()
}

/// A text that is valid more often than not, of all styles that YAML has.
pub fn structured_text(random: &mut Random) -> String {
    let mut writer = Writer {
        random,
        out: String::new(),
        anchors: 0,
    };
    let documents = if writer.random.one_in(6) {
        1 + writer.random.below(3)
    } else {
        1
    };
    for index in 0..documents {
        writer.document(index);
    }
    writer.out
}

struct Writer<'r> {
    random: &'r mut Random,
    out: String,
    anchors: usize,
}

impl Writer<'_> {
    fn document(&mut self, index: usize) {
        match self.random.below(12) {
            0 => self.out.push_str("# a comment\n\n"),
            1 => self.out.push_str("%YAML 1.1\n---\n"),
            _ => {}
        }
        if index > 0 || self.random.one_in(6) {
            self.out
                .push_str(self.random.pick(&["---\n", "--- # comment\n", "---\n", "...\n---\n"]));
        }
        let depth = 1 + self.random.below(3);
        self.block(0, depth);
        if !self.out.ends_with('\n') && !self.random.one_in(5) {
            self.out.push('\n');
        }
    }

    fn indent(&mut self, indent: usize) {
        self.out.extend((0..indent).map(|_| ' '));
    }

    fn comment(&mut self) {
        if self.random.one_in(12) {
            self.out
                .push_str(self.random.pick(&[" # comment", "   #x: y", " #", "\t# tab"]));
        }
    }

    fn properties(&mut self) {
        if self.random.one_in(10) {
            self.anchors += 1;
            let name = (self.anchors - 1) % 4;
            self.out.extend(["&n", &name.to_string(), " "]);
        }
        if self.random.one_in(25) {
            let tag = self.random.pick(&[
                "!!str ",
                "!!int ",
                "!!float ",
                "!!bool ",
                "!!null ",
                "!x ",
                "! ",
                "!!timestamp ",
                "!!map ",
            ]);
            self.out.push_str(tag);
        }
    }

    /// A node that begins on a line of its own, at `indent`.
    fn block(&mut self, indent: usize, depth: usize) {
        match self.random.below(if depth == 0 { 2 } else { 8 }) {
            0 => {
                self.indent(indent);
                self.scalar(indent);
                self.out.push('\n');
            }
            1 => {
                self.indent(indent);
                self.flow(2);
                self.comment();
                self.out.push('\n');
            }
            2..4 => self.sequence(indent, depth),
            _ => self.mapping(indent, depth),
        }
    }

    fn sequence(&mut self, indent: usize, depth: usize) {
        for _ in 0..=self.random.below(4) {
            self.indent(indent);
            self.out.push('-');
            if self.random.one_in(6) {
                self.comment();
                self.out.push('\n');
                self.block(indent + 2, depth - 1);
            } else if self.random.one_in(5) && depth > 1 {
                self.out.push(' ');
                let start = self.out.len();
                self.mapping(indent + 2, depth - 1);
                self.out.replace_range(start..start + indent + 2, "");
            } else {
                self.out.push_str(self.random.pick(&[" ", " ", "   "]));
                self.value(indent);
            }
        }
    }

    fn mapping(&mut self, indent: usize, depth: usize) {
        for index in 0..=self.random.below(4) {
            self.indent(indent);
            if self.anchors > 0 && self.random.one_in(12) {
                let name = self.random.below(self.anchors) % 4;
                let merge =
                    self.random
                        .pick(&["<<: *n{}\n", "<<: [*n{}]\n", "<<: {a: 1, b: *n{}}\n", "<<: *n{} # c\n"]);
                self.out.push_str(&merge.replace("{}", &name.to_string()));
                continue;
            }
            if self.random.one_in(20) {
                self.out.push_str("? ");
                self.scalar(indent);
                self.out.push('\n');
                self.indent(indent);
            } else if self.random.one_in(6) {
                self.key();
            } else {
                let key = format!("{}{index}", self.random.pick(&["a", "key", "x-y", "n.m", "é"]));
                self.out.push_str(&key);
            }
            self.out.push_str(self.random.pick(&[":", ":", ":", " :"]));
            match self.random.below(6) {
                0 => {
                    self.comment();
                    self.out.push('\n');
                    let deeper = indent + 1 + self.random.below(3);
                    self.block(deeper, depth - 1);
                }
                1 => {
                    self.out.push('\n');
                    let deeper = self.random.pick(&[&0usize, &2]);
                    self.sequence(indent + deeper, depth);
                }
                _ => {
                    self.out.push_str(self.random.pick(&[" ", " ", "  ", "\t"]));
                    self.value(indent);
                }
            }
        }
    }

    /// The value behind `:` or `-`, and the end of the line.
    fn value(&mut self, indent: usize) {
        self.properties();
        match self.random.below(8) {
            0 => self.flow(2),
            1 => return self.literal(indent),
            2 if self.anchors > 0 => {
                let name = self.random.below(self.anchors) % 4;
                self.out.extend(["*n", &name.to_string()]);
            }
            _ => self.scalar(indent),
        }
        self.comment();
        self.out.push('\n');
    }

    fn literal(&mut self, indent: usize) {
        self.out.push_str(
            self.random
                .pick(&["|", ">", "|-", ">-", "|+", ">+", "|2", ">2-", "|1+"]),
        );
        self.comment();
        self.out.push('\n');
        for _ in 0..self.random.below(5) {
            let deeper = self.random.pick(&[&2usize, &2, &2, &3, &4]);
            if !self.random.one_in(5) {
                self.indent(indent + deeper);
                self.out.push_str(self.random.pick(&[
                    "text",
                    "more words here",
                    "- a",
                    "a: b",
                    "# no comment",
                    "x  ",
                    "\ttab",
                    "é",
                ]));
            }
            self.out.push('\n');
        }
    }

    fn key(&mut self) {
        let word = self.random.pick(WORDS);
        match self.random.below(3) {
            0 => self.double_quoted(word),
            1 => self.single_quoted(word),
            _ => self.out.push_str(word),
        }
    }

    fn scalar(&mut self, indent: usize) {
        match self.random.below(8) {
            0 => {
                let text = string(self.random);
                self.double_quoted(&text);
            }
            1 => {
                let text = string(self.random);
                self.single_quoted(&text);
            }
            2 => {
                let gap = self.random.pick(&["\n", "\n\n", "  \n", "\n\n\n", "\\\n"]).to_owned();
                let quote = self.random.pick(&["", "", "'", "\""]);
                self.out.push_str(quote);
                self.out.push_str("several");
                self.out.push_str(&gap);
                let deeper = indent + 1 + self.random.below(3);
                self.indent(deeper);
                self.out.push_str("lines");
                self.out.push_str(quote);
            }
            _ => self.out.push_str(self.random.pick(WORDS)),
        }
    }

    fn double_quoted(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => {
                    self.out.push('\\');
                    self.out.push(c);
                }
                '\n' if self.random.one_in(2) => self.out.push_str("\\n"),
                c if c.is_control() && c != '\n' => self.out.extend(["\\x", &format!("{:02x}", u32::from(c))]),
                c if self.random.one_in(20) => self.out.extend(["\\U", &format!("{:08x}", u32::from(c))]),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn single_quoted(&mut self, text: &str) {
        self.out.push('\'');
        self.out.push_str(&text.replace('\'', "''"));
        self.out.push('\'');
    }

    fn flow(&mut self, depth: usize) {
        let sequence = self.random.one_in(2);
        self.out.push(if sequence { '[' } else { '{' });
        for index in 0..self.random.below(4) {
            if index > 0 {
                self.out.push_str(self.random.pick(&[", ", ",", " ,", ",\n    "]));
            }
            if !sequence || self.random.one_in(8) {
                self.flow_scalar();
                self.out.push_str(self.random.pick(&[": ", ": ", ":", " : "]));
            }
            if depth > 0 && self.random.one_in(4) {
                self.flow(depth - 1);
            } else {
                self.flow_scalar();
            }
        }
        if self.random.one_in(10) {
            self.out.push(',');
        }
        self.out.push(if sequence { ']' } else { '}' });
    }

    fn flow_scalar(&mut self) {
        match self.random.below(6) {
            0 => {
                let text = string(self.random);
                self.double_quoted(&text);
            }
            1 => self.single_quoted("a b"),
            2 => self.out.push_str(self.random.pick(WORDS)),
            _ => self.out.push_str(
                self.random
                    .pick(&["a", "b c", "1", "x-y", "true", "no", "http://x/y", "1.5", "k"]),
            ),
        }
    }
}
