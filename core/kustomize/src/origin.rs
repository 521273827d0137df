//! Where objects come from, for `buildMetadata`.

use alloc::format;
use alloc::string::String;

use crate::paths;

pub(crate) const ORIGIN: &str = "config.kubernetes.io/origin";
pub(crate) const TRANSFORMATIONS: &str = "alpha.config.kubernetes.io/transformations";

/// A place in the tree, or what was configured there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) path: String,
    pub(crate) configured_in: String,
    /// `apiVersion`, kind, name, namespace.
    pub(crate) configured_by: [String; 4],
}

impl Origin {
    /// The place `path` seen from here.
    pub(crate) fn append(&self, path: &str) -> Self {
        Self {
            path: paths::join_display(&self.path, path),
            ..self.clone()
        }
    }

    /// What a field of the kustomization here makes or changes.
    pub(crate) fn built_in(&self, file: &str, kind: &str) -> Self {
        Self {
            path: String::new(),
            configured_in: paths::join_display(&self.path, file),
            configured_by: ["builtin".into(), kind.into(), String::new(), String::new()],
        }
    }

    /// The lines of its YAML, the first without an indent.
    fn lines(&self, indent: &str) -> String {
        let mut out = String::new();
        let mut line = |text: String| {
            if !out.is_empty() {
                out.push_str(indent);
            }
            out.push_str(&text);
            out.push('\n');
        };
        if !self.path.is_empty() {
            line(format!("path: {}", scalar(&self.path)));
        }
        if !self.configured_in.is_empty() {
            line(format!("configuredIn: {}", scalar(&self.configured_in)));
        }
        if self.configured_by.iter().any(|text| !text.is_empty()) {
            line("configuredBy:".into());
            for (key, text) in ["apiVersion", "kind", "name", "namespace"]
                .iter()
                .zip(&self.configured_by)
            {
                if !text.is_empty() {
                    line(format!("  {key}: {}", scalar(text)));
                }
            }
        }
        if out.is_empty() { "{}\n".into() } else { out }
    }

    pub(crate) fn to_yaml(&self) -> String {
        self.lines("")
    }

    /// `list` with this added at its end.
    pub(crate) fn add_to(&self, list: &str) -> String {
        format!("{list}- {}", self.lines("  "))
    }
}

fn scalar(text: &str) -> String {
    let text = convoy_value::yaml::to_string(&convoy_value::Value::from(text));
    text.trim_end_matches('\n').into()
}
