//! What a pipeline passes on.

use crate::Value;

/// Where a value is. A word, so that slots are moved in words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum Place {
    /// By itself.
    #[default]
    Plain,
    /// In an interface.
    Held,
    /// Behind a pointer, so that it has an address, and the methods of its pointer.
    Addressed,
}

impl Place {
    #[inline]
    pub(super) fn of(held: bool) -> Self {
        if held { Self::Held } else { Self::Plain }
    }
}

/// A value and whether it is held by an interface: a nil that is held is not the same as no value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    pub(crate) value: Value,
    place: Place,
}

impl Slot {
    #[inline]
    pub(crate) fn plain(value: Value) -> Self {
        Self {
            value,
            place: Place::Plain,
        }
    }

    #[inline]
    pub(crate) fn held(value: Value) -> Self {
        Self {
            value,
            place: Place::Held,
        }
    }

    #[inline]
    pub(crate) fn new(value: Value, held: bool) -> Self {
        Self::at(value, Place::of(held))
    }

    #[inline]
    pub(super) fn at(value: Value, place: Place) -> Self {
        Self { value, place }
    }

    #[inline]
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// A field of a struct that a pointer leads to.
    #[inline]
    pub(super) fn addressed(value: Value) -> Self {
        Self {
            value,
            place: Place::Addressed,
        }
    }

    #[inline]
    pub(crate) fn is_held(&self) -> bool {
        self.place == Place::Held
    }

    /// Whether Go can take its address.
    #[inline]
    pub(super) fn is_addressed(&self) -> bool {
        self.place == Place::Addressed
    }

    /// Takes the value out of the interface that holds it.
    #[inline]
    pub(super) fn release(&mut self) {
        if self.is_held() {
            self.place = Place::Plain;
        }
    }

    /// Whether there is no value at all.
    #[inline]
    pub(super) fn is_absent(&self) -> bool {
        self.value.is_nil() && !self.is_held()
    }
}
