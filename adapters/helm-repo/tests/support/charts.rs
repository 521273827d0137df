//! Charts as archives, and indexes of them.

use std::fmt::Write as _;
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// An archive of a chart with `Chart.yaml` and what else is given, below the chart's folder.
pub(crate) fn archive(name: &str, version: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let about = format!("apiVersion: v2\nname: {name}\nversion: {version}\n");
    let mut tar = Vec::new();
    add(&mut tar, &format!("{name}/Chart.yaml"), about.as_bytes());
    for (path, content) in files {
        add(&mut tar, &format!("{name}/{path}"), content);
    }
    tar.extend([0; 1024]);
    gzip(&tar)
}

/// A member of a tar archive.
pub(crate) fn add(tar: &mut Vec<u8>, path: &str, content: &[u8]) {
    let mut head = [0_u8; 512];
    let mut put = |at: usize, text: &str| head[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, path);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{:011o}\0", content.len()));
    put(136, "00000000000\0");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    tar.extend(head);
    tar.extend(content);
    tar.extend(vec![0; content.len().next_multiple_of(512) - content.len()]);
}

/// Gzip around blocks that are stored as they are.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut blocks = bytes.chunks(65_535).peekable();
    while let Some(block) = blocks.next() {
        let length = u16::try_from(block.len()).expect("a block's length");
        out.push(u8::from(blocks.peek().is_none()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    let crc = bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
        })
    });
    out.extend((!crc).to_le_bytes());
    out.extend(u32::try_from(bytes.len()).expect("a length").to_le_bytes());
    out
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// A version of a chart in an index.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) chart: String,
    pub(crate) version: String,
    pub(crate) digest: String,
    pub(crate) urls: Vec<String>,
}

pub(crate) fn listed(chart: &str, version: &str, digest: &str, urls: &[&str]) -> Listed {
    Listed {
        chart: chart.to_owned(),
        version: version.to_owned(),
        digest: digest.to_owned(),
        urls: urls.iter().map(|url| (*url).to_owned()).collect(),
    }
}

/// The text of an index; versions of one chart stand together.
pub(crate) fn index(entries: &[Listed]) -> String {
    let mut text = "apiVersion: v1\nentries:\n".to_owned();
    let mut open = "";
    for entry in entries {
        if open != entry.chart {
            open = &entry.chart;
            let _ = writeln!(text, "  {open}:");
        }
        let _ = writeln!(text, "  - apiVersion: v2\n    name: {open}");
        if !entry.digest.is_empty() {
            let _ = writeln!(text, "    digest: \"{}\"", entry.digest);
        }
        let _ = writeln!(text, "    urls:");
        for url in &entry.urls {
            let _ = writeln!(text, "    - \"{url}\"");
        }
        let _ = writeln!(text, "    version: \"{}\"", entry.version);
    }
    text + "generated: \"2026-01-02T03:04:05Z\"\n"
}

/// Puts a chart and an index of it alone into a folder, and gives the archive.
pub(crate) fn publish(folder: &Path, name: &str, version: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let archive = archive(name, version, files);
    let file = format!("{name}-{version}.tgz");
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(folder.join(&file), &archive).expect("an archive");
    let entry = listed(name, version, &digest(&archive), &[&file]);
    std::fs::write(folder.join("index.yaml"), index(&[entry])).expect("an index");
    archive
}
