//! Values copied from a field of one object into fields of others.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use crate::decode::Fields;
use crate::ids::{Gvk, Id};
use crate::lookup;
use crate::meter::Meter;
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
    pub(crate) fn apply(&self, map: &mut ResMap, meter: &Meter) -> Result<(), String> {
        let Some(targets) = self
            .targets
            .as_ref()
            .filter(|_| self.source.is_some() || self.value.is_some())
        else {
            return Err("replacements must specify a source and at least one target".into());
        };
        let mut value = match (&self.source, &self.value) {
            (Some(_), Some(_)) => return Err("value and resource selectors are mutually exclusive".into()),
            (Some(source), None) => source.value(map, meter)?,
            (None, value) => Copied::fixed(Node::untagged(value.clone().unwrap_or_default())),
        };
        targets
            .iter()
            .try_for_each(|target| target.apply(map, &mut value, meter))
    }
}

/// What is copied.
struct Copied {
    value: Node,
    /// Where it comes from, unless it is only a part of what is there. Kustomize copies the node itself: what changes
    /// it on the way changes what is copied from then on.
    from: Option<(usize, Vec<String>)>,
}

impl Copied {
    fn fixed(value: Node) -> Self {
        Self { value, from: None }
    }

    fn node(node: &Node, from: (usize, Vec<String>)) -> Self {
        let mut value = node.clone();
        value.each_shared(&mut |scalar| scalar.shared = 0);
        Self {
            value,
            from: Some(from),
        }
    }

    /// Looks again at what is copied if it lies in the object at `place`.
    fn refresh(&mut self, place: usize, object: &Node, meter: &Meter) -> Result<(), String> {
        let Some((_, path)) = self.from.take_if(|(from, _)| *from == place) else {
            return Ok(());
        };
        if let Ok(Some(node)) = lookup::get(object, &path) {
            meter.step(node.count())?;
            *self = Self::node(node, (place, path));
        }
        Ok(())
    }
}

fn ids(resource: &Resource) -> impl Iterator<Item = Id> + '_ {
    core::iter::once(resource.id.clone()).chain(resource.previous_ids())
}

impl Source {
    fn value(&self, map: &ResMap, meter: &Meter) -> Result<Copied, String> {
        let places = if self.name.is_empty() {
            map.places()
        } else {
            map.named(&self.name)
        };
        meter.step(places.len())?;
        let mut found = places
            .into_iter()
            .filter_map(|place| Some((place, map.get(place)?)))
            .filter(|(_, resource)| ids(resource).any(|id| self.takes(&id)));
        let shown = || format!("{}/{}.{}", self.gvk, self.name, self.namespace);
        let (place, resource) = found.next().ok_or_else(|| format!("nothing selected by {}", shown()))?;
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
            return Ok(Copied::node(node, (place, path)));
        }
        let Node::Scalar(scalar) = node else {
            return Err("delimiter option can only be used with scalar nodes".into());
        };
        let index = usize::try_from(self.options.index).ok();
        let part = index.and_then(|index| scalar.text.split(&*self.options.delimiter).nth(index));
        let part = part.ok_or_else(|| format!("options.index {} is out of bounds", self.options.index))?;
        Ok(Copied::fixed(Node::Scalar(Scalar {
            text: part.to_string(),
            shared: 0,
            ..scalar.clone()
        })))
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

    fn apply(&self, map: &mut ResMap, copied: &mut Copied, meter: &Meter) -> Result<(), String> {
        let Some(select) = &self.select else {
            return Err("target must specify resources to select".into());
        };
        let matcher = Matcher::new(select)?;
        let rejects: Vec<(&Selector, Matcher)> = self
            .reject
            .iter()
            .map(|reject| Ok((reject, Matcher::new(reject)?)))
            .collect::<Result<_, String>>()?;
        let paths: Vec<FieldPath<'_>> = match &self.fields[..] {
            [] => [FieldPath::read(NAME, meter)?].into(),
            fields => fields
                .iter()
                .map(|field| FieldPath::read(field, meter))
                .collect::<Result<_, _>>()?,
        };
        for place in matcher.candidates(map) {
            meter.step(1 + rejects.len())?;
            let Some(resource) = map.get(place) else { continue };
            let rejected = rejects.iter().any(|(selector, reject)| {
                (!reject.ignores_meta() && reject.takes_meta(resource))
                    || (!selector.has_no_id() && ids(resource).any(|id| reject.takes_id(&id, meter)))
            });
            if rejected || !matcher.takes_meta(resource) || !ids(resource).any(|id| matcher.takes_id(&id, meter)) {
                continue;
            }
            let id = resource.id.clone();
            if let Some(resource) = map.get_mut(place) {
                for path in &paths {
                    let copy = Copy::new(&copied.value, &self.options, meter);
                    copy.set_field(&mut resource.node, path)
                        .map_err(|problem| format!("{id}: {problem}"))?;
                    copied.refresh(place, &resource.node, meter)?;
                }
                meter.step(resource.settle())?;
            }
            map.reindex_if_renamed(place);
        }
        Ok(())
    }
}

