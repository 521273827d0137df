//! Texts of `--set` and its kin, over values that are there.

use crate::generate::Random;
use crate::helm_template::Question;

const VALUES: &str = "a: {b: 1, c: [x, {y: 2}]}\nb: text\nl: [[1, 2], 3]\nn: null\n";

/// A chart that shows its values, and options that change them.
#[must_use]
pub fn sets(random: &mut Random) -> Question {
    let mut question = Question::chart("c").with("templates/v.yaml", "v: {{ .Values | toJson }}\n");
    if random.one_in(2) {
        question = question.with("values.yaml", VALUES);
    }
    if random.one_in(3) {
        question.values.push(VALUES.into());
    }
    let option = random.pick(&[
        "--set",
        "--set",
        "--set",
        "--set",
        "--set-string",
        "--set-string",
        "--set-json",
        "--set-json",
        "--set-literal",
        "--set-file",
    ]);
    for _ in 0..=random.below(2) {
        let text = text(random, option);
        question.sets.push((option.into(), text));
    }
    if random.one_in(4) {
        let text = text(random, "--set");
        question.sets.push(("--set".into(), text));
    }
    question
}

fn text(random: &mut Random, option: &str) -> String {
    if option == "--set-json" && random.one_in(3) {
        return json(random).into();
    }
    let mut out = String::new();
    if random.one_in(20) {
        out.push(' ');
    }
    for index in 0..=random.below(3) {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&key(random));
        if !random.one_in(12) {
            out.push('=');
        }
        out.push_str(match option {
            "--set-json" => json(random),
            "--set-file" => random.pick(&["file.txt", "file.txt", "absent.txt", ""]),
            _ => value(random),
        });
    }
    if random.one_in(12) {
        out.push(',');
    }
    out
}

fn key(random: &mut Random) -> String {
    let mut out = String::new();
    for index in 0..=random.below(3) {
        if index > 0 {
            out.push('.');
        }
        out.push_str(random.pick(&[
            "a", "b", "c", "l", "n", "a", "b", "x y", "a\\.b", "é", "", "k\\", "a\\,b", "\\", "a\\=b", "a{", "\"q\"",
            "1",
        ]));
        while random.one_in(4) {
            let index = random.pick(&[
                "0",
                "1",
                "2",
                "0",
                "1",
                "2",
                "0",
                "1",
                "-1",
                "65537",
                "x",
                "",
                " 0",
                "00",
                "1.5",
                "9999999999999999999",
            ]);
            let after = random.pick(&["", "", "", "", "", "", "x", "]"]);
            out.extend(["[", index, "]", after]);
        }
        if random.one_in(40) {
            out.push('[');
        }
    }
    out
}

fn value(random: &mut Random) -> &'static str {
    random.pick(&[
        "1",
        "x",
        "true",
        "NULL",
        "null",
        "Null",
        "0",
        "007",
        "1.5",
        "{1,2}",
        "{}",
        "{a",
        "{a,b}c",
        "",
        "a\\,b",
        "a=b",
        "-3",
        "9223372036854775808",
        "9223372036854775807",
        "+5",
        "[1]",
        "\"q\"",
        "{1,{2}}",
        "a{b}",
        " 1",
        "1 ",
        "1e3",
        "0x10",
        "1_000",
        "TRUE",
        "False",
        "{true,null,x y}",
        "{ a , b }",
        "{,}",
        "{a,}",
        "\\{a\\}",
        "a\\",
        "é",
        "~",
        "{a\\,b,c}",
        "-",
        "-0",
        "{1}{2}",
        "a.b",
        "a[0]",
        "yes",
        "=",
        "01.5",
    ])
}

fn json(random: &mut Random) -> &'static str {
    random.pick(&[
        "1",
        "\"x\"",
        "{\"a\":1}",
        "[1,null]",
        "null",
        "",
        " 1 ",
        "{",
        "x",
        "1.50",
        "true",
        "-0",
        "1e400",
        "{\"a\":{\"b\":null}}",
        "[]",
        "\"a,b\"",
        "{\"a\":1},b=2",
        "12345678901234567890",
        "1e3",
        "[1",
        "\"\\u00e9\"",
        "{\"l\":[[5]]}",
        "{\"a\":1,\"a\":2}",
        " {\"b\":2} ",
        "nul",
    ])
}
