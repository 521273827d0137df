//! What is kept of a source: text is a part of it, and literals are shown as they were written.

use std::sync::Arc;

use convoy_template::{Context, ExecError, Functions, Limits, TemplateSet, Value};

fn execute(set: TemplateSet) -> Result<Vec<u8>, ExecError> {
    let mut context = Context::new(Arc::new(set), Arc::default(), Limits::default());
    context.execute("x", Value::Nil)
}

fn kept(source: &[u8]) -> Result<Vec<u8>, ExecError> {
    let mut set = TemplateSet::new(Functions::builtins());
    set.parse_shared("x", &source.into()).expect("it parses");
    execute(set)
}

#[test]
fn a_source_that_is_kept_reads_as_one_that_is_copied() {
    let check = |source: &str, expect: &str| {
        let mut copied = TemplateSet::new(Functions::builtins());
        copied.parse("x", source).expect("it parses");
        assert_eq!(kept(source.as_bytes()).expect("it runs"), expect.as_bytes());
        assert_eq!(execute(copied).expect("it runs"), expect.as_bytes());
    };
    check(
        "a {{- /* c */ -}} \n b{{ if true }} c {{ else }} d {{ end }}e",
        "ab c e",
    );
    check("\u{e9}{{- ` ` -}} \u{e9}", "\u{e9} \u{e9}");
    check(
        "{{ define \"y\" }} in {{ . }}{{ end }}out{{ template \"y\" 1 }}",
        "out in 1",
    );
}

/// As in Go: bytes that are no UTF-8 stay in text and raw strings, and are U+FFFD in quoted ones.
#[test]
fn bytes_that_are_no_text_are_written_as_they_are() {
    let check = |source: &[u8], expect: &[u8]| assert_eq!(kept(source).expect("it runs"), expect, "{source:?}");
    check(b"\xff{{ print 1 }}\xc3", b"\xff1\xc3");
    check(
        b"\xfe {{- `a\xffb\r` -}} \xe2\x82{{ 1 }}\xef\xbf\xbd",
        b"\xfea\xffb\xe2\x821\xef\xbf\xbd",
    );
    check(b"{{ \"\xff\" }}{{ '\xff' }}{{/* \xff */}}", b"\xef\xbf\xbd65533");
    let error = kept(b"\xff\xff\n\xff {{ print 1 }}{{ index 1 \"\xff\" }}").expect_err("a number has no index");
    assert_eq!((error.line, error.column), (2, 18));
}

#[test]
fn errors_show_literals_as_they_are_written() {
    let check = |literal: &str| {
        let mut set = TemplateSet::new(Functions::builtins());
        set.parse("x", &format!("{{{{ {literal} 1 }}}}")).expect("it parses");
        let error = execute(set).expect_err("a text is no function");
        assert!(
            error.to_string().contains(&format!("non-function {literal}")),
            "{literal}: {error}"
        );
    };
    check(r#""""#);
    check(r#""plain""#);
    check(r#""a\tb \"c\" \u00e9""#);
    check("\"\u{e9}\"");
    check("`raw`");
    check("`\"`");
}
