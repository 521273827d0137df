//! HTTP and HTTPS downloads for sources, in one way for every adapter that needs them.
//!
//! [`Clients`] are made once for the process; a [`Session`] is one source's use of them, made for each call:
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use convoy_domain::source::Source;
//! # use convoy_ports::FetchError;
//! use convoy_web::{Clients, Request, Session, Site, Url, retry};
//!
//! # async fn read(clients: &Arc<Clients>, source: &Source) -> Result<Vec<u8>, FetchError> {
//! let url: Url = source.url.parse().expect("a URL");
//! let session = Session::new(clients, source, &url)?;
//! retry::repeat(&Site::of(&url), source.timeout, async || {
//!     let answer = session.send(&Request::get(url.clone())).await?;
//!     answer.body(64 << 20, "an index")?.bytes().await
//! })
//! .await
//! # }
//! ```
//!
//! Status codes become errors ([`failure::of_answer`]) unless a request expects them. Redirects are followed here, each
//! target checked; `Retry-After` is `Busy`.
//!
//! # Invariants
//! - Credentials go to scheme, host and port that they are for, and nowhere else.
//! - No text of an error holds credentials, nor the query of a URL.
//! - No answer is received beyond its limit, nor any call continued beyond its time.

mod address;
mod answer;
mod authorization;
mod clients;
pub mod failure;
pub mod redirect;
mod request;
pub mod retry;
mod session;
mod site;

pub use address::{AddressPolicy, is_link_local_or_metadata};
pub use answer::{Answer, Body};
pub use authorization::{Authorization, Origin};
pub use clients::{Clients, Options, SetupError, Trust, proxy_url};
pub use request::Request;
pub use reqwest::{StatusCode, Url, header};
pub use session::{Session, authorization, unsupported, usable};
pub use site::Site;
