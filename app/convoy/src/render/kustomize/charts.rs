//! Charts of a kustomization, rendered by our Helm engine as `helm template` renders them.

use std::path::{Path, PathBuf};
use std::thread;

use convoy_domain::limits::Limits;
use convoy_domain::secret::Secret;
use convoy_helm::layers::{self, Layer};
use convoy_helm::{KubeVersion, Selection, Settings};
use convoy_kustomize::{ChartRenderer, ChartRequest};

use super::super::helm;
use crate::failure::Failure;

/// Renders charts of this machine.
#[derive(Debug)]
pub(super) struct Charts {
    pub(super) limits: Limits,
    /// For charts that do not say a version of Kubernetes.
    pub(super) kube_version: Option<String>,
    /// For charts that do not say API versions.
    pub(super) api_versions: Vec<String>,
    /// What the charts' random values come from.
    pub(super) key: Secret<Vec<u8>>,
}

/// The name that Helm gives a release that has none.
const DEFAULT_NAME: &str = "release-name";

impl ChartRenderer for Charts {
    fn render(&self, request: &ChartRequest) -> Result<String, String> {
        thread::scope(|scope| {
            let worker = thread::Builder::new()
                .stack_size(helm::STACK)
                .spawn_scoped(scope, || self.template(request));
            let worker = worker.map_err(|error| format!("cannot start a thread to render in: {error}"))?;
            let text = worker.join().map_err(|_| "the render ended unexpectedly".to_string())?;
            text.map_err(|failure| failure.line())
        })
    }
}

impl Charts {
    fn template(&self, request: &ChartRequest) -> Result<String, Failure> {
        let name = match (&request.release, &request.name_template) {
            (Some(_), Some(_)) => {
                return Err(Failure::new(
                    "cannot set `nameTemplate` and also specify a name with `releaseName`",
                ));
            }
            (Some(name), None) => name.clone(),
            (None, Some(template)) => helm::name_from(template)?,
            (None, None) => DEFAULT_NAME.into(),
        };
        let kube_version = match request.kube_version.as_ref().or(self.kube_version.as_ref()) {
            Some(version) => KubeVersion::parse(version).map_err(|error| Failure::of(&error))?,
            None => KubeVersion::default(),
        };
        let values: Vec<Layer<'_>> = request
            .values
            .iter()
            .map(|layer| Layer::File(&layer.path, &layer.content))
            .collect();
        let mut nothing = |name: &str| Err(format!("`{name}` is not read"));
        let namespace = request.namespace.clone().unwrap_or_else(|| "default".into());
        let settings = Settings {
            setup: helm::setup(self.key.clone(), &namespace, &name, None),
            release_name: name,
            namespace,
            values: layers::apply(&values, &mut nothing).map_err(|error| Failure::of(&error))?,
            api_versions: if request.api_versions.is_empty() {
                self.api_versions.clone()
            } else {
                request.api_versions.clone()
            },
            kube_version,
            validates_schema: true,
            ..Settings::default()
        };
        let path: PathBuf = Path::new("/").join(&request.directory);
        let chart = helm::load(&path, &self.limits)?;
        let rendered = convoy_helm::render(&chart, &settings).map_err(|error| Failure::of(&error))?;
        Ok(rendered.text(Selection {
            include_crds: request.include_crds,
            skip_tests: request.skip_tests,
            no_hooks: request.skip_hooks,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_never_prints() {
        let charts = Charts {
            limits: Limits::default(),
            kube_version: None,
            api_versions: Vec::new(),
            key: Secret::new(b"canary".to_vec()),
        };
        let shown = format!("{charts:?}");
        assert!(shown.contains("key: ***"), "{shown}");
    }
}
