//! The grammar of `--set` and its kin: `a.b[0].c=value,d={1,2}`.
//!
//! A port of the rules of Helm's `strvals`, oddities included: `a[0].b=` at the end of the text sets nothing in the
//! list, and a text after an error is not looked at.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_value::{Limits, Map, Number, Numbers, Value, json};

use crate::layers::ReadFile;

/// The largest index of a list.
pub const MAX_INDEX: usize = 65_536;
/// The deepest nesting of names.
pub const MAX_NESTING: usize = 30;

/// What the text after `=` becomes.
pub(crate) enum Style<'a, 'r> {
    /// A boolean, null, integer or text.
    Typed,
    /// Text.
    Text,
    /// The content of the file that it names.
    Content(&'a mut ReadFile<'r>),
    /// JSON.
    Json,
    /// Everything up to the end of the text, as it is.
    Literal,
}

/// Sets in `map` what `text` says.
pub(crate) fn parse(text: &str, map: &mut Map, style: &mut Style<'_, '_>) -> Result<(), String> {
    let mut parser = Parser { rest: text, style };
    loop {
        match parser.key(map, 0) {
            Ok(()) => {}
            Err(Stop::End) => return Ok(()),
            Err(Stop::Error(reason)) => return Err(reason),
        }
    }
}

/// Why parsing stopped: the text is over, or it is wrong.
enum Stop {
    End,
    Error(String),
}

impl From<String> for Stop {
    fn from(reason: String) -> Self {
        Self::Error(reason)
    }
}

struct Parser<'t, 's, 'a, 'r> {
    rest: &'t str,
    style: &'s mut Style<'a, 'r>,
}

/// A run of characters and what ended it; `None` is the end of the text.
type Run = (String, Option<char>);

