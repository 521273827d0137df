//! `helm template` as the judge: one process answers a batch of cases.
//!
//! The cases go into the values of a chart made for them, in base64; its template hands each to the function that
//! is asked about, and writes the answers, in base64 again, as the data of a `ConfigMap`.

use std::fs;
use std::path::Path;
use std::process::Command;

use convoy_value::{Limits, Numbers, json, yaml};

use crate::components;
use crate::encoding::{base64, from_base64};

/// A template function, from text to text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `fromYaml`, then `toJson`.
    FromYaml,
    /// `fromJson`, then `toYaml`.
    ToYaml,
    /// `fromJson`, then `toJson`.
    ToJson,
}

impl Function {
    fn template(self) -> &'static str {
        match self {
            Self::FromYaml => "fromYaml (b64dec $c) | toJson",
            Self::ToYaml => "fromJson (b64dec $c) | toYaml",
            Self::ToJson => "fromJson (b64dec $c) | toJson",
        }
    }

    /// What Helm should answer, by our code.
    ///
    /// # Errors
    /// When the text is refused: the reason in Go's words.
    pub fn ours(self, text: &str) -> Result<String, String> {
        let limits = Limits::default();
        if self == Self::FromYaml {
            let value = yaml::helm::parse_values(text, &limits)
                .map_err(|error| format!("error converting YAML to JSON: {}", error.go_message()))?;
            return Ok(json::to_canonical(&value));
        }
        let value = json::parse_with(text, &limits, Numbers::Float).map_err(|error| error.message().to_owned())?;
        Ok(match self {
            // `toYaml` swallows errors.
            Self::ToYaml => yaml::marshal(&value).unwrap_or_default().trim_suffix("\n").to_owned(),
            Self::FromYaml | Self::ToJson => json::to_canonical(&value),
        })
    }
}

trait TrimSuffix {
    fn trim_suffix(&self, suffix: &str) -> &str;
}

impl TrimSuffix for String {
    fn trim_suffix(&self, suffix: &str) -> &str {
        self.strip_suffix(suffix).unwrap_or(self)
    }
}

/// Helm's answers to `texts`, if it is installed.
///
/// # Panics
/// When Helm fails or answers something else than agreed.
#[must_use]
pub fn ask(function: Function, texts: &[String]) -> Option<Vec<String>> {
    let cases: Vec<String> = texts
        .iter()
        .map(|text| format!("- \"{}\"", base64(text.as_bytes())))
        .collect();
    let template = format!(
        "{HEAD}{{{{- range $i, $c := .Values.cases }}}}\n  a{{{{ $i }}}}: \"{{{{ {} | b64enc }}}}\"\n{{{{- end }}}}\n",
        function.template()
    );
    let data = render(&format!("cases:\n{}\n", cases.join("\n")), &template)?;
    Some(
        (0..texts.len())
            .map(|index| answer(&data, &format!("a{index}")))
            .collect(),
    )
}

/// `.Values | toJson` of a chart whose values are `values`, if Helm is installed.
///
/// # Panics
/// When Helm fails.
#[must_use]
pub fn values(values: &str) -> Option<String> {
    let data = render(values, &format!("{HEAD}  a: \"{{{{ .Values | toJson | b64enc }}}}\"\n"))?;
    Some(answer(&data, "a"))
}

const HEAD: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: answers\ndata:\n";

fn answer(data: &convoy_value::Value, key: &str) -> String {
    let text = data
        .at(&["data", key])
        .and_then(|answer| answer.as_str())
        .expect("an answer for each case");
    String::from_utf8(from_base64(text).expect("the answer is base64")).expect("the answer is text")
}

fn render(values: &str, template: &str) -> Option<convoy_value::Value> {
    let helm = components::find("helm")?;
    let chart = tempfile::tempdir().expect("a temporary folder can be made");
    write(
        chart.path(),
        "Chart.yaml",
        "apiVersion: v2\nname: cases\nversion: 0.0.0\n",
    );
    write(chart.path(), "values.yaml", values);
    write(chart.path(), "templates/answers.yaml", template);
    let output = Command::new(helm)
        .args(["template", "x"])
        .arg(chart.path())
        .envs(["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"].map(|name| (name, chart.path())))
        .output()
        .expect("helm runs");
    assert!(
        output.status.success(),
        "helm failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let limits = Limits {
        bytes: usize::MAX,
        ..Limits::default()
    };
    Some(yaml::helm::parse(&output.stdout, &limits).expect("Helm prints YAML"))
}

fn write(chart: &Path, name: &str, text: &str) {
    let path = chart.join(name);
    fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
    fs::write(path, text).expect("a file can be written");
}
