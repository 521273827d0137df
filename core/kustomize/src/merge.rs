//! Strategic merge, as kyaml does it.
//!
//! Lists merge if the schema says so: what the patch has comes first, then what only the object has. `$patch` says
//! `delete`, `replace` or `merge` for a mapping, or for a list in an element of its own. Other directives of the API
//! server are plain fields to kyaml.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use convoy_value::yaml;

use crate::meter::Meter;
use crate::node::{Entries, Node, Scalar, Tag};
use crate::schema::{Place, Schema};

/// The most elements of a list that merges by more than one key: those are compared pair by pair.
const MAX_PAIRED: usize = 2_000;

const DIRECTIVE: &str = "$patch";

type Result<T> = core::result::Result<T, String>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    Merge,
    Replace,
    Delete,
}

impl Directive {
    fn parse(text: &str) -> Result<Self> {
        match text {
            "merge" => Ok(Self::Merge),
            "replace" => Ok(Self::Replace),
            "delete" => Ok(Self::Delete),
            other => Err(format!("unknown patch strategy `{other}`")),
        }
    }

    /// What a mapping says, which is taken out of it.
    fn take_from_map(map: &mut Entries) -> Result<Self> {
        match map.get(DIRECTIVE) {
            None => Ok(Self::Merge),
            Some(node) => {
                let directive = Self::parse(node.text())?;
                map.remove(DIRECTIVE);
                Ok(directive)
            }
        }
    }

    /// What an element of a list says for the list, which is taken out of it.
    fn take_from_list(items: &mut Vec<Node>) -> Result<Self> {
        let said = items
            .iter()
            .find_map(|item| Some((item.as_map()?, item.get(DIRECTIVE)?)));
        let Some((map, value)) = said else {
            return Ok(Self::Merge);
        };
        if map.0.len() > 1 {
            return Ok(Self::Merge);
        }
        let text = value.text().to_string();
        let directive = Self::parse(&text)?;
        items.retain(|item| !item.is_empty_map() && item.get(DIRECTIVE).is_none_or(|value| value.text() != text));
        Ok(directive)
    }
}

/// An object of a build with `patch` merged in; nothing if nothing is left of it. A patch that says of itself that it
/// replaces the object changes nothing: kustomize looks at it, and keeps what was there.
///
/// # Errors
/// As [`merge`].
pub(crate) fn merge_object(object: Node, patch: Node, schema: &Schema, meter: &Meter) -> Result<Option<Node>> {
    if patch.get(DIRECTIVE).map(Node::text) == Some("replace") && object.as_map().is_some() {
        return merge(object.clone(), patch, schema, meter).map(|_| Some(object));
    }
    merge(object, patch, schema, meter)
}

/// `object` with `patch` merged in; nothing if nothing is left of it.
///
/// # Errors
/// When both have different kinds of nodes in one place, or a directive is unknown.
pub(crate) fn merge(object: Node, patch: Node, schema: &Schema, meter: &Meter) -> Result<Option<Node>> {
    Rules { schema, meter }.both(object, patch, None)
}

struct Rules<'s> {
    schema: &'s Schema,
    meter: &'s Meter,
}

/// A list in which elements keep their identity while they move.
struct Elements {
    nodes: Vec<Node>,
    /// The object's elements.
    dest: Vec<usize>,
    /// The patch's; the same ones where the patch stands in for the object.
    origin: Vec<usize>,
    /// The first element of each list by the one key's value.
    first: [BTreeMap<String, usize>; 2],
}

