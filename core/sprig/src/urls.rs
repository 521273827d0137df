//! `urlParse` and `urlJoin`, as `net/url` takes URLs apart and puts them together.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use convoy_template::value::{MapRef, kind_of};
use convoy_template::{CallError, Context, Functions, Str, Value, go_quote};

type Result<T> = core::result::Result<T, CallError>;
type Bytes = Vec<u8>;

pub(crate) fn register(functions: &mut Functions) {
    functions.add("urlParse", url_parse).add("urlJoin", url_join);
}

/// A URL in parts, with escapes undone where Go undoes them.
#[derive(Debug, Default)]
struct Url {
    scheme: Bytes,
    user: Option<User>,
    host: Bytes,
    path: Bytes,
    query: Bytes,
    opaque: Bytes,
    fragment: Bytes,
}

#[derive(Debug)]
struct User {
    name: Bytes,
    password: Option<Bytes>,
}

/// Which part a character is in: it decides what must be escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    User,
    Host,
    Path,
    Fragment,
}

fn must_escape(byte: u8, part: Part) -> bool {
    if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        return false;
    }
    match part {
        Part::Host if b"!$&'()*+,;=:[]<>\"".contains(&byte) => false,
        Part::User if b"$&+,;=".contains(&byte) => false,
        Part::Path if b"$&+,/:;=@".contains(&byte) => false,
        Part::Fragment if b"$&+,/:;=?@!()*".contains(&byte) => false,
        Part::Host | Part::User | Part::Path | Part::Fragment => true,
    }
}

fn escape(text: &[u8], part: Part) -> Bytes {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if must_escape(*byte, part) {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            out.push(*byte);
        }
    }
    out
}

fn unescape(text: &[u8], part: Part) -> core::result::Result<Bytes, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            if part == Part::Host && first.is_ascii() && must_escape(*first, part) {
                let shown = go_quote(&[*first]);
                return Err(format!("invalid character {shown} in host name"));
            }
            out.push(*first);
            rest = after;
            continue;
        }
        let code = after.get(..2).and_then(|two| core::str::from_utf8(two).ok());
        let code = code.filter(|two| two.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(byte) = code.and_then(|two| u8::from_str_radix(two, 16).ok()) else {
            let bad = rest.get(..3).unwrap_or(rest);
            return Err(format!("invalid URL escape {}", go_quote(bad)));
        };
        if part == Part::Host && byte < 0x80 && rest.get(..3) != Some(b"%25") {
            return Err(format!(
                "invalid URL escape {}",
                go_quote(rest.get(..3).unwrap_or(rest))
            ));
        }
        out.push(byte);
        rest = after.get(2..).unwrap_or(&[]);
    }
    Ok(out)
}

fn cut(text: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|byte| *byte == at) {
        Some(place) => (text.get(..place).unwrap_or(&[]), text.get(place + 1..)),
        None => (text, None),
    }
}

/// The scheme before the first colon, if what is there can be one.
fn scheme_of(text: &[u8]) -> core::result::Result<(&[u8], &[u8]), String> {
    for (place, byte) in text.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if place > 0 => {}
            b':' if place == 0 => return Err("missing protocol scheme".into()),
            b':' => return Ok((text.get(..place).unwrap_or(&[]), text.get(place + 1..).unwrap_or(&[]))),
            _ => break,
        }
    }
    Ok((&[], text))
}

fn parse(text: &[u8]) -> core::result::Result<Url, String> {
    let wrapped = |shown: &[u8], message: String| format!("parse {}: {message}", go_quote(shown));
    let (before, fragment) = cut(text, b'#');
    let mut url = parse_without_fragment(before).map_err(|message| wrapped(before, message))?;
    if let Some(fragment) = fragment {
        url.fragment = unescape(fragment, Part::Fragment).map_err(|message| wrapped(text, message))?;
    }
    Ok(url)
}

