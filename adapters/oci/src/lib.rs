//! OCI registries: charts, and folders of files that Flux, ORAS, Timoni and others push.
//!
//! The protocol is plain functions: [`mod@reference`] says what is asked for, [`challenge`] and [`token`] what a
//! registry wants to be shown, [`manifest`], [`layers`] and [`tags`] what it has. The requests are `convoy-web`'s.
//!
//! # Invariants
//! - Credentials go to the registry, and to a token service only by [`token::may_receive`]; a redirect of a blob to
//!   another host carries none.
//! - Content is checked against digest and size before anything is read of it.
//! - Every answer is bounded; nothing is written to a disk.

pub mod challenge;
#[cfg(feature = "client")]
mod connection;
pub mod digest;
#[cfg(feature = "client")]
mod fetcher;
pub mod layers;
pub mod manifest;
pub mod reference;
#[cfg(feature = "client")]
mod registry;
pub mod tags;
pub mod token;
#[cfg(feature = "client")]
mod tokens;
#[cfg(feature = "client")]
mod unpack;

#[cfg(feature = "client")]
pub use fetcher::OciFetcher;
