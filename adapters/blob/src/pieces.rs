//! Blobs that no process holds whole.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use convoy_ports::{BlobError, Pieces};
use futures::stream::{BoxStream, StreamExt};
use tokio::sync::Semaphore;

use crate::error::to_port;

/// Blobs up to this size are written and read in one piece.
pub(crate) const WHOLE_UP_TO: usize = 1024 * 1024;

/// What is written at a time; Amazon and Google take no smaller part but the last.
pub(crate) const PART: usize = 5 * 1024 * 1024;

/// Least bytes of a piece that is read, but of the last.
const PIECE: usize = 256 * 1024;

/// What a server sends of a blob.
pub(crate) struct Received {
    pub(crate) key: String,
    pub(crate) stream: BoxStream<'static, object_store::Result<bytes::Bytes>>,
    /// Bytes that are still to come.
    pub(crate) left: u64,
    pub(crate) timeout: Duration,
    pub(crate) turns: Arc<Semaphore>,
}

impl Received {
    /// The blob ends where its length said, or the answer is an error: half a blob is none.
    async fn receive(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        let _turn = self.turns.acquire().await;
        let mut piece = Vec::new();
        while self.left > 0 && piece.len() < PIECE {
            let Some(bytes) = self.stream.next().await else {
                return Err(self.unavailable(format!("it ended {} bytes early", self.left)));
            };
            let bytes = bytes.map_err(|error| to_port(&self.key, &error))?;
            let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
                return Err(self.unavailable("it is longer than was said".to_owned()));
            };
            self.left = left;
            piece.extend_from_slice(&bytes);
        }
        Ok(Some(piece).filter(|piece| !piece.is_empty()))
    }

    fn unavailable(&self, why: String) -> BlobError {
        BlobError::Unavailable {
            key: self.key.clone(),
            why,
        }
    }
}

#[async_trait]
impl Pieces for Received {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        let timeout = self.timeout;
        match tokio::time::timeout(timeout, self.receive()).await {
            Ok(answer) => answer,
            Err(_) => Err(self.unavailable(format!("no answer within {timeout:?}"))),
        }
    }
}

/// Pieces as they come, in parts of at least a size.
pub(crate) struct Parts<'a> {
    pieces: &'a mut dyn Pieces,
    held: Vec<u8>,
    ended: bool,
}

impl<'a> Parts<'a> {
    pub(crate) fn of(pieces: &'a mut dyn Pieces) -> Self {
        Self {
            pieces,
            held: Vec::new(),
            ended: false,
        }
    }

    /// The next part: exactly `size` bytes, but for the last, which may be empty. Whether it is the last comes with it.
    pub(crate) async fn next(&mut self, size: usize) -> Result<(Vec<u8>, bool), BlobError> {
        while !self.ended && self.held.len() <= size {
            match self.pieces.next().await? {
                // Grown as it fills, it would come to hold twice as much.
                Some(piece) if self.held.is_empty() && piece.len() < size => {
                    self.held = Vec::with_capacity(size + size / 4);
                    self.held.extend_from_slice(&piece);
                }
                Some(piece) => self.held.extend_from_slice(&piece),
                None => self.ended = true,
            }
        }
        if self.held.len() <= size {
            return Ok((std::mem::take(&mut self.held), true));
        }
        let rest = self.held.split_off(size);
        Ok((std::mem::replace(&mut self.held, rest), false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Given(Vec<Vec<u8>>);

    #[async_trait]
    impl Pieces for Given {
        async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
            Ok(if self.0.is_empty() {
                None
            } else {
                Some(self.0.remove(0))
            })
        }
    }

    #[tokio::test]
    async fn parts_have_their_size_but_for_the_last() {
        for (pieces, expect) in [
            (vec![], vec![0]),
            (vec![3], vec![3]),
            (vec![4], vec![4]),
            (vec![2, 2, 1], vec![4, 1]),
            (vec![9], vec![4, 4, 1]),
            (vec![1; 8], vec![4, 4]),
        ] {
            let mut given = Given(pieces.iter().map(|length| vec![7; *length]).collect());
            let mut parts = Parts::of(&mut given);
            let mut sizes = Vec::new();
            loop {
                let (part, last) = parts.next(4).await.unwrap();
                sizes.push(part.len());
                if last {
                    break;
                }
            }
            assert_eq!(sizes, expect, "{pieces:?}");
        }
    }
}
