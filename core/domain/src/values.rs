//! Layers of values that are read from an object or a file: what a chart gets is their merge, a later one over an
//! earlier.

use alloc::string::{String, ToString};
use alloc::sync::Arc;

use convoy_helm::layers::{self, Layer};
use convoy_value::Map;

use crate::artifact::Files;
use crate::manifests::normalize;
use crate::release::ValuesLayer;

/// Why the layers give no values. No text shows a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValuesError {
    /// A layer is no map of values.
    #[error("{place} holds no values: {why}")]
    Invalid {
        /// Where the layer is.
        place: String,
        /// What is wrong.
        why: String,
    },
}

/// Reads the text of a layer, as Helm reads a values file: an empty one is an empty layer.
///
/// # Errors
/// When it is no YAML, or no map; the error has `place` for the layer and nothing of its text.
pub fn parse(place: &str, text: &[u8]) -> Result<Map, ValuesError> {
    let layer = [Layer::File(place, text)];
    layers::apply(&layer, &mut |name| Err(name.to_string())).map_err(|error| ValuesError::Invalid {
        place: place.to_string(),
        why: crate::content::on_one_line(&error.to_string()),
    })
}

/// The file of a tree that a layer names; a path that leaves the tree names none.
#[must_use]
pub fn find<'a>(files: &'a Files, path: &str) -> Option<&'a Arc<[u8]>> {
    normalize(path).and_then(|path| files.get(&path))
}

impl ValuesLayer {
    /// Where the layer is, in words; nothing for one that is in the Release itself or was read already.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        let object = self.object()?;
        Some(match self {
            Self::Inline(_) | Self::Read(_) => return None,
            Self::ConfigMap(key) | Self::Secret(key) => alloc::format!("key `{}` of {object}", key.key),
            Self::GitRepository(file) => {
                alloc::format!("file `{}` of {object} at {}", file.path, file.reference)
            }
        })
    }

    /// The object that holds the layer, in words.
    #[must_use]
    pub fn object(&self) -> Option<String> {
        match self {
            Self::Inline(_) | Self::Read(_) => None,
            Self::ConfigMap(key) => Some(alloc::format!("ConfigMap `{}`", key.name)),
            Self::Secret(key) => Some(alloc::format!("Secret `{}`", key.name)),
            Self::GitRepository(file) => Some(alloc::format!("GitRepository `{}`", file.repository)),
        }
    }

    /// Whether an absent layer is an empty one.
    #[must_use]
    pub const fn is_optional(&self) -> bool {
        match self {
            Self::Inline(_) | Self::Read(_) => false,
            Self::ConfigMap(key) | Self::Secret(key) => key.optional,
            Self::GitRepository(file) => file.optional,
        }
    }
}

#[cfg(test)]
mod tests {
    use convoy_value::{Value, json};

    use super::*;

    #[test]
    fn a_layer_is_read_as_helm_reads_a_values_file() {
        let check = |text: &str, expect: &str| {
            let map =
                parse("key `a` of ConfigMap `b`", text.as_bytes()).map(|map| json::to_canonical(&Value::Object(map)));
            assert_eq!(map.as_deref(), Ok(expect), "{text}");
        };
        check("", "{}");
        check("# nothing\n", "{}");
        check("a: {b: 1, c: null}\nd: [x]\n", r#"{"a":{"b":1,"c":null},"d":["x"]}"#);
        check(r#"{"a": true}"#, r#"{"a":true}"#);
    }

    #[test]
    fn what_is_no_map_is_refused_and_nothing_of_it_is_told() {
        const CANARY: &str = "c4n4ry";
        for text in [
            CANARY,
            "[c4n4ry]",
            "a: [c4n4ry",
            "a: c4n4ry\n\tb: c4n4ry",
            "a: c4n4ry: b",
            "a: c4n4ry\na: c4n4ry\n c4n4ry",
            "? [c4n4ry]\n: x",
            "a: !!int c4n4ry",
            "a: &x c4n4ry\nb: *c4n4ry",
            "\u{0}c4n4ry",
        ] {
            let error = parse("key `a` of Secret `b`", text.as_bytes()).map(drop);
            let told = alloc::format!(
                "{error:?} {}",
                error.clone().map_or_else(|error| error.to_string(), |()| String::new())
            );
            assert!(!told.contains(CANARY), "{text:?}: {told}");
            if error.is_err() {
                assert!(told.contains("key `a` of Secret `b` holds no values: "), "{told}");
            }
        }
        assert!(parse("x", b"a: \xff").is_err());
    }
}
