//! Values and texts from a seed.
//!
//! Everything here is a function of a [`Random`], so that a failing case is named by its seed.

mod manifests;
mod patch;
mod text;
mod value;

pub use manifests::manifests;
pub use patch::{json_patch, merge_patch};
pub use text::{mutated_text, soup, structured_text};
pub use value::{string, value, words};

/// A small generator of random numbers (`SplitMix64`): the same seed gives the same cases everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator for `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.bits() % bound as u64).unwrap_or(0)
    }

    /// Whether something that happens once in `times` happens now.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of `items`.
    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}
