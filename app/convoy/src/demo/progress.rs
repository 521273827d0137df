//! What a rollout is doing, in lines.
//!
//! On a terminal the present state is one line that is cut to its width and written over; elsewhere each new state is a line of its own, so
//! that a log tells the same story.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use convoy_domain::condition::Reason;
use convoy_domain::id::ReleaseId;
use convoy_domain::release::Release;
use convoy_domain::status::{Attempt, Phase, Rollout, RolloutStep};

use crate::get::shortened;
use crate::print;
use crate::release_tree::state;
use crate::style::{Style, Tone, plain};
use crate::terminal;

/// Objects that a line names; the others are counted.
const NAMED: usize = 2;

/// Columns of the time before a text, with the space after it.
const TIME: usize = 8;

/// Prints the states of Releases as they change.
#[derive(Debug)]
pub(super) struct Progress {
    style: Style,
    terminal: bool,
    started: Instant,
    shown: BTreeMap<ReleaseId, String>,
    open: bool,
}

impl Progress {
    /// Begins to count the time.
    pub(super) fn new() -> Self {
        Self {
            style: Style::stderr(),
            terminal: io::stderr().is_terminal(),
            started: Instant::now(),
            shown: BTreeMap::new(),
            open: false,
        }
    }

    /// Time since the start.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Shows a Release, if there is something new.
    pub(super) fn show(&mut self, release: &Release) {
        let line = describe(release);
        if self.shown.get(&release.id) == Some(&line) {
            return;
        }
        let (word, tone) = state(release);
        let name = release.id.name();
        if word == "Progressing" && self.terminal {
            let (name, what) = fit(name, &line, terminal::columns());
            let text = self.text(&name, tone, &what);
            print::err_text(&format!("\r\u{1b}[2K{text}"));
            self.open = true;
        } else {
            // It stays, so it is whole: this may be the only place that says why.
            let text = self.text(name, tone, &line);
            self.line(&text);
        }
        self.shown.insert(release.id.clone(), line);
    }

    /// Tells of the Releases that are not among `ids` any more.
    pub(super) fn keep(&mut self, ids: &[ReleaseId]) {
        let gone: Vec<ReleaseId> = self.shown.keys().filter(|id| !ids.contains(id)).cloned().collect();
        for id in gone {
            self.shown.remove(&id);
            self.note(id.name(), "gone");
        }
    }

    /// Says something of something else.
    pub(super) fn note(&mut self, subject: &str, what: &str) {
        let text = self.text(subject, Tone::Plain, what);
        self.line(&text);
    }

    fn text(&self, subject: &str, tone: Tone, what: &str) -> String {
        let time = format!("{:6.1}s", self.elapsed().as_secs_f64());
        format!(
            "{} {} {}",
            self.style.paint(Tone::Faint, &time),
            plain(subject),
            self.style.paint(tone, &plain(what))
        )
    }

    fn line(&mut self, text: &str) {
        let clear = if std::mem::take(&mut self.open) {
            "\r\u{1b}[2K"
        } else {
            ""
        };
        print::err_line(&format!("{clear}{text}"));
    }
}

/// What a Release is doing, on one line.
fn describe(release: &Release) -> String {
    let status = &release.status;
    if release.deleted.is_some() {
        return "being deleted".to_string();
    }
    if state(release).0 == "Suspended" {
        return "suspended".to_string();
    }
    let attempt = status.last_attempted.as_ref();
    if let Some(failure) = attempt.and_then(|attempt| attempt.failure.as_ref()) {
        let failure = &failure.failure;
        if failure.is_transient() {
            return format!("tries again: {}: {}", failure.reason, failure.message);
        }
        return format!("failed in {}: {}: {}", failure.stage, failure.reason, failure.message);
    }
    if let Some(rollout) = &status.rollout {
        return describe_rollout(rollout);
    }
    let awaiting = status
        .conditions
        .iter()
        .find(|condition| condition.reason == Reason::AwaitingSync);
    if let Some(condition) = awaiting {
        return format!("waits for a sync request: {}", condition.message);
    }
    let at = attempt.and_then(place);
    match (state(release).0, at, attempt.map(|attempt| attempt.phase)) {
        ("Healthy", Some(at), _) => format!("healthy at {at}"),
        (_, Some(at), Some(Phase::Succeeded)) => format!("applied {at}"),
        (_, Some(at), _) => format!("fetched {at}"),
        (_, None, Some(_)) => "fetching".to_string(),
        (_, None, None) => "waiting for the controller".to_string(),
    }
}

/// What an attempt is about: its revision, or its render where that came from the store.
fn place(attempt: &Attempt) -> Option<String> {
    let revision = attempt
        .revision
        .as_ref()
        .map(|revision| shortened(&revision.0).to_string());
    let render = || attempt.render_ref.map(|render| format!("render {}", render.short()));
    revision.filter(|revision| !revision.is_empty()).or_else(render)
}

