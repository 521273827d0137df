//! What must hold for any bytes at all: the bodies of fuzz targets, which property tests run too.
//!
//! # Panics
//! Each function panics when its property does not hold; none answers anything.
#![expect(
    clippy::missing_panics_doc,
    reason = "that they panic is what they are for, as the module says"
)]

use convoy_domain::Timestamp;
use convoy_domain::artifact::Files;
use convoy_domain::health::{MESSAGE_CHARS, assess};
use convoy_domain::history::{HistoryEntry, HistoryKey};
use convoy_domain::id::ReleaseId;
use convoy_domain::limits::Limits;
use convoy_domain::manifests::render_manifests;
use convoy_domain::release::Manifests;
use convoy_domain::render::Render;
use convoy_domain::render_ref::RenderRef;
use convoy_domain::selector::Selector;
use convoy_domain::store_key::{self, StoreKey};
use convoy_domain::wave::waves;
use sha2::{Digest, Sha256};

/// The name that a render of these bytes has.
fn name_of(bytes: &[u8]) -> RenderRef {
    RenderRef::from_digest(Sha256::digest(bytes).into())
}

/// A text is the key of an entry and prints as itself, or it is refused; the same for whole keys of the store.
pub fn history_key(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    if let Ok(key) = text.parse::<HistoryKey>() {
        assert_eq!(key.to_string(), text);
    }
    let Ok(release) = ReleaseId::new("a", "b") else { return };
    for stored in [text.to_string(), format!("{}{text}", store_key::prefix(&release))] {
        match store_key::parse(&release, &stored) {
            StoreKey::Blob(render) => assert_eq!(store_key::blob(&release, render), stored),
            StoreKey::History(key) => assert_eq!(store_key::history(&release, &key), stored),
            StoreKey::Unknown => {}
        }
    }
}

/// Bytes are the entry of a key and read back, or they are corrupt.
pub fn history_entry(bytes: &[u8]) {
    let Ok(key) = HistoryKey::new(Timestamp::UNIX_EPOCH, name_of(b"")) else {
        return;
    };
    if let Ok(entry) = HistoryEntry::from_bytes(key.clone(), bytes) {
        assert_eq!(HistoryEntry::from_bytes(key, &entry.to_bytes()), Ok(entry));
    }
}

/// Bytes are a render of their own name, or corrupt; under any other name they are always corrupt.
pub fn stored_render(bytes: &[u8]) {
    let name = name_of(bytes);
    if let Ok(render) = Render::from_bytes(bytes, name) {
        assert_eq!(render.render_ref(), name);
        assert_eq!(render.byte_len(), bytes.len() as u64);
    }
    let other = name_of(b"another");
    assert!(other == name || Render::from_bytes(bytes, other).is_err());
}

/// A file gives objects or an error.
pub fn manifest_file(bytes: &[u8]) {
    let files = [("f.yaml".to_string(), bytes.into())].into();
    let selected = Manifests {
        paths: vec![".".into()],
        target_namespace: None,
    };
    manifests(&files, &selected);
}

/// Files give objects or an error, the same again; objects have names, waves, a health, and make a render that reads
/// back.
pub fn manifests(files: &Files, selected: &Manifests) {
    let limits = Limits::default();
    let found = render_manifests(files, selected, &limits);
    assert_eq!(found, render_manifests(files, selected, &limits));
    let Ok(objects) = found else { return };
    for object in &objects {
        assert!(!object.kind().is_empty() && !object.name().is_empty());
        assert!(assess(object).message.chars().count() <= MESSAGE_CHARS);
    }
    if let Ok(waves) = waves(&objects) {
        let applied: usize = waves.iter().map(|wave| wave.groups.concat().len()).sum();
        assert_eq!(applied, objects.len());
    }
    let Ok(render) = Render::new(objects, &limits) else {
        return;
    };
    let bytes = render.to_bytes();
    let again = Render::from_bytes(&bytes, render.render_ref()).map(|again| again.to_bytes());
    assert_eq!(again, Ok(bytes));
}

/// A text is a selector or it is refused; one requirement and its opposite never both hold.
pub fn selector(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let (Ok(selector), Ok(opposite)) = (Selector::parse(text), Selector::parse(&format!("!{text}"))) else {
        return;
    };
    if !text.trim().is_empty() && !text.contains(',') {
        assert!(!(selector.matches(None) && opposite.matches(None)), "{text}");
    }
}
