//! Indexes of repositories: what is read, which version is taken, and that both readers agree.

use std::fmt::Write as _;

use convoy_helm::index::{Index, IndexError, Missing, read_block, read_whole};
use proptest::prelude::*;

/// As `helm repo index` writes it, with what public indexes hold besides.
const WRITTEN: &str = r##"apiVersion: v1
entries:
  empty: []
  nginx-ingress:
  - annotations:
      artifacthub.io/changes: |
        - kind: changed
          description: "#4: a: b"

        - kind: added
      category: Infrastructure
    apiVersion: v2
    appVersion: "1.10"
    created: "2026-01-02T03:04:05.678901234Z"
    dependencies:
    - alias: other-name
      condition: common.enabled
      import-values:
      - child: a
        parent: b
      name: common
      repository: https://charts.example.com/
      tags:
      - one
      version: 1.x.x
    description: A chart whose description is long enough that it went on
      on the next line, and (on a third
      one) ended
    digest: 4c5dbf0f8a6fb5a2d0e4b2d0e1c3f9a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1
    home: https://example.com/?a=b#c
    keywords:
    - web
    maintainers:
    - email: a@example.com
      name: "Ann \U0001F680 \
        O'Neill"
    name: nginx-ingress
    sources:
      - https://example.com/a
    type: application
    urls:
    - https://charts.example.com/nginx-ingress-1.2.3.tgz
    - nginx-ingress-1.2.3.tgz
    version: 1.2.3
  - apiVersion: v1
    created: 2026-01-02T03:04:05.678901234Z
    description: 'It''s another
      one'
    digest: ""
    name: nginx-ingress
    urls:
    - nginx-ingress-1.2.2.tgz
    version: 1.2.2+build.1

  - name: nginx-ingress
    urls: []
    version: not-a-version
generated: "2026-01-02T03:04:05Z"
serverInfo: {}
"##;

fn versions(index: &Index, chart: &str) -> Vec<String> {
    index.versions(chart).map(|found| found.version.to_owned()).collect()
}

#[test]
fn an_index_in_block_style_is_read_line_by_line() {
    let index = read_block(WRITTEN.as_bytes()).expect("in block style");
    assert_eq!(read_whole(WRITTEN.as_bytes()), Ok(index.clone()));
    assert_eq!(index.charts().collect::<Vec<_>>(), ["empty", "nginx-ingress"]);
    assert_eq!(versions(&index, "nginx-ingress"), ["1.2.3", "1.2.2+build.1"]);
    let found = index.find("nginx-ingress", "1.2.3").expect("it");
    assert_eq!(
        found.urls,
        [
            "https://charts.example.com/nginx-ingress-1.2.3.tgz",
            "nginx-ingress-1.2.3.tgz"
        ]
    );
    assert_eq!(
        found.digest,
        "4c5dbf0f8a6fb5a2d0e4b2d0e1c3f9a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1"
    );
    assert_eq!(
        index.find("nginx-ingress", "~1.2.2").map(|found| found.version),
        Ok("1.2.3")
    );
    assert!(matches!(index.find("empty", ""), Err(Missing::Version)));
    assert!(matches!(index.find("absent", ""), Err(Missing::Chart)));
    assert!(matches!(
        index.find("nginx-ingress", "one"),
        Err(Missing::Constraint(_))
    ));
    assert!(matches!(index.find("nginx-ingress", "^2"), Err(Missing::Version)));
}

#[test]
fn comments_and_the_line_ends_of_windows_are_in_block_style_too() {
    let commented = format!(
        "# generated\n---\n{}",
        WRITTEN.replace("    type:", "  # a comment\n    type:")
    );
    for text in [commented, WRITTEN.replace('\n', "\r\n")] {
        let index = read_block(text.as_bytes()).expect("in block style");
        assert_eq!(Ok(index), read_whole(text.as_bytes()));
    }
}

#[test]
fn digests_are_text_however_they_begin() {
    for begin in ["0b", "0e", "1e", "00", "ab", "e0"] {
        let digest = format!("{begin}{}a", "1".repeat(61));
        let text =
            format!("apiVersion: v1\nentries:\n  web:\n  - name: web\n    version: 1.0.0\n    digest: {digest}\n");
        let index = read_block(text.as_bytes()).expect("in block style");
        assert_eq!(index.versions("web").next().map(|found| found.digest), Some(&*digest));
        assert_eq!(Ok(index), read_whole(text.as_bytes()));
    }
}

/// A repository with the versions of one chart, in this order.
fn of_versions(versions: &[&str]) -> Index {
    let mut text = String::from("apiVersion: v1\nentries:\n  web:\n");
    for version in versions {
        let _ = write!(
            text,
            "  - name: web\n    urls:\n    - web-{version}.tgz\n    version: \"{version}\"\n"
        );
    }
    Index::read(text.as_bytes()).expect("an index")
}

