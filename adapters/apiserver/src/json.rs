//! JSON text in, with the fields that it has twice.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// At most this many duplicate fields are named.
const MAX_DUPLICATES: usize = 20;

/// The value of a JSON text, and the paths of fields that occur twice (the last one counts).
///
/// # Errors
/// When the text is not JSON or is nested deeper than 128.
pub(crate) fn parse(bytes: &[u8]) -> Result<(Value, Vec<String>), serde_json::Error> {
    let mut duplicates = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Node {
        path: String::new(),
        duplicates: &mut duplicates,
    }
    .deserialize(&mut reader)?;
    reader.end()?;
    Ok((value, duplicates))
}

struct Node<'a> {
    path: String,
    duplicates: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is not finite"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = items.next_element_seed(Node {
            path: format!("{}[{}]", self.path, out.len()),
            duplicates: self.duplicates,
        })? {
            out.push(item);
        }
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut out = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let path = if self.path.is_empty() {
                name.clone()
            } else {
                format!("{}.{name}", self.path)
            };
            if out.contains_key(&name) && self.duplicates.len() < MAX_DUPLICATES && !self.duplicates.contains(&path) {
                self.duplicates.push(path.clone());
            }
            let value = fields.next_value_seed(Node {
                path,
                duplicates: self.duplicates,
            })?;
            out.insert(name, value);
        }
        Ok(Value::Object(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_that_occur_twice_are_named_and_the_last_counts() {
        let (value, duplicates) = parse(br#"{"a": 1, "b": [{"c": 1, "c": -2.5}], "a": null}"#).unwrap();
        assert_eq!(value, json!({"a": null, "b": [{"c": -2.5}]}));
        assert_eq!(duplicates, ["b[0].c", "a"]);
    }

    #[test]
    fn hostile_depth_is_refused() {
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
        assert!(parse(b"{} x").is_err());
    }
}
