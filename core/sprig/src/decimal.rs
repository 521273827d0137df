//! Decimal arithmetic on floats, as `shopspring/decimal` gives it: exact, but for quotients.

use alloc::format;
use alloc::string::String;

use convoy_template::CallError;

use crate::number::{self, Number};

type Result<T> = core::result::Result<T, CallError>;

/// A decimal: `digits * 10^exponent`. Most have few digits; the others are large numbers with a sign.
#[derive(Clone, Debug)]
pub(crate) enum Decimal {
    Small(Scaled<i128>),
    Large(Scaled<Signed>),
}

/// Digits and the power of ten that they are multiplied by.
#[derive(Clone, Debug)]
pub(crate) struct Scaled<T> {
    digits: T,
    exponent: i32,
}

/// A large number with its sign.
#[derive(Clone, Debug)]
pub(crate) struct Signed {
    negative: bool,
    magnitude: Number,
}

/// Digits behind the point that a division gives.
const DIVISION_PRECISION: i32 = 16;

/// The longest number that a product may have, in bits: about 20,000 digits.
const MAX_BITS: u32 = 1 << 16;

/// One step of a fold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Add,
    Sub,
    Mul,
    /// Rounded to 16 digits behind the point, halves away from zero.
    Div,
}

impl Decimal {
    /// The shortest decimal that reads back as `float`.
    pub(crate) fn new(float: f64) -> Result<Self> {
        if float.is_nan() || float.is_infinite() {
            let name = if float.is_nan() {
                "NaN"
            } else if float > 0.0 {
                "+Inf"
            } else {
                "-Inf"
            };
            return Err(format!("Cannot create a Decimal from {name}").into());
        }
        let text = format!("{float:e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        let fraction = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
        // A float has 17 digits at most and a power of three.
        Ok(Self::Small(Scaled {
            digits: digits.parse().unwrap_or(0),
            exponent: power.parse::<i32>().unwrap_or(0) - i32::try_from(fraction).unwrap_or(0),
        }))
    }

    /// The nearest float.
    pub(crate) fn to_float(&self) -> f64 {
        let text = match self {
            Self::Small(Scaled { digits, exponent }) => format!("{digits}e{exponent}"),
            Self::Large(Scaled { digits, exponent }) => {
                let sign = if digits.negative { "-" } else { "" };
                format!("{sign}{}e{exponent}", digits.magnitude.to_string_radix_vartime(10))
            }
        };
        text.parse().unwrap_or(f64::NAN)
    }

    /// The result of an operation.
    pub(crate) fn apply(&self, operation: Operation, other: &Self) -> Result<Self> {
        if matches!(operation, Operation::Div) && other.is_zero() {
            return Err("decimal division by 0".into());
        }
        if let (Self::Small(a), Self::Small(b)) = (self, other)
            && let Some(result) = a.apply(operation, b)
        {
            return Ok(Self::Small(result));
        }
        let result = self.to_large().apply(operation, &other.to_large())?;
        if result.digits.magnitude.bit_width_vartime() > MAX_BITS {
            return Err(format!("limit of the length of a decimal exceeded: {MAX_BITS} bits").into());
        }
        Ok(Self::Large(result))
    }

    fn is_zero(&self) -> bool {
        match self {
            Self::Small(small) => small.digits == 0,
            Self::Large(large) => number::is_zero(&large.digits.magnitude),
        }
    }

    fn to_large(&self) -> Scaled<Signed> {
        match self {
            Self::Small(small) => Scaled {
                digits: Signed {
                    negative: small.digits < 0,
                    magnitude: number::from_bytes(&small.digits.unsigned_abs().to_be_bytes()),
                },
                exponent: small.exponent,
            },
            Self::Large(large) => large.clone(),
        }
    }
}

impl Scaled<i128> {
    /// `None` if the digits do not fit.
    fn apply(&self, operation: Operation, other: &Self) -> Option<Self> {
        let (digits, exponent) = match operation {
            Operation::Mul => (
                self.digits.checked_mul(other.digits)?,
                self.exponent.checked_add(other.exponent)?,
            ),
            Operation::Add | Operation::Sub => {
                let exponent = self.exponent.min(other.exponent);
                let a = scaled(self.digits, self.exponent - exponent)?;
                let b = scaled(other.digits, other.exponent - exponent)?;
                let digits = if matches!(operation, Operation::Add) {
                    a.checked_add(b)?
                } else {
                    a.checked_sub(b)?
                };
                (digits, exponent)
            }
            Operation::Div => {
                let shift = self.exponent - other.exponent + DIVISION_PRECISION;
                let a = scaled(self.digits, shift.max(0))?;
                let b = scaled(other.digits, (-shift).max(0))?;
                let (quotient, rest) = (a.checked_div(b)?, a.checked_rem(b)?);
                let up = rest.unsigned_abs().checked_mul(2)? >= b.unsigned_abs();
                let away = if (a < 0) == (b < 0) { 1 } else { -1 };
                (quotient + if up { away } else { 0 }, -DIVISION_PRECISION)
            }
        };
        Some(Self { digits, exponent })
    }
}

fn scaled(digits: i128, power: i32) -> Option<i128> {
    digits.checked_mul(10_i128.checked_pow(u32::try_from(power).ok()?)?)
}

impl Scaled<Signed> {
    fn apply(&self, operation: Operation, other: &Self) -> Result<Self> {
        let negative = self.digits.negative != other.digits.negative;
        Ok(match operation {
            Operation::Mul => Self {
                digits: Signed {
                    negative,
                    magnitude: number::multiple(&self.digits.magnitude, &other.digits.magnitude),
                },
                exponent: self.exponent.saturating_add(other.exponent),
            },
            Operation::Add | Operation::Sub => {
                let exponent = self.exponent.min(other.exponent);
                let a = self.digits.scaled(self.exponent - exponent)?;
                let mut b = other.digits.scaled(other.exponent - exponent)?;
                b.negative ^= matches!(operation, Operation::Sub);
                Self {
                    digits: a.plus(&b),
                    exponent,
                }
            }
            Operation::Div => {
                let shift = self.exponent - other.exponent + DIVISION_PRECISION;
                let a = self.digits.scaled(shift.max(0))?.magnitude;
                let b = other.digits.scaled((-shift).max(0))?.magnitude;
                let quotient = number::quotient(&a, &b);
                let rest = number::remainder(&a, &b);
                let up = number::sum(&rest, &rest) >= b;
                Self {
                    digits: Signed {
                        negative,
                        magnitude: if up {
                            number::sum(&quotient, &Number::one())
                        } else {
                            quotient
                        },
                    },
                    exponent: -DIVISION_PRECISION,
                }
            }
        })
    }
}

impl Signed {
    fn scaled(&self, power: i32) -> Result<Self> {
        if power > i32::try_from(MAX_BITS / 4).unwrap_or(i32::MAX) {
            return Err(format!("limit of the length of a decimal exceeded: {MAX_BITS} bits").into());
        }
        let mut magnitude = self.magnitude.clone();
        let mut left = u32::try_from(power).unwrap_or(0);
        while left > 0 {
            // The largest power of ten in a word.
            let count = left.min(19);
            magnitude = number::shortened(&number::multiple(&magnitude, &Number::from(10_u64.pow(count))));
            left -= count;
        }
        Ok(Self {
            negative: self.negative,
            magnitude,
        })
    }

