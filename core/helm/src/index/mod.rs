//! A repository's `index.yaml`: which charts it has, in which versions, and where their archives are.
//!
//! Two readers give the same: [`read_block`] takes the text line by line, as `helm repo index` and the servers of charts
//! write it, and declines any other; [`read_whole`] reads whatever Helm reads. [`Index::read`] asks them in this order.
//!
//! Of a version only what a download needs is kept. What Helm skips (a version that is none, a chart without a name, …)
//! is not in an [`Index`]; what makes Helm refuse the whole of it is an [`IndexError`], but for fields that nothing here
//! reads: neither their names nor their types are checked.

mod block;
mod lines;
mod scalars;
mod whole;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use convoy_sprig::semver::{Constraint, ConstraintError, Version};

/// Bytes of an index at most.
pub const INDEX_BYTES: usize = 64 << 20;

/// Bytes of an index at most where it is not in block style, and so has to be held as values.
pub const WHOLE_BYTES: usize = 16 << 20;

/// Versions of all charts at most.
pub const VERSIONS: usize = 500_000;

/// Why a text is no index.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// It is not YAML, or sets a key twice.
    #[error("line {line}: {message}")]
    Syntax {
        /// From 1.
        line: usize,
        /// What is wrong, without anything of the text.
        message: String,
    },
    /// A field that is read has another type.
    #[error("`{field}` is no {want}")]
    Type {
        /// Its path.
        field: String,
        /// What it was to be.
        want: &'static str,
    },
    /// It does not say what it is.
    #[error("it names no `apiVersion`")]
    NoApiVersion,
    /// A limit of ours, named.
    #[error("it passes the limit of {0}")]
    Limit(String),
}

/// Why an index has no version to give.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// It does not have the chart.
    #[error("there is no such chart")]
    Chart,
    /// No version of the chart fits.
    #[error("no version fits")]
    Version,
    /// What was asked for is neither a version nor a constraint.
    #[error("the version is neither one nor a constraint: {0}")]
    Constraint(#[from] ConstraintError),
}

/// The charts of a repository.
#[derive(Clone, Default)]
pub struct Index {
    /// Versions of each chart, in the order of the text, as places in `entries`.
    charts: BTreeMap<Box<str>, Vec<u32>>,
    entries: Vec<Entry>,
    /// Version, digest and URLs of all entries, one behind the other.
    text: String,
    /// Where each URL ends in `text`.
    urls: Vec<u32>,
}

/// Where the parts of a version end in the text of an index; it begins where the one before ended.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    version: u32,
    digest: u32,
    /// Its URLs, as places in the list of all.
    urls: (u32, u32),
}

/// One version of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'i> {
    /// As the index writes it.
    pub version: &'i str,
    /// The hash of its archive, as the index writes it; empty if there is none.
    pub digest: &'i str,
    /// Where its archive is, in the order of preference; relative to the repository's own URL.
    pub urls: Vec<&'i str>,
}

impl Index {
    /// Reads an index of at most [`INDEX_BYTES`].
    ///
    /// # Errors
    /// When Helm would refuse it, or when it passes a limit.
    pub fn read(text: &[u8]) -> Result<Self, IndexError> {
        match read_block(text) {
            Some(index) => Ok(index),
            None => read_whole(text),
        }
    }

