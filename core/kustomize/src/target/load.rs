//! Reading files: where they may be, and the objects in them.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_value::{Limits, yaml};

use super::{Builder, LoadRestrictor};
use crate::error::Error;
use crate::kustomization::Kustomization;
use crate::node::Node;
use crate::paths;
use crate::resource::Resource;
use crate::target::frame::Frame;

/// The names of a kustomization.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

impl Builder<'_> {
    /// The content of a file that the kustomization of `directory` names.
    pub(super) fn load(&mut self, directory: &str, path: &str) -> Result<Arc<[u8]>, String> {
        if paths::is_remote(path) && !path.starts_with("file://") && path.contains("://") {
            return Err(format!("`{path}` is remote, and nothing is fetched"));
        }
        if path.starts_with('/') {
            return Err(format!("`{path}` is absolute, and nothing outside of the tree is read"));
        }
        let full = paths::join(directory, path).ok_or_else(|| format!("`{path}` leads out of the tree"))?;
        let Some(content) = self.files.get(&full) else {
            let what = if self.files.is_directory(&full) {
                "is a directory"
            } else {
                "is not there"
            };
            return Err(format!("`{full}` {what}"));
        };
        let parent = full.rsplit_once('/').map_or("", |(parent, _)| parent);
        if self.options.load_restrictor == LoadRestrictor::Root && !paths::is_within(parent, directory) {
            return Err(format!("security; file `{full}` is not in or below `{directory}`"));
        }
        let limits = &self.options.limits;
        if content.len() > limits.file_bytes {
            return Err(format!(
                "`{full}` passes the limit of {} bytes of a file",
                limits.file_bytes
            ));
        }
        self.bytes += content.len();
        if self.bytes > limits.bytes {
            return Err(format!("the files pass the limit of {} bytes in all", limits.bytes));
        }
        Ok(Arc::clone(content))
    }

    /// Opens the kustomization of a directory.
    pub(super) fn open(&mut self, directory: &str, root: bool) -> Result<Frame, Error> {
        let limits = &self.options.limits;
        for (of, limit, count) in [
            ("kustomizations", limits.kustomizations, self.kustomizations),
            ("nested kustomizations", limits.depth, self.visited.len()),
        ] {
            if count >= limit {
                return Err(Error::Limit { of, limit });
            }
        }
        self.kustomizations += 1;
        let missing = |problem: &str| Error::Missing {
            directory: directory.into(),
            problem: problem.into(),
        };
        let full = |name: &str| {
            if directory.is_empty() {
                name.to_string()
            } else {
                format!("{directory}/{name}")
            }
        };
        let mut found = NAMES.iter().filter(|name| self.files.get(&full(name)).is_some());
        let name = found.next().ok_or_else(|| {
            missing("unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization'")
        })?;
        if found.next().is_some() {
            return Err(missing("found multiple kustomization files"));
        }
        let file = full(name);
        let in_file = |problem| Error::File {
            file: file.clone(),
            problem,
        };
        let content = self.load(directory, name).map_err(in_file)?;
        let value =
            yaml::helm::parse(&content, &self.options.limits.text).map_err(|error| in_file(error.to_string()))?;
        let kustomization = Kustomization::read(&value, &mut self.warnings).map_err(in_file)?;
        self.describe(&kustomization, directory, root)
            .map_err(|problem| Error::Field {
                file: file.clone(),
                field: "openapi",
                problem,
            })?;
        self.visited.push(directory.to_string());
        Ok(Frame::new(kustomization, directory, file, name, root))
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
                let value =
                    yaml::helm::parse(&content, &self.options.limits.text).map_err(|error| error.to_string())?;
                let alone = self.schema.read.is_none();
                self.schema.custom = Some((value, alone));
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
pub(crate) fn read_objects(text: &[u8], limits: &Limits) -> Result<Vec<Resource>, String> {
    let documents = yaml::kustomize::parse_documents_as_written(text, limits).map_err(|error| error.to_string())?;
    let only = documents.len() == 1;
    let mut queue = VecDeque::new();
    for document in documents {
        let line = document.line;
        let node = Node::from_written(document.value);
        if node.is_null() {
            continue;
        }
        let kind = node.get("kind").map_or("", Node::text);
        if only && matches!(kind, "List" | "ResourceList") && node.get("items").is_some() {
            if let Node::Map(mut map) = node
                && let Some(Node::Seq(items)) = map.remove("items")
            {
                queue.extend(items.into_iter().map(|item| (item, line)));
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
            objects.push(Resource::new(node));
            continue;
        }
        match node.as_map_mut().and_then(|map| map.remove("items")) {
            Some(Node::Seq(items)) => {
                for item in items {
                    check(&item, line)?;
                    queue.push_back((item, line));
                }
            }
            Some(items) if items.is_null() => {}
            _ => return Err(format!("line {line}: the items of a list must be a sequence")),
        }
    }
    Ok(objects)
}

fn check_metadata(node: &Node) -> Result<(), String> {
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
