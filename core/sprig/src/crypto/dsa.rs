//! DSA keys of 2048 and 256 bits: they can be made, read and written, but sign nothing, as in Sprig.

use alloc::vec::Vec;

use convoy_template::{CallError, Context, Limit};

use super::der::{self, Reader};
use super::prime::{self, Progression};
use crate::number::{self, Number};
use crate::random::Stream;

const BITS: usize = 2_048;
const ORDER_BITS: usize = 256;
/// Beginnings tried with one order before another order is drawn.
const TRIES: usize = 8;

/// p, q, g, y, x.
pub(super) struct Key([Vec<u8>; 5]);

impl Key {
    pub(super) fn generate(context: &mut Context, stream: &mut Stream) -> Result<Self, Limit> {
        loop {
            let order = draw_order(context, stream)?;
            let Some(prime) = draw_prime(context, stream, &order)? else {
                continue;
            };
            let exponent = number::quotient(&number::less_one(&prime), &order);
            let base = (2_u64..).map(|base| number::power(&Number::from(base), &exponent, &prime));
            let Some(base) = base.take(100).find(|base| base.bit_width_vartime() > 1) else {
                continue;
            };
            let secret = loop {
                let secret = number::from_bytes(&stream.bytes(ORDER_BITS / 8));
                if !number::is_zero(&secret) && secret < order {
                    break secret;
                }
            };
            let public = number::power(&base, &secret, &prime);
            return Ok(Self([&prime, &order, &base, &public, &secret].map(number::to_bytes)));
        }
    }

    /// Reads the form that Sprig and OpenSSL write.
    pub(super) fn read(text: &[u8]) -> Result<Self, CallError> {
        let mut fields = Reader::new(Reader::new(text).expect(der::SEQUENCE)?);
        fields.small_integer()?;
        let mut numbers = [const { Vec::new() }; 5];
        for slot in &mut numbers {
            *slot = number::to_bytes(&fields.integer()?.magnitude);
        }
        Ok(Self(numbers))
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut fields = der::integer(&[]);
        for number in &self.0 {
            fields.extend(der::integer(number));
        }
        der::element(der::SEQUENCE, &fields)
    }
}

/// A prime of 256 bits.
fn draw_order(context: &mut Context, stream: &mut Stream) -> Result<Number, Limit> {
    loop {
        let mut bytes = stream.bytes(ORDER_BITS / 8);
        if let [first, .., last] = bytes.as_mut_slice() {
            *first |= 0x80;
            *last |= 1;
        }
        let progression = Progression {
            start: number::from_bytes(&bytes),
            step: Number::from(2_u64),
            terms: ORDER_BITS * 8,
        };
        if let Some(prime) = prime::first(context, stream, &progression, |_| true)? {
            return Ok(prime);
        }
    }
}

/// A prime of 2048 bits, one more than a multiple of twice the order.
fn draw_prime(context: &mut Context, stream: &mut Stream, order: &Number) -> Result<Option<Number>, Limit> {
    let step = number::multiple(order, &Number::from(2_u64));
    for _ in 0..TRIES {
        let mut bytes = stream.bytes(BITS / 8);
        if let Some(first) = bytes.first_mut() {
            *first |= 0xC0;
        }
        let drawn = number::from_bytes(&bytes);
        let start = number::difference(&drawn, &number::less_one(&number::remainder(&drawn, &step)));
        let progression = Progression {
            start,
            step: step.clone(),
            terms: BITS * 8,
        };
        if let Some(prime) = prime::first(context, stream, &progression, |_| true)? {
            return Ok(Some(prime));
        }
    }
    Ok(None)
}
