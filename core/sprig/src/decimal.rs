//! Decimal arithmetic on floats, as `shopspring/decimal` gives it.

use alloc::format;

use convoy_template::CallError;

/// A decimal: `digits * 10^exponent`, or a float where 38 digits do not do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Decimal {
    Exact { digits: i128, exponent: i32 },
    Float(f64),
}

/// Digits behind the point that a division gives.
const DIVISION_PRECISION: i32 = 16;

impl Decimal {
    /// The shortest decimal that reads back as `float`.
    pub(crate) fn new(float: f64) -> Result<Self, CallError> {
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
        let digits: alloc::string::String = mantissa.chars().filter(|c| *c != '.').collect();
        Ok(match (digits.parse(), power.parse::<i32>()) {
            (Ok(digits), Ok(power)) => Self::Exact {
                digits,
                exponent: power - i32::try_from(fraction).unwrap_or(0),
            },
            _ => Self::Float(float),
        })
    }

    /// The nearest float.
    pub(crate) fn to_float(self) -> f64 {
        match self {
            Self::Exact { digits, exponent } => format!("{digits}e{exponent}").parse().unwrap_or(f64::NAN),
            Self::Float(float) => float,
        }
    }

    /// Both with the lesser exponent.
    fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let (
            Self::Exact {
                digits: a,
                exponent: a_exp,
            },
            Self::Exact {
                digits: b,
                exponent: b_exp,
            },
        ) = (self, other)
        else {
            return None;
        };
        let exponent = a_exp.min(b_exp);
        Some((scaled(a, a_exp - exponent)?, scaled(b, b_exp - exponent)?, exponent))
    }

    #[expect(clippy::unnecessary_wraps, reason = "all operations have one type")]
    fn combine(
        self,
        other: Self,
        exact: fn(i128, i128) -> Option<i128>,
        float: fn(f64, f64) -> f64,
    ) -> Result<Self, CallError> {
        let result = self.aligned(other).and_then(|(a, b, exponent)| {
            Some(Self::Exact {
                digits: exact(a, b)?,
                exponent,
            })
        });
        Ok(result.unwrap_or_else(|| Self::Float(float(self.to_float(), other.to_float()))))
    }

    pub(crate) fn add(self, other: Self) -> Result<Self, CallError> {
        self.combine(other, i128::checked_add, |a, b| a + b)
    }

    pub(crate) fn sub(self, other: Self) -> Result<Self, CallError> {
        self.combine(other, i128::checked_sub, |a, b| a - b)
    }

    #[expect(clippy::unnecessary_wraps, reason = "all operations have one type")]
    pub(crate) fn mul(self, other: Self) -> Result<Self, CallError> {
        if let (
            Self::Exact {
                digits: a,
                exponent: a_exp,
            },
            Self::Exact {
                digits: b,
                exponent: b_exp,
            },
        ) = (self, other)
            && let Some(digits) = a.checked_mul(b)
        {
            return Ok(Self::Exact {
                digits,
                exponent: a_exp + b_exp,
            });
        }
        Ok(Self::Float(self.to_float() * other.to_float()))
    }

    /// Rounded to 16 digits behind the point, halves away from zero.
    pub(crate) fn div(self, other: Self) -> Result<Self, CallError> {
        if other.to_float() == 0.0 {
            return Err("decimal division by 0".into());
        }
        let exact = || {
            let (
                Self::Exact {
                    digits: a,
                    exponent: a_exp,
                },
                Self::Exact {
                    digits: b,
                    exponent: b_exp,
                },
            ) = (self, other)
            else {
                return None;
            };
            let shift = a_exp - b_exp + DIVISION_PRECISION;
            let (a, b) = if shift >= 0 {
                (scaled(a, shift)?, b)
            } else {
                (a, scaled(b, -shift)?)
            };
            let (quotient, rest) = (a / b, a % b);
            let up = rest.unsigned_abs().checked_mul(2)? >= b.unsigned_abs();
            let sign = if (a < 0) == (b < 0) { 1 } else { -1 };
            Some(Self::Exact {
                digits: if up { quotient + sign } else { quotient },
                exponent: -DIVISION_PRECISION,
            })
        };
        Ok(exact().unwrap_or_else(|| Self::Float(self.to_float() / other.to_float())))
    }
}

fn scaled(digits: i128, power: i32) -> Option<i128> {
    digits.checked_mul(10_i128.checked_pow(u32::try_from(power).ok()?)?)
}
