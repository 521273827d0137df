//! Formats and patterns. Formats count in drafts 4, 6 and 7 only, as in the library below Helm.

use alloc::format;
use alloc::string::{String, ToString as _};

use regex::Regex;

/// Whether a pattern matches anywhere in a text.
pub(super) fn matches(pattern: &str, text: &str) -> Result<bool, String> {
    let compiled = Regex::new(pattern).map_err(|error| error.to_string())?;
    Ok(compiled.is_match(text))
}

/// Whether a text is a regular expression; the reason why not.
pub(super) fn check_pattern(pattern: &str) -> Result<(), String> {
    Regex::new(pattern).map(|_| ()).map_err(|error| error.to_string())
}

/// Whether a text has the format; formats that are not known hold.
pub(super) fn check(name: &str, text: &str) -> Result<(), String> {
    match name {
        "regex" => check_pattern(text),
        "ipv4" => ipv4(text),
        "ipv6" => ipv6(text),
        "hostname" => hostname(text),
        "email" => email(text),
        "date" => date(text),
        "time" => time(text),
        "date-time" => date_time(text),
        "uri" | "iri" => uri(text, true),
        "uri-reference" | "iri-reference" => uri(text, false),
        "uuid" => uuid(text),
        "json-pointer" => json_pointer(text),
        "relative-json-pointer" => relative_json_pointer(text),
        "duration" => duration(text),
        _ => Ok(()),
    }
}

fn err<T>(reason: &str) -> Result<T, String> {
    Err(reason.to_string())
}

fn ipv4(text: &str) -> Result<(), String> {
    if text.split('.').count() != 4 {
        return err("expected four decimals");
    }
    for group in text.split('.') {
        if group.len() > 1 && group.starts_with('0') {
            return err("leading zeros");
        }
        let number: i64 = group
            .parse()
            .map_err(|_| format!("strconv.Atoi: parsing {group:?}: invalid syntax"))?;
        if !(0..=255).contains(&number) {
            return err("decimal must be between 0 and 255");
        }
    }
    Ok(())
}

fn ipv6(text: &str) -> Result<(), String> {
    if !text.contains(':') {
        return err("missing colon");
    }
    if text.contains('%') {
        return err("zone id is not a part of ipv6 address");
    }
    match text.parse::<core::net::Ipv6Addr>() {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("ParseAddr({text:?}): unable to parse IP")),
    }
}

fn hostname(text: &str) -> Result<(), String> {
    let text = text.strip_suffix('.').unwrap_or(text);
    if text.len() > 253 {
        return err("more than 253 characters long");
    }
    for label in text.split('.') {
        if label.is_empty() || label.len() > 63 {
            return err("label must be 1 to 63 characters long");
        }
        if label.starts_with('-') {
            return err("label starts with hyphen");
        }
        if label.ends_with('-') {
            return err("label ends with hyphen");
        }
        if let Some(c) = label.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '-') {
            return Err(format!("invalid character {c:?}"));
        }
    }
    Ok(())
}

fn email(text: &str) -> Result<(), String> {
    if text.len() > 254 {
        return err("more than 255 characters long");
    }
    let Some((local, domain)) = text.rsplit_once('@') else {
        return err("missing @");
    };
    if local.len() > 64 {
        return err("local part more than 64 characters long");
    }
    if let Some(quoted) = local.strip_prefix('"').filter(|rest| !rest.is_empty()) {
        let mut inner = quoted.chars();
        inner.next_back();
        if inner.as_str().contains(['\\', '"']) {
            return err("backslash and quote are not allowed within quoted local part");
        }
    } else {
        local_part(local)?;
    }
    match domain.strip_prefix('[').and_then(|domain| domain.strip_suffix(']')) {
        Some(address) => match address.strip_prefix("IPv6:") {
            Some(address) => ipv6(address).map_err(|reason| format!("invalid ipv6 address: {reason}")),
            None => ipv4(address).map_err(|reason| format!("invalid ipv4 address: {reason}")),
        },
        None => hostname(domain).map_err(|reason| format!("invalid domain: {reason}")),
    }
}

