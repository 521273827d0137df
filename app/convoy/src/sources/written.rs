//! A Release's source in files: its document, and the Secrets that stand beside it.

use std::collections::BTreeMap;

use convoy_domain::credentials::Entries;
use convoy_domain::release::Release;
use convoy_domain::secret::Secret;
use convoy_domain::source::Source;
use convoy_kube::written_source;
use convoy_value::Value;

use crate::documents::Document;
use crate::failure::Failure;

/// How the URL of a source names a directory beside its file.
pub(crate) const RELATIVE: &str = "file://./";

/// The document of the source that a Release names.
pub(crate) fn of_release<'a>(documents: &'a [Document], release: &Release) -> Result<&'a Document, Failure> {
    let key = &release.spec.source;
    let found = documents.iter().find(|document| {
        document.group() == convoy_kube::crd::SOURCE_GROUP
            && document.text(&["kind"]) == key.kind.kind()
            && document.text(&["metadata", "name"]) == key.id.name()
            && document.namespace() == key.id.namespace()
    });
    found.ok_or_else(|| {
        Failure::new(format!(
            "{key}, the source of Release {}, is not in the files",
            release.id
        ))
        .hint("name its file too, or a directory with `--source DIR`")
    })
}

/// The source that a document describes, with what the Secrets beside it hold.
pub(crate) fn described(documents: &[Document], document: &Document, release: &Release) -> Result<Source, Failure> {
    let invalid = || Failure::new(format!("{} is not valid", document.place()));
    let kind = release.spec.source.kind;
    let source = written_source(kind, document.json()).map_err(|error| invalid().because(&error))?;
    let secrets = secrets(documents, source.key.id.namespace())?;
    source.with_secrets(&secrets).map_err(|error| {
        Failure::of(&error)
            .at(document.place())
            .hint("name a file with the Secret too: its `data` or `stringData` is read, and never printed")
    })
}

/// The Secrets of a namespace that the files hold.
fn secrets(documents: &[Document], namespace: &str) -> Result<BTreeMap<String, Entries>, Failure> {
    let mut found = BTreeMap::new();
    for document in documents {
        if document.group().is_empty() && document.text(&["kind"]) == "Secret" && document.namespace() == namespace {
            found.insert(document.text(&["metadata", "name"]).to_owned(), entries(document)?);
        }
    }
    Ok(found)
}

/// `stringData` over `data`, as an API server puts them together.
fn entries(document: &Document) -> Result<Entries, Failure> {
    let mut entries = Entries::new();
    let members = |field: &str| document.value.get(field).and_then(Value::as_object);
    for (key, value) in members("data").into_iter().flat_map(convoy_value::Map::iter) {
        let bytes = value.as_str().and_then(|text| decoded(text.as_bytes()));
        let bytes = bytes.ok_or_else(|| Failure::new(format!("`data.{key}` of {} is no base64", document.place())))?;
        entries.insert(key.to_owned(), Secret::new(bytes));
    }
    for (key, value) in members("stringData").into_iter().flat_map(convoy_value::Map::iter) {
        let text = value
            .as_str()
            .ok_or_else(|| Failure::new(format!("`stringData.{key}` of {} is no text", document.place())))?;
        entries.insert(key.to_owned(), Secret::new(text.as_bytes().to_vec()));
    }
    Ok(entries)
}

/// Base64 as Kubernetes has it; line ends between its digits, which YAML may leave, do not count.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    convoy_sprig::decode64(&digits).ok()
}
