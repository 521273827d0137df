//! Reading files: where they may be, and the objects in them.

use alloc::collections::{BTreeSet, VecDeque};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_value::{Limits, Value, json, yaml};

use super::{Builder, LoadRestrictor};
use crate::description;
use crate::error::Error;
use crate::files::Entry;
use crate::kustomization::Kustomization;
use crate::meter::Meter;
use crate::node::Node;
use crate::paths;
use crate::resource::Resource;
use crate::schema::{self, Turn};
use crate::target::frame::Frame;
use crate::warning::Warning;

/// What asking a tree for a file costs, beside its bytes.
const STEPS_OF_FILE: usize = 1_000;

/// The names of a kustomization.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

impl Builder<'_> {
    /// Whether the kustomization of `directory` may name `file`, whose links are followed.
    fn may_load(&self, directory: &str, file: &str) -> bool {
        let parent = file.rsplit_once('/').map_or("", |(parent, _)| parent);
        self.options.load_restrictor == LoadRestrictor::None || paths::is_within(parent, directory)
    }

    /// The content of a file that the kustomization of `directory` names.
    pub(super) fn load(&mut self, directory: &str, path: &str) -> Result<Arc<[u8]>, String> {
        if paths::is_remote(path) && !path.starts_with("file://") && path.contains("://") {
            return Err(format!("`{path}` is remote, and nothing is fetched"));
        }
        let full = if path.starts_with('/') {
            let below = self.tree.absolute(path);
            below.ok_or_else(|| format!("`{path}` is absolute, and nothing outside of the tree is read"))?
        } else {
            paths::join(directory, path).ok_or_else(|| format!("`{path}` leads out of the tree"))?
        };
        self.meter.step(STEPS_OF_FILE)?;
        let shown = || self.tree.shown(&full);
        let file = match self.tree.find(&full)? {
            Some(Entry::File(file)) => file,
            Some(Entry::Directory(_)) => return Err(format!("`{}` is a directory", shown())),
            None => return Err(format!("`{}` is not there", shown())),
        };
        if !self.may_load(directory, &file) {
            let directory = self.tree.shown(directory);
            return Err(format!(
                "security; file `{}` is not in or below `{directory}`",
                self.tree.shown(&file)
            ));
        }
        let limit = self.options.limits.file_bytes;
        let content = self.tree.read(&file, limit)?;
        if content.len() > limit {
            return Err(format!("`{}`: {}", shown(), self.meter.pass("bytes of a file", limit)));
        }
        self.meter.read(content.len())?;
        Ok(content)
    }

    /// Opens the kustomization of a directory, of which `directory` is the path with all links followed. `by` names the
    /// field that leads there.
    pub(super) fn open(&mut self, directory: &str, by: Option<(&str, &'static str)>) -> Result<Frame, Error> {
        let limits = &self.options.limits;
        let root = by.is_none();
        let fail = |problem: String| match by {
            Some((file, field)) => Error::Field {
                file: file.into(),
                field,
                problem,
            },
            None => Error::Missing {
                directory: self.tree.shown(directory),
                problem,
            },
        };
        if self.kustomizations >= limits.kustomizations {
            return Err(fail(self.meter.pass("kustomizations", limits.kustomizations)));
        }
        if self.visited.len() >= limits.depth {
            return Err(fail(self.meter.pass("nested kustomizations", limits.depth)));
        }
        self.kustomizations += 1;
        let missing = |problem: &str| Error::Missing {
            directory: self.tree.shown(directory),
            problem: problem.into(),
        };
        let full = |name: &str| {
            if directory.is_empty() {
                name.to_string()
            } else {
                format!("{directory}/{name}")
            }
        };
        let mut found = Vec::new();
        for name in NAMES {
            match self.tree.find(&full(name)) {
                Ok(Some(Entry::File(file))) if self.may_load(directory, &file) => found.push(name),
                Ok(_) | Err(_) => {}
            }
        }
        let name = match found[..] {
            [name] => name,
            [] => {
                return Err(missing(
                    "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization'",
                ));
            }
            [..] => {
                let problem = format!("found multiple kustomization files: `{}`", found.join("`, `"));
                return Err(missing(&problem));
            }
        };
        let file = self.tree.shown(&full(name));
        let in_file = |problem| Error::File {
            file: file.clone(),
            problem,
        };
        let content = self.load(directory, name).map_err(in_file)?;
        let value =
            yaml::helm::parse(&content, &self.options.limits.text).map_err(|error| in_file(self.meter.yaml(&error)))?;
        let mut deprecated = Vec::new();
        let kustomization = Kustomization::read(&value, &mut deprecated).map_err(in_file)?;
        let warnings = deprecated.into_iter().map(|(field, instead)| Warning::Deprecated {
            file: file.clone(),
            field,
            instead,
        });
        self.warnings.extend(warnings);
        self.describe(&kustomization, directory, root)
            .map_err(|problem| Error::Field {
                file: file.clone(),
                field: "openapi",
                problem,
            })?;
        self.visited.push(directory.to_string());
        Ok(Frame::new(kustomization, directory, file, name, root))
    }

    fn read_description(&self, content: &[u8]) -> Result<Value, String> {
        let limits = &self.options.limits.text;
        let value = match content.first() {
            None => return Err("the file is empty".into()),
            Some(b'{') => json::parse(content, limits).map_err(|error| self.meter.json(&error))?,
            Some(_) => yaml::helm::parse(content, limits).map_err(|error| self.meter.yaml(&error))?,
        };
        description::check_openapi(&value)?;
        Ok(value)
    }

    /// Takes the description of types that a kustomization names, unless one is there.
    fn describe(&mut self, kustomization: &Kustomization, directory: &str, root: bool) -> Result<(), String> {
        let path = kustomization.openapi.get("path");
        let content = path.map(|path| self.load(directory, path)).transpose()?;
        if self.schema.decided && !root {
            return Ok(());
        }
        let version = kustomization.openapi.get("version");
        match (content, version) {
            (Some(_), Some(_)) => Err("builtin version and custom schema provided, cannot use both".into()),
            (Some(content), None) => {
                let read = self.read_description(&content);
                if self.meter.breach().is_some() {
                    return read.map(drop);
                }
                let turn = match (&self.schema.read, self.schema.needed) {
                    (Some(_), _) => Turn::Last,
                    (None, true) => Turn::First,
                    (None, false) => Turn::Alone,
                };
                let in_path = |problem| format!("`{}`: {problem}", path.map_or("", String::as_str));
                self.schema.problem = read.as_ref().err().cloned().map(in_path);
                let value = read.unwrap_or_default();
                self.schema.cluster_scoped = Arc::new(schema::cluster_scoped(&value));
                self.schema.generation += 1;
                self.schema.custom = Some((value, turn));
                self.schema.read = None;
                self.schema.decided = true;
                Ok(())
            }
            (None, Some(version)) if version == "v1.21.2" => {
                self.schema.decided = true;
                Ok(())
            }
            (None, Some(version)) if !version.is_empty() => Err(format!("version `{version}` is not built in")),
            (None, _) => Ok(()),
        }
    }
}

