//! What the tests of this crate share: repositories in a folder, and servers in front of them.

#![expect(dead_code, reason = "each test file uses another part")]

pub(crate) mod faulty;
pub(crate) mod http;
pub(crate) mod repositories;
pub(crate) mod sshd;

use std::time::Duration;

use convoy_git::{GitFetcher, Options};

/// A fetcher that opens folders.
pub(crate) fn fetcher() -> GitFetcher {
    fetcher_with(Options::default())
}

pub(crate) fn fetcher_with(options: Options) -> GitFetcher {
    GitFetcher::new(Options {
        file_urls: true,
        ..options
    })
    .expect("a fetcher")
}

/// A timeout that a test waits for.
pub(crate) const SHORT: Duration = Duration::from_millis(700);