    /// The version that `helm pull --version` takes: exactly the one that is asked for, else the newest that meets the
    /// constraint, else, for an empty text, the newest that is no prerelease. Of equal versions the first of the text.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, chart: &str, version: &str) -> Result<Found<'_>, Missing> {
        let places = self.charts.get(chart).ok_or(Missing::Chart)?;
        if places.is_empty() {
            return Err(Missing::Version);
        }
        let constraint = Constraint::parse(if version.is_empty() { "*" } else { version })?;
        let entries = || places.iter().filter_map(|place| self.entries.get(*place as usize));
        if let Some(exact) = entries().find(|entry| self.version_of(entry) == version) {
            return Ok(self.found(exact));
        }
        let mut best: Option<(Version, &Entry)> = None;
        for entry in entries() {
            let Ok(version) = Version::parse(self.version_of(entry)) else {
                continue;
            };
            let newer = best.as_ref().is_none_or(|(best, _)| version.compare(best).is_gt());
            if newer && constraint.check(&version) {
                best = Some((version, entry));
            }
        }
        best.map(|(_, entry)| self.found(entry)).ok_or(Missing::Version)
    }

    /// The names of the charts, in their order.
    pub fn charts(&self) -> impl Iterator<Item = &str> {
        self.charts.keys().map(AsRef::as_ref)
    }

    /// The versions of a chart, in the order of the text.
    pub fn versions(&self, chart: &str) -> impl Iterator<Item = Found<'_>> {
        let places = self.charts.get(chart).into_iter().flatten();
        places.filter_map(|place| Some(self.found(self.entries.get(*place as usize)?)))
    }

    /// About how many bytes it holds.
    #[must_use]
    pub fn size(&self) -> usize {
        let names: usize = self.charts.keys().map(|name| name.len() + 64).sum();
        names + self.text.len() + self.entries.len() * (size_of::<Entry>() + size_of::<u32>()) + self.urls.len() * 4
    }

    fn version_of(&self, entry: &Entry) -> &str {
        &self.text[entry.start as usize..entry.version as usize]
    }

    fn found(&self, entry: &Entry) -> Found<'_> {
        let (first, end) = (entry.urls.0 as usize, entry.urls.1 as usize);
        let mut start = entry.digest as usize;
        let urls = self.urls[first..end].iter().map(|end| {
            let url = &self.text[start..*end as usize];
            start = *end as usize;
            url
        });
        Found {
            version: self.version_of(entry),
            digest: &self.text[entry.version as usize..entry.digest as usize],
            urls: urls.collect(),
        }
    }

    /// Opens a chart; `false` if it was there already.
    fn open(&mut self, chart: &str) -> bool {
        if self.charts.contains_key(chart) {
            return false;
        }
        self.charts.insert(chart.into(), Vec::new());
        true
    }

    /// Adds a version to a chart that is open.
    fn add<'t>(
        &mut self,
        chart: &str,
        version: &str,
        digest: &str,
        urls: impl Iterator<Item = &'t str>,
    ) -> Result<(), IndexError> {
        if self.entries.len() == VERSIONS {
            return Err(IndexError::Limit(format!("{VERSIONS} versions")));
        }
        // The text of an index is bounded far below what 32 bits count.
        let place = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = place(self.text.len());
        self.text.push_str(version);
        let version = place(self.text.len());
        self.text.push_str(digest);
        let digest = place(self.text.len());
        let first = place(self.urls.len());
        for url in urls {
            self.text.push_str(url);
            self.urls.push(place(self.text.len()));
        }
        let urls = (first, place(self.urls.len()));
        let number = place(self.entries.len());
        self.entries.push(Entry {
            start,
            version,
            digest,
            urls,
        });
        if let Some(places) = self.charts.get_mut(chart) {
            places.push(number);
        }
        Ok(())
    }

    /// Gives back what was reserved and not used.
    fn settle(mut self) -> Self {
        self.text.shrink_to_fit();
        self.entries.shrink_to_fit();
        self.urls.shrink_to_fit();
        self
    }
}

impl PartialEq for Index {
    /// The same charts, and of each the same versions in the same order.
    fn eq(&self, other: &Self) -> bool {
        let same = |chart| self.versions(chart).eq(other.versions(chart));
        self.charts.keys().eq(other.charts.keys()) && self.charts().all(same)
    }
}

impl core::fmt::Debug for Index {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let charts = self
            .charts()
            .map(|chart| (chart, self.versions(chart).collect::<Vec<_>>()));
        f.debug_map().entries(charts).finish()
    }
}

/// Reads an index that is in block style; declines any other text, and any whose meaning is not plain to see.
#[must_use]
pub fn read_block(text: &[u8]) -> Option<Index> {
    if text.len() > INDEX_BYTES {
        return None;
    }
    block::read(core::str::from_utf8(text).ok()?)
}

/// Reads an index of at most [`WHOLE_BYTES`], however it is written: YAML in any style, or JSON.
///
/// # Errors
/// As [`Index::read`].
pub fn read_whole(text: &[u8]) -> Result<Index, IndexError> {
    whole::read(text)
}
