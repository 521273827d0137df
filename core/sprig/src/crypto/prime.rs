//! The way from drawn bytes to a prime. It is written down here, and no library's, because keys must stay the same
//! when libraries change.
//!
//! Candidates are the terms of an arithmetic progression that begins at a drawn number. A sieve strikes out those with
//! a small factor, one Fermat test by base 2 most of the others, and the first that passes rounds of Miller and Rabin
//! with drawn bases is the prime. When a progression has none, another beginning is drawn.

use alloc::vec;
use alloc::vec::Vec;

use convoy_template::{Context, Limit};
use crypto_bigint::BoxedUint;

use crate::number::{self, Number};
use crate::random::Stream;

/// Factors below this are found by the sieve.
const SIEVE_BOUND: usize = 1 << 14;

/// An arithmetic progression of candidates.
pub(super) struct Progression {
    /// The first one: it has as many bits as whole words, so that its highest bit is set.
    pub(super) start: Number,
    /// What lies between two.
    pub(super) step: Number,
    /// How many there are.
    pub(super) terms: usize,
}

/// Rounds of Miller and Rabin for a random number of so many bits: an error is rarer than one in 2^100.
fn rounds(bits: usize) -> usize {
    if bits < 1_024 { 40 } else { 5 }
}

/// The first prime of the progression that `suits`.
pub(super) fn first(
    context: &mut Context,
    stream: &mut Stream,
    progression: &Progression,
    suits: impl Fn(&Number) -> bool,
) -> Result<Option<Number>, Limit> {
    let survivors = sieve(progression);
    let words = progression.start.nlimbs();
    for place in survivors {
        let offset = number::multiple(&progression.step, &Number::from(place as u64));
        let candidate = number::sum(&progression.start, &offset);
        // So dear that the steps of a whole render buy some seconds, here and below.
        context.spend(cube(words) / 2 + 1)?;
        if candidate.nlimbs() != words || !passes_fermat(candidate.as_words()) || !suits(&candidate) {
            continue;
        }
        if passes_miller_rabin(context, stream, &candidate)? {
            return Ok(Some(candidate));
        }
    }
    Ok(None)
}

/// What raising a number of so many words to a power costs grows so.
fn cube(words: usize) -> u64 {
    (words * words * words) as u64
}

/// The places of the terms that no small prime divides.
fn sieve(progression: &Progression) -> Vec<usize> {
    let mut struck = vec![false; progression.terms];
    for prime in small_primes() {
        let start = small_remainder(&progression.start, prime);
        let step = small_remainder(&progression.step, prime);
        if step == 0 {
            if start == 0 {
                return Vec::new();
            }
            continue;
        }
        // start + k * step = 0 (mod prime)
        let place = (prime - start) * small_inverse(step, prime) % prime;
        let mut place = usize::try_from(place).unwrap_or(usize::MAX);
        while let Some(term) = struck.get_mut(place) {
            *term = true;
            place += usize::try_from(prime).unwrap_or(usize::MAX);
        }
    }
    (0..progression.terms)
        .filter(|place| struck.get(*place) == Some(&false))
        .collect()
}

/// The primes below the bound.
fn small_primes() -> Vec<u64> {
    let mut composite = vec![false; SIEVE_BOUND];
    let mut primes = Vec::new();
    for number in 2..SIEVE_BOUND {
        if composite.get(number) == Some(&false) {
            primes.push(number as u64);
            for multiple in (number * number..SIEVE_BOUND).step_by(number) {
                if let Some(entry) = composite.get_mut(multiple) {
                    *entry = true;
                }
            }
        }
    }
    primes
}

/// The remainder by a number below 2^32.
pub(super) fn small_remainder(number: &Number, by: u64) -> u64 {
    number.as_words().iter().rev().fold(0, |rest, word| {
        let rest = (rest << 32 | word >> 32) % by;
        (rest << 32 | (word & 0xFFFF_FFFF)) % by
    })
}

/// The inverse of a number by a small prime: its power by the prime less two.
fn small_inverse(number: u64, prime: u64) -> u64 {
    let (mut power, mut base, mut exponent) = (1, number % prime, prime - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * base % prime;
        }
        base = base * base % prime;
        exponent >>= 1;
    }
    power % prime
}

/// Whether 2^(n-1) is 1 by n, for an odd n whose highest bit is set; words are least significant first.
fn passes_fermat(modulus: &[u64]) -> bool {
    let (Some(lowest), Some(highest)) = (modulus.first(), modulus.last()) else {
        return false;
    };
    if lowest & 1 == 0 || highest >> 63 == 0 {
        return false;
    }
    let negative_inverse = negative_inverse(*lowest);
    // 1 in the form of Montgomery: 2^(64 * words) less n, since n is more than half of it.
    let mut one: Vec<u64> = modulus.iter().map(|word| !word).collect();
    add_small(&mut one, 1);
    let mut power = one.clone();
    double(&mut power, modulus);
    let mut square = vec![0; modulus.len() * 2];
    // The highest bit of n - 1 is done.
    for bit in (0..modulus.len() * 64 - 1).rev() {
        square_into(&power, &mut square);
        reduce(&mut square, modulus, negative_inverse, &mut power);
        let word = modulus.get(bit / 64).copied().unwrap_or(0) & if bit < 64 { !1 } else { u64::MAX };
        if word >> (bit % 64) & 1 == 1 {
            double(&mut power, modulus);
        }
    }
    power == one
}

