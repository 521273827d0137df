//! What registries wanted to be shown, kept for the requests that follow.
//!
//! # Invariant
//! What is kept is found again only for the same registry, repository, credentials and trust.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use convoy_domain::access::Credentials;
use convoy_domain::secret::Secret;
use convoy_web::{Trust, Url};

use crate::reference::Repository;

/// How many are kept; the one used longest ago goes first.
const KEPT: usize = 512;

/// How long a registry is taken to want a password still.
const PASSWORD: Duration = Duration::from_hours(1);

/// For what something may be shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) registry: Url,
    pub(crate) repository: Option<Repository>,
    pub(crate) credentials: Credentials,
    pub(crate) trust: Trust,
}

/// What a registry is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// User and password of the source.
    Password,
    /// A token.
    Token(Secret<String>),
}

/// The kept ones, the one used last at the end.
#[derive(Default)]
pub(crate) struct Tokens(Mutex<Vec<(Key, Shown, Instant)>>);

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tokens").field(&self.lock().len()).finish()
    }
}

impl Tokens {
    /// What the registry was content with, if that holds still.
    pub(crate) fn get(&self, key: &Key) -> Option<Shown> {
        let mut kept = self.lock();
        let place = kept.iter().position(|(known, _, _)| known == key)?;
        let found = kept.remove(place);
        let holds = Instant::now() < found.2;
        let shown = holds.then(|| found.1.clone());
        if holds {
            kept.push(found);
        }
        shown
    }

    /// Keeps a token for its lifetime.
    pub(crate) fn keep_token(&self, key: Key, token: Secret<String>, lifetime: Duration) {
        self.keep(key, Shown::Token(token), lifetime);
    }

    /// Keeps that the registry wants the password itself.
    pub(crate) fn keep_password(&self, key: Key) {
        self.keep(key, Shown::Password, PASSWORD);
    }

    fn keep(&self, key: Key, shown: Shown, lifetime: Duration) {
        let mut kept = self.lock();
        let now = Instant::now();
        kept.retain(|(known, _, until)| *known != key && now < *until);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((key, shown, now + lifetime));
    }

    /// Forgets what was refused.
    pub(crate) fn forget(&self, key: &Key) {
        self.lock().retain(|(known, _, _)| known != key);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Key, Shown, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Registry;

    fn key(registry: &str, chart: &str, password: &str) -> Key {
        Key {
            registry: Url::parse(registry).unwrap(),
            repository: Some(Registry::parse("oci://h").unwrap().repository(chart).unwrap()),
            credentials: Credentials::Basic {
                username: Secret::new("ann".to_owned()),
                password: Secret::new(password.to_owned()),
            },
            trust: Trust::default(),
        }
    }

    fn token(text: &str) -> Secret<String> {
        Secret::new(text.to_owned())
    }

    #[test]
    fn a_token_is_for_what_it_was_given_for_only() {
        let tokens = Tokens::default();
        let own = key("https://a/", "web", "canary");
        tokens.keep_token(own.clone(), token("canary"), Duration::from_mins(1));
        assert_eq!(tokens.get(&own), Some(Shown::Token(token("canary"))));
        assert_eq!(tokens.get(&key("https://b/", "web", "canary")), None);
        assert_eq!(tokens.get(&key("http://a/", "web", "canary")), None);
        assert_eq!(tokens.get(&key("https://a/", "api", "canary")), None);
        assert_eq!(tokens.get(&key("https://a/", "web", "other")), None);
        let elsewhere = Key {
            repository: None,
            ..own.clone()
        };
        assert_eq!(tokens.get(&elsewhere), None);
        let skipping = Key {
            trust: Trust {
                insecure_skip_verify: true,
                ..Trust::default()
            },
            ..own.clone()
        };
        assert_eq!(tokens.get(&skipping), None);
        assert!(!format!("{tokens:?}").contains("canary"));
        tokens.forget(&own);
        assert_eq!(tokens.get(&own), None);
    }

    #[test]
    fn tokens_end_and_are_never_too_many() {
        let tokens = Tokens::default();
        let own = key("https://a/", "web", "canary");
        tokens.keep_token(own.clone(), token("old"), Duration::ZERO);
        assert_eq!(tokens.get(&own), None);
        tokens.keep_password(own.clone());
        for number in 0..KEPT {
            tokens.keep_password(key("https://a/", &format!("c{number}"), ""));
            if number == 1 {
                assert_eq!(tokens.get(&own), Some(Shown::Password));
            }
        }
        assert_eq!(tokens.lock().len(), KEPT);
        assert_eq!(tokens.get(&key("https://a/", "c0", "")), None);
        assert_eq!(tokens.get(&own), Some(Shown::Password));
    }
}