impl Parser<'_, '_, '_, '_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    fn is_literal(&self) -> bool {
        matches!(self.style, Style::Literal)
    }

    fn is_json(&self) -> bool {
        matches!(self.style, Style::Json)
    }

    fn until(&mut self, stop: &[char]) -> Run {
        let mut run = String::new();
        loop {
            match self.next() {
                None => return (run, None),
                Some(c) if stop.contains(&c) => return (run, Some(c)),
                Some('\\') if !self.is_literal() => match self.next() {
                    None => return (run, None),
                    Some(escaped) => run.push(escaped),
                },
                Some(c) => run.push(c),
            }
        }
    }

    fn key(&mut self, map: &mut Map, nesting: usize) -> Result<(), Stop> {
        let stop: &[char] = if self.is_literal() {
            &['=', '[', '.']
        } else {
            &['=', '[', ',', '.']
        };
        let (key, last) = self.until(stop);
        match last {
            None if key.is_empty() => Err(Stop::End),
            None => Err(format!("key {key:?} has no value").into()),
            Some('[') => {
                let index = self.index()?;
                let mut items = match map.get(&key) {
                    None => Vec::new(),
                    Some(Value::Array(known)) => known.clone(),
                    Some(other) => return Err(conversion(other, "[]interface {}").into()),
                };
                let result = self.item(&mut items, index, nesting);
                set(map, &key, Value::Array(items));
                result
            }
            Some('=') => self.value(map, &key),
            Some(',') => {
                set(map, &key, Value::from(""));
                Err(format!("key {key:?} has no value (cannot end with ,)").into())
            }
            Some(_) => self.nested(map, &key, nesting),
        }
    }

    fn nested(&mut self, map: &mut Map, key: &str, nesting: usize) -> Result<(), Stop> {
        let nesting = nesting + 1;
        if nesting > MAX_NESTING {
            return Err(format!(
                "value name nested level is greater than maximum supported nested level of {MAX_NESTING}"
            )
            .into());
        }
        let mut inner = match map.get_mut(key) {
            None => Map::new(),
            Some(Value::Object(inner)) => core::mem::take(inner),
            Some(other) => return Err(conversion(other, "map[string]interface {}").into()),
        };
        let result = self.key(&mut inner, nesting);
        if result.is_ok() && inner.is_empty() {
            return Err(format!("key map {key:?} has no value").into());
        }
        if !inner.is_empty() {
            set(map, key, Value::Object(inner));
        }
        result
    }

    fn value(&mut self, map: &mut Map, key: &str) -> Result<(), Stop> {
        if self.is_json() {
            let value = self.json()?;
            set(map, key, value);
            return Ok(());
        }
        if self.is_literal() {
            let value = core::mem::take(&mut self.rest);
            set(map, key, Value::from(value));
            return Ok(());
        }
        if self.rest.is_empty() {
            set(map, key, Value::from(""));
            return Err(Stop::End);
        }
        let value = self.list_or_scalar()?;
        set(map, key, value);
        Ok(())
    }

    fn list_or_scalar(&mut self) -> Result<Value, Stop> {
        if let Some(rest) = self.rest.strip_prefix('{') {
            self.rest = rest;
            return self.list();
        }
        let (text, _) = self.until(&[',']);
        Ok(self.typed(text)?)
    }

    fn list(&mut self) -> Result<Value, Stop> {
        let mut items = Vec::new();
        loop {
            let (text, last) = self.until(&[',', '}']);
            match last {
                None => return Err("list must terminate with '}'".to_string().into()),
                Some(end) => items.push(self.typed(text).map(|value| (value, end))?),
            }
            if items.last().is_some_and(|(_, end)| *end == '}') {
                self.rest = self.rest.strip_prefix(',').unwrap_or(self.rest);
                return Ok(Value::Array(items.into_iter().map(|(value, _)| value).collect()));
            }
        }
    }

    fn typed(&mut self, text: String) -> Result<Value, String> {
        match self.style {
            Style::Content(read) => read(&text).map(Value::String),
            Style::Typed => Ok(typed(text)),
            Style::Text | Style::Json | Style::Literal => Ok(Value::String(text)),
        }
    }

    fn index(&mut self) -> Result<i64, Stop> {
        match self.until(&[']']) {
            // Helm takes its error for the end of the text.
            (_, None) => Err(Stop::End),
            (text, Some(_)) => parse_index(&text).map_err(|reason| format!("error parsing index: {reason}").into()),
        }
    }

    /// What follows `]`.
    fn item(&mut self, list: &mut Vec<Value>, index: i64, nesting: usize) -> Result<(), Stop> {
        let place = usize::try_from(index).map_err(|_| format!("negative {index} index not allowed"))?;
        let (surplus, end) = self.until(&['[', '.', '=']);
        if !surplus.is_empty() {
            let shown: Vec<String> = surplus.chars().map(|c| format!("{c:?}")).collect();
            return Err(format!("unexpected data at end of array index: [{}]", shown.join(" ")).into());
        }
        match end {
            None => Err(Stop::End),
            Some('=') => {
                let value = if self.is_json() {
                    self.json()?
                } else if self.is_literal() {
                    Value::from(core::mem::take(&mut self.rest))
                } else if self.rest.is_empty() {
                    Value::from("")
                } else {
                    self.list_or_scalar()?
                };
                set_index(list, place, value)
            }
            Some('[') => {
                let next = self.index()?;
                let mut inner = match list.get(place) {
                    None | Some(Value::Null) => Vec::new(),
                    Some(Value::Array(items)) => items.clone(),
                    Some(other) => return Err(conversion(other, "[]interface {}").into()),
                };
                self.item(&mut inner, next, nesting)?;
                set_index(list, place, Value::Array(inner))
            }
            Some(_) => {
                let known = place < list.len();
                let mut inner = match list.get(place) {
                    Some(Value::Object(map)) => map.clone(),
                    _ => Map::new(),
                };
                let result = self.key(&mut inner, nesting);
                // A map that was there before is changed even when the text ends here.
                if known || result.is_ok() {
                    set_index(list, place, Value::Object(inner))?;
                }
                result
            }
        }
    }

    /// One JSON value, and the blanks and comma behind it; nothing is null.
    fn json(&mut self) -> Result<Value, Stop> {
        if self.skip_blank() {
            return Ok(Value::Null);
        }
        let end = json_end(self.rest);
        let value = json::parse_with(&self.rest[..end], &Limits::default(), Numbers::Float);
        let value = value.map_err(|error| error.message().to_string())?;
        self.rest = &self.rest[end..];
        self.skip_blank();
        Ok(value)
    }

    /// Skips blanks and one comma: whether there was no value before it.
    fn skip_blank(&mut self) -> bool {
        let trimmed = self.rest.trim_start();
        self.rest = trimmed.strip_prefix(',').unwrap_or(trimmed);
        trimmed.is_empty() || trimmed.starts_with(',')
    }
}

