//! Lists and objects as tables.

use serde_json::{Value, json};

use super::printers;
use crate::resource::Resource;

/// How much of an object a row carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Include {
    None,
    Metadata,
    Object,
}

impl Include {
    pub(crate) fn parse(text: Option<&str>) -> Self {
        match text {
            Some("None") => Self::None,
            Some("Object") => Self::Object,
            _ => Self::Metadata,
        }
    }
}

/// The metadata of an object as an object of its own.
pub(crate) fn partial(object: &Value) -> Value {
    json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"]})
}

/// A list of metadata.
pub(crate) fn partial_list(items: &[Value], metadata: &Value) -> Value {
    let items: Vec<Value> = items.iter().map(partial).collect();
    json!({"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "items": items})
}

/// A table of objects.
pub(crate) fn table(resource: &Resource, items: &[Value], metadata: &Value, include: Include) -> Value {
    let columns: Vec<Value> = printers::columns(resource)
        .into_iter()
        .map(|column| {
            json!({"name": column.name, "type": column.kind, "format": column.format,
                "description": column.description, "priority": column.priority})
        })
        .collect();
    let rows: Vec<Value> = items
        .iter()
        .map(|item| {
            let mut row = json!({"cells": printers::cells(resource, item)});
            match include {
                Include::None => {}
                Include::Metadata => row["object"] = partial(item),
                Include::Object => row["object"] = item.clone(),
            }
            row
        })
        .collect();
    json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata, "columnDefinitions": columns, "rows": rows})
}
