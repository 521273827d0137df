//! Padding, integers, strings and bytes under a verb's flags.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Printer, format_float};
use crate::quote;

const LOWER: &[u8; 17] = b"0123456789abcdefx";
const UPPER: &[u8; 17] = b"0123456789ABCDEFX";

pub(super) fn digits_of(upper: bool) -> &'static [u8; 17] {
    if upper { UPPER } else { LOWER }
}

/// Characters, as Go counts them: a byte that is no UTF-8 counts as one.
fn rune_count(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        bytes.len()
    } else {
        quote::chunks(bytes).count()
    }
}

impl Printer<'_> {
    pub(super) fn padding(&mut self, count: usize) {
        let byte = if self.flags.zero && !self.flags.minus {
            b'0'
        } else {
            b' '
        };
        if self.out.len().saturating_add(count) > self.max {
            self.breach = self.breach.or(Some(crate::Limit::Text(self.max)));
            return;
        }
        self.out.resize(self.out.len() + count, byte);
    }

    pub(super) fn pad(&mut self, bytes: &[u8]) {
        let Some(width) = self.flags.width.filter(|width| *width > 0) else {
            self.write(bytes);
            return;
        };
        let missing = width.saturating_sub(rune_count(bytes));
        if self.flags.minus {
            self.write(bytes);
            self.padding(missing);
        } else {
            self.padding(missing);
            self.write(bytes);
        }
    }

    /// With spaces only, whatever the zero flag says.
    fn pad_with_spaces(&mut self, bytes: &[u8]) {
        let zero = core::mem::take(&mut self.flags.zero);
        self.pad(bytes);
        self.flags.zero = zero;
    }

    pub(super) fn boolean(&mut self, value: bool) {
        self.pad(if value { b"true" } else { b"false" });
    }

    /// `U+0078`, with the character when sharp.
    pub(super) fn unicode(&mut self, code: u64) {
        let precision = self.flags.precision.unwrap_or(0).max(4);
        let mut text = String::from("U+");
        let hex = alloc::format!("{code:X}");
        text.extend(core::iter::repeat_n('0', precision.saturating_sub(hex.len())));
        text.push_str(&hex);
        let shown = u32::try_from(code)
            .ok()
            .and_then(char::from_u32)
            .filter(|c| quote::is_print(*c));
        if let Some(c) = shown.filter(|_| self.flags.sharp) {
            text.push_str(" '");
            text.push(c);
            text.push('\'');
        }
        self.pad_with_spaces(text.as_bytes());
    }

    /// An integer in a base that is a power of two, or ten.
    pub(super) fn integer(&mut self, negative: bool, magnitude: u64, base: u64, verb: char, upper: bool) {
        let mut precision = 0;
        if let Some(wanted) = self.flags.precision {
            if wanted == 0 && magnitude == 0 {
                let zero = core::mem::take(&mut self.flags.zero);
                self.padding(self.flags.width.unwrap_or(0));
                self.flags.zero = zero;
                return;
            }
            precision = wanted;
        } else if let (true, false, Some(width)) = (self.flags.zero, self.flags.minus, self.flags.width) {
            let sign = usize::from(negative || self.flags.plus || self.flags.space);
            precision = width.saturating_sub(sign);
        }
        let text = self.integer_text(negative, magnitude, base, verb, upper, precision);
        self.pad_with_spaces(&text);
    }

    /// Sign, prefix, zeros and digits.
    fn integer_text(
        &self,
        negative: bool,
        magnitude: u64,
        base: u64,
        verb: char,
        upper: bool,
        precision: usize,
    ) -> Vec<u8> {
        let digits = digits_of(upper);
        // Backwards: the last digit first.
        let mut text = Vec::with_capacity(24);
        let mut rest = magnitude;
        loop {
            text.push(
                digits
                    .get(usize::try_from(rest % base).unwrap_or(0))
                    .copied()
                    .unwrap_or(b'0'),
            );
            rest /= base;
            if rest == 0 {
                break;
            }
        }
        while text.len() < precision {
            text.push(b'0');
        }
        if self.flags.sharp {
            match base {
                2 => text.extend_from_slice(b"b0"),
                8 if text.last() != Some(&b'0') => text.push(b'0'),
                16 => text.extend_from_slice(&[if upper { b'X' } else { b'x' }, b'0']),
                _ => {}
            }
        }
        if verb == 'O' {
            text.extend_from_slice(b"o0");
        }
        if negative {
            text.push(b'-');
        } else if self.flags.plus {
            text.push(b'+');
        } else if self.flags.space {
            text.push(b' ');
        }
        text.reverse();
        text
    }

    /// The first characters, as many as the precision says.
    fn truncated<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        let Some(precision) = self.flags.precision else {
            return bytes;
        };
        let mut kept = 0;
        for unit in quote::chunks(bytes).take(precision) {
            kept += unit.map_or(1, char::len_utf8);
        }
        bytes.get(..kept).unwrap_or(bytes)
    }

    pub(super) fn string(&mut self, bytes: &[u8]) {
        let kept = self.truncated(bytes);
        self.pad(kept);
    }

    pub(super) fn quoted(&mut self, bytes: &[u8]) {
        let kept = self.truncated(bytes);
        if self.flags.sharp && quote::can_backquote(kept) {
            let raw = [b"`", kept, b"`"].concat();
            self.pad(&raw);
            return;
        }
        let text = quote::quote(kept, self.flags.plus);
        self.pad(text.as_bytes());
    }

    pub(super) fn rune(&mut self, code: u64) {
        self.pad(rune_of(code).encode_utf8(&mut [0; 4]).as_bytes());
    }

    pub(super) fn quoted_rune(&mut self, code: u64) {
        let text = quote::quote_char(rune_of(code), self.flags.plus);
        self.pad(text.as_bytes());
    }

    /// Bytes in hexadecimal.
    pub(super) fn hex(&mut self, bytes: &[u8], upper: bool) {
        let digits = digits_of(upper);
        let bytes = bytes
            .get(..self.flags.precision.unwrap_or(usize::MAX).min(bytes.len()))
            .unwrap_or(bytes);
        if bytes.is_empty() {
            self.padding(self.flags.width.unwrap_or(0));
            return;
        }
        let mut text = Vec::with_capacity(bytes.len() * 2);
        for (place, byte) in bytes.iter().enumerate() {
            if self.flags.space && place > 0 {
                text.push(b' ');
            }
            if self.flags.sharp && (place == 0 || self.flags.space) {
                text.extend_from_slice(&[b'0', if upper { b'X' } else { b'x' }]);
            }
            text.extend_from_slice(&[digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]);
        }
        self.pad(&text);
    }

    /// A float with the flags applied to what `strconv` says.
    pub(super) fn float(&mut self, value: f64, verb: char, precision: Option<usize>) {
        let precision = self.flags.precision.or(precision);
        let text = format_float(value, verb, precision);
        let (mut sign, mut number) = match text.as_bytes().first() {
            Some(b'-') => ('-', text.get(1..).unwrap_or("")),
            Some(b'+') => ('+', text.get(1..).unwrap_or("")),
            _ => ('+', text.as_str()),
        };
        if self.flags.space && sign == '+' && !self.flags.plus {
            sign = ' ';
        }
        if number == "Inf" || number == "NaN" {
            // Infinity always has its sign.
            let shown = if number == "NaN" && !self.flags.space && !self.flags.plus {
                String::from(number)
            } else {
                alloc::format!("{sign}{number}")
            };
            self.pad_with_spaces(shown.as_bytes());
            return;
        }
        let sharpened;
        if self.flags.sharp && verb != 'b' {
            sharpened = sharpen(number, verb, precision);
            number = &sharpened;
        }
        if !self.flags.plus && sign == '+' {
            self.pad(number.as_bytes());
            return;
        }
        let width = self.flags.width.unwrap_or(0);
        if self.flags.zero && !self.flags.minus && width > number.len() + 1 {
            self.char(sign);
            self.padding(width - number.len() - 1);
            self.text(number);
            return;
        }
        self.pad(alloc::format!("{sign}{number}").as_bytes());
    }
}

fn rune_of(code: u64) -> char {
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
}

/// With a decimal point, and for `g` with the zeros at the end that it would leave out.
fn sharpen(number: &str, verb: char, precision: Option<usize>) -> String {
    let mut missing = match verb {
        'g' | 'G' | 'x' => i64::try_from(precision.unwrap_or(6)).unwrap_or(6),
        _ => 0,
    };
    let hex = matches!(verb, 'x' | 'X');
    let tail = number
        .find(|c| matches!(c, 'p' | 'P') || !hex && matches!(c, 'e' | 'E'))
        .unwrap_or(number.len());
    let (mantissa, exponent) = number.split_at(tail);
    let mut seen = false;
    for c in mantissa.chars().filter(|c| *c != '.') {
        seen |= c != '0';
        missing -= i64::from(seen);
    }
    let mut text = String::from(mantissa);
    if !mantissa.contains('.') {
        missing -= i64::from(mantissa == "0");
        text.push('.');
    }
    text.extend(core::iter::repeat_n('0', usize::try_from(missing).unwrap_or(0)));
    text.push_str(exponent);
    text
}
