//! What each call does when nothing fails, and what it answers when something does.

use super::super::{RenderStore, RenderStoreError};
use super::*;
use convoy_domain::history::{HistoryEntry, HistoryKey};
use convoy_ports::{BlobError, Pieces, Written};
use convoy_testkit_fakes::Times;
use convoy_testkit_fakes::faults::{EffectCounter, FaultyBlobStore};

pub(super) fn unavailable() -> BlobError {
    BlobError::Unavailable {
        key: "k".into(),
        why: "down".into(),
    }
}

#[tokio::test]
async fn a_render_is_stored_under_its_hash_and_read_back() {
    let (blobs, store) = empty();
    store.put_render(&shop(), &render(1)).await.unwrap();
    let key = format!("team/shop/renders/{}", render_ref(1));
    assert_eq!(blobs.keys(), [key.as_str()]);
    assert_eq!(blobs.bytes(&key).unwrap(), render(1).to_bytes());
    assert_eq!(store.get_render(&shop(), render_ref(1)).await.unwrap(), render(1));
}

#[tokio::test]
async fn a_stored_render_is_not_written_again() {
    let blobs = Arc::new(FakeBlobStore::new());
    let effects = EffectCounter::new();
    let faulty = FaultyBlobStore::new(Arc::clone(&blobs) as Arc<dyn BlobStore>, effects.clone());
    let store = RenderStore::new(Arc::new(faulty));
    store.put_render(&shop(), &render(1)).await.unwrap();
    store.put_render(&shop(), &render(1)).await.unwrap();
    assert_eq!(effects.count(), 1, "{:?}", effects.log());
}

#[tokio::test]
async fn a_render_of_another_release_is_not_found() {
    let (_, store) = filled(1).await;
    let answer = store.get_render(&id("shop2"), render_ref(1)).await;
    assert_eq!(
        answer,
        Err(RenderStoreError::NotFound {
            render_ref: render_ref(1)
        })
    );
}

#[tokio::test]
async fn corrupt_bytes_are_never_served_and_are_written_anew_when_the_render_is_at_hand() {
    let (blobs, store) = filled(1).await;
    let key = store_key::blob(&shop(), render_ref(1));
    blobs.corrupt(&key);
    store.put_render(&shop(), &render(1)).await.unwrap();
    assert_ne!(
        blobs.bytes(&key).unwrap(),
        render(1).to_bytes(),
        "nothing has read it yet"
    );
    let error = store.get_render(&shop(), render_ref(1)).await.unwrap_err();
    assert!(matches!(error, RenderStoreError::Corrupt { .. }), "{error}");
    assert!(!error.is_transient());
    assert!(
        blobs.bytes(&key).is_some(),
        "corrupt bytes are kept for people to look at"
    );

    blobs.refuse("put", "", unavailable(), Times::Next(1));
    assert!(store.put_render(&shop(), &render(1)).await.unwrap_err().is_transient());
    // A clone shares what is known.
    store.clone().put_render(&shop(), &render(1)).await.unwrap();
    assert_eq!(store.get_render(&shop(), render_ref(1)).await.unwrap(), render(1));
}

#[tokio::test]
async fn an_entry_has_the_key_and_bytes_of_the_specification() {
    let (blobs, store) = empty();
    let entry = store
        .append_history(&shop(), render_ref(1), "manifests at 1a2b", at(5))
        .await
        .unwrap();
    let key = format!("team/shop/history/20270115T080005.000000000Z-{}", render_ref(1));
    assert_eq!(blobs.keys(), [key.as_str()]);
    let text = format!(
        r#"{{"renderRef":"{}","syncedAt":"2027-01-15T08:00:05.000000000Z","summary":"manifests at 1a2b"}}"#,
        render_ref(1)
    );
    assert_eq!(String::from_utf8(blobs.bytes(&key).unwrap()).unwrap(), text);
    assert_eq!(store.list_history(&shop()).await.unwrap(), [entry]);
}

#[tokio::test]
async fn an_entry_is_later_than_the_newest_also_when_the_clock_stepped_back() {
    let (blobs, store) = empty();
    for (number, second) in [(1, 10), (2, 3), (3, -500), (4, 10), (5, 11)] {
        store
            .append_history(&shop(), render_ref(number), "", at(second))
            .await
            .unwrap();
    }
    assert_eq!(recorded(&blobs), [1, 2, 3, 4, 5].map(render_ref));
    let history = store.list_history(&shop()).await.unwrap();
    let nanoseconds: Vec<i128> = history.iter().map(|entry| entry.key.time().as_nanosecond()).collect();
    let start = at(10).as_nanosecond();
    assert_eq!(
        nanoseconds,
        [start, start + 1, start + 2, start + 3, at(11).as_nanosecond()]
    );
}

#[tokio::test]
async fn a_render_has_one_entry_that_of_its_first_apply() {
    let (blobs, store) = filled(2).await;
    assert_eq!(store.has_history_ref(&shop(), render_ref(1)).await, Ok(true));
    assert_eq!(store.has_history_ref(&shop(), render_ref(3)).await, Ok(false));
    let again = store
        .append_history(&shop(), render_ref(1), "again", at(99))
        .await
        .unwrap();
    assert_eq!((again.key.time(), again.summary.as_str()), (at(1), "summary"));
    assert_eq!(recorded(&blobs), [1, 2].map(render_ref));
    assert_eq!(store.history_count(&shop()).await, Ok(2));
}

