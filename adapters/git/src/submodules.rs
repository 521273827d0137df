//! Submodules: other repositories' trees, at the places where a tree names their commits.
//!
//! # Invariants
//! - A submodule is at the commit that the tree pins; branches in `.gitmodules` are not looked at.
//! - Credentials stay with the source's own server, and no submodule of a server's repository is a folder of this
//!   machine. A relative URL stays on its parent's server.
//! - All repositories of one call share its bounds, its time, and [`COUNT`] and [`DEPTH`].

use std::collections::BTreeMap;

use convoy_ports::FetchError;
use convoy_web::failure::clean;
use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use gix::objs::Kind;

use crate::endpoint::{self, Endpoint, Repository};
use crate::job::{Budget, Job, Want};
use crate::objects::Store;
use crate::remote::Depth;
use crate::tree::{self, Folder, Node, Reading};

/// How many submodules one call fetches, and how deep they may be nested.
const COUNT: usize = 100;
const DEPTH: usize = 10;

/// Bytes of `.gitmodules`.
const SETTINGS_BYTES: u64 = 1024 * 1024;
const SETTINGS: &str = ".gitmodules";

/// Puts trees together, and collects what they are made of.
pub(crate) struct Grafting<'a> {
    job: &'a Job,
    budget: Budget,
    store: Store,
    entries: usize,
    left: usize,
    modules: usize,
}

impl<'a> Grafting<'a> {
    /// At most `entries` files, links and folders, and what `budget` allows to be received.
    pub(crate) fn new(job: &'a Job, budget: Budget, entries: usize) -> Self {
        Self {
            job,
            budget,
            store: Store::default(),
            entries,
            left: entries,
            modules: COUNT,
        }
    }

