//! Reading objects by id, from a pack in memory or from a local repository.

use gix::hash::oid;
use gix::objs::{Find, FindHeader, Kind};

/// An object database.
pub(crate) trait Objects {
    /// Kind and size of an object, without its content; `None` when it is absent.
    fn header(&self, id: &oid) -> gix::Result<Option<(Kind, u64)>>;
    /// Kind of an object whose content goes to `content`; `None` when it is absent.
    fn read(&self, id: &oid, content: &mut Vec<u8>) -> gix::Result<Option<Kind>>;
}

impl Objects for gix::OdbHandle {
    fn header(&self, id: &oid) -> gix::Result<Option<(Kind, u64)>> {
        Ok(self.try_header(id)?.map(|header| (header.kind, header.size)))
    }

    fn read(&self, id: &oid, content: &mut Vec<u8>) -> gix::Result<Option<Kind>> {
        Ok(self.try_find(id, content)?.map(|object| object.kind))
    }
}

/// Several databases as one: a repository's and its submodules'. An id names its content, whichever holds it.
#[derive(Default)]
pub(crate) struct Store(Vec<Box<dyn Objects>>);

impl Store {
    pub(crate) fn add(&mut self, objects: Box<dyn Objects>) {
        self.0.push(objects);
    }
}

impl Objects for Store {
    fn header(&self, id: &oid) -> gix::Result<Option<(Kind, u64)>> {
        for objects in &self.0 {
            if let Some(found) = objects.header(id)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn read(&self, id: &oid, content: &mut Vec<u8>) -> gix::Result<Option<Kind>> {
        for objects in &self.0 {
            if let Some(found) = objects.read(id, content)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
