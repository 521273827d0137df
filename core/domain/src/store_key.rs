//! The keys of the render store.
//!
//! # Invariant
//! A key is built only from names that are checked ([`ReleaseId`]) and refs and times whose texts hold no `/`, so that
//! no key leaves its Release's prefix; and [`parse`] is the inverse of [`blob`] and [`history`].

use alloc::format;
use alloc::string::String;

use crate::history::HistoryKey;
use crate::id::ReleaseId;
use crate::render_ref::RenderRef;

/// What a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreKey {
    /// A stored render.
    Blob(RenderRef),
    /// An entry of the history.
    History(HistoryKey),
    /// Nothing that this version knows (or a key of another Release); it is left alone and counted.
    Unknown,
}

/// `<namespace>/<name>/`: everything that belongs to a Release.
#[must_use]
pub fn prefix(release: &ReleaseId) -> String {
    format!("{release}/")
}

/// `<namespace>/<name>/renders/`.
#[must_use]
pub fn blobs_prefix(release: &ReleaseId) -> String {
    format!("{release}/renders/")
}

/// `<namespace>/<name>/history/`.
#[must_use]
pub fn history_prefix(release: &ReleaseId) -> String {
    format!("{release}/history/")
}

/// Key of a stored render.
#[must_use]
pub fn blob(release: &ReleaseId, render: RenderRef) -> String {
    format!("{release}/renders/{render}")
}

/// Key of an entry of the history.
#[must_use]
pub fn history(release: &ReleaseId, key: &HistoryKey) -> String {
    format!("{release}/history/{key}")
}

/// What a key is to a Release.
#[must_use]
pub fn parse(release: &ReleaseId, key: &str) -> StoreKey {
    let Some(rest) = key.strip_prefix(&prefix(release)) else {
        return StoreKey::Unknown;
    };
    if let Some(text) = rest.strip_prefix("renders/") {
        text.parse().map_or(StoreKey::Unknown, StoreKey::Blob)
    } else if let Some(text) = rest.strip_prefix("history/") {
        text.parse().map_or(StoreKey::Unknown, StoreKey::History)
    } else {
        StoreKey::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REF: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000001";

    fn release() -> ReleaseId {
        ReleaseId::new("apps", "web").unwrap()
    }

    #[test]
    fn keys_have_the_layout_of_the_specification() {
        let time = "20260102T030405.000000006Z";
        let entry: HistoryKey = format!("{time}-{REF}").parse().unwrap();
        assert_eq!(prefix(&release()), "apps/web/");
        assert_eq!(blobs_prefix(&release()), "apps/web/renders/");
        assert_eq!(history_prefix(&release()), "apps/web/history/");
        assert_eq!(
            blob(&release(), REF.parse().unwrap()),
            format!("apps/web/renders/{REF}")
        );
        assert_eq!(history(&release(), &entry), format!("apps/web/history/{time}-{REF}"));
    }

    #[test]
    fn keys_read_back_to_what_they_were_built_from() {
        let render: RenderRef = REF.parse().unwrap();
        let entry: HistoryKey = format!("20260102T030405.000000006Z-{REF}").parse().unwrap();
        assert_eq!(parse(&release(), &blob(&release(), render)), StoreKey::Blob(render));
        assert_eq!(
            parse(&release(), &history(&release(), &entry)),
            StoreKey::History(entry)
        );
    }

    #[test]
    fn other_keys_are_unknown() {
        let other = ReleaseId::new("apps", "web2").unwrap();
        for key in [
            blob(&other, REF.parse().unwrap()),
            format!("apps/web/renders/{REF}/x"),
            format!("apps/web/renders/{}", REF.to_uppercase()),
            format!("apps/web/history/{REF}"),
            format!("apps/web/{REF}"),
            "apps/web/renders/".into(),
            "apps/web".into(),
            String::new(),
        ] {
            assert_eq!(parse(&release(), &key), StoreKey::Unknown, "{key}");
        }
    }
}
