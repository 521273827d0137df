//! Whether a schema is one: what the drafts' own schemas demand of each keyword.
//!
//! Helm validates a schema before it is used, and refuses the chart when it is none.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_value::{Map, Number, Value};

use super::document::{Document, Draft};
use super::failure::Failure;
use super::validate::{enum_text, type_name};
use super::{DEPTH, number, text_format};

/// What a keyword's value has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Schema,
    Schemas,
    SchemaMap,
    SchemaOrSchemas,
    Text,
    Id,
    Anchor,
    Flag,
    Number,
    Positive,
    Count,
    Texts,
    Types,
    List,
    Pattern,
    TextsMap,
    Dependencies,
}

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The shape of a keyword in a draft; `None` for what the draft does not know.
fn shape(keyword: &str, draft: Draft) -> Option<Shape> {
    use Draft::{Four, Of2019, Of2020, Seven, Six};
    let since = |first: Draft, shape: Shape| (draft >= first).then_some(shape);
    match keyword {
        "items" if draft < Of2020 => Some(Shape::SchemaOrSchemas),
        "not" | "additionalProperties" | "items" => Some(Shape::Schema),
        "additionalItems" => (draft < Of2020).then_some(Shape::Schema),
        "contains" | "propertyNames" => since(Six, Shape::Schema),
        "if" | "then" | "else" => since(Seven, Shape::Schema),
        "unevaluatedItems" | "unevaluatedProperties" => since(Of2019, Shape::Schema),
        "allOf" | "anyOf" | "oneOf" => Some(Shape::Schemas),
        "prefixItems" => since(Of2020, Shape::Schemas),
        "properties" | "definitions" | "patternProperties" => Some(Shape::SchemaMap),
        "$defs" | "dependentSchemas" => since(Of2019, Shape::SchemaMap),
        "dependentRequired" => since(Of2019, Shape::TextsMap),
        "dependencies" => Some(Shape::Dependencies),
        "title" | "description" | "$schema" | "format" => Some(Shape::Text),
        "$id" if draft >= Of2019 => Some(Shape::Id),
        "$ref" | "$id" => since(Six, Shape::Text),
        "id" => (draft == Four).then_some(Shape::Text),
        "$comment" | "contentEncoding" | "contentMediaType" => since(Seven, Shape::Text),
        "$anchor" => since(Of2019, Shape::Anchor),
        "$dynamicAnchor" => since(Of2020, Shape::Anchor),
        "$dynamicRef" => since(Of2020, Shape::Text),
        "$recursiveRef" => (draft == Of2019).then_some(Shape::Text),
        "$recursiveAnchor" => (draft == Of2019).then_some(Shape::Flag),
        "uniqueItems" => Some(Shape::Flag),
        "readOnly" | "writeOnly" => since(Seven, Shape::Flag),
        "deprecated" => since(Of2019, Shape::Flag),
        "exclusiveMinimum" | "exclusiveMaximum" if draft == Four => Some(Shape::Flag),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => Some(Shape::Number),
        "multipleOf" => Some(Shape::Positive),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => Some(Shape::Count),
        "minContains" | "maxContains" => since(Of2019, Shape::Count),
        "required" => Some(Shape::Texts),
        "type" => Some(Shape::Types),
        "enum" => Some(Shape::List),
        "examples" => since(Six, Shape::List),
        "pattern" => Some(Shape::Pattern),
        _ => None,
    }
}

/// Refuses what is no schema, in the words of Helm.
pub(super) fn check(document: &Document<'_>) -> Result<(), String> {
    let mut checker = Checker {
        draft: document.draft,
        place: Vec::new(),
    };
    let Err(failure) = checker.schema(document.root, 0) else {
        return Ok(());
    };
    let mut text = format!(
        "\"file:///values.schema.json#\" is not valid against metaschema: jsonschema validation failed with '{}'\n",
        document.draft.address()
    );
    for failure in failure.flatten() {
        failure.show(0, false, &mut text);
    }
    text.pop();
    Err(text)
}

/// Whether a text is made of letters and digits, a letter first, and some other characters.
fn is_word(text: &str, first: &str, others: &str) -> bool {
    let mut chars = text.chars();
    let begins = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || first.contains(c));
    begins && chars.all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

#[derive(Debug)]
struct Checker {
    draft: Draft,
    place: Vec<String>,
}

