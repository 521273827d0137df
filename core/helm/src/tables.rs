//! Values while they are merged.
//!
//! Helm merges Go maps, which are references: a table that was taken over from another place is the same table in
//! both, and what is merged into one is seen in the other. [`Heap`] keeps that, and [`Tree`] is what it is made from.
//!
//! Most values are never merged with anything. A tree enters a heap as it is, shared with the chart, and only the
//! tables on the way to what is looked at or changed are copied, one level at a time: the cost of merging is that of
//! what two sides have in common.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_value::{Map, Value};

use crate::reason::Reason;

/// Values at rest, cheap to copy.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tree {
    /// Anything but a map.
    Leaf(Arc<Value>),
    /// A map.
    Table(Arc<Branch>),
}

/// A map at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Branch {
    /// In the order of keys, each of which stands once.
    entries: Vec<(Arc<str>, Tree)>,
    /// Whether a null stands in it or in a map below it; lists do not count.
    has_nulls: bool,
}

impl Branch {
    /// Of entries in order.
    fn new(entries: Vec<(Arc<str>, Tree)>) -> Self {
        let has_nulls = entries.iter().any(|(_, value)| match value {
            Tree::Leaf(leaf) => leaf.is_null(),
            Tree::Table(branch) => branch.has_nulls,
        });
        Self { entries, has_nulls }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Tree)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Tree> {
        let place = self.entries.binary_search_by(|(known, _)| (**known).cmp(key)).ok()?;
        self.entries.get(place).map(|(_, value)| value)
    }

    /// The same without nulls.
    pub(crate) fn without_nulls(self: &Arc<Self>) -> Arc<Self> {
        if !self.has_nulls {
            return Arc::clone(self);
        }
        let kept = self.entries.iter().filter_map(|(key, value)| {
            let value = match value {
                Tree::Leaf(leaf) if leaf.is_null() => return None,
                Tree::Leaf(leaf) => Tree::Leaf(Arc::clone(leaf)),
                Tree::Table(branch) => Tree::Table(branch.without_nulls()),
            };
            Some((Arc::clone(key), value))
        });
        Arc::new(Self {
            entries: kept.collect(),
            has_nulls: false,
        })
    }

    pub(crate) fn value(&self) -> Map {
        let entries = self.entries.iter().map(|(key, value)| {
            let value = match value {
                Tree::Leaf(leaf) => (**leaf).clone(),
                Tree::Table(branch) => Value::Object(branch.value()),
            };
            (String::from(&**key), value)
        });
        entries.collect()
    }
}

impl Tree {
    /// A map without entries.
    pub(crate) fn empty() -> Self {
        Self::Table(Arc::default())
    }

    pub(crate) fn new(value: Value) -> Self {
        match value {
            Value::Object(map) => Self::from_map(map),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Self::Leaf(Arc::new(value))
            }
        }
    }

    pub(crate) fn from_map(map: Map) -> Self {
        let entries = map.into_iter().map(|(key, value)| (key.into(), Self::new(value)));
        let mut entries: Vec<(Arc<str>, Self)> = entries.collect();
        entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Self::Table(Arc::new(Branch::new(entries)))
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
    /// A map that nothing was merged into yet and that nothing else refers to: it becomes a table of its own when it
    /// is [opened](Heap::open).
    Rest(Arc<Branch>),
}

impl Node {
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Leaf(leaf) if leaf.is_null())
    }

    fn at_rest(tree: &Tree) -> Self {
        match tree {
            Tree::Leaf(leaf) => Self::Leaf(Arc::clone(leaf)),
            Tree::Table(branch) => Self::Rest(Arc::clone(branch)),
        }
    }
}

impl From<&Tree> for Node {
    fn from(tree: &Tree) -> Self {
        Self::at_rest(tree)
    }
}

/// What a table has under a key, with maps made ready to be merged into.
#[derive(Clone, Debug)]
pub(crate) enum Opened {
    Absent,
    Leaf(Arc<Value>),
    Table(TableId),
}

