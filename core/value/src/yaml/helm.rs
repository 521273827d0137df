//! The reader of Helm's values, charts and templates, and of Kubernetes manifests: sigs.k8s.io/yaml.
//!
//! That library reads YAML with yaml.v2, writes the result as JSON and reads that again, so that values here are
//! what JSON can hold: keys are text, and times stay as they are written.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::compose::Options;
use super::error::{BAD_SEPARATOR, Dialect, Mark};
use super::{Document, Error, ErrorKind, check_size, outline, read_all, read_first, read_first_document};
use crate::{Limits, Map, Numbers, Value};

fn options(limits: &Limits, numbers: Numbers, strict: bool) -> Options<'_> {
    Options {
        dialect: Dialect::Helm,
        numbers,
        strict,
        limits,
        first_line: 1,
    }
}

/// Reads the first document, integers kept: objects, as `kubectl` and the API server see them.
///
/// # Errors
/// When the text is not YAML, holds what JSON cannot, or passes a limit.
pub fn parse(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Value, Error> {
    read_first(text.as_ref(), options(limits, Numbers::Exact, false))
}

/// As [`parse`], but of the root mapping only the members whose paths are wanted, and of mappings that are such members
/// in turn theirs: their place in a large document costs no value for the rest of it. A mapping that has members, but
/// none that is wanted, is null.
///
/// # Errors
/// As [`parse`], whichever member the error is in.
pub fn parse_members(
    text: impl AsRef<[u8]>,
    limits: &Limits,
    wanted: impl Fn(&[&str]) -> bool,
) -> Result<Value, Error> {
    let (text, options) = (text.as_ref(), options(limits, Numbers::Exact, false));
    check_size(text, options)?;
    let outline = str::from_utf8(text).ok();
    let outline = outline.and_then(|text| outline::members(text, limits.effective_depth(), &wanted));
    if let Some(lines) = outline
        && let Ok(members) = read_first(lines.as_bytes(), options)
    {
        return Ok(if members.is_null() { Map::new().into() } else { members });
    }
    let mut value = read_first(text, options)?;
    if let Value::Object(map) = &mut value {
        map.retain(|key, _| wanted(&[key]));
        for (key, value) in map.iter_mut() {
            if let Value::Object(inner) = value
                && !inner.is_empty()
            {
                inner.retain(|inner, _| wanted(&[key, inner]));
                if inner.is_empty() {
                    *value = Value::Null;
                }
            }
        }
    }
    Ok(value)
}

/// Reads the first document, every number a float: values and `fromYaml`, as templates see them.
///
/// # Errors
/// When the text is not YAML, holds what JSON cannot, or passes a limit.
pub fn parse_values(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Value, Error> {
    read_first(text.as_ref(), options(limits, Numbers::Float, false))
}

/// As [`parse`], but a key that is set twice is an error: `UnmarshalStrict`, as for a repository's index.
///
/// # Errors
/// When the text is not YAML, holds what JSON cannot, sets a key twice, or passes a limit.
pub fn parse_strict(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Value, Error> {
    read_first(text.as_ref(), options(limits, Numbers::Exact, true))
}

/// Reads a stream of documents, integers kept.
///
/// # Errors
/// As [`parse`]; also for too many documents.
pub fn parse_documents(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Vec<Document>, Error> {
    read_all(text.as_ref(), options(limits, Numbers::Exact, false))
}

/// Reads the documents of a values file, every number a float: Helm splits it as Kubernetes' tools do, at lines
/// that begin with `---`, and merges what it reads.
///
/// # Errors
/// As [`parse_values`]; also for too many documents, and for anything but a comment behind `---`.
pub fn parse_values_documents(text: impl AsRef<[u8]>, limits: &Limits) -> Result<Vec<Document>, Error> {
    let options = options(limits, Numbers::Float, false);
    check_size(text.as_ref(), options)?;
    let mut documents = Vec::new();
    for (piece, line) in split(text.as_ref())? {
        if documents.len() == limits.documents {
            return Err(Error::limit("documents", documents.len(), Mark::at_line(line)));
        }
        let read = read_first_document(&piece, options).map_err(|error| error.with_first_line(line))?;
        let (value, offset) = read.unwrap_or((Value::Null, 0));
        documents.push(Document {
            value,
            line: line + offset,
            index: documents.len(),
        });
    }
    Ok(documents)
}

/// The pieces between separators and the line, from 1, on which each begins; every line ends with `\n`. A piece
/// without any line is none, and a separator at the beginning of a piece stays in it.
fn split(text: &[u8]) -> Result<Vec<(Vec<u8>, usize)>, Error> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    let mut first = 1;
    let ended = text.strip_suffix(b"\n").unwrap_or(text);
    let lines = ended.split(|&b| b == b'\n').filter(|_| !text.is_empty());
    for (number, line) in (1..).zip(lines) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let Some(behind) = line.strip_prefix(b"---") {
            let behind = behind.trim_ascii();
            if !behind.is_empty() && behind[0] != b'#' {
                let go = format!("invalid Yaml document separator: {}", String::from_utf8_lossy(behind));
                return Err(Error::new(ErrorKind::Syntax, BAD_SEPARATOR, Mark::at_line(number), go));
            }
            if !piece.is_empty() {
                pieces.push((core::mem::take(&mut piece), first));
                first = number + 1;
                continue;
            }
        }
        piece.extend_from_slice(line);
        piece.push(b'\n');
    }
    if !piece.is_empty() {
        pieces.push((piece, first));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn values_are_split_at_lines_of_dashes() {
        let documents =
            parse_values_documents("a: 1\n--- # next\n\nb: 2\r\n---\n---\nc: |\n  x", &Limits::default()).unwrap();
        let places: Vec<_> = documents
            .iter()
            .map(|document| (document.line, document.index))
            .collect();
        assert_eq!(places, [(1, 0), (4, 1), (7, 2)]);
        assert_eq!(documents[2].value.get("c"), Some(&Value::from("x\n")));
        assert_eq!(parse_values_documents("", &Limits::default()), Ok(Vec::new()));
        let error = parse_values_documents("a: 1\n---b\n", &Limits::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a document separator has more than a comment behind it at line 2 column 1"
        );
        assert_eq!(error.go_message(), "invalid Yaml document separator: b");
    }

    #[test]
    fn errors_count_lines_from_the_beginning_of_the_file() {
        let error = parse_values_documents("a: 1\n---\nb: 2\nc: ]\n", &Limits::default()).unwrap_err();
        assert_eq!(error.line(), 4);
    }
}
