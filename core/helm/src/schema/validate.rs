//! Applying schemas to values: what is common to all kinds of value.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_value::{Map, Number, Value};

use super::document::{Document, Draft, join};
use super::failure::{Failure, Kind, quote};
use super::{DEPTH, STEPS, number, text_format};
use crate::gofloat;
use crate::reason::Reason;

/// The members and elements that some schema has looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) members: BTreeSet<String>,
    pub(super) elements: BTreeSet<usize>,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.members.extend(other.members);
        self.elements.extend(other.elements);
    }
}

/// What a schema says about a value, and what it looked at.
pub(super) type Outcome = Result<Seen, Failure>;

/// One validation: the path to the value, and what is left of the limits.
#[derive(Debug)]
pub(super) struct Validator<'d, 's> {
    pub(super) document: &'d Document<'s>,
    pub(super) place: Vec<String>,
    steps: usize,
    /// References followed without going deeper into the value.
    chain: Vec<*const Value>,
    depth: usize,
}

/// A schema with the base of the references in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'b, 's> {
    pub(super) schema: &'s Map,
    pub(super) base: &'b str,
}

impl<'d, 's> Validator<'d, 's> {
    pub(super) fn new(document: &'d Document<'s>) -> Self {
        Self {
            document,
            place: Vec::new(),
            steps: 0,
            chain: Vec::new(),
            depth: 0,
        }
    }

    /// Validates a whole value; the text of all that is wrong.
    pub(super) fn run(&mut self, value: &Value) -> Result<(), Reason> {
        let base = self.document.base();
        let Err(failure) = self.apply(self.document.root, &base, value) else {
            return Ok(());
        };
        if let Some(limit) = failure.limit() {
            return Err(Reason::plain(limit));
        }
        Err(failure.reason())
    }

    pub(super) fn fail(&self, text: impl Into<String>) -> Failure {
        Failure::new(&self.place, text)
    }

    fn limit(&self, text: &str) -> Failure {
        Failure {
            place: self.place.clone(),
            kind: Kind::Limit(text.into()),
            causes: Vec::new(),
        }
    }

