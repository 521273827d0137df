//! What a commit may hold: links, submodules and LFS pointers, names and shapes that are hostile, damaged objects.
//!
//! The objects are written by hand, because no git program makes them.

mod support;

use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, SourceRef};
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_contract::source_fetcher::{files, git_source};
use gix::objs::Kind;
use gix::objs::tree::EntryKind::{Blob, BlobExecutable, Commit, Link, Tree};
use gix::{ObjectId, Repository};

use support::repositories::{Repositories, blob, tree};

const HEAD: SourceRef = SourceRef::Git(GitRef::Head);

async fn fetch(repositories: &Repositories, revision: &Revision, limits: &Limits) -> Result<Artifact, FetchError> {
    let source = git_source(&repositories.url("app"));
    support::fetcher().fetch(&source, &HEAD, revision, limits).await
}

/// Fetches the commit whose tree `build` writes.
async fn fetch_tree(build: impl FnOnce(&Repository) -> ObjectId, limits: &Limits) -> Result<Artifact, FetchError> {
    let repositories = Repositories::new();
    repositories.create("app");
    let tree = build(&repositories.open("app"));
    let revision = repositories.commit_tree("app", tree);
    fetch(&repositories, &revision, limits).await
}

/// Expects the files of a tree, as `path=content` lines.
async fn check(build: impl FnOnce(&Repository) -> ObjectId, expect: &[&str]) {
    let artifact = fetch_tree(build, &Limits::default()).await.expect("fetch");
    let found: Vec<String> = artifact
        .files
        .iter()
        .map(|(path, content)| format!("{path}={}", String::from_utf8_lossy(content)))
        .collect();
    assert_eq!(found, expect);
}

/// Expects a tree to be refused, with `expect` in what is said.
async fn check_invalid(build: impl FnOnce(&Repository) -> ObjectId, expect: &str) {
    match fetch_tree(build, &Limits::default()).await {
        Err(FetchError::Invalid { why, .. }) => assert!(why.contains(expect), "`{why}` does not say `{expect}`"),
        other => panic!("`{expect}` was to be invalid, but: {other:?}"),
    }
}

async fn check_limit(build: impl FnOnce(&Repository) -> ObjectId, limits: &Limits, expect: &str) {
    match fetch_tree(build, limits).await {
        Err(FetchError::Limit { limit, .. }) => assert!(limit.contains(expect), "`{limit}` does not say `{expect}`"),
        other => panic!("`{expect}` was to be a limit, but: {other:?}"),
    }
}

#[tokio::test]
async fn links_inside_the_tree_are_followed() {
    check(
        |repo| {
            let one = blob(repo, b"1");
            let below = tree(repo, &[(b"one", Blob, one), (b"two", BlobExecutable, blob(repo, b"2"))]);
            let links = tree(
                repo,
                &[
                    (b"again", Link, blob(repo, b"../to-file")),
                    (b"dangling", Link, blob(repo, b"nothing/here")),
                ],
            );
            tree(
                repo,
                &[
                    (b"below", Tree, below),
                    (b"links", Tree, links),
                    (b"to-file", Link, blob(repo, b"below/one")),
                    (b"to-folder", Link, blob(repo, b"./below/")),
                ],
            )
        },
        &[
            "below/one=1",
            "below/two=2",
            "links/again=1",
            "to-file=1",
            "to-folder/one=1",
            "to-folder/two=2",
        ],
    )
    .await;
}

#[tokio::test]
async fn links_out_of_the_tree_are_refused() {
    for target in ["/etc/passwd", "../outside", "../../etc/passwd", "a/../../b", "up/../x"] {
        check_invalid(
            |repo| {
                let a = tree(repo, &[(b"f", Blob, blob(repo, b"x"))]);
                tree(
                    repo,
                    &[
                        (b"a", Tree, a),
                        (b"link", Link, blob(repo, target.as_bytes())),
                        (b"up", Link, blob(repo, b".")),
                    ],
                )
            },
            "the link `link` leads out of the repository",
        )
        .await;
    }
}

