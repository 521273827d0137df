//! Binary content as text between lines of dashes (RFC 9580, 6.2).

use data_encoding::BASE64;

pub(crate) const KEY_BEGINNING: &str = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
pub(crate) const SIGNATURE_BEGINNING: &str = "-----BEGIN PGP SIGNATURE-----";

/// The contents of the blocks of `text` that begin with `beginning`; damaged ones are passed over.
pub(super) fn blocks<'t>(text: &'t str, beginning: &'t str) -> impl Iterator<Item = Vec<u8>> + 't {
    text.split(beginning).skip(1).filter_map(|block| {
        let (block, _) = block.split_once("-----END PGP ")?;
        decode(block)
    })
}

fn decode(block: &str) -> Option<Vec<u8>> {
    let mut lines = block.lines().map(str::trim).skip(1);
    // Headers end with an empty line.
    lines.by_ref().find(|line| line.is_empty())?;
    let content: String = lines.take_while(|line| !line.starts_with('=')).collect();
    BASE64.decode(content.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_with_and_without_headers_and_checksum() {
        let check = |text: &str, expect: &[&str]| {
            let found: Vec<Vec<u8>> = blocks(text, SIGNATURE_BEGINNING).collect();
            assert_eq!(
                found,
                expect.iter().map(|one| one.as_bytes().to_vec()).collect::<Vec<_>>(),
                "{text}"
            );
        };
        let end = "-----END PGP SIGNATURE-----\n";
        check(
            &format!("{SIGNATURE_BEGINNING}\n\naGVs\nbG8=\n=abcd\n{end}"),
            &["hello"],
        );
        check(
            &format!("{SIGNATURE_BEGINNING}\r\nVersion: 1\r\n\r\naGVsbG8=\r\n{end}"),
            &["hello"],
        );
        check(&format!("{SIGNATURE_BEGINNING}\n\naGVsbG8=\n"), &[]);
        check(&format!("{SIGNATURE_BEGINNING}\naGVsbG8=\n{end}"), &[]);
        check(&format!("{SIGNATURE_BEGINNING}\n\n???\n{end}"), &[]);
        check("", &[]);
    }
}
