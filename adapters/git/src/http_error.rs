//! Which kind of failure an HTTP exchange ended with.

use std::error::Error;

use convoy_ports::FetchError;
use reqwest::StatusCode;

use crate::address::Denied;
use crate::endpoint::Site;

/// How many characters of a server's words are repeated.
pub(crate) const WORDS: usize = 300;

/// A failure below HTTP: name, connection, TLS, or an answer that broke off.
pub(crate) fn of_transport(site: &Site, error: reqwest::Error) -> FetchError {
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
    site.unreachable(clean(&last.to_string()))
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

/// An answer that is not a success.
pub(crate) fn of_status(site: &Site, status: StatusCode, challenge: Option<&str>) -> FetchError {
    let code = status.as_u16();
    match code {
        401 => {
            let scheme = challenge.and_then(|challenge| challenge.split_whitespace().next());
            site.authentication(match scheme {
                Some(scheme) => format!("it answered 401 and wants {}", clean(scheme)),
                None => "it answered 401".to_owned(),
            })
        }
        403 | 407 => site.authentication(format!("it answered {code}")),
        408 | 425 | 429 | 500..=599 => site.unreachable(format!("it answered {code}")),
        _ => site.not_a_repository(format!("it answered {code}")),
    }
}

/// A server's words without control characters, and not too many.
pub(crate) fn clean(words: &str) -> String {
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
            let error = of_status(&site, StatusCode::from_u16(code).unwrap(), challenge);
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
    fn words_of_a_server_are_cut_and_cleaned() {
        assert_eq!(clean(" a\nb\x1b[31m "), "a b [31m");
        assert_eq!(clean(&"x".repeat(1000)).len(), WORDS);
    }
}