impl<'s> Rules<'s> {
    /// The schema for nodes of which the place is not known: their own type's.
    fn place(&self, place: Option<Place<'s>>, nodes: [&Node; 2]) -> Option<Place<'s>> {
        place.or_else(|| {
            nodes.into_iter().find_map(|node| {
                let (api_version, kind) = (node.get("apiVersion")?.text(), node.get("kind")?.text());
                self.schema.of_type(api_version, kind)
            })
        })
    }

    fn both(&self, dest: Node, origin: Node, place: Option<Place<'s>>) -> Result<Option<Node>> {
        let place = self.place(place, [&dest, &origin]);
        match (dest, origin) {
            (dest, origin) if dest.is_null() && origin.is_null() => self.alone(origin, place).map(|_| None),
            (dest, origin) if dest.is_null() => self.instead(origin, place),
            (_, origin) if origin.is_null() => Ok(None),
            (Node::Map(mut dest), Node::Map(mut origin)) => match Directive::take_from_map(&mut origin)? {
                Directive::Delete => Ok(None),
                Directive::Replace => self.alone(Node::Map(origin), place),
                Directive::Merge => {
                    self.fields(&mut dest, origin, place)?;
                    Ok(Some(Node::Map(dest)))
                }
            },
            (Node::Seq(dest), Node::Seq(mut origin)) => {
                let Some(keys) = place.and_then(Schema::merge_keys) else {
                    return Ok(Some(Node::Seq(origin)));
                };
                match Directive::take_from_list(&mut origin)? {
                    Directive::Delete => Ok(None),
                    Directive::Replace => self.list(Vec::new(), origin, keys, place),
                    Directive::Merge => self.list(dest, origin, keys, place),
                }
            }
            (Node::Scalar(dest), Node::Scalar(origin)) => Ok(Some(Node::Scalar(Scalar {
                shared: dest.shared,
                ..origin
            }))),
            (Node::Map(_) | Node::Seq(_) | Node::Scalar(_), _) => {
                Err("the patch has another kind of node than the object".into())
            }
        }
    }

    /// What the patch has where the object has nothing.
    fn instead(&self, mut origin: Node, place: Option<Place<'s>>) -> Result<Option<Node>> {
        if let Node::Map(map) = &mut origin
            && let Some(node) = map.get(DIRECTIVE)
        {
            // An unknown directive is an error further down.
            if Directive::parse(node.text()) == Ok(Directive::Delete) {
                return Ok(None);
            }
            if Directive::parse(node.text()).is_ok() {
                map.remove(DIRECTIVE);
            }
        }
        match origin {
            // What such a list says of itself is an element like another.
            Node::Seq(items) => match place.and_then(Schema::merge_keys) {
                Some(keys) => self.list(Vec::new(), items, keys, place),
                None => Ok(Some(Node::Seq(items))),
            },
            origin @ (Node::Map(_) | Node::Scalar(_)) => self.alone(origin, place),
        }
    }

    /// A node merged with itself: nulls go, and directives inside of it count.
    fn alone(&self, node: Node, place: Option<Place<'s>>) -> Result<Option<Node>> {
        let place = self.place(place, [&node, &node]);
        match node {
            Node::Map(mut map) => {
                match Directive::take_from_map(&mut map)? {
                    Directive::Delete => return Ok(None),
                    Directive::Replace | Directive::Merge => {}
                }
                let mut out = Vec::with_capacity(map.0.len());
                for (key, node) in map.0 {
                    if node.is_null() {
                        continue;
                    }
                    let inner = place.and_then(|place| self.schema.field(place, &key));
                    if let Some(node) = self
                        .alone(node, inner)
                        .map_err(|problem| format!("`{key}`: {problem}"))?
                    {
                        out.push((key, node));
                    }
                }
                for (_, node) in &mut out {
                    node.quote_made();
                }
                Ok(Some(Node::Map(Entries(out))))
            }
            Node::Seq(mut items) => {
                let Some(keys) = place.and_then(Schema::merge_keys) else {
                    return Ok(Some(Node::Seq(items)));
                };
                if Directive::take_from_list(&mut items)? == Directive::Delete {
                    return Ok(None);
                }
                self.list(Vec::new(), items, keys, place)
            }
            scalar @ Node::Scalar(_) => Ok(Some(scalar)),
        }
    }

    fn fields(&self, dest: &mut Entries, origin: Entries, place: Option<Place<'s>>) -> Result<()> {
        // A null that is written as nothing does not outlive a patch; `null` does.
        dest.0
            .retain(|(key, node)| !(node.is_null() && node.text().is_empty() && origin.get(key).is_none()));
        let mut origin = origin.0;
        // Of a key that is set twice, the first counts.
        origin.retain(|(key, _)| !key.starts_with(yaml::kustomize::TWICE));
        let patched: BTreeSet<String> = origin.iter().map(|(key, _)| key.clone()).collect();
        let untouched = core::mem::take(&mut dest.0);
        let mut kept: Vec<(String, Node)> = Vec::with_capacity(untouched.len());
        let mut old: BTreeMap<String, (usize, Node)> = BTreeMap::new();
        for (key, node) in untouched {
            let inner = place.and_then(|place| self.schema.field(place, &key));
            if patched.contains(&key) {
                old.insert(key.clone(), (kept.len(), node));
                kept.push((key, Node::untagged("")));
            } else if let Some(node) = self.unpatched(node, inner)? {
                kept.push((key, node));
            }
        }
        let (mut gone, mut merged) = (BTreeSet::new(), BTreeSet::new());
        for (key, node) in origin {
            let inner = place.and_then(|place| self.schema.field(place, &key));
            let in_field = |problem| format!("`{key}`: {problem}");
            match old.remove(&key) {
                Some((at, before)) => {
                    let quotes = before.as_scalar().map(Scalar::has_quotes);
                    match self.both(before, node, inner).map_err(in_field)? {
                        Some(mut node) => {
                            // A text takes the quotes of what was there, not its own.
                            if let (Some(quotes), Node::Scalar(scalar)) = (quotes, &mut node) {
                                scalar.quoted = quotes;
                                merged.insert(at);
                            }
                            kept[at].1 = node;
                        }
                        None => {
                            gone.insert(at);
                        }
                    }
                }
                None => {
                    if let Some(node) = self.both(null(), node, inner).map_err(in_field)? {
                        kept.push((key, node));
                    }
                }
            }
        }
        let mut at = 0;
        kept.retain_mut(|(_, node)| {
            at += 1;
            if !merged.contains(&(at - 1)) {
                node.quote_made();
            }
            !gone.contains(&(at - 1))
        });
        dest.0 = kept;
        Ok(())
    }

    /// What the object has where the patch has nothing: merged lists lose repeated elements, nulls without a text go.
    fn unpatched(&self, node: Node, place: Option<Place<'s>>) -> Result<Option<Node>> {
        let place = self.place(place, [&node, &node]);
        match node {
            Node::Map(mut map) => {
                self.fields(&mut map, Entries::default(), place)?;
                Ok(Some(Node::Map(map)))
            }
            Node::Seq(items) => match place.and_then(Schema::merge_keys) {
                Some(keys) => self.list(items, Vec::new(), keys, place),
                None => Ok(Some(Node::Seq(items))),
            },
            scalar @ Node::Scalar(_) => Ok(Some(scalar)),
        }
    }

    /// A list that merges. Without elements in `dest`, the patch stands in for the object.
    fn list(
        &self,
        dest: Vec<Node>,
        origin: Vec<Node>,
        keys: &[String],
        place: Option<Place<'s>>,
    ) -> Result<Option<Node>> {
        let in_place = dest.is_empty();
        let (from, to) = (dest.len(), dest.len() + origin.len());
        let mut nodes = dest;
        nodes.extend(origin);
        let origin: Vec<usize> = (from..to).collect();
        let elements = Elements {
            nodes,
            dest: if in_place { origin.clone() } else { (0..from).collect() },
            origin,
            first: Default::default(),
        };
        let inner = place.and_then(Schema::element);
        if keys.is_empty() {
            return Ok(Some(Node::Seq(elements.scalars())));
        }
        elements.merge(self, keys, inner).map(Some)
    }
}

fn null() -> Node {
    Node::Scalar(Scalar {
        text: String::new(),
        tag: Tag::Null,
        quoted: false,
        shared: 0,
    })
}

/// The texts under `keys`; empty where there is none.
fn values_of(node: &Node, keys: &[String]) -> Vec<String> {
    keys.iter()
        .map(|key| {
            node.get(key)
                .filter(|field| !field.is_empty())
                .map_or_else(String::new, |field| field.text().to_string())
        })
        .collect()
}

/// Whether a field of `node` has `value`; an empty one stands for any.
fn has(node: &Node, key: &str, value: &str) -> bool {
    node.get(key)
        .is_some_and(|field| value.is_empty() || field.text() == value)
}

impl Elements {
    /// Scalars: those of the patch first, each once.
    fn scalars(self) -> Vec<Node> {
        let mut seen = BTreeSet::new();
        let order = self.origin.iter().chain(&self.dest);
        order
            .filter_map(|at| self.nodes.get(*at))
            .filter(|node| seen.insert(node.text().to_string()))
            .cloned()
            .collect()
    }