#[tokio::test]
async fn an_entry_that_listings_miss_is_not_overwritten() {
    let (blobs, store) = filled(1).await;
    let key = blobs.keys().into_iter().find(|key| key.contains("/history/")).unwrap();
    blobs.hide_from_lists(&key);
    let entry = store
        .append_history(&shop(), render_ref(1), "other", at(1))
        .await
        .unwrap();
    assert_eq!(entry.key.time(), at(1));
    let text = String::from_utf8(blobs.bytes(&key).unwrap()).unwrap();
    assert!(text.contains(r#""summary":"summary""#), "{text}");
}

#[tokio::test]
async fn a_damaged_entry_is_listed_with_what_its_key_says() {
    let (blobs, store) = filled(3).await;
    let key = HistoryKey::new(at(2), render_ref(2)).unwrap();
    blobs.set(&store_key::history(&shop(), &key), b"{".to_vec());
    blobs.set("team/shop/history/notes.txt", b"x".to_vec());
    let history = store.list_history(&shop()).await.unwrap();
    let renders: Vec<RenderRef> = history.iter().map(|entry| entry.key.render()).collect();
    assert_eq!(renders, [1, 2, 3].map(render_ref));
    assert!(
        history[1].summary.starts_with("the entry is damaged"),
        "{}",
        history[1].summary
    );
}

#[tokio::test]
async fn history_is_read_up_to_the_newest_thousand() {
    let (blobs, store) = empty();
    for number in 0..1_003 {
        let entry = HistoryEntry::new(HistoryKey::new(at(number), render_ref(number)).unwrap(), "");
        blobs.set(&store_key::history(&shop(), &entry.key), entry.to_bytes());
    }
    let history = store.list_history(&shop()).await.unwrap();
    assert_eq!(
        (history.len(), history[0].key.time(), history[999].key.time()),
        (1_000, at(3), at(1_002))
    );
    assert_eq!(store.history_count(&shop()).await, Ok(1_003));
}

#[tokio::test]
async fn the_eleventh_entry_makes_the_first_go_while_protected_blobs_stay() {
    let (blobs, store) = filled(12).await;
    let pointers = refs([2, 12]);
    let collected = store.gc(&shop(), None, &pointers, unchanged(&pointers)).await.unwrap();
    assert_eq!(
        (collected.entries, collected.blobs, collected.failures.len()),
        (2, 1, 0)
    );
    assert_eq!(recorded(&blobs), (3..=12).map(render_ref).collect::<Vec<_>>());
    assert_eq!(stored(&blobs), refs(2..=12));
}

#[tokio::test]
async fn keep_of_zero_or_less_asks_nothing_of_the_store() {
    let (blobs, store) = filled(3).await;
    blobs.refuse("", "", unavailable(), Times::Always);
    for keep in [0, -1, i64::MIN] {
        let collected = store
            .gc(&shop(), Some(keep), &refs([]), || async { panic!("not asked") })
            .await;
        assert_eq!(collected, Ok(super::super::Collected::default()), "keep {keep}");
    }
    assert_eq!(stored(&blobs), refs(1..=3));
}

#[tokio::test]
async fn a_pointer_that_came_while_collecting_protects() {
    let (blobs, store) = filled(3).await;
    store.put_render(&shop(), &render(9)).await.unwrap();
    store
        .gc(&shop(), Some(1), &refs([2]), unchanged(&refs([9])))
        .await
        .unwrap();
    assert_eq!(stored(&blobs), refs([2, 3, 9]));
}

#[tokio::test]
async fn nothing_is_swept_when_the_pointers_cannot_be_read_again() {
    let (blobs, store) = filled(3).await;
    let answer = store
        .gc(&shop(), Some(1), &refs([]), || async {
            Err("the server is down".to_owned())
        })
        .await;
    let error = answer.unwrap_err();
    assert!(error.is_transient());
    assert!(error.to_string().ends_with("the server is down"), "{error}");
    assert_eq!(stored(&blobs), refs(1..=3));
}

#[tokio::test]
async fn an_entry_that_could_not_be_deleted_keeps_its_blob() {
    let (blobs, store) = filled(4).await;
    blobs.refuse("delete", "/history/20270115T080001", unavailable(), Times::Always);
    let collected = store
        .gc(&shop(), Some(1), &refs([]), unchanged(&refs([])))
        .await
        .unwrap();
    assert_eq!(
        (collected.entries, collected.blobs, collected.failures.len()),
        (2, 2, 1)
    );
    assert_eq!(stored(&blobs), refs([1, 4]));
}

/// A store whose listings of the history are behind from the second on.
#[derive(Debug)]
struct Forgetful {
    inner: Arc<FakeBlobStore>,
    lists: std::sync::atomic::AtomicUsize,
}

#[async_trait::async_trait]
impl BlobStore for Forgetful {
    async fn put(&self, key: &str, bytes: Vec<u8>) -> Result<(), BlobError> {
        self.inner.put(key, bytes).await
    }
    async fn put_pieces(&self, key: &str, pieces: &mut dyn Pieces) -> Result<(), BlobError> {
        self.inner.put_pieces(key, pieces).await
    }
    async fn put_if_absent(&self, key: &str, bytes: Vec<u8>) -> Result<Written, BlobError> {
        self.inner.put_if_absent(key, bytes).await
    }
    async fn get(&self, key: &str) -> Result<Vec<u8>, BlobError> {
        self.inner.get(key).await
    }
    async fn get_pieces(&self, key: &str) -> Result<Box<dyn Pieces>, BlobError> {
        self.inner.get_pieces(key).await
    }
    async fn exists(&self, key: &str) -> Result<bool, BlobError> {
        self.inner.exists(key).await
    }
    async fn delete_many(&self, keys: Vec<String>) -> Vec<(String, BlobError)> {
        self.inner.delete_many(keys).await
    }
    async fn list(&self, prefix: &str) -> Result<Vec<String>, BlobError> {
        let earlier = self.lists.fetch_add(
            usize::from(prefix.ends_with("history/")),
            std::sync::atomic::Ordering::SeqCst,
        );
        if prefix.ends_with("history/") && earlier > 0 {
            return Ok(Vec::new());
        }
        self.inner.list(prefix).await
    }
    async fn delete(&self, key: &str) -> Result<(), BlobError> {
        self.inner.delete(key).await
    }
}

#[tokio::test]
async fn a_second_listing_that_misses_entries_costs_no_blob() {
    let (inner, _) = filled(5).await;
    let store = RenderStore::new(Arc::new(Forgetful {
        inner: Arc::clone(&inner),
        lists: 0.into(),
    }));
    store
        .gc(&shop(), Some(3), &refs([]), unchanged(&refs([])))
        .await
        .unwrap();
    assert_eq!(stored(&inner), refs([3, 4, 5]));
}

#[tokio::test]
async fn unknown_keys_and_other_releases_are_left_alone_and_counted() {
    let (blobs, store) = filled(3).await;
    let foreign = [
        "team/shop/notes.txt".to_owned(),
        "team/shop/renders/sha256:short".to_owned(),
        format!("team/shop/renders/{}.attrs", render_ref(1)),
        "team/shop/history/2027".to_owned(),
        store_key::blob(&id("shop2"), render_ref(1)),
        store_key::blob(&id("sho"), render_ref(1)),
    ];
    for key in &foreign {
        blobs.set(key, b"x".to_vec());
    }
    let collected = store
        .gc(&shop(), Some(1), &refs([]), unchanged(&refs([])))
        .await
        .unwrap();
    assert_eq!((collected.entries, collected.blobs, collected.unknown), (2, 2, 3));
    for key in &foreign {
        assert!(blobs.bytes(key).is_some(), "{key}");
    }
}

#[tokio::test]
async fn deletion_takes_every_key_of_the_release_and_no_other() {
    let (blobs, store) = filled(3).await;
    blobs.set("team/shop/notes.txt", b"x".to_vec());
    blobs.set("team/shop2/renders/x", b"x".to_vec());
    blobs.set("team/shop.x/renders/x", b"x".to_vec());
    assert_eq!(store.holds_keys(&shop()).await, Ok(true));
    store.delete_release(&shop()).await.unwrap();
    assert_eq!(blobs.keys(), ["team/shop.x/renders/x", "team/shop2/renders/x"]);
    assert_eq!(store.holds_keys(&shop()).await, Ok(false));
    store.delete_release(&shop()).await.unwrap();
}

#[tokio::test]
async fn deletion_goes_on_after_a_failure_says_what_remains_and_can_be_run_again() {
    let (blobs, store) = filled(5).await;
    let denied = BlobError::Denied {
        key: "k".into(),
        why: "no".into(),
    };
    let stuck = store_key::blob(&shop(), render_ref(2));
    blobs.refuse("delete", &stuck, denied, Times::Next(1));
    let error = store.delete_release(&shop()).await.unwrap_err();
    assert!(!error.is_transient(), "{error}");
    assert!(error.to_string().contains(&stuck), "{error}");
    assert_eq!(blobs.keys(), [stuck.as_str()], "everything else is gone");
    blobs.refuse("delete", &stuck, unavailable(), Times::Next(1));
    assert!(store.delete_release(&shop()).await.unwrap_err().is_transient());
    store.delete_release(&shop()).await.unwrap();
    assert!(blobs.keys().is_empty());
}

#[tokio::test]
async fn without_a_store_every_call_says_so() {
    let store = RenderStore::from(None);
    let disabled = Err(RenderStoreError::Disabled);
    assert_eq!(store.put_render(&shop(), &render(1)).await, disabled);
    assert_eq!(store.history_count(&shop()).await, Err(RenderStoreError::Disabled));
    assert_eq!(store.delete_release(&shop()).await, disabled);
    assert!(!RenderStoreError::Disabled.is_transient());
}
