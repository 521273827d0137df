//! Patches: the examples of the RFCs, where Go departs from them, and the bounds.

use convoy_value::{Limits, Value, json, patch};

fn value(text: &str) -> Value {
    json::parse(text, &Limits::default()).expect(text)
}

fn check(document: &str, operations: &str, expect: Result<&str, &str>) {
    let result = patch::apply(&value(document), &value(operations), &Limits::default());
    let result = result
        .map(|value| json::to_canonical(&value))
        .map_err(|error| error.to_string());
    assert_eq!(
        result.as_deref().map_err(String::as_str),
        expect,
        "{document} {operations}"
    );
}

#[test]
fn operations_apply_in_order() {
    check(
        r#"{"foo":"bar"}"#,
        r#"[{"op":"add","path":"/baz","value":"qux"}]"#,
        Ok(r#"{"baz":"qux","foo":"bar"}"#),
    );
    check(
        r#"{"foo":["bar","baz"]}"#,
        r#"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
        Ok(r#"{"foo":["bar","qux","baz"]}"#),
    );
    check(
        r#"{"foo":["bar"]}"#,
        r#"[{"op":"add","path":"/foo/-","value":["abc"]}]"#,
        Ok(r#"{"foo":["bar",["abc"]]}"#),
    );
    check(
        r#"{"a":1,"b":2}"#,
        r#"[{"op":"remove","path":"/a"},{"op":"replace","path":"/b","value":3}]"#,
        Ok(r#"{"b":3}"#),
    );
    check(
        r#"{"a":{"x":1},"b":{}}"#,
        r#"[{"op":"move","from":"/a/x","path":"/b/y"}]"#,
        Ok(r#"{"a":{},"b":{"y":1}}"#),
    );
    check(
        r#"{"a":[1,2,3]}"#,
        r#"[{"op":"move","from":"/a/0","path":"/a/2"}]"#,
        Ok(r#"{"a":[2,3,1]}"#),
    );
    check(
        r#"{"a":{"b":[1]}}"#,
        r#"[{"op":"copy","from":"/a","path":"/c"},{"op":"add","path":"/c/b/-","value":2}]"#,
        Ok(r#"{"a":{"b":[1]},"c":{"b":[1,2]}}"#),
    );
    check(
        r#"{"a/b":1,"m~n":2}"#,
        r#"[{"op":"test","path":"/a~1b","value":1},{"op":"remove","path":"/m~0n"}]"#,
        Ok(r#"{"a/b":1}"#),
    );
}

#[test]
fn go_takes_some_that_the_rfc_refuses() {
    check(
        r#"{"a":1}"#,
        r#"[{"op":"replace","path":"/b","value":2}]"#,
        Ok(r#"{"a":1,"b":2}"#),
    );
    check(
        r#"{"a":1}"#,
        r#"[{"op":"copy","from":"/b","path":"/c"}]"#,
        Ok(r#"{"a":1,"c":null}"#),
    );
    check(
        r#"{"a":[1,2]}"#,
        r#"[{"op":"remove","path":"/a/-1"}]"#,
        Ok(r#"{"a":[1]}"#),
    );
    check(
        r#"{"a":[1,2]}"#,
        r#"[{"op":"add","path":"/a/-1","value":3}]"#,
        Ok(r#"{"a":[1,2,3]}"#),
    );
    check("{}", r#"[{"op":"test","path":"/a","value":null}]"#, Ok("{}"));
}

#[test]
fn what_does_not_apply_names_the_operation_and_its_path() {
    let missing = |index, path: &str| format!("operation {index}: the path `{path}` is missing");
    check("{}", r#"[{"op":"remove","path":"/a"}]"#, Err(&missing(0, "/a")));
    check(
        "{}",
        r#"[{"op":"add","path":"/a","value":1},{"op":"add","path":"/b/c","value":1}]"#,
        Err(&missing(1, "/b/c")),
    );
    check(
        r#"{"a":[]}"#,
        r#"[{"op":"add","path":"/a/1","value":1}]"#,
        Err(&missing(0, "/a/1")),
    );
    check(
        r#"{"a":1}"#,
        r#"[{"op":"add","path":"/a/b","value":1}]"#,
        Err(&missing(0, "/a/b")),
    );
    check(
        r#"{"a":1}"#,
        r#"[{"op":"test","path":"/a","value":2}]"#,
        Err("operation 0: the value at `/a` is not the one that is tested for"),
    );
    check(
        "{}",
        r#"[{"op":"frob","path":"/a"}]"#,
        Err("the patch is malformed: the kinds are add, remove, replace, move, copy and test"),
    );
    check(
        "{}",
        r#"{"op":"add"}"#,
        Err("the patch is malformed: a patch is a list of operations"),
    );
}

#[test]
fn merges_drop_nulls_and_replace_sequences() {
    for (document, change, expect) in [
        (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
        (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (
            r#"{"a":{"b":"c"}}"#,
            r#"{"a":{"b":"d","c":null}}"#,
            r#"{"a":{"b":"d"}}"#,
        ),
        (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
        (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
        ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
    ] {
        let merged = patch::merge(&value(document), &value(change), &Limits::default()).unwrap();
        assert_eq!(json::to_canonical(&merged), expect, "{document} {change}");
    }
    assert!(patch::merge(&value("{}"), &value("1"), &Limits::default()).is_err());
}

#[test]
fn copies_can_not_make_a_document_grow_without_bound() {
    // Each copy nests one level deeper.
    let nesting = format!(
        "[{}]",
        vec![r#"{"op":"copy","from":"/a","path":"/a/a"}"#; 300].join(",")
    );
    let error = patch::apply(&value(r#"{"a":{"b":1}}"#), &value(&nesting), &Limits::default()).unwrap_err();
    assert_eq!(
        error,
        patch::Error::Limit {
            of: "levels of nesting",
            limit: 200
        }
    );
    // Each copy doubles the size.
    let doubling = format!("[{}]", vec![r#"{"op":"copy","from":"/a","path":"/a/-"}"#; 60].join(","));
    let limits = Limits {
        alias_bytes: 10_000,
        ..Limits::default()
    };
    let error = patch::apply(&value(r#"{"a":["x"]}"#), &value(&doubling), &limits).unwrap_err();
    assert_eq!(
        error,
        patch::Error::Limit {
            of: "copied bytes",
            limit: 10_000
        }
    );
    let many = format!(
        "[{}]",
        vec![r#"{"op":"add","path":"/a","value":1}"#; patch::MAX_OPERATIONS + 1].join(",")
    );
    let error = patch::apply(&value("{}"), &value(&many), &Limits::default()).unwrap_err();
    assert_eq!(
        error,
        patch::Error::Limit {
            of: "operations",
            limit: patch::MAX_OPERATIONS
        }
    );
}
