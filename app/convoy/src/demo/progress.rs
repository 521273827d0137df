//! What a rollout is doing, in lines.
//!
//! On a terminal the present state is one line that is written over; elsewhere each new state is a line of its own, so
//! that a log tells the same story.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use convoy_domain::id::ReleaseId;
use convoy_domain::release::Release;
use convoy_domain::status::{Phase, Rollout, RolloutStep};

use crate::get::shortened;
use crate::print;
use crate::release_tree::state;
use crate::style::{Style, Tone, plain};

/// Objects that a line names; the others are counted.
const NAMED: usize = 2;

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
        self.shown.insert(release.id.clone(), line.clone());
        let (word, tone) = state(release);
        let time = format!("{:6.1}s", self.elapsed().as_secs_f64());
        let text = format!(
            "{} {} {}",
            self.style.paint(Tone::Faint, &time),
            plain(release.id.name()),
            self.style.paint(tone, &plain(&line))
        );
        if word == "Progressing" && self.terminal {
            print::err_text(&format!("\r\u{1b}[2K{text}"));
            self.open = true;
        } else {
            self.line(&text);
        }
    }

    /// Prints a line of its own.
    pub(super) fn line(&mut self, text: &str) {
        let clear = if std::mem::take(&mut self.open) { "\r\u{1b}[2K" } else { "" };
        print::err_line(&format!("{clear}{text}"));
    }
}

/// What a Release is doing, on one line.
fn describe(release: &Release) -> String {
    let status = &release.status;
    if state(release).0 == "Suspended" {
        return "suspended".to_string();
    }
    let attempt = status.last_attempted.as_ref();
    if let Some(failure) = attempt.and_then(|attempt| attempt.failure.as_ref()) {
        let failure = &failure.failure;
        return format!("failed in {}: {}: {}", failure.stage, failure.reason, failure.message);
    }
    if let Some(rollout) = &status.rollout {
        return describe_rollout(rollout);
    }
    let revision = attempt.and_then(|attempt| attempt.revision.as_ref()).map(|revision| shortened(&revision.0));
    match (state(release).0, revision, attempt.map(|attempt| attempt.phase)) {
        ("Healthy", Some(revision), _) => format!("healthy at {revision}"),
        (_, Some(revision), Some(Phase::Succeeded)) => format!("applied {revision}"),
        (_, Some(revision), _) => format!("fetched {revision}"),
        (_, None, Some(_)) => "fetching".to_string(),
        (_, None, None) => "waiting for the controller".to_string(),
    }
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
    let named: Vec<&str> = rollout.waiting_for.iter().take(NAMED).map(|waiting| waiting.object.as_str()).collect();
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
    use convoy_domain::render_ref::RenderRef;
    use convoy_domain::status::Waiting;

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
    fn a_rollout_says_what_it_waits_for() {
        let check = |step, waiting: &[&str], expect: &str| {
            assert_eq!(describe_rollout(&rollout(step, waiting)), expect);
        };
        check(RolloutStep::Persist, &[], "storing render abababababab");
        check(RolloutStep::Apply, &[], "step 2 of 3: applying");
        check(RolloutStep::Gate, &["Deployment a/b"], "step 2 of 3: waiting for Deployment a/b");
        check(RolloutStep::Gate, &["a", "b", "c", "d"], "step 2 of 3: waiting for a, b and 2 more");
        check(RolloutStep::Health, &[], "applied, waiting for health");
    }
}
