//! A render: what rendering and mutation gave, and the name of it.
//!
//! # Invariant
//! A [`Render`]'s ref is the SHA-256 of exactly the bytes that [`Render::to_bytes`] gives: each object's canonical
//! JSON followed by one line feed, in render order. A stored render therefore verifies itself.

use alloc::string::String;
use alloc::vec::Vec;

use convoy_value::json;
use sha2::{Digest, Sha256};

use crate::limits::Limits;
use crate::number::settle;
use crate::object::{NotAnObject, Object};
use crate::render_ref::RenderRef;

/// A bound of one render that was passed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderTooLarge {
    /// More objects than allowed.
    #[error("the render has {objects} objects, more than the limit `objects in a render` of {limit}")]
    Objects {
        /// Objects at hand.
        objects: usize,
        /// The limit.
        limit: usize,
    },
    /// More bytes than allowed.
    #[error("the render passes the limit `bytes of a render` of {limit} at object {object}")]
    Bytes {
        /// Number of the object, from 1, at which it was passed.
        object: usize,
        /// The limit.
        limit: u64,
    },
}

/// Why stored bytes are not the render that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CorruptRender {
    /// The bytes have another hash.
    #[error("the stored bytes are `{found}` instead of `{expected}`")]
    Hash {
        /// What was asked for.
        expected: RenderRef,
        /// What the bytes are.
        found: RenderRef,
    },
    /// The bytes hash as asked for but do not end an object with a line feed.
    #[error("the stored bytes do not end with a line feed")]
    Truncated,
    /// A line is no JSON.
    #[error("line {line} of the stored render is not JSON")]
    Json {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        source: json::Error,
    },
    /// A line is no object.
    #[error("line {line} of the stored render is not an object")]
    Object {
        /// Number of the line, from 1.
        line: usize,
        /// What it lacks.
        source: NotAnObject,
    },
}

/// Objects in the order in which they were rendered, and their ref.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_field_names, reason = "renderRef is the term of the specification")]
pub struct Render {
    objects: Vec<Object>,
    render_ref: RenderRef,
    bytes: u64,
}

impl Render {
    /// Names a list of objects, their numbers as Kubernetes reads them ([`settle`]); nothing is held but the hash while
    /// it is computed.
    ///
    /// # Errors
    /// [`RenderTooLarge`] with the limit that is passed.
    pub fn new(mut objects: Vec<Object>, limits: &Limits) -> Result<Self, RenderTooLarge> {
        if objects.len() > limits.objects {
            return Err(RenderTooLarge::Objects {
                objects: objects.len(),
                limit: limits.objects,
            });
        }
        let mut hash = Sha256::new();
        let mut bytes = 0_u64;
        for (index, object) in objects.iter_mut().enumerate() {
            settle(object);
            write_line(object, &mut |piece: &[u8]| {
                bytes = bytes.saturating_add(piece.len() as u64);
                hash.update(piece);
            });
            if bytes > limits.render_bytes {
                return Err(RenderTooLarge::Bytes {
                    object: index + 1,
                    limit: limits.render_bytes,
                });
            }
        }
        let render_ref = RenderRef::from_digest(hash.finalize().into());
        Ok(Self {
            objects,
            render_ref,
            bytes,
        })
    }

    /// The objects.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// The objects, without their name.
    #[must_use]
    pub fn into_objects(self) -> Vec<Object> {
        self.objects
    }

    /// The name.
    #[must_use]
    pub fn render_ref(&self) -> RenderRef {
        self.render_ref
    }

    /// Length of [`Render::to_bytes`].
    #[must_use]
    pub fn byte_len(&self) -> u64 {
        self.bytes
    }

    /// What is stored.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(usize::try_from(self.bytes).unwrap_or_default());
        for object in &self.objects {
            write_line(object, &mut |piece: &[u8]| out.extend_from_slice(piece));
        }
        out
    }

    /// What is stored, in pieces of at least `size` bytes, but for the last: an object is never divided.
    pub fn to_pieces(&self, size: usize) -> impl Iterator<Item = Vec<u8>> + Send + '_ {
        let mut objects = self.objects.iter();
        core::iter::from_fn(move || {
            let mut piece = Vec::new();
            for object in objects.by_ref() {
                write_line(object, &mut |bytes: &[u8]| piece.extend_from_slice(bytes));
                if piece.len() >= size {
                    break;
                }
            }
            Some(piece).filter(|piece| !piece.is_empty())
        })
    }

    /// Reads stored bytes back: first the hash of all of them, then the objects.
    ///
    /// # Errors
    /// [`CorruptRender`]; nothing of such bytes may be used.
    pub fn from_bytes(bytes: &[u8], expected: RenderRef) -> Result<Self, CorruptRender> {
        let found = RenderRef::from_digest(Sha256::digest(bytes).into());
        if found != expected {
            return Err(CorruptRender::Hash { expected, found });
        }
        let Some((last, lines)) = bytes.split_last() else {
            return Ok(Self {
                objects: Vec::new(),
                render_ref: found,
                bytes: 0,
            });
        };
        if *last != b'\n' {
            return Err(CorruptRender::Truncated);
        }
        let objects = lines
            .split(|byte| *byte == b'\n')
            .enumerate()
            .map(|(index, line)| read_line(line, index + 1))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            objects,
            render_ref: found,
            bytes: bytes.len() as u64,
        })
    }
}

