//! Seal and open, and everything that must not open.

use proptest::prelude::*;

use super::*;

const NAME: &str = "team/shop/sha256:00";

fn key(byte: u8) -> Key {
    Key::new([byte; 32])
}

fn keyring(bytes: &[u8]) -> Keyring {
    let lines: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}").repeat(32)).collect();
    Keyring::parse(&lines.join("\n")).unwrap()
}

fn seal(clear: &[u8], pieces: usize) -> Vec<u8> {
    let mut sealer = Sealer::new(&key(1), [9; SALT], NAME).unwrap();
    let mut whole = Vec::new();
    for piece in clear.chunks(pieces) {
        whole.extend(sealer.push(piece).unwrap());
    }
    whole.extend(sealer.finish().unwrap());
    whole
}

fn open(stored: &[u8], pieces: usize, keys: Option<Keyring>, name: &str) -> Result<Vec<u8>, OpenFailure> {
    let mut opener = Opener::new(keys, name.to_owned());
    let mut clear = Vec::new();
    for piece in stored.chunks(pieces) {
        clear.extend(opener.push(piece.to_vec())?);
    }
    clear.extend(opener.finish()?);
    Ok(clear)
}

fn clear(length: usize) -> Vec<u8> {
    (0..length).map(|n| b"{convoy}"[n % 8]).collect()
}

#[test]
fn what_is_sealed_opens_in_any_pieces() {
    for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 5] {
        let clear = clear(length);
        let sealed = seal(&clear, 1_000_000);
        assert_eq!(
            sealed.len(),
            HEADER + length + TAG * length.div_ceil(CHUNK).max(1),
            "{length}"
        );
        assert_eq!(seal(&clear, 7_777), sealed, "the pieces do not matter");
        for pieces in [1_001, HEADER, CHUNK + TAG, 1_000_000] {
            assert!(
                open(&sealed, pieces, Some(keyring(&[2, 1])), NAME) == Ok(clear.clone()),
                "{length} by {pieces}"
            );
        }
    }
}

#[test]
fn clear_blobs_pass_with_keys_and_without() {
    for text in [&b""[..], b"{", b"{}\n", b"{\"a\":1}\n{\"b\":2}\n"] {
        for pieces in [1, 100] {
            assert_eq!(open(text, pieces, None, NAME), Ok(text.to_vec()));
            assert_eq!(open(text, pieces, Some(keyring(&[1])), NAME), Ok(text.to_vec()));
        }
    }
}

#[test]
fn the_key_that_is_missing_is_named() {
    let sealed = seal(&clear(10), 100);
    for keys in [None, Some(keyring(&[2, 3]))] {
        assert_eq!(
            open(&sealed, 100, keys, NAME),
            Err(OpenFailure::UnknownKey(key(1).id()))
        );
    }
}

#[test]
fn nothing_opens_that_was_changed_cut_moved_or_put_together_anew() {
    let sealed = seal(&clear(2 * CHUNK + 10), 1_000_000);
    let keys = || Some(keyring(&[1]));
    let broken = Err(OpenFailure::Broken(key(1).id()));
    for at in [16, HEADER - 1, HEADER, HEADER + CHUNK, sealed.len() - 1] {
        let mut other = sealed.clone();
        other[at] ^= 1;
        assert_eq!(open(&other, 1_000_000, keys(), NAME), broken, "byte {at}");
    }
    let chunk = CHUNK + TAG;
    let (header, body) = sealed.split_at(HEADER);
    let (first, second, last) = (&body[..chunk], &body[chunk..2 * chunk], &body[2 * chunk..]);
    for parts in [
        vec![first, second],
        vec![first],
        vec![second, first, last],
        vec![first, last],
        vec![first, second, last, last],
        vec![],
    ] {
        let other = [header, &parts.concat()].concat();
        assert_eq!(open(&other, 1_000_000, keys(), NAME), broken, "{} parts", parts.len());
    }
    for name in ["team/shop2/sha256:00", "team/shop/sha256:01", "tea/mshop/sha256:00"] {
        assert_eq!(open(&sealed, 1_000_000, keys(), name), broken, "{name}");
    }
    for length in 1..HEADER {
        assert_eq!(
            open(&sealed[..length], 100, keys(), NAME),
            Err(OpenFailure::Cut),
            "{length} bytes"
        );
    }
}

#[test]
fn a_file_of_keys_has_one_a_line() {
    let base64 = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    let text = format!("# new\n\n  {}\n{base64}\r\n", "0A".repeat(32));
    let keys = Keyring::parse(&text).unwrap();
    assert_eq!(keys.sealing().id(), key(10).id());
    assert!(keys.find(key(1).id()).is_some());
    assert!(keys.find(key(2).id()).is_none());
    let many: Vec<String> = (0..65_u8).map(|byte| format!("{byte:02x}").repeat(32)).collect();
    for (text, expected) in [
        ("", InvalidKeys::None),
        ("# nothing\n", InvalidKeys::None),
        ("secret-that-is-short", InvalidKeys::Line { line: 1 }),
        (&format!("\n{}", "g0".repeat(32)), InvalidKeys::Line { line: 2 }),
        (
            &format!("{}\n{base64}", "01".repeat(32)),
            InvalidKeys::Twice {
                line: 2,
                id: key(1).id(),
            },
        ),
        (
            &many.join("\n"),
            InvalidKeys::Limit {
                limit: "keys of a key file",
                most: 64,
            },
        ),
        (
            &"#\n".repeat(40_000),
            InvalidKeys::Limit {
                limit: "bytes of a key file",
                most: 65_536,
            },
        ),
    ] {
        assert_eq!(Keyring::parse(text).unwrap_err(), expected);
    }
}

#[test]
fn keys_are_not_printed() {
    let keys = keyring(&[7]);
    let text = format!("{keys:?} {:?}", Sealer::new(keys.sealing(), [0; SALT], NAME));
    assert!(text.contains(&key(7).id().to_string()), "{text}");
    for told in ["07070707", "7, 7, 7"] {
        assert!(!text.contains(told), "{text}");
    }
}

proptest! {
    /// Any bytes: no panic, and nothing that was not sealed opens as sealed.
    #[test]
    fn any_bytes_are_clear_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), pieces in 1..64_usize, magic: bool) {
        let stored = if magic { [&MAGIC[..], &bytes].concat() } else { bytes };
        let opened = open(&stored, pieces, Some(keyring(&[1])), NAME);
        prop_assert!(opened.is_ok_and(|clear| clear == stored) || stored.first() == Some(&0));
    }
}
