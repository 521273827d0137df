//! The real tools of the tests: [`component`] finds what `testkit/components/install` brings.
pub mod component;
