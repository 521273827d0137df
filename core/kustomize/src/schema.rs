//! How lists merge, by type: what kustomize's embedded API description says, and what `openapi.path` adds.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use convoy_value::Value;

/// Made by `testkit/golden/data/kustomize-schema`.
const BUILT_IN: &str = include_str!("../tables/schema.txt");

/// The number of a definition.
type Number = usize;

/// What is known of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Field {
    /// The keys by which the elements of a list are matched, if it merges; none for a list of scalars.
    merge: Option<Vec<String>>,
    next: Option<(Shape, Number)>,
}

/// How a field holds what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Itself,
    Elements,
    Values,
}

/// Every type's lists.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schema {
    definitions: Vec<BTreeMap<String, Field>>,
    /// `apiVersion/Kind` to its definition.
    types: BTreeMap<String, Number>,
    /// The definitions' names.
    names: BTreeMap<String, Number>,
}

/// When kustomize reads a description by the user: it keeps what it knows already, and a later definition takes the place
/// of an earlier one of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Before anything else is needed: the built-in types are gone.
    Alone,
    /// Before the built-in types, which are known to be needed.
    First,
    /// After the built-in types.
    Last,
}

/// A place in the schema.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'s> {
    /// An object of a definition.
    Definition(Number),
    /// A field of one.
    Field(&'s Field),
}

/// Types that certainly have no namespace, as `apiVersion Kind`, by the paths of a description: a type of which no path
/// names a namespace has none.
pub(crate) fn cluster_scoped(description: &Value) -> BTreeSet<String> {
    let mut scopes: BTreeMap<String, bool> = BTreeMap::new();
    let paths = description.get("paths").and_then(Value::as_object);
    for (path, methods) in paths.into_iter().flat_map(convoy_value::Map::iter) {
        let Some(gvk) = methods.at(&["get", "x-kubernetes-group-version-kind"]) else {
            continue;
        };
        let text = |key| gvk.get(key).and_then(Value::as_str).unwrap_or_default();
        let version = match text("group") {
            "" => text("version").to_string(),
            group => format!("{group}/{}", text("version")),
        };
        *scopes.entry(format!("{version} {}", text("kind"))).or_default() |= path.contains("namespaces/{namespace}");
    }
    scopes
        .into_iter()
        .filter_map(|(name, namespaced)| (!namespaced).then_some(name))
        .collect()
}

