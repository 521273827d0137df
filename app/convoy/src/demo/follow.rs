//! Following the Releases of a demo: until they have settled, and then for as long as somebody watches.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use convoy_domain::condition::Reason;
use convoy_domain::id::ReleaseId;
use convoy_domain::release::Release;

use super::apply;
use super::observe::Observer;
use super::progress::Progress;
use super::project::Project;
use super::trees::{self, BRANCH, Tree};
use crate::connect::Connection;
use crate::failure::Failure;
use crate::get::shortened;
use crate::release_tree::state;
use crate::style::{Style, Tone};
use crate::{lint, print, tree};

/// How often the states of Releases are read while something happens.
const LOOK: Duration = Duration::from_millis(50);

/// How often files and Releases are looked at once everything has settled.
const WATCH: Duration = Duration::from_millis(500);

/// A demo that runs.
pub(super) struct Demo {
    pub(super) once: bool,
    pub(super) timeout: Duration,
    pub(super) url: String,
    pub(super) store_url: String,
    pub(super) state: PathBuf,
    pub(super) adopt: bool,
    pub(super) dir: PathBuf,
    pub(super) connection: Connection,
    pub(super) observer: Observer,
    pub(super) trees: Vec<Tree>,
}

/// How a Release has ended up, for now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Healthy,
    Suspended,
    Failed,
    Underway,
}

impl Demo {
    /// Follows the Releases; with `once` until they have settled, else for ever.
    pub(super) async fn follow(mut self) -> Result<(), Failure> {
        let mut progress = Progress::new();
        if !self.once {
            progress.note("demo", &format!("Kubernetes at {}", self.url));
        }
        let settled = self.settle(&mut progress).await?;
        print::out(&self.trees_of(&settled).await?)?;
        let failed: Vec<Failure> = settled.iter().filter_map(failure).collect();
        if self.once {
            let suspended = settled.iter().filter_map(suspended);
            return failed.into_iter().chain(suspended).next().map_or(Ok(()), Err);
        }
        for failure in &failed {
            let _exit_code_of_once = failure.report(false);
        }
        print::out(&self.how_to(settled.first().map(|release| &release.id)))?;
        self.watch(&mut progress).await
    }

