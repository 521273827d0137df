//! Comparison with the real tools: their recorded answers, and the tools themselves where they are installed.
//!
//! - [`oracle`] asks the Go libraries below Helm and Kustomize, one process for any number of questions.
//! - [`helm`] asks `helm template`, one process for a batch of cases.
//! - [`helm_corpus`] compares public charts with a list of Helm's answers.
//! - [`helm_template`] asks Helm about whole charts.
//! - [`corpus`] compares public charts and kustomizations with a list of the tools' answers.
//! - [`charts`] and [`kustomize_sizes`] make what is measured, [`measure`] measures processes.
//! - [`generate`] makes values and texts from a seed, [`reduce`] makes a failing text small.
//! - [`table`] holds recorded answers.
pub mod cases;
pub mod charts;
pub mod components;
pub mod corpus;
pub mod encoding;
pub mod generate;
pub mod helm;
pub mod helm_corpus;
pub mod helm_template;
pub mod kustomize;
pub mod kustomize_build;
pub mod kustomize_sizes;
pub mod measure;
pub mod oracle;
pub mod reduce;
pub mod table;
pub mod template;
