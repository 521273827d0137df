//! Sets of field paths: who owns what.

mod element;
mod set;

pub(crate) use element::{Atom, PathElement};
pub(crate) use set::{FieldSet, show};