fn local_part(local: &str) -> Result<(), String> {
    if local.starts_with('.') {
        return err("starts with dot");
    }
    if local.ends_with('.') {
        return err("ends with dot");
    }
    if local.contains("..") {
        return err("consecutive dots");
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || ".!#$%&'*+-/=?^_`{|}~".contains(c);
    match local.chars().find(|c| !allowed(*c)) {
        Some(c) => Err(format!("invalid character {c:?}")),
        None => Ok(()),
    }
}

fn number(text: &str) -> Option<u32> {
    text.bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| text.parse().ok())
        .flatten()
}

fn date(text: &str) -> Result<(), String> {
    let no = || format!("parsing time {text:?} as \"2006-01-02\": cannot parse {text:?} as \"2006\"");
    let bytes = text.as_bytes();
    if !text.is_ascii() || bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return Err(no());
    }
    let parts = (number(&text[..4]), number(&text[5..7]), number(&text[8..]));
    let (Some(year), Some(month), Some(day)) = parts else {
        return Err(no());
    };
    if !(1..=12).contains(&month) {
        return Err(format!("parsing time {text:?}: month out of range"));
    }
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    if (1..=days).contains(&day) {
        Ok(())
    } else {
        Err(format!("parsing time {text:?}: day out of range"))
    }
}

fn time(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    if bytes.len() < 9 {
        return err("less than 9 characters long");
    }
    if bytes[2] != b':' || bytes[5] != b':' || !text.is_char_boundary(8) {
        return err("missing colon in correct place");
    }
    let (Some(hour), Some(minute), Some(second)) = (number(&text[..2]), number(&text[3..5]), number(&text[6..8]))
    else {
        return err("invalid hour/min/sec");
    };
    if hour > 23 || minute > 59 || second > 60 {
        return err("hour/min/sec out of range");
    }
    let mut rest = &text[8..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return err("no digits in second fraction");
        }
        rest = &fraction[digits..];
    }
    let mut minutes = hour * 60 + minute;
    if !rest.eq_ignore_ascii_case("z") {
        minutes = offset(rest, minutes)?;
    }
    if second >= 60 && minutes != 23 * 60 + 59 {
        return err("invalid leap second");
    }
    Ok(())
}

/// The minute of the day in UTC.
fn offset(text: &str, minutes: u32) -> Result<u32, String> {
    const DAY: u32 = 24 * 60;
    if text.len() != 6 {
        return err("offset must be 6 characters long");
    }
    let east = match text.as_bytes()[0] {
        b'+' => true,
        b'-' => false,
        _ => return err("offset must begin with plus/minus"),
    };
    let Some((hour, minute)) = text[1..].split_once(':').filter(|(hour, _)| hour.len() == 2) else {
        return err("missing colon in offset in correct place");
    };
    let (Some(hour), Some(minute)) = (number(hour), number(minute)) else {
        return err("invalid hour/min in offset");
    };
    if hour > 23 || minute > 59 {
        return err("hour/min in offset out of range");
    }
    let distance = hour * 60 + minute;
    Ok(if east {
        (minutes + DAY - distance) % DAY
    } else {
        minutes + distance
    })
}

fn date_time(text: &str) -> Result<(), String> {
    if text.len() < 20 || !text.is_char_boundary(10) {
        return err("less than 20 characters long");
    }
    if !text[10..].starts_with(['t', 'T']) {
        return err("11th character must be t or T");
    }
    date(&text[..10]).map_err(|reason| format!("invalid date element: {reason}"))?;
    time(&text[11..]).map_err(|reason| format!("invalid time element: {reason}"))
}

