//! ASN.1 in its distinguished encoding, as far as keys and certificates need it.
//!
//! # Invariant
//! Every text ends a reader with an error or its end: nothing here recurses or panics.

use alloc::vec::Vec;

use convoy_template::CallError;

use crate::number::{self, Number};

pub(super) const BOOLEAN: u8 = 0x01;
pub(super) const INTEGER: u8 = 0x02;
pub(super) const BIT_STRING: u8 = 0x03;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const NULL: u8 = 0x05;
pub(super) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(super) const UTF8_STRING: u8 = 0x0c;
pub(super) const PRINTABLE_STRING: u8 = 0x13;
pub(super) const UTC_TIME: u8 = 0x17;
pub(super) const GENERALIZED_TIME: u8 = 0x18;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;

/// `[number]` that holds elements.
pub(super) const fn context(number: u8) -> u8 {
    0xa0 | number
}

/// `[number]` that holds bytes.
pub(super) const fn primitive_context(number: u8) -> u8 {
    0x80 | number
}

/// An element of this tag.
pub(super) fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = alloc::vec![tag];
    let length = content.len().to_be_bytes();
    let zeros = length.iter().take_while(|byte| **byte == 0).count();
    let length = length.get(zeros..).unwrap_or(&[]);
    match length {
        [] => out.push(0),
        [short] if *short < 0x80 => out.push(*short),
        long => {
            out.push(0x80 | u8::try_from(long.len()).unwrap_or(0));
            out.extend_from_slice(long);
        }
    }
    out.extend_from_slice(content);
    out
}

/// A sequence of these elements.
pub(super) fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    element(SEQUENCE, &parts.concat())
}

/// An integer that is not negative, from its bytes.
pub(super) fn integer(magnitude: &[u8]) -> Vec<u8> {
    let zeros = magnitude.iter().take_while(|byte| **byte == 0).count();
    let magnitude = magnitude.get(zeros..).unwrap_or(&[]);
    let needs_sign = magnitude.first().is_none_or(|first| *first >= 0x80);
    let mut content = Vec::with_capacity(magnitude.len() + 1);
    if needs_sign {
        content.push(0);
    }
    content.extend_from_slice(magnitude);
    element(INTEGER, &content)
}

/// Whole bytes as a string of bits.
pub(super) fn bit_string(bytes: &[u8]) -> Vec<u8> {
    element(BIT_STRING, &[&[0], bytes].concat())
}

/// An integer that was read.
pub(super) struct Integer {
    pub(super) is_negative: bool,
    /// Its bytes as a number, right unless it is negative.
    pub(super) magnitude: Number,
}

/// What is left of a text.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn next_is(&self, tag: u8) -> bool {
        self.rest.first() == Some(&tag)
    }

    /// The next element: its tag, its content, and all of it.
    pub(super) fn any(&mut self) -> Option<(u8, &'a [u8], &'a [u8])> {
        let (tag, after) = self.rest.split_first()?;
        // Tags of several bytes are not used by what is read here.
        if tag & 0x1f == 0x1f {
            return None;
        }
        let (first, after) = after.split_first()?;
        let (length, header) = if *first < 0x80 {
            (usize::from(*first), 2)
        } else {
            let count = usize::from(first & 0x7f);
            let bytes = after.get(..count).filter(|_| (1..=4).contains(&count))?;
            let length = bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            // The shortest form is the only one.
            if length < 0x80 || bytes.first() == Some(&0) {
                return None;
            }
            (length, 2 + count)
        };
        let end = header.checked_add(length)?;
        let whole = self.rest.get(..end)?;
        self.rest = self.rest.get(end..)?;
        Some((*tag, whole.get(header..)?, whole))
    }

    /// The content of the next element, if it has this tag.
    pub(super) fn take(&mut self, tag: u8) -> Option<&'a [u8]> {
        let mut ahead = *self;
        let (found, content, _) = ahead.any()?;
        if found != tag {
            return None;
        }
        *self = ahead;
        Some(content)
    }

    /// The whole next element, if it has this tag.
    pub(super) fn take_whole(&mut self, tag: u8) -> Option<&'a [u8]> {
        let mut ahead = *self;
        let (found, _, whole) = ahead.any()?;
        if found != tag {
            return None;
        }
        *self = ahead;
        Some(whole)
    }

    /// The same with Go's words when it is not there.
    pub(super) fn expect(&mut self, tag: u8) -> Result<&'a [u8], CallError> {
        if self.is_empty() {
            return Err("asn1: syntax error: sequence truncated".into());
        }
        let mut ahead = *self;
        if ahead.any().is_none() {
            return Err("asn1: syntax error: data truncated".into());
        }
        self.take(tag)
            .ok_or_else(|| "asn1: structure error: tags don't match".into())
    }

    pub(super) fn expect_end(&self) -> Result<(), CallError> {
        if self.is_empty() {
            Ok(())
        } else {
            Err("asn1: syntax error: trailing data".into())
        }
    }

    pub(super) fn integer(&mut self) -> Result<Integer, CallError> {
        let content = self.expect(INTEGER)?;
        integer_of(content).ok_or_else(|| "asn1: structure error: integer not minimally-encoded".into())
    }

    pub(super) fn take_integer(&mut self) -> Option<Integer> {
        integer_of(self.take(INTEGER)?)
    }

    /// An integer below 2^31.
    pub(super) fn small_integer(&mut self) -> Result<i64, CallError> {
        let integer = self.integer()?;
        let small = number::to_bytes(&integer.magnitude);
        if integer.is_negative || small.len() > 3 {
            return Ok(i64::from(i32::MAX));
        }
        Ok(small.iter().fold(0, |small, byte| small << 8 | i64::from(*byte)))
    }

    /// A string of whole bytes.
    pub(super) fn take_bit_string(&mut self) -> Option<&'a [u8]> {
        let (unused, bytes) = self.take(BIT_STRING)?.split_first()?;
        let fits = *unused < 8 && (*unused == 0 || !bytes.is_empty());
        fits.then_some(bytes)
    }

    /// An object identifier: its content.
    pub(super) fn take_identifier(&mut self) -> Option<&'a [u8]> {
        let content = self.take(OBJECT_IDENTIFIER)?;
        content.last().filter(|last| **last < 0x80).map(|_| content)
    }
}

fn integer_of(content: &[u8]) -> Option<Integer> {
    let is_minimal = match content {
        [] => false,
        [0, second, ..] => *second >= 0x80,
        [0xff, second, ..] => *second < 0x80,
        [_, ..] => true,
    };
    is_minimal.then(|| Integer {
        is_negative: content.first().is_some_and(|first| *first >= 0x80),
        magnitude: number::from_bytes(content),
    })
}

/// An object identifier as numbers with dots between them.
pub(super) fn dotted(identifier: &[u8]) -> alloc::string::String {
    let mut numbers: Vec<u64> = Vec::new();
    let mut number = 0_u64;
    for byte in identifier {
        number = number.wrapping_shl(7) | u64::from(byte & 0x7f);
        if *byte < 0x80 {
            if numbers.is_empty() {
                let first = (number / 40).min(2);
                numbers.extend([first, number - first * 40]);
            } else {
                numbers.push(number);
            }
            number = 0;
        }
    }
    let texts: Vec<_> = numbers.iter().map(|number| alloc::format!("{number}")).collect();
    texts.join(".")
}
