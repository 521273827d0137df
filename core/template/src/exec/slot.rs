//! What a pipeline passes on.

use crate::Value;

/// Whether a value is held by an interface. A word, so that slots are moved in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u64)]
enum Held {
    #[default]
    No,
    Yes,
}

/// A value and whether it is held by an interface: a nil that is held is not the same as no value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    pub(crate) value: Value,
    held: Held,
}

impl Slot {
    #[inline]
    pub(crate) fn plain(value: Value) -> Self {
        Self { value, held: Held::No }
    }

    #[inline]
    pub(crate) fn held(value: Value) -> Self {
        Self { value, held: Held::Yes }
    }

    #[inline]
    pub(crate) fn new(value: Value, held: bool) -> Self {
        let held = if held { Held::Yes } else { Held::No };
        Self { value, held }
    }

    #[inline]
    pub(crate) fn is_held(&self) -> bool {
        self.held == Held::Yes
    }

    /// Takes the value out of the interface that holds it.
    #[inline]
    pub(super) fn release(&mut self) {
        self.held = Held::No;
    }

    /// Whether there is no value at all.
    #[inline]
    pub(super) fn is_absent(&self) -> bool {
        self.value.is_nil() && !self.is_held()
    }
}
