//! Public charts as cases: which ones, and what `helm template` made of them.
//!
//! A [`List`] is committed, the charts are not: see [`corpus`](crate::corpus) for where their repositories are looked
//! for. [`laid`] finds the charts of a repository and gives those that lack dependencies what the same repository has;
//! [`Expect`] says what Helm answered; [`objects`] leaves out what is random or of the day, by its path only.
//!
//! # Invariant
//! A list holds no byte of a chart: names, commits, paths, digests, and the paths of what is random.

pub mod check;
pub mod laid;
pub mod objects;
pub mod ours;
pub mod record;

use std::fmt::Write as _;

use objects::Path;

/// What Helm made of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Text with this SHA-256, in hexadecimal digits.
    Text(String),
    /// Objects with this SHA-256 when what these paths name is left out.
    Objects(String, Vec<Path>),
    /// An error.
    Refused,
}

/// A chart with at most one values file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The chart's folder in the repository; empty is its root.
    pub path: String,
    /// The values file below the chart's folder.
    pub values: Option<String>,
    /// What Helm made of it.
    pub expect: Expect,
}

/// A repository at a commit, with its cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// `owner/name`.
    pub name: String,
    /// The commit.
    pub commit: String,
    /// Its cases.
    pub cases: Vec<Case>,
}

/// Cases with Helm's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Helm's version and how it was asked.
    pub tool: String,
    /// Repositories with their cases.
    pub repositories: Vec<Repository>,
}

impl List {
    /// Reads a list: `# tool`, then `= owner/name commit` and a line a case: path, values file or `-`, answer, and the
    /// paths of what is random, with tabs between.
    ///
    /// # Panics
    /// When the text is no list.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut list = Self::default();
        for line in text.lines() {
            if let Some(tool) = line.strip_prefix("# ") {
                tool.clone_into(&mut list.tool);
            } else if let Some(head) = line.strip_prefix("= ") {
                let (name, commit) = head.split_once(' ').expect("a repository and its commit");
                list.repositories.push(Repository {
                    name: name.into(),
                    commit: commit.into(),
                    cases: Vec::new(),
                });
            } else {
                let repository = list.repositories.last_mut().expect("a repository comes first");
                repository.cases.push(Case::read(line));
            }
        }
        list
    }

    /// The list as text.
    #[must_use]
    pub fn write(&self) -> String {
        let mut out = format!("# {}\n", self.tool);
        for repository in &self.repositories {
            let _ = writeln!(out, "= {} {}", repository.name, repository.commit);
            for case in &repository.cases {
                case.write(&mut out);
            }
        }
        out
    }

    /// All cases.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.repositories.iter().flat_map(|repository| &repository.cases)
    }
}

impl Case {
    fn read(line: &str) -> Self {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("path, values, answer");
        let (path, values, expect) = (next(), next(), next());
        let expect = match expect.strip_prefix('~') {
            Some(digest) => Expect::Objects(digest.into(), fields.map(objects::read_path).collect()),
            None if expect == "refused" => Expect::Refused,
            None => Expect::Text(expect.into()),
        };
        Self {
            path: path.into(),
            values: (values != "-").then(|| values.into()),
            expect,
        }
    }

    fn write(&self, out: &mut String) {
        let values = self.values.as_deref().unwrap_or("-");
        let _ = write!(out, "{}\t{values}\t", self.path);
        match &self.expect {
            Expect::Text(digest) => out.push_str(digest),
            Expect::Refused => out.push_str("refused"),
            Expect::Objects(digest, paths) => {
                let _ = write!(out, "~{digest}");
                for path in paths {
                    let _ = write!(out, "\t{}", objects::write_path(path));
                }
            }
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let case = |values: Option<&str>, expect| Case {
            path: "charts/a b".into(),
            values: values.map(str::to_owned),
            expect,
        };
        let list = List {
            tool: "helm 4".into(),
            repositories: vec![Repository {
                name: "a/b".into(),
                commit: "c0ffee".into(),
                cases: vec![
                    case(None, Expect::Refused),
                    case(Some("ci/x.yaml"), Expect::Text("00ff".into())),
                    case(
                        None,
                        Expect::Objects("11".into(), vec![vec!["0".into(), "a/b~\t".into()], vec!["2".into()]]),
                    ),
                ],
            }],
        };
        assert_eq!(List::read(&list.write()), list);
        assert_eq!(list.cases().count(), 3);
    }
}