/// Reads a stored render from its bytes as they come, for bytes whose hash was seen to be right before.
///
/// # Invariant
/// There is no [`Render`] before all bytes were read and have the hash.
#[derive(Debug)]
pub struct RenderReader {
    expected: RenderRef,
    hash: Sha256,
    objects: Vec<Object>,
    line: Vec<u8>,
    bytes: u64,
}

impl RenderReader {
    /// Reads a render of this name.
    #[must_use]
    pub fn new(expected: RenderRef) -> Self {
        Self {
            expected,
            hash: Sha256::new(),
            objects: Vec::new(),
            line: Vec::new(),
            bytes: 0,
        }
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// [`CorruptRender`] at a line that is no object.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), CorruptRender> {
        self.hash.update(bytes);
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (head, rest) = bytes.split_at(end);
            bytes = &rest[1..];
            let number = self.objects.len() + 1;
            let object = if self.line.is_empty() {
                read_line(head, number)?
            } else {
                self.line.extend_from_slice(head);
                read_line(&core::mem::take(&mut self.line), number)?
            };
            self.objects.push(object);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// The render, once all bytes were taken.
    ///
    /// # Errors
    /// [`CorruptRender`] when the bytes have another hash, or do not end an object.
    pub fn finish(self) -> Result<Render, CorruptRender> {
        let (expected, found) = (self.expected, RenderRef::from_digest(self.hash.finalize().into()));
        if found != expected {
            return Err(CorruptRender::Hash { expected, found });
        }
        if !self.line.is_empty() {
            return Err(CorruptRender::Truncated);
        }
        Ok(Render {
            objects: self.objects,
            render_ref: found,
            bytes: self.bytes,
        })
    }
}

fn write_line(object: &Object, sink: &mut impl FnMut(&[u8])) {
    json::write_canonical(object.as_value(), sink);
    sink(b"\n");
}

fn read_line(text: &[u8], line: usize) -> Result<Object, CorruptRender> {
    // The hash vouches for the bytes, so that the only bounds are the ones that keep the reader safe.
    let limits = convoy_value::Limits {
        bytes: text.len(),
        depth: convoy_value::MAX_DEPTH,
        ..convoy_value::Limits::default()
    };
    let value = json::parse(text, &limits).map_err(|source| CorruptRender::Json { line, source })?;
    let mut object = Object::new(value).map_err(|source| CorruptRender::Object { line, source })?;
    settle(&mut object);
    Ok(object)
}

/// One line for the history: content type, revision and number of objects, at most
/// [`crate::history::SUMMARY_CHARS`] characters.
#[must_use]
pub fn summary(content_type: &str, revision: &crate::artifact::Revision, objects: usize) -> String {
    let plural = if objects == 1 { "" } else { "s" };
    crate::history::one_line(&alloc::format!(
        "{content_type} at {revision}, {objects} object{plural}"
    ))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    fn object(text: &str) -> Object {
        Object::new(json::parse(text, &convoy_value::Limits::default()).unwrap()).unwrap()
    }

    fn render(texts: &[&str]) -> Render {
        Render::new(texts.iter().map(|text| object(text)).collect(), &Limits::default()).unwrap()
    }

    const SECRET: &str =
        r#"{"kind":"Secret","apiVersion":"v1","metadata":{"name":"a","labels":{"b":"<&>","a":"\u2028é"}}}"#;
    const SERVICE: &str =
        r#"{"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":80,"weight":1.50}]},"x":null}"#;

    /// Made by hand with `printf '…\n' | sha256sum` over canonical lines.
    #[test]
    fn golden_refs_pin_the_bytes_of_a_render() {
        for (texts, bytes, expect) in [
            (
                &[][..],
                "",
                "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                &[SECRET][..],
                "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"labels\":{\"a\":\"\\u2028é\",\"b\":\"\\u003c\\u0026\\u003e\"},\"name\":\"a\"}}\n",
                "sha256:2f9a149eea297d9208d434836c79d8079b1bf4896ff6b4b05afb6c4dc61d353d",
            ),
            (
                &[SECRET, SERVICE][..],
                "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"labels\":{\"a\":\"\\u2028é\",\"b\":\"\\u003c\\u0026\\u003e\"},\"name\":\"a\"}}\n{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"spec\":{\"ports\":[{\"port\":80,\"weight\":1.5}]},\"x\":null}\n",
                "sha256:ff2434deaabdee9c344451cf30a312786df8f2ebaff85493c84a26910d0deb1c",
            ),
        ] {
            let render = render(texts);
            assert_eq!(String::from_utf8(render.to_bytes()).unwrap(), bytes);
            assert_eq!(render.byte_len(), bytes.len() as u64);
            assert_eq!(render.render_ref().to_string(), expect);
        }
    }

    #[test]
    fn a_stored_render_reads_back() {
        for texts in [&[][..], &[SECRET], &[SECRET, SERVICE, SECRET]] {
            let render = render(texts);
            let read = Render::from_bytes(&render.to_bytes(), render.render_ref());
            assert_eq!(read, Ok(render));
        }
    }

    #[test]
    fn pieces_are_the_bytes_and_read_back_however_they_are_cut() {
        for texts in [&[][..], &[SECRET], &[SECRET, SERVICE, SECRET, SERVICE]] {
            let render = render(texts);
            for size in [0, 1, 200, 10_000] {
                let pieces: Vec<Vec<u8>> = render.to_pieces(size).collect();
                assert_eq!(pieces.concat(), render.to_bytes());
                assert!(
                    pieces
                        .iter()
                        .rev()
                        .skip(1)
                        .all(|piece| piece.len() >= size && !piece.is_empty())
                );
            }
            for size in [1, 7, 10_000] {
                let mut read = RenderReader::new(render.render_ref());
                for piece in render.to_bytes().chunks(size) {
                    read.push(piece).unwrap();
                }
                assert_eq!(read.finish().as_ref(), Ok(&render));
            }
        }
    }

    #[test]
    fn pieces_of_another_render_or_of_half_of_one_give_none() {
        let whole = render(&[SECRET, SERVICE]);
        let read = |bytes: &[u8], expected| {
            let mut reader = RenderReader::new(expected);
            reader.push(bytes)?;
            reader.finish()
        };
        let bytes = whole.to_bytes();
        let other = render(&[SECRET]).render_ref();
        assert!(matches!(read(&bytes, other), Err(CorruptRender::Hash { .. })));
        assert!(matches!(
            read(&bytes[..bytes.len() - 1], whole.render_ref()),
            Err(CorruptRender::Hash { .. })
        ));
        let cut = RenderRef::from_digest(Sha256::digest(b"{").into());
        assert_eq!(read(b"{", cut), Err(CorruptRender::Truncated));
        assert!(matches!(
            read(b"{}\n[\n", cut),
            Err(CorruptRender::Object { line: 1, .. })
        ));
        assert!(matches!(read(b"[\n", cut), Err(CorruptRender::Json { line: 1, .. })));
    }

    #[test]
    fn the_order_of_objects_names_another_render() {
        assert_ne!(
            render(&[SECRET, SERVICE]).render_ref(),
            render(&[SERVICE, SECRET]).render_ref()
        );
    }

    #[test]
    fn bytes_with_another_hash_are_corrupt_whatever_they_hold() {
        let render = render(&[SECRET, SERVICE]);
        let bytes = render.to_bytes();
        for index in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut damaged = bytes.clone();
            damaged[index] ^= 1;
            let read = Render::from_bytes(&damaged, render.render_ref());
            assert!(matches!(read, Err(CorruptRender::Hash { .. })), "{read:?}");
        }
        let read = Render::from_bytes(&bytes[..bytes.len() - 1], render.render_ref());
        assert!(matches!(read, Err(CorruptRender::Hash { .. })), "{read:?}");
    }

