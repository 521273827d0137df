//! The git protocol's HTTP exchanges, over the asynchronous client, for the blocking half of a call.
//!
//! Written for the git library's `Http` trait instead of its own backend, because each exchange here ends at the
//! signal of its [`Wire`], is bounded in bytes, and leaves a typed error: the library wraps what it is given, and the
//! [`Wire`] keeps the original.
//!
//! # Redirects
//! Only the first request (`GET …/info/refs`) follows redirects, at most [`REDIRECTS`], never from https to http, and
//! only to a URL with the same tail, so that the repository's new address can be told. Each request, redirected or not,
//! carries credentials only where [`Authorization`] gives them for its URL.

use std::any::Any;
use std::io::{self, BufRead, Cursor, Read, Write};
use std::sync::{Arc, Mutex};

use convoy_ports::FetchError;
use convoy_web::redirect::{self, REDIRECTS};
use convoy_web::{AddressPolicy, Authorization, Site, failure};
use gix::protocol::transport::Protocol;
use gix::protocol::transport::client::blocking_io::Transport;
use gix::protocol::transport::client::blocking_io::http::{self, GetResponse, Http, PostBodyDataKind, PostResponse};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url};

use crate::wire::{ANSWER_BYTES, Wire, lock};

/// What all exchanges of one call with one server share.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) wire: Wire,
    client: Client,
    policy: AddressPolicy,
    authorization: Option<Authorization>,
    /// Where a redirect led, without the tail of the request.
    base: Arc<Mutex<Option<String>>>,
}

impl Connection {
    pub(crate) fn new(wire: Wire, client: Client, policy: AddressPolicy, authorization: Option<Authorization>) -> Self {
        Self {
            wire,
            client,
            policy,
            authorization,
            base: Arc::default(),
        }
    }

    fn site(&self) -> &Site {
        &self.wire.site
    }

    async fn send(&self, request: &Pending) -> Result<Response, FetchError> {
        let mut url = Url::parse(&request.url).map_err(|_| self.site().invalid("a URL of its own making"))?;
        for _ in 0..=REDIRECTS {
            self.policy.check(&url, self.site())?;
            let builder = match &request.body {
                Some(body) => self.client.post(url.clone()).body(body.clone()),
                None => self.client.get(url.clone()),
            };
            let mut headers = request.headers.clone();
            if let Some(value) = self.authorization.as_ref().and_then(|known| known.header(&url)) {
                headers.insert(AUTHORIZATION, value.clone());
            }
            let response = builder
                .headers(headers)
                .send()
                .await
                .map_err(|error| failure::of_transport(self.site(), error))?;
            if !response.status().is_redirection() {
                return self.accept(response, request);
            }
            url = self.redirected(&response, request)?;
        }
        Err(self.site().refused(format!("more than {REDIRECTS} redirects")))
    }

    fn accept(&self, response: Response, request: &Pending) -> Result<Response, FetchError> {
        if response.status() != StatusCode::OK {
            return Err(failure::of_answer(self.site(), response.status(), response.headers()));
        }
        if let Some(base) = response.url().as_str().strip_suffix(&request.tail) {
            *lock(&self.base) = Some(base.to_owned());
        }
        Ok(response)
    }

    fn redirected(&self, response: &Response, request: &Pending) -> Result<Url, FetchError> {
        if request.body.is_some() {
            return Err(self.site().refused("it redirects a request that has a body"));
        }
        let target = redirect::target(response.url(), response.headers(), self.site())?;
        if !target.as_str().ends_with(&request.tail) {
            return Err(self.site().not_a_repository(format!(
                "it redirects to another page of `{}`",
                target.host_str().unwrap_or_default()
            )));
        }
        Ok(target)
    }
}

/// A request that is sent when its answer is first read.
#[derive(Debug)]
struct Pending {
    url: String,
    /// What the git library put behind the repository's URL.
    tail: String,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

/// One request and its answer, shared by the readers of head and body.
#[derive(Debug)]
struct Exchange {
    connection: Connection,
    pending: Option<Pending>,
    response: Option<Response>,
    limit: u64,
    received: u64,
}

impl Exchange {
    fn response(&mut self) -> io::Result<&mut Response> {
        if let Some(pending) = self.pending.take() {
            self.limit = self.connection.wire.limit();
            self.response = Some(self.connection.wire.wait(self.connection.send(&pending))?);
        }
        self.response
            .as_mut()
            .ok_or_else(|| io::Error::other("the exchange failed before"))
    }

