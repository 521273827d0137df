//! Git repositories, and repositories of charts, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use convoy_domain::access::Credentials;
use convoy_domain::artifact::{Artifact, Files, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_domain::url::without_credentials;
use convoy_ports::{FetchError, SourceFetcher};
use convoy_sprig::semver::{Constraint, Version};

use crate::charts::Charts;
use crate::refusals::{Refusals, Times};
use crate::sync::{interleave, lock};

/// Repositories by URL; HEAD is the branch `main`.
#[derive(Debug)]
pub struct FakeFetcher(Mutex<State>);

#[derive(Debug)]
struct State {
    repositories: BTreeMap<String, Repository>,
    commits: u64,
    /// Credentials that URLs ask for.
    protected: BTreeMap<String, Credentials>,
    hanging: BTreeSet<String>,
    calls: Vec<String>,
    refusals: Refusals<FetchError>,
}

#[derive(Debug, Default)]
struct Repository {
    branches: BTreeMap<String, Revision>,
    tags: BTreeMap<String, Revision>,
    commits: BTreeMap<Revision, Arc<Files>>,
    charts: Charts,
    holds_charts: bool,
}

impl Default for FakeFetcher {
    fn default() -> Self {
        Self(Mutex::new(State {
            repositories: BTreeMap::new(),
            commits: 0,
            protected: BTreeMap::new(),
            hanging: BTreeSet::new(),
            calls: Vec::new(),
            refusals: Refusals::of(&["verify", "resolve", "prove", "fetch"]),
        }))
    }
}

impl FakeFetcher {
    /// No repositories.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a repository without commits.
    pub fn create(&self, url: &str) {
        lock(&self.0).repositories.insert(url.to_owned(), Repository::default());
    }

    /// Gives a branch a commit with exactly these files, in a repository that is made if need be.
    pub fn commit(&self, url: &str, branch: &str, files: &Files) -> Revision {
        let mut state = lock(&self.0);
        state.commits += 1;
        // Spread over all digits, so that short forms of two commits differ.
        let number = u128::from(state.commits).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let revision = Revision(format!("{number:032x}{:08x}", state.commits));
        let repository = state.repositories.entry(url.to_owned()).or_default();
        repository.commits.insert(revision.clone(), Arc::new(files.clone()));
        repository.branches.insert(branch.to_owned(), revision.clone());
        revision
    }

    /// [`FakeFetcher::commit`] of texts.
    pub fn commit_texts(&self, url: &str, branch: &str, files: &[(&str, &str)]) -> Revision {
        let entry = |&(path, text): &(&str, &str)| (path.to_owned(), Arc::from(text.as_bytes()));
        self.commit(url, branch, &files.iter().map(entry).collect())
    }

    /// Puts a tag on a commit.
    ///
    /// # Panics
    /// When there is no such repository.
    pub fn tag(&self, url: &str, tag: &str, revision: &Revision) {
        let mut state = lock(&self.0);
        let repository = state.repositories.get_mut(url).expect("a repository to tag");
        repository.tags.insert(tag.to_owned(), revision.clone());
    }

    /// Makes a repository of charts, without any.
    pub fn create_charts(&self, url: &str) {
        let repository = Repository {
            holds_charts: true,
            ..Repository::default()
        };
        lock(&self.0).repositories.insert(url.to_owned(), repository);
    }

    /// [`FakeFetcher::publish`] of texts.
    pub fn publish_texts(&self, url: &str, chart: &str, version: &str, files: &[(&str, &str)]) -> Revision {
        let entry = |&(path, text): &(&str, &str)| (path.to_owned(), Arc::from(text.as_bytes()));
        self.publish(url, chart, version, &files.iter().map(entry).collect())
    }

    /// Publishes a version of a chart, in a repository of charts that is made if need be.
    pub fn publish(&self, url: &str, chart: &str, version: &str, files: &Files) -> Revision {
        let mut state = lock(&self.0);
        state.commits += 1;
        let number = state.commits;
        let repository = state.repositories.entry(url.to_owned()).or_default();
        repository.holds_charts = true;
        repository.charts.publish(chart, version, files, number)
    }

    /// Deletes a branch.
    pub fn delete_branch(&self, url: &str, branch: &str) {
        if let Some(repository) = lock(&self.0).repositories.get_mut(url) {
            repository.branches.remove(branch);
        }
    }

    /// Deletes a repository.
    pub fn delete(&self, url: &str) {
        lock(&self.0).repositories.remove(url);
    }

    /// From now on, all that is asked of a URL is refused unless it comes with these credentials.
    pub fn protect(&self, url: &str, credentials: Credentials) {
        lock(&self.0).protected.insert(url.to_owned(), credentials);
    }

    /// Answers `error` to `call` (a method of the port; empty for all) on URLs that contain `operand`.
    pub fn refuse(&self, call: &str, operand: &str, error: FetchError, times: Times) {
        lock(&self.0).refusals.add(call, operand, error, times);
    }

    /// Lifts every refusal.
    pub fn lift_refusals(&self) {
        lock(&self.0).refusals.lift();
    }

    /// Calls so far: `resolve <url>`, …
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        lock(&self.0).calls.clone()
    }

    /// The calls since the last time.
    #[must_use]
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.0).calls)
    }

    /// From now on, nothing that is asked of a URL is answered.
    pub fn hang(&self, url: &str) {
        lock(&self.0).hanging.insert(url.to_owned());
    }

    async fn call<T>(
        &self,
        call: &str,
        source: &Source,
        act: impl FnOnce(&Repository) -> Result<T, FetchError>,
    ) -> Result<T, FetchError> {
        interleave().await;
        if lock(&self.0).hanging.contains(&source.url) {
            std::future::pending::<()>().await;
        }
        let mut state = lock(&self.0);
        state.calls.push(format!("{call} {}", source.url));
        state.refusals.check(call, &source.url)?;
        if let Some(path) = source.unsupported.first() {
            return Err(FetchError::Unsupported {
                what: format!("`{path}`"),
            });
        }
        let asked_for = state.protected.get(&source.url);
        if asked_for.is_some_and(|wanted| *wanted != source.access.credentials) {
            return Err(FetchError::Authentication {
                url: without_credentials(&source.url),
                why: "it refuses them".to_owned(),
            });
        }
        match state.repositories.get(&source.url) {
            Some(repository) => act(repository),
            None => Err(FetchError::NotARepository {
                url: without_credentials(&source.url),
                why: "there is none".to_owned(),
            }),
        }
    }
}

