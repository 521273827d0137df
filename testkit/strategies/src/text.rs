//! Texts.

use proptest::collection::vec;
use proptest::prelude::*;

/// Short texts with what writers must escape and readers must not take for something else.
pub fn unicode() -> impl Strategy<Value = String> + Clone {
    let odd = vec![
        "",
        " ",
        "null",
        "~",
        "yes",
        "on",
        "1",
        "1e3",
        "0x1f",
        "-",
        "- a",
        "a: b",
        "#",
        "<>&",
        "\u{2028}",
        "\u{7f}",
        "\"",
        "\\",
        "\n",
        "a\nb\n",
        "\t",
        "2026-01-01",
        "é",
        "😀",
        "<<",
        "*a",
        "&a",
        "!x",
        "%",
        "@",
        "`",
        "{",
        "]",
    ];
    prop_oneof![
        3 => "[a-z][a-z0-9-]{0,11}",
        2 => prop::sample::select(odd).prop_map(String::from),
        1 => vec(any::<char>(), 0..8).prop_map(String::from_iter),
    ]
}

/// Texts made of pieces of YAML and Kubernetes, mostly broken.
pub fn hostile_yaml() -> impl Strategy<Value = Vec<u8>> {
    let pieces = vec![
        "---\n",
        "...\n",
        "apiVersion: v1\n",
        "kind: List\n",
        "kind: Secret\n",
        "items:\n",
        "- ",
        "  ",
        "metadata:\n",
        "  name: a\n",
        "  namespace: b\n",
        "{",
        "}",
        "[",
        "]",
        ",",
        ": ",
        "? ",
        "&a ",
        "*a",
        "<<: *a\n",
        "!!int ",
        "|\n",
        ">-\n",
        "'",
        "\"",
        "\\",
        "\t",
        "\r\n",
        "#",
        "null",
        "\u{feff}",
        "\u{85}",
        "x",
        "1",
        "{apiVersion: v1, kind: Pod, metadata: {name: p}}\n",
        "{apiVersion: v1, kind: List, items: [",
        "\0",
    ];
    let text = vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat().into_bytes());
    prop_oneof![4 => text, 1 => vec(any::<u8>(), 0..64)]
}

/// Paths, some of which are none.
pub fn path_text() -> impl Strategy<Value = String> {
    let parts = vec![
        "a", "b", "a.yaml", "b.yml", "c.json", ".", "..", "", "*", "a-b.yaml", ".git", "\0", "é",
    ];
    vec(prop::sample::select(parts), 0..4).prop_map(|parts| parts.join("/"))
}

/// Selectors, some of which are none.
pub fn selector_text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a", "b", "in", "notin", "(", ")", ",", "=", "==", "!=", "!", ">", "<", " ", "1", "x.io/a", "-", "é", "\0",
    ];
    vec(prop::sample::select(pieces), 0..12).prop_map(|pieces| pieces.concat())
}
