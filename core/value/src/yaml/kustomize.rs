//! The reader of resources that Kustomize works on: kyaml over yaml.v3.
//!
//! (The kustomization file itself is read by sigs.k8s.io/yaml there, and so by [`super::helm`] here.)

use alloc::vec::Vec;

use super::compose::Options;
use super::error::Dialect;
use super::{Document, Error, read_all, read_first};
use crate::{Limits, Numbers, Value};

fn options(limits: &Limits) -> Options<'_> {
    Options {
        dialect: Dialect::Kustomize,
        numbers: Numbers::Exact,
        strict: true,
        limits,
    }
}

/// Reads the first document.
///
/// # Errors
/// When the text is not YAML, sets a key twice, holds what JSON cannot, or passes a limit.
pub fn parse(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Value, Error> {
    read_first(text.as_ref(), options(limits))
}

/// Reads a stream of documents.
///
/// # Errors
/// As [`parse`]; also for too many documents.
pub fn parse_documents(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Vec<Document>, Error> {
    read_all(text.as_ref(), options(limits))
}
