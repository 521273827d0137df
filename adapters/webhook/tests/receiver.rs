//! The receiver over real connections, in front of a control plane in memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use convoy_domain::source::Source;
use convoy_ports::{Clock, ControlPlane, ControlPlaneError};
use convoy_testkit_fakes::{FakeClock, FakeControlPlane, Times, samples};
use convoy_webhook::{Receiver, Settings};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

const BODY: &str = r#"{"anything":"at all"}"#;
/// Of `BODY` by `s3cr3t-of-the-hook`, computed elsewhere.
const MAC: &str = "sha256=cfb980ce3aefc20e88551a91700b7c6bbeadd1a759ff1c3f19af10213330b7e1";
const PATH: &str = "/hook/gitrepository/team/repo";
const REFUSAL: Duration = Duration::from_millis(120);

struct World {
    control_plane: Arc<FakeControlPlane>,
    clock: Arc<FakeClock>,
    address: std::net::SocketAddr,
    _stop: oneshot::Sender<()>,
}

fn source(name: &str) -> Source {
    let mut source = samples::git_repository("team", name, "https://git.example/repo");
    source.min_sync_interval = Duration::from_millis(300);
    source.secrets.webhook = Some("hook".to_owned());
    source
}

impl World {
    async fn new(settings: Settings) -> Self {
        let control_plane = Arc::new(FakeControlPlane::new());
        control_plane.put_source(&source("repo"));
        let entries = [
            ("token".to_owned(), b"s3cr3t-of-the-hook".to_vec()),
            ("pathToken".to_owned(), b"in-the-path".to_vec()),
        ];
        control_plane.put_secret(&samples::named("team", "hook"), entries);
        let clock = Arc::new(FakeClock::at_second(1_800_000_000));
        let receiver = Receiver::new(
            Arc::clone(&control_plane) as Arc<dyn ControlPlane>,
            Arc::clone(&clock) as Arc<dyn Clock>,
            settings,
        );
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(receiver.serve(listener, async {
            let _ = stopped.await;
        }));
        Self {
            control_plane,
            clock,
            address,
            _stop: stop,
        }
    }

    /// Sends bytes as they are; answers the status and all that came back.
    async fn send(&self, request: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).await.expect("a connection");
        // A server that has heard enough may close before all is written.
        let _ = stream.write_all(request).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8(answer).expect("a text");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        (status.unwrap_or_default(), answer)
    }

    async fn post(&self, path: &str, headers: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let request = format!("POST {path} HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
        self.send(request.as_bytes()).await
    }

    async fn signed(&self, path: &str) -> u16 {
        self.post(path, &format!("x-signature: {MAC}\r\n"), BODY).await.0
    }

    fn stamped(&self) -> Option<i64> {
        let stamp = self.control_plane.fetch_requested(&source("repo").key)?;
        Some(stamp.as_millisecond() - 1_800_000_000_000)
    }
}

fn settings() -> Settings {
    Settings {
        refusal: REFUSAL,
        patience: Duration::from_millis(700),
        ..Settings::default()
    }
}

#[tokio::test]
async fn a_proved_delivery_stamps_its_source() {
    let world = World::new(settings()).await;
    world.clock.advance(Duration::from_secs(5));
    assert_eq!(world.signed(PATH).await, 202);
    assert_eq!(world.stamped(), Some(5_000));
    world.clock.advance(Duration::from_secs(5));
    let (status, _) = world.post(&format!("{PATH}/in-the-path"), "", "{}").await;
    assert_eq!((status, world.stamped()), (202, Some(10_000)));
}

