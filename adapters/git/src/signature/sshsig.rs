//! SSH signatures (ssh-keygen(1), `-Y sign`), and who may sign: lines of public keys, alone or as `allowed_signers`.

use convoy_domain::Timestamp;
use russh::keys::PublicKey;
use russh::keys::ssh_key::SshSig;

use super::Flaw;

pub(super) const BEGINNING: &str = "-----BEGIN SSH SIGNATURE-----";

/// What git signs for.
const NAMESPACE: &str = "git";

/// A key, and when it may sign.
#[derive(Clone, Debug)]
pub(super) struct Signer {
    key: PublicKey,
    after: Option<i64>,
    before: Option<i64>,
}

/// Reads signers, a line each. Lines that cannot be read, that are about other namespaces, or that name an authority
/// of certificates give none.
pub(super) fn signers(text: &str) -> Vec<Signer> {
    let lines = text.lines().map(str::trim);
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .filter_map(signer)
        .collect()
}

fn signer(line: &str) -> Option<Signer> {
    if let Ok(key) = PublicKey::from_openssh(line) {
        return Some(Signer {
            key,
            after: None,
            before: None,
        });
    }
    // `principals [options] type key`; who the principals are does not matter, because the keys are all trusted.
    let (_, mut rest) = word(line)?;
    let mut signer = (None, None);
    loop {
        if let Ok(key) = PublicKey::from_openssh(rest) {
            let (after, before) = signer;
            return Some(Signer { key, after, before });
        }
        let (options, below) = word(rest)?;
        rest = below;
        for option in split_outside_quotes(options, ',') {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let value = value.trim_matches('"');
            match name.to_ascii_lowercase().as_str() {
                "namespaces" if value.split(',').any(|one| one == NAMESPACE) => {}
                "valid-after" => signer.0 = Some(moment(value)?),
                "valid-before" => signer.1 = Some(moment(value)?),
                // An option that is not understood may restrict the key.
                _ => return None,
            }
        }
    }
}

/// The first word, which may hold spaces in quotes, and the rest.
fn word(text: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let end = text.find(|c: char| {
        quoted ^= c == '"';
        c.is_whitespace() && !quoted
    })?;
    Some((&text[..end], text[end..].trim_start()))
}

fn split_outside_quotes(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |c: char| {
        quoted ^= c == '"';
        c == separator && !quoted
    })
}

/// `YYYYMMDD[HHMM[SS]][Z]`, in UTC.
fn moment(text: &str) -> Option<i64> {
    let digits = text.strip_suffix('Z').unwrap_or(text);
    if !matches!(digits.len(), 8 | 12 | 14) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let full = format!("{digits:0<14}");
    let part = |from: usize, to: usize| full.get(from..to);
    let text = format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4)?,
        part(4, 6)?,
        part(6, 8)?,
        part(8, 10)?,
        part(10, 12)?,
        part(12, 14)?
    );
    Some(text.parse::<Timestamp>().ok()?.as_second())
}

/// Checks a signature of `payload`, made at `time` as the signed object says.
pub(super) fn check(text: &str, payload: &[u8], signers: &[Signer], time: Option<i64>) -> Result<(), Flaw> {
    let signature = SshSig::from_pem(text).map_err(|_| Flaw::Damaged)?;
    if signature.namespace() != NAMESPACE {
        return Err(Flaw::OtherObject("the signature is not for git"));
    }
    let by = |signer: &&Signer| signer.key.key_data() == signature.public_key();
    let mut known = signers.iter().filter(by).peekable();
    if known.peek().is_none() {
        let fingerprint = signature.public_key().fingerprint(russh::keys::HashAlg::Sha256);
        return Err(Flaw::UnknownKey(fingerprint.to_string()));
    }
    let mut verdict = Err(Flaw::Expired);
    for signer in known {
        let begun = signer.after.is_none_or(|after| time.is_some_and(|time| time >= after));
        let ended = signer
            .before
            .is_some_and(|before| time.is_none_or(|time| time >= before));
        if !begun || ended {
            continue;
        }
        verdict = signer
            .key
            .verify(NAMESPACE, payload, &signature)
            .map_err(|_| Flaw::Wrong);
    }
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";

    #[test]
    fn signers_are_read_in_both_forms() {
        let check = |line: &str, expect: Option<(Option<i64>, Option<i64>)>| {
            let found = signers(line);
            let found = found.first().map(|signer| (signer.after, signer.before));
            assert_eq!(found, expect, "{line}");
        };
        check(KEY, Some((None, None)));
        check(&format!("{KEY} a comment"), Some((None, None)));
        check(&format!("ann@example.com {KEY}"), Some((None, None)));
        check(&format!("ann@example.com,*@b.c {KEY} comment"), Some((None, None)));
        check(&format!("ann namespaces=\"git\" {KEY}"), Some((None, None)));
        check(&format!("ann namespaces=\"file,git\" {KEY}"), Some((None, None)));
        check(&format!("ann namespaces=\"file\" {KEY}"), None);
        check(&format!("ann cert-authority {KEY}"), None);
        let bounded = format!("ann valid-after=\"19700102\",valid-before=\"197001030000\" {KEY}");
        check(&bounded, Some((Some(86_400), Some(172_800))));
        check(&format!("ann valid-after=soon {KEY}"), None);
        check(&format!("# {KEY}"), None);
        check("ann", None);
        check("", None);
    }

    #[test]
    fn a_damaged_signature_is_told() {
        for text in [
            BEGINNING,
            "",
            "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n",
        ] {
            assert_eq!(check(text, b"x", &signers(KEY), None), Err(Flaw::Damaged), "{text}");
        }
    }
}
