//! Go's `text/template`, for any Rust program.
//!
//! Templates are parsed once into a [`TemplateSet`], which is immutable, shared between threads, and executed any
//! number of times. Values are what Go's `reflect` sees ([`Value`]): maps and slices are references into a
//! [`Heap`](value::Heap), so that functions can change a map that others hold. Errors have Go's words, with template,
//! line and column. The work is bounded by [`Limits`]; each breach names its limit.
//!
//! ```
//! use std::sync::Arc;
//! use convoy_template::{Context, Functions, Limits, Str, TemplateSet, Value};
//!
//! fn shout(_: &mut Context, text: Str) -> String {
//!     text.to_text().to_uppercase()
//! }
//!
//! let mut functions = Functions::builtins();
//! functions.add("shout", shout);
//! let mut set = TemplateSet::new(functions);
//! set.parse("greeting", "{{ range .names }}Hello {{ shout . }}!\n{{ end }}")?;
//!
//! let mut context = Context::new(Arc::new(set), Arc::default(), Limits::default());
//! let data = convoy_value::json::parse(r#"{"names": ["ada", "grace"]}"#, &convoy_value::Limits::default())?;
//! let data = context.heap_mut().import(&data).map_err(|limit| limit.to_string())?;
//! assert_eq!(context.execute("greeting", data)?, b"Hello ADA!\nHello GRACE!\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is what
//! - [`Functions`] and [`Function`]: what templates call by name. A plain Rust function is one.
//! - [`TemplateSet`]: parsed templates; `Send` and `Sync`.
//! - [`value::Heap`] and [`value::Base`]: values while rendering, and values that renderings share.
//! - [`Context`]: one rendering; executes templates of its set.
//! - [`ParseError`], [`ExecError`], [`CallError`]: what Go would say, with the place; [`Limit`]: which bound was met.
//!
//! # Invariant
//! Nothing here reads a clock, a file, the environment or a random source; functions of the caller may.
#![no_std]

extern crate alloc;

/// The examples of the README are tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod ast;
mod builtin;
mod context;
mod error;
mod exec;
mod function;
mod gofmt;
mod lex;
mod limits;
mod meter;
mod number;
mod parse;
mod quote;
mod set;
mod text;
mod token;
pub mod unicode;
pub mod value;

pub use ast::Tree;
pub use builtin::{html_escape, js_escape, query_escape};
pub use context::Context;
pub use error::{CallError, ExecError, ParseError};
pub use function::{Answer, Callable, Function, Functions, Parameter, Reflected, Rest};
pub use limits::{Limit, Limits, MAX_PARSE_DEPTH, MAX_PLAIN, MAX_SOURCE, MAX_VALUE_DEPTH};
pub use meter::Meter;
pub use number::{parse_float, parse_uint};
pub use set::{MissingKey, TemplateSet};
pub use text::{Characters, Str, lossy};
pub use value::Value;

/// A text as a Go string literal, as `strconv.Quote` writes it.
#[must_use]
pub fn go_quote(text: &[u8]) -> alloc::string::String {
    quote::quote(text, false)
}

/// The tokens of a template's source, as far as they can be read: for fuzzing.
#[doc(hidden)]
#[must_use]
pub fn count_tokens(source: &str) -> usize {
    let source = Characters::new(source.as_bytes());
    let mut lexer = lex::Lexer::new(&source, "{{", "}}");
    let mut count = 0;
    loop {
        if matches!(lexer.token().kind, token::Kind::Eof | token::Kind::Error) {
            return count;
        }
        count += 1;
    }
}
