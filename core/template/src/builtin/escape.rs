//! `html`, `js` and `urlquery`.

use alloc::format;
use alloc::vec::Vec;

use crate::quote::{chunks, is_print};

/// As `template.HTMLEscapeString`.
#[must_use]
pub fn html_escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            0 => out.extend_from_slice("\u{fffd}".as_bytes()),
            b'"' => out.extend_from_slice(b"&#34;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            byte => out.push(*byte),
        }
    }
    out
}

/// As `template.JSEscapeString`.
#[must_use]
pub fn js_escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for unit in chunks(text) {
        match unit {
            Ok(c @ ('\\' | '\'' | '"')) => out.extend_from_slice(format!("\\{c}").as_bytes()),
            Ok(c @ ('<' | '>' | '&' | '=' | '\0'..='\u{1f}')) => {
                out.extend_from_slice(format!("\\u{:04X}", u32::from(c)).as_bytes());
            }
            Ok(c) if c == '\u{7f}' || is_print(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Ok(c) => out.extend_from_slice(format!("\\u{:04X}", u32::from(c)).as_bytes()),
            // What is no UTF-8 decodes to U+FFFD, which prints; Go copies the bytes.
            Err(byte) => out.push(byte),
        }
    }
    out
}

/// As `url.QueryEscape`.
#[must_use]
pub fn query_escape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b' ' => out.push(b'+'),
            b'-' | b'_' | b'.' | b'~' => out.push(*byte),
            byte if byte.is_ascii_alphanumeric() => out.push(*byte),
            byte => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
    out
}