    /// The tree of what is wanted, with its submodules if they are asked for, after `check` has seen its objects.
    pub(crate) fn tree(
        &mut self,
        at: &Repository,
        want: &Want<'_>,
        check: impl FnOnce(&Reading<'_>) -> Result<(), FetchError>,
    ) -> Result<Folder, FetchError> {
        self.store.add(self.job.receive(at, want, &mut self.budget)?);
        let reading = self.job.reading(&self.store, &at.site);
        check(&reading)?;
        let mut root = tree::load(&reading, &want.commit, &mut self.left, self.entries)?;
        if self.job.access.submodules {
            self.fill(&mut root, at, 1)?;
        }
        Ok(root)
    }

    /// Where the objects of all trees are.
    pub(crate) fn done(self) -> Store {
        self.store
    }

    fn fill(&mut self, root: &mut Folder, at: &Repository, depth: usize) -> Result<(), FetchError> {
        let mut modules = Vec::new();
        find(root, "", &mut modules);
        if modules.is_empty() {
            return Ok(());
        }
        if depth > DEPTH {
            return Err(at.site.limit(format!("{DEPTH} nested submodules")));
        }
        let urls = self.settings(root, at)?;
        for (path, commit) in modules {
            self.modules = self
                .modules
                .checked_sub(1)
                .ok_or_else(|| self.job.site().limit(format!("{COUNT} submodules")))?;
            let url = urls.get(&path).ok_or_else(|| {
                at.site
                    .invalid(format!("`{path}` is a submodule that `{SETTINGS}` says nothing of"))
            })?;
            let module = self.repository(url, at, &path)?;
            let name = format!("commit {commit} of the submodule `{path}`");
            let want = Want {
                commit,
                tag: None,
                name: &name,
                depth: Depth::Newest,
            };
            self.store.add(self.job.receive(&module, &want, &mut self.budget)?);
            let reading = self.job.reading(&self.store, &module.site);
            let mut tree = tree::load(&reading, &commit, &mut self.left, self.entries)?;
            self.fill(&mut tree, &module, depth + 1)?;
            if let Some(place) = place(root, &path) {
                *place = Node::Folder(tree);
            }
        }
        Ok(())
    }

    /// URLs by path.
    fn settings(&self, root: &Folder, at: &Repository) -> Result<BTreeMap<String, String>, FetchError> {
        let Some(Node::File(id)) = root.get(SETTINGS) else {
            return Ok(BTreeMap::new());
        };
        let reading = self.job.reading(&self.store, &at.site);
        let text = reading.read(id, Kind::Blob, SETTINGS_BYTES, &format!("the file `{SETTINGS}`"))?;
        let damaged = || at.site.invalid(format!("`{SETTINGS}` cannot be read"));
        let settings = gix::config::File::from_bytes_no_includes(
            &text,
            gix::config::file::Metadata::api(),
            gix::config::file::init::Options::default(),
        )
        .map_err(|_| damaged())?;
        let mut urls = BTreeMap::new();
        for section in settings.sections_by_name("submodule").into_iter().flatten() {
            let text = |key| {
                section
                    .value(key)
                    .and_then(|value| value.to_str().ok().map(str::to_owned))
            };
            if let (Some(path), Some(url)) = (text("path"), text("url")) {
                urls.insert(path.trim_end_matches('/').to_owned(), url);
            }
        }
        Ok(urls)
    }

    fn repository(&self, url: &str, parent: &Repository, path: &str) -> Result<Repository, FetchError> {
        let refused = |why: &str| parent.site.refused(format!("the submodule `{}` {why}", clean(path)));
        let relative = url.starts_with("./") || url.starts_with("../");
        let absolute = if relative {
            against(&parent.url, url).ok_or_else(|| refused("has a relative URL that leads out of the server"))?
        } else {
            url.to_owned()
        };
        let module = endpoint::parse(&absolute, self.job.options.file_urls)?;
        let from_folder = matches!(parent.endpoint, Endpoint::Folder(_));
        if matches!(module.endpoint, Endpoint::Folder(_)) && !from_folder {
            return Err(refused("is a folder of this machine"));
        }
        if relative && !module.endpoint.same_server(&parent.endpoint) {
            return Err(refused("has a relative URL that leads out of the server"));
        }
        Ok(module)
    }
}

/// The paths and commits of the submodules of a tree.
fn find(folder: &Folder, path: &str, modules: &mut Vec<(String, ObjectId)>) {
    for (name, node) in folder {
        let path = format!("{path}{}{name}", if path.is_empty() { "" } else { "/" });
        match node {
            Node::Folder(below) => find(below, &path, modules),
            Node::Module(commit) => modules.push((path, *commit)),
            Node::File(_) | Node::Link(_) => {}
        }
    }
}

fn place<'t>(root: &'t mut Folder, path: &str) -> Option<&'t mut Node> {
    let mut names = path.split('/');
    let mut node = root.get_mut(names.next()?)?;
    for name in names {
        match node {
            Node::Folder(folder) => node = folder.get_mut(name)?,
            Node::File(_) | Node::Link(_) | Node::Module(_) => return None,
        }
    }
    Some(node)
}

/// A relative URL, read against the parent's (git-submodule(1), `add`); `None` when nothing is left to go up.
fn against(parent: &str, relative: &str) -> Option<String> {
    let mut base = parent.trim_end_matches('/');
    let mut rest = relative;
    let mut separator = '/';
    loop {
        if let Some(below) = rest.strip_prefix("./") {
            rest = below;
        } else if let Some(below) = rest.strip_prefix("../") {
            let cut = base.rfind('/').or_else(|| base.rfind(':'))?;
            separator = if base.as_bytes()[cut] == b':' { ':' } else { '/' };
            base = &base[..cut];
            rest = below;
        } else {
            return Some(format!("{base}{separator}{}", rest.trim_end_matches('/')));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_urls_are_read_against_the_parents() {
        let check = |parent: &str, relative: &str, expect: &str| {
            assert_eq!(
                against(parent, relative).as_deref(),
                Some(expect),
                "{parent} {relative}"
            );
        };
        check("https://h/team/app.git", "../lib.git", "https://h/team/lib.git");
        check(
            "https://h/team/app.git/",
            "../../other/lib.git",
            "https://h/other/lib.git",
        );
        check("https://h/team/app", "./lib", "https://h/team/app/lib");
        check("git@h:team/app.git", "../lib.git", "git@h:team/lib.git");
        check("git@h:app.git", "../lib.git", "git@h:lib.git");
        check("file:///srv/app.git", "../lib.git", "file:///srv/lib.git");
        assert_eq!(against("app", "../../lib"), None);
    }
}
