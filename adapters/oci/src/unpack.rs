//! Layers to files.

use convoy_domain::artifact::Files;
use convoy_domain::limits::Limits;
use convoy_helm::archive::{self, ArchiveError};

/// Why layers give no files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnpackError {
    /// A bound was passed: which one.
    #[error("{0}")]
    Limit(String),
    /// What is wrong.
    #[error("{0}")]
    Invalid(String),
}

/// The files of a packaged chart, with `Chart.yaml` at their root.
pub(crate) fn chart(bytes: &[u8], limits: &Limits) -> Result<Files, UnpackError> {
    let mut files = Files::new();
    for file in archive::unpack(bytes, &limits.of_archives()).map_err(failure)? {
        // Of two of one name the last counts, as in every archive.
        files.insert(file.name, file.data);
    }
    check_folders(&files)?;
    if files.contains_key("Chart.yaml") {
        Ok(files)
    } else {
        Err(UnpackError::Invalid("the chart has no Chart.yaml".to_owned()))
    }
}

/// The files of all layers together; one path is in one layer only.
pub(crate) fn files(layers: &[Vec<u8>], limits: &Limits) -> Result<Files, UnpackError> {
    let mut all = Files::new();
    let mut left = of_files(limits);
    for layer in layers {
        let mut files = Files::new();
        for file in archive::unpack_files(layer, &left).map_err(failure)? {
            files.insert(file.name, file.data);
        }
        let bytes = files.values().map(|data| data.len()).sum();
        left.total = left.total.saturating_sub(bytes);
        left.files = left.files.saturating_sub(files.len());
        if let Some(twice) = files.keys().find(|name| all.contains_key(*name)) {
            return Err(UnpackError::Invalid(format!("two of its layers have a file `{twice}`")));
        }
        if let Some(removed) = files.keys().find(|name| is_whiteout(name)) {
            return Err(UnpackError::Invalid(format!(
                "`{removed}` removes a file of another layer, as images do"
            )));
        }
        all.extend(files);
    }
    check_folders(&all)?;
    Ok(all)
}

/// What images have in place of a file that a layer removes.
fn is_whiteout(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with(".wh."))
}

/// A path that is a file is no folder: readers would differ in what they see.
fn check_folders(files: &Files) -> Result<(), UnpackError> {
    for path in files.keys() {
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        if let Some(both) = folders.find(|folder| files.contains_key(*folder)) {
            return Err(UnpackError::Invalid(format!("`{both}` is a file and a folder")));
        }
    }
    Ok(())
}

/// Bounds on archives of what is no chart.
fn of_files(limits: &Limits) -> archive::Limits {
    let bytes = |bound: u64| usize::try_from(bound).unwrap_or(usize::MAX);
    archive::Limits {
        total: bytes(limits.source_bytes),
        file: bytes(limits.file_bytes),
        ..limits.of_archives()
    }
}

fn failure(error: ArchiveError) -> UnpackError {
    match error {
        ArchiveError::TooLarge(bytes) => UnpackError::Limit(format!("{bytes} bytes in all files")),
        ArchiveError::FileTooLarge { name, limit } => {
            UnpackError::Limit(format!("{limit} bytes for the file `{name}`"))
        }
        ArchiveError::Limit(limit) => UnpackError::Limit(limit),
        ArchiveError::NotGzip
        | ArchiveError::Damaged
        | ArchiveError::Checksum
        | ArchiveError::Header
        | ArchiveError::Truncated
        | ArchiveError::Empty
        | ArchiveError::Outside(_)
        | ArchiveError::Absolute
        | ArchiveError::Parent
        | ArchiveError::Named
        | ArchiveError::Name(_)
        | ArchiveError::NoBase
        | ArchiveError::Irregular(_) => UnpackError::Invalid(error.to_string()),
    }
}
