//! JSON in and out, as Go's `encoding/json` does both.
//!
//! [`to_canonical`] is the form that hashes and stored bytes are made of: for any value it is what Go's
//! `json.Marshal` writes for the same tree of maps, slices and scalars.

mod error;
mod read;
mod write;

pub use error::{Error, ErrorKind};
pub use read::{parse, parse_in_part, parse_with};
pub(crate) use read::{quote_go, replace_broken};
pub(crate) use write::push_string;
pub use write::{push_bytes, push_number, to_canonical, write_canonical};