#[test]
fn the_newest_version_that_fits_is_taken() {
    let index = of_versions(&["1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1", "v1.10.0", "0.1"]);
    let check = |asked: &str, expect: Option<&str>| {
        let found = index.find("web", asked).ok().map(|found| found.version);
        assert_eq!(found, expect, "{asked}");
    };
    check("", Some("1.10.0"));
    check("1.10.0", Some("1.10.0"));
    check("v1.10.0", Some("v1.10.0"));
    check("v1.9.0", Some("1.9.0"));
    check("1.9", Some("1.9.0"));
    check("0.1.0", Some("0.1"));
    check(">=1", Some("1.10.0"));
    check(">=1-0", Some("2.0.0-rc.1"));
    check("2.0.0-rc.1", Some("2.0.0-rc.1"));
    check("^2", None);
    check("<1", Some("0.1"));
}

#[test]
fn what_helm_skips_is_skipped_and_what_it_refuses_is_refused() {
    let entry = |more: &str| format!("apiVersion: v1\nentries:\n  web:\n  - {{name: web, version: 1.0.0{more}}}\n");
    let check = |text: &str, expect: Result<usize, &str>| {
        let found = read_whole(text.as_bytes()).map(|index| index.versions("web").count());
        assert_eq!(
            found.map_err(|error| error.to_string()),
            expect.map_err(str::to_owned),
            "{text}"
        );
    };
    check(&entry(""), Ok(1));
    check(&entry(", type: library"), Ok(1));
    check(&entry(", type: other"), Ok(0));
    check(&entry(", maintainers: [null]"), Ok(0));
    check(&entry(", dependencies: [~]"), Ok(0));
    check(&entry(", dependencies: [{name: a, alias: a.b}]"), Ok(0));
    check(&entry(", dependencies: [{name: a}, {name: a}]"), Ok(1));
    check(&entry(", unknown: [1]"), Ok(1));
    check("apiVersion: v1\nentries: {web: [{name: .., version: 1.0.0}]}", Ok(0));
    check("apiVersion: v1\nentries: {web: [{name: a/b, version: 1.0.0}]}", Ok(0));
    check("apiVersion: v1\nentries: {web: [{name: web}, null]}", Ok(0));
    check("apiVersion: v1\nentries: {web: [{name: 1, version: 1.10}]}", Ok(1));
    check("apiVersion: v1\nentries: {web: ~}", Ok(0));
    check("apiVersion: 1\nentries: ~", Ok(0));
    check("Apiversion: v1\nEntries: {web: [{Name: web, VERSION: 1.0.0}]}", Ok(1));
    check(
        r#"{"apiVersion":"v1","apiVersion":"v2","entries":{"web":[{"name":"web","version":"1.0.0"}]}}"#,
        Ok(1),
    );
    check(
        r#"{"apiVersion":"v1","entries":{"web":[{"name":"web","version":1}]}}"#,
        Err("`entries.web[0].version` is no text"),
    );
    let aliases = "apiVersion: v1\nentries:\n  a: &a\n  - &b {name: web, version: 1.0.0}\n  web: [*b, *b]\n";
    check(aliases, Ok(2));
    check(
        "apiVersion: v1\nentries: &a {web: *a}",
        Err("line 2: the value of an anchor contains itself"),
    );
    check("", Err("it is empty"));
    check("entries: {}", Err("it names no `apiVersion`"));
    check("<html>", Err("`index` is no map"));
    check("apiVersion: v1\nentries: []", Err("`entries` is no map"));
    check("apiVersion: v1\nentries: {web: {}}", Err("`entries.web` is no list"));
    check(
        "apiVersion: v1\nentries: {web: [{version: [1]}]}",
        Err("`entries.web[0].version` is no text"),
    );
    check(
        "apiVersion: v1\nentries: {web: [{urls: [[]]}]}",
        Err("`entries.web[0].urls` is no list of texts"),
    );
    for twice in [
        "apiVersion: v1\napiVersion: v1\n",
        "apiVersion: v1\nentries:\n  a: []\n  a: []\n",
        "apiVersion: v1\nentries:\n  a:\n  - name: b\n    name: b\n",
        "apiVersion: v1\nentries:\n  a:\n  - annotations:\n      x: y\n      x: y\n",
    ] {
        assert_eq!(read_block(twice.as_bytes()), None);
        let error = read_whole(twice.as_bytes()).expect_err("a key twice");
        assert!(matches!(error, IndexError::Syntax { .. }), "{error}");
    }
    let bomb: String = (1..12).fold("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, n| {
        let names = vec![format!("*a{}", n - 1); 10].join(",");
        text + &format!("a{n}: &a{n} [{names}]\n")
    });
    let error = read_whole(bomb.as_bytes()).expect_err("too much of aliases");
    assert!(matches!(error, IndexError::Limit(_)), "{error}");
    let large = vec![b'#'; 17 << 20];
    let error = Index::read(&large).expect_err("too large");
    assert!(error.to_string().contains("16777216 bytes"), "{error}");
}

