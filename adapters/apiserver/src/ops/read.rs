//! Reading objects and lists.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Core, Target};
use crate::resource::{Resource, shown_as};
use crate::select::{FieldSelector, LabelSelector};
use crate::status::ApiError;
use crate::store::Stored;

/// What a list or watch selects.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListOptions {
    pub(crate) labels: LabelSelector,
    pub(crate) fields: FieldSelector,
    /// Zero for no limit.
    pub(crate) limit: usize,
    pub(crate) from: String,
    pub(crate) revision: Option<u64>,
    pub(crate) exact: bool,
}

impl ListOptions {
    /// Whether a stored object is selected, looked at as the resource shows it.
    pub(crate) fn selects(&self, object: &Value) -> bool {
        self.labels.matches(object) && self.fields.matches(object)
    }
}

/// A list at one revision.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) items: Vec<Value>,
    pub(crate) revision: u64,
    pub(crate) next: Option<String>,
    pub(crate) remaining: Option<usize>,
}

impl Listed {
    pub(crate) fn metadata(&self) -> Value {
        let mut metadata = json!({"resourceVersion": self.revision.to_string()});
        if let Some(next) = &self.next {
            metadata["continue"] = json!(next);
        }
        if let Some(remaining) = self.remaining {
            metadata["remainingItemCount"] = json!(remaining);
        }
        metadata
    }

    /// The list object. Items of built-in kinds do not repeat their kind.
    pub(crate) fn to_value(&self, resource: &Resource) -> Value {
        let mut items = self.items.clone();
        if resource.custom.is_none() {
            for item in items.iter_mut().filter_map(Value::as_object_mut) {
                item.remove("apiVersion");
                item.remove("kind");
            }
        }
        json!({"kind": resource.list_kind, "apiVersion": resource.api_version(), "metadata": self.metadata(), "items": items})
    }
}

/// Where a page starts: the revision of the first page, and the last object of the page before.
fn encode_token(revision: u64, namespace: &str, name: &str) -> String {
    crate::validate::builtin::encode_base64(format!("{revision}\n{namespace}\n{name}").as_bytes())
}

fn decode_token(token: &str) -> Option<(u64, String, String)> {
    let bytes = decode_base64(token)?;
    let text = String::from_utf8(bytes).ok()?;
    let mut lines = text.splitn(3, '\n');
    Some((
        lines.next()?.parse().ok()?,
        lines.next()?.to_owned(),
        lines.next()?.to_owned(),
    ))
}

fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from((bits >> count) & 0xff).unwrap_or(0));
        }
    }
    Some(out)
}

impl Core {
    /// `GET` of one object or of its scale.
    ///
    /// # Errors
    /// 404.
    pub(crate) fn read(&self, target: &Target) -> Result<Value, ApiError> {
        if target.subresource == "scale" {
            self.scale(target)
        } else {
            self.current(target)
        }
    }

    /// `GET` of a collection.
    ///
    /// # Errors
    /// 410 when the page's or the asked revision is forgotten, 504 when it is in the future.
    pub(crate) fn list(&self, target: &Target, options: &ListOptions) -> Result<Listed, ApiError> {
        let now = self.store.revision();
        let (revision, after) = self.start(options, now)?;
        let resource = &target.resource;
        let objects = self.snapshot(target, revision, now, after.as_ref())?;
        let mut items = Vec::new();
        let mut next = None;
        let mut left = 0;
        for stored in objects {
            if options.limit > 0 && items.len() == options.limit {
                left += 1;
                continue;
            }
            let object = shown_as(resource, &stored.value);
            if !options.selects(&object) {
                continue;
            }
            if options.limit > 0 && items.len() + 1 == options.limit {
                let text = |field: &str| object["metadata"][field].as_str().unwrap_or("").to_owned();
                next = Some(encode_token(revision, &text("namespace"), &text("name")));
            }
            items.push(object);
        }
        let plain = options.labels.is_empty() && options.fields == FieldSelector::default();
        let next = if left > 0 { next } else { None };
        let remaining = (next.is_some() && plain).then_some(left);
        Ok(Listed {
            items,
            revision,
            next,
            remaining,
        })
    }

    fn start(&self, options: &ListOptions, now: u64) -> Result<(u64, Option<(String, String)>), ApiError> {
        if !options.from.is_empty() {
            let Some((revision, namespace, name)) = decode_token(&options.from) else {
                return Err(ApiError::bad_request(
                    "invalid continue token: continue key is not valid: it cannot be decoded",
                ));
            };
            if revision < self.store.compacted() {
                let fresh = encode_token(now, &namespace, &name);
                let mut error = ApiError::expired(
                    "The provided continue parameter is too old to display a consistent list result. You can start a new \
                     list without the continue parameter, or use the continue token in this response to retrieve the \
                     remainder of the results. Continuing with the provided token results in an inconsistent list - \
                     objects that were created, modified, or deleted between the time the first chunk was returned and \
                     now may show up in the list.",
                );
                error.details = json!({"continue": fresh});
                return Err(error);
            }
            return Ok((revision.min(now), Some((namespace, name))));
        }
        match options.revision {
            Some(asked) if asked > now => Err(too_large(asked, now)),
            Some(asked) if options.exact && asked < self.store.compacted() => Err(ApiError::expired(format!(
                "The provided resource version is too old: {asked} ({})",
                self.store.compacted()
            ))),
            Some(asked) if options.exact && asked > 0 => Ok((asked, None)),
            Some(_) | None => Ok((now, None)),
        }
    }

    fn snapshot(
        &self,
        target: &Target,
        revision: u64,
        now: u64,
        after: Option<&(String, String)>,
    ) -> Result<Vec<Arc<Stored>>, ApiError> {
        let storage = &target.resource.storage;
        if revision == now {
            let after = after.map(|(namespace, name)| (namespace.as_str(), name.as_str()));
            return Ok(self
                .store
                .list(storage, &target.namespace, after)
                .map(|(_, stored)| stored.clone())
                .collect());
        }
        let mut objects = self
            .store
            .at(storage, &target.namespace, revision)
            .ok_or_else(|| ApiError::expired("The provided resource version is too old"))?;
        if let Some((namespace, name)) = after {
            let place = |stored: &Arc<Stored>| {
                let text = |field: &str| stored.value["metadata"][field].as_str().unwrap_or("").to_owned();
                (text("namespace"), text("name"))
            };
            objects.retain(|stored| place(stored) > (namespace.clone(), name.clone()));
        }
        Ok(objects)
    }
}

/// The answer to a revision that is not there yet.
pub(crate) fn too_large(asked: u64, now: u64) -> ApiError {
    let mut error = ApiError::new(
        504,
        "Timeout",
        format!("Timeout: Too large resource version: {asked}, current: {now}"),
    );
    error.details = json!({"causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1});
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_the_place_where_a_page_ended() {
        for (namespace, name) in [("a", "b"), ("", "x.y.z"), ("kube-system", "")] {
            let token = encode_token(7, namespace, name);
            assert_eq!(decode_token(&token), Some((7, namespace.to_owned(), name.to_owned())));
        }
        assert_eq!(decode_token("%%%"), None);
    }
}