/// A path in an object, and its parts.
struct FieldPath<'f> {
    text: &'f str,
    parts: Vec<String>,
}

impl<'f> FieldPath<'f> {
    fn read(text: &'f str, meter: &Meter) -> Result<Self, String> {
        let parts = paths::split_smart(text, '.');
        meter.parts(parts.len())?;
        Ok(Self { text, parts })
    }
}

/// A value on its way into fields.
struct Copy<'a> {
    value: &'a Node,
    /// How deep it nests, and about how many bytes it takes.
    extent: (usize, usize),
    options: &'a FieldOptions,
    /// What is made where a field is missing.
    create: Option<Node>,
    meter: &'a Meter,
}

impl<'a> Copy<'a> {
    fn new(value: &'a Node, options: &'a FieldOptions, meter: &'a Meter) -> Self {
        Self {
            value,
            extent: value.extent(),
            options,
            create: options.create.then(|| empty_like(value)),
            meter,
        }
    }

    fn set_field(&self, node: &mut Node, path: &FieldPath<'_>) -> Result<(), String> {
        let field = path.text;
        let (create, parts) = (self.create.as_ref(), &path.parts[..]);
        if self.set_in_text(node, parts)?.is_some() {
            return Ok(());
        }
        let missing = |problem: String| format!("unable to find field `{field}` in replacement target{problem}");
        let walk = Walk {
            create,
            meter: self.meter,
        };
        let found = walk
            .find(node, parts, true)
            .map_err(|problem| missing(format!(": {problem}")))?;
        match found {
            Found::Places(places) if !places.is_empty() => {
                for place in places {
                    self.pay(place.len())?;
                    if let Some(target) = at(node, &place) {
                        self.set(target)?;
                    }
                }
                Ok(())
            }
            Found::InText(count) if count > 0 => Ok(()),
            Found::Places(_) | Found::InText(_) | Found::Nothing => Err(missing(String::new())),
        }
    }

    /// Pays for one more copy, so many levels down.
    fn pay(&self, levels: usize) -> Result<(), String> {
        let (depth, bytes) = self.extent;
        self.meter.step(1 + bytes / 32)?;
        self.meter.write(bytes)?;
        self.meter.nesting(levels + depth)
    }

    fn set(&self, target: &mut Node) -> Result<(), String> {
        let mut value = self.value.clone();
        let options = self.options;
        if !options.delimiter.is_empty() {
            let Node::Scalar(scalar) = target else {
                return Err("delimiter option can only be used with scalar nodes".into());
            };
            self.meter.write(scalar.text.len())?;
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

    /// Copies into YAML or JSON that stands in a text on the way, if there is one and it has the field.
    fn set_in_text(&self, node: &mut Node, path: &[String]) -> Result<Option<()>, String> {
        let meter = self.meter;
        let Some((scalar_path, rest, mut parsed)) = text_on_the_way(node, path, meter)? else {
            return Ok(None);
        };
        let walk = Walk {
            create: self.create.as_ref(),
            meter,
        };
        let Ok(Found::Places(places)) = walk.find(&mut parsed, rest, true) else {
            return Ok(None);
        };
        if places.is_empty() {
            return Ok(None);
        }
        for place in places {
            self.pay(place.len())?;
            let Some(target) = at(&mut parsed, &place) else {
                return Ok(None);
            };
            put(target, self.value.clone());
        }
        let walk = Walk { create: None, meter };
        let Ok(Found::Places(found)) = walk.find(node, scalar_path, true) else {
            return Ok(None);
        };
        let scalar = found.first().and_then(|place| at(node, place));
        if let Some(Node::Scalar(scalar)) = scalar {
            let Ok(text) = structured::write(&parsed, &scalar.text) else {
                return Ok(None);
            };
            meter.write(text.len())?;
            scalar.text = text;
        }
        Ok(Some(()))
    }
}

type TextOnTheWay<'p> = (&'p [String], &'p [String], Node);

/// The first text on the way that is YAML or JSON: its path, the path in it, and what it says.
fn text_on_the_way<'p>(node: &Node, path: &'p [String], meter: &Meter) -> Result<Option<TextOnTheWay<'p>>, String> {
    for length in 1..path.len() {
        let Ok(Some(found)) = lookup::get(node, &path[..length]) else {
            continue;
        };
        let Some(scalar) = found.as_scalar() else { continue };
        meter.step(1 + scalar.text.len())?;
        if let Some(parsed) = structured::parse(&scalar.text) {
            return Ok(Some((&path[..length], &path[length..], parsed)));
        }
    }
    Ok(None)
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

/// A search for all places that a path names; what is missing is made if `create` says what.
struct Walk<'a> {
    create: Option<&'a Node>,
    meter: &'a Meter,
}

