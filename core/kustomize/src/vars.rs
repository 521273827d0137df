//! `vars`: the value of a field of one object in texts of others, where they say `$(NAME)`.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::decode::Fields;
use crate::fieldspec::{self, FieldSpec, Make};
use crate::ids::{Gvk, Id, split_api_version};
use crate::lookup;
use crate::meter::Meter;
use crate::node::{Node, Scalar, Tag};
use crate::paths;
use crate::resmap::ResMap;

/// One entry of `vars`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Var {
    pub(crate) name: String,
    object: Id,
    field: String,
}

impl Var {
    pub(crate) fn read(mut fields: Fields<'_>) -> Result<Self, String> {
        let mut var = Self {
            name: fields.string("name")?,
            ..Self::default()
        };
        if let Some(mut object) = fields.object("objref")? {
            let api_version = object.string("apiVersion")?;
            let mut gvk = Gvk {
                group: object.string("group")?,
                version: object.string("version")?,
                kind: object.string("kind")?,
            };
            if !api_version.is_empty() {
                let (group, version) = split_api_version(&api_version);
                if api_version.contains('/') {
                    gvk.group = group.to_string();
                }
                gvk.version = version.to_string();
            }
            var.object = Id {
                gvk,
                name: object.string("name")?,
                namespace: object.string("namespace")?,
                cluster: false,
            };
            object.finish()?;
        }
        if let Some(mut field) = fields.object("fieldref")? {
            var.field = field.string("fieldPath")?;
            field.finish()?;
        }
        if var.field.is_empty() {
            var.field = "metadata.name".to_string();
        }
        fields.finish()?;
        Ok(var)
    }

    /// Notes in the object that holds the value that it does.
    ///
    /// # Errors
    /// When several objects may be meant.
    pub(crate) fn mark(&self, map: &mut ResMap) -> Result<(), String> {
        let wanted = &self.object;
        let is = |id: &Id| {
            if wanted.namespace.is_empty() {
                id.name == wanted.name && id.gvk == wanted.gvk
            } else {
                wanted.same(id)
            }
        };
        let places: Vec<usize> = map
            .named(&wanted.name)
            .into_iter()
            .filter(|place| {
                map.get(*place).is_some_and(|resource| {
                    !resource.node.is_empty() && (resource.previous_ids().any(|id| is(&id)) || is(&resource.id))
                })
            })
            .collect();
        match places[..] {
            [] => {}
            [place] => {
                if let Some(resource) = map.get_mut(place) {
                    resource.variables.push(self.name.clone());
                }
            }
            [..] => {
                let count = places.len();
                return Err(format!(
                    "found {count} resId matches for var `{}` (unable to disambiguate)",
                    self.name
                ));
            }
        }
        Ok(())
    }
}

/// Replaces every variable; answers the names of those that nothing uses.
///
/// # Errors
/// When a variable has no value, or a field holds something else than texts.
pub(crate) fn resolve(
    map: &mut ResMap,
    vars: &BTreeMap<String, Var>,
    specs: &[FieldSpec],
    meter: &Meter,
) -> Result<Vec<String>, String> {
    let mut holders: BTreeMap<&str, usize> = BTreeMap::new();
    let places = map.places();
    for place in &places {
        for name in map.get(*place).into_iter().flat_map(|resource| &resource.variables) {
            if let Some((name, _)) = vars.get_key_value(name) {
                holders.entry(name).or_insert(*place);
            }
        }
    }
    let mut values = BTreeMap::new();
    for (name, var) in vars {
        let resource = holders.get(&**name).and_then(|place| map.get(*place));
        let resource = resource
            .ok_or_else(|| format!("var `{name}` cannot be mapped to a field in the set of known resources"))?;
        let path = with_indices(&paths::split_smart(&var.field, '.'));
        let missing = || {
            format!(
                "field `{}` specified in var `{name}` not found in {}",
                var.field, resource.id
            )
        };
        let node = lookup::get(&resource.node, &path).ok().flatten().ok_or_else(missing)?;
        values.insert(name.clone(), node.clone());
    }
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let mut used = BTreeSet::new();
    for place in places {
        let Some(resource) = map.get_mut(place) else { continue };
        let before = resource.id.clone();
        for spec in specs {
            fieldspec::apply(&mut resource.node, spec, Make::Nothing, meter, &mut |node| {
                set(node, &values, &mut used, meter)
            })
            .map_err(|problem| format!("{before}: {problem}"))?;
        }
        meter.step(resource.settle())?;
        map.reindex_if_renamed(place);
    }
    Ok(values.into_keys().filter(|name| !used.contains(name)).collect())
}

