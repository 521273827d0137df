//! Which version is taken and from where, against `helm pull` on the same server.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use convoy_domain::limits::Limits;
use convoy_ports::{FetchError, SourceFetcher as _};
use convoy_testkit_controlplane::component::require;

use support::charts::{self, Listed, listed};
use support::server::Server;
use support::{chart, fetcher, source, take};

/// The real tool, with a home of its own.
struct Helm {
    program: PathBuf,
    home: tempfile::TempDir,
}

impl Helm {
    fn new() -> Option<Self> {
        Some(Self {
            program: require("helm")?,
            home: tempfile::tempdir().expect("a temporary folder"),
        })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        let home = self.home.path();
        command
            .env_clear()
            .env("HOME", home)
            .env("HELM_CACHE_HOME", home.join("cache"))
            .env("HELM_CONFIG_HOME", home.join("config"))
            .env("HELM_DATA_HOME", home.join("data"));
        command
    }

    /// The name of the file that it pulls.
    fn pull(&self, repository: &str, chart: &str, version: &str) -> Result<String, String> {
        let folder = tempfile::tempdir_in(self.home.path()).expect("a folder");
        let mut command = self.command();
        command
            .args(["pull", chart, "--repo", repository, "-d"])
            .arg(folder.path());
        if !version.is_empty() {
            command.args(["--version", version]);
        }
        let output = command.output().expect("helm runs");
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let mut files = std::fs::read_dir(folder.path()).expect("a folder");
        let file = files.next().expect("a file").expect("an entry");
        Ok(file.file_name().to_string_lossy().into_owned())
    }
}

/// One archive for every version; its name tells which one was taken.
fn serve(folder: &Path, entries: &[(&str, &str)]) -> Vec<Listed> {
    let archive = charts::archive("web", "0.0.0", &[]);
    std::fs::create_dir_all(folder).expect("a folder");
    let list = entries.iter().enumerate().map(|(number, (chart, version))| {
        let file = format!("{chart}-{number}.tgz");
        std::fs::write(folder.join(&file), &archive).expect("an archive");
        listed(chart, version, &charts::digest(&archive), &[&file])
    });
    list.collect()
}

const VERSIONS: [&str; 12] = [
    "1.2.0",
    "1.10.0",
    "1.9.3",
    "2.0.0-rc.1",
    "2.0.0-alpha",
    "v1.8.0",
    "0.3.1",
    "0.3",
    "1.10.0+build.5",
    "not-a-version",
    "3.0.0-beta",
    "1.2.0",
];

