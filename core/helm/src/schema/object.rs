//! Schemas of maps.

use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;

use convoy_value::{Map, Value};

use super::document::Draft;
use super::failure::{Failure, quote, quote_all};
use super::text_format::matches;
use super::validate::{At, Seen, Validator, limit, sorted};

impl<'s> Validator<'_, 's> {
    pub(super) fn object(
        &mut self,
        at: At<'_, 's>,
        map: &Map,
        value: &Value,
        seen: &mut Seen,
        failures: &mut Vec<Failure>,
    ) {
        let draft = self.document.draft;
        let length = map.len();
        if let Some(limit) = limit(at.schema, "minProperties").filter(|limit| length < *limit) {
            failures.push(self.counted("minProperties", length, limit));
        }
        if let Some(limit) = limit(at.schema, "maxProperties").filter(|limit| length > *limit) {
            failures.push(self.counted("maxProperties", length, limit));
        }
        let missing = missing(at.schema.get("required"), map);
        match &missing[..] {
            [] => {}
            [one] => failures.push(self.fail(format!("missing property {}", quote(one)))),
            _ => failures.push(self.fail(format!("missing properties {}", quote_all(missing.iter().copied())))),
        }
        self.dependencies(at, "dependencies", map, value, seen, failures);
        self.members(at, map, seen, failures);
        if draft >= Draft::Six {
            self.names(at, map, failures);
        }
        if draft >= Draft::Of2019 {
            self.dependencies(at, "dependentSchemas", map, value, seen, failures);
            self.dependencies(at, "dependentRequired", map, value, seen, failures);
        }
    }

    /// What has to be there, or to hold, when a member is there.
    fn dependencies(
        &mut self,
        at: At<'_, 's>,
        key: &str,
        map: &Map,
        value: &Value,
        seen: &mut Seen,
        failures: &mut Vec<Failure>,
    ) {
        let Some(Value::Object(dependencies)) = at.schema.get(key) else {
            return;
        };
        for (name, dependency) in sorted(dependencies) {
            if !map.contains_key(name) {
                continue;
            }
            if let Value::Array(_) = dependency {
                let missing = missing(Some(dependency), map);
                if !missing.is_empty() {
                    let list = quote_all(missing);
                    failures.push(self.fail(format!("properties {list} required, if {} exists", quote(name))));
                }
            } else {
                match self.apply(dependency, at.base, value) {
                    Ok(more) => {
                        seen.members.extend(more.members);
                    }
                    Err(failure) => failures.push(failure),
                }
            }
        }
    }

    fn members(&mut self, at: At<'_, 's>, map: &Map, seen: &mut Seen, failures: &mut Vec<Failure>) {
        let properties = at.schema.get("properties").and_then(Value::as_object);
        let patterns = at.schema.get("patternProperties").and_then(Value::as_object);
        let additional = at.schema.get("additionalProperties");
        let mut refused = Vec::new();
        for (key, member) in sorted(map) {
            let mut known = false;
            if let Some(schema) = properties.and_then(|properties| properties.get(key)) {
                known = true;
                failures.extend(self.apply_inside(schema, at.base, member, key).err());
            }
            for (pattern, schema) in patterns.into_iter().flat_map(sorted) {
                if matches(pattern, key) == Ok(true) {
                    known = true;
                    failures.extend(self.apply_inside(schema, at.base, member, key).err());
                }
            }
            if let Some(schema) = additional.filter(|_| !known) {
                known = true;
                match schema {
                    Value::Bool(false) => refused.push(key),
                    _ => failures.extend(self.apply_inside(schema, at.base, member, key).err()),
                }
            }
            if known && self.document.tracks {
                seen.members.insert(key.to_string());
            }
        }
        if !refused.is_empty() {
            failures.push(self.fail(format!("additional properties {} not allowed", quote_all(refused))));
        }
    }

    /// The names themselves as values.
    fn names(&mut self, at: At<'_, 's>, map: &Map, failures: &mut Vec<Failure>) {
        let Some(schema) = at.schema.get("propertyNames") else {
            return;
        };
        for (key, _) in sorted(map) {
            let place = core::mem::take(&mut self.place);
            let outcome = self.apply(schema, at.base, &Value::from(key));
            if let Err(failure) = outcome {
                let text = format!("invalid propertyName {}", quote(key));
                failures.push(Failure::with_causes(&self.place, text, failure.flatten()));
            }
            self.place = place;
        }
    }
}

fn missing<'s>(wanted: Option<&'s Value>, map: &Map) -> Vec<&'s str> {
    let wanted = wanted.and_then(Value::as_array).unwrap_or_default();
    wanted
        .iter()
        .filter_map(Value::as_str)
        .filter(|key| !map.contains_key(key))
        .collect()
}
