//! The schema's text with its draft and its names.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};

use convoy_value::Value;

/// The versions of JSON Schema, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Draft {
    Four,
    Six,
    Seven,
    Of2019,
    Of2020,
}

impl Draft {
    /// The draft that `$schema` names; without one, the latest.
    fn of(schema: &Value) -> Result<Self, String> {
        let Some(name) = schema.get("$schema").and_then(Value::as_str) else {
            return Ok(Self::Of2020);
        };
        let name = name.strip_suffix('#').unwrap_or(name);
        let known = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://"));
        match known {
            Some("json-schema.org/schema" | "json-schema.org/draft/2020-12/schema") => Ok(Self::Of2020),
            Some("json-schema.org/draft/2019-09/schema") => Ok(Self::Of2019),
            Some("json-schema.org/draft-07/schema") => Ok(Self::Seven),
            Some("json-schema.org/draft-06/schema") => Ok(Self::Six),
            Some("json-schema.org/draft-04/schema") => Ok(Self::Four),
            _ => Err(format!(
                "failing loading {name:?}: schemas outside of the chart are not loaded"
            )),
        }
    }

    /// The address of its own schema.
    pub(super) fn address(self) -> &'static str {
        match self {
            Self::Four => "http://json-schema.org/draft-04/schema#",
            Self::Six => "http://json-schema.org/draft-06/schema#",
            Self::Seven => "http://json-schema.org/draft-07/schema#",
            Self::Of2019 => "https://json-schema.org/draft/2019-09/schema#",
            Self::Of2020 => "https://json-schema.org/draft/2020-12/schema#",
        }
    }
}

/// A schema whose references can be looked up.
#[derive(Debug)]
pub(super) struct Document<'s> {
    pub(super) root: &'s Value,
    pub(super) draft: Draft,
    /// Whether any schema in it asks for what others have not looked at.
    pub(super) tracks: bool,
    /// Schemas by their absolute name, `$id` or `$id#anchor`.
    names: BTreeMap<String, &'s Value>,
}

const BASE: &str = "file:///values.schema.json";

impl<'s> Document<'s> {
    pub(super) fn new(root: &'s Value) -> Result<Self, String> {
        let draft = Draft::of(root)?;
        let mut document = Self {
            root,
            draft,
            tracks: false,
            names: BTreeMap::new(),
        };
        document.names.insert(BASE.into(), root);
        document.collect(root, BASE);
        Ok(document)
    }

    /// Notes the names of a value and of what is in it.
    fn collect(&mut self, value: &'s Value, base: &str) {
        let mut base = base.to_string();
        match value {
            Value::Object(map) => {
                let id = if self.draft == Draft::Four { "id" } else { "$id" };
                if let Some(id) = map.get(id).and_then(Value::as_str) {
                    if self.draft < Draft::Of2019 && id.starts_with('#') {
                        self.names.insert(format!("{base}{id}"), value);
                    } else {
                        base = join(&base, id.split('#').next().unwrap_or_default());
                        self.names.insert(base.clone(), value);
                    }
                }
                for key in ["$anchor", "$dynamicAnchor"] {
                    if let Some(anchor) = map.get(key).and_then(Value::as_str) {
                        self.names.insert(format!("{base}#{anchor}"), value);
                    }
                }
                self.tracks |= map.contains_key("unevaluatedProperties") || map.contains_key("unevaluatedItems");
                for (_, inner) in map
                    .iter()
                    .filter(|(key, _)| !matches!(*key, "enum" | "const" | "default" | "examples"))
                {
                    self.collect(inner, &base);
                }
            }
            Value::Array(items) => {
                for inner in items {
                    self.collect(inner, &base);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The schema that a reference names, and the base of references in it.
    pub(super) fn resolve(&self, reference: &str, base: &str) -> Result<(&'s Value, String), String> {
        let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let target = if file.is_empty() {
            base.to_string()
        } else {
            join(base, file)
        };
        let fragment = percent_decoded(fragment);
        let whole =
            self.names.get(&target).copied().ok_or_else(|| {
                format!("failing loading {target:?}: schemas outside of the chart's own are not loaded")
            })?;
        if fragment.is_empty() {
            return Ok((whole, target));
        }
        if !fragment.starts_with('/') {
            let name = format!("{target}#{fragment}");
            let found = self.names.get(&name).copied();
            return found
                .map(|schema| (schema, target))
                .ok_or(format!("anchor in {name:?} not found"));
        }
        let mut schema = whole;
        let mut inner = target.clone();
        let id = if self.draft == Draft::Four { "id" } else { "$id" };
        for part in fragment[1..].split('/') {
            let part = part.replace("~1", "/").replace("~0", "~");
            let next = match schema {
                Value::Object(map) => map.get(&part),
                Value::Array(items) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
            };
            schema = next.ok_or_else(|| format!("json-pointer in \"{target}#{fragment}\" not found"))?;
            if let Some(id) = schema.get(id).and_then(Value::as_str).filter(|id| !id.starts_with('#')) {
                inner = join(&inner, id.split('#').next().unwrap_or_default());
            }
        }
        Ok((schema, inner))
    }

    /// The base of references at the root.
    pub(super) fn base(&self) -> String {
        let id = if self.draft == Draft::Four { "id" } else { "$id" };
        match self.root.get(id).and_then(Value::as_str) {
            Some(id) if !id.starts_with('#') => join(BASE, id.split('#').next().unwrap_or_default()),
            Some(_) | None => BASE.into(),
        }
    }
}

/// Resolves a name against a base, so far as names of schemas need it.
pub(super) fn join(base: &str, name: &str) -> String {
    if name.is_empty() {
        return base.into();
    }
    let has_scheme = name.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-'))
    });
    if has_scheme {
        return name.into();
    }
    let authority = base.find("://").map_or(0, |at| {
        base[at + 3..].find('/').map_or(base.len(), |slash| at + 3 + slash)
    });
    if name.starts_with('/') {
        return format!("{}{name}", &base[..authority]);
    }
    let folder = base
        .rfind('/')
        .filter(|at| *at >= authority)
        .map_or(base.len(), |at| at + 1);
    let name = name.strip_prefix("./").unwrap_or(name);
    format!("{}{name}", &base[..folder])
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = alloc::vec::Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match (first, tail) {
            (b'%', [a, b, ..]) => char::from(*a).to_digit(16).zip(char::from(*b).to_digit(16)),
            _ => None,
        };
        if let Some(byte) = escaped.and_then(|(high, low)| u8::try_from(high * 16 + low).ok()) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
