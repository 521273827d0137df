//! Sources on the command line and in the controller: the adapters that ask their servers, and what files say of them.

mod fetchers;
mod written;

pub(crate) use fetchers::fetchers;
pub(crate) use written::{RELATIVE, described, of_release};

use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{Source, SourceRef};
use convoy_ports::FetchError;

use crate::failure::Failure;

/// Asks what a ref is at, and downloads it. The person who runs a command may read their own directories.
pub(crate) async fn fetch(
    source: &Source,
    wanted: &SourceRef,
    limits: &Limits,
) -> Result<(Revision, Artifact), Failure> {
    let failed = |error: &FetchError| {
        hinted(
            Failure::new(format!("cannot fetch {}", source.key)).because(error),
            error,
        )
    };
    let fetchers = fetchers(true)?;
    let revision = fetchers.resolve(source, wanted).await.map_err(|error| failed(&error))?;
    let artifact = fetchers
        .fetch(source, wanted, &revision, limits)
        .await
        .map_err(|error| failed(&error))?;
    Ok((revision, artifact))
}

fn hinted(failure: Failure, error: &FetchError) -> Failure {
    match error {
        FetchError::Authentication { .. } => {
            failure.hint("`spec.auth` names a Secret with credentials; a file may hold that Secret beside the source")
        }
        FetchError::HostNotTrusted { .. } => {
            failure.hint("put the host's keys into the Secret's entry `known_hosts`; `ssh-keyscan` prints them")
        }
        FetchError::Tls { .. } => {
            failure.hint("`spec.tls.caSecretRef` names a Secret whose `ca.crt` is trusted besides the system's")
        }
        FetchError::HostRefused { .. }
        | FetchError::Unreachable { .. }
        | FetchError::Busy { .. }
        | FetchError::Timeout { .. }
        | FetchError::NotARepository { .. }
        | FetchError::IndexInvalid { .. }
        | FetchError::ChartNotFound { .. }
        | FetchError::RefNotFound { .. }
        | FetchError::Invalid { .. }
        | FetchError::NoChartLayer { .. }
        | FetchError::Signature { .. }
        | FetchError::Limit { .. }
        | FetchError::Unsupported { .. } => failure,
    }
}
