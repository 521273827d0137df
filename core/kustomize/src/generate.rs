//! `ConfigMaps` and Secrets from literals, files and files of variables, and the hash of their content.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::Write as _;

use convoy_value::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::decode::Fields;
use crate::meter::Meter;
use crate::node::{Entries, Node, Scalar, Tag, is_text_key};
use crate::quotes;
use crate::resource::{Behavior, Resource, set_untagged};

/// What `generatorOptions` and `options` say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GeneratorOptions {
    pub(crate) labels: Option<BTreeMap<String, String>>,
    pub(crate) annotations: Option<BTreeMap<String, String>>,
    pub(crate) no_hash: bool,
    pub(crate) immutable: bool,
}

impl GeneratorOptions {
    pub(crate) fn read(mut fields: Fields<'_>) -> Result<Self, String> {
        let options = Self {
            labels: fields.string_map("labels")?,
            annotations: fields.string_map("annotations")?,
            no_hash: fields.bool("disableNameSuffixHash")?,
            immutable: fields.bool("immutable")?,
        };
        fields.finish()?;
        Ok(options)
    }

    /// These options, and those for all generators where these say nothing.
    fn over(mut self, global: &Self) -> Self {
        for (ours, theirs) in [
            (&mut self.labels, &global.labels),
            (&mut self.annotations, &global.annotations),
        ] {
            for (key, value) in theirs.iter().flatten() {
                ours.get_or_insert_default()
                    .entry(key.clone())
                    .or_insert_with(|| value.clone());
            }
        }
        self.no_hash |= global.no_hash;
        self.immutable |= global.immutable;
        self
    }
}

/// One entry of `configMapGenerator` or `secretGenerator`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Generator {
    pub(crate) secret: bool,
    pub(crate) name: String,
    pub(crate) namespace: String,
    behavior: String,
    literals: Vec<String>,
    files: Vec<String>,
    envs: Vec<String>,
    options: Option<GeneratorOptions>,
    kind: String,
}

impl Generator {
    /// Reads an entry; what it does not know stays in `fields`.
    pub(crate) fn read(fields: &mut Fields<'_>, secret: bool) -> Result<Self, String> {
        let mut generator = Self {
            secret,
            name: fields.string("name")?,
            namespace: fields.string("namespace")?,
            behavior: fields.string("behavior")?,
            literals: fields.strings("literals")?.unwrap_or_default(),
            files: fields.strings("files")?.unwrap_or_default(),
            envs: fields.strings("envs")?.unwrap_or_default(),
            options: fields.object("options")?.map(GeneratorOptions::read).transpose()?,
            kind: String::new(),
        };
        let env = fields.string("env")?;
        if !env.is_empty() {
            generator.envs.push(env);
        }
        if secret {
            generator.kind = fields.string("type")?;
        }
        Ok(generator)
    }

    /// The object; `load` reads a file.
    pub(crate) fn generate(
        &self,
        global: Option<&GeneratorOptions>,
        load: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
        meter: &Meter,
    ) -> Result<Resource, String> {
        if self.name.is_empty() {
            return Err("a configmap must have a name".into());
        }
        let pairs = self
            .pairs(load)
            .map_err(|problem| format!("`{}`: {problem}", self.name))?;
        let options = match (self.options.clone(), global) {
            (ours, Some(global)) => Some(ours.unwrap_or_default().over(global)),
            (ours, None) => ours,
        };
        let read: usize = pairs.iter().map(|(key, value)| key.len() + value.len()).sum();
        let metadata = options
            .iter()
            .flat_map(|options| [&options.labels, &options.annotations]);
        let noted: usize = metadata
            .flatten()
            .flatten()
            .map(|(key, value)| key.len() + value.len())
            .sum();
        meter.write(read + noted)?;
        let mut node = Entries::default();
        node.set("apiVersion", Node::string("v1"));
        node.set("kind", Node::string(if self.secret { "Secret" } else { "ConfigMap" }));
        let mut meta = Entries::default();
        meta.set("name", Node::string(&*self.name));
        if !self.namespace.is_empty() {
            meta.set("namespace", Node::string(&*self.namespace));
        }
        node.set("metadata", Node::Map(meta));
        if self.secret {
            node.set(
                "type",
                Node::string(if self.kind.is_empty() { "Opaque" } else { &self.kind }),
            );
        }
        fill(&mut node, pairs, self.secret).map_err(|problem| format!("`{}`: {problem}", self.name))?;
        if options.as_ref().is_some_and(|options| options.immutable) {
            node.set(
                "immutable",
                Node::Scalar(Scalar {
                    text: "true".into(),
                    tag: Tag::Bool,
                    quoted: false,
                    shared: 0,
                }),
            );
        }
        let mut resource = Resource::new(Node::Map(node));
        if let Some(options) = &options {
            resource.set_meta_texts("labels", options.labels.as_ref().unwrap_or(&BTreeMap::new()));
            resource.set_meta_texts("annotations", options.annotations.as_ref().unwrap_or(&BTreeMap::new()));
        }
        resource.notes.needs_hash = !options.is_some_and(|options| options.no_hash);
        resource.notes.behavior = Some(match self.behavior.as_str() {
            "replace" => Behavior::Replace,
            "merge" => Behavior::Merge,
            _ => Behavior::Create,
        });
        Ok(resource)
    }

