//! The real `helm`, in a home of its own.

use std::path::Path;
use std::process::Command;

use convoy_domain::artifact::Files;
use convoy_testkit_controlplane::component::require;

use super::registries::RunningRegistry;
use super::{PASSWORD, USER};

/// Helm, and a folder for what it writes.
#[derive(Debug)]
pub(crate) struct Helm {
    program: std::path::PathBuf,
    pub(crate) folder: tempfile::TempDir,
}

impl Helm {
    /// `None` where it is absent.
    pub(crate) fn find() -> Option<Self> {
        Some(Self {
            program: require("helm")?,
            folder: tempfile::tempdir().expect("a temporary folder"),
        })
    }

    /// Runs it; gives what it prints.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let home = self.folder.path();
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(home)
            .env_clear()
            .env("HOME", home)
            .env("PATH", "/usr/bin:/bin");
        let done = command.output().expect("helm");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if done.status.success() {
            Ok(text(&done.stdout))
        } else {
            Err(text(&done.stderr))
        }
    }

    /// Writes a chart of many kinds of files, packages it and pushes it to `registry` below `path`.
    pub(crate) fn publish(&self, registry: &RunningRegistry, path: &str, name: &str, version: &str) {
        let folder = self.folder.path().join(name);
        for (file, content) in chart_files(name, version) {
            let file = folder.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, content).expect("a file");
        }
        self.run(&["package", name]).expect("a package");
        let package = format!("{name}-{version}.tgz");
        let target = registry.oci(path);
        let mut arguments = vec!["push", &package, &target];
        let options = options(registry);
        arguments.extend(options.iter().map(String::as_str));
        self.run(&arguments).expect("helm push");
    }

    /// What `helm pull` unpacks, below the chart's folder.
    pub(crate) fn pull(
        &self,
        registry: &RunningRegistry,
        path: &str,
        name: &str,
        version: &str,
    ) -> Result<Files, String> {
        let out = tempfile::tempdir_in(self.folder.path()).expect("a folder");
        let (from, to) = (
            registry.oci(&format!("{path}/{name}")),
            out.path().display().to_string(),
        );
        let mut arguments = vec!["pull", &from, "--version", version, "--untar", "--untardir", &to];
        let options = options(registry);
        arguments.extend(options.iter().map(String::as_str));
        self.run(&arguments)?;
        let mut files = Files::new();
        read_folder(&out.path().join(name), "", &mut files);
        Ok(files)
    }
}

/// Credentials are given always: a registry that wants none passes over them.
fn options(registry: &RunningRegistry) -> Vec<String> {
    let mut options = vec![format!("--username={USER}"), format!("--password={PASSWORD}")];
    if registry.authority.is_some() {
        options.push(format!("--ca-file={}", registry.authority_file().display()));
    } else {
        options.push("--plain-http".to_owned());
    }
    options
}

fn chart_files(name: &str, version: &str) -> Vec<(String, Vec<u8>)> {
    let metadata = format!("apiVersion: v2\nname: {name}\nversion: {version}\nappVersion: \"1\"\n");
    let text = |name: &str, content: &str| (name.to_owned(), content.as_bytes().to_vec());
    vec![
        text("Chart.yaml", &metadata),
        text("values.yaml", "replicas: 1\n"),
        text("templates/a.yaml", "a: {{ .Values.replicas }}\n"),
        text("templates/_helpers.tpl", ""),
        text("crds/crd.yaml", "b: 1\n"),
        text("files/größe/é.txt", "ü\n"),
        text(&format!("files/{}/deep.txt", "long-name/".repeat(15)), "deep\n"),
        ("files/bytes.bin".to_owned(), (0..=255).cycle().take(70_000).collect()),
        text("README.md", "hello\n"),
    ]
}

fn read_folder(folder: &Path, prefix: &str, files: &mut Files) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let path = format!("{prefix}{name}");
        if entry.file_type().expect("a kind").is_dir() {
            read_folder(&entry.path(), &format!("{path}/"), files);
        } else {
            let content = std::fs::read(entry.path()).expect("a file");
            files.insert(path, content.into());
        }
    }
}
