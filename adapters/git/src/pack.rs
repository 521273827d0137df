//! A received pack and its index, both in memory: nothing reaches a disk, so that nothing can be left on one.
//!
//! # Invariant
//! A pack whose objects claim more bytes than the bounds allow is refused before they are allocated.

use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use convoy_ports::FetchError;
use convoy_web::{Site, failure::clean};
use gix::error::Class;
use gix::hash::{Kind as HashKind, oid};
use gix::objs::Kind;
use gix::odb::pack::cache::Never;
use gix::odb::pack::data::decode::entry::ResolvedBase;
use gix::odb::pack::data::decode::header::ResolvedBase as HeaderBase;
use gix::odb::pack::data::input::{BytesToEntriesIter, Entry, EntryDataMode, Mode};
use gix::odb::pack::{data, index};
use gix::zlib::Inflate;

use crate::cancel::Cancel;
use crate::objects::Objects;

/// What a pack may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackBounds {
    /// Number of objects.
    pub(crate) objects: u64,
    /// Bytes of one object.
    pub(crate) object_bytes: u64,
    /// Bytes of all entries when they are inflated; a delta counts as what it holds, not as what it makes.
    pub(crate) inflated_bytes: u64,
}

/// A pack that can be read by id.
pub(crate) struct Pack {
    data: data::File<Vec<u8>>,
    index: index::File<Vec<u8>>,
}

/// Bytes that end when the signal is raised.
struct Interruptible<'a> {
    rest: &'a [u8],
    cancel: &'a Cancel,
}

/// How much is inflated between two looks at the signal; zlib makes at most a thousand times as much of it.
const STRIDE: usize = 64 * 1024;

impl Read for Interruptible<'_> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let taken = available.len().min(target.len());
        target[..taken].copy_from_slice(&available[..taken]);
        self.consume(taken);
        Ok(taken)
    }
}

impl BufRead for Interruptible<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.cancel.is_raised() {
            return Err(io::Error::other("ended by the caller"));
        }
        Ok(&self.rest[..self.rest.len().min(STRIDE)])
    }

    fn consume(&mut self, amount: usize) {
        self.rest = &self.rest[amount..];
    }
}

/// Entries of a pack, as long as they keep within the bounds.
struct Bounded<I> {
    entries: I,
    inflated: u64,
    bounds: PackBounds,
    /// Which bound was passed.
    breach: Option<String>,
}

impl<I: Iterator<Item = gix::Result<Entry>>> Iterator for Bounded<I> {
    type Item = gix::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = match self.entries.next()? {
            Ok(entry) => entry,
            Err(error) => return Some(Err(error)),
        };
        self.inflated = self.inflated.saturating_add(entry.decompressed_size);
        if entry.decompressed_size > self.bounds.object_bytes {
            self.breach = Some(format!("{} bytes in one object", self.bounds.object_bytes));
        } else if self.inflated > self.bounds.inflated_bytes {
            self.breach = Some(format!("{} bytes in all objects", self.bounds.inflated_bytes));
        }
        match &self.breach {
            Some(breach) => Some(Err(gix::Error::from_error(io::Error::other(breach.clone())))),
            None => Some(Ok(entry)),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.entries.size_hint()
    }
}

