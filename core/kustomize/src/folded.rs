//! Folded texts (`>`) as kyaml gets them back when it has written them.
//!
//! Kustomize prints an object by writing it in the styles in which it was read, and reading that again. Its writer puts an
//! empty line behind each line of a folded text, so that the break is not folded away, but asks the wrong character
//! whether one is due: the first one of the text that is no line break, and not the first one of the next line. So lines
//! that are indented deeper gain an empty line before them, and a text that begins with a space loses its breaks.

use alloc::string::String;

use convoy_value::{Limits, Value, yaml};

use crate::quotes;

/// The text that is read back.
pub(crate) fn rewritten(text: &str) -> String {
    if !text.contains('\n') || quotes::are_needed(text) {
        return text.into();
    }
    let limits = Limits {
        bytes: usize::MAX,
        ..Limits::default()
    };
    let read = yaml::kustomize::parse(write(text), &limits);
    match read.as_ref().ok().and_then(Value::as_array) {
        Some([Value::String(read)]) => read.clone(),
        Some(_) | None => text.into(),
    }
}

/// A document with nothing but the text, in a folded block.
fn write(text: &str) -> String {
    let mut out = String::from("- >");
    if text.starts_with([' ', '\n']) {
        out.push('2');
    }
    if !text.ends_with('\n') {
        out.push('-');
    } else if text.ends_with("\n\n") || text == "\n" {
        out.push('+');
    }
    out.push('\n');
    let gains = text
        .trim_start_matches('\n')
        .chars()
        .next()
        .is_some_and(|first| first != ' ' && first != '\t');
    let (mut breaks, mut leading_space) = (true, true);
    for c in text.chars() {
        if c == '\n' {
            if !breaks && !leading_space && gains {
                out.push('\n');
            }
            out.push('\n');
            breaks = true;
        } else {
            if breaks {
                out.push_str("  ");
                leading_space = c == ' ' || c == '\t';
            }
            out.push(c);
            breaks = false;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_lines_gain_an_empty_line_before_them() {
        for (text, expect) in [
            ("one line\n", "one line\n"),
            ("a\nb\n", "a\nb\n"),
            ("f(\n  x\n)\n", "f(\n\n  x\n)\n"),
            ("f(\n  x)", "f(\n\n  x)"),
            ("no break", "no break"),
        ] {
            assert_eq!(rewritten(text), expect, "{text:?}");
        }
    }
}
