//! Layers of values: files and the `--set` family, the later over the earlier.
//!
//! Helm merges all files first, then all of `--set-json`, `--set`, `--set-string`, `--set-file` and `--set-literal`.

use alloc::format;
use alloc::string::{String, ToString as _};

use convoy_value::{Limits, Map, Numbers, Value, json};

use crate::chart::read_layers;
use crate::error::Error;
use crate::reason::Reason;
use crate::set::{self, Style};

/// What a user gives in addition to a chart's defaults.
#[derive(Clone, Copy, Debug)]
pub enum Layer<'a> {
    /// A values file: its name for errors, and its text.
    File(&'a str, &'a [u8]),
    /// `--set-json`.
    Json(&'a str),
    /// `--set`.
    Set(&'a str),
    /// `--set-string`.
    Text(&'a str),
    /// `--set-file`.
    Content(&'a str),
    /// `--set-literal`.
    Literal(&'a str),
}

/// Reads a file that `--set-file` names; the error is its reason in words.
pub type ReadFile<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

/// Merges `over` into `base`: maps key by key, all else replaced, nulls too.
pub fn merge(base: &mut Map, over: Map) {
    if base.is_empty() {
        *base = over;
        return;
    }
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            (Some(slot), value) => *slot = value,
            (None, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// Applies layers in the order that Helm gives them, whatever the order in `layers`; files among each other, and
/// options of one kind among each other, keep theirs.
///
/// # Errors
/// When a layer cannot be read.
pub fn apply(layers: &[Layer<'_>], read: &mut ReadFile<'_>) -> Result<Map, Error> {
    let mut base = Map::new();
    for rank in 0..6 {
        for layer in layers.iter().filter(|layer| layer.rank() == rank) {
            layer.apply(&mut base, read)?;
        }
    }
    Ok(base)
}

impl Layer<'_> {
    fn rank(&self) -> usize {
        match self {
            Self::File(..) => 0,
            Self::Json(_) => 1,
            Self::Set(_) => 2,
            Self::Text(_) => 3,
            Self::Content(_) => 4,
            Self::Literal(_) => 5,
        }
    }

    fn apply(&self, base: &mut Map, read: &mut ReadFile<'_>) -> Result<(), Error> {
        match *self {
            Self::File(name, text) => {
                let map = read_layers(text).map_err(|reason| Error::ValuesFile {
                    file: name.to_string(),
                    reason,
                })?;
                merge(base, map);
                Ok(())
            }
            Self::Json(text) => apply_json(base, text),
            Self::Set(text) => with_reason("--set", set::parse(text, base, &mut Style::Typed)),
            Self::Text(text) => with_reason("--set-string", set::parse(text, base, &mut Style::Text)),
            Self::Content(text) => with_reason("--set-file", set::parse(text, base, &mut Style::Content(read))),
            Self::Literal(text) => with_reason("--set-literal", set::parse(text, base, &mut Style::Literal)),
        }
    }
}

fn with_reason(option: &'static str, result: Result<(), String>) -> Result<(), Error> {
    result.map_err(|reason| Error::Set {
        option,
        reason: Reason::hiding(format!(": {reason}"), ": the text is malformed"),
    })
}

fn apply_json(base: &mut Map, text: &str) -> Result<(), Error> {
    let trimmed = text.trim();
    if trimmed.starts_with('{') {
        let value = json::parse_with(trimmed, &Limits::default(), Numbers::Float);
        let Ok(Value::Object(map)) = value else {
            return Err(Error::Set {
                option: "--set-json",
                reason: Reason::hiding(format!(" JSON: {text}"), ": the text is no JSON object"),
            });
        };
        merge(base, map);
        return Ok(());
    }
    let result = set::parse(text, base, &mut Style::Json);
    result.map_err(|_| Error::Set {
        option: "--set-json",
        reason: Reason::hiding(format!(" {text}"), ": the text is malformed"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(layers: &[Layer<'_>], expect: &str) {
        let mut read = |name: &str| {
            if name == "f" {
                Ok("text\n".into())
            } else {
                Err(format!("open {name}: no such file or directory"))
            }
        };
        let shown = match apply(layers, &mut read) {
            Ok(map) => json::to_canonical(&Value::Object(map)),
            Err(error) => error.go_text(),
        };
        assert_eq!(shown, expect, "{layers:?}");
    }

    #[test]
    fn later_layers_go_over_earlier_ones() {
        check(
            &[
                Layer::Set("a.b=1"),
                Layer::File("v", b"a: {b: 0, c: [1]}\nd: {e: 1}"),
                Layer::Json("d=null"),
            ],
            r#"{"a":{"b":1,"c":[1]},"d":null}"#,
        );
        check(
            &[Layer::File("v", b"a: {b: 0}\n---\na: {c: 1}\n")],
            r#"{"a":{"b":0,"c":1}}"#,
        );
        check(
            &[Layer::Content("a=f"), Layer::Literal("b=x,y=1")],
            r#"{"a":"text\n","b":"x,y=1"}"#,
        );
        check(&[Layer::Json(r#"{"a": {"b": [1, "x"]}}"#)], r#"{"a":{"b":[1,"x"]}}"#);
        check(
            &[Layer::Json(r#"a={"b": 1} ,c=[1,2],d=,e="x""#)],
            r#"{"a":{"b":1},"c":[1,2],"d":null,"e":"x"}"#,
        );
    }

    #[test]
    fn a_layer_that_cannot_be_read_is_named() {
        check(&[Layer::Json("a={")], "failed parsing --set-json data a={");
        check(&[Layer::Set("a")], "failed parsing --set data: key \"a\" has no value");
        check(
            &[Layer::Content("a=g")],
            "failed parsing --set-file data: open g: no such file or directory",
        );
        check(
            &[Layer::File("v.yaml", b"- a")],
            "failed to parse v.yaml: cannot unmarshal yaml document: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
        );
    }
}
