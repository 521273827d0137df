//! One step of a field path.

use std::cmp::Ordering;

use serde_json::{Map, Value};

/// A step: a field, an item told apart by key fields, an item of a set, or an index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PathElement {
    Field(String),
    Key(Vec<(String, Atom)>),
    Value(Atom),
    Index(usize),
}

/// A value that can be part of a path, with a total order.
#[derive(Debug, Clone)]
pub(crate) struct Atom(pub(crate) Value);

impl Atom {
    fn rank(&self) -> u8 {
        match &self.0 {
            Value::Number(number) if number.is_f64() => 0,
            Value::Number(_) => 1,
            Value::String(_) => 2,
            Value::Bool(_) => 3,
            Value::Array(_) => 4,
            Value::Object(_) => 5,
            Value::Null => 6,
        }
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Atom {}
impl PartialOrd for Atom {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Atom {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.0.is_number() && other.0.is_number() {
            if let (Some(left), Some(right)) = (self.0.as_i64(), other.0.as_i64()) {
                return left.cmp(&right);
            }
            let float = |value: &Value| value.as_f64().unwrap_or(0.0);
            return float(&self.0).total_cmp(&float(&other.0));
        }
        if let (Some(left), Some(right)) = (self.0.as_str(), other.0.as_str()) {
            return left.cmp(right);
        }
        self.rank()
            .cmp(&other.rank())
            .then_with(|| self.0.to_string().cmp(&other.0.to_string()))
    }
}

impl PathElement {
    pub(crate) fn field(name: &str) -> Self {
        Self::Field(name.to_owned())
    }

    /// The name that the step has in `fieldsV1`.
    pub(crate) fn encode(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Value(value) => format!("v:{}", value.0),
            Self::Index(index) => format!("i:{index}"),
            Self::Key(fields) => {
                let map: Map<String, Value> = fields
                    .iter()
                    .map(|(name, value)| (name.clone(), value.0.clone()))
                    .collect();
                format!("k:{}", Value::Object(map))
            }
        }
    }

    /// Reads a name of `fieldsV1`; none when it is not one.
    pub(crate) fn decode(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        match kind {
            "f" => Some(Self::Field(rest.to_owned())),
            "v" => Some(Self::Value(Atom(serde_json::from_str(rest).ok()?))),
            "i" => Some(Self::Index(rest.parse().ok()?)),
            "k" => {
                let map: Map<String, Value> = serde_json::from_str(rest).ok()?;
                let mut fields: Vec<(String, Atom)> =
                    map.into_iter().map(|(name, value)| (name, Atom(value))).collect();
                fields.sort();
                Some(Self::Key(fields))
            }
            _ => None,
        }
    }

    /// The step as people read it in conflict messages.
    pub(crate) fn show(&self) -> String {
        match self {
            Self::Field(name) => format!(".{name}"),
            Self::Value(value) => format!("[={}]", value.0),
            Self::Index(index) => format!("[{index}]"),
            Self::Key(fields) => {
                let parts: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| format!("{name}={}", value.0))
                    .collect();
                format!("[{}]", parts.join(","))
            }
        }
    }
}
