//! Writing a build to files, as kustomize's `--output` does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use convoy_kustomize::{Built, is_cluster_scoped};
use convoy_value::{Value, yaml};

use crate::failure::Failure;

/// Writes one file.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let place = || format!("cannot write `{}`", path.display());
    fs::write(path, text).map_err(|error| Failure::new(place()).because(&error))
}

fn text<'v>(object: &'v Value, path: &[&str]) -> &'v str {
    object.at(path).and_then(Value::as_str).unwrap_or_default()
}

/// The namespace that counts; none for types that have none.
fn namespace(object: &Value) -> Option<&str> {
    if is_cluster_scoped(object) {
        return None;
    }
    Some(match text(object, &["metadata", "namespace"]) {
        "" => "default",
        namespace => namespace,
    })
}

/// `apps_v1_deployment_web.yaml`.
fn file_name(object: &Value) -> String {
    let kind = text(object, &["kind"]);
    let api_version = text(object, &["apiVersion"]).replace('/', "_");
    let name = text(object, &["metadata", "name"]);
    let parts = [&api_version, kind, name].map(str::to_lowercase);
    let parts: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    format!("{}.yaml", parts.join("_"))
}

/// Writes each object into a file of its own. Objects of several namespaces have theirs before the name.
pub(super) fn write_each(built: &Built, directory: &Path) -> Result<(), Failure> {
    let namespaces: BTreeSet<&str> = built.resources.iter().filter_map(namespace).collect();
    let mut files: BTreeMap<String, &Value> = BTreeMap::new();
    for object in &built.resources {
        let name = match namespace(object).filter(|_| namespaces.len() > 1) {
            Some(namespace) => format!("{}_{}", namespace.to_lowercase(), file_name(object)),
            None => file_name(object),
        };
        // A name may hold what a path may not.
        if name.contains('/') || files.insert(name.clone(), object).is_some() {
            return Err(
                Failure::new(format!("cannot write `{name}` into `{}`", directory.display()))
                    .because_text("two objects, or an object with a `/` in its name, cannot be files of their own")
                    .hint("write to a file in place of a directory"),
            );
        }
    }
    for (name, object) in files {
        let text = yaml::marshal(object).map_err(|error| Failure::of(&error))?;
        write(&directory.join(name), &text)?;
    }
    Ok(())
}
