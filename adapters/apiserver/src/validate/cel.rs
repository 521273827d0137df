//! Rules of `x-kubernetes-validations`.
//!
//! Rules come from clients, and evaluating one has no bound of its own: rules have a limit of length and nesting, and
//! are compiled and evaluated on a thread with a large stack and a deadline.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use kube_cel::{CompiledSchema, ErrorKind, RootContext, Validator};
use serde_json::Value;

use crate::crd::Custom;
use crate::status::{FieldError, FieldErrorKind};

/// A longer rule is refused when the definition is created.
pub(crate) const MAX_RULE_BYTES: usize = 16_384;

/// Deeper brackets, or more signs in a row, are refused.
const MAX_NESTING: usize = 64;

/// How long the rules of one object may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// The stack on which rules are compiled and evaluated; only what is touched costs memory.
const STACK: usize = 256 << 20;

/// Whether a schema has any rule.
pub(crate) fn has_rules(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.contains_key("x-kubernetes-validations") || map.values().any(has_rules),
        Value::Array(items) => items.iter().any(has_rules),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Runs something within the deadline; none when it took longer.
fn guarded<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::Builder::new().name("rules".to_owned()).stack_size(STACK);
    let spawned = thread.spawn(move || {
        // Nobody waits any more when the deadline has passed.
        let _ = sender.send(run());
    });
    spawned.ok()?;
    receiver.recv_timeout(DEADLINE).ok()
}

/// Why a rule cannot be used.
pub(crate) fn refuse(rule: &str) -> Option<String> {
    if nesting(rule) > MAX_NESTING {
        return Some(format!("the rule is nested deeper than {MAX_NESTING}"));
    }
    let owned = rule.to_owned();
    let compiled = guarded(move || {
        kube_cel::cel::Program::compile(&owned)
            .err()
            .map(|error| error.to_string())
    });
    match compiled {
        Some(None) => None,
        Some(Some(why)) => Some(format!("compilation failed: {why}")),
        None => Some("compilation failed: it takes too long".to_owned()),
    }
}

/// The deepest brackets of a rule, or the longest run of signs.
fn nesting(rule: &str) -> usize {
    let (mut depth, mut deepest, mut signs) = (0_usize, 0, 0);
    for byte in rule.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        signs = if matches!(byte, b'!' | b'-' | b'?') {
            signs + 1
        } else {
            0
        };
        deepest = deepest.max(depth).max(signs);
    }
    deepest
}

/// The rules of a schema, compiled; none when there are none.
pub(crate) fn compile(schema: &Value) -> Option<Arc<CompiledSchema>> {
    if !has_rules(schema) {
        return None;
    }
    let schema = schema.clone();
    guarded(move || Arc::new(kube_cel::compile_schema(&schema)))
}

/// What the rules find wrong.
pub(crate) fn check(custom: &Custom, object: &Value, old: Option<&Value>, context: RootContext) -> Vec<FieldError> {
    let Some(rules) = custom.rules.clone() else {
        return Vec::new();
    };
    let (new, before) = (object.clone(), old.cloned());
    let checked = guarded(move || {
        let result = Validator::new().validate_compiled_with_context(&rules, &new, before.as_ref(), Some(&context));
        result
            .err()
            .map(kube_cel::ValidationErrors::into_vec)
            .unwrap_or_default()
    });
    match checked {
        Some(errors) => errors.into_iter().map(|error| field_error(object, &error)).collect(),
        None => vec![FieldError::invalid_omitted(
            "",
            "validation failed due to running out of cost budget, no further validation rules will be run",
        )],
    }
}

fn field_error(object: &Value, error: &kube_cel::ValidationError) -> FieldError {
    let path = error.field_path.trim_start_matches('.').to_owned();
    if error.kind != ErrorKind::ValidationFailure {
        return FieldError::invalid_omitted(path, &error.message);
    }
    match error.reason.as_deref() {
        Some("FieldValueForbidden") => return FieldError::forbidden(path, &error.message),
        Some("FieldValueRequired") => return FieldError::required(path, &error.message),
        Some(_) | None => {}
    }
    let scalar = find(object, &path).filter(|value| !value.is_object() && !value.is_array());
    let mut found = match scalar {
        Some(value) => FieldError::invalid(path, value, &error.message),
        None => FieldError::invalid_omitted(path, &error.message),
    };
    if error.reason.as_deref() == Some("FieldValueDuplicate") {
        found.kind = FieldErrorKind::Duplicate;
    }
    found
}

/// The value at a path such as `spec.items[0].name`.
fn find<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    path.split(['.', '[', ']'])
        .filter(|step| !step.is_empty())
        .try_fold(object, |value, step| {
            if value.is_array() {
                value.get(step.parse::<usize>().ok()?)
            } else {
                value.get(step)
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_rules_are_refused_and_not_crashed_on() {
        let many = |part: &str, count: usize| part.repeat(count);
        for rule in [
            many("(", 5_000),
            many("!", 5_000) + "true",
            many("[", 1_000) + &many("]", 1_000),
            "self ==".to_owned(),
        ] {
            assert!(refuse(&rule).is_some(), "{}", &rule[..10.min(rule.len())]);
        }
        for rule in [
            "self.a > 1 && !(self.b in ['x'])".to_owned(),
            many("true && ", 1_500) + "true",
        ] {
            assert_eq!(refuse(&rule), None);
        }
    }
}
