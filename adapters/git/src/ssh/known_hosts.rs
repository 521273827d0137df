//! Which host keys are trusted, from the text of a `known_hosts` file (the manual of sshd describes it).
//!
//! # Invariant
//! A key is trusted only when a line names this host, with its port unless that is 22, and holds exactly this key, and
//! no line with `@revoked` for this host holds it. Lines that cannot be read, and authorities of certificates, trust
//! nothing.

use data_encoding::BASE64;
use ring::hmac;
use russh::keys::PublicKey;

/// How many bytes and lines a file may have.
const BYTES: usize = 1024 * 1024;

/// The keys of one host.
#[derive(Debug, Default)]
pub(crate) struct HostKeys {
    trusted: Vec<PublicKey>,
    revoked: Vec<PublicKey>,
}

impl HostKeys {
    /// Reads the lines that are about `host` at `port`.
    pub(crate) fn of(text: &str, host: &str, port: u16) -> Self {
        let name = match port {
            22 => host.to_ascii_lowercase(),
            port => format!("[{}]:{port}", host.to_ascii_lowercase()),
        };
        let mut keys = Self::default();
        if text.len() > BYTES {
            return keys;
        }
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            let (marker, rest) = match line.strip_prefix('@').and_then(|rest| rest.split_once([' ', '\t'])) {
                Some((marker, rest)) => (Some(marker), rest.trim_start()),
                None => (None, line),
            };
            let Some((hosts, key)) = rest.split_once([' ', '\t']) else {
                continue;
            };
            if !names(hosts, &name) {
                continue;
            }
            let Ok(key) = PublicKey::from_openssh(key.trim()) else {
                continue;
            };
            match marker {
                None => keys.trusted.push(key),
                Some("revoked") => keys.revoked.push(key),
                Some(_) => {}
            }
        }
        keys
    }

    /// Whether the host is known at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.trusted.is_empty()
    }

    /// The keys that the host may show.
    pub(crate) fn trusted(&self) -> impl Iterator<Item = &PublicKey> {
        self.trusted.iter()
    }

    /// Whether the host is who it should be when it shows `key`.
    pub(crate) fn trusts(&self, key: &PublicKey) -> bool {
        let same = |known: &PublicKey| known.key_data() == key.key_data();
        self.trusted.iter().any(same) && !self.revoked.iter().any(same)
    }
}

/// Whether the first field of a line is about `name`.
fn names(hosts: &str, name: &str) -> bool {
    if let Some(hashed) = hosts.strip_prefix("|1|") {
        return is_hash_of(hashed, name);
    }
    let mut found = false;
    for pattern in hosts.split(',') {
        match pattern.strip_prefix('!') {
            Some(pattern) if fits(pattern, name) => return false,
            Some(_) => {}
            None => found |= fits(pattern, name),
        }
    }
    found
}

/// `<salt>|<HMAC-SHA1 of the name>`, both in base64.
fn is_hash_of(hashed: &str, name: &str) -> bool {
    let Some((salt, hash)) = hashed.split_once('|') else {
        return false;
    };
    let (Ok(salt), Ok(hash)) = (BASE64.decode(salt.as_bytes()), BASE64.decode(hash.as_bytes())) else {
        return false;
    };
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &salt);
    hmac::verify(&key, name.as_bytes(), &hash).is_ok()
}

