//! YAML in and out, as the Go libraries below Helm and Kustomize do both.
//!
//! One scanner, a translation of libyaml's rules (go-yaml v2 and v3 are translations of the same code), and two
//! readers over it that differ in what the text means:
//!
//! | | [`helm`] | [`kustomize`] |
//! |---|---|---|
//! | follows | sigs.k8s.io/yaml over yaml.v2 | kyaml over yaml.v3 |
//! | `on`, `yes`, `y` | booleans | text |
//! | a key twice | the last wins | an error |
//! | a key that is no text | its text | an error below the root |
//! | digits beyond 64 bits | a float | kept |
//! | `2020-01-02` | text | the time in RFC 3339 |
//! | `<<` | merged where it stands | never over what is set |

mod compose;
mod cursor;
mod emit;
mod error;
mod event;
pub mod helm;
mod input;
pub mod kustomize;
mod outline;
mod parser;
mod resolve;
mod scan_block;
mod scan_scalar;
mod scan_tag;
mod scanner;
mod timestamp;
mod token;

use alloc::vec::Vec;

use crate::Value;

pub use emit::{MarshalError, marshal, to_string, v3};
pub use error::{Error, ErrorKind};

/// One document of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its content; null if there is none.
    pub value: Value,
    /// The line, from 1, on which its content begins.
    pub line: usize,
    /// Its place in the stream, from 0; documents without content count.
    pub index: usize,
}

impl Document {
    /// Whether there is nothing in it (or only a null).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.value.is_null()
    }
}

/// The first document; what follows it is not looked at.
fn read_first(text: &[u8], options: compose::Options<'_>) -> Result<Value, Error> {
    Ok(read_first_document(text, options)?.map_or(Value::Null, |(value, _)| value))
}

/// The first document and the line, from 0, on which its content begins.
fn read_first_document(text: &[u8], options: compose::Options<'_>) -> Result<Option<(Value, usize)>, Error> {
    check_size(text, options)?;
    let input = input::decode(text);
    let document = compose::Composer::new(&input.text, input.broken, options).document()?;
    Ok(document.map(|(value, mark)| (value, mark.line as usize)))
}

fn read_all(text: &[u8], options: compose::Options<'_>) -> Result<Vec<Document>, Error> {
    check_size(text, options)?;
    let input = input::decode(text);
    let mut composer = compose::Composer::new(&input.text, input.broken, options);
    let mut documents = Vec::new();
    while let Some((value, mark)) = composer.document()? {
        if documents.len() == options.limits.documents {
            return Err(Error::limit("documents", documents.len(), mark));
        }
        let index = documents.len();
        documents.push(Document {
            value,
            line: mark.line as usize + 1,
            index,
        });
    }
    Ok(documents)
}

fn check_size(text: &[u8], options: compose::Options<'_>) -> Result<(), Error> {
    // Marks are 32 bits wide.
    let limit = options.limits.bytes.min(u32::MAX as usize);
    if text.len() > limit {
        return Err(Error::limit("bytes", limit, error::Mark::default()));
    }
    Ok(())
}
