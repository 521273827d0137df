//! What `convoy render helm` costs against `helm template`, with room for a busy machine and an unoptimised build; the
//! exact figures are those of `cargo bench -p convoy-testkit-golden --bench helm`.
//!
//! One test alone: processor time is counted over all children of the process.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ffi::OsString;
use std::path::Path;

use convoy_testkit_golden::charts::{self, Files};
use convoy_testkit_golden::{components, measure};

/// Milliseconds of the cheapest of a few renders.
fn cost(program: &Path, words: &[&str], files: &Files) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    charts::write(folder.path(), files);
    let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
    arguments.push(folder.path().into());
    measure::cheapest(program, &arguments, 5).as_secs_f64() * 1e3
}

#[test]
fn rendering_costs_a_fraction_of_what_helm_takes_and_grows_with_the_number_of_charts() {
    let convoy = Path::new(env!("CARGO_BIN_EXE_convoy"));
    let ours = |files: &Files| cost(convoy, &["render", "helm"], files);
    let ten = ours(&charts::umbrella("umbrella", 10));
    let hundred = ours(&charts::umbrella("umbrella", 100));
    assert!(
        hundred <= 14.0 * ten,
        "an umbrella of 100 takes {hundred:.1} ms, one of 10 {ten:.1} ms"
    );
    let Some(helm) = components::find("helm") else { return };
    for (name, files, least) in [
        ("a small chart", charts::small("small"), 2.0),
        ("a chart of 100 templates", charts::large("large", 100), 2.0),
    ] {
        let (ours, theirs) = (ours(&files), cost(&helm, &["template"], &files));
        assert!(theirs >= least * ours, "{name}: helm {theirs:.1} ms, ours {ours:.1} ms");
    }
}
