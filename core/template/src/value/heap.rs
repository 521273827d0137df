//! Where lists and maps live: one heap per rendering, over a base that is shared and never changes.
//!
//! A handle is a number. A map of the base that is changed is copied first, so that every handle to it in this
//! heap sees the change and no other heap does. Everything is freed with the heap, so that cycles cannot leak.
//!
//! # Invariant
//! Handles are used with the heap that made them, or with any heap over the base that made them.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::entries::Entries;
use super::{Elem, Named, Value};
use crate::{Limit, Str};

/// A slice: a window of a buffer that can only grow, so that `append` and `rest` cost no copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListRef {
    buffer: u32,
    start: u32,
    len: u32,
}

impl ListRef {
    /// Number of elements.
    #[must_use]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A map. The highest bit says that it is seen under the [other name](Heap::view) of its map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MapRef(u32);

const VIEW: u32 = 1 << 31;

#[derive(Clone, Debug)]
struct Buffer {
    elem: Elem,
    named: Option<Arc<Named>>,
    nil: bool,
    items: Vec<Value>,
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    elem: Elem,
    named: Option<Arc<Named>>,
    /// What its views are called.
    view: Option<Arc<Named>>,
    nil: bool,
    entries: Entries,
}

impl Node {
    #[inline]
    pub(crate) fn get(&self, name: &Str) -> Option<&Value> {
        self.entries.field(name)
    }

    #[inline]
    pub(crate) fn elem(&self) -> Elem {
        self.elem
    }

    /// The named type under which `map` shows this.
    #[inline]
    fn name(&self, map: MapRef) -> Option<&Arc<Named>> {
        if map.0 & VIEW == 0 {
            self.named.as_ref()
        } else {
            self.view.as_ref()
        }
    }

    /// Whether a field `name` of `map`, which shows this, is a method.
    #[inline]
    pub(crate) fn has_method(&self, map: MapRef, name: &[u8]) -> bool {
        let has = |named: &Arc<Named>| named.methods.iter().any(|(known, _)| known.as_bytes() == name);
        self.name(map).is_some_and(has)
    }
}

/// Lists and maps that never change any more: made once by [`Heap::freeze`], shared by any number of heaps.
#[derive(Debug, Default)]
pub struct Base {
    buffers: Vec<Buffer>,
    maps: Vec<Node>,
}

/// Lists and maps of one rendering.
#[derive(Debug)]
pub struct Heap {
    base: Arc<Base>,
    buffers: Vec<Buffer>,
    maps: Vec<Node>,
    /// For each map of the base, its copy in `maps` plus one, or 0. Empty until the first copy.
    copied: Vec<u32>,
    bytes: usize,
    limit: usize,
}

/// What a value costs in a list or map, about.
const CELL: usize = 32;
/// What an entry of a map costs, about.
const ENTRY: usize = 80;
/// What a map costs beside its entries, about: itself, and room for the first of them.
const MAP: usize = 256;

impl Default for Heap {
    fn default() -> Self {
        Self::new(Arc::default(), usize::MAX)
    }
}

impl Heap {
    /// An empty heap over `base` that may grow to about `limit` bytes.
    #[must_use]
    pub fn new(base: Arc<Base>, limit: usize) -> Self {
        Self {
            base,
            buffers: Vec::new(),
            maps: Vec::new(),
            copied: Vec::new(),
            bytes: 0,
            limit,
        }
    }

    /// Makes what is here a base; handles stay what they are.
    #[must_use]
    pub fn freeze(self) -> Arc<Base> {
        let mut buffers = self.base.buffers.clone();
        let mut maps = self.base.maps.clone();
        for (place, copy) in self.copied.iter().enumerate() {
            if let (Some(copy), Some(old)) = (self.own_copy(*copy), maps.get_mut(place)) {
                *old = copy.clone();
            }
        }
        buffers.extend(self.buffers);
        maps.extend(self.maps);
        Arc::new(Base { buffers, maps })
    }

    fn own_copy(&self, place: u32) -> Option<&Node> {
        self.maps.get((place as usize).checked_sub(1)?)
    }

