//! Errors say what is wrong and where, and show nothing of the text.

use convoy_value::{Limits, Numbers, json, yaml};

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
        "an alias names an unknown anchor at line 1 column 4",
    );
    check(
        "x: &x [*x]",
        Alias,
        "the value of an anchor contains itself at line 1 column 8",
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
}

type Read = fn(&str, &Limits) -> Result<(), yaml::Error>;

#[test]
fn nothing_of_the_text_is_shown_wherever_it_breaks() {
    let readers: [Read; 5] = [
        |text, limits| yaml::helm::parse_documents(text, limits).map(drop),
        |text, limits| yaml::helm::parse_values_documents(text, limits).map(drop),
        |text, limits| yaml::helm::parse_strict(text, limits).map(drop),
        |text, limits| yaml::kustomize::parse_documents(text, limits).map(drop),
        |text, limits| yaml::kustomize::parse_documents_as_written(text, limits).map(drop),
    ];
    for text in [
        "a: !!int hunter2",
        "hunter2: [",
        "a: hunter2: b",
        "a: 'hunter2",
        "a: \"hunter2",
        "a: \"hunter2\\q\"",
        "- hunter2\nb",
        "a: !!binary hunter2",
        "stringData: {p: *hunter2}",
        "stringData:\n  p: *hunter2alias\n",
        "a: &hunter2 [*hunter2]",
        "a: &hunter2 {b: *hunter2}",
        "a: !hunter2!x b",
        "a: !<hunter2 b",
        "a: !!int &hunter2 x",
        "a: &hunter2&x b",
        "a: *hunter2*x",
        "%hunter2 \n\n--- x\n%hunter2",
        "%YAML hunter2\n--- a\n",
        "%TAG hunter2 x\n--- a\n",
        "a: |hunter2\n  b\n",
        "a: 1\n---hunter2: [\n",
        "a: 1\n--- hunter2: [\n",
        "hunter2: 1\nhunter2: [\n",
        "a: @hunter2",
        "a: `hunter2`",
        "<<: hunter2",
        "? [hunter2]\n: 1\n",
        "hunter2: \u{1}",
        "a: {hunter2: 1, ~: 2}",
    ] {
        let errors = readers.map(|read| read(text, &Limits::default()).err());
        assert!(errors.iter().any(Option::is_some), "{text:?} is an error");
        for error in errors.into_iter().flatten() {
            let shown = format!("{error} {}", error.message());
            assert!(!shown.contains("hunter2"), "{text:?}: {shown}");
        }
    }
    let twice = "hunter2: 1\nhunter2: 2\n";
    let merged = "x: &x {hunter2: 1}\ny: {<<: *x, hunter2: 2}\nz: {hunter2: 1, <<: *x}\n";
    for error in [
        yaml::helm::parse_strict(twice, &Limits::default()).unwrap_err(),
        yaml::helm::parse_strict(merged, &Limits::default()).unwrap_err(),
        yaml::kustomize::parse(twice, &Limits::default()).unwrap_err(),
    ] {
        assert_eq!(error.kind(), yaml::ErrorKind::DuplicateKey);
        assert!(!error.to_string().contains("hunter2"), "{error}");
        assert!(error.go_message().contains("hunter2"), "{error}");
    }
}

#[test]
fn json_errors_show_nothing_of_the_text() {
    for text in [
        "\u{3c0}",
        "[1 \u{3c0}]",
        "tr\u{3c0}e",
        "\"\\\u{3c0}\"",
        "77e777",
        "{\"a\":-77e777}",
        "-\u{3c0}",
        "{\u{3c0}",
    ] {
        let error = json::parse_with(text, &Limits::default(), Numbers::Float).unwrap_err();
        let shown = error.to_string();
        assert!(shown.is_ascii() && !shown.contains("77"), "{text}: {shown}");
    }
}

#[test]
fn the_kustomize_reader_names_both_places_of_a_key() {
    let error = yaml::kustomize::parse("a: 1\nb: 2\na: 3\n", &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), yaml::ErrorKind::DuplicateKey);
    assert_eq!(error.to_string(), "the key of line 1 is set again at line 3 column 1");
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
        ("a: *b", "yaml: unknown anchor 'b' referenced"),
        ("a: &a [*a]", "yaml: anchor 'a' value contains itself"),
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