    /// Applies a schema to the value at hand.
    pub(super) fn apply(&mut self, schema: &'s Value, base: &str, value: &Value) -> Outcome {
        let map = match schema {
            Value::Bool(false) => return Err(self.fail("false schema")),
            Value::Object(map) => map,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Ok(Seen::default());
            }
        };
        self.steps += 1;
        if self.steps > STEPS {
            return Err(self.limit(&format!("the schema passes the limit of {STEPS} steps")));
        }
        if self.depth >= DEPTH {
            return Err(self.limit(&format!(
                "the schema passes the limit of {DEPTH} schemas within schemas"
            )));
        }
        if self.chain.iter().any(|known| core::ptr::eq(*known, schema)) {
            return Err(self.fail("the schema refers to itself"));
        }
        self.chain.push(schema);
        self.depth += 1;
        let id = if self.document.draft == Draft::Four {
            "id"
        } else {
            "$id"
        };
        let inner = map.get(id).and_then(Value::as_str).filter(|id| !id.starts_with('#'));
        let inner = inner.map_or_else(
            || base.to_string(),
            |id| join(base, id.split('#').next().unwrap_or_default()),
        );
        let outcome = self.apply_map(
            At {
                schema: map,
                base: &inner,
            },
            value,
        );
        self.depth -= 1;
        self.chain.pop();
        outcome
    }

    /// Applies a schema to something in the value at hand.
    pub(super) fn apply_inside(
        &mut self,
        schema: &'s Value,
        base: &str,
        value: &Value,
        key: &str,
    ) -> Result<(), Failure> {
        let chain = core::mem::take(&mut self.chain);
        self.place.push(key.to_string());
        let outcome = self.apply(schema, base, value);
        self.place.pop();
        self.chain = chain;
        outcome.map(|_| ())
    }

    fn apply_map(&mut self, at: At<'_, 's>, value: &Value) -> Outcome {
        let draft = self.document.draft;
        let mut seen = Seen::default();
        let mut failures = Vec::new();
        if draft < Draft::Of2019
            && let Some(reference) = at.schema.get("$ref").and_then(Value::as_str)
        {
            return self.reference(reference, at.base, value);
        }
        self.simple(at.schema, value)?;
        for key in ["$ref", "$recursiveRef", "$dynamicRef"] {
            let reference = at.schema.get(key).and_then(Value::as_str);
            let known = key == "$ref" || draft >= Draft::Of2019;
            if let Some(reference) = reference.filter(|_| known) {
                match self.reference(reference, at.base, value) {
                    Ok(more) => seen.add(more),
                    Err(failure) => failures.push(failure),
                }
            }
        }
        match value {
            Value::Object(map) => self.object(at, map, value, &mut seen, &mut failures),
            Value::Array(items) => self.array(at, items, &mut seen, &mut failures),
            Value::String(text) => self.text(at.schema, text, &mut failures),
            Value::Number(number) => self.number(at.schema, number, &mut failures),
            Value::Null | Value::Bool(_) => {}
        }
        self.combined(at, value, &mut seen, &mut failures);
        if draft >= Draft::Of2019 && self.document.tracks {
            self.unevaluated(at, value, &mut seen, &mut failures);
        }
        Failure::gather(&self.place, failures).map(|()| seen)
    }

    fn reference(&mut self, reference: &str, base: &str, value: &Value) -> Outcome {
        let (schema, base) = match self.document.resolve(reference, base) {
            Ok(found) => found,
            Err(reason) => return Err(self.limit(&reason)),
        };
        self.apply(schema, &base, value).map_err(|failure| Failure {
            place: self.place.clone(),
            kind: Kind::Reference,
            causes: failure.flatten(),
        })
    }

    /// Type, const, enum and format: the first that fails ends the matter.
    fn simple(&self, schema: &Map, value: &Value) -> Result<(), Failure> {
        let wanted = types(schema.get("type"));
        if !wanted.is_empty() && !wanted.iter().any(|want| has_type(value, want)) {
            let got = type_name(value);
            return Err(self.fail(format!("got {got}, want {}", wanted.join(" or "))));
        }
        if let Some(wanted) = schema.get("const").filter(|_| self.document.draft >= Draft::Six)
            && !equal(value, wanted)
        {
            return Err(self.fail(match wanted {
                Value::Array(_) | Value::Object(_) => "'const' failed".to_string(),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                    format!("value must be {}", display(wanted))
                }
            }));
        }
        if let Some(wanted) = schema.get("enum").and_then(Value::as_array)
            && !wanted.iter().any(|wanted| equal(value, wanted))
        {
            return Err(self.fail(enum_text(wanted)));
        }
        if let Some(name) = schema.get("format").and_then(Value::as_str)
            && self.document.draft < Draft::Of2019
            && let Value::String(text) = value
            && let Err(reason) = text_format::check(name, text)
        {
            let text = format!("{} is not valid {name}: {reason}", quote(text));
            return Err(Failure::hiding(
                &self.place,
                text,
                format!("the text is not valid {name}"),
            ));
        }
        Ok(())
    }

    fn text(&self, schema: &Map, text: &str, failures: &mut Vec<Failure>) {
        let length = text.chars().count();
        for (key, wrong) in [
            ("minLength", core::cmp::Ordering::Less),
            ("maxLength", core::cmp::Ordering::Greater),
        ] {
            if let Some(limit) = limit(schema, key).filter(|limit| length.cmp(limit) == wrong) {
                let count = super::failure::count;
                let text = format!("{key}: got {}, want {}", count(length), count(limit));
                failures.push(Failure::hiding(
                    &self.place,
                    text,
                    format!("{key}: want {}", count(limit)),
                ));
            }
        }
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
            && let Ok(false) = text_format::matches(pattern, text)
        {
            let pattern = quote(pattern);
            failures.push(Failure::hiding(
                &self.place,
                format!("{} does not match pattern {pattern}", quote(text)),
                format!("the text does not match pattern {pattern}"),
            ));
        }
    }

    fn number(&self, schema: &Map, value: &Number, failures: &mut Vec<Failure>) {
        let at = |key: &str| match schema.get(key) {
            Some(Value::Number(number)) => Some(number),
            _ => None,
        };
        let flag = |key: &str| schema.get(key).and_then(Value::as_bool) == Some(true);
        let mut say = |key: &str, want: &Number, fails: bool| {
            if fails {
                let (got, want) = (number::display(value), number::display(want));
                failures.push(Failure::hiding(
                    &self.place,
                    format!("{key}: got {got}, want {want}"),
                    format!("{key}: want {want}"),
                ));
            }
        };
        let order = |want: &Number| number::compare(value, want);
        // Draft 4 has a flag beside the bound; later drafts have two bounds.
        for (plain, exclusive, below) in [
            ("minimum", "exclusiveMinimum", true),
            ("maximum", "exclusiveMaximum", false),
        ] {
            let beyond = |want: &Number| {
                if below {
                    order(want).is_lt()
                } else {
                    order(want).is_gt()
                }
            };
            if let Some(want) = at(plain).filter(|_| !flag(exclusive)) {
                say(plain, want, beyond(want));
            }
        }
        for (plain, exclusive, below) in [
            ("minimum", "exclusiveMinimum", true),
            ("maximum", "exclusiveMaximum", false),
        ] {
            let bound = if flag(exclusive) { at(plain) } else { at(exclusive) };
            if let Some(want) = bound {
                say(
                    exclusive,
                    want,
                    if below {
                        order(want).is_le()
                    } else {
                        order(want).is_ge()
                    },
                );
            }
        }
        if let Some(want) = at("multipleOf") {
            say("multipleOf", want, !number::is_multiple(value, want));
        }
    }

    fn combined(&mut self, at: At<'_, 's>, value: &Value, seen: &mut Seen, failures: &mut Vec<Failure>) {
        if let Some(not) = at.schema.get("not") {
            match self.apply(not, at.base, value) {
                Ok(_) => failures.push(self.fail("'not' failed")),
                Err(failure) if failure.limit().is_some() => failures.push(failure),
                Err(_) => {}
            }
        }
        self.all_of(at, value, seen, failures);
        self.any_of(at, value, seen, failures);
        self.one_of(at, value, seen, failures);
        if self.document.draft >= Draft::Seven
            && let Some(condition) = at.schema.get("if")
        {
            let branch = match self.apply(condition, at.base, value) {
                Ok(more) => {
                    seen.add(more);
                    at.schema.get("then")
                }
                Err(_) => at.schema.get("else"),
            };
            if let Some(branch) = branch {
                match self.apply(branch, at.base, value) {
                    Ok(more) => seen.add(more),
                    Err(failure) => failures.push(failure),
                }
            }
        }
    }

    fn all_of(&mut self, at: At<'_, 's>, value: &Value, seen: &mut Seen, failures: &mut Vec<Failure>) {
        let mut causes = Vec::new();
        for schema in at.schema.get("allOf").and_then(Value::as_array).unwrap_or_default() {
            match self.apply(schema, at.base, value) {
                Ok(more) => seen.add(more),
                Err(failure) => causes.push(failure),
            }
        }
        if !causes.is_empty() {
            failures.push(Failure::with_causes(&self.place, "'allOf' failed", causes));
        }
    }

    fn any_of(&mut self, at: At<'_, 's>, value: &Value, seen: &mut Seen, failures: &mut Vec<Failure>) {
        let Some(schemas) = at
            .schema
            .get("anyOf")
            .and_then(Value::as_array)
            .filter(|list| !list.is_empty())
        else {
            return;
        };
        let mut causes = Vec::new();
        let mut matched = false;
        for schema in schemas {
            match self.apply(schema, at.base, value) {
                Ok(more) => {
                    seen.add(more);
                    matched = true;
                    if !self.document.tracks {
                        break;
                    }
                }
                Err(failure) => causes.push(failure),
            }
        }
        if !matched {
            failures.push(Failure::with_causes(&self.place, "'anyOf' failed", causes));
        }
    }

    fn one_of(&mut self, at: At<'_, 's>, value: &Value, seen: &mut Seen, failures: &mut Vec<Failure>) {
        let Some(schemas) = at
            .schema
            .get("oneOf")
            .and_then(Value::as_array)
            .filter(|list| !list.is_empty())
        else {
            return;
        };
        let mut causes = Vec::new();
        let mut matched = None;
        for (index, schema) in schemas.iter().enumerate() {
            match (self.apply(schema, at.base, value), matched) {
                (Ok(more), None) => {
                    seen.add(more);
                    matched = Some(index);
                }
                (Ok(_), Some(first)) => {
                    failures.push(self.fail(format!("'oneOf' failed, subschemas {first}, {index} matched")));
                    break;
                }
                (Err(failure), None) => causes.push(failure),
                (Err(_), Some(_)) => {}
            }
        }
        if matched.is_none() {
            failures.push(Failure::with_causes(
                &self.place,
                "'oneOf' failed, none matched",
                causes,
            ));
        }
    }

    fn unevaluated(&mut self, at: At<'_, 's>, value: &Value, seen: &mut Seen, failures: &mut Vec<Failure>) {
        if let (Value::Object(map), Some(schema)) = (value, at.schema.get("unevaluatedProperties")) {
            for (key, member) in sorted(map) {
                if !seen.members.contains(key) {
                    failures.extend(self.apply_inside(schema, at.base, member, key).err());
                    seen.members.insert(key.to_string());
                }
            }
        }
        if let (Value::Array(items), Some(schema)) = (value, at.schema.get("unevaluatedItems")) {
            for (index, item) in items.iter().enumerate() {
                if !seen.elements.contains(&index) {
                    failures.extend(self.apply_inside(schema, at.base, item, &index.to_string()).err());
                    seen.elements.insert(index);
                }
            }
        }
    }

    /// As Helm says that a count is wrong.
    pub(super) fn counted(&self, key: &str, got: usize, want: usize) -> Failure {
        let count = super::failure::count;
        self.fail(format!("{key}: got {}, want {}", count(got), count(want)))
    }
}

