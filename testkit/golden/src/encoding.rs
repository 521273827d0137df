//! Base64, in which texts of any kind travel to the tools and back.

/// Standard base64.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place <= chunk.len() {
                out.push(char::from(ALPHABET[(group >> (18 - 6 * place) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// The bytes of standard base64, if that is what `text` is.
#[must_use]
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in text.as_bytes().chunks(4) {
        let mut group = 0u32;
        let mut padding = 0;
        for byte in chunk {
            group = group << 6
                | match byte {
                    b'A'..=b'Z' => u32::from(byte - b'A'),
                    b'a'..=b'z' => u32::from(byte - b'a') + 26,
                    b'0'..=b'9' => u32::from(byte - b'0') + 52,
                    b'+' => 62,
                    b'/' => 63,
                    b'=' => {
                        padding += 1;
                        0
                    }
                    _ => return None,
                };
        }
        if chunk.len() != 4 || padding > 2 {
            return None;
        }
        out.extend_from_slice(&group.to_be_bytes()[1..4 - padding]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back() {
        for bytes in [&b""[..], b"a", b"ab", b"abc", b"\xff\x00\xfe\x01"] {
            assert_eq!(from_base64(&base64(bytes)).as_deref(), Some(bytes));
        }
        assert_eq!(from_base64("a"), None);
    }
}