    /// Counts bytes of something that lives beside the heap, like a text.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn charge(&mut self, bytes: usize) -> Result<(), Limit> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limit {
            Err(Limit::Heap(self.limit))
        } else {
            Ok(())
        }
    }

    /// Refuses what would take `bytes` bytes before it is made.
    ///
    /// # Errors
    /// When the limit would be met.
    pub fn afford(&self, bytes: usize) -> Result<(), Limit> {
        if bytes > self.room() {
            Err(Limit::Heap(self.limit))
        } else {
            Ok(())
        }
    }

    /// Refuses a list of `items` elements before it is made.
    ///
    /// # Errors
    /// When the limit would be met.
    pub fn afford_list(&self, items: usize) -> Result<(), Limit> {
        self.afford(items.saturating_mul(CELL))
    }

    /// The bound of all bytes.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes that may still be counted.
    #[must_use]
    pub fn room(&self) -> usize {
        self.limit.saturating_sub(self.bytes)
    }

    /// Bytes counted so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// A `[]interface {}`.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn list(&mut self, items: Vec<Value>) -> Result<ListRef, Limit> {
        self.list_of(Elem::Any, items)
    }

    /// A slice of the given element type.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn list_of(&mut self, elem: Elem, items: Vec<Value>) -> Result<ListRef, Limit> {
        self.push_buffer(elem, None, false, items)
    }

    /// A `[]string`.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn strings<S: Into<Str>>(&mut self, items: impl IntoIterator<Item = S>) -> Result<ListRef, Limit> {
        let items = items.into_iter().map(|text| Value::String(text.into())).collect();
        self.list_of(Elem::String, items)
    }

    /// A nil slice.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn nil_list(&mut self, elem: Elem) -> Result<ListRef, Limit> {
        self.push_buffer(elem, None, true, Vec::new())
    }

    /// A slice of a named type.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn named_list(&mut self, named: Arc<Named>, elem: Elem, items: Vec<Value>) -> Result<ListRef, Limit> {
        self.push_buffer(elem, Some(named), false, items)
    }

    fn push_buffer(
        &mut self,
        elem: Elem,
        named: Option<Arc<Named>>,
        nil: bool,
        items: Vec<Value>,
    ) -> Result<ListRef, Limit> {
        self.charge(CELL * (items.capacity() + 2))?;
        let buffer = handle(self.base.buffers.len() + self.buffers.len())?;
        let len = handle(items.len())?;
        self.buffers.push(Buffer {
            elem,
            named,
            nil,
            items,
        });
        Ok(ListRef { buffer, start: 0, len })
    }

    fn buffer(&self, list: ListRef) -> Option<&Buffer> {
        let place = list.buffer as usize;
        match place.checked_sub(self.base.buffers.len()) {
            Some(own) => self.buffers.get(own),
            None => self.base.buffers.get(place),
        }
    }

    /// The elements.
    #[must_use]
    pub fn items(&self, list: ListRef) -> &[Value] {
        let start = list.start as usize;
        self.buffer(list)
            .and_then(|buffer| buffer.items.get(start..start + list.len()))
            .unwrap_or(&[])
    }

    /// What the elements are declared to be.
    #[must_use]
    pub fn list_elem(&self, list: ListRef) -> Elem {
        self.buffer(list).map_or(Elem::Any, |buffer| buffer.elem)
    }

    /// The named type, if it has one.
    #[must_use]
    pub fn list_name(&self, list: ListRef) -> Option<&Arc<Named>> {
        self.buffer(list)?.named.as_ref()
    }

    /// Whether it is a nil slice.
    #[must_use]
    pub fn is_nil_list(&self, list: ListRef) -> bool {
        self.buffer(list).is_none_or(|buffer| buffer.nil)
    }

    /// The part from `start` to before `end`, which shares the elements; `None` if out of bounds.
    #[must_use]
    pub fn slice(&self, list: ListRef, start: usize, end: usize) -> Option<ListRef> {
        if start > end || end > list.len() {
            return None;
        }
        Some(ListRef {
            buffer: list.buffer,
            start: list.start + u32::try_from(start).ok()?,
            len: u32::try_from(end - start).ok()?,
        })
    }

    /// A `[]interface {}` with one more element at the end.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn append(&mut self, list: ListRef, item: Value) -> Result<ListRef, Limit> {
        let base = self.base.buffers.len();
        let room = self.room();
        if let Some(own) = (list.buffer as usize).checked_sub(base)
            && let Some(buffer) = self.buffers.get_mut(own)
            && buffer.elem == Elem::Any
            && buffer.named.is_none()
            && !buffer.nil
            && buffer.items.len() == list.start as usize + list.len()
        {
            let before = buffer.items.capacity();
            if buffer.items.len() == before && before.saturating_mul(CELL) > room {
                return Err(Limit::Heap(self.limit));
            }
            buffer.items.push(item);
            let grown = buffer.items.capacity() - before;
            self.charge(CELL * grown)?;
            return Ok(ListRef {
                len: list.len + 1,
                ..list
            });
        }
        self.afford_list(list.len())?;
        let mut items = Vec::with_capacity(list.len() + 1);
        items.extend_from_slice(self.items(list));
        items.push(item);
        self.list(items)
    }

    /// An empty `map[string]interface {}`.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn map(&mut self) -> Result<MapRef, Limit> {
        self.map_of(Elem::Any)
    }

    /// A `map[string]interface {}` of entries in the order of their keys, each of which stands once: cheaper than to
    /// insert them.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn sorted_map(&mut self, entries: Vec<(Str, Value)>) -> Result<MapRef, Limit> {
        let map = self.map()?;
        self.fill(map, entries)?;
        Ok(map)
    }

    /// Gives a map these entries in place of its own: in the order of their keys, each of which stands once.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn fill(&mut self, map: MapRef, entries: Vec<(Str, Value)>) -> Result<(), Limit> {
        self.charge(ENTRY * entries.len())?;
        if let Some(node) = self.node_mut(map)? {
            node.nil = false;
            node.entries = Entries::sorted(entries);
        }
        Ok(())
    }

    /// The same with nothing counted, for a rendering whose limit is on what it adds.
    #[must_use]
    pub fn settled(mut self) -> Self {
        self.bytes = 0;
        self
    }

    /// An empty map of the given element type.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn map_of(&mut self, elem: Elem) -> Result<MapRef, Limit> {
        self.push_map(Node {
            elem,
            named: None,
            view: None,
            nil: false,
            entries: Entries::default(),
        })
    }

    /// A nil map.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn nil_map(&mut self, elem: Elem) -> Result<MapRef, Limit> {
        self.push_map(Node {
            elem,
            named: None,
            view: None,
            nil: true,
            entries: Entries::default(),
        })
    }

    /// An empty map of a named type.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn named_map(&mut self, named: Arc<Named>, elem: Elem) -> Result<MapRef, Limit> {
        self.push_map(Node {
            elem,
            named: Some(named),
            view: None,
            nil: false,
            entries: Entries::default(),
        })
    }

    /// The same map under the name of another type, as Go converts one: each sees the changes of the other. A map has
    /// one such name; a second one replaces it.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn view(&mut self, map: MapRef, named: Arc<Named>) -> Result<MapRef, Limit> {
        if let Some(node) = self.node_mut(map)? {
            node.view = Some(named);
        }
        Ok(MapRef(map.0 | VIEW))
    }

    /// The map that is under a [view](Heap::view), or the map itself.
    #[must_use]
    pub fn plain(&self, map: MapRef) -> MapRef {
        MapRef(map.0 & !VIEW)
    }

    fn push_map(&mut self, node: Node) -> Result<MapRef, Limit> {
        self.charge(MAP)?;
        let place = handle(self.base.maps.len() + self.maps.len())?;
        if place >= VIEW {
            return Err(Limit::Heap(VIEW as usize));
        }
        self.maps.push(node);
        Ok(MapRef(place))
    }

    #[inline]
    pub(crate) fn node(&self, map: MapRef) -> Option<&Node> {
        let place = (map.0 & !VIEW) as usize;
        if let Some(own) = place.checked_sub(self.base.maps.len()) {
            return self.maps.get(own);
        }
        let copy = self.copied.get(place).copied().unwrap_or(0);
        self.own_copy(copy).or_else(|| self.base.maps.get(place))
    }

    fn node_mut(&mut self, map: MapRef) -> Result<Option<&mut Node>, Limit> {
        let place = (map.0 & !VIEW) as usize;
        let base = self.base.maps.len();
        if let Some(own) = place.checked_sub(base) {
            return Ok(self.maps.get_mut(own));
        }
        if self.copied.is_empty() {
            self.charge(4 * base)?;
            self.copied.resize(base, 0);
        }
        // A copy lies behind the base's maps, where a handle of its own could reach it too: none is given out.
        let copy = self.copied.get(place).copied().unwrap_or(0);
        let copy = if copy == 0 {
            let Some(node) = self.base.maps.get(place).cloned() else {
                return Ok(None);
            };
            self.charge(ENTRY * (node.entries.len() + 1))?;
            self.maps.push(node);
            let copy = handle(self.maps.len())?;
            if let Some(slot) = self.copied.get_mut(place) {
                *slot = copy;
            }
            copy
        } else {
            copy
        };
        Ok(self.maps.get_mut(copy as usize - 1))
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, map: MapRef, key: &[u8]) -> Option<&Value> {
        self.node(map)?.entries.get(key)
    }

    /// Number of entries.
    #[must_use]
    pub fn map_len(&self, map: MapRef) -> usize {
        self.node(map).map_or(0, |node| node.entries.len())
    }

    /// Entries in order of keys.
    #[must_use]
    pub fn entries(&self, map: MapRef) -> impl DoubleEndedIterator<Item = (&Str, &Value)> {
        static NONE: Entries = Entries::List(Vec::new());
        self.node(map).map_or(&NONE, |node| &node.entries).iter()
    }

    /// The first entry whose key comes after `key`.
    #[must_use]
    pub fn entry_after(&self, map: MapRef, key: &Str) -> Option<(&Str, &Value)> {
        self.node(map)?.entries.after(key)
    }

    /// What the values are declared to be.
    #[must_use]
    pub fn map_elem(&self, map: MapRef) -> Elem {
        self.node(map).map_or(Elem::Any, |node| node.elem)
    }

    /// The named type, if it has one.
    #[must_use]
    pub fn map_name(&self, map: MapRef) -> Option<&Arc<Named>> {
        self.node(map)?.name(map)
    }

    /// Whether it is a nil map.
    #[must_use]
    pub fn is_nil_map(&self, map: MapRef) -> bool {
        self.node(map).is_none_or(|node| node.nil)
    }

    /// Sets `key`.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn insert(&mut self, map: MapRef, key: impl Into<Str>, value: Value) -> Result<(), Limit> {
        self.charge(ENTRY)?;
        if let Some(node) = self.node_mut(map)? {
            node.nil = false;
            node.entries.insert(key.into(), value);
        }
        Ok(())
    }

    /// Removes `key`.
    ///
    /// # Errors
    /// When the limit is met.
    pub fn remove(&mut self, map: MapRef, key: &[u8]) -> Result<Option<Value>, Limit> {
        if self.get(map, key).is_none() {
            return Ok(None);
        }
        Ok(self.node_mut(map)?.and_then(|node| node.entries.remove(key)))
    }
}

/// A map of the base that this heap has not changed: it can be walked while the heap changes.
#[derive(Debug)]
pub(crate) struct Frozen {
    base: Arc<Base>,
    place: usize,
}

impl Frozen {
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Str, &Value)> {
        self.base
            .maps
            .get(self.place)
            .into_iter()
            .flat_map(|node| node.entries.iter())
    }
}

impl Heap {
    pub(crate) fn frozen(&self, map: MapRef) -> Option<Frozen> {
        let place = (map.0 & !VIEW) as usize;
        let is_copied = self.copied.get(place).is_some_and(|copy| *copy != 0);
        (place < self.base.maps.len() && !is_copied).then(|| Frozen {
            base: self.base.clone(),
            place,
        })
    }
}

fn handle(place: usize) -> Result<u32, Limit> {
    u32::try_from(place).map_err(|_| Limit::Heap(u32::MAX as usize))
}

impl MapRef {
    /// Its number, for what Go would print as its address.
    pub(crate) fn place(self) -> u64 {
        u64::from(self.0 & !VIEW)
    }
}
