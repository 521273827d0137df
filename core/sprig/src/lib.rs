//! The functions of Sprig v3 for templates.
#![no_std]

extern crate alloc;

pub mod semver;
