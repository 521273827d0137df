//! gzip (RFC 1952): members one after the other.

use alloc::format;
use alloc::vec::Vec;

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};

use super::{ArchiveError, Limits};

const CHUNK: usize = 1 << 16;

/// The data of all members, at most `cap` bytes.
pub(super) fn inflate(bytes: &[u8], cap: usize, limits: &Limits) -> Result<Vec<u8>, ArchiveError> {
    let mut out = Vec::new();
    let mut rest = bytes;
    loop {
        rest = header(rest)?;
        let start = out.len();
        rest = deflated(rest, &mut out, cap, limits)?;
        let (trailer, next) = rest.split_at_checked(8).ok_or(ArchiveError::Truncated)?;
        let word = |at: usize| u32::from_le_bytes([trailer[at], trailer[at + 1], trailer[at + 2], trailer[at + 3]]);
        let length = u32::try_from((out.len() - start) & 0xffff_ffff).unwrap_or_default();
        if word(0) != crc32(&out[start..]) || word(4) != length {
            return Err(ArchiveError::Checksum);
        }
        rest = next;
        if rest.is_empty() {
            return Ok(out);
        }
    }
}

/// Skips a member's header.
fn header(bytes: &[u8]) -> Result<&[u8], ArchiveError> {
    let Some(([0x1f, 0x8b, 8, flags, ..], mut rest)) = bytes.split_at_checked(10) else {
        return Err(ArchiveError::NotGzip);
    };
    if flags & 4 != 0 {
        let (length, behind) = rest.split_at_checked(2).ok_or(ArchiveError::NotGzip)?;
        let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
        rest = behind.get(length..).ok_or(ArchiveError::NotGzip)?;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            let end = rest.iter().position(|b| *b == 0).ok_or(ArchiveError::NotGzip)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & 2 != 0 {
        rest = rest.get(2..).ok_or(ArchiveError::NotGzip)?;
    }
    Ok(rest)
}

/// Appends one deflated stream to `out`; returns what follows it.
fn deflated<'a>(bytes: &'a [u8], out: &mut Vec<u8>, cap: usize, limits: &Limits) -> Result<&'a [u8], ArchiveError> {
    let mut state = DecompressorOxide::new();
    let start = out.len();
    let (mut read, mut written) = (0, 0);
    loop {
        let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, taken, made) = decompress(&mut state, &bytes[read..], &mut out[start..], written, flags);
        read += taken;
        written += made;
        match status {
            TINFLStatus::Done => {
                out.truncate(start + written);
                return Ok(&bytes[read..]);
            }
            TINFLStatus::HasMoreOutput => {
                if out.len() >= cap {
                    return Err(if cap >= limits.total {
                        ArchiveError::TooLarge(limits.total)
                    } else {
                        ArchiveError::Limit(format!("{} unpacked bytes for each packed one", limits.ratio))
                    });
                }
                let grown = (out.len() + (out.len() - start).max(CHUNK)).min(cap);
                out.resize(grown, 0);
            }
            TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => return Err(ArchiveError::Truncated),
            TINFLStatus::BadParam | TINFLStatus::Adler32Mismatch | TINFLStatus::Failed => {
                return Err(ArchiveError::Damaged);
            }
        }
    }
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut crc = index;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            };
            bit += 1;
        }
        table[index as usize] = crc;
        index += 1;
    }
    table
}

static TABLE: [u32; 256] = table();

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        TABLE[((crc ^ u32::from(*byte)) & 0xff) as usize] ^ (crc >> 8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_gzip() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }
}
