//! Colour, where somebody sees it.
//!
//! Colours are written only to a terminal, and not when `NO_COLOR` is set or the terminal is dumb. Texts that come
//! from a cluster or a file are stripped of control characters before they are printed.

use std::borrow::Cow;
use std::env;
use std::io::{self, IsTerminal as _};

/// What a piece of text means to the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// As hoped.
    Good,
    /// On its way, or worth a look.
    Wait,
    /// Wrong.
    Bad,
    /// Less important.
    Faint,
    /// More important.
    Strong,
}

/// Whether a stream shows colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    colour: bool,
}

impl Style {
    /// For a stream that is, or is not, a terminal.
    fn of(terminal: bool) -> Self {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self {
            colour: terminal && !refused,
        }
    }

    /// For standard output.
    pub(crate) fn stdout() -> Self {
        Self::of(io::stdout().is_terminal())
    }

    /// For standard error.
    pub(crate) fn stderr() -> Self {
        Self::of(io::stderr().is_terminal())
    }

    /// Without colours.
    #[cfg(test)]
    pub(crate) const fn without_colour() -> Self {
        Self { colour: false }
    }

    /// Paints a text that holds no control characters.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> Cow<'_, str> {
        let code = match tone {
            Tone::Plain => return Cow::Borrowed(text),
            Tone::Good => "32",
            Tone::Wait => "33",
            Tone::Bad => "31",
            Tone::Faint => "2",
            Tone::Strong => "1",
        };
        if self.colour && !text.is_empty() {
            Cow::Owned(format!("\u{1b}[{code}m{text}\u{1b}[0m"))
        } else {
            Cow::Borrowed(text)
        }
    }
}

/// A text on one line, without control characters: line breaks and tabs become spaces, the rest `U+FFFD`.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            // Marks that reorder or hide text could make a line say what it does not.
            '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => '\u{fffd}',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_written_only_where_it_is_shown() {
        let check = |colour, tone, expect: &str| assert_eq!(Style { colour }.paint(tone, "x"), expect);
        check(false, Tone::Bad, "x");
        check(true, Tone::Plain, "x");
        check(true, Tone::Bad, "\u{1b}[31mx\u{1b}[0m");
        assert!(!Style::of(false).colour);
    }

    proptest::proptest! {
        #[test]
        fn no_text_drives_the_terminal(text in convoy_testkit_strategies::unicode()) {
            let shown = plain(&text);
            proptest::prop_assert!(!shown.chars().any(char::is_control));
            proptest::prop_assert_eq!(shown.chars().count(), text.chars().count());
            proptest::prop_assert_eq!(plain(&shown), shown);
        }
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(
            plain("a\u{1b}[31mb\nc\td\u{7}\u{202e}"),
            "a\u{fffd}[31mb c d\u{fffd}\u{fffd}"
        );
        assert_eq!(plain("naïve ✓"), "naïve ✓");
    }
}
