//! An index in any style, read as Helm reads it.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use convoy_sprig::semver::Version;
use convoy_value::{Limits, Map, Value, json, yaml};

use super::{Index, IndexError, WHOLE_BYTES};
use crate::decode;
use crate::metadata;

type Result<T> = core::result::Result<T, IndexError>;

/// How scalars become text: YAML's readers take a number for the text it is written as, JSON's do not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Json,
    Yaml,
}

pub(super) fn read(text: &[u8]) -> Result<Index> {
    if text.is_empty() {
        return Err(IndexError::Empty);
    }
    let limits = Limits {
        bytes: WHOLE_BYTES,
        ..Limits::default()
    };
    if text.len() > limits.bytes {
        return Err(IndexError::Limit(format!(
            "{WHOLE_BYTES} bytes of an index that is not in block style"
        )));
    }
    match json::parse(text, &limits) {
        Ok(value) => index(&value, Source::Json),
        Err(_) => match yaml::helm::parse_strict(text, &limits) {
            Ok(value) => index(&value, Source::Yaml),
            Err(error) => Err(refused(&error)),
        },
    }
}

fn refused(error: &yaml::Error) -> IndexError {
    let message = error.message().to_owned();
    if matches!(error.kind(), yaml::ErrorKind::Limit { .. }) {
        return IndexError::Limit(message);
    }
    IndexError::Syntax {
        line: error.line(),
        message,
    }
}

fn index(value: &Value, source: Source) -> Result<Index> {
    let top = map(value, "")?;
    let mut index = Index::default();
    let charts = top.map_or(Ok(None), |top| match decode::field(top, "entries") {
        None => Ok(None),
        Some(entries) => map(entries, "entries"),
    })?;
    for (chart, versions) in charts.into_iter().flat_map(Map::iter) {
        let field = format!("entries.{chart}");
        index.open(chart);
        for (place, entry) in list(versions, &field)?.iter().enumerate() {
            let field = format!("{field}[{place}]");
            let Some(entry) = map(entry, &field)? else { continue };
            add(&mut index, chart, entry, &field, source)?;
        }
    }
    let api_version = top.map_or(Ok(String::new()), |top| text(top, "apiVersion", "", source))?;
    if api_version.is_empty() {
        return Err(IndexError::NoApiVersion);
    }
    Ok(index.settle())
}

/// Adds a version, unless Helm would skip it.
fn add(index: &mut Index, chart: &str, entry: &Map, field: &str, source: Source) -> Result<()> {
    let text = |name| text(entry, name, field, source);
    let (mut name, version, kind, digest) = (text("name")?, text("version")?, text("type")?, text("digest")?);
    metadata::sanitize(&mut name);
    let urls = texts(entry, "urls", field, source)?;
    let named = !matches!(name.as_str(), "" | "." | "..") && !name.contains('/');
    let typed = matches!(kind.as_str(), "" | "application" | "library");
    let whole = records(entry, "maintainers", field, source)? && records(entry, "dependencies", field, source)?;
    if named && typed && whole && Version::parse(&version).is_ok() {
        index.add(chart, &version, &digest, urls.iter().map(String::as_str))?;
    }
    Ok(())
}

/// Whether a list of maintainers or dependencies has neither nulls nor aliases that cannot be one.
fn records(entry: &Map, name: &str, field: &str, source: Source) -> Result<bool> {
    let field = format!("{field}.{name}");
    let records = decode::field(entry, name).map_or(Ok(&[][..]), |records| list(records, &field))?;
    let mut whole = true;
    for record in records {
        let Some(record) = map(record, &field)? else {
            whole = false;
            continue;
        };
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        whole &= name != "dependencies" || text(record, "alias", &field, source)?.chars().all(legal);
    }
    Ok(whole)
}

fn map<'v>(value: &'v Value, field: &str) -> Result<Option<&'v Map>> {
    match value {
        Value::Null => Ok(None),
        Value::Object(map) => Ok(Some(map)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Err(mismatch(field, "", "map")),
    }
}

fn list<'v>(value: &'v Value, field: &str) -> Result<&'v [Value]> {
    match value {
        Value::Null => Ok(&[]),
        Value::Array(items) => Ok(items),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => Err(mismatch(field, "", "list")),
    }
}

/// The text of a field; empty if it is absent or null.
fn text(map: &Map, name: &str, parent: &str, source: Source) -> Result<String> {
    match decode::field(map, name) {
        None => Ok(String::new()),
        Some(value) => scalar(value, source).ok_or_else(|| mismatch(parent, name, "text")),
    }
}

fn texts(map: &Map, name: &str, parent: &str, source: Source) -> Result<Vec<String>> {
    let Some(items) = decode::field(map, name) else {
        return Ok(Vec::new());
    };
    let items = list(items, &format!("{parent}.{name}"))?.iter();
    let texts = items.map(|item| scalar(item, source).ok_or_else(|| mismatch(parent, name, "list of texts")));
    texts.collect()
}

fn scalar(value: &Value, source: Source) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => Some(String::new()),
        Value::Bool(_) | Value::Number(_) if source == Source::Yaml => decode::plain(value),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn mismatch(parent: &str, name: &str, want: &'static str) -> IndexError {
    let dot = if parent.is_empty() || name.is_empty() { "" } else { "." };
    let field = format!("{parent}{dot}{name}");
    IndexError::Type {
        field: if field.is_empty() { "index".to_owned() } else { field },
        want,
    }
}
