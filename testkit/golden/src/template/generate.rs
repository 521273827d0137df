//! Calls and templates from a seed.

use super::Case;
use super::pools::pool;
use super::spec::FUNCTIONS;
use crate::generate::Random;

/// The words that wrap a call so that what it gives is seen with its type.
const SHOWN: &[&str] = &[
    "{{ CALL }}",
    "{{ printf \"%T\" (CALL) }} {{ CALL }}",
    "{{ CALL | toJson }}",
];

/// `count` different calls of a function, each in a template of its own.
#[must_use]
pub fn calls(random: &mut Random, name: &str, kinds: &str, count: usize) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for attempt in 0..count * 4 {
        if cases.len() >= count {
            break;
        }
        let call = call(random, name, kinds);
        let shown = if attempt % 3 == 0 { random.pick(SHOWN) } else { SHOWN[0] };
        let case = Case::new(shown.replace("CALL", &call));
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    cases
}

/// One call with operands of mostly the right kinds.
#[must_use]
pub fn call(random: &mut Random, name: &str, kinds: &str) -> String {
    let mut operands = Vec::new();
    let mut last = 'a';
    for kind in kinds.chars() {
        if kind == '*' {
            for _ in 0..random.below(3) {
                operands.push(operand(random, last));
            }
            continue;
        }
        last = kind;
        operands.push(operand(random, kind));
    }
    // Now and then one too few or too many.
    if random.one_in(30) {
        operands.pop();
    } else if random.one_in(40) {
        operands.push(operand(random, 'a'));
    }
    if operands.len() > 1 && random.one_in(4) {
        let piped = operands.pop().unwrap_or_default();
        let piped = if matches!(piped.as_str(), "nil") {
            ".nil".into()
        } else {
            piped
        };
        return format!("{piped} | {name} {}", operands.join(" ")).trim_end().to_owned();
    }
    format!("{name} {}", operands.join(" ")).trim_end().to_owned()
}

fn operand(random: &mut Random, kind: char) -> String {
    // What is no date is now to some functions, and now differs from run to run.
    let kind = if kind != 'D' && random.one_in(25) { 'a' } else { kind };
    random.pick(pool(kind)).to_owned()
}

/// A whole template: blocks, variables, definitions and calls, some of them wrong.
#[must_use]
pub fn template(random: &mut Random) -> Case {
    let mut writer = Writer {
        random,
        variables: Vec::new(),
        in_range: 0,
    };
    let mut out = String::new();
    if writer.random.one_in(3) {
        out.push_str("{{ define \"t\" }}<{{ . }}{{ if . }}!{{ end }}>{{ end }}");
    }
    writer.nodes(&mut out, 3);
    let missing = *["zero", "default", "error"][..]
        .get(writer.random.below(3))
        .unwrap_or(&"zero");
    Case {
        template: out,
        missing: missing.into(),
    }
}

struct Writer<'r> {
    random: &'r mut Random,
    variables: Vec<String>,
    in_range: usize,
}

