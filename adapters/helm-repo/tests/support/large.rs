//! An index as large as the largest public ones will be, written as `helm repo index` writes it.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use super::charts;

/// What it holds.
const CHARTS: u32 = 200;
const VERSIONS: u32 = 500;

/// A version in its midst.
pub(crate) const CHART: &str = "chart-0117";
pub(crate) const VERSION: &str = "~3.2.0";
pub(crate) const REVISION: &str = "chart-0117-3.2.49";

/// The chart that [`REVISION`] is, as an archive; it is expected at `files/<revision>.tgz`.
pub(crate) fn archive() -> Vec<u8> {
    charts::archive(CHART, "3.2.49", &[("values.yaml", b"a: 1\n")])
}

/// Writes it, and gives its bytes.
pub(crate) fn write(path: &Path) -> u64 {
    let mut out = BufWriter::new(File::create(path).expect("a file"));
    let real = charts::digest(&archive());
    writeln!(out, "apiVersion: v1\nentries:").expect("a line");
    for chart in 0..CHARTS {
        writeln!(out, "  chart-{chart:04}:").expect("a line");
        for number in 0..VERSIONS {
            let version = format!("{}.{}.{}", number / 100, number % 100 / 50 + 1, number % 50);
            let name = format!("chart-{chart:04}");
            let digest = if format!("{name}-{version}") == REVISION {
                real.clone()
            } else {
                format!("{chart:032x}{number:031x}f")
            };
            let entry = ENTRY
                .replace("@NAME@", &name)
                .replace("@VERSION@", &version)
                .replace("@DIGEST@", &digest);
            out.write_all(entry.as_bytes()).expect("an entry");
        }
    }
    writeln!(out, "generated: \"2026-01-02T03:04:05Z\"").expect("a line");
    out.flush().expect("a file");
    path.metadata().expect("its size").len()
}

const ENTRY: &str = r#"  - annotations:
      category: Infrastructure
    apiVersion: v2
    appVersion: @VERSION@
    created: "2026-01-02T03:04:05.678901234Z"
    dependencies:
    - name: common
      repository: https://charts.example.com/library
      version: 2.x.x
    description: The chart of @NAME@, which describes what it is for at the length that
      is usual, and so goes on to another line
    digest: @DIGEST@
    name: @NAME@
    type: application
    urls:
    - files/@NAME@-@VERSION@.tgz
    version: @VERSION@
"#;
