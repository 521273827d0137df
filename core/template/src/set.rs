//! Templates that know each other by name.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::ast::Tree;
use crate::parse;
use crate::{Functions, ParseError};

/// What a map answers for a key that it does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingKey {
    /// No value, which prints as `<no value>`.
    #[default]
    Default,
    /// The zero value of the map's element type.
    Zero,
    /// An error.
    Error,
}

/// Parsed templates, by name. Immutable once shared: any number of threads may execute one set at a time.
///
/// A set may stand on another ([`TemplateSet::on`]): it sees the templates below, and its own hide them. That is how
/// text that is parsed while executing gets at everything without copying it.
#[derive(Clone, Debug)]
pub struct TemplateSet {
    below: Option<Arc<TemplateSet>>,
    functions: Arc<Functions>,
    /// Names of charts begin alike, so that an ordered map would compare long texts.
    trees: HashMap<Arc<str>, Arc<Tree>, FixedState>,
    missing_key: MissingKey,
    left: String,
    right: String,
}

impl TemplateSet {
    /// An empty set.
    #[must_use]
    pub fn new(functions: Functions) -> Self {
        Self {
            below: None,
            functions: Arc::new(functions),
            trees: HashMap::with_hasher(FixedState::default()),
            missing_key: MissingKey::Default,
            left: "{{".into(),
            right: "}}".into(),
        }
    }

    /// An empty set on top of another, with its functions and settings.
    #[must_use]
    pub fn on(below: &Arc<Self>) -> Self {
        Self {
            below: Some(below.clone()),
            functions: below.functions.clone(),
            trees: HashMap::with_hasher(FixedState::default()),
            missing_key: below.missing_key,
            left: below.left.clone(),
            right: below.right.clone(),
        }
    }

    /// The same set with another rule for absent keys.
    #[must_use]
    pub fn missing_key(mut self, missing_key: MissingKey) -> Self {
        self.missing_key = missing_key;
        self
    }

    /// The same set with other delimiters for what is parsed from now on; an empty one is the default.
    #[must_use]
    pub fn delims(mut self, left: &str, right: &str) -> Self {
        self.left = if left.is_empty() { "{{" } else { left }.into();
        self.right = if right.is_empty() { "}}" } else { right }.into();
        self
    }

    /// The rule for absent keys.
    #[must_use]
    pub fn missing_key_rule(&self) -> MissingKey {
        self.missing_key
    }

    /// The functions.
    #[must_use]
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// Parses `source` as the template `name`, with the templates that it defines. A template that is there already
    /// is replaced, unless the new one is empty.
    ///
    /// # Errors
    /// Go's error, with name and line; then the set is as it was.
    pub fn parse(&mut self, name: &str, source: &str) -> Result<(), ParseError> {
        self.parse_shared(name, &source.as_bytes().into())
    }

    /// As [`TemplateSet::parse`], of any bytes, and keeping the source instead of a copy. What is not UTF-8 is written
    /// as it is, in raw strings too; elsewhere in an action it is U+FFFD.
    ///
    /// # Errors
    /// As [`TemplateSet::parse`].
    pub fn parse_shared(&mut self, name: &str, source: &Arc<[u8]>) -> Result<(), ParseError> {
        let trees = parse::parse(name, source, (&self.left, &self.right), &self.functions)?;
        for (name, tree) in trees {
            if !tree.is_empty() || self.lookup(&name).is_none() {
                self.trees.insert(name, tree);
            }
        }
        Ok(())
    }

    /// Takes over what another set of the same functions has parsed, as if its texts had been parsed here: sets can be
    /// parsed once, and put together in different ways.
    pub fn extend(&mut self, other: &Self) {
        for (name, tree) in &other.trees {
            if !tree.is_empty() || self.lookup(name).is_none() {
                self.trees.insert(name.clone(), tree.clone());
            }
        }
    }

    /// The template `name`.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<&Arc<Tree>> {
        self.trees.get(name).or_else(|| self.below.as_ref()?.lookup(name))
    }

    /// Whether there is a template `name`.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.lookup(name).is_some()
    }

    /// Names of this set's own templates, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = self.trees.keys().map(AsRef::as_ref).collect();
        names.sort_unstable();
        names.into_iter()
    }
}
