//! A secret that is put wherever a secret can be, and searched for in all that anybody can read.
//!
//! A leak need not be verbatim: a header holds base64, a URL percent signs, a hash's input hex. Each of these forms is
//! searched for, wherever in a longer text the secret may stand.

mod lines;

use std::fmt;

use data_encoding::{BASE64, BASE64URL, HEXLOWER};

pub use lines::Lines;

/// A word that occurs nowhere by chance.
#[derive(Clone, Debug)]
pub struct Canary {
    word: String,
    forms: Vec<Form>,
}

#[derive(Clone, Debug)]
struct Form {
    name: &'static str,
    text: String,
    any_case: bool,
}

/// A place where the canary was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leak {
    /// Where.
    pub place: String,
    /// In which form.
    pub form: &'static str,
    /// What stands around it.
    pub excerpt: String,
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.place, self.form, self.excerpt)
    }
}

impl Canary {
    /// A canary of a word of at least 9 letters and digits: shorter ones leave too little in base64.
    ///
    /// # Panics
    /// When the word is none.
    #[must_use]
    pub fn new(word: &str) -> Self {
        assert!(
            word.len() >= 9 && word.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "`{word}` cannot be searched for"
        );
        let form = |name, text, any_case| Form { name, text, any_case };
        let mut forms = vec![
            form("as it is", word.to_owned(), true),
            form("in hex", HEXLOWER.encode(word.as_bytes()), true),
            form("percent-encoded", percent(word), true),
            form("backwards", word.chars().rev().collect(), true),
        ];
        for shift in 0..3 {
            forms.push(form("in base64", core_of(&BASE64, word, shift), false));
            forms.push(form("in base64 of URLs", core_of(&BASE64URL, word, shift), false));
        }
        Self {
            word: word.to_owned(),
            forms,
        }
    }

    /// The word.
    #[must_use]
    pub fn word(&self) -> &str {
        &self.word
    }

    /// Every line of a text that holds the canary.
    #[must_use]
    pub fn leaks(&self, place: &str, text: &str) -> Vec<Leak> {
        let of_line = |line: &str| {
            let lower = line.to_ascii_lowercase();
            let found = self.forms.iter().find(|form| {
                if form.any_case {
                    lower.contains(&form.text.to_ascii_lowercase())
                } else {
                    line.contains(&form.text)
                }
            })?;
            Some(Leak {
                place: place.to_owned(),
                form: found.name,
                excerpt: line.chars().take(400).collect(),
            })
        };
        text.lines().filter_map(of_line).collect()
    }
}

fn percent(word: &str) -> String {
    let mut out = String::new();
    for byte in word.bytes() {
        out.push('%');
        HEXLOWER.encode_append(&[byte], &mut out);
    }
    out
}

/// The digits of base64 that depend on the word alone, when it begins `shift` bytes after a group.
fn core_of(encoding: &data_encoding::Encoding, word: &str, shift: usize) -> String {
    let padded: Vec<u8> = std::iter::repeat_n(b'.', shift).chain(word.bytes()).collect();
    let whole = padded.len() / 3 * 3;
    let digits = encoding.encode(&padded[..whole]);
    // The first group holds what stands before.
    let skip = if shift == 0 { 0 } else { 4 };
    digits[skip..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_found_and_nothing_else() {
        let canary = Canary::new("c4n4ry5ecret");
        let found = |text: &str| canary.leaks("here", text).len();
        for prefix in ["", "a", "ab", "abc", "user:"] {
            for suffix in ["", "x", "xy", "/z"] {
                let text = format!("{prefix}c4n4ry5ecret{suffix}");
                let bytes = text.as_bytes();
                assert_eq!(found(&text), 1);
                assert_eq!(found(&text.to_uppercase()), 1);
                assert_eq!(found(&format!("Basic {}", BASE64.encode(bytes))), 1, "{text}");
                assert_eq!(found(&format!("?a={}", BASE64URL.encode(bytes))), 1, "{text}");
                assert_eq!(found(&HEXLOWER.encode(bytes)), 1);
            }
        }
        assert_eq!(found("%63%34%6e%34%72%79%35%65%63%72%65%74"), 1);
        assert_eq!(found("terce5yr4n4c"), 1);
        assert_eq!(found("canary secret\nYzRuNHJ5\n***"), 0);
        assert_eq!(found("a\nc4n4ry5ecret\nb c4n4ry5ecret c4n4ry5ecret"), 2);
    }

    #[test]
    #[should_panic(expected = "cannot be searched for")]
    fn a_word_that_may_occur_by_chance_is_none() {
        let _ = Canary::new("secret");
    }
}
