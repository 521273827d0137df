//! What holds for all values and all bytes.

use convoy_value::{Limits, Map, Number, Value, json, yaml};
use proptest::prelude::*;

fn number() -> impl Strategy<Value = Number> {
    prop_oneof![
        any::<i64>().prop_map(Number::Int),
        any::<u64>().prop_map(Number::from),
        (-1000i64..1000).prop_map(Number::Int),
        // Whole floats are integers in JSON, so that they do not come back as they were.
        any::<f64>()
            .prop_filter("finite, not whole", |f| f.is_finite() && f.fract() != 0.0)
            .prop_map(Number::Float),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9.:/ -]{0,12}",
        "[ \\n\\t#'\":\\[\\]{}&*!|>%@`,?~=<-]{0,8}",
        "\\PC{0,12}",
        any::<String>(),
        "[a-z]{1,9}( [a-z]{1,9}){10,30}",
        prop::sample::select(vec![
            "",
            "~",
            "null",
            "yes",
            "on",
            "0x1F",
            "1e3",
            "2020-01-01",
            "<<",
            "1:30",
            ".inf",
            "- a",
            "---"
        ])
        .prop_map(String::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number().prop_map(Value::Number),
        text().prop_map(Value::String),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((text(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Lines as manifests have them, at any indentation, and some that break what stands before them.
fn manifest_like() -> impl Strategy<Value = String> {
    let lines = vec![
        "kind: Service",
        "metadata:",
        "name: a-b # c",
        "helm.sh/hook: \"pre-install,test\"",
        "\"a b\": 'it''s' ",
        "- x: 1",
        "- - y",
        "-",
        "- ",
        "- {}",
        "spec: [a, \"b\", 'c']",
        "text: |",
        "text: >-",
        "text: |2",
        "- |+",
        "more text",
        "--flag=a:b",
        "http://a/b#c",
        "",
        "   ",
        "# comment",
        "'on",
        "two lines'",
        "b: \"a\\",
        "\\\"c\"",
        "on: 1",
        "8080: x",
        "a: b: c",
        "a: .inf",
        "a: &b c",
        "<<: *b",
        "a: [",
        "]",
        "? a",
        "---",
        "...",
        "\tb: 1",
        "a:\t1",
        "c: \u{e4}",
        "d: 1\r",
    ];
    let line = (0..4usize, prop::sample::select(lines));
    prop::collection::vec(line, 1..12).prop_map(|lines| {
        let lines = lines
            .iter()
            .map(|(depth, line)| format!("{}{line}\n", "  ".repeat(*depth)));
        format!("a:\n{}", lines.collect::<String>())
    })
}

fn members_are_those_of_a_whole_reading(text: &str) {
    let wanted = |path: &[&str]| path.iter().all(|key| key.len() != 1);
    let limits = Limits::default();
    let expect = yaml::helm::parse(text, &limits).map(|mut value| {
        if let Value::Object(map) = &mut value {
            map.retain(|key, _| wanted(&[key]));
            for (_, value) in map.iter_mut() {
                if let Value::Object(inner) = value
                    && !inner.is_empty()
                {
                    inner.retain(|key, _| wanted(&[key]));
                    if inner.is_empty() {
                        *value = Value::Null;
                    }
                }
            }
        }
        value
    });
    assert_eq!(yaml::helm::parse_members(text, &limits, wanted), expect, "{text:?}");
}

/// Text of YAML's own characters: more of it parses than of any text.
fn yaml_like() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a",
        "b: ",
        "- ",
        ": ",
        "? ",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\n",
        "\n  ",
        "\n    ",
        "'",
        "\"",
        "\\",
        "|",
        ">",
        "&a ",
        "*a",
        "!!str ",
        "<<: ",
        "#",
        " ",
        "\t",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "é",
        "\u{85}",
        "\u{2028}",
        "\r\n",
        "1",
        "yes",
        "~",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..30).prop_map(|pieces| pieces.concat())
}

fn read_everything(bytes: &[u8]) {
    let limits = Limits {
        alias_bytes: 1 << 16,
        ..Limits::default()
    };
    let _ = yaml::helm::parse(bytes, &limits);
    let _ = yaml::helm::parse_values(bytes, &limits);
    let _ = yaml::helm::parse_strict(bytes, &limits);
    let _ = yaml::helm::parse_documents(bytes, &limits);
    let _ = yaml::helm::parse_values_documents(bytes, &limits);
    let _ = yaml::kustomize::parse(bytes, &limits);
    let _ = yaml::kustomize::parse_documents(bytes, &limits);
    let _ = json::parse(bytes, &limits);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_as_yaml_reads_back(value in value()) {
        let text = yaml::to_string(&value);
        prop_assert_eq!(&yaml::helm::parse(&text, &Limits::default()).unwrap(), &value, "{}", text);
    }

    #[test]
    fn what_is_written_as_json_reads_back(value in value()) {
        let text = json::to_canonical(&value);
        prop_assert_eq!(&json::parse(&text, &Limits::default()).unwrap(), &value, "{}", text);
    }

    #[test]
    fn what_crosses_into_serde_json_comes_back(value in value()) {
        let there = serde_json::to_value(&value).unwrap();
        prop_assert_eq!(serde_json::from_value::<Value>(there).unwrap(), value);
    }

    #[test]
    fn canonical_json_is_the_same_for_every_order_of_insertion(entries in prop::collection::vec((text(), number()), 0..8)) {
        let forward: Map = entries.iter().cloned().collect();
        // The last of equal keys wins, in either order of the others.
        let backward: Map = forward.clone().into_iter().rev().collect();
        prop_assert_eq!(&forward, &backward);
        prop_assert_eq!(json::to_canonical(&forward.clone().into()), json::to_canonical(&backward.clone().into()));
        prop_assert_eq!(yaml::to_string(&forward.into()), yaml::to_string(&backward.into()));
    }

    #[test]
    fn streamed_canonical_json_is_the_same(value in value()) {
        let mut streamed = Vec::new();
        json::write_canonical(&value, &mut |bytes| streamed.extend_from_slice(bytes));
        prop_assert_eq!(String::from_utf8(streamed).unwrap(), json::to_canonical(&value));
    }

    #[test]
    fn go_s_text_is_ours_where_it_keeps_the_value(value in value()) {
        if let Ok(go) = yaml::marshal(&value) && yaml::helm::parse(&go, &Limits::default()).is_ok_and(|read| read == value) {
            prop_assert_eq!(go, yaml::to_string(&value));
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        read_everything(&bytes);
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in yaml_like()) {
        read_everything(text.as_bytes());
    }

    #[test]
    fn an_error_stands_in_the_text(text in yaml_like()) {
        if let Err(error) = yaml::helm::parse(&text, &Limits::default()) {
            let lines = 1 + text.matches(['\n', '\r', '\u{85}', '\u{2028}']).count();
            prop_assert!((1..=lines + 1).contains(&error.line()), "{} of {} lines", error, lines);
            prop_assert!(error.column() <= text.chars().count() + 1, "{}", error);
        }
    }

    /// Lines of manifests, whole and broken: of most, the members are found by the outline.
    #[test]
    fn wanted_members_of_lines_are_those_of_a_whole_reading(text in manifest_like()) {
        members_are_those_of_a_whole_reading(&text);
    }

    /// Both what has the shape of a manifest, and what has no shape.
    #[test]
    fn wanted_members_are_those_of_a_whole_reading(text in prop_oneof![
        yaml_like(),
        (yaml_like(), yaml_like()).prop_map(|(a, b)| format!("a: {a}\nb:\n  c: {b}\na1: .inf\n")),
        value().prop_map(|value| yaml::marshal(&value).unwrap_or_default()),
    ]) {
        members_are_those_of_a_whole_reading(&text);
    }
}
