//! What of a random answer does not change from run to run.
#![expect(clippy::format_push_string, reason = "the texts are short")]

use crate::encoding::from_base64;

/// The part of an answer that both sides must have in common.
#[must_use]
pub fn shape(function: &str, template: &str, text: &str) -> String {
    if text.contains("-----BEGIN ") {
        return blocks(text);
    }
    match function {
        "randAlpha" => of_alphabet(text, "letters", |c| c.is_ascii_alphabetic()),
        "randAlphaNum" => of_alphabet(text, "letters and digits", |c| c.is_ascii_alphanumeric()),
        "randAscii" => of_alphabet(text, "characters", |c| (' '..='~').contains(&c)),
        "randNumeric" => of_alphabet(text, "digits", |c| c.is_ascii_digit()),
        "randBytes" => match from_base64(text) {
            Some(bytes) => format!("{} bytes in base64", bytes.len()),
            None => text.to_owned(),
        },
        "encryptAES" if !template.contains("decryptAES") => match from_base64(text) {
            Some(bytes) => format!("{} bytes in base64", bytes.len()),
            None => text.to_owned(),
        },
        "randInt" => in_range(template, text),
        "uuidv4" => without_digits(text, |c| c.is_ascii_hexdigit(), 32),
        "shuffle" => {
            let mut letters: Vec<char> = text.chars().collect();
            letters.sort_unstable();
            letters.into_iter().collect()
        }
        "keys" | "values" => in_order(text),
        "now" | "ago" | "date" | "dateInZone" | "date_in_zone" | "htmlDate" | "htmlDateInZone" => moment(text),
        "bcrypt" | "htpasswd" => hash(text),
        _ => text.to_owned(),
    }
}

fn of_alphabet(text: &str, name: &str, belongs: fn(char) -> bool) -> String {
    if text.chars().all(belongs) {
        format!("{} {name}", text.chars().count())
    } else {
        text.to_owned()
    }
}

/// An integer that is within the two bounds of the call.
fn in_range(template: &str, text: &str) -> String {
    let numbers: Vec<i64> = template.split(' ').filter_map(|word| word.parse().ok()).collect();
    match (numbers.as_slice(), text.parse::<i64>()) {
        ([from, to], Ok(number)) if (*from..*to).contains(&number) => "in range".into(),
        _ => text.to_owned(),
    }
}

/// With `x` for every digit that `varies`, if there are at least so many.
fn without_digits(text: &str, varies: fn(char) -> bool, least: usize) -> String {
    if text.chars().filter(|c| varies(*c)).count() < least {
        return text.to_owned();
    }
    text.chars().map(|c| if varies(c) { 'x' } else { c }).collect()
}

/// The words of a printed list or the elements of a JSON list, sorted.
fn in_order(text: &str) -> String {
    if let Ok(serde_json::Value::Array(items)) = serde_json::from_str(text) {
        let mut items: Vec<String> = items.iter().map(ToString::to_string).collect();
        items.sort();
        return items.join(",");
    }
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    match inner {
        Some(inner) if !inner.contains('[') => {
            let mut words: Vec<&str> = inner.split(' ').collect();
            words.sort_unstable();
            format!("[{}]", words.join(" "))
        }
        _ => text.to_owned(),
    }
}

/// Digits as one 0 a run, names of months, days and halves of the day as what they are.
fn moment(text: &str) -> String {
    // A text without the monotonic clock that Go's own times carry.
    let text = text.split(" m=").next().unwrap_or(text);
    let mut out = String::new();
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let shown = match bare {
            "AM" | "PM" => "half",
            _ if is_name(
                bare,
                &[
                    "Monday",
                    "Tuesday",
                    "Wednesday",
                    "Thursday",
                    "Friday",
                    "Saturday",
                    "Sunday",
                ],
            ) =>
            {
                "day"
            }
            _ if is_name(
                bare,
                &[
                    "January",
                    "February",
                    "March",
                    "April",
                    "May",
                    "June",
                    "July",
                    "August",
                    "September",
                    "October",
                    "November",
                    "December",
                ],
            ) =>
            {
                "month"
            }
            _ => bare,
        };
        out.push_str(shown);
        out.push_str(&word[bare.len()..]);
    }
    let mut digits = String::new();
    for c in out.chars() {
        if !c.is_ascii_digit() {
            digits.push(c);
        } else if !digits.ends_with('0') {
            digits.push('0');
        }
    }
    // A time that has no fraction of a second shows none.
    let digits = digits.replace("0.0 ", "0 ");
    digits.replace("PM", "half").replace("AM", "half")
}

