//! From stored bytes to clear ones, whether they are sealed or not.

use super::{CHUNK, Chunks, HEADER, KeyId, Keyring, MAGIC, SALT, TAG};

/// Why a sealed blob does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenFailure {
    /// The key is not at hand.
    UnknownKey(KeyId),
    /// The key is at hand, and the bytes are not what was sealed with it under this name.
    Broken(KeyId),
    /// It ends within its header.
    Cut,
}

#[derive(Debug)]
enum State {
    /// Not enough bytes to tell.
    Start,
    Clear,
    Sealed(KeyId, Box<Chunks>),
}

/// Opens a blob as its bytes come.
#[derive(Debug)]
pub(crate) struct Opener {
    keys: Option<Keyring>,
    name: String,
    state: State,
    held: Vec<u8>,
}

impl Opener {
    /// For the blob that `name` names.
    pub(crate) fn new(keys: Option<Keyring>, name: String) -> Self {
        Self {
            keys,
            name,
            state: State::Start,
            held: Vec::new(),
        }
    }

    /// The key that the blob is sealed with, once its header was read.
    pub(crate) fn key(&self) -> Option<KeyId> {
        match &self.state {
            State::Sealed(key, _) => Some(*key),
            State::Start | State::Clear => None,
        }
    }

    /// Takes stored bytes and gives clear ones, which may be none yet.
    pub(crate) fn push(&mut self, stored: Vec<u8>) -> Result<Vec<u8>, OpenFailure> {
        if matches!(self.state, State::Clear) {
            return Ok(stored);
        }
        self.held.extend(stored);
        if matches!(self.state, State::Start) && !self.begin()? {
            return Ok(Vec::new());
        }
        match &mut self.state {
            State::Start | State::Clear => Ok(std::mem::take(&mut self.held)),
            State::Sealed(key, chunks) => {
                let mut clear = Vec::with_capacity(self.held.len());
                let mut from = 0;
                while self.held.len() - from > CHUNK + TAG {
                    let chunk = &self.held[from..from + CHUNK + TAG];
                    clear.extend(chunks.open(chunk, false).ok_or(OpenFailure::Broken(*key))?);
                    from += CHUNK + TAG;
                }
                self.held.drain(..from);
                Ok(clear)
            }
        }
    }

    /// The last clear bytes, when no more are stored.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, OpenFailure> {
        match &mut self.state {
            State::Clear => Ok(Vec::new()),
            // Fewer bytes than a header: of a clear blob, or of a sealed one that was cut.
            State::Start if self.held.first() == Some(&MAGIC[0]) => Err(OpenFailure::Cut),
            State::Start => Ok(self.held),
            State::Sealed(key, chunks) => chunks.open(&self.held, true).ok_or(OpenFailure::Broken(*key)),
        }
    }

    /// Whether it is known now what the blob is.
    fn begin(&mut self) -> Result<bool, OpenFailure> {
        let seen = self.held.len().min(MAGIC.len());
        if self.held[..seen] != MAGIC[..seen] {
            self.state = State::Clear;
            return Ok(true);
        }
        let Some(header) = self.held.first_chunk::<HEADER>().copied() else {
            return Ok(false);
        };
        self.held.drain(..HEADER);
        let mut id = [0; KeyId::BYTES];
        id.copy_from_slice(&header[MAGIC.len()..HEADER - SALT]);
        let id = KeyId::new(id);
        let key = self
            .keys
            .as_ref()
            .and_then(|keys| keys.find(id))
            .ok_or(OpenFailure::UnknownKey(id))?;
        let chunks = Chunks::new(key, &header, &self.name).ok_or(OpenFailure::Broken(id))?;
        self.state = State::Sealed(id, Box::new(chunks));
        Ok(true)
    }
}