    #[expect(clippy::too_many_lines, reason = "one case after another, in the order of the tool")]
    fn merge(mut self, rules: &Rules<'_>, keys: &[String], place: Option<Place<'_>>) -> Result<Node> {
        let mut values: Vec<Vec<String>> = Vec::new();
        let mut seen = BTreeSet::new();
        for at in self.origin.iter().chain(&self.dest) {
            let found = values_of(&self.nodes[*at], keys);
            if seen.insert(found.clone()) {
                values.push(found);
            }
        }
        if values.is_empty() {
            return Ok(Node::Seq(Vec::new()));
        }
        if keys.len() > 1 {
            rules.meter.step(values.len().saturating_mul(values.len()))?;
            complete(&mut values)?;
        }
        let used: Vec<bool> = (0..keys.len())
            .map(|at| values.iter().any(|found| !found[at].is_empty()))
            .collect();
        let none = !used.contains(&true);
        let valid = |at: usize| none || used[at];
        let valid_keys: Vec<String> = (0..keys.len())
            .filter(|at| valid(*at))
            .map(|at| keys[at].clone())
            .collect();
        if let [key] = &valid_keys[..] {
            for (first, list) in self.first.iter_mut().zip([&self.dest, &self.origin]) {
                for at in list {
                    if let Some(field) = self.nodes[*at].get(key) {
                        first.entry(field.text().to_string()).or_insert(*at);
                    }
                }
            }
        }
        let mut added = Added::default();
        for found in &values {
            let found: Vec<&str> = (0..keys.len())
                .filter(|at| valid(*at))
                .map(|at| found[at].as_str())
                .collect();
            let Some(at) = self.element(rules, &valid_keys, &found, place)? else {
                let nodes = &self.nodes;
                self.dest
                    .retain(|at| !is_match(&nodes[*at], &valid_keys, &found) && !nodes[*at].is_empty_map());
                if found == [""] {
                    // An element without the key takes all that have it away.
                    self.first[0].clear();
                }
                continue;
            };
            for (key, value) in valid_keys.iter().zip(&found) {
                if let Node::Map(map) = &mut self.nodes[at]
                    && map.get(key).is_none()
                    && !value.is_empty()
                {
                    map.set(key, Node::untagged(*value));
                }
            }
            added.set(&self.nodes, at, &valid_keys, &found);
        }
        // What only the object has comes behind what the patch has; what both have stays where the patch has it.
        for at in core::mem::take(&mut self.dest) {
            let mut found: Vec<&str> = Vec::new();
            for key in &valid_keys {
                match self.nodes[at].get(key) {
                    Some(field) => found.push(field.text()),
                    None => added.push(at),
                }
            }
            if valid_keys.len() > 1 {
                added.remove(&self.nodes, &valid_keys, &found);
            }
            added.set(&self.nodes, at, &valid_keys, &found);
        }
        let mut nodes: Vec<Option<Node>> = self.nodes.into_iter().map(Some).collect();
        let mut out = Vec::with_capacity(added.order.len());
        let mut last: Vec<Option<usize>> = vec![None; nodes.len()];
        for at in added.order {
            match (nodes.get_mut(at).and_then(Option::take), last[at]) {
                (Some(element), _) => {
                    last[at] = Some(out.len());
                    out.push(element);
                }
                // kyaml adds an element without the key more than once.
                (None, Some(first)) => {
                    let again: Node = Node::clone(&out[first]);
                    out.push(again);
                }
                (None, None) => {}
            }
        }
        Ok(Node::Seq(out))
    }

