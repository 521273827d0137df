//! What the tests of this crate share: real registries, a token service, Helm, and servers that misbehave.

#![expect(dead_code, reason = "each test file uses another part")]

pub(crate) mod archives;
pub(crate) mod helm;
pub(crate) mod push;
pub(crate) mod registries;
pub(crate) mod scripted;
pub(crate) mod tokens;

use std::time::Duration;

use convoy_domain::access::{Access, Credentials};
use convoy_domain::id::NamespacedName;
use convoy_domain::secret::Secret;
use convoy_domain::source::{OciContent, Source, SourceKey, SourceKind, SourceRef};
use convoy_oci::OciFetcher;
use convoy_testkit_contract::source_fetcher::git_source;
use convoy_web::Options;

/// The user that registries with credentials know, and the password. Neither it nor anything of it may be printed.
pub(crate) const USER: &str = "ann";
pub(crate) const PASSWORD: &str = "canary-password";

/// A timeout that a test waits for.
pub(crate) const SHORT: Duration = Duration::from_millis(700);

pub(crate) fn fetcher() -> OciFetcher {
    OciFetcher::new(&Options::default()).expect("a fetcher")
}

pub(crate) fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

pub(crate) fn basic(password: &str) -> Credentials {
    Credentials::Basic {
        username: secret(USER),
        password: secret(password),
    }
}

/// A source by http, without credentials.
pub(crate) fn plain(url: &str) -> Source {
    Source {
        key: SourceKey {
            kind: SourceKind::Oci,
            id: NamespacedName::new("default", "charts").expect("both are names"),
        },
        access: Access {
            plain_http: true,
            ..Access::default()
        },
        ..git_source(url)
    }
}

/// The same with credentials.
pub(crate) fn with(credentials: Credentials, source: Source) -> Source {
    Source {
        access: Access {
            credentials,
            ..source.access
        },
        ..source
    }
}

pub(crate) fn chart(chart: &str, version: &str) -> SourceRef {
    SourceRef::Oci {
        chart: chart.to_owned(),
        version: version.to_owned(),
        content: OciContent::Chart,
    }
}

pub(crate) fn files(chart: &str, version: &str) -> SourceRef {
    SourceRef::Oci {
        chart: chart.to_owned(),
        version: version.to_owned(),
        content: OciContent::Files,
    }
}
