//! Templates of a chart: every construct, mostly right, now and then wrong.

use crate::generate::Random;
use crate::helm_template::{Question, functions};
use crate::template::spec;

/// Values of all cases; what YAML has no type for is set by [`HEAD`].
const VALUES: &str = r#"{
  "s": "hello world", "empty": "", "uni": "héllo wörld ☃", "lines": "a\nb\n\nc", "html": "<a href='x'>&\"</a>",
  "n": 3, "f": 1.5, "neg": -7.25, "big": 1e21, "t": true, "no": false, "one": 1, "long": 1234567, "tpl": "{{ .Values.n }}-{{ .Release.Name }}",
  "list": ["b", "a", "c", "a"], "nums": [3, 1, 2, 1], "mixed": [1, "a", null, true, {"k": "v"}, [1]],
  "m": {"a": 1, "b": {"c": "deep", "d": [1, 2]}, "z": null, "s": "text", "e": ""}, "em": {}, "el": [],
  "m2": {"a": 2, "b": {"c": "other", "x": true}, "n": "new", "e": "filled", "s": ""},
  "tplmap": {"k": "{{ .Values.s }}", "l": ["{{ 1 }}"]}, "sub": {"own": "given", "global": {"x": 1}}, "global": {"g": "all"},
  "ver": "1.2.3-beta.1+meta", "url": "https://u:p@example.com:8080/a/b%20c?q=1&r=2#frag", "json": "{\"b\":[1,2.5,null],\"a\":\"x\"}"
}"#;

const HEAD: &str = "{{- $v := deepCopy .Values -}}{{- $_ := set $v \"i\" (int 42) -}}{{- $_ = set $v \"i64\" (int64 -9) -}}\
{{- $_ = set $v \"nil\" nil -}}{{- $_ = set $v \"bytes\" (.Files.GetBytes \"files/raw.txt\") -}}\
{{- $_ = set $v \"time\" (toDate \"2006-01-02T15:04:05.999Z07:00\" \"2023-07-04T15:06:07.089Z\") -}}\
{{- $_ = set $v \"strs\" (splitList \",\" \"x,y,,x\") -}}{{- $_ = set $v \"sm\" (split \",\" \"v,1\") -}}\
{{- $_ = set $v \"u64\" (semver \"18446744073709551615.0.0\").Major -}}{{- with $v }}";

const HELPERS: &str = r#"{{- define "inc" }}<{{ . }}>{{ end }}
{{- define "ctx" -}}
name: {{ .Release.Name }}
{{- end -}}
{{ define "lines" }}
a: 1
b:
  - x
{{ end }}
{{- define "nested" }}{{ include "inc" (include "inc" .) }}{{ end }}
{{- define "bad" }}{{ .x.y.z }}{{ end }}
{{- define "empty" }}{{ end }}
{{- define "typed" }}{{ kindOf . }}/{{ typeOf . }}{{ end }}
{{- define "shadow" }}first{{ end }}
{{- define "vars" }}{{ $x := . }}{{ range $i, $e := (list 1 2) }}{{ $x = $e }}{{ end }}{{ $x }}{{ end }}
"#;

const PARTIAL: &str = "{{ define \"shadow\" }}second{{ end }}partial of {{ .Chart.Name }}\n";

const SUB: &str = "{{ define \"sub.label\" }}{{ .Chart.Name }}={{ .Values.own }}/{{ .Values.global.g }}{{ end }}";

/// The chart of all cases, without their templates.
fn base() -> Question {
    let question = Question::chart("c")
        .with("values.yaml", VALUES)
        .with("templates/_helpers.tpl", HELPERS)
        .with("templates/_partial.tpl", PARTIAL)
        .with("files/raw.txt", "raw")
        .with("files/b.yaml", "b: 1\nl: [x, y]\n")
        .with("files/deep/c.conf", "line one\nline two\n")
        .with("charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 0.1.0\n")
        .with("charts/sub/values.yaml", "own: default\nn: {x: 1}\n")
        .with("charts/sub/templates/_s.tpl", SUB);
    Question { ..question }
}

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