    /// Merges the elements with these values; answers where the result is.
    fn element(
        &mut self,
        rules: &Rules<'_>,
        keys: &[String],
        values: &[&str],
        place: Option<Place<'_>>,
    ) -> Result<Option<usize>> {
        // Only keys with a value count here, unless none has one.
        let pairs: Vec<(&str, &str)> = keys.iter().map(String::as_str).zip(values.iter().copied()).collect();
        let some = pairs.iter().any(|(_, value)| !value.is_empty());
        let is = |node: &Node| {
            node.as_map().is_some()
                && pairs
                    .iter()
                    .filter(|(_, value)| !some || !value.is_empty())
                    .all(|(key, value)| node.get(key).is_some_and(|field| field.text() == *value))
        };
        let find = |list: &[usize]| list.iter().copied().find(|at| is(&self.nodes[*at]));
        let (dest, origin) = match values {
            [value] => (self.first[0].get(*value).copied(), self.first[1].get(*value).copied()),
            _ => (find(&self.dest), find(&self.origin)),
        };
        let name = || {
            pairs
                .iter()
                .map(|(key, value)| format!("{key}={value}"))
                .collect::<Vec<_>>()
                .join(",")
        };
        let problem = |problem| format!("`[{}]`: {problem}", name());
        match (dest, origin) {
            (None, None) => Ok(None),
            (Some(dest), None) => {
                let node = core::mem::replace(&mut self.nodes[dest], null());
                let merged = rules.unpatched(node, place).map_err(problem)?;
                Ok(self.put(dest, merged))
            }
            (Some(dest), Some(origin)) if dest == origin => {
                let node = core::mem::replace(&mut self.nodes[dest], null());
                let merged = rules.alone(node, place).map_err(problem)?;
                Ok(self.put(dest, merged))
            }
            (None, Some(origin)) => {
                let node = core::mem::replace(&mut self.nodes[origin], null());
                let merged = rules.instead(node, place).map_err(problem)?;
                Ok(self.put(origin, merged))
            }
            (Some(dest), Some(origin)) => {
                let patch = core::mem::replace(&mut self.nodes[origin], null());
                let replaces = patch.get(DIRECTIVE).is_some_and(|node| node.text() == "replace");
                if replaces {
                    // The patch's element is the result, and the object's stays as it was.
                    let merged = rules.alone(patch, place).map_err(problem)?;
                    return Ok(self.put(origin, merged));
                }
                let node = self.nodes[dest].clone();
                match rules.both(node, patch, place).map_err(problem)? {
                    Some(merged) => Ok(self.put(dest, Some(merged))),
                    None => Ok(None),
                }
            }
        }
    }

