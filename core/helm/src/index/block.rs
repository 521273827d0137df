//! An index in block style.

use alloc::vec::Vec;

use convoy_sprig::semver::Version;

use super::Index;
use super::lines::Lines;

/// What an entry says, as far as it is read.
#[derive(Default)]
struct Fields<'t> {
    name: &'t str,
    version: &'t str,
    digest: &'t str,
}

const TOP: [&str; 2] = ["apiVersion", "entries"];
const OF_VERSIONS: [&str; 7] = [
    "name",
    "version",
    "type",
    "digest",
    "urls",
    "maintainers",
    "dependencies",
];

pub(super) fn read(text: &str) -> Option<Index> {
    let mut lines = Lines::new(text)?;
    let mut index = Index::default();
    let mut api_version = "";
    lines.mapping(0, |lines, key, value| match key {
        "apiVersion" => {
            api_version = lines.text(value, 0)?;
            Some(())
        }
        "entries" => entries(lines, value, &mut index),
        _ => other(lines, key, value, 0, &TOP),
    })?;
    (lines.line.is_none() && !api_version.is_empty()).then(|| index.settle())
}

/// Passes over a member that is not read. Go reads fields by any case of their names.
fn other<'t>(lines: &mut Lines<'t>, key: &str, value: &'t str, indent: usize, read: &[&str]) -> Option<()> {
    if read.iter().any(|name| name.eq_ignore_ascii_case(key)) {
        return None;
    }
    lines.skip(value, indent, 0)
}

fn entries<'t>(lines: &mut Lines<'t>, value: &'t str, index: &mut Index) -> Option<()> {
    if value == "{}" {
        return lines.skip(value, 0, 0);
    }
    value.is_empty().then_some(())?;
    let indent = lines.mapping_below(0)?;
    let mut urls = Vec::new();
    lines.members(indent, |lines, chart, value| {
        index.open(chart).then_some(())?;
        if value == "[]" {
            return lines.skip(value, indent, 0);
        }
        value.is_empty().then_some(())?;
        let dashes = lines.sequence_below(indent)?;
        lines.items(dashes, |lines| {
            urls.clear();
            let fields = version(lines, &mut urls)?;
            let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
            fields.name.bytes().all(legal).then_some(())?;
            let named = !matches!(fields.name, "" | "." | "..");
            if named && Version::parse(fields.version).is_ok() {
                index
                    .add(chart, fields.version, fields.digest, urls.iter().copied())
                    .ok()?;
            }
            Some(())
        })
    })
}

fn version<'t>(lines: &mut Lines<'t>, urls: &mut Vec<&'t str>) -> Option<Fields<'t>> {
    let indent = lines.line?.indent;
    let mut fields = Fields::default();
    lines.mapping(indent, |lines, key, value| {
        match key {
            "name" => fields.name = lines.text(value, indent)?,
            "version" => fields.version = lines.text(value, indent)?,
            "digest" => fields.digest = lines.text(value, indent)?,
            "type" => matches!(lines.text(value, indent)?, "application" | "library").then_some(())?,
            "urls" if value.is_empty() => {
                let dashes = lines.sequence_below(indent)?;
                lines.items(dashes, |lines| {
                    let line = lines.line?;
                    urls.push(lines.text(line.content, dashes)?);
                    Some(())
                })?;
            }
            "maintainers" | "dependencies" if value.is_empty() => records(lines, indent)?,
            "urls" | "maintainers" | "dependencies" if value == "[]" => lines.skip(value, indent, 0)?,
            _ => other(lines, key, value, indent, &OF_VERSIONS)?,
        }
        Some(())
    })?;
    Some(fields)
}

/// A sequence of mappings, of which aliases alone matter.
fn records(lines: &mut Lines<'_>, outer: usize) -> Option<()> {
    let dashes = lines.sequence_below(outer)?;
    lines.items(dashes, |lines| {
        let indent = lines.line?.indent;
        lines.mapping(indent, |lines, key, value| {
            if key != "alias" {
                return other(lines, key, value, indent, &["alias"]);
            }
            let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
            lines.text(value, indent)?.bytes().all(legal).then_some(())
        })
    })
}
