//! What can go wrong between the files of a chart and its manifests.

use alloc::boxed::Box;
use alloc::string::String;

use crate::archive::ArchiveError;

/// Why a chart cannot be loaded or rendered. The texts are those of `helm template` after `Error: `.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The archive cannot be unpacked.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// There is no `Chart.yaml`.
    #[error("Chart.yaml file is missing")]
    NoChartYaml,
    /// The chart is of a version that Helm does not know.
    #[error("unsupported chart version")]
    UnsupportedVersion,
    /// A file of the chart cannot be read.
    #[error("cannot load {file}: {reason}")]
    File {
        /// The file.
        file: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A pattern in `.helmignore` is malformed.
    #[error("{0}")]
    Ignore(&'static str),
    /// `Chart.yaml` says what it may not.
    #[error("validation: {0}")]
    Validation(String),
    /// A chart in `charts/` cannot be loaded.
    #[error("error unpacking subchart {name} in {parent}: {source}")]
    Subchart {
        /// Its file or folder.
        name: String,
        /// The chart that holds it.
        parent: String,
        /// Why.
        source: Box<Error>,
    },
    /// A library chart renders nothing.
    #[error("{0} charts are not installable")]
    NotInstallable(String),
    /// Dependencies that `Chart.yaml` names are not in `charts/`.
    #[error(
        "an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: {0}"
    )]
    MissingDependencies(String),
    /// The name of the release is none.
    #[error("release name check failed: release name {name:?}: {reason}")]
    ReleaseName {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// The values for a chart are no map.
    #[error("{stage}type mismatch on {key}: {value}")]
    TypeMismatch {
        /// Nothing, or what was being done.
        stage: &'static str,
        /// The chart.
        key: String,
        /// The value as Go prints it.
        value: String,
    },
    /// An option such as `--set` cannot be read.
    #[error("failed parsing {option} data{reason}")]
    Set {
        /// The option.
        option: &'static str,
        /// Separator and reason.
        reason: String,
    },
    /// A values file cannot be read.
    #[error("failed to parse {file}: {reason}")]
    ValuesFile {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
    /// The values do not meet a chart's schema.
    #[error("values don't meet the specifications of the schema(s) in the following chart(s):\n{0}")]
    Schema(String),
    /// The chart is for other versions of Kubernetes.
    #[error("chart requires kubeVersion: {constraint} which is incompatible with Kubernetes {version}")]
    KubeVersion {
        /// What it asks for.
        constraint: String,
        /// What there is.
        version: String,
    },
    /// A `--kube-version` that is none.
    #[error("invalid kube version '{version}': {reason}")]
    InvalidKubeVersion {
        /// What was given.
        version: String,
        /// Why not.
        reason: String,
    },
    /// A template cannot be parsed or executed.
    #[error("{message}")]
    Template {
        /// The text, places included.
        message: String,
        /// The file.
        file: String,
        /// Its line, from 1; 0 if unknown.
        line: usize,
        /// The column, from 0 as Go counts it; 0 if unknown.
        column: usize,
    },
    /// What a template wrote is no manifest.
    #[error("YAML parse error on {file}: {reason}")]
    Manifest {
        /// The template.
        file: String,
        /// What is wrong.
        reason: String,
    },
    /// A file of `--show-only` is none of the chart's.
    #[error("could not find template {0} in chart")]
    NoSuchTemplate(String),
    /// A limit was passed.
    #[error("the render passes the limit of {limit}")]
    Limit {
        /// The limit, named.
        limit: String,
    },
}

impl Error {
    /// Whether Helm had begun with the templates, and says how to see what they wrote.
    #[must_use]
    pub fn is_from_templates(&self) -> bool {
        matches!(
            self,
            Self::KubeVersion { .. } | Self::Template { .. } | Self::Manifest { .. }
        )
    }
}
