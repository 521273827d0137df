//! Keys on the curves of NIST: reading, writing, and signatures that need no random number (RFC 6979).

use alloc::format;
use alloc::vec::Vec;

use convoy_template::{CallError, Context, Limit};
use p256::ecdsa::signature::hazmat::PrehashSigner as _;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

use super::der::{self, Reader};
use crate::random::Stream;

/// A curve.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Curve {
    P256,
    P384,
    P521,
}

/// 1.3.132.0.33, which Go knows and this module does not.
const P224: [u8; 5] = [0x2b, 0x81, 0x04, 0x00, 0x21];

impl Curve {
    const ALL: [Self; 3] = [Self::P256, Self::P384, Self::P521];

    pub(super) fn identifier(self) -> &'static [u8] {
        match self {
            Self::P256 => &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07],
            Self::P384 => &[0x2b, 0x81, 0x04, 0x00, 0x22],
            Self::P521 => &[0x2b, 0x81, 0x04, 0x00, 0x23],
        }
    }

    fn of(identifier: Option<&[u8]>) -> Result<Self, CallError> {
        let known = Self::ALL
            .into_iter()
            .find(|curve| Some(curve.identifier()) == identifier);
        if identifier == Some(&P224) {
            return Err("keys on the curve P-224 are not supported".into());
        }
        known.ok_or_else(|| "x509: unknown elliptic curve".into())
    }

    fn bytes(self) -> usize {
        match self {
            Self::P256 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    /// The name of the signature that goes with it.
    pub(super) fn signature_algorithm(self) -> Vec<u8> {
        let hash = match self {
            Self::P256 => 2,
            Self::P384 => 3,
            Self::P521 => 4,
        };
        let name = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, hash];
        der::element(der::SEQUENCE, &der::element(der::OBJECT_IDENTIFIER, &name))
    }
}

/// A private key: the curve, the secret number, the point of the public key without compression.
pub(super) struct Key {
    pub(super) curve: Curve,
    secret: Vec<u8>,
    pub(super) public: Vec<u8>,
}

/// What one operation costs, in steps of half a microsecond or so.
const COST: u64 = 20_000;

impl Key {
    pub(super) fn generate(context: &mut Context, stream: &mut Stream, curve: Curve) -> Result<Self, Limit> {
        loop {
            context.spend(COST)?;
            if let Some(key) = Self::from_secret(curve, stream.bytes(curve.bytes())) {
                return Ok(key);
            }
        }
    }

    /// `None` if the number is zero or not below the order of the curve.
    fn from_secret(curve: Curve, secret: Vec<u8>) -> Option<Self> {
        let public = match curve {
            Curve::P256 => {
                let key = p256::ecdsa::SigningKey::from_slice(&secret).ok()?;
                key.verifying_key().to_sec1_point(false).as_bytes().to_vec()
            }
            Curve::P384 => {
                let key = p384::ecdsa::SigningKey::from_slice(&secret).ok()?;
                key.verifying_key().to_sec1_point(false).as_bytes().to_vec()
            }
            Curve::P521 => {
                let key = p521::ecdsa::SigningKey::from_slice(&secret).ok()?;
                key.verifying_key().to_sec1_point(false).as_bytes().to_vec()
            }
        };
        Some(Self { curve, secret, public })
    }

    /// Reads SEC 1; a curve that is named outside counts more.
    pub(super) fn read(text: &[u8], named: Option<&[u8]>) -> Result<Self, CallError> {
        let mut fields = Reader::new(Reader::new(text).expect(der::SEQUENCE)?);
        let version = fields.small_integer()?;
        let mut secret = fields.expect(der::OCTET_STRING)?;
        let inside = fields
            .take(der::context(0))
            .and_then(|content| Reader::new(content).take_identifier());
        if version != 1 {
            return Err(format!("x509: unknown EC private key version {version}").into());
        }
        let curve = Curve::of(named.or(inside))?;
        while secret.len() > curve.bytes() {
            let Some((0, rest)) = secret.split_first() else {
                return Err("x509: invalid private key length".into());
            };
            secret = rest;
        }
        let mut padded = alloc::vec![0; curve.bytes() - secret.len()];
        padded.extend_from_slice(secret);
        Self::from_secret(curve, padded).ok_or_else(|| "crypto/ecdsa: invalid private key".into())
    }

    /// As SEC 1.
    pub(super) fn write(&self) -> Vec<u8> {
        let name = der::element(der::OBJECT_IDENTIFIER, self.curve.identifier());
        der::sequence(&[
            &der::integer(&[1]),
            &der::element(der::OCTET_STRING, &self.secret),
            &der::element(der::context(0), &name),
            &der::element(der::context(1), &der::bit_string(&self.public)),
        ])
    }

    /// The signature of a text.
    pub(super) fn sign(&self, context: &mut Context, text: &[u8]) -> Result<Vec<u8>, CallError> {
        context.spend(COST)?;
        let parts = match self.curve {
            Curve::P256 => p256::ecdsa::SigningKey::from_slice(&self.secret)
                .and_then(|key| key.sign_prehash(&Sha256::digest(text)))
                .map(|signature: p256::ecdsa::Signature| signature.to_bytes().to_vec()),
            Curve::P384 => p384::ecdsa::SigningKey::from_slice(&self.secret)
                .and_then(|key| key.sign_prehash(&Sha384::digest(text)))
                .map(|signature: p384::ecdsa::Signature| signature.to_bytes().to_vec()),
            Curve::P521 => p521::ecdsa::SigningKey::from_slice(&self.secret)
                .and_then(|key| key.sign_prehash(&Sha512::digest(text)))
                .map(|signature: p521::ecdsa::Signature| signature.to_bytes().to_vec()),
        };
        let parts = parts.map_err(|_| CallError::from("crypto/ecdsa: invalid private key"))?;
        let (r, s) = parts.split_at(parts.len() / 2);
        Ok(der::sequence(&[&der::integer(r), &der::integer(s)]))
    }
}

/// Whether these bytes are a point of the curve, without compression.
pub(super) fn is_point(curve: Curve, bytes: &[u8]) -> bool {
    bytes.first() == Some(&4)
        && match curve {
            Curve::P256 => p256::PublicKey::from_sec1_bytes(bytes).is_ok(),
            Curve::P384 => p384::PublicKey::from_sec1_bytes(bytes).is_ok(),
            Curve::P521 => p521::PublicKey::from_sec1_bytes(bytes).is_ok(),
        }
}

/// The curve that a public key names.
pub(super) fn curve_of(identifier: &[u8]) -> Result<Curve, &'static str> {
    Curve::of(Some(identifier)).map_err(|_| "x509: unsupported elliptic curve")
}