#[tokio::test]
async fn all_that_is_refused_is_answered_alike() {
    let world = World::new(settings()).await;
    let mut unhooked = source("unhooked");
    unhooked.secrets.webhook = None;
    world.control_plane.put_source(&unhooked);
    let mut unkept = source("unkept");
    unkept.secrets.webhook = Some("nowhere".to_owned());
    world.control_plane.put_source(&unkept);
    let good = format!("x-signature: {MAC}\r\n");
    let bad = format!("x-signature: {}\r\n", MAC.replace('c', "d"));
    let mut answers = Vec::new();
    for (path, headers) in [
        (PATH, bad.as_str()),
        (PATH, ""),
        ("/hook/gitrepository/team/repo/wrong", ""),
        ("/hook/gitrepository/team/absent", &good),
        ("/hook/gitrepository/team/unhooked", &good),
        ("/hook/gitrepository/team/unkept", &good),
        ("/hook/helmregistry/team/repo", &good),
        ("/hook/nonsense", &good),
        ("/", &good),
    ] {
        let started = Instant::now();
        let (_, answer) = world.post(path, headers, BODY).await;
        let took = started.elapsed();
        assert!(took >= REFUSAL && took < REFUSAL * 8, "{path}: {took:?}");
        let without_date: Vec<&str> = answer.lines().filter(|line| !line.starts_with("date")).collect();
        answers.push(without_date.join("\n"));
    }
    let get = format!("GET {PATH} HTTP/1.1\r\nhost: a\r\n{good}\r\n");
    let (_, answer) = world.send(get.as_bytes()).await;
    answers.push(
        answer
            .lines()
            .filter(|line| !line.starts_with("date"))
            .collect::<Vec<_>>()
            .join("\n"),
    );
    assert!(answers[0].starts_with("HTTP/1.1 404 "), "{}", answers[0]);
    for answer in &answers {
        assert_eq!(answer, &answers[0]);
    }
    assert_eq!(world.stamped(), None);
}

#[tokio::test]
async fn deliveries_within_the_interval_are_one_later_stamp() {
    let world = World::new(settings()).await;
    assert_eq!(world.signed(PATH).await, 202);
    assert_eq!(world.stamped(), Some(0));
    world.clock.advance(Duration::from_millis(100));
    for _ in 0..5 {
        assert_eq!(world.signed(PATH).await, 202);
    }
    assert_eq!(world.stamped(), Some(0), "not before its time");
    world.clock.advance(Duration::from_millis(250));
    let started = Instant::now();
    while world.stamped() == Some(0) {
        assert!(started.elapsed() < Duration::from_secs(5), "the later stamp never came");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(world.stamped(), Some(350));
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(world.stamped(), Some(350), "five deliveries are one stamp");
}

#[tokio::test]
async fn bodies_and_rates_are_bounded_before_anything_is_looked_up() {
    let world = World::new(Settings {
        burst: 3,
        a_second: 1,
        // Nine MiB are hashed by code that is not optimised.
        patience: Duration::from_mins(1),
        ..settings()
    })
    .await;
    let claimed = format!("POST {PATH} HTTP/1.1\r\nhost: a\r\ncontent-length: 8388609\r\n\r\n");
    assert_eq!(world.send(claimed.as_bytes()).await.0, 413);
    let piece = format!("100000\r\n{}\r\n", "x".repeat(0x0010_0000));
    let chunked = format!(
        "POST {PATH} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n{}",
        piece.repeat(9)
    );
    assert_eq!(world.send(chunked.as_bytes()).await.0, 413);
    assert_eq!(world.signed(PATH).await, 202);
    let (status, answer) = world.post(PATH, &format!("x-signature: {MAC}\r\n"), BODY).await;
    assert!(status == 429 && answer.contains("retry-after"), "{answer}");
    world.clock.advance(Duration::from_secs(1));
    assert_eq!(world.signed(PATH).await, 202);
}

#[tokio::test]
async fn a_body_that_does_not_come_and_headers_that_do_not_end_are_given_up() {
    let world = World::new(settings()).await;
    let started = Instant::now();
    let stalled = format!("POST {PATH} HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\nx-signature: {MAC}\r\n\r\nabc");
    assert_eq!(world.send(stalled.as_bytes()).await.0, 408);
    let (status, _) = world.send(b"POST /hook/a HTTP/1.1\r\nhost: a\r\nx-a: ").await;
    assert!(matches!(status, 0 | 408), "{status}");
    assert!(started.elapsed() < Duration::from_secs(6));
    assert_eq!(world.stamped(), None);
}

#[tokio::test]
async fn a_control_plane_that_does_not_answer_makes_the_sender_try_again() {
    let world = World::new(settings()).await;
    let error = || ControlPlaneError::Unavailable {
        object: "a call".to_owned(),
        why: "no leader".to_owned(),
    };
    world.control_plane.refuse("source", "", error(), Times::Next(1));
    assert_eq!(world.signed(PATH).await, 503);
    world.control_plane.refuse("request_fetch", "", error(), Times::Next(1));
    assert_eq!(world.signed(PATH).await, 503);
    world.control_plane.refuse("secret", "", error(), Times::Next(1));
    assert_eq!(
        world.signed(PATH).await,
        404,
        "it does not tell that the source is there"
    );
    assert_eq!(world.signed(PATH).await, 202);
}
