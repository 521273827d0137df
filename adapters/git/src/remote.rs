//! The git protocol with a server: greeting, list of refs, pack.
//!
//! Protocol 2 first; servers that answer with an older one are understood. Nothing that we have is offered, so that a
//! pack is always complete in itself.

use std::io::Read as _;

use convoy_ports::FetchError;
use convoy_web::{failure::clean, unsupported};
use gix::ObjectId;
use gix::protocol::fetch::{Arguments, Response};
use gix::protocol::handshake::Ref;
use gix::protocol::ls_refs::RefPrefixes;
use gix::protocol::transport::client::blocking_io::Transport;
use gix::protocol::transport::{Protocol, Service};
use gix::protocol::{Command, Handshake, LsRefsCommand};

use crate::wire::{ANSWER_BYTES, Wire};

/// Who we are, to servers.
const AGENT: &str = concat!("convoy/", env!("CARGO_PKG_VERSION"));

/// A server that has greeted.
pub(crate) struct Remote {
    wire: Wire,
    transport: Box<dyn Transport + Send>,
    handshake: Handshake,
}

/// How much of what is wanted a pack brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The objects themselves, without trees and files where the server can leave them out.
    Bare,
    /// Their state, without what was before.
    Newest,
    /// Everything that led to them.
    Past,
}

/// Why there is no pack.
#[derive(Debug)]
pub(crate) enum NoPack {
    /// The server does not give the object, in its words.
    Refused(String),
    /// Anything else.
    Failed(FetchError),
}

impl Remote {
    /// Greets the server at the other end of `transport`, whose exchanges go over `wire`.
    pub(crate) fn greet(wire: Wire, mut transport: Box<dyn Transport + Send>) -> Result<Self, FetchError> {
        wire.limit_answers(ANSWER_BYTES);
        let handshake = gix::protocol::handshake(
            &mut transport,
            Service::UploadPack,
            |_| Ok(None),
            Vec::new(),
            &mut gix::progress::Discard,
        )
        .map_err(|error| {
            wire.take_fault()
                .unwrap_or_else(|| wire.site.not_a_repository(words(&error)))
        })?;
        let format = handshake.capabilities.capability("object-format");
        match format.and_then(|format| format.value().map(ToString::to_string)) {
            Some(format) if format != "sha1" => Err(unsupported(&format!(
                "a git repository with {} objects",
                clean(&format)
            ))),
            Some(_) | None => Ok(Self {
                wire,
                transport,
                handshake,
            }),
        }
    }

    /// The refs whose names begin with one of `prefixes`; servers of an old protocol list all.
    pub(crate) fn list(&mut self, prefixes: &[&str]) -> Result<Vec<Ref>, FetchError> {
        if let Some(refs) = &self.handshake.refs {
            return Ok(refs.clone());
        }
        let mut wanted = RefPrefixes::new();
        wanted.extend(prefixes.iter().map(|prefix| (*prefix).into()));
        LsRefsCommand::new(Some(wanted), &self.handshake.capabilities, agent())
            .invoke_blocking(&mut self.transport, &mut gix::progress::Discard, false)
            .map_err(|error| self.failure(&error))
    }

    /// Whether the server gives any object it has.
    pub(crate) fn gives_any_object(&self) -> bool {
        self.handshake.server_protocol_version == Protocol::V2
    }

    /// The refs of a greeting in an old protocol.
    pub(crate) fn advertised(&self) -> &[Ref] {
        self.handshake.refs.as_deref().unwrap_or_default()
    }

    /// Receives a pack of at most `limit` bytes with `wants`.
    pub(crate) fn receive(&mut self, wants: &[ObjectId], depth: Depth, limit: u64) -> Result<Vec<u8>, NoPack> {
        let version = self.handshake.server_protocol_version;
        let mut features = Command::Fetch.default_features(version, &self.handshake.capabilities);
        features.push(agent());
        Response::check_required_features(version, &features)
            .map_err(|error| NoPack::Failed(self.wire.site.not_a_repository(words(&error))))?;
        let mut arguments = Arguments::new(version, features, false);
        for want in wants {
            arguments.want(want);
        }
        if depth != Depth::Past && arguments.can_use_shallow() && arguments.can_use_deepen() {
            arguments.deepen(1);
        }
        if depth == Depth::Bare && arguments.can_use_filter() {
            arguments.filter("tree:0");
        }
        self.wire.limit_answers(limit);
        let mut said = String::new();
        match receive(&mut self.transport, &mut arguments, version, &mut said) {
            Ok(pack) => Ok(pack),
            Err(error) => Err(self.no_pack(&error, &said)),
        }
    }

    fn no_pack(&self, error: &gix::Error, said: &str) -> NoPack {
        if let Some(fault) = self.wire.take_fault() {
            return NoPack::Failed(fault);
        }
        if !said.is_empty() {
            return NoPack::Failed(self.wire.site.unreachable(format!("it gave up: {}", clean(said))));
        }
        let said = words(error);
        // The words of git itself, and of the Java implementation.
        if said.contains("not our ref") || said.contains("not valid") || said.contains("unadvertised object") {
            return NoPack::Refused(said);
        }
        NoPack::Failed(self.failure_with(error, &said))
    }

    fn failure(&self, error: &gix::Error) -> FetchError {
        self.wire
            .take_fault()
            .unwrap_or_else(|| self.failure_with(error, &words(error)))
    }

    fn failure_with(&self, error: &gix::Error, said: &str) -> FetchError {
        let broke_off = error
            .downcast_any_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::UnexpectedEof);
        if broke_off {
            self.wire.site.unreachable("its answer broke off")
        } else {
            self.wire.site.invalid(format!("its answer: {said}"))
        }
    }
}

fn receive(
    transport: &mut Box<dyn Transport + Send>,
    arguments: &mut Arguments,
    version: Protocol,
    said: &mut String,
) -> gix::Result<Vec<u8>> {
    let mut reader = arguments.send(transport, true).map_err(gix::Error::from_error)?;
    let response = Response::from_line_reader(version, &mut reader, true, false)?;
    let mut pack = Vec::new();
    if response.has_pack() {
        // Besides the pack the server sends words for people, and those it dies with.
        reader.set_progress_handler(Some(Box::new(|is_error: bool, words: &[u8]| {
            if is_error && said.len() < 4096 {
                said.push_str(&String::from_utf8_lossy(words));
            }
            std::ops::ControlFlow::Continue(())
        })));
        reader.read_to_end(&mut pack).map_err(gix::Error::from_error)?;
    }
    if pack.is_empty() {
        let error = std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        return Err(gix::Error::from_error(error));
    }
    Ok(pack)
}

fn agent() -> (&'static str, Option<String>) {
    ("agent", Some(AGENT.to_owned()))
}

/// The innermost words of an error.
fn words(error: &gix::Error) -> String {
    let mut last: &(dyn std::error::Error + 'static) = error;
    while let Some(source) = last.source() {
        last = source;
    }
    clean(&last.to_string())
}
