//! The charts that a Release's chart needs and does not bring: found at each look, fetched when there is something to
//! render.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use convoy_domain::artifact::{Artifact, Files};
use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::dependency::{self, Place, Requirement};
use convoy_domain::release::{Content, DependencyMode, Helm, Release};
use convoy_domain::sharing::ArtifactKey;
use convoy_domain::source::{Source, SourceKind};

use crate::sources::{Located, Reading};
use crate::{Runtime, failures};

/// What charts need, by artifact and folder: so that a look at what has not changed unpacks nothing.
#[derive(Debug, Default)]
pub(crate) struct KnownRequirements(Mutex<HashMap<ChartKey, Arc<[Requirement]>>>);

/// An artifact, and the folder of a chart in it.
type ChartKey = (ArtifactKey, String);

impl KnownRequirements {
    /// Charts remembered, at most; all are read again beyond it.
    const MOST: usize = 10_000;

    fn get(&self, key: &ChartKey) -> Option<Arc<[Requirement]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn put(&self, key: ChartKey, requirements: &Arc<[Requirement]>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= Self::MOST {
            known.clear();
        }
        known.insert(key, Arc::clone(requirements));
    }
}

/// The charts that are needed, and where each is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requirements(Vec<(Requirement, Supply)>);

#[derive(Clone, Debug)]
enum Supply {
    Folder(String),
    Chart(Box<Located>),
}

/// Finds what the Release's chart needs, if the Release wants it fetched.
///
/// # Errors
/// A failure of the stage `fetch`, or of `render` when the chart does not say what it needs.
pub(crate) async fn locate(
    runtime: &Runtime,
    reading: &mut Reading<'_>,
    release: &Release,
    source: &Located,
) -> Result<Requirements, Failure> {
    let Content::Helm(helm) = &release.spec.content else {
        return Ok(Requirements::default());
    };
    if helm.dependencies == DependencyMode::Vendored {
        return Ok(Requirements::default());
    }
    let needed = needed(runtime, helm, source).await?;
    if needed.is_empty() {
        return Ok(Requirements::default());
    }
    let namespace = release.id.namespace();
    let sources = registries(runtime, namespace).await?;
    let mut found = Vec::with_capacity(needed.len());
    for requirement in needed.iter() {
        let supply = match dependency::place(requirement, &helm.path, &sources, namespace)? {
            Place::Folder(path) => Supply::Folder(path),
            Place::Source(key, wanted) => {
                let located = reading.locate(&key, &wanted).await;
                Supply::Chart(Box::new(located.map_err(|failure| of_chart(requirement, &failure))?))
            }
        };
        found.push((requirement.clone(), supply));
    }
    Ok(Requirements(found))
}

async fn needed(runtime: &Runtime, helm: &Helm, source: &Located) -> Result<Arc<[Requirement]>, Failure> {
    let artifact_key = ArtifactKey::new(&source.source, &source.wanted, &source.revision);
    let key = (artifact_key, helm.path.clone());
    if let Some(known) = runtime.requirements.get(&key) {
        return Ok(known);
    }
    let artifact = source.artifact(runtime).await?;
    let needed: Arc<[Requirement]> = dependency::needed(&artifact.files, &helm.path)?.into();
    runtime.requirements.put(key, &needed);
    Ok(needed)
}

/// The sources that can hold charts.
async fn registries(runtime: &Runtime, namespace: &str) -> Result<Vec<Source>, Failure> {
    let mut all = Vec::new();
    for kind in [SourceKind::Helm, SourceKind::Oci] {
        let sources = runtime.ports.control_plane.sources(kind, namespace).await;
        all.extend(sources.map_err(|error| failures::control_plane(Stage::Fetch, &error))?);
    }
    Ok(all)
}

impl Requirements {
    /// What stands for each chart in fingerprint and status.
    pub(crate) fn revisions(&self) -> Vec<String> {
        let charts = self.0.iter().filter_map(|(requirement, supply)| match supply {
            // It is a part of the source.
            Supply::Folder(_) => None,
            Supply::Chart(located) => Some(format!("chart `{}`: {}", requirement.name, located.revision.0)),
        });
        charts.collect()
    }

    /// The files of the source with every chart that its own needs.
    ///
    /// # Errors
    /// A failure of the stage `fetch` or `render`.
    pub(crate) async fn supply(
        self,
        runtime: &Runtime,
        release: &Release,
        artifact: &Artifact,
    ) -> Result<Arc<Files>, Failure> {
        let Content::Helm(helm) = &release.spec.content else {
            return Ok(Arc::clone(&artifact.files));
        };
        if self.0.is_empty() {
            return Ok(Arc::clone(&artifact.files));
        }
        let mut charts = Vec::with_capacity(self.0.len());
        for (requirement, supply) in self.0 {
            let files = match supply {
                Supply::Folder(path) => dependency::folder(&artifact.files, &path, &requirement)?,
                Supply::Chart(located) => {
                    let fetched = located.artifact(runtime).await;
                    let fetched = fetched.map_err(|failure| of_chart(&requirement, &failure))?;
                    Files::clone(&fetched.files)
                }
            };
            charts.push((requirement, files));
        }
        let limits = &runtime.settings.limits;
        let files = dependency::supply(&artifact.files, &helm.path, &charts, limits)?;
        Ok(Arc::new(files))
    }
}

/// What failed for the sake of a required chart.
fn of_chart(requirement: &Requirement, failure: &Failure) -> Failure {
    let is_absent = matches!(failure.reason, Reason::SourceNotFound | Reason::RefNotFound);
    let reason = if is_absent {
        Reason::ChartNotFound
    } else {
        failure.reason
    };
    let message = format!("the chart needs `{}`: {}", requirement.name, failure.message);
    Failure::new(failure.stage, reason, message)
}
