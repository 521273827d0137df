//! Values while they are merged.
//!
//! Helm merges Go maps, which are references: a table that was taken over from another place is the same table in
//! both, and what is merged into one is seen in the other. [`Heap`] keeps that, and [`Tree`] is what it is made from.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_value::{Map, Value};

/// Values at rest, cheap to copy.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    /// Anything but a map.
    Leaf(Arc<Value>),
    /// A map.
    Table(Arc<BTreeMap<Arc<str>, Tree>>),
}

impl Tree {
    /// A map without entries.
    pub(crate) fn empty() -> Self {
        Self::Table(Arc::new(BTreeMap::new()))
    }

    pub(crate) fn new(value: Value) -> Self {
        match value {
            Value::Object(map) => Self::from_map(&map),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Self::Leaf(Arc::new(value))
            }
        }
    }

    pub(crate) fn from_map(map: &Map) -> Self {
        let entries = map.iter().map(|(key, value)| (key.into(), Self::new(value.clone())));
        Self::Table(Arc::new(entries.collect()))
    }
}

/// A table of a [`Heap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TableId(usize);

/// A value in a table.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Anything but a map.
    Leaf(Arc<Value>),
    /// A reference to a map.
    Table(TableId),
}

impl Node {
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Leaf(leaf) if leaf.is_null())
    }

    pub(crate) fn table(&self) -> Option<TableId> {
        match self {
            Self::Table(id) => Some(*id),
            Self::Leaf(_) => None,
        }
    }
}

pub(crate) type Table = BTreeMap<Arc<str>, Node>;

/// Tables that refer to each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    tables: Vec<Table>,
}

impl Heap {
    /// A new table.
    pub(crate) fn add(&mut self, table: Table) -> TableId {
        self.tables.push(table);
        TableId(self.tables.len() - 1)
    }

    pub(crate) fn table(&self, id: TableId) -> &Table {
        &self.tables[id.0]
    }

    pub(crate) fn table_mut(&mut self, id: TableId) -> &mut Table {
        &mut self.tables[id.0]
    }

    pub(crate) fn get(&self, id: TableId, key: &str) -> Option<&Node> {
        self.table(id).get(key)
    }

    pub(crate) fn set(&mut self, id: TableId, key: &str, node: Node) {
        match self.tables[id.0].get_mut(key) {
            Some(old) => *old = node,
            None => {
                self.tables[id.0].insert(key.into(), node);
            }
        }
    }

    /// A deep copy of values at rest.
    pub(crate) fn import(&mut self, tree: &Tree) -> TableId {
        match self.import_node(tree) {
            Node::Table(id) => id,
            Node::Leaf(_) => self.add(Table::new()),
        }
    }

    fn import_node(&mut self, tree: &Tree) -> Node {
        match tree {
            Tree::Leaf(leaf) => Node::Leaf(Arc::clone(leaf)),
            Tree::Table(entries) => {
                let table = entries
                    .iter()
                    .map(|(key, value)| (Arc::clone(key), self.import_node(value)))
                    .collect();
                Node::Table(self.add(table))
            }
        }
    }

    /// A deep copy at rest.
    pub(crate) fn export(&self, id: TableId) -> Tree {
        let entries = self.table(id).iter().map(|(key, node)| {
            let value = match node {
                Node::Leaf(leaf) => Tree::Leaf(Arc::clone(leaf)),
                Node::Table(id) => self.export(*id),
            };
            (Arc::clone(key), value)
        });
        Tree::Table(Arc::new(entries.collect()))
    }

    /// A deep copy of a table of `other` in this heap.
    pub(crate) fn adopt(&mut self, other: &Self, id: TableId) -> TableId {
        let table = other.table(id).iter().map(|(key, node)| {
            let node = match node {
                Node::Leaf(leaf) => Node::Leaf(Arc::clone(leaf)),
                Node::Table(id) => Node::Table(self.adopt(other, *id)),
            };
            (Arc::clone(key), node)
        });
        let table = table.collect();
        self.add(table)
    }

    /// As [`Heap::adopt`], within this heap.
    pub(crate) fn deep_copy(&mut self, id: TableId) -> TableId {
        let tree = self.export(id);
        self.import(&tree)
    }

    /// The table under a path of keys with dots between.
    pub(crate) fn at(&self, id: TableId, path: &str) -> Option<TableId> {
        path.split('.').try_fold(id, |id, key| self.get(id, key)?.table())
    }

    /// The value, no table, under a path with dots between, as `condition` looks it up.
    pub(crate) fn leaf_at(&self, id: TableId, path: &str) -> Option<&Value> {
        let (table, key) = match path.rsplit_once('.') {
            Some((table, key)) => (self.at(id, table)?, key),
            None => (id, path),
        };
        match self.get(table, key)? {
            Node::Leaf(leaf) => Some(leaf),
            Node::Table(_) => None,
        }
    }

    /// A copy as a value.
    pub(crate) fn value(&self, id: TableId) -> Map {
        let mut map = Map::new();
        for (key, node) in self.table(id) {
            let value = match node {
                Node::Leaf(leaf) => (**leaf).clone(),
                Node::Table(id) => Value::Object(self.value(*id)),
            };
            map.insert(String::from(&**key), value);
        }
        map
    }
}
