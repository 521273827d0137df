//! Webhooks: which source one is about, whether its sender knows the source's token, and when it counts.
//!
//! What a webhook says is never read: it only makes convoy ask the source's server sooner. So a webhook that is sent
//! again does no harm, and all that must be proved is that its sender may ask.
//!
//! # Invariant
//! A request without a proof, with a wrong one, and one about a source that has no token are refused alike, and a
//! proof is compared in a time that does not depend on how much of it is right.

mod pace;
mod path;
mod proof;

pub use pace::{Bucket, due};
pub use path::HookPath;
pub use proof::Check;

/// The entry of the Secret of `spec.webhookSecretRef` that senders sign with, or send.
pub const TOKEN: &str = "token";
/// The entry that may stand in the path, for senders that cannot sign. It is another one, since paths are logged.
pub const PATH_TOKEN: &str = "pathToken";
/// Bytes of a webhook's body.
pub const BODY_BYTES: usize = 8 * 1024 * 1024;
