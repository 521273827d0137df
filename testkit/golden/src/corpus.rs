//! Public charts and kustomizations as cases: which ones, and what the real tool made of them.
//!
//! A [`List`] is committed; the repositories are not. They are looked for as bare git repositories in the folder that
//! `CONVOY_CORPORA` names, `<owner>+<name>/repo` each (`data/kustomize-corpus/fetch` brings them). [`check`] lays the
//! tree of one repository after the other into a temporary folder, asks a renderer for every case there, and compares
//! with the digest of what the tool printed.
//!
//! # Invariant
//! A list holds no byte of what it lists: names, commits, paths and digests only.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, thread};

use sha2::{Digest, Sha256};

/// Files beyond this are not laid: no manifest is that large, and snapshots lack them.
const MAX_FILE: usize = 3 << 20;
/// Folders that hold other people's files.
const LEFT_OUT: &[&str] = &["vendor", "node_modules", "third_party", ".git"];

/// What the tool made of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Text with this SHA-256, in hexadecimal digits.
    Text(String),
    /// An error.
    Refused,
}

/// One thing to render.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The folder in the repository; empty is its root.
    pub path: String,
    /// Flags of the tool, separated by spaces.
    pub flags: String,
    /// What the tool made of it.
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

/// Cases with the tool's answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The tool and its version.
    pub tool: String,
    /// Repositories with their cases.
    pub repositories: Vec<Repository>,
}

/// The digest of a text, in hexadecimal digits.
#[must_use]
pub fn digest(text: &[u8]) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

impl List {
    /// Reads a list: `# tool`, then `= owner/name commit` and a line a case, `path<tab>digest or refused[<tab>flags]`.
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
                let mut fields = line.split('\t');
                let (path, expect) = (fields.next().expect("a path"), fields.next().expect("an answer"));
                let repository = list.repositories.last_mut().expect("a repository comes first");
                repository.cases.push(Case {
                    path: path.into(),
                    flags: fields.next().unwrap_or_default().into(),
                    expect: if expect == "refused" {
                        Expect::Refused
                    } else {
                        Expect::Text(expect.into())
                    },
                });
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
                let expect = match &case.expect {
                    Expect::Text(digest) => digest,
                    Expect::Refused => "refused",
                };
                let flags = if case.flags.is_empty() { "" } else { "\t" };
                let _ = writeln!(out, "{}\t{expect}{flags}{}", case.path, case.flags);
            }
        }
        out
    }

    /// Number of cases.
    #[must_use]
    pub fn len(&self) -> usize {
        self.repositories.iter().map(|repository| repository.cases.len()).sum()
    }

    /// Whether there is no case.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The folder of repositories: `CONVOY_CORPORA`.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    env::var_os("CONVOY_CORPORA").map(PathBuf::from)
}

/// The bare repository of `name` in `folder`, if it is there.
#[must_use]
pub fn mirror(folder: &Path, name: &str) -> Option<PathBuf> {
    let git = folder.join(name.replace('/', "+")).join("repo");
    git.is_dir().then_some(git)
}

fn git(mirror: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("--git-dir").arg(mirror).args(["-c", "safe.directory=*"]);
    command
}

/// The newest commit of a repository.
///
/// # Errors
/// When git cannot tell.
pub fn newest(mirror: &Path) -> io::Result<String> {
    let output = git(mirror).args(["rev-parse", "--verify", "-q", "HEAD"]).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Writes the files of a commit under `into`: without folders of other people's files, large files, and what the
/// repository lacks. Links are laid as links.
///
/// # Errors
/// When git fails or a file cannot be written.
///
/// # Panics
/// When git has no pipes.
pub fn lay(mirror: &Path, commit: &str, into: &Path) -> io::Result<()> {
    let listing = git(mirror)
        .args(["ls-tree", "-r", "-z", "--full-tree", commit])
        .output()?;
    if !listing.status.success() {
        return Err(io::Error::other(format!("commit {commit} is absent")));
    }
    let text = String::from_utf8_lossy(&listing.stdout).into_owned();
    let files: Vec<(String, bool, String)> = text
        .split('\0')
        .filter_map(|row| {
            let (meta, path) = row.split_once('\t')?;
            let mut words = meta.split(' ');
            let (mode, kind, object) = (words.next()?, words.next()?, words.next()?);
            let left_out = path.split('/').any(|part| LEFT_OUT.contains(&part));
            (kind == "blob" && !left_out).then(|| (object.to_owned(), mode == "120000", path.to_owned()))
        })
        .collect();
    let mut child = git(mirror)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut questions = child.stdin.take().expect("the pipe is asked for");
    let mut answers = io::BufReader::new(child.stdout.take().expect("the pipe is asked for"));
    let result = thread::scope(|scope| {
        scope.spawn(|| {
            for (object, _, _) in &files {
                if writeln!(questions, "{object}").is_err() {
                    return;
                }
            }
            drop(questions);
        });
        files.iter().try_for_each(|(_, link, path)| {
            let Some(content) = next_object(&mut answers)? else {
                return Ok(());
            };
            if content.len() > MAX_FILE {
                return Ok(());
            }
            let place = into.join(path);
            fs::create_dir_all(place.parent().unwrap_or(into))?;
            if *link {
                std::os::unix::fs::symlink(&*String::from_utf8_lossy(&content), place)
            } else {
                fs::write(place, content)
            }
        })
    });
    child.wait()?;
    result
}

/// The next answer of `git cat-file --batch`; nothing for an object that is missing.
fn next_object(answers: &mut impl io::BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut head = String::new();
    answers.read_line(&mut head)?;
    let mut words = head.split_whitespace();
    let (Some(_), Some("blob"), Some(size)) = (words.next(), words.next(), words.next()) else {
        return Ok(None);
    };
    let size: usize = size.parse().map_err(io::Error::other)?;
    let mut content = vec![0; size];
    answers.read_exact(&mut content)?;
    answers.read_exact(&mut [0])?;
    Ok(Some(content))
}

/// What a comparison finds.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Cases that were compared, by their repository.
    pub compared: BTreeMap<String, usize>,
    /// Of them, with the same bytes.
    pub same: usize,
    /// Of them, refused by both.
    pub refused: usize,
    /// Repositories that are not at hand, or not at that commit.
    pub absent: Vec<String>,
    /// A line for each difference.
    pub differences: Vec<String>,
}

