//! Deliveries in the shape of each sender. Macs were computed with Python's `hmac`.

use alloc::string::ToString as _;
use alloc::vec;

use proptest::prelude::*;

use super::*;
use crate::secret::Secret;

const KEY: &str = "s3cr3t-of-the-hook";
const GITHUB: &str = r#"{"ref":"refs/heads/main","before":"7d1e0c2c9c3d","after":"f0a51e6e2b84","repository":{"id":186853002,"full_name":"acme/shop","private":true},"pusher":{"name":"ada"},"commits":[{"id":"f0a51e6e2b84","message":"Raise the limit \u00e9","added":[],"modified":["deploy.yaml"]}]}"#;
const BITBUCKET: &str = r#"{"push":{"changes":[{"old":{"type":"branch","name":"main"},"new":{"type":"branch","name":"main","target":{"type":"commit","hash":"9b1f3a"}}}]},"repository":{"full_name":"acme/shop"},"actor":{"nickname":"ada"}}"#;
const GITEA: &str = "{\n  \"ref\": \"refs/heads/main\",\n  \"repository\": {\"full_name\": \"acme/shop\"},\n  \"pusher\": {\"login\": \"ada\"},\n  \"total_commits\": 1\n}";
const GITLAB: &str = r#"{"object_kind":"push","event_name":"push","ref":"refs/heads/main","checkout_sha":"da1560886d4f","project_id":15,"project":{"path_with_namespace":"acme/shop"}}"#;
const HARBOR: &str = r#"{"type":"PUSH_ARTIFACT","occur_at":1764558000,"operator":"ada","event_data":{"resources":[{"tag":"1.2.3","resource_url":"harbor.example/acme/shop:1.2.3"}],"repository":{"name":"shop","repo_full_name":"acme/shop"}}}"#;
const DOCKER_HUB: &str = r#"{"push_data":{"pushed_at":1764558000,"tag":"1.2.3","pusher":"ada"},"callback_url":"https://registry.hub.docker.com/u/acme/shop/hook/1/","repository":{"repo_name":"acme/shop"}}"#;
const GENERIC: &str = r#"{"anything":"at all"}"#;

fn secret(entries: &[(&str, &str)]) -> Entries {
    let entry = |&(name, value): &(&str, &str)| (name.to_string(), Secret::new(value.as_bytes().to_vec()));
    entries.iter().map(entry).collect()
}

fn passes(entries: &Entries, headers: &[(&str, &str)], path_token: Option<&str>, body: &str) -> bool {
    let headers = headers.iter().map(|&(name, value)| (name, value.as_bytes()));
    let mut check = Check::new(entries, headers, path_token.map(PathToken));
    for piece in body.as_bytes().chunks(7) {
        check.update(piece);
    }
    check.passes()
}

/// The delivery passes; without its header, with another body and with another token it does not.
fn check(header: (&str, &str), more: &[(&str, &str)], body: &str, token: &str, covers_body: bool) {
    let entries = secret(&[("token", token)]);
    let mut headers = vec![("content-type", "application/json"), ("user-agent", "test")];
    headers.extend_from_slice(more);
    assert!(!passes(&entries, &headers, None, body), "{header:?} is missing");
    headers.push(header);
    assert!(passes(&entries, &headers, None, body), "{header:?}");
    let line = secret(&[("token", &alloc::format!("{token}\n"))]);
    assert!(
        passes(&line, &headers, None, body),
        "{header:?} with a line end after the token"
    );
    let other = body.replace("main", "Main").replace("at all", "at_all");
    assert_eq!(
        passes(&entries, &headers, None, &other),
        !covers_body,
        "{header:?} of another body"
    );
    for wrong in [
        secret(&[("token", "S3cr3t-of-the-hook")]),
        secret(&[("token", "")]),
        secret(&[("pathToken", token)]),
        secret(&[]),
    ] {
        assert!(!passes(&wrong, &headers, None, body), "{header:?} with another token");
    }
    let cut = &header.1[..header.1.len() - 1];
    headers.pop();
    headers.push((header.0, cut));
    assert!(!passes(&entries, &headers, None, body), "{header:?} cut");
}

