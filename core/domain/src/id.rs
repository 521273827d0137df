//! Names and identities.

use alloc::string::{String, ToString};
use core::fmt;

/// Why a text is no Kubernetes name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a valid {what}: {rule}")]
pub struct InvalidName {
    /// The text, cut to 64 characters.
    pub text: String,
    /// `namespace`, `name`, …
    pub what: &'static str,
    /// The broken rule.
    pub rule: &'static str,
}

/// Checks a DNS-1123 label (RFC 1123, at most 63 characters), the form of namespaces.
///
/// # Errors
/// [`InvalidName`] with the rule that is broken.
pub fn check_label(what: &'static str, text: &str) -> Result<(), InvalidName> {
    let refuse = |rule| {
        Err(InvalidName {
            text: text.chars().take(64).collect(),
            what,
            rule,
        })
    };
    if text.is_empty() || text.len() > 63 {
        return refuse("must have 1 to 63 characters");
    }
    if !text
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    {
        return refuse("only lower-case letters, digits and `-` are allowed");
    }
    if text.starts_with('-') || text.ends_with('-') {
        return refuse("must start and end with a letter or digit");
    }
    Ok(())
}

/// Checks a DNS-1123 subdomain (labels joined by dots, at most 253 characters), the form of object names.
///
/// # Errors
/// [`InvalidName`] with the rule that is broken.
pub fn check_subdomain(what: &'static str, text: &str) -> Result<(), InvalidName> {
    let refuse = |rule| {
        Err(InvalidName {
            text: text.chars().take(64).collect(),
            what,
            rule,
        })
    };
    if text.is_empty() || text.len() > 253 {
        return refuse("must have 1 to 253 characters");
    }
    if !text
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.')
    {
        return refuse("only lower-case letters, digits, `-` and `.` are allowed");
    }
    let edge = |c: char| c.is_ascii_alphanumeric();
    if !text
        .split('.')
        .all(|part| part.starts_with(edge) && part.ends_with(edge))
    {
        return refuse("each part must start and end with a letter or digit");
    }
    Ok(())
}

/// Namespace and name of an object of the control plane, checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamespacedName {
    namespace: String,
    name: String,
}

impl NamespacedName {
    /// Checks both parts.
    ///
    /// # Errors
    /// [`InvalidName`] for the first part that is no DNS name.
    pub fn new(namespace: &str, name: &str) -> Result<Self, InvalidName> {
        check_label("namespace", namespace)?;
        check_subdomain("name", name)?;
        Ok(Self {
            namespace: namespace.to_string(),
            name: name.to_string(),
        })
    }

    /// The namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for NamespacedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// Identity of a Release.
pub type ReleaseId = NamespacedName;

/// Group, version and kind; the core group is the empty text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gvk {
    /// API group, empty for the core group.
    pub group: String,
    /// API version without the group.
    pub version: String,
    /// Kind.
    pub kind: String,
}

impl Gvk {
    /// Splits an `apiVersion` (`v1`, `apps/v1`) and joins it with a kind.
    #[must_use]
    pub fn from_api_version(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        Self {
            group: group.to_string(),
            version: version.to_string(),
            kind: kind.to_string(),
        }
    }

    /// `v1` or `apps/v1`.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.clone()
        } else {
            alloc::format!("{}/{}", self.group, self.version)
        }
    }
}

impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.api_version(), self.kind)
    }
}

/// Identity of an object on a target cluster. The version is no part of it: a version change is the same object.
///
/// `namespace` is empty for cluster-scoped objects.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// API group, empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty for cluster-scoped objects.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        f.write_str(" ")?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}