    fn pairs(
        &self,
        load: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
    ) -> Result<BTreeMap<String, Vec<u8>>, String> {
        let mut pairs = BTreeMap::new();
        let mut add = |key: &str, value: Vec<u8>| match pairs.insert(key.to_string(), value) {
            None => Ok(()),
            Some(_) => Err(format!("the key `{key}` is repeated")),
        };
        for file in &self.envs {
            let content = load(file)?;
            for (number, line) in lines(&content).enumerate() {
                let line = core::str::from_utf8(line).map_err(|_| format!("`{file}` is not UTF-8"))?;
                let line = if number == 0 {
                    line.strip_prefix('\u{feff}').unwrap_or(line)
                } else {
                    line
                };
                let line = line.trim_start();
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                let (key, value) = line.split_once('=').unwrap_or((line, ""));
                if !key.is_empty() {
                    add(key, value.into())?;
                }
            }
        }
        for literal in &self.literals {
            match literal.split_once('=') {
                Some((key, value)) if !key.is_empty() => add(key, unquote(value).into())?,
                _ => return Err("a literal must be key=value".into()),
            }
        }
        for source in &self.files {
            let (key, path) = file_source(source)?;
            add(key, load(path)?)?;
        }
        match pairs.keys().find(|key| !is_text_key(key)) {
            Some(key) => Err(format!("the key `{key}` is no text without quotes")),
            None => Ok(pairs),
        }
    }
}

fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ended = content.strip_suffix(b"\n").unwrap_or(content);
    ended
        .split(|byte| *byte == b'\n')
        .filter(move |_| !content.is_empty())
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

fn unquote(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text)
}

fn file_source(source: &str) -> Result<(&str, &str), String> {
    match source.split_once('=') {
        None => Ok((
            source.trim_end_matches('/').rsplit('/').next().unwrap_or(source),
            source,
        )),
        Some(("", _)) => Err(format!("missing key name in `{source}`")),
        Some((_, "")) => Err(format!("missing file path in `{source}`")),
        Some((_, path)) if path.contains('=') => Err(format!("`{source}`: key name or file path contains `=`")),
        Some(pair) => Ok(pair),
    }
}

/// Puts what was read into `data`, and what is no text into `binaryData`.
///
/// # Errors
/// When kustomize cannot read a text as it writes it.
fn fill(node: &mut Entries, pairs: BTreeMap<String, Vec<u8>>, secret: bool) -> Result<(), String> {
    let mut data = Entries::default();
    let mut binary = Entries::default();
    for (key, value) in pairs {
        match String::from_utf8(value) {
            Ok(text) if secret => data.0.push((key, Node::string(base64(text.as_bytes())))),
            Ok(text) if is_unreadable_block(&text) => {
                return Err(format!("`{key}` begins with a tab, which its YAML cannot hold"));
            }
            Ok(text) => data.0.push((key, Node::string(text))),
            Err(bytes) => {
                let list = if secret { &mut data } else { &mut binary };
                list.0.push((key, Node::string(base64(bytes.as_bytes()))));
            }
        }
    }
    for (field, entries) in [("data", data), ("binaryData", binary)] {
        if !entries.0.is_empty() || (secret && field == "data") {
            node.set(field, Node::Map(entries));
        }
    }
    Ok(())
}

/// Whether kyaml writes a text as a block that it cannot read again at the end of a build: one of several lines whose
/// first begins with a tab, unless something else in it makes kyaml use quotes.
fn is_unreadable_block(text: &str) -> bool {
    text.starts_with('\t') && text.contains('\n') && !quotes::are_needed(text)
}

