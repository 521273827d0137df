//! Where the real tools are, and what their absence means.

use std::env;
use std::path::PathBuf;

/// The tool `name` in the components' folder.
///
/// Absent tools are reported on standard output and answer `None`; with `CONVOY_COMPONENTS=required`, as in CI,
/// absence is a failure.
///
/// # Panics
/// When the tool is absent and components are required.
#[must_use]
pub fn find(name: &str) -> Option<PathBuf> {
    let path = folder()?.join(name);
    if path.is_file() {
        return Some(path);
    }
    report_absence(name);
    None
}

#[expect(clippy::print_stdout, reason = "a test that is skipped must say so")]
fn report_absence(name: &str) {
    assert!(
        env::var("CONVOY_COMPONENTS").as_deref() != Ok("required"),
        "{name} is absent, and CONVOY_COMPONENTS=required"
    );
    println!("skipped: {name} is absent");
}

/// `$CONVOY_COMPONENTS_DIR/bin`, by default `~/.cache/convoy-components/bin`.
fn folder() -> Option<PathBuf> {
    let root = match env::var_os("CONVOY_COMPONENTS_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(env::var_os("HOME")?).join(".cache/convoy-components"),
    };
    Some(root.join("bin"))
}