impl Pack {
    /// Checks and indexes a pack.
    ///
    /// # Errors
    /// `Limit` when a bound is passed, `Invalid` when the pack is damaged or not complete in itself.
    pub(crate) fn new(bytes: Vec<u8>, bounds: PackBounds, cancel: &Cancel, site: &Site) -> Result<Self, FetchError> {
        let damaged = |error: gix::Error| match error.dominant_class() {
            Some(Class::ResourceExhaustion(_)) => site.limit(format!("{} bytes in one object", bounds.object_bytes)),
            _ => site.invalid(format!("its pack is damaged: {}", clean(&error.to_string()))),
        };
        let stream = Interruptible { rest: &bytes, cancel };
        let entries = BytesToEntriesIter::new_from_header(stream, Mode::Verify, EntryDataMode::Crc32, HashKind::Sha1)
            .map_err(damaged)?;
        let version = entries.version();
        let count = u64::try_from(entries.size_hint().0).unwrap_or(u64::MAX);
        if count > bounds.objects {
            return Err(site.limit(format!("{} objects in its pack", bounds.objects)));
        }
        let mut entries = Bounded {
            entries,
            inflated: 0,
            bounds,
            breach: None,
        };
        let allocation = usize::try_from(bounds.object_bytes.max(count.saturating_mul(BOOKKEEPING))).ok();
        let mut index = Vec::new();
        let written = index::write_data_iter_to_stream(
            index::Version::default(),
            || Ok((entry_of, bytes.as_slice())),
            &mut entries,
            None,
            &mut gix::progress::Discard,
            &mut index,
            cancel.flag(),
            HashKind::Sha1,
            allocation,
            version,
        );
        if let Some(breach) = entries.breach.take() {
            return Err(site.limit(breach));
        }
        written.map_err(damaged)?;
        drop(entries);
        let data = data::File::from_data(bytes, PathBuf::new(), HashKind::Sha1).map_err(damaged)?;
        Ok(Self {
            data: data.with_alloc_limit_bytes(allocation),
            index: index::File::from_data(index, PathBuf::new(), HashKind::Sha1).map_err(damaged)?,
        })
    }

    fn entry(&self, id: &oid) -> gix::Result<Option<data::Entry>> {
        let Some(position) = self.index.lookup(id) else {
            return Ok(None);
        };
        self.data.entry(self.index.pack_offset_at_index(position)).map(Some)
    }
}

/// Bytes that the index keeps of each object while it is made, generously.
const BOOKKEEPING: u64 = 256;

fn entry_of<'r>(range: data::EntryRange, bytes: &'r &[u8]) -> Option<&'r [u8]> {
    bytes.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}

impl Objects for Pack {
    fn header(&self, id: &oid) -> gix::Result<Option<(Kind, u64)>> {
        let Some(entry) = self.entry(id)? else {
            return Ok(None);
        };
        let resolve = |id: &oid| Ok(self.entry(id)?.map(HeaderBase::InPack));
        let header = self.data.decode_header(entry, &mut Inflate::default(), &resolve)?;
        Ok(Some((header.kind, header.object_size)))
    }

