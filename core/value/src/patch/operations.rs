//! JSON patch: a list of operations, all or none of which apply.

use alloc::string::String;
use alloc::vec::Vec;

use super::pointer::unescape;
use super::{Error, depth};
use crate::{Limits, Map, Value, json};

/// The most operations of one patch, as the Kubernetes API server has it.
pub const MAX_OPERATIONS: usize = 10_000;

/// `document` with the operations of `patch` applied in order.
///
/// # Errors
/// When the patch is none or an operation does not apply; when there are more than [`MAX_OPERATIONS`], when `copy`
/// adds more than `limits.alias_bytes` or anything nests deeper than `limits` allow.
pub fn apply(document: &Value, patch: &Value, limits: &Limits) -> Result<Value, Error> {
    let operations = patch
        .as_array()
        .ok_or(Error::Malformed("a patch is a list of operations"))?;
    if operations.len() > MAX_OPERATIONS {
        return Err(Error::Limit {
            of: "operations",
            limit: MAX_OPERATIONS,
        });
    }
    let mut patcher = Patcher {
        document: document.clone(),
        index: 0,
        copied: 0,
        limits,
    };
    for (index, operation) in operations.iter().enumerate() {
        patcher.index = index;
        patcher.operation(operation)?;
    }
    Ok(patcher.document)
}

struct Patcher<'l> {
    document: Value,
    index: usize,
    copied: usize,
    limits: &'l Limits,
}

fn member<'o>(operation: &'o Map, name: &'static str, missing: &'static str) -> Result<&'o str, Error> {
    operation
        .get(name)
        .and_then(Value::as_str)
        .ok_or(Error::Malformed(missing))
}

impl Patcher<'_> {
    fn operation(&mut self, operation: &Value) -> Result<(), Error> {
        let operation = operation
            .as_object()
            .ok_or(Error::Malformed("an operation is a mapping"))?;
        let path = || member(operation, "path", "an operation has a path");
        let from = || member(operation, "from", "`move` and `copy` have a path to take from");
        // A value that is missing is a null.
        let value = || operation.get("value").cloned().unwrap_or_default();
        match member(operation, "op", "an operation has a kind")? {
            "add" => self.add(path()?, value()),
            "remove" => self.take(path()?).map(drop),
            "replace" => self.replace(path()?, value()),
            "test" => self.test(path()?, &value()),
            "move" => {
                let (from, path) = (from()?, path()?);
                let taken = self.take(from)?;
                self.add(path, taken)
            }
            "copy" => {
                let (from, path) = (from()?, path()?);
                let copy = self.get(from)?;
                self.copied += json::to_canonical(&copy).len();
                if self.copied > self.limits.alias_bytes {
                    return Err(Error::Limit {
                        of: "copied bytes",
                        limit: self.limits.alias_bytes,
                    });
                }
                self.add(path, copy)
            }
            _ => Err(Error::Malformed(
                "the kinds are add, remove, replace, move, copy and test",
            )),
        }
    }

    fn missing(&self, path: &str) -> Error {
        Error::Missing {
            index: self.index,
            path: path.into(),
        }
    }

    /// The collection that holds what `path` names, and the last part of the path.
    fn parent(&mut self, path: &str) -> Result<(&mut Value, String), Error> {
        let missing = self.missing(path);
        let (head, last) = path.rsplit_once('/').ok_or_else(|| missing.clone())?;
        // What stands before the first `/` is not looked at.
        let parts: Vec<&str> = head.split('/').skip(1).collect();
        let mut place = &mut self.document;
        for part in parts {
            place = match place {
                Value::Object(map) => map.get_mut(&unescape(part)),
                Value::Array(items) => position(&unescape(part), items.len(), 0).and_then(|at| items.get_mut(at)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
            }
            .ok_or_else(|| missing.clone())?;
        }
        match place {
            Value::Object(_) | Value::Array(_) => Ok((place, unescape(last).into_owned())),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Err(missing),
        }
    }

    /// What `path` names; a missing member of a mapping is a null.
    fn get(&mut self, path: &str) -> Result<Value, Error> {
        let missing = self.missing(path);
        let (parent, key) = self.parent(path)?;
        match parent {
            Value::Object(map) => Ok(map.get(&key).cloned().unwrap_or_default()),
            Value::Array(items) => position(&key, items.len(), 0)
                .and_then(|at| items.get(at).cloned())
                .ok_or(missing),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Err(missing),
        }
    }

    fn add(&mut self, path: &str, value: Value) -> Result<(), Error> {
        self.check_depth(path, &value)?;
        let missing = self.missing(path);
        let (parent, key) = self.parent(path)?;
        match parent {
            Value::Object(map) => {
                map.insert(key, value);
            }
            Value::Array(items) if key == "-" => items.push(value),
            Value::Array(items) => {
                let at = position(&key, items.len(), 1)
                    .filter(|at| *at <= items.len())
                    .ok_or(missing)?;
                items.insert(at, value);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Err(missing),
        }
        Ok(())
    }

    fn replace(&mut self, path: &str, value: Value) -> Result<(), Error> {
        self.check_depth(path, &value)?;
        if path.is_empty() {
            if depth(&value) == 0 {
                return Err(Error::Malformed(
                    "the whole document is replaced by a mapping or a sequence",
                ));
            }
            self.document = value;
            return Ok(());
        }
        let missing = self.missing(path);
        let (parent, key) = self.parent(path)?;
        match parent {
            Value::Object(map) => {
                map.insert(key, value);
            }
            Value::Array(items) => {
                let place = position(&key, items.len(), 0).and_then(|at| items.get_mut(at));
                *place.ok_or(missing)? = value;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Err(missing),
        }
        Ok(())
    }

    /// Removes what `path` names.
    fn take(&mut self, path: &str) -> Result<Value, Error> {
        let missing = self.missing(path);
        let (parent, key) = self.parent(path)?;
        match parent {
            Value::Object(map) => map.remove(&key).ok_or(missing),
            Value::Array(items) => {
                let at = position(&key, items.len(), 0)
                    .filter(|at| *at < items.len())
                    .ok_or(missing)?;
                Ok(items.remove(at))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Err(missing),
        }
    }

    fn test(&mut self, path: &str, expected: &Value) -> Result<(), Error> {
        let found = if path.is_empty() {
            self.document.clone()
        } else {
            self.get(path)?
        };
        if found == *expected {
            Ok(())
        } else {
            Err(Error::TestFailed {
                index: self.index,
                path: path.into(),
            })
        }
    }

    fn check_depth(&self, path: &str, value: &Value) -> Result<(), Error> {
        let limit = self.limits.effective_depth();
        if path.matches('/').count() + depth(value) > limit {
            return Err(Error::Limit {
                of: "levels of nesting",
                limit,
            });
        }
        Ok(())
    }
}

/// The place that `key` names in a sequence of `len` items; a negative one counts from the end, or, with `beyond`
/// 1, from behind it.
fn position(key: &str, len: usize, beyond: usize) -> Option<usize> {
    let at: i64 = key.parse().ok()?;
    match usize::try_from(at) {
        Ok(at) => Some(at),
        Err(_) => (len + beyond).checked_sub(usize::try_from(at.unsigned_abs()).ok()?),
    }
}
