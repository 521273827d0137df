//! `semver` and `semverCompare`.

use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;

use convoy_template::value::{Object, ObjectKind, Type, UintKind};
use convoy_template::{CallError, Context, Function, Functions, Str, Value};

use crate::NIL_DEREFERENCE;
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
            Ok(Value::Object(Arc::new(SemverObject {
                version,
                by_value: false,
            })))
        });
}

/// `*semver.Version`, or the version itself as counting up gives it, with the methods that templates can call.
#[derive(Debug)]
struct SemverObject {
    version: Version,
    by_value: bool,
}

fn version_of(value: &Value) -> Option<&Version> {
    value.downcast::<SemverObject>().map(|object| &object.version)
}

fn getter(name: &str, get: fn(&Version) -> Value) -> Function {
    Function::new(name, move |_: &mut Context, receiver: Value| {
        version_of(&receiver).map(get)
    })
}

fn changed(name: &str, change: fn(&Version) -> Option<Version>) -> Function {
    Function::new(name, move |_: &mut Context, receiver: Value| {
        let version = version_of(&receiver).and_then(change);
        version.map(|version| {
            Value::Object(Arc::new(SemverObject {
                version,
                by_value: true,
            }))
        })
    })
}

/// `*semver.Version`, which nil can be.
const POINTER: Type = Type::Host("*semver.Version", true);

/// A comparison with another version.
fn compared(name: &str, compare: fn(core::cmp::Ordering) -> Value) -> Function {
    Function::dynamic(name, [Type::Any, POINTER].into(), false, move |_, operands| {
        let versions = match operands {
            [a, b] => version_of(a).zip(version_of(b)),
            _ => None,
        };
        let (a, b) = versions.ok_or(NIL_DEREFERENCE)?;
        Ok(compare(a.compare(b)))
    })
}

impl Object for SemverObject {
    fn go_type(&self) -> &'static str {
        if self.by_value {
            "semver.Version"
        } else {
            "*semver.Version"
        }
    }

    fn kind(&self) -> ObjectKind {
        if self.by_value {
            ObjectKind::Struct
        } else {
            ObjectKind::Pointer
        }
    }

    fn method(&self, name: &str) -> Option<Arc<Function>> {
        let function = match name {
            "Major" => getter(name, |version| Value::Uint(UintKind::Uint64, version.major())),
            "Minor" => getter(name, |version| Value::Uint(UintKind::Uint64, version.minor())),
            "Patch" => getter(name, |version| Value::Uint(UintKind::Uint64, version.patch())),
            "Prerelease" => getter(name, |version| Value::from(version.prerelease())),
            "Metadata" => getter(name, |version| Value::from(version.metadata())),
            "String" => getter(name, |version| Value::from(version.to_string())),
            "IncMajor" => changed(name, |version| version.inc_major().ok()),
            "IncMinor" => changed(name, |version| version.inc_minor().ok()),
            "IncPatch" => changed(name, |version| version.inc_patch().ok()),
            // The others are methods of the pointer.
            _ if self.by_value => return None,
            "Original" => getter(name, |version| Value::from(version.original())),
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
        Some(self.version.to_string())
    }

    fn json(&self) -> Option<Value> {
        Some(Value::from(self.version.to_string()))
    }

    fn copied(&self) -> Option<Value> {
        Some(Value::Object(Arc::new(Self {
            version: Version::default(),
            by_value: self.by_value,
        })))
    }

    fn printed(&self) -> Vec<(Str, Value)> {
        let version = &self.version;
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