    #[test]
    fn bytes_with_the_right_hash_that_are_no_render_are_corrupt() {
        let read = |text: &str| {
            let hash = RenderRef::from_digest(Sha256::digest(text.as_bytes()).into());
            Render::from_bytes(text.as_bytes(), hash).unwrap_err().to_string()
        };
        assert_eq!(read("{}"), "the stored bytes do not end with a line feed");
        assert_eq!(read("{}\n"), "line 1 of the stored render is not an object");
        assert_eq!(
            read(&alloc::format!("{SECRET}\n\n")),
            "line 2 of the stored render is not JSON"
        );
    }

    #[test]
    fn limits_are_named() {
        let objects = || alloc::vec![object(SECRET), object(SERVICE)];
        let error = |limits: Limits| Render::new(objects(), &limits).unwrap_err().to_string();
        let defaults = Limits::default();
        assert_eq!(
            error(Limits {
                objects: 1,
                ..defaults.clone()
            }),
            "the render has 2 objects, more than the limit `objects in a render` of 1"
        );
        assert_eq!(
            error(Limits {
                render_bytes: 120,
                ..defaults.clone()
            }),
            "the render passes the limit `bytes of a render` of 120 at object 2"
        );
        let exact = Render::new(objects(), &defaults).unwrap().byte_len();
        assert!(
            Render::new(
                objects(),
                &Limits {
                    render_bytes: exact,
                    ..defaults
                }
            )
            .is_ok()
        );
    }
}
