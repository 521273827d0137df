//! An artifact as bytes: a mark, the revision, its time, and its files, each part behind its length, in big-endian
//! numbers.
//!
//! Both ways hash what passes, so that an artifact is never in memory twice.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

use convoy_domain::Timestamp;
use convoy_domain::artifact::{Artifact, Files, Revision};
use sha2::{Digest, Sha256};

const MARK: &[u8] = b"convoy artifact 1\n";

/// Bytes of a path or revision, at most.
const TEXT: usize = 64 * 1024;

/// SHA-256 as 64 hex digits.
pub(crate) type Hash = String;

/// How many bytes [`write`] writes.
pub(crate) fn length(artifact: &Artifact) -> u64 {
    let texts = MARK.len() + 4 + artifact.revision.0.len() + 1 + artifact.time.map_or(0, |_| 16) + 4;
    let files = artifact.files.iter();
    files
        .map(|(path, content)| (4 + path.len() + 8 + content.len()) as u64)
        .fold(texts as u64, u64::saturating_add)
}

/// Writes an artifact; the hash of its bytes.
pub(crate) fn write(artifact: &Artifact, to: impl Write) -> io::Result<Hash> {
    let mut out = Hashing {
        inner: to,
        hash: Sha256::new(),
    };
    out.write_all(MARK)?;
    write_text(&mut out, &artifact.revision.0)?;
    match artifact.time {
        None => out.write_all(&[0])?,
        Some(time) => {
            out.write_all(&[1])?;
            out.write_all(&time.as_nanosecond().to_be_bytes())?;
        }
    }
    let count = u32::try_from(artifact.files.len()).map_err(|_| wrong("it has too many files"))?;
    out.write_all(&count.to_be_bytes())?;
    for (path, content) in artifact.files.iter() {
        write_text(&mut out, path)?;
        out.write_all(&(content.len() as u64).to_be_bytes())?;
        out.write_all(content)?;
    }
    out.inner.flush()?;
    Ok(hex(out.hash))
}

fn write_text(out: &mut impl Write, text: &str) -> io::Result<()> {
    if text.len() > TEXT {
        return Err(wrong("a path is too long"));
    }
    let length = u32::try_from(text.len()).map_err(|_| wrong("a path is too long"))?;
    out.write_all(&length.to_be_bytes())?;
    out.write_all(text.as_bytes())
}

/// Reads an artifact out of exactly `bytes` bytes; the hash of all of them.
///
/// What is no artifact is `InvalidData` or `UnexpectedEof`.
pub(crate) fn read(from: impl Read, bytes: u64) -> io::Result<(Artifact, Hash)> {
    let mut input = Hashing {
        inner: from.take(bytes),
        hash: Sha256::new(),
    };
    let mut mark = [0; MARK.len()];
    input.read_exact(&mut mark)?;
    if mark != MARK {
        return Err(wrong("it is no artifact of this version"));
    }
    let revision = Revision(read_text(&mut input)?);
    let time = match read_array::<1>(&mut input)? {
        [0] => None,
        [1] => {
            let nanoseconds = i128::from_be_bytes(read_array(&mut input)?);
            Some(Timestamp::from_nanosecond(nanoseconds).map_err(|_| wrong("its time is none"))?)
        }
        _ => return Err(wrong("its time is none")),
    };
    let count = u32::from_be_bytes(read_array(&mut input)?);
    let mut files: Files = BTreeMap::new();
    for _ in 0..count {
        let path = read_text(&mut input)?;
        if !is_inside(&path) {
            return Err(wrong("a path leads out of it"));
        }
        let content = read_content(&mut input)?;
        files.insert(path, content);
    }
    if files.len() != count as usize || input.inner.limit() > 0 || input.inner.into_inner().read(&mut [0])? > 0 {
        return Err(wrong("it has another length"));
    }
    let artifact = Artifact {
        revision,
        time,
        files: Arc::new(files),
    };
    Ok((artifact, hex(input.hash)))
}

/// The invariant of [`Files`].
fn is_inside(path: &str) -> bool {
    !path.split('/').any(|part| matches!(part, "" | "." | "..")) && !path.contains('\0')
}

fn read_array<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_text(input: &mut impl Read) -> io::Result<String> {
    let length = u32::from_be_bytes(read_array(input)?) as usize;
    if length > TEXT {
        return Err(wrong("a path is too long"));
    }
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    String::from_utf8(bytes).map_err(|_| wrong("a path is no text"))
}

fn read_content<R: Read>(input: &mut Hashing<io::Take<R>>) -> io::Result<Arc<[u8]>> {
    let length = u64::from_be_bytes(read_array(input)?);
    // No more is reserved than can follow.
    if length > input.inner.limit() {
        return Err(wrong("it has another length"));
    }
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| wrong("a file is too large"))?];
    input.read_exact(&mut bytes)?;
    Ok(bytes.into())
}

fn wrong(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}

fn hex(hash: Sha256) -> Hash {
    use std::fmt::Write as _;
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Hashes what passes.
struct Hashing<T> {
    inner: T,
    hash: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.hash.update(&bytes[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Artifact {
        let file = |path: &str, content: &[u8]| (path.to_owned(), Arc::from(content));
        Artifact {
            revision: Revision("1f".to_owned()),
            time: Timestamp::new(1_800_000_000, 7).ok(),
            files: Arc::new([file("a", b"1"), file("b/c", b""), file("d", &[0xff; 300])].into()),
        }
    }

    fn encoded() -> (Vec<u8>, Hash) {
        let mut bytes = Vec::new();
        let hash = write(&sample(), &mut bytes).unwrap();
        (bytes, hash)
    }

    #[test]
    fn what_is_written_is_read_and_has_the_length_foretold() {
        let (bytes, hash) = encoded();
        assert_eq!(length(&sample()), bytes.len() as u64);
        assert_eq!(read(&bytes[..], bytes.len() as u64).unwrap(), (sample(), hash));
    }

    #[test]
    fn no_changed_byte_and_no_other_length_passes() {
        let (bytes, hash) = encoded();
        let passes = |bytes: &[u8]| read(bytes, bytes.len() as u64).is_ok_and(|(_, found)| found == hash);
        assert!(passes(&bytes));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x40;
            assert!(!passes(&changed), "byte {at}");
            assert!(!passes(&bytes[..at]), "cut at {at}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(!passes(&longer));
        assert!(read(&longer[..], bytes.len() as u64).is_err(), "the file grew");
    }

    #[test]
    fn paths_that_lead_out_are_refused() {
        for path in ["../a", "/a", "a//b", "a/./b", "", "a/..", "a\0b"] {
            let mut artifact = sample();
            artifact.files = Arc::new([(path.to_owned(), Arc::from(&b"x"[..]))].into());
            let mut bytes = Vec::new();
            write(&artifact, &mut bytes).unwrap();
            assert!(read(&bytes[..], bytes.len() as u64).is_err(), "{path:?}");
        }
    }

    #[test]
    fn a_length_that_lies_reserves_nothing() {
        let (mut bytes, _) = encoded();
        let at = bytes.len() - 300 - 8;
        bytes[at..at + 8].copy_from_slice(&(1_u64 << 60).to_be_bytes());
        assert!(read(&bytes[..], bytes.len() as u64).is_err());
    }
}
