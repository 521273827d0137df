//! Every input has a bound, and the error names it.

use convoy_value::{Limits, MAX_DEPTH, json, yaml};

type Read = fn(&str, &Limits) -> Result<(), yaml::Error>;

const READERS: &[(&str, Read)] = &[
    ("helm", |text, limits| yaml::helm::parse(text, limits).map(drop)),
    ("helm values", |text, limits| {
        yaml::helm::parse_values(text, limits).map(drop)
    }),
    ("helm strict", |text, limits| {
        yaml::helm::parse_strict(text, limits).map(drop)
    }),
    ("helm documents", |text, limits| {
        yaml::helm::parse_documents(text, limits).map(drop)
    }),
    ("helm values documents", |text, limits| {
        yaml::helm::parse_values_documents(text, limits).map(drop)
    }),
    ("kustomize", |text, limits| {
        yaml::kustomize::parse(text, limits).map(drop)
    }),
    ("kustomize documents", |text, limits| {
        yaml::kustomize::parse_documents(text, limits).map(drop)
    }),
];

fn is_limit(error: &yaml::Error) -> bool {
    matches!(error.kind(), yaml::ErrorKind::Limit { .. })
}

/// Every reader refuses `text` with an error that contains `words`.
fn check(text: &str, limits: &Limits, words: &str) {
    for (name, read) in READERS {
        let error = read(text, limits).expect_err(name);
        assert!(is_limit(&error), "{name}: {error}");
        assert!(error.message().contains(words), "{name}: {error}");
        assert!(error.go_message().contains(words), "{name}: {error}");
    }
}

fn nested_blocks(depth: usize) -> String {
    let line = |level: usize| format!("{}a:\n", " ".repeat(level));
    (0..depth).map(line).collect()
}

#[test]
fn ten_thousand_levels_are_an_error_and_no_stack_overflow() {
    for text in [
        "[".repeat(10_000),
        "{a: ".repeat(10_000),
        "- ".repeat(10_000),
        "? ".repeat(10_000),
        nested_blocks(10_000),
    ] {
        check(
            &text,
            &Limits {
                bytes: 1 << 30,
                ..Limits::default()
            },
            "limit of 200",
        );
        check(
            &text,
            &Limits {
                bytes: 1 << 30,
                depth: usize::MAX,
                ..Limits::default()
            },
            "limit of 1000",
        );
    }
}

#[test]
fn the_deepest_text_that_is_allowed_is_read_written_and_dropped() {
    let limits = Limits {
        depth: usize::MAX,
        ..Limits::default()
    };
    let text = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
    let value = yaml::helm::parse(&text, &limits).unwrap();
    assert_eq!(json::to_canonical(&value), text);
    assert_eq!(json::parse(&text, &limits).unwrap(), value);
    assert_eq!(yaml::helm::parse(yaml::to_string(&value), &limits).unwrap(), value);
    check(&format!("[{text}]"), &limits, "limit of 1000");
}

#[test]
fn an_alias_can_not_nest_deeper_than_the_limit() {
    let limits = Limits {
        depth: 4,
        ..Limits::default()
    };
    assert!(yaml::helm::parse("a: &a [[1]]\nb: [*a]\n", &limits).is_ok());
    check("a: &a [[1]]\nb: [[*a]]\n", &limits, "limit of 4");
}

#[test]
fn an_alias_bomb_is_an_error() {
    let level = |level: usize| {
        let before = level - 1;
        format!("a{level}: &a{level} [{}]", vec![format!("*a{before}"); 10].join(", "))
    };
    let levels: Vec<String> = (1..9).map(level).collect();
    let text = format!("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n{}\n", levels.join("\n"));
    for (name, read) in READERS {
        let error = read(&text, &Limits::default()).expect_err(name);
        assert!(is_limit(&error), "{name}: {error}");
        assert!(error.message().contains("limit of"), "{name}: {error}");
    }
    // Before go-yaml's own rule about aliases, ours about bytes.
    check(
        "a: &a aaaaaaaaaaaaaaaa\nb: [*a, *a, *a]\n",
        &Limits {
            alias_bytes: 100,
            ..Limits::default()
        },
        "limit of 100 bytes",
    );
}

#[test]
fn an_error_of_the_grammar_comes_before_go_s_limit_on_aliases() {
    let bomb = format!("a: &a [{}]\nb: &b [{}]\n", ["x"; 100].join(","), ["*a"; 200].join(","));
    let text = format!("{bomb}c: [{}]\n", ["*b"; 50].join(","));
    let error = yaml::helm::parse(&text, &Limits::default()).unwrap_err();
    assert!(is_limit(&error), "{error}");
    assert!(error.message().contains("go-yaml's limit of 99%"), "{error}");
    assert_eq!(error.go_message(), "yaml: document contains excessive aliasing");
    let error = yaml::helm::parse(text + "d: ]\n", &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), yaml::ErrorKind::Syntax, "{error}");
}

#[test]
fn anchors_inside_of_anchors_are_bounded_too() {
    let text = format!("{}{}", "[&a ".repeat(100), "x".repeat(1000)) + &"]".repeat(100);
    assert!(yaml::helm::parse(&text, &Limits::default()).is_ok());
    let anchors: Vec<String> = (0..100).map(|level| format!("&a{level} [")).collect();
    let nested = anchors.concat() + &"x".repeat(1000) + &"]".repeat(100);
    check(
        &nested,
        &Limits {
            alias_bytes: 50_000,
            ..Limits::default()
        },
        "limit of 50000 bytes",
    );
}

#[test]
fn long_texts_and_long_streams_are_errors() {
    check(
        "a: 12",
        &Limits {
            bytes: 4,
            ..Limits::default()
        },
        "limit of 4 bytes",
    );
    let limits = Limits {
        documents: 2,
        ..Limits::default()
    };
    for (name, read) in READERS.iter().filter(|(name, _)| name.ends_with("documents")) {
        assert!(read("a: 1\n---\nb: 2\n", &limits).is_ok(), "{name}");
        let error = read("a: 1\n---\nb: 2\n---\nc: 3\n", &limits).expect_err(name);
        assert!(error.message().contains("limit of 2 documents"), "{name}: {error}");
    }
}
