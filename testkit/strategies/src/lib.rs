//! Inputs for property tests: values, texts and the domain's nouns, from tame to hostile.
//!
//! Each function answers a strategy; sizes are small, since a property that needs more asks for more.

pub mod any_bytes;
mod domain;
mod text;
mod value;

pub use domain::{
    files, history_keys, inventory_entry, label, manifests, object, object_id, objects, release_id, render_ref,
    timestamp,
};
pub use text::{hostile_yaml, path_text, selector_text, unicode};
pub use value::{map, reordered, value};
