//! Encrypted blobs, beside clear ones and with keys that change.

use super::super::{Keyring, RenderStore, RenderStoreError};
use super::*;
use convoy_testkit_fakes::FakeEntropy;

fn keys(bytes: &[u8]) -> Keyring {
    let lines: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}").repeat(32)).collect();
    Keyring::parse(&lines.join("\n")).expect("keys")
}

fn with_keys(blobs: &Arc<FakeBlobStore>, bytes: &[u8]) -> RenderStore {
    let store = RenderStore::new(Arc::clone(blobs) as Arc<dyn BlobStore>);
    store.sealed(keys(bytes), Arc::new(FakeEntropy::default()))
}

/// A render whose blob has several pieces and chunks.
fn large() -> Render {
    let object = |number: usize| {
        let metadata: Map = [("name", format!("object-{number}"))].into_iter().collect();
        let data: Map = [("text", "x".repeat(1_000))].into_iter().collect();
        let object: Map = [
            ("apiVersion", Value::from("v1")),
            ("data", Value::from(data)),
            ("kind", Value::from("ConfigMap")),
            ("metadata", Value::from(metadata)),
        ]
        .into_iter()
        .collect();
        Object::new(Value::from(object)).expect("an object")
    };
    Render::new((0..3_000).map(object).collect(), &Limits::default()).expect("a render")
}

#[tokio::test]
async fn a_sealed_render_keeps_its_name_and_shows_nothing() {
    for render in [render(1), large()] {
        let blobs = Arc::new(FakeBlobStore::new());
        let store = with_keys(&blobs, &[1]);
        store.put_render(&shop(), &render).await.unwrap();
        let key = store_key::blob(&shop(), render.render_ref());
        assert_eq!(blobs.keys(), [key.as_str()]);
        let bytes = blobs.bytes(&key).unwrap();
        assert!(bytes.starts_with(b"\0convoy1"));
        assert!(
            !bytes.windows(9).any(|part| part == b"ConfigMap"),
            "nothing is in the clear"
        );
        assert_eq!(store.get_render(&shop(), render.render_ref()).await.unwrap(), render);
        let verified = store.verify(&shop(), render.render_ref()).await.unwrap();
        assert_eq!(
            (verified.bytes, verified.sealed_with),
            (render.byte_len(), Some(keys(&[1]).sealing().id()))
        );
    }
}

#[tokio::test]
async fn a_store_holds_clear_blobs_and_those_of_several_keys() {
    let blobs = Arc::new(FakeBlobStore::new());
    let clear = RenderStore::new(Arc::clone(&blobs) as Arc<dyn BlobStore>);
    clear.put_render(&shop(), &render(1)).await.unwrap();
    with_keys(&blobs, &[1]).put_render(&shop(), &render(2)).await.unwrap();
    let rotated = with_keys(&blobs, &[2, 1]);
    rotated.put_render(&shop(), &render(3)).await.unwrap();
    for number in 1..=3 {
        assert_eq!(
            rotated.get_render(&shop(), render_ref(number)).await.unwrap(),
            render(number)
        );
    }
    let new_only = with_keys(&blobs, &[2]);
    let old = keys(&[1]).sealing().id();
    let error = new_only.get_render(&shop(), render_ref(2)).await.unwrap_err();
    assert_eq!(
        error,
        RenderStoreError::UnknownKey {
            render_ref: render_ref(2),
            key: old
        }
    );
    assert!(
        error
            .to_string()
            .contains(&format!("sealed with key `{old}`, which is not in the key file")),
        "{error}"
    );
    assert!(!error.is_transient());
    let before = blobs.bytes(&store_key::blob(&shop(), render_ref(2)));
    new_only.put_render(&shop(), &render(2)).await.unwrap();
    assert_eq!(
        blobs.bytes(&store_key::blob(&shop(), render_ref(2))),
        before,
        "nothing is sealed anew in place"
    );
    assert!(matches!(
        clear.get_render(&shop(), render_ref(3)).await,
        Err(RenderStoreError::UnknownKey { .. })
    ));
}

