//! Helm charts in a kustomization: what is asked of whoever can render one.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use convoy_value::Value;

/// One rendering of a chart, as `helm template` is asked for it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartRequest {
    /// The chart's directory, its path in the tree with all links followed.
    pub directory: String,
    /// Name of the release; without one, it is generated or comes from the template.
    pub release: Option<String>,
    /// Template that gives the release its name.
    pub name_template: Option<String>,
    /// Namespace of the release; without one, Helm's default.
    pub namespace: Option<String>,
    /// Values over the chart's own, the lowest first.
    pub values: Vec<ChartValues>,
    /// Further API versions for `.Capabilities.APIVersions`.
    pub api_versions: Vec<String>,
    /// Version of Kubernetes for `.Capabilities.KubeVersion`.
    pub kube_version: Option<String>,
    /// Whether the files of `crds/` come first.
    pub include_crds: bool,
    /// Whether hooks that are tests are left out.
    pub skip_tests: bool,
    /// Whether all hooks are left out.
    pub skip_hooks: bool,
}

/// A layer of values.
#[derive(Clone, Debug, PartialEq)]
pub enum ChartValues {
    /// The content of a file.
    File {
        /// Its path.
        path: String,
        /// Its content.
        content: Arc<[u8]>,
    },
    /// Values that the kustomization holds.
    Inline(Value),
}

/// Renders the charts that a kustomization names.
pub trait ChartRenderer: fmt::Debug + Send + Sync {
    /// The text that `helm template` prints for `request`.
    ///
    /// # Errors
    /// When the chart cannot be read or rendered; one line that says why.
    fn render(&self, request: &ChartRequest) -> Result<String, String>;
}
