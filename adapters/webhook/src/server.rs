//! HTTP: connections, bounds, and one answer for each request.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use convoy_domain::credentials::Entries;
use convoy_domain::id::NamespacedName;
use convoy_domain::source::SourceKey;
use convoy_domain::webhook::{BODY_BYTES, Bucket, Check, HookPath};
use convoy_ports::{Clock, ControlPlane, ControlPlaneError};
use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::{debug, warn};

use crate::accept::Stamps;
use crate::answer::{Answer, Response};

/// Bounds of the receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Deliveries that may come at once.
    pub burst: u32,
    /// Deliveries a second after that.
    pub a_second: u32,
    /// Connections that are open at once; others wait to be taken.
    pub connections: usize,
    /// How long headers, and then the body, may take.
    pub patience: Duration,
    /// When a delivery that is refused is answered, so that the time tells nothing of why.
    pub refusal: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            burst: 100,
            a_second: 20,
            connections: 256,
            patience: Duration::from_secs(10),
            refusal: Duration::from_millis(500),
        }
    }
}

/// Receives webhooks.
#[derive(Clone, Debug)]
pub struct Receiver(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    control_plane: Arc<dyn ControlPlane>,
    clock: Arc<dyn Clock>,
    stamps: Arc<Stamps>,
    bucket: Mutex<Bucket>,
    settings: Settings,
}

impl Receiver {
    /// A receiver for the sources of a control plane.
    #[must_use]
    pub fn new(control_plane: Arc<dyn ControlPlane>, clock: Arc<dyn Clock>, settings: Settings) -> Self {
        let bucket = Bucket::new(settings.burst, settings.a_second, clock.now());
        Self(Arc::new(Parts {
            stamps: Arc::new(Stamps::new(Arc::clone(&control_plane), Arc::clone(&clock))),
            control_plane,
            clock,
            bucket: Mutex::new(bucket),
            settings,
        }))
    }

    /// Answers until `stop` is done; what is under way then is cut off, since senders send again.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let room = Arc::new(Semaphore::new(self.0.settings.connections.max(1)));
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                () = &mut stop => break,
                Some(_) = connections.join_next(), if !connections.is_empty() => continue,
                accepted = accept(&listener, &room) => accepted,
            };
            match accepted {
                Ok((stream, turn)) => {
                    let receiver = self.clone();
                    connections.spawn(async move {
                        let _turn = turn;
                        receiver.connection(stream).await;
                    });
                }
                Err(error) => {
                    // Out of descriptors, most likely: that passes.
                    warn!(%error, "cannot take a connection for webhooks");
                    sleep(Duration::from_millis(200)).await;
                }
            }
        }
        connections.shutdown().await;
    }

    async fn connection(&self, stream: TcpStream) {
        let service = service_fn(|request| async move { Ok::<_, Infallible>(self.answer(request).await) });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.0.settings.patience)
            .max_headers(64)
            .max_buf_size(32 * 1024)
            .keep_alive(false)
            .serve_connection(TokioIo::new(stream), service)
            .await;
        if let Err(error) = served {
            debug!(%error, "a connection for webhooks broke off");
        }
    }

    /// Answers one request; a refusal takes the time that all of them take.
    async fn answer(&self, request: Request<Incoming>) -> Response {
        let refused_at = Instant::now() + self.0.settings.refusal;
        let answer = self.0.judge(request).await;
        if answer == Answer::Unknown {
            sleep_until(refused_at).await;
        }
        answer.response()
    }
}

async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let turn = Arc::clone(room).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, turn))
}

impl Parts {
    async fn judge(&self, request: Request<Incoming>) -> Answer {
        let now = self.clock.now();
        if !self.bucket.lock().unwrap_or_else(PoisonError::into_inner).take(now) {
            return Answer::TooMany;
        }
        let (head, body) = request.into_parts();
        if body.size_hint().lower() > BODY_BYTES as u64 {
            return Answer::TooLarge;
        }
        let path = HookPath::parse(head.uri.path()).filter(|_| head.method == Method::POST);
        let known = match &path {
            Some(path) => self.entries(&path.source).await,
            None => Ok(Entries::new()),
        };
        let Ok(entries) = known else {
            return Answer::Unavailable;
        };
        let token = path.as_ref().and_then(|path| path.token);
        let check = Check::new(&entries, headers(&head.headers), token);
        let proved = match timeout(self.settings.patience, proved(check, body)).await {
            Ok(Ok(proved)) => proved,
            Ok(Err(answer)) => return answer,
            Err(_) => return Answer::TooSlow,
        };
        match path {
            Some(path) if proved => self.stamp(&path.source).await,
            Some(_) | None => Answer::Unknown,
        }
    }

    async fn stamp(&self, key: &SourceKey) -> Answer {
        match self.stamps.request(key).await {
            Ok(()) => Answer::Accepted,
            Err(error) => {
                warn!(source = %key, %error, "cannot stamp the source that a webhook is about");
                Answer::Unavailable
            }
        }
    }

    /// The entries of the Secret that a source names for webhooks; none where there is no such source, name or Secret.
    async fn entries(&self, key: &SourceKey) -> Result<Entries, ControlPlaneError> {
        let source = match self.control_plane.source(key).await {
            Ok(source) => source,
            Err(error) if error.is_transient() => {
                warn!(source = %key, %error, "cannot read a source for a webhook");
                return Err(error);
            }
            // It cannot be understood, or read by us: as good as none.
            Err(_) => None,
        };
        let Some(secret) = source.and_then(|source| source.secrets.webhook) else {
            return Ok(Entries::new());
        };
        let Ok(id) = NamespacedName::new(key.id.namespace(), &secret) else {
            return Ok(Entries::new());
        };
        let entries = self.control_plane.secret(&id).await.unwrap_or_else(|error| {
            // Whoever sends it must not learn from another answer that the source is there.
            warn!(source = %key, %error, "cannot read the Secret of webhooks");
            None
        });
        Ok(entries.unwrap_or_default())
    }
}

fn headers(all: &HeaderMap) -> impl Iterator<Item = (&str, &[u8])> {
    all.iter().map(|(name, value)| (name.as_str(), value.as_bytes()))
}

/// How long, and for how many bytes, a body that is too long is still read: a sender that is cut off in the middle of
/// it does not hear the answer.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 2 * 1024 * 1024;

async fn drained(mut body: Incoming) {
    let mut length = 0;
    while length < LINGER_BYTES
        && let Some(Ok(frame)) = body.frame().await
    {
        length += frame.data_ref().map_or(0, Bytes::len);
    }
}

/// Reads the body, piece by piece, and says whether it is proved.
async fn proved(mut check: Check, mut body: Incoming) -> Result<bool, Answer> {
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        // A sender that breaks off hears no answer.
        let Ok(frame) = frame else { return Ok(false) };
        if let Some(piece) = frame.data_ref() {
            length += piece.len();
            if length > BODY_BYTES {
                let _ = timeout(LINGER, drained(body)).await;
                return Err(Answer::TooLarge);
            }
            check.update(piece);
        }
    }
    Ok(check.passes())
}