    /// Puts a result in its place; nothing if it is nothing or empty.
    fn put(&mut self, at: usize, merged: Option<Node>) -> Option<usize> {
        let merged = merged.filter(|node| !node.is_empty_map())?;
        self.nodes[at] = merged;
        Some(at)
    }
}

/// Whether an element has these values under these keys.
fn is_match(node: &Node, keys: &[String], values: &[&str]) -> bool {
    keys.iter().zip(values).all(|(key, value)| has(node, key, value))
}

/// The elements of the result, found again by their values.
#[derive(Debug, Default)]
struct Added {
    order: Vec<usize>,
    /// Where an element with the one key's value stands in `order`.
    by_value: BTreeMap<String, usize>,
}

impl Added {
    fn push(&mut self, at: usize) {
        self.order.push(at);
    }

    /// Replaces the element with these values, or adds one. Without any value, kyaml keeps no other element.
    fn set(&mut self, nodes: &[Node], at: usize, keys: &[String], values: &[&str]) {
        if values.is_empty() {
            self.order = vec![at];
            self.by_value.clear();
            return;
        }
        if keys.len() == 1 && !values[0].is_empty() {
            if let Some(place) = self.by_value.get(values[0]) {
                self.order[*place] = at;
            } else {
                self.by_value.insert(values[0].to_string(), self.order.len());
                self.order.push(at);
            }
            return;
        }
        let mut replaced = false;
        for place in &mut self.order {
            if is_match(&nodes[*place], keys, values) {
                *place = at;
                replaced = true;
            }
        }
        if !replaced {
            self.order.push(at);
        }
    }

    /// Removes elements with these values; several keys only.
    fn remove(&mut self, nodes: &[Node], keys: &[String], values: &[&str]) {
        self.order
            .retain(|at| !values.is_empty() && !is_match(&nodes[*at], keys, values));
    }
}

/// Completes values that lack some of the keys from those that have them: `80` and `80,TCP` are one.
fn complete(values: &mut [Vec<String>]) -> Result<()> {
    if values.len() > MAX_PAIRED {
        return Err(format!(
            "the list passes the limit of {MAX_PAIRED} elements with several keys"
        ));
    }
    for i in 0..values.len() {
        for j in 0..values.len() {
            // The inner value counts as it was when the outer began.
            if let Some(both) = compatible(&values[i], &values[j]) {
                values[i].clone_from(&both);
                values[j] = both;
            }
        }
    }
    Ok(())
}

fn compatible(a: &[String], b: &[String]) -> Option<Vec<String>> {
    let mut common = false;
    let mut out = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        if a == b {
            common = true;
        } else if !a.is_empty() && !b.is_empty() {
            return None;
        }
        out.push(if a.is_empty() { b.clone() } else { a.clone() });
    }
    common.then_some(out)
}