/// Whether `name` (in lower case) fits a pattern with `*` and `?`, in time of their product.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern = pattern.to_ascii_lowercase();
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    // Where the last `*` stands, and what of the name it takes so far.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == b'?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            Some(_) | None => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                p = place + 1;
                n = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";
    const B: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILIG2T/B0l0gaqj3puu510tu9N1OkQ4znY3LYuEm5zCF";

    fn key(text: &str) -> PublicKey {
        PublicKey::from_openssh(text).unwrap()
    }

    #[test]
    fn a_line_trusts_its_host_at_its_port() {
        let check = |hosts: &str, host: &str, port: u16, expect: bool| {
            let keys = HostKeys::of(&format!("# comment\n\n{hosts} {A} a comment\n"), host, port);
            assert_eq!(keys.trusts(&key(A)), expect, "{hosts} {host}:{port}");
            assert!(!keys.trusts(&key(B)), "{hosts}");
        };
        check("git.example", "git.example", 22, true);
        check("Git.Example", "git.EXAMPLE", 22, true);
        check("git.example", "git.example", 2222, false);
        check("[git.example]:2222", "git.example", 2222, true);
        check("[git.example]:2222", "git.example", 22, false);
        check("other,git.example,10.0.0.1", "git.example", 22, true);
        check("*.example", "git.example", 22, true);
        check("*.example", "example", 22, false);
        check("g?t.ex*le", "git.example", 22, true);
        check("*,!git.example", "git.example", 22, false);
        check("*,!git.example", "hub.example", 22, true);
        check("[*]:2222", "git.example", 2222, true);
        check("@cert-authority *", "git.example", 22, false);
        check("@other git.example", "git.example", 22, false);
        // Made by `ssh-keygen -H`.
        check(
            "|1|F1E1KeoE/eEWhi10WpGv4OdiO6Y=|3988QV0VE8wmZL7suNrYQLITLCg=",
            "192.168.0.1",
            22,
            false,
        );
    }

    #[test]
    fn hashed_names_are_told_by_their_hash() {
        let salt = [7; 20];
        let hash = |name: &str| {
            let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &salt);
            let hash = BASE64.encode(hmac::sign(&key, name.as_bytes()).as_ref());
            format!("|1|{}|{hash} {A}", BASE64.encode(&salt))
        };
        let check = |hashed: &str, host: &str, port: u16, expect: bool| {
            let keys = HostKeys::of(&hash(hashed), host, port);
            assert_eq!(keys.trusts(&key(A)), expect, "{hashed} {host}:{port}");
        };
        check("git.example", "git.example", 22, true);
        check("git.example", "hub.example", 22, false);
        check("[git.example]:2222", "git.example", 2222, true);
        check("git.example", "git.example", 2222, false);
    }

    #[test]
    fn a_revoked_key_is_never_trusted() {
        for lines in [format!("h {A}\n@revoked h {A}"), format!("@revoked * {A}\nh {A}")] {
            assert!(!HostKeys::of(&lines, "h", 22).trusts(&key(A)), "{lines}");
        }
        let both = format!("h {A}\nh {B}\n@revoked h {B}");
        let keys = HostKeys::of(&both, "h", 22);
        assert_eq!((keys.trusts(&key(A)), keys.trusts(&key(B))), (true, false));
    }

    #[test]
    fn what_cannot_be_read_trusts_nothing() {
        let long = format!("{}\nh {A}", "#".repeat(BYTES));
        for text in [
            "",
            "h",
            "h ssh-ed25519",
            "h ssh-ed25519 AAAA",
            "|1| x y",
            "@revoked",
            "|1|a|b ssh-ed25519 AAAA",
            &long,
        ] {
            assert!(HostKeys::of(text, "h", 22).is_empty(), "{}", text.len());
        }
        assert!(!fits(&"*a".repeat(1000), &"a".repeat(900)));
    }

    proptest::proptest! {
        #[test]
        fn no_file_is_too_strange(text in "([@|*?!,a-z1 \\[\\]:=/+\n]{0,80}\n?){0,5}|\\PC{0,200}", host in "[a-z.]{0,20}") {
            proptest::prop_assert!(HostKeys::of(&text, &host, 22).is_empty());
        }

        #[test]
        fn a_pattern_fits_as_its_slow_definition_says(pattern in "[ab*?]{0,8}", name in "[ab]{0,8}") {
            fn slow(pattern: &[u8], name: &[u8]) -> bool {
                match (pattern.split_first(), name.split_first()) {
                    (None, name) => name.is_none(),
                    (Some((b'*', rest)), _) => (0..=name.len()).any(|taken| slow(rest, &name[taken..])),
                    (Some((b'?', rest)), Some((_, name))) => slow(rest, name),
                    (Some((a, rest)), Some((b, name))) => a == b && slow(rest, name),
                    (Some(_), None) => false,
                }
            }
            proptest::prop_assert_eq!(fits(&pattern, &name), slow(pattern.as_bytes(), name.as_bytes()));
        }
    }
}