impl Walk<'_> {
    fn find(&self, node: &mut Node, path: &[String], again: bool) -> Result<Found, String> {
        self.meter.step(1)?;
        let Some((part, rest)) = path.split_first() else {
            return Ok(Found::Places(vec![Vec::new()]));
        };
        if let Ok(index) = part.parse::<usize>() {
            return self.index(node, index, rest);
        }
        if part == "*" {
            return self.every(seq(node)?, rest, |_| true);
        }
        if let Some(inner) = part.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
            let (key, value) = inner
                .split_once('=')
                .ok_or("list path element must contain fieldName=fieldValue for element to match")?;
            return self.elements(node, path, (key, value), again);
        }
        self.field(node, part, rest)
    }

    fn index(&self, node: &mut Node, index: usize, rest: &[String]) -> Result<Found, String> {
        if let Some(create) = self.create {
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
        Ok(self.find(item, rest, true)?.below(&Step::Index(index)))
    }

    /// The elements of which a field, or the whole, matches a pattern.
    fn elements(
        &self,
        node: &mut Node,
        path: &[String],
        (key, value): (&str, &str),
        again: bool,
    ) -> Result<Found, String> {
        let pattern = Pattern::anywhere(value)?;
        let is = |item: &Node| {
            let field = if key.is_empty() { Some(item) } else { item.get(key) };
            field.is_some_and(|field| pattern.is_match(&shown(field), self.meter))
        };
        let rest = if key.is_empty() {
            &[]
        } else {
            path.get(1..).unwrap_or_default()
        };
        let found = self.every(seq(node)?, rest, is)?;
        if !found.is_nothing() || self.create.is_none() || !again {
            return Ok(found);
        }
        let item = if key.is_empty() {
            Node::untagged(value)
        } else {
            Node::Map(Entries(vec![(key.to_string(), Node::untagged(value))]))
        };
        self.meter.write(value.len())?;
        items_mut(node)?.push(item);
        self.find(node, path, false)
    }

    fn field(&self, node: &mut Node, part: &str, rest: &[String]) -> Result<Found, String> {
        if node.is_null() && self.create.is_some() {
            *node = Node::empty_map();
        }
        let map = match node {
            Node::Map(map) => map,
            node if node.is_null() => return Ok(Found::Nothing),
            Node::Scalar(_) | Node::Seq(_) => return Err(format!("`{part}`: a mapping was expected")),
        };
        if map.get(part).is_none() {
            let Some(create) = self.create else {
                return Ok(Found::Nothing);
            };
            self.meter.write(part.len())?;
            map.set(part, made(rest.first(), create));
        }
        let Some(inner) = map.get_mut(part) else {
            return Ok(Found::Nothing);
        };
        if let Node::Scalar(scalar) = inner
            && !rest.is_empty()
        {
            self.meter.step(1 + scalar.text.len())?;
            let mut parsed = structured::parse(&scalar.text).ok_or("the text is no YAML")?;
            return Ok(match self.find(&mut parsed, rest, true)? {
                Found::Places(places) => Found::InText(places.len()),
                other @ (Found::InText(_) | Found::Nothing) => other,
            });
        }
        Ok(self.find(inner, rest, true)?.below(&Step::Key(part.to_string())))
    }

    /// What `rest` names in every element that fits.
    fn every(&self, items: &mut [Node], rest: &[String], fits: impl Fn(&Node) -> bool) -> Result<Found, String> {
        let mut places = Vec::new();
        let mut in_text = 0;
        for (index, item) in items.iter_mut().enumerate() {
            self.meter.step(1)?;
            if !fits(item) {
                continue;
            }
            match self.find(item, rest, true)?.below(&Step::Index(index)) {
                Found::Nothing => {}
                Found::Places(found) => places.extend(found),
                Found::InText(count) => in_text += count,
            }
        }
        Ok(if places.is_empty() && in_text > 0 {
            Found::InText(in_text)
        } else {
            Found::Places(places)
        })
    }
}

impl Found {
    fn is_nothing(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Places(places) => places.is_empty(),
            Self::InText(count) => *count == 0,
        }
    }

    /// The same places, seen from one step above.
    fn below(self, step: &Step) -> Self {
        match self {
            Self::Places(places) => Self::Places(places.into_iter().map(|place| below(step.clone(), place)).collect()),
            other @ (Self::InText(_) | Self::Nothing) => other,
        }
    }
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
