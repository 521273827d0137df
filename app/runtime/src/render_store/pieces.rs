//! Renders on their way to and from the store, a few pieces of them at a time.

use async_trait::async_trait;
use convoy_domain::render::{CorruptRender, Render};
use convoy_domain::render_ref::RenderRef;
use convoy_ports::{BlobError, Pieces};
use sha2::{Digest as _, Sha256};

use super::RenderStoreError;
use super::sealed::{KeyId, OpenFailure, Opener, Sealer};

/// Least bytes of a piece of a render at hand.
const PIECE: usize = 256 * 1024;

/// The clear bytes of a render at hand.
pub(super) struct PiecesOfRender<'a>(Box<dyn Iterator<Item = Vec<u8>> + Send + 'a>);

impl<'a> PiecesOfRender<'a> {
    pub(super) fn new(render: &'a Render) -> Self {
        Self(Box::new(render.to_pieces(PIECE)))
    }
}

#[async_trait]
impl Pieces for PiecesOfRender<'_> {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        Ok(self.0.next())
    }
}

/// Clear pieces that become sealed ones.
pub(super) struct Sealing<'a> {
    clear: &'a mut dyn Pieces,
    sealer: Option<Sealer>,
    key: &'a str,
}

impl<'a> Sealing<'a> {
    pub(super) fn new(clear: &'a mut dyn Pieces, sealer: Sealer, key: &'a str) -> Self {
        Self {
            clear,
            sealer: Some(sealer),
            key,
        }
    }

    fn failed(&self) -> BlobError {
        BlobError::Other {
            key: self.key.to_owned(),
            why: "the bytes cannot be sealed".to_owned(),
        }
    }
}

#[async_trait]
impl Pieces for Sealing<'_> {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        while let Some(sealer) = &mut self.sealer {
            let sealed = match self.clear.next().await? {
                Some(piece) => sealer.push(&piece),
                None => self.sealer.take().and_then(Sealer::finish),
            };
            let sealed = sealed.ok_or_else(|| self.failed())?;
            if !sealed.is_empty() {
                return Ok(Some(sealed));
            }
        }
        Ok(None)
    }
}

/// Clear pieces that end in an error when they have not the hash: a write of them then leaves nothing.
pub(super) struct Hashed<'a> {
    clear: &'a mut dyn Pieces,
    hash: Sha256,
    expected: RenderRef,
    key: &'a str,
}

impl<'a> Hashed<'a> {
    pub(super) fn new(clear: &'a mut dyn Pieces, expected: RenderRef, key: &'a str) -> Self {
        Self {
            clear,
            hash: Sha256::new(),
            expected,
            key,
        }
    }
}

#[async_trait]
impl Pieces for Hashed<'_> {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        if let Some(piece) = self.clear.next().await? {
            self.hash.update(&piece);
            return Ok(Some(piece));
        }
        let found = RenderRef::from_digest(self.hash.clone().finalize().into());
        if found == self.expected {
            return Ok(None);
        }
        let expected = self.expected;
        Err(BlobError::Corrupt {
            key: self.key.to_owned(),
            why: CorruptRender::Hash { expected, found }.to_string(),
        })
    }
}

/// The clear bytes of a stored render, piece by piece.
///
/// Whoever uses them before the end trusts an earlier reading; a use that lasts must hash them once more.
pub struct StoredPieces {
    stored: Box<dyn Pieces>,
    opener: Option<Opener>,
    sealed_with: Option<KeyId>,
    render_ref: RenderRef,
}

impl std::fmt::Debug for StoredPieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredPieces")
            .field("render_ref", &self.render_ref)
            .finish_non_exhaustive()
    }
}

impl StoredPieces {
    pub(super) fn new(stored: Box<dyn Pieces>, opener: Opener, render_ref: RenderRef) -> Self {
        Self {
            stored,
            opener: Some(opener),
            sealed_with: None,
            render_ref,
        }
    }

    pub(super) fn sealed_with(&self) -> Option<KeyId> {
        self.sealed_with
    }

    /// The next clear bytes, never none; `None` at the end.
    ///
    /// # Errors
    /// [`RenderStoreError`] when they cannot be read or do not open.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, RenderStoreError> {
        while let Some(opener) = &mut self.opener {
            let read = self
                .stored
                .next()
                .await
                .map_err(RenderStoreError::doing("read the render"))?;
            let clear = match read {
                Some(piece) => opener.push(piece),
                None => self.opener.take().map_or(Ok(Vec::new()), Opener::finish),
            };
            let clear = clear.map_err(|failure| self.refused(failure))?;
            self.sealed_with = self.opener.as_ref().map_or(self.sealed_with, Opener::key);
            if !clear.is_empty() {
                return Ok(Some(clear));
            }
        }
        Ok(None)
    }

    fn refused(&self, failure: OpenFailure) -> RenderStoreError {
        let render_ref = self.render_ref;
        match failure {
            OpenFailure::UnknownKey(key) => RenderStoreError::UnknownKey { render_ref, key },
            OpenFailure::Broken(key) => RenderStoreError::Unopened {
                render_ref,
                why: format!("it does not open with key `{key}`: it was changed, or is of another Release"),
            },
            OpenFailure::Cut => RenderStoreError::Unopened {
                render_ref,
                why: "it ends within its header".to_owned(),
            },
        }
    }
}

#[async_trait]
impl Pieces for StoredPieces {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        let read = StoredPieces::next(self).await;
        read.map_err(|error| match error {
            RenderStoreError::Store { cause, .. } => cause,
            RenderStoreError::Disabled
            | RenderStoreError::NotFound { .. }
            | RenderStoreError::Corrupt { .. }
            | RenderStoreError::Unopened { .. }
            | RenderStoreError::UnknownKey { .. }
            | RenderStoreError::Time { .. }
            | RenderStoreError::PointersUnknown { .. }
            | RenderStoreError::NotDeleted { .. } => BlobError::Corrupt {
                key: self.render_ref.to_string(),
                why: error.to_string(),
            },
        })
    }
}
