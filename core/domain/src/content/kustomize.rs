//! A kustomization of the source, built as `kustomize build --load-restrictor LoadRestrictionsNone` does: files
//! outside of its directory may be named, files outside of the source may not. Charts that lie in the source are
//! rendered by our own engine.

use alloc::string::{String, ToString};
use alloc::sync::Arc;

use convoy_kustomize::{Error, LoadRestrictor, Options, build};

use super::charts::Charts;
use super::{ContentError, Inputs, Rendered, on_one_line, place};
use crate::artifact::Files;
use crate::limits::Limits;
use crate::manifests::{DOCUMENTS, Found, RenderError, normalize};
use crate::release::Kustomize;

/// Builds the kustomization.
pub(super) fn render(
    files: &Files,
    kustomize: &Kustomize,
    inputs: &Inputs<'_>,
    limits: &Limits,
) -> Result<Rendered, ContentError> {
    let path = match kustomize.path.as_str() {
        "" => String::new(),
        path => normalize(path).ok_or_else(|| RenderError::OutsidePath(path.to_string()))?,
    };
    let tree: convoy_kustomize::Files = files.iter().map(|(path, text)| (path, Arc::clone(text))).collect();
    let charts = Arc::new(Charts::new(files, inputs, limits));
    let options = Options {
        load_restrictor: LoadRestrictor::None,
        target_namespace: kustomize.target_namespace.clone(),
        charts: Some(Arc::clone(&charts) as Arc<dyn convoy_kustomize::ChartRenderer>),
        cancel: inputs.cancel.clone(),
        limits: bounds(limits),
        ..Options::default()
    };
    let built = build(&tree, &path, &options).map_err(|error| {
        // What the chart of a kustomization failed with is only a text in the error.
        charts.failure().unwrap_or_else(|| failed(&path, &error))
    })?;
    let mut found = Found::within(limits);
    let source = place("kustomization", &path);
    for resource in built.resources {
        found.add_value(&source, resource)?;
    }
    Ok(Rendered {
        objects: found.into_objects()?,
        warnings: built
            .warnings
            .iter()
            .map(|warning| on_one_line(&warning.to_string()))
            .collect(),
    })
}

fn bounds(limits: &Limits) -> convoy_kustomize::Limits {
    let bytes = |ours: u64| usize::try_from(ours).unwrap_or(usize::MAX);
    convoy_kustomize::Limits {
        file_bytes: bytes(limits.file_bytes),
        kustomizations: limits.files,
        objects: limits.objects,
        bytes: bytes(limits.source_bytes),
        text: convoy_value::Limits {
            bytes: bytes(limits.file_bytes),
            depth: limits.depth,
            alias_bytes: limits.alias_bytes,
            documents: DOCUMENTS,
        },
        ..convoy_kustomize::Limits::default()
    }
}

fn failed(path: &str, error: &Error) -> ContentError {
    match error {
        Error::Cancelled { .. } => ContentError::Cancelled,
        Error::Limit { .. } => kustomization(path, error, true),
        Error::Missing { .. } | Error::File { .. } | Error::Field { .. } | Error::Remote { .. } | _ => {
            kustomization(path, error, false)
        }
    }
}

fn kustomization(path: &str, error: &Error, limit: bool) -> ContentError {
    ContentError::Kustomization {
        place: place("kustomization", path),
        why: on_one_line(&error.to_string()),
        limit,
    }
}
