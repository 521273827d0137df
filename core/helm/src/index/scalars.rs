//! Scalars in block style: which of them are plain to read, and where they end.

use super::lines::Lines;

/// Whether a line holds nothing but what YAML prints, and nothing that it takes for the end of a line.
pub(super) fn is_printable(line: &str) -> bool {
    if line.is_ascii() {
        return line.bytes().all(|b| (0x20..0x7f).contains(&b));
    }
    line.chars().all(|c| {
        matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
            && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
    })
}

/// Whether a plain scalar is text for certain, and not a number, a boolean, a time or a null.
pub(super) fn is_surely_text(text: &str) -> bool {
    const WORDS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let bytes = text.as_bytes();
    let Some(first) = bytes.first() else { return false };
    if first.is_ascii_alphabetic() {
        return !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    }
    bytes.contains(&b'/') || text.matches('.').nth(1).is_some() || is_hash(bytes)
}

/// Hexadecimal digits that no notation of numbers has.
fn is_hash(bytes: &[u8]) -> bool {
    let foreign = |b: &u8| matches!(b, b'a' | b'c' | b'd' | b'f');
    bytes.len() == 64 && bytes.iter().all(u8::is_ascii_hexdigit) && bytes.iter().any(foreign)
}

/// Whether a line of a plain scalar is nothing else, and no number that JSON cannot hold (`.nan`).
fn is_plain(line: &str) -> bool {
    let first = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'/' | b'(' | b'^' | b'~' | 0x80..);
    line.bytes().next().is_some_and(first) && !line.contains(": ") && !line.contains(" #") && !line.ends_with(':')
}

/// The text of a scalar on one line, if it is text for certain.
pub(super) fn text(value: &str) -> Option<&str> {
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    match value.as_bytes().first()? {
        b'"' => inner('"').filter(|text| !text.contains(['"', '\\'])),
        b'\'' => inner('\'').filter(|text| !text.contains('\'')),
        _ => (is_plain(value) && is_surely_text(value)).then_some(value),
    }
}

/// Passes over the scalar that begins with `value`, in a collection in column `outer`.
pub(super) fn skip<'t>(lines: &mut Lines<'t>, value: &'t str, outer: usize) -> Option<()> {
    match value.as_bytes().first()? {
        b'"' | b'\'' => skip_quoted(lines, value, outer),
        b'|' | b'>' => skip_block(lines, value, outer),
        b'[' | b'{' => {
            matches!(value, "[]" | "{}").then_some(())?;
            lines.advance()?;
            lines.line.is_none_or(|line| line.indent <= outer).then_some(())
        }
        _ => skip_plain(lines, value, outer),
    }
}

fn skip_plain<'t>(lines: &mut Lines<'t>, value: &'t str, outer: usize) -> Option<()> {
    is_plain(value).then_some(())?;
    lines.advance()?;
    while let Some(line) = lines.line.filter(|line| line.indent > outer) {
        // A comment ends a scalar.
        (!lines.commented && is_plain(line.content)).then_some(())?;
        lines.advance()?;
    }
    Some(())
}

fn skip_quoted<'t>(lines: &mut Lines<'t>, value: &'t str, outer: usize) -> Option<()> {
    let (quote, mut line) = (value.as_bytes()[0], &value[1..]);
    loop {
        let end = if quote == b'"' {
            end_of_double(line)?
        } else {
            end_of_single(line)
        };
        if let Some(end) = end {
            line[end..].is_empty().then_some(())?;
            return lines.advance();
        }
        let raw = lines.raw()??;
        let content = raw.trim_start_matches(' ');
        (!content.is_empty() && raw.len() - content.len() > outer).then_some(())?;
        // Blanks at the end of a line, and before the quote that ends it, are part of neither.
        line = content.trim_end_matches(' ');
    }
}

/// Behind the quote that ends the scalar; `None` within if it is not on this line.
#[expect(
    clippy::option_option,
    reason = "outside: whether it is plain; inside: whether it is there"
)]
fn end_of_double(line: &str) -> Option<Option<usize>> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(b) = bytes.get(at) {
        match b {
            b'"' => return Some(Some(at + 1)),
            b'\\' => at += escape(&bytes[at + 1..])? + 1,
            _ => at += 1,
        }
    }
    Some(None)
}

/// The length of an escape behind its backslash.
fn escape(bytes: &[u8]) -> Option<usize> {
    let hex = |digits: usize| {
        let digits = core::str::from_utf8(bytes.get(1..=digits)?).ok()?;
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then_some(())?;
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
        Some(digits.len() + 1)
    };
    match bytes.first() {
        // The end of the line.
        None => Some(0),
        Some(
            b'0' | b'a' | b'b' | b't' | b'n' | b'v' | b'f' | b'r' | b'e' | b' ' | b'"' | b'\\' | b'N' | b'_' | b'L'
            | b'P',
        ) => Some(1),
        Some(b'x') => hex(2),
        Some(b'u') => hex(4),
        Some(b'U') => hex(8),
        Some(_) => None,
    }
}

fn end_of_single(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(b) = bytes.get(at) {
        match (b, bytes.get(at + 1)) {
            (b'\'', Some(b'\'')) => at += 2,
            (b'\'', _) => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

fn skip_block<'t>(lines: &mut Lines<'t>, value: &'t str, outer: usize) -> Option<()> {
    matches!(value, "|" | "|-" | "|+" | ">" | ">-" | ">+").then_some(())?;
    let indent_of = |raw: &str| raw.len() - raw.trim_start_matches(' ').len();
    let first = lines.raw()??;
    let indent = indent_of(first);
    (indent > outer && indent < first.len()).then_some(())?;
    loop {
        let mark = lines.mark();
        match lines.raw()? {
            Some(raw) if indent_of(raw) >= indent || indent_of(raw) == raw.len() => {}
            Some(_) | None => {
                lines.back(mark);
                return lines.advance();
            }
        }
    }
}
