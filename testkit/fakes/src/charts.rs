//! Charts that a Helm repository or an OCI registry has, in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use convoy_domain::artifact::{Files, Revision};
use convoy_sprig::semver::{Constraint, Version};

/// Charts by name and version.
#[derive(Debug, Default)]
pub(crate) struct Charts(BTreeMap<(String, String), (Revision, Arc<Files>)>);

impl Charts {
    /// Publishes a version, in place of an earlier one; `number` makes its digest.
    pub(crate) fn publish(&mut self, chart: &str, version: &str, files: &Files, number: u64) -> Revision {
        let revision = Revision::of_chart(chart, version, &format!("sha256:{number:064x}"));
        let published = (revision.clone(), Arc::new(files.clone()));
        self.0.insert((chart.to_owned(), version.to_owned()), published);
        revision
    }

    /// The version of that very name, else the highest that fits.
    pub(crate) fn resolve(&self, chart: &str, wanted: &str) -> Option<Revision> {
        if let Some((revision, _)) = self.0.get(&(chart.to_owned(), wanted.to_owned())) {
            return Some(revision.clone());
        }
        let constraint = Constraint::parse(wanted).ok()?;
        let fitting = self.0.iter().filter(|((name, _), _)| name == chart);
        let fitting = fitting.filter_map(|((_, version), (revision, _))| {
            let version = Version::parse(version).ok()?;
            constraint.check(&version).then_some((version, revision))
        });
        let highest = fitting.max_by(|(one, _), (other, _)| one.compare(other));
        highest.map(|(_, revision)| revision.clone())
    }

    /// The files of a revision, while nothing was published in its place.
    pub(crate) fn files(&self, revision: &Revision) -> Option<Arc<Files>> {
        let mut all = self.0.values();
        let found = all.find(|(published, _)| published == revision);
        found.map(|(_, files)| Arc::clone(files))
    }
}