#[tokio::test]
async fn links_in_a_circle_are_refused() {
    check_invalid(
        |repo| tree(repo, &[(b"self", Link, blob(repo, b"self"))]),
        "the link `self` leads in a circle",
    )
    .await;
    check_invalid(
        |repo| {
            let entries = [(&b"a"[..], Link, blob(repo, b"b")), (b"b", Link, blob(repo, b"a"))];
            tree(repo, &entries)
        },
        "the link `a` leads in a circle",
    )
    .await;
    check_invalid(
        |repo| {
            let below = tree(repo, &[(b"up", Link, blob(repo, b".."))]);
            tree(repo, &[(b"below", Tree, below)])
        },
        "the link `below/up` leads in a circle",
    )
    .await;
    check_invalid(
        |repo| {
            let a = tree(repo, &[(b"to-b", Link, blob(repo, b"../b"))]);
            let b = tree(repo, &[(b"to-a", Link, blob(repo, b"../a"))]);
            tree(repo, &[(b"a", Tree, a), (b"b", Tree, b)])
        },
        "the link `a/to-b/to-a` leads in a circle",
    )
    .await;
}

#[tokio::test]
async fn targets_of_links_are_short_and_text() {
    let long = "a/".repeat(3000);
    check_limit(
        |repo| tree(repo, &[(b"link", Link, blob(repo, long.as_bytes()))]),
        &Limits::default(),
        "4096 bytes for the link `link`",
    )
    .await;
    check_invalid(
        |repo| tree(repo, &[(b"link", Link, blob(repo, b"\xff"))]),
        "the target of the link `link` is not UTF-8",
    )
    .await;
}

#[tokio::test]
async fn names_that_are_no_plain_component_are_refused() {
    let hfs = ".g\u{200c}it";
    for name in [
        "..",
        ".",
        "",
        ".git",
        ".GIT",
        ".Git",
        "git~1",
        ".git ",
        ".git.",
        ".git::$INDEX",
        hfs,
        "a/b",
        "a/../b",
        "/abs",
    ] {
        check_invalid(
            |repo| tree(repo, &[(name.as_bytes(), Blob, blob(repo, b"x"))]),
            "in the folder `/` is not allowed",
        )
        .await;
        check_invalid(
            |repo| {
                let folder = tree(repo, &[(b"f", Blob, blob(repo, b"x"))]);
                let hostile = tree(repo, &[(name.as_bytes(), Tree, folder)]);
                tree(repo, &[(b"deep", Tree, hostile)])
            },
            "in the folder `deep/` is not allowed",
        )
        .await;
    }
    check_invalid(
        |repo| tree(repo, &[(b".gitmodules", Link, blob(repo, b"x"))]),
        "the name `.gitmodules` in the folder `/` is not allowed",
    )
    .await;
}

#[tokio::test]
async fn a_name_that_is_not_utf_8_is_told_as_far_as_it_can_be() {
    check_invalid(
        |repo| tree(repo, &[(b"caf\xe9.yaml", Blob, blob(repo, b"x"))]),
        "the name `caf\u{fffd}.yaml` in the folder `/` is not UTF-8",
    )
    .await;
}

#[tokio::test]
async fn a_name_is_there_once() {
    check_invalid(
        |repo| {
            let entries = [(&b"a"[..], Blob, blob(repo, b"1")), (b"a", Blob, blob(repo, b"2"))];
            tree(repo, &entries)
        },
        "`a` is there twice",
    )
    .await;
}

#[tokio::test]
async fn submodules_are_left_out_and_lfs_pointers_are_refused() {
    let elsewhere = ObjectId::from_hex(support::faulty::SHA.as_bytes()).expect("an id");
    check(
        |repo| {
            tree(
                repo,
                &[
                    (b"file", Blob, blob(repo, b"1")),
                    (b"module", Commit, elsewhere),
                    (b"to-module", Link, blob(repo, b"module/x")),
                ],
            )
        },
        &["file=1"],
    )
    .await;
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n";
    check_invalid(
        |repo| tree(repo, &[(b"big.bin", Blob, blob(repo, pointer))]),
        "`big.bin` is a Git LFS pointer, and Git LFS is not supported",
    )
    .await;
}

