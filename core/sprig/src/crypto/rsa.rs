//! RSA keys of two primes: drawing, checking, reading, writing, and signatures of PKCS #1 v1.5 with SHA-256.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use convoy_template::{CallError, Context, Limit};
use sha2::{Digest as _, Sha256};

use super::der::{self, Reader};
use super::prime::{self, Progression};
use crate::number::{self, Number};
use crate::random::Stream;

/// The longest modulus that is read, in bits: a signature takes about 100 ms then.
pub(super) const MAX_BITS: u32 = 8_192;
/// Go makes no signature with less.
const MIN_BITS: u32 = 1_024;
const EXPONENT: u64 = 65_537;

/// A private key.
pub(super) struct Key {
    modulus: Number,
    public: Number,
    private: Number,
    /// p, q, d by p - 1, d by q - 1, the inverse of q by p.
    parts: [Number; 5],
}

impl Key {
    /// A new key of `bits` bits: a multiple of 128.
    pub(super) fn generate(context: &mut Context, stream: &mut Stream, bits: usize) -> Result<Self, Limit> {
        loop {
            let p = draw_prime(context, stream, bits / 2)?;
            let q = draw_prime(context, stream, bits / 2)?;
            if let Some(key) = Self::from_primes(p, q) {
                return Ok(key);
            }
        }
    }

    fn from_primes(p: Number, q: Number) -> Option<Self> {
        if p == q {
            return None;
        }
        let (p_less, q_less) = (number::less_one(&p), number::less_one(&q));
        let public = Number::from(EXPONENT);
        // The least common multiple of both.
        let common = common_divisor(&p_less, &q_less);
        let multiple = number::quotient(&number::multiple(&p_less, &q_less), &common);
        let private = number::inverse(&public, &multiple)?;
        let parts = [
            p.clone(),
            q.clone(),
            number::remainder(&private, &p_less),
            number::remainder(&private, &q_less),
            number::inverse(&q, &p)?,
        ];
        Some(Self {
            modulus: number::multiple(&p, &q),
            public,
            private,
            parts,
        })
    }

    /// Reads PKCS #1.
    pub(super) fn read(text: &[u8]) -> Result<Self, CallError> {
        let mut outer = Reader::new(text);
        let mut fields = Reader::new(outer.expect(der::SEQUENCE)?);
        outer.expect_end()?;
        let version = fields.small_integer()?;
        if version > 1 {
            return Err("x509: unsupported private key version".into());
        }
        let mut numbers = Vec::new();
        for _ in 0..8 {
            numbers.push(fields.integer()?);
        }
        if version == 1 && !fields.is_empty() {
            return Err("RSA keys of more than two primes are not supported".into());
        }
        if numbers
            .iter()
            .any(|field| field.is_negative || number::is_zero(&field.magnitude))
        {
            return Err("x509: private key contains zero or negative value".into());
        }
        let mut numbers = numbers.into_iter().map(|field| field.magnitude);
        let mut next = || numbers.next().unwrap_or_else(Number::zero);
        let key = Self {
            modulus: next(),
            public: next(),
            private: next(),
            parts: [next(), next(), next(), next(), next()],
        };
        if key.modulus.bit_width_vartime() > MAX_BITS {
            return Err(format!("limit of the length of an RSA key exceeded: {MAX_BITS} bits").into());
        }
        key.check().map_err(CallError::from)?;
        Ok(key)
    }

