//! The reader of Helm's values, charts and templates, and of Kubernetes manifests: sigs.k8s.io/yaml.
//!
//! That library reads YAML with yaml.v2, writes the result as JSON and reads that again, so that values here are
//! what JSON can hold: keys are text, and times stay as they are written.

use alloc::vec::Vec;

use super::compose::Options;
use super::error::Dialect;
use super::{Document, Error, read_all, read_first};
use crate::{Limits, Numbers, Value};

fn options(limits: &Limits, numbers: Numbers, strict: bool) -> Options<'_> {
    Options {
        dialect: Dialect::Helm,
        numbers,
        strict,
        limits,
    }
}

/// Reads the first document, integers kept: objects, as `kubectl` and the API server see them.
///
/// # Errors
/// When the text is not YAML, holds what JSON cannot, or passes a limit.
pub fn parse(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Value, Error> {
    read_first(text.as_ref(), options(limits, Numbers::Exact, false))
}

/// Reads the first document, every number a float: values and `fromYaml`, as templates see them.
///
/// # Errors
/// When the text is not YAML, holds what JSON cannot, or passes a limit.
pub fn parse_values(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Value, Error> {
    read_first(text.as_ref(), options(limits, Numbers::Float, false))
}

/// As [`parse`], but a key that is set twice is an error: `UnmarshalStrict`, as for a repository's index.
///
/// # Errors
/// When the text is not YAML, holds what JSON cannot, sets a key twice, or passes a limit.
pub fn parse_strict(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Value, Error> {
    read_first(text.as_ref(), options(limits, Numbers::Exact, true))
}

/// Reads a stream of documents, integers kept.
///
/// # Errors
/// As [`parse`]; also for too many documents.
pub fn parse_documents(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Vec<Document>, Error> {
    read_all(text.as_ref(), options(limits, Numbers::Exact, false))
}
