//! New names, tags and digests for images.

use alloc::format;
use alloc::string::{String, ToString as _};

use crate::decode::Fields;
use crate::fieldspec::{self, FieldSpec, Make};
use crate::meter::Meter;
use crate::node::{Node, Scalar};
use crate::pattern::{Pattern, is_literal};
use crate::resource::Resource;

/// One entry of `images`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) name: String,
    pub(crate) new_name: String,
    pub(crate) tag_suffix: String,
    pub(crate) new_tag: String,
    pub(crate) digest: String,
}

impl Image {
    fn size(&self) -> usize {
        [&self.new_name, &self.tag_suffix, &self.new_tag, &self.digest]
            .iter()
            .map(|text| text.len())
            .sum()
    }

    pub(crate) fn read(mut fields: Fields<'_>) -> Result<Self, String> {
        let image = Self {
            name: fields.string("name")?,
            new_name: fields.string("newName")?,
            tag_suffix: fields.string("tagSuffix")?,
            new_tag: fields.string("newTag")?,
            digest: fields.string("digest")?,
        };
        fields.finish()?;
        Ok(image)
    }
}

/// An entry with its name as the pattern that kustomize makes of it.
#[derive(Debug)]
pub(crate) struct Updater<'i> {
    image: &'i Image,
    pattern: Option<Pattern>,
}

const TAG: &str = "(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?";

fn is_tag(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'{' | b'}' | b'-'))
}

/// Whether `rest` is nothing, or a tag, or a digest, or both.
fn is_rest(rest: &str) -> bool {
    let (tag, digest) = match rest.split_once("@sha256:") {
        Some((tag, digest)) => (tag, Some(digest)),
        None => (rest, None),
    };
    digest.is_none_or(is_tag) && (tag.is_empty() || tag.strip_prefix(':').is_some_and(is_tag))
}

impl<'i> Updater<'i> {
    pub(crate) fn new(image: &'i Image) -> Result<Self, String> {
        // Dots are common in names, and match themselves first of all.
        let pattern = if is_literal(&image.name) {
            None
        } else {
            Some(Pattern::anywhere(&format!("^{}{TAG}$", image.name))?)
        };
        Ok(Self { image, pattern })
    }

    fn is_match(&self, text: &str, meter: &Meter) -> bool {
        match &self.pattern {
            None => text.strip_prefix(&*self.image.name).is_some_and(is_rest),
            Some(pattern) => pattern.is_match(text, meter),
        }
    }

    fn set(&self, node: &mut Node, meter: &Meter) -> Result<(), String> {
        let Node::Scalar(scalar) = node else {
            return Err("an image must be a text".into());
        };
        if node_is_null(scalar) || !self.is_match(&scalar.text, meter) {
            return Ok(());
        }
        let image = self.image;
        meter.write(scalar.text.len() + image.size())?;
        let (name, mut tag, mut digest) = split(&scalar.text);
        let mut text = if image.new_name.is_empty() {
            name.to_string()
        } else {
            image.new_name.clone()
        };
        let suffixed = format!("{tag}{}", image.tag_suffix);
        match (
            !image.new_tag.is_empty(),
            !image.digest.is_empty(),
            !image.tag_suffix.is_empty(),
        ) {
            (true, true, _) => (tag, digest) = (&image.new_tag, &image.digest),
            (true, false, _) => (tag, digest) = (&image.new_tag, ""),
            (false, true, _) => (tag, digest) = ("", &image.digest),
            (false, false, true) => (tag, digest) = (&suffixed, ""),
            (false, false, false) => {}
        }
        if !tag.is_empty() {
            text = format!("{text}:{tag}");
        }
        if !digest.is_empty() {
            text = format!("{text}@{digest}");
        }
        node.set_scalar(Scalar::untagged(text))
    }

    /// Changes the images of an object: below any `containers` and `initContainers`, and in `specs`.
    pub(crate) fn apply(&self, resource: &mut Resource, specs: &[FieldSpec], meter: &Meter) -> Result<(), String> {
        if resource.id.gvk.kind == "CustomResourceDefinition" {
            return Ok(());
        }
        self.walk(&mut resource.node, meter)?;
        for spec in specs {
            fieldspec::apply(&mut resource.node, spec, Make::Nothing, meter, &mut |node| {
                self.set(node, meter)
            })?;
        }
        Ok(())
    }

    fn walk(&self, node: &mut Node, meter: &Meter) -> Result<(), String> {
        meter.step(1)?;
        match node {
            Node::Scalar(_) => Ok(()),
            Node::Seq(items) => items.iter_mut().try_for_each(|item| self.walk(item, meter)),
            Node::Map(map) => map.0.iter_mut().try_for_each(|(key, value)| {
                self.walk(value, meter)?;
                match value {
                    Node::Seq(items) if key == "containers" || key == "initContainers" => {
                        items.iter_mut().try_for_each(|item| match item {
                            Node::Map(container) => container
                                .get_mut("image")
                                .map_or(Ok(()), |image| self.set(image, meter)),
                            item if item.is_null() => Ok(()),
                            Node::Scalar(_) | Node::Seq(_) => Err(format!("`{key}`: a mapping was expected")),
                        })
                    }
                    Node::Scalar(_) | Node::Seq(_) | Node::Map(_) => Ok(()),
                }
            }),
        }
    }
}

fn node_is_null(scalar: &Scalar) -> bool {
    scalar.tag == crate::node::Tag::Null
}

/// Name, tag and digest of an image.
fn split(image: &str) -> (&str, &str, &str) {
    let from = image.find('/').unwrap_or(0);
    let (at, colon) = (image[from..].find('@'), image[from..].find(':'));
    match (at, colon) {
        (None, None) => (image, "", ""),
        (Some(at), colon) if colon.is_none_or(|colon| at < colon) => (&image[..from + at], "", &image[from + at + 1..]),
        (Some(at), Some(colon)) => (
            &image[..from + colon],
            &image[from + colon + 1..from + at],
            &image[from + at + 1..],
        ),
        (_, Some(colon)) => (&image[..from + colon], &image[from + colon + 1..], ""),
        (Some(at), None) => (&image[..from + at], "", &image[from + at + 1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_split_into_name_tag_and_digest() {
        for (image, expect) in [
            ("nginx", ("nginx", "", "")),
            ("nginx:1.2", ("nginx", "1.2", "")),
            ("host:5000/a/b:t@sha256:ff", ("host:5000/a/b", "t", "sha256:ff")),
            ("a@sha256:ff", ("a", "", "sha256:ff")),
        ] {
            assert_eq!(split(image), expect, "{image}");
        }
    }
}