impl Checker {
    fn wants(&self, value: &Value, want: &str) -> Failure {
        Failure::new(&self.place, format!("got {}, want {want}", type_name(value)))
    }

    fn inside<T>(&mut self, key: impl Into<String>, run: impl FnOnce(&mut Self) -> T) -> T {
        self.place.push(key.into());
        let result = run(self);
        self.place.pop();
        result
    }

    fn schema(&mut self, value: &Value, depth: usize) -> Result<(), Failure> {
        if depth > DEPTH {
            return Err(Failure::new(
                &self.place,
                format!("schemas within schemas pass the limit of {DEPTH}"),
            ));
        }
        let map = match value {
            Value::Object(map) => map,
            Value::Bool(_) if self.draft > Draft::Four => return Ok(()),
            _ if self.draft > Draft::Four => return Err(self.wants(value, "boolean or object")),
            _ => return Err(self.wants(value, "object")),
        };
        let mut failures = Vec::new();
        for (key, inner) in super::validate::sorted(map) {
            if let Some(shape) = shape(key, self.draft) {
                let result = self.inside(key, |checker| checker.keyword(shape, inner, depth));
                failures.extend(result.err());
            }
        }
        self.pattern_names(map, &mut failures);
        let outcome = Failure::gather(&self.place, failures);
        // The newer drafts are made of several schemas, all of which have to hold.
        match outcome {
            Err(failure) if self.draft >= Draft::Of2019 => {
                Err(Failure::with_causes(&self.place, "'allOf' failed", [failure].into()))
            }
            other => other,
        }
    }

    fn pattern_names(&mut self, map: &Map, failures: &mut Vec<Failure>) {
        let Some(patterns) = map.get("patternProperties").and_then(Value::as_object) else {
            return;
        };
        for pattern in patterns.keys().filter(|_| self.draft >= Draft::Six) {
            if let Err(reason) = text_format::check_pattern(pattern) {
                let quoted = super::failure::quote(pattern);
                let cause = Failure::new(&[], format!("{quoted} is not valid regex: {reason}"));
                let place = [&self.place[..], &["patternProperties".to_string()]].concat();
                failures.push(Failure::with_causes(
                    &place,
                    format!("invalid propertyName {quoted}"),
                    [cause].into(),
                ));
            }
        }
    }

    fn keyword(&mut self, shape: Shape, value: &Value, depth: usize) -> Result<(), Failure> {
        match shape {
            Shape::Schemas => self.schemas(value, depth),
            Shape::SchemaOrSchemas if value.as_array().is_some() => self.schemas(value, depth),
            Shape::Schema | Shape::SchemaOrSchemas => self.bool_or_schema(value, depth),
            Shape::SchemaMap | Shape::Dependencies | Shape::TextsMap => self.map(shape, value, depth),
            Shape::Text if value.as_str().is_some() => Ok(()),
            Shape::Text => Err(self.wants(value, "string")),
            Shape::Id | Shape::Anchor => self.name(shape, value),
            Shape::Flag if value.as_bool().is_some() => Ok(()),
            Shape::Flag => Err(self.wants(value, "boolean")),
            Shape::Number | Shape::Positive | Shape::Count => self.number(shape, value),
            Shape::Texts => self.texts(value),
            Shape::Types => self.types(value),
            Shape::List if value.as_array().is_some() => Ok(()),
            Shape::List => Err(self.wants(value, "array")),
            Shape::Pattern => match value {
                Value::String(pattern) => text_format::check_pattern(pattern).map_err(|reason| {
                    Failure::new(
                        &self.place,
                        format!("{} is not valid regex: {reason}", super::failure::quote(pattern)),
                    )
                }),
                _ => Err(self.wants(value, "string")),
            },
        }
    }

    /// Draft 4 allows a boolean for additional properties and items only.
    fn bool_or_schema(&mut self, value: &Value, depth: usize) -> Result<(), Failure> {
        let additional = self.place.last().is_some_and(|key| key.starts_with("additional"));
        if self.draft == Draft::Four && additional && value.as_bool().is_some() {
            return Ok(());
        }
        self.schema(value, depth + 1)
    }

