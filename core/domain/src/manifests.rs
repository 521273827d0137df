//! Plain manifests: files to objects.
//!
//! In the order of `paths`; a directory is walked in byte order of names, directory by directory; a file's documents
//! come in their order.
//!
//! # Invariant
//! Any files and any paths give objects or an error, within the limits. Every object has a kind and a name, and no two
//! have one identity on a cluster.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use convoy_value::{Value, yaml};

use crate::artifact::Files;
use crate::id::ObjectId;
use crate::limits::Limits;
use crate::object::{NotAnObject, Object};
use crate::release::Manifests;
use crate::scope::Scopes;

/// Most documents of one file, empty ones included.
pub const DOCUMENTS: usize = 100_000;

/// Where an object was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Path of the file.
    pub file: String,
    /// Number of the document, from 1.
    pub document: usize,
    /// Line on which the document begins, from 1.
    pub line: usize,
    /// Numbers, from 1, of the item in a List, and in a List within that.
    pub items: Vec<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` document {} (line {})", self.file, self.document, self.line)?;
        self.items.iter().try_for_each(|item| write!(f, " item {item}"))
    }
}

/// Why files give no objects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// `paths` is empty.
    #[error("`manifests.paths` selects nothing, since it is empty")]
    NoPaths,
    /// An entry leaves the source.
    #[error("path `{0}` leads out of the source")]
    OutsidePath(String),
    /// An entry selects no file.
    #[error("path `{path}` selects no files: {why}")]
    NothingSelected {
        /// The entry.
        path: String,
        /// Why, as far as that can be told.
        why: &'static str,
    },
    /// Two entries select one file.
    #[error("file `{file}` is selected twice: by path `{first}` and by path `{second}`")]
    SelectedTwice {
        /// The file.
        file: String,
        /// The entry that selected it first.
        first: String,
        /// The other.
        second: String,
    },
    /// A file is no YAML.
    #[error("file `{file}` cannot be read")]
    Yaml {
        /// The file.
        file: String,
        /// What is wrong with it.
        source: yaml::Error,
    },
    /// A document is no object.
    #[error("{place} is not a Kubernetes object")]
    NotAnObject {
        /// Where.
        place: Place,
        /// What it lacks.
        source: NotAnObject,
    },
    /// `items` of a List is no list.
    #[error("{0} is a List whose `items` is not a sequence")]
    BadList(Place),
    /// An object has no name.
    #[error("{0} has no `metadata.name`")]
    Unnamed(Place),
    /// An object asks the cluster for a name.
    #[error("{0} has `metadata.generateName` but no `metadata.name`: it would be a new object at each sync")]
    GeneratedName(Place),
    /// Two documents are one object.
    #[error("{object} is defined twice: in {first} and in {second}")]
    Duplicate {
        /// The object.
        object: ObjectId,
        /// Where first.
        first: Box<Place>,
        /// Where again.
        second: Box<Place>,
    },
    /// A bound was passed.
    #[error("{what} passes the limit `{limit}` of {value}")]
    Limit {
        /// The file, or what has too many.
        what: String,
        /// Name of the limit.
        limit: &'static str,
        /// Its value.
        value: u64,
    },
}

impl RenderError {
    /// Whether a bound was passed, rather than something being wrong.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Limit { .. } => true,
            // Go's libraries have one bound of their own, on the share of a document that aliases make up.
            Self::Yaml { source, .. } => {
                source.kind() == yaml::ErrorKind::Limit || source.message().contains("excessive aliasing")
            }
            Self::NoPaths
            | Self::OutsidePath(_)
            | Self::NothingSelected { .. }
            | Self::SelectedTwice { .. }
            | Self::NotAnObject { .. }
            | Self::BadList(_)
            | Self::Unnamed(_)
            | Self::GeneratedName(_)
            | Self::Duplicate { .. } => false,
        }
    }
}

/// The objects of the selected files.
///
/// # Errors
/// [`RenderError`] for the first thing that is wrong.
pub fn render_manifests(files: &Files, manifests: &Manifests, limits: &Limits) -> Result<Vec<Object>, RenderError> {
    let selected = select(files, &manifests.paths, limits)?;
    let mut found = Found {
        objects: Vec::new(),
        places: Vec::new(),
        limit: limits.objects,
    };
    for file in selected {
        read_file(file, files.get(file).map_or(&[][..], |bytes| bytes), limits, &mut found)?;
    }
    check_identities(&found)?;
    Ok(found.objects)
}

/// The files that the entries select, in order.
fn select<'a>(files: &'a Files, paths: &[String], limits: &Limits) -> Result<Vec<&'a str>, RenderError> {
    if paths.is_empty() {
        return Err(RenderError::NoPaths);
    }
    let mut selected = Vec::new();
    let mut selected_by: BTreeMap<&str, &str> = BTreeMap::new();
    for entry in paths {
        let path = normalize(entry).ok_or_else(|| RenderError::OutsidePath(entry.clone()))?;
        let chosen = choose(files, &path).map_err(|why| RenderError::NothingSelected {
            path: entry.clone(),
            why,
        })?;
        for file in chosen {
            if let Some(first) = selected_by.insert(file, entry) {
                return Err(RenderError::SelectedTwice {
                    file: file.to_string(),
                    first: first.to_string(),
                    second: entry.clone(),
                });
            }
            selected.push(file);
        }
    }
    if selected.len() > limits.files {
        return Err(RenderError::Limit {
            what: alloc::format!("selecting {} files", selected.len()),
            limit: "files in a source",
            value: limits.files as u64,
        });
    }
    Ok(selected)
}

/// A path without `.` parts, empty parts and `..` (empty for the root); `None` when it leads out of the tree.
fn normalize(path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with('/') || path.contains('\0') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The file of a path, or the YAML files below it in the order of a walk; why there are none.
fn choose<'a>(files: &'a Files, path: &str) -> Result<Vec<&'a str>, &'static str> {
    if let Some((file, _)) = files.get_key_value(path) {
        return Ok(alloc::vec![file]);
    }
    let prefix = if path.is_empty() {
        String::new()
    } else {
        alloc::format!("{path}/")
    };
    let below = files
        .range(prefix.clone()..)
        .map(|(file, _)| file.as_str())
        .take_while(|file| file.starts_with(&prefix));
    let mut any = false;
    let mut chosen: Vec<&str> = below
        .inspect(|_| any = true)
        .filter(|file| [".yaml", ".yml"].iter().any(|ending| file.ends_with(ending)))
        .collect();
    if chosen.is_empty() {
        return Err(if any {
            "the directory holds no .yaml or .yml files"
        } else if path.contains(['*', '?', '[']) {
            "there is no such file or directory, and globs do not work"
        } else {
            "there is no such file or directory"
        });
    }
    // The byte order of whole paths is not the order of a walk: `a-b.yaml` sorts before `a/x.yaml` there, but `a` comes
    // before `a-b.yaml` among the names of one directory.
    chosen.sort_by(|a, b| a.split('/').cmp(b.split('/')));
    Ok(chosen)
}

/// Objects read so far, and where each was written.
struct Found {
    objects: Vec<Object>,
    places: Vec<Place>,
    limit: usize,
}

fn read_file(file: &str, bytes: &[u8], limits: &Limits, found: &mut Found) -> Result<(), RenderError> {
    if bytes.len() as u64 > limits.file_bytes {
        return Err(RenderError::Limit {
            what: alloc::format!("file `{file}` of {} bytes", bytes.len()),
            limit: "bytes of one file",
            value: limits.file_bytes,
        });
    }
    let reader = convoy_value::Limits {
        bytes: bytes.len(),
        depth: limits.depth,
        alias_bytes: limits.alias_bytes,
        documents: DOCUMENTS,
    };
    let documents = yaml::helm::parse_documents(bytes, &reader).map_err(|source| RenderError::Yaml {
        file: file.to_string(),
        source,
    })?;
    for document in documents {
        if document.is_empty() {
            continue;
        }
        let place = Place {
            file: file.to_string(),
            document: document.index + 1,
            line: document.line,
            items: Vec::new(),
        };
        read_document(document.value, place, found)?;
    }
    Ok(())
}

/// One object, or those of a List. The nesting of Lists is bounded by the depth of the document.
fn read_document(value: Value, place: Place, found: &mut Found) -> Result<(), RenderError> {
    let object = match Object::new(value) {
        Ok(object) => object,
        Err(source) => return Err(RenderError::NotAnObject { place, source }),
    };
    if object.kind() == "List" && object.text(&["apiVersion"]) == "v1" {
        return read_list(object, &place, found);
    }
    if object.name().is_empty() {
        let generated = !object.text(&["metadata", "generateName"]).is_empty();
        return Err(if generated {
            RenderError::GeneratedName(place)
        } else {
            RenderError::Unnamed(place)
        });
    }
    if found.objects.len() == found.limit {
        return Err(RenderError::Limit {
            what: place.to_string(),
            limit: "objects in a render",
            value: found.limit as u64,
        });
    }
    found.objects.push(object);
    found.places.push(place);
    Ok(())
}

fn read_list(mut list: Object, place: &Place, found: &mut Found) -> Result<(), RenderError> {
    let items = match list.as_map_mut().remove("items") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(items)) => items,
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
            return Err(RenderError::BadList(place.clone()));
        }
    };
    for (index, item) in items.into_iter().enumerate() {
        let mut place = place.clone();
        place.items.push(index + 1);
        read_document(item, place, found)?;
    }
    Ok(())
}

fn check_identities(found: &Found) -> Result<(), RenderError> {
    let scopes = Scopes::of(&found.objects);
    let mut known: BTreeMap<ObjectId, &Place> = BTreeMap::new();
    for (object, place) in found.objects.iter().zip(&found.places) {
        let id = scopes.id(object);
        if let Some(first) = known.insert(id.clone(), place) {
            return Err(RenderError::Duplicate {
                object: id,
                first: Box::new(first.clone()),
                second: Box::new(place.clone()),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: NAME}\n";

    fn config(name: &str) -> String {
        MAP.replace("NAME", name)
    }

    fn tree(files: &[(&str, &str)]) -> Files {
        files
            .iter()
            .map(|(path, text)| (path.to_string(), text.as_bytes().into()))
            .collect()
    }

    fn render(files: &[(&str, &str)], paths: &[&str]) -> Result<Vec<String>, RenderError> {
        render_within(files, paths, &Limits::default())
    }

    fn render_within(files: &[(&str, &str)], paths: &[&str], limits: &Limits) -> Result<Vec<String>, RenderError> {
        let manifests = Manifests {
            paths: paths.iter().map(ToString::to_string).collect(),
            target_namespace: None,
        };
        let objects = render_manifests(&tree(files), &manifests, limits)?;
        Ok(objects.iter().map(|object| object.name().to_string()).collect())
    }

    fn message(files: &[(&str, &str)], paths: &[&str]) -> String {
        let error = render(files, paths).unwrap_err();
        match core::error::Error::source(&error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        }
    }

    #[test]
    fn paths_select_files_and_directories_in_order() {
        let texts: Vec<(&str, String)> = [
            ("a-b.yaml", "a-b"),
            ("a.yaml", "a"),
            ("a/b/c.yml", "a/b/c"),
            ("a/x.yaml", "a/x"),
            ("a/b.yaml", "a/b"),
            ("a/readme.md", "md"),
            ("json/one.json", "json"),
            ("z/.hidden.yaml", "hidden"),
            ("z/Upper.yaml", "upper"),
            ("zz/late.yaml", "late"),
        ]
        .into_iter()
        .map(|(path, name)| (path, config(&name.replace('/', "."))))
        .collect();
        let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let all = ["a.b.c", "a.b", "a.x", "a-b", "a", "hidden", "upper", "late"];
        for root in [".", "./", "./.", "a/..", "a/../", ".//."] {
            assert_eq!(render(&files, &[root]).unwrap(), all, "{root}");
        }
        for directory in ["a", "a/", "./a", "./a//", "z/../a", "a/b/.."] {
            assert_eq!(
                render(&files, &[directory]).unwrap(),
                ["a.b.c", "a.b", "a.x"],
                "{directory}"
            );
        }
        assert_eq!(
            render(&files, &["zz", "a.yaml", "a/b"]).unwrap(),
            ["late", "a", "a.b.c"]
        );
        assert_eq!(render(&files, &["a/readme.md"]).unwrap(), ["md"]);
        assert_eq!(render(&files, &["json/one.json"]).unwrap(), ["json"]);
        assert_eq!(render(&files, &["z"]).unwrap(), ["hidden", "upper"]);
    }

    #[test]
    fn paths_that_select_nothing_or_leave_the_source_are_errors() {
        let text = config("a");
        let files = [("a.yaml", text.as_str()), ("docs/readme.md", "")];
        let check = |path: &str, expect: &str| assert_eq!(message(&files, &[path]), expect);
        check("b", "path `b` selects no files: there is no such file or directory");
        check(
            "docs",
            "path `docs` selects no files: the directory holds no .yaml or .yml files",
        );
        check(
            "*.yaml",
            "path `*.yaml` selects no files: there is no such file or directory, and globs do not work",
        );
        for path in ["", "/", "/a.yaml", "..", "../a.yaml", "docs/../../a.yaml", "a\0"] {
            assert_eq!(
                render(&files, &[path]),
                Err(RenderError::OutsidePath(path.into())),
                "{path}"
            );
        }
        assert_eq!(render(&files, &[]), Err(RenderError::NoPaths));
        assert_eq!(
            message(&[], &["."]),
            "path `.` selects no files: there is no such file or directory"
        );
    }

    #[test]
    fn a_file_selected_twice_names_both_entries() {
        let text = config("a");
        let files = [("d/a.yaml", text.as_str())];
        assert_eq!(
            message(&files, &["d", "d/a.yaml"]),
            "file `d/a.yaml` is selected twice: by path `d` and by path `d/a.yaml`"
        );
        assert_eq!(
            message(&files, &[".", "./d"]),
            "file `d/a.yaml` is selected twice: by path `.` and by path `./d`"
        );
    }

    #[test]
    fn documents_and_lists_become_objects_and_empty_ones_are_passed_over() {
        let text = format!(
            "---\n# nothing\n---\n{}---\n---\napiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: Secret, metadata: {{name: b}}}}\n- {{apiVersion: v1, kind: List, items: [{{apiVersion: v1, kind: Secret, metadata: {{name: c}}}}]}}\n---\napiVersion: v1\nkind: List\n---\n{{apiVersion: x.io/v1, kind: List, metadata: {{name: d}}, items: [1]}}\n...\n",
            config("a")
        );
        assert_eq!(render(&[("f.yaml", &text)], &["f.yaml"]).unwrap(), ["a", "b", "c", "d"]);
        assert_eq!(render(&[("f.yaml", "\n# only this\n")], &["f.yaml"]).unwrap(), [""; 0]);
        let json = r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"j"}}]}"#;
        assert_eq!(render(&[("f", json)], &["f"]).unwrap(), ["j"]);
    }

    #[test]
    fn what_is_no_object_is_named_by_file_and_document() {
        let check = |text: &str, expect: &str| assert_eq!(message(&[("f.yaml", text)], &["."]), expect);
        check(
            "---\n---\nkind: Secret\n",
            "`f.yaml` document 2 (line 3) is not a Kubernetes object: `apiVersion` is missing",
        );
        check(
            "apiVersion: v1\nkind: ''\n",
            "`f.yaml` document 1 (line 1) is not a Kubernetes object: `kind` is missing",
        );
        check(
            "just text\n",
            "`f.yaml` document 1 (line 1) is not a Kubernetes object: the document is not a mapping",
        );
        check(
            "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: a}}, 7]\n",
            "`f.yaml` document 1 (line 1) item 2 is not a Kubernetes object: the document is not a mapping",
        );
        check(
            "apiVersion: v1\nkind: List\nitems: {}\n",
            "`f.yaml` document 1 (line 1) is a List whose `items` is not a sequence",
        );
        check(
            "apiVersion: v1\nkind: Pod\nmetadata: {labels: {}}\n",
            "`f.yaml` document 1 (line 1) has no `metadata.name`",
        );
        check(
            "apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}\n",
            "`f.yaml` document 1 (line 1) has `metadata.generateName` but no `metadata.name`: it would be a new object at each sync",
        );
    }

    #[test]
    fn two_documents_with_one_identity_name_both_places() {
        let check = |first: &str, second: &str, same: bool| {
            let files = [("a.yaml", first), ("b.yaml", second)];
            let found = render(&files, &["."]);
            assert_eq!(
                matches!(found, Err(RenderError::Duplicate { .. })),
                same,
                "{first} {second}: {found:?}"
            );
        };
        let role = |namespace: &str| {
            format!(
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: a, namespace: {namespace}}}\n"
            )
        };
        let deploy = |version: &str, namespace: &str| {
            format!("apiVersion: {version}\nkind: Deployment\nmetadata: {{name: a, namespace: {namespace}}}\n")
        };
        check(&config("a"), &config("a"), true);
        check(&config("a"), &config("b"), false);
        check(
            &config("a"),
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n",
            true,
        );
        check(&deploy("apps/v1", "x"), &deploy("apps/v1beta1", "x"), true);
        check(&deploy("apps/v1", "x"), &deploy("extensions/v1beta1", "x"), false);
        check(&deploy("apps/v1", "x"), &deploy("apps/v1", "y"), false);
        check(&role("x"), &role("y"), true);
        let twice = format!("{}---\n{}", config("a"), config("a"));
        assert_eq!(
            message(&[("f.yaml", &twice)], &["."]),
            "ConfigMap default/a is defined twice: in `f.yaml` document 1 (line 1) and in `f.yaml` document 2 (line 5)"
        );
    }

    #[test]
    fn broken_files_are_named_with_line_and_column() {
        let text = message(&[("f.yaml", "a: [1\nb: 2")], &["."]);
        assert!(text.starts_with("file `f.yaml` cannot be read: "), "{text}");
        assert!(text.contains(" at line 2 column "), "{text}");
        let files: Files = [("f.yaml".to_string(), [b'a', b':', b' ', 0xff][..].into())].into();
        let manifests = Manifests {
            paths: alloc::vec![".".into()],
            target_namespace: None,
        };
        let error = render_manifests(&files, &manifests, &Limits::default()).unwrap_err();
        assert!(
            matches!(error, RenderError::Yaml { .. }) && !error.is_limit(),
            "{error}"
        );
    }

    #[test]
    fn bounds_are_named() {
        let check = |text: &str, limits: Limits, expect: &str| {
            let error = render_within(&[("f.yaml", text)], &["."], &limits).unwrap_err();
            let text = match core::error::Error::source(&error) {
                Some(source) => format!("{error}: {source}"),
                None => error.to_string(),
            };
            assert!(text.contains(expect), "{text}");
            assert!(error.is_limit(), "{text}");
        };
        let two = format!("{}---\n{}", config("a"), config("b"));
        let defaults = Limits::default;
        check(
            &two,
            Limits {
                objects: 1,
                ..defaults()
            },
            "document 2 (line 5) passes the limit `objects in a render` of 1",
        );
        check(
            &two,
            Limits {
                file_bytes: 10,
                ..defaults()
            },
            "passes the limit `bytes of one file` of 10",
        );
        check(
            &two,
            Limits { files: 0, ..defaults() },
            "passes the limit `files in a source` of 0",
        );
        let deep = format!("a: {}{}", "[".repeat(10_000), "]".repeat(10_000));
        check(&deep, defaults(), "limit of 200");
        let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        bomb.extend((1..12).map(|n| format!("a{n}: &a{n} [{}]\n", [format!("*a{}", n - 1).as_str(); 10].join(","))));
        check(&bomb, defaults(), "excessive aliasing");
    }
}
