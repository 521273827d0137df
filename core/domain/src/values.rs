//! Layers of values that are read from an object or a file: what a chart gets is their merge, a later one over an
//! earlier.

use alloc::string::{String, ToString};

use convoy_helm::layers::{self, Layer};
use convoy_value::Map;

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

impl ValuesLayer {
    /// Where the layer is, in words; nothing for one that is in the Release itself or was read already.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        match self {
            Self::Inline(_) | Self::Read(_) => None,
            Self::ConfigMap(key) => Some(alloc::format!("key `{}` of ConfigMap `{}`", key.key, key.name)),
            Self::Secret(key) => Some(alloc::format!("key `{}` of Secret `{}`", key.key, key.name)),
            Self::GitRepository(file) => Some(alloc::format!(
                "file `{}` of GitRepository `{}` at {}",
                file.path,
                file.repository,
                file.reference
            )),
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
