//! String formats of schemas.

use jiff::Timestamp;

/// Whether text has the format; formats that are not known are not checked.
pub(crate) fn fits(format: &str, text: &str) -> bool {
    match format {
        "date-time" | "datetime" => text.parse::<Timestamp>().is_ok(),
        "date" => text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok(),
        "ipv4" => text.parse::<std::net::Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<std::net::Ipv6Addr>().is_ok(),
        "cidr" => cidr(text),
        "uuid" | "uuid3" | "uuid4" | "uuid5" => uuid(text),
        "byte" => base64(text),
        "duration" => duration(text),
        "hostname" => crate::validate::meta::dns_subdomain(&text.to_ascii_lowercase()),
        "email" => text.split_once('@').is_some_and(|(user, host)| {
            !user.is_empty() && !host.is_empty() && !host.contains('@') && !text.contains(char::is_whitespace)
        }),
        "uri" => text.parse::<http::Uri>().is_ok() && (text.contains(':') || text.starts_with('/')),
        "mac" => mac(text),
        _ => true,
    }
}

fn cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else {
        return false;
    };
    let Ok(bits) = bits.parse::<u8>() else { return false };
    match address.parse::<std::net::IpAddr>() {
        Ok(std::net::IpAddr::V4(_)) => bits <= 32,
        Ok(std::net::IpAddr::V6(_)) => bits <= 128,
        Err(_) => false,
    }
}

fn uuid(text: &str) -> bool {
    let plain: String = text.chars().filter(|letter| *letter != '-').collect();
    plain.len() == 32 && plain.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn mac(text: &str) -> bool {
    let parts: Vec<&str> = text.split([':', '-']).collect();
    parts.len() == 6
        && parts
            .iter()
            .all(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Standard base64 with padding.
pub(crate) fn base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - body.len() <= 2
        && body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

/// A duration such as `1h30m`, `1.5s`, `3 days`.
fn duration(text: &str) -> bool {
    const UNITS: &[&str] = &[
        "ns", "us", "µs", "μs", "ms", "s", "m", "h", "d", "w", "nano", "nanos", "micro", "micros", "milli", "millis",
        "sec", "secs", "second", "seconds", "min", "mins", "minute", "minutes", "hr", "hour", "hours", "day", "days",
        "week", "weeks",
    ];
    let mut rest = text.trim_start_matches(['-', '+']);
    if rest == "0" {
        return true;
    }
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let number = rest
            .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
            .unwrap_or(rest.len());
        if number == 0 || rest[..number].parse::<f64>().is_err() {
            return false;
        }
        rest = rest[number..].trim_start();
        let unit = rest
            .find(|letter: char| letter.is_ascii_digit() || letter == ' ')
            .unwrap_or(rest.len());
        if !UNITS.contains(&&rest[..unit]) {
            return false;
        }
        rest = rest[unit..].trim_start();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_accept_and_refuse() {
        for (format, text, expect) in [
            ("date-time", "2026-01-02T03:04:05Z", true),
            ("date-time", "2026-01-02", false),
            ("duration", "1h30m", true),
            ("duration", "10x", false),
            ("duration", "", false),
            ("ipv4", "10.0.0.1", true),
            ("ipv4", "10.0.0", false),
            ("cidr", "10.0.0.0/33", false),
            ("byte", "YQ==", true),
            ("byte", "YQ=", false),
            ("uuid", "d9428888-122b-11e1-b85c-61cd3cbb3210", true),
            ("unheard-of", "anything", true),
        ] {
            assert_eq!(fits(format, text), expect, "{format} {text:?}");
        }
    }
}
