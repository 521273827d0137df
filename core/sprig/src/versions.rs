//! `semver` and `semverCompare`.

use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;

use convoy_template::value::{Object, ObjectKind, UintKind};
use convoy_template::{CallError, Context, Function, Functions, Str, Value};

use crate::semver::{Constraint, Version};

pub(crate) fn register(functions: &mut Functions) {
    functions
        .add(
            "semverCompare",
            |_: &mut Context, constraint: Str, version: Str| -> Result<bool, CallError> {
                let constraint = Constraint::parse(&constraint.to_text()).map_err(|error| error.to_string())?;
                let version = Version::parse(&version.to_text()).map_err(|error| error.to_string())?;
                Ok(constraint.check(&version))
            },
        )
        .add("semver", |_: &mut Context, version: Str| -> Result<Value, CallError> {
            let version = Version::parse(&version.to_text()).map_err(|error| error.to_string())?;
            Ok(Value::Object(Arc::new(SemverObject(version))))
        });
}

/// `*semver.Version` with the methods that templates can call.
#[derive(Debug)]
struct SemverObject(Version);

fn version_of(value: &Value) -> Option<&Version> {
    value.downcast::<SemverObject>().map(|object| &object.0)
}

fn getter(name: &str, get: fn(&Version) -> Value) -> Function {
    Function::new(name, move |_: &mut Context, receiver: Value| {
        version_of(&receiver).map(get)
    })
}

fn changed(name: &str, change: fn(&Version) -> Option<Version>) -> Function {
    Function::new(name, move |_: &mut Context, receiver: Value| {
        let version = version_of(&receiver).and_then(change);
        version.map(|version| Value::Object(Arc::new(SemverObject(version))))
    })
}

/// A comparison with another version.
fn compared(name: &str, compare: fn(core::cmp::Ordering) -> Value) -> Function {
    Function::new(
        name,
        move |_: &mut Context, receiver: Value, other: Value| -> Result<Option<Value>, CallError> {
            match (version_of(&receiver), version_of(&other)) {
                (Some(a), Some(b)) => Ok(Some(compare(a.compare(b)))),
                _ => Err("wrong type for value; expected *semver.Version".into()),
            }
        },
    )
}

impl Object for SemverObject {
    fn go_type(&self) -> &'static str {
        "*semver.Version"
    }

    fn kind(&self) -> ObjectKind {
        ObjectKind::Pointer
    }

    fn method(&self, name: &str) -> Option<Arc<Function>> {
        let function = match name {
            "Major" => getter(name, |version| Value::Uint(UintKind::Uint64, version.major())),
            "Minor" => getter(name, |version| Value::Uint(UintKind::Uint64, version.minor())),
            "Patch" => getter(name, |version| Value::Uint(UintKind::Uint64, version.patch())),
            "Prerelease" => getter(name, |version| Value::from(version.prerelease())),
            "Metadata" => getter(name, |version| Value::from(version.metadata())),
            "Original" => getter(name, |version| Value::from(version.original())),
            "String" => getter(name, |version| Value::from(version.to_string())),
            "IncMajor" => changed(name, |version| version.inc_major().ok()),
            "IncMinor" => changed(name, |version| version.inc_minor().ok()),
            "IncPatch" => changed(name, |version| version.inc_patch().ok()),
            "Compare" => compared(name, |order| Value::int(order as i64)),
            "Equal" => compared(name, |order| Value::Bool(order.is_eq())),
            "LessThan" => compared(name, |order| Value::Bool(order.is_lt())),
            "LessThanEqual" => compared(name, |order| Value::Bool(order.is_le())),
            "GreaterThan" => compared(name, |order| Value::Bool(order.is_gt())),
            "GreaterThanEqual" => compared(name, |order| Value::Bool(order.is_ge())),
            _ => return None,
        };
        Some(Arc::new(function))
    }

    fn text(&self) -> Option<String> {
        Some(self.0.to_string())
    }

    fn json(&self) -> Option<Value> {
        Some(Value::from(self.0.to_string()))
    }

    fn copied(&self) -> Option<Value> {
        Some(Value::Object(Arc::new(Self(Version::default()))))
    }

    fn printed(&self) -> Vec<(Str, Value)> {
        let version = &self.0;
        let number = |number| Value::Uint(UintKind::Uint64, number);
        [
            ("major", number(version.major())),
            ("minor", number(version.minor())),
            ("patch", number(version.patch())),
            ("pre", Value::from(version.prerelease())),
            ("metadata", Value::from(version.metadata())),
            ("original", Value::from(version.original())),
        ]
        .map(|(name, value)| (Str::from(name), value))
        .into()
    }

    fn entries(&self) -> Vec<(Str, Value)> {
        Vec::new()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
