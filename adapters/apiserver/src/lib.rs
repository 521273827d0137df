//! An embedded Kubernetes API server: in process, in memory, over real HTTP.
//!
//! It answers what kube-rs and a current kubectl ask: discovery, objects and lists, watches, server-side apply and the
//! other patches, custom resources, tables. Small controllers make workloads ready after a configurable time, or fail
//! on request, and collect garbage. It has no authentication: bind it to loopback.
//!
//! ```no_run
//! # async fn start() -> Result<(), convoy_apiserver::StartError> {
//! let server = convoy_apiserver::ApiServer::builder().start().await?;
//! println!("{}", server.url());
//! server.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Invariant
//! Nothing here knows convoy's kinds: they are custom resources like any other.
//!
//! # How close it is
//! `tests/suite/recorded.json` holds requests with the answers of a real kube-apiserver 1.36 (objects, managed fields,
//! refusals); all but the steps marked `differs` are answered the same, and a test compares the recording with the real
//! server wherever one is installed.
//!
//! # What it does not do
//! Conversion webhooks, admission webhooks and policies, authentication, RBAC, quotas, protection of claims in use, logs, exec
//! and port forwarding (501). Of built-in kinds all types and unknown fields are checked, but only the rules that people meet
//! are: an object that a real server refuses for a rarer reason is stored. Updates of the scale subresource take JSON, merge and
//! strategic patches and `PUT`, not apply. Answers are JSON only; bodies may be JSON, YAML or, for built-in kinds, binary.
//! Pods never run: their status is written by a controller.

mod apply;
mod clock;
mod controllers;
mod crd;
mod event;
mod fields;
mod http;
mod json;
mod jsonpath;
mod ops;
mod patch;
mod resource;
mod select;
mod server;
mod status;
mod store;
mod types;
mod validate;
mod wait;
mod yaml;

pub use controllers::{FAIL_ANNOTATION, READY_AFTER_ANNOTATION};
pub use server::{ApiServer, Builder, Running, StartError};
pub use store::Limits;
