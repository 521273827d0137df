//! How a command says that it could not do what was asked.
//!
//! One line tells what failed, where, and why; a second one what to do about it. Messages of each layer do not repeat
//! their source, so that the line is the outermost message and the innermost cause; `-v` gives everything between.

use std::error::Error;
use std::process::ExitCode;

use crate::print;
use crate::style::{Style, Tone, plain};

/// Exit codes of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// What was asked for could not be done.
    Failed,
    /// It was asked for wrongly.
    Usage,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Failed => Self::from(1),
            Exit::Usage => Self::from(2),
        }
    }
}

/// Why a command ended without having done what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    what: String,
    causes: Vec<String>,
    hint: Option<String>,
    exit: Exit,
}

impl Failure {
    /// A failure; `what` names the operand in backticks.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            causes: Vec::new(),
            hint: None,
            exit: Exit::Failed,
        }
    }

    /// A failure that an error tells by itself: it names the operand.
    pub(crate) fn of(error: &dyn Error) -> Self {
        let failure = Self::new(error.to_string());
        match error.source() {
            Some(source) => failure.because(source),
            None => failure,
        }
    }

    /// Says where it happened, where the error itself does not.
    pub(crate) fn at(mut self, place: impl std::fmt::Display) -> Self {
        self.what = format!("{place}: {}", self.what);
        self
    }

    /// The command line itself is wrong.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            ..Self::new(what)
        }
    }

    /// Adds the cause, with all of its own.
    pub(crate) fn because(mut self, cause: &dyn Error) -> Self {
        let mut next = Some(cause);
        while let Some(error) = next {
            self.add(error.to_string());
            next = error.source();
        }
        self
    }

    /// Adds a cause that is a text.
    pub(crate) fn because_text(mut self, cause: impl Into<String>) -> Self {
        self.add(cause.into());
        self
    }

    /// Says what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Some libraries repeat a cause in the message that has it as source: such a cause is not said twice.
    fn add(&mut self, cause: String) {
        if !self.what.contains(&cause) && !self.causes.iter().any(|earlier| earlier.contains(&cause)) {
            self.causes.push(cause);
        }
    }

    /// What failed and why, on one line.
    pub(crate) fn line(&self) -> String {
        let why = self.causes.last();
        plain(&why.map_or_else(|| self.what.clone(), |why| format!("{}: {why}", self.what)))
    }

    /// The error line, the chain when asked for, and the hint.
    fn lines(&self, verbose: bool) -> Vec<(Tone, &'static str, String)> {
        let mut lines = Vec::new();
        lines.push((
            Tone::Bad,
            "error:",
            if verbose { plain(&self.what) } else { self.line() },
        ));
        if verbose {
            lines.extend(
                self.causes
                    .iter()
                    .map(|cause| (Tone::Faint, "  because:", plain(cause))),
            );
        }
        lines.extend(self.hint.iter().map(|hint| (Tone::Good, " hint:", plain(hint))));
        lines
    }

    /// Prints it on stderr and answers the exit code.
    pub(crate) fn report(&self, verbose: bool) -> ExitCode {
        let style = Style::stderr();
        for (tone, label, text) in self.lines(verbose) {
            print::err_line(&format!("{} {text}", style.paint(tone, label)));
        }
        self.exit.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Layer(&'static str, Option<Box<Layer>>);
    impl std::fmt::Display for Layer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }
    impl Error for Layer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|layer| layer as _)
        }
    }

    fn texts(failure: &Failure, verbose: bool) -> Vec<String> {
        failure
            .lines(verbose)
            .into_iter()
            .map(|(_, label, text)| format!("{label} {text}"))
            .collect()
    }

    fn deep() -> Failure {
        let cause = Layer("cannot connect", Some(Box::new(Layer("connection refused", None))));
        Failure::new("cannot list releases in `web`")
            .because(&cause)
            .hint("start a demo")
    }

    #[test]
    fn one_line_names_the_failure_and_its_innermost_cause() {
        assert_eq!(
            texts(&deep(), false),
            [
                "error: cannot list releases in `web`: connection refused",
                " hint: start a demo"
            ]
        );
    }

    #[test]
    fn verbose_gives_the_whole_chain() {
        assert_eq!(
            texts(&deep(), true),
            [
                "error: cannot list releases in `web`",
                "  because: cannot connect",
                "  because: connection refused",
                " hint: start a demo"
            ]
        );
    }

    #[test]
    fn a_cause_that_its_parent_repeats_is_said_once() {
        let cause = Layer("cannot read: denied", Some(Box::new(Layer("denied", None))));
        assert_eq!(
            texts(&Failure::new("stop").because(&cause), false),
            ["error: stop: cannot read: denied"]
        );
    }

    #[test]
    fn an_error_from_elsewhere_cannot_drive_the_terminal() {
        assert_eq!(
            texts(&Failure::new("bad \u{1b}[2J\nname"), false),
            ["error: bad \u{fffd}[2J name"]
        );
    }
}
