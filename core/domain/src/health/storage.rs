//! Volumes.

use alloc::format;

use super::{Health, phase};
use crate::object::Object;

pub(super) fn claim(object: &Object) -> Health {
    match phase(object).as_str() {
        "Bound" => Health::healthy(),
        "Lost" => Health::degraded("the claim has lost its volume"),
        _ => Health::progressing("the claim is not bound yet"),
    }
}

pub(super) fn volume(object: &Object) -> Health {
    match phase(object).as_str() {
        "Available" | "Bound" | "Released" => Health::healthy(),
        "Failed" => {
            let message = object.text(&["status", "message"]);
            Health::degraded(&format!("the volume could not be reclaimed: {message}"))
        }
        _ => Health::progressing("the volume is not available yet"),
    }
}
