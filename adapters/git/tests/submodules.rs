//! Submodules, on real servers: nested, relative, across hosts, and hostile ones.

mod support;

use std::fmt::Write as _;
use std::process::Command;

use convoy_domain::access::{Access, Credentials, SshAccess};
use convoy_domain::artifact::{Artifact, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::secret::Secret;
use convoy_domain::source::{GitRef, Source, SourceRef};
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_contract::source_fetcher::{files, git_source};
use gix::objs::tree::EntryKind;

use support::http::{GitServer, PASSWORD, USER};
use support::repositories::{Repositories, blob, tree};
use support::sshd::{SshServer, by_ssh};

const HEAD: SourceRef = SourceRef::Git(GitRef::Head);

/// Makes the repository `name` with the file `name` and a submodule at each of `modules`: path, URL, commit.
fn with_modules(repositories: &Repositories, name: &str, modules: &[(&str, &str, &Revision)]) -> Revision {
    repositories.create(name);
    let repository = repositories.open(name);
    let own = blob(&repository, name.as_bytes());
    let mut settings = String::new();
    let mut entries: Vec<(Vec<u8>, EntryKind, gix::ObjectId)> = vec![(name.as_bytes().to_vec(), EntryKind::Blob, own)];
    for (number, (path, url, commit)) in modules.iter().enumerate() {
        let _ = write!(
            settings,
            "[submodule \"m{number}\"]\n\tpath = {path}\n\turl = {url}\n\tbranch = none\n"
        );
        let id = gix::ObjectId::from_hex(commit.0.as_bytes()).expect("a commit");
        match path.split_once('/') {
            None => entries.push((path.as_bytes().to_vec(), EntryKind::Commit, id)),
            Some((folder, path)) => {
                let below = tree(&repository, &[(path.as_bytes(), EntryKind::Commit, id)]);
                entries.push((folder.as_bytes().to_vec(), EntryKind::Tree, below));
            }
        }
    }
    if !modules.is_empty() {
        entries.push((
            b".gitmodules".to_vec(),
            EntryKind::Blob,
            blob(&repository, settings.as_bytes()),
        ));
    }
    let entries: Vec<(&[u8], EntryKind, gix::ObjectId)> = entries
        .iter()
        .map(|(name, kind, id)| (name.as_slice(), *kind, *id))
        .collect();
    repositories.commit_tree(name, tree(&repository, &entries))
}

fn source(url: &str, credentials: Credentials) -> Source {
    Source {
        access: Access {
            credentials,
            submodules: true,
            ..Access::default()
        },
        ..git_source(url)
    }
}

async fn fetch(source: &Source, revision: &Revision) -> Result<Artifact, FetchError> {
    let answer = support::fetcher()
        .fetch(source, &HEAD, revision, &Limits::default())
        .await;
    assert!(!format!("{answer:?}").contains("canary"), "{answer:?}");
    answer
}

fn paths(artifact: &Artifact) -> Vec<&str> {
    artifact.files.keys().map(String::as_str).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn submodules_are_fetched_at_their_commits_however_deep() {
    let Some(server) = GitServer::start() else { return };
    let at = &server.repositories;
    let leaf = with_modules(at, "team-leaf", &[]);
    at.commit("team-leaf", "main", &files(&[("newer", b"not pinned")]));
    let middle = with_modules(at, "middle", &[("deep/leaf", "../team-leaf.git", &leaf)]);
    let absolute = server.http("middle");
    let top = with_modules(at, "top", &[("a", "../middle.git", &middle), ("b", &absolute, &middle)]);
    let all = source(&server.http("top"), Credentials::None);
    let artifact = fetch(&all, &top).await.expect("fetch");
    let expect = [
        ".gitmodules",
        "a/.gitmodules",
        "a/deep/leaf/team-leaf",
        "a/middle",
        "b/.gitmodules",
        "b/deep/leaf/team-leaf",
        "b/middle",
        "top",
    ];
    assert_eq!(paths(&artifact), expect);
    let without = git_source(&server.http("top"));
    let artifact = fetch(&without, &top).await.expect("fetch");
    assert_eq!(paths(&artifact), [".gitmodules", "top"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_git_checks_out_is_what_is_fetched() {
    let Some(server) = GitServer::start() else { return };
    let at = &server.repositories;
    let leaf = with_modules(at, "leaf", &[]);
    let top = with_modules(
        at,
        "top",
        &[("lib/leaf", "../leaf.git", &leaf), ("again", "./../leaf.git", &leaf)],
    );
    let folder = tempfile::tempdir().expect("a folder");
    let cloned = Command::new("git")
        .args(["clone", "-q", "--recurse-submodules", &server.http("top"), "."])
        .current_dir(folder.path())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output();
    assert!(cloned.expect("git").status.success());
    let artifact = fetch(&source(&server.http("top"), Credentials::None), &top)
        .await
        .expect("fetch");
    for path in paths(&artifact) {
        let real = std::fs::read(folder.path().join(path)).expect(path);
        assert_eq!(real, artifact.files[path].to_vec(), "{path}");
    }
    assert_eq!(paths(&artifact), [".gitmodules", "again/leaf", "lib/leaf/leaf", "top"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_stay_with_the_sources_own_host() {
    let Some(server) = GitServer::start() else { return };
    let at = &server.repositories;
    let leaf = with_modules(at, "leaf", &[]);
    let elsewhere = format!("http://localhost:{}/leaf.git", server.plain_port);
    let private = format!("http://localhost:{}/basic/leaf.git", server.plain_port);
    let own = format!("http://127.0.0.1:{}/basic/leaf.git", server.plain_port);
    let ann = || Credentials::Basic {
        username: Secret::new(USER.to_owned()),
        password: Secret::new(PASSWORD.to_owned()),
    };
    let top = with_modules(at, "top", &[("own", &own, &leaf), ("other", &elsewhere, &leaf)]);
    let url = format!("http://127.0.0.1:{}/basic/top.git", server.plain_port);
    let artifact = fetch(&source(&url, ann()), &top).await.expect("fetch");
    assert_eq!(paths(&artifact), [".gitmodules", "other/leaf", "own/leaf", "top"]);
    let closed = with_modules(at, "closed", &[("other", &private, &leaf)]);
    let url = format!("http://127.0.0.1:{}/basic/closed.git", server.plain_port);
    let answer = fetch(&source(&url, ann()), &closed).await;
    assert!(matches!(answer, Err(FetchError::Authentication { .. })), "{answer:?}");
    let seen = server.seen();
    let there: Vec<&String> = seen.iter().filter(|line| line.starts_with("localhost ")).collect();
    assert!(
        !there.is_empty() && there.iter().all(|line| line.ends_with("[-]")),
        "{there:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn submodules_by_ssh_use_the_sources_key_on_its_own_host_only() {
    let Some(server) = SshServer::start("AcceptEnv GIT_PROTOCOL") else {
        return;
    };
    let at = &server.repositories;
    let leaf = with_modules(at, "leaf", &[]);
    let by_other_name = server.url("leaf").replace("127.0.0.1", "localhost");
    let top = with_modules(at, "top", &[("leaf", "../leaf.git", &leaf)]);
    let foreign = with_modules(at, "foreign", &[("leaf", &by_other_name, &leaf)]);
    // Both names of the host are known, so that only the rule keeps the key from the second.
    let known = server.known("host");
    let both = format!("{known}{}", known.replace("127.0.0.1", "localhost"));
    let access = |name: &str| Source {
        access: Access {
            submodules: true,
            ..by_ssh(SshAccess {
                known_hosts: Some(Secret::new(both.clone())),
                ..server.access(Some("ed25519"))
            })
        },
        ..git_source(&server.url(name))
    };
    let artifact = fetch(&access("top"), &top).await.expect("fetch");
    assert_eq!(paths(&artifact), [".gitmodules", "leaf/leaf", "top"]);
    let answer = fetch(&access("foreign"), &foreign).await;
    assert!(matches!(answer, Err(FetchError::HostNotTrusted { .. })), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_submodules_are_refused() {
    let Some(server) = GitServer::start() else { return };
    let at = &server.repositories;
    let leaf = with_modules(at, "leaf", &[]);
    let absent = Revision("1".repeat(40));
    let folder = at.url("leaf");
    for (number, (url, commit, expect)) in [
        (folder.as_str(), &leaf, "the submodule `m` is a folder of this machine"),
        ("/etc", &leaf, "is not supported"),
        ("ext::sh -c true", &leaf, "is not supported"),
        ("--upload-pack=touch /tmp/x", &leaf, "is not supported"),
        (
            "../../../../evil.example/x",
            &leaf,
            "has a relative URL that leads out of the server",
        ),
        (
            "../../localhost/leaf.git",
            &leaf,
            "has a relative URL that leads out of the server",
        ),
        ("https://ann:canary@127.0.0.1/x", &leaf, "its URL holds credentials"),
        ("http://169.254.169.254/x.git", &leaf, "the address policy denies"),
        ("../absent.git", &leaf, "is not a repository"),
        (
            "../leaf.git",
            &absent,
            "commit 1111111111111111111111111111111111111111 of the submodule `m` does not exist",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("top{number}");
        let top = with_modules(at, &name, &[("m", url, commit)]);
        let answer = fetch(&source(&server.http(&name), Credentials::None), &top).await;
        let said = answer.map(drop).map_err(|error| error.to_string());
        assert!(
            said.as_ref().is_err_and(|said| said.contains(expect)),
            "{url}: {said:?}"
        );
    }
    // A commit without a line in `.gitmodules`.
    at.create("silent");
    let repository = at.open("silent");
    let id = gix::ObjectId::from_hex(leaf.0.as_bytes()).expect("a commit");
    let silent = at.commit_tree("silent", tree(&repository, &[(b"m", EntryKind::Commit, id)]));
    let answer = fetch(&source(&server.http("silent"), Credentials::None), &silent).await;
    assert!(
        matches!(&answer, Err(FetchError::Invalid { why, .. }) if why.contains("says nothing of")),
        "{answer:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn submodules_are_bounded_in_count_and_depth() {
    let repositories = Repositories::new();
    let mut below = with_modules(&repositories, "d0", &[]);
    for depth in 1..=11 {
        let url = repositories.url(&format!("d{}", depth - 1));
        below = with_modules(&repositories, &format!("d{depth}"), &[("m", &url, &below)]);
    }
    let answer = fetch(&source(&repositories.url("d11"), Credentials::None), &below).await;
    assert!(
        matches!(&answer, Err(FetchError::Limit { limit, .. }) if limit == "10 nested submodules"),
        "{answer:?}"
    );

    let leaf = with_modules(&repositories, "leaf", &[]);
    let url = repositories.url("leaf");
    let names: Vec<String> = (0..101).map(|number| format!("m{number}")).collect();
    let modules: Vec<(&str, &str, &Revision)> = names.iter().map(|name| (name.as_str(), url.as_str(), &leaf)).collect();
    let wide = with_modules(&repositories, "wide", &modules);
    let answer = fetch(&source(&repositories.url("wide"), Credentials::None), &wide).await;
    assert!(
        matches!(&answer, Err(FetchError::Limit { limit, .. }) if limit == "100 submodules"),
        "{answer:?}"
    );
    let fewer = with_modules(&repositories, "fewer", &modules[..100]);
    let artifact = fetch(&source(&repositories.url("fewer"), Credentials::None), &fewer)
        .await
        .expect("fetch");
    assert_eq!(artifact.files.len(), 102);

    // Bounds are for all repositories together.
    let limits = Limits {
        files: 50,
        ..Limits::default()
    };
    let all = source(&repositories.url("fewer"), Credentials::None);
    let answer = support::fetcher().fetch(&all, &HEAD, &fewer, &limits).await;
    assert!(
        matches!(&answer, Err(FetchError::Limit { limit, .. }) if limit == "50 files"),
        "{answer:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_into_a_submodule_is_followed() {
    let repositories = Repositories::new();
    let leaf = with_modules(&repositories, "leaf", &[]);
    repositories.create("top");
    let repository = repositories.open("top");
    let id = gix::ObjectId::from_hex(leaf.0.as_bytes()).expect("a commit");
    let settings = format!("[submodule \"m\"]\npath = m\nurl = {}\n", repositories.url("leaf"));
    let entries: &[(&[u8], EntryKind, gix::ObjectId)] = &[
        (b".gitmodules", EntryKind::Blob, blob(&repository, settings.as_bytes())),
        (b"link", EntryKind::Link, blob(&repository, b"m/leaf")),
        (b"m", EntryKind::Commit, id),
    ];
    let top = repositories.commit_tree("top", tree(&repository, entries));
    let artifact = fetch(&source(&repositories.url("top"), Credentials::None), &top)
        .await
        .expect("fetch");
    assert_eq!(paths(&artifact), [".gitmodules", "link", "m/leaf"]);
    assert_eq!(artifact.files["link"].as_ref(), b"leaf");
}