fn parse_without_fragment(text: &[u8]) -> core::result::Result<Url, String> {
    if text.iter().any(u8::is_ascii_control) {
        return Err("net/url: invalid control character in URL".into());
    }
    let mut url = Url::default();
    if text == b"*" {
        url.path = text.to_vec();
        return Ok(url);
    }
    let (scheme, rest) = scheme_of(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (rest, query) = cut(rest, b'?');
    url.query = query.unwrap_or(&[]).to_vec();
    let mut rest = rest;
    if !rest.starts_with(b"/") {
        if !url.scheme.is_empty() {
            url.opaque = rest.to_vec();
            return Ok(url);
        }
        if cut(rest, b'/').0.contains(&b':') {
            return Err("first path segment in URL cannot contain colon".into());
        }
    }
    if (!url.scheme.is_empty() || !rest.starts_with(b"///")) && rest.starts_with(b"//") {
        let authority = rest.get(2..).unwrap_or(&[]);
        let end = authority
            .iter()
            .position(|byte| *byte == b'/')
            .unwrap_or(authority.len());
        let (authority, after) = authority.split_at(end);
        parse_authority(&mut url, authority)?;
        rest = after;
    }
    url.path = unescape(rest, Part::Path)?;
    Ok(url)
}

fn parse_authority(url: &mut Url, authority: &[u8]) -> core::result::Result<(), String> {
    let at = authority.iter().rposition(|byte| *byte == b'@');
    let host = authority.get(at.map_or(0, |at| at + 1)..).unwrap_or(&[]);
    url.host = parse_host(host)?;
    let Some(at) = at else { return Ok(()) };
    let user = authority.get(..at).unwrap_or(&[]);
    let is_valid = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(byte);
    if !user.iter().all(is_valid) {
        return Err("net/url: invalid userinfo".into());
    }
    let (name, password) = cut(user, b':');
    url.user = Some(User {
        name: unescape(name, Part::User)?,
        password: password.map(|password| unescape(password, Part::User)).transpose()?,
    });
    Ok(())
}

fn parse_host(host: &[u8]) -> core::result::Result<Bytes, String> {
    let port = if host.starts_with(b"[") {
        let Some(end) = host.iter().rposition(|byte| *byte == b']') else {
            return Err("missing ']' in host".into());
        };
        host.get(end + 1..).unwrap_or(&[])
    } else {
        let colon = host.iter().rposition(|byte| *byte == b':');
        colon.and_then(|colon| host.get(colon..)).unwrap_or(&[])
    };
    let is_bad = port
        .strip_prefix(b":")
        .is_none_or(|digits| !digits.iter().all(u8::is_ascii_digit));
    if !port.is_empty() && is_bad {
        return Err(format!("invalid port {} after host", go_quote(port)));
    }
    unescape(host, Part::Host)
}

impl User {
    fn text(&self) -> Bytes {
        let mut out = escape(&self.name, Part::User);
        if let Some(password) = &self.password {
            out.push(b':');
            out.extend(escape(password, Part::User));
        }
        out
    }
}

impl Url {
    /// The host without port and brackets.
    fn hostname(&self) -> Bytes {
        let host = self.host.as_slice();
        if let Some(end) = host
            .iter()
            .rposition(|byte| *byte == b']')
            .filter(|_| host.starts_with(b"["))
        {
            return host.get(1..end).unwrap_or(&[]).to_vec();
        }
        cut(host, b':').0.to_vec()
    }

    fn text(&self) -> Bytes {
        let mut out = Vec::new();
        if !self.scheme.is_empty() {
            out.extend_from_slice(&self.scheme);
            out.push(b':');
        }
        if self.opaque.is_empty() {
            self.push_hierarchy(&mut out);
        } else {
            out.extend_from_slice(&self.opaque);
        }
        if !self.query.is_empty() {
            out.push(b'?');
            out.extend_from_slice(&self.query);
        }
        if !self.fragment.is_empty() {
            out.push(b'#');
            out.extend(escape(&self.fragment, Part::Fragment));
        }
        out
    }

    fn push_hierarchy(&self, out: &mut Bytes) {
        if !self.scheme.is_empty() || !self.host.is_empty() || self.user.is_some() {
            if !self.host.is_empty() || !self.path.is_empty() || self.user.is_some() {
                out.extend_from_slice(b"//");
            }
            if let Some(user) = &self.user {
                out.extend(user.text());
                out.push(b'@');
            }
            out.extend(escape(&self.host, Part::Host));
        }
        let path = if self.path == b"*" {
            self.path.clone()
        } else {
            escape(&self.path, Part::Path)
        };
        if !path.is_empty() && !path.starts_with(b"/") && !self.host.is_empty() {
            out.push(b'/');
        }
        if out.is_empty() && cut(&path, b'/').0.contains(&b':') {
            out.extend_from_slice(b"./");
        }
        out.extend(path);
    }
}

fn url_parse(context: &mut Context, text: Str) -> Result<MapRef> {
    let url = parse(&text).map_err(|message| CallError::new(format!("unable to parse url: {message}")))?;
    let map = context.heap_mut().map()?;
    let user = url.user.as_ref().map(User::text).unwrap_or_default();
    for (key, part) in [
        ("hostname", url.hostname()),
        ("scheme", url.scheme),
        ("host", url.host),
        ("path", url.path),
        ("query", url.query),
        ("opaque", url.opaque),
        ("fragment", url.fragment),
        ("userinfo", user),
    ] {
        context.heap_mut().insert(map, key, Value::from(part))?;
    }
    Ok(map)
}

fn url_join(context: &mut Context, map: MapRef) -> Result<Bytes> {
    let part = |key: &str| match context.heap().get(map, key.as_bytes()) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(text.to_vec()),
        Some(Value::Nil) => Err(CallError::new(crate::NIL_DEREFERENCE)),
        Some(other) => Err(CallError::new(format!(
            "unable to parse {key} key, must be of type string, but {} found",
            kind_of(other)
        ))),
    };
    let mut url = Url {
        scheme: part("scheme")?,
        host: part("host")?,
        path: part("path")?,
        query: part("query")?,
        opaque: part("opaque")?,
        fragment: part("fragment")?,
        user: None,
    };
    let user = part("userinfo")?;
    if !user.is_empty() {
        let text = [b"proto://", user.as_slice(), b"@host"].concat();
        let parsed = parse(&text);
        url.user = parsed
            .map_err(|message| format!("unable to parse userinfo in dict: {message}"))?
            .user;
    }
    Ok(url.text())
}
