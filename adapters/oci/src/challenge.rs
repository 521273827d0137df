//! `WWW-Authenticate`: what a registry, or its token service, wants to be shown (RFC 9110, 11.6.1).

/// The longest header that is read, and the most challenges in it.
const LONGEST: usize = 8 * 1024;
const MOST: usize = 16;

/// A challenge that can be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Challenge {
    /// User and password.
    Basic,
    /// A token, which a service gives.
    Bearer {
        /// URL of the service.
        realm: String,
        /// Name of the registry there.
        service: Option<String>,
        /// What the token must allow, as the registry has it.
        scope: Option<String>,
    },
}

/// The challenge to answer among those in the values of the headers: a token before a password, as it is the one that
/// lasts for a while.
#[must_use]
pub fn choose<'a>(headers: impl Iterator<Item = &'a str>) -> Option<Challenge> {
    let mut basic = None;
    for header in headers.take(MOST) {
        for challenge in parse(header) {
            match challenge {
                Challenge::Bearer { .. } => return Some(challenge),
                Challenge::Basic => basic = Some(challenge),
            }
        }
    }
    basic
}

/// The challenges of one header that are of a known scheme; nothing of what follows a malformed part.
#[must_use]
pub fn parse(header: &str) -> Vec<Challenge> {
    if header.len() > LONGEST {
        return Vec::new();
    }
    let mut reader = Reader { rest: header };
    let mut found = Vec::new();
    for _ in 0..MOST {
        match reader.challenge() {
            Some(Read::Known(challenge)) => found.push(challenge),
            Some(Read::Other) => {}
            None => break,
        }
    }
    found
}

/// What was read.
enum Read {
    Known(Challenge),
    /// One of another scheme, or without what it needs.
    Other,
}

struct Reader<'a> {
    rest: &'a str,
}

/// What a scheme's name is followed by.
type Parameters<'a> = Vec<(&'a str, String)>;

impl<'a> Reader<'a> {
    /// The next challenge; `None` at the end and where nothing can be read.
    fn challenge(&mut self) -> Option<Read> {
        self.commas();
        let scheme = self.token()?;
        let parameters = self.parameters()?;
        let value = |name: &str| {
            let mut all = parameters.iter();
            all.find(|(key, _)| key.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.clone())
        };
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Read::Known(Challenge::Basic));
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Some(Read::Other);
        }
        Some(value("realm").map_or(Read::Other, |realm| {
            Read::Known(Challenge::Bearer {
                realm,
                service: value("service"),
                scope: value("scope"),
            })
        }))
    }

    /// Parameters until the name of the next scheme, which has no `=` behind it; `None` where they are malformed.
    fn parameters(&mut self) -> Option<Parameters<'a>> {
        let mut found = Vec::new();
        // In place of parameters there may be one text of other characters.
        self.spaces();
        if let Some(rest) = self.token68() {
            self.rest = rest;
            return Some(found);
        }
        loop {
            let before = self.rest;
            self.commas();
            let Some(key) = self.token() else { return Some(found) };
            self.spaces();
            let Some(rest) = self.rest.strip_prefix('=') else {
                self.rest = before;
                return Some(found);
            };
            self.rest = rest;
            self.spaces();
            found.push((key, self.value()?));
        }
    }

    /// What follows a text as `Negotiate` and others have it: `=` only at its end, then a comma or nothing.
    fn token68(&self) -> Option<&'a str> {
        let other = |c: char| !(c.is_ascii_alphanumeric() || "-._~+/".contains(c));
        let text = self.rest.find(other).unwrap_or(self.rest.len());
        let behind = self.rest[text..].trim_start_matches('=');
        let ends = behind.trim_start_matches([' ', '\t']);
        (text > 0 && (ends.is_empty() || ends.starts_with(','))).then_some(behind)
    }

    fn value(&mut self) -> Option<String> {
        let Some(quoted) = self.rest.strip_prefix('"') else {
            return self.token().map(str::to_owned);
        };
        let mut value = String::new();
        let mut characters = quoted.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.rest = &quoted[at + 1..];
                    return Some(value);
                }
                '\\' => value.push(characters.next()?.1),
                _ => value.push(character),
            }
        }
        None
    }

    fn token(&mut self) -> Option<&'a str> {
        let other = |c: char| !(c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c));
        let end = self.rest.find(other).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!token.is_empty()).then_some(token)
    }

    fn spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn commas(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', ',']);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bearer(realm: &str, service: Option<&str>, scope: Option<&str>) -> Challenge {
        Challenge::Bearer {
            realm: realm.to_owned(),
            service: service.map(str::to_owned),
            scope: scope.map(str::to_owned),
        }
    }

    #[test]
    fn challenges_are_read_in_every_notation() {
        let check = |header: &str, expect: &[Challenge]| assert_eq!(parse(header), expect, "{header}");
        let hub = bearer(
            "https://auth.docker.io/token",
            Some("registry.docker.io"),
            Some("repository:a/b:pull,push"),
        );
        check(
            "Bearer realm=\"https://auth.docker.io/token\",service=\"registry.docker.io\",scope=\"repository:a/b:pull,push\"",
            std::slice::from_ref(&hub),
        );
        check(
            "bearer  Realm = \"https://auth.docker.io/token\" , service=registry.docker.io,\tSCOPE=\"repository:a/b:pull,push\"",
            std::slice::from_ref(&hub),
        );
        check("Basic realm=\"x\"", &[Challenge::Basic]);
        check("BASIC", &[Challenge::Basic]);
        check("Bearer realm=\"a\\\"b\"", &[bearer("a\"b", None, None)]);
        check("Bearer service=\"x\"", &[]);
        check("Negotiate", &[]);
        check("Negotiate YWJj==, Basic realm=\"x\"", &[Challenge::Basic]);
        check(
            "Digest realm=\"a, Basic\", nonce=\"b\", Bearer realm=\"c\", Basic realm=\"d\"",
            &[bearer("c", None, None), Challenge::Basic],
        );
        check("", &[]);
        check(", ,", &[]);
        check("Bearer realm=\"never ends", &[]);
        check("Bearer realm=", &[]);
        check("Bearer realm=\"a\" Basic", &[bearer("a", None, None), Challenge::Basic]);
    }

    #[test]
    fn a_token_is_preferred_and_bombs_are_not_read() {
        let headers = ["Basic realm=\"x\"", "Bearer realm=\"y\""];
        assert_eq!(choose(headers.into_iter()), Some(bearer("y", None, None)));
        assert_eq!(choose(["Basic"].into_iter()), Some(Challenge::Basic));
        assert_eq!(choose(["Negotiate"].into_iter()), None);
        assert_eq!(parse(&format!("Basic realm=\"{}\"", "x".repeat(LONGEST))), []);
        assert_eq!(parse(&"Basic, ".repeat(1000)).len(), MOST);
        let many = std::iter::repeat_n("Negotiate", 1_000_000).chain(["Basic"]);
        assert_eq!(choose(many), None);
    }
}
