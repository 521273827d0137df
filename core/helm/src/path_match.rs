//! Go's `path/filepath.Match`: `*` and `?` stop at slashes, classes in brackets, escapes.

/// The pattern is malformed: in Go's words.
pub(crate) const BAD_PATTERN: &str = "syntax error in pattern";

/// Whether `name` matches all of `pattern`.
///
/// # Errors
/// When the pattern is malformed where it was needed.
pub(crate) fn matches(pattern: &str, name: &str) -> Result<bool, &'static str> {
    let mut pattern = pattern;
    let mut name = name;
    while !pattern.is_empty() {
        let (star, chunk, rest) = scan_chunk(pattern);
        if star && chunk.is_empty() {
            return Ok(!name.contains('/'));
        }
        pattern = rest;
        // The chunk has to match here, and at the end of the name if it is the last.
        if let Some(left) = match_chunk(chunk, name)?
            && (left.is_empty() || !pattern.is_empty())
        {
            name = left;
            continue;
        }
        let mut found = None;
        if star {
            let mut at = 0;
            while at < name.len() && name.as_bytes()[at] != b'/' {
                at += name[at..].chars().next().map_or(1, char::len_utf8);
                if let Some(left) = match_chunk(chunk, &name[at..])? {
                    if pattern.is_empty() && !left.is_empty() {
                        continue;
                    }
                    found = Some(left);
                    break;
                }
            }
        }
        let Some(left) = found else {
            // The rest is looked at only for whether it is well formed.
            while !pattern.is_empty() {
                let (_, chunk, rest) = scan_chunk(pattern);
                match_chunk(chunk, "")?;
                pattern = rest;
            }
            return Ok(false);
        };
        name = left;
    }
    Ok(name.is_empty())
}

/// Leading stars, then everything up to the next star.
fn scan_chunk(pattern: &str) -> (bool, &str, &str) {
    let body = pattern.trim_start_matches('*');
    let mut in_range = false;
    let mut bytes = body.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'[' => in_range = true,
            b']' => in_range = false,
            b'*' if !in_range => return (body.len() < pattern.len(), &body[..at], &body[at..]),
            _ => {}
        }
    }
    (body.len() < pattern.len(), body, "")
}

/// Matches a chunk at the beginning of `name`: what is left of it. After a mismatch the chunk is still checked.
fn match_chunk<'n>(chunk: &str, name: &'n str) -> Result<Option<&'n str>, &'static str> {
    let mut chunk = chunk;
    let mut name = name;
    let mut failed = false;
    while let Some(first) = chunk.chars().next() {
        failed = failed || name.is_empty();
        match first {
            '[' => {
                let subject = name.chars().next().filter(|_| !failed);
                let (hit, rest) = match_class(&chunk[1..], subject)?;
                if let Some(c) = subject {
                    name = &name[c.len_utf8()..];
                    failed = !hit;
                }
                chunk = rest;
            }
            '?' => {
                if !failed {
                    let c = name.chars().next().unwrap_or('/');
                    failed = c == '/';
                    name = &name[c.len_utf8()..];
                }
                chunk = &chunk[1..];
            }
            _ => {
                if first == '\\' {
                    chunk = &chunk[1..];
                }
                let want = chunk.chars().next().ok_or(BAD_PATTERN)?;
                chunk = &chunk[want.len_utf8()..];
                if !failed {
                    failed = !name.starts_with(want);
                    if !failed {
                        name = &name[want.len_utf8()..];
                    }
                }
            }
        }
    }
    Ok((!failed).then_some(name))
}

/// The class after `[`: whether `subject` is in it, and what follows `]`.
fn match_class(class: &str, subject: Option<char>) -> Result<(bool, &str), &'static str> {
    let negated = class.starts_with('^');
    let mut rest = if negated { &class[1..] } else { class };
    let mut hit = false;
    let mut ranges = 0;
    loop {
        if ranges > 0 && rest.starts_with(']') {
            return Ok((hit != negated, &rest[1..]));
        }
        let low = take_escaped(&mut rest)?;
        let mut high = low;
        if rest.starts_with('-') {
            rest = &rest[1..];
            high = take_escaped(&mut rest)?;
        }
        hit = hit || subject.is_some_and(|c| low <= c && c <= high);
        ranges += 1;
    }
}

fn take_escaped(rest: &mut &str) -> Result<char, &'static str> {
    if rest.is_empty() || rest.starts_with(['-', ']']) {
        return Err(BAD_PATTERN);
    }
    if rest.starts_with('\\') {
        *rest = &rest[1..];
    }
    let c = rest.chars().next().ok_or(BAD_PATTERN)?;
    *rest = &rest[c.len_utf8()..];
    // Something, at least the closing bracket, has to follow.
    if rest.is_empty() { Err(BAD_PATTERN) } else { Ok(c) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_go() {
        let check = |pattern: &str, name: &str, expect: Result<bool, &'static str>| {
            assert_eq!(matches(pattern, name), expect, "{pattern} {name}");
        };
        check("abc", "abc", Ok(true));
        check("*", "abc", Ok(true));
        check("*c", "abc", Ok(true));
        check("a*/b", "abc/b", Ok(true));
        check("a*/b", "a/c/b", Ok(false));
        check("a*b*c*d*e*/f", "axbxcxdxexxx/f", Ok(true));
        check("a*b?c*x", "abxbbxdbxebxczzx", Ok(true));
        check("ab[b-d]", "abc", Ok(true));
        check("ab[^b-d]", "abc", Ok(false));
        check("a\\*b", "a*b", Ok(true));
        check("a?b", "a☺b", Ok(true));
        check("[]a]", "]", Err(BAD_PATTERN));
        check("[a-]", "a", Err(BAD_PATTERN));
        check("[", "a", Err(BAD_PATTERN));
        check("a[", "ab", Err(BAD_PATTERN));
        check("*x", "xxx", Ok(true));
        check("templates/.?*", "templates/.a", Ok(true));
    }
}