#[test]
fn each_senders_proof_holds_and_no_other() {
    check(
        (
            "X-Hub-Signature-256",
            "sha256=8cb01492aa44b6790bcdef9f25266308dbee998cb2249144711903284e1f4e1a",
        ),
        &[
            ("X-GitHub-Event", "push"),
            ("X-Hub-Signature", "sha1=3a74bd106cb9caf724af890aec0c1d75f703d996"),
        ],
        GITHUB,
        KEY,
        true,
    );
    check(
        (
            "X-Hub-Signature",
            "sha256=d8f0a19efbc14f2b5c1460e7f3fc552c1da24ab0c632a52b8d21a617f720b1b1",
        ),
        &[("X-Event-Key", "repo:push")],
        BITBUCKET,
        KEY,
        true,
    );
    for name in ["X-Gitea-Signature", "X-Forgejo-Signature", "X-Gogs-Signature"] {
        let mac = "ef4cc7d864b777463b5b8f8cb805cf21913964ca6c91ab419b9922a909e9356c";
        check((name, mac), &[("X-Gitea-Event", "push")], GITEA, KEY, true);
    }
    check(
        ("X-Gitlab-Token", KEY),
        &[("X-Gitlab-Event", "Push Hook")],
        GITLAB,
        KEY,
        false,
    );
    check(("Authorization", KEY), &[], HARBOR, KEY, false);
    check(("Authorization", "Bearer s3cr3t-of-the-hook"), &[], HARBOR, KEY, false);
    let mac = "sha256=cfb980ce3aefc20e88551a91700b7c6bbeadd1a759ff1c3f19af10213330b7e1";
    check(("X-Signature", mac), &[], GENERIC, KEY, true);
    check(
        (
            "x-signature",
            "sha512=e0b5e6e8afefd7a224236378fca641862dfc029914c7898e7e88bf6950df7a25a7a46879e49a29c65de2e47a2d55ce83f09bca964cae7c8bb7bca3cfe6005658",
        ),
        &[],
        GENERIC,
        KEY,
        true,
    );
}

#[test]
fn the_signing_token_of_gitlab_covers_id_time_and_body() {
    let delivery = [("webhook-id", "msg_2Lml"), ("webhook-timestamp", "1764558000")];
    let signature = "v1,5nDECTwga+yHOKJtgUmnc7uUND5tnanXHviaBue2p1E=";
    let token = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    check(("webhook-signature", signature), &delivery, GITLAB, token, true);
    let plain = "v1,0gqj1cmsVttTyPa38VmilLEdesn0SRcotjmwyZn36Cg=";
    check(("webhook-signature", plain), &delivery, GITLAB, KEY, true);

    let entries = secret(&[("token", token)]);
    let signed = |id, time, value| {
        let headers = [
            ("webhook-id", id),
            ("webhook-timestamp", time),
            ("webhook-signature", value),
        ];
        passes(&entries, &headers, None, GITLAB)
    };
    let two = alloc::format!("{plain} v2,AAAA {signature}");
    assert!(signed("msg_2Lml", "1764558000", &two), "one of several keys will do");
    assert!(!signed("msg_2LmL", "1764558000", signature));
    assert!(!signed("msg_2Lml", "1764558001", signature));
    assert!(!passes(&entries, &[("webhook-signature", signature)], None, GITLAB));
}

