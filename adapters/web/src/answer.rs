//! What a server answers.

use bytes::Bytes;
use convoy_ports::FetchError;
use reqwest::header::HeaderMap;
use reqwest::{Response, StatusCode, Url};

use crate::failure;
use crate::site::Site;

/// The head of an answer, whose body has not been read.
#[derive(Debug)]
pub struct Answer {
    pub(crate) response: Response,
    pub(crate) site: Site,
}

impl Answer {
    /// Its status: a success, or one that the request expects.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// Its headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// Where it came from, behind all redirects.
    #[must_use]
    pub fn url(&self) -> &Url {
        self.response.url()
    }

    /// How the request's URL is named in messages.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Its body, of which at most `limit` bytes are received. `what` names it: a limit reads `<limit> bytes of <what>`.
    ///
    /// # Errors
    /// `Limit`, when the head already announces more.
    pub fn body(self, limit: u64, what: &'static str) -> Result<Body, FetchError> {
        let announced = self.response.content_length();
        let body = Body {
            response: self.response,
            site: self.site,
            limit,
            what,
            received: 0,
        };
        match announced {
            Some(announced) if announced > limit => Err(body.passed()),
            Some(_) | None => Ok(body),
        }
    }

    /// The error that its status stands for, where a request expects a status only to look at it first.
    #[must_use]
    pub fn into_failure(self) -> FetchError {
        failure::of_answer(&self.site, self.response.status(), self.response.headers())
    }
}

/// The body of an answer, piece by piece.
#[derive(Debug)]
pub struct Body {
    response: Response,
    site: Site,
    limit: u64,
    what: &'static str,
    received: u64,
}

impl Body {
    /// How many bytes the head announced, if it did; never more than the limit.
    #[must_use]
    pub fn announced(&self) -> Option<u64> {
        self.response.content_length()
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// `Limit` once more has come than may come; `Unreachable` when the server breaks off.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        let chunk = self
            .response
            .chunk()
            .await
            .map_err(|error| failure::of_transport(&self.site, error))?;
        let length = chunk.as_ref().map_or(0, Bytes::len);
        self.received = self.received.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
        if self.received > self.limit {
            return Err(self.passed());
        }
        Ok(chunk)
    }

    /// All of it.
    ///
    /// # Errors
    /// As [`Self::chunk`].
    pub async fn bytes(mut self) -> Result<Vec<u8>, FetchError> {
        let announced = self.announced().and_then(|bytes| usize::try_from(bytes).ok());
        // A head can promise much and send nothing.
        let mut all = Vec::with_capacity(announced.unwrap_or(0).min(1 << 20));
        while let Some(chunk) = self.chunk().await? {
            all.extend_from_slice(&chunk);
        }
        Ok(all)
    }

    fn passed(&self) -> FetchError {
        self.site.limit(format!("{} bytes of {}", self.limit, self.what))
    }
}