    /// The content type as a header line; nothing else of the head is asked for.
    fn head(&mut self) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        if let Some(kind) = self.response()?.headers().get(CONTENT_TYPE) {
            head.extend_from_slice(b"content-type: ");
            head.extend_from_slice(kind.as_bytes());
            head.push(b'\n');
        }
        Ok(head)
    }

    /// The next piece of the body; empty at its end.
    fn chunk(&mut self) -> io::Result<Vec<u8>> {
        let connection = self.connection.clone();
        let response = self.response()?;
        let read = async {
            response
                .chunk()
                .await
                .map_err(|error| failure::of_transport(connection.site(), error))
        };
        let chunk = connection.wire.wait(read)?.map(Vec::from).unwrap_or_default();
        let length = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        self.received = self.received.saturating_add(length);
        connection.wire.check(self.received, self.limit)?;
        Ok(chunk)
    }
}

/// Collects the body of a request.
#[derive(Debug)]
pub(crate) struct RequestBody(Arc<Mutex<Exchange>>);

impl Write for RequestBody {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut exchange = lock(&self.0);
        let body = exchange.pending.as_mut().and_then(|pending| pending.body.as_mut());
        body.ok_or_else(|| io::Error::other("the request is already sent"))?
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Which part of an answer a reader reads.
#[derive(Clone, Copy, Debug)]
enum Part {
    Head,
    Body,
}

/// Reads one part of an answer; the first read of either part sends the request.
#[derive(Debug)]
pub(crate) struct Answer {
    exchange: Arc<Mutex<Exchange>>,
    part: Part,
    buffer: Cursor<Vec<u8>>,
    ended: bool,
}

impl Answer {
    fn new(exchange: &Arc<Mutex<Exchange>>, part: Part) -> Self {
        Self {
            exchange: Arc::clone(exchange),
            part,
            buffer: Cursor::default(),
            ended: false,
        }
    }
}

impl Read for Answer {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        self.fill_buf()?;
        self.buffer.read(target)
    }
}

impl BufRead for Answer {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.buffer.fill_buf()?.is_empty() && !self.ended {
            let next = match self.part {
                Part::Head => lock(&self.exchange).head()?,
                Part::Body => lock(&self.exchange).chunk()?,
            };
            self.ended = next.is_empty() || matches!(self.part, Part::Head);
            self.buffer = Cursor::new(next);
        }
        self.buffer.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.buffer.consume(amount);
    }
}

impl Connection {
    fn exchange(
        &self,
        url: &str,
        base: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        body: Option<Vec<u8>>,
    ) -> Arc<Mutex<Exchange>> {
        let mut map = HeaderMap::new();
        for line in headers {
            let Some((name, value)) = line.as_ref().split_once(':') else {
                continue;
            };
            if let (Ok(name), Ok(value)) = (
                HeaderName::from_bytes(name.as_bytes()),
                HeaderValue::from_str(value.trim()),
            ) {
                map.append(name, value);
            }
        }
        Arc::new(Mutex::new(Exchange {
            connection: self.clone(),
            pending: Some(Pending {
                url: url.to_owned(),
                tail: url.strip_prefix(base).unwrap_or(url).to_owned(),
                headers: map,
                body,
            }),
            response: None,
            limit: ANSWER_BYTES,
            received: 0,
        }))
    }
}

/// Git's protocol with the repository at `url`.
pub(crate) fn transport(connection: Connection, url: &Url) -> Result<Box<dyn Transport + Send>, FetchError> {
    let url = gix::url::parse(url.as_str()).map_err(|_| connection.site().not_a_repository("its URL is not git's"))?;
    Ok(Box::new(http::Transport::new_http(
        connection,
        url,
        Protocol::V2,
        false,
    )))
}

impl Http for Connection {
    type Headers = Answer;
    type ResponseBody = Answer;
    type PostBody = RequestBody;

    fn get(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> gix::Result<GetResponse<Answer, Answer>> {
        let exchange = self.exchange(url, base_url, headers, None);
        Ok(GetResponse {
            headers: Answer::new(&exchange, Part::Head),
            body: Answer::new(&exchange, Part::Body),
        })
    }

    fn post(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        _: PostBodyDataKind,
    ) -> gix::Result<PostResponse<Answer, Answer, RequestBody>> {
        let exchange = self.exchange(url, base_url, headers, Some(Vec::new()));
        Ok(PostResponse {
            post_body: RequestBody(Arc::clone(&exchange)),
            headers: Answer::new(&exchange, Part::Head),
            body: Answer::new(&exchange, Part::Body),
        })
    }

    fn configure(&mut self, _: &dyn Any) -> gix::Result<()> {
        Ok(())
    }

    fn redirected_base_url(&self) -> Option<String> {
        lock(&self.base).clone()
    }
}
