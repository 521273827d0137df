//! Repositories in folders of this machine, read through their objects: no other program runs.

use std::path::Path;

use convoy_domain::source::GitRef;
use convoy_ports::FetchError;
use convoy_web::{Site, failure::clean, unsupported};
use gix::bstr::ByteSlice as _;
use gix::{ObjectId, Repository};

use crate::refs::{self, TAGS, Tag, Wanted};

/// Opens the repository (bare, or a work tree with `.git`) in `folder`, blind to the machine's and the user's settings.
pub(crate) fn open(folder: &Path, site: &Site) -> Result<Repository, FetchError> {
    match gix::open_opts(folder, gix::open::Options::isolated()) {
        Ok(repository) => Ok(repository),
        Err(_) if has_sha256(folder) => Err(unsupported("a git repository with sha256 objects")),
        Err(_) if !folder.exists() => Err(site.not_a_repository("there is no such folder")),
        Err(error) => Err(site.not_a_repository(clean(&error.to_string()))),
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
        Wanted::Version(constraint) => {
            let found = refs::highest(tags(repository, site)?.into_iter(), constraint);
            return found.map(|tag| tag.commit).ok_or_else(|| site.not_found(git_ref));
        }
    };
    let damaged = |error: gix::Error| site.invalid(format!("{git_ref}: {}", clean(&error.to_string())));
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

/// All tags.
pub(crate) fn tags(repository: &Repository, site: &Site) -> Result<Vec<Tag>, FetchError> {
    let damaged = |error: String| site.invalid(format!("its tags: {}", clean(&error)));
    let references = repository.references().map_err(|error| damaged(error.to_string()))?;
    let mut tags = Vec::new();
    for reference in references.prefixed(TAGS).map_err(|error| damaged(error.to_string()))? {
        let mut reference = reference.map_err(|error| damaged(error.to_string()))?;
        let own = reference.try_id().map(gix::Id::detach);
        let Ok(name) = reference.name().as_bstr().to_str() else {
            continue;
        };
        let Some(name) = name.strip_prefix(TAGS).map(str::to_owned) else {
            continue;
        };
        let commit = reference
            .peel_to_id()
            .map_err(|error| damaged(error.to_string()))?
            .detach();
        tags.push(Tag {
            name,
            commit,
            object: own.filter(|own| *own != commit),
        });
    }
    Ok(tags)
}
