//! The compact table of built-in types.
//!
//! Each line of `data/types.txt` is `Name flag field type field type …`. The flag is `!` when the whole object is
//! atomic. A field with a leading `+` is required. Types: `s` string, `i` and `l` integers of 32 and 64 bits, `d` number, `b`
//! boolean, `T` time, `q` quantity, `I` integer or string, `B` base64, `*` anything, `{T}` map and `{!T}` atomic map, `[T]` atomic list,
//! `[=T]` set, `[a,b:T]` list of objects told apart by the fields a and b, else the name of a definition (with `!`
//! when used atomically). Then `^` with what becomes of an
//! absent or empty field (`d` dropped when empty, `z` written as zero, `n` written as null), `~` with `r` (retainKeys), `m` (merge) and `:key` for strategic merge patches, and
//! `?default`, and `#` with the field's number in the binary format (with a path of numbers through structs that JSON inlines).

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::{Field, ListKind, PatchStrategy, Presence, Scalar, Struct, Type};

static TEXT: &str = include_str!("../../data/types.txt");

#[derive(Debug)]
struct Table {
    index: BTreeMap<&'static str, usize>,
    definitions: Vec<Struct>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let index: BTreeMap<&str, usize> = TEXT
            .lines()
            .enumerate()
            .filter_map(|(at, line)| Some((line.split(' ').next()?, at)))
            .collect();
        let definitions = TEXT.lines().map(|line| definition_of(line, &index)).collect();
        Table { index, definitions }
    })
}

/// The definition with this index in the table.
pub(crate) fn definition(index: usize) -> &'static Struct {
    &table().definitions[index]
}

/// The type called `name`, or anything when the table has no such name.
pub(crate) fn named(name: &str) -> Type {
    table()
        .index
        .get(name)
        .map_or(Type::Any { atomic: false }, |index| Type::Named {
            index: *index,
            atomic: false,
        })
}

/// The name of a definition.
pub(crate) fn name_of(index: usize) -> &'static str {
    TEXT.lines()
        .nth(index)
        .and_then(|line| line.split(' ').next())
        .unwrap_or("")
}

fn definition_of(line: &'static str, index: &BTreeMap<&'static str, usize>) -> Struct {
    let mut words = line.split(' ').skip(1);
    let atomic = words.next() == Some("!");
    let mut fields = BTreeMap::new();
    while let (Some(name), Some(spec)) = (words.next(), words.next()) {
        let required = name.starts_with('+');
        fields.insert(name.trim_start_matches('+').to_owned(), field_of(spec, required, index));
    }
    Struct {
        fields,
        rest: None,
        atomic,
    }
}

fn field_of(spec: &str, required: bool, index: &BTreeMap<&'static str, usize>) -> Field {
    let (spec, wire) = spec.rsplit_once('#').unwrap_or((spec, ""));
    let wire = wire.split('/').filter_map(|number| number.parse().ok()).collect();
    let (spec, default) = match spec.split_once('?') {
        Some((spec, text)) => (
            spec,
            Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))),
        ),
        None => (spec, None),
    };
    let (spec, patch) = match spec.split_once('~') {
        Some((spec, strategy)) => {
            let (flags, key) = strategy
                .split_once(':')
                .map_or((strategy, None), |(flags, key)| (flags, Some(key)));
            let patch = PatchStrategy {
                merge: flags.contains('m'),
                retain_keys: flags.contains('r'),
                key: key.map(str::to_owned),
            };
            (spec, patch)
        }
        None => (spec, PatchStrategy::default()),
    };
    let (spec, presence) = match spec.split_once('^') {
        Some((spec, "d")) => (spec, Presence::DropEmpty),
        Some((spec, "z")) => (spec, Presence::WriteZero),
        Some((spec, _)) => (spec, Presence::WriteNull),
        None => (spec, Presence::Plain),
    };
    Field {
        ty: type_of(spec, index),
        required,
        default,
        patch,
        presence,
        wire,
    }
}

fn type_of(spec: &str, index: &BTreeMap<&'static str, usize>) -> Type {
    if let Some(inner) = spec.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let (kind, element) = if let Some(element) = inner.strip_prefix('=') {
            (ListKind::Set, element)
        } else if let Some((keys, element)) = inner.split_once(':').filter(|(keys, _)| !keys.contains(['[', '{'])) {
            (ListKind::Map(keys.split(',').map(str::to_owned).collect()), element)
        } else {
            (ListKind::Atomic, inner)
        };
        return Type::List {
            element: Arc::new(type_of(element, index)),
            kind,
        };
    }
    if let Some(inner) = spec.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let (atomic, element) = inner
            .strip_prefix('!')
            .map_or((false, inner), |element| (true, element));
        return Type::Map {
            element: Arc::new(type_of(element, index)),
            atomic,
        };
    }
    let scalar = match spec {
        "s" => Scalar::String,
        "i" => Scalar::Int32,
        "l" => Scalar::Int64,
        "d" => Scalar::Number,
        "b" => Scalar::Bool,
        "T" => Scalar::Time,
        "q" => Scalar::Quantity,
        "I" => Scalar::IntOrString,
        "B" => Scalar::Bytes,
        _ => {
            let (name, atomic) = spec.strip_suffix('!').map_or((spec, false), |name| (name, true));
            return index.get(name).map_or(Type::Any { atomic: true }, |index| Type::Named {
                index: *index,
                atomic,
            });
        }
    };
    Type::Scalar(scalar)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_table_is_defined() {
        let names: Vec<&str> = TEXT
            .split([' ', '\n', '[', ']', '{', '}', ':', ',', '!', '=', '^'])
            .filter(|word| word.starts_with(|first: char| first.is_ascii_uppercase()) && word.len() > 1)
            .collect();
        assert!(names.len() > 400);
        for name in names {
            let name = name.split(['~', '?', '#']).next().unwrap();
            if name.len() == 1 {
                continue;
            }
            assert!(table().index.contains_key(name), "{name} is not defined");
        }
    }

    #[test]
    fn container_ports_are_told_apart_by_port_and_protocol() {
        let Type::Named { index, .. } = named("Container") else {
            panic!("no Container")
        };
        let ports = &definition(index).fields["ports"];
        let Type::List { element, kind } = &ports.ty else {
            panic!("ports is no list")
        };
        assert_eq!(kind, &ListKind::Map(vec!["containerPort".into(), "protocol".into()]));
        assert_eq!(ports.patch.key.as_deref(), Some("containerPort"));
        let View::Map(port) = element.view(None) else {
            panic!("a port is no object")
        };
        assert_eq!(
            port.field("protocol").and_then(|field| field.default.clone()),
            Some(Value::from("TCP"))
        );
    }

    use super::super::View;
}
