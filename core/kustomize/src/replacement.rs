//! Values copied from a field of one object into fields of others.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use crate::decode::Fields;
use crate::ids::{Gvk, Id};
use crate::lookup;
use crate::node::{Entries, Node, Scalar};
use crate::paths;
use crate::pattern::Pattern;
use crate::resmap::ResMap;
use crate::resource::Resource;
use crate::selector::{Matcher, Selector};
use crate::structured;

const NAME: &str = "metadata.name";

/// How a text is taken apart or put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct FieldOptions {
    delimiter: String,
    index: i64,
    create: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Source {
    gvk: Gvk,
    name: String,
    namespace: String,
    field: String,
    options: FieldOptions,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Target {
    select: Option<Selector>,
    reject: Vec<Selector>,
    fields: Vec<String>,
    options: FieldOptions,
}

/// One entry of `replacements`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Replacement {
    source: Option<Source>,
    value: Option<String>,
    targets: Option<Vec<Target>>,
}

impl FieldOptions {
    fn read(fields: Option<Fields<'_>>) -> Result<Self, String> {
        let Some(mut fields) = fields else {
            return Ok(Self::default());
        };
        let options = Self {
            delimiter: fields.string("delimiter")?,
            index: fields.int("index")?,
            create: fields.bool("create")?,
        };
        fields.string("encoding")?;
        fields.finish()?;
        Ok(options)
    }
}

impl Source {
    fn read(mut fields: Fields<'_>) -> Result<Self, String> {
        let source = Self {
            gvk: Gvk {
                group: fields.string("group")?,
                version: fields.string("version")?,
                kind: fields.string("kind")?,
            },
            name: fields.string("name")?,
            namespace: fields.string("namespace")?,
            field: fields.string("fieldPath")?,
            options: FieldOptions::read(fields.object("options")?)?,
        };
        fields.finish()?;
        Ok(source)
    }

    fn takes(&self, id: &Id) -> bool {
        let namespace = |namespace: &str| {
            if namespace.is_empty() {
                "default".to_string()
            } else {
                namespace.to_string()
            }
        };
        (self.name.is_empty() || self.name == id.name)
            && (self.namespace.is_empty() || namespace(&self.namespace) == namespace(&id.namespace))
            && id.gvk.is_selected(&self.gvk)
    }
}

impl Replacement {
    /// Reads an entry; what it does not know stays in `fields`.
    pub(crate) fn read(fields: &mut Fields<'_>) -> Result<Self, String> {
        let targets = match fields.objects("targets")? {
            None => None,
            Some(items) => Some(items.into_iter().map(Target::read).collect::<Result<_, _>>()?),
        };
        Ok(Self {
            source: fields.object("source")?.map(Source::read).transpose()?,
            value: fields.optional_string("sourceValue")?,
            targets,
        })
    }

    /// Whether it is written in place rather than in a file.
    pub(crate) fn is_inline(&self) -> bool {
        self.source.is_some() || self.targets.as_ref().is_some_and(|targets| !targets.is_empty())
    }

    /// Copies the value.
    ///
    /// # Errors
    /// When source or targets are not there, or do not take it.
    pub(crate) fn apply(&self, map: &mut ResMap) -> Result<(), String> {
        let Some(targets) = self
            .targets
            .as_ref()
            .filter(|_| self.source.is_some() || self.value.is_some())
        else {
            return Err("replacements must specify a source and at least one target".into());
        };
        let value = match (&self.source, &self.value) {
            (Some(_), Some(_)) => return Err("value and resource selectors are mutually exclusive".into()),
            (Some(source), None) => source.value(map)?,
            (None, value) => Node::untagged(value.clone().unwrap_or_default()),
        };
        targets.iter().try_for_each(|target| target.apply(map, &value))
    }
}

fn ids(resource: &Resource) -> impl Iterator<Item = Id> + '_ {
    core::iter::once(resource.id.clone()).chain(resource.previous_ids())
}

