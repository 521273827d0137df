//! `metadata.managedFields`, read and written.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::fields::FieldSet;

/// What a manager does when it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    Apply,
    Update,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// Who owns fields. An applier is the same manager at every API version, an updater is not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Manager {
    pub(crate) name: String,
    pub(crate) operation: Operation,
    /// Empty for an applier.
    pub(crate) api_version: String,
    pub(crate) subresource: String,
}

impl Manager {
    pub(crate) fn new(operation: Operation, name: &str, api_version: &str, subresource: &str) -> Self {
        Self {
            name: name.to_owned(),
            operation,
            api_version: if operation == Operation::Apply {
                String::new()
            } else {
                api_version.to_owned()
            },
            subresource: subresource.to_owned(),
        }
    }

    /// The manager as conflict messages print it.
    pub(crate) fn show(&self) -> String {
        let mut text = json!(self.name).to_string();
        if !self.subresource.is_empty() {
            text.push_str(" with subresource ");
            text.push_str(&json!(self.subresource).to_string());
        }
        if self.operation == Operation::Update {
            text.push_str(" using ");
            text.push_str(&self.api_version);
        }
        text
    }
}

/// What one manager owns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Owned {
    pub(crate) set: FieldSet,
    pub(crate) api_version: String,
    pub(crate) time: Option<String>,
}

/// All managers of an object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Managers(pub(crate) BTreeMap<Manager, Owned>);

/// More updaters than this are merged into one entry, the oldest first.
const MAX_UPDATERS: usize = 10;

/// The name under which old updaters are merged.
const ANCIENT: &str = "ancient-changes";

impl Managers {
    /// Reads `metadata.managedFields`; none when an entry is malformed.
    pub(crate) fn decode(entries: Option<&Value>) -> Option<Self> {
        let mut out = BTreeMap::new();
        for entry in entries.and_then(Value::as_array).into_iter().flatten() {
            let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or("");
            let operation = match text("operation") {
                "Apply" => Operation::Apply,
                "Update" => Operation::Update,
                _ => return None,
            };
            if text("fieldsType") != "FieldsV1" || text("apiVersion").is_empty() {
                return None;
            }
            let empty = Value::Object(Map::new());
            let set = FieldSet::decode(entry.get("fieldsV1").unwrap_or(&empty))?;
            let manager = Manager::new(operation, text("manager"), text("apiVersion"), text("subresource"));
            let time = entry.get("time").and_then(Value::as_str).map(str::to_owned);
            let owned = Owned {
                set,
                api_version: text("apiVersion").to_owned(),
                time,
            };
            // Equal managers are one: their sets are united.
            out.entry(manager)
                .and_modify(|known: &mut Owned| known.set.extend(&owned.set))
                .or_insert(owned);
        }
        Some(Self(out))
    }

    /// The entries in the order in which a server writes them.
    pub(crate) fn encode(&self) -> Value {
        let mut entries: Vec<(&Manager, &Owned)> = self.0.iter().filter(|(_, owned)| !owned.set.is_empty()).collect();
        entries.sort_by_key(|(manager, owned)| {
            (
                manager.operation,
                owned.time.clone(),
                manager.name.clone(),
                owned.api_version.clone(),
                manager.subresource.clone(),
            )
        });
        let entries = entries.into_iter().map(|(manager, owned)| {
            let mut entry = json!({
                "manager": manager.name, "operation": manager.operation.name(), "apiVersion": owned.api_version,
                "fieldsType": "FieldsV1", "fieldsV1": owned.set.encode(),
            });
            if let Some(time) = &owned.time {
                entry["time"] = json!(time);
            }
            if !manager.subresource.is_empty() {
                entry["subresource"] = json!(manager.subresource);
            }
            entry
        });
        Value::Array(entries.collect())
    }

    pub(crate) fn without_empty(&mut self) {
        self.0.retain(|_, owned| !owned.set.is_empty());
    }

    /// Merges the oldest updaters when there are too many.
    pub(crate) fn cap(&mut self) {
        let mut updaters: Vec<(Option<String>, Manager)> = self
            .0
            .iter()
            .filter(|(manager, _)| manager.operation == Operation::Update && manager.subresource.is_empty())
            .map(|(manager, owned)| (owned.time.clone(), manager.clone()))
            .collect();
        if updaters.len() <= MAX_UPDATERS {
            return;
        }
        updaters.sort();
        let excess = updaters.len() - MAX_UPDATERS;
        for (_, manager) in updaters.into_iter().take(excess + 1) {
            let Some(owned) = self.0.remove(&manager) else { continue };
            let bucket = Manager::new(Operation::Update, ANCIENT, &owned.api_version, "");
            let into = self.0.entry(bucket).or_insert_with(|| Owned {
                api_version: owned.api_version.clone(),
                ..Owned::default()
            });
            into.set.extend(&owned.set);
            into.time = into.time.take().max(owned.time);
        }
    }
}
