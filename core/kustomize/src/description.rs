//! What a description of types may look like: the files of `crds`, and the one of `openapi.path`.
//!
//! kustomize decodes them into Go structures before it looks for what it needs, and refuses what does not fit, also where it
//! would never look. The tables below are those structures.

use alloc::format;
use alloc::string::{String, ToString as _};

use convoy_value::{Map, Value};

/// How deep schemas may nest.
const MAX_DEPTH: usize = 200;

type Result = core::result::Result<(), String>;
type Fields = &'static [(&'static str, Shape)];

/// What may stand in a field, besides null.
#[derive(Clone, Copy)]
enum Shape {
    Any,
    Text,
    Flag,
    Number,
    Whole,
    Texts,
    List,
    /// A text, or a list of texts.
    TextOrTexts,
    Object(&'static [Fields]),
    Objects(&'static [Fields]),
    Map(&'static Shape),
    Maps(&'static Shape),
    Schema,
    Schemas,
    /// A schema or a boolean.
    SchemaOrFlag,
    /// A schema, a list of them, or anything else.
    SchemaOrSchemas,
    /// A schema, a list of texts, or anything else.
    SchemaOrTexts,
    /// Keys that begin with `/` hold what can be asked there.
    Paths,
    /// Numbers, and `default`.
    Responses,
}

use Shape::{
    Any, Flag, List, Maps, Number, Object, Objects, Paths, Responses, Schema, SchemaOrFlag, SchemaOrSchemas,
    SchemaOrTexts, Schemas, Text, TextOrTexts, Texts, Whole,
};

const BOUNDS: Fields = &[
    ("maximum", Number),
    ("exclusiveMaximum", Flag),
    ("minimum", Number),
    ("exclusiveMinimum", Flag),
    ("maxLength", Whole),
    ("minLength", Whole),
    ("pattern", Text),
    ("maxItems", Whole),
    ("minItems", Whole),
    ("uniqueItems", Flag),
    ("multipleOf", Number),
    ("enum", List),
];

const SCHEMA: Fields = &[
    ("id", Text),
    ("description", Text),
    ("type", TextOrTexts),
    ("nullable", Flag),
    ("format", Text),
    ("title", Text),
    ("maxProperties", Whole),
    ("minProperties", Whole),
    ("required", Texts),
    ("items", SchemaOrSchemas),
    ("allOf", Schemas),
    ("oneOf", Schemas),
    ("anyOf", Schemas),
    ("not", Schema),
    ("properties", Shape::Map(&Schema)),
    ("additionalProperties", SchemaOrFlag),
    ("patternProperties", Shape::Map(&Schema)),
    ("dependencies", Shape::Map(&SchemaOrTexts)),
    ("additionalItems", SchemaOrFlag),
    ("definitions", Shape::Map(&Schema)),
    ("discriminator", Text),
    ("readOnly", Flag),
    ("externalDocs", Object(&[DOCUMENTATION])),
];

const DOCUMENTATION: Fields = &[("description", Text), ("url", Text)];

/// The type of a parameter, a header, or an element of one.
const SIMPLE: Fields = &[
    ("type", Text),
    ("nullable", Flag),
    ("format", Text),
    ("collectionFormat", Text),
];

const PARAMETER: Fields = &[
    ("description", Text),
    ("name", Text),
    ("in", Text),
    ("required", Flag),
    ("schema", Schema),
    ("allowEmptyValue", Flag),
    ("items", Object(&[SIMPLE, BOUNDS])),
];

const PARAMETERS: Shape = Objects(&[PARAMETER, SIMPLE, BOUNDS]);

const HEADER: Fields = &[("description", Text), ("items", Object(&[SIMPLE, BOUNDS]))];

const RESPONSE: Fields = &[
    ("description", Text),
    ("schema", Schema),
    ("headers", Shape::Map(&Object(&[HEADER, SIMPLE, BOUNDS]))),
    ("examples", Shape::Map(&Any)),
];

const OPERATION: Fields = &[
    ("description", Text),
    ("consumes", Texts),
    ("produces", Texts),
    ("schemes", Texts),
    ("tags", Texts),
    ("summary", Text),
    ("externalDocs", Object(&[DOCUMENTATION])),
    ("operationId", Text),
    ("deprecated", Flag),
    ("security", Maps(&Texts)),
    ("parameters", PARAMETERS),
    ("responses", Responses),
];

const PATH: Fields = &[
    ("get", Object(&[OPERATION])),
    ("put", Object(&[OPERATION])),
    ("post", Object(&[OPERATION])),
    ("delete", Object(&[OPERATION])),
    ("options", Object(&[OPERATION])),
    ("head", Object(&[OPERATION])),
    ("patch", Object(&[OPERATION])),
    ("parameters", PARAMETERS),
];

const DESCRIPTION: Fields = &[
    ("id", Text),
    ("consumes", Texts),
    ("produces", Texts),
    ("schemes", Texts),
    ("swagger", Text),
    ("info", Object(&[INFORMATION])),
    ("host", Text),
    ("basePath", Text),
    ("paths", Paths),
    ("definitions", Shape::Map(&Schema)),
    ("parameters", Shape::Map(&Object(&[PARAMETER, SIMPLE, BOUNDS]))),
    ("responses", Shape::Map(&Object(&[RESPONSE]))),
    ("securityDefinitions", Shape::Map(&Object(&[SECURITY]))),
    ("security", Maps(&Texts)),
    ("tags", Objects(&[TAG])),
    ("externalDocs", Object(&[DOCUMENTATION])),
];

const INFORMATION: Fields = &[
    ("description", Text),
    ("title", Text),
    ("termsOfService", Text),
    ("contact", Object(&[&[("name", Text), ("url", Text), ("email", Text)]])),
    ("license", Object(&[&[("name", Text), ("url", Text)]])),
    ("version", Text),
];

const SECURITY: Fields = &[
    ("description", Text),
    ("type", Text),
    ("name", Text),
    ("in", Text),
    ("flow", Text),
    ("authorizationUrl", Text),
    ("tokenUrl", Text),
    ("scopes", Shape::Map(&Text)),
];

const TAG: Fields = &[
    ("description", Text),
    ("name", Text),
    ("externalDocs", Object(&[DOCUMENTATION])),
];

/// Looks at a file of `openapi.path`.
///
/// # Errors
/// When it is no description of types, with the path to what does not fit.
pub(crate) fn check_openapi(description: &Value) -> Result {
    Object(&[DESCRIPTION]).check(description, 0)?;
    for (path, methods) in entries(description.get("paths")) {
        if let Some(gvk) = methods.at(&["get", GVK]) {
            check_type(gvk).map_err(|problem| format!("`paths`: `{path}`: `get`: {problem}"))?;
        }
    }
    for (name, definition) in entries(description.get("definitions")) {
        let types = definition.get(GVK).and_then(Value::as_array).unwrap_or_default();
        types
            .iter()
            .try_for_each(check_type)
            .map_err(|problem| format!("`definitions`: `{name}`: {problem}"))?;
    }
    Ok(())
}

/// Looks at a file of `crds`: types by their names, each with a schema.
///
/// # Errors
/// When it is none, with the path to what does not fit.
pub(crate) fn check_types(types: &Value) -> Result {
    let types = match types {
        Value::Object(types) => types,
        Value::Null => return Ok(()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err("a mapping of types was expected".into());
        }
    };
    for (name, definition) in types.iter() {
        let in_type = |problem| format!("`{name}`: {problem}");
        Object(&[]).check(definition, 0).map_err(in_type)?;
        for (key, value) in entries(Some(definition)) {
            let shape = match () {
                () if key.eq_ignore_ascii_case("schema") => Schema,
                () if key.eq_ignore_ascii_case("dependencies") => List,
                () => Any,
            };
            shape
                .check(value, 0)
                .map_err(|problem| in_type(format!("`{key}`: {problem}")))?;
        }
    }
    Ok(())
}

const GVK: &str = "x-kubernetes-group-version-kind";

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

/// A type that is named in a mapping needs a version and a kind.
fn check_type(gvk: &Value) -> Result {
    let lacks = |key: &str| gvk.as_object().is_some() && gvk.get(key).and_then(Value::as_str).is_none();
    match ["version", "kind"].into_iter().find(|key| lacks(key)) {
        Some(key) => Err(format!("`{GVK}`: `{key}`: a text was expected")),
        None => Ok(()),
    }
}

fn is_extension(key: &str) -> bool {
    key.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("x-"))
}

impl Shape {
    fn check(self, value: &Value, depth: usize) -> Result {
        if depth > MAX_DEPTH {
            return Err(format!("schemas nest deeper than the limit of {MAX_DEPTH} levels"));
        }
        match (self, value) {
            (_, Value::Null)
            | (Any | SchemaOrSchemas | SchemaOrTexts, Value::Bool(_) | Value::Number(_) | Value::String(_))
            | (Any, Value::Array(_) | Value::Object(_))
            | (Text | TextOrTexts, Value::String(_))
            | (Flag | SchemaOrFlag, Value::Bool(_))
            | (Number, Value::Number(_))
            | (List, Value::Array(_)) => Ok(()),
            (Whole, Value::Number(_)) if value.as_i64().is_some() => Ok(()),
            (Texts | TextOrTexts | SchemaOrTexts, Value::Array(items)) => Text.check_all(items, depth),
            (Schemas | SchemaOrSchemas, Value::Array(items)) => Schema.check_all(items, depth),
            (Objects(fields), Value::Array(items)) => Object(fields).check_all(items, depth),
            (Maps(inner), Value::Array(items)) => Self::Map(inner).check_all(items, depth),
            (Object(fields), Value::Object(map)) => {
                fields.iter().try_for_each(|fields| check_fields(fields, map, depth))
            }
            (Schema | SchemaOrFlag | SchemaOrSchemas | SchemaOrTexts, Value::Object(map)) => {
                if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                    check_reference(reference)?;
                }
                check_fields(SCHEMA, map, depth)?;
                check_fields(BOUNDS, map, depth)
            }
            (Self::Map(inner), Value::Object(map)) => check_entries(map, depth, |_| *inner),
            (Paths, Value::Object(map)) => {
                check_entries(
                    map,
                    depth,
                    |key| {
                        if key.starts_with('/') { Object(&[PATH]) } else { Any }
                    },
                )
            }
            (Responses, Value::Object(map)) => check_entries(map, depth, |key| {
                if key == "default" || key.parse::<i64>().is_ok() {
                    Object(&[RESPONSE])
                } else {
                    Any
                }
            }),
            (wanted, _) => Err(format!("{} was expected", wanted.name())),
        }
    }

    fn check_all(self, items: &[Value], depth: usize) -> Result {
        items.iter().try_for_each(|item| self.check(item, depth + 1))
    }

    fn name(self) -> &'static str {
        match self {
            Any => "anything",
            Text => "a text",
            Flag => "a boolean",
            Number => "a number",
            Whole => "a whole number",
            Texts => "a list of texts",
            TextOrTexts => "a text or a list of texts",
            List | Objects(_) | Maps(_) | Schemas => "a list",
            SchemaOrFlag => "a schema or a boolean",
            Schema | SchemaOrSchemas | SchemaOrTexts => "a schema",
            Object(_) | Self::Map(_) | Paths | Responses => "a mapping",
        }
    }
}

fn check_fields(fields: Fields, map: &Map, depth: usize) -> Result {
    for (name, shape) in fields {
        if let Some(value) = map.get(name) {
            shape
                .check(value, depth + 1)
                .map_err(|problem| format!("`{name}`: {problem}"))?;
        }
    }
    Ok(())
}

fn check_entries(map: &Map, depth: usize, shape: impl Fn(&str) -> Shape) -> Result {
    for (key, value) in map.iter().filter(|(key, _)| !is_extension(key)) {
        shape(key)
            .check(value, depth + 1)
            .map_err(|problem| format!("`{key}`: {problem}"))?;
    }
    Ok(())
}

/// A reference must be a URL, as Go sees one.
fn check_reference(text: &str) -> Result {
    let bytes = text.as_bytes();
    let escapes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%');
    let broken = escapes.into_iter().any(|(at, _)| {
        let digits = bytes.get(at + 1..at + 3).unwrap_or_default();
        digits.len() < 2 || !digits.iter().all(u8::is_ascii_hexdigit)
    });
    let host = text
        .split_once("//")
        .map_or("", |(_, rest)| rest.split('/').next().unwrap_or_default());
    let open = host.contains('[') && !host.contains(']');
    if broken || open || text.starts_with(':') || text.contains(|c: char| c.is_ascii_control()) {
        return Err("`$ref`: a URL was expected".to_string());
    }
    Ok(())
}
