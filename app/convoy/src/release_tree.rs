//! A Release as a tree: its waves, and the objects of each with their health.

use std::collections::BTreeMap;

use convoy_domain::condition::{ConditionType, Truth};
use convoy_domain::release::Release;

use crate::get::shortened;
use crate::style::Tone;
use crate::table::Cell;
use crate::tree::{Node, health_tone};

/// One object of a Release, as it is on the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Its wave.
    pub(crate) wave: i32,
    /// Whether the next wave waits for it.
    pub(crate) gated: bool,
    /// Kind, namespace and name.
    pub(crate) object: String,
    /// Its health, in one word.
    pub(crate) health: String,
    /// Why, when there is something to say.
    pub(crate) message: String,
}

/// The tree: Release, waves in their order, objects in the order of the inventory.
pub(crate) fn node(release: &Release, objects: &[Seen]) -> Node {
    let mut waves: BTreeMap<i32, Vec<&Seen>> = BTreeMap::new();
    for seen in objects {
        waves.entry(seen.wave).or_default().push(seen);
    }
    Node {
        cells: root(release),
        children: waves
            .into_iter()
            .map(|(number, objects)| wave(number, &objects))
            .collect(),
    }
}

fn root(release: &Release) -> Vec<Cell> {
    let (word, tone) = state(release);
    let render = release.status.last_successful.as_ref().map(|applied| {
        let revision = shortened(&applied.revision.0).to_string();
        format!("revision {revision}, render {}", applied.render_ref.short())
    });
    vec![
        Cell::toned(Tone::Strong, format!("Release {}", release.id)),
        Cell::toned(tone, word),
        Cell::toned(Tone::Faint, render.unwrap_or_default()),
    ]
}

/// The state of a Release in one word.
pub(crate) fn state(release: &Release) -> (&'static str, Tone) {
    let truth = |kind| {
        let conditions = &release.status.conditions;
        conditions
            .iter()
            .find(|condition| condition.kind == kind)
            .map(|condition| condition.truth)
    };
    let failed = release
        .status
        .last_attempted
        .as_ref()
        .is_some_and(|attempt| attempt.failure.is_some());
    let word = match (truth(ConditionType::Suspended), truth(ConditionType::Ready)) {
        (Some(Truth::True), _) => "Suspended",
        (_, Some(Truth::True)) => "Healthy",
        _ if failed => "Failed",
        _ => "Progressing",
    };
    (word, health_tone(word))
}

fn wave(number: i32, objects: &[&Seen]) -> Node {
    let gate = if objects.iter().any(|seen| seen.gated) {
        "gate"
    } else {
        ""
    };
    Node {
        cells: vec![Cell::new(format!("wave {number}")), Cell::toned(Tone::Faint, gate)],
        children: objects
            .iter()
            .map(|seen| {
                Node::new(vec![
                    Cell::new(&seen.object),
                    Cell::toned(health_tone(&seen.health), &seen.health),
                    Cell::toned(Tone::Faint, &seen.message),
                ])
            })
            .collect(),
    }
}
