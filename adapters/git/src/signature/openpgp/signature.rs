//! Signatures (RFC 9580, 5.2), of version 4.

use data_encoding::HEXUPPER;

use super::super::Flaw;
use super::key::{Hash, Key};
use super::packet::{Bytes, Packet};

/// The tag of a signature's packet.
pub(super) const TAG: u8 = 2;

/// What a signature is of.
pub(super) const BINARY: u8 = 0x00;
pub(super) const SUBKEY: u8 = 0x18;
pub(super) const BY_SUBKEY: u8 = 0x19;
pub(super) const DIRECT: u8 = 0x1f;
pub(super) const KEY_REVOKED: u8 = 0x20;
pub(super) const SUBKEY_REVOKED: u8 = 0x28;

/// A signature that was read, not checked.
#[derive(Debug)]
pub(super) struct Signature<'a> {
    pub(super) kind: u8,
    algorithm: u8,
    hash: Option<Hash>,
    /// From the version to the end of what it says under its own protection.
    hashed: &'a [u8],
    value: &'a [u8],
    pub(super) facts: Facts<'a>,
}

/// What a signature says.
#[derive(Debug, Default)]
pub(super) struct Facts<'a> {
    pub(super) created: Option<u32>,
    pub(super) expires: Option<u32>,
    pub(super) key_expires: Option<u32>,
    pub(super) flags: Option<u8>,
    pub(super) embedded: Option<&'a [u8]>,
    issuer: Option<&'a [u8]>,
    fingerprint: Option<&'a [u8]>,
    /// Something that must be understood and is not.
    riddle: bool,
}

impl<'a> Signature<'a> {
    pub(super) fn read(packet: &Packet<'a>) -> Result<Self, Flaw> {
        if packet.tag != TAG {
            return Err(Flaw::Damaged);
        }
        Self::of_body(packet.body)
    }

    pub(super) fn of_body(body: &'a [u8]) -> Result<Self, Flaw> {
        let mut bytes = Bytes(body);
        if bytes.u8() != Some(4) {
            return Err(Flaw::Unsupported("a signature that is not of version 4"));
        }
        Self::read_body(body, bytes).ok_or(Flaw::Damaged)
    }

    fn read_body(body: &'a [u8], mut bytes: Bytes<'a>) -> Option<Self> {
        let kind = bytes.u8()?;
        let algorithm = bytes.u8()?;
        let hash = Hash::read(bytes.u8()?);
        let mut facts = Facts::default();
        let length = bytes.u16()?;
        facts.read(bytes.take(usize::from(length))?, true)?;
        let hashed = &body[..body.len() - bytes.0.len()];
        let length = bytes.u16()?;
        facts.read(bytes.take(usize::from(length))?, false)?;
        // The first two octets of the hash, which say nothing that the signature does not.
        bytes.take(2)?;
        Some(Self {
            kind,
            algorithm,
            hash,
            hashed,
            value: bytes.0,
            facts,
        })
    }

    /// Whether the issuer, where it is named, is `key`.
    pub(super) fn may_be_by(&self, key: &Key) -> bool {
        match (self.facts.fingerprint, self.facts.issuer) {
            (Some(fingerprint), _) => fingerprint == key.fingerprint,
            (None, Some(id)) => id == key.id(),
            (None, None) => true,
        }
    }

    /// The issuer, for people.
    pub(super) fn issuer_text(&self) -> String {
        let named = self.facts.fingerprint.or(self.facts.issuer);
        named.map_or_else(|| "unnamed".to_owned(), |id| HEXUPPER.encode(id))
    }

    /// Whether it is `key`'s, of `content`, by an algorithm that counts for content.
    pub(super) fn verify(&self, content: &[u8], key: &Key) -> Result<(), Flaw> {
        match self.hash {
            Some(Hash::Sha1) | None => Err(Flaw::Unsupported("a hash that does not count")),
            Some(Hash::Sha256 | Hash::Sha384 | Hash::Sha512) => self.verify_own(content, key),
        }
    }

    /// As [`Self::verify`], for what a key says of itself: old keys say it by SHA-1.
    pub(super) fn verify_own(&self, content: &[u8], key: &Key) -> Result<(), Flaw> {
        let hash = self.hash.ok_or(Flaw::Unsupported("a hash that does not count"))?;
        if self.facts.riddle {
            return Err(Flaw::Unsupported("a critical part that is not known"));
        }
        let length = u32::try_from(self.hashed.len()).map_err(|_| Flaw::Damaged)?;
        let mut message = content.to_vec();
        message.extend_from_slice(self.hashed);
        message.extend_from_slice(&[4, 0xff]);
        message.extend_from_slice(&length.to_be_bytes());
        key.verify(self.algorithm, hash, &message, self.value)
    }
}

impl<'a> Facts<'a> {
    /// Reads subpackets; what is not `protected` may only hint at what proves itself.
    fn read(&mut self, bytes: &'a [u8], protected: bool) -> Option<()> {
        let mut bytes = Bytes(bytes);
        while !bytes.0.is_empty() {
            let length = bytes.length()?;
            let mut content = Bytes(bytes.take(length)?);
            let kind = content.u8()?;
            let critical = kind & 0x80 != 0;
            match (kind & 0x7f, protected) {
                (2, true) => self.created = Some(content.u32()?),
                (3, true) => self.expires = Some(content.u32()?).filter(|after| *after > 0),
                (9, true) => self.key_expires = Some(content.u32()?).filter(|after| *after > 0),
                (27, true) => self.flags = Some(content.u8().unwrap_or_default()),
                (16, _) => self.issuer = self.issuer.or(Some(content.0)),
                // The first octet is the key's version.
                (33, _) => self.fingerprint = self.fingerprint.or(content.0.get(1..)),
                (32, _) => self.embedded = Some(content.0),
                // Preferences, features, who may revoke, and reasons change nothing here.
                (4 | 7 | 11 | 12 | 21..=26 | 28..=31 | 34 | 35 | 39, _) | (2 | 3 | 9 | 27, false) => {}
                _ => self.riddle |= critical && protected,
            }
        }
        Some(())
    }
}
