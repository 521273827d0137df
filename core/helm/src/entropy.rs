//! Random bytes that are the same each time: what a key gives for the place of a draw.

use alloc::string::String;
use alloc::vec::Vec;

use convoy_sprig::{Draw, Entropy};
use sha2::{Digest as _, Sha256};

/// Draws of one release: HMAC-SHA-256 with the installation's key over the release, its entropy generation, and the
/// draw: template, function, arguments, and how often that call was made before.
///
/// Every text is preceded by its length, so that no two draws have one message.
pub struct KeyedEntropy {
    key: [u8; 64],
    release: String,
    generation: u64,
}

impl core::fmt::Debug for KeyedEntropy {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("KeyedEntropy")
            .field("release", &self.release)
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

impl KeyedEntropy {
    /// The draws of `namespace/name` with a key of any length.
    #[must_use]
    pub fn new(key: &[u8], namespace: &str, name: &str, generation: u64) -> Self {
        let mut block = [0; 64];
        if key.len() > block.len() {
            block[..32].copy_from_slice(&Sha256::digest(key));
        } else {
            block[..key.len()].copy_from_slice(key);
        }
        Self {
            key: block,
            release: alloc::format!("{namespace}/{name}"),
            generation,
        }
    }

    fn mac(&self, message: &[u8]) -> [u8; 32] {
        let pad = |byte: u8| self.key.map(|key| key ^ byte);
        let inner = Sha256::new().chain_update(pad(0x36)).chain_update(message).finalize();
        Sha256::new()
            .chain_update(pad(0x5c))
            .chain_update(inner)
            .finalize()
            .into()
    }
}

impl Entropy for KeyedEntropy {
    fn seed(&mut self, draw: &Draw<'_>) -> [u8; 32] {
        let mut message = Vec::new();
        let mut add = |bytes: &[u8]| {
            message.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
            message.extend_from_slice(bytes);
        };
        add(self.release.as_bytes());
        add(&self.generation.to_be_bytes());
        add(draw.template.as_bytes());
        add(draw.function.as_bytes());
        add(&(draw.arguments.len() as u64).to_be_bytes());
        for argument in draw.arguments {
            add(argument.as_bytes());
        }
        add(&draw.ordinal.to_be_bytes());
        self.mac(&message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_the_standard_one() {
        // The first case of RFC 4231.
        let entropy = KeyedEntropy::new(&[0x0b; 20], "", "", 0);
        assert_eq!(entropy.mac(b"Hi There")[..4], [0xb0, 0x34, 0x4c, 0x61]);
    }

    #[test]
    fn every_part_of_a_draw_counts() {
        let seed = |name: &str, generation, template, ordinal| {
            KeyedEntropy::new(b"key", "ns", name, generation).seed(&Draw {
                template,
                function: "randAlpha",
                arguments: &["5".into()],
                ordinal,
            })
        };
        let first = seed("a", 0, "t", 0);
        assert_eq!(first, seed("a", 0, "t", 0));
        for other in [
            seed("b", 0, "t", 0),
            seed("a", 1, "t", 0),
            seed("a", 0, "u", 0),
            seed("a", 0, "t", 1),
        ] {
            assert_ne!(first, other);
        }
    }
}