/// -1 / n by 2^64, by Newton's iteration.
fn negative_inverse(n: u64) -> u64 {
    let inverse = (0..6).fold(n, |inverse, _| {
        inverse.wrapping_mul(2_u64.wrapping_sub(n.wrapping_mul(inverse)))
    });
    inverse.wrapping_neg()
}

fn add_small(number: &mut [u64], small: u64) {
    let mut carry = small;
    for word in number {
        let (sum, over) = word.overflowing_add(carry);
        *word = sum;
        carry = u64::from(over);
    }
}

/// Subtracts `modulus` once if `number`, with `carry` as a word above, is not less.
fn subtract_once(number: &mut [u64], carry: bool, modulus: &[u64]) {
    let is_less = number.iter().rev().cmp(modulus.iter().rev()).is_lt();
    if is_less && !carry {
        return;
    }
    let mut borrow = false;
    for (word, other) in number.iter_mut().zip(modulus) {
        let (less, first) = word.overflowing_sub(*other);
        let (less, second) = less.overflowing_sub(u64::from(borrow));
        *word = less;
        borrow = first || second;
    }
}

fn double(number: &mut [u64], modulus: &[u64]) {
    let mut carry = 0;
    for word in number.iter_mut() {
        let high = *word >> 63;
        *word = *word << 1 | carry;
        carry = high;
    }
    subtract_once(number, carry == 1, modulus);
}

/// `a * b + c + d`: low and high word.
fn multiply_add(a: u64, b: u64, c: u64, d: u64) -> (u64, u64) {
    let wide = u128::from(a) * u128::from(b) + u128::from(c) + u128::from(d);
    #[expect(clippy::cast_possible_truncation, reason = "the halves of a wide word")]
    let halves = (wide as u64, (wide >> 64) as u64);
    halves
}

/// The square of a number in twice as many words.
fn square_into(number: &[u64], square: &mut [u64]) {
    square.fill(0);
    for (place, word) in number.iter().enumerate() {
        let mut carry = 0;
        let rest = number.get(place + 1..).unwrap_or(&[]);
        let target = square.get_mut(2 * place + 1..).unwrap_or(&mut []);
        for (slot, other) in target.iter_mut().zip(rest) {
            (*slot, carry) = multiply_add(*word, *other, *slot, carry);
        }
        if let Some(slot) = target.get_mut(rest.len()) {
            *slot = carry;
        }
    }
    let (mut shifted, mut carry) = (0, 0);
    for (pair, word) in square.chunks_exact_mut(2).zip(number) {
        if let [low, high] = pair {
            let doubled = (*low << 1 | shifted, *high << 1 | *low >> 63);
            shifted = *high >> 63;
            let (first, over) = multiply_add(*word, *word, doubled.0, carry);
            let (second, again) = doubled.1.overflowing_add(over);
            (*low, *high) = (first, second);
            carry = u64::from(again);
        }
    }
}

/// Montgomery's reduction of a double-width number.
fn reduce(wide: &mut [u64], modulus: &[u64], negative_inverse: u64, out: &mut [u64]) {
    let mut top = 0;
    for place in 0..modulus.len() {
        let window = wide.get_mut(place..=place + modulus.len()).unwrap_or(&mut []);
        let Some((last, window)) = window.split_last_mut() else {
            continue;
        };
        let factor = window.first().copied().unwrap_or(0).wrapping_mul(negative_inverse);
        let mut carry = 0;
        for (slot, word) in window.iter_mut().zip(modulus) {
            (*slot, carry) = multiply_add(factor, *word, *slot, carry);
        }
        let (sum, first) = last.overflowing_add(carry);
        let (sum, second) = sum.overflowing_add(top);
        *last = sum;
        top = u64::from(first) + u64::from(second);
    }
    out.copy_from_slice(wide.get(modulus.len()..).unwrap_or(&[]));
    subtract_once(out, top == 1, modulus);
}

fn passes_miller_rabin(context: &mut Context, stream: &mut Stream, candidate: &Number) -> Result<bool, Limit> {
    let Some(params) = number::residues(candidate) else {
        return Ok(false);
    };
    let words = candidate.nlimbs();
    let before = number::less_one(candidate);
    let twos = before.trailing_zeros_vartime();
    let odd = before.shr(twos);
    let least = number::form(&before, candidate, &params);
    let one = number::form(&BoxedUint::one(), candidate, &params);
    for _ in 0..rounds(words * 64) {
        context.spend(2 * cube(words) + 1)?;
        let base = number::from_bytes(&stream.bytes(words * 8));
        let mut power = number::form(&base, candidate, &params).pow(&odd);
        if number::is_zero(&power.retrieve()) || power == one || power == least {
            continue;
        }
        let mut is_witness = true;
        for _ in 1..twos {
            power = power.square();
            if power == least {
                is_witness = false;
                break;
            }
        }
        if is_witness {
            return Ok(false);
        }
    }
    Ok(true)
}
