//! What a build says beside its objects.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Something that works today, or that was left as it is, and that somebody should know.
///
/// It shows as one line without a full stop; kustomize's own words, where it has some, are in [`Warning::as_kustomize`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A field that kustomize has a newer one for.
    Deprecated {
        /// The kustomization.
        file: String,
        /// Its field.
        field: &'static str,
        /// What to write in its place.
        instead: &'static str,
    },
    /// Entries of `vars` that no field uses.
    UnusedVars(Vec<String>),
    /// A Namespace object that the kustomization's own `namespace` renames, as it does in kustomize.
    NamespaceRenamed {
        /// The name that it was given.
        from: String,
        /// The name that it has.
        to: String,
    },
    /// A Namespace object that keeps its name while everything else goes to the target namespace.
    NamespaceKept {
        /// Its name.
        name: String,
        /// Where everything else goes.
        target: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deprecated { file, field, instead } => {
                write!(f, "`{file}`: `{field}` is deprecated; use `{instead}` in its place")
            }
            Self::UnusedVars(names) => write!(f, "vars that nothing uses: `{}`", names.join("`, `")),
            Self::NamespaceRenamed { from, to } => {
                write!(f, "the Namespace `{from}` is renamed to `{to}` by the kustomization")
            }
            Self::NamespaceKept { name, target } => write!(
                f,
                "the Namespace `{name}` is not renamed to the target namespace `{target}`: types without a namespace stay as they are"
            ),
        }
    }
}

impl Warning {
    /// What kustomize prints on standard error for it, if it says anything.
    #[must_use]
    pub fn as_kustomize(&self) -> Option<String> {
        match self {
            Self::Deprecated { field, instead, .. } => {
                let experimental = if *field == "vars" { "[EXPERIMENTAL] " } else { "" };
                Some(alloc::format!(
                    "# Warning: '{field}' is deprecated. Please use '{instead}' instead. {experimental}Run 'kustomize edit fix' to update your Kustomization automatically."
                ))
            }
            Self::UnusedVars(names) => Some(alloc::format!(
                "well-defined vars that were never replaced: {}",
                names.join(",")
            )),
            Self::NamespaceRenamed { .. } | Self::NamespaceKept { .. } => None,
        }
    }
}