/// What is known to be answered otherwise, by two words that a template has: docs/differences.md says why.
const DIFFERENT: &[[&str; 2]] = &[
    ["fromJson", "1e400"],
    ["oToml", "1i"],
    ["oToml", "time"],
    ["oToml", "oDate"],
    ["toYamlPretty", "1i"],
    ["toYamlPretty", "time"],
    ["toYamlPretty", "bytes"],
    ["oToml", "bytes"],
    ["toYamlPretty", "oDate"],
    // A verb that bytes have not is printed for each of them.
    ["printf", "bytes"],
    // Bytes that are no UTF-8, in the words of an error.
    ["oDate", "\\xf"],
    // What lies between the length and the capacity of a slice.
    ["lice", "bytes"],
    ["lice ", " 5"],
    ["lice ", " 7"],
    ["lice ", " 10"],
    // The order of the fields of what holds capabilities, and addresses in it.
    ["Subcharts", "Json"],
    ["Subcharts", "eq "],
    // In parentheses it prints as its version.
    ["Capabilities.KubeVersion)", "("],
];

/// A case from a seed.
#[must_use]
pub fn body(random: &mut Random) -> Body {
    loop {
        let body = any_body(random);
        let has = |words: &[&str; 2]| words.iter().all(|word| body.text.contains(word));
        if !DIFFERENT.iter().any(has) {
            return body;
        }
    }
}

