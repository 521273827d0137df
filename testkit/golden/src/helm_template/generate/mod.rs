//! Questions from a seed: templates, whole charts, and texts of `--set` and its kin.

mod charts;
mod sets;
mod templates;

pub use charts::chart;
pub use sets::sets;
pub use templates::{Body, batch, body, question};
