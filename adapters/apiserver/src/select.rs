//! Label and field selectors.

use serde_json::Value;

use crate::status::ApiError;

/// One requirement of a label selector.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Requirement {
    Exists(String),
    Absent(String),
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Greater(String, i64),
    Less(String, i64),
}

/// All requirements must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LabelSelector(Vec<Requirement>);

/// Longer selectors are refused.
const MAX_BYTES: usize = 65_536;

fn unparsable(text: &str, why: &str) -> ApiError {
    ApiError::bad_request(format!("unable to parse requirement: {why} in {text:?}"))
}

impl LabelSelector {
    /// Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`.
    ///
    /// # Errors
    /// 400 with the part that cannot be read.
    pub(crate) fn parse(text: &str) -> Result<Self, ApiError> {
        if text.len() > MAX_BYTES {
            return Err(ApiError::bad_request(format!(
                "the label selector is longer than {MAX_BYTES} bytes"
            )));
        }
        let mut out = Vec::new();
        for part in split_top(text) {
            let part = part.trim();
            if !part.is_empty() {
                out.push(requirement(part)?);
            }
        }
        Ok(Self(out))
    }

    /// The selector of a workload: `matchLabels` and `matchExpressions`.
    pub(crate) fn of_object(selector: &Value) -> Self {
        let mut out = Vec::new();
        for (name, value) in selector
            .get("matchLabels")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            out.push(Requirement::In(
                name.clone(),
                value.as_str().map(str::to_owned).into_iter().collect(),
            ));
        }
        for expression in selector
            .get("matchExpressions")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let key = expression["key"].as_str().unwrap_or("").to_owned();
            let values = || {
                let values = expression["values"].as_array().into_iter().flatten();
                values.filter_map(Value::as_str).map(str::to_owned).collect()
            };
            match expression["operator"].as_str() {
                Some("In") => out.push(Requirement::In(key, values())),
                Some("NotIn") => out.push(Requirement::NotIn(key, values())),
                Some("Exists") => out.push(Requirement::Exists(key)),
                Some("DoesNotExist") => out.push(Requirement::Absent(key)),
                _ => {}
            }
        }
        Self(out)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The selector as text, as the scale subresource shows it.
    pub(crate) fn show(&self) -> String {
        let parts = self.0.iter().map(|requirement| match requirement {
            Requirement::Exists(key) => key.clone(),
            Requirement::Absent(key) => format!("!{key}"),
            Requirement::In(key, values) if values.len() == 1 => format!("{key}={}", values[0]),
            Requirement::In(key, values) => format!("{key} in ({})", values.join(",")),
            Requirement::NotIn(key, values) => format!("{key} notin ({})", values.join(",")),
            Requirement::Greater(key, bound) => format!("{key}>{bound}"),
            Requirement::Less(key, bound) => format!("{key}<{bound}"),
        });
        parts.collect::<Vec<_>>().join(",")
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        self.0.iter().all(|requirement| {
            let get = |key: &str| labels.get(key).and_then(Value::as_str);
            let number = |key: &str| get(key).and_then(|text| text.parse::<i64>().ok());
            match requirement {
                Requirement::Exists(key) => get(key).is_some(),
                Requirement::Absent(key) => get(key).is_none(),
                Requirement::In(key, values) => get(key).is_some_and(|label| values.iter().any(|value| value == label)),
                Requirement::NotIn(key, values) => {
                    get(key).is_none_or(|label| values.iter().all(|value| value != label))
                }
                Requirement::Greater(key, bound) => number(key).is_some_and(|number| number > *bound),
                Requirement::Less(key, bound) => number(key).is_some_and(|number| number < *bound),
            }
        })
    }
}

/// Splits at commas outside parentheses.
fn split_top(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut out) = (0_usize, 0, Vec::new());
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                out.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out
}

fn key_of(text: &str, whole: &str) -> Result<String, ApiError> {
    let key = text.trim();
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
    let edges = key.bytes().next().zip(key.bytes().last());
    let edges_good = edges.is_some_and(|(a, b)| a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric());
    if key.is_empty() || !key.bytes().all(good) || !edges_good {
        return Err(unparsable(whole, &format!("{key:?} is not a label key")));
    }
    Ok(key.to_owned())
}

fn value_of(text: &str, whole: &str) -> Result<String, ApiError> {
    let value = text.trim();
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if value.len() > 63 || !value.bytes().all(good) {
        return Err(unparsable(whole, &format!("{value:?} is not a label value")));
    }
    Ok(value.to_owned())
}

