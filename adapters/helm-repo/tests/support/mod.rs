//! What the tests of this crate share: charts, repositories of them, and a real server in front.

#![expect(dead_code, reason = "each test file uses another part")]

pub(crate) mod charts;
pub(crate) mod large;
pub(crate) mod server;

use std::sync::Arc;
use std::time::Duration;

use convoy_domain::access::{Access, Credentials};
use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::secret::Secret;
use convoy_domain::source::{Source, SourceKey, SourceKind, SourceRef};
use convoy_helm_repo::{HelmFetcher, Options};
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_contract::source_fetcher::git_source;
use convoy_web::Clients;

pub(crate) fn fetcher() -> HelmFetcher {
    fetcher_with(&convoy_web::Options::default())
}

pub(crate) fn fetcher_with(options: &convoy_web::Options) -> HelmFetcher {
    let clients = Clients::new(options).expect("clients");
    HelmFetcher::new(Arc::new(clients), &Options::default())
}

pub(crate) fn source(url: &str) -> Source {
    source_with(url, Access::default())
}

pub(crate) fn source_with(url: &str, access: Access) -> Source {
    let own = git_source(url);
    Source {
        key: SourceKey {
            kind: SourceKind::Helm,
            ..own.key
        },
        timeout: Duration::from_mins(5),
        access,
        ..own
    }
}

pub(crate) fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

pub(crate) fn by(credentials: Credentials) -> Access {
    Access {
        credentials,
        ..Access::default()
    }
}

pub(crate) fn password(password: &str) -> Credentials {
    Credentials::Basic {
        username: secret(server::USER),
        password: secret(password),
    }
}

pub(crate) fn token(token: &str) -> Credentials {
    Credentials::Token(secret(token))
}

pub(crate) fn chart(chart: &str, version: &str) -> SourceRef {
    SourceRef::Helm {
        chart: chart.to_owned(),
        version: version.to_owned(),
    }
}

/// Resolves and fetches.
pub(crate) async fn take(fetcher: &HelmFetcher, source: &Source, wanted: &SourceRef) -> Result<Artifact, FetchError> {
    let revision = fetcher.resolve(source, wanted).await?;
    fetcher.fetch(source, wanted, &revision, &Limits::default()).await
}

/// A revision that nobody has.
pub(crate) fn no_revision() -> Revision {
    Revision::of_chart("web", "1.0.0", &format!("sha256:{}", "0".repeat(64)))
}

/// The header of HTTP's basic scheme.
pub(crate) fn server_header(user: &str, password: &str) -> String {
    let pair = data_encoding::BASE64.encode(format!("{user}:{password}").as_bytes());
    format!("Basic {pair}")
}
