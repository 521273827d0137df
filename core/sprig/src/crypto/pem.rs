//! PEM: base64 between lines that name what it is, read as leniently as Go reads it.

use alloc::string::String;
use alloc::vec::Vec;

use crate::encoding::{decode64, encode64};

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"\n-----END ";
const DASHES: &[u8] = b"-----";

/// A block: its name, and its bytes.
pub(super) struct Block {
    pub(super) name: Vec<u8>,
    pub(super) bytes: Vec<u8>,
}

/// A block as text.
pub(super) fn encode(name: &str, bytes: &[u8]) -> String {
    let base64 = encode64(bytes);
    let mut out = alloc::format!("-----BEGIN {name}-----\n");
    let mut rest = base64.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(64));
        out.push_str(line);
        out.push('\n');
        rest = after;
    }
    out.push_str(&alloc::format!("-----END {name}-----\n"));
    out
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

fn find_last(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).rposition(|window| window == wanted)
}

fn trimmed_end(text: &[u8]) -> &[u8] {
    let kept = text.iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
    text.get(..kept.map_or(0, |last| last + 1)).unwrap_or(&[])
}

/// The first line without its end, and what follows it.
fn line(text: &[u8]) -> (&[u8], &[u8]) {
    let (line, rest) = match text.iter().position(|byte| *byte == b'\n') {
        Some(end) => text.split_at_checked(end).map_or((text, &[][..]), |(line, rest)| {
            (line.strip_suffix(b"\r").unwrap_or(line), rest.get(1..).unwrap_or(&[]))
        }),
        None => (text, &[][..]),
    };
    (trimmed_end(line), rest)
}

/// The first block of a text.
pub(super) fn decode(text: &[u8]) -> Option<Block> {
    let mut rest = text;
    loop {
        // The first end, and the last beginning before it: beginnings without an end are passed over.
        let end = find(rest, END)?;
        let after = rest.get(end + END.len()..)?;
        let before = rest.get(..end)?;
        let begin = find_last(before, BEGIN).filter(|begin| *begin == 0 || before.get(begin - 1) == Some(&b'\n'));
        if let Some(begin) = begin
            && let Some(block) = block(rest.get(begin + BEGIN.len()..)?, end - begin - BEGIN.len(), after)
        {
            return Some(block);
        }
        rest = after;
    }
}

/// The block whose name begins at `text`, whose end line begins at `end`, and whose end line says `after`.
fn block(text: &[u8], end: usize, after: &[u8]) -> Option<Block> {
    let (first, mut rest) = line(text);
    let name = first.strip_suffix(DASHES)?;
    let mut has_headers = false;
    while !rest.is_empty() {
        let (header, next) = line(rest);
        if !header.contains(&b':') {
            break;
        }
        has_headers = true;
        rest = next;
    }
    if rest.is_empty() {
        return None;
    }
    let start = text.len() - rest.len();
    if has_headers && start > end {
        return None;
    }
    let closing = after.strip_prefix(name)?.strip_prefix(DASHES)?;
    if !line(closing).0.is_empty() {
        return None;
    }
    let body = text.get(start..end).unwrap_or(&[]);
    let body: Vec<u8> = body
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, b' ' | b'\t'))
        .collect();
    Some(Block {
        name: name.to_vec(),
        bytes: decode64(&body).ok()?,
    })
}
