//! Entries of one Secret, as bytes, as a text, or as one line.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::{CredentialsError, Entries, Flaw, SecretField};
use crate::secret::Secret;

/// A Secret that is there.
pub(super) struct Reading<'a> {
    field: SecretField,
    name: &'a str,
    entries: &'a Entries,
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        field: SecretField,
        name: &'a str,
        found: &'a BTreeMap<String, Entries>,
    ) -> Result<Self, CredentialsError> {
        match found.get(name) {
            Some(entries) => Ok(Self { field, name, entries }),
            None => Err(CredentialsError {
                field,
                secret: name.to_string(),
                why: Flaw::Absent,
            }),
        }
    }

    pub(super) fn flaw(&self, why: Flaw) -> CredentialsError {
        CredentialsError {
            field: self.field,
            secret: self.name.to_string(),
            why,
        }
    }

    /// An entry that holds something.
    pub(super) fn bytes(&self, entry: &'static str) -> Result<&'a Secret<Vec<u8>>, CredentialsError> {
        let found = self.entries.get(entry);
        let found = found.ok_or_else(|| self.flaw(Flaw::NoEntry(vec![entry])))?;
        if found.expose().is_empty() {
            return Err(self.flaw(Flaw::Unusable(entry, "is empty")));
        }
        Ok(found)
    }

    /// All entries that hold something, in the order of their names.
    pub(super) fn all(&self) -> Result<Vec<Secret<Vec<u8>>>, CredentialsError> {
        let filled = self.entries.values().filter(|value| !value.expose().is_empty());
        let all: Vec<Secret<Vec<u8>>> = filled.cloned().collect();
        if all.is_empty() {
            return Err(self.flaw(Flaw::Empty));
        }
        Ok(all)
    }

    /// An entry of many lines.
    pub(super) fn text(&self, entry: &'static str) -> Result<Secret<String>, CredentialsError> {
        match core::str::from_utf8(self.bytes(entry)?.expose()) {
            Ok(text) => Ok(Secret::new(text.to_string())),
            Err(_) => Err(self.flaw(Flaw::Unusable(entry, "is no UTF-8 text"))),
        }
    }

    /// An entry of one line, without its end.
    pub(super) fn line(&self, entry: &'static str) -> Result<Secret<String>, CredentialsError> {
        let text = self.text(entry)?;
        let line = text.expose().strip_suffix('\n').unwrap_or(text.expose());
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.is_empty() {
            return Err(self.flaw(Flaw::Unusable(entry, "is empty")));
        }
        if line.chars().any(char::is_control) {
            return Err(self.flaw(Flaw::Unusable(entry, "holds control characters or several lines")));
        }
        Ok(Secret::new(line.to_string()))
    }

    pub(super) fn optional_text(&self, entry: &'static str) -> Result<Option<Secret<String>>, CredentialsError> {
        self.entries.get(entry).map(|_| self.text(entry)).transpose()
    }

    pub(super) fn optional_line(&self, entry: &'static str) -> Result<Option<Secret<String>>, CredentialsError> {
        self.entries.get(entry).map(|_| self.line(entry)).transpose()
    }
}
