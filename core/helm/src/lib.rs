//! `helm template` without Helm: a chart and values in, manifests out.
//!
//! [`Chart`] is loaded from the files of a folder or from an archive; [`layers`] make one map of values files and
//! `--set` options; [`render`] (or, for more than one render, [`CompiledChart`]) does the rest as Helm 4.2.3 does it:
//! dependencies by conditions and tags, defaults under values, schemas, templates, the order of installation. [`Rendered::text`] is what `helm template` prints, and
//! [`Error`] says what it says.
//!
//! # Invariant
//! One input gives one output: nothing here reads a clock, a file, the environment, the network or a random source.
//! What functions like `now` or `genCA` draw from comes from the caller ([`Setup`]).
#![no_std]
#![expect(clippy::format_push_string, reason = "texts of errors and reports are short")]

extern crate alloc;

pub mod archive;
mod capabilities;
mod chart;
mod coalesce;
mod decode;
mod dependencies;
mod engine;
mod entropy;
mod error;
mod glob;
mod gofloat;
mod ignore;
pub mod index;
pub mod layers;
mod manifest;
mod metadata;
mod path_match;
mod reason;
mod render;
pub mod requirements;
pub mod schema;
pub mod set;
mod tables;

pub use capabilities::{API_VERSIONS, GIT_COMMIT, GO_VERSION, HELM_VERSION, KUBE_CLIENT_VERSION, KubeVersion};
pub use chart::{Chart, Files};
pub use engine::Setup;
pub use entropy::KeyedEntropy;
pub use error::Error;
pub use ignore::Rules as IgnoreRules;
pub use manifest::{Hook, INSTALL_ORDER, Manifest};
pub use metadata::Metadata;
pub use reason::Reason;
pub use render::{CompiledChart, Remains, Rendered, Selection, Settings, render, render_last};

/// All functions that templates of charts can call: Go's, Sprig's without `env` and `expandenv`, and Helm's.
#[must_use]
pub fn functions() -> convoy_template::Functions {
    engine::functions()
}
