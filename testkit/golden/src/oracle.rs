//! The Go libraries, asked through the program in `oracle/`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use convoy_value::{Limits, json, patch, yaml};
use serde::{Deserialize, Serialize};

use crate::components;
use crate::encoding::base64;

/// What is compared; each has the same name in the oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    /// YAML to canonical JSON, integers kept (sigs.k8s.io/yaml).
    Helm,
    /// The same, a key twice refused.
    HelmStrict,
    /// YAML to canonical JSON by way of floats (values, `fromYaml`).
    HelmValues,
    /// A stream to a JSON array of its documents.
    HelmDocuments,
    /// YAML to canonical JSON (kyaml).
    Kustomize,
    /// The same after kyaml has written the tree as text and read it again, as it does at the end of a build.
    KustomizeBuilt,
    /// A file of resources to a JSON array of its documents.
    KustomizeDocuments,
    /// Canonical JSON to YAML (`toYaml`).
    Emit,
    /// JSON to canonical JSON, integers kept.
    Json,
    /// JSON to canonical JSON by way of floats (`fromJson`).
    JsonAny,
    /// `{"document": …, "patch": …}` to the document with the JSON patch applied.
    JsonPatch,
    /// The same with a JSON merge patch.
    MergePatch,
}

impl Op {
    /// The name that the oracle knows.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Helm => "helm",
            Self::HelmStrict => "helm-strict",
            Self::HelmValues => "helm-values",
            Self::HelmDocuments => "helm-documents",
            Self::Kustomize => "kustomize",
            Self::KustomizeBuilt => "kustomize-built",
            Self::KustomizeDocuments => "kustomize-documents",
            Self::Emit => "emit",
            Self::Json => "json",
            Self::JsonAny => "json-any",
            Self::JsonPatch => "json-patch",
            Self::MergePatch => "merge-patch",
        }
    }

    /// What our code answers: text, or the error in Go's words.
    ///
    /// # Errors
    /// When the text is refused.
    pub fn ours(self, text: &[u8]) -> Result<String, String> {
        let limits = Limits::default();
        let yaml_error = |error: yaml::Error| error.go_message().to_owned();
        let json_error = |error: json::Error| error.message().to_owned();
        let value = match self {
            Self::Helm => yaml::helm::parse(text, &limits).map_err(yaml_error)?,
            Self::HelmStrict => yaml::helm::parse_strict(text, &limits).map_err(yaml_error)?,
            Self::HelmValues => yaml::helm::parse_values(text, &limits).map_err(yaml_error)?,
            Self::Kustomize | Self::KustomizeBuilt => yaml::kustomize::parse(text, &limits).map_err(yaml_error)?,
            Self::HelmDocuments => array(yaml::helm::parse_documents(text, &limits).map_err(yaml_error)?),
            Self::KustomizeDocuments => array(yaml::kustomize::parse_documents(text, &limits).map_err(yaml_error)?),
            Self::Json => json::parse(text, &limits).map_err(json_error)?,
            Self::JsonAny => json::parse_with(text, &limits, convoy_value::Numbers::Float).map_err(json_error)?,
            Self::JsonPatch | Self::MergePatch => {
                let question = json::parse(text, &limits).map_err(json_error)?;
                let part = |name| question.get(name).cloned().unwrap_or_default();
                let apply = if self == Self::JsonPatch {
                    patch::apply
                } else {
                    patch::merge
                };
                apply(&part("document"), &part("patch"), &limits).map_err(|error| error.to_string())?
            }
            Self::Emit => {
                let value = json::parse(text, &limits).map_err(json_error)?;
                return yaml::marshal(&value).map_err(|error| error.to_string());
            }
        };
        Ok(json::to_canonical(&value))
    }
}

fn array(documents: Vec<yaml::Document>) -> convoy_value::Value {
    documents
        .into_iter()
        .map(|document| document.value)
        .collect::<Vec<_>>()
        .into()
}

#[derive(Serialize)]
struct Question<'a> {
    op: Op,
    text: &'a str,
}

#[derive(Deserialize)]
struct Answer {
    ok: Option<String>,
    err: Option<String>,
}

/// A running oracle.
#[derive(Debug)]
pub struct Oracle {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts the oracle, if it is installed (see [`components::find`]).
    ///
    /// # Panics
    /// When it is installed and does not start.
    #[must_use]
    pub fn start() -> Option<Self> {
        let path = components::find("yaml-oracle")?;
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the oracle starts");
        let input = child.stdin.take().expect("standard input is a pipe");
        let output = BufReader::new(child.stdout.take().expect("standard output is a pipe"));
        Some(Self { child, input, output })
    }

    /// Names and versions of what answers.
    ///
    /// # Panics
    /// When the oracle does not run.
    #[must_use]
    pub fn version(&self) -> String {
        let path = components::find("yaml-oracle").expect("the oracle is installed");
        let output = Command::new(path).arg("version").output().expect("the oracle runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Go's answer.
    ///
    /// # Errors
    /// When the Go library refuses the text.
    ///
    /// # Panics
    /// When the oracle is gone or answers something else than agreed.
    pub fn ask(&mut self, op: Op, text: &[u8]) -> Result<String, String> {
        let question = Question {
            op,
            text: &base64(text),
        };
        let mut line = serde_json::to_vec(&question).expect("a question is JSON");
        line.push(b'\n');
        self.input.write_all(&line).expect("the oracle listens");
        self.input.flush().expect("the oracle listens");
        let mut reply = String::new();
        self.output.read_line(&mut reply).expect("the oracle answers");
        let answer: Answer = serde_json::from_str(&reply).expect("the answer is JSON");
        match (answer.ok, answer.err) {
            (Some(ok), None) => Ok(ok),
            (_, err) => Err(err.unwrap_or_default()),
        }
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // The oracle also ends with its input; nothing is lost if it is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether two answers are the same: the same text, or both a refusal; in the same words if it is the grammar's.
#[must_use]
pub fn agree(op: Op, ours: &Result<String, String>, go: &Result<String, String>) -> bool {
    match (ours, go) {
        // Go writes a broken byte as an escape and the character itself as it is; we hold only the character.
        (Ok(ours), Ok(go)) if go.contains("\\ufffd") => canonical(ours) == canonical(go),
        (Ok(ours), Ok(go)) => ours == go,
        (Err(ours), Err(go)) if matches!(op, Op::Helm | Op::HelmValues | Op::JsonAny) => {
            let go = go.trim_start_matches("error converting YAML to JSON: ");
            ours == go || (is_about_values(go) && is_about_values(ours))
        }
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

/// Whether an error concerns a value and not the grammar: those show Go's types, and ours show none.
#[must_use]
pub fn is_about_values(error: &str) -> bool {
    [
        "map key",
        "cannot decode",
        "json: unsupported",
        "cannot unmarshal",
        "map merge",
        "contains itself",
    ]
    .iter()
    .any(|words| error.contains(words))
}

fn canonical(text: &str) -> Option<String> {
    json::parse(text, &Limits::default())
        .ok()
        .map(|value| json::to_canonical(&value))
}
