//! The functions that a set of templates knows.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;

use super::{Callable, Function};
use crate::builtin;

/// Functions by name. It is fixed once templates are parsed with it.
#[derive(Clone, Debug)]
pub struct Functions {
    by_name: BTreeMap<Box<str>, Arc<Function>>,
    time_methods: Arc<BTreeMap<Box<str>, Arc<Function>>>,
    duration_methods: Arc<BTreeMap<Box<str>, Arc<Function>>>,
}

fn table(functions: impl IntoIterator<Item = Function>) -> BTreeMap<Box<str>, Arc<Function>> {
    functions
        .into_iter()
        .map(|function| (function.name().into(), Arc::new(function)))
        .collect()
}

impl Functions {
    /// Go's built-in functions.
    #[must_use]
    pub fn builtins() -> Self {
        Self {
            by_name: table(builtin::functions()),
            time_methods: Arc::new(table(builtin::time_methods())),
            duration_methods: Arc::new(table(builtin::duration_methods())),
        }
    }

    /// Adds or replaces a function of Rust types, such as `fn(&mut Context, Str, isize) -> Str`.
    pub fn add<M>(&mut self, name: &str, function: impl Callable<M>) -> &mut Self {
        self.insert(Function::new(name, function))
    }

    /// Adds or replaces a function.
    pub fn insert(&mut self, function: Function) -> &mut Self {
        self.by_name.insert(function.name().into(), Arc::new(function));
        self
    }

    /// Makes `alias` another name of `name`, if that is known.
    pub fn alias(&mut self, alias: &str, function: Function) -> &mut Self {
        self.by_name.insert(alias.into(), Arc::new(function));
        self
    }

    /// Removes a function.
    pub fn remove(&mut self, name: &str) -> &mut Self {
        self.by_name.remove(name);
        self
    }

    /// The function `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Function>> {
        self.by_name.get(name)
    }

    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(AsRef::as_ref)
    }

    pub(crate) fn time_method(&self, name: &str) -> Option<Arc<Function>> {
        self.time_methods.get(name).cloned()
    }

    pub(crate) fn duration_method(&self, name: &str) -> Option<Arc<Function>> {
        self.duration_methods.get(name).cloned()
    }
}

impl Default for Functions {
    fn default() -> Self {
        Self::builtins()
    }
}
