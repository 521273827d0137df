//! How much room a text takes on a terminal, and how much there is.
//!
//! A text that was cut takes at most the columns that it was cut to, also where its characters are wide.

use std::io;

use terminal_size::{Width, terminal_size_of};
use unicode_width::UnicodeWidthChar as _;

/// Columns of a terminal that does not tell.
const COLUMNS: usize = 80;

/// Makes the character before it an emoji, which is wide.
const EMOJI: char = '\u{fe0f}';

/// Columns of the terminal that standard error goes to.
pub(crate) fn columns() -> usize {
    match terminal_size_of(io::stderr()) {
        Some((Width(columns), _)) if columns > 0 => usize::from(columns),
        Some(_) | None => COLUMNS,
    }
}

/// Columns that a text takes, counted high where terminals differ.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The text, or its beginning and an ellipsis, in at most `room` columns.
pub(crate) fn cut(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.to_string();
    }
    if room == 0 {
        return String::new();
    }
    let mut left = room - 1;
    let mut short: String = text
        .chars()
        .take_while(|c| {
            let fits = char_width(*c) <= left;
            left = left.saturating_sub(char_width(*c));
            fits
        })
        .collect();
    short.push('…');
    short
}

fn char_width(c: char) -> usize {
    if c == EMOJI { 1 } else { c.width().unwrap_or(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_by_columns() {
        let check = |text: &str, room: usize, expect: &str| assert_eq!(cut(text, room), expect);
        check("short", 5, "short");
        check("short", 4, "sho…");
        check("short", 1, "…");
        check("short", 0, "");
        check("", 0, "");
        check("漢字かな", 8, "漢字かな");
        check("漢字かな", 7, "漢字か…");
        check("漢字かな", 6, "漢字…");
        check("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…");
    }

    proptest::proptest! {
        #[test]
        fn a_cut_text_always_fits(text in convoy_testkit_strategies::unicode(), room in 0_usize..100) {
            let shown = cut(&text, room);
            proptest::prop_assert!(width(&shown) <= room);
            proptest::prop_assert!(unicode_width::UnicodeWidthStr::width(shown.as_str()) <= room);
        }
    }
}
