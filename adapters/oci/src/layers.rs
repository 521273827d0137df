//! Which layers of an artifact are its files.

use convoy_domain::source::OciContent;

use crate::manifest::Descriptor;

/// What `helm push` writes.
pub const CHART: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

/// What Helm wrote before that was registered, and still reads.
pub const OLD_CHART: &str = "application/tar+gzip";

/// What holds a folder of files as tar and gzip: what `flux push artifact` writes, `timoni artifact push`, `oras push` of
/// a folder, and those that make images.
pub const FILES: [&str; 4] = [
    "application/vnd.cncf.flux.content.v1.tar+gzip",
    "application/vnd.timoni.content.v1.tar+gzip",
    "application/vnd.oci.image.layer.v1.tar+gzip",
    "application/vnd.docker.image.rootfs.diff.tar.gzip",
];

/// How many media types an error names.
const NAMED: usize = 8;

/// What a layer is unpacked as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layers {
    /// A packaged chart, whose folder goes.
    Chart(Descriptor),
    /// Files, whose paths stay; together they are the artifact.
    Files(Vec<Descriptor>),
}

/// The layers that are read for `content`: of more than one chart the first; for files all layers of the first kind that
/// is there, else the chart.
///
/// # Errors
/// The media types that were found in place of a usable one, for a message.
pub fn select(layers: &[Descriptor], content: OciContent) -> Result<Layers, String> {
    let of = |media_type: &'static str| layers.iter().filter(move |layer| is(&layer.media_type, media_type));
    let chart = || of(CHART).chain(of(OLD_CHART)).next().cloned().map(Layers::Chart);
    let files = || {
        let kinds = FILES.iter().map(|kind| of(kind).cloned().collect::<Vec<_>>());
        let mut there = kinds.filter(|found| !found.is_empty());
        there.next().map(Layers::Files)
    };
    let found = match content {
        OciContent::Chart => chart(),
        OciContent::Files => files().or_else(chart),
    };
    found.ok_or_else(|| media_types(layers))
}

/// Media types have no upper and lower case, and may have parameters.
fn is(found: &str, wanted: &str) -> bool {
    let kind = found.split(';').next().unwrap_or(found);
    kind.trim().eq_ignore_ascii_case(wanted)
}

/// The media types of layers, each once, as a message names them.
#[must_use]
pub fn media_types(layers: &[Descriptor]) -> String {
    let mut named: Vec<String> = Vec::new();
    for layer in layers {
        let printable = layer.media_type.chars().filter(char::is_ascii_graphic);
        let name: String = printable.take(120).collect();
        let name = if name.is_empty() {
            "none".to_owned()
        } else {
            format!("`{name}`")
        };
        if !named.contains(&name) {
            if named.len() == NAMED {
                named.push("…".to_owned());
                break;
            }
            named.push(name);
        }
    }
    match named.as_slice() {
        [] => "it has no layers".to_owned(),
        named => format!("its layers are {}", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;

    fn layers(media_types: &[&str]) -> Vec<Descriptor> {
        let of = |(number, media_type): (usize, &&str)| Descriptor {
            media_type: (*media_type).to_owned(),
            digest: Digest::of(&number.to_le_bytes()),
            size: u64::try_from(number).unwrap(),
        };
        media_types.iter().enumerate().map(of).collect()
    }

    #[test]
    fn the_content_decides_which_layers_are_read() {
        let check = |media_types: &[&str], content, expect: Result<&[u64], &str>| {
            let found = match select(&layers(media_types), content) {
                Ok(Layers::Chart(layer)) => Ok(vec![layer.size]),
                Ok(Layers::Files(layers)) => Ok(layers.iter().map(|layer| layer.size).collect()),
                Err(found) => Err(found),
            };
            let expect = expect.map(<[u64]>::to_vec).map_err(str::to_owned);
            assert_eq!(found, expect, "{media_types:?} {content:?}");
        };
        let provenance = "application/vnd.cncf.helm.chart.provenance.v1.prov";
        let [flux, timoni, oras, docker] = FILES;
        let chart = OciContent::Chart;
        let files = OciContent::Files;
        check(&[provenance, CHART], chart, Ok(&[1]));
        check(&[OLD_CHART, CHART], chart, Ok(&[1]));
        check(&[OLD_CHART], chart, Ok(&[0]));
        check(&[&CHART.to_uppercase()], chart, Ok(&[0]));
        check(
            &[flux],
            chart,
            Err("its layers are `application/vnd.cncf.flux.content.v1.tar+gzip`"),
        );
        check(&[], chart, Err("it has no layers"));
        check(&["", "a\u{1b}[31mb", ""], chart, Err("its layers are none, `a[31mb`"));
        check(&[flux], files, Ok(&[0]));
        check(&[timoni, timoni], files, Ok(&[0, 1]));
        check(&["text/plain", oras, CHART], files, Ok(&[1]));
        check(&[docker], files, Ok(&[0]));
        check(&[oras, flux], files, Ok(&[1]));
        check(&[CHART], files, Ok(&[0]));
        check(
            &["application/vnd.oci.image.layer.v1.tar"],
            files,
            Err("its layers are `application/vnd.oci.image.layer.v1.tar`"),
        );
        check(
            &[provenance],
            files,
            Err("its layers are `application/vnd.cncf.helm.chart.provenance.v1.prov`"),
        );
    }

    #[test]
    fn a_message_does_not_grow_with_a_manifest() {
        let many: Vec<String> = (0..1000)
            .map(|number| format!("{number}{}", "x".repeat(1000)))
            .collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let named = media_types(&layers(&many));
        assert!(named.len() < 1200 && named.ends_with(", …"), "{named}");
    }
}
