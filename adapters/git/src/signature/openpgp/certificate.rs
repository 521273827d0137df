//! A primary key with its subkeys, and what it says of itself (RFC 9580, 10.1).

use super::super::Flaw;
use super::key::Key;
use super::packet::{Packet, packets};
use super::signature::{BY_SUBKEY, DIRECT, KEY_REVOKED, SUBKEY, SUBKEY_REVOKED, Signature, TAG};

const PRIMARY: u8 = 6;
const SUBKEY_TAG: u8 = 14;
const USER: u8 = 13;
const ATTRIBUTE: u8 = 17;

/// The flag of keys that sign content.
const SIGNS: u8 = 0x02;

/// How many packets are looked at.
const PACKETS: usize = 10_000;

/// A primary key and its subkeys, as far as they may sign.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    primary: Member,
    subkeys: Vec<Member>,
}

/// A key and what was said of it.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) key: Key,
    signs: bool,
    revoked: bool,
    /// Seconds after its creation.
    expires: Option<u32>,
    /// When what is taken for valid was said.
    said: u32,
}

impl Member {
    fn new(key: Key, signs: bool) -> Self {
        Self {
            key,
            signs,
            revoked: false,
            expires: None,
            said: 0,
        }
    }

    fn expired(&self, now: u64) -> bool {
        self.expires
            .is_some_and(|after| u64::from(self.key.created) + u64::from(after) <= now)
    }
}

/// A key that may have signed, with the primary key that it hangs on.
pub(super) struct Candidate<'a> {
    pub(super) key: &'a Key,
    member: &'a Member,
    primary: &'a Member,
}

impl Candidate<'_> {
    /// Whether the key may be used for signing at `now`.
    pub(super) fn check_use(&self, now: u64) -> Result<(), Flaw> {
        if self.member.revoked || self.primary.revoked {
            return Err(Flaw::Revoked);
        }
        if self.member.expired(now) || self.primary.expired(now) {
            return Err(Flaw::Expired);
        }
        if !self.member.signs {
            return Err(Flaw::NotForSigning);
        }
        Ok(())
    }
}

impl Certificate {
    pub(super) fn keys(&self) -> impl Iterator<Item = Candidate<'_>> {
        let primary = &self.primary;
        std::iter::once(primary)
            .chain(&self.subkeys)
            .map(move |member| Candidate {
                key: &member.key,
                member,
                primary,
            })
    }
}

/// The keys of a row of packets; what is damaged gives none.
pub(crate) fn certificates(bytes: &[u8]) -> Vec<Certificate> {
    let packets = packets(bytes).unwrap_or_default();
    let packets = &packets[..packets.len().min(PACKETS)];
    let starts: Vec<usize> = (0..packets.len()).filter(|at| packets[*at].tag == PRIMARY).collect();
    let ends = starts.iter().copied().skip(1).chain([packets.len()]);
    starts
        .iter()
        .zip(ends)
        .filter_map(|(start, end)| certificate(&packets[*start..end]))
        .collect()
}

/// What the signatures that follow are about.
enum About<'a> {
    Primary,
    User(&'a Packet<'a>),
    Subkey,
    Unknown,
}

fn certificate(packets: &[Packet<'_>]) -> Option<Certificate> {
    let (first, rest) = packets.split_first()?;
    let mut certificate = Certificate {
        // A key that says nothing of its use may be used.
        primary: Member::new(Key::read(first.body)?, true),
        subkeys: Vec::new(),
    };
    let mut about = About::Primary;
    for packet in rest {
        match packet.tag {
            USER | ATTRIBUTE => about = About::User(packet),
            SUBKEY_TAG => {
                about = match Key::read(packet.body) {
                    Some(key) => {
                        // A subkey signs only when that is said.
                        certificate.subkeys.push(Member::new(key, false));
                        About::Subkey
                    }
                    None => About::Unknown,
                };
            }
            TAG => {
                if let Ok(signature) = Signature::read(packet) {
                    certificate.hear(&about, &signature);
                }
            }
            _ => {}
        }
    }
    Some(certificate)
}

impl Certificate {
    /// Takes in what a signature says, if it is the primary key's own.
    fn hear(&mut self, about: &About<'_>, signature: &Signature<'_>) -> Option<()> {
        let primary = &self.primary.key;
        if !signature.may_be_by(primary) {
            return None;
        }
        let mut content = primary.framed()?;
        match (about, signature.kind) {
            (About::Primary, KEY_REVOKED) => {
                self.primary.revoked |= is_own_or_unknown(signature, &content, primary);
            }
            (About::Primary, DIRECT) => {
                signature.verify_own(&content, primary).ok()?;
                said_of(&mut self.primary, signature);
            }
            (About::User(user), 0x10..=0x13) => {
                let length = u32::try_from(user.body.len()).ok()?;
                content.push(if user.tag == USER { 0xb4 } else { 0xd1 });
                content.extend_from_slice(&length.to_be_bytes());
                content.extend_from_slice(user.body);
                signature.verify_own(&content, primary).ok()?;
                said_of(&mut self.primary, signature);
            }
            (About::Subkey, SUBKEY) => {
                let subkey = self.subkeys.last_mut()?;
                content.extend(subkey.key.framed()?);
                signature.verify_own(&content, primary).ok()?;
                let signs = signature.facts.flags.is_some_and(|flags| flags & SIGNS != 0);
                let agreed = || {
                    let embedded = Signature::of_body(signature.facts.embedded?).ok()?;
                    (embedded.kind == BY_SUBKEY).then_some(())?;
                    embedded.verify_own(&content, &subkey.key).ok()
                };
                if signs && agreed().is_none() {
                    return None;
                }
                said_of(subkey, signature);
            }
            (About::Subkey, SUBKEY_REVOKED) => {
                let subkey = self.subkeys.last_mut()?;
                content.extend(subkey.key.framed()?);
                subkey.revoked |= is_own_or_unknown(signature, &content, primary);
            }
            _ => {}
        }
        Some(())
    }
}

/// What was said last counts.
fn said_of(member: &mut Member, signature: &Signature<'_>) {
    let Some(created) = signature.facts.created.filter(|created| *created >= member.said) else {
        return;
    };
    member.said = created;
    member.expires = signature.facts.key_expires;
    if let Some(flags) = signature.facts.flags {
        member.signs = flags & SIGNS != 0;
    }
}

fn is_own_or_unknown(signature: &Signature<'_>, content: &[u8], primary: &Key) -> bool {
    match signature.verify_own(content, primary) {
        Ok(()) | Err(Flaw::Unsupported(_)) => true,
        Err(_) => false,
    }
}
