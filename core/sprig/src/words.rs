//! Wrapping, abbreviating and initials, byte by byte as `goutils` does.

use alloc::string::String;
use alloc::vec::Vec;

use convoy_template::{CallError, Context, Functions, Str};

pub(crate) fn register(functions: &mut Functions) {
    functions
        .add("abbrev", |_: &mut Context, width: isize, text: Str| {
            if width < 4 {
                text
            } else {
                abbreviate(&text, 0, width).into()
            }
        })
        .add("abbrevboth", |_: &mut Context, left: isize, right: isize, text: Str| {
            if right < 4 || left > 0 && right < 7 {
                text
            } else {
                abbreviate(&text, left, right).into()
            }
        })
        .add("initials", |_: &mut Context, text: Str| initials(&text))
        .add("nospace", |_: &mut Context, text: Str| nospace(&text))
        .add("wrap", |context: &mut Context, width: isize, text: Str| {
            wrap(context, &text, width, b"\n", false)
        })
        .add(
            "wrapWith",
            |context: &mut Context, width: isize, newline: Str, text: Str| {
                let newline = if newline.is_empty() { b"\n".as_slice() } else { &newline };
                wrap(context, &text, width, newline, true)
            },
        );
}

/// Cuts to `width` bytes, with dots where something was left out; `offset` is a byte that should be seen.
fn abbreviate(text: &[u8], offset: isize, width: isize) -> Vec<u8> {
    let len = isize::try_from(text.len()).unwrap_or(isize::MAX);
    if text.is_empty() || len <= width {
        return text.to_vec();
    }
    let at = |place: isize| usize::try_from(place).unwrap_or(0).min(text.len());
    let mut offset = offset.min(len);
    if len - offset < width - 3 {
        offset = len - (width - 3);
    }
    if offset <= 4 {
        return [&text[..at(width - 3)], b"..."].concat();
    }
    if width < 7 {
        return Vec::new();
    }
    if offset + width - 3 < len {
        return [b"...", abbreviate(&text[at(offset)..], 0, width - 3).as_slice()].concat();
    }
    [b"...", &text[at(len - (width - 3))..]].concat()
}

/// Whether a byte, taken for a character, is a space.
fn is_space(byte: u8) -> bool {
    char::from(byte).is_whitespace()
}

fn initials(text: &[u8]) -> String {
    let mut out = String::new();
    let mut after_gap = true;
    for byte in text {
        if is_space(*byte) {
            after_gap = true;
        } else if core::mem::take(&mut after_gap) {
            out.push(char::from(*byte));
        }
    }
    out
}

/// Bytes beyond ASCII become characters of their own when there was a space to delete: a flaw that is kept.
fn nospace(text: &Str) -> Str {
    if !text.iter().any(|byte| is_space(*byte)) {
        return text.clone();
    }
    let kept = text
        .iter()
        .filter(|byte| !is_space(**byte))
        .map(|byte| char::from(*byte));
    kept.collect::<String>().into()
}

fn wrap(
    context: &mut Context,
    text: &[u8],
    width: isize,
    newline: &[u8],
    long_words: bool,
) -> Result<Vec<u8>, CallError> {
    let width = usize::try_from(width).unwrap_or(0).max(1);
    context.afford_text(
        text.len()
            .saturating_add(newline.len().saturating_mul(text.len() / width + 1)),
    )?;
    let mut out = Vec::with_capacity(text.len());
    let mut offset = 0;
    while text.len() - offset > width {
        if text[offset] == b' ' {
            offset += 1;
            continue;
        }
        let window = &text[offset..=offset + width];
        let end = if let Some(space) = window.iter().rposition(|byte| *byte == b' ') {
            offset + space
        } else if long_words {
            out.extend_from_slice(&text[offset..offset + width]);
            out.extend_from_slice(newline);
            offset += width;
            continue;
        } else if let Some(space) = text[offset + width..].iter().position(|byte| *byte == b' ') {
            offset + width + space
        } else {
            out.extend_from_slice(&text[offset..]);
            offset = text.len();
            continue;
        };
        out.extend_from_slice(&text[offset..end]);
        out.extend_from_slice(newline);
        offset = end + 1;
    }
    out.extend_from_slice(&text[offset..]);
    Ok(out)
}
