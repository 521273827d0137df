//! YAML text in.

use convoy_value::Limits;
use convoy_value::yaml::helm;
use serde_json::Value;

/// Why a YAML body was not read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub(crate) struct YamlError(String);

/// The value of the first document of a YAML text.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, YamlError> {
    let value = helm::parse(bytes, &Limits::default()).map_err(|error| YamlError(error.to_string()))?;
    serde_json::to_value(&value).map_err(|error| YamlError(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn yaml_becomes_json() {
        assert_eq!(
            parse(b"a: 1\nb: [x, true, null]\n").unwrap(),
            json!({"a": 1, "b": ["x", true, null]})
        );
        assert!(parse(b"a: [").is_err());
    }
}
