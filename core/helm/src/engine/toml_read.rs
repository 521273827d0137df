//! `fromToml`: a reader of TOML 1.0.
//!
//! Dates and times are Go's times; one without an offset is in a zone that is named after what it lacks.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the types of its operands are the signature of a function"
)]

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_template::value::{Heap, Time, Zone};
use convoy_template::{CallError, Context, Limit, Str, Value as Dynamic};

/// Values within values.
const DEPTH: usize = 100;

/// What is read.
#[derive(Debug)]
enum Value {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Time(Time),
    List(Vec<Value>),
    Table(Table),
}

type Table = BTreeMap<String, Value>;

impl Value {
    fn into_dynamic(self, heap: &mut Heap) -> Result<Dynamic, Limit> {
        Ok(match self {
            Self::Bool(b) => Dynamic::Bool(b),
            Self::Int(i) => Dynamic::int64(i),
            Self::Float(f) => Dynamic::Float(f),
            Self::Text(text) => {
                heap.charge(text.len())?;
                Dynamic::string(text)
            }
            Self::Time(time) => Dynamic::from(time),
            Self::List(items) => {
                let items: Result<Vec<_>, _> = items.into_iter().map(|item| item.into_dynamic(heap)).collect();
                Dynamic::List(heap.list(items?)?)
            }
            Self::Table(table) => {
                let map = heap.map()?;
                for (key, value) in table {
                    let value = value.into_dynamic(heap)?;
                    heap.insert(map, key, value)?;
                }
                Dynamic::Map(map)
            }
        })
    }
}

/// A map, or one with the reason under `Error`.
pub(super) fn from_toml(context: &mut Context, text: Str) -> Result<Dynamic, CallError> {
    context.afford_text(text.len())?;
    let table = match core::str::from_utf8(&text) {
        Ok(text) => read(text),
        Err(error) => Err(not_utf8(&text, error.valid_up_to())),
    };
    let table = table.unwrap_or_else(|reason| [("Error".into(), Value::Text(reason))].into());
    Ok(Value::Table(table).into_dynamic(context.heap_mut())?)
}

fn not_utf8(text: &[u8], at: usize) -> String {
    let (before, rest) = text.split_at(at);
    let line = before.split(|byte| *byte == b'\n').count();
    let byte = rest.first().copied().unwrap_or_default();
    alloc::format!("toml: line {line}: invalid UTF-8 byte: {byte:#04x}")
}

fn read(text: &str) -> Result<Table, String> {
    let mut reader = Reader {
        text,
        at: 0,
        key: String::new(),
        headers: BTreeSet::new(),
    };
    let mut root = Table::new();
    let mut path: Vec<String> = Vec::new();
    loop {
        reader.skip_lines();
        let Some(c) = reader.peek() else { return Ok(root) };
        if c == '[' {
            path = reader.header(&mut root)?;
        } else {
            let (keys, value) = reader.pair(0)?;
            let table = table(&mut root, &path).map_err(|reason| reader.error(&reason))?;
            insert(table, &keys, value).map_err(|reason| reader.error(&reason))?;
        }
        reader.end_of_line()?;
    }
}

/// The table at `path`; of a list of tables the last.
fn table<'m>(root: &'m mut Table, path: &[String]) -> Result<&'m mut Table, String> {
    let mut map = root;
    for key in path {
        let next = map.entry(key.clone()).or_insert_with(|| Value::Table(Table::new()));
        map = match next {
            Value::Table(map) => map,
            Value::List(items) => match items.last_mut() {
                Some(Value::Table(map)) => map,
                _ => return Err(format!("Key '{key}' has already been defined.")),
            },
            _ => return Err(format!("Key '{key}' has already been defined.")),
        };
    }
    Ok(map)
}

