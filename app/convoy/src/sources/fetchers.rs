//! One fetcher for all kinds of source.

use std::sync::Arc;

use convoy_git::{GitFetcher, Options};
use convoy_helm_repo::HelmFetcher;
use convoy_oci::OciFetcher;
use convoy_ports::SourceFetcher;
use convoy_runtime::ByKind;
use convoy_web::Clients;

use crate::failure::Failure;

/// The adapter of each kind; `file_urls` is whether sources may be directories.
pub(crate) fn fetchers(file_urls: bool) -> Result<Arc<dyn SourceFetcher>, Failure> {
    let git = GitFetcher::new(Options {
        file_urls,
        environment_proxy: true,
        ..Options::default()
    });
    let web = Clients::new(&convoy_web::Options {
        environment_proxy: true,
        ..convoy_web::Options::default()
    });
    let failed = |kind: &str, error: &convoy_web::SetupError| {
        Failure::new(format!("cannot set up {kind} sources")).because(error)
    };
    let web = Arc::new(web.map_err(|error| failed("registry", &error))?);
    Ok(Arc::new(ByKind {
        git: Arc::new(git.map_err(|error| failed("git", &error))?),
        helm: Arc::new(HelmFetcher::new(
            Arc::clone(&web),
            &convoy_helm_repo::Options::default(),
        )),
        oci: Arc::new(OciFetcher::with_clients(web)),
    }))
}
