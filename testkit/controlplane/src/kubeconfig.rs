//! A kubeconfig that stands alone: one cluster, one user with a token, nothing read from other files.

/// Renders the kubeconfig for `url`, whose certificate `authority` (PEM) has signed.
pub(crate) fn render(url: &str, authority: &str, user: &str, token: &str) -> String {
    let authority = base64(authority.as_bytes());
    format!(
        "apiVersion: v1
kind: Config
current-context: test
contexts:
- name: test
  context: {{cluster: test, user: {user}}}
clusters:
- name: test
  cluster:
    server: {url}
    certificate-authority-data: {authority}
users:
- name: {user}
  user: {{token: {token}}}
"
    )
}

/// Standard base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = (group >> (18 - 6 * place)) & 63;
            text.push(if place <= chunk.len() {
                char::from(ALPHABET[digit as usize])
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_answers_as_the_rfc_says() {
        let check = |input: &str, expect: &str| assert_eq!(base64(input.as_bytes()), expect);
        check("", "");
        check("f", "Zg==");
        check("fo", "Zm8=");
        check("foo", "Zm9v");
        check("foob", "Zm9vYg==");
        check("fooba", "Zm9vYmE=");
        check("foobar", "Zm9vYmFy");
        assert_eq!(base64(&[0xff, 0xfe, 0xfb]), "//77");
    }

    #[test]
    fn no_file_is_named() {
        let text = render("https://127.0.0.1:6443", "PEM", "admin", "secret");
        assert!(text.contains("certificate-authority-data: UEVN\n"), "{text}");
        assert!(text.contains("user: {token: secret}"), "{text}");
    }
}
