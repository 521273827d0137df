//! Private keys of all kinds: from a draw, from PEM, to PEM, and what certificates need of them.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use convoy_template::{CallError, Context, Limit};
use ed25519_dalek::{Signer as _, SigningKey};

use super::der::{self, Reader};
use super::ec::{self, Curve};
use super::{dsa, pem, rsa};
use crate::random::Stream;

type Result<T> = core::result::Result<T, CallError>;

/// 1.2.840.113549.1.1.1
pub(super) const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
/// 1.2.840.113549.1.1.11
const RSA_WITH_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b];
/// 1.2.840.10045.2.1
pub(super) const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
/// 1.3.101.112
pub(super) const ED25519: &[u8] = &[0x2b, 0x65, 0x70];
/// 1.3.101.110
pub(super) const X25519: &[u8] = &[0x2b, 0x65, 0x6e];
/// 1.2.840.10040.4.1
pub(super) const DSA: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01];

/// A private key.
pub(super) enum PrivateKey {
    Rsa(Box<rsa::Key>),
    Ec(ec::Key),
    Ed25519([u8; 32]),
    /// It signs nothing.
    Dsa(dsa::Key),
    /// It agrees on keys and signs nothing.
    X25519,
}

/// The public half as certificates have it.
#[derive(PartialEq, Eq)]
pub(super) struct PublicKey {
    /// Name and parameters of the algorithm: a sequence.
    pub(super) algorithm: Vec<u8>,
    pub(super) bits: Vec<u8>,
}

/// Name of an algorithm that needs a null as its parameter.
fn with_null(name: &[u8]) -> Vec<u8> {
    der::sequence(&[&der::element(der::OBJECT_IDENTIFIER, name), &[der::NULL, 0]])
}

fn without_parameters(name: &[u8]) -> Vec<u8> {
    der::element(der::SEQUENCE, &der::element(der::OBJECT_IDENTIFIER, name))
}

impl PrivateKey {
    /// A new RSA key.
    pub(super) fn rsa(context: &mut Context, stream: &mut Stream, bits: usize) -> core::result::Result<Self, Limit> {
        rsa::Key::generate(context, stream, bits).map(|key| Self::Rsa(Box::new(key)))
    }

    /// A new key of the kind that `genPrivateKey` names; `None` if there is no such kind.
    pub(super) fn generate(
        context: &mut Context,
        stream: &mut Stream,
        kind: &[u8],
    ) -> core::result::Result<Option<Self>, Limit> {
        Ok(Some(match kind {
            b"" | b"rsa" => Self::rsa(context, stream, 4_096)?,
            b"dsa" => Self::Dsa(dsa::Key::generate(context, stream)?),
            b"ecdsa" => Self::Ec(ec::Key::generate(context, stream, Curve::P256)?),
            b"ed25519" => Self::Ed25519(core::array::from_fn(|_| stream.byte())),
            _ => return Ok(None),
        }))
    }

    /// Reads the first block of a text.
    pub(super) fn read(text: &[u8]) -> Result<Self> {
        let block = pem::decode(text).ok_or("no PEM data in input")?;
        if block.name == b"PRIVATE KEY" {
            return read_pkcs8(&block.bytes).map_err(|error| within(&error, "decoding PEM as PKCS#8"));
        }
        let name = String::from_utf8_lossy(&block.name).into_owned();
        match name.strip_suffix(" PRIVATE KEY") {
            None => Err(format!("no private key data in PEM block of type {name}").into()),
            Some("RSA") => rsa::Key::read(&block.bytes)
                .map(|key| Self::Rsa(Box::new(key)))
                .map_err(|error| {
                    within(
                        &suggestion(&block.bytes, Format::Pkcs1, error),
                        "parsing RSA private key from PEM",
                    )
                }),
            Some("EC") => ec::Key::read(&block.bytes, None).map(Self::Ec).map_err(|error| {
                within(
                    &suggestion(&block.bytes, Format::Sec1, error),
                    "parsing EC private key from PEM",
                )
            }),
            Some("DSA") => dsa::Key::read(&block.bytes)
                .map(Self::Dsa)
                .map_err(|error| within(&error, "parsing DSA private key from PEM")),
            Some(_) => Err(format!("invalid private key type {name}").into()),
        }
    }

