//! A relay to one server, with one fault at a time.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::listener::{Listener, copy};

/// What happens to a connection. Bytes are counted in the direction from the server to the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Everything passes.
    None,
    /// Each piece is held back for a while.
    Delay(Duration),
    /// The connection ends after this many bytes, as if the server had ended it.
    CutAfter(u64),
    /// Nothing passes any more after this many bytes, and nothing ends.
    StallAfter(u64),
    /// One bit of the byte at this place is another one.
    Corrupt(u64),
    /// After this many bytes the last piece comes again and again, without end.
    EndlessAfter(u64),
    /// The server is not asked: these bytes answer each request that arrives, and the connection ends.
    Answer(Vec<u8>),
    /// Connections are ended as soon as they are made.
    Refuse,
}

/// Relays connections to one address of this machine.
#[derive(Debug)]
pub struct FaultProxy {
    listener: Listener,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    fault: Mutex<Fault>,
    connections: AtomicUsize,
    received: AtomicU64,
}

impl FaultProxy {
    /// Starts a relay to `port` on loopback, without a fault.
    ///
    /// # Panics
    /// When there is no free port.
    #[must_use]
    pub fn start(port: u16) -> Self {
        let state = Arc::new(State {
            fault: Mutex::new(Fault::None),
            connections: AtomicUsize::new(0),
            received: AtomicU64::new(0),
        });
        let shared = Arc::clone(&state);
        let listener = Listener::start(move |client| shared.serve(&client, port));
        Self { listener, state }
    }

    /// Where clients connect to, on loopback.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.listener.port
    }

    /// What happens to the connections that follow. Without a fault, those that are open pass everything from now on, too:
    /// a client may have made one that it has not used yet.
    pub fn set(&self, fault: Fault) {
        *self.state.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }

    /// How many connections were made.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// How many bytes the server sent, all in all.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.state.received.load(Ordering::SeqCst)
    }
}

impl State {
    fn is_lifted(&self) -> bool {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) == Fault::None
    }

    fn serve(&self, client: &TcpStream, port: u16) {
        self.connections.fetch_add(1, Ordering::SeqCst);
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match fault {
            Fault::Refuse => {}
            Fault::Answer(answer) => respond(client, &answer),
            Fault::None
            | Fault::Delay(_)
            | Fault::CutAfter(_)
            | Fault::StallAfter(_)
            | Fault::Corrupt(_)
            | Fault::EndlessAfter(_) => self.relay(client, port, &fault),
        }
    }

    fn relay(&self, client: &TcpStream, port: u16, fault: &Fault) {
        let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else {
            return;
        };
        let (Ok(up), Ok(down)) = (client.try_clone(), server.try_clone()) else {
            return;
        };
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        std::thread::spawn(move || copy(up, &server, |_| true));
        let mut passed = 0_u64;
        let mut writer = client;
        copy(down, client, |piece| {
            let length = u64::try_from(piece.len()).unwrap_or_default();
            self.received.fetch_add(length, Ordering::SeqCst);
            let before = passed;
            passed += length;
            let place = |at: u64| usize::try_from(at.saturating_sub(before)).unwrap_or_default();
            match fault {
                _ if self.is_lifted() => {}
                Fault::Delay(pause) => std::thread::sleep(*pause),
                Fault::CutAfter(at) if passed > *at => {
                    piece.truncate(place(*at));
                    return false;
                }
                Fault::StallAfter(at) if passed > *at => {
                    piece.truncate(place(*at));
                    let _ = writer.write_all(piece);
                    std::thread::sleep(Duration::from_mins(1));
                    return false;
                }
                Fault::Corrupt(at) if (before..passed).contains(at) => piece[place(*at)] ^= 0x10,
                Fault::EndlessAfter(at) if passed > *at => while writer.write_all(piece).is_ok() {},
                Fault::None
                | Fault::CutAfter(_)
                | Fault::StallAfter(_)
                | Fault::Corrupt(_)
                | Fault::EndlessAfter(_)
                | Fault::Answer(_)
                | Fault::Refuse => {}
            }
            true
        });
        let _ = client.shutdown(Shutdown::Both);
    }
}

/// Waits for a request, answers, and ends the connection in a way that lets the client read the answer.
fn respond(client: &TcpStream, answer: &[u8]) {
    use std::io::Read as _;
    let _ = client.set_read_timeout(Some(Duration::from_millis(200)));
    let mut reader = client;
    let mut buffer = vec![0; 64 * 1024];
    let _ = reader.read(&mut buffer);
    let mut writer = client;
    let _ = writer.write_all(answer);
    let _ = client.shutdown(Shutdown::Write);
    while reader.read(&mut buffer).is_ok_and(|length| length > 0) {}
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// What a client gets of a server that sends 1,000 bytes of `x` and ends.
    fn received(fault: Fault) -> Vec<u8> {
        let server = Listener::start(|mut stream| {
            let _ = stream.write_all(&[b'x'; 1000]);
        });
        let proxy = FaultProxy::start(server.port);
        proxy.set(fault);
        let mut client = TcpStream::connect(("127.0.0.1", proxy.port())).expect("the proxy");
        client
            .set_read_timeout(Some(Duration::from_millis(300)))
            .expect("a timeout");
        let mut received = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = client.read(&mut buffer) {
            received.extend_from_slice(&buffer[..length]);
            if received.len() > 100_000 {
                break;
            }
        }
        received
    }

    #[test]
    fn each_fault_does_what_it_says() {
        assert_eq!(received(Fault::None), [b'x'; 1000]);
        assert_eq!(received(Fault::Delay(Duration::from_millis(10))), [b'x'; 1000]);
        assert_eq!(received(Fault::CutAfter(10)), [b'x'; 10]);
        assert_eq!(received(Fault::StallAfter(10)), [b'x'; 10]);
        let corrupt = received(Fault::Corrupt(500));
        assert_eq!((corrupt.len(), corrupt[499], corrupt[500]), (1000, b'x', b'x' ^ 0x10));
        assert!(received(Fault::EndlessAfter(10)).len() > 100_000);
        assert_eq!(received(Fault::Answer(b"no".to_vec())), b"no");
        assert_eq!(received(Fault::Refuse), b"");
    }
}