#[tokio::test(flavor = "multi_thread")]
async fn versions_are_picked_as_helm_pull_picks_them() {
    let (Some(helm), Some(server)) = (Helm::new(), Server::start()) else {
        return;
    };
    let web = VERSIONS.map(|version| ("web", version));
    let more = [
        ("pre", "1.0.0-a"),
        ("pre", "1.0.0-b.2"),
        ("pre", "1.0.0-b.10"),
        ("bad", "x"),
        ("n123", "7"),
    ];
    let entries: Vec<_> = web.into_iter().chain(more).collect();
    let listed = serve(&server.root(), &entries);
    std::fs::write(server.root().join("index.yaml"), charts::index(&listed)).expect("an index");
    let (fetcher, source) = (fetcher(), source(&server.http("")));
    for (name, version) in [
        ("web", ""),
        ("web", "1.2.0"),
        ("web", "v1.2.0"),
        ("web", "1.8.0"),
        ("web", "v1.8.0"),
        ("web", "1.8"),
        ("web", "1"),
        ("web", "0.3"),
        ("web", "0.3.0"),
        ("web", "1.10.0"),
        ("web", "1.10.0+build.5"),
        ("web", "1.10.0+other"),
        ("web", "^1.2"),
        ("web", "~1.2"),
        ("web", "~1.9.0"),
        ("web", "1.x"),
        ("web", "*"),
        ("web", ">=1.2.0, <1.10.0"),
        ("web", ">=1.2.0 <1.10.0"),
        ("web", "<1 || >=1.9 <1.10"),
        ("web", "1.2 - 1.9"),
        ("web", ">2"),
        ("web", ">=2.0.0-0"),
        ("web", ">0.0.0-0"),
        ("web", "2.0.0-rc.1"),
        ("web", "~2.0.0-0"),
        ("web", "^2.0.0-alpha"),
        ("web", "!=1.10.0"),
        ("web", "=0.3.1"),
        ("web", "4"),
        ("web", "not-a-version"),
        ("web", "one two"),
        ("web", ">"),
        ("pre", ""),
        ("pre", ">0-0"),
        ("pre", "1.0.0-a"),
        ("bad", ""),
        ("bad", "x"),
        ("n123", ""),
        ("n123", "7.0.0"),
        ("absent", ""),
        ("Web", ""),
    ] {
        let pulled = helm.pull(&server.http(""), name, version);
        let resolved = fetcher.resolve(&source, &chart(name, version)).await;
        match (&pulled, &resolved) {
            (Ok(file), Ok(revision)) => {
                let number = file.trim_start_matches(&format!("{name}-")).trim_end_matches(".tgz");
                let number: usize = number.parse().expect("a number");
                let (_, version_of_helm) = entries[number];
                assert_eq!(
                    revision.shown(),
                    format!("{name}-{version_of_helm}"),
                    "{name} {version}"
                );
            }
            (Err(_), Err(FetchError::ChartNotFound { .. })) => {}
            _ => panic!("{name} {version:?}: helm {pulled:?}, here {resolved:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn archives_are_asked_for_where_helm_asks_for_them() {
    let (Some(helm), Some(server)) = (Helm::new(), Server::start()) else {
        return;
    };
    let archive = charts::archive("web", "1.0.0", &[("values.yaml", b"a: 1\n")]);
    for folder in ["charts", "charts/a", "other", "charts/a b"] {
        std::fs::create_dir_all(server.root().join(folder)).expect("a folder");
        for file in ["web.tgz", "web-1.0.0+b.tgz"] {
            std::fs::write(server.root().join(folder).join(file), &archive).expect("an archive");
        }
    }
    for (repository, reference) in [
        ("charts", "web.tgz"),
        ("charts/", "web.tgz"),
        ("charts?token=t", "web.tgz"),
        ("charts/?token=t&x=y", "a/web.tgz?z=z"),
        ("charts", "./a/../web.tgz"),
        ("charts", "../other/web.tgz"),
        ("charts", "/other/web.tgz"),
        ("charts", "web-1.0.0+b.tgz"),
        ("charts", "a%20b/web.tgz"),
        ("charts?token=t", "@http@other/web.tgz?q=r"),
        ("charts?token=t", "@localhost@other/web.tgz"),
        ("charts", "web.tgz#fragment"),
    ] {
        let url = reference
            .replace("@http@", &server.http(""))
            .replace("@localhost@", &server.other_host(""));
        let entry = listed("web", "1.0.0", &charts::digest(&archive), &[&url]);
        std::fs::write(server.root().join("charts/index.yaml"), charts::index(&[entry])).expect("an index");
        let url = server.http(repository);
        let before = server.seen().len();
        let pulled = helm.pull(&url, "web", "");
        let theirs = server.seen_since(before, 2);
        let before = before + theirs.len();
        let taken = take(&fetcher(), &source(&url), &chart("web", "")).await;
        let ours = server.seen_since(before, 2);
        assert_eq!(
            ours, theirs,
            "{repository} {reference}: helm {pulled:?}, here {taken:?}"
        );
        assert!(
            pulled.is_ok() && taken.is_ok(),
            "{repository} {reference}: {pulled:?} {taken:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_packaged_chart_and_its_index_of_helms_own_making_are_read() {
    let (Some(helm), Some(server)) = (Helm::new(), Server::start()) else {
        return;
    };
    let work = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let output = helm.command().current_dir(work.path()).args(arguments).output();
        let output = output.expect("helm runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run(&["create", "web"]);
    let root = server.root().display().to_string();
    for version in ["0.1.0", "0.2.0", "0.3.0-rc.1"] {
        run(&["package", "web", "--version", version, "-d", &root]);
    }
    run(&["repo", "index", &root]);
    let text = std::fs::read(server.root().join("index.yaml")).expect("an index");
    let shown = String::from_utf8_lossy(&text);
    assert!(
        convoy_helm::index::read_block(&text).is_some(),
        "not in block style: {shown}"
    );
    let artifact = take(&fetcher(), &source(&server.http("")), &chart("web", "")).await;
    let artifact = artifact.expect("a chart");
    assert_eq!(artifact.revision.shown(), "web-0.2.0");
    let about = String::from_utf8_lossy(&artifact.files["Chart.yaml"]).into_owned();
    assert!(about.contains("version: 0.2.0"), "{about}");
    assert!(artifact.files.contains_key("templates/deployment.yaml"));
    assert_eq!(artifact.files.keys().filter(|path| path.contains("web/")).count(), 0);
    let limits = Limits {
        files: 3,
        ..Limits::default()
    };
    let wanted = chart("web", "0.1.0");
    let source = source(&server.http(""));
    let fetcher = fetcher();
    let revision = fetcher.resolve(&source, &wanted).await.expect("a revision");
    let answer = fetcher.fetch(&source, &wanted, &revision, &limits).await;
    assert!(
        matches!(&answer, Err(FetchError::Limit { limit, .. }) if limit == "3 files"),
        "{answer:?}"
    );
}
