//! A port of this machine, with a thread for each connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Listens until it is dropped.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) port: u16,
    ended: Arc<AtomicBool>,
}

impl Listener {
    pub(crate) fn start(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let ended = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&ended);
        let serve = Arc::new(serve);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if flag.load(Ordering::SeqCst) {
                    return;
                }
                let serve = Arc::clone(&serve);
                std::thread::spawn(move || serve(stream));
            }
        });
        Self { port, ended }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// Passes bytes on, each piece through `pass`, which gives `false` to end it.
pub(crate) fn copy(mut from: TcpStream, to: &TcpStream, mut pass: impl FnMut(&mut Vec<u8>) -> bool) {
    let mut buffer = vec![0; 64 * 1024];
    let mut writer = to;
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let mut piece = buffer[..length].to_vec();
        let go_on = pass(&mut piece);
        if writer.write_all(&piece).is_err() || !go_on {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