fn insert(map: &mut Table, keys: &[String], value: Value) -> Result<(), String> {
    let Some((last, path)) = keys.split_last() else {
        return Ok(());
    };
    let map = table(map, path)?;
    if map.contains_key(last) {
        return Err(format!("Key '{}' has already been defined.", keys.join(".")));
    }
    map.insert(last.clone(), value);
    Ok(())
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// The last key that was read.
    key: String,
    /// Tables that have a header.
    headers: BTreeSet<Vec<String>>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    fn error(&self, reason: &str) -> String {
        let line = self.text[..self.at].matches('\n').count() + 1;
        format!("toml: line {line}: {reason}")
    }

    fn expected(&self, what: &str) -> String {
        match self.peek() {
            Some(c) => self.error(&format!("expected {what}, but got {c:?} instead")),
            None => self.error(&format!("expected {what}, but got end of file instead")),
        }
    }

    fn skip_blanks(&mut self) {
        while self.take(" ") || self.take("\t") {}
    }

    /// Skips blanks, line breaks and comments.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            if self.peek() == Some('#') {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            }
            if !self.take("\n") && !self.take("\r\n") {
                return;
            }
        }
    }

    fn end_of_line(&mut self) -> Result<(), String> {
        self.skip_blanks();
        match self.peek() {
            None | Some('\n' | '#') => Ok(()),
            Some('\r') if self.rest().starts_with("\r\n") => Ok(()),
            Some(_) => Err(self.expected("a newline")),
        }
    }

    /// A header of a table or of a list of tables.
    fn header(&mut self, root: &mut Table) -> Result<Vec<String>, String> {
        let list = self.take("[[");
        if !list {
            self.take("[");
        }
        let path = self.keys()?;
        if !self.take(if list { "]]" } else { "]" }) {
            return Err(self.expected("']'"));
        }
        if let (true, Some((last, outer))) = (list, path.split_last()) {
            let outer = table(root, outer).map_err(|reason| self.error(&reason))?;
            match outer.entry(last.clone()).or_insert_with(|| Value::List(Vec::new())) {
                Value::List(items) => {
                    items.push(Value::Table(Table::new()));
                    self.headers.retain(|known| !known.starts_with(&path));
                }
                _ => return Err(self.error(&format!("Key '{last}' has already been defined."))),
            }
        } else {
            table(root, &path).map_err(|reason| self.error(&reason))?;
            if !self.headers.insert(path.clone()) {
                return Err(self.error(&format!("Key '{}' has already been defined.", path.join("."))));
            }
        }
        Ok(path)
    }

    fn keys(&mut self) -> Result<Vec<String>, String> {
        let mut keys = Vec::new();
        loop {
            self.skip_blanks();
            keys.push(self.key()?);
            self.skip_blanks();
            if keys.len() > DEPTH {
                return Err(self.error("keys pass the limit of nesting"));
            }
            if !self.take(".") {
                return Ok(keys);
            }
        }
    }

    fn key(&mut self) -> Result<String, String> {
        if let Some('"' | '\'') = self.peek() {
            self.string()
        } else {
            let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let length = self.rest().find(|c| !bare(c)).unwrap_or(self.rest().len());
            if length == 0 {
                return Err(self.expected("a key"));
            }
            let key = self.rest()[..length].to_string();
            self.at += length;
            Ok(key)
        }
    }

    fn pair(&mut self, depth: usize) -> Result<(Vec<String>, Value), String> {
        let keys = self.keys()?;
        if !self.take("=") {
            return Err(self.expected("'='"));
        }
        self.skip_blanks();
        self.key = keys.join(".");
        Ok((keys, self.value(depth)?))
    }

    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEPTH {
            return Err(self.error("values pass the limit of nesting"));
        }
        match self.peek() {
            Some('"' | '\'') => self.string().map(Value::Text),
            Some('[') => self.array(depth),
            Some('{') => self.inline(depth),
            Some(_) => self.scalar(),
            None => Err(self.expected("a value")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, String> {
        self.take("[");
        let mut items = Vec::new();
        loop {
            self.skip_lines();
            if self.take("]") {
                return Ok(Value::List(items));
            }
            items.push(self.value(depth + 1)?);
            self.skip_lines();
            if !self.take(",") && self.peek() != Some(']') {
                return Err(self.expected("a comma (',') or array terminator (']')"));
            }
        }
    }

    fn inline(&mut self, depth: usize) -> Result<Value, String> {
        self.take("{");
        let mut map = Table::new();
        loop {
            self.skip_lines();
            if self.take("}") {
                return Ok(Value::Table(map));
            }
            let (keys, value) = self.pair(depth + 1)?;
            insert(&mut map, &keys, value).map_err(|reason| self.error(&reason))?;
            self.skip_lines();
            if !self.take(",") && self.peek() != Some('}') {
                return Err(self.expected("a comma or an inline table terminator '}'"));
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        for (quote, multi) in [("\"\"\"", true), ("'''", true), ("\"", false), ("'", false)] {
            if self.take(quote) {
                return self.string_until(quote, multi);
            }
        }
        Err(self.expected("a string"))
    }

    fn string_until(&mut self, quote: &str, multi: bool) -> Result<String, String> {
        let escapes = quote.starts_with('"');
        let mut out = String::new();
        if multi && !self.take("\n") {
            self.take("\r\n");
        }
        loop {
            if self.take(quote) {
                // Quotes right before the end belong to the text.
                while multi && self.rest().starts_with(&quote[..1]) {
                    out.push_str(&quote[..1]);
                    self.at += 1;
                }
                return Ok(out);
            }
            match self.next() {
                None => return Err(self.error("unexpected EOF; expected quote")),
                Some('\n') if !multi => return Err(self.error("strings cannot contain newlines")),
                Some('\\') if escapes => self.escape(multi, &mut out)?,
                Some(c) => out.push(c),
            }
        }
    }

    fn escape(&mut self, multi: bool, out: &mut String) -> Result<(), String> {
        let rest = self.rest();
        if multi && rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n') {
            self.at = self.text.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            return Ok(());
        }
        let c = self
            .next()
            .ok_or_else(|| self.error("unexpected EOF; expected quote"))?;
        let plain = match c {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            '"' | '\\' => c,
            'x' | 'u' | 'U' => {
                let length = match c {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let digits = self.rest().get(..length).unwrap_or_default();
                let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                let found = code.ok_or_else(|| self.error("invalid unicode escape"))?;
                self.at += length;
                found
            }
            other => return Err(self.error(&format!("invalid escape character {other:?}"))),
        };
        out.push(plain);
        Ok(())
    }

    fn scalar(&mut self) -> Result<Value, String> {
        let ends = |c: char| matches!(c, ',' | ']' | '}' | '#' | '\n' | '\r' | ' ' | '\t');
        let mut length = self.rest().find(ends).unwrap_or(self.rest().len());
        let is_date = |text: &str| text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
        if self
            .rest()
            .get(..length)
            .is_some_and(|text| text.is_ascii() && is_date(text))
        {
            // A blank may stand between date and time.
            let behind = &self.rest()[length..];
            if behind.starts_with(' ') && behind[1..].starts_with(|c: char| c.is_ascii_digit()) {
                length += 1 + behind[1..].find(ends).unwrap_or(behind.len() - 1);
            }
        }
        let text = self.rest()[..length].to_string();
        if is_time(&text) {
            let time = time(&text).ok_or_else(|| {
                let line = self.text[..self.at].matches('\n').count() + 1;
                format!(
                    "toml: line {line} (last key {:?}): invalid datetime: {text:?}",
                    self.key
                )
            })?;
            self.at += length;
            return Ok(Value::Time(time));
        }
        let value = scalar_value(&text).ok_or_else(|| self.expected("value"))?;
        self.at += length;
        Ok(value)
    }
}

/// Whether a scalar is meant to be a date or a time.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_mark = bytes.get(4) == Some(&b'-') || bytes.get(2) == Some(&b':');
    text.len() >= 5 && text.is_ascii() && has_mark && bytes[0].is_ascii_digit() && !text.contains(['e', 'E', '_'])
}

/// A date, a time of day or both, with an offset or in a zone that says what is local.
fn time(text: &str) -> Option<Time> {
    let text = text.replacen([' ', 't'], "T", 1).replace('z', "Z");
    for layout in ["2006-01-02T15:04:05Z07:00", "2006-01-02T15:04Z07:00"] {
        if let Ok(time) = Time::parse(layout, &text) {
            return Some(time);
        }
    }
    for (layout, zone) in [
        ("2006-01-02T15:04:05", "datetime-local"),
        ("2006-01-02T15:04", "datetime-local"),
        ("2006-01-02", "date-local"),
        ("15:04:05", "time-local"),
        ("15:04", "time-local"),
    ] {
        if let Ok(time) = Time::parse(layout, &text) {
            let zone = Zone {
                name: zone.into(),
                offset: 0,
            };
            return Some(time.in_zone(zone));
        }
    }
    None
}

fn scalar_value(text: &str) -> Option<Value> {
    match text {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        "inf" | "+inf" => return Some(Value::Float(f64::INFINITY)),
        "-inf" => return Some(Value::Float(f64::NEG_INFINITY)),
        "nan" | "+nan" | "-nan" => return Some(Value::Float(f64::NAN)),
        _ => {}
    }
    if text.starts_with('_') || text.ends_with('_') || text.contains("__") {
        return None;
    }
    let digits = text.replace('_', "");
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = digits.strip_prefix(prefix) {
            return i64::from_str_radix(digits, radix).ok().map(Value::Int);
        }
    }
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(&digits);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if unsigned.len() > 1 && unsigned.starts_with('0') && unsigned.as_bytes()[1].is_ascii_digit() {
        return None;
    }
    if unsigned.bytes().all(|b| b.is_ascii_digit()) {
        return digits.parse::<i64>().ok().map(Value::Int);
    }
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    let around_dot = unsigned
        .split('.')
        .all(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    (digits.chars().all(plain) && around_dot)
        .then(|| digits.parse::<f64>().ok().map(Value::Float))
        .flatten()
}

#[cfg(test)]
mod tests {
    use convoy_value::json;

    use super::*;

    fn shown(table: Table) -> String {
        let mut heap = Heap::default();
        let value = Value::Table(table).into_dynamic(&mut heap).unwrap();
        json::to_canonical(&heap.export(&value).unwrap())
    }

    #[test]
    fn toml_becomes_maps() {
        let check = |text: &str, expect: &str| {
            let got = read(text).map_or_else(|reason| reason, shown);
            assert_eq!(got, expect, "{text}");
        };
        check(
            "a = 1\nb.c = 'x' # no\n[d]\ne = [1, 2.5,\n]\n",
            r#"{"a":1,"b":{"c":"x"},"d":{"e":[1,2.5]}}"#,
        );
        check(
            "[[l]]\na=true\n[[l]]\n[l.m]\nx={y=\"\\u0041\"}",
            r#"{"l":[{"a":true},{"m":{"x":{"y":"A"}}}]}"#,
        );
        check("a = \"\"\"\nx\\\n  y\"\"\"", r#"{"a":"xy"}"#);
        check("d = 2020-01-02 03:04:05Z", r#"{"d":"2020-01-02T03:04:05Z"}"#);
        check(
            "d = 2020-01-02\ne = 03:04:05.5\nf = 2020-01-02t03:04:05z\n",
            r#"{"d":"2020-01-02T00:00:00Z","e":"0000-01-01T03:04:05.5Z","f":"2020-01-02T03:04:05Z"}"#,
        );
        check(
            "d = 2020-02-30",
            r#"toml: line 1 (last key "d"): invalid datetime: "2020-02-30""#,
        );
        check("[a]\nx = 1\n[a]", "toml: line 3: Key 'a' has already been defined.");
        check("[[l]]\n[l.x]\n[[l]]\n[l.x]", r#"{"l":[{"x":{}},{"x":{}}]}"#);
        check("a = 1\na = 2", "toml: line 2: Key 'a' has already been defined.");
        check("a", "toml: line 1: expected '=', but got end of file instead");
        assert!(read(&"a=[".repeat(5_000)).is_err());
    }
}
