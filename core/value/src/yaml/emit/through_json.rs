//! What happens to a string between JSON and YAML in Go's library, which reads its own JSON as YAML.

use alloc::borrow::Cow;
use alloc::string::String;

/// Why Go's library does not write a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarshalError {
    /// A number that JSON cannot hold.
    #[error("json: unsupported value")]
    NotFinite,
    /// A character that JSON leaves as it is and YAML forbids.
    #[error("yaml: control characters are not allowed")]
    Control,
    /// A key that is too long for YAML's reader, or that a line break cuts.
    #[error("yaml: did not find expected ',' or '}}'")]
    Key,
    /// `---` or `...` behind a line break in a string.
    #[error("yaml: found unexpected document indicator")]
    DocumentIndicator,
}

/// Characters of JSON text within which the `:` behind a key must stand.
const KEY_REACH: usize = 1024;

/// `text` as it arrives at the writer.
pub(super) fn convert(text: &str, is_key: bool) -> Result<Cow<'_, str>, MarshalError> {
    if is_key && text.len() > KEY_REACH / 6 - 2 && json_length(text) > KEY_REACH {
        return Err(MarshalError::Key);
    }
    if text.bytes().all(|byte| !matches!(byte, 0x7F | 0xC2 | 0xEF)) {
        return Ok(Cow::Borrowed(text));
    }
    let forbidden = |c| matches!(c, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(forbidden) {
        return Err(MarshalError::Control);
    }
    if !text.contains('\u{85}') {
        return Ok(Cow::Borrowed(text));
    }
    if is_key {
        Err(MarshalError::Key)
    } else {
        fold(text).map(Cow::Owned)
    }
}

/// Characters of the text in JSON, quotes included.
fn json_length(text: &str) -> usize {
    let mut json = String::with_capacity(text.len() + 2);
    crate::json::push_string(&mut json, text);
    json.chars().count()
}

/// NEXT LINE is a line break for YAML's reader, and is folded as in any quoted scalar.
fn fold(text: &str) -> Result<String, MarshalError> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{85}') {
        out.push_str(rest[..at].trim_end_matches(' '));
        let behind = rest[at..].trim_start_matches([' ', '\u{85}']);
        let passed = &rest[at..rest.len() - behind.len()];
        let breaks = passed.chars().filter(|c| *c == '\u{85}').count();
        if breaks == 1 {
            out.push(' ');
        }
        out.extend((1..breaks).map(|_| '\n'));
        let new_line = passed.ends_with('\u{85}');
        if new_line && (behind.starts_with("--- ") || behind.starts_with("... ")) {
            return Err(MarshalError::DocumentIndicator);
        }
        if new_line && (behind.starts_with("---\u{85}") || behind.starts_with("...\u{85}")) {
            return Err(MarshalError::DocumentIndicator);
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, is_key: bool, expect: Result<&str, MarshalError>) {
        assert_eq!(convert(text, is_key).as_deref(), expect.as_ref().copied(), "{text:?}");
    }

    #[test]
    fn next_line_is_folded_and_what_yaml_forbids_is_refused() {
        check("plain é 😀", false, Ok("plain é 😀"));
        check("a \u{85} b", false, Ok("a b"));
        check("a\u{85}\u{85} \u{85}b", false, Ok("a\n\nb"));
        check("a\u{85}--- b", false, Err(MarshalError::DocumentIndicator));
        check("a\u{85}", true, Err(MarshalError::Key));
        check("a\u{7f}", false, Err(MarshalError::Control));
        check("a\u{9f}", true, Err(MarshalError::Control));
        check("\u{a0}\u{feff}", true, Ok("\u{a0}\u{feff}"));
    }

    #[test]
    fn a_key_may_have_1024_characters_of_json() {
        let key = "k".repeat(1022);
        check(&key, true, Ok(&key));
        check(&(key.clone() + "k"), true, Err(MarshalError::Key));
        check(&(key + "k"), false, Ok(&"k".repeat(1023)));
        check(&"<".repeat(171), true, Err(MarshalError::Key));
        check(&"é".repeat(1022), true, Ok(&"é".repeat(1022)));
    }
}