    /// As PEM; nothing for a key that Sprig never writes.
    pub(super) fn write(&self) -> String {
        match self {
            Self::Rsa(key) => pem::encode("RSA PRIVATE KEY", &key.write()),
            Self::Ec(key) => pem::encode("EC PRIVATE KEY", &key.write()),
            Self::Dsa(key) => pem::encode("DSA PRIVATE KEY", &key.write()),
            Self::Ed25519(seed) => {
                let inner = der::element(der::OCTET_STRING, seed);
                let fields = [
                    der::integer(&[]),
                    without_parameters(ED25519),
                    der::element(der::OCTET_STRING, &inner),
                ];
                pem::encode("PRIVATE KEY", &der::element(der::SEQUENCE, &fields.concat()))
            }
            Self::X25519 => String::new(),
        }
    }

    /// The public half.
    pub(super) fn public(&self) -> Result<PublicKey> {
        let (algorithm, bits) = match self {
            Self::Rsa(key) => (with_null(RSA), key.public()),
            Self::Ec(key) => {
                let names = [EC, key.curve.identifier()].map(|name| der::element(der::OBJECT_IDENTIFIER, name));
                (der::element(der::SEQUENCE, &names.concat()), key.public.clone())
            }
            Self::Ed25519(seed) => {
                let public = SigningKey::from_bytes(seed).verifying_key();
                (without_parameters(ED25519), public.to_bytes().to_vec())
            }
            Self::Dsa(_) => return Err("x509: unsupported public key type: *dsa.PublicKey".into()),
            Self::X25519 => return Err("x509: unsupported public key type: *ecdh.PublicKey".into()),
        };
        Ok(PublicKey { algorithm, bits })
    }

    /// Whether it can sign.
    pub(super) fn is_signer(&self) -> bool {
        matches!(self, Self::Rsa(_) | Self::Ec(_) | Self::Ed25519(_))
    }

    /// The name of the signature that `sign` makes, before there is one.
    pub(super) fn signature_algorithm(&self) -> Vec<u8> {
        match self {
            Self::Rsa(_) => with_null(RSA_WITH_SHA256),
            Self::Ec(key) => key.curve.signature_algorithm(),
            Self::Ed25519(_) => without_parameters(ED25519),
            Self::Dsa(_) | Self::X25519 => Vec::new(),
        }
    }

    /// The signature of a text.
    pub(super) fn sign(&self, context: &mut Context, text: &[u8]) -> Result<Vec<u8>> {
        match self {
            Self::Rsa(key) => key.sign(context, text),
            Self::Ec(key) => key.sign(context, text),
            Self::Ed25519(seed) => Ok(SigningKey::from_bytes(seed).sign(text).to_bytes().to_vec()),
            Self::Dsa(_) | Self::X25519 => Err(NOT_A_SIGNER.into()),
        }
    }
}

pub(super) const NOT_A_SIGNER: &str = "x509: certificate private key does not implement crypto.Signer";

/// An error with what was being done before it; a limit stays one.
pub(super) fn within(error: &CallError, doing: &str) -> CallError {
    match error.limit() {
        Some(limit) => limit.into(),
        None => format!("{doing}: {error}").into(),
    }
}

/// The three ways to write a private key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Pkcs1,
    Pkcs8,
    Sec1,
}

