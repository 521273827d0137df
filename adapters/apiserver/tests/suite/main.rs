//! The server from outside, over HTTP: bounds, controllers, kube-rs, kubectl, and answers recorded from a real one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bounds;
mod common;
mod controllers;
mod kube_rs;
mod kubectl;
mod recorded;
