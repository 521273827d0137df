//! Archives, well made and not.

/// An entry of an archive: name, kind, content.
pub(crate) type Entry<'a> = (&'a str, u8, &'a [u8]);

/// Kinds of entries.
pub(crate) const FILE: u8 = b'0';
pub(crate) const LINK: u8 = b'2';
pub(crate) const FOLDER: u8 = b'5';

/// A tar archive. The content of a link is its target.
pub(crate) fn tar(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, kind, content) in entries {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        let size = if *kind == LINK { 0 } else { content.len() };
        header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
        header[156] = *kind;
        if *kind == LINK {
            header[157..157 + content.len()].copy_from_slice(content);
        }
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().copied().map(u32::from).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        archive.extend_from_slice(&header);
        if *kind != LINK {
            archive.extend_from_slice(content);
            archive.resize(archive.len().next_multiple_of(512), 0);
        }
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

/// gzip around some bytes.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = b"\x1f\x8b\x08\0\0\0\0\0\0\xff".to_vec();
    packed.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
    packed.extend(crc32(bytes).to_le_bytes());
    packed.extend(u32::try_from(bytes.len()).expect("a small archive").to_le_bytes());
    packed
}

fn crc32(bytes: &[u8]) -> u32 {
    let of_byte = |byte: u32| {
        (0..8).fold(byte, |crc, _| {
            if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            }
        })
    };
    let table: Vec<u32> = (0..256).map(of_byte).collect();
    let place = |crc: u32, byte: u8| usize::from(crc.to_le_bytes()[0] ^ byte);
    !bytes.iter().fold(!0, |crc, byte| table[place(crc, *byte)] ^ (crc >> 8))
}

/// A packed archive of files.
pub(crate) fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let entries: Vec<Entry<'_>> = files.iter().map(|(name, content)| (*name, FILE, *content)).collect();
    gzip(&tar(&entries))
}

/// A packaged chart with one template.
pub(crate) fn chart(name: &str, version: &str) -> Vec<u8> {
    let metadata = format!("apiVersion: v2\nname: {name}\nversion: {version}\n");
    packed(&[
        (&format!("{name}/Chart.yaml"), metadata.as_bytes()),
        (&format!("{name}/templates/a.yaml"), b"a: 1\n"),
    ])
}