impl Schema {
    pub(crate) fn built_in() -> Self {
        let mut schema = Self::default();
        for line in BUILT_IN.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            let Some(first) = words.next() else { continue };
            if first
                .strip_prefix('D')
                .is_some_and(|rest| rest.parse::<Number>().is_ok())
            {
                let number = schema.definitions.len();
                schema.definitions.push(BTreeMap::new());
                if let Some(name) = words.next() {
                    schema.names.insert(name.to_string(), number);
                }
                for name in words {
                    schema.types.insert(name.to_string(), number);
                }
                continue;
            }
            let mut field = Field::default();
            for word in words {
                if let Some(keys) = word.strip_prefix("merge=") {
                    field.merge = Some(
                        keys.split(',')
                            .filter(|key| !key.is_empty())
                            .map(str::to_string)
                            .collect(),
                    );
                } else if let Some(number) = word.strip_prefix('.') {
                    field.next = number.parse().ok().map(|number| (Shape::Itself, number));
                } else if let Some(number) = word.strip_prefix("[]") {
                    field.next = number.parse().ok().map(|number| (Shape::Elements, number));
                } else if let Some(number) = word.strip_prefix("{}") {
                    field.next = number.parse().ok().map(|number| (Shape::Values, number));
                }
            }
            if let Some(definition) = schema.definitions.last_mut() {
                definition.insert(first.to_string(), field);
            }
        }
        schema
    }

    /// Adds the definitions of a description by the user.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn add(&mut self, description: &Value, turn: Turn) -> Result<(), String> {
        let Some(definitions) = description.get("definitions").and_then(Value::as_object) else {
            return Ok(());
        };
        let known = self.names.clone();
        for name in definitions.keys() {
            match known.get(name) {
                Some(number) if turn == Turn::Last => {
                    if let Some(definition) = self.definitions.get_mut(*number) {
                        definition.clear();
                    }
                }
                Some(_) => {}
                None => {
                    self.names.insert(name.to_string(), self.definitions.len());
                    self.definitions.push(BTreeMap::new());
                }
            }
        }
        let numbers = self.names.clone();
        for (name, definition) in definitions.iter() {
            if turn == Turn::First && known.contains_key(name) {
                continue;
            }
            let number = numbers.get(name).copied().unwrap_or_default();
            self.read_object(number, definition, &numbers, 0)?;
            for gvk in definition
                .get("x-kubernetes-group-version-kind")
                .and_then(Value::as_array)
                .unwrap_or_default()
            {
                let text = |key| gvk.get(key).and_then(Value::as_str).unwrap_or_default();
                let version = match text("group") {
                    "" => text("version").to_string(),
                    group => format!("{group}/{}", text("version")),
                };
                let kind = format!("{version}/{}", text("kind"));
                if turn == Turn::First {
                    self.types.entry(kind).or_insert(number);
                } else {
                    self.types.insert(kind, number);
                }
            }
        }
        Ok(())
    }

    fn read_object(
        &mut self,
        number: Number,
        schema: &Value,
        numbers: &BTreeMap<String, Number>,
        depth: usize,
    ) -> Result<(), String> {
        if depth > 100 {
            return Err("definitions nest deeper than 100 levels".into());
        }
        for (name, property) in schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(convoy_value::Map::iter)
        {
            let field = self.read_field(property, numbers, depth)?;
            if let Some(definition) = self.definitions.get_mut(number) {
                definition.insert(name.to_string(), field);
            }
        }
        Ok(())
    }

    fn read_field(
        &mut self,
        property: &Value,
        numbers: &BTreeMap<String, Number>,
        depth: usize,
    ) -> Result<Field, String> {
        let text = |value: &Value, key: &str| {
            let text = value.as_str().map(str::to_string);
            text.ok_or_else(|| format!("`{key}`: a text was expected"))
        };
        let text_of = |key: &str| property.get(key).map(|value| text(value, key)).transpose();
        let strategy = text_of("x-kubernetes-patch-strategy")?.unwrap_or_default();
        let key = text_of("x-kubernetes-patch-merge-key")?;
        let keys = match property.get("x-kubernetes-list-map-keys") {
            Some(Value::Array(keys)) => keys
                .iter()
                .map(|value| text(value, "x-kubernetes-list-map-keys"))
                .collect::<Result<Vec<_>, _>>()
                .map(Some)?,
            Some(_) => return Err("`x-kubernetes-list-map-keys`: a list of texts was expected".into()),
            None => None,
        };
        let merges = strategy.split(',').any(|word| word == "merge");
        let merge = merges.then(|| keys.or(key.map(|key| vec![key])).unwrap_or_default());
        let (shape, inner) = match (property.get("items"), property.get("additionalProperties")) {
            (Some(items), _) => (Shape::Elements, items),
            (None, Some(values @ Value::Object(_))) => (Shape::Values, values),
            _ => (Shape::Itself, property),
        };
        let named = inner.get("$ref").and_then(Value::as_str).and_then(|name| {
            numbers
                .get(name.strip_prefix("#/definitions/").unwrap_or(name))
                .copied()
        });
        let next = match named {
            Some(number) => Some((shape, number)),
            None if inner.get("properties").is_some() => {
                let number = self.definitions.len();
                self.definitions.push(BTreeMap::new());
                self.read_object(number, inner, numbers, depth + 1)?;
                Some((shape, number))
            }
            None => None,
        };
        Ok(Field { merge, next })
    }

    /// The type's place.
    pub(crate) fn of_type(&self, api_version: &str, kind: &str) -> Option<Place<'_>> {
        self.types
            .get(&format!("{api_version}/{kind}"))
            .map(|number| Place::Definition(*number))
    }

    /// The place of the field `key`.
    pub(crate) fn field(&self, place: Place<'_>, key: &str) -> Option<Place<'_>> {
        let number = match place {
            Place::Definition(number)
            | Place::Field(&Field {
                next: Some((Shape::Itself, number)),
                ..
            }) => number,
            Place::Field(&Field {
                next: Some((Shape::Values, number)),
                ..
            }) => return Some(Place::Definition(number)),
            Place::Field(_) => return None,
        };
        self.definitions.get(number)?.get(key).map(Place::Field)
    }

    /// The place of an element of a list.
    pub(crate) fn element(place: Place<'_>) -> Option<Place<'_>> {
        match place {
            Place::Field(&Field {
                next: Some((Shape::Elements, number)),
                ..
            }) => Some(Place::Definition(number)),
            Place::Definition(_) | Place::Field(_) => None,
        }
    }

    /// The keys by which a list merges, if it does.
    pub(crate) fn merge_keys(place: Place<'_>) -> Option<&[String]> {
        match place {
            Place::Field(field) => field.merge.as_deref(),
            Place::Definition(_) => None,
        }
    }
}
