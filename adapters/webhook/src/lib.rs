//! The receiver of webhooks: `POST /hook/<source kind>/<namespace>/<name>` makes convoy ask a source's server sooner.
//!
//! Whether a delivery counts is decided in `convoy_domain::webhook`; this crate speaks HTTP, and stamps the source
//! through the control plane, so that every replica sees it.
//!
//! # Invariant
//! All that is refused because of its path, its proof, or a source that is not there or has no token, gets one answer,
//! after one time. No body is kept, and no part of a request is logged but the source that it names, once proved.

mod accept;
mod answer;
mod server;

pub use server::{Receiver, Settings};
