//! Where logs go: standard error, as text or one JSON object a line.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _};

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;

use crate::failure::Failure;

/// Form of the log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

/// A library that logs an error for each call that fails, without saying which: the caller says it, with its operand.
const NAMELESS: &str = "kube_client";

/// Reads a filter.
fn parse(filter: &str) -> Result<EnvFilter, Failure> {
    EnvFilter::try_new(quieted(filter).as_ref()).map_err(|error| {
        Failure::usage(format!("`{filter}` is not a log filter"))
            .because(&error)
            .hint("write a level such as `info`, or `info,convoy_runtime=debug`")
    })
}

/// The filter without the lines that name nothing, unless it asks for details or for them.
fn quieted(filter: &str) -> Cow<'_, str> {
    let asked = filter.contains(NAMELESS)
        || filter.split(',').any(|part| {
            ["debug", "trace"]
                .iter()
                .any(|level| part.trim().eq_ignore_ascii_case(level))
        });
    if asked || filter.trim().is_empty() {
        Cow::Borrowed(filter)
    } else {
        Cow::Owned(format!("{filter},{NAMELESS}=off"))
    }
}

/// Starts logging for the process.
pub(crate) fn start(format: LogFormat, filter: &str) -> Result<(), Failure> {
    let filter = parse(filter)?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    let started = match format {
        LogFormat::Text => builder
            .with_ansi(io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none())
            .try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| Failure::new("cannot start logging").because(error.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is written of an error of the library, and of one of convoy's own.
    fn logged(filter: &str) -> (bool, bool) {
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(parse(filter).unwrap())
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::error!(target: "kube_client::client::builder", "failed with error of the library");
            tracing::error!(target: "convoy_kube", "cannot list");
        });
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        (text.contains("of the library"), text.contains("cannot list"))
    }

    #[test]
    fn lines_that_name_nothing_are_logged_only_when_asked_for() {
        let check = |filter: &str, expect: (bool, bool)| assert_eq!(logged(filter), expect, "{filter}");
        check("info", (false, true));
        check("warn,convoy_runtime=debug", (false, true));
        check("off", (false, false));
        check("debug", (true, true));
        check("info,DEBUG", (true, true));
        check("info,kube_client=warn", (true, true));
    }

    #[test]
    fn a_filter_that_is_none_is_shown_as_it_was_given() {
        let text = format!("{:?}", parse("a=b=c").unwrap_err());
        assert!(text.contains("`a=b=c` is not a log filter"), "{text}");
    }
}
