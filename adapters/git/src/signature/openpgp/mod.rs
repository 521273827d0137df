//! PGP signatures (RFC 9580; keys and signatures of version 4), as far as checking one takes.
//!
//! Ours, because the libraries for it bring a second generation of every cipher. Checked with ring: RSA, ECDSA on P-256
//! and P-384, Ed25519; SHA-256, -384 and -512. What else there is (DSA, P-521, SHA-1 over content) does not count, by
//! name.
//!
//! # Invariants
//! - A subkey counts only when its primary key says so, and it says so itself.
//! - A revocation that cannot be checked counts as one.

mod armour;
mod certificate;
mod key;
mod packet;
mod signature;

pub(super) use self::armour::{KEY_BEGINNING, SIGNATURE_BEGINNING};
pub(super) use self::certificate::{Certificate, certificates};
use self::packet::packets;
use self::signature::{BINARY, Signature};
use super::Flaw;

/// How much earlier our clock may be.
const CLOCK: u64 = 24 * 60 * 60;

/// The keys of a text with armoured blocks.
pub(super) fn armoured_keys(text: &str) -> Vec<Certificate> {
    armour::blocks(text, KEY_BEGINNING)
        .flat_map(|bytes| certificates(&bytes))
        .collect()
}

/// Checks the armoured signature `text` of `payload` at `now`, seconds since 1970.
pub(super) fn check(text: &str, payload: &[u8], certificates: &[Certificate], now: u64) -> Result<(), Flaw> {
    let bytes = armour::blocks(text, SIGNATURE_BEGINNING).next().ok_or(Flaw::Damaged)?;
    let packets = packets(&bytes).ok_or(Flaw::Damaged)?;
    let [packet] = packets.as_slice() else {
        return Err(if packets.is_empty() { Flaw::Damaged } else { Flaw::Twice });
    };
    let signature = Signature::read(packet)?;
    if signature.kind != BINARY {
        return Err(Flaw::Unsupported("a signature that is not of binary content"));
    }
    let keys = certificates.iter().flat_map(Certificate::keys);
    let mut verdict = Err(Flaw::UnknownKey(signature.issuer_text()));
    for candidate in keys.filter(|candidate| signature.may_be_by(candidate.key)) {
        verdict = signature.verify(payload, candidate.key);
        if verdict.is_ok() {
            candidate.check_use(now)?;
            return in_time(&signature, u64::from(candidate.key.created), now);
        }
    }
    verdict
}

fn in_time(signature: &Signature<'_>, key_created: u64, now: u64) -> Result<(), Flaw> {
    let created = u64::from(signature.facts.created.ok_or(Flaw::Damaged)?);
    let expired = signature
        .facts
        .expires
        .is_some_and(|after| created + u64::from(after) <= now);
    if expired || created > now + CLOCK || created < key_created {
        return Err(Flaw::Outdated);
    }
    Ok(())
}
