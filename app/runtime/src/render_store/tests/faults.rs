//! A fault before and after each call of each operation, and the same operation again.

use std::collections::BTreeMap;

use super::super::RenderStore;
use super::*;
use convoy_testkit_fakes::faults::{EffectCounter, Fault, FaultyBlobStore, When, until_crash};

type Contents = BTreeMap<String, Vec<u8>>;

fn contents(blobs: &FakeBlobStore) -> Contents {
    let keys = blobs.keys();
    keys.into_iter()
        .map(|key| {
            let bytes = blobs.bytes(&key).expect("a listed key");
            (key, bytes)
        })
        .collect()
}

fn copy_of(contents: &Contents) -> Arc<FakeBlobStore> {
    let blobs = FakeBlobStore::new();
    for (key, bytes) in contents {
        blobs.set(key, bytes.clone());
    }
    Arc::new(blobs)
}

/// Runs `operation` on a copy of `before` with each fault in turn, checks what is left with `check`, and runs it again
/// without: the end must be that of a clean run. Returns how many faults there were.
async fn with_every_fault(
    before: &Contents,
    operation: impl AsyncFn(RenderStore),
    check: impl Fn(&FakeBlobStore),
) -> usize {
    let clean = copy_of(before);
    let calls = EffectCounter::new().counting_reads();
    operation(faulty(&clean, &calls)).await;
    let expected = contents(&clean);
    let mut faults = 0;
    for (call, what) in (1..).zip(calls.log()) {
        for when in [When::Before, When::After] {
            for fault in [Fault::Fail, Fault::Crash] {
                faults += 1;
                let told = format!("{fault:?} {when:?} call {call}: {what}");
                let blobs = copy_of(before);
                let broken = EffectCounter::with(call, when, fault).counting_reads();
                let _ = until_crash(operation(faulty(&blobs, &broken))).await;
                check(&blobs);
                operation(RenderStore::new(Arc::clone(&blobs) as Arc<dyn BlobStore>)).await;
                assert_eq!(contents(&blobs), expected, "{told}");
            }
        }
    }
    faults
}

fn faulty(blobs: &Arc<FakeBlobStore>, effects: &EffectCounter) -> RenderStore {
    RenderStore::new(Arc::new(FaultyBlobStore::new(
        Arc::clone(blobs) as Arc<dyn BlobStore>,
        effects.clone(),
    )))
}

/// Every entry names a blob that is there.
fn entries_have_blobs(blobs: &FakeBlobStore) {
    let stored = stored(blobs);
    for entry in recorded(blobs) {
        assert!(stored.contains(&entry), "the blob of entry {entry} is gone");
    }
}

#[tokio::test]
async fn a_render_is_stored_whatever_failed_before() {
    let before = contents(&filled(2).await.0);
    let operation = async |store: RenderStore| {
        let _ = store.put_render(&shop(), &render(3)).await;
    };
    let faults = with_every_fault(&before, operation, entries_have_blobs).await;
    assert_eq!(faults, 2 * 2 * 2);
}

#[tokio::test]
async fn an_entry_is_written_once_whatever_failed_before() {
    let (blobs, store) = filled(2).await;
    store.put_render(&shop(), &render(3)).await.unwrap();
    let operation = async |store: RenderStore| {
        if store.has_history_ref(&shop(), render_ref(3)).await == Ok(false) {
            let _ = store.append_history(&shop(), render_ref(3), "", at(-7)).await;
        }
    };
    let once = |blobs: &FakeBlobStore| {
        let entries = recorded(blobs);
        assert!(
            entries == [1, 2].map(render_ref) || entries == [1, 2, 3].map(render_ref),
            "{entries:?}"
        );
    };
    let faults = with_every_fault(&contents(&blobs), operation, once).await;
    assert_eq!(faults, 3 * 2 * 2);
}

#[tokio::test]
async fn a_collection_ends_the_same_whatever_failed_before() {
    let (blobs, store) = filled(7).await;
    for number in 20..25 {
        store.put_render(&shop(), &render(number)).await.unwrap();
    }
    blobs.set("team/shop/notes.txt", b"x".to_vec());
    blobs.set(&store_key::blob(&id("shop2"), render_ref(1)), b"x".to_vec());
    let pointers = refs([1, 20]);
    let operation = async |store: RenderStore| {
        let _ = store.gc(&shop(), Some(3), &pointers, unchanged(&pointers)).await;
    };
    let check = |blobs: &FakeBlobStore| {
        entries_have_blobs(blobs);
        assert!(stored(blobs).is_superset(&pointers), "a protected blob is gone");
        assert!(
            recorded(blobs).ends_with(&[5, 6, 7].map(render_ref)),
            "the newest entries stay"
        );
        assert!(blobs.bytes("team/shop/notes.txt").is_some());
        assert!(blobs.bytes(&store_key::blob(&id("shop2"), render_ref(1))).is_some());
    };
    let faults = with_every_fault(&contents(&blobs), operation, check).await;
    // Three listings, four entries and seven blobs.
    assert_eq!(faults, (3 + 4 + 7) * 2 * 2);
}

#[tokio::test]
async fn a_deletion_ends_the_same_whatever_failed_before() {
    let (blobs, _) = filled(3).await;
    blobs.set("team/shop/notes.txt", b"x".to_vec());
    blobs.set("team/shop2/renders/x", b"x".to_vec());
    let operation = async |store: RenderStore| {
        let _ = store.delete_release(&shop()).await;
    };
    let check = |blobs: &FakeBlobStore| {
        entries_have_blobs(blobs);
        assert!(blobs.bytes("team/shop2/renders/x").is_some());
    };
    let faults = with_every_fault(&contents(&blobs), operation, check).await;
    assert_eq!(faults, (2 + 3 + 4) * 2 * 2);
}

#[tokio::test]
async fn a_deletion_that_failed_is_told() {
    for call in 1..=9 {
        for when in [When::Before, When::After] {
            let (blobs, _) = filled(3).await;
            let store = faulty(&blobs, &EffectCounter::with(call, when, Fault::Fail).counting_reads());
            let answer = store.delete_release(&shop()).await;
            let silent = call > 8;
            assert_eq!(answer.is_ok(), silent, "call {call} {when:?}: {answer:?}");
            assert!(blobs.keys().is_empty() || answer.is_err());
        }
    }
}
