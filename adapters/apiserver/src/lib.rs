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
//! # What it does not do
//! Conversion webhooks, admission webhooks, authentication, RBAC, quotas, logs, exec and port forwarding. Pods never
//! run: their status is written by a controller.

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
mod yaml;

pub use controllers::{FAIL_ANNOTATION, READY_AFTER_ANNOTATION};
pub use server::{ApiServer, Builder, Running, StartError};
pub use store::Limits;
