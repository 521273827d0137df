//! How the values of a chart, its parents and its user become one (Helm 4.2's rules).
//!
//! A user's value goes before a parent's, a parent's before the chart's own; maps are merged, all else replaced. A
//! null takes a default away when values are coalesced, and stays when they are only merged: that is what the layers
//! differ in.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_value::{Number, Value};

use crate::chart::Chart;
use crate::gofloat;
use crate::tables::{Heap, Node, Table, TableId, Tree};

const GLOBAL: &str = "global";

/// What is asked for: nulls that take defaults away, or nulls that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nulls take defaults away.
    Coalesce,
    /// Nulls stay, because values will be coalesced again.
    Merge,
}

/// What is shown in place of a value that should be a map.
pub(crate) const NO_MAP: &str = "the values for a chart are no map";

/// The values given for a chart are no map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    pub(crate) key: String,
    pub(crate) value: String,
}

/// Puts the defaults of `chart` and the charts below it under the values `dest`.
pub(crate) fn coalesce(heap: &mut Heap, chart: &Chart, dest: TableId, mode: Mode) -> Result<(), Mismatch> {
    coalesce_values(heap, chart, dest, mode);
    for sub in &chart.dependencies {
        let name = sub.name();
        let values = match heap.get(dest, name) {
            None => {
                let empty = heap.add(Table::new());
                heap.set(dest, name, Node::Table(empty));
                empty
            }
            Some(Node::Table(id)) => *id,
            Some(Node::Leaf(leaf)) => {
                return Err(Mismatch {
                    key: name.to_string(),
                    value: bad_verb(leaf),
                });
            }
        };
        coalesce_globals(heap, values, dest);
        coalesce(heap, sub, values, mode)?;
    }
    Ok(())
}

/// The values of a chart as they are before anything is given, in a heap of their own.
pub(crate) fn values_of(chart: &Chart, given: &Tree, mode: Mode) -> Result<(Heap, TableId), Mismatch> {
    let mut heap = Heap::default();
    let dest = heap.import(given);
    coalesce(&mut heap, chart, dest, mode)?;
    Ok((heap, dest))
}

/// As Go prints a value with `%t`.
fn bad_verb(value: &Value) -> String {
    match value {
        Value::Null => "%!t(<nil>)".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(number @ Number::Int(_)) => format!("%!t(int64={})", gofloat::display(number)),
        Value::Number(number) => format!("%!t(float64={})", gofloat::display(number)),
        Value::String(text) => format!("%!t(string={text})"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(bad_verb).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(map) => {
            let mut items: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("%!t(string={key}):{}", bad_verb(value)))
                .collect();
            items.sort();
            format!("map[{}]", items.join(" "))
        }
    }
}

/// Merges the globals of a parent's values `src` into those of `dest`.
fn coalesce_globals(heap: &mut Heap, dest: TableId, src: TableId) {
    let target = match heap.get(dest, GLOBAL) {
        None => heap.add(Table::new()),
        Some(Node::Table(id)) => *id,
        Some(Node::Leaf(_)) => return,
    };
    let entries: Vec<(Arc<str>, Node)> = match heap.get(src, GLOBAL) {
        None => Vec::new(),
        Some(Node::Table(id)) => heap
            .table(*id)
            .iter()
            .map(|(key, node)| (Arc::clone(key), node.clone()))
            .collect(),
        Some(Node::Leaf(_)) => return,
    };
    for (key, node) in entries {
        let known = heap.get(target, &key).map(Node::table);
        match node {
            Node::Table(id) => {
                // A copy of the table itself; the tables in it stay shared with the parent.
                let copy = heap.table(id).clone();
                let copy = heap.add(copy);
                match known {
                    None => heap.set(target, &key, Node::Table(copy)),
                    Some(None) => {}
                    Some(Some(own)) => {
                        coalesce_tables(heap, copy, own, Mode::Merge);
                        heap.set(target, &key, Node::Table(copy));
                    }
                }
            }
            Node::Leaf(_) if matches!(known, Some(Some(_))) => {}
            Node::Leaf(leaf) => heap.set(target, &key, Node::Leaf(leaf)),
        }
    }
    heap.set(dest, GLOBAL, Node::Table(target));
}

/// Puts a chart's own defaults under `dest`.
fn coalesce_values(heap: &mut Heap, chart: &Chart, dest: TableId, mode: Mode) {
    let Tree::Table(defaults) = &chart.values else { return };
    for (key, default) in defaults.iter() {
        match heap.get(dest, key).cloned() {
            Some(given) if given.is_null() && mode == Mode::Coalesce => {
                heap.table_mut(dest).remove(key);
            }
            Some(Node::Table(given)) => {
                if let Tree::Table(_) = default {
                    let is_sub = chart.dependencies.iter().any(|sub| sub.name() == &**key);
                    let mode = if is_sub { Mode::Merge } else { mode };
                    let default = heap.import(default);
                    if mode == Mode::Coalesce {
                        clean_nulls(heap, default);
                    }
                    coalesce_tables(heap, given, default, mode);
                }
            }
            Some(Node::Leaf(_)) => {}
            None => {
                let node = match default {
                    Tree::Leaf(leaf) if leaf.is_null() && mode == Mode::Coalesce => continue,
                    Tree::Leaf(leaf) => Node::Leaf(Arc::clone(leaf)),
                    Tree::Table(_) => {
                        let table = heap.import(default);
                        if mode == Mode::Coalesce {
                            clean_nulls(heap, table);
                        }
                        Node::Table(table)
                    }
                };
                heap.table_mut(dest).insert(Arc::clone(key), node);
            }
        }
    }
}

/// Merges `src` under `dst`; `src` changes too, as in Helm.
pub(crate) fn coalesce_tables(heap: &mut Heap, dst: TableId, src: TableId, mode: Mode) {
    let defaults: Vec<(Arc<str>, Node)> = heap
        .table(src)
        .iter()
        .map(|(key, node)| (Arc::clone(key), node.clone()))
        .collect();
    let nulls: Vec<(Arc<str>, Node)> = heap
        .table(dst)
        .iter()
        .filter(|(_, node)| node.is_null())
        .map(|(key, node)| (Arc::clone(key), node.clone()))
        .collect();
    for (key, null) in &nulls {
        heap.set(src, key, null.clone());
        let has_default = defaults.iter().any(|(known, node)| known == key && !node.is_null());
        if mode == Mode::Coalesce && has_default {
            heap.table_mut(dst).remove(key);
        }
    }
    for (key, default) in defaults {
        if nulls.iter().any(|(null, _)| *null == key) {
            continue;
        }
        match (heap.get(dst, &key).map(Node::table), default.table()) {
            (None, _) => {
                heap.table_mut(dst).insert(key, default);
            }
            // A table merged with itself would lose nothing and gain nothing.
            (Some(Some(own)), Some(table)) if own != table => coalesce_tables(heap, own, table, mode),
            (Some(_), _) => {}
        }
    }
}

fn clean_nulls(heap: &mut Heap, id: TableId) {
    heap.table_mut(id).retain(|_, node| !node.is_null());
    let tables: Vec<TableId> = heap.table(id).values().filter_map(Node::table).collect();
    for table in tables {
        clean_nulls(heap, table);
    }
}
