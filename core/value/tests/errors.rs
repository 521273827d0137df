//! Errors say what is wrong, where, and never what a value is.

use convoy_value::{Limits, yaml};

fn check(text: &str, kind: yaml::ErrorKind, expect: &str) {
    let error = yaml::helm::parse(text, &Limits::default()).expect_err(text);
    assert_eq!((error.kind(), error.to_string().as_str()), (kind, expect), "{text:?}");
}

#[test]
fn errors_have_a_line_and_a_column() {
    use yaml::ErrorKind::{Alias, Encoding, Key, Merge, Syntax, UnknownAnchor, Value};
    check(
        "a: b: c",
        Syntax,
        "mapping values are not allowed in this context at line 1 column 5",
    );
    check(
        "a:\n\t- b",
        Syntax,
        "found character that cannot start any token at line 2 column 1",
    );
    check("é: 'x", Syntax, "found unexpected end of stream at line 1 column 6");
    check(
        "- a\nb: c",
        Syntax,
        "did not find expected '-' indicator at line 2 column 1",
    );
    check(
        "a: 1\nb: \u{1}",
        Encoding,
        "control characters are not allowed at line 2 column 4",
    );
    check(
        "x: *y",
        UnknownAnchor,
        "unknown anchor 'y' referenced at line 1 column 4",
    );
    check(
        "x: &x [*x]",
        Alias,
        "anchor 'x' value contains itself at line 1 column 8",
    );
    check("a: 1\n~: 2", Key, "a null cannot be a key at line 2 column 1");
    check(
        "a: {{ x }}",
        Key,
        "a mapping or a sequence cannot be a key at line 1 column 5",
    );
    check(
        "a: 1\nb: .inf",
        Value,
        "JSON cannot hold a number that is not finite at line 2 column 4",
    );
    check(
        "<<: 3",
        Merge,
        "map merge requires map or sequence of maps as the value at line 1 column 1",
    );
}

#[test]
fn values_are_not_shown() {
    check(
        "a: !!int hunter2",
        yaml::ErrorKind::Value,
        "the value is a !!str and not what its tag !!int says at line 1 column 4",
    );
    for text in [
        "a: !!int hunter2",
        "hunter2: [",
        "a: hunter2: b",
        "a: 'hunter2",
        "- hunter2\nb",
        "a: !!binary hunter2",
    ] {
        let error = yaml::helm::parse(text, &Limits::default()).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[test]
fn the_kustomize_reader_names_both_places_of_a_key() {
    let error = yaml::kustomize::parse("a: 1\nb: 2\na: 3\n", &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), yaml::ErrorKind::DuplicateKey);
    assert_eq!(
        error.to_string(),
        "mapping key \"a\" already defined at line 1 at line 3 column 1"
    );
}

#[test]
fn go_s_words_are_there_for_templates() {
    for (text, expect) in [
        ("a: b: c", "yaml: mapping values are not allowed in this context"),
        (
            "a: 1\nb: c: d",
            "yaml: line 2: mapping values are not allowed in this context",
        ),
        ("a: !!int x", "yaml: cannot decode !!str `x` as a !!int"),
        ("a: .nan", "json: unsupported value: NaN"),
    ] {
        assert_eq!(
            yaml::helm::parse(text, &Limits::default()).unwrap_err().go_message(),
            expect
        );
    }
}

#[test]
fn documents_know_their_lines_and_errors_count_through_the_stream() {
    let text = "# c\n---\na: 1\n---\n\n\n---\n# c\n\nb: 2\n";
    for documents in [
        yaml::helm::parse_documents(text, &Limits::default()),
        yaml::kustomize::parse_documents(text, &Limits::default()),
    ] {
        let documents = documents.unwrap();
        let full: Vec<_> = documents
            .iter()
            .filter(|document| !document.is_empty())
            .map(|document| document.line)
            .collect();
        assert_eq!(full, [3, 10]);
        assert!(documents.iter().map(|document| document.index).eq(0..documents.len()));
    }
    let text = "a: 1\n---\nb: 2\nb: [\n";
    assert_eq!(
        yaml::kustomize::parse_documents(text, &Limits::default())
            .unwrap_err()
            .line(),
        5
    );
    assert_eq!(
        yaml::helm::parse_documents(text, &Limits::default())
            .unwrap_err()
            .line(),
        5
    );
}