    /// A name that the draft restricts: an address whose fragment is empty, or a word.
    fn name(&self, shape: Shape, value: &Value) -> Result<(), Failure> {
        let Some(name) = value.as_str() else {
            return Err(self.wants(value, "string"));
        };
        let latest = self.draft == Draft::Of2020;
        let (holds, pattern) = if shape == Shape::Id {
            let fragment = name.find('#').is_none_or(|at| at + 1 == name.len());
            (fragment, "^[^#]*#?$")
        } else if latest {
            (is_word(name, "_", "-._"), "^[A-Za-z_][-A-Za-z0-9._]*$")
        } else {
            (is_word(name, "", "-.:_"), "^[A-Za-z][-A-Za-z0-9.:_]*$")
        };
        if holds {
            return Ok(());
        }
        let text = format!("{} does not match pattern '{pattern}'", super::failure::quote(name));
        Err(Failure::new(&self.place, text))
    }

    fn schemas(&mut self, value: &Value, depth: usize) -> Result<(), Failure> {
        let Some(items) = value.as_array() else {
            return Err(self.wants(value, "array"));
        };
        if items.is_empty() {
            return Err(Failure::new(&self.place, "minItems: got 0, want 1"));
        }
        let mut failures = Vec::new();
        for (index, item) in items.iter().enumerate() {
            failures.extend(
                self.inside(index.to_string(), |checker| checker.schema(item, depth + 1))
                    .err(),
            );
        }
        Failure::gather(&self.place, failures)
    }

    fn map(&mut self, shape: Shape, value: &Value, depth: usize) -> Result<(), Failure> {
        let Some(map) = value.as_object() else {
            return Err(self.wants(value, "object"));
        };
        let mut failures = Vec::new();
        for (key, inner) in super::validate::sorted(map) {
            let texts = shape == Shape::TextsMap || shape == Shape::Dependencies && inner.as_array().is_some();
            let result = self.inside(key, |checker| {
                if texts {
                    checker.texts(inner)
                } else {
                    checker.schema(inner, depth + 1)
                }
            });
            failures.extend(result.err());
        }
        Failure::gather(&self.place, failures)
    }

    fn number(&self, shape: Shape, value: &Value) -> Result<(), Failure> {
        let want = if shape == Shape::Count { "integer" } else { "number" };
        let Value::Number(number) = value else {
            return Err(self.wants(value, want));
        };
        if shape == Shape::Count && !number::is_integer(number) {
            return Err(self.wants(value, want));
        }
        let shown = number::display(number);
        let zero = number::compare(number, &Number::Int(0));
        match shape {
            Shape::Count if zero.is_lt() => Err(Failure::new(&self.place, format!("minimum: got {shown}, want 0"))),
            Shape::Positive if zero.is_le() => Err(Failure::new(
                &self.place,
                format!("exclusiveMinimum: got {shown}, want 0"),
            )),
            _ => Ok(()),
        }
    }

    fn texts(&self, value: &Value) -> Result<(), Failure> {
        let Some(items) = value.as_array() else {
            return Err(self.wants(value, "array"));
        };
        if items.is_empty() && self.draft == Draft::Four {
            return Err(Failure::new(&self.place, "minItems: got 0, want 1"));
        }
        let mut failures = Vec::new();
        for (index, item) in items.iter().enumerate() {
            if let Some(first) = items[..index].iter().position(|first| first == item) {
                failures.push(Failure::new(
                    &self.place,
                    format!("items at {first} and {index} are equal"),
                ));
                break;
            }
        }
        for (index, item) in items.iter().enumerate().filter(|(_, item)| item.as_str().is_none()) {
            let place = [&self.place[..], &[index.to_string()]].concat();
            failures.push(Failure::new(&place, format!("got {}, want string", type_name(item))));
        }
        Failure::gather(&self.place, failures)
    }

    fn types(&self, value: &Value) -> Result<(), Failure> {
        let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
        let wrong = |place: &[String]| {
            let names: Vec<Value> = TYPES.into_iter().map(Value::from).collect();
            Failure::new(place, enum_text(&names))
        };
        let second = match value {
            _ if known(value) => return Ok(()),
            Value::Array(items) if items.is_empty() => Failure::new(&self.place, "minItems: got 0, want 1"),
            Value::Array(items) => match items.iter().position(|item| !known(item)) {
                Some(index) => wrong(&[&self.place[..], &[index.to_string()]].concat()),
                None if (1..items.len()).any(|index| items[..index].contains(&items[index])) => {
                    Failure::new(&self.place, "items at 0 and 1 are equal")
                }
                None => return Ok(()),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                self.wants(value, "array")
            }
        };
        Err(Failure::with_causes(
            &self.place,
            "'anyOf' failed",
            [wrong(&self.place), second].into(),
        ))
    }
}
