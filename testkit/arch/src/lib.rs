//! The rules that keep convoy's architecture as it is drawn, as functions from what a repository holds to the breaches
//! found in it.
//!
//! The tests of this crate run each rule on convoy itself, where it finds nothing, and on a planted breach of
//! `breaches/`, where it finds exactly that: a rule that cannot fail protects nothing.
//!
//! | module | rule |
//! |---|---|
//! | [`source`] | core crates are `no_std`; no clock, randomness, environment, printing, hash maps with random order, async, statics |
//! | [`dependencies`] | what core may be built from, features included, is a list; no direct dependency has two versions |
//! | [`arrows`] | dependencies point inwards |
//! | [`manifest`] | every crate inherits the workspace's lints, which forbid unsafe code; core runs no build scripts |
//! | [`layout`] | the top level's names; no path of anybody's machine in what is committed |

pub mod arrows;
pub mod dependencies;
pub mod layout;
pub mod manifest;
pub mod source;

mod code;
mod workspace;

pub use workspace::{Workspace, repository};
