//! Repositories as the git program makes them, and repositories of ours as the git program sees them.

mod support;

use std::io::Write as _;
use std::net::TcpStream;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use convoy_domain::artifact::Revision;
use convoy_domain::limits::Limits;
use convoy_domain::source::{GitRef, SourceKey, SourceKind, SourceRef};
use convoy_git::{GitFetcher, Options, repository};
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_contract::source_fetcher::{files, git_source};

use support::faulty::{ADVERTISEMENT, Faulty, RESULT, SHA, greeting, line, respond};
use support::http::GitServer;
use support::repositories::{Repositories, git};

const HEAD: SourceRef = SourceRef::Git(GitRef::Head);

fn branch(name: &str) -> SourceRef {
    SourceRef::Git(GitRef::Branch(name.to_owned()))
}

/// A work tree with a long past, so that its objects are packed as deltas, and a branch, a tag and packed refs.
fn made_by_git(repositories: &Repositories) -> std::path::PathBuf {
    let folder = repositories.root.path().join("work tree");
    std::fs::create_dir(&folder).expect("a folder");
    git(&folder, &["init", "-q"]);
    for number in 0..20 {
        let lines: Vec<String> = (0..2000)
            .map(|line| format!("line {} of {number}", line * 7919))
            .collect();
        std::fs::write(folder.join("long.txt"), lines.join("\n")).expect("a file");
        std::fs::create_dir_all(folder.join("deep/er")).expect("a folder");
        std::fs::write(folder.join("deep/er/number"), number.to_string()).expect("a file");
        git(&folder, &["add", "-A"]);
        git(&folder, &["commit", "-q", "-m", "a commit"]);
    }
    std::os::unix::fs::symlink("deep/er/number", folder.join("link")).expect("a link");
    std::fs::write(folder.join(".gitattributes"), "deep export-ignore\n").expect("a file");
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-q", "-m", "a link"]);
    git(&folder, &["tag", "-a", "v1", "-m", "a tag"]);
    git(&folder, &["branch", "release/1.x", "HEAD~1"]);
    git(&folder, &["gc", "-q", "--aggressive"]);
    folder
}

