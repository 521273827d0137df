//! Charts, values and versions: no bytes make their readers or a render panic, run away or leave their bounds.

use std::collections::BTreeMap;

use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, Files, Selection, Settings, archive, index, render};
use convoy_sprig::semver::{Constraint, Version};
use convoy_template::Limits;

/// Small limits, so that the fuzzer meets them.
const LIMITS: Limits = Limits {
    steps: 20_000,
    templates: 20,
    nesting: 400,
    output: 1 << 16,
    heap: 1 << 20,
    text: 1 << 16,
};

/// Versions and constraints: a line each.
pub fn semver(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let lines: Vec<&str> = text.lines().take(8).collect();
    let versions: Vec<Version> = lines.iter().filter_map(|line| Version::parse(line).ok()).collect();
    for version in &versions {
        let again = Version::parse(&version.to_string()).expect("a version is printed as one");
        assert!(version.compare(&again).is_eq(), "{version} {again}");
        for other in &versions {
            assert_eq!(
                version.compare(other),
                other.compare(version).reverse(),
                "{version} {other}"
            );
        }
    }
    for line in lines {
        let Ok(constraint) = Constraint::parse(line) else {
            continue;
        };
        let again = Constraint::parse(&constraint.to_string()).expect("a constraint is printed as one");
        for version in &versions {
            let holds = constraint.check(version);
            assert_eq!(holds, constraint.validate(version).is_ok(), "{line} {version}");
            assert_eq!(holds, again.check(version), "{line} {version}");
        }
    }
}

/// A chart of one template.
fn chart(values: &str, template: &str) -> Files {
    [
        ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
        ("values.yaml", values),
        ("templates/a.yaml", template),
        ("charts/s/Chart.yaml", "apiVersion: v2\nname: s\nversion: 1.0.0\n"),
        (
            "charts/s/values.yaml",
            "a: {b: 1, c: [x]}\nglobal: {g: 1}\nexports: {data: {e: 1}}\n",
        ),
        ("charts/s/templates/s.yaml", "s: {{ .Values | toJson }}\n"),
    ]
    .into_iter()
    .map(|(name, text)| (name.to_owned(), text.as_bytes().into()))
    .collect()
}

/// Renders twice: the results are the same.
fn rendered(files: &Files, values: convoy_value::Map) {
    let Ok(chart) = Chart::load(files) else { return };
    let settings = Settings {
        values,
        limits: LIMITS,
        ..Settings::default()
    };
    let run = || render(&chart, &settings).map(|rendered| rendered.text(Selection::default()));
    let first = run();
    assert_eq!(first, run());
    if let Err(error) = first {
        assert!(!error.go_text().is_empty());
    }
}

/// Layers of values over a chart's defaults: the first byte chooses the kind, the text is the option; what follows a
/// line `---` is the chart's own values.
pub fn helm_values(data: &[u8]) {
    let Some((kind, text)) = data.split_first() else { return };
    let Ok(text) = str::from_utf8(text) else { return };
    let (option, own) = text
        .split_once("\n---\n")
        .unwrap_or((text, "a: {b: 2}\ns: {a: null}\n"));
    let layer = match kind % 6 {
        0 => Layer::File("values.yaml", option.as_bytes()),
        1 => Layer::Json(option),
        2 => Layer::Set(option),
        3 => Layer::Text(option),
        4 => Layer::Content(option),
        _ => Layer::Literal(option),
    };
    let layers = [Layer::Set("a.b=1,s.x={1,2}"), layer];
    let apply = || layers::apply(&layers, &mut |name| Ok(name.to_owned()));
    let Ok(values) = apply() else { return };
    assert_eq!(Ok(&values), apply().as_ref());
    rendered(&chart(own, "v: {{ .Values | toJson }}\n"), values);
}

/// Indexes of repositories: what the reader of block style takes, the other one reads the same; look-ups always end.
pub fn helm_index(data: &[u8]) {
    let whole = index::read_whole(data);
    if let Some(block) = index::read_block(data) {
        assert_eq!(Ok(&block), whole.as_ref());
    }
    let Ok(index) = whole else { return };
    for chart in index.charts() {
        for asked in ["", ">0-0", "1.x || ~2"] {
            if let Ok(found) = index.find(chart, asked) {
                assert!(index.versions(chart).any(|version| version == found));
            }
        }
    }
}

/// Archives: the bytes as they are, and as the tar inside of gzip.
pub fn chart_archive(data: &[u8]) {
    let limits = archive::Limits {
        total: 1 << 16,
        file: 1 << 14,
        files: 40,
        ratio: 200,
        depth: 2,
    };
    for bytes in [data.to_vec(), gzip(data)] {
        let unpacked = [archive::unpack(&bytes, &limits), archive::unpack_files(&bytes, &limits)];
        for files in unpacked.into_iter().flatten() {
            assert!(files.len() <= limits.files);
            let total: usize = files.iter().map(|file| file.data.len()).sum();
            assert!(total <= limits.total);
            for file in files {
                let is_inside = !file.name.starts_with('/') && file.name.split('/').all(|part| part != "..");
                assert!(is_inside, "{}", file.name);
            }
        }
        let _ = Chart::from_archive_within(&bytes, &limits);
    }
}

/// The bytes as gzip, not compressed.
fn gzip(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    let mut chunks = data.chunks(0xffff).peekable();
    if data.is_empty() {
        out.extend([1, 0, 0, 0xff, 0xff]);
    }
    while let Some(chunk) = chunks.next() {
        out.push(u8::from(chunks.peek().is_none()));
        let length = u16::try_from(chunk.len()).unwrap_or(0);
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend_from_slice(chunk);
    }
    let mut sum = u32::MAX;
    for byte in data {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    out.extend((!sum).to_le_bytes());
    out.extend(u32::try_from(data.len()).unwrap_or(0).to_le_bytes());
    out
}

/// A whole chart as text: files follow each other, each after a line `### name`.
pub fn helm_template(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut name = String::from("templates/a.yaml");
    for line in text.lines() {
        if let Some(next) = line.strip_prefix("### ") {
            next.clone_into(&mut name);
        } else {
            let file = files.entry(name.clone()).or_default();
            file.push_str(line);
            file.push('\n');
        }
    }
    let chart_yaml = "apiVersion: v2\nname: c\nversion: 1.0.0\n";
    files
        .entry("Chart.yaml".to_owned())
        .or_insert_with(|| chart_yaml.to_owned());
    let files: Files = files
        .into_iter()
        .map(|(name, text)| (name, text.as_bytes().into()))
        .collect();
    rendered(&files, convoy_value::Map::new());
}
