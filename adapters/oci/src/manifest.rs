//! Manifests and indexes, as registries give them (OCI's and Docker's).
//!
//! Read from at most [`MANIFEST_BYTES`], so that lists in them are bounded too. What a descriptor says of its content
//! is a claim until the content has been compared with it.

use serde::Deserialize;

use crate::digest::Digest;

/// Bytes of a manifest or index that are read: what registries must take, and what other clients read.
pub const MANIFEST_BYTES: u64 = 4 * 1024 * 1024;

/// Media types of manifests and indexes that are asked for.
pub const ACCEPTED: [&str; 4] = [
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
];

/// Why a text is no manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It is no JSON of this form.
    #[error("its manifest cannot be read: {0}")]
    Malformed(#[from] serde_json::Error),
    /// A version that nobody makes any more, or none.
    #[error("its manifest is of schema {0} in place of 2")]
    Schema(u64),
    /// Both, which two readers would understand in two ways.
    #[error("its manifest has layers and manifests")]
    Ambiguous,
    /// Neither.
    #[error("its manifest has neither layers nor manifests")]
    Empty,
    /// A descriptor names no content.
    #[error("its manifest names content wrongly: {0}")]
    Digest(#[from] crate::digest::DigestError),
}

/// What one reference leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// An artifact: its layers.
    Manifest(Vec<Descriptor>),
    /// A choice of artifacts.
    Index(Vec<Descriptor>),
}

/// What a manifest says of some content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// What it is.
    pub media_type: String,
    /// What names it.
    pub digest: Digest,
    /// Its length in bytes.
    pub size: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawDocument {
    #[serde(default)]
    schema_version: u64,
    layers: Option<Vec<RawDescriptor>>,
    manifests: Option<Vec<RawDescriptor>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawDescriptor {
    #[serde(default)]
    media_type: String,
    digest: String,
    size: u64,
}

impl RawDescriptor {
    fn read(self) -> Result<Descriptor, ManifestError> {
        Ok(Descriptor {
            digest: Digest::parse(&self.digest)?,
            media_type: self.media_type,
            size: self.size,
        })
    }
}

/// Reads a manifest or an index.
///
/// # Errors
/// When it is neither, or both.
pub fn parse(bytes: &[u8]) -> Result<Document, ManifestError> {
    let raw: RawDocument = serde_json::from_slice(bytes)?;
    if raw.schema_version != 2 {
        return Err(ManifestError::Schema(raw.schema_version));
    }
    let read = |all: Vec<RawDescriptor>| all.into_iter().map(RawDescriptor::read).collect::<Result<_, _>>();
    match (raw.layers, raw.manifests) {
        (Some(layers), None) => read(layers).map(Document::Manifest),
        (None, Some(manifests)) => read(manifests).map(Document::Index),
        (Some(_), Some(_)) => Err(ManifestError::Ambiguous),
        (None, None) => Err(ManifestError::Empty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptor(media_type: &str, digit: &str) -> Descriptor {
        Descriptor {
            media_type: media_type.to_owned(),
            digest: Digest::parse(&format!("sha256:{}", digit.repeat(64))).unwrap(),
            size: 7,
        }
    }

    #[test]
    fn manifests_and_indexes_are_told_apart() {
        let check = |text: &str, expect: Result<Document, &str>| match (parse(text.as_bytes()), expect) {
            (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{text}"),
            (Err(found), Err(expect)) => assert!(found.to_string().starts_with(expect), "{found}"),
            (found, expect) => panic!("{text}: found {found:?}, expected {expect:?}"),
        };
        let content = |digit: &str| {
            format!(
                r#"{{"mediaType":"t","digest":"sha256:{}","size":7,"urls":["x"]}}"#,
                digit.repeat(64)
            )
        };
        check(
            &format!(
                r#"{{"schemaVersion":2,"config":{},"layers":[{}]}}"#,
                content("a"),
                content("b")
            ),
            Ok(Document::Manifest(vec![descriptor("t", "b")])),
        );
        check(
            &format!(
                r#"{{"schemaVersion":2,"manifests":[{},{}]}}"#,
                content("a"),
                content("b")
            ),
            Ok(Document::Index(vec![descriptor("t", "a"), descriptor("t", "b")])),
        );
        check(r#"{"schemaVersion":2,"layers":[]}"#, Ok(Document::Manifest(Vec::new())));
        check(
            r#"{"schemaVersion":1,"fsLayers":[]}"#,
            Err("its manifest is of schema 1"),
        );
        check("{}", Err("its manifest is of schema 0"));
        check(r#"{"schemaVersion":2}"#, Err("its manifest has neither"));
        check(
            r#"{"schemaVersion":2,"layers":[],"manifests":[]}"#,
            Err("its manifest has layers and manifests"),
        );
        check(
            r#"{"schemaVersion":2,"layers":[{"mediaType":"t","digest":"sha256:../x","size":7}]}"#,
            Err("its manifest names content wrongly: `sha256:../x` is no digest"),
        );
        check(
            r#"{"schemaVersion":2,"layers":[{"mediaType":"t","digest":"x","size":-1}]}"#,
            Err("its manifest cannot be read"),
        );
        check("<html>", Err("its manifest cannot be read"));
        check(&format!("{}1", "[".repeat(100_000)), Err("its manifest cannot be read"));
    }
}
