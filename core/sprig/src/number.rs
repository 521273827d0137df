//! Large numbers: the few operations that keys and decimals need, for operands of any size.
//!
//! # Invariant
//! No operand makes these panic: sizes are made equal here, and a modulus of zero is 1.

use alloc::vec::Vec;

use crypto_bigint::modular::{BoxedMontyForm, BoxedMontyParams};
use crypto_bigint::{BoxedUint, ConcatenatingMul as _, NonZero, Odd, Resize as _};

pub(crate) type Number = BoxedUint;

/// The number that these bytes are, most significant first.
pub(crate) fn from_bytes(bytes: &[u8]) -> Number {
    if bytes.is_empty() {
        return Number::zero();
    }
    Number::from_be_slice_vartime(bytes)
}

/// The bytes without leading zeros; none for zero.
pub(crate) fn to_bytes(number: &Number) -> Vec<u8> {
    let bytes = number.to_be_bytes();
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes.get(zeros..).unwrap_or(&[]).to_vec()
}

/// The bytes, with zeros in front up to `length`.
pub(crate) fn to_bytes_of(number: &Number, length: usize) -> Vec<u8> {
    let bytes = to_bytes(number);
    let mut padded = alloc::vec![0; length.saturating_sub(bytes.len())];
    padded.extend_from_slice(&bytes);
    padded
}

pub(crate) fn is_zero(number: &Number) -> bool {
    number.bit_width_vartime() == 0
}

fn modulus(number: &Number) -> NonZero<Number> {
    number.as_nz_vartime().cloned().unwrap_or_default()
}

/// `number mod by`.
pub(crate) fn remainder(number: &Number, by: &Number) -> Number {
    number.rem_vartime(&modulus(by))
}

/// `a * b`.
pub(crate) fn multiple(a: &Number, b: &Number) -> Number {
    a.concatenating_mul(b)
}

/// `a * b mod by`.
pub(crate) fn product(a: &Number, b: &Number, by: &Number) -> Number {
    remainder(&multiple(a, b), by)
}

/// `a - b`, which must not be negative.
pub(crate) fn difference(a: &Number, b: &Number) -> Number {
    let bits = a.bits_precision().max(b.bits_precision());
    a.resize_unchecked(bits).wrapping_sub(b.resize_unchecked(bits))
}

/// `a + b`.
pub(crate) fn sum(a: &Number, b: &Number) -> Number {
    let bits = a.bits_precision().max(b.bits_precision()) + 1;
    shortened(&a.resize_unchecked(bits).wrapping_add(b.resize_unchecked(bits)))
}

/// The same number in as few words as it needs.
pub(crate) fn shortened(number: &Number) -> Number {
    number.resize_unchecked(number.bit_width_vartime().max(1))
}

pub(crate) fn less_one(number: &Number) -> Number {
    difference(number, &Number::one())
}

/// `a / b`, rounded down.
pub(crate) fn quotient(a: &Number, b: &Number) -> Number {
    a.div_rem_vartime(&modulus(b)).0
}

/// `base ^ exponent` for an odd modulus; zero for an even one.
pub(crate) fn power(base: &Number, exponent: &Number, by: &Number) -> Number {
    let Some(odd) = by.as_odd_vartime() else {
        return Number::zero();
    };
    let params = BoxedMontyParams::new_vartime(odd.clone());
    form(base, by, &params).pow(exponent).retrieve()
}

/// `base` as a residue.
pub(crate) fn form(base: &Number, by: &Number, params: &BoxedMontyParams) -> BoxedMontyForm {
    let reduced = remainder(base, by).resize_unchecked(params.bits_precision());
    BoxedMontyForm::new(reduced, params)
}

/// The residue system of an odd number.
pub(crate) fn residues(by: &Number) -> Option<BoxedMontyParams> {
    let odd: Option<Odd<Number>> = by.as_odd_vartime().cloned();
    odd.map(BoxedMontyParams::new_vartime)
}

/// The inverse of `number`, if there is one.
pub(crate) fn inverse(number: &Number, by: &Number) -> Option<Number> {
    if by.bit_width_vartime() < 2 {
        return None;
    }
    let reduced = remainder(number, by).resize_unchecked(by.bits_precision());
    reduced.invert_mod(&modulus(by)).into_option()
}