/// The objects in a text: lists are opened, and each object must have a kind and a name.
///
/// `cluster_scoped` are types without a namespace besides those that are always known.
pub(crate) fn read_objects(
    text: &[u8],
    cluster_scoped: &BTreeSet<String>,
    meter: &Meter,
) -> Result<Vec<Resource>, String> {
    let limits = limits_of(text, meter.limits().text);
    let documents = yaml::kustomize::parse_documents_as_written(text, &limits).map_err(|error| meter.yaml(&error))?;
    let only = documents.len() == 1;
    let mut queue = VecDeque::new();
    for document in documents {
        let line = document.line;
        let node = Node::from_written(document.value);
        meter.nodes(node.count())?;
        if node.is_null() {
            continue;
        }
        let kind = node.get("kind").map_or("", Node::text);
        if only && matches!(kind, "List" | "ResourceList") && node.get("items").is_some() {
            let Node::Map(mut map) = node else { continue };
            match map.remove("items") {
                Some(Node::Seq(items)) => queue.extend(items.into_iter().map(|item| (item, line))),
                // Kustomize takes the keys for objects.
                Some(Node::Map(items)) if !items.0.is_empty() => {
                    return Err(format!("line {line}: the items of a list must be a sequence"));
                }
                Some(_) | None => {}
            }
            continue;
        }
        queue.push_back((node, line));
    }
    let mut objects = Vec::with_capacity(queue.len());
    let check = |node: &Node, line: usize| check_metadata(node).map_err(|problem| format!("line {line}: {problem}"));
    for (node, line) in &queue {
        check(node, *line)?;
    }
    while let Some((mut node, line)) = queue.pop_front() {
        if node.is_empty() {
            continue;
        }
        let is_list = node.get("kind").is_some_and(|kind| kind.text().ends_with("List"));
        if !is_list || node.get("items").is_none() {
            let mut object = Resource::new(node);
            object.read_notes();
            if is_among(cluster_scoped, &object) {
                object.set_cluster_scoped();
                object.refresh();
            }
            objects.push(object);
            continue;
        }
        match node.as_map_mut().and_then(|map| map.remove("items")) {
            Some(Node::Seq(items)) => {
                for item in items {
                    check(&item, line)?;
                    // Kustomize writes them as JSON and reads that.
                    let value = item.decoded().map_err(|problem| format!("line {line}: {problem}"))?;
                    let mut item = Node::from_written(value);
                    item.quote();
                    queue.push_back((item, line));
                }
            }
            Some(items) if items.is_null() => {}
            _ => return Err(format!("line {line}: the items of a list must be a sequence")),
        }
    }
    Ok(objects)
}

/// Whether `types`, as `apiVersion Kind`, have an object's.
pub(super) fn is_among(types: &BTreeSet<String>, object: &Resource) -> bool {
    let gvk = &object.id.gvk;
    !types.is_empty() && types.contains(&format!("{} {}", gvk.api_version(), gvk.kind))
}

/// The limits for a stream of documents: each document may open aliases, but all of them together no more than one.
fn limits_of(text: &[u8], limits: Limits) -> Limits {
    const LEAST: usize = 4 << 10;
    if !text.contains(&b'*') {
        return limits;
    }
    let documents = 1 + text.windows(4).filter(|window| *window == b"\n---").count();
    Limits {
        alias_bytes: (limits.alias_bytes / documents).max(LEAST).min(limits.alias_bytes),
        ..limits
    }
}

pub(super) fn check_metadata(node: &Node) -> Result<(), String> {
    if node.is_empty() {
        return Ok(());
    }
    let kind = node.get("kind").filter(|kind| !kind.is_empty()).map_or("", Node::text);
    if kind.is_empty() {
        return Err("missing kind in an object".into());
    }
    let name = node
        .get("metadata")
        .and_then(|meta| meta.get("name"))
        .filter(|name| !name.is_empty());
    if !kind.ends_with("List") && name.is_none_or(|name| name.text().is_empty()) {
        return Err(format!("missing metadata.name in a {kind}"));
    }
    Ok(())
}
