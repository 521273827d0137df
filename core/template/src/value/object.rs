//! Values of the host: what templates see as Go structs, pointers and named types.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::Any;
use core::fmt;

use super::Value;
use crate::{Function, Str};

/// What a host's value is to `range`, `len`, `index`, `kindOf` and the printers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A struct.
    Struct,
    /// A pointer to a struct.
    Pointer,
    /// A map with string keys: see [`Object::entries`].
    Map,
    /// A function, channel or the like.
    Opaque,
}

impl ObjectKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Struct => "struct",
            Self::Pointer => "ptr",
            Self::Map => "map",
            Self::Opaque => "func",
        }
    }
}

/// A value of the host. It is immutable and holds no handles but into the base of the heap it is used with.
pub trait Object: fmt::Debug + Send + Sync {
    /// The name of the type, as `%T` prints it.
    fn go_type(&self) -> &'static str;

    /// What kind of type that is.
    fn kind(&self) -> ObjectKind;

    /// The exported field, or the entry of a map.
    fn field(&self, name: &str) -> Option<Value> {
        self.entries()
            .into_iter()
            .find(|(key, _)| *key == *name)
            .map(|(_, value)| value)
    }

    /// The method: its first parameter is the receiver, which the engine puts in.
    fn method(&self, _name: &str) -> Option<Arc<Function>> {
        None
    }

    /// What `Error` or `String` answers, if the type has one.
    fn text(&self) -> Option<String> {
        None
    }

    /// The method of the type's pointer: it is there for a field of a struct that a pointer leads to, but not for the
    /// same value as an operand or in a list.
    fn pointer_method(&self, _name: &str) -> Option<Arc<Function>> {
        None
    }

    /// What `Error` or `String` answers, if the type's pointer has one: an action shows it, where it has the pointer.
    fn pointer_text(&self) -> Option<String> {
        None
    }

    /// What printers show: fields that are not exported too.
    fn printed(&self) -> Vec<(Str, Value)> {
        self.entries()
    }

    /// What JSON has in its place, if the type says so itself.
    fn json(&self) -> Option<Value> {
        None
    }

    /// What a copy of all that the value refers to is, where that is another value: Go's copies lose the fields that are
    /// not exported.
    fn copied(&self) -> Option<Value> {
        None
    }

    /// All fields in order of declaration, or all entries of a map in order of keys.
    fn entries(&self) -> Vec<(Str, Value)>;

    /// For [`Value::downcast`].
    fn as_any(&self) -> &dyn Any;
}

/// A ready-made [`Object`]: a struct, or a pointer to one, of given fields and methods.
#[derive(Clone, Debug)]
pub struct Struct {
    name: &'static str,
    kind: ObjectKind,
    text: Option<String>,
    pointer_text: Option<String>,
    json: Option<Value>,
    fields: Vec<(Str, Value)>,
    /// Fields that only printers see, with the number of those before them.
    unexported: Vec<(usize, Str, Value)>,
    methods: Methods,
    pointer_methods: Methods,
}

/// Methods by name.
type Methods = Vec<(&'static str, Arc<Function>)>;

fn method_of(methods: &[(&'static str, Arc<Function>)], name: &str) -> Option<Arc<Function>> {
    methods
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, function)| function.clone())
}

impl Struct {
    /// A struct whose type has this name.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            kind: ObjectKind::Struct,
            text: None,
            pointer_text: None,
            json: None,
            fields: Vec::new(),
            unexported: Vec::new(),
            methods: Methods::new(),
            pointer_methods: Methods::new(),
        }
    }

    /// The same as a pointer; the name should start with `*`.
    #[must_use]
    pub fn pointer(mut self) -> Self {
        self.kind = ObjectKind::Pointer;
        self
    }

    /// Of another kind.
    #[must_use]
    pub fn of_kind(mut self, kind: ObjectKind) -> Self {
        self.kind = kind;
        self
    }

    /// With one more field.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.fields.push((name.into(), value.into()));
        self
    }

    /// With one more field that is not exported.
    #[must_use]
    pub fn unexported(mut self, name: &str, value: impl Into<Value>) -> Self {
        let place = self.fields.len() + self.unexported.len();
        self.unexported.push((place, name.into(), value.into()));
        self
    }

    /// With one more method, whose first parameter is the receiver.
    #[must_use]
    pub fn method(mut self, name: &'static str, function: Function) -> Self {
        self.methods.push((name, Arc::new(function)));
        self
    }

    /// With a `String` method that answers this.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// With one more method on its pointer, whose first parameter is the receiver.
    #[must_use]
    pub fn pointer_method(mut self, name: &'static str, function: Function) -> Self {
        self.pointer_methods.push((name, Arc::new(function)));
        self
    }

    /// With a `String` method on its pointer that answers this, as an action shows it.
    #[must_use]
    pub fn pointer_text(mut self, text: impl Into<String>) -> Self {
        self.pointer_text = Some(text.into());
        self
    }

    /// With another value in its place in JSON.
    #[must_use]
    pub fn json(mut self, value: Value) -> Self {
        self.json = Some(value);
        self
    }

    /// As a value.
    #[must_use]
    pub fn into_value(self) -> Value {
        Value::Object(Arc::new(self))
    }
}

impl Object for Struct {
    fn go_type(&self) -> &'static str {
        self.name
    }

    fn kind(&self) -> ObjectKind {
        self.kind
    }

    fn field(&self, name: &str) -> Option<Value> {
        self.fields
            .iter()
            .find(|(key, _)| *key == *name)
            .map(|(_, value)| value.clone())
    }

    fn method(&self, name: &str) -> Option<Arc<Function>> {
        method_of(&self.methods, name)
    }

    fn text(&self) -> Option<String> {
        self.text.clone()
    }

    fn pointer_method(&self, name: &str) -> Option<Arc<Function>> {
        method_of(&self.pointer_methods, name)
    }

    fn pointer_text(&self) -> Option<String> {
        self.pointer_text.clone()
    }

    fn json(&self) -> Option<Value> {
        self.json.clone()
    }

    fn copied(&self) -> Option<Value> {
        let mut copy = self.clone();
        for (_, value) in &mut copy.fields {
            if let Value::Object(object) = value
                && let Some(copied) = object.copied()
            {
                *value = copied;
            }
        }
        for (_, _, value) in &mut copy.unexported {
            *value = if value.as_str().is_some() {
                Value::string("")
            } else {
                Value::Nil
            };
        }
        // Its text is made of what is lost.
        copy.pointer_text = self.pointer_text.as_ref().map(|_| String::new());
        Some(copy.into_value())
    }

    fn printed(&self) -> Vec<(Str, Value)> {
        let mut fields = self.fields.clone();
        for (place, name, value) in &self.unexported {
            fields.insert((*place).min(fields.len()), (name.clone(), value.clone()));
        }
        fields
    }

    fn entries(&self) -> Vec<(Str, Value)> {
        self.fields.clone()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A named map or slice type, with methods.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name of the type, as `%T` prints it.
    pub name: &'static str,
    /// Its methods; their first parameter is the receiver.
    pub methods: Methods,
}

impl Named {
    /// The method of this name.
    #[must_use]
    pub fn method(&self, name: &str) -> Option<Arc<Function>> {
        method_of(&self.methods, name)
    }
}
