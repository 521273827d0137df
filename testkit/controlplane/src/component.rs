//! Where the real tools are that tests run against, and what a test does without them.
//!
//! `testkit/components/install` puts each tool under one folder; a test asks for it by name with [`require`] and
//! returns early when the answer is `None`.
//!
//! # Invariant
//! The absence of a tool is never silent: it is printed where it is tolerated, and a panic where `CONVOY_COMPONENTS`
//! is `required`, as in CI.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The variable that makes the absence of a component a failure, when its value is `required`.
pub const REQUIRED_VARIABLE: &str = "CONVOY_COMPONENTS";

/// The variable that names the components' folder.
pub const FOLDER_VARIABLE: &str = "CONVOY_COMPONENTS_DIR";

/// The folder the installer fills: `CONVOY_COMPONENTS_DIR`, else `~/.cache/convoy-components`.
#[must_use]
pub fn folder() -> PathBuf {
    folder_from(std::env::var_os(FOLDER_VARIABLE), std::env::var_os("HOME"))
}

/// The path of the installed program `name` (`helm`, `kubectl`, `etcd`, `kube-apiserver`, `nginx`, …), or `None`.
///
/// Only the pinned program counts: whatever `PATH` holds under the same name is another version.
#[must_use]
pub fn component(name: &str) -> Option<PathBuf> {
    component_in(&folder(), name)
}

/// As [`component`], and says so when the program is absent.
///
/// ```no_run
/// use convoy_testkit_controlplane::component::require;
///
/// let Some(helm) = require("helm") else { return };
/// # drop(helm);
/// ```
///
/// # Panics
/// When the program is absent and `CONVOY_COMPONENTS` is `required`.
#[must_use]
pub fn require(name: &str) -> Option<PathBuf> {
    let found = component(name);
    if found.is_none() {
        absent(name);
    }
    found
}

/// Says that the test at hand is skipped because `name` is absent, and which call of the installer brings it.
///
/// # Panics
/// When `CONVOY_COMPONENTS` is `required`.
pub fn absent(name: &str) {
    let message = absence(name);
    assert!(
        !is_required(std::env::var_os(REQUIRED_VARIABLE)),
        "{message}, and {REQUIRED_VARIABLE} is `required`"
    );
    // Not the print macro: the test harness swallows that of a test that passes. A closed stderr hides it, no more.
    let _ = writeln!(std::io::stderr(), "skipped: {message}");
}

fn absence(name: &str) -> String {
    format!("{name} is absent (testkit/components/install {})", installed_by(name))
}

/// What to give the installer for the program `name`.
fn installed_by(name: &str) -> &str {
    match name {
        "kubectl" => "helm",
        "kube-apiserver" | "kube-controller-manager" => "controlplane",
        "nginx" | "fcgiwrap" | "htpasswd" | "git-http-backend" => "git-http",
        "registry" | "in-memory-registry" => "registries",
        "sshd" | "ssh-keygen" | "gpg" | "libnss_wrapper.so" => "git-ssh",
        "weed" => "seaweedfs",
        "azurite-blob" => "azurite",
        other => other,
    }
}

fn is_required(variable: Option<OsString>) -> bool {
    variable.is_some_and(|value| value == "required")
}

fn folder_from(named: Option<OsString>, home: Option<OsString>) -> PathBuf {
    match named.filter(|name| !name.is_empty()) {
        Some(named) => PathBuf::from(named),
        None => PathBuf::from(home.unwrap_or_else(|| "/".into())).join(".cache/convoy-components"),
    }
}

fn component_in(folder: &Path, name: &str) -> Option<PathBuf> {
    let path = folder.join("bin").join(name);
    let metadata = std::fs::metadata(&path).ok()?;
    (metadata.is_file() && metadata.permissions().mode() & 0o111 != 0).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_counts_only_when_it_can_be_executed() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        std::fs::write(bin.join("helm"), "").unwrap();
        assert_eq!(
            component_in(folder.path(), "helm"),
            None,
            "it has no execute permission yet"
        );
        std::fs::set_permissions(bin.join("helm"), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(component_in(folder.path(), "helm"), Some(bin.join("helm")));
        assert_eq!(component_in(folder.path(), "etcd"), None);
    }

    #[test]
    fn the_folder_can_be_named() {
        let check = |named: Option<&str>, home: Option<&str>, expect: &str| {
            assert_eq!(
                folder_from(named.map(Into::into), home.map(Into::into)),
                Path::new(expect)
            );
        };
        check(Some("/cache"), Some("/home/ann"), "/cache");
        check(Some(""), Some("/home/ann"), "/home/ann/.cache/convoy-components");
        check(None, Some("/home/ann"), "/home/ann/.cache/convoy-components");
        check(None, None, "/.cache/convoy-components");
    }

    #[test]
    fn only_the_word_required_makes_absence_a_failure() {
        let check = |value: Option<&str>, expect: bool| assert_eq!(is_required(value.map(Into::into)), expect);
        check(Some("required"), true);
        check(Some("optional"), false);
        check(Some(""), false);
        check(None, false);
    }

    #[test]
    fn an_absent_component_is_named_with_the_call_that_installs_it() {
        let check = |name: &str, expect: &str| assert_eq!(absence(name), expect);
        check("helm", "helm is absent (testkit/components/install helm)");
        check("kubectl", "kubectl is absent (testkit/components/install helm)");
        check(
            "kube-apiserver",
            "kube-apiserver is absent (testkit/components/install controlplane)",
        );
        check("nginx", "nginx is absent (testkit/components/install git-http)");
    }
}
