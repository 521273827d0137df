//! Whether an object may be stored.

pub(crate) mod builtin;
pub(crate) mod cel;
pub(crate) mod defaults;
pub(crate) mod format;
pub(crate) mod immutable;
pub(crate) mod meta;
pub(crate) mod schema;