/// A map while it is merged, in the order of keys: a list of just its entries as long as they are few, since a tree's
/// nodes have room for eleven, and there are thousands of tables.
#[derive(Clone, Debug)]
pub(crate) enum Table {
    List(Vec<(Arc<str>, Node)>),
    Tree(BTreeMap<Arc<str>, Node>),
}

/// Most entries of a list: to add one costs moving those behind it.
const LIST: usize = 64;

impl Table {
    pub(crate) fn new() -> Self {
        Self::List(Vec::new())
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Tree(tree) => tree.len(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Self::List(list) => list.get(find(list, key).ok()?).map(|(_, node)| node),
            Self::Tree(tree) => tree.get(key),
        }
    }

    fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        match self {
            Self::List(list) => {
                let place = find(list, key).ok()?;
                list.get_mut(place).map(|(_, node)| node)
            }
            Self::Tree(tree) => tree.get_mut(key),
        }
    }

    pub(crate) fn insert(&mut self, key: Arc<str>, node: Node) {
        if let Self::List(list) = self {
            match find(list, &key) {
                Ok(place) => {
                    list[place].1 = node;
                    return;
                }
                Err(place) if list.len() < LIST => {
                    list.insert(place, (key, node));
                    return;
                }
                Err(_) => *self = Self::Tree(core::mem::take(list).into_iter().collect()),
            }
        }
        if let Self::Tree(tree) = self {
            tree.insert(key, node);
        }
    }

    pub(crate) fn remove(&mut self, key: &str) {
        match self {
            Self::List(list) => {
                if let Ok(place) = find(list, key) {
                    list.remove(place);
                }
            }
            Self::Tree(tree) => {
                tree.remove(key);
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Node)> {
        let (list, tree) = match self {
            Self::List(list) => (Some(list), None),
            Self::Tree(tree) => (None, Some(tree)),
        };
        let listed = list.into_iter().flatten().map(|(key, node)| (key, node));
        listed.chain(tree.into_iter().flatten())
    }
}

/// Of entries in order, each of which stands once.
impl FromIterator<(Arc<str>, Node)> for Table {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Node)>>(entries: I) -> Self {
        let list: Vec<_> = entries.into_iter().collect();
        if list.len() <= LIST {
            Self::List(list)
        } else {
            Self::Tree(list.into_iter().collect())
        }
    }
}

fn find(list: &[(Arc<str>, Node)], key: &str) -> Result<usize, usize> {
    list.binary_search_by(|(known, _)| (**known).cmp(key))
}

/// Warnings that are kept.
const MAX_WARNINGS: usize = 100;

/// Tables that refer to each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    tables: Vec<Table>,
    /// What was passed over while merging.
    warnings: Vec<Reason>,
}

