//! The mutation pipeline: what a Release changes in the objects that rendering gave, before they are hashed.
//!
//! # Invariant
//! Mutations run in their order; each sees what the ones before it did. An error leaves the caller without a render:
//! nothing of a list that was half mutated may be used.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::names;
use crate::object::{Object, Scope};
use crate::release::{Gate, Mutation, MutationAction, Target};
use crate::scope::Scopes;
use crate::selector::{InvalidSelector, Selector};

/// Why the pipeline stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MutationError {
    /// No object is a target.
    #[error("mutation {index} of type `{kind}` matches no object of the render: {target}")]
    NoMatch {
        /// Place in `mutations`, from 0.
        index: usize,
        /// Its type.
        kind: String,
        /// What was looked for.
        target: String,
    },
    /// A selector cannot be read.
    #[error("mutation {index} of type `{kind}` has an invalid target")]
    Selector {
        /// Place in `mutations`, from 0.
        index: usize,
        /// Its type.
        kind: String,
        /// What is wrong with it.
        source: InvalidSelector,
    },
    /// The type is not built yet.
    #[error("mutation {index} of type `{kind}` is not supported by this version")]
    Unsupported {
        /// Place in `mutations`, from 0.
        index: usize,
        /// Its type.
        kind: String,
    },
}

/// Runs the mutations over the objects of a render.
///
/// # Errors
/// The first [`MutationError`]; the objects are then in no useful state.
pub fn mutate(mutations: &[Mutation], objects: &mut [Object]) -> Result<(), MutationError> {
    if mutations.is_empty() {
        return Ok(());
    }
    let scopes = Scopes::of(objects.iter());
    for (index, mutation) in mutations.iter().enumerate() {
        let kind = mutation.action.type_name();
        let matcher = Matcher::new(&mutation.target).map_err(|source| MutationError::Selector {
            index,
            kind: kind.to_string(),
            source,
        })?;
        let mut targets = objects
            .iter_mut()
            .filter(|object| matcher.matches(object, &scopes))
            .peekable();
        if targets.peek().is_none() && !mutation.optional {
            return Err(MutationError::NoMatch {
                index,
                kind: kind.to_string(),
                target: describe(&mutation.target),
            });
        }
        for object in targets {
            run(&mutation.action, object).map_err(|kind| MutationError::Unsupported { index, kind })?;
        }
    }
    Ok(())
}

impl MutationAction {
    /// `type` of the mutation.
    #[must_use]
    pub fn type_name(&self) -> &str {
        match self {
            Self::SyncWave { .. } => "syncWave",
            Self::Unsupported { kind, .. } => kind,
        }
    }
}

impl Gate {
    /// `waveStrategy.strategy`, as the annotation says it too.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WaitForHealthy => names::GATE_WAIT,
            Self::Continue => names::GATE_CONTINUE,
        }
    }
}

/// Does what one mutation says to one object; the type when it is not built.
fn run(action: &MutationAction, object: &mut Object) -> Result<(), String> {
    match action {
        MutationAction::SyncWave { wave, gate } => {
            object.set_annotation(names::annotation::SYNC_WAVE, &wave.to_string());
            object.set_annotation(names::annotation::WAVE_GATE, gate.as_str());
            Ok(())
        }
        MutationAction::Unsupported { kind, .. } => Err(kind.clone()),
    }
}

/// A target whose selectors are read.
#[derive(Clone, Debug)]
pub struct Matcher<'a> {
    target: &'a Target,
    labels: Selector,
    annotations: Selector,
}

impl<'a> Matcher<'a> {
    /// Reads the selectors of a target.
    ///
    /// # Errors
    /// [`InvalidSelector`] for the first that cannot be read.
    pub fn new(target: &'a Target) -> Result<Self, InvalidSelector> {
        let read = |text: &Option<String>| Selector::parse(text.as_deref().unwrap_or_default());
        Ok(Self {
            target,
            labels: read(&target.label_selector)?,
            annotations: read(&target.annotation_selector)?,
        })
    }

    /// Whether an object is a target. A namespaced object without a namespace is in `default`; a cluster-scoped one is
    /// in the empty namespace.
    #[must_use]
    pub fn matches(&self, object: &Object, scopes: &Scopes) -> bool {
        let gvk = object.gvk();
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == "*" || wanted == found)
        };
        let namespace = match (scopes.scope(&gvk.group, &gvk.kind), object.namespace()) {
            (Scope::Cluster, _) => "",
            (Scope::Namespaced, "") => "default",
            (Scope::Namespaced, namespace) => namespace,
        };
        is(&self.target.group, &gvk.group)
            && is(&self.target.version, &gvk.version)
            && is(&self.target.kind, &gvk.kind)
            && is(&self.target.name, object.name())
            && is(&self.target.namespace, namespace)
            && self.labels.matches(object.at(&["metadata", "labels"]))
            && self.annotations.matches(object.at(&["metadata", "annotations"]))
    }
}

