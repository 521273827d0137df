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

use convoy_value::yaml;

use crate::artifact::Files;
use crate::id::ObjectId;
use crate::limits::Limits;
use crate::object::{NotAnObject, Object};
use crate::release::Manifests;
use crate::scope::Scopes;

mod documents;

pub use documents::DOCUMENTS;
pub(crate) use documents::Found;
use documents::read_file;

/// Where an object was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Path of the file, or what else wrote it: a template, a kustomization.
    pub file: String,
    /// Number of the document, from 1; 0 where nobody counted.
    pub document: usize,
    /// Line on which the document begins, from 1; 0 where nobody counted.
    pub line: usize,
    /// Numbers, from 1, of the item in a List, and in a List within that.
    pub items: Vec<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.file)?;
        if self.document > 0 {
            write!(f, " document {} (line {})", self.document, self.line)?;
        }
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
    /// An object's name is another thing than text, most often since YAML reads it so (`123`, `on`, `n`).
    #[error("{place} has a `metadata.name` that is {found} and not a string: write it in quotes")]
    NameNotText {
        /// Where.
        place: Place,
        /// What it is.
        found: &'static str,
    },
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
            Self::Yaml { source, .. } => matches!(source.kind(), yaml::ErrorKind::Limit { .. }),
            Self::NoPaths
            | Self::OutsidePath(_)
            | Self::NothingSelected { .. }
            | Self::SelectedTwice { .. }
            | Self::NotAnObject { .. }
            | Self::BadList(_)
            | Self::Unnamed(_)
            | Self::NameNotText { .. }
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
    let mut found = Found::within(limits);
    for file in selected {
        read_file(file, files.get(file).map_or(&[][..], |bytes| bytes), limits, &mut found)?;
    }
    found.into_objects()
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
pub(crate) fn normalize(path: &str) -> Option<String> {
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
            "---\n# nothing\n---\n{}---\n---\napiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: Secret, metadata: {{name: b}}}}\n- {{apiVersion: v1, kind: List, items: [{{apiVersion: v1, kind: Secret, metadata: {{name: c}}}}]}}\n---\napiVersion: v1\nkind: List\n---\n{{apiVersion: x.io/v1, kind: List, metadata: {{name: d}}, items: {{}}}}\n...\n",
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
        for (name, found) in [
            ("123", "a number"),
            ("1.5", "a number"),
            ("n", "a boolean"),
            ("on", "a boolean"),
            ("[a]", "a sequence"),
            ("{a: b}", "a mapping"),
        ] {
            let text = format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, generateName: a-}}\n");
            let expect = format!(
                "`f.yaml` document 1 (line 1) has a `metadata.name` that is {found} and not a string: write it in quotes"
            );
            check(&text, &expect);
        }
        check(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: ~}\n",
            "`f.yaml` document 1 (line 1) has no `metadata.name`",
        );
        check(
            "apiVersion: 1\nkind: Pod\n",
            "`f.yaml` document 1 (line 1) is not a Kubernetes object: `apiVersion` is not a string",
        );
        check(
            "apiVersion: v1\nkind: n\n",
            "`f.yaml` document 1 (line 1) is not a Kubernetes object: `kind` is not a string",
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
        check(&bomb, defaults(), "go-yaml's limit of 99% of a document's nodes");
        let large = format!("a: &a {}\nb: [{}]\n", "x".repeat(1000), ["*a"; 20].join(","));
        check(
            &large,
            Limits {
                alias_bytes: 10_000,
                ..defaults()
            },
            "the text passes the limit of 10000 bytes that anchors and aliases add",
        );
        check(
            "apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a}}, {metadata: {name: b}}]\n",
            Limits {
                objects: 1,
                ..defaults()
            },
            "document 1 (line 1) item 2 passes the limit `objects in a render` of 1",
        );
    }

    #[test]
    fn a_secret_that_breaks_its_file_is_not_shown() {
        for value in [
            "*CANARYalias",
            "&CANARY *CANARY",
            "!CANARY!x y",
            "'CANARY",
            "&CANARY [*CANARY]",
            "!!int CANARY",
        ] {
            let text = format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nstringData:\n  p: {value}\n");
            let error = render(&[("f.yaml", &text)], &["."]).unwrap_err();
            assert!(matches!(error, RenderError::Yaml { .. }), "{value}: {error}");
            let failure = crate::condition::Failure::from(error);
            assert!(!failure.message.contains("CANARY"), "{}", failure.message);
            assert!(failure.message.contains(" at line "), "{}", failure.message);
        }
    }

    #[test]
    fn typed_lists_are_opened_as_kubectl_opens_them() {
        let check = |text: &str, expect: &[&str]| {
            let manifests = Manifests {
                paths: alloc::vec![".".into()],
                target_namespace: None,
            };
            let objects = render_manifests(&tree(&[("f.yaml", text)]), &manifests, &Limits::default()).unwrap();
            let found: Vec<String> = objects
                .iter()
                .map(|object| format!("{} {} {}", object.text(&["apiVersion"]), object.kind(), object.name()))
                .collect();
            assert_eq!(found, expect, "{text}");
        };
        check(
            "apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a}}, {apiVersion: v1, kind: Secret, metadata: {name: b}}]\n",
            &["v1 ConfigMap a", "v1 Secret b"],
        );
        check(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleList\nitems:\n- {apiVersion: '', kind: ~, metadata: {name: a}}\n",
            &["rbac.authorization.k8s.io/v1 Role a"],
        );
        check(
            "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: SecretList, items: [{metadata: {name: a}}]}]\n",
            &["v1 Secret a"],
        );
        check("apiVersion: v1\nkind: ConfigMapList\nitems: []\n", &[]);
        check("apiVersion: v1\nkind: ConfigMapList\nitems: ~\n", &[]);
        for items in ["", ", items: {a: b}", ", items: text", ", spec: {items: [1]}"] {
            check(
                &format!("{{apiVersion: x.io/v1, kind: AllowList, metadata: {{name: a}}{items}}}"),
                &["x.io/v1 AllowList a"],
            );
        }
        check(
            "{apiVersion: x.io/v1, kind: Listing, metadata: {name: a}, items: [1]}",
            &["x.io/v1 Listing a"],
        );
        let wrong = |text: &str, expect: &str| assert_eq!(message(&[("f.yaml", text)], &["."]), expect);
        wrong(
            "apiVersion: v1\nkind: ConfigMapList\nitems: [{kind: ConfigMap, metadata: {name: a}}]\n",
            "`f.yaml` document 1 (line 1) item 1 is not a Kubernetes object: `apiVersion` is missing",
        );
        wrong(
            "apiVersion: v1\nkind: ConfigMapList\nitems: [~]\n",
            "`f.yaml` document 1 (line 1) item 1 is not a Kubernetes object: the document is not a mapping",
        );
        wrong(
            "apiVersion: v1\nkind: List\nitems: [{metadata: {name: a}}]\n",
            "`f.yaml` document 1 (line 1) item 1 is not a Kubernetes object: `apiVersion` is missing",
        );
    }

    #[test]
    fn a_byte_order_mark_may_begin_any_document() {
        let (a, b) = (config("a"), config("b"));
        let check = |text: &str| assert_eq!(render(&[("f.yaml", text)], &["."]).unwrap(), ["a", "b"], "{text:?}");
        check(&format!("\u{feff}{a}---\n\u{feff}{b}"));
        check(&format!("\u{feff}---\n\u{feff}{a}--- # next\r\n\u{feff}{b}"));
        check(&format!("---\n\u{feff}\n---\n\u{feff}{a}--- \t\n\u{feff}# c\n{b}"));
        let inside = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: |\n    ---\n    \u{feff}x\n";
        let manifests = Manifests {
            paths: alloc::vec![".".into()],
            target_namespace: None,
        };
        let objects = render_manifests(&tree(&[("f.yaml", inside)]), &manifests, &Limits::default()).unwrap();
        assert_eq!(objects[0].text(&["data", "a"]), "---\n\u{feff}x\n");
        let broken = message(&[("f.yaml", &format!("{a}---\n\u{feff}{b}c: ]\n"))], &["."]);
        assert!(broken.contains(" at line 8 column 4"), "{broken}");
    }
}
