//! Why a call of the render store failed.

use convoy_domain::history::InvalidHistoryKey;
use convoy_domain::render::CorruptRender;
use convoy_domain::render_ref::RenderRef;
use convoy_ports::BlobError;

use super::sealed::KeyId;

/// Why a call of the render store failed. Messages hold their cause: statuses and events show nothing else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderStoreError {
    /// There is no store.
    #[error("there is no render store")]
    Disabled,
    /// The render is not stored.
    #[error("render `{render_ref}` is not in the store")]
    NotFound {
        /// The render.
        render_ref: RenderRef,
    },
    /// The stored bytes are not the render.
    #[error("stored render `{render_ref}` is corrupt: {cause}")]
    Corrupt {
        /// The render.
        render_ref: RenderRef,
        /// What is wrong.
        cause: Box<CorruptRender>,
    },
    /// The stored bytes are sealed, and not what was sealed under this name.
    #[error("stored render `{render_ref}` is corrupt: {why}")]
    Unopened {
        /// The render.
        render_ref: RenderRef,
        /// What is wrong.
        why: String,
    },
    /// The render is sealed with a key that is not at hand.
    #[error("stored render `{render_ref}` is sealed with key `{key}`, which is not in the key file")]
    UnknownKey {
        /// The render.
        render_ref: RenderRef,
        /// The name of the key.
        key: KeyId,
    },
    /// A call of the store failed.
    #[error("cannot {doing}: {cause}")]
    Store {
        /// What the call was for.
        doing: &'static str,
        /// Why it failed.
        cause: BlobError,
    },
    /// The history has no time for a further entry.
    #[error("cannot add to the history: {cause}")]
    Time {
        /// The broken rule.
        cause: InvalidHistoryKey,
    },
    /// The pointers of the Release could not be read anew, so that no blob was deleted.
    #[error("no render was collected, because the present pointers of the Release are not known: {why}")]
    PointersUnknown {
        /// Why they could not be read.
        why: String,
    },
    /// Keys of a deleted Release remain.
    #[error("{remaining} keys of the Release remain in the store, the first at `{key}`: {why}")]
    NotDeleted {
        /// How many.
        remaining: usize,
        /// One of them.
        key: String,
        /// Why it remains.
        why: String,
        /// Whether every failure may pass.
        transient: bool,
    },
}

impl RenderStoreError {
    /// Whether the same call may succeed later.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        match self {
            Self::Store { cause, .. } => cause.is_transient(),
            Self::PointersUnknown { .. } => true,
            Self::NotDeleted { transient, .. } => *transient,
            Self::Disabled
            | Self::NotFound { .. }
            | Self::Corrupt { .. }
            | Self::Unopened { .. }
            | Self::UnknownKey { .. }
            | Self::Time { .. } => false,
        }
    }

    /// Whether the blob is gone or wrong, so that writing it anew mends it. A blob whose key is missing is neither.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        match self {
            Self::NotFound { .. } | Self::Corrupt { .. } | Self::Unopened { .. } => true,
            Self::Disabled
            | Self::UnknownKey { .. }
            | Self::Store { .. }
            | Self::Time { .. }
            | Self::PointersUnknown { .. }
            | Self::NotDeleted { .. } => false,
        }
    }

    /// Tells what a failed call was for.
    pub(super) fn doing(doing: &'static str) -> impl Fn(BlobError) -> Self {
        move |cause| Self::Store { doing, cause }
    }
}
