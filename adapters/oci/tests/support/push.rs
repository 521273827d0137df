//! Pushes artifacts to registries without credentials, as Flux, ORAS and others shape them.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use convoy_oci::digest::Digest;

/// A layer: media type and bytes.
pub(crate) type Layer<'a> = (&'a str, &'a [u8]);

pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub(crate) const INDEX: &str = "application/vnd.oci.image.index.v1+json";
pub(crate) const FLUX: &str = "application/vnd.cncf.flux.content.v1.tar+gzip";
pub(crate) const FLUX_CONFIG: &str = "application/vnd.cncf.flux.config.v1+json";
pub(crate) const ORAS: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
pub(crate) const ORAS_CONFIG: &str = "application/vnd.oci.empty.v1+json";
pub(crate) const TIMONI: &str = "application/vnd.timoni.content.v1.tar+gzip";
pub(crate) const TIMONI_CONFIG: &str = "application/vnd.timoni.config.v1+json";
pub(crate) const CHART_CONFIG: &str = "application/vnd.cncf.helm.config.v1+json";

/// What a descriptor says.
pub(crate) fn descriptor(media_type: &str, bytes: &[u8]) -> String {
    format!(
        r#"{{"mediaType":"{media_type}","digest":"{}","size":{}}}"#,
        Digest::of(bytes),
        bytes.len()
    )
}

/// A manifest of layers, with an empty configuration.
pub(crate) fn manifest(config: &str, layers: &[Layer<'_>]) -> Vec<u8> {
    let layers: Vec<String> = layers
        .iter()
        .map(|(media_type, bytes)| descriptor(media_type, bytes))
        .collect();
    let config = descriptor(config, b"{}");
    let layers = layers.join(",");
    format!(r#"{{"schemaVersion":2,"mediaType":"{MANIFEST}","config":{config},"layers":[{layers}]}}"#).into_bytes()
}

/// An index of manifests.
pub(crate) fn index(manifests: &[Layer<'_>]) -> Vec<u8> {
    let manifests: Vec<String> = manifests.iter().map(|(kind, bytes)| descriptor(kind, bytes)).collect();
    let manifests = manifests.join(",");
    format!(r#"{{"schemaVersion":2,"mediaType":"{INDEX}","manifests":[{manifests}]}}"#).into_bytes()
}

/// Pushes an artifact and tags it; gives its manifest's digest.
pub(crate) fn push(port: u16, repository: &str, tag: &str, config: &str, layers: &[Layer<'_>]) -> Digest {
    push_blob(port, repository, b"{}");
    for (_, bytes) in layers {
        push_blob(port, repository, bytes);
    }
    let manifest = manifest(config, layers);
    push_manifest(port, repository, tag, MANIFEST, &manifest);
    Digest::of(&manifest)
}

pub(crate) fn push_manifest(port: u16, repository: &str, reference: &str, media_type: &str, bytes: &[u8]) {
    let target = format!("/v2/{repository}/manifests/{reference}");
    let (status, _, body) = ask(port, "PUT", &target, media_type, bytes);
    assert_eq!(status, 201, "{target}: {body}");
}

pub(crate) fn push_blob(port: u16, repository: &str, bytes: &[u8]) {
    let (status, location, body) = ask(port, "POST", &format!("/v2/{repository}/blobs/uploads/"), "", b"");
    assert_eq!(status, 202, "{body}");
    let location = location.expect("a place for the upload");
    let target = location
        .strip_prefix(&format!("http://127.0.0.1:{port}"))
        .unwrap_or(&location);
    let between = if target.contains('?') { '&' } else { '?' };
    let target = format!("{target}{between}digest={}", Digest::of(bytes));
    let (status, _, body) = ask(port, "PUT", &target, "application/octet-stream", bytes);
    assert_eq!(status, 201, "{body}");
}

/// One request; gives status, `Location` and body.
fn ask(port: u16, method: &str, target: &str, media_type: &str, body: &[u8]) -> (u16, Option<String>, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the registry");
    let head = format!(
        "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("a request");
    stream.write_all(body).expect("a body");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .expect("a status");
    let location = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("location").then(|| value.trim().to_owned())
    });
    (status, location, body.to_owned())
}
