//! Whether a commit or a tag is signed by one of the keys that a source names.
//!
//! Decided on the bytes of the object itself, whose hash is its id: what was signed is all of it but the signature. A
//! signature counts when its key is one of the given ones, is meant for signing, is neither revoked nor out of its
//! time, and the algorithm is none that is known to be weak.

mod openpgp;
mod signed;
mod sshsig;

use std::time::{SystemTime, UNIX_EPOCH};

use convoy_domain::access::{SignaturePolicy, SignedSubject};
use convoy_domain::secret::Secret;
use convoy_ports::FetchError;
use gix::ObjectId;
use gix::objs::Kind;

use self::signed::Signed;
use crate::refs::Tag;
use crate::tree::{COMMIT_BYTES, Reading};

/// Bytes of the keys of one source.
const KEY_BYTES: usize = 4 * 1024 * 1024;

/// Why a signature does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Flaw {
    #[error("is not signed")]
    Unsigned,
    #[error("is signed more than once")]
    Twice,
    #[error("is signed in a way that is not supported: {0}")]
    Unsupported(&'static str),
    #[error("has a signature that cannot be read")]
    Damaged,
    #[error("is signed by a key that the source does not name: {0}")]
    UnknownKey(String),
    #[error("has a signature that is not of this content")]
    Wrong,
    #[error("is signed by a key that is revoked")]
    Revoked,
    #[error("is signed by a key that is out of its time")]
    Expired,
    #[error("has a signature that is out of its time")]
    Outdated,
    #[error("is signed by a key that is not meant for it")]
    NotForSigning,
    #[error("is of another object: {0}")]
    OtherObject(&'static str),
}

/// Checks `commit`, or the tag that selects it, as `policy` asks.
///
/// # Errors
/// `Signature` says what was looked at and why it does not count.
pub(crate) fn check(
    policy: &SignaturePolicy,
    reading: &Reading<'_>,
    commit: &ObjectId,
    tag: Option<&Tag>,
) -> Result<(), FetchError> {
    let (id, kind, what) = match (policy.subject, tag) {
        (SignedSubject::Head, _) => (*commit, Kind::Commit, format!("the commit {commit}")),
        (SignedSubject::Tag, Some(tag)) => {
            let object = tag.object.ok_or_else(|| {
                let why = format!("the tag {} {}", tag.name, Flaw::Unsigned);
                reading.site.signature(why)
            })?;
            (object, Kind::Tag, format!("the tag {}", tag.name))
        }
        (SignedSubject::Tag, None) => return Err(reading.site.signature("no tag was selected")),
    };
    let content = reading.read(&id, kind, COMMIT_BYTES, &what)?;
    // The id was asked for, but a folder may hold anything under any name.
    let named = gix::objs::compute_hash(gix::hash::Kind::Sha1, kind, &content).is_ok_and(|found| found == id);
    if !named {
        return Err(reading.site.invalid(format!("{what} is damaged ({id})")));
    }
    let signed = match kind {
        Kind::Tag => signed::tag(&content, commit, tag.map_or("", |tag| tag.name.as_str())),
        Kind::Commit | Kind::Tree | Kind::Blob => signed::commit(&content),
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    signed
        .and_then(|signed| Keys::read(&policy.keys).check(&signed, now))
        .map_err(|flaw| reading.site.signature(format!("{what} {flaw}")))
}

/// The keys that count.
#[derive(Default)]
struct Keys {
    openpgp: Vec<openpgp::Certificate>,
    ssh: Vec<sshsig::Signer>,
}

impl Keys {
    /// What cannot be read is no key.
    fn read(entries: &[Secret<Vec<u8>>]) -> Self {
        let mut keys = Self::default();
        let mut left = KEY_BYTES;
        for entry in entries {
            let bytes = entry.expose();
            let Some(rest) = left.checked_sub(bytes.len()) else {
                break;
            };
            left = rest;
            match std::str::from_utf8(bytes) {
                Ok(text) if text.contains(openpgp::KEY_BEGINNING) => keys.openpgp.extend(openpgp::armoured_keys(text)),
                Ok(text) => keys.ssh.extend(sshsig::signers(text)),
                Err(_) => keys.openpgp.extend(openpgp::certificates(bytes)),
            }
        }
        keys
    }

    fn check(&self, signed: &Signed, now: u64) -> Result<(), Flaw> {
        let text = std::str::from_utf8(&signed.signature).map_err(|_| Flaw::Damaged)?;
        if text.starts_with(openpgp::SIGNATURE_BEGINNING) {
            openpgp::check(text, &signed.payload, &self.openpgp, now)
        } else if text.starts_with(sshsig::BEGINNING) {
            sshsig::check(text, &signed.payload, &self.ssh, signed.time)
        } else if text.starts_with("-----BEGIN SIGNED MESSAGE-----") {
            Err(Flaw::Unsupported("X.509"))
        } else {
            Err(Flaw::Damaged)
        }
    }
}

#[cfg(test)]
mod properties {
    use proptest::prelude::*;

    use super::*;

    fn key(bytes: &[u8]) -> Vec<Secret<Vec<u8>>> {
        vec![Secret::new(bytes.to_vec())]
    }

    proptest! {
        #[test]
        fn no_bytes_of_a_key_or_an_object_are_too_strange(bytes in any::<Vec<u8>>(), text in "\\PC{0,200}") {
            let id = ObjectId::null(gix::hash::Kind::Sha1);
            let _ = signed::commit(&bytes);
            let _ = signed::tag(&bytes, &id, &text);
            let _ = Keys::read(&key(text.as_bytes()));
            let _ = Keys::read(&key(&bytes));
        }

        #[test]
        fn what_is_no_signature_never_counts(bytes in any::<Vec<u8>>(), keys in any::<Vec<u8>>(), kind in 0..2_usize) {
            let beginning = [openpgp::SIGNATURE_BEGINNING, sshsig::BEGINNING][kind];
            let end = beginning.replace("BEGIN", "END");
            let body = data_encoding::BASE64.encode(&bytes);
            let signed = Signed {
                payload: b"payload".to_vec(),
                signature: format!("{beginning}\n\n{body}\n{end}\n").into_bytes(),
                time: Some(0),
            };
            prop_assert!(Keys::read(&key(&keys)).check(&signed, 0).is_err());
        }

        /// Packets that are whole, with whatever in them: a key, a user, a signature.
        #[test]
        fn no_packet_is_too_strange(packets in proptest::collection::vec((0..20_u8, proptest::collection::vec(any::<u8>(), 0..150)), 0..8)) {
            let mut bytes = Vec::new();
            for (tag, mut body) in packets {
                if let Some(first) = body.first_mut() {
                    *first = 4;
                }
                bytes.extend([0xc0 | tag, u8::try_from(body.len()).unwrap_or(0)]);
                bytes.extend(body);
            }
            let certificates = openpgp::certificates(&bytes);
            let text = format!("{}\n\n{}\n-----END PGP SIGNATURE-----", openpgp::SIGNATURE_BEGINNING, data_encoding::BASE64.encode(&bytes));
            prop_assert!(openpgp::check(&text, b"payload", &certificates, 0).is_err());
        }
    }
}
