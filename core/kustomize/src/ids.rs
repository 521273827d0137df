//! What names an object: group, version, kind, name and namespace.

use alloc::format;
use alloc::string::{String, ToString as _};
use core::fmt;

use convoy_value::Value;

use crate::node::Node;

/// Types without a namespace.
const SCOPES: &str = include_str!("../tables/cluster.txt");

/// The line before the types that have a namespace.
const NAMESPACED: &str = "= namespaced";

/// Stands for the namespace of what has none.
const NOWHERE: &str = "_non_namespaceable_";

/// A type of objects; as a selector, an empty part is any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gvk {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl Gvk {
    pub(crate) fn of(node: &Node) -> Self {
        let text = |key| node.get(key).map_or("", Node::text);
        let (group, version) = split_api_version(text("apiVersion"));
        Self {
            group: group.into(),
            version: version.into(),
            kind: text("kind").into(),
        }
    }

    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    /// Whether `selector` takes it.
    pub(crate) fn is_selected(&self, selector: &Gvk) -> bool {
        (selector.group.is_empty() || selector.group == self.group)
            && (selector.version.is_empty() || selector.version == self.version)
            && (selector.kind.is_empty() || selector.kind == self.kind)
    }

    /// Whether objects of it certainly have no namespace.
    pub(crate) fn is_cluster_scoped(&self) -> bool {
        // Most kinds are told apart by their first letters already.
        self.is_among(SCOPES.lines().take_while(|line| *line != NAMESPACED))
    }

    /// Whether kustomize knows, without its description of the API, if the type has a namespace.
    pub(crate) fn is_built_in(&self) -> bool {
        self.is_among(SCOPES.lines())
    }

    fn is_among<'t>(&self, mut types: impl Iterator<Item = &'t str>) -> bool {
        types.any(|line| {
            line.strip_suffix(&*self.kind)
                .and_then(|rest| rest.strip_suffix(' '))
                .is_some_and(|api| split_api_version(api) == (&self.group, &self.version))
        })
    }
}

/// Whether kustomize knows that objects of this type have no namespace.
#[must_use]
pub fn is_cluster_scoped(object: &Value) -> bool {
    let text = |key| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = split_api_version(text("apiVersion"));
    let gvk = Gvk {
        group: group.into(),
        version: version.into(),
        kind: text("kind").into(),
    };
    gvk.is_cluster_scoped()
}

/// Group and version of an `apiVersion`.
pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |text, other| if str::is_empty(text) { other } else { text };
        let (kind, version) = (or(&self.kind, "[noKind]"), or(&self.version, "[noVer]"));
        write!(f, "{kind}.{version}.{}", or(&self.group, "[noGrp]"))
    }
}

/// What names an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Id {
    pub(crate) gvk: Gvk,
    pub(crate) name: String,
    /// As written; empty if there is none.
    pub(crate) namespace: String,
    /// Whether the type certainly has no namespace. Unknown (false) for names of the past.
    pub(crate) cluster: bool,
}

impl Id {
    pub(crate) fn of(node: &Node) -> Self {
        let gvk = Gvk::of(node);
        let meta = |key| {
            node.get("metadata")
                .and_then(|meta| meta.get(key))
                .filter(|node| !node.is_empty())
        };
        Self {
            cluster: gvk.is_cluster_scoped(),
            gvk,
            name: meta("name").map_or_else(String::new, |name| name.text().to_string()),
            namespace: meta("namespace").map_or_else(String::new, |namespace| namespace.text().to_string()),
        }
    }

    /// The namespace that counts when names are compared.
    pub(crate) fn effective_namespace(&self) -> &str {
        if self.cluster {
            NOWHERE
        } else if self.namespace.is_empty() {
            "default"
        } else {
            &self.namespace
        }
    }

    /// Whether both name one object.
    pub(crate) fn same(&self, other: &Id) -> bool {
        self.name == other.name && self.gvk == other.gvk && self.effective_namespace() == other.effective_namespace()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or = |text, other| if str::is_empty(text) { other } else { text };
        write!(
            f,
            "{}/{}.{}",
            self.gvk,
            or(&self.name, "[noName]"),
            or(&self.namespace, "[noNs]")
        )
    }
}