#[tokio::test]
async fn a_sealed_blob_does_not_open_under_another_name() {
    let blobs = Arc::new(FakeBlobStore::new());
    let store = with_keys(&blobs, &[1]);
    store.put_render(&shop(), &render(1)).await.unwrap();
    let bytes = blobs.bytes(&store_key::blob(&shop(), render_ref(1))).unwrap();
    blobs.set(&store_key::blob(&id("shop2"), render_ref(1)), bytes.clone());
    blobs.set(&store_key::blob(&shop(), render_ref(2)), bytes);
    for (release, number) in [(id("shop2"), 1), (shop(), 2)] {
        let error = store.get_render(&release, render_ref(number)).await.unwrap_err();
        assert!(
            matches!(error, RenderStoreError::Unopened { .. }) && error.is_damage(),
            "{error}"
        );
        store.put_render(&release, &render(number)).await.unwrap();
        assert_eq!(
            store.get_render(&release, render_ref(number)).await.unwrap(),
            render(number),
            "it is healed"
        );
    }
}

#[tokio::test]
async fn each_blob_has_a_salt_of_its_own() {
    let blobs = Arc::new(FakeBlobStore::new());
    let store = with_keys(&blobs, &[1]);
    let mut salts = BTreeSet::new();
    for number in 1..=5 {
        store.put_render(&shop(), &render(number)).await.unwrap();
        let bytes = blobs.bytes(&store_key::blob(&shop(), render_ref(number))).unwrap();
        salts.insert(bytes[16..48].to_vec());
    }
    assert_eq!(salts.len(), 5);
}

#[tokio::test]
async fn without_randomness_nothing_is_stored() {
    let blobs = Arc::new(FakeBlobStore::new());
    let store = RenderStore::new(Arc::clone(&blobs) as Arc<dyn BlobStore>)
        .sealed(keys(&[1]), Arc::new(FakeEntropy::exhausted()));
    let error = store.put_render(&shop(), &render(1)).await.unwrap_err();
    assert!(error.to_string().contains("none is left"), "{error}");
    assert!(blobs.keys().is_empty());
}

#[tokio::test]
async fn a_copy_seals_anew_and_goes_on_where_it_ended() {
    let from = Arc::new(FakeBlobStore::new());
    let source = with_keys(&from, &[1]);
    for (number, second) in [(1, 10), (2, 20), (3, 30)] {
        source.put_render(&shop(), &render(number)).await.unwrap();
        source
            .append_history(&shop(), render_ref(number), "s", at(second))
            .await
            .unwrap();
    }
    source.put_render(&id("other"), &large()).await.unwrap();
    from.set("team/shop/notes.txt", b"x".to_vec());
    from.corrupt(&store_key::blob(&shop(), render_ref(3)));
    let to = Arc::new(FakeBlobStore::new());
    let target = with_keys(&to, &[2]);
    to.refuse(
        "put_if_absent",
        "/history/",
        super::behaviour::unavailable(),
        convoy_testkit_fakes::Times::Next(1),
    );
    let quiet = |_: usize, _: usize| {};
    assert!(source.migrate_to(&target, "", &quiet).await.unwrap_err().is_transient());
    assert!(
        !to.keys().iter().any(|key| key.contains("/history/")),
        "blobs come first"
    );
    let migrated = source.migrate_to(&target, "", &quiet).await.unwrap();
    assert_eq!((migrated.blobs, migrated.present, migrated.entries), (0, 3, 3));
    let left: Vec<&str> = migrated.left.iter().map(|left| left.problem.name()).collect();
    assert_eq!(left, ["foreign", "corrupt"]);
    assert_eq!(
        target.get_render(&id("other"), large().render_ref()).await.unwrap(),
        large()
    );
    assert_eq!(target.get_render(&shop(), render_ref(1)).await.unwrap(), render(1));
    assert_eq!(
        target.list_history(&shop()).await.unwrap(),
        source.list_history(&shop()).await.unwrap()
    );
    let sealed = target.verify(&shop(), render_ref(2)).await.unwrap().sealed_with;
    assert_eq!(sealed, Some(keys(&[2]).sealing().id()));
    // And back into the clear, only one Release.
    let open = Arc::new(FakeBlobStore::new());
    let clear = RenderStore::new(Arc::clone(&open) as Arc<dyn BlobStore>);
    let migrated = target.migrate_to(&clear, "team/shop/", &quiet).await.unwrap();
    assert_eq!((migrated.blobs, migrated.entries), (2, 3));
    assert_eq!(
        open.bytes(&store_key::blob(&shop(), render_ref(1))).unwrap(),
        render(1).to_bytes()
    );
}

