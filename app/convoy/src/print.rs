//! Writing to the terminal or a pipe.

use std::io::{self, ErrorKind, Write as _};

use crate::failure::Failure;

/// Writes to standard output. A reader that has left (`| head`) ends the command without a word.
pub(crate) fn out(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => Err(Failure::new("cannot write to standard output").because(&error)),
    }
}

/// Each text on a line of its own.
pub(crate) fn lines(texts: impl Iterator<Item = String>) -> String {
    texts.fold(String::new(), |mut all, text| {
        all.push_str(&text);
        all.push('\n');
        all
    })
}

/// Writes a line to standard error; when that fails there is nowhere left to say so.
pub(crate) fn err_line(text: &str) {
    let _nowhere_left = writeln!(io::stderr().lock(), "{text}");
}

/// Writes to standard error without ending the line.
pub(crate) fn err_text(text: &str) {
    let mut stderr = io::stderr().lock();
    let _nowhere_left = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}