    fn read(&self, id: &oid, content: &mut Vec<u8>) -> gix::Result<Option<Kind>> {
        let Some(entry) = self.entry(id)? else {
            return Ok(None);
        };
        let resolve = |id: &oid, _: &mut Vec<u8>| Ok(self.entry(id)?.map(ResolvedBase::InPack));
        let outcome = self
            .data
            .decode_entry(entry, content, &mut Inflate::default(), &resolve, &mut Never)?;
        Ok(Some(outcome.kind))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use reqwest::Url;

    use super::*;

    const BOUNDS: PackBounds = PackBounds {
        objects: 10,
        object_bytes: 100_000,
        inflated_bytes: 150_000,
    };

    const BLOB: u8 = 3;
    const REF_DELTA: u8 = 7;

    /// One entry of a pack: type, base of a delta, and content, with the size it claims.
    struct Item {
        kind: u8,
        base: Vec<u8>,
        content: Vec<u8>,
        claims: usize,
    }

    fn blob(content: &[u8]) -> Item {
        Item {
            kind: BLOB,
            base: Vec::new(),
            content: content.to_vec(),
            claims: content.len(),
        }
    }

    fn size(mut number: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while number >= 0x80 {
            bytes.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
            number >>= 7;
        }
        bytes.push(u8::try_from(number).unwrap());
        bytes
    }

    /// A delta on `base` that claims to make `result` bytes by copying the base again and again.
    fn copies(base: &[u8], result: usize) -> Item {
        let mut content = size(base.len());
        content.extend(size(result));
        for _ in 0..result.div_ceil(base.len()) {
            // Copy from offset 0 the base's two bytes of length.
            content.push(0b1011_0000);
            content.extend_from_slice(&u16::try_from(base.len()).unwrap().to_le_bytes());
        }
        let id = gix::objs::compute_hash(HashKind::Sha1, Kind::Blob, base).unwrap();
        Item {
            kind: REF_DELTA,
            base: id.as_bytes().to_vec(),
            claims: content.len(),
            content,
        }
    }

    fn pack(claimed: u32, items: &[Item]) -> Vec<u8> {
        let mut bytes = b"PACK\0\0\0\x02".to_vec();
        bytes.extend_from_slice(&claimed.to_be_bytes());
        for item in items {
            let low = u8::try_from(item.claims & 0xf).unwrap();
            let rest = item.claims >> 4;
            bytes.push(item.kind << 4 | low | if rest > 0 { 0x80 } else { 0 });
            if rest > 0 {
                bytes.extend(size(rest));
            }
            bytes.extend_from_slice(&item.base);
            let mut zlib = gix::zlib::stream::deflate::Write::new(Vec::new(), gix::zlib::Compression::BEST_SPEED);
            zlib.write_all(&item.content).unwrap();
            zlib.flush().unwrap();
            bytes.extend(zlib.into_inner());
        }
        let mut hash = gix::hash::hasher(HashKind::Sha1);
        hash.update(&bytes);
        bytes.extend_from_slice(hash.try_finalize().unwrap().as_bytes());
        bytes
    }

    fn read(bytes: Vec<u8>) -> Result<Pack, FetchError> {
        let site = Site::of(&Url::parse("https://example.com/a.git").unwrap());
        Pack::new(bytes, BOUNDS, &Cancel::default(), &site)
    }

    fn check(bytes: Vec<u8>, expect: &str) {
        match read(bytes) {
            Err(error) => assert!(error.to_string().contains(expect), "`{error}` does not say `{expect}`"),
            Ok(_) => panic!("it was to say `{expect}`"),
        }
    }

    #[test]
    fn objects_and_deltas_are_read_by_id() {
        let base = vec![b'x'; 1000];
        let pack = read(pack(2, &[copies(&base, 3000), blob(&base)])).unwrap();
        for length in [1000, 3000] {
            let id = gix::objs::compute_hash(HashKind::Sha1, Kind::Blob, &vec![b'x'; length]).unwrap();
            let header = pack.header(&id).unwrap();
            assert_eq!(header, Some((Kind::Blob, u64::try_from(length).unwrap())));
            let mut content = Vec::new();
            assert_eq!(pack.read(&id, &mut content).unwrap(), Some(Kind::Blob));
            assert_eq!(content, vec![b'x'; length]);
        }
        let absent = gix::objs::compute_hash(HashKind::Sha1, Kind::Blob, b"absent").unwrap();
        assert_eq!(pack.header(&absent).unwrap(), None);
    }

    #[test]
    fn what_inflates_beyond_the_bounds_is_refused() {
        check(pack(1, &[blob(&vec![0; 100_001])]), "100000 bytes in one object");
        let (a, b) = (vec![1; 80_000], vec![2; 80_000]);
        check(pack(2, &[blob(&a), blob(&b)]), "150000 bytes in all objects");
        let base = vec![b'x'; 60_000];
        check(
            pack(2, &[blob(&base), copies(&base, 60_000_000)]),
            "100000 bytes in one object",
        );
        check(pack(4_000_000_000, &[blob(b"x")]), "10 objects in its pack");
    }

    #[test]
    fn damaged_packs_are_told() {
        let sound = pack(2, &[blob(b"one"), blob(b"two")]);
        for cut in 0..sound.len() {
            check(sound[..cut].to_vec(), "its pack is damaged");
        }
        for place in 0..sound.len() {
            let mut bytes = sound.clone();
            bytes[place] ^= 0x55;
            assert!(read(bytes).is_err(), "byte {place} may not change unseen");
        }
        let absent = copies(&[b'x'; 100], 200);
        check(pack(1, &[absent]), "its pack is damaged");
    }

    #[test]
    fn a_raised_signal_ends_the_reading() {
        let site = Site::of(&Url::parse("https://example.com/a.git").unwrap());
        let cancel = Cancel::default();
        cancel.raise();
        assert!(Pack::new(pack(1, &[blob(b"x")]), BOUNDS, &cancel, &site).is_err());
    }
}
