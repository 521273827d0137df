//! Templates of a chart: every construct, mostly right, now and then wrong.

use super::base::{HEAD, base};
use super::words::{FILTERS, OBJECTS, ODD, RANGED};
use crate::generate::Random;
use crate::helm_template::{Question, functions};
use crate::template::pools;

fn wrapped(name: &str, body: &Body) -> String {
    format!(
        "{}{{{{- define \"{name}\" }}}}{HEAD}{}{{{{ end }}}}{{{{ end -}}}}\nv: \"{{{{ include \"{name}\" . | b64enc }}}}\"\n",
        body.definitions, body.text
    )
}

/// A case alone in its chart: a refusal is its own.
#[must_use]
pub fn question(body: &Body) -> Question {
    base().with("templates/case.yaml", wrapped("case", body))
}

/// Many cases in one chart: the first that is refused is all that the chart answers.
#[must_use]
pub fn batch(bodies: &[Body]) -> Question {
    let mut question = base();
    for (index, body) in bodies.iter().enumerate() {
        let name = format!("case{index:04}");
        // Definitions of one file count in all.
        let own = Body {
            definitions: body.definitions.replace("\"t\"", &format!("\"t{index}\"")),
            text: body.text.replace("\"t\"", &format!("\"t{index}\"")),
        };
        question = question.with(format!("templates/{name}.yaml"), wrapped(&name, &own));
    }
    question
}

/// What a case consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// What stands at the top of the file.
    pub definitions: String,
    /// The template.
    pub text: String,
}

/// A case from a seed.
#[must_use]
pub fn body(random: &mut Random) -> Body {
    let mut definitions = String::new();
    if random.one_in(3) {
        definitions.push_str("{{ define \"t\" }}<{{ . }}{{ if . }}!{{ end }}>{{ end }}");
    }
    let mut writer = Writer {
        random,
        variables: vec!["$v".into()],
        in_range: 0,
        moved: 0,
    };
    let mut text = String::new();
    writer.nodes(&mut text, 3);
    Body { definitions, text }
}

struct Writer<'r> {
    random: &'r mut Random,
    variables: Vec<String>,
    in_range: usize,
    /// How many blocks around have moved the dot.
    moved: usize,
}

/// Verbs with flags, to be given one operand.
fn verb(random: &mut Random) -> String {
    let mut verb = String::from("%");
    for _ in 0..random.below(3) {
        verb.push_str(random.pick(&["+", "-", "#", " ", "0"]));
    }
    if random.one_in(2) {
        verb.push_str(random.pick(&["1", "5", "12", "*"]));
    }
    if random.one_in(3) {
        verb.push_str(random.pick(&[".0", ".2", ".", ".10", ".*"]));
    }
    if random.one_in(12) {
        verb.push_str(random.pick(&["[1]", "[2]", "[9]", "[x]"]));
    }
    verb.push_str(random.pick(&[
        "v", "v", "d", "s", "q", "x", "X", "f", "g", "e", "t", "T", "c", "U", "b", "o", "O", "G", "E", "F", "%", "z",
        "!", "w",
    ]));
    verb
}