/// An address, so far as Go's parser refuses one.
fn uri(text: &str, absolute: bool) -> Result<(), String> {
    let parse = |reason: &str| Err(format!("parse {text:?}: {reason}"));
    if text.chars().any(char::is_control) {
        return parse("net/url: invalid control character in URL");
    }
    if text.starts_with(':') {
        return parse("missing protocol scheme");
    }
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let scheme = text
        .split_once(':')
        .map(|(scheme, _)| scheme)
        .filter(|scheme| !scheme.contains(['/', '?', '#']));
    let is_scheme = |scheme: &str| scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(legal);
    match scheme {
        Some(scheme) if is_scheme(scheme) => {}
        Some(_) if !text.contains('/') || text.find(':') < text.find('/') => {
            return parse("first path segment in URL cannot contain colon");
        }
        Some(_) | None if absolute => return err("relative url"),
        Some(_) | None => {}
    }
    let authority = text
        .split_once("://")
        .map_or("", |(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or(""));
    if authority.contains([' ', '<', '>', '"']) {
        return parse("invalid character in host name");
    }
    if text.contains('\\') {
        return err("contains \\");
    }
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices('%') {
        if !bytes
            .get(at + 1..at + 3)
            .is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit))
        {
            let end = (at + 3).min(text.len());
            let shown = text.get(at..end).unwrap_or("%");
            return parse(&format!("invalid URL escape {shown:?}"));
        }
    }
    Ok(())
}

fn uuid(text: &str) -> Result<(), String> {
    const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];
    if text.split('-').count() != GROUPS.len() {
        return err("must have 5 elements");
    }
    for (index, (group, length)) in text.split('-').zip(GROUPS).enumerate() {
        if group.len() != length {
            return Err(format!("element {} must be {length} characters long", index + 1));
        }
        if let Some(c) = group.chars().find(|c| !c.is_ascii_hexdigit()) {
            return Err(format!("non-hex character {c:?}"));
        }
    }
    Ok(())
}

fn json_pointer(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Ok(());
    }
    if !text.starts_with('/') {
        return err("not starting with /");
    }
    let escapes = text.match_indices('~');
    if escapes
        .map(|(at, _)| text.as_bytes().get(at + 1))
        .all(|next| matches!(next, Some(b'0' | b'1')))
    {
        Ok(())
    } else {
        err("~ must be followed by 0 or 1")
    }
}

fn relative_json_pointer(text: &str) -> Result<(), String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return err("must start with non-negative integer");
    }
    if digits > 1 && text.starts_with('0') {
        return err("starts with zero");
    }
    if &text[digits..] == "#" {
        Ok(())
    } else {
        json_pointer(&text[digits..])
    }
}

fn duration(text: &str) -> Result<(), String> {
    let Some(rest) = text.strip_prefix('P') else {
        return err("must start with P");
    };
    if rest.is_empty() {
        return err("nothing after P");
    }
    if let Some(weeks) = rest.strip_suffix('W') {
        return match weeks {
            "" => err("no number in week"),
            _ if weeks.bytes().all(|b| b.is_ascii_digit()) => Ok(()),
            _ => err("invalid week"),
        };
    }
    let units = ["YMD", "HMS"];
    for (index, part) in rest.split('T').enumerate() {
        if index > 0 && part.is_empty() {
            return err("no time elements");
        }
        let Some(all) = units.get(index) else {
            return err("more than one T");
        };
        duration_part(part, all)?;
    }
    Ok(())
}

fn duration_part(part: &str, all: &str) -> Result<(), String> {
    let mut left = all;
    let mut part = part;
    while !part.is_empty() {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return err("missing number");
        }
        let Some(unit) = part[digits..].chars().next() else {
            return err("missing unit");
        };
        match left.find(unit) {
            Some(at) => left = &left[at + 1..],
            None if all.contains(unit) => return Err(format!("unit {unit:?} out of order")),
            None => return Err(format!("invalid unit {unit:?}")),
        }
        part = &part[digits + unit.len_utf8()..];
    }
    Ok(())
}
