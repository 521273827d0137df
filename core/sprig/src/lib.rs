//! The functions of Sprig v3 for templates, as Helm has them: without `env` and `expandenv`.
//!
//! [`register`] adds them to a table of functions. What Go draws from its clock and its random source comes from the
//! [`Randomness`] that the caller puts into the context; without one these functions are errors.
//!
//! # Invariant
//! Equal operands give equal answers: each draw is named by template, function, operands and ordinal.
#![no_std]
#![expect(
    clippy::needless_pass_by_value,
    reason = "operands of template functions are given away"
)]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, most are alike to each function"
)]
#![expect(clippy::format_push_string, clippy::format_collect, reason = "the texts are short")]

extern crate alloc;

mod case;
mod coerce;
mod crypto;
mod dates;
mod decimal;
mod defaults;
mod dicts;
mod encoding;
mod equal;
mod json;
mod lists;
mod merge;
mod number;
mod numbers;
mod paths;
mod random;
mod reflect;
mod regex;
pub mod semver;
mod strings;
mod urls;
mod versions;
mod words;

use alloc::string::String;

use convoy_template::{CallError, Context, Functions, Value};

pub use coerce::{text_of, to_float, to_int};
pub use encoding::decode64;
pub use equal::deep_equal;
pub use merge::merge_into;
pub use random::{Draw, Entropy, Randomness};

/// What Go says when a function is given a nil that it looks into.
const NIL_DEREFERENCE: &str = "runtime error: invalid memory address or nil pointer dereference";

/// Adds all functions; those of Go that have the same name (`slice`) are replaced, as in Sprig.
pub fn register(functions: &mut Functions) {
    functions.add("hello", |_: &mut Context| "Hello!");
    functions.add(
        "fail",
        |_: &mut Context, message: convoy_template::Str| -> Result<Value, CallError> {
            Err(CallError::new(String::from(message.to_text())))
        },
    );
    functions.add("getHostByName", |_: &mut Context, _: convoy_template::Str| "");
    strings::register(functions);
    words::register(functions);
    case::register(functions);
    lists::register(functions);
    dicts::register(functions);
    defaults::register(functions);
    numbers::register(functions);
    json::register(functions);
    reflect::register(functions);
    encoding::register(functions);
    paths::register(functions);
    regex::register(functions);
    dates::register(functions);
    urls::register(functions);
    versions::register(functions);
    random::register(functions);
    crypto::register(functions);
}