/// The members of a map in the order of their keys.
pub(super) fn sorted(map: &Map) -> Vec<(&str, &Value)> {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_by_key(|(key, _)| *key);
    members
}

/// A bound on a count.
pub(super) fn limit(schema: &Map, key: &str) -> Option<usize> {
    match schema.get(key)? {
        Value::Number(Number::Float(f)) => alloc::format!("{f}").parse().ok(),
        value => value.as_i64().and_then(|i| usize::try_from(i).ok()),
    }
}

/// The types that a schema names, in the order in which Helm lists them.
fn types(wanted: Option<&Value>) -> Vec<&str> {
    const ORDER: [&str; 7] = ["null", "boolean", "number", "integer", "string", "array", "object"];
    let wanted: Vec<&str> = match wanted {
        Some(Value::String(name)) => [name.as_str()].into(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    ORDER.into_iter().filter(|name| wanted.contains(name)).collect()
}

fn has_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Number(number) if name == "integer" => number::is_integer(number),
        _ => type_name(value) == name,
    }
}

pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Equality of JSON: 1 and 1.0 are one number.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => number::compare(a, b).is_eq(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        (a, b) => a == b,
    }
}

pub(super) fn display(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::Bool(b) => b.to_string(),
        // A number of the schema is shown as it is written there.
        Value::Number(Number::Float(f)) => f.to_string(),
        Value::Number(number) => gofloat::display(number),
        Value::String(text) => quote(text),
        Value::Array(_) | Value::Object(_) => "value".into(),
    }
}

pub(super) fn enum_text(wanted: &[Value]) -> String {
    if wanted
        .iter()
        .any(|value| matches!(value, Value::Array(_) | Value::Object(_)))
    {
        return "'enum' failed".into();
    }
    let shown: Vec<String> = wanted.iter().map(display).collect();
    match &shown[..] {
        [one] => format!("value must be {one}"),
        _ => format!("value must be one of {}", shown.join(", ")),
    }
}
