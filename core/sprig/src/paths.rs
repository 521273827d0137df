//! Paths with slashes, by their text only.

use alloc::vec::Vec;

use convoy_template::{Context, Functions, Str};

pub(crate) fn register(functions: &mut Functions) {
    for names in [
        ["base", "dir", "clean", "ext", "isAbs"],
        ["osBase", "osDir", "osClean", "osExt", "osIsAbs"],
    ] {
        let [base_name, dir_name, clean_name, ext_name, is_abs] = names;
        functions
            .add(base_name, |_: &mut Context, path: Str| base(&path).to_vec())
            .add(dir_name, |_: &mut Context, path: Str| dir(&path))
            .add(clean_name, |_: &mut Context, path: Str| clean(&path))
            .add(ext_name, |_: &mut Context, path: Str| ext(&path).to_vec())
            .add(is_abs, |_: &mut Context, path: Str| path.starts_with(b"/"));
    }
}

fn base(path: &[u8]) -> &[u8] {
    if path.is_empty() {
        return b".";
    }
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let path = path.get(..end).unwrap_or(&[]);
    let start = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    match path.get(start..) {
        Some(base) if !base.is_empty() => base,
        _ => b"/",
    }
}

fn dir(path: &[u8]) -> Vec<u8> {
    let end = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    clean(path.get(..end).unwrap_or(&[]))
}

fn ext(path: &[u8]) -> &[u8] {
    let name = path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let name = path.get(name..).unwrap_or(&[]);
    name.iter()
        .rposition(|byte| *byte == b'.')
        .and_then(|dot| name.get(dot..))
        .unwrap_or(&[])
}

/// The shortest equal path.
pub(crate) fn clean(path: &[u8]) -> Vec<u8> {
    let rooted = path.starts_with(b"/");
    let mut kept: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if kept.last().is_some_and(|last| *last != b"..") => {
                kept.pop();
            }
            b".." if rooted => {}
            _ => kept.push(part),
        }
    }
    let joined = kept.join(&b'/');
    match (rooted, joined.is_empty()) {
        (true, _) => [b"/", joined.as_slice()].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => joined,
    }
}
