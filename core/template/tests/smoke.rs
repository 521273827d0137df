//! Small templates from end to end.

use std::sync::Arc;

use convoy_template::value::Time;
use convoy_template::{Context, Functions, Limits, TemplateSet, Value};

fn render(source: &str, data: &str) -> String {
    let mut set = TemplateSet::new(Functions::builtins());
    if let Err(error) = set.parse("x", source) {
        return error.to_string();
    }
    let mut context = Context::new(Arc::new(set), Arc::default(), Limits::default());
    let data = convoy_value::json::parse_with(data, &convoy_value::Limits::default(), convoy_value::Numbers::Float)
        .expect("data is JSON");
    let data = context.heap_mut().import(&data).expect("data fits");
    match context.execute("x", data) {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn templates_do_what_go_does() {
    for (source, data, expect) in [
        ("a{{ .x }}b", r#"{"x": "y"}"#, "ayb"),
        (
            "{{ range $k, $v := . }}{{ $k }}={{ $v }};{{ end }}",
            r#"{"b": 1, "a": [2]}"#,
            "a=[2];b=1;",
        ),
        ("{{ if and .a (not .b) }}yes{{ else }}no{{ end }}", r#"{"a": 1}"#, "yes"),
        (
            "{{ with .a }}{{ .b }}{{ end }} {{- \" z\" }}",
            r#"{"a": {"b": true}}"#,
            "true z",
        ),
        (
            "{{ define \"t\" }}<{{ . }}>{{ end }}{{ template \"t\" 3 }}",
            "{}",
            "<3>",
        ),
        (
            "{{ range 3 }}{{ . }}{{ if eq . 1 }}{{ break }}{{ end }}{{ end }}",
            "{}",
            "01",
        ),
        (
            "{{ .a.b.c }}",
            r#"{"a": {"b": null}}"#,
            "template: x:1:5: executing \"x\" at <.a.b.c>: nil pointer evaluating interface {}.c",
        ),
        (
            "{{ eq 1 1.0 }}",
            "{}",
            "template: x:1:3: executing \"x\" at <eq 1 1.0>: error calling eq: incompatible types for comparison: int and float64",
        ),
        ("{{ foo }}", "{}", "template: x:1: function \"foo\" not defined"),
        (
            "{{ printf \"%d %5.1f|%-5s|%q %v %T\" 1 2.25 \"a\" \"b\" .m .m }}",
            r#"{"m": {"z": 1, "a": null}}"#,
            "1   2.2|a    |\"b\" map[a:<nil> z:1] map[string]interface {}",
        ),
        ("{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "{}", "2"),
        ("{{ 12345678.0 }} {{ .n }}", "{}", "1.2345678e+07 <no value>"),
    ] {
        assert_eq!(render(source, data), expect, "{source}");
    }
}

#[test]
fn methods_of_instants_answer_or_refuse_as_go_does() {
    let instant = Time::parse("2006-01-02T15:04:05Z07:00", "2024-05-06T07:08:09Z").expect("it is an instant");
    let place = "template: x:1:5: executing \"x\" at <.t.";
    for (source, expect) in [
        (
            "{{ .t.Location }} {{ printf \"%T\" .t.Location }}",
            "UTC *time.Location".into(),
        ),
        ("{{ .t.Compare .t }} {{ .t.Year }}", "0 2024".into()),
        (
            "{{ .t.Zone }}",
            format!("{place}Zone>: invalid function signature for Zone: second return value should be error; is int"),
        ),
        (
            "{{ .t.Clock }}",
            format!("{place}Clock>: function Clock has 3 return values; should be 1 or 2"),
        ),
        (
            "{{ .t.Clock 1 }}",
            format!("{place}Clock>: wrong number of args for Clock: want 0 got 1"),
        ),
    ] {
        let mut set = TemplateSet::new(Functions::builtins());
        set.parse("x", source).expect("it parses");
        let mut context = Context::new(Arc::new(set), Arc::default(), Limits::default());
        let data = context.heap_mut().map().expect("it fits");
        let value = Value::from(instant.clone());
        context.heap_mut().insert(data, "t", value).expect("it fits");
        let text = match context.execute("x", Value::Map(data)) {
            Ok(text) => String::from_utf8_lossy(&text).into_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(text, expect, "{source}");
    }
}