    /// What Go checks, in its order and words.
    fn check(&self) -> Result<(), &'static str> {
        let [p, q, p_exponent, q_exponent, coefficient] = &self.parts;
        if !is_odd(&self.modulus) {
            return Err("crypto/rsa: public modulus is even");
        }
        if self.public.bit_width_vartime() < 2 {
            return Err("crypto/rsa: public exponent too small or negative");
        }
        if !is_odd(&self.public) {
            return Err("crypto/rsa: public exponent is even");
        }
        if self.public.bit_width_vartime() > 32 {
            return Err("crypto/rsa: public exponent too large");
        }
        if number::multiple(p, q) != self.modulus {
            return Err("crypto/rsa: p * q != n");
        }
        for (prime, exponent) in [(p, p_exponent), (q, q_exponent)] {
            let less = number::less_one(prime);
            if exponent >= &less || !is_one(&number::product(exponent, &self.public, &less)) {
                return Err("crypto/rsa: invalid CRT exponent");
            }
        }
        if !is_one(&number::product(q, coefficient, p)) {
            return Err("crypto/rsa: invalid CRT coefficient");
        }
        if number::remainder(&self.private, &number::less_one(p)) != *p_exponent {
            return Err("crypto/rsa: d does not match dP");
        }
        if number::remainder(&self.private, &number::less_one(q)) != *q_exponent {
            return Err("crypto/rsa: d does not match dQ");
        }
        let half = self.modulus.bit_width_vartime() / 2;
        let apart = if p < q {
            number::difference(q, p)
        } else {
            number::difference(p, q)
        };
        if apart.bit_width_vartime() <= half.saturating_sub(100) {
            return Err("crypto/rsa: |p - q| too small");
        }
        if self.private.bit_width_vartime() <= half {
            return Err("crypto/rsa: d too small");
        }
        Ok(())
    }

    /// As PKCS #1.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut fields = der::integer(&[]);
        for number in [&self.modulus, &self.public, &self.private]
            .into_iter()
            .chain(&self.parts)
        {
            fields.extend(der::integer(&number::to_bytes(number)));
        }
        der::element(der::SEQUENCE, &fields)
    }

    /// The public part, as the certificates have it.
    pub(super) fn public(&self) -> Vec<u8> {
        let fields = [&self.modulus, &self.public].map(|number| der::integer(&number::to_bytes(number)));
        der::element(der::SEQUENCE, &fields.concat())
    }

    /// The signature of a text.
    pub(super) fn sign(&self, context: &mut Context, text: &[u8]) -> Result<Vec<u8>, CallError> {
        let bits = self.modulus.bit_width_vartime();
        if bits < MIN_BITS {
            let message: String = format!(
                "crypto/rsa: {bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)"
            );
            return Err(message.into());
        }
        let words = u64::from(bits / 128 + 1);
        context.spend(words * words * words)?;
        let length = bits.div_ceil(8) as usize;
        let message = number::from_bytes(&padded(&Sha256::digest(text), length));
        let [p, q, p_exponent, q_exponent, coefficient] = &self.parts;
        let by_p = number::power(&message, p_exponent, p);
        let by_q = number::power(&message, q_exponent, q);
        // by_q + q * ((by_p - by_q) / q by p)
        let reduced = number::remainder(&by_q, p);
        let apart = if by_p < reduced {
            number::difference(p, &number::difference(&reduced, &by_p))
        } else {
            number::difference(&by_p, &reduced)
        };
        let signature = number::multiple(q, &number::product(&apart, coefficient, p)).concatenating_add(&by_q);
        Ok(number::to_bytes_of(&signature, length))
    }
}

/// `00 01 ff … 00`, the name of SHA-256, and the hash.
fn padded(hash: &[u8], length: usize) -> Vec<u8> {
    const NAME: [u8; 19] = [
        0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
        0x20,
    ];
    let mut block = alloc::vec![0, 1];
    block.resize(length.saturating_sub(NAME.len() + hash.len() + 1), 0xff);
    block.push(0);
    block.extend_from_slice(&NAME);
    block.extend_from_slice(hash);
    block
}

fn is_odd(number: &Number) -> bool {
    number.as_odd_vartime().is_some()
}

fn is_one(number: &Number) -> bool {
    number.bit_width_vartime() == 1
}

fn common_divisor(a: &Number, b: &Number) -> Number {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !number::is_zero(&b) {
        (a, b) = (b.clone(), number::remainder(&a, &b));
    }
    a
}

/// A prime of `bits` bits, the highest two of them set, to which the exponent fits.
fn draw_prime(context: &mut Context, stream: &mut Stream, bits: usize) -> Result<Number, Limit> {
    loop {
        let mut bytes = stream.bytes(bits / 8);
        if let [first, .., last] = bytes.as_mut_slice() {
            *first |= 0xC0;
            *last |= 1;
        }
        let progression = Progression {
            start: number::from_bytes(&bytes),
            step: Number::from(2_u64),
            terms: bits * 8,
        };
        let suits = |candidate: &Number| prime::small_remainder(candidate, EXPONENT) != 1;
        if let Some(prime) = prime::first(context, stream, &progression, suits)? {
            return Ok(prime);
        }
    }
}
