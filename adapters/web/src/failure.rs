//! Which kind of failure an HTTP exchange ended with.

use std::error::Error;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use convoy_ports::FetchError;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER, WWW_AUTHENTICATE};

use crate::address::Denied;
use crate::site::Site;

/// How many characters of a server's words are repeated.
pub const WORDS: usize = 300;

/// A failure below HTTP: name, connection, TLS, or an answer that broke off.
#[must_use]
pub fn of_transport(site: &Site, error: reqwest::Error) -> FetchError {
    let error = error.without_url();
    let mut last: &(dyn Error + 'static) = &error;
    loop {
        if last.is::<Denied>() {
            return site.refused(last.to_string());
        }
        if let Some(tls) = tls_error(last) {
            return site.tls(tls.to_string());
        }
        match next(last) {
            Some(source) => last = source,
            None => break,
        }
    }
    let words = last.to_string();
    // The words of the client's tunnel for an answer 407 of the proxy.
    if words.contains("proxy authorization required") {
        return site.authentication("the proxy wants other credentials");
    }
    site.unreachable(clean(&words))
}

fn tls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    error.downcast_ref::<rustls::Error>()
}

/// The cause of `error`. What an I/O error wraps is not its source but part of it.
fn next<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

/// The longest pause that a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// An answer that is not a success. What says nothing of credentials or of a pause is `NotARepository`.
#[must_use]
pub fn of_answer(site: &Site, status: StatusCode, headers: &HeaderMap) -> FetchError {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let code = status.as_u16();
    match code {
        401 => {
            let scheme = text(WWW_AUTHENTICATE).and_then(|challenge| challenge.split_whitespace().next());
            site.authentication(match scheme {
                Some(scheme) => format!("it answered 401 and wants {}", clean(scheme)),
                None => "it answered 401".to_owned(),
            })
        }
        // GitHub's way of saying 429.
        403 if text(RETRY_AFTER).is_some() => busy(site, code, text(RETRY_AFTER)),
        403 => site.authentication("it answered 403"),
        407 => site.authentication("the proxy answered 407"),
        408 | 425 | 429 | 500..=599 => busy(site, code, text(RETRY_AFTER)),
        _ => site.not_a_repository(format!("it answered {code}")),
    }
}

/// An answer that may be another one later: with the pause that the server asks for, where it does.
fn busy(site: &Site, code: u16, pause: Option<&str>) -> FetchError {
    let why = format!("it answered {code}");
    match pause.and_then(|pause| pause_of(pause, SystemTime::now())) {
        Some(after) => site.busy(why, after.min(LONGEST_PAUSE)),
        None => site.unreachable(why),
    }
}

/// Reads `Retry-After`: seconds or a date (RFC 9110, 10.2.3).
fn pause_of(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = DateTimeParser::new().parse_timestamp(value).ok()?.as_second();
    let now = now.duration_since(UNIX_EPOCH).ok()?.as_secs();
    Some(Duration::from_secs(u64::try_from(until).ok()?.saturating_sub(now)))
}

/// A server's words without control characters, and at most [`WORDS`] of them.
#[must_use]
pub fn clean(words: &str) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    words.trim().chars().take(WORDS).map(printable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::Url;

    #[test]
    fn a_status_tells_the_kind_of_failure() {
        let site = Site::of(&Url::parse("https://example.com/a.git").unwrap());
        let check = |code: u16, challenge: Option<&str>, expect: &str| {
            let headers = challenge.map(|challenge| (WWW_AUTHENTICATE, challenge.parse().unwrap()));
            let error = of_answer(
                &site,
                StatusCode::from_u16(code).unwrap(),
                &headers.into_iter().collect(),
            );
            assert_eq!(error.to_string(), expect);
        };
        let asks = "`https://example.com/a.git` asks for other credentials: it answered";
        check(401, Some("Basic realm=\"x\""), &format!("{asks} 401 and wants Basic"));
        check(401, None, &format!("{asks} 401"));
        check(403, None, &format!("{asks} 403"));
        let reach = "`https://example.com/a.git` cannot be reached: it answered";
        check(429, None, &format!("{reach} 429"));
        check(503, None, &format!("{reach} 503"));
        let no = "`https://example.com/a.git` is not a repository: it answered";
        check(404, None, &format!("{no} 404"));
        check(204, None, &format!("{no} 204"));
    }

    #[test]
    fn a_server_may_ask_for_a_pause() {
        let site = Site::of(&Url::parse("https://example.com/a.git").unwrap());
        let check = |code: u16, pause: &str, expect: Option<u64>| {
            let headers = [(RETRY_AFTER, pause.parse().unwrap())].into_iter().collect();
            let error = of_answer(&site, StatusCode::from_u16(code).unwrap(), &headers);
            assert_eq!(error.retry_after(), expect.map(Duration::from_secs), "{code} {pause}");
            assert_eq!(error.is_transient(), code != 404, "{code}");
        };
        check(429, "7", Some(7));
        check(503, " 120 ", Some(120));
        check(403, "7", Some(7));
        check(500, "99999999999", Some(3600));
        check(429, "Sun, 06 Nov 1994 08:49:37 GMT", Some(0));
        check(429, "soon", None);
        check(404, "7", None);
        let now = UNIX_EPOCH + Duration::from_secs(784_111_770);
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(pause_of(date, now), Some(Duration::from_secs(7)));
    }

    #[test]
    fn words_of_a_server_are_cut_and_cleaned() {
        assert_eq!(clean(" a\nb\x1b[31m "), "a b [31m");
        assert_eq!(clean(&"x".repeat(1000)).len(), WORDS);
    }
}
