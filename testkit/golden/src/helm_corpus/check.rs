//! A list compared with our engine.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use super::ours::{Moment, render_laid};
use super::{Case, Expect, List, laid, objects};
use crate::corpus;
use crate::helm_template::on_a_large_stack;

/// What a comparison finds.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Repositories that were compared.
    pub repositories: usize,
    /// Their owners.
    pub publishers: BTreeSet<String>,
    /// Charts that were rendered.
    pub charts: usize,
    /// Cases with the same bytes.
    pub same: usize,
    /// Cases with the same objects but for what is random.
    pub masked: usize,
    /// Cases that both refuse.
    pub refused: usize,
    /// Repositories that are not at hand, or not at that commit.
    pub absent: Vec<String>,
    /// A line for each difference.
    pub differences: Vec<String>,
}

impl Report {
    /// The report as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for line in &self.differences {
            let _ = writeln!(out, "{line}");
        }
        for name in &self.absent {
            let _ = writeln!(out, "absent: {name}");
        }
        let cases = self.same + self.masked + self.refused + self.differences.len();
        let _ = writeln!(
            out,
            "{cases} cases of {} charts of {} publishers: {} with the same bytes, {} with the same objects but for what is random, {} refused by both, {} different; {} repositories absent",
            self.charts,
            self.publishers.len(),
            self.same,
            self.masked,
            self.refused,
            self.differences.len(),
            self.absent.len()
        );
        out
    }
}

const MOMENT: Moment = Moment {
    now: 1_700_000_000,
    key: b"corpus",
};

/// Renders every case whose repository is below `folder`.
///
/// # Errors
/// When a tree cannot be read or written.
pub fn check(list: &List, folder: &Path) -> io::Result<Report> {
    let mut report = Report::default();
    for repository in &list.repositories {
        let laid = tempfile::tempdir()?;
        let mirror = corpus::mirror(folder, &repository.name);
        let there = mirror.is_some_and(|mirror| corpus::lay(&mirror, &repository.commit, laid.path()).is_ok());
        if !there {
            report
                .absent
                .push(format!("{} at {}", repository.name, repository.commit));
            continue;
        }
        report.repositories += 1;
        let owner = repository.name.split('/').next().unwrap_or_default();
        report.publishers.insert(owner.into());
        let charts = laid::charts(laid.path())?;
        let mut before = None;
        for case in &repository.cases {
            if before != Some(&case.path) {
                laid::fill(laid.path(), &charts, &case.path)?;
                report.charts += 1;
                before = Some(&case.path);
            }
            let values = case.values.as_deref();
            let ours = on_a_large_stack(|| render_laid(&laid.path().join(&case.path), values, MOMENT));
            report.count(&repository.name, case, ours);
        }
    }
    Ok(report)
}

impl Report {
    fn count(&mut self, repository: &str, case: &Case, ours: Result<String, String>) {
        let problem = match (ours, &case.expect) {
            (Err(_), Expect::Refused) => {
                self.refused += 1;
                return;
            }
            (Ok(text), Expect::Text(digest)) if corpus::digest(text.as_bytes()) == *digest => {
                self.same += 1;
                return;
            }
            (Ok(text), Expect::Objects(digest, paths))
                if objects::digest(&objects::documents(&text), paths) == *digest =>
            {
                self.masked += 1;
                return;
            }
            (Ok(_), Expect::Refused) => "wrongly accepted".to_owned(),
            (Ok(_), Expect::Text(_)) => "other text".to_owned(),
            (Ok(_), Expect::Objects(..)) => "other objects".to_owned(),
            (Err(problem), Expect::Text(_) | Expect::Objects(..)) => format!("wrongly refused: {problem}"),
        };
        let values = case.values.as_deref().unwrap_or("-");
        self.differences
            .push(format!("{repository} {} {values}: {problem}", case.path));
    }
}
