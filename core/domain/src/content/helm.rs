//! A chart of the source, rendered as `helm template` does, without its tests.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_helm::{Chart, KubeVersion, Settings, Setup, layers};
use convoy_sprig::Randomness;
use convoy_template::value::Time;
use convoy_value::{Map, Numbers, Value, json};

use super::{ContentError, Inputs, Rendered, on_one_line, place};
use crate::artifact::Files;
use crate::limits::Limits;
use crate::manifests::{Found, RenderError, normalize};
use crate::release::{CapabilitiesMode, Helm, ValuesLayer};

/// Renders the chart.
pub(super) fn render(
    files: &Files,
    helm: &Helm,
    inputs: &Inputs<'_>,
    limits: &Limits,
) -> Result<Rendered, ContentError> {
    let path = match helm.path.as_str() {
        "" => String::new(),
        path => normalize(path).ok_or_else(|| RenderError::OutsidePath(path.to_string()))?,
    };
    let tree = below(files, &path);
    if tree.is_empty() && !path.is_empty() {
        return Err(RenderError::NothingSelected {
            path,
            why: "there is no such directory",
        }
        .into());
    }
    let failed = |error| failed(&path, inputs, &error);
    let chart = Chart::load_within(&tree, &limits.of_archives()).map_err(failed)?;
    let settings = settings(&chart, helm, inputs, limits)?;
    let rendered = convoy_helm::render(&chart, &settings).map_err(failed)?;
    let mut found = Found::within(limits);
    for manifest in rendered.objects(helm.include_crds) {
        found.add_text(&manifest.source, &manifest.content, limits)?;
    }
    Ok(Rendered {
        objects: found.into_objects()?,
        warnings: warnings(&tree),
    })
}

/// The files of a directory, by their paths below it.
pub(crate) fn below(files: &Files, path: &str) -> convoy_helm::Files {
    let prefix = if path.is_empty() {
        String::new()
    } else {
        alloc::format!("{path}/")
    };
    files
        .range(prefix.clone()..)
        .map_while(|(file, content)| Some((file.strip_prefix(&prefix)?.to_string(), Arc::clone(content))))
        .collect()
}

/// The bounds on the templates of one render.
#[must_use]
pub fn template_limits(limits: &Limits) -> convoy_template::Limits {
    convoy_template::Limits {
        steps: limits.template_steps,
        templates: limits.template_recursion,
        output: limits.template_output,
        ..convoy_template::Limits::default()
    }
}

fn settings(chart: &Chart, helm: &Helm, inputs: &Inputs<'_>, limits: &Limits) -> Result<Settings, ContentError> {
    let mut settings = Settings {
        release_name: helm
            .release_name
            .clone()
            .unwrap_or_else(|| chart.metadata().name().to_string()),
        namespace: helm.release_namespace.clone().unwrap_or_else(|| "default".to_string()),
        values: values(&helm.values)?,
        limits: template_limits(limits),
        setup: setup(inputs)?,
        ..Settings::default()
    };
    match helm.capabilities {
        CapabilitiesMode::Defaults => {}
        CapabilitiesMode::Cluster => {
            let cluster = inputs.cluster.ok_or(ContentError::NoClusterApi)?;
            settings.kube_version =
                KubeVersion::parse(&cluster.version).map_err(|error| failed(&helm.path, inputs, &error))?;
            settings.api_versions = cluster.api_versions.iter().cloned().collect();
            settings.replaces_api_versions = true;
        }
    }
    Ok(settings)
}

/// The layers as one map; a later one wins. Their numbers are floats, as Helm reads values.
fn values(all: &[ValuesLayer]) -> Result<Map, ContentError> {
    let mut merged = Map::new();
    for layer in all {
        match layer {
            ValuesLayer::Inline(map) => layers::merge(&mut merged, as_values(map)),
            ValuesLayer::Read(map) => layers::merge(&mut merged, map.expose().clone()),
            ValuesLayer::ConfigMap(_) | ValuesLayer::Secret(_) | ValuesLayer::GitRepository(_) => {
                let place = layer.place().unwrap_or_default();
                return Err(ContentError::LayerNotRead { place });
            }
        }
    }
    Ok(merged)
}

fn as_values(map: &Map) -> Map {
    let text = json::to_canonical(&Value::Object(map.clone()));
    let bounds = convoy_value::Limits {
        bytes: text.len(),
        ..convoy_value::Limits::default()
    };
    match json::parse_with(&text, &bounds, Numbers::Float) {
        Ok(Value::Object(map)) => map,
        // What was a map is a map again.
        Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) | Err(_) => {
            map.clone()
        }
    }
}

/// Clock, draws and the flag that ends the render.
pub(super) fn setup(inputs: &Inputs<'_>) -> Result<Setup, ContentError> {
    let key = inputs.entropy.ok_or(ContentError::NoEntropyKey)?.clone();
    let release = inputs.release.clone();
    let nanoseconds = u32::try_from(inputs.now.subsec_nanosecond()).unwrap_or_default();
    let now = Time::unix(inputs.now.as_second(), nanoseconds);
    let cancel = inputs.cancel.clone();
    Ok(Setup::new(move |mut context| {
        context.put_state(Randomness::new(now.clone(), key.draws(&release)));
        match &cancel {
            Some(flag) => context.with_cancel(Arc::clone(flag)),
            None => context,
        }
    }))
}

fn failed(path: &str, inputs: &Inputs<'_>, error: &convoy_helm::Error) -> ContentError {
    let raised = |flag: &Arc<core::sync::atomic::AtomicBool>| flag.load(core::sync::atomic::Ordering::Relaxed);
    if inputs.cancel.as_ref().is_some_and(raised) {
        return ContentError::Cancelled;
    }
    ContentError::Chart {
        place: place("chart", path),
        why: on_one_line(&error.to_string()),
        limit: error.is_limit(),
    }
}

/// What a template asks for and does not get.
fn warnings(files: &convoy_helm::Files) -> Vec<String> {
    let mut calls = files
        .iter()
        .filter(|(name, _)| name.split('/').any(|part| part == "templates"))
        .filter(|(_, text)| calls_lookup(text))
        .map(|(name, _)| name);
    let Some(first) = calls.next() else {
        return Vec::new();
    };
    let others = match calls.count() {
        0 => String::new(),
        others => alloc::format!(" and {others} more"),
    };
    alloc::vec![alloc::format!(
        "`{first}`{others} calls `lookup`, which finds nothing in any cluster here"
    )]
}

/// Whether an action of a template calls `lookup`.
fn calls_lookup(text: &[u8]) -> bool {
    const NAME: &[u8] = b"lookup";
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-' | b'"');
    text.windows(NAME.len()).enumerate().any(|(at, word)| {
        word == NAME
            && !at
                .checked_sub(1)
                .and_then(|before| text.get(before))
                .is_some_and(is_word)
            && text.get(at + NAME.len()) == Some(&b' ')
            && in_action(&text[..at])
    })
}

/// Whether what follows `before` stands in an action that is no comment.
fn in_action(before: &[u8]) -> bool {
    let last = |mark: &[u8; 2]| before.windows(2).rposition(|pair| pair == mark);
    let Some(open) = last(b"{{") else { return false };
    let comment = before[open + 2..].trim_ascii_start();
    last(b"}}").is_none_or(|closed| closed < open) && !comment.starts_with(b"/*") && !comment.starts_with(b"- /*")
}
