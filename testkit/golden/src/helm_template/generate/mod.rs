//! Questions from a seed: templates, whole charts, and texts of `--set` and its kin.

mod base;
mod charts;
mod sets;
mod templates;
mod words;

pub use charts::chart;
pub use sets::sets;
pub use templates::{Body, batch, body, question};