#[tokio::test]
async fn damaged_objects_are_told_by_path() {
    let absent = ObjectId::from_hex(support::faulty::SHA.as_bytes()).expect("an id");
    check_invalid(|repo| tree(repo, &[(b"f", Blob, absent)]), "the file `f` is missing").await;
    check_invalid(|repo| tree(repo, &[(b"d", Tree, absent)]), "the folder `d/` is missing").await;
    check_invalid(|_| absent, "the folder `/` is missing").await;
    check_invalid(
        |repo| {
            let folder = tree(repo, &[]);
            tree(repo, &[(b"f", Blob, folder)])
        },
        "the file `f` is a tree, not a blob",
    )
    .await;
    check_invalid(
        |repo| tree(repo, &[(b"d", Tree, blob(repo, b"x"))]),
        "the folder `d/` is a blob, not a tree",
    )
    .await;
    check_invalid(
        |repo| {
            use gix::objs::Write as _;
            let id = repo.objects.write_buf(Kind::Tree, b"100644 cut").expect("an object");
            tree(repo, &[(b"d", Tree, id)])
        },
        "the folder `d/` is damaged",
    )
    .await;
}

#[tokio::test]
async fn trees_that_grow_out_of_little_are_stopped() {
    let limits = Limits {
        files: 500,
        ..Limits::default()
    };
    // Each level names the level below ten times: 10^9 files in 10 objects.
    check_limit(
        |repo| {
            let mut level = tree(repo, &[(b"f", Blob, blob(repo, b"x"))]);
            for _ in 0..9 {
                let names: Vec<String> = (0..10).map(|number| format!("d{number}")).collect();
                let entries: Vec<_> = names.iter().map(|name| (name.as_bytes(), Tree, level)).collect();
                level = tree(repo, &entries);
            }
            level
        },
        &limits,
        "files and folders",
    )
    .await;
    // Folders of links to the next such folder: 2^30 ways, and not one file.
    check_limit(
        |repo| {
            let names: Vec<String> = (0..30).map(|number| format!("d{number:02}")).collect();
            let mut entries = Vec::new();
            for (number, name) in names.iter().enumerate() {
                let next = format!("../d{:02}", number + 1);
                let target = blob(repo, next.as_bytes());
                let folder = tree(repo, &[(b"l", Link, target), (b"r", Link, target)]);
                entries.push((name.as_bytes(), Tree, folder));
            }
            tree(repo, &entries)
        },
        &limits,
        "what the number of files allows for links",
    )
    .await;
    // One large file under many names counts as often as it is there.
    check_limit(
        |repo| {
            let folder = tree(repo, &[(b"f", Blob, blob(repo, &[b'x'; 1000]))]);
            let names: Vec<String> = (0..20).map(|number| format!("l{number}")).collect();
            let target = blob(repo, b"d");
            let mut entries: Vec<_> = names.iter().map(|name| (name.as_bytes(), Link, target)).collect();
            entries.push((b"d", Tree, folder));
            tree(repo, &entries)
        },
        &Limits {
            source_bytes: 10_000,
            ..Limits::default()
        },
        "10000 bytes in all files",
    )
    .await;
    check_limit(
        |repo| {
            let mut level = tree(repo, &[(b"f", Blob, blob(repo, b"x"))]);
            for _ in 0..200 {
                level = tree(repo, &[(b"d", Tree, level)]);
            }
            level
        },
        &Limits::default(),
        "128 nested folders",
    )
    .await;
}

#[tokio::test]
async fn tags_of_tags_lead_to_the_commit_and_tags_of_trees_are_refused() {
    let repositories = Repositories::new();
    repositories.create("app");
    let revision = repositories.commit("app", "main", &files(&[("a", b"1")]));
    let commit = ObjectId::from_hex(revision.0.as_bytes()).expect("an id");
    let inner = repositories.tag("app", "inner", commit, Kind::Commit);
    repositories.tag("app", "outer", inner, Kind::Tag);
    let some_tree = tree(&repositories.open("app"), &[]);
    repositories.tag("app", "of-tree", some_tree, Kind::Tree);

    let source = git_source(&repositories.url("app"));
    let fetcher = support::fetcher();
    let tag = |name: &str| SourceRef::Git(GitRef::Tag(name.to_owned()));
    assert_eq!(fetcher.resolve(&source, &tag("outer")).await, Ok(revision.clone()));
    let answer = fetcher
        .fetch(&source, &tag("outer"), &revision, &Limits::default())
        .await;
    assert_eq!(answer.expect("fetch").files.len(), 1);

    let resolved = fetcher.resolve(&source, &tag("of-tree")).await.expect("resolve");
    let answer = fetcher
        .fetch(&source, &tag("of-tree"), &resolved, &Limits::default())
        .await;
    match answer {
        Err(FetchError::Invalid { why, .. }) => assert!(why.contains("is a tree, not a commit"), "{why}"),
        other => panic!("a tree is no commit: {other:?}"),
    }
}
