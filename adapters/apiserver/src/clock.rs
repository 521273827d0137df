//! Times and identifiers in the forms that objects carry.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;

/// The present time.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(0);
    Timestamp::new(seconds, i32::try_from(since.subsec_nanos()).unwrap_or(0)).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The present time in whole seconds, as `metadata` carries it.
pub(crate) fn now_text() -> String {
    seconds(now())
}

/// A time in whole seconds.
pub(crate) fn seconds(time: Timestamp) -> String {
    Timestamp::from_second(time.as_second())
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .to_string()
}

/// A source of identifiers: unpredictable unless seeded.
#[derive(Debug)]
pub(crate) struct Ids(u64);

impl Ids {
    pub(crate) fn new(seed: Option<u64>) -> Self {
        Self(seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A version 4 UUID.
    pub(crate) fn uid(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        let (first, second, third) = (high >> 32, (high >> 16) & 0xffff, high & 0x0fff);
        let (variant, node) = (((low >> 48) & 0x3fff) | 0x8000, low & 0xffff_ffff_ffff);
        format!("{first:08x}-{second:04x}-4{third:03x}-{variant:04x}-{node:012x}")
    }

    /// The five letters that complete a generated name.
    pub(crate) fn suffix(&mut self) -> String {
        const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        let mut bits = self.next();
        let mut out = String::with_capacity(5);
        for _ in 0..5 {
            let at = usize::try_from(bits % LETTERS.len() as u64).unwrap_or(0);
            out.push(char::from(LETTERS[at]));
            bits /= LETTERS.len() as u64;
        }
        out
    }
}
