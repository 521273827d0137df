//! Random values.

use convoy_value::{Map, Number, Value};

use super::Random;

/// Words that some reader takes for something else than text, or that a writer must treat with care.
pub(super) const WORDS: &[&str] = &[
    "",
    "~",
    "null",
    "Null",
    "NULL",
    "true",
    "True",
    "false",
    "FALSE",
    "yes",
    "Yes",
    "no",
    "NO",
    "on",
    "Off",
    "y",
    "N",
    "0",
    "-0",
    "1",
    "007",
    "08",
    "0x1F",
    "0o14",
    "0b101",
    "1_000",
    "1.0",
    "1.",
    ".5",
    "1e3",
    "1E+3",
    "1e400",
    ".inf",
    "-.Inf",
    ".nan",
    "+12",
    "190:20:30",
    "1:30",
    "12:30:45.5",
    "2020-01-02",
    "2020-01-02T03:04:05Z",
    "2020-01-02 03:04:05",
    "<<",
    "=",
    "-",
    "--",
    "---",
    "...",
    "--- a",
    "?",
    "? a",
    ":",
    ": a",
    "a: b",
    "a:b",
    "a:",
    "- a",
    "-a",
    "#",
    "# a",
    "a #b",
    "a# b",
    "!",
    "!!str",
    "!a b",
    "&",
    "&a",
    "*",
    "*a",
    "|",
    ">",
    "|-",
    "@a",
    "`a`",
    "%a",
    "a%",
    "[",
    "]",
    "[]",
    "{",
    "}",
    "{}",
    "{{ .Values.x }}",
    "a, b",
    ",",
    "'",
    "''",
    "it's",
    "\"",
    "\"a\"",
    "\\",
    "\\n",
    "a\\b",
    " ",
    "  ",
    " a",
    "a ",
    " a ",
    "\t",
    "a\tb",
    "\n",
    "\n\n",
    "a\n",
    "a\n\n",
    "\na",
    "a\nb",
    "a\n b",
    "a \nb",
    " a\nb",
    "a\n\nb\n",
    "a\n\n\n",
    "a\r\nb",
    "a\rb",
    "\r",
    "#a\nb",
    "- a\n- b\n",
    "---\na",
    "a\n---\nb\n",
    "a\n...\n",
    "é",
    "ß",
    "日本語",
    "😀",
    "a😀b",
    "\u{85}",
    "a\u{85}b",
    "a \u{85} b",
    "\u{a0}",
    "a\u{a0}b",
    "\u{2028}",
    "a\u{2028}b",
    "a\u{2029}\u{2028}b",
    "\u{feff}",
    "\u{feff}ab",
    "a\u{feff}",
    "\u{fffd}",
    "\u{7}",
    "\u{1b}[0m",
    "\0",
    "a\0b",
    "\u{7f}",
    "\u{9f}",
    "<a>&b",
    "\u{e000}",
    "\u{ffff}",
    "apiVersion",
    "kind",
    "metadata",
    "nginx:1.25",
    "http://example.com/?a=b&c=d#e",
    "10Gi",
    "100m",
    "v1",
    "app.kubernetes.io/name",
    "0.0.0.0/0",
    "1.2.3",
    "1e",
    "e1",
    "0x",
    "0xg",
    "+",
    "+a",
    "-1",
    "+.5",
    "_1",
    "1_",
    "1__0",
    ".1_0",
    "0b-1",
    "-0b11",
    "0o-7",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "9007199254740993",
];

/// Texts that are hard on readers and writers.
#[must_use]
pub fn words() -> &'static [&'static str] {
    WORDS
}

/// A string: a word, words in a row, or random characters; some are long enough to be folded.
pub fn string(random: &mut Random) -> String {
    match random.below(10) {
        0..4 => random.pick(WORDS).to_owned(),
        4..6 => {
            let count = 1 + random.below(6);
            let separator = random.pick(&[" ", "  ", "\n", "\n  ", ": ", "", ", "]);
            (0..count)
                .map(|_| random.pick(WORDS))
                .collect::<Vec<_>>()
                .join(separator)
        }
        6 => {
            let count = 10 + random.below(40);
            let words: Vec<String> = (0..count).map(|_| letters(random, 9)).collect();
            words.join(random.pick(&[" ", " ", "  ", "-", ".\n", " 'quoted' ", " \"x\" ", ": "]))
        }
        7 => (0..random.below(8)).map(|_| character(random)).collect(),
        _ => letters(random, 12),
    }
}

fn letters(random: &mut Random, most: usize) -> String {
    let count = 1 + random.below(most);
    (0..count)
        .map(|_| char::from(b"abcdefghijklmnopqrstuvwxyz0123456789-._/"[random.below(40)]))
        .collect()
}

fn character(random: &mut Random) -> char {
    let code = match random.below(6) {
        0 => random.below(0x20),
        1 => 0x80 + random.below(0x80),
        2 => 0x2020 + random.below(0x20),
        3 => random.below(0x11_0000),
        _ => 0x20 + random.below(0x5F),
    };
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('x')
}

fn number(random: &mut Random) -> Number {
    let bits = random.bits();
    match random.below(9) {
        0 => Number::Int(0),
        1 => Number::Int(bits.cast_signed()),
        2 => Number::from(bits),
        3 => Number::Float(f64::from_bits(bits)),
        4 => Number::Float(f64::from(u32::try_from(bits & 0xFFFF).unwrap_or(0)) / 8.0),
        5 => Number::Float(10f64.powi(i32::try_from(bits % 60).unwrap_or(0) - 30)),
        6 => Number::Float(-0.0),
        _ => Number::Int((bits % 2_000).cast_signed() - 1_000),
    }
}

/// A value of at most `depth` levels, finite numbers only.
pub fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 6 } else { 11 }) {
        0 => Value::Null,
        1 => Value::Bool(random.one_in(2)),
        2 => Some(number(random))
            .filter(Number::is_finite)
            .map_or(Value::Null, Value::Number),
        3..6 => Value::String(string(random)),
        6..8 => (0..random.below(5))
            .map(|_| value(random, depth - 1))
            .collect::<Vec<_>>()
            .into(),
        _ => Value::Object(map(random, depth)),
    }
}

fn map(random: &mut Random, depth: usize) -> Map {
    let mut map = Map::new();
    for _ in 0..random.below(6) {
        let key = match random.below(4) {
            0 => string(random),
            1 => format!(
                "{}{}",
                random.pick(&["a", "b", "a-", "A", "é", "", "0"]),
                random.below(120)
            ),
            _ => letters(random, 10),
        };
        map.insert(key, value(random, depth - 1));
    }
    map
}
