//! Rust source reduced to what the compiler acts on: comments, the content of literals and test-only items are blanked,
//! line by line, so that a word found afterwards is code and its line number is right.

/// Replaces comments and the content of string and character literals by spaces.
pub(crate) fn without_comments_and_literals(source: &str) -> String {
    let bytes = source.as_bytes();
    let mut kept = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = at + blank_length(&source[at..], kept.last().copied());
        if end == at {
            // A character of code; beyond ASCII it is part of no word that a rule looks for.
            kept.push(bytes[at]);
            at += 1;
            while !source.is_char_boundary(at) {
                at += 1;
            }
        } else {
            kept.extend(
                bytes[at..end]
                    .iter()
                    .map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }),
            );
            at = end;
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// The length of the comment or literal that `rest` begins with, or 0.
fn blank_length(rest: &str, before: Option<u8>) -> usize {
    let in_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment_length(rest);
    }
    if rest.starts_with('"') {
        return string_length(rest);
    }
    if rest.starts_with('\'') {
        return character_length(rest);
    }
    if !in_word {
        for prefix in ["br", "cr", "r"] {
            if let Some(raw) = rest.strip_prefix(prefix).and_then(raw_string_length) {
                return prefix.len() + raw;
            }
        }
    }
    0
}

fn block_comment_length(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        let tail = &rest.as_bytes()[at..];
        if tail.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if tail.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

fn string_length(rest: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// `rest` begins after the `r`.
fn raw_string_length(rest: &str) -> Option<usize> {
    let fence = rest.bytes().take_while(|byte| *byte == b'#').count();
    let content = rest[fence..].strip_prefix('"')?;
    let closing = format!("\"{}", "#".repeat(fence));
    Some(
        content
            .find(&closing)
            .map_or(rest.len(), |at| fence + 1 + at + closing.len()),
    )
}

/// 0 for a lifetime or a label.
fn character_length(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some(_)) => rest
            .char_indices()
            .skip(3)
            .find(|(_, c)| *c == '\'')
            .map_or(0, |(at, _)| at + 1),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 0,
    }
}

/// Blanks each item that only tests compile: `#[cfg(test)]` and what follows, up to its closing brace or semicolon.
pub(crate) fn without_test_items(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut kept = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        kept.push_str(&rest[..at]);
        let end = at + MARK.len() + item_length(&rest[at + MARK.len()..]);
        kept.extend(rest[at..end].chars().filter(|c| *c == '\n'));
        rest = &rest[end..];
    }
    kept.push_str(rest);
    kept
}

fn item_length(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b';' if depth == 0 => return at + 1,
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && byte == b'}' {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blank_and_lines_stay() {
        let check = |source: &str, expect: &str| assert_eq!(without_comments_and_literals(source), expect, "{source}");
        check("a // b\nc", "a     \nc");
        check("a /* b /* c */ d */ e", "a                   e");
        check("/* a\nb */c", "    \n    c");
        check(r#"f("a\"b", c)"#, "f(      , c)");
        check("f(r#\"a\"b\"#, c)", "f(        , c)".trim_end());
        check("f(b\"a\", 'x', '\\'', '\"', c)", "f(b   ,    ,     ,    , c)");
        check("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}");
        check("var\"a\"", "var   ");
        check("'outer: loop {}", "'outer: loop {}");
    }

    #[test]
    fn test_only_items_are_blank_and_lines_stay() {
        let check = |code: &str, expect: &str| assert_eq!(without_test_items(code), expect, "{code}");
        check(
            "a\n#[cfg(test)]\nmod tests {\n  fn f() { g([1; 2]); }\n}\nb",
            "a\n\n\n\n\nb",
        );
        check("#[cfg(test)]\nextern crate std;\nb", "\n\nb");
        check("#[cfg(test)] mod tests;\nb", "\nb");
        check("#[cfg(not(test))]\nmod real;", "#[cfg(not(test))]\nmod real;");
    }
}
