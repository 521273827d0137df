//! What is kept of a source: text is a part of it, and literals are shown as they were written.

use std::sync::Arc;

use convoy_template::{Context, ExecError, Functions, Limits, TemplateSet, Value};

fn execute(set: TemplateSet) -> Result<String, ExecError> {
    let mut context = Context::new(Arc::new(set), Arc::default(), Limits::default());
    let text = context.execute("x", Value::Nil)?;
    Ok(String::from_utf8(text).expect("UTF-8 was written"))
}

#[test]
fn a_source_that_is_kept_reads_as_one_that_is_copied() {
    let check = |source: &[u8], expect: &str| {
        let mut kept = TemplateSet::new(Functions::builtins());
        kept.parse_shared("x", &source.into()).expect("it parses");
        let mut copied = TemplateSet::new(Functions::builtins());
        copied.parse("x", &String::from_utf8_lossy(source)).expect("it parses");
        assert_eq!(execute(kept).expect("it runs"), expect);
        assert_eq!(execute(copied).expect("it runs"), expect);
    };
    check(
        b"a {{- /* c */ -}} \n b{{ if true }} c {{ else }} d {{ end }}e",
        "ab c e",
    );
    check(b"\xff{{ print 1 }}\xc3", "\u{fffd}1\u{fffd}");
    check("\u{e9}{{- ` ` -}} \u{e9}".as_bytes(), "\u{e9} \u{e9}");
    check(
        b"{{ define \"y\" }} in {{ . }}{{ end }}out{{ template \"y\" 1 }}",
        "out in 1",
    );
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