#[tokio::test]
async fn large_renders_are_read_and_written_in_pieces_and_are_never_served_corrupt() {
    let (blobs, store) = empty();
    let render = large();
    store.put_render(&shop(), &render).await.unwrap();
    let key = store_key::blob(&shop(), render.render_ref());
    assert_eq!(blobs.bytes(&key).unwrap(), render.to_bytes());
    assert_eq!(store.get_render(&shop(), render.render_ref()).await.unwrap(), render);
    blobs.corrupt(&key);
    let error = store.get_render(&shop(), render.render_ref()).await.unwrap_err();
    assert!(matches!(error, RenderStoreError::Corrupt { .. }), "{error}");
    assert!(
        store.heal(&shop(), &render).await.unwrap(),
        "it was known to be damaged"
    );
    assert!(!store.heal(&shop(), &render).await.unwrap());
    assert_eq!(store.get_render(&shop(), render.render_ref()).await.unwrap(), render);
    // Bytes that have another hash leave nothing.
    let mut wrong = convoy_testkit_fakes::PiecesOf::new(&render.to_bytes(), 100_000);
    let error = store.put_pieces(&shop(), render_ref(1), &mut wrong).await.unwrap_err();
    assert!(error.to_string().contains("the stored bytes are"), "{error}");
    assert_eq!(stored(&blobs), BTreeSet::from([render.render_ref()]));
}

#[tokio::test]
async fn a_blob_that_was_missing_is_stored_again_when_the_render_is_at_hand() {
    let (blobs, store) = filled(1).await;
    assert!(!store.heal(&shop(), &render(1)).await.unwrap());
    blobs.remove(&store_key::blob(&shop(), render_ref(1)));
    assert!(
        !store.heal(&shop(), &render(1)).await.unwrap(),
        "nothing has missed it yet"
    );
    store.get_render(&shop(), render_ref(1)).await.unwrap_err();
    assert!(store.heal(&shop(), &render(1)).await.unwrap());
    assert_eq!(store.get_render(&shop(), render_ref(1)).await.unwrap(), render(1));
}

#[tokio::test]
async fn a_look_at_a_store_finds_what_was_planted() {
    let (blobs, store) = filled(5).await;
    blobs.corrupt(&store_key::blob(&shop(), render_ref(1)));
    blobs.remove(&store_key::blob(&shop(), render_ref(2)));
    blobs.set(&store_key::blob(&shop(), render_ref(3)), b"torn".to_vec());
    let entry = blobs
        .keys()
        .into_iter()
        .find(|key| key.contains("080004") && key.contains("/history/"))
        .unwrap();
    blobs.set(&entry, b"{".to_vec());
    for key in ["team/shop/notes", "stray", "team/shop/history/x", "Team/shop/renders/y"] {
        blobs.set(key, b"x".to_vec());
    }
    store.put_render(&id("other"), &render(9)).await.unwrap();
    with_keys(&blobs, &[1])
        .put_render(&id("sealed"), &render(8))
        .await
        .unwrap();
    let inspection = store.inspect("", &|_, _| {}).await.unwrap();
    let found: Vec<(&str, String)> = inspection
        .findings
        .iter()
        .map(|finding| (finding.problem.name(), finding.key.chars().take(30).collect()))
        .collect();
    let key = |release: &ReleaseId, number| -> String {
        store_key::blob(release, render_ref(number)).chars().take(30).collect()
    };
    let mut expected = vec![
        ("foreign", "Team/shop/renders/y".to_owned()),
        ("foreign", "stray".to_owned()),
        ("foreign", "team/shop/history/x".to_owned()),
        ("foreign", "team/shop/notes".to_owned()),
        ("no-blob", "team/shop/history/20270115T080".to_owned()),
        ("damaged-entry", "team/shop/history/20270115T080".to_owned()),
        ("orphan", key(&id("other"), 9)),
        ("orphan", key(&id("sealed"), 8)),
        ("unknown-key", key(&id("sealed"), 8)),
        ("corrupt", key(&shop(), 1)),
        ("corrupt", key(&shop(), 3)),
    ];
    let mut found = found;
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!((inspection.blobs, inspection.entries, inspection.releases), (3, 4, 3));
    let other = store.inspect("team/other/", &|_, _| {}).await.unwrap();
    assert_eq!((other.blobs, other.findings.len()), (1, 1));
}
