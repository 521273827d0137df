//! Which of a chart's dependencies take part, under which names, and what they export to their parents.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_sprig::semver::is_compatible;
use convoy_value::{Map, Value};

use crate::chart::Chart;
use crate::coalesce::{self, Mismatch, Mode, coalesce_tables};
use crate::error::Error;
use crate::gofloat;
use crate::metadata::Dependency;
use crate::reason::Reason;
use crate::tables::{Branch, Heap, Node, Table, TableId, Tree};

/// Settles the dependencies of `chart` for the values that a user gives.
pub(crate) fn process(chart: &mut Chart, values: &Tree) -> Result<(), Error> {
    let result = select(chart, values, "").and_then(|()| import(chart));
    result.map_err(|Mismatch { key, value }| Error::TypeMismatch {
        stage: "chart dependencies processing failed: ",
        key,
        value: Reason::hiding(value, coalesce::NO_MAP),
    })
}

/// Gives dependencies their aliases and removes those that tags and conditions disable, from the top down.
fn select(chart: &mut Chart, given: &Tree, path: &str) -> Result<(), Mismatch> {
    if !chart.metadata.lists_dependencies {
        return Ok(());
    }
    rename(chart);
    for dependency in chart.metadata.dependencies_mut() {
        dependency.enabled = true;
    }
    let (heap, values) = coalesce::values_of(chart, given, Mode::Coalesce)?;
    let values = heap.export(values);
    for dependency in chart.metadata.dependencies_mut() {
        by_tags(dependency, &values);
        by_condition(dependency, &values, path);
    }
    let values = Tree::Table(values);
    let disabled: Vec<String> = chart
        .metadata
        .dependencies()
        .filter(|dependency| !dependency.enabled)
        .map(|dependency| dependency.name.clone())
        .collect();
    let stays = |name: &str| !disabled.iter().any(|disabled| disabled == name);
    chart.dependencies.retain(|sub| stays(sub.name()));
    chart
        .metadata
        .dependencies
        .retain(|dependency| dependency.as_ref().is_none_or(|dependency| stays(&dependency.name)));
    // A list of which nothing is left is none to what follows; one that is empty from the start, below a chart without
    // a list, still counts.
    chart.metadata.lists_dependencies = !chart.metadata.dependencies.is_empty();
    for sub in &mut chart.dependencies {
        let path = format!("{path}{}.", sub.name());
        select(sub, &values, &path)?;
    }
    Ok(())
}

/// Gives the dependencies of all levels their aliases, whatever values may disable later.
pub(crate) fn rename_all(chart: &mut Chart) {
    if chart.metadata.lists_dependencies {
        rename(chart);
    }
    for sub in &mut chart.dependencies {
        rename_all(sub);
    }
}

/// Charts that no dependency names come first, then one for each dependency that a chart fits.
fn rename(chart: &mut Chart) {
    let fits = |sub: &Chart, dependency: &Dependency| {
        sub.name() == dependency.name && is_compatible(&dependency.version, &sub.metadata.version)
    };
    let mut charts: Vec<Chart> = chart
        .dependencies
        .iter()
        .filter(|sub| !chart.metadata.dependencies().any(|dependency| fits(sub, dependency)))
        .cloned()
        .collect();
    for dependency in chart.metadata.dependencies.iter_mut().flatten() {
        if let Some(sub) = chart.dependencies.iter().find(|sub| fits(sub, dependency)) {
            let mut sub = sub.clone();
            if !dependency.alias.is_empty() {
                sub.metadata.name.clone_from(&dependency.alias);
            }
            charts.push(sub);
        }
        if !dependency.alias.is_empty() {
            dependency.name.clone_from(&dependency.alias);
        }
    }
    chart.dependencies = charts;
}

fn by_tags(dependency: &mut Dependency, values: &Branch) {
    let Some(Tree::Table(tags)) = values.get("tags") else {
        return;
    };
    let set: Vec<bool> = dependency
        .tags
        .iter()
        .flatten()
        .filter_map(|tag| match tags.get(tag)? {
            Tree::Leaf(leaf) => leaf.as_bool(),
            Tree::Table(_) => None,
        })
        .collect();
    dependency.enabled = set.is_empty() || set.contains(&true);
}

/// The first condition that is a boolean decides.
fn by_condition(dependency: &mut Dependency, values: &Branch, path: &str) {
    let conditions = dependency
        .condition
        .trim()
        .split(',')
        .filter(|condition| !condition.is_empty());
    let decided = conditions
        .filter_map(|condition| leaf_at(values, &format!("{path}{condition}")))
        .find_map(Value::as_bool);
    dependency.enabled = decided.unwrap_or(dependency.enabled);
}

/// The value, no table, under a path with dots between.
fn leaf_at<'v>(values: &'v Branch, path: &str) -> Option<&'v Value> {
    let mut keys = path.split('.');
    let first = values.get(keys.next()?)?;
    let found = keys.try_fold(first, |value, key| match value {
        Tree::Table(branch) => branch.get(key),
        Tree::Leaf(_) => None,
    })?;
    match found {
        Tree::Leaf(leaf) => Some(leaf),
        Tree::Table(_) => None,
    }
}

/// Merges what charts export into the values of their parents, from the bottom up.
fn import(chart: &mut Chart) -> Result<(), Mismatch> {
    for sub in &mut chart.dependencies {
        import(sub)?;
    }
    if !chart.metadata.lists_dependencies {
        return Ok(());
    }
    let (mut heap, values) = coalesce::values_of(chart, &Tree::empty(), Mode::Merge)?;
    let imported = heap.add(Table::new());
    for dependency in chart.metadata.dependencies_mut() {
        let mut settled = Vec::new();
        for wanted in &dependency.import_values {
            let Some((child, parent)) = places(wanted) else {
                continue;
            };
            let entry = [("child", child.as_str()), ("parent", parent.as_str())];
            settled.push(Value::Object(
                entry
                    .into_iter()
                    .map(|(key, text)| (key.to_owned(), Value::from(text)))
                    .collect::<Map>(),
            ));
            let Some(table) = heap.at(values, &format!("{}.{child}", dependency.name)) else {
                continue;
            };
            let nested = if heap.table(table).is_empty() {
                heap.add(Table::new())
            } else {
                table
            };
            let nested = nest(&mut heap, &parent, nested);
            coalesce_tables(&mut heap, imported, nested, Mode::Merge);
        }
        dependency.import_values = settled;
    }
    let own = heap.deep_copy(values);
    coalesce_tables(&mut heap, own, imported, Mode::Merge);
    chart.values = Tree::Table(heap.export(own));
    Ok(())
}

/// From where in the child to where in the parent: both forms of an entry of `import-values`.
fn places(wanted: &Value) -> Option<(String, String)> {
    match wanted {
        Value::Object(map) => {
            let text = |key: &str| match map.get(key) {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Number(number)) => gofloat::display(number),
                Some(Value::Bool(b)) => b.to_string(),
                None | Some(Value::Null | Value::Array(_) | Value::Object(_)) => "<nil>".into(),
            };
            Some((text("child"), text("parent")))
        }
        Value::String(name) => Some((format!("exports.{name}"), ".".into())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

/// Wraps a table so that it lies at `path`; a dot is the root.
fn nest(heap: &mut Heap, path: &str, table: TableId) -> TableId {
    if path == "." {
        return table;
    }
    path.rsplit('.').fold(table, |inner, key| {
        let outer = [(key.into(), Node::Table(inner))].into_iter().collect();
        heap.add(outer)
    })
}