impl Writer<'_> {
    fn nodes(&mut self, out: &mut String, depth: usize) {
        let mark = self.variables.len();
        for _ in 0..=self.random.below(3) {
            self.node(out, depth);
        }
        self.variables.truncate(mark.max(1));
    }

    fn action(&mut self, out: &mut String, inside: &str) {
        let left = if self.random.one_in(5) { " {{- " } else { "{{ " };
        let right = if self.random.one_in(5) { " -}} " } else { " }}" };
        out.extend([left, inside, right]);
    }

    fn node(&mut self, out: &mut String, depth: usize) {
        match self.random.below(if depth == 0 { 9 } else { 16 }) {
            0 => out.push_str(self.random.pick(&["text", "\n  ", "a: b\n", " ", "\t\n", "- x\r\n"])),
            1..=4 => {
                let pipeline = self.pipeline(2);
                self.action(out, &pipeline);
            }
            5 => self.odd(out),
            6 => self.dictionaries(out),
            7 => {
                let mut formats = String::new();
                for _ in 0..=self.random.below(2) {
                    formats.push_str(&verb(self.random));
                    formats.push('|');
                }
                let operands: Vec<String> = (0..=self.random.below(3)).map(|_| self.data()).collect();
                self.action(out, &format!("printf {formats:?} {}", operands.join(" ")));
            }
            8 => {
                let word = self.random.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
                let operands: Vec<String> = (0..2 + self.random.below(2)).map(|_| self.operand()).collect();
                self.action(out, &format!("{word} {}", operands.join(" ")));
            }
            9 | 10 => self.branch(out, "if", depth),
            11 => self.branch(out, "with", depth),
            12 | 13 => self.range(out, depth),
            14 => {
                let name = format!("$x{}", self.variables.len());
                let pipeline = self.pipeline(2);
                self.action(out, &format!("{name} := {pipeline}"));
                self.variables.push(name);
            }
            _ => {
                let name = self.variable();
                let pipeline = self.pipeline(1);
                if name == "$v" {
                    self.action(out, &pipeline);
                } else {
                    self.action(out, &format!("{name} = {pipeline}"));
                }
            }
        }
    }

    fn variable(&mut self) -> String {
        let place = self.random.below(self.variables.len());
        self.variables[place].clone()
    }

    /// Maps that are shared, changed, merged and copied.
    fn dictionaries(&mut self, out: &mut String) {
        // Nothing that can hold `$d` itself: a cycle ends Helm.
        let (key, value) = (
            self.random.pick(&["a", "b", "k", "z", "s"]),
            self.random.pick(&[
                "1",
                "\"x\"",
                "$v.nil",
                "(list 1 2)",
                "(dict \"n\" (dict))",
                "$v.strs",
                "$v.i64",
                "(deepCopy $v.m)",
                "$v.sm",
                "$v.list",
                "true",
            ]),
        );
        let other = self.random.pick(&[
            "$v.m",
            "$v.m2",
            "$d",
            "(dict \"a\" $d.b)",
            "(dict \"b\" (dict \"c\" 1 \"x\" nil))",
            "$v.nil",
            "$.Values.m",
        ]);
        let change = match self.random.below(9) {
            0 => format!("$_ = set $d \"{key}\" {value}"),
            1 => format!("$_ = unset $d \"{key}\""),
            2 => format!("$_ = merge $d {other}"),
            3 => format!("$_ = mergeOverwrite $d {other}"),
            4 => format!("$_ = mustMergeOverwrite $d (deepCopy $v.m2) {other}"),
            5 => format!("$_ = set $d.b \"{key}\" {value}"),
            6 => format!("$_ = set $d \"self\" (list $d.b {value})"),
            7 => format!("$_ = merge (dict) $d {other}"),
            _ => format!("$_ = set (get $d \"b\") \"d\" (append $d.b.d {value})"),
        };
        let start = self.random.pick(&[
            "deepCopy $v.m",
            "$v.m",
            "dict \"b\" $v.m.b",
            "pick $v.m2 \"b\" \"a\"",
            "omit $v.m \"z\"",
        ]);
        let shown = self.random.pick(&[
            "toJson $d",
            "toYaml $d",
            "$d",
            "toJson $v.m",
            "$d.b.c",
            "range $k, $e := $d }}{{ $k }}={{ $e }};{{ end",
            "len $d",
        ]);
        let text = format!(
            "{{{{ $d := {start} }}}}{{{{ $_ := 0 }}}}{{{{ {change} }}}}{{{{ {shown} }}}}|{{{{ toJson $v.m }}}}"
        );
        out.push_str(&text);
    }

    /// What is rare, or wrong.
    fn odd(&mut self, out: &mut String) {
        let node = match self.random.below(3) {
            0 if self.in_range > 0 => {
                self.random
                    .pick(&["{{ break }}", "{{ continue }}", "{{ if . }}{{ break }}{{ end }}"])
            }
            0 | 1 => self.random.pick(OBJECTS),
            _ => self.random.pick(ODD),
        };
        if node.starts_with('{') {
            out.push_str(node);
        } else {
            self.action(out, node);
        }
    }

    fn branch(&mut self, out: &mut String, word: &str, depth: usize) {
        let pipeline = self.pipeline(1);
        let head = if self.random.one_in(5) {
            format!("{word} $w := {pipeline}")
        } else {
            format!("{word} {pipeline}")
        };
        let moves = usize::from(word == "with");
        self.action(out, &head);
        self.moved += moves;
        self.nodes(out, depth - 1);
        if self.random.one_in(3) {
            let pipeline = self.pipeline(1);
            self.action(out, &format!("else {word} {pipeline}"));
            self.nodes(out, depth - 1);
        }
        self.moved -= moves;
        if self.random.one_in(2) {
            self.action(out, "else");
            self.nodes(out, depth - 1);
        }
        self.action(out, "end");
    }

    fn range(&mut self, out: &mut String, depth: usize) {
        let mark = self.variables.len();
        let over = if self.random.one_in(3) {
            self.data()
        } else {
            self.random.pick(RANGED).to_owned()
        };
        // Nobody waits for the end of that.
        let over = if over.contains("u64") { "(until 3)".into() } else { over };
        let head = match self.random.below(4) {
            0 => format!("range {over}"),
            1 => {
                self.variables.push("$e".into());
                format!("range $e := {over}")
            }
            _ => {
                self.variables.extend(["$k".into(), "$e".into()]);
                format!("range $k, $e := {over}")
            }
        };
        self.action(out, &head);
        self.in_range += 1;
        self.moved += 1;
        self.nodes(out, depth - 1);
        self.in_range -= 1;
        self.moved -= 1;
        self.variables.truncate(mark);
        if self.random.one_in(3) {
            self.action(out, "else");
            self.nodes(out, depth - 1);
        }
        self.action(out, "end");
    }

    fn pipeline(&mut self, depth: usize) -> String {
        let mut pipeline = self.command(depth);
        while self.random.one_in(4) {
            pipeline = format!("{pipeline} | {}", self.random.pick(FILTERS));
        }
        pipeline
    }

    /// A value: of the data, a variable, or a part of one.
    fn operand(&mut self) -> String {
        match self.random.below(6) {
            0 => self.variable(),
            1 => {
                let name = self.variable();
                format!(
                    "{name}{}",
                    self.random
                        .pick(&[".a", ".b.c", ".x", ".k", ".m.b", ".s", ".list", ".absent", ""])
                )
            }
            2 if self.random.one_in(3) => format!("({})", self.random.pick(OBJECTS)),
            _ => self.data(),
        }
    }

    fn data(&mut self) -> String {
        let word = self.random.pick(pools::pool('a'));
        self.placed(word)
    }

    /// `.x` is `$v.x` where the dot is something else.
    fn placed(&mut self, text: &str) -> String {
        let named = self.moved > 0 && !self.random.one_in(4);
        let text = if named || text == "nil" {
            let mut out = String::new();
            let mut before = ' ';
            for c in text.chars() {
                if c == '.' && matches!(before, ' ' | '(') {
                    out.push_str("$v");
                }
                out.push(c);
                before = c;
            }
            out
        } else {
            text.to_owned()
        };
        if text == "nil" { "$v.nil".into() } else { text }
    }

    fn command(&mut self, depth: usize) -> String {
        match self.random.below(6) {
            0 => self.operand(),
            1 => self.data(),
            2 => self.random.pick(OBJECTS).to_owned(),
            3 if depth > 0 => {
                let call = functions::any_call(self.random);
                format!("({})", self.placed(&call))
            }
            _ => {
                let call = functions::any_call(self.random);
                self.placed(&call)
            }
        }
    }
}
