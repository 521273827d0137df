//! Charts that a kustomization names, rendered with what a Release's own chart is rendered with.

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, KubeVersion, Selection, Settings, Setup};
use convoy_kustomize::{ChartRenderer, ChartRequest};
use convoy_template::{Context, MissingKey, TemplateSet, Value};

use super::helm::{below, setup, template_limits};
use super::{ContentError, Inputs, on_one_line};
use crate::artifact::Files;
use crate::limits::Limits;

/// The engine, ready for the charts of one build.
pub(super) struct Charts {
    files: Files,
    /// Nothing when there is no key to draw from.
    setup: Option<Setup>,
    limits: Limits,
    cancel: Option<Arc<AtomicBool>>,
    key_was_missing: AtomicBool,
}

impl fmt::Debug for Charts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Charts")
            .field("files", &self.files.len())
            .finish_non_exhaustive()
    }
}

impl Charts {
    pub(super) fn new(files: &Files, inputs: &Inputs<'_>, limits: &Limits) -> Self {
        Self {
            files: files.clone(),
            setup: setup(inputs).ok(),
            limits: limits.clone(),
            cancel: inputs.cancel.clone(),
            key_was_missing: AtomicBool::new(false),
        }
    }

    /// Why a build failed, if it is one of the reasons that are more than a text.
    pub(super) fn failure(&self) -> Option<ContentError> {
        let raised = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        if self.cancel.as_ref().is_some_and(raised) {
            return Some(ContentError::Cancelled);
        }
        self.key_was_missing
            .load(Ordering::Relaxed)
            .then_some(ContentError::NoEntropyKey)
    }

    fn settings(&self, request: &ChartRequest) -> Result<Settings, convoy_helm::Error> {
        let defaults = Settings::default();
        let all: alloc::vec::Vec<Layer<'_>> = request
            .values
            .iter()
            .map(|layer| Layer::File(&layer.path, &layer.content))
            .collect();
        let values = layers::apply(&all, &mut |name| Err(alloc::format!("`{name}` is not read here")))?;
        Ok(Settings {
            release_name: request.release.clone().unwrap_or(defaults.release_name),
            namespace: request.namespace.clone().unwrap_or(defaults.namespace),
            values,
            api_versions: request.api_versions.clone(),
            kube_version: match &request.kube_version {
                Some(version) => KubeVersion::parse(version)?,
                None => defaults.kube_version,
            },
            limits: template_limits(&self.limits),
            setup: self.setup.clone().unwrap_or_default(),
            ..Settings::default()
        })
    }
}

impl ChartRenderer for Charts {
    fn render(&self, request: &ChartRequest) -> Result<String, String> {
        if self.setup.is_none() {
            self.key_was_missing.store(true, Ordering::Relaxed);
            return Err(ContentError::NoEntropyKey.to_string());
        }
        let shown = |error: convoy_helm::Error| on_one_line(&error.to_string());
        let mut settings = self.settings(request).map_err(shown)?;
        if let Some(template) = &request.name_template {
            settings.release_name = named(template, &self.limits)?;
        }
        let tree = below(&self.files, &request.directory);
        let chart = Chart::load_within(&tree, &self.limits.of_archives()).map_err(shown)?;
        let rendered = convoy_helm::render(&chart, &settings).map_err(shown)?;
        Ok(rendered.text(Selection {
            include_crds: request.include_crds,
            skip_tests: request.skip_tests,
            no_hooks: request.skip_hooks,
        }))
    }
}

/// The name that a template gives to a release.
fn named(template: &str, limits: &Limits) -> Result<String, String> {
    const NAME: &str = "name-template";
    let mut set = TemplateSet::new(convoy_helm::functions()).missing_key(MissingKey::Default);
    set.parse(NAME, template).map_err(|error| error.to_string())?;
    let mut context = Context::new(Arc::new(set), Arc::default(), template_limits(limits));
    let name = context.execute(NAME, Value::Nil).map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&name).into_owned())
}
