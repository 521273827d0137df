//! The render store: no text is taken for another key, and no history makes a collection forget what is named.

use std::collections::BTreeSet;

use convoy_domain::Timestamp;
use convoy_domain::gc::{effective_keep, named, sweep, trim};
use convoy_domain::history::{HistoryEntry, HistoryKey};
use convoy_domain::render_ref::RenderRef;
use convoy_domain::store_key::{self, StoreKey};

/// A text that is a key prints as that key again, below its own Release's prefix, and is none of another Release.
pub fn store_keys(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    if let Ok(key) = text.parse::<HistoryKey>() {
        assert_eq!(key.to_string(), text);
        if let Ok(entry) = HistoryEntry::from_bytes(key.clone(), data) {
            assert_eq!(entry.key, key);
        }
    }
    if let Ok(render) = text.parse::<RenderRef>() {
        assert_eq!(render.to_string(), text);
    }
    let Some((release, what)) = store_key::locate(text) else {
        return;
    };
    assert!(text.starts_with(&store_key::prefix(&release)));
    match what {
        StoreKey::Blob(render) => assert_eq!(store_key::blob(&release, render), text),
        StoreKey::History(key) => assert_eq!(store_key::history(&release, &key), text),
        StoreKey::Unknown => {}
    }
}

/// Each byte of the first part is an entry, of the second a blob, of the third a pointer; bits of the last say which
/// deletions fail and which entries the second listing misses.
pub fn gc_plan(data: &[u8]) {
    let render = |byte: u8| RenderRef::from_digest([byte % 16; 32]);
    let mut parts = data.splitn(4, |byte| *byte == b'|');
    let mut part = || parts.next().unwrap_or_default();
    let entry = |(at, byte): (usize, &u8)| {
        let time = Timestamp::from_second(i64::try_from(at).ok()?).ok()?;
        HistoryKey::new(time, render(*byte)).ok()
    };
    let first: BTreeSet<HistoryKey> = part().iter().take(200).enumerate().filter_map(entry).collect();
    let blobs: BTreeSet<RenderRef> = part().iter().map(|byte| render(*byte)).collect();
    let protected: BTreeSet<RenderRef> = part().iter().map(|byte| render(*byte)).collect();
    let rest = part();
    let keep = rest.first().map(|byte| i64::from(*byte) - 3);
    let bit = |from: usize, at: usize| rest.get(from + at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1);
    let Some(beyond) = trim(&first, keep) else {
        assert!(effective_keep(keep) <= 0);
        return;
    };
    let newest = first.len() - beyond.len();
    assert!(i64::try_from(newest).is_ok_and(|newest| newest <= effective_keep(keep)));
    assert!(first.iter().take(beyond.len()).eq(&beyond), "the oldest go");
    let deleted: BTreeSet<HistoryKey> = beyond
        .into_iter()
        .enumerate()
        .filter(|(at, _)| !bit(1, *at))
        .map(|(_, key)| key)
        .collect();
    let second: BTreeSet<HistoryKey> = first
        .iter()
        .enumerate()
        .filter(|(at, _)| !bit(30, *at))
        .map(|(_, key)| key.clone())
        .collect();
    let unnamed = sweep(&blobs, &named(&first, &deleted, &second), &protected);
    for render in &unnamed {
        assert!(!protected.contains(render));
        assert!(
            first.difference(&deleted).all(|entry| entry.render() != *render),
            "an entry that stays names it"
        );
    }
    let left: BTreeSet<RenderRef> = blobs.iter().filter(|blob| !unnamed.contains(blob)).copied().collect();
    assert!(
        sweep(&left, &named(&first, &deleted, &second), &protected).is_empty(),
        "a second collection finds nothing"
    );
}
