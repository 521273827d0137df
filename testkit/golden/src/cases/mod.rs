//! Cases that were thought of, for the recorded tables.

mod broken;
mod json_texts;
mod nodes;
mod streams;

use convoy_value::{Limits, json};

use crate::generate::{self, Random};
use crate::oracle::Op;

/// Generated cases in a table, besides those that were thought of.
const GENERATED: u64 = 200;

/// A table: its name, and what is asked.
#[derive(Debug)]
pub struct Questions {
    /// The name of the file.
    pub table: &'static str,
    /// Operations and texts.
    pub cases: Vec<(Op, Vec<u8>)>,
}

/// All tables.
#[must_use]
pub fn all() -> Vec<Questions> {
    vec![
        table("scalars", &[Op::Helm, Op::Kustomize], scalars()),
        table("nodes", &[Op::Helm, Op::HelmStrict, Op::Kustomize], texts(nodes::NODES)),
        table("broken", &[Op::HelmValues, Op::Kustomize], broken_texts()),
        table(
            "streams",
            &[Op::HelmDocuments, Op::KustomizeDocuments, Op::Helm],
            texts(streams::STREAMS),
        ),
        table(
            "generated",
            &[Op::Helm, Op::Kustomize],
            generated(generate::structured_text),
        ),
        table("json", &[Op::Json, Op::JsonAny], texts(json_texts::JSON)),
        table("emit", &[Op::Emit], values()),
        table("json-patch", &[Op::JsonPatch], patches(generate::json_patch)),
        table("merge-patch", &[Op::MergePatch], patches(generate::merge_patch)),
    ]
}

fn table(table: &'static str, ops: &[Op], texts: Vec<Vec<u8>>) -> Questions {
    let mut cases = Vec::new();
    for text in texts {
        cases.extend(ops.iter().map(|op| (*op, text.clone())));
    }
    Questions { table, cases }
}

fn texts(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn patches(make: impl Fn(&mut Random) -> String) -> Vec<Vec<u8>> {
    (0..3 * GENERATED)
        .map(|seed| make(&mut Random::new(seed)).into_bytes())
        .collect()
}

fn generated(make: impl Fn(&mut Random) -> String) -> Vec<Vec<u8>> {
    (0..GENERATED)
        .map(|seed| make(&mut Random::new(seed)).replace('\u{feff}', "").into_bytes())
        .collect()
}

/// Every hard word as a value, a key, in a flow collection, quoted, and with tags.
fn scalars() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for word in generate::words().iter().filter(|word| !word.contains('\n')) {
        out.push(format!("v: {word}"));
        out.push(format!("{word}: v"));
        out.push(format!("[{word}, x: {word}]"));
    }
    for word in [
        "12",
        "1.5",
        "yes",
        "true",
        "~",
        "null",
        "x",
        "",
        "2020-01-01",
        "\"12\"",
        "'yes'",
        "0x10",
        "aGVsbG8=",
    ] {
        for tag in [
            "!!str",
            "!!int",
            "!!float",
            "!!bool",
            "!!null",
            "!!timestamp",
            "!!binary",
            "!!merge",
            "!!set",
            "!x",
            "!",
        ] {
            out.push(format!("{tag} {word}"));
            out.push(format!("{tag} {word}: 1"));
        }
    }
    out.into_iter().map(String::into_bytes).collect()
}

fn broken_texts() -> Vec<Vec<u8>> {
    let mut out = texts(broken::BROKEN);
    out.extend(broken::BYTES.iter().map(|bytes| bytes.to_vec()));
    out.extend((0..GENERATED).map(|seed| {
        let mut random = Random::new(seed);
        let text = nodes::NODES[random.below(nodes::NODES.len())];
        generate::mutated_text(&mut random, text)
            .replace('\u{feff}', "")
            .into_bytes()
    }));
    out
}

/// Every hard word as a value, a key, in a list and in lists of lists; keys in their order; generated values.
fn values() -> Vec<Vec<u8>> {
    let quoted = |word: &str| serde_json::to_string(word).unwrap_or_default();
    let mut out = texts(json_texts::VALUES);
    for word in generate::words().iter().map(|word| quoted(word)) {
        out.push(word.clone().into_bytes());
        out.push(format!("{{{word}:{word}}}").into_bytes());
        out.push(format!("{{\"a\":[{word},[{word}],{{{word}:[]}}]}}").into_bytes());
    }
    for (long, separator) in [
        ("word", " "),
        ("word", "  "),
        ("it's", " "),
        ("\"q\"", " "),
        ("#", " "),
        ("é", " "),
        ("😀", " "),
        ("a: b", " "),
    ] {
        for count in [15, 16, 17, 18, 40] {
            let text = quoted(&vec![long; count].join(separator));
            out.push(
                format!("{{\"key\":{text},\"list\":[{text}],\"deep\":{{\"deeper\":{{\"deepest\":{text}}}}}}}")
                    .into_bytes(),
            );
        }
    }
    for length in [127, 128, 129, 1022, 1023] {
        out.push(format!("{{{}:{{\"a\":[1]}}}}", quoted(&"k".repeat(length))).into_bytes());
    }
    // Go's library gets what Go's JSON writer wrote.
    let canonical = |text: &Vec<u8>| {
        json::parse(text, &Limits::default())
            .ok()
            .map(|value| json::to_canonical(&value))
    };
    let mut out: Vec<Vec<u8>> = out.iter().filter_map(canonical).map(String::into_bytes).collect();
    out.extend((0..GENERATED).map(|seed| {
        let value = generate::value(&mut Random::new(seed), 4);
        json::to_canonical(&value).into_bytes()
    }));
    out
}
