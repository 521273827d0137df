//! The archive of a chart: received, checked, unpacked.

use std::sync::Arc;

use convoy_domain::artifact::Files;
use convoy_domain::limits::Limits;
use convoy_helm::archive::{self, ArchiveError};
use convoy_ports::FetchError;
use convoy_web::{Site, failure};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use sha2::{Digest as _, Sha256};

/// The digest that an index gives, as `sha256:<hex>`; `None` if it gives none.
///
/// # Errors
/// `Invalid` for a text that is no SHA-256.
pub(crate) fn digest(text: &str, site: &Site) -> Result<Option<String>, FetchError> {
    if text.is_empty() {
        return Ok(None);
    }
    // As Helm has it, whatever algorithm is named before the colon.
    let hex = text.split_once(':').map_or(text, |(_, hex)| hex);
    match HEXLOWER_PERMISSIVE.decode(hex.as_bytes()) {
        Ok(bytes) if bytes.len() == 32 => Ok(Some(format!("sha256:{}", HEXLOWER.encode(&bytes)))),
        Ok(_) | Err(_) => Err(site.invalid("its index gives a digest that is no SHA-256")),
    }
}

/// The files of a chart, `Chart.yaml` at their root.
///
/// # Errors
/// `Invalid` for bytes that have another digest or are no chart; `Limit` for those that pass one.
pub(crate) fn unpack(bytes: &[u8], digest: Option<&str>, limits: &Limits, site: &Site) -> Result<Files, FetchError> {
    if let Some(expected) = digest {
        let found = format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(bytes)));
        if found != expected {
            return Err(site.invalid(format!("its digest is {found}, and {expected} in the index")));
        }
    }
    let files = archive::unpack(bytes, &limits.of_archives()).map_err(|error| refused(&error, site))?;
    let files: Files = files
        .into_iter()
        .map(|file| (file.name, Arc::from(&*file.data)))
        .collect();
    if !files.contains_key("Chart.yaml") {
        return Err(site.invalid("there is no `Chart.yaml` in it"));
    }
    Ok(files)
}

fn refused(error: &ArchiveError, site: &Site) -> FetchError {
    match error {
        ArchiveError::Limit(limit) => site.limit(limit.clone()),
        ArchiveError::TooLarge(limit) => site.limit(format!("{limit} bytes unpacked")),
        ArchiveError::FileTooLarge { limit, .. } => site.limit(format!("{limit} bytes of a file")),
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
        | ArchiveError::Irregular(_) => site.invalid(failure::clean(&error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_a_sha_256_in_either_case_with_or_without_its_algorithm() {
        let site = Site::named("x");
        let hex = "4c5dbf0f8a6fb5a2d0e4b2d0e1c3f9a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1";
        let whole = Some(format!("sha256:{hex}"));
        assert_eq!(digest("", &site), Ok(None));
        assert_eq!(digest(hex, &site), Ok(whole.clone()));
        assert_eq!(digest(&format!("sha256:{hex}"), &site), Ok(whole.clone()));
        assert_eq!(digest(&hex.to_uppercase(), &site), Ok(whole));
        for wrong in ["sha256:", "abc", &hex[2..], "zz"] {
            assert!(digest(wrong, &site).is_err(), "{wrong}");
        }
    }
}
