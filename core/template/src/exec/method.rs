//! Which values have which methods.
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "of the many kinds of values, the rest is alike here"
)]

use alloc::sync::Arc;

use super::{Frame, Slot};
use crate::{Function, Value};

impl Frame<'_, '_> {
    /// The method `name` of what is in `slot`.
    pub(super) fn method(&self, slot: &Slot, name: &str) -> Option<Arc<Function>> {
        let heap = &self.context.heap;
        match &slot.value {
            Value::Object(object) if slot.is_addressed() => object.method(name).or_else(|| object.pointer_method(name)),
            Value::Object(object) => object.method(name),
            Value::Time(_) => self.context.set.functions().time_method(name),
            Value::Duration(_) => self.context.set.functions().duration_method(name),
            Value::Map(map) => heap.map_name(*map)?.method(name),
            Value::List(list) => heap.list_name(*list)?.method(name),
            _ => None,
        }
    }
}