/// `a[0]` as `a` and `0`.
fn with_indices(path: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    for part in path {
        let index = part.strip_suffix(']').and_then(|part| part.rsplit_once('['));
        match index {
            Some((key, index)) if !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()) => {
                if !key.is_empty() {
                    out.push(key.to_string());
                }
                out.push(index.to_string());
            }
            _ => out.push(part.clone()),
        }
    }
    out
}

fn set(
    node: &mut Node,
    values: &BTreeMap<String, Node>,
    used: &mut BTreeSet<String>,
    meter: &Meter,
) -> Result<(), String> {
    match node {
        node if node.is_null() => Ok(()),
        Node::Scalar(scalar) => expand_scalar(scalar, values, used, meter),
        Node::Map(map) => {
            for (_, value) in &mut map.0 {
                if let Node::Scalar(scalar) = value {
                    expand_scalar(scalar, values, used, meter)?;
                }
            }
            Ok(())
        }
        Node::Seq(items) => items.iter_mut().try_for_each(|item| match item {
            Node::Scalar(scalar) if scalar.is_string() => expand_scalar(scalar, values, used, meter),
            Node::Scalar(_) | Node::Seq(_) | Node::Map(_) => Err("invalid value type expect a string".into()),
        }),
    }
}

fn expand_scalar(
    scalar: &mut Scalar,
    values: &BTreeMap<String, Node>,
    used: &mut BTreeSet<String>,
    meter: &Meter,
) -> Result<(), String> {
    if !scalar.is_string() {
        return Ok(());
    }
    let text = core::mem::take(&mut scalar.text);
    *scalar = Scalar {
        shared: scalar.shared,
        ..expand(&text, values, used, meter)?
    };
    Ok(())
}

/// Replaces `$(NAME)` in a text; `$$` is a `$`. A text that is nothing else takes the value's type over.
fn expand(
    text: &str,
    values: &BTreeMap<String, Node>,
    used: &mut BTreeSet<String>,
    meter: &Meter,
) -> Result<Scalar, String> {
    meter.step(1 + text.len() / 64)?;
    let mut out = String::new();
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        let (before, behind) = (&rest[..dollar], &rest[dollar + 1..]);
        let Some(next) = behind.chars().next() else { break };
        out.push_str(before);
        let end = behind.find(')').filter(|_| next == '(');
        match (next, end) {
            ('$', _) => {
                out.push('$');
                rest = &behind[1..];
            }
            ('(', Some(end)) => {
                let name = &behind[1..end];
                rest = &behind[end + 1..];
                let value = values.get(name).and_then(Node::as_scalar);
                if value.is_some() {
                    used.insert(name.to_string());
                }
                if text.len() == name.len() + 3 && text.starts_with("$(") {
                    return Ok(value.map_or_else(|| Scalar::string(text), typed));
                }
                meter.step(1)?;
                match value {
                    Some(value) => {
                        meter.write(value.text.len())?;
                        out.push_str(&value.text);
                    }
                    None => out.extend(["$(", name, ")"]),
                }
            }
            (next, _) => {
                out.push('$');
                out.push(next);
                rest = &behind[next.len_utf8()..];
            }
        }
    }
    out.push_str(rest);
    Ok(Scalar::string(out))
}

/// A value in the place of a text.
fn typed(value: &Scalar) -> Scalar {
    match value.tag {
        Tag::Int | Tag::Float | Tag::Bool => Scalar {
            quoted: false,
            shared: 0,
            ..value.clone()
        },
        Tag::None | Tag::Str | Tag::Folded | Tag::Null | Tag::Time => Scalar::string(&*value.text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_where_they_stand() {
        let values: BTreeMap<String, Node> = [
            ("A", Node::string("x")),
            ("N", Node::from_written(convoy_value::Value::from(5))),
        ]
        .map(|(name, node)| (name.to_string(), node))
        .into();
        for (text, expect, tag) in [
            ("$(A)", "x", Tag::Str),
            ("$(N)", "5", Tag::Int),
            ("a$(A)b$(N)", "axb5", Tag::Str),
            ("$$(A)", "$(A)", Tag::Str),
            ("$(B)-$", "$(B)-$", Tag::Str),
            ("$x $(A", "$x $(A", Tag::Str),
        ] {
            let meter = Meter::new(&crate::Limits::default(), None);
            let found = expand(text, &values, &mut BTreeSet::new(), &meter).unwrap();
            assert_eq!((&*found.text, found.tag), (expect, tag), "{text}");
        }
    }
}