fn set(map: &mut Map, key: &str, value: Value) {
    if !key.is_empty() {
        map.insert(key, value);
    }
}

fn set_index(list: &mut Vec<Value>, index: usize, value: Value) -> Result<(), Stop> {
    if index > MAX_INDEX {
        return Err(format!("index of {index} is greater than maximum supported index of {MAX_INDEX}").into());
    }
    if list.len() <= index {
        list.resize(index + 1, Value::Null);
    }
    list[index] = value;
    Ok(())
}

fn parse_index(text: &str) -> Result<i64, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!("strconv.Atoi: parsing {text:?}: invalid syntax"));
    }
    text.parse()
        .map_err(|_| format!("strconv.Atoi: parsing {text:?}: value out of range"))
}

/// The words of the panic that Helm recovers from.
fn conversion(value: &Value, want: &str) -> String {
    let kind = match value {
        Value::Null => return format!("unable to parse key: interface conversion: interface {{}} is nil, not {want}"),
        Value::Bool(_) => "bool",
        Value::Number(Number::Int(_)) => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    };
    format!("unable to parse key: interface conversion: interface {{}} is {kind}, not {want}")
}

fn typed(text: String) -> Value {
    if text.eq_ignore_ascii_case("true") {
        return Value::Bool(true);
    }
    if text.eq_ignore_ascii_case("false") {
        return Value::Bool(false);
    }
    if text.eq_ignore_ascii_case("null") {
        return Value::Null;
    }
    if text == "0" {
        return Value::from(0_i64);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(&text);
    let is_number = !text.starts_with('0') && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    match text.parse::<i64>() {
        Ok(number) if is_number => Value::from(number),
        Ok(_) | Err(_) => Value::String(text),
    }
}

/// Where the first JSON value of `text` ends, so far as it has the shape of one.
fn json_end(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut escaped = false;
    let word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    for (at, byte) in text.bytes().enumerate() {
        if in_text {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    in_text = false;
                    if depth == 0 {
                        return at + 1;
                    }
                }
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' if at == 0 || depth > 0 => in_text = true,
            b'{' | b'[' if at == 0 || depth > 0 => depth += 1,
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ if depth > 0 || word(byte) => {}
            _ => return at,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let mut map = Map::new();
        let shown = match parse(text, &mut map, &mut Style::Typed) {
            Ok(()) => json::to_canonical(&Value::Object(map)),
            Err(reason) => reason,
        };
        assert_eq!(shown, expect, "{text}");
    }

    #[test]
    fn names_lists_and_values_are_read() {
        check(
            "a=1,b=two,c=true,d=null,e=007,f=-3,g=1.5",
            r#"{"a":1,"b":"two","c":true,"d":null,"e":"007","f":-3,"g":"1.5"}"#,
        );
        check("a.b.c=1,a.b.d=2", r#"{"a":{"b":{"c":1,"d":2}}}"#);
        check("a={1,x},b={}", r#"{"a":[1,"x"],"b":[""]}"#);
        check("a[0]=1,a[2]=3", r#"{"a":[1,null,3]}"#);
        check("a[0].b=1,a[0].c=2", r#"{"a":[{"b":1,"c":2}]}"#);
        check("a[0][1]=x", r#"{"a":[[null,"x"]]}"#);
        check(r"a\.b=1\,2", r#"{"a.b":"1,2"}"#);
        check("a=,b=1", r#"{"a":"","b":1}"#);
        check("a=", r#"{"a":""}"#);
        check("", "{}");
    }

    #[test]
    fn what_is_malformed_is_refused() {
        check("a", "key \"a\" has no value");
        check("a,b=1", "key \"a\" has no value (cannot end with ,)");
        check("a={1", "list must terminate with '}'");
        check(
            "a[x]=1",
            "error parsing index: strconv.Atoi: parsing \"x\": invalid syntax",
        );
        check("a[-1]=1", "negative -1 index not allowed");
        check(
            "a[65537]=1",
            "index of 65537 is greater than maximum supported index of 65536",
        );
        check("a[0]x=1", "unexpected data at end of array index: ['x']");
        check(
            "a=1,a.b=2",
            "unable to parse key: interface conversion: interface {} is int64, not map[string]interface {}",
        );
        check(
            &format!("{}=1", ["a"; 32].join(".")),
            "value name nested level is greater than maximum supported nested level of 30",
        );
    }
}
