//! What can go wrong between the files of a chart and its manifests.
//!
//! # Invariant
//! What an [`Error`] displays holds no value that a user gave, whatever it is about; [`Error::go_text`] is what Helm
//! prints, values included.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};

use crate::archive::ArchiveError;
use crate::reason::Reason;

/// What Helm says before the failures of a schema.
const SCHEMA: &str = "values don't meet the specifications of the schema(s) in the following chart(s):\n";

/// Why a chart cannot be loaded or rendered.
///
/// What is displayed is for logs and statuses. What `helm template` prints after `Error: ` is [`Error::go_text`].
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
        reason: Reason,
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
    /// A dependency cannot be settled.
    #[error("{0}")]
    Requirement(String),
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
        value: Reason,
    },
    /// An option such as `--set` cannot be read.
    #[error("failed parsing {option} data{reason}")]
    Set {
        /// The option.
        option: &'static str,
        /// Separator and reason.
        reason: Reason,
    },
    /// A values file cannot be read.
    #[error("failed to parse {file}: {reason}")]
    ValuesFile {
        /// The file.
        file: String,
        /// Why not.
        reason: Reason,
    },
    /// The values do not meet a chart's schema.
    #[error("{SCHEMA}{0}")]
    Schema(Reason),
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
        message: Reason,
        /// The file.
        file: String,
        /// Its line, from 1; 0 if unknown.
        line: usize,
        /// The column, from 0 as Go counts it; 0 if unknown.
        column: usize,
        /// The bound that was met, if that is why.
        limit: Option<convoy_template::Limit>,
    },
    /// What a template wrote is no manifest.
    #[error("YAML parse error on {file}: {reason}")]
    Manifest {
        /// The template.
        file: String,
        /// What is wrong.
        reason: Reason,
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
    /// The text of `helm template` after `Error: `. It may quote values.
    #[must_use]
    pub fn go_text(&self) -> String {
        match self {
            Self::File { file, reason } => format!("cannot load {file}: {}", reason.go_text()),
            Self::Subchart { name, parent, source } => {
                format!("error unpacking subchart {name} in {parent}: {}", source.go_text())
            }
            Self::TypeMismatch { stage, key, value } => format!("{stage}type mismatch on {key}: {}", value.go_text()),
            Self::Set { option, reason } => format!("failed parsing {option} data{}", reason.go_text()),
            Self::ValuesFile { file, reason } => format!("failed to parse {file}: {}", reason.go_text()),
            Self::Schema(reason) => format!("{SCHEMA}{}", reason.go_text()),
            Self::Template { message, .. } => message.go_text().to_string(),
            Self::Manifest { file, reason } => format!("YAML parse error on {file}: {}", reason.go_text()),
            Self::Archive(_)
            | Self::NoChartYaml
            | Self::UnsupportedVersion
            | Self::Ignore(_)
            | Self::Validation(_)
            | Self::NotInstallable(_)
            | Self::MissingDependencies(_)
            | Self::Requirement(_)
            | Self::ReleaseName { .. }
            | Self::KubeVersion { .. }
            | Self::InvalidKubeVersion { .. }
            | Self::NoSuchTemplate(_)
            | Self::Limit { .. } => self.to_string(),
        }
    }

    /// Whether a bound was met, rather than something being wrong.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        match self {
            Self::Limit { .. } | Self::Template { limit: Some(_), .. } => true,
            Self::Archive(error) => matches!(
                error,
                ArchiveError::Limit(_) | ArchiveError::TooLarge(_) | ArchiveError::FileTooLarge { .. }
            ),
            Self::Subchart { source, .. } => source.is_limit(),
            Self::NoChartYaml
            | Self::UnsupportedVersion
            | Self::File { .. }
            | Self::Ignore(_)
            | Self::Validation(_)
            | Self::NotInstallable(_)
            | Self::MissingDependencies(_)
            | Self::Requirement(_)
            | Self::ReleaseName { .. }
            | Self::TypeMismatch { .. }
            | Self::Set { .. }
            | Self::ValuesFile { .. }
            | Self::Schema(_)
            | Self::KubeVersion { .. }
            | Self::InvalidKubeVersion { .. }
            | Self::Template { limit: None, .. }
            | Self::Manifest { .. }
            | Self::NoSuchTemplate(_) => false,
        }
    }

    /// Whether Helm had begun with the templates, and says how to see what they wrote.
    #[must_use]
    pub fn is_from_templates(&self) -> bool {
        matches!(
            self,
            Self::KubeVersion { .. } | Self::Template { .. } | Self::Manifest { .. }
        )
    }
}
