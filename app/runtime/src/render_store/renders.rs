//! The bytes of renders, each under its hash.

use convoy_domain::id::ReleaseId;
use convoy_domain::render::{CorruptRender, Render, RenderReader};
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key;
use convoy_ports::{BlobError, Pieces};
use sha2::{Digest as _, Sha256};

use super::pieces::{Hashed, PiecesOfRender, Sealing, StoredPieces};
use super::sealed::KeyId;
use super::{RenderStoreError, StoredRenders};

/// Renders up to this size are held whole while they are written and read; larger ones pass in pieces.
pub(super) const WHOLE_UP_TO: usize = 1024 * 1024;

/// A stored render whose bytes were all read and have their hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Its length, in the clear.
    pub bytes: u64,
    /// The key that it is sealed with, if it is.
    pub sealed_with: Option<KeyId>,
}

impl StoredRenders {
    pub(super) async fn put_render(&self, release: &ReleaseId, render: &Render) -> Result<(), RenderStoreError> {
        let key = store_key::blob(release, render.render_ref());
        if self.damaged.has(&key) {
            let written = self
                .write(release, render.render_ref(), &mut PiecesOfRender::new(render))
                .await;
            written.map_err(RenderStoreError::doing("write a damaged render anew"))?;
            self.damaged.remove(&key);
            return Ok(());
        }
        let stored = self.blobs.exists(&key).await;
        if stored.map_err(RenderStoreError::doing("look for the render"))? {
            return Ok(());
        }
        let written = if render.byte_len() <= WHOLE_UP_TO as u64 {
            self.write_whole(release, render).await
        } else {
            self.write(release, render.render_ref(), &mut PiecesOfRender::new(render))
                .await
        };
        written.map_err(RenderStoreError::doing("store the render"))
    }

    async fn write_whole(&self, release: &ReleaseId, render: &Render) -> Result<(), BlobError> {
        let key = store_key::blob(release, render.render_ref());
        let bytes = match self.sealer(release, render.render_ref())? {
            None => render.to_bytes(),
            Some(sealer) => {
                let mut clear = PiecesOfRender::new(render);
                let mut sealing = Sealing::new(&mut clear, sealer, &key);
                let mut whole = Vec::new();
                while let Some(piece) = sealing.next().await? {
                    whole.extend(piece);
                }
                whole
            }
        };
        self.blobs.put_if_absent(&key, bytes).await.map(|_| ())
    }

    /// Writes clear pieces, sealed when there is a key, over what is there.
    async fn write(&self, release: &ReleaseId, render_ref: RenderRef, clear: &mut dyn Pieces) -> Result<(), BlobError> {
        let key = store_key::blob(release, render_ref);
        match self.sealer(release, render_ref)? {
            None => self.blobs.put_pieces(&key, clear).await,
            Some(sealer) => {
                self.blobs
                    .put_pieces(&key, &mut Sealing::new(clear, sealer, &key))
                    .await
            }
        }
    }

    pub(super) async fn put_pieces(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
        clear: &mut dyn Pieces,
    ) -> Result<(), RenderStoreError> {
        let key = store_key::blob(release, render_ref);
        let mut hashed = Hashed::new(clear, render_ref, &key);
        let written = self.write(release, render_ref, &mut hashed).await;
        written.map_err(RenderStoreError::doing("store the render"))?;
        self.damaged.remove(&key);
        Ok(())
    }

    pub(super) async fn heal(&self, release: &ReleaseId, render: &Render) -> Result<bool, RenderStoreError> {
        let damaged = self.damaged.has(&store_key::blob(release, render.render_ref()));
        if damaged {
            self.put_render(release, render).await?;
        }
        Ok(damaged)
    }

    async fn stored(&self, release: &ReleaseId, render_ref: RenderRef) -> Result<StoredPieces, RenderStoreError> {
        match self.blobs.get_pieces(&store_key::blob(release, render_ref)).await {
            Ok(pieces) => Ok(StoredPieces::new(pieces, self.opener(release, render_ref), render_ref)),
            Err(BlobError::NotFound { .. }) => Err(RenderStoreError::NotFound { render_ref }),
            Err(error) => Err(RenderStoreError::doing("read the render")(error)),
        }
    }

    /// Remembers what a read has shown, so that the render is written anew when it is at hand.
    fn note<T>(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
        answer: Result<T, RenderStoreError>,
    ) -> Result<T, RenderStoreError> {
        if let Err(error) = &answer
            && error.is_damage()
        {
            self.damaged.add(&store_key::blob(release, render_ref));
        }
        answer
    }

    pub(super) async fn get_render(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
    ) -> Result<Render, RenderStoreError> {
        self.note(release, render_ref, self.read_render(release, render_ref).await)
    }

    async fn read_render(&self, release: &ReleaseId, render_ref: RenderRef) -> Result<Render, RenderStoreError> {
        let corrupt = |cause| RenderStoreError::Corrupt {
            render_ref,
            cause: Box::new(cause),
        };
        let mut held = Vec::new();
        let (verified, whole) = self.read_hashing(release, render_ref, &mut held).await?;
        if whole {
            return Render::from_bytes(&held, render_ref).map_err(corrupt);
        }
        drop((verified, held));
        // The second pass: what was hashed is read again, and hashed again, since it may have changed.
        let mut stored = self.stored(release, render_ref).await?;
        let mut reader = RenderReader::new(render_ref);
        while let Some(piece) = stored.next().await? {
            reader.push(&piece).map_err(corrupt)?;
        }
        reader.finish().map_err(corrupt)
    }

    /// Reads and hashes all bytes. Holds them while they are few, and tells whether it did.
    async fn read_hashing(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
        held: &mut Vec<u8>,
    ) -> Result<(Verified, bool), RenderStoreError> {
        let mut stored = self.stored(release, render_ref).await?;
        let (mut hash, mut bytes, mut whole) = (Sha256::new(), 0_u64, true);
        while let Some(piece) = stored.next().await? {
            hash.update(&piece);
            bytes += piece.len() as u64;
            if whole && held.len() + piece.len() <= WHOLE_UP_TO {
                held.extend_from_slice(&piece);
            } else if whole {
                whole = false;
                *held = Vec::new();
            }
        }
        let found = RenderRef::from_digest(hash.finalize().into());
        if found != render_ref {
            let expected = render_ref;
            let cause = CorruptRender::Hash { expected, found };
            return Err(RenderStoreError::Corrupt {
                render_ref,
                cause: Box::new(cause),
            });
        }
        let sealed_with = stored.sealed_with();
        Ok((Verified { bytes, sealed_with }, whole))
    }

    pub(super) async fn verify(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
    ) -> Result<Verified, RenderStoreError> {
        let read = self.read_hashing(release, render_ref, &mut Vec::new()).await;
        self.note(release, render_ref, read).map(|(verified, _)| verified)
    }

    pub(super) async fn pieces(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
    ) -> Result<(Verified, StoredPieces), RenderStoreError> {
        let verified = self.verify(release, render_ref).await?;
        let stored = self.stored(release, render_ref).await?;
        Ok((verified, stored))
    }
}