#[tokio::test]
async fn a_work_tree_of_git_is_read_through_its_objects() {
    let repositories = Repositories::new();
    let folder = made_by_git(&repositories);
    let source = git_source(&format!("file://{}", folder.display()).replace(' ', "%20"));
    let fetcher = support::fetcher();
    let head = fetcher.resolve(&source, &HEAD).await.expect("resolve");
    assert_eq!(head.0, git(&folder, &["rev-parse", "HEAD"]));
    let older = fetcher.resolve(&source, &branch("release/1.x")).await.expect("resolve");
    assert_eq!(older.0, git(&folder, &["rev-parse", "HEAD~1"]));
    let artifact = fetcher
        .fetch(&source, &HEAD, &head, &Limits::default())
        .await
        .expect("fetch");
    let paths: Vec<&str> = artifact.files.keys().map(String::as_str).collect();
    assert_eq!(paths, [".gitattributes", "deep/er/number", "link", "long.txt"]);
    assert_eq!(&*artifact.files["link"], b"19");
    // What is not committed does not count.
    std::fs::write(folder.join("deep/er/number"), "changed").expect("a file");
    let again = fetcher
        .fetch(&source, &HEAD, &head, &Limits::default())
        .await
        .expect("fetch");
    assert_eq!(again, artifact);
    git(&folder, &["checkout", "-q", "--force", "HEAD~3"]);
    let detached = fetcher.resolve(&source, &HEAD).await.expect("resolve");
    assert_eq!(detached.0, git(&folder, &["rev-parse", "HEAD"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn packed_deltas_come_whole_over_http() {
    let Some(server) = GitServer::start() else { return };
    let folder = made_by_git(&server.repositories);
    let bare = server.repositories.folder("app");
    git(&folder, &["clone", "-q", "--bare", ".", &bare.display().to_string()]);
    for url in [
        server.http("app"),
        format!("http://127.0.0.1:{}/old/app.git", server.plain_port),
    ] {
        let source = git_source(&url);
        let fetcher = support::fetcher();
        // The tag's commit, the branch's, one that no ref names, and one that no ref of an old protocol gives.
        for (wanted, spec) in [
            (SourceRef::Git(GitRef::Tag("v1".into())), "HEAD"),
            (branch("release/1.x"), "HEAD~1"),
            (commit(&folder, "HEAD~5"), "HEAD~5"),
        ] {
            let revision = fetcher.resolve(&source, &wanted).await.expect("resolve");
            assert_eq!(revision.0, git(&folder, &["rev-parse", spec]), "{url} {spec}");
            let artifact = fetcher
                .fetch(&source, &wanted, &revision, &Limits::default())
                .await
                .expect("fetch");
            let number = git(&folder, &["show", &format!("{spec}:deep/er/number")]);
            assert_eq!(&*artifact.files["deep/er/number"], number.as_bytes(), "{url} {spec}");
            let long = git(&folder, &["show", &format!("{spec}:long.txt")]);
            assert_eq!(&*artifact.files["long.txt"], long.as_bytes(), "{url} {spec}");
        }
    }
}

fn commit(folder: &std::path::Path, spec: &str) -> SourceRef {
    SourceRef::Git(GitRef::Commit(git(folder, &["rev-parse", spec])))
}

/// Stands before a real server, and lets nobody have a commit alone.
fn refusing_single_commits(port: u16) -> Faulty {
    Faulty::start(move |asked, stream| {
        if String::from_utf8_lossy(&asked.body).contains("deepen 1") {
            let refusal = line(format!("ERR want {SHA} not valid").as_bytes());
            return respond(stream, "200 OK", &[("Content-Type", RESULT)], &refusal);
        }
        let head = asked.head.replacen("\r\n", "\r\nConnection: close\r\n", 1);
        let mut server = TcpStream::connect(("127.0.0.1", port)).expect("the real server");
        server.write_all(head.as_bytes()).expect("it reads");
        server.write_all(&asked.body).expect("it reads");
        let _ = std::io::copy(&mut server, stream);
        false
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_commit_is_not_given_alone_the_whole_past_is_fetched_within_its_bound() {
    let Some(server) = GitServer::start() else { return };
    let folder = made_by_git(&server.repositories);
    let bare = server.repositories.folder("app");
    git(&folder, &["clone", "-q", "--bare", ".", &bare.display().to_string()]);
    let refusing = refusing_single_commits(server.plain_port);
    let source = git_source(&refusing.url());
    let wanted = commit(&folder, "HEAD~5");
    let fetcher = support::fetcher();
    let revision = fetcher.resolve(&source, &wanted).await.expect("resolve");
    let answer = fetcher.fetch(&source, &wanted, &revision, &Limits::default()).await;
    let number = git(&folder, &["show", "HEAD~5:deep/er/number"]);
    assert_eq!(&*answer.expect("fetch").files["deep/er/number"], number.as_bytes());

    let absent = Revision(SHA.to_owned());
    let answer = fetcher.fetch(&source, &wanted, &absent, &Limits::default()).await;
    assert!(matches!(answer, Err(FetchError::RefNotFound { .. })), "{answer:?}");

    let narrow = GitFetcher::new(Options {
        past_bytes: 1000,
        ..Options::default()
    })
    .expect("a fetcher");
    match narrow.fetch(&source, &wanted, &revision, &Limits::default()).await {
        Err(FetchError::Limit { limit, .. }) => assert_eq!(limit, "1000 bytes received"),
        other => panic!("the past has more than 1000 bytes: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repositories_with_sha_256_are_refused_by_name() {
    let repositories = Repositories::new();
    let folder = repositories.folder("app");
    std::fs::create_dir(&folder).expect("a folder");
    git(&folder, &["init", "-q", "--bare", "--object-format=sha256"]);
    let expect = Err(FetchError::Unsupported {
        what: "a git repository with sha256 objects".to_owned(),
    });
    let source = git_source(&repositories.url("app"));
    assert_eq!(support::fetcher().verify(&source).await, expect);

    let Some(server) = GitServer::start() else { return };
    let folder = server.repositories.folder("app");
    std::fs::create_dir(&folder).expect("a folder");
    git(&folder, &["init", "-q", "--bare", "--object-format=sha256"]);
    let source = git_source(&server.http("app"));
    assert_eq!(support::fetcher().verify(&source).await, expect);
    let resolved = support::fetcher().resolve(&source, &HEAD).await;
    assert!(matches!(resolved, Err(FetchError::Unsupported { .. })), "{resolved:?}");
}

#[tokio::test]
async fn a_folder_that_is_no_repository_is_told() {
    let repositories = Repositories::new();
    std::fs::create_dir(repositories.folder("empty")).expect("a folder");
    for name in ["absent", "empty"] {
        let verified = support::fetcher().verify(&git_source(&repositories.url(name))).await;
        assert!(
            matches!(verified, Err(FetchError::NotARepository { .. })),
            "{name}: {verified:?}"
        );
    }
    let closed = GitFetcher::new(Options::default()).expect("a fetcher");
    repositories.create("app");
    let verified = closed.verify(&git_source(&repositories.url("app"))).await;
    assert!(matches!(verified, Err(FetchError::HostRefused { .. })), "{verified:?}");
}

#[tokio::test]
async fn settings_that_are_not_built_are_refused() {
    let mut source = git_source("http://127.0.0.1:1/app.git");
    source.tls.ca_secret = Some("ca".to_owned());
    let fetcher = support::fetcher();
    let expect = |what: &str| Err(FetchError::Unsupported { what: what.to_owned() });
    assert_eq!(fetcher.verify(&source).await, expect("`spec.tls.caSecretRef`"));
    source.tls.ca_secret = None;
    source.unsupported = vec!["spec.auth".to_owned(), "spec.submodules".to_owned()];
    assert_eq!(fetcher.verify(&source).await, expect("`spec.auth`, `spec.submodules`"));
    source.unsupported.clear();
    source.key = SourceKey {
        kind: SourceKind::Helm,
        ..source.key
    };
    assert_eq!(
        fetcher.verify(&source).await,
        expect("a HelmRegistry as git repository")
    );
}

#[tokio::test]
async fn verify_and_resolve_ask_for_one_ref_and_never_for_a_pack() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let server = Faulty::start(move |request, stream| {
        let line_of = request.line.clone();
        let body = String::from_utf8_lossy(&request.body).into_owned();
        seen.lock().expect("a lock").push((line_of, body));
        if request.line.starts_with("GET") {
            return respond(stream, "200 OK", &[("Content-Type", ADVERTISEMENT)], &greeting());
        }
        let mut body = line(format!("{SHA} HEAD symref-target:refs/heads/main\n").as_bytes());
        body.extend(line(format!("{SHA} refs/heads/a/b\n").as_bytes()));
        body.extend_from_slice(b"0000");
        respond(stream, "200 OK", &[("Content-Type", RESULT)], &body)
    });
    let source = git_source(&server.url());
    let fetcher = support::fetcher();
    let take = || std::mem::take(&mut *asked.lock().expect("a lock"));
    let check = |prefix: &str| {
        let requests = take();
        let lines: Vec<&str> = requests.iter().map(|(line, _)| line.as_str()).collect();
        assert_eq!(
            lines,
            [
                "GET /app.git/info/refs?service=git-upload-pack HTTP/1.1",
                "POST /app.git/git-upload-pack HTTP/1.1"
            ]
        );
        let body = &requests[1].1;
        assert!(body.contains("command=ls-refs"), "{body}");
        assert!(body.contains(&format!("ref-prefix {prefix}")), "{body}");
        assert_eq!(body.matches("ref-prefix").count(), 1, "{body}");
    };
    fetcher.verify(&source).await.expect("verify");
    check("HEAD");
    fetcher.resolve(&source, &branch("a/b")).await.expect("resolve");
    check("refs/heads/a/b");
    let wanted = SourceRef::Git(GitRef::Commit(SHA.to_owned()));
    assert_eq!(fetcher.resolve(&source, &wanted).await, Ok(Revision(SHA.to_owned())));
    assert_eq!(take(), [], "a commit is its own revision");
}

#[test]
fn what_is_committed_is_sound_to_git() {
    let repositories = Repositories::new();
    repositories.create("app");
    let folder = repositories.folder("app");
    let first = files(&[("a", b"1"), ("b/c", b"2"), ("b.d", b"3"), ("b/e/f", b"4")]);
    let one = repository::commit_files(&folder, "main", &first, "one").expect("a commit");
    assert!(one.changed);
    let same = repository::commit_files(&folder, "main", &first, "again").expect("a commit");
    assert_eq!((same.changed, &same.revision), (false, &one.revision));
    let second = files(&[("a", b"1"), ("new", b"5")]);
    let two = repository::commit_files(&folder, "main", &second, "two\n\nWith a body.").expect("a commit");
    assert!(two.changed);
    git(&folder, &["fsck", "--strict", "--no-dangling"]);
    assert_eq!(git(&folder, &["symbolic-ref", "HEAD"]), "refs/heads/main");
    assert_eq!(
        git(&folder, &["rev-parse", "main", "main~1"]),
        format!("{}\n{}", two.revision, one.revision)
    );
    assert_eq!(
        git(&folder, &["ls-tree", "-r", "--name-only", "main~1"]),
        "a\nb.d\nb/c\nb/e/f"
    );
    assert_eq!(git(&folder, &["ls-tree", "-r", "--name-only", "main"]), "a\nnew");
    assert_eq!(git(&folder, &["log", "-1", "--format=%s"]), "two");
}

#[test]
fn paths_that_cannot_be_committed_are_refused() {
    let repositories = Repositories::new();
    repositories.create("app");
    let folder = repositories.folder("app");
    for path in ["", "/a", "a/", "a//b", "../a", "a/./b", ".git/config", "a/.GIT"] {
        let refused = repository::commit_files(&folder, "main", &files(&[(path, b"x")]), "no");
        assert!(
            matches!(refused, Err(repository::RepositoryError::Path { .. })),
            "{path}: {refused:?}"
        );
    }
    let both = files(&[("a", b"file"), ("a/b", b"below it")]);
    let refused = repository::commit_files(&folder, "main", &both, "no");
    assert!(
        matches!(refused, Err(repository::RepositoryError::Path { .. })),
        "{refused:?}"
    );
    let refused = repository::commit_files(&repositories.folder("absent"), "main", &both, "no");
    assert!(
        matches!(refused, Err(repository::RepositoryError::Path { .. })),
        "{refused:?}"
    );
    let refused = repository::commit_files(&repositories.folder("absent"), "main", &files(&[]), "no");
    assert!(
        matches!(refused, Err(repository::RepositoryError::Open { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_repository_is_made_only_where_nothing_is() {
    let repositories = Repositories::new();
    repositories.create("app");
    for (name, branch) in [("app", "main"), ("new", "a..b")] {
        let again = repository::init(&repositories.folder(name), branch);
        assert!(
            matches!(again, Err(repository::RepositoryError::Init { .. })),
            "{name}: {again:?}"
        );
    }
    repository::init(&repositories.folder("deep/new"), "trunk").expect("a repository");
    let head = git(&repositories.folder("deep/new"), &["symbolic-ref", "HEAD"]);
    assert_eq!(head, "refs/heads/trunk");
}

#[tokio::test]
async fn a_folder_becomes_a_commit_whenever_it_changed() {
    let repositories = Repositories::new();
    repositories.create("app");
    let (folder, tree) = (repositories.folder("app"), tempfile::tempdir().expect("a folder"));
    let tree = tree.path();
    std::fs::create_dir_all(tree.join("deep/er")).expect("a folder");
    std::fs::create_dir(tree.join(".git")).expect("a folder");
    std::fs::write(tree.join(".git/HEAD"), "not content").expect("a file");
    std::fs::write(tree.join("deep/er/a.yaml"), "a: 1\n").expect("a file");
    std::os::unix::fs::symlink("deep/er/a.yaml", tree.join("link.yaml")).expect("a link");
    let first = repository::commit_directory(&folder, "main", tree).expect("a commit");
    assert!(first.changed);
    let again = repository::commit_directory(&folder, "main", tree).expect("a commit");
    assert_eq!((again.changed, &again.revision), (false, &first.revision));
    std::fs::write(tree.join("deep/er/a.yaml"), "a: 2\n").expect("a file");
    let second = repository::commit_directory(&folder, "main", tree).expect("a commit");
    assert!(second.changed);

    let source = git_source(&repositories.url("app"));
    let fetcher = support::fetcher();
    assert_eq!(fetcher.resolve(&source, &HEAD).await, Ok(second.revision.clone()));
    let artifact = fetcher
        .fetch(&source, &HEAD, &second.revision, &Limits::default())
        .await
        .expect("fetch");
    assert_eq!(
        *artifact.files,
        files(&[("deep/er/a.yaml", b"a: 2\n"), ("link.yaml", b"a: 2\n")])
    );
    let missing = repository::commit_directory(&folder, "main", &tree.join("absent"));
    assert!(
        matches!(missing, Err(repository::RepositoryError::Read { .. })),
        "{missing:?}"
    );
}

#[tokio::test]
async fn settings_of_the_machine_are_not_read() {
    // The test runs itself with hostile settings in the environment, which only a new process can have.
    if std::env::var_os("CONVOY_HOSTILE_SETTINGS").is_some() {
        let repositories = Repositories::new();
        repositories.create("app");
        let revision = repositories.commit("app", "main", &files(&[("a", b"1")]));
        let source = git_source(&repositories.url("app"));
        let found = support::fetcher().resolve(&source, &HEAD).await;
        assert_eq!(found, Ok(revision));
        return;
    }
    let settings = tempfile::tempdir().expect("a folder");
    let file = settings.path().join("gitconfig");
    std::fs::write(&file, "[init\n broken [[[ = \n").expect("a file");
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "settings_of_the_machine_are_not_read", "--nocapture"])
        .env("CONVOY_HOSTILE_SETTINGS", "1")
        .env("GIT_CONFIG_GLOBAL", &file)
        .env("GIT_CONFIG_SYSTEM", &file)
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "extensions.objectFormat")
        .env("GIT_CONFIG_VALUE_0", "sha256")
        .env("GIT_DIR", "/nowhere")
        .env("GIT_OBJECT_DIRECTORY", "/nowhere")
        .env("HOME", settings.path())
        .env("HTTP_PROXY", "http://127.0.0.1:1")
        .env("HTTPS_PROXY", "http://127.0.0.1:1")
        .output()
        .expect("this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn a_timeout_holds_for_folders_too() {
    let repositories = Repositories::new();
    repositories.create("app");
    let names: Vec<String> = (0..2000).map(|number| format!("f{number}")).collect();
    let entries: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), name.as_bytes())).collect();
    let revision = repositories.commit("app", "main", &files(&entries));
    let mut source = git_source(&repositories.url("app"));
    source.timeout = Duration::from_millis(1);
    let answer = support::fetcher()
        .fetch(&source, &HEAD, &revision, &Limits::default())
        .await;
    assert!(matches!(answer, Err(FetchError::Timeout { .. })), "{answer:?}");
}