impl Writer<'_> {
    fn nodes(&mut self, out: &mut String, depth: usize) {
        for _ in 0..=self.random.below(3) {
            self.node(out, depth);
        }
    }

    fn left(&mut self) -> &'static str {
        if self.random.one_in(5) { " {{- " } else { "{{ " }
    }

    fn right(&mut self) -> &'static str {
        if self.random.one_in(5) { " -}} " } else { " }}" }
    }

    fn action(&mut self, out: &mut String, inside: &str) {
        let (left, right) = (self.left(), self.right());
        out.extend([left, inside, right]);
    }

    fn node(&mut self, out: &mut String, depth: usize) {
        match self.random.below(if depth == 0 { 6 } else { 13 }) {
            0 | 1 => out.push_str(self.random.pick(&["text", "\n  ", "a: b\n", " "])),
            2..=4 => {
                let pipeline = self.pipeline(2);
                self.action(out, &pipeline);
            }
            5 => self.odd(out),
            6 | 7 => self.branch(out, "if", depth),
            8 => self.branch(out, "with", depth),
            9 | 10 => self.range(out, depth),
            11 => {
                let name = format!("$v{}", self.variables.len());
                let pipeline = self.pipeline(2);
                self.action(out, &format!("{name} := {pipeline}"));
                self.variables.push(name);
            }
            _ => {
                let Some(name) = self.variable() else { return };
                let pipeline = self.pipeline(1);
                self.action(out, &format!("{name} = {pipeline}"));
            }
        }
    }

    fn variable(&mut self) -> Option<String> {
        if self.variables.is_empty() {
            return None;
        }
        let place = self.random.below(self.variables.len());
        self.variables.get(place).cloned()
    }

    /// What is rare, or wrong.
    fn odd(&mut self, out: &mut String) {
        let jump = self.in_range > 0 && self.random.one_in(2);
        let node = if jump {
            self.random.pick(&["{{ break }}", "{{ continue }}"])
        } else {
            self.random.pick(&[
                "{{/* note */}}",
                "{{- /* trimmed */ -}}",
                "{{ template \"t\" .n }}",
                "{{ template \"absent\" }}",
                "{{ .m.b.c }}",
                "{{ .m.z.x }}",
                "{{ .absent.x }}",
                "{{ .s.x }}",
                "{{ $.m.a }}",
                "{{ nil }}",
                "{{ 1 2 }}",
                "{{ .s 1 }}",
                "{{ (.m).b.c }}",
                "{{ (index .mixed 4).k }}",
                "{{ block \"b\" .n }}[{{ . }}]{{ end }}",
                "{{ .time.Year }}",
                "{{ .time.Format \"Jan 2\" }}",
                "{{ .dur.Hours }}",
                "{{ (semver .ver).Major }}",
                "{{ 'a' }} {{ 0x1F }} {{ 1_000 }} {{ 1e3 }} {{ 0b11 }} {{ 017 }} {{ 1.5e-3 }}",
                "{{ `raw\\n` }}",
                "{{ \"q\\t\\u00e9\" }}",
                "{{ 1+2i }}",
                "{{ .i.x }}",
                "{{ len }}",
                "{{ not }}",
                "{{ true | not }}",
                "{{ .m | .s }}",
                "{{ range 3 }}{{ . }}{{ end }}",
                "{{ range $i := .i64 }}x{{ else }}none{{ end }}",
                "{{ undefined }}",
                "{{ $undefined }}",
                "{{ if }}",
                "{{ end }}",
                "{{ \"open",
                "{{ .a.b. }}",
                "{{ with $x := .m }}{{ $x.a }}{{ end }}",
                "{{ .m.a.b.c }}",
                "{{ range .s }}{{ end }}",
                "{{ range $a, $b := 3 }}{{ end }}",
                "{{ .sm.k }}{{ .sm.none }}",
                "{{ .strs }}",
                "{{ .mixed }}",
                "{{ .m }}",
                "{{ .u64 }}",
                "{{ .bytes }}",
                "{{ and }}",
                "{{ or 0 .s }}",
                "{{ index .strs 9 }}",
                "{{ slice .s 1 3 }}",
                "{{ println 1 2 \"a\" \"b\" 3 }}",
                "{{ .list | first | upper }}",
                "{{ else }}",
                "{{ range }}",
                "{{ define \"x\" }}",
                "{{ 9223372036854775808 }}",
                "{{ 1.2.3 }}",
                "{{ .n.m }}",
                "{{ $x := 1 }}{{ $x }}",
                "{{ (1) }}{{ (.s) }}",
                "{{ . | len }}",
            ])
        };
        out.push_str(node);
    }

    fn branch(&mut self, out: &mut String, word: &str, depth: usize) {
        let mark = self.variables.len();
        let pipeline = self.pipeline(1);
        self.action(out, &format!("{word} {pipeline}"));
        self.nodes(out, depth - 1);
        if self.random.one_in(3) {
            let pipeline = self.pipeline(1);
            self.action(out, &format!("else {word} {pipeline}"));
            self.nodes(out, depth - 1);
        }
        self.variables.truncate(mark);
        if self.random.one_in(2) {
            self.action(out, "else");
            self.nodes(out, depth - 1);
        }
        self.variables.truncate(mark);
        self.action(out, "end");
    }

    fn range(&mut self, out: &mut String, depth: usize) {
        let mark = self.variables.len();
        let over = self.random.pick(&[
            ".list",
            ".nums",
            ".m",
            ".mixed",
            ".el",
            ".nil",
            "3",
            ".strs",
            ".sm",
            "(until 2)",
            ".s",
            ".i",
            ".n",
            "(list 1 .m)",
        ]);
        let head = match self.random.below(4) {
            0 => format!("range {over}"),
            1 => {
                self.variables.push("$e".into());
                format!("range $e := {over}")
            }
            _ => {
                self.variables.push("$k".into());
                self.variables.push("$e".into());
                format!("range $k, $e := {over}")
            }
        };
        self.action(out, &head);
        self.in_range += 1;
        self.nodes(out, depth - 1);
        self.in_range -= 1;
        self.variables.truncate(mark);
        if self.random.one_in(3) {
            self.action(out, "else");
            self.nodes(out, depth - 1);
        }
        self.variables.truncate(mark);
        self.action(out, "end");
    }

    fn pipeline(&mut self, depth: usize) -> String {
        let mut pipeline = self.command(depth);
        if self.random.one_in(4) {
            let filter = self.random.pick(&[
                "toString",
                "quote",
                "len",
                "not",
                "toJson",
                "default 1",
                "print",
                "upper",
                "trunc 3",
                "add 1",
                "first",
                "kindOf",
                "html",
            ]);
            pipeline = format!("{pipeline} | {filter}");
        }
        pipeline
    }

    fn command(&mut self, depth: usize) -> String {
        match self.random.below(5) {
            0 => self.variable().unwrap_or_else(|| ".".into()),
            1 | 2 => {
                let word = self.random.pick(pool('a'));
                if word == "nil" { ".nil".into() } else { word.into() }
            }
            3 if depth > 0 => {
                let (name, kinds) = FUNCTIONS[self.random.below(FUNCTIONS.len())];
                format!("({})", call(self.random, name, kinds))
            }
            _ => {
                let (name, kinds) = FUNCTIONS[self.random.below(FUNCTIONS.len())];
                call(self.random, name, kinds)
            }
        }
    }
}
