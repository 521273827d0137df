//! The git protocol's HTTP exchanges, over the asynchronous client, for the blocking half of a call.
//!
//! Written for the git library's `Http` trait instead of its own backend, because each exchange here ends at the
//! signal of [`Cancel`], is bounded in bytes, and leaves a typed error: the library wraps what it is given, and the
//! [`Connection`] keeps the original.
//!
//! # Redirects
//! Only the first request (`GET …/info/refs`) follows redirects, at most [`REDIRECTS`], never from https to http, and
//! only to a URL with the same tail, so that the repository's new address can be told. Nothing that is sent here is
//! secret; whoever adds credentials must bind them to scheme, host and port of the first URL.

use std::any::Any;
use std::io::{self, BufRead, Cursor, Read, Write};
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use convoy_ports::FetchError;
use gix::protocol::transport::client::blocking_io::http::{GetResponse, Http, PostBodyDataKind, PostResponse};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION, WWW_AUTHENTICATE};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::runtime::Handle;

use crate::address::AddressPolicy;
use crate::cancel::Cancel;
use crate::endpoint::Site;
use crate::http_error;

/// How many redirects one request follows.
const REDIRECTS: usize = 5;

/// Bytes of an answer that is not a pack: capabilities and refs.
pub(crate) const ANSWER_BYTES: u64 = 64 * 1024 * 1024;

/// What all exchanges of one call share.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) runtime: Handle,
    pub(crate) client: Client,
    pub(crate) policy: AddressPolicy,
    pub(crate) cancel: Cancel,
    pub(crate) site: Site,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// The first error, before the git library wrapped it.
    fault: Mutex<Option<FetchError>>,
    /// Where a redirect led, without the tail of the request.
    base: Mutex<Option<String>>,
    /// How many bytes the next answer may have.
    limit: AtomicU64,
}

impl Connection {
    pub(crate) fn new(runtime: Handle, client: Client, policy: AddressPolicy, cancel: Cancel, site: Site) -> Self {
        Self {
            runtime,
            client,
            policy,
            cancel,
            site,
            shared: Arc::new(Shared {
                fault: Mutex::new(None),
                base: Mutex::new(None),
                limit: AtomicU64::new(ANSWER_BYTES),
            }),
        }
    }

    /// Takes the first error of any exchange since the last call.
    pub(crate) fn take_fault(&self) -> Option<FetchError> {
        lock(&self.shared.fault).take()
    }

    /// Bounds the answers that follow.
    pub(crate) fn limit_answers(&self, bytes: u64) {
        self.shared.limit.store(bytes, Ordering::Relaxed);
    }

    /// Keeps `fault`, and gives what the git library wraps.
    fn fail(&self, fault: FetchError) -> io::Error {
        let error = io::Error::other(fault.clone());
        lock(&self.shared.fault).get_or_insert(fault);
        error
    }

    /// Waits for `work` or for the signal.
    fn wait<T>(&self, work: impl Future<Output = Result<T, FetchError>>) -> io::Result<T> {
        let done = self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = self.cancel.raised() => None,
                done = work => Some(done),
            }
        });
        match done {
            Some(Ok(value)) => Ok(value),
            Some(Err(fault)) => Err(self.fail(fault)),
            // The asynchronous half has its own words for it.
            None => Err(io::Error::other("ended by the caller")),
        }
    }

    async fn send(&self, request: &Pending) -> Result<Response, FetchError> {
        let mut url = Url::parse(&request.url).map_err(|_| self.site.invalid("a URL of its own making"))?;
        for _ in 0..=REDIRECTS {
            self.check_address(&url)?;
            let builder = match &request.body {
                Some(body) => self.client.post(url.clone()).body(body.clone()),
                None => self.client.get(url.clone()),
            };
            let response = builder
                .headers(request.headers.clone())
                .send()
                .await
                .map_err(|error| http_error::of_transport(&self.site, error))?;
            if !response.status().is_redirection() {
                return self.accept(response, request);
            }
            url = self.redirected(&response, request)?;
        }
        Err(self.site.refused(format!("more than {REDIRECTS} redirects")))
    }

    fn accept(&self, response: Response, request: &Pending) -> Result<Response, FetchError> {
        if response.status() != StatusCode::OK {
            let challenge = response
                .headers()
                .get(WWW_AUTHENTICATE)
                .and_then(|value| value.to_str().ok());
            return Err(http_error::of_status(&self.site, response.status(), challenge));
        }
        if let Some(base) = response.url().as_str().strip_suffix(&request.tail) {
            *lock(&self.shared.base) = Some(base.to_owned());
        }
        Ok(response)
    }

    /// The policy looks at addresses in names when they are resolved; addresses in the URL itself are looked at here.
    fn check_address(&self, url: &Url) -> Result<(), FetchError> {
        let host = url.host_str().unwrap_or_default();
        match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) if self.policy.denies(address) => {
                Err(self.site.refused(format!("the address policy denies `{host}`")))
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn redirected(&self, response: &Response, request: &Pending) -> Result<Url, FetchError> {
        if request.body.is_some() {
            return Err(self.site.refused("it redirects a request that has a body"));
        }
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let target = location
            .and_then(|location| response.url().join(location).ok())
            .ok_or_else(|| self.site.not_a_repository("it redirects to nowhere"))?;
        let shown = target.host_str().unwrap_or_default();
        if !target.username().is_empty() || target.password().is_some() {
            return Err(self
                .site
                .refused(format!("it redirects to `{shown}` with credentials in the URL")));
        }
        match (response.url().scheme(), target.scheme()) {
            ("http", "http") | (_, "https") => {}
            (_, scheme) => return Err(self.site.refused(format!("it redirects to `{shown}` by {scheme}"))),
        }
        if !target.as_str().ends_with(&request.tail) {
            return Err(self
                .site
                .not_a_repository(format!("it redirects to another page of `{shown}`")));
        }
        Ok(target)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
            self.limit = self.connection.shared.limit.load(Ordering::Relaxed);
            self.response = Some(self.connection.wait(self.connection.send(&pending))?);
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
                .map_err(|error| http_error::of_transport(&connection.site, error))
        };
        let chunk = connection.wait(read)?.map(Vec::from).unwrap_or_default();
        let length = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        self.received = self.received.saturating_add(length);
        if self.received > self.limit {
            let limit = format!("{} bytes received", self.limit);
            return Err(connection.fail(connection.site.limit(limit)));
        }
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
        lock(&self.shared.base).clone()
    }
}
