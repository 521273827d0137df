//! Randomness that repeats.

use std::sync::Mutex;

use convoy_ports::{Entropy, EntropyError};

use crate::sync::lock;

/// Gives 1, 2, 3, … to one request after the other; or nothing.
#[derive(Debug, Default)]
pub struct FakeEntropy {
    requests: Mutex<u8>,
    exhausted: bool,
}

impl FakeEntropy {
    /// The bytes of the first request are all 1.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One that has nothing to give.
    #[must_use]
    pub fn exhausted() -> Self {
        Self {
            exhausted: true,
            ..Self::default()
        }
    }
}

impl Entropy for FakeEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        if self.exhausted {
            return Err(EntropyError {
                why: "none is left".to_owned(),
            });
        }
        let mut requests = lock(&self.requests);
        *requests = requests.wrapping_add(1);
        bytes.fill(*requests);
        Ok(())
    }
}
