//! What is no UTF-8 in a manifest is refused as Helm refuses it, and never replaced.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use convoy_helm::{Chart, Files, Selection, Settings, render};

fn check(file: &str, template: &[u8], expect: Result<&str, &str>) {
    let files: Files = [
        ("Chart.yaml", &b"apiVersion: v2\nname: c\nversion: 1.0.0\n"[..]),
        (file, template),
    ]
    .into_iter()
    .map(|(name, data)| (name.to_owned(), data.into()))
    .collect();
    let result = render(&Chart::load(&files).unwrap(), &Settings::default());
    let text = result.map(|rendered| rendered.text(Selection::default()));
    match (text, expect) {
        (Ok(text), Ok(part)) => assert!(text.contains(part), "{text}"),
        (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
        (result, expect) => panic!("{result:?}, expected {expect:?}"),
    }
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let file = "templates/a.yaml";
    let leading = Err("invalid leading UTF-8 octet");
    check(file, b"a: \xff\n", leading);
    check(file, br#"a: "{{ b64dec "/w==" }}""#, leading);
    check(file, "a: \"{{ trunc 1 \"\u{e9}\" }}\"".as_bytes(), Err("UTF-8"));
    check(file, b"# \xe9 latin1 comment\na: 1\n", Err("UTF-8"));
}

#[test]
fn bytes_outside_a_manifest_and_the_character_itself_stay() {
    check("templates/a.yaml", b"a: 1{{/* \xff */}}\n", Ok("a: 1"));
    check("templates/a.yaml", "a: \u{fffd}\n".as_bytes(), Ok("a: \u{fffd}"));
    check("templates/NOTES.txt", b"\xff\n", Ok(""));
}