#[test]
fn who_cannot_sign_shows_the_token_of_paths_and_no_other() {
    let both = secret(&[("token", KEY), ("pathToken", "in-the-path")]);
    assert!(passes(&both, &[], Some("in-the-path"), DOCKER_HUB));
    assert!(!passes(&both, &[], Some("in-the-patH"), DOCKER_HUB));
    assert!(
        !passes(&both, &[], Some(KEY), DOCKER_HUB),
        "what signs may not be in paths"
    );
    assert!(!passes(&both, &[("Authorization", "in-the-path")], None, DOCKER_HUB));
    let only = secret(&[("pathToken", "in-the-path")]);
    assert!(passes(&only, &[], Some("in-the-path"), ""));
    for empty in [secret(&[("pathToken", "")]), secret(&[("token", KEY)]), secret(&[])] {
        assert!(!passes(&empty, &[], Some("x"), ""));
        assert!(!passes(&empty, &[], Some(""), ""));
    }
}

#[test]
fn sha_1_and_macs_by_an_empty_key_prove_nothing() {
    let entries = secret(&[("token", KEY)]);
    let sha1 = "sha1=3a74bd106cb9caf724af890aec0c1d75f703d996";
    assert!(!passes(&entries, &[("X-Hub-Signature", sha1)], None, GITHUB));
    // HMAC-SHA256 of nothing by nothing
    let empty = "sha256=b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
    for entries in [secret(&[]), secret(&[("token", "")]), secret(&[("token", "\n")])] {
        assert!(!passes(&entries, &[("X-Signature", empty)], None, ""));
    }
}

#[test]
fn many_headers_cost_no_more_than_some() {
    let entries = secret(&[("token", KEY)]);
    let mac = "sha256=cfb980ce3aefc20e88551a91700b7c6bbeadd1a759ff1c3f19af10213330b7e1";
    let headers = vec![("x-signature", mac.as_bytes()); 1_000];
    let check = Check::new(&entries, headers, None);
    assert_eq!(check.proofs.len(), MOST);
    let many = "v1,5nDECTwga+yHOKJtgUmnc7uUND5tnanXHviaBue2p1E= ".repeat(1_000);
    let headers = [
        ("webhook-id", "a"),
        ("webhook-timestamp", "1"),
        ("webhook-signature", many.as_str()),
    ];
    let check = Check::new(&entries, headers.map(|(name, value)| (name, value.as_bytes())), None);
    assert_eq!(check.proofs.len(), MOST);
    assert!(!alloc::format!("{check:?}").contains(KEY));
}

const NAMES: [&str; 10] = [
    "X-Hub-Signature-256",
    "x-hub-signature",
    "X-Signature",
    "X-Gitea-Signature",
    "X-Gitlab-Token",
    "Authorization",
    "webhook-signature",
    "webhook-id",
    "webhook-timestamp",
    "other",
];

proptest! {
    #[test]
    fn no_header_breaks_the_check_or_passes_by_chance(
        headers in proptest::collection::vec((0..NAMES.len(), value()), 0..20),
        token in proptest::option::of("[ -~]{0,20}"),
        body in proptest::collection::vec(any::<u8>(), 0..100),
    ) {
        let entries = secret(&[("token", KEY), ("pathToken", "in-the-path")]);
        let named = headers.iter().map(|(name, value)| (NAMES[*name], value.as_slice()));
        let mut check = Check::new(&entries, named, token.as_deref().map(PathToken));
        check.update(&body);
        prop_assert!(!check.passes());
    }

    #[test]
    fn hex_is_read_back(bytes in proptest::array::uniform32(any::<u8>())) {
        let hex = bytes.iter().fold(alloc::string::String::new(), |hex, byte| alloc::format!("{hex}{byte:02x}"));
        prop_assert_eq!(digits(hex.as_bytes(), 32), Some(bytes.to_vec()));
        prop_assert_eq!(digits(hex.to_uppercase().as_bytes(), 32), Some(bytes.to_vec()));
        prop_assert_eq!(digits(hex.as_bytes(), 64), None);
    }
}

/// Any bytes, and texts that begin as proofs do.
fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..80),
        "(sha256|sha512|sha1|v1|Bearer)[=, ][0-9a-fA-F=]{60,66}".prop_map(alloc::string::String::into_bytes),
        "[0-9a-f]{64}".prop_map(alloc::string::String::into_bytes),
    ]
}