/// Whether a text has the shape of a format.
fn has_shape(text: &[u8], format: Format) -> bool {
    let Some(content) = Reader::new(text).take(der::SEQUENCE) else {
        return false;
    };
    let mut fields = Reader::new(content);
    let rest = match format {
        Format::Pkcs1 => core::iter::repeat_n(der::INTEGER, 5).collect::<Vec<u8>>(),
        Format::Pkcs8 => alloc::vec![der::SEQUENCE, der::OCTET_STRING],
        Format::Sec1 => alloc::vec![der::OCTET_STRING],
    };
    fields.take(der::INTEGER).is_some() && rest.into_iter().all(|tag| fields.take(tag).is_some())
}

/// What to say of a text that is not of its format but of another.
fn suggestion(text: &[u8], wanted: Format, error: CallError) -> CallError {
    if error.limit().is_some() || has_shape(text, wanted) {
        return error;
    }
    let others = match wanted {
        Format::Pkcs1 => [Format::Sec1, Format::Pkcs8],
        Format::Pkcs8 => [Format::Sec1, Format::Pkcs1],
        Format::Sec1 => [Format::Pkcs8, Format::Pkcs1],
    };
    let Some(other) = others.into_iter().find(|format| has_shape(text, *format)) else {
        return if wanted == Format::Sec1 {
            within(&error, "x509: failed to parse EC private key")
        } else {
            error
        };
    };
    let function = match other {
        Format::Pkcs1 => "ParsePKCS1PrivateKey",
        Format::Pkcs8 => "ParsePKCS8PrivateKey",
        Format::Sec1 => "ParseECPrivateKey",
    };
    format!("x509: failed to parse private key (use {function} instead for this key format)").into()
}

fn read_pkcs8(text: &[u8]) -> Result<PrivateKey> {
    let (name, parameters, key) = pkcs8_fields(text).map_err(|error| suggestion(text, Format::Pkcs8, error))?;
    match name {
        RSA => rsa::Key::read(key)
            .map(|key| PrivateKey::Rsa(Box::new(key)))
            .map_err(|error| {
                let error = suggestion(key, Format::Pkcs1, error);
                within(&error, "x509: failed to parse RSA private key embedded in PKCS#8")
            }),
        EC => {
            let curve = Reader::new(parameters).take_identifier();
            ec::Key::read(key, curve).map(PrivateKey::Ec).map_err(|error| {
                let error = suggestion(key, Format::Sec1, error);
                within(&error, "x509: failed to parse EC private key embedded in PKCS#8")
            })
        }
        ED25519 | X25519 => {
            let kind = if name == ED25519 { "Ed25519" } else { "X25519" };
            if !parameters.is_empty() {
                return Err(format!("x509: invalid {kind} private key parameters").into());
            }
            let seed = Reader::new(key)
                .expect(der::OCTET_STRING)
                .map_err(|error| within(&error, &format!("x509: invalid {kind} private key")))?;
            match <[u8; 32]>::try_from(seed) {
                Ok(seed) if name == ED25519 => Ok(PrivateKey::Ed25519(seed)),
                Ok(_) => Ok(PrivateKey::X25519),
                Err(_) if name == ED25519 => {
                    Err(format!("x509: invalid Ed25519 private key length: {}", seed.len()).into())
                }
                Err(_) => Err("crypto/ecdh: invalid private key size".into()),
            }
        }
        _ => Err(format!(
            "x509: PKCS#8 wrapping contained private key with unknown algorithm: {}",
            der::dotted(name)
        )
        .into()),
    }
}

/// Name of the algorithm, its parameters, the key.
fn pkcs8_fields(text: &[u8]) -> Result<(&[u8], &[u8], &[u8])> {
    let mut fields = Reader::new(Reader::new(text).expect(der::SEQUENCE)?);
    fields.small_integer()?;
    let algorithm = fields.expect(der::SEQUENCE)?;
    let key = fields.expect(der::OCTET_STRING)?;
    let mut algorithm = Reader::new(algorithm);
    let name = algorithm.expect(der::OBJECT_IDENTIFIER)?;
    let parameters = algorithm.any().map_or(&[][..], |(_, _, whole)| whole);
    Ok((name, parameters, key))
}