fn is_name(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| *name == word || name[..3] == *word)
}

fn hash(text: &str) -> String {
    match text.split_once("$2a$10$") {
        Some((before, rest)) if rest.len() == 53 => format!("{before}$2a$10$ and 53 characters"),
        _ => text.to_owned(),
    }
}

/// Blocks of PEM as what they hold.
fn blocks(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("-----BEGIN ") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("-----\n") else {
            break;
        };
        let end = format!("-----END {name}-----\n");
        let Some((body, after)) = after.split_once(&end) else {
            break;
        };
        let widths = body.lines().map(str::len).max().unwrap_or(0);
        let bytes = from_base64(&body.replace('\n', "")).unwrap_or_default();
        out.push_str(&format!("{name} in lines of {widths}:\n"));
        let mut times = Vec::new();
        dump(&bytes, 1, &mut out, &mut times);
        if let [from, to] = times.as_slice() {
            out.push_str(&format!("  valid for {} days\n", (to - from) / 86_400));
        }
        rest = after;
    }
    out + rest
}

/// The elements of DER, a line each; numbers that are long are only measured.
fn dump(mut text: &[u8], depth: usize, out: &mut String, times: &mut Vec<i64>) {
    while let Some((tag, content, rest)) = element(text) {
        text = rest;
        let indent = "  ".repeat(depth);
        let nests = tag & 0x20 != 0;
        let inner = match tag {
            0x04 | 0x03 => content
                .get(usize::from(tag == 0x03)..)
                .filter(|inner| holds_elements(inner)),
            _ => None,
        };
        match tag {
            0x02 if content.len() > 8 => out.push_str(&format!(
                "{indent}number of about {} bytes\n",
                (content.len() + 8) / 16 * 16
            )),
            0x17 | 0x18 => {
                times.push(seconds(content));
                out.push_str(&format!("{indent}{tag:#04x} {} characters\n", content.len()));
            }
            _ if nests => {
                out.push_str(&format!("{indent}{tag:#04x}\n"));
                dump(content, depth + 1, out, times);
            }
            _ if inner.is_some() => {
                out.push_str(&format!("{indent}{tag:#04x} holds\n"));
                dump(inner.unwrap_or(&[]), depth + 1, out, times);
            }
            0x03 | 0x04 | 0x80 if content.len() > 16 => {
                out.push_str(&format!("{indent}{tag:#04x} {} bytes\n", content.len()));
            }
            _ => out.push_str(&format!("{indent}{tag:#04x} {}\n", content.escape_ascii())),
        }
    }
}

fn holds_elements(text: &[u8]) -> bool {
    let mut rest = text;
    while let Some((tag, _, after)) = element(rest) {
        if !matches!(tag, 0x02..=0x06 | 0x30) {
            return false;
        }
        rest = after;
        if rest.is_empty() {
            return true;
        }
    }
    false
}

fn element(text: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, text) = text.split_first()?;
    let (first, text) = text.split_first()?;
    let (length, text) = if *first < 0x80 {
        (usize::from(*first), text)
    } else {
        let (length, text) = text.split_at_checked(usize::from(first & 0x7f))?;
        (
            length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte)),
            text,
        )
    };
    let (content, rest) = text.split_at_checked(length)?;
    Some((*tag, content, rest))
}

/// Seconds since 1970 of a time of a certificate.
fn seconds(text: &[u8]) -> i64 {
    let text = String::from_utf8_lossy(text);
    let layout = if text.len() == 13 {
        "060102150405Z"
    } else {
        "20060102150405Z"
    };
    convoy_template::value::Time::parse(layout, text.as_bytes()).map_or(0, |time| time.seconds)
}
