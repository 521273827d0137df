//! Documents to objects: what of a file is one object, and what wraps several.
//!
//! # Invariant
//! No error repeats a value, and none of a List's items passes unseen.

use alloc::borrow::Cow;
use alloc::string::ToString;
use alloc::vec::Vec;

use convoy_value::{Value, yaml};

use super::{Place, RenderError, check_identities};
use crate::limits::Limits;
use crate::object::Object;

/// Most documents of one file, empty ones included.
pub const DOCUMENTS: usize = 100_000;

/// Objects read so far, and where each was written.
pub(crate) struct Found {
    pub(super) objects: Vec<Object>,
    pub(super) places: Vec<Place>,
    limit: usize,
}

impl Found {
    /// Nothing yet.
    pub(crate) fn within(limits: &Limits) -> Self {
        Self {
            objects: Vec::new(),
            places: Vec::new(),
            limit: limits.objects,
        }
    }

    /// Adds what a template wrote: the documents of one text.
    pub(crate) fn add_text(&mut self, source: &str, text: &str, limits: &Limits) -> Result<(), RenderError> {
        let reader = reader(text.len(), limits);
        let documents = yaml::helm::parse_documents(text, &reader).map_err(|error| RenderError::Yaml {
            file: source.to_string(),
            source: error,
        })?;
        for document in documents.into_iter().filter(|document| !document.is_empty()) {
            read_document(document.value, written_by(source), self)?;
        }
        Ok(())
    }

    /// Adds an object that an engine built.
    pub(crate) fn add_value(&mut self, source: &str, value: Value) -> Result<(), RenderError> {
        read_document(value, written_by(source), self)
    }

    /// The objects, no two of which are one.
    pub(crate) fn into_objects(self) -> Result<Vec<Object>, RenderError> {
        check_identities(&self)?;
        Ok(self.objects)
    }
}

/// A place of which only the writer is known.
fn written_by(source: &str) -> Place {
    Place {
        file: source.to_string(),
        document: 0,
        line: 0,
        items: Vec::new(),
    }
}

fn reader(bytes: usize, limits: &Limits) -> convoy_value::Limits {
    convoy_value::Limits {
        bytes,
        depth: limits.depth,
        alias_bytes: limits.alias_bytes,
        documents: DOCUMENTS,
    }
}

/// Adds the objects of one file.
pub(super) fn read_file(file: &str, bytes: &[u8], limits: &Limits, found: &mut Found) -> Result<(), RenderError> {
    if bytes.len() as u64 > limits.file_bytes {
        return Err(RenderError::Limit {
            what: alloc::format!("file `{file}` of {} bytes", bytes.len()),
            limit: "bytes of one file",
            value: limits.file_bytes,
        });
    }
    let reader = reader(bytes.len(), limits);
    let documents = yaml::helm::parse_documents(without_marks(bytes), &reader).map_err(|source| RenderError::Yaml {
        file: file.to_string(),
        source,
    })?;
    for document in documents {
        if document.is_empty() {
            continue;
        }
        let place = Place {
            file: file.to_string(),
            document: document.index + 1,
            line: document.line,
            items: Vec::new(),
        };
        read_document(document.value, place, found)?;
    }
    Ok(())
}

/// One object, or those of a List. The nesting of Lists is bounded by the depth of the document.
fn read_document(value: Value, place: Place, found: &mut Found) -> Result<(), RenderError> {
    let object = match Object::new(value) {
        Ok(object) => object,
        Err(source) => return Err(RenderError::NotAnObject { place, source }),
    };
    if is_list(&object) {
        return read_list(object, &place, found);
    }
    if let Some(found) = not_text(object.at(&["metadata", "name"])) {
        return Err(RenderError::NameNotText { place, found });
    }
    if object.name().is_empty() {
        let generated = !object.text(&["metadata", "generateName"]).is_empty();
        return Err(if generated {
            RenderError::GeneratedName(place)
        } else {
            RenderError::Unnamed(place)
        });
    }
    if found.objects.len() == found.limit {
        return Err(RenderError::Limit {
            what: place.to_string(),
            limit: "objects in a render",
            value: found.limit as u64,
        });
    }
    found.objects.push(object);
    found.places.push(place);
    Ok(())
}

/// Whether an object is only the wrapping of others: a `v1` `List`, or one of any kind that ends in `List` if its
/// `items` are a sequence or null. `kubectl` opens the same.
fn is_list(object: &Object) -> bool {
    if object.kind() == "List" && object.text(&["apiVersion"]) == "v1" {
        return true;
    }
    let items = object.at(&["items"]);
    object.kind().ends_with("List") && matches!(items, Some(Value::Array(_) | Value::Null))
}

/// What a value is that stands where a text must; nothing for a text, and for what counts as absent.
fn not_text(value: Option<&Value>) -> Option<&'static str> {
    match value {
        None | Some(Value::Null | Value::String(_)) => None,
        Some(Value::Bool(_)) => Some("a boolean"),
        Some(Value::Number(_)) => Some("a number"),
        Some(Value::Array(_)) => Some("a sequence"),
        Some(Value::Object(_)) => Some("a mapping"),
    }
}

fn read_list(mut list: Object, place: &Place, found: &mut Found) -> Result<(), RenderError> {
    let items = match list.as_map_mut().remove("items") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(items)) => items,
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
            return Err(RenderError::BadList(place.clone()));
        }
    };
    let api_version = list.text(&["apiVersion"]);
    let kind = list.kind().strip_suffix("List").unwrap_or_default();
    for (index, mut item) in items.into_iter().enumerate() {
        inherit(&mut item, api_version, kind);
        let mut place = place.clone();
        place.items.push(index + 1);
        read_document(item, place, found)?;
    }
    Ok(())
}

/// Gives an item of a typed list the `apiVersion` and `kind` of its list, if it has neither.
fn inherit(item: &mut Value, api_version: &str, kind: &str) {
    let Value::Object(map) = item else { return };
    let is_absent = |field: &str| match map.get(field) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => false,
    };
    if !kind.is_empty() && is_absent("apiVersion") && is_absent("kind") {
        map.insert("apiVersion", Value::from(api_version));
        map.insert("kind", Value::from(kind));
    }
}

const MARK: &[u8] = "\u{feff}".as_bytes();

/// The text without byte order marks right behind separators: `kubectl` reads each document as a text of its own, and
/// files that were joined have them there. A line that begins with `---` is a separator wherever it stands.
fn without_marks(text: &[u8]) -> Cow<'_, [u8]> {
    let is_utf16 = matches!(text, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
    if is_utf16
        || !text
            .windows(MARK.len() + 1)
            .any(|bytes| bytes[0] == b'\n' && &bytes[1..] == MARK)
    {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut behind_separator = false;
    for (number, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let line = match line.strip_prefix(MARK) {
            Some(rest) if behind_separator => rest,
            Some(_) | None => line,
        };
        out.extend_from_slice(line);
        let unmarked = if number == 0 {
            line.strip_prefix(MARK).unwrap_or(line)
        } else {
            line
        };
        behind_separator = is_separator(unmarked);
    }
    Cow::Owned(out)
}

/// Whether a line is `---` and at most a comment: nothing of the document's content stands on it.
fn is_separator(line: &[u8]) -> bool {
    let Some(behind) = line.strip_prefix(b"---") else {
        return false;
    };
    let content = behind.trim_ascii();
    content.is_empty() || (content[0] == b'#' && content.len() < behind.trim_ascii_end().len())
}
