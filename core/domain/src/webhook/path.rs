//! The path of a webhook.

use crate::id::NamespacedName;
use crate::source::{SourceKey, SourceKind};

/// `/hook/<source kind>/<namespace>/<name>`, and a token after it where the sender cannot sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookPath<'a> {
    /// Which source it is about, by its kind in any case, `gitrepository` for example.
    pub source: SourceKey,
    /// The last part.
    pub token: Option<PathToken<'a>>,
}

/// A token that `Debug` does not show.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PathToken<'a>(pub(super) &'a str);

impl core::fmt::Debug for PathToken<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("***")
    }
}

impl<'a> HookPath<'a> {
    /// Reads a path; `None` for any other.
    #[must_use]
    pub fn parse(path: &'a str) -> Option<Self> {
        let mut parts = path.strip_prefix("/hook/")?.split('/');
        let (kind, namespace, name) = (parts.next()?, parts.next()?, parts.next()?);
        let token = parts.next().filter(|token| !token.is_empty());
        if parts.next().is_some() {
            return None;
        }
        let kind = [SourceKind::Git, SourceKind::Helm, SourceKind::Oci]
            .into_iter()
            .find(|known| known.kind().eq_ignore_ascii_case(kind))?;
        let id = NamespacedName::new(namespace, name).ok()?;
        Some(Self {
            source: SourceKey { kind, id },
            token: token.map(PathToken),
        })
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString as _};

    use super::*;

    fn read(path: &str) -> Option<(String, Option<&str>)> {
        let path = HookPath::parse(path)?;
        Some((path.source.to_string(), path.token.map(|token| token.0)))
    }

    #[test]
    fn a_path_names_a_source_and_may_end_in_a_token() {
        let check = |path: &str, expect: Option<(&str, Option<&str>)>| {
            let expect = expect.map(|(source, token)| (source.to_string(), token));
            assert_eq!(read(path), expect, "{path}");
        };
        check("/hook/GitRepository/apps/web", Some(("GitRepository apps/web", None)));
        check("/hook/gitrepository/apps/web/", Some(("GitRepository apps/web", None)));
        check("/hook/helmregistry/a/b/t", Some(("HelmRegistry a/b", Some("t"))));
        check("/hook/ociregistry/a/b", Some(("OCIRegistry a/b", None)));
        for other in [
            "/hook/gitrepository/apps",
            "/hook/gitrepository/apps/web/a/b",
            "/hook/secret/apps/web",
            "/hook/gitrepository/Apps/web",
            "/hook/gitrepository/../web",
            "/hook//apps/web",
            "hook/gitrepository/apps/web",
            "/",
            "",
        ] {
            check(other, None);
        }
        let path = HookPath::parse("/hook/gitrepository/a/b/canary");
        assert!(!format!("{path:?}").contains("canary"));
    }
}