impl Source {
    fn value(&self, map: &ResMap) -> Result<Node, String> {
        let places = if self.name.is_empty() {
            map.places()
        } else {
            map.named(&self.name)
        };
        let mut found = places
            .into_iter()
            .filter_map(|place| map.get(place))
            .filter(|resource| ids(resource).any(|id| self.takes(&id)));
        let shown = || format!("{}/{}.{}", self.gvk, self.name, self.namespace);
        let resource = found.next().ok_or_else(|| format!("nothing selected by {}", shown()))?;
        if found.next().is_some() {
            return Err(format!("multiple matches for selector {}", shown()));
        }
        let field = if self.field.is_empty() { NAME } else { &self.field };
        let path = paths::split_smart(field, '.');
        let node = lookup::get(&resource.node, &path)
            .map_err(|problem| format!("error looking up replacement source `{field}`: {problem}"))?;
        let Some(node) = node.filter(|node| !node.is_empty()) else {
            return Err(format!(
                "fieldPath `{field}` is missing for replacement source {}",
                resource.id
            ));
        };
        if self.options.delimiter.is_empty() {
            let mut value = node.clone();
            value.each_shared(&mut |scalar| scalar.shared = 0);
            return Ok(value);
        }
        let Node::Scalar(scalar) = node else {
            return Err("delimiter option can only be used with scalar nodes".into());
        };
        let index = usize::try_from(self.options.index).ok();
        let part = index.and_then(|index| scalar.text.split(&*self.options.delimiter).nth(index));
        let part = part.ok_or_else(|| format!("options.index {} is out of bounds", self.options.index))?;
        Ok(Node::Scalar(Scalar {
            text: part.to_string(),
            shared: 0,
            ..scalar.clone()
        }))
    }
}

impl Target {
    fn read(mut fields: Fields<'_>) -> Result<Self, String> {
        let reject = fields.objects("reject")?.unwrap_or_default();
        let target = Self {
            select: fields.object("select")?.map(Selector::read).transpose()?,
            reject: reject.into_iter().map(Selector::read).collect::<Result<_, _>>()?,
            fields: fields.strings("fieldPaths")?.unwrap_or_default(),
            options: FieldOptions::read(fields.object("options")?)?,
        };
        fields.finish()?;
        Ok(target)
    }

    fn apply(&self, map: &mut ResMap, value: &Node) -> Result<(), String> {
        let Some(select) = &self.select else {
            return Err("target must specify resources to select".into());
        };
        let matcher = Matcher::new(select)?;
        let rejects: Vec<(&Selector, Matcher)> = self
            .reject
            .iter()
            .map(|reject| Ok((reject, Matcher::new(reject)?)))
            .collect::<Result<_, String>>()?;
        for place in matcher.candidates(map) {
            let Some(resource) = map.get(place) else { continue };
            let rejected = rejects.iter().any(|(selector, reject)| {
                (!reject.ignores_meta() && reject.takes_meta(resource))
                    || (!selector.has_no_id() && ids(resource).any(|id| reject.takes_id(&id)))
            });
            if rejected || !matcher.takes_meta(resource) || !ids(resource).any(|id| matcher.takes_id(&id)) {
                continue;
            }
            let id = resource.id.clone();
            if let Some(resource) = map.get_mut(place) {
                self.copy(&mut resource.node, value)
                    .map_err(|problem| format!("{id}: {problem}"))?;
                resource.settle();
            }
            map.reindex_if_renamed(place);
        }
        Ok(())
    }

    fn copy(&self, node: &mut Node, value: &Node) -> Result<(), String> {
        let name = [NAME.to_string()];
        for field in if self.fields.is_empty() {
            &name[..]
        } else {
            &self.fields
        } {
            let path = paths::split_smart(field, '.');
            let create = self.options.create.then(|| empty_like(value));
            if copy_into_text(node, &path, value, create.as_ref()).is_some() {
                continue;
            }
            let missing = |problem: String| format!("unable to find field `{field}` in replacement target{problem}");
            let found = find(node, &path, create.as_ref(), true).map_err(|problem| missing(format!(": {problem}")))?;
            match found {
                Found::Places(places) if !places.is_empty() => {
                    for place in places {
                        if let Some(target) = at(node, &place) {
                            self.set(target, value)?;
                        }
                    }
                }
                Found::InText(count) if count > 0 => {}
                Found::Places(_) | Found::InText(_) | Found::Nothing => return Err(missing(String::new())),
            }
        }
        Ok(())
    }

