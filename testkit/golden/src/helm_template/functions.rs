//! Helm's own functions, and what there is to give them.

use crate::generate::Random;
use crate::template::{generate, pools, spec};

/// Functions that Helm adds to Sprig's, with the kinds of their operands: those of [`spec`], and `Y` YAML, `O` TOML, `N`
/// a template's name, `G` a template's text, `C` its context.
pub const FUNCTIONS: &[(&str, &str)] = &[
    ("toYaml", "a"),
    ("mustToYaml", "a"),
    ("toYamlPretty", "a"),
    ("fromYaml", "Y"),
    ("fromYamlArray", "Y"),
    ("toJson", "a"),
    ("mustToJson", "a"),
    ("fromJson", "j"),
    ("fromJsonArray", "j"),
    ("toToml", "a"),
    ("mustToToml", "a"),
    ("fromToml", "O"),
    ("required", "sa"),
    ("include", "NC"),
    ("tpl", "GC"),
    ("lookup", "ssss"),
    ("getHostByName", "s"),
    ("fail", "s"),
];

const POOLS: &[(char, &[&str])] = &[
    (
        'Y',
        &[
            "\"a: 1\\nb: [x, {c: null}]\"",
            "\"- a\\n- {b: 2}\\n- null\"",
            "\"\"",
            "\"a: b: c\"",
            "\"true\"",
            "\"a: &x [1]\\nb: *x\"",
            "\"a: 1.50\\nb: 0x1F\\nc: 017\\nd: 1e3\\ne: .inf\"",
            "\"on: off\\nyes: no\\nnull: ~\\n1: 2\"",
            "\"a: |\\n  x\\n  y\\nb: >-\\n  p\\n  q\"",
            "\"{\"",
            "\"a: 1\\na: 2\"",
            "\"--- \\na: 1\\n---\\nb: 2\"",
            "\"a: 2023-01-01\\nb: 12:30:45\"",
            "\"<<: {x: 1}\\ny: 2\"",
            "\"- 1\\n-2\"",
            "\"\\ta: 1\"",
            "(toYaml $v.m)",
            "(toYaml $v.list)",
            "($.Files.Get \"files/b.yaml\")",
            "$v.s",
            "\"text\"",
            "\"12345678901234567890\"",
            "\"a: !!str 1\\nb: !!binary aGk=\\nc: !x y\"",
        ],
    ),
    (
        'O',
        &[
            "\"a = true\\nb = [1, [2, 3]]\"",
            "\"[a.b.c]\\nd = 1.5\\n[a]\\nx = \\\"y\\\"\"",
            "\"a = \\\"\\\\t\\\\u00e9\\\"\"",
            "\"a = -17\\nb = +3\"",
            "\"[[l]]\\n[[l.m]]\\nx = 1\\n[[l.m]]\\nx = 2\"",
            "\"\\\"a b\\\".c = 1\"",
            "\"a = 0o17\\nb = 0b11\"",
            "\"a = \\\"\\\"\\\"x\\ny\\\"\\\"\\\"\"",
            "\"# only a note\"",
            "\"a = 1.0e10\"",
            "\"a = [\\n 1,\\n 2, # two\\n]\"",
            "\"a = 1\"",
            "\"[t]\\nx = 'y'\\n[[l]]\\nn = 1.5\\n[[l]]\"",
            "\"a = [1, 2, 'x']\"",
            "\"a.b.c = true\"",
            "\"\"",
            "\"x = 0xff\\ny = 1_000\\nz = inf\\nw = -0.0\"",
            "\"s = '''raw\\nlines'''\"",
            "\"k = {a = 1, b = [true]}\"",
            "\"[a]\\n[a]\"",
            "(toToml $v.m)",
            "\"\\\"q k\\\" = 'v'\"",
            "\"a = 1e3\"",
            "\"a = [ [1], ['x'] ]\"",
            "\"u = '\\\\u00e9'\"",
            "\"a = 9223372036854775807\"",
            "\"a = 'x' # note\\n\\nb = false\"",
        ],
    ),
    (
        'N',
        &[
            "\"inc\"",
            "\"ctx\"",
            "\"lines\"",
            "\"nested\"",
            "\"bad\"",
            "\"none\"",
            "\"empty\"",
            "\"typed\"",
            "\"sub.label\"",
            "(printf \"%s\" \"inc\")",
            "(print $.Template.BasePath \"/_partial.tpl\")",
            "$v.s",
            "1",
            "\"shadow\"",
            "\"vars\"",
        ],
    ),
    (
        'G',
        &[
            "\"{{ . }}\"",
            "\"{{ .Values.s }}\"",
            "\"{{ include \\\"inc\\\" . }}\"",
            "\"{{ tpl \\\"{{ .Release.Name }}\\\" . }}\"",
            "\"plain\"",
            "\"{{ .a }} {{ .x.y }}\"",
            "\"{{ define \\\"inc\\\" }}over{{ end }}{{ include \\\"inc\\\" . }}\"",
            "\"{{ define \\\"new\\\" }}n{{ . }}{{ end }}{{ template \\\"new\\\" 1 }}\"",
            "\"{{ template \\\"ctx\\\" . }}\"",
            "\"{{ fail \\\"no\\\" }}\"",
            "\"{{ \"",
            "\"{{ nofunc }}\"",
            "\"{{ range $i, $e := .list }}{{ $i }}={{ $e }};{{ end }}\"",
            "$v.tpl",
            "$v.s",
            "(toYaml $v.tplmap)",
            "\"{{- /* c */ -}} x {{- with .Values }}{{ .n }}{{ end }}\"",
            "\"{{ .Template.Name }} {{ .Template.BasePath }}\"",
            "\"{{ required \\\"need it\\\" .nothing }}\"",
            "\"{{ $x := 1 }}{{ $x }}{{ $ }}\"",
            "\"{{ include \\\"none\\\" . }}\"",
            "\"\"",
            "\"{{ .Values.absent.deep }}\"",
            "1",
        ],
    ),
    (
        'C',
        &[
            "$",
            "$",
            "$",
            ".",
            "$v",
            "$v.m",
            "nil",
            "1",
            "\"x\"",
            "(dict \"Values\" $v)",
            "(list 1 2)",
            "$v.list",
            "(dict \"a\" 1 \"Template\" $.Template)",
            "$.Chart",
            "(mustMergeOverwrite (dict) $)",
        ],
    ),
];

fn pool(kind: char) -> &'static [&'static str] {
    let found = POOLS.iter().find(|(known, _)| *known == kind);
    found.map_or_else(|| pools::pool(kind), |(_, pool)| pool)
}

/// One call of a function of Helm's.
#[must_use]
pub fn call(random: &mut Random, name: &str, kinds: &str) -> String {
    if kinds.chars().all(|kind| !"YONGC".contains(kind)) {
        return generate::call(random, name, kinds);
    }
    let mut operands: Vec<&str> = kinds.chars().map(|kind| random.pick(pool(kind))).collect();
    if random.one_in(40) {
        operands.pop();
    }
    format!("{name} {}", operands.join(" "))
}

/// One call of any function, Sprig's or Helm's.
#[must_use]
pub fn any_call(random: &mut Random) -> String {
    if random.one_in(3) {
        let (name, kinds) = FUNCTIONS[random.below(FUNCTIONS.len())];
        return call(random, name, kinds);
    }
    let (name, kinds) = spec::FUNCTIONS[random.below(spec::FUNCTIONS.len())];
    generate::call(random, name, kinds)
}