fn any_body(random: &mut Random) -> Body {
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

/// Filters of a pipeline.
const FILTERS: &[&str] = &[
    "toString",
    "quote",
    "squote",
    "len",
    "not",
    "toJson",
    "default 1",
    "default \"d\"",
    "print",
    "upper",
    "trunc 3",
    "add 1",
    "first",
    "kindOf",
    "typeOf",
    "html",
    "toYaml",
    "nindent 2",
    "indent 1",
    "b64enc",
    "sha256sum",
    "int",
    "int64",
    "float64",
    "toYaml | fromYaml",
    "toJson | fromJson",
    "printf \"%v|%T\" 1",
    "ternary 1 2",
    "empty",
    "coalesce nil",
    "list 1",
    "dict \"k\"",
    "fromYaml",
    "trim",
    "splitList \",\"",
    "join \"-\"",
    "keys | sortAlpha",
    "values | len",
    "has 1",
    "toRawJson",
    "toPrettyJson",
    "required \"m\"",
    "include \"inc\"",
    "include \"typed\"",
    "mustToJson",
    "toToml",
    "deepEqual 1",
    "atoi",
    "ceil",
    "round 1",
];

/// Objects that Helm gives a template, and what may be asked of them.
const OBJECTS: &[&str] = &[
    "$.Release.Name",
    "$.Release.Namespace",
    "$.Release.Revision",
    "$.Release.IsInstall",
    "$.Release.IsUpgrade",
    "$.Release.Service",
    "$.Release",
    "$.Release.Absent",
    "$.Chart.Name",
    "$.Chart.Version",
    "$.Chart.AppVersion",
    "$.Chart.Type",
    "$.Chart.IsRoot",
    "$.Chart.Absent",
    "$.Chart.Keywords",
    "$.Chart.Maintainers",
    "$.Chart.Annotations",
    "$.Chart.Dependencies",
    "$.Chart.name",
    "$.Template.Name",
    "$.Template.BasePath",
    "$.Template.Absent",
    "$.Subcharts",
    "$.Subcharts.sub.Chart.Name",
    "$.Subcharts.sub.Values",
    "$.Subcharts.sub.Values.own",
    "$.Subcharts.absent.Values",
    "$.Capabilities.KubeVersion.Version",
    "$.Capabilities.KubeVersion.Major",
    "$.Capabilities.KubeVersion.Minor",
    "$.Capabilities.KubeVersion.GitVersion",
    "$.Capabilities.KubeVersion",
    "$.Capabilities.APIVersions.Has \"v1\"",
    "$.Capabilities.APIVersions.Has \"apps/v1\"",
    "$.Capabilities.APIVersions.Has \"apps/v1/Deployment\"",
    "$.Capabilities.APIVersions.Has \"nope/v1\"",
    "$.Capabilities.APIVersions.Has",
    "$.Capabilities.APIVersions.Has 1",
    "$.Capabilities.APIVersions | len",
    "$.Capabilities.Absent",
    "$.Files.Get \"files/raw.txt\"",
    "$.Files.Get \"absent\"",
    "$.Files.Get 1",
    "$.Files.Get",
    "$.Files.GetBytes \"files/raw.txt\"",
    "$.Files.Lines \"files/deep/c.conf\"",
    "$.Files.Lines \"absent\"",
    "($.Files.Glob \"files/**\").AsConfig",
    "($.Files.Glob \"files/*.yaml\").AsSecrets",
    "$.Files.Glob \"x[\" | len",
    "($.Files.Glob \"**.conf\").Get \"files/deep/c.conf\"",
    "$.Files.AsConfig | len",
    "$.Values.global",
    "$.Values.sub",
    "$.Absent",
    "$.Values.absent.x",
    "$.Values | len",
    "$.Values.s",
    "(semver \"1.2.3-x\").Major",
    "(semver \"1.2.3-x\").Prerelease",
    "(semver \"1.2.3-x\").IncMinor",
    "(semver \"1.2.3\").Compare (semver \"1.3.0\")",
    "(semver \"1.2.3\").Absent",
    "(semver \"1.2.3\").String",
    "$v.time.Year",
    "$v.time.Month",
    "$v.time.Weekday",
    "$v.time.Unix",
    "$v.time.Format \"2006\"",
    "$v.time.IsZero",
    "$v.time.Absent",
    "$v.time.YearDay",
    "$v.time.UTC",
    "$v.time.AddDate 0 1 0",
    "(urlParse $v.url).host",
    "$v.strs",
    "$v.sm._0",
    "$v.bytes",
    "$v.u64",
];

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
                let operands: Vec<String> = (0..=self.random.below(3)).map(|_| self.printed()).collect();
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

    /// An operand for any verb: how Go prints the inside of its own types is no matter of templates.
    fn printed(&mut self) -> String {
        let data = self.data();
        if ["time", "semver"].iter().any(|own| data.contains(own)) {
            "1.5".into()
        } else {
            data
        }
    }

    fn data(&mut self) -> String {
        let word = self.random.pick(spec::pool('a'));
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

const RANGED: &[&str] = &[
    "$v.list",
    "$v.nums",
    "$v.m",
    "$v.mixed",
    "$v.el",
    "$v.nil",
    "3",
    "$v.strs",
    "$v.sm",
    "(until 2)",
    "$v.s",
    "$v.i",
    "$v.n",
    "(list 1 $v.m)",
    "$v.bytes",
    "0",
    "$v.neg",
    "($.Files.Glob \"files/*\")",
    "$.Capabilities.KubeVersion",
    "($.Files.Lines \"files/deep/c.conf\")",
    "$v.absent",
    "(dict \"b\" 1 \"a\" 2)",
    "$v.m.b",
    "$.Subcharts",
    "-2",
    "$v.time",
];

const ODD: &[&str] = &[
    "{{/* note */}}",
    "{{- /* trimmed */ -}}",
    "{{ template \"t\" .n }}",
    "{{ template \"absent\" }}",
    "{{ template \"inc\" }}",
    "{{ template \"inc\" $ }}",
    "{{ template \"ctx\" . }}",
    "{{ block \"b\" $v.n }}[{{ . }}]{{ end }}",
    "{{ $v.m.b.c }}{{ .m.z.x }}",
    "{{ $v.m.z.x }}",
    "{{ .absent.x }}",
    "{{ $v.s.x }}",
    "{{ $v.n.x }}",
    "{{ nil }}",
    "{{ 1 2 }}",
    "{{ $v.s 1 }}",
    "{{ ($v.m).b.c }}",
    "{{ (index $v.mixed 4).k }}",
    "{{ index $v.m \"b\" \"c\" }}",
    "{{ index $v.list 9 }}",
    "{{ index $v.m 1 }}",
    "{{ 'a' }} {{ 0x1F }} {{ 1_000 }} {{ 1e3 }} {{ 0b11 }} {{ 017 }} {{ 1.5e-3 }}",
    "{{ `raw\\n` }}{{ \"q\\t\\u00e9\" }}",
    "{{ 1+2i }}",
    "{{ len }}",
    "{{ not }}",
    "{{ true | not }}",
    "{{ $v.m | $v.s }}",
    "{{ range 3 }}{{ . }}{{ end }}",
    "{{ range $i := $v.i64 }}x{{ else }}none{{ end }}",
    "{{ range $i, $j := $v.m }}{{ $i }}{{ range $j }}{{ . }}{{ end }}{{ end }}",
    "{{ undefined }}",
    "{{ $undefined }}",
    "{{ if }}",
    "{{ end }}",
    "{{ \"open",
    "{{ .a.b. }}",
    "{{ with $x := $v.m }}{{ $x.a }}{{ end }}",
    "{{ range $v.s }}{{ end }}",
    "{{ range $a, $b := 3 }}{{ end }}",
    "{{ $v.sm._0 }}{{ $v.sm.none }}",
    "{{ and }}",
    "{{ or 0 $v.s }}{{ and 1 0 (fail \"never\") }}",
    "{{ slice $v.s 1 3 }}",
    "{{ println 1 2 \"a\" \"b\" 3 }}{{ print 1 2 \"a\" \"b\" 3 }}",
    "{{ $v.list | first | upper }}",
    "{{ else }}",
    "{{ range }}",
    "{{ define \"x\" }}",
    "{{ 9223372036854775808 }}",
    "{{ 1.2.3 }}",
    "{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ $x := 3 }}{{ $x }}{{ end }}{{ $x }}",
    "{{ (1) }}{{ ($v.s) }}",
    "{{ . | len }}",
    "{{ tpl $v.tpl $ }}",
    "{{ tpl (toYaml $v.tplmap) $ }}",
    "{{ include \"nested\" $v.m }}",
    "{{ include (print $.Template.BasePath \"/_partial.tpl\") $ }}",
    "{{ include \"bad\" (dict \"x\" (dict)) }}",
    "{{ include \"bad\" $ }}",
    "{{ include \"lines\" . | nindent 4 }}",
    "{{ $_ := set $.Values \"late\" 1 }}{{ $.Values.late }}",
    "{{ $_ := set $ \"own\" 1 }}{{ $.own }}",
    "{{ $s := $.Subcharts.sub.Values }}{{ typeOf $s }} {{ typeOf (merge $s) }} {{ typeOf (set $s \"k\" 1) }} {{ typeOf (unset $s \"k\") }}",
    "{{ dig \"own\" \"x\" (merge $.Subcharts.sub.Values) }}{{ dig \"own\" \"x\" $.Subcharts.sub.Values }}",
    "{{ range $p, $b := $.Files.Glob \"files/**\" }}{{ $p }}={{ $b | toString }};{{ end }}",
    "{{ $v.time | date \"2006\" }}",
    "{{ call $v.s }}",
    "{{ call $.Capabilities.APIVersions.Has \"v1\" }}",
    "{{ lookup \"v1\" \"Secret\" \"ns\" \"x\" }}{{ (lookup \"v1\" \"Secret\" \"ns\" \"\").items }}",
    "{{ if and $v.m (hasKey $v.m \"a\") (eq $v.m.a 1.0) }}y{{ end }}",
    "{{ eq $v.n 3 }}",
    "{{ eq $v.m $v.m }}",
    "{{ eq nil $v.nil }}",
    "{{ ternary \"a\" \"b\" $v.t | quote }}",
    "{{ required \"it is needed\" $v.empty }}",
    "{{ fail (printf \"bad %d\\nlines\" 3) }}",
    "{{- \"x\" -}}{{-/* c */-}}",
    "{{- -}}",
    "{{ /* c */ }}",
    "{{ printf }}",
    "{{ dict 1 2 3 }}",
    "{{ regexReplaceAll \"(a)(b)?\" $v.s \"${1}-$2\" }}",
    "{{ $v.f | int }}{{ $v.big | int64 }}{{ $v.long }}{{ $v.big }}{{ toYaml $v.long }}",
    "{{ toYaml (list $v.i64 $v.u64 $v.f $v.big $v.nil $v.time) }}",
    "{{ toJson (list $v.i64 $v.u64 $v.f $v.big $v.nil $v.bytes) }}",
];
