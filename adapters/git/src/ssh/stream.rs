//! A channel as blocking streams.

use std::io::{self, BufRead, Read, Write};

use convoy_web::failure::clean;
use russh::client::Msg;
use russh::{Channel, ChannelMsg, ChannelReadHalf, ChannelWriteHalf};

use super::session::Session;
use crate::wire::Wire;

/// How many bytes of a server's complaint are kept.
const WORDS: usize = 4096;

/// What the command says.
pub(crate) struct Output {
    wire: Wire,
    channel: ChannelReadHalf,
    // The session ends when it is dropped.
    _session: Session,
    rest: bytes_of::Rest,
    complaint: Vec<u8>,
    failed: bool,
    any: bool,
    ended: bool,
}

/// What the command is told.
pub(crate) struct Input {
    wire: Wire,
    channel: ChannelWriteHalf<Msg>,
}

mod bytes_of {
    //! Bytes that came and were not read yet.

    /// A piece and how much of it was read.
    #[derive(Default)]
    pub(super) struct Rest {
        piece: Vec<u8>,
        read: usize,
    }

    impl Rest {
        pub(super) fn put(&mut self, piece: Vec<u8>) {
            *self = Self { piece, read: 0 };
        }

        pub(super) fn left(&self) -> &[u8] {
            &self.piece[self.read..]
        }

        pub(super) fn take(&mut self, amount: usize) {
            self.read = (self.read + amount).min(self.piece.len());
        }
    }
}

pub(super) fn split(wire: Wire, session: Session, channel: Channel<Msg>) -> (Output, Input) {
    let (read, write) = channel.split();
    let output = Output {
        wire: wire.clone(),
        channel: read,
        _session: session,
        rest: bytes_of::Rest::default(),
        complaint: Vec::new(),
        failed: false,
        any: false,
        ended: false,
    };
    (output, Input { wire, channel: write })
}

impl Output {
    /// Waits for what comes next; gives whether there is anything.
    fn next(&mut self) -> io::Result<()> {
        while !self.ended && self.rest.left().is_empty() {
            let wire = self.wire.clone();
            match wire.wait(async { Ok(self.channel.wait().await) })? {
                Some(ChannelMsg::Data { data }) => {
                    self.wire.count(data.len())?;
                    self.any |= !data.is_empty();
                    self.rest.put(data.into());
                }
                Some(ChannelMsg::ExtendedData { data, .. }) => {
                    let left = WORDS.saturating_sub(self.complaint.len());
                    self.complaint.extend_from_slice(&data[..data.len().min(left)]);
                }
                Some(ChannelMsg::ExitStatus { exit_status }) => self.failed |= exit_status != 0,
                // A complaint and the status may follow the end of the output.
                Some(ChannelMsg::Close) | None => self.ended = true,
                Some(_) => {}
            }
        }
        if self.ended && self.rest.left().is_empty() && !self.any {
            return Err(self.wire.fail(self.nothing()));
        }
        Ok(())
    }

    /// Why there was no output at all.
    fn nothing(&self) -> convoy_ports::FetchError {
        let words = String::from_utf8_lossy(&self.complaint);
        match (self.failed, words.trim()) {
            (false, "") => self.wire.site.unreachable("it closed the session"),
            (true, "") => self.wire.site.not_a_repository("it gave nothing"),
            (_, words) => self.wire.site.not_a_repository(clean(words)),
        }
    }
}

impl Read for Output {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let amount = self.fill_buf()?.read(target)?;
        self.consume(amount);
        Ok(amount)
    }
}

impl BufRead for Output {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.next()?;
        Ok(self.rest.left())
    }

    fn consume(&mut self, amount: usize) {
        self.rest.take(amount);
    }
}

impl Write for Input {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let broke = |_| self.wire.site.unreachable("it closed the session");
        self.wire
            .wait(async { self.channel.data(bytes).await.map_err(broke) })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