    fn plus(&self, other: &Self) -> Self {
        let (a, b) = (&self.magnitude, &other.magnitude);
        if self.negative == other.negative {
            return Self {
                negative: self.negative,
                magnitude: number::sum(a, b),
            };
        }
        let (negative, magnitude) = if a >= b {
            (self.negative, number::difference(a, b))
        } else {
            (other.negative, number::difference(b, a))
        };
        Self { negative, magnitude }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn results_are_those_of_exact_arithmetic() {
        let check = |operation, operands: &[f64], expect: f64| {
            let mut result = Decimal::new(operands[0]).unwrap();
            for operand in &operands[1..] {
                result = result.apply(operation, &Decimal::new(*operand).unwrap()).unwrap();
            }
            assert_eq!(
                result.to_float().to_bits(),
                expect.to_bits(),
                "{operation:?} {operands:?}"
            );
        };
        check(Operation::Add, &[0.1, 0.2], 0.3);
        check(Operation::Add, &[1e300, 1e-300, -1e300], 1e-300);
        check(Operation::Sub, &[1e40, 1.0, 1e40], -1.0);
        check(Operation::Mul, &[1e200, 1e-200, 1e100, 1e-100], 1.0);
        check(
            Operation::Mul,
            &[1.000_000_000_000_001, 1.000_000_000_000_001, 1.000_000_000_000_001],
            1.000_000_000_000_003,
        );
        check(
            Operation::Div,
            &[1e21, 3.0],
            333_333_333_333_333_333_333.333_333_333_333_333_3,
        );
        check(Operation::Div, &[1.0, 1e21], 0.0);
        check(Operation::Div, &[-2.0, 3e40, 1e-30], 0.0);
        check(Operation::Div, &[1e300, -1e-300], f64::NEG_INFINITY);
    }

    #[test]
    fn a_product_without_end_is_refused() {
        let mut result = Decimal::new(1.234_567_890_123_456_7e300).unwrap();
        let error = loop {
            match result.apply(Operation::Mul, &result.clone()) {
                Ok(next) => result = next,
                Err(error) => break error,
            }
        };
        assert_eq!(
            error.to_string(),
            "limit of the length of a decimal exceeded: 65536 bits"
        );
    }
}