/// The parts of a target that are set, for an error.
fn describe(target: &Target) -> String {
    let parts = [
        ("group", &target.group),
        ("version", &target.version),
        ("kind", &target.kind),
        ("name", &target.name),
        ("namespace", &target.namespace),
        ("labelSelector", &target.label_selector),
        ("annotationSelector", &target.annotation_selector),
    ];
    let set: Vec<String> = parts
        .into_iter()
        .filter_map(|(part, wanted)| wanted.as_ref().map(|wanted| alloc::format!("{part} `{wanted}`")))
        .collect();
    if set.is_empty() {
        "any object".to_string()
    } else {
        set.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use convoy_value::{Limits, Value, json};

    use super::*;
    use crate::condition::{Failure, Reason, Stage};

    fn object(text: &str) -> Object {
        Object::new(json::parse(text, &Limits::default()).unwrap()).unwrap()
    }

    fn objects() -> Vec<Object> {
        alloc::vec![
            object(r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","labels":{"app":"web"}}}"#),
            object(
                r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"prod","annotations":{"tier":"front"}}}"#
            ),
            object(r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"prod"}}"#),
            object(r#"{"apiVersion":"serving.knative.dev/v1","kind":"Service","metadata":{"name":"fn"}}"#),
        ]
    }

    fn target(parts: &[(&str, &str)]) -> Target {
        let part = |name: &str| {
            parts
                .iter()
                .find(|(part, _)| *part == name)
                .map(|(_, text)| text.to_string())
        };
        Target {
            group: part("group"),
            version: part("version"),
            kind: part("kind"),
            name: part("name"),
            namespace: part("namespace"),
            label_selector: part("labels"),
            annotation_selector: part("annotations"),
        }
    }

    fn wave(target: Target, wave: i32, gate: Gate) -> Mutation {
        Mutation {
            target,
            optional: false,
            action: MutationAction::SyncWave { wave, gate },
        }
    }

    #[test]
    fn a_target_matches_what_all_its_parts_match() {
        let check = |parts: &[(&str, &str)], expect: &[usize]| {
            let target = target(parts);
            let matcher = Matcher::new(&target).unwrap();
            let objects = objects();
            let scopes = Scopes::of(&objects);
            let found: Vec<usize> = (0..objects.len())
                .filter(|index| matcher.matches(&objects[*index], &scopes))
                .collect();
            assert_eq!(found, expect, "{parts:?}");
        };
        check(&[], &[0, 1, 2, 3]);
        check(&[("group", "")], &[0, 2]);
        check(&[("group", "*"), ("kind", "Service")], &[0, 3]);
        check(&[("group", ""), ("version", "v1"), ("kind", "Service")], &[0]);
        check(&[("group", "apps")], &[1]);
        check(&[("version", "v2")], &[]);
        check(&[("name", "web")], &[0, 1]);
        check(&[("namespace", "prod")], &[1]);
        check(&[("namespace", "default")], &[0, 3]);
        check(&[("namespace", "")], &[2]);
        check(&[("namespace", "*")], &[0, 1, 2, 3]);
        check(&[("labels", "app in (web)")], &[0]);
        check(&[("labels", "!app")], &[1, 2, 3]);
        check(&[("annotations", "tier=front")], &[1]);
        check(&[("labels", "app"), ("annotations", "tier")], &[]);
    }

    #[test]
    fn a_sync_wave_is_written_into_the_object_and_the_last_one_wins() {
        let mut objects = objects();
        let mutations = [
            wave(target(&[]), 1, Gate::Continue),
            wave(
                target(&[("group", "apps"), ("annotations", "core.convoy.kumodo.io/sync-wave=1")]),
                -2,
                Gate::WaitForHealthy,
            ),
        ];
        mutate(&mutations, &mut objects).unwrap();
        let found = |index: usize| {
            let object: &Object = &objects[index];
            (
                object.annotation("core.convoy.kumodo.io/sync-wave"),
                object.annotation("core.convoy.kumodo.io/wave-gate"),
            )
        };
        assert_eq!(found(0), (Some("1"), Some("continue")));
        assert_eq!(found(1), (Some("-2"), Some("waitForHealthy")));
        assert_eq!(objects[1].annotation("tier"), Some("front"));
    }

    #[test]
    fn a_target_that_matches_nothing_is_an_error_unless_optional() {
        let absent = wave(target(&[("kind", "Job"), ("labels", "a=b")]), 1, Gate::Continue);
        let mutations = [wave(target(&[]), 1, Gate::Continue), absent.clone()];
        let failure = Failure::from(mutate(&mutations, &mut objects()).unwrap_err());
        assert_eq!(
            (failure.stage, failure.reason),
            (Stage::Mutate, Reason::MutationNoMatch)
        );
        assert_eq!(
            failure.message,
            "mutation 1 of type `syncWave` matches no object of the render: kind `Job`, labelSelector `a=b`"
        );
        let optional = Mutation {
            optional: true,
            ..absent
        };
        assert_eq!(mutate(&[optional], &mut objects()), Ok(()));
    }

    #[test]
    fn what_cannot_be_done_names_index_and_type() {
        let broken = wave(target(&[("labels", "a in")]), 1, Gate::Continue);
        let failure = Failure::from(mutate(&[broken], &mut objects()).unwrap_err());
        assert_eq!(failure.reason, Reason::MutationFailed);
        assert_eq!(
            failure.message,
            "mutation 0 of type `syncWave` has an invalid target: selector `a in` is invalid: expected `(` at byte 4"
        );
        let patch = Mutation {
            target: Target::default(),
            optional: false,
            action: MutationAction::Unsupported {
                kind: "patch".into(),
                settings: Value::Null,
            },
        };
        let failure = Failure::from(mutate(&[patch], &mut objects()).unwrap_err());
        assert_eq!(failure.reason, Reason::Unsupported);
        assert_eq!(
            failure.message,
            "mutation 0 of type `patch` is not supported by this version"
        );
    }
}