impl Report {
    /// Cases that were compared.
    #[must_use]
    pub fn cases(&self) -> usize {
        self.compared.values().sum()
    }

    /// The report as text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = self.differences.join("\n");
        if !out.is_empty() {
            out.push('\n');
        }
        if !self.absent.is_empty() {
            let _ = writeln!(out, "absent: {}", self.absent.join(", "));
        }
        let _ = writeln!(
            out,
            "{} cases of {} repositories: {} with the same bytes, {} refused by both, {} different; {} repositories absent",
            self.cases(),
            self.compared.len(),
            self.same,
            self.refused,
            self.differences.len(),
            self.absent.len()
        );
        out
    }
}

/// A renderer's answer: text, or why there is none.
pub type Answer = Result<String, String>;

/// Renders every case of a list whose repository is at hand. `open` is called for each repository with the folder where
/// it is laid, and answers what renders its cases; `explain` may say more of a case that differs.
///
/// # Errors
/// When a tree cannot be laid.
pub fn check<R>(
    list: &List,
    folder: &Path,
    mut open: impl FnMut(&Path) -> io::Result<R>,
    mut render: impl FnMut(&R, &Case) -> Answer,
    mut explain: impl FnMut(&Path, &Case, &Answer) -> String,
) -> io::Result<Report> {
    let mut report = Report::default();
    for repository in &list.repositories {
        let Some(mirror) = mirror(folder, &repository.name) else {
            report.absent.push(repository.name.clone());
            continue;
        };
        let laid = tempfile::tempdir()?;
        if lay(&mirror, &repository.commit, laid.path()).is_err() {
            report
                .absent
                .push(format!("{} at {}", repository.name, repository.commit));
            continue;
        }
        let opened = open(laid.path())?;
        for case in &repository.cases {
            *report.compared.entry(repository.name.clone()).or_default() += 1;
            let answer = render(&opened, case);
            let problem = match (&answer, &case.expect) {
                (Ok(text), Expect::Text(expect)) if digest(text.as_bytes()) == *expect => {
                    report.same += 1;
                    continue;
                }
                (Err(_), Expect::Refused) => {
                    report.refused += 1;
                    continue;
                }
                (Ok(_), Expect::Text(_)) => "other text".to_owned(),
                (Ok(_), Expect::Refused) => "wrongly accepted".to_owned(),
                (Err(problem), Expect::Text(_)) => format!("wrongly refused: {problem}"),
            };
            let more = explain(laid.path(), case, &answer);
            report.differences.push(format!(
                "{} {} {}: {problem}{more}",
                repository.name, case.path, case.flags
            ));
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let list = List {
            tool: "tool 1".into(),
            repositories: vec![Repository {
                name: "a/b".into(),
                commit: "c0ffee".into(),
                cases: vec![
                    Case {
                        path: "x y/z".into(),
                        flags: "--none".into(),
                        expect: Expect::Refused,
                    },
                    Case {
                        path: String::new(),
                        flags: String::new(),
                        expect: Expect::Text(digest(b"abc")),
                    },
                ],
            }],
        };
        assert_eq!(List::read(&list.write()), list);
        assert_eq!(list.len(), 2);
    }

    #[test]
    fn a_digest_is_sha_256() {
        assert_eq!(
            digest(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