    /// Waits until every Release is healthy, has failed for good, or is suspended.
    async fn settle(&self, progress: &mut Progress) -> Result<Vec<Release>, Failure> {
        loop {
            let mut releases = Vec::new();
            for id in self.observer.releases().await? {
                releases.push(self.observer.release(&id).await?);
            }
            for release in &releases {
                progress.show(release);
            }
            let underway = releases.iter().find(|release| outcome(release) == Outcome::Underway);
            let Some(underway) = underway else { return Ok(releases) };
            if self.once && progress.elapsed() > self.timeout {
                return Err(failure(underway).unwrap_or_else(|| {
                    Failure::new(format!(
                        "Release `{}` is not healthy after {:?}",
                        underway.id, self.timeout
                    ))
                    .hint("`--timeout` waits longer, `-v` shows the controller's log")
                }));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn trees_of(&self, releases: &[Release]) -> Result<String, Failure> {
        let mut text = String::new();
        for release in releases {
            text.push_str(&tree::draw(&self.observer.tree(release).await?, Style::stdout()));
        }
        Ok(text)
    }

    /// What can be done while the demo runs.
    fn how_to(&self, release: Option<&ReleaseId>) -> String {
        let style = Style::stdout();
        let mut text = "\n".to_string();
        let mut row = |label: &str, value: &str, about: &str| {
            let about = style.paint(Tone::Faint, about);
            let line = format!(
                "{} {value}   {about}",
                style.paint(Tone::Strong, &format!("{label:<13}"))
            );
            let _infallible = writeln!(text, "{}", line.trim_end());
        };
        row("API server", &self.url, "");
        row("Render store", &self.store_url, "");
        for tree in &self.trees {
            row(
                "Edit",
                &tree.directory.display().to_string(),
                "each saved change becomes a commit",
            );
            row(
                "Or push to",
                &tree.repository.display().to_string(),
                &format!("branch {BRANCH}"),
            );
        }
        let _infallible = write!(
            text,
            "\n  kubectl --server {0} get releases,deployments -A\n  convoy get releases -A --server {0}\n",
            self.url
        );
        if let Some(id) = release {
            let _infallible = writeln!(
                text,
                "  convoy history {} -n {} --server {} --render-store-url {}",
                id.name(),
                id.namespace(),
                self.url,
                self.store_url
            );
        }
        text.push_str("\nWatching. Ctrl-C ends the demo.\n");
        text
    }

    /// Commits what is saved, applies changed objects, and shows what comes of it.
    async fn watch(&mut self, progress: &mut Progress) -> Result<(), Failure> {
        let mut files = trees::Watched::new(&self.dir);
        loop {
            tokio::time::sleep(WATCH).await;
            for tree in &mut self.trees {
                match tree.poll() {
                    Ok(None) => {}
                    Ok(Some(revision)) => progress.note(&tree.name, &format!("committed {}", shortened(&revision))),
                    Err(failure) => progress.note(&tree.name, &failure.line()),
                }
            }
            if files.changed() {
                match self.reload().await {
                    Ok(()) => progress.note("files", "applied the changed objects"),
                    Err(failure) => progress.note("files", &failure.line()),
                }
            }
            let ids = self.observer.releases().await?;
            progress.keep(&ids);
            for id in ids {
                // One that goes between the two calls is told of by the next look.
                if let Ok(release) = self.observer.release(&id).await {
                    progress.show(&release);
                }
            }
        }
    }

    /// Reads the directory again and applies its objects.
    async fn reload(&mut self) -> Result<(), Failure> {
        let project = Project::load(&self.dir)?;
        lint::documents(&project.objects)?;
        if project.trees.keys().ne(self.trees.iter().map(|tree| &tree.name)) {
            self.trees = trees::make(&project, &self.state.join("repositories"))?;
        }
        apply::apply(&self.connection, &project.objects, &self.trees, self.adopt).await
    }
}

fn outcome(release: &Release) -> Outcome {
    let status = &release.status;
    let attempt = status.last_attempted.as_ref();
    let failed = attempt.and_then(|attempt| attempt.failure.as_ref());
    match (state(release).0, failed) {
        _ if status.observed_generation != release.generation => Outcome::Underway,
        ("Suspended", _) => Outcome::Suspended,
        ("Healthy", _) => Outcome::Healthy,
        (_, Some(failed)) if !failed.failure.is_transient() => Outcome::Failed,
        _ => Outcome::Underway,
    }
}

/// That a Release is suspended, if it is: nothing will make it healthy.
fn suspended(release: &Release) -> Option<Failure> {
    (outcome(release) == Outcome::Suspended).then(|| {
        Failure::new(format!(
            "Release `{}` is suspended, so nothing of it is applied",
            release.id
        ))
        .hint("remove `spec.suspend: true` from it")
    })
}

/// Why a Release has failed, if it has.
fn failure(release: &Release) -> Option<Failure> {
    let failed = &release.status.last_attempted.as_ref()?.failure.as_ref()?.failure;
    let failure = Failure::new(format!(
        "Release `{}` failed in stage {}, {}",
        release.id, failed.stage, failed.reason
    ))
    .because_text(failed.message.clone());
    Some(match hint(failed.reason) {
        Some(hint) => failure.hint(hint),
        None => failure,
    })
}

/// What to do about a reason that a broken demo is likely to show.
fn hint(reason: Reason) -> Option<&'static str> {
    const HINTS: &[(Reason, &str)] = &[
        (
            Reason::SourceNotFound,
            "put the source into a YAML file beside the Release, in the same namespace",
        ),
        (
            Reason::ClusterNotFound,
            "put a Cluster with `spec.inCluster: true` beside the Release",
        ),
        (Reason::RefNotFound, "repositories of a demo have the branch `main`"),
        (
            Reason::RenderFailed,
            "`convoy render FILE` shows the same without a cluster",
        ),
        (
            Reason::MutationNoMatch,
            "`convoy render manifests DIR -o name` lists what there is to match",
        ),
        (
            Reason::WaveTimeout,
            "`spec.healthAssessment.deadline` says how long a gate may take",
        ),
        (
            Reason::HealthDeadlineExceeded,
            "`spec.healthAssessment.deadline` says how long objects may take",
        ),
        (Reason::Unsupported, "docs/README.md lists what this version does"),
    ];
    HINTS.iter().find(|(known, _)| *known == reason).map(|(_, hint)| *hint)
}
