//! How the values of a chart, its parents and its user become one (Helm 4.2's rules).
//!
//! A user's value goes before a parent's, a parent's before the chart's own; maps are merged, all else replaced. A
//! null takes a default away when values are coalesced, and stays when they are only merged: that is what the layers
//! differ in.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use convoy_value::{Number, Value};

use crate::chart::Chart;
use crate::gofloat;
use crate::reason::Reason;
use crate::tables::{Branch, Heap, Node, Opened, Table, TableId, Tree};

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

/// The way to a value: names of charts, then keys.
#[derive(Clone, Copy)]
struct Path<'p> {
    above: Option<&'p Path<'p>>,
    name: &'p str,
}

impl<'p> Path<'p> {
    fn below(&'p self, name: &'p str) -> Self {
        Self {
            above: Some(self),
            name,
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.above {
            Some(above) => write!(f, "{above}.{}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// Puts the defaults of `chart` and the charts below it under the values `dest`.
fn coalesce(
    heap: &mut Heap,
    chart: &Chart,
    above: Option<&Path<'_>>,
    dest: TableId,
    mode: Mode,
) -> Result<(), Mismatch> {
    let path = Path {
        above,
        name: chart.name(),
    };
    coalesce_values(heap, chart, &path, dest, mode);
    for sub in &chart.dependencies {
        let name = sub.name();
        let values = match heap.open(dest, name) {
            Opened::Absent => {
                let empty = heap.add(Table::new());
                heap.set(dest, name, Node::Table(empty));
                empty
            }
            Opened::Table(id) => id,
            Opened::Leaf(leaf) => {
                return Err(Mismatch {
                    key: name.to_string(),
                    value: bad_verb(&leaf),
                });
            }
        };
        coalesce_globals(heap, values, dest);
        coalesce(heap, sub, Some(&path), values, mode)?;
    }
    Ok(())
}

/// The values of a chart as they are before anything is given, in a heap of their own.
pub(crate) fn values_of(chart: &Chart, given: &Tree, mode: Mode) -> Result<(Heap, TableId), Mismatch> {
    let mut heap = Heap::default();
    let dest = heap.import_tree(given);
    coalesce(&mut heap, chart, None, dest, mode)?;
    Ok((heap, dest))
}

/// As Go prints a value with `%v`.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(number) => gofloat::display(number),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            format!("[{}]", items.join(" "))
        }
        Value::Object(map) => {
            let items = map.iter().map(|(key, value)| format!("{key}:{}", shown(value)));
            let mut items: Vec<String> = items.collect();
            items.sort();
            format!("map[{}]", items.join(" "))
        }
    }
}

/// Notes in Helm's words, which quote a default, that a table and something else met at `path`.
fn warn(heap: &mut Heap, words: (&str, &str), path: &Path<'_>, default: impl FnOnce() -> String) {
    let plain = format!("warning: {} {path}{}", words.0, words.1);
    heap.warn(Reason::hiding(format!("{plain} ({})", default()), plain));
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
    let target = match heap.open(dest, GLOBAL) {
        Opened::Absent => heap.add(Table::new()),
        Opened::Table(id) => id,
        Opened::Leaf(_) => return,
    };
    let entries: Vec<(Arc<str>, Node)> = match heap.open(src, GLOBAL) {
        Opened::Absent => Vec::new(),
        Opened::Table(id) => {
            heap.open_all(id);
            copied(heap.table(id))
        }
        Opened::Leaf(_) => return,
    };
    for (key, node) in entries {
        let known = heap.open(target, &key);
        match (node, known) {
            (Node::Table(_), Opened::Leaf(_)) | (Node::Leaf(_), Opened::Table(_)) | (Node::Rest(_), _) => {}
            (Node::Table(id), known) => {
                // A copy of the table itself; the tables in it stay shared with the parent.
                heap.open_all(id);
                let copy = heap.table(id).clone();
                let copy = heap.add(copy);
                if let Opened::Table(own) = known {
                    coalesce_tables(heap, copy, own, Mode::Merge);
                }
                heap.set(target, &key, Node::Table(copy));
            }
            (Node::Leaf(leaf), _) => heap.set(target, &key, Node::Leaf(leaf)),
        }
    }
    heap.set(dest, GLOBAL, Node::Table(target));
}

fn copied(table: &Table) -> Vec<(Arc<str>, Node)> {
    table
        .iter()
        .map(|(key, node)| (Arc::clone(key), node.clone()))
        .collect()
}

/// Puts a chart's own defaults under `dest`.
fn coalesce_values(heap: &mut Heap, chart: &Chart, path: &Path<'_>, dest: TableId, mode: Mode) {
    let Tree::Table(defaults) = &chart.values else { return };
    let at_rest = |branch: &Arc<Branch>, mode: Mode| match mode {
        Mode::Coalesce => branch.without_nulls(),
        Mode::Merge => Arc::clone(branch),
    };
    for (key, default) in defaults.iter() {
        // A map is opened only if there is something to merge into it.
        let given = match (heap.table(dest).get(key), default) {
            (Some(Node::Table(_) | Node::Rest(_)), Tree::Leaf(leaf)) => {
                if !leaf.is_null() {
                    let skipped = format!("warning: skipped value for {}: Not a table.", path.below(key));
                    heap.warn(Reason::plain(skipped));
                }
                continue;
            }
            _ => heap.open(dest, key),
        };
        match (given, default) {
            (Opened::Leaf(leaf), _) if leaf.is_null() && mode == Mode::Coalesce => {
                heap.table_mut(dest).remove(key);
            }
            (Opened::Table(given), Tree::Table(default)) => {
                let is_sub = chart.dependencies.iter().any(|sub| sub.name() == &**key);
                let mode = if is_sub { Mode::Merge } else { mode };
                coalesce_defaults(heap, given, &path.below(key), &at_rest(default, mode), mode);
            }
            (Opened::Leaf(_) | Opened::Table(_), _) => {}
            (Opened::Absent, default) => {
                let node = match default {
                    Tree::Leaf(leaf) if leaf.is_null() && mode == Mode::Coalesce => continue,
                    Tree::Leaf(leaf) => Node::Leaf(Arc::clone(leaf)),
                    Tree::Table(branch) => Node::Rest(at_rest(branch, mode)),
                };
                heap.table_mut(dest).insert(Arc::clone(key), node);
            }
        }
    }
}

/// Merges defaults at rest under `dst`.
fn coalesce_defaults(heap: &mut Heap, dst: TableId, path: &Path<'_>, defaults: &Branch, mode: Mode) {
    for (key, default) in defaults.iter() {
        let given = match (heap.table(dst).get(key), default) {
            (Some(Node::Table(_) | Node::Rest(_)), Tree::Leaf(leaf)) => {
                if !leaf.is_null() {
                    let words = ("destination for", " is a table. Ignoring non-table value");
                    warn(heap, words, &path.below(key), || shown(leaf));
                }
                continue;
            }
            _ => heap.open(dst, key),
        };
        match (given, default) {
            (Opened::Leaf(leaf), default) if leaf.is_null() => {
                let has_default = !matches!(default, Tree::Leaf(leaf) if leaf.is_null());
                if mode == Mode::Coalesce && has_default {
                    heap.table_mut(dst).remove(key);
                }
            }
            (Opened::Absent, default) => {
                heap.table_mut(dst).insert(Arc::clone(key), default.into());
            }
            (Opened::Table(own), Tree::Table(branch)) => coalesce_defaults(heap, own, &path.below(key), branch, mode),
            (Opened::Leaf(_), Tree::Table(branch)) => {
                let words = ("cannot overwrite table with non table for", "");
                warn(heap, words, &path.below(key), || shown(&Value::Object(branch.value())));
            }
            (Opened::Leaf(_) | Opened::Table(_), _) => {}
        }
    }
}

/// Merges `src` under `dst`; `src` changes too, as in Helm.
pub(crate) fn coalesce_tables(heap: &mut Heap, dst: TableId, src: TableId, mode: Mode) {
    heap.open_all(src);
    let defaults = copied(heap.table(src));
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
        match (heap.open(dst, &key), &default) {
            (Opened::Absent, _) => {
                heap.table_mut(dst).insert(key, default);
            }
            // A table merged with itself would lose nothing and gain nothing.
            (Opened::Table(own), Node::Table(table)) if own != *table => coalesce_tables(heap, own, *table, mode),
            (Opened::Leaf(_) | Opened::Table(_), _) => {}
        }
    }
}