fn requirement(part: &str) -> Result<Requirement, ApiError> {
    if let Some(key) = part.strip_prefix('!') {
        return Ok(Requirement::Absent(key_of(key, part)?));
    }
    if let Some((head, list)) = part.split_once('(') {
        let list = list.strip_suffix(')').ok_or_else(|| unparsable(part, "no `)`"))?;
        let values = list
            .split(',')
            .map(|value| value_of(value, part))
            .collect::<Result<Vec<_>, _>>()?;
        let (key, operator) = head
            .trim()
            .rsplit_once(char::is_whitespace)
            .ok_or_else(|| unparsable(part, "no operator"))?;
        let key = key_of(key, part)?;
        return match operator {
            "in" => Ok(Requirement::In(key, values)),
            "notin" => Ok(Requirement::NotIn(key, values)),
            _ => Err(unparsable(part, "the operator is neither `in` nor `notin`")),
        };
    }
    if let Some((key, value)) = part.split_once("!=") {
        return Ok(Requirement::NotIn(key_of(key, part)?, vec![value_of(value, part)?]));
    }
    if let Some((key, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return Ok(Requirement::In(key_of(key, part)?, vec![value_of(value, part)?]));
    }
    for (sign, greater) in [('>', true), ('<', false)] {
        if let Some((key, value)) = part.split_once(sign) {
            let key = key_of(key, part)?;
            let bound = value
                .trim()
                .parse()
                .map_err(|_| unparsable(part, "the bound is no integer"))?;
            return Ok(if greater {
                Requirement::Greater(key, bound)
            } else {
                Requirement::Less(key, bound)
            });
        }
    }
    if let Some((_, rest)) = part.split_once(char::is_whitespace) {
        let why = format!(
            "unable to parse requirement: found '{}', expected: in, notin, =, ==, !=, gt, lt",
            rest.trim()
        );
        return Err(ApiError::bad_request(why));
    }
    Ok(Requirement::Exists(key_of(part, part)?))
}

/// A field selector: each named field must have, or not have, the value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FieldSelector(Vec<(Vec<String>, bool, String)>);

/// Fields that can be selected on, beside the name and the namespace.
const SELECTABLE: &[(&str, &[&str])] = &[
    (
        "pods",
        &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
            "spec.hostNetwork",
        ],
    ),
    (
        "events",
        &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
    ),
    ("secrets", &["type"]),
    ("namespaces", &["status.phase"]),
    ("nodes", &["spec.unschedulable"]),
    ("replicasets.apps", &["status.replicas"]),
    ("replicationcontrollers", &["status.replicas"]),
    ("jobs.batch", &["status.successful"]),
];

impl FieldSelector {
    /// Reads `a.b=c,d!=e`. `custom` names the selectable fields that a custom resource declares.
    ///
    /// # Errors
    /// 400 when a field cannot be selected on or the text cannot be read.
    pub(crate) fn parse(text: &str, resource: &str, custom: &[String]) -> Result<Self, ApiError> {
        if text.len() > MAX_BYTES {
            return Err(ApiError::bad_request(format!(
                "the field selector is longer than {MAX_BYTES} bytes"
            )));
        }
        let mut out = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (field, equal, value) = if let Some((field, value)) = part.split_once("!=") {
                (field, false, value)
            } else if let Some((field, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
                (field, true, value)
            } else {
                return Err(ApiError::bad_request(format!(
                    "invalid selector: '{text}'; can't understand '{part}'"
                )));
            };
            let field = field.trim();
            let known = matches!(field, "metadata.name" | "metadata.namespace")
                || custom.iter().any(|known| known == field)
                || SELECTABLE
                    .iter()
                    .any(|(of, fields)| *of == resource && fields.contains(&field));
            if !known {
                let special = custom.is_empty() && SELECTABLE.iter().all(|(of, _)| *of != resource);
                return Err(ApiError::bad_request(if special && !resource.is_empty() {
                    format!("\"{field}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
                } else {
                    format!("field label not supported: {field}")
                }));
            }
            out.push((
                field.split('.').map(str::to_owned).collect(),
                equal,
                value.trim().to_owned(),
            ));
        }
        Ok(Self(out))
    }

    /// The name that the selector demands, if it demands one.
    pub(crate) fn name(&self) -> Option<&str> {
        let found = self
            .0
            .iter()
            .find(|(path, equal, _)| *equal && path.join(".") == "metadata.name");
        found.map(|(_, _, value)| value.as_str())
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        self.0.iter().all(|(path, equal, want)| {
            let found = path.iter().try_fold(object, |value, step| value.get(step));
            let text = match found {
                Some(Value::String(text)) => text.clone(),
                Some(found @ Value::Object(_)) => found["component"].as_str().unwrap_or("").to_owned(),
                None | Some(Value::Null) if path.last().is_some_and(|last| last == "unschedulable") => "false".into(),
                None | Some(Value::Null) => String::new(),
                Some(other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_))) => other.to_string(),
            };
            (text == *want) == *equal
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn label_selectors_select_as_their_syntax_says() {
        let object = json!({"metadata": {"labels": {"app": "web", "tier": "1"}}});
        for (text, expect) in [
            ("app=web", true),
            ("app==web,tier", true),
            ("app!=web", false),
            ("app in (api, web),tier notin (2)", true),
            ("!app", false),
            ("!absent", true),
            ("absent!=x", true),
            ("tier>0", true),
            ("tier<1", false),
            ("", true),
        ] {
            assert_eq!(LabelSelector::parse(text).unwrap().matches(&object), expect, "{text}");
        }
        for text in ["a b", "a in (b", "=x", "a=b c", "a>x"] {
            assert!(LabelSelector::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn events_are_selected_by_what_they_are_about() {
        let event = json!({"involvedObject": {"kind": "Pod", "name": "a"}, "source": {"component": "kubelet"}});
        let parse = |text| FieldSelector::parse(text, "events", &[]);
        assert!(
            parse("involvedObject.name=a,involvedObject.kind=Pod")
                .unwrap()
                .matches(&event)
        );
        assert!(!parse("involvedObject.name!=a").unwrap().matches(&event));
        assert!(parse("source=kubelet").unwrap().matches(&event));
        assert!(parse("spec.foo=a").is_err());
    }
}