impl Repository {
    fn resolve(&self, wanted: &GitRef) -> Option<Revision> {
        match wanted {
            GitRef::Head => self.branches.get("main").cloned(),
            GitRef::Branch(name) => self.branches.get(name).cloned(),
            GitRef::Tag(name) => self.tags.get(name).cloned(),
            GitRef::Commit(id) => {
                let revision = Revision(id.to_ascii_lowercase());
                self.commits.contains_key(&revision).then_some(revision)
            }
            GitRef::Semver(text) => {
                let constraint = Constraint::parse(text).ok()?;
                let version = |tag: &String| Version::parse(tag).ok().filter(|version| constraint.check(version));
                let fitting = self
                    .tags
                    .iter()
                    .filter_map(|(tag, revision)| Some((version(tag)?, revision)));
                let highest = fitting.max_by(|(one, _), (other, _)| one.compare(other));
                highest.map(|(_, revision)| revision.clone())
            }
        }
    }
}

impl Repository {
    /// What a ref is at, whatever it is of.
    fn at(&self, url: &str, wanted: &SourceRef) -> Result<Revision, FetchError> {
        let url = url.to_owned();
        match wanted {
            SourceRef::Git(_) if self.has_charts() => Err(unsupported("a git ref of a repository of charts")),
            SourceRef::Git(git) => self.resolve(git).ok_or_else(|| FetchError::RefNotFound {
                url,
                wanted: git.to_string(),
            }),
            SourceRef::Helm { .. } | SourceRef::Oci { .. } if !self.has_charts() => {
                Err(unsupported("a chart of a git repository"))
            }
            SourceRef::Helm { chart, version } | SourceRef::Oci { chart, version, .. } => {
                let found = self.charts.resolve(chart, version);
                found.ok_or_else(|| FetchError::ChartNotFound {
                    url,
                    wanted: format!("chart {chart} {version}"),
                })
            }
        }
    }

    fn has_charts(&self) -> bool {
        self.holds_charts
    }
}

fn unsupported(what: &str) -> FetchError {
    FetchError::Unsupported { what: what.to_owned() }
}

fn within(files: &Files, url: &str, limits: &Limits) -> Result<(), FetchError> {
    let passes = |limit: String| {
        Err(FetchError::Limit {
            url: url.to_owned(),
            limit,
        })
    };
    let bytes = |content: &Arc<[u8]>| content.len() as u64;
    if files.len() > limits.files {
        return passes(format!("{} files", limits.files));
    }
    if files.values().any(|content| bytes(content) > limits.file_bytes) {
        return passes(format!("{} bytes of a file", limits.file_bytes));
    }
    if files.values().map(bytes).sum::<u64>() > limits.source_bytes {
        return passes(format!("{} bytes of a source", limits.source_bytes));
    }
    Ok(())
}

#[async_trait]
impl SourceFetcher for FakeFetcher {
    async fn verify(&self, source: &Source) -> Result<(), FetchError> {
        self.call("verify", source, |_| Ok(())).await
    }

    async fn resolve(&self, source: &Source, wanted: &SourceRef) -> Result<Revision, FetchError> {
        self.call("resolve", source, |repository| repository.at(&source.url, wanted))
            .await
    }

    async fn prove(&self, source: &Source, wanted: &SourceRef, revision: &Revision) -> Result<(), FetchError> {
        self.call("prove", source, |repository| match wanted {
            SourceRef::Git(_) if repository.has_charts() => Err(unsupported("a git ref of a repository of charts")),
            SourceRef::Git(_) => Ok(()),
            SourceRef::Helm { .. } | SourceRef::Oci { .. } => match repository.at(&source.url, wanted)? {
                now if now == *revision => Ok(()),
                now => Err(FetchError::ChartNotFound {
                    url: source.url.clone(),
                    wanted: format!("{}, but {}", revision.0, now.0),
                }),
            },
        })
        .await
    }

    async fn fetch(
        &self,
        source: &Source,
        wanted: &SourceRef,
        revision: &Revision,
        limits: &Limits,
    ) -> Result<Artifact, FetchError> {
        self.call("fetch", source, |repository| {
            let files = match wanted {
                SourceRef::Git(_) => repository.commits.get(revision).cloned(),
                SourceRef::Helm { .. } | SourceRef::Oci { .. } => repository.charts.files(revision),
            };
            let Some(files) = files else {
                return Err(FetchError::RefNotFound {
                    url: without_credentials(&source.url),
                    wanted: format!("commit {revision}"),
                });
            };
            within(&files, &source.url, limits)?;
            Ok(Artifact {
                revision: revision.clone(),
                time: None,
                files,
            })
        })
        .await
    }
}
