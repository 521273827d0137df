//! `$1`, `${name}` and `$$` in replacements.

use alloc::vec::Vec;

use regex_automata::util::captures::Captures;

use super::Haystack;

/// Appends `template` with its references replaced by what `found` captured in `text`. It ends soon after `out` is longer than `most`.
pub(super) fn expand(out: &mut Vec<u8>, template: &[u8], (text, found): (&Haystack<'_>, &Captures), most: usize) {
    let mut rest = template;
    while let Some(dollar) = rest.iter().position(|byte| *byte == b'$') {
        if out.len() > most {
            return;
        }
        out.extend_from_slice(rest.get(..dollar).unwrap_or(&[]));
        rest = rest.get(dollar..).unwrap_or(&[]);
        if rest.get(1) == Some(&b'$') {
            out.push(b'$');
            rest = rest.get(2..).unwrap_or(&[]);
            continue;
        }
        let Some((name, after)) = reference(rest) else {
            out.push(b'$');
            rest = rest.get(1..).unwrap_or(&[]);
            continue;
        };
        rest = after;
        let span = match name.parse::<usize>() {
            Ok(index) => found.get_group(index),
            Err(_) => found.get_group_by_name(name),
        };
        if let Some(span) = span {
            out.extend_from_slice(text.part(span.range()));
        }
    }
    out.extend_from_slice(rest);
}

/// The name behind a dollar sign: as many letters, digits and underscores as there are, or what is in braces.
fn reference(text: &[u8]) -> Option<(&str, &[u8])> {
    let body = text.get(1..)?;
    let (body, braced) = match body.strip_prefix(b"{") {
        Some(body) => (body, true),
        None => (body, false),
    };
    let valid = match core::str::from_utf8(body) {
        Ok(valid) => valid,
        Err(error) => core::str::from_utf8(body.get(..error.valid_up_to())?).ok()?,
    };
    let end = valid
        .find(|c: char| !(c == '_' || c.is_alphanumeric()))
        .unwrap_or(valid.len());
    let name = valid.get(..end).filter(|name| !name.is_empty())?;
    let mut after = body.get(end..)?;
    if braced {
        after = after.strip_prefix(b"}")?;
    }
    Some((name, after))
}
