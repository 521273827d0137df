//! Packets and the numbers in them (RFC 9580, 4.2 and 3.2).

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packet<'a> {
    pub(super) tag: u8,
    pub(super) body: &'a [u8],
}

/// Bytes that are read from the front; `None` where there are too few.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// A number with its length in bits before it, without leading zeros.
    pub(super) fn number(&mut self) -> Option<&'a [u8]> {
        let bits = usize::from(self.u16()?);
        let number = self.take(bits.div_ceil(8))?;
        let zeros = number.iter().take_while(|byte| **byte == 0).count();
        Some(&number[zeros..])
    }

    /// What has its length, of one octet, before it.
    pub(super) fn short(&mut self) -> Option<&'a [u8]> {
        let length = self.u8()?;
        self.take(usize::from(length))
    }

    /// A length of one, two or five octets; `None` too for a part of something longer.
    pub(super) fn length(&mut self) -> Option<usize> {
        match self.u8()? {
            first @ 0..=191 => Some(usize::from(first)),
            first @ 192..=223 => Some((usize::from(first) - 192) * 256 + usize::from(self.u8()?) + 192),
            224..=254 => None,
            255 => usize::try_from(self.u32()?).ok(),
        }
    }
}

/// All packets, or `None` when anything is damaged.
pub(super) fn packets(bytes: &[u8]) -> Option<Vec<Packet<'_>>> {
    let mut rest = Bytes(bytes);
    let mut packets = Vec::new();
    while !rest.0.is_empty() {
        let head = rest.u8()?;
        let (tag, length) = match head & 0xc0 {
            0xc0 => (head & 0x3f, rest.length()?),
            0x80 => {
                let length = match head & 3 {
                    0 => usize::from(rest.u8()?),
                    1 => usize::from(rest.u16()?),
                    2 => usize::try_from(rest.u32()?).ok()?,
                    _ => return None,
                };
                (head >> 2 & 0xf, length)
            }
            _ => return None,
        };
        let body = rest.take(length)?;
        packets.push(Packet { tag, body });
    }
    Some(packets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_read_in_both_formats() {
        let check = |bytes: &[u8], expect: Option<&[(u8, usize)]>| {
            let found = packets(bytes);
            let found = found.map(|found| found.iter().map(|one| (one.tag, one.body.len())).collect::<Vec<_>>());
            assert_eq!(found.as_deref(), expect, "{bytes:?}");
        };
        check(&[], Some(&[]));
        check(&[0xc2, 2, 1, 2, 0x88, 1, 9], Some(&[(2, 2), (2, 1)]));
        check(&[0x89, 0, 1, 7], Some(&[(2, 1)]));
        check(&[0xc2, 255, 0, 0, 0, 1, 7], Some(&[(2, 1)]));
        check(&[&[0xc2, 192, 8][..], &[0; 200]].concat(), Some(&[(2, 200)]));
        check(&[0xc2, 2, 1], None);
        check(&[0xc2, 224, 1], None);
        check(&[0x8b, 1], None);
        check(&[0x42, 1, 1], None);
        check(&[0xc2], None);
        check(&[0xc2, 255, 255, 255, 255, 255], None);
    }

    #[test]
    fn numbers_have_no_leading_zeros() {
        assert_eq!(Bytes(&[0, 9, 1, 2]).number(), Some(&[1, 2][..]));
        assert_eq!(Bytes(&[0, 16, 0, 2]).number(), Some(&[2][..]));
        assert_eq!(Bytes(&[0, 0]).number(), Some(&[][..]));
        assert_eq!(Bytes(&[0, 9, 1]).number(), None);
    }
}
