//! Numbers as the readers leave them.

use alloc::boxed::Box;

/// A number. Which variant a text becomes is the reader's decision (see `yaml`).
#[derive(Clone, Debug)]
pub enum Number {
    /// An integer that fits 64 signed bits.
    Int(i64),
    /// An integer above [`i64::MAX`] that fits 64 unsigned bits.
    Uint(u64),
    /// A float, never NaN or infinite when it came from JSON.
    Float(f64),
    /// Digits beyond 64 bits, kept as written: only the Kustomize reader makes it.
    Big(Box<str>),
}

impl Number {
    /// The number as a signed integer, if it is one and fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(i) => Some(*i),
            Self::Uint(u) => i64::try_from(*u).ok(),
            Self::Float(_) | Self::Big(_) => None,
        }
    }

    /// Whether JSON can hold it: anything but NaN and the infinities.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.as_f64().is_finite()
    }

    /// The nearest float.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
    pub fn as_f64(&self) -> f64 {
        match self {
            Self::Int(i) => *i as f64,
            Self::Uint(u) => *u as f64,
            Self::Float(f) => *f,
            Self::Big(digits) => digits.parse().unwrap_or(f64::INFINITY),
        }
    }
}

impl From<u64> for Number {
    /// An `Int` if it fits, else a `Uint`.
    fn from(u: u64) -> Self {
        i64::try_from(u).map_or(Self::Uint(u), Self::Int)
    }
}

/// Equality of kind and value, so that `1` and `1.0` differ (they have different canonical JSON in Go only
/// when their kinds differ in Go); floats compare by bits, so that a map of values is reflexive.
impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Uint(a), Self::Uint(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Big(a), Self::Big(b)) => a == b,
            (Self::Int(_) | Self::Uint(_) | Self::Float(_) | Self::Big(_), _) => false,
        }
    }
}

impl Eq for Number {}