/// A subject and a text that fit on one line of a terminal after the time: a line that wraps could not be written over.
///
/// The last column stays free, since some terminals wrap after it.
fn fit(subject: &str, what: &str, columns: usize) -> (String, String) {
    let room = columns.saturating_sub(TIME + 1);
    let subject = terminal::cut(&plain(subject), room.saturating_sub(1));
    let left = room.saturating_sub(terminal::width(&subject) + 1);
    (subject, terminal::cut(&plain(what), left))
}

fn describe_rollout(rollout: &Rollout) -> String {
    let wave = format!("step {} of {}", rollout.wave.saturating_add(1), rollout.waves.max(1));
    match rollout.step {
        RolloutStep::DryRun => "dry run of every object".to_string(),
        RolloutStep::Persist => format!("storing render {}", rollout.render_ref.short()),
        RolloutStep::Apply => format!("{wave}: applying"),
        RolloutStep::Gate => format!("{wave}: waiting for {}", waiting(rollout)),
        RolloutStep::Prune => "pruning".to_string(),
        RolloutStep::Record => "recording the history".to_string(),
        RolloutStep::Health => format!("applied, waiting for {}", waiting(rollout)),
    }
}

fn waiting(rollout: &Rollout) -> String {
    let named: Vec<&str> = rollout
        .waiting_for
        .iter()
        .take(NAMED)
        .map(|waiting| waiting.object.as_str())
        .collect();
    match (named.len(), rollout.waiting_for.len()) {
        (0, _) => "health".to_string(),
        (shown, all) if all > shown => format!("{} and {} more", named.join(", "), all - shown),
        _ => named.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use convoy_domain::Timestamp;
    use convoy_domain::artifact::Revision;
    use convoy_domain::render_ref::RenderRef;
    use convoy_domain::status::{Inputs, Waiting};

    fn rollout(step: RolloutStep, waiting: &[&str]) -> Rollout {
        Rollout {
            render_ref: RenderRef::from_digest([0xab; 32]),
            step,
            wave: 1,
            waves: 3,
            started: Timestamp::UNIX_EPOCH,
            wave_applied: None,
            waiting_for: waiting
                .iter()
                .map(|object| Waiting {
                    object: (*object).to_string(),
                    health: "Progressing".to_string(),
                    message: String::new(),
                })
                .collect(),
        }
    }

    #[test]
    fn an_attempt_without_a_revision_names_its_render() {
        let attempt = |revision: Option<&str>| Attempt {
            revision: revision.map(|text| Revision(text.to_string())),
            render_ref: Some(RenderRef::from_digest([0xab; 32])),
            phase: Phase::Succeeded,
            started: Timestamp::UNIX_EPOCH,
            finished: None,
            failure: None,
            inputs: Inputs::default(),
        };
        assert_eq!(place(&attempt(Some("chart-1.2.3"))).as_deref(), Some("chart-1.2.3"));
        assert_eq!(place(&attempt(Some(""))).as_deref(), Some("render abababababab"));
        assert_eq!(place(&attempt(None)).as_deref(), Some("render abababababab"));
    }

    #[test]
    fn a_line_that_is_written_over_does_not_wrap() {
        let progress = Progress::new();
        for columns in [10, 20, 40, 80, 200] {
            for subject in ["bookshelf", "s", &"s".repeat(100)] {
                for what in ["short", &"x".repeat(300), &"漢".repeat(300)] {
                    let (name, what) = fit(subject, what, columns);
                    let line = progress.text(&name, Tone::Plain, &what);
                    assert!(terminal::width(&line) < columns, "{columns}: {line}");
                }
            }
        }
        assert_eq!(fit("bookshelf", "short", 80), ("bookshelf".into(), "short".into()));
        let (_, what) = fit("bookshelf", &"x".repeat(200), 40);
        assert_eq!((what.chars().count(), what.ends_with('…')), (40 - 9 - 9 - 1, true));
    }

    #[test]
    fn a_rollout_says_what_it_waits_for() {
        let check = |step, waiting: &[&str], expect: &str| {
            assert_eq!(describe_rollout(&rollout(step, waiting)), expect);
        };
        check(RolloutStep::Persist, &[], "storing render abababababab");
        check(RolloutStep::Apply, &[], "step 2 of 3: applying");
        check(
            RolloutStep::Gate,
            &["Deployment a/b"],
            "step 2 of 3: waiting for Deployment a/b",
        );
        check(
            RolloutStep::Gate,
            &["a", "b", "c", "d"],
            "step 2 of 3: waiting for a, b and 2 more",
        );
        check(RolloutStep::Health, &[], "applied, waiting for health");
    }
}
