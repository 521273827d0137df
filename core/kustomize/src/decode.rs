//! Reading typed fields out of values, as Go's JSON decoder does it: keys match in any case, null is nothing.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_value::{Value, json};

/// The fields of a mapping that nobody has taken yet.
#[derive(Debug)]
pub(crate) struct Fields<'v> {
    left: Vec<(&'v str, &'v Value)>,
    place: String,
    /// Whether an unknown field is an error and a number no text. Configurations of plugins are read leniently.
    strict: bool,
    /// Whether numbers and booleans pass for text.
    converts: bool,
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a sequence",
        Value::Object(_) => "a mapping",
    }
}

impl<'v> Fields<'v> {
    /// The fields of `value`, which `place` names in errors.
    ///
    /// # Errors
    /// When it is no mapping.
    pub(crate) fn new(value: &'v Value, place: &str, strict: bool) -> Result<Self, String> {
        let left = match value {
            Value::Object(map) => map.iter().collect(),
            Value::Null => Vec::new(),
            other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                return Err(format!("{place}: a mapping was expected, not {}", kind(other)));
            }
        };
        Ok(Self {
            left,
            place: place.to_string(),
            strict,
            converts: !strict,
        })
    }

    /// Lets numbers and booleans pass for text.
    pub(crate) fn converting(mut self) -> Self {
        self.converts = true;
        self
    }

    /// Takes a field, null or not.
    pub(crate) fn take_any(&mut self, name: &str) -> Option<&'v Value> {
        let mut found = None;
        self.left.retain(|(key, value)| {
            let is = key.eq_ignore_ascii_case(name);
            if is {
                found = Some(*value);
            }
            !is
        });
        found
    }

    /// Takes a field that is not null.
    pub(crate) fn take(&mut self, name: &str) -> Option<&'v Value> {
        self.take_any(name).filter(|value| !value.is_null())
    }

    fn wrong(&self, name: &str, wanted: &str, found: &Value) -> String {
        format!("{}: `{name}`: {wanted} was expected, not {}", self.place, kind(found))
    }

    fn text(&self, name: &str, value: &Value) -> Result<String, String> {
        match value {
            Value::String(text) => Ok(text.clone()),
            Value::Null => Ok(String::new()),
            Value::Bool(_) | Value::Number(_) if self.converts => Ok(json::to_canonical(value)),
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                Err(self.wrong(name, "a text", other))
            }
        }
    }

    pub(crate) fn string(&mut self, name: &str) -> Result<String, String> {
        Ok(self.optional_string(name)?.unwrap_or_default())
    }

    pub(crate) fn optional_string(&mut self, name: &str) -> Result<Option<String>, String> {
        self.take(name).map(|value| self.text(name, value)).transpose()
    }

    pub(crate) fn bool(&mut self, name: &str) -> Result<bool, String> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(b)) => Ok(*b),
            Some(other) => Err(self.wrong(name, "a boolean", other)),
        }
    }

    pub(crate) fn int(&mut self, name: &str) -> Result<i64, String> {
        match self.take(name) {
            None => Ok(0),
            Some(value) => value.as_i64().ok_or_else(|| self.wrong(name, "a whole number", value)),
        }
    }

    fn items(&mut self, name: &str) -> Result<Option<&'v [Value]>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items)),
            Some(other) => Err(self.wrong(name, "a sequence", other)),
        }
    }

    pub(crate) fn strings(&mut self, name: &str) -> Result<Option<Vec<String>>, String> {
        let Some(items) = self.items(name)? else {
            return Ok(None);
        };
        items
            .iter()
            .map(|item| self.text(name, item))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    pub(crate) fn string_map(&mut self, name: &str) -> Result<Option<BTreeMap<String, String>>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Object(map)) => map
                .iter()
                .map(|(key, value)| Ok((key.to_string(), self.text(name, value)?)))
                .collect::<Result<_, String>>()
                .map(Some),
            Some(other) => Err(self.wrong(name, "a mapping", other)),
        }
    }

    fn nested(&self, name: &str, value: &'v Value) -> Result<Self, String> {
        let place = if self.place.is_empty() {
            name.to_string()
        } else {
            format!("{}: `{name}`", self.place)
        };
        let mut fields = Self::new(value, &place, self.strict)?;
        fields.converts = self.converts;
        Ok(fields)
    }

    pub(crate) fn object(&mut self, name: &str) -> Result<Option<Self>, String> {
        self.take(name).map(|value| self.nested(name, value)).transpose()
    }

    pub(crate) fn objects(&mut self, name: &str) -> Result<Option<Vec<Self>>, String> {
        let Some(items) = self.items(name)? else {
            return Ok(None);
        };
        items
            .iter()
            .map(|item| self.nested(name, item))
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// Refuses what nobody has taken.
    ///
    /// # Errors
    /// When a field is unknown, if those are errors.
    pub(crate) fn finish(self) -> Result<(), String> {
        match self.left.first() {
            Some((key, _)) if self.strict => Err(format!("{}: unknown field `{key}`", self.place)),
            _ => Ok(()),
        }
    }
}
