//! Public keys (RFC 9580, 5.5.2), of version 4.

use ring::digest;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY,
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey,
};

use super::super::Flaw;
use super::packet::Bytes;

/// A key, with what identifies it.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    body: Vec<u8>,
    pub(super) created: u32,
    pub(super) fingerprint: [u8; 20],
    material: Material,
}

#[derive(Clone, Debug)]
enum Material {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
    /// Which cannot sign, or not in a way that counts.
    Other,
}

/// Hash algorithms, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hash {
    /// For what keys say of themselves only.
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    pub(super) fn read(number: u8) -> Option<Self> {
        match number {
            2 => Some(Self::Sha1),
            8 => Some(Self::Sha256),
            9 => Some(Self::Sha384),
            10 => Some(Self::Sha512),
            _ => None,
        }
    }

    fn of(self, message: &[u8]) -> digest::Digest {
        let algorithm = match self {
            Self::Sha1 => &digest::SHA1_FOR_LEGACY_USE_ONLY,
            Self::Sha256 => &digest::SHA256,
            Self::Sha384 => &digest::SHA384,
            Self::Sha512 => &digest::SHA512,
        };
        digest::digest(algorithm, message)
    }
}

const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
const ED25519_OLD: &[u8] = &[0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x0f, 0x01];

impl Key {
    /// Reads the body of a key's packet.
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(body);
        if bytes.u8()? != 4 {
            return None;
        }
        let created = bytes.u32()?;
        let material = match bytes.u8()? {
            1 | 3 => Material::Rsa {
                modulus: bytes.number()?.to_vec(),
                exponent: bytes.number()?.to_vec(),
            },
            19 => match (bytes.short()?, bytes.number()?) {
                (P256, point) => Material::P256(point.to_vec()),
                (P384, point) => Material::P384(point.to_vec()),
                _ => Material::Other,
            },
            22 => match (bytes.short()?, bytes.number()?) {
                // The octet 0x40 says that the point is as the algorithm has it.
                (ED25519_OLD, [0x40, point @ ..]) => Material::Ed25519(point.to_vec()),
                _ => Material::Other,
            },
            27 => Material::Ed25519(bytes.take(32)?.to_vec()),
            _ => Material::Other,
        };
        let mut key = Self {
            body: body.to_vec(),
            created,
            fingerprint: [0; 20],
            material,
        };
        let hash = Hash::Sha1.of(&key.framed()?);
        key.fingerprint.copy_from_slice(hash.as_ref());
        Some(key)
    }

    /// As signatures about the key have it.
    pub(super) fn framed(&self) -> Option<Vec<u8>> {
        let length = u16::try_from(self.body.len()).ok()?;
        let mut framed = vec![0x99];
        framed.extend_from_slice(&length.to_be_bytes());
        framed.extend_from_slice(&self.body);
        Some(framed)
    }

    /// The last eight bytes of the fingerprint.
    pub(super) fn id(&self) -> &[u8] {
        &self.fingerprint[12..]
    }

    /// Whether `signature`, in the form of `algorithm`, is this key's of `message`.
    pub(super) fn verify(&self, algorithm: u8, hash: Hash, message: &[u8], signature: &[u8]) -> Result<(), Flaw> {
        let mut bytes = Bytes(signature);
        let mut number = || bytes.number().ok_or(Flaw::Damaged);
        let verified = match (&self.material, algorithm) {
            (Material::Rsa { modulus, exponent }, 1 | 3) => {
                let parameters = match hash {
                    Hash::Sha1 => &RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY,
                    Hash::Sha256 => &RSA_PKCS1_2048_8192_SHA256,
                    Hash::Sha384 => &RSA_PKCS1_2048_8192_SHA384,
                    Hash::Sha512 => &RSA_PKCS1_2048_8192_SHA512,
                };
                let signature = padded(number()?, modulus.len()).ok_or(Flaw::Wrong)?;
                PublicKeyComponents {
                    n: modulus,
                    e: exponent,
                }
                .verify(parameters, message, &signature)
            }
            (Material::P256(point), 19) if hash == Hash::Sha256 => {
                let pair = pair(number()?, number()?, 32)?;
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, &pair)
            }
            (Material::P384(point), 19) if hash == Hash::Sha384 => {
                let pair = pair(number()?, number()?, 48)?;
                UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, point).verify(message, &pair)
            }
            (Material::Ed25519(point), 22) => {
                let pair = pair(number()?, number()?, 32)?;
                UnparsedPublicKey::new(&ED25519, point).verify(hash.of(message).as_ref(), &pair)
            }
            (Material::Ed25519(point), 27) => {
                let signature = signature.get(..64).ok_or(Flaw::Damaged)?;
                UnparsedPublicKey::new(&ED25519, point).verify(hash.of(message).as_ref(), signature)
            }
            _ => return Err(Flaw::Unsupported("an algorithm that does not count here")),
        };
        verified.map_err(|_| Flaw::Wrong)
    }
}

/// Two numbers at their full length.
fn pair(first: &[u8], second: &[u8], length: usize) -> Result<Vec<u8>, Flaw> {
    let first = padded(first, length).ok_or(Flaw::Wrong)?;
    let second = padded(second, length).ok_or(Flaw::Wrong)?;
    Ok([first, second].concat())
}

/// `number` with leading zeros.
fn padded(number: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut padded = vec![0; length.checked_sub(number.len())?];
    padded.extend_from_slice(number);
    Some(padded)
}
