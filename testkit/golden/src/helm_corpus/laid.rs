//! The charts of a repository that is laid out as files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use convoy_sprig::semver::{Version, is_compatible};
use convoy_value::{Limits, Value, yaml};

/// A chart in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// Its folder below the repository's.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Whether it can be installed.
    pub library: bool,
}

/// So many charts within charts are filled.
const DEPTH: usize = 5;

fn read(path: &Path) -> Option<Value> {
    let text = fs::read(path).ok()?;
    yaml::helm::parse_values(text, &Limits::default()).ok()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The charts below `root` that are in no other chart, in order of their paths.
///
/// # Errors
/// When a folder cannot be read.
pub fn charts(root: &Path) -> io::Result<Vec<Chart>> {
    let mut found = Vec::new();
    walk(root, "", &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn walk(root: &Path, path: &str, found: &mut Vec<Chart>) -> io::Result<()> {
    let folder = root.join(path);
    let meta = read(&folder.join("Chart.yaml"));
    let is_chart = meta.is_some();
    if let Some(meta) = meta {
        found.push(Chart {
            path: path.into(),
            name: text(&meta, "name").into(),
            version: text(&meta, "version").into(),
            library: text(&meta, "type") == "library",
        });
    }
    for entry in fs::read_dir(&folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if entry.file_type()?.is_dir() && !(is_chart && name == "charts") {
            let below = if path.is_empty() {
                name.into()
            } else {
                format!("{path}/{name}")
            };
            walk(root, &below, found)?;
        }
    }
    Ok(())
}

/// The newest `count` charts of each name.
#[must_use]
pub fn newest(charts: &[Chart], count: usize) -> Vec<Chart> {
    let mut by_name: BTreeMap<&str, Vec<&Chart>> = BTreeMap::new();
    for chart in charts {
        by_name.entry(&chart.name).or_default().push(chart);
    }
    let mut kept: Vec<Chart> = Vec::new();
    for mut same in by_name.into_values() {
        same.sort_by(|a, b| match (Version::parse(&b.version), Version::parse(&a.version)) {
            (Ok(b), Ok(a)) => b.compare(&a),
            _ => b.version.cmp(&a.version),
        });
        kept.extend(same.into_iter().take(count).cloned());
    }
    kept.sort_by(|a, b| a.path.cmp(&b.path));
    kept
}

/// Copies what a chart's dependencies lack from the charts of the same repository, if their versions fit; answers
/// whether nothing lacks.
///
/// # Errors
/// When a file cannot be read or written.
pub fn fill(root: &Path, charts: &[Chart], path: &str) -> io::Result<bool> {
    fill_within(root, charts, path, 0)
}

fn fill_within(root: &Path, charts: &[Chart], path: &str, depth: usize) -> io::Result<bool> {
    let folder = root.join(path);
    let listed = ["Chart.yaml", "requirements.yaml"]
        .iter()
        .filter_map(|file| read(&folder.join(file)))
        .find_map(|file| {
            file.get("dependencies")
                .and_then(Value::as_array)
                .map(<[Value]>::to_vec)
        });
    for dependency in listed.unwrap_or_default() {
        let name = text(&dependency, "name");
        if is_there(&folder, name) {
            continue;
        }
        let wanted = text(&dependency, "version");
        let place = text(&dependency, "repository").strip_prefix("file://");
        let place = place.map(|place| normal(&format!("{path}/{place}")));
        let source = charts.iter().find(|chart| match &place {
            Some(place) => chart.path == *place,
            None => chart.name == name && chart.path != path && is_compatible(wanted, &chart.version),
        });
        let Some(source) = source.filter(|source| is_compatible(wanted, &source.version)) else {
            return Ok(false);
        };
        let inside = Path::new(path).starts_with(&source.path);
        if depth >= DEPTH || inside || !fill_within(root, charts, &source.path, depth + 1)? {
            return Ok(false);
        }
        copy(&root.join(&source.path), &folder.join("charts").join(name))?;
    }
    Ok(true)
}

/// Whether `charts/` has a chart of that name, as a folder or packed.
fn is_there(folder: &Path, name: &str) -> bool {
    let entries = fs::read_dir(folder.join("charts")).into_iter().flatten().flatten();
    let mut files = entries.map(|entry| entry.path());
    files.any(|file| {
        let base = file.file_name().and_then(|base| base.to_str()).unwrap_or_default();
        let packed = base.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
        packed && Path::new(base).extension().is_some_and(|kind| kind == "tgz")
            || read(&file.join("Chart.yaml")).is_some_and(|meta| text(&meta, "name") == name)
    })
}

fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    // The source may hold the target.
    let mut files: Vec<PathBuf> = Vec::new();
    list(from, &mut files)?;
    for file in files {
        let target = to.join(file.strip_prefix(from).map_err(io::Error::other)?);
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        // Links that lead nowhere are left out.
        if file.is_file() {
            fs::copy(&file, &target)?;
        }
    }
    Ok(())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            list(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// The values files that a chart brings for its own tests, at most `most`.
#[must_use]
pub fn values_files(chart: &Path, most: usize) -> Vec<String> {
    let mut files = Vec::new();
    if list(chart, &mut files).is_err() {
        return Vec::new();
    }
    let mut names: Vec<String> = files
        .iter()
        .filter_map(|file| Some(file.strip_prefix(chart).ok()?.to_str()?.to_owned()))
        .filter(|name| is_values(name) && is_plain(&chart.join(name)))
        .collect();
    names.sort();
    names.truncate(most);
    names
}

fn is_values(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".yaml").or_else(|| name.strip_suffix(".yml")) else {
        return false;
    };
    match stem.rsplit_once('/') {
        None => stem != "values" && (stem.starts_with("values") || stem.ends_with("values")),
        Some((folder, base)) => {
            let top = folder.split('/').next().unwrap_or_default();
            top == "ci" || ["tests", "test", "examples", "unittests"].contains(&top) && base.contains("values")
        }
    }
}

/// A file of values, and no manifest or suite of tests.
fn is_plain(path: &Path) -> bool {
    let Ok(text) = fs::read_to_string(path) else {
        return false;
    };
    text.len() < 1 << 20
        && !text.lines().any(|line| {
            ["apiVersion:", "kind:", "suite:"]
                .iter()
                .any(|word| line.starts_with(word))
        })
}