/// What both readers say of a text: a text that the first one takes means the same to the second one.
fn agree(text: &[u8]) -> bool {
    match read_block(text) {
        Some(index) => {
            assert_eq!(Ok(index), read_whole(text), "{}", String::from_utf8_lossy(text));
            true
        }
        None => false,
    }
}

/// Pieces of lines that are right or wrong in ways that matter.
const VALUES: [&str; 78] = [
    "",
    "1.2.3",
    "\"1.2.3\"",
    "'1.2.3'",
    "1.2",
    "v1",
    "1e3",
    "0x1",
    "~",
    "null",
    "yes",
    "on",
    "true",
    ".nan",
    "-.inf",
    "2026-01-02",
    "12:30:45",
    "|",
    ">-",
    "|2",
    "|+",
    "[]",
    "{}",
    "[a, b]",
    "{a: b}",
    "&a b",
    "*a",
    "!!str 1",
    "a: b",
    "a #b",
    "a#b",
    "#",
    "a:",
    ":a",
    "- a",
    "-a",
    "?a",
    "@a",
    "`a",
    "%a",
    "\"a\\\"b\"",
    "\"a\\qb\"",
    "\"a\\",
    "\"a",
    "'a",
    "'it''s'",
    "a\tb",
    "a\u{85}b",
    "a\u{2028}b",
    "\u{feff}",
    "é",
    "🚀",
    "a  ",
    "\"a\" b",
    "<<",
    "=",
    "application",
    "library",
    "plugin",
    "..",
    "a/b",
    "../a.tgz",
    "https://h/a.tgz",
    "0b11",
    "1_000",
    "---",
    "...",
    "a\\b",
    "1.0.0-rc.1",
    "\"\\x41\\u00e9\\U0001F680\"",
    "\"\\ud800\"",
    "(a",
    "^1",
    "!a",
    "a,b",
    "a]",
    "1e999",
    "4c5dbf0f8a6fb5a2d0e4b2d0e1c3f9a7b6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1",
];

fn value() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(&VALUES[..]);
    prop_oneof![6 => fixed.prop_map(|fixed: &str| fixed.to_owned()), 1 => "[ -~]{0,12}"]
}

fn key() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "apiVersion",
        "entries",
        "generated",
        "name",
        "version",
        "urls",
        "digest",
        "type",
        "maintainers",
        "dependencies",
        "alias",
        "annotations",
        "description",
        "web",
        "on",
        "y",
        "1",
        "Name",
        "VERSION",
        "a b",
        "a.b/c",
        "\"q\"",
        "<<",
        "?",
    ])
}

/// A line, at whatever depth.
fn line() -> impl Strategy<Value = String> {
    let indent = prop::sample::select(vec![0_usize, 0, 1, 2, 2, 3, 4, 4, 5, 6, 8]);
    let dash = prop::sample::select(vec!["", "", "", "- ", "-  ", "-", "- - "]);
    let content = prop_oneof![
        8 => (key(), value()).prop_map(|(key, value)| format!("{key}: {value}")),
        2 => key().prop_map(|key| format!("{key}:")),
        2 => value(),
        1 => Just(String::new()),
        1 => Just("# comment".to_owned()),
        1 => Just("a\r".to_owned()),
    ];
    (indent, dash, content).prop_map(|(indent, dash, content)| format!("{}{dash}{content}", " ".repeat(indent)))
}

/// An index that is right, but for a few lines that are put in, taken out, moved or made anew.
fn disturbed() -> impl Strategy<Value = String> {
    let edit = (any::<prop::sample::Index>(), 0..5_u8, line(), value());
    prop::collection::vec(edit, 0..4).prop_map(|edits| {
        let mut lines: Vec<String> = WRITTEN.lines().map(str::to_owned).collect();
        for (place, kind, line, value) in edits {
            let at = place.index(lines.len());
            match kind {
                0 => lines.insert(at, line),
                1 => drop(lines.remove(at)),
                2 => lines[at].insert(0, ' '),
                3 if lines[at].starts_with(' ') => {
                    lines[at].remove(0);
                }
                3 => lines[at].clear(),
                _ => {
                    let end = lines[at].find(": ").map_or(lines[at].len(), |end| end + 2);
                    lines[at].truncate(end);
                    lines[at].push_str(&value);
                }
            }
        }
        lines.join("\n") + "\n"
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn both_readers_agree_on_disturbed_indexes(text in disturbed()) {
        agree(text.as_bytes());
    }

    #[test]
    fn both_readers_agree_on_any_lines(lines in prop::collection::vec(line(), 0..12)) {
        agree(format!("apiVersion: v1\n{}", lines.join("\n")).as_bytes());
    }

    #[test]
    fn both_readers_agree_on_entries(lines in prop::collection::vec((key(), value()), 0..6), tail in line()) {
        let mut text = String::from("apiVersion: v1\nentries:\n  web:\n  - name: web\n    version: 1.0.0\n");
        for (key, value) in lines {
            let _ = writeln!(text, "    {key}: {value}");
        }
        agree((text + &tail).as_bytes());
    }
}
