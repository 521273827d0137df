//! The bytes of renders, each under its hash.

use convoy_domain::id::ReleaseId;
use convoy_domain::render::Render;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key;
use convoy_ports::BlobError;

use super::{RenderStoreError, StoredRenders};

impl StoredRenders {
    pub(super) async fn put_render(&self, release: &ReleaseId, render: &Render) -> Result<(), RenderStoreError> {
        let key = store_key::blob(release, render.render_ref());
        if self.corrupt.has(&key) {
            let written = self.blobs.put(&key, render.to_bytes()).await;
            written.map_err(RenderStoreError::doing("write a corrupt render anew"))?;
            self.corrupt.remove(&key);
            return Ok(());
        }
        let stored = self.blobs.exists(&key).await;
        if stored.map_err(RenderStoreError::doing("look for the render"))? {
            return Ok(());
        }
        let written = self.blobs.put_if_absent(&key, render.to_bytes()).await;
        written.map_err(RenderStoreError::doing("store the render")).map(|_| ())
    }

    pub(super) async fn get_render(
        &self,
        release: &ReleaseId,
        render_ref: RenderRef,
    ) -> Result<Render, RenderStoreError> {
        let key = store_key::blob(release, render_ref);
        let bytes = match self.blobs.get(&key).await {
            Ok(bytes) => bytes,
            Err(BlobError::NotFound { .. }) => return Err(RenderStoreError::NotFound { render_ref }),
            Err(error) => return Err(RenderStoreError::doing("read the render")(error)),
        };
        Render::from_bytes(&bytes, render_ref).map_err(|cause| {
            self.corrupt.add(&key);
            RenderStoreError::Corrupt { render_ref, cause }
        })
    }
}