/// In lines of 70 characters, if it is longer than one.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const LINE: usize = 70;
    let length = bytes.len().div_ceil(3) * 4;
    let mut out = String::with_capacity(length + length / LINE + 1);
    let broken = length / LINE + 1 > 1;
    let mut column = 0;
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let letter = if place <= chunk.len() {
                LETTERS[(bits >> (18 - 6 * place) & 63) as usize]
            } else {
                b'='
            };
            out.push(char::from(letter));
            column += 1;
            if broken && column == LINE {
                out.push('\n');
                column = 0;
            }
        }
    }
    if broken && column > 0 {
        out.push('\n');
    }
    out
}

fn texts(node: &Node, field: &str) -> BTreeMap<String, String> {
    let map = node.get(field).and_then(Node::as_map);
    map.map_or_else(BTreeMap::new, |map| {
        let text = |node: &Node| {
            if node.is_null() {
                String::new()
            } else {
                node.text().to_string()
            }
        };
        map.0.iter().map(|(key, node)| (key.clone(), text(node))).collect()
    })
}

/// Completes the data of a generated object with what `old` has.
pub(crate) fn merge_data(new: &mut Resource, old: &Resource) {
    for field in ["data", "binaryData"] {
        let mut merged = texts(&old.node, field);
        merged.extend(texts(&new.node, field));
        if let Node::Map(node) = &mut new.node {
            node.remove(field);
            if !merged.is_empty() {
                let entries = merged
                    .into_iter()
                    .map(|(key, text)| (key, Node::string(text)))
                    .collect();
                node.set(field, Node::Map(Entries(entries)));
            }
        }
    }
}

/// The end of the name of an object whose content is hashed.
pub(crate) fn hash(node: &Node) -> Result<String, String> {
    let mut content = Map::new();
    let field = |name: &str| -> Result<Option<Value>, String> {
        let Some(node) = node.get(name) else { return Ok(None) };
        Ok(Some(match node {
            Node::Scalar(scalar) => Value::from(scalar.text.as_str()),
            Node::Map(_) => node.to_value()?,
            Node::Seq(_) => Value::Null,
        }))
    };
    let kind = node.get("kind").map_or("", Node::text);
    // `metadata/name` is looked for as one key, and never found.
    let (fields, optional): (&[&str], &str) = match kind {
        "ConfigMap" => (&["data"], "binaryData"),
        "Secret" => (&["type", "data"], "stringData"),
        _ => return Err(format!("objects of the kind `{kind}` have no hash here")),
    };
    content.insert("kind", kind);
    content.insert("name", "");
    for name in fields {
        content.insert(*name, field(name)?.unwrap_or_else(|| Value::from("")));
    }
    if let Some(value @ Value::Object(_)) = field(optional)? {
        content.insert(optional, value);
    }
    Ok(encode(&Sha256::digest(
        json::to_canonical(&Value::Object(content)).as_bytes(),
    )))
}

fn encode(digest: &[u8]) -> String {
    let mut hex = String::new();
    for byte in digest.iter().take(5) {
        // Writing into a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex.chars()
        .map(|c| match c {
            '0' => 'g',
            '1' => 'h',
            '3' => 'k',
            'a' => 'm',
            'e' => 't',
            other => other,
        })
        .collect()
}

/// Gives every object that wants one its hash.
pub(crate) fn add_hash(resource: &mut Resource) -> Result<bool, String> {
    if !resource.notes.needs_hash {
        return Ok(false);
    }
    let hash = hash(&resource.node).map_err(|problem| format!("{}: {problem}", resource.id))?;
    resource.store_previous_id()?;
    let name = format!("{}-{hash}", resource.id.name);
    if let Some(meta) = resource.node.as_map_mut().and_then(|map| map.map_mut("metadata")) {
        set_untagged(meta, "name", &name);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_breaks_long_texts_into_lines() {
        assert_eq!(base64(b"hello"), "aGVsbG8=");
        assert_eq!(base64(&[b'a'; 54]).len(), 74);
        assert_eq!(base64(&[b'a'; 51]).len(), 68);
    }

    #[test]
    fn sources_name_a_key_or_take_the_files() {
        for (source, expect) in [
            ("a/b.txt", Some(("b.txt", "a/b.txt"))),
            ("k=f", Some(("k", "f"))),
            ("=f", None),
            ("a=b=c", None),
        ] {
            assert_eq!(file_source(source).ok(), expect, "{source}");
        }
    }
}