    fn set(&self, target: &mut Node, value: &Node) -> Result<(), String> {
        let mut value = value.clone();
        let options = &self.options;
        if !options.delimiter.is_empty() {
            let Node::Scalar(scalar) = target else {
                return Err("delimiter option can only be used with scalar nodes".into());
            };
            let mut parts: Vec<&str> = scalar.text.split(&*options.delimiter).collect();
            let new = if value.is_null() { "" } else { value.text() };
            match usize::try_from(options.index) {
                Err(_) => parts.insert(0, new),
                Ok(index) if index >= parts.len() => parts.push(new),
                Ok(index) => parts[index] = new,
            }
            let joined = parts.join(&options.delimiter);
            match &mut value {
                Node::Scalar(scalar) => scalar.text = joined,
                Node::Seq(_) | Node::Map(_) => value = Node::untagged(joined),
            }
        }
        put(target, value);
        Ok(())
    }
}

/// A scalar keeps what it is and takes the text; anything else is replaced.
fn put(target: &mut Node, value: Node) {
    match target {
        Node::Scalar(scalar) => scalar.text = value.text().to_string(),
        Node::Seq(_) | Node::Map(_) => *target = value,
    }
}

fn empty_like(value: &Node) -> Node {
    match value {
        Node::Scalar(_) => Node::untagged(""),
        Node::Seq(_) => Node::Seq(Vec::new()),
        Node::Map(_) => Node::empty_map(),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

enum Found {
    Nothing,
    Places(Vec<Vec<Step>>),
    /// So many fields inside of a text, which are found and cannot be set.
    InText(usize),
}

fn at<'n>(node: &'n mut Node, steps: &[Step]) -> Option<&'n mut Node> {
    let mut at = node;
    for step in steps {
        at = match (step, at) {
            (Step::Key(key), Node::Map(map)) => map.get_mut(key)?,
            (Step::Index(index), Node::Seq(items)) => items.get_mut(*index)?,
            _ => return None,
        };
    }
    Some(at)
}

/// What is made for a field before `next`.
fn made(next: Option<&String>, last: &Node) -> Node {
    match next {
        None => last.clone(),
        Some(next) if (next.starts_with('[') && next.ends_with(']')) || next.parse::<usize>().is_ok() => {
            Node::Seq(Vec::new())
        }
        Some(_) => Node::empty_map(),
    }
}

fn items_mut(node: &mut Node) -> Result<&mut Vec<Node>, String> {
    if node.is_null() {
        *node = Node::Seq(Vec::new());
    }
    match node {
        Node::Seq(items) => Ok(items),
        Node::Scalar(_) | Node::Map(_) => Err("a sequence was expected".into()),
    }
}

/// All places that `path` names; what is missing is made if `create` says what.
fn find(node: &mut Node, path: &[String], create: Option<&Node>, again: bool) -> Result<Found, String> {
    let Some((part, rest)) = path.split_first() else {
        return Ok(Found::Places(vec![Vec::new()]));
    };
    if let Ok(index) = part.parse::<usize>() {
        if let Some(create) = create {
            let items = items_mut(node)?;
            if items.len() == index {
                items.push(made(rest.first(), create));
            }
        }
        let items = seq(node)?;
        let count = items.len();
        let item = items
            .get_mut(index)
            .ok_or_else(|| format!("index {index} specified but only {count} elements found"))?;
        return Ok(match find(item, rest, create, true)? {
            Found::Places(places) => Found::Places(
                places
                    .into_iter()
                    .map(|place| below(Step::Index(index), place))
                    .collect(),
            ),
            other @ (Found::InText(_) | Found::Nothing) => other,
        });
    }
    if part == "*" {
        return every(seq(node)?, rest, create, |_| true);
    }
    if let Some(inner) = part.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        let (key, value) = inner
            .split_once('=')
            .ok_or("list path element must contain fieldName=fieldValue for element to match")?;
        let pattern = Pattern::anywhere(value)?;
        let is = |item: &Node| {
            if key.is_empty() {
                return pattern.is_match(&shown(item));
            }
            item.get(key).is_some_and(|field| pattern.is_match(&shown(field)))
        };
        let found = if key.is_empty() {
            every(seq(node)?, &[], create, is)?
        } else {
            every(seq(node)?, rest, create, is)?
        };
        let nothing = match &found {
            Found::Nothing => true,
            Found::Places(places) => places.is_empty(),
            Found::InText(count) => *count == 0,
        };
        if !nothing || create.is_none() || !again {
            return Ok(found);
        }
        let item = if key.is_empty() {
            Node::untagged(value)
        } else {
            Node::Map(Entries(vec![(key.to_string(), Node::untagged(value))]))
        };
        items_mut(node)?.push(item);
        return find(node, path, create, false);
    }
    field(node, part, rest, create)
}

