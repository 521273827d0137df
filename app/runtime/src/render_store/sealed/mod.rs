//! Encrypted blobs: what a key protects, and from what.
//!
//! A sealed blob is a header and chunks:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `\0convoy1`: no clear blob starts with a zero |
//! | 8 | id of the key: the first bytes of SHA-256 over `convoy key id` and the key |
//! | 32 | salt, new for each blob |
//! | … | chunks of 64 KiB of clear bytes, each sealed with AES-256-GCM and 16 bytes longer; the last has fewer |
//!
//! Each blob has a key of its own, HMAC-SHA256 of the key over `convoy blob key` and the salt, so that nonces can count:
//! the nonce of a chunk is its number and whether it is the last. Chunks therefore cannot be left out, reordered or cut
//! off. Each is bound to the header and to namespace, name and renderRef: under another key of the store it does not
//! open.
//!
//! # Invariant
//! The renderRef stays the hash of the clear bytes, and a blob that opened is hashed like any other.

mod keyring;
mod open;
mod seal;

use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::{Aes256Gcm, KeyInit as _};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

pub use keyring::{InvalidKeys, Key, KeyId, Keyring};
pub(super) use open::{OpenFailure, Opener};
pub(super) use seal::Sealer;

/// Length of a salt.
pub(super) const SALT: usize = 32;

const MAGIC: &[u8; 8] = b"\0convoy1";
const HEADER: usize = MAGIC.len() + KeyId::BYTES + SALT;
/// Clear bytes of a chunk.
const CHUNK: usize = 64 * 1024;
/// What sealing adds to a chunk.
const TAG: usize = 16;

/// The chunks of one blob, in order.
struct Chunks {
    cipher: Aes256Gcm,
    bound: Vec<u8>,
    number: u64,
}

impl Chunks {
    /// Of a blob with this header, bound to the text that names it.
    fn new(key: &Key, header: &[u8; HEADER], name: &str) -> Option<Self> {
        let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key.bytes()).ok()?;
        mac.update(b"convoy blob key");
        mac.update(&header[HEADER - SALT..]);
        let own = mac.finalize().into_bytes();
        Some(Self {
            cipher: Aes256Gcm::new_from_slice(&own).ok()?,
            bound: [header, name.as_bytes()].concat(),
            number: 0,
        })
    }

    fn nonce(&mut self, last: bool) -> [u8; 12] {
        let mut nonce = [0; 12];
        nonce[3..11].copy_from_slice(&self.number.to_be_bytes());
        nonce[11] = u8::from(last);
        self.number += 1;
        nonce
    }

    fn seal(&mut self, clear: &[u8], last: bool) -> Option<Vec<u8>> {
        let nonce = self.nonce(last).into();
        let payload = Payload {
            msg: clear,
            aad: &self.bound,
        };
        self.cipher.encrypt(&nonce, payload).ok()
    }

    fn open(&mut self, sealed: &[u8], last: bool) -> Option<Vec<u8>> {
        let nonce = self.nonce(last).into();
        let payload = Payload {
            msg: sealed,
            aad: &self.bound,
        };
        self.cipher.decrypt(&nonce, payload).ok()
    }
}

impl std::fmt::Debug for Chunks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chunks")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
