//! The reader of resources that Kustomize works on: kyaml over yaml.v3.
//!
//! (The kustomization file itself is read by sigs.k8s.io/yaml there, and so by [`super::helm`] here.)

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::compose::Options;
use super::error::{BAD_SEPARATOR, Dialect, Mark};
use super::resolve::{self, Resolved};
use super::timestamp;
use super::{Document, Error, ErrorKind, check_size, read_first, read_first_document};
use crate::serde_impls::integral;
use crate::{Limits, Number, Numbers, Value};

/// As written, a text in a folded block (`>`) is a big number that begins with this: kyaml writes such a text anew, and
/// gets another text back.
pub const FOLDED: char = '\0';

/// As written, nothing in a collection with brackets (`{a: }`, `{a}`) is this big number: a null that kyaml writes as
/// `''`, so that it reads a text back.
pub const NOTHING: char = '\u{1}';

/// As written, a key that begins with this stands for one that is set again, whose value is what is wrong with it: kyaml looks
/// for such keys only when it writes the mapping, and a patch may have taken that away before.
pub const TWICE: char = '\u{2}';

fn options(limits: &Limits, numbers: Numbers) -> Options<'_> {
    Options {
        dialect: Dialect::Kustomize,
        numbers,
        strict: true,
        limits,
        first_line: 1,
    }
}

/// Reads the first document.
///
/// # Errors
/// When the text is not YAML, sets a key twice, holds what JSON cannot, or passes a limit.
pub fn parse(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Value, Error> {
    read_first(text.as_ref(), options(limits, Numbers::Exact))
}

/// Reads the first document, and keeps the text of what is none ([`Numbers::AsWritten`], [`FOLDED`], [`NOTHING`], [`TWICE`]).
///
/// # Errors
/// As [`parse`].
pub fn parse_as_written(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Value, Error> {
    read_first(text.as_ref(), options(limits, Numbers::AsWritten))
}

/// The value that `text` stands for as a scalar without quotes.
#[must_use]
pub fn plain(text: &str) -> Value {
    match resolve::plain(text, Dialect::Kustomize) {
        Resolved::Null => Value::Null,
        Resolved::Bool(b) => Value::Bool(b),
        Resolved::Int(i) => Value::Number(Number::Int(i)),
        Resolved::Uint(u) => Value::Number(Number::Uint(u)),
        Resolved::Float(f) => match integral(f) {
            Some(i) => Value::Number(Number::Int(i)),
            None => Value::Number(Number::Float(f)),
        },
        Resolved::Big(digits, _) => Value::Number(Number::Big(digits)),
        Resolved::Timestamp => timestamp::to_rfc3339(text).map_or(Value::Null, Value::String),
        Resolved::Str => Value::String(text.into()),
    }
}

/// Reads a stream of documents, split as kyaml does: at lines that begin with `---`, before any of it is read.
/// What stands behind `...` inside of one is not looked at.
///
/// # Errors
/// As [`parse`]; also for too many documents, and for anything but a comment behind `---`.
pub fn parse_documents(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Vec<Document>, Error> {
    read_documents(text.as_ref(), options(limits, Numbers::Exact))
}

/// As [`parse_documents`], and keeps the text of what is none ([`Numbers::AsWritten`], [`FOLDED`], [`NOTHING`], [`TWICE`]).
///
/// # Errors
/// As [`parse_documents`].
pub fn parse_documents_as_written(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Vec<Document>, Error> {
    read_documents(text.as_ref(), options(limits, Numbers::AsWritten))
}

fn read_documents(text: &[u8], options: Options<'_>) -> Result<Vec<Document>, Error> {
    let limits = options.limits;
    check_size(text, options)?;
    let text = without_carriage_returns(text);
    let mut documents = Vec::new();
    let mut line = 1;
    let mut rest = text.as_ref();
    loop {
        let separator = find_separator(rest);
        let end = separator.as_ref().map_or(rest.len(), |separator| separator.start + 1);
        if documents.len() == limits.documents {
            return Err(Error::limit("documents", documents.len(), Mark::at_line(line)));
        }
        let options = Options {
            first_line: line,
            ..options
        };
        let first = read_first_document(&rest[..end], options).map_err(|error| error.with_first_line(line))?;
        if let Some((value, offset)) = first {
            documents.push(Document {
                value,
                line: line + offset,
                index: documents.len(),
            });
        } else {
            documents.push(Document {
                value: Value::Null,
                line,
                index: documents.len(),
            });
        }
        let Some(separator) = separator else {
            return Ok(documents);
        };
        line += count_lines(&rest[..=separator.start]);
        check_separator(&rest[separator.clone()], line)?;
        line += 1;
        rest = &rest[separator.end..];
    }
}

/// The next line that begins with `---`, with the line breaks before and behind it.
fn find_separator(text: &[u8]) -> Option<Range<usize>> {
    let mut from = 0;
    loop {
        let start = from + text[from..].windows(4).position(|window| window == b"\n---")?;
        let length = text[start + 1..].iter().position(|&b| b == b'\n');
        match length {
            Some(length) => return Some(start..start + length + 2),
            None => from = start + 1,
        }
    }
}

fn check_separator(separator: &[u8], line: usize) -> Result<(), Error> {
    let behind = separator[4..].trim_ascii();
    if behind.is_empty() || behind[0] == b'#' {
        return Ok(());
    }
    let go = format!(
        "invalid document separator: {}",
        String::from_utf8_lossy(separator.trim_ascii())
    );
    let mark = Mark::at_line(line);
    Err(Error::new(ErrorKind::Syntax, BAD_SEPARATOR, mark, go))
}

fn count_lines(text: &[u8]) -> usize {
    text.split(|&b| b == b'\n').count() - 1
}

fn without_carriage_returns(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'\r') {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for (at, &byte) in text.iter().enumerate() {
        if byte != b'\r' || text.get(at + 1) != Some(&b'\n') {
            out.push(byte);
        }
    }
    Cow::Owned(out)
}
