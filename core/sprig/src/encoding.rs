//! Base64 and base32.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use convoy_template::{CallError, Context, Functions, Str};

const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

pub(crate) fn register(functions: &mut Functions) {
    functions
        .add("b64enc", |context: &mut Context, text: Str| {
            encoded(context, &text, encode64)
        })
        .add("b64dec", |context: &mut Context, text: Str| {
            decoded(context, &text, "base64", decode64)
        })
        .add("b32enc", |context: &mut Context, text: Str| {
            encoded(context, &text, encode32)
        })
        .add("b32dec", |context: &mut Context, text: Str| {
            decoded(context, &text, "base32", decode32)
        });
}

fn encoded(context: &mut Context, text: &[u8], encode: fn(&[u8]) -> String) -> Result<String, CallError> {
    context.afford_text(text.len().saturating_mul(2))?;
    Ok(encode(text))
}

/// What is malformed becomes the message, as the text.
fn decoded(
    context: &mut Context,
    text: &[u8],
    name: &str,
    decode: fn(&[u8]) -> Result<Vec<u8>, usize>,
) -> Result<Vec<u8>, CallError> {
    context.afford_text(text.len())?;
    Ok(decode(text).unwrap_or_else(|place| format!("illegal {name} data at input byte {place}").into_bytes()))
}

pub(crate) fn encode64(bytes: &[u8]) -> String {
    encode(bytes, 3, 4, 6, BASE64)
}

fn encode32(bytes: &[u8]) -> String {
    encode(bytes, 5, 8, 5, BASE32)
}

/// Groups of `from` bytes become `to` digits of `bits` bits.
fn encode(bytes: &[u8], from: usize, to: usize, bits: usize, alphabet: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(from) * to);
    for chunk in bytes.chunks(from) {
        let mut group: u64 = 0;
        for place in 0..from {
            group = group << 8 | chunk.get(place).copied().map_or(0, u64::from);
        }
        let digits = (chunk.len() * 8).div_ceil(bits);
        for place in 0..to {
            let shift = bits * (to - 1 - place);
            let digit = usize::try_from(group >> shift & ((1 << bits) - 1)).unwrap_or(0);
            let digit = alphabet.get(digit).copied().unwrap_or(b'=');
            out.push(if place < digits { char::from(digit) } else { '=' });
        }
    }
    out
}

/// The bytes of padded base64 in the standard alphabet; line ends between its digits are passed over, as in Go.
///
/// # Errors
/// The place of the first byte that cannot be there.
pub fn decode64(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut at = 0;
    loop {
        let (digits, count, end, last) = quantum64(text, at)?;
        at = end;
        if count == 0 {
            return Ok(out);
        }
        let group = digits.iter().fold(0_u32, |group, digit| group << 6 | u32::from(*digit));
        out.extend_from_slice(group.to_be_bytes().get(1..count).unwrap_or(&[]));
        if last {
            return Ok(out);
        }
    }
}

/// Four digits from `start`: their values, how many there are, where they end, and whether padding ended them.
fn quantum64(text: &[u8], start: usize) -> Result<([u8; 4], usize, usize, bool), usize> {
    let mut digits = [0; 4];
    let mut count = 0;
    let mut at = start;
    while count < 4 {
        let Some(byte) = text.get(at).copied() else {
            return if count == 0 {
                Ok((digits, 0, at, true))
            } else {
                Err(at - count)
            };
        };
        at += 1;
        if matches!(byte, b'\n' | b'\r') {
            continue;
        }
        if let Some(value) = BASE64.iter().position(|digit| *digit == byte) {
            digits[count] = u8::try_from(value).unwrap_or(0);
            count += 1;
            continue;
        }
        if byte != b'=' || count < 2 {
            return Err(at - 1);
        }
        return padding64(text, at, count).map(|end| (digits, count, end, true));
    }
    Ok((digits, 4, at, false))
}

/// What may follow the first padding: the second one if it is due, line ends, nothing else.
fn padding64(text: &[u8], mut at: usize, count: usize) -> Result<usize, usize> {
    let skip = |mut at: usize| {
        while text.get(at).is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            at += 1;
        }
        at
    };
    if count == 2 {
        at = skip(at);
        match text.get(at) {
            None => return Err(text.len()),
            Some(b'=') => at += 1,
            Some(_) => return Err(at - 1),
        }
    }
    at = skip(at);
    if at < text.len() { Err(at) } else { Ok(at) }
}

fn decode32(text: &[u8]) -> Result<Vec<u8>, usize> {
    // Line ends are taken out first, so that places count without them.
    let text: Vec<u8> = text
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, b'\n' | b'\r'))
        .collect();
    let mut out = Vec::with_capacity(text.len() / 8 * 5);
    let mut at = 0;
    while at < text.len() {
        let mut group: u64 = 0;
        let mut count = 0;
        let mut ended = false;
        while count < 8 {
            let Some(byte) = text.get(at + count).copied() else {
                return Err(at);
            };
            if byte == b'=' && count >= 2 {
                let rest = text.get(at + count..).unwrap_or(&[]);
                if rest.len() < 8 - count {
                    return Err(text.len());
                }
                if let Some(bad) = rest.iter().take(8 - count).position(|byte| *byte != b'=') {
                    return Err(at + count + bad - 1);
                }
                // Padding may be 6, 4, 3 or 1 long.
                if matches!(count, 3 | 6) {
                    return Err(at + 1);
                }
                ended = true;
                break;
            }
            let Some(value) = BASE32.iter().position(|digit| *digit == byte) else {
                return Err(at + count);
            };
            group = group << 5 | value as u64;
            count += 1;
        }
        group <<= 5 * (8 - count);
        let bytes = group.to_be_bytes();
        out.extend_from_slice(bytes.get(3..3 + count * 5 / 8).unwrap_or(&[]));
        at += 8;
        // What follows the padding is not looked at.
        if ended {
            return Ok(out);
        }
    }
    Ok(out)
}
