//! Numbers and truths as `%v` prints them, without an allocation.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, the rest goes the long way"
)]

use core::ops::Deref;

use crate::Value;
use crate::value::IntKind;

/// A short text in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brief {
    /// The text is at the end.
    bytes: [u8; Brief::SIZE],
    start: usize,
}

impl Brief {
    /// The longest is that of the least integer.
    const SIZE: usize = 20;

    /// The text of a value whose text is short and plain.
    #[inline]
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(IntKind::Month | IntKind::Weekday, _) => None,
            Value::Int(_, i) => Some(Self::number(*i < 0, i.unsigned_abs())),
            Value::Uint(_, u) => Some(Self::number(false, *u)),
            Value::Float(f) => Self::float(*f),
            Value::Bool(true) => Some(Self::text(*b"true")),
            Value::Bool(false) => Some(Self::text(*b"false")),
            _ => None,
        }
    }

    /// A float that has no decimals and no exponent.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::float_cmp,
        reason = "only what is exact gets through"
    )]
    fn float(f: f64) -> Option<Self> {
        // From a million on there is an exponent; zero has a sign.
        if !(f.abs() < 1e6 && f != 0.0 || f.to_bits() == 0) {
            return None;
        }
        let i = f as i64;
        (i as f64 == f).then(|| Self::number(i < 0, i.unsigned_abs()))
    }

    fn text<const N: usize>(text: [u8; N]) -> Self {
        let mut bytes = [0; Self::SIZE];
        let start = Self::SIZE - N;
        for (place, byte) in bytes.iter_mut().skip(start).zip(text) {
            *place = byte;
        }
        Self { bytes, start }
    }

    fn number(negative: bool, mut magnitude: u64) -> Self {
        let mut bytes = [b'0'; Self::SIZE];
        let mut start = Self::SIZE;
        for place in bytes.iter_mut().rev() {
            // A remainder by ten is a byte.
            *place = b'0' + u8::try_from(magnitude % 10).unwrap_or(0);
            magnitude /= 10;
            start -= 1;
            if magnitude == 0 {
                break;
            }
        }
        if negative && start > 0 {
            start -= 1;
            if let Some(place) = bytes.get_mut(start) {
                *place = b'-';
            }
        }
        Self { bytes, start }
    }
}

impl Deref for Brief {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gofmt;
    use crate::value::{Heap, UintKind};
    use alloc::vec::Vec;

    /// The long way is asked through a verb with a flag that changes nothing.
    #[test]
    fn a_brief_text_is_what_the_printer_writes() {
        let numbers = [0, 1, -1, 9, 10, -10, 99_999, 999_999, 1_000_000, i64::MAX, i64::MIN];
        let floats = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            999_999.0,
            -999_999.0,
            1e6,
            1e21,
            f64::NAN,
            f64::INFINITY,
        ];
        let values = (numbers.iter().map(|i| Value::int(*i)))
            .chain(numbers.iter().map(|i| Value::Int(IntKind::Month, *i)))
            .chain([0, 7, u64::MAX].map(|u| Value::Uint(UintKind::Uint64, u)))
            .chain(floats.map(Value::Float))
            .chain([true, false].map(Value::Bool));
        let mut brief = 0;
        for value in values {
            let long = gofmt::printf(&Heap::default(), b"%-1v", core::slice::from_ref(&value), 100);
            if let Some(text) = Brief::of(&value) {
                assert_eq!(Ok(Vec::from(&*text)), long, "{value:?}");
                brief += 1;
            }
        }
        assert_eq!(brief, numbers.len() + 3 + 5 + 2);
    }
}
