//! Files to objects, by the engine that the Release names.
//!
//! All three engines end in the same place: documents are objects, Lists are opened, and no two objects of a render
//! are one.
//!
//! # Invariant
//! What a render gives depends on the files, the content and the [`Inputs`] alone, so that two processes give one
//! renderRef. No error shows a value of a Release's layers.

mod charts;
mod helm;
mod kustomize;

pub(crate) use self::helm::below;
pub use self::helm::template_limits;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::AtomicBool;

use jiff::Timestamp;

use crate::artifact::Files;
use crate::cluster::ClusterApi;
use crate::entropy::EntropyKey;
use crate::id::ReleaseId;
use crate::limits::Limits;
use crate::manifests::{RenderError, render_manifests};
use crate::object::Object;
use crate::release::Content;

/// What a render may depend on beside files and content.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    /// The Release, whose name keys its draws.
    pub release: &'a ReleaseId,
    /// The installation's key, which helm content needs.
    pub entropy: Option<&'a EntropyKey>,
    /// What the clock of templates shows; see [`crate::entropy::clock`].
    pub now: Timestamp,
    /// What the target cluster serves, which helm content with `capabilities: cluster` needs.
    pub cluster: Option<&'a ClusterApi>,
    /// Ends the render soon after it is raised.
    pub cancel: Option<Arc<AtomicBool>>,
}

/// What an engine made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rendered {
    /// The objects, in the order of the engine.
    pub objects: Vec<Object>,
    /// What is said of them in `status.warnings`.
    pub warnings: Vec<String>,
}

/// Why files give no objects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// Documents of the render are not what they must be.
    #[error(transparent)]
    Objects(#[from] RenderError),
    /// The chart cannot be loaded or rendered.
    #[error("{place} does not render: {why}")]
    Chart {
        /// Where the chart is.
        place: String,
        /// What is wrong, without any value of the Release's.
        why: String,
        /// Whether it is a bound that was passed.
        limit: bool,
    },
    /// The kustomization cannot be built.
    #[error("{place} does not build: {why}")]
    Kustomization {
        /// Where the kustomization is.
        place: String,
        /// What is wrong.
        why: String,
        /// Whether it is a bound that was passed.
        limit: bool,
    },
    /// The render was told to end.
    #[error("rendering passes the limit `render wall time`")]
    Cancelled,
    /// Templates may draw, and there is nothing to draw from.
    #[error("there is no installation key to draw from")]
    NoEntropyKey,
    /// A layer of values was not read.
    #[error("{place} is not read here")]
    LayerNotRead {
        /// Where it is.
        place: String,
    },
    /// A chart wants to know the cluster, and nobody asked it.
    #[error("what the target cluster serves is not known")]
    NoClusterApi,
}

/// Renders.
///
/// # Errors
/// [`ContentError`] for the first thing that is wrong.
pub fn render(
    files: &Files,
    content: &Content,
    inputs: &Inputs<'_>,
    limits: &Limits,
) -> Result<Rendered, ContentError> {
    match content {
        Content::Helm(helm) => helm::render(files, helm, inputs, limits),
        Content::Kustomize(kustomize) => kustomize::render(files, kustomize, inputs, limits),
        Content::Manifests(manifests) => Ok(Rendered {
            objects: render_manifests(files, manifests, limits)?,
            warnings: Vec::new(),
        }),
    }
}

/// A directory of the source in words.
pub(crate) fn place(what: &str, path: &str) -> String {
    if path.is_empty() {
        alloc::format!("the {what} at the root of the source")
    } else {
        alloc::format!("the {what} in `{path}`")
    }
}

/// A text on one line: what follows a line break is indented in errors of templates, and stands behind a space here.
pub(crate) fn on_one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests;
