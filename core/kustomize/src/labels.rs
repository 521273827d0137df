//! Selectors of labels and annotations, as Kubernetes writes them: `a=b,c!=d,e in (f,g),!h`.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
    Greater,
    Less,
}

#[derive(Clone, Debug)]
struct Requirement {
    key: String,
    operator: Operator,
    values: BTreeSet<String>,
}

/// A selector; without requirements it takes everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Symbol(&'static str),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut out = Vec::new();
    let mut rest = text.trim_start_matches([' ', '\t', '\r', '\n']);
    while let Some(first) = rest.chars().next() {
        let symbol = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"]
            .iter()
            .find(|symbol| rest.starts_with(**symbol));
        if let Some(symbol) = symbol {
            out.push(Token::Symbol(symbol));
            rest = &rest[symbol.len()..];
        } else if first == '\0' {
            return Err("a selector ends early".into());
        } else {
            let end = rest
                .find(['=', '!', '(', ')', ',', '>', '<', ' ', '\t', '\r', '\n'])
                .unwrap_or(rest.len());
            out.push(Token::Word(rest[..end].to_string()));
            rest = &rest[end..];
        }
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }
    Ok(out)
}

/// Whether `text` is a name: letters, digits and `-_.`, beginning and ending with a letter or digit.
fn is_name(text: &str) -> bool {
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    text.len() <= 63
        && edge(text.as_bytes().first())
        && edge(text.as_bytes().last())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn is_domain(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 253
        && text.split('.').all(|label| {
            let edge = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
            edge(label.as_bytes().first())
                && edge(label.as_bytes().last())
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        })
}

fn check_key(key: &str) -> Result<(), String> {
    let valid = match key.split_once('/') {
        None => is_name(key),
        Some((prefix, name)) => is_domain(prefix) && is_name(name),
    };
    if valid {
        Ok(())
    } else {
        Err(format!("`{key}` is no key of a label"))
    }
}

impl LabelSelector {
    /// Reads a selector.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let tokens = tokens(text)?;
        let mut requirements = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            requirements.push(requirement(&tokens, &mut at)?);
            match tokens.get(at) {
                None => break,
                Some(Token::Symbol(",")) => at += 1,
                Some(_) => return Err(format!("`{text}` is no selector: a `,` or the end was expected")),
            }
            if at == tokens.len() {
                return Err(format!("`{text}` is no selector: something was expected behind `,`"));
            }
        }
        Ok(Self(requirements))
    }

    pub(crate) fn is_match(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0
            .iter()
            .all(|requirement| requirement.is_match(labels.get(&requirement.key)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn word(tokens: &[Token], at: &mut usize) -> Result<String, String> {
    match tokens.get(*at) {
        Some(Token::Word(word)) => {
            *at += 1;
            Ok(word.clone())
        }
        _ => Err("an identifier was expected in a selector".into()),
    }
}

fn requirement(tokens: &[Token], at: &mut usize) -> Result<Requirement, String> {
    let negated = tokens.get(*at) == Some(&Token::Symbol("!"));
    *at += usize::from(negated);
    let key = word(tokens, at)?;
    check_key(&key)?;
    let (operator, values) = match tokens.get(*at) {
        None | Some(Token::Symbol(",")) => (
            if negated {
                Operator::DoesNotExist
            } else {
                Operator::Exists
            },
            BTreeSet::new(),
        ),
        Some(_) if negated => return Err("nothing may follow a key behind `!`".into()),
        Some(Token::Symbol(symbol)) => {
            let operator = match *symbol {
                "=" | "==" => Operator::In,
                "!=" => Operator::NotIn,
                ">" => Operator::Greater,
                "<" => Operator::Less,
                other => return Err(format!("`{other}` is no operator")),
            };
            *at += 1;
            let value = match tokens.get(*at) {
                None | Some(Token::Symbol(",")) => String::new(),
                Some(_) => word(tokens, at)?,
            };
            (operator, [value].into())
        }
        Some(Token::Word(name)) => {
            let operator = match name.as_str() {
                "in" => Operator::In,
                "notin" => Operator::NotIn,
                other => return Err(format!("`{other}` is no operator")),
            };
            *at += 1;
            (operator, set(tokens, at)?)
        }
    };
    for value in &values {
        if !(value.is_empty() || is_name(value)) {
            return Err(format!("`{value}` is no value of a label"));
        }
        if matches!(operator, Operator::Greater | Operator::Less) && value.parse::<i64>().is_err() {
            return Err(format!("`{value}` is no whole number"));
        }
    }
    Ok(Requirement { key, operator, values })
}

fn set(tokens: &[Token], at: &mut usize) -> Result<BTreeSet<String>, String> {
    if tokens.get(*at) != Some(&Token::Symbol("(")) {
        return Err("a `(` was expected in a selector".into());
    }
    *at += 1;
    let mut values = BTreeSet::new();
    loop {
        let value = match tokens.get(*at) {
            Some(Token::Word(_)) => word(tokens, at)?,
            Some(Token::Symbol("," | ")")) => String::new(),
            _ => return Err("a value was expected in a selector".into()),
        };
        values.insert(value);
        *at += 1;
        match tokens.get(*at - 1) {
            Some(Token::Symbol(",")) => {}
            Some(Token::Symbol(")")) => return Ok(values),
            _ => return Err("a `)` was expected in a selector".into()),
        }
    }
}

impl Requirement {
    fn is_match(&self, value: Option<&String>) -> bool {
        let number = |text: &String| text.parse::<i64>().ok();
        let bound = self.values.first().and_then(number);
        match (&self.operator, value) {
            (Operator::In, value) => value.is_some_and(|value| self.values.contains(value)),
            (Operator::NotIn, value) => value.is_none_or(|value| !self.values.contains(value)),
            (Operator::Exists, value) => value.is_some(),
            (Operator::DoesNotExist, value) => value.is_none(),
            (Operator::Greater, value) => value
                .and_then(number)
                .zip(bound)
                .is_some_and(|(value, bound)| value > bound),
            (Operator::Less, value) => value
                .and_then(number)
                .zip(bound)
                .is_some_and(|(value, bound)| value < bound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_take_what_kubernetes_takes() {
        let labels = [("app", "web"), ("tier", "3")]
            .map(|(key, value)| (key.to_string(), value.to_string()))
            .into();
        for (text, expect) in [
            ("", Some(true)),
            ("app", Some(true)),
            ("!app", Some(false)),
            ("app=web,tier==3", Some(true)),
            ("app!=web", Some(false)),
            ("app in (db, web)", Some(true)),
            ("app notin (web)", Some(false)),
            ("tier > 2", Some(true)),
            ("tier < 2", Some(false)),
            ("other=", Some(false)),
            ("app=web,", None),
            ("app in web", None),
            ("a b", None),
            ("=x", None),
        ] {
            let found = LabelSelector::parse(text)
                .ok()
                .map(|selector| selector.is_match(&labels));
            assert_eq!(found, expect, "{text}");
        }
    }
}
