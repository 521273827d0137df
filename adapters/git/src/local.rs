//! Repositories in folders of this machine, read through their objects: no other program runs.

use std::path::Path;

use convoy_domain::source::GitRef;
use convoy_ports::FetchError;
use gix::{ObjectId, Repository};

use crate::client::unsupported;
use crate::endpoint::Site;
use crate::refs::Wanted;

/// Opens the repository (bare, or a work tree with `.git`) in `folder`, blind to the machine's and the user's settings.
pub(crate) fn open(folder: &Path, site: &Site) -> Result<Repository, FetchError> {
    match gix::open_opts(folder, gix::open::Options::isolated()) {
        Ok(repository) => Ok(repository),
        Err(_) if has_sha256(folder) => Err(unsupported("a git repository with sha256 objects")),
        Err(_) if !folder.exists() => Err(site.not_a_repository("there is no such folder")),
        Err(error) => Err(site.not_a_repository(crate::http_error::clean(&error.to_string()))),
    }
}

fn has_sha256(folder: &Path) -> bool {
    let configuration = |path: &Path| std::fs::read_to_string(path).unwrap_or_default().to_ascii_lowercase();
    [folder.join("config"), folder.join(".git/config")].iter().any(|path| {
        configuration(path)
            .lines()
            .any(|line| line.contains("objectformat") && line.contains("sha256"))
    })
}

/// The commit that `wanted` is at.
pub(crate) fn resolve(
    repository: &Repository,
    wanted: &Wanted,
    git_ref: &GitRef,
    site: &Site,
) -> Result<ObjectId, FetchError> {
    let name = match wanted {
        Wanted::Commit(id) => return Ok(*id),
        Wanted::Name(name) => name.as_str(),
    };
    let damaged =
        |error: gix::Error| site.invalid(format!("{git_ref}: {}", crate::http_error::clean(&error.to_string())));
    if name == "HEAD" {
        let head = repository.head().map_err(damaged)?;
        return match head.try_into_peeled_id().map_err(damaged)? {
            Some(id) => Ok(id.detach()),
            None => Err(site.not_found(git_ref)),
        };
    }
    match repository.try_find_reference(name).map_err(damaged)? {
        Some(mut reference) => Ok(reference.peel_to_id().map_err(damaged)?.detach()),
        None => Err(site.not_found(git_ref)),
    }
}
