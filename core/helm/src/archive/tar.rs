//! tar: ustar, with the long names of pax and GNU.

use alloc::borrow::ToOwned as _;
use alloc::string::String;

use super::ArchiveError;

const BLOCK: usize = 512;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    /// A link, a device, a pipe.
    Irregular,
}

/// One entry.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) data: &'a [u8],
}

/// Walks the entries of an archive.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
    /// What extended headers said about the next entry.
    name: Option<String>,
    size: Option<usize>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            rest: text,
            name: None,
            size: None,
        }
    }

    /// The next entry; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Entry<'a>>, ArchiveError> {
        loop {
            if self.rest.is_empty() {
                return Ok(None);
            }
            let (header, rest) = self.rest.split_at_checked(BLOCK).ok_or(ArchiveError::Truncated)?;
            self.rest = rest;
            if header.iter().all(|b| *b == 0) {
                // Two blocks of zeros end the archive; what follows one alone is looked at.
                if rest.len() < BLOCK || rest[..BLOCK].iter().all(|b| *b == 0) {
                    return Ok(None);
                }
                return Err(ArchiveError::Header);
            }
            check(header)?;
            let flag = header[156];
            let is_extension = matches!(flag, b'x' | b'g' | b'L' | b'K');
            let size = match self.size.filter(|_| !is_extension) {
                Some(size) => size,
                None => number(&header[124..136]).ok_or(ArchiveError::Header)?,
            };
            let name = self
                .name
                .take_if(|_| !is_extension)
                .unwrap_or_else(|| ustar_name(header));
            let has_data = !matches!(flag, b'1'..=b'6');
            let data = self.take(if has_data { size } else { 0 })?;
            match flag {
                b'x' => self.extended(data)?,
                b'L' => self.name = Some(String::from_utf8_lossy(until_nul(data)).into_owned()),
                b'g' | b'K' => {}
                _ => {
                    self.size = None;
                    let kind = match flag {
                        b'5' => Kind::Folder,
                        _ if name.ends_with('/') => Kind::Folder,
                        0 | b'0' | b'7' => Kind::File,
                        _ => Kind::Irregular,
                    };
                    return Ok(Some(Entry { name, kind, data }));
                }
            }
        }
    }

    /// The data of an entry, without its padding.
    fn take(&mut self, size: usize) -> Result<&'a [u8], ArchiveError> {
        let padded = size.checked_next_multiple_of(BLOCK).ok_or(ArchiveError::Header)?;
        let data = self.rest.get(..size).ok_or(ArchiveError::Truncated)?;
        self.rest = self.rest.get(padded..).unwrap_or_default();
        Ok(data)
    }

    /// The records of a pax header: `length key=value\n`.
    fn extended(&mut self, mut records: &[u8]) -> Result<(), ArchiveError> {
        while !records.is_empty() {
            let space = records.iter().position(|b| *b == b' ').ok_or(ArchiveError::Header)?;
            let length = core::str::from_utf8(&records[..space])
                .ok()
                .and_then(|text| text.parse::<usize>().ok());
            let length = length
                .filter(|length| *length > space + 1)
                .ok_or(ArchiveError::Header)?;
            let record = records
                .get(space + 1..length)
                .and_then(|record| record.strip_suffix(b"\n"));
            let record = core::str::from_utf8(record.ok_or(ArchiveError::Header)?).map_err(|_| ArchiveError::Header)?;
            let (key, value) = record.split_once('=').ok_or(ArchiveError::Header)?;
            match key {
                "path" if !value.is_empty() => self.name = Some(value.to_owned()),
                "size" => self.size = Some(value.parse().map_err(|_| ArchiveError::Header)?),
                _ => {}
            }
            records = &records[length..];
        }
        Ok(())
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|b| *b == 0).next().unwrap_or_default()
}

fn ustar_name(header: &[u8]) -> String {
    let name = String::from_utf8_lossy(until_nul(&header[..100])).into_owned();
    let prefix = until_nul(&header[345..500]);
    if &header[257..263] == b"ustar\0" && !prefix.is_empty() {
        return String::from_utf8_lossy(prefix).into_owned() + "/" + &name;
    }
    name
}

/// An octal number, or a big-endian one when the first bit is set.
fn number(field: &[u8]) -> Option<usize> {
    if field[0] & 0x80 != 0 {
        let mut total: usize = usize::from(field[0] & 0x7f);
        for byte in &field[1..] {
            total = total.checked_mul(256)?.checked_add(usize::from(*byte))?;
        }
        return Some(total);
    }
    let text = core::str::from_utf8(until_nul(field)).ok()?.trim_matches(' ');
    if text.is_empty() {
        return Some(0);
    }
    usize::from_str_radix(text, 8).ok()
}

/// The sum of the header's bytes, its own field read as spaces.
fn check(header: &[u8]) -> Result<(), ArchiveError> {
    let stored = number(&header[148..156]).ok_or(ArchiveError::Header)?;
    let byte = |(at, byte): (usize, &u8)| if (148..156).contains(&at) { b' ' } else { *byte };
    let unsigned: usize = header.iter().enumerate().map(|pair| usize::from(byte(pair))).sum();
    let signed: i64 = header
        .iter()
        .enumerate()
        .map(|pair| i64::from(byte(pair).cast_signed()))
        .sum();
    if stored == unsigned || i64::try_from(stored).ok() == Some(signed) {
        Ok(())
    } else {
        Err(ArchiveError::Header)
    }
}
