//! The decisions of convoy, as functions from values to values: what a Release renders to, what that render is
//! called, what a sync does next, what is kept and what is forgotten.
//!
//! One file per noun. Nothing here performs an effect: plans and steps are data that `app/runtime` executes through
//! the ports, and time is an argument.
#![no_std]

extern crate alloc;

pub mod access;
pub mod artifact;
pub mod cluster;
pub mod compat;
pub mod condition;
pub mod content;
pub mod credentials;
pub mod dependency;
pub mod drift;
pub mod entropy;
pub mod fingerprint;
pub mod gc;
pub mod health;
pub mod history;
pub mod id;
pub mod inventory;
pub mod limits;
pub mod manifests;
pub mod mutation;
pub mod names;
pub mod number;
pub mod object;
pub mod ownership;
pub mod prune;
pub mod release;
pub mod render;
pub mod render_ref;
pub mod retry;
pub mod scope;
pub mod secret;
pub mod selector;
pub mod sharing;
pub mod source;
pub mod status;
pub mod store_key;
pub mod sync;
pub mod url;
pub mod validate;
pub mod values;
pub mod wave;
pub mod webhook;

pub use jiff::Timestamp;
