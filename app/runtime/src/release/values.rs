//! The layers of values of a Release: found at each look, read when there is something to render.
//!
//! # Invariant
//! No failure, fingerprint or status tells anything of what a layer holds: its name in them is made with the key of the
//! installation.

use convoy_domain::condition::{Failure, Reason, Stage};
use convoy_domain::entropy::EntropyKey;
use convoy_domain::id::NamespacedName;
use convoy_domain::release::{Content, Release, ValuesFile, ValuesKey, ValuesLayer};
use convoy_domain::secret::Secret;
use convoy_domain::source::{SourceKey, SourceKind, SourceRef};
use convoy_domain::values;

use crate::sources::{Located, Reading};
use crate::{Runtime, entropy, failures};

/// The layers of a Release, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers(Vec<Layer>);

#[derive(Clone, Debug)]
struct Layer {
    is: ValuesLayer,
    found: Found,
}

/// Where a layer was found.
#[derive(Clone, Debug)]
enum Found {
    /// In the Release.
    Here,
    /// Nowhere, and it may be absent.
    Absent,
    /// In an object of the control plane.
    Text { text: Secret<Vec<u8>>, mark: String },
    /// In a repository, from which it is fetched when it is read.
    File(Box<Located>),
}

/// Finds the layers of a Release; only charts have some.
///
/// # Errors
/// A failure of the stage `values`.
pub(crate) async fn locate(runtime: &Runtime, reading: &mut Reading<'_>, release: &Release) -> Result<Layers, Failure> {
    let Content::Helm(helm) = &release.spec.content else {
        return Ok(Layers::default());
    };
    let mut layers = Vec::with_capacity(helm.values.len());
    for layer in &helm.values {
        let found = match layer {
            ValuesLayer::Inline(_) | ValuesLayer::Read(_) => Found::Here,
            ValuesLayer::ConfigMap(at) => in_config_map(runtime, release, layer, at).await?,
            ValuesLayer::Secret(at) => in_secret(runtime, release, layer, at).await?,
            ValuesLayer::GitRepository(file) => in_repository(reading, release, layer, file).await?,
        };
        layers.push(Layer {
            is: layer.clone(),
            found,
        });
    }
    Ok(Layers(layers))
}

impl Layers {
    /// What stands for each layer in fingerprint and status; nothing for those of the Release itself.
    pub(crate) fn revisions(&self) -> Vec<String> {
        let named = |layer: &Layer| {
            let name = layer.is.object()?;
            Some(match &layer.found {
                Found::Here => return None,
                Found::Absent => format!("{name}: absent"),
                Found::Text { mark, .. } => format!("{name}: {mark}"),
                Found::File(located) => format!("{name}: {}", located.revision),
            })
        };
        self.0.iter().filter_map(named).collect()
    }

    /// Reads every layer.
    ///
    /// # Errors
    /// A failure of the stage `values`.
    pub(crate) async fn read(self, runtime: &Runtime) -> Result<Vec<ValuesLayer>, Failure> {
        let mut read = Vec::with_capacity(self.0.len());
        for layer in self.0 {
            let place = place(&layer.is);
            let text = match layer.found {
                Found::Here => {
                    read.push(layer.is);
                    continue;
                }
                Found::Absent => continue,
                Found::Text { text, .. } => text,
                Found::File(located) => match file(runtime, &layer.is, &located).await? {
                    Some(text) => text,
                    None => continue,
                },
            };
            let map = values::parse(&place, text.expose())?;
            read.push(ValuesLayer::Read(Secret::new(map)));
        }
        Ok(read)
    }
}

async fn in_config_map(
    runtime: &Runtime,
    release: &Release,
    layer: &ValuesLayer,
    at: &ValuesKey,
) -> Result<Found, Failure> {
    let id = beside(release, layer, &at.name)?;
    let entries = runtime.ports.control_plane.config_map(&id).await;
    let entries = entries.map_err(|error| failures::control_plane(Stage::Values, &error))?;
    let text = entries.and_then(|mut entries| entries.remove(&at.key));
    text_or_absent(runtime, layer, text.map(Secret::new)).await
}

async fn in_secret(
    runtime: &Runtime,
    release: &Release,
    layer: &ValuesLayer,
    at: &ValuesKey,
) -> Result<Found, Failure> {
    let id = beside(release, layer, &at.name)?;
    let entries = runtime.ports.control_plane.secret(&id).await;
    let entries = entries.map_err(|error| failures::control_plane(Stage::Values, &error))?;
    let text = entries.and_then(|mut entries| entries.remove(&at.key));
    text_or_absent(runtime, layer, text).await
}

async fn text_or_absent(
    runtime: &Runtime,
    layer: &ValuesLayer,
    text: Option<Secret<Vec<u8>>>,
) -> Result<Found, Failure> {
    match text {
        Some(text) => {
            // Without the key no chart is rendered, which is said then.
            let key = entropy::key(runtime).await.ok();
            let mark = key.map_or_else(String::new, |key: EntropyKey| key.mark(text.expose()));
            Ok(Found::Text { text, mark })
        }
        None if layer.is_optional() => Ok(Found::Absent),
        None => Err(not_found(layer, "does not exist")),
    }
}

async fn in_repository(
    reading: &mut Reading<'_>,
    release: &Release,
    layer: &ValuesLayer,
    at: &ValuesFile,
) -> Result<Found, Failure> {
    let key = SourceKey {
        kind: SourceKind::Git,
        id: beside(release, layer, &at.repository)?,
    };
    let located = reading.locate(&key, &SourceRef::Git(at.reference.clone())).await;
    let located = located.map_err(|failure| of_layer(layer, &failure))?;
    Ok(Found::File(Box::new(located)))
}

/// The file of a layer; nothing when it may be absent and is.
async fn file(runtime: &Runtime, layer: &ValuesLayer, located: &Located) -> Result<Option<Secret<Vec<u8>>>, Failure> {
    let ValuesLayer::GitRepository(at) = layer else {
        return Ok(None);
    };
    let artifact = located.artifact(runtime).await;
    let artifact = artifact.map_err(|failure| of_layer(layer, &failure))?;
    match values::find(&artifact.files, &at.path) {
        Some(text) => Ok(Some(Secret::new(text.to_vec()))),
        None if layer.is_optional() => Ok(None),
        None => Err(not_found(layer, "does not exist")),
    }
}

/// An object of the Release's namespace.
fn beside(release: &Release, layer: &ValuesLayer, name: &str) -> Result<NamespacedName, Failure> {
    NamespacedName::new(release.id.namespace(), name)
        .map_err(|error| not_found(layer, &format!("has no usable name: {error}")))
}

fn place(layer: &ValuesLayer) -> String {
    layer.place().unwrap_or_else(|| "the layer".to_owned())
}

fn not_found(layer: &ValuesLayer, why: &str) -> Failure {
    let message = format!("the values in {} cannot be read: it {why}", place(layer));
    Failure::new(Stage::Values, Reason::ValuesNotFound, message)
}

/// What failed in the stage `fetch`, for the sake of a layer: what is not there, and what cannot be had now.
fn of_layer(layer: &ValuesLayer, failure: &Failure) -> Failure {
    let reason = if matches!(failure.reason, Reason::SourceNotFound | Reason::RefNotFound) {
        Reason::ValuesNotFound
    } else if failure.reason == Reason::Forbidden {
        Reason::Forbidden
    } else {
        Reason::FetchFailed
    };
    let message = format!("the values in {} cannot be read: {}", place(layer), failure.message);
    Failure::new(Stage::Values, reason, message)
}
