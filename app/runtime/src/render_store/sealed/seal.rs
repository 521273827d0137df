//! From clear bytes to a sealed blob.

use super::{CHUNK, Chunks, HEADER, Key, MAGIC, SALT};

/// Seals a blob as its bytes come.
#[derive(Debug)]
pub(crate) struct Sealer {
    header: Option<[u8; HEADER]>,
    chunks: Chunks,
    held: Vec<u8>,
}

impl Sealer {
    /// For the blob that `name` names. The salt must be new; `None` when the ciphers refuse a key of this length.
    pub(crate) fn new(key: &Key, salt: [u8; SALT], name: &str) -> Option<Self> {
        let mut header = [0; HEADER];
        header[..MAGIC.len()].copy_from_slice(MAGIC);
        header[MAGIC.len()..HEADER - SALT].copy_from_slice(key.id().bytes());
        header[HEADER - SALT..].copy_from_slice(&salt);
        Some(Self {
            chunks: Chunks::new(key, &header, name)?,
            header: Some(header),
            held: Vec::new(),
        })
    }

    /// Takes clear bytes and gives sealed ones, which may be none yet.
    pub(crate) fn push(&mut self, clear: &[u8]) -> Option<Vec<u8>> {
        let mut sealed = Vec::with_capacity(clear.len() + clear.len() / 1024 + HEADER);
        sealed.extend(self.header.take().into_iter().flatten());
        self.held.extend_from_slice(clear);
        // A whole chunk is held back until it is known whether it is the last.
        let mut from = 0;
        while self.held.len() - from > CHUNK {
            sealed.extend(self.chunks.seal(&self.held[from..from + CHUNK], false)?);
            from += CHUNK;
        }
        self.held.drain(..from);
        Some(sealed)
    }

    /// The end of the blob.
    pub(crate) fn finish(mut self) -> Option<Vec<u8>> {
        let mut sealed: Vec<u8> = self.header.take().into_iter().flatten().collect();
        sealed.extend(self.chunks.seal(&self.held, true)?);
        Some(sealed)
    }
}
