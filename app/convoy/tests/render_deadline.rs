//! `--limit-render-time`: whatever a chart asks for, the command ends soon after.
//!
//! What is measured is processor time, so that a busy machine changes nothing: the deadline is one of the clock, and no
//! render uses much more processor time than passes.
//!
//! One test alone: processor time is counted over all children of the process.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use convoy_testkit_golden::measure::children_time;

/// Above the second that is allowed: what cannot be interrupted, start-up and the end, in a build for tests.
const GRACE: Duration = Duration::from_millis(1_500);

/// Templates that would go on for much longer, each in one kind of work.
const TEMPLATES: [(&str, &str); 14] = [
    (
        "steps",
        "{{ range until 10000 }}{{ range until 10000 }}{{ add 1 2 }}{{ end }}{{ end }}",
    ),
    ("rsa", "{{ range until 100 }}{{ genPrivateKey \"rsa\" | len }}{{ end }}"),
    (
        "certificates",
        "{{ range until 1000 }}{{ (genCA \"a\" 1).Cert | len }}{{ end }}",
    ),
    ("bcrypt", "{{ range until 1000 }}{{ bcrypt (print .) | len }}{{ end }}"),
    (
        "htpasswd",
        "{{ range until 1000 }}{{ htpasswd \"u\" (print .) | len }}{{ end }}",
    ),
    (
        "scrypt",
        "{{ range until 1000 }}{{ derivePassword 1 \"long\" (print .) \"u\" \"s\" | len }}{{ end }}",
    ),
    (
        "sort",
        "{{ $l := splitList \",\" (repeat 2000000 \"b,a,\") }}{{ range until 100 }}{{ sortAlpha $l | len }}{{ end }}",
    ),
    (
        "texts",
        "{{ $t := repeat 60000000 \"x\" }}{{ range until 1000 }}{{ $t | upper | len }}{{ end }}",
    ),
    (
        "joined",
        "{{ $t := \"\" }}{{ range until 1000 }}{{ $t = print $t (repeat 6000000 \"x\") }}{{ end }}{{ len $t }}",
    ),
    (
        "printed",
        "{{ $l := until 1000000 }}{{ range until 1000 }}{{ printf \"%v\" $l | len }}{{ end }}",
    ),
    (
        "yaml",
        "{{ $l := until 500000 }}{{ range until 1000 }}{{ toYaml $l | len }}{{ end }}",
    ),
    (
        "json",
        "{{ $t := toJson (until 500000) }}{{ range until 1000 }}{{ fromJsonArray $t | len }}{{ end }}",
    ),
    (
        "patterns",
        "{{ $t := repeat 1000000 \"ab\" }}{{ range until 1000 }}{{ regexReplaceAll \"(a|b)+?\" $t \"$1\" | len }}{{ end }}",
    ),
    (
        "hashes",
        "{{ $t := repeat 1000000 \"ab\" }}{{ range until 10000 }}{{ sha512sum $t | len }}{{ end }}",
    ),
];

fn chart(dir: &Path, template: &str) {
    fs::create_dir(dir.join("templates")).expect("a folder can be made");
    fs::write(dir.join("Chart.yaml"), "apiVersion: v2\nname: c\nversion: 0.1.0\n").expect("a file can be written");
    fs::write(dir.join("templates/a.yaml"), template).expect("a file can be written");
}

#[test]
fn every_kind_of_work_ends_soon_after_the_time_is_over() {
    for (name, template) in TEMPLATES {
        let dir = tempfile::tempdir().expect("a folder can be made");
        chart(dir.path(), template);
        let before = children_time();
        let output = Command::new(env!("CARGO_BIN_EXE_convoy"))
            .args(["render", "helm"])
            .arg(dir.path())
            .args(["--limit-render-time", "1s"])
            .stdin(Stdio::null())
            .output()
            .expect("the command runs");
        let took = children_time().saturating_sub(before);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{name} ended by itself in {took:?}");
        assert!(error.contains("limit"), "{name}: {error}");
        assert!(took < Duration::from_secs(1) + GRACE, "{name} took {took:?}: {error}");
    }
}