impl Heap {
    /// Notes that something was passed over, once.
    pub(crate) fn warn(&mut self, warning: Reason) {
        if self.warnings.len() < MAX_WARNINGS && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// What was passed over so far.
    pub(crate) fn warnings(&self) -> &[Reason] {
        &self.warnings
    }

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

    /// What `id` has under `key`; a map at rest becomes a table first.
    pub(crate) fn open(&mut self, id: TableId, key: &str) -> Opened {
        match self.tables[id.0].get(key) {
            None => Opened::Absent,
            Some(Node::Leaf(leaf)) => Opened::Leaf(Arc::clone(leaf)),
            Some(Node::Table(table)) => Opened::Table(*table),
            Some(Node::Rest(branch)) => {
                let branch = Arc::clone(branch);
                let table = self.import(&branch);
                self.set(id, key, Node::Table(table));
                Opened::Table(table)
            }
        }
    }

    /// Makes tables of all maps at rest directly in `id`, so that what is copied from it stays the same tables.
    pub(crate) fn open_all(&mut self, id: TableId) {
        let resting: Vec<(Arc<str>, Arc<Branch>)> = self
            .table(id)
            .iter()
            .filter_map(|(key, node)| match node {
                Node::Rest(branch) => Some((Arc::clone(key), Arc::clone(branch))),
                Node::Leaf(_) | Node::Table(_) => None,
            })
            .collect();
        for (key, branch) in resting {
            let table = self.import(&branch);
            self.set(id, &key, Node::Table(table));
        }
    }

    pub(crate) fn set(&mut self, id: TableId, key: &str, node: Node) {
        match self.tables[id.0].get_mut(key) {
            Some(old) => *old = node,
            None => self.tables[id.0].insert(key.into(), node),
        }
    }

    /// A copy of a map at rest.
    pub(crate) fn import(&mut self, branch: &Branch) -> TableId {
        let table = branch
            .iter()
            .map(|(key, value)| (Arc::clone(key), Node::at_rest(value)));
        let table = table.collect();
        self.add(table)
    }

    /// As [`Heap::import`]; what is no map becomes an empty one.
    pub(crate) fn import_tree(&mut self, tree: &Tree) -> TableId {
        match tree {
            Tree::Table(branch) => self.import(branch),
            Tree::Leaf(_) => self.add(Table::new()),
        }
    }

    /// A deep copy at rest.
    pub(crate) fn export(&self, id: TableId) -> Arc<Branch> {
        let entries = self.table(id).iter().map(|(key, node)| {
            let value = match node {
                Node::Leaf(leaf) => Tree::Leaf(Arc::clone(leaf)),
                Node::Table(id) => Tree::Table(self.export(*id)),
                Node::Rest(branch) => Tree::Table(Arc::clone(branch)),
            };
            (Arc::clone(key), value)
        });
        Arc::new(Branch::new(entries.collect()))
    }

    /// A deep copy of a table.
    pub(crate) fn deep_copy(&mut self, id: TableId) -> TableId {
        let branch = self.export(id);
        self.import(&branch)
    }

    /// The table under a path of keys with dots between.
    pub(crate) fn at(&mut self, id: TableId, path: &str) -> Option<TableId> {
        path.split('.').try_fold(id, |id, key| match self.open(id, key) {
            Opened::Table(table) => Some(table),
            Opened::Absent | Opened::Leaf(_) => None,
        })
    }

    /// A copy as a value.
    pub(crate) fn value(&self, id: TableId) -> Map {
        let entries = self.table(id).iter().map(|(key, node)| {
            let value = match node {
                Node::Leaf(leaf) => (**leaf).clone(),
                Node::Table(id) => Value::Object(self.value(*id)),
                Node::Rest(branch) => Value::Object(branch.value()),
            };
            (String::from(&**key), value)
        });
        entries.collect()
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    /// Against a tree: below and above the bound of the list.
    #[test]
    fn tables_are_ordered_maps() {
        let shown =
            |table: &Table| -> Vec<String> { table.iter().map(|(key, node)| format!("{key} {node:?}")).collect() };
        let mut table = Table::new();
        let mut model: BTreeMap<Arc<str>, Node> = BTreeMap::new();
        let mut state: u64 = 7;
        for round in 0..3_000_usize {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let range = if round < 1_000 { 40 } else { 150 };
            let key: Arc<str> = format!("key{}", (state >> 33) % range).into();
            if (state >> 20).is_multiple_of(3) {
                table.remove(&key);
                model.remove(&key);
            } else {
                table.insert(Arc::clone(&key), Node::Table(TableId(round)));
                model.insert(Arc::clone(&key), Node::Table(TableId(round)));
            }
            assert_eq!((table.len(), table.is_empty()), (model.len(), model.is_empty()));
            assert_eq!(table.get(&key).is_some(), model.contains_key(&key));
            assert_eq!(table.get_mut(&key).is_some(), model.contains_key(&key));
        }
        assert!(matches!(table, Table::Tree(_)));
        let expect: Table = model.into_iter().collect();
        assert_eq!(shown(&table), shown(&expect));
    }
}
