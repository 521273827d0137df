use convoy_value::yaml;

use super::*;

fn check(schema: &str, values: &str, expect: &str) {
    let values = yaml::helm::parse_values(values, &Limits::default()).unwrap();
    let got = validate(schema.as_bytes(), &values).err().unwrap_or_default();
    assert_eq!(got, expect, "{schema} {values:?}");
}

#[test]
fn kinds_of_values_are_told_apart() {
    check(r#"{"type":"string"}"#, "a: 1", "- at '': got object, want string\n");
    let schema = r#"{"properties":{"a":{"type":["integer","null"]}}}"#;
    check(schema, "a: 1.5", "- at '/a': got number, want null or integer\n");
    check(schema, "a: 2.0", "");
    check(schema, "a: null", "");
    check("false", "{}", "- at '': false schema\n");
    check("true", "{}", "");
}

#[test]
fn bounds_are_said_as_helm_says_them() {
    let schema = r#"{"properties":{"a":{"minimum":2000000},"b":{"maxLength":1},"f":{"multipleOf":0.1,"maximum":1.5,"exclusiveMinimum":3}}}"#;
    check(
        schema,
        "b: xx\nf: 2.3",
        "- at '/b': maxLength: got 2, want 1\n- at '/f': validation failed\n  - at '/f': maximum: got 2.3, want 1.5\n  - at '/f': exclusiveMinimum: got 2.3, want 3\n",
    );
    check(
        schema,
        "a: 1234567",
        "- at '/a': minimum: got 1.234567×10⁰⁶, want 2×10⁰⁶\n",
    );
    check(schema, "b: xxx", "- at '/b': maxLength: got 3, want 1\n");
    check(
        r#"{"properties":{"a":{"multipleOf":1000}}}"#,
        "a: 999999",
        "- at '/a': multipleOf: got 999,999, want 1,000\n",
    );
}

#[test]
fn members_are_demanded_and_refused() {
    check(
        r#"{"required":["x","y"],"additionalProperties":false,"properties":{"e":{"enum":["a",1,null,true]},"c":{"const":5}}}"#,
        "e: z\nc: 6\nzz: 1",
        "- at '': missing properties 'x', 'y'\n- at '/c': value must be 5\n- at '/e': value must be one of 'a', 1, <nil>, true\n- at '': additional properties 'zz' not allowed\n",
    );
    check(
        r#"{"properties":{"p":{"propertyNames":{"maxLength":1}}}}"#,
        "p: {abc: 1}",
        "- at '': invalid propertyName 'abc'\n  - at '': maxLength: got 3, want 1\n",
    );
    check(
        r#"{"dependentRequired":{"a":["b"]}}"#,
        "a: 1",
        "- at '': properties 'b' required, if 'a' exists\n",
    );
    check(
        r#"{"patternProperties":{"^x":{"type":"string"}}}"#,
        "xa: 1",
        "- at '/xa': got number, want string\n",
    );
}

#[test]
fn lists_are_looked_into() {
    check(
        r#"{"properties":{"l":{"uniqueItems":true,"items":{"type":"string"},"minItems":5,"contains":{"const":9}}}}"#,
        "l: [1, 1]",
        "- at '/l': minItems: got 2, want 5\n- at '/l': items at 0 and 1 are equal\n- at '/l/0': got number, want string\n- at '/l/1': got number, want string\n- at '/l': no items match contains schema\n  - at '/l/0': value must be 9\n  - at '/l/1': value must be 9\n",
    );
    let draft7 = r#"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"l":{"items":[{}],"additionalItems":false}}}"#;
    check(draft7, "l: [1, 2]", "- at '/l': last 1 additionalItem(s) not allowed\n");
    check(
        r#"{"properties":{"l":{"prefixItems":[{"type":"null"}],"items":{"type":"boolean"}}}}"#,
        "l: [null, true]",
        "",
    );
}

#[test]
fn schemas_are_combined() {
    check(
        r#"{"properties":{"a":{"not":{"type":"number"},"if":{"type":"number"},"then":{"minimum":2}}}}"#,
        "a: 1",
        "- at '/a': 'not' failed\n- at '/a': minimum: got 1, want 2\n",
    );
    check(
        r#"{"oneOf":[{"required":["a"]},{"required":["b"]}]}"#,
        "{a: 1, b: 1}",
        "- at '': 'oneOf' failed, subschemas 0, 1 matched\n",
    );
    check(
        r##"{"$defs":{"x":{"properties":{"q":{"type":"string"}}}},"properties":{"a":{"anyOf":[{"$ref":"#/$defs/x"},{"required":["k"]}]}}}"##,
        "a: {q: 1}",
        "- at '/a': 'anyOf' failed\n  - at '/a/q': got number, want string\n  - at '/a': missing property 'k'\n",
    );
    check(
        r#"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#,
        "{a: 1, b: 2}",
        "- at '/b': false schema\n",
    );
}

#[test]
fn references_stay_in_the_document() {
    check(
        r##"{"$ref":"#/definitions/nope"}"##,
        "{}",
        "json-pointer in \"file:///values.schema.json#/definitions/nope\" not found",
    );
    check(
        r#"{"properties":{"a":{"$ref":"/etc/passwd"}}}"#,
        "a: 1",
        "failing loading \"file:///etc/passwd\": schemas outside of the chart's own are not loaded",
    );
    check(r##"{"$ref":"#"}"##, "{}", "- at '': the schema refers to itself\n");
    let tree = r##"{"properties":{"next":{"$ref":"#"},"v":{"type":"number"}}}"##;
    check(
        tree,
        "{next: {next: {v: x}}}",
        "- at '/next/next/v': got string, want number\n",
    );
}

#[test]
fn what_is_no_schema_is_refused() {
    let head = |draft: &str| {
        format!(
            "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with '{draft}'\n"
        )
    };
    let new = head("https://json-schema.org/draft/2020-12/schema#");
    check(
        r#"{"properties":{"a":{"required":true}}}"#,
        "{}",
        &format!(
            "{new}- at '': 'allOf' failed\n  - at '/properties/a': 'allOf' failed\n    - at '/properties/a/required': got boolean, want array"
        ),
    );
    check(
        r##"{"properties":{"a":{"$id":"#/properties/a"}}}"##,
        "{}",
        &format!(
            "{new}- at '': 'allOf' failed\n  - at '/properties/a': 'allOf' failed\n    - at '/properties/a/$id': '#/properties/a' does not match pattern '^[^#]*#?$'"
        ),
    );
    check("[]", "{}", &format!("{new}- at '': got array, want boolean or object"));
    let old = r#"{"$schema":"http://json-schema.org/draft-04/schema#","additionalProperties":false,"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}"#;
    check(old, "a: 1", "- at '/a': exclusiveMinimum: got 1, want 1\n");
}

#[test]
fn formats_count_in_older_drafts_only() {
    let schema =
        |draft: &str, format: &str| format!(r#"{{"$schema":"{draft}","properties":{{"a":{{"format":"{format}"}}}}}}"#);
    let old = |format: &str| schema("http://json-schema.org/draft-07/schema#", format);
    check(
        &old("ipv4"),
        "a: 1.2.3",
        "- at '/a': '1.2.3' is not valid ipv4: expected four decimals\n",
    );
    check(
        &old("uri"),
        "a: '::'",
        "- at '/a': '::' is not valid uri: parse \"::\": missing protocol scheme\n",
    );
    check(&old("email"), "a: x", "- at '/a': 'x' is not valid email: missing @\n");
    check(
        &old("hostname"),
        "a: _",
        "- at '/a': '_' is not valid hostname: invalid character '_'\n",
    );
    check(&old("date-time"), "a: 2020-02-29T23:59:60Z", "");
    check(
        &schema("https://json-schema.org/draft/2020-12/schema", "ipv4"),
        "a: x",
        "",
    );
}

#[test]
fn a_schema_cannot_take_forever() {
    let mut schema = String::from("{}");
    for _ in 0..40 {
        schema = format!(r#"{{"anyOf":[{{"not":{{"type":"object"}}}},{{"allOf":[{schema}]}}]}}"#);
    }
    check(&schema, "{}", "");
    let wide = r##"{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/c"},{"$ref":"#/$defs/c"}]},"c":{"additionalProperties":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}"##;
    let deep = format!("{}1{}", "{a: ".repeat(30), "}".repeat(30));
    check(wide, &deep, "the schema passes the limit of 2000000 steps");
}