fn field(node: &mut Node, part: &str, rest: &[String], create: Option<&Node>) -> Result<Found, String> {
    if node.is_null() && create.is_some() {
        *node = Node::empty_map();
    }
    let map = match node {
        Node::Map(map) => map,
        node if node.is_null() => return Ok(Found::Nothing),
        Node::Scalar(_) | Node::Seq(_) => return Err(format!("`{part}`: a mapping was expected")),
    };
    if map.get(part).is_none() {
        let Some(create) = create else {
            return Ok(Found::Nothing);
        };
        map.set(part, made(rest.first(), create));
    }
    let Some(inner) = map.get_mut(part) else {
        return Ok(Found::Nothing);
    };
    if let Node::Scalar(scalar) = inner
        && !rest.is_empty()
    {
        let mut parsed = structured::parse(&scalar.text).ok_or("the text is no YAML")?;
        return Ok(match find(&mut parsed, rest, create, true)? {
            Found::Places(places) => Found::InText(places.len()),
            other @ (Found::InText(_) | Found::Nothing) => other,
        });
    }
    Ok(match find(inner, rest, create, true)? {
        Found::Places(places) => Found::Places(
            places
                .into_iter()
                .map(|place| below(Step::Key(part.to_string()), place))
                .collect(),
        ),
        other @ (Found::InText(_) | Found::Nothing) => other,
    })
}

fn below(step: Step, place: Vec<Step>) -> Vec<Step> {
    let mut steps = vec![step];
    steps.extend(place);
    steps
}

fn seq(node: &mut Node) -> Result<&mut [Node], String> {
    match node {
        Node::Seq(items) => Ok(items),
        node if node.is_null() => Ok(&mut []),
        Node::Scalar(_) | Node::Map(_) => Err("a sequence was expected".into()),
    }
}

/// What `rest` names in every element that fits.
fn every(
    items: &mut [Node],
    rest: &[String],
    create: Option<&Node>,
    fits: impl Fn(&Node) -> bool,
) -> Result<Found, String> {
    let mut places = Vec::new();
    let mut in_text = 0;
    for (index, item) in items.iter_mut().enumerate() {
        if !fits(item) {
            continue;
        }
        match find(item, rest, create, true)? {
            Found::Nothing => {}
            Found::Places(found) => places.extend(found.into_iter().map(|place| below(Step::Index(index), place))),
            Found::InText(count) => in_text += count,
        }
    }
    Ok(if places.is_empty() && in_text > 0 {
        Found::InText(in_text)
    } else {
        Found::Places(places)
    })
}

/// A node as its YAML is compared with a pattern.
fn shown(node: &Node) -> String {
    match node {
        Node::Scalar(scalar) if scalar.quoted => format!("\"{}\"", scalar.text),
        Node::Scalar(scalar) => scalar.text.trim().to_string(),
        Node::Seq(_) | Node::Map(_) => node
            .to_value()
            .ok()
            .and_then(|value| convoy_value::yaml::marshal(&value).ok())
            .map(|text| text.trim().to_string())
            .unwrap_or_default(),
    }
}

/// Copies into YAML or JSON that stands in a text on the way, if there is one and it has the field.
fn copy_into_text(node: &mut Node, path: &[String], value: &Node, create: Option<&Node>) -> Option<()> {
    let (scalar_path, rest) = (1..path.len()).find_map(|length| {
        let scalar = lookup::get(node, &path[..length]).ok()??.as_scalar()?;
        structured::parse(&scalar.text)?;
        Some((&path[..length], &path[length..]))
    })?;
    let original = lookup::get(node, scalar_path).ok()??.text().to_string();
    let mut parsed = structured::parse(&original)?;
    let places = match find(&mut parsed, rest, create, true).ok()? {
        Found::Places(places) if !places.is_empty() => places,
        Found::Places(_) | Found::InText(_) | Found::Nothing => return None,
    };
    for place in places {
        put(at(&mut parsed, &place)?, value.clone());
    }
    let text = structured::write(&parsed, &original).ok()?;
    let Ok(Found::Places(found)) = find(node, scalar_path, None, true) else {
        return None;
    };
    if let Node::Scalar(scalar) = at(node, found.first()?)? {
        scalar.text = text;
    }
    Some(())
}
