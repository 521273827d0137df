//! Text in and out: no text makes a reader panic or run away, and what is written reads back as the same value.

use convoy_value::{Limits, Value, json, patch, yaml};

/// Small limits, so that the fuzzer meets them.
const LIMITS: Limits = Limits {
    bytes: 1 << 16,
    depth: 60,
    alias_bytes: 1 << 16,
    documents: 20,
};

/// The Helm reader: any bytes, all of its entrances.
pub fn yaml_helm(data: &[u8]) {
    if let Ok(value) = yaml::helm::parse(data, &LIMITS) {
        check_value(&value);
    }
    if let Ok(value) = yaml::helm::parse_values(data, &LIMITS) {
        check_value(&value);
        // Whatever it is, it is the same value when integers are kept.
        assert!(yaml::helm::parse(data, &LIMITS).is_ok(), "{value:?}");
    }
    let _ = yaml::helm::parse_strict(data, &LIMITS);
    let _ = yaml::helm::parse_values_documents(data, &LIMITS);
    if let Ok(documents) = yaml::helm::parse_documents(data, &LIMITS) {
        let lines: Vec<usize> = documents.iter().map(|document| document.line).collect();
        assert!(lines.is_sorted(), "{lines:?}");
    }
}

/// The Kustomize reader.
pub fn yaml_kustomize(data: &[u8]) {
    if let Ok(value) = yaml::kustomize::parse(data, &LIMITS) {
        check_value(&value);
    }
    let _ = yaml::kustomize::parse_documents(data, &LIMITS);
}

/// The JSON reader and canonical JSON.
pub fn json(data: &[u8]) {
    let Ok(value) = json::parse(data, &LIMITS) else { return };
    check_value(&value);
    // JSON that YAML takes too means the same there.
    if let Ok(same) = yaml::helm::parse(data, &LIMITS)
        && let Ok(text) = str::from_utf8(data)
        && text.bytes().all(|byte| (b' '..0x7F).contains(&byte))
        && !text.contains(['\\', '#'])
    {
        assert_eq!(json::to_canonical(&same), json::to_canonical(&value));
    }
}

/// Patches: `{"document": …, "patch": …}`.
pub fn json_patch(data: &[u8]) {
    let Ok(question) = json::parse(data, &LIMITS) else {
        return;
    };
    let part = |name| question.get(name).cloned().unwrap_or_default();
    let (document, change) = (part("document"), part("patch"));
    if let Ok(value) = patch::apply(&document, &change, &LIMITS) {
        check_value(&value);
    }
    if let Ok(value) = patch::merge(&document, &change, &LIMITS) {
        check_value(&value);
    }
}

/// A value made of the bytes, written and read by every pair of writer and reader.
pub fn yaml_roundtrip(data: &[u8]) {
    let value = Maker { data }.value(4);
    check_value(&value);
    // Where Go's text keeps the value, it is the same text.
    if let Ok(go) = yaml::marshal(&value)
        && yaml::helm::parse(&go, &LIMITS.large())
            .is_ok_and(|read| json::to_canonical(&read) == json::to_canonical(&value))
    {
        assert_eq!(go, yaml::to_string(&value));
    }
}

/// What holds for every value that a reader gives.
fn check_value(value: &Value) {
    assert!(value.is_finite());
    let canonical = json::to_canonical(value);
    let again = json::parse(&canonical, &LIMITS.large()).expect("canonical JSON is JSON");
    // The JSON reader takes `-0` for an integer, as Go does.
    assert_eq!(json::to_canonical(&again), without_sign_of_zero(&canonical));
    let text = yaml::to_string(value);
    let read = yaml::helm::parse(&text, &LIMITS.large()).expect("what is written can be read");
    assert_eq!(json::to_canonical(&read), canonical, "{text}");
}

/// Canonical JSON with `0` for the number `-0`.
fn without_sign_of_zero(canonical: &str) -> String {
    let mut out = String::with_capacity(canonical.len());
    let mut in_string = false;
    let mut escaped = false;
    for c in canonical.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else {
            in_string = c == '"';
            if matches!(c, ',' | ']' | '}') && ends_in_negative_zero(&out) {
                out.truncate(out.len() - 2);
                out.push('0');
            }
        }
        out.push(c);
    }
    if !in_string && ends_in_negative_zero(&out) {
        out.truncate(out.len() - 2);
        out.push('0');
    }
    out
}

fn ends_in_negative_zero(text: &str) -> bool {
    text.strip_suffix("-0")
        .is_some_and(|head| head.is_empty() || head.ends_with([',', ':', '[']))
}

trait Large {
    fn large(&self) -> Limits;
}

impl Large for Limits {
    fn large(&self) -> Limits {
        Limits {
            bytes: 1 << 30,
            depth: 100,
            ..*self
        }
    }
}

/// Makes a value of bytes: each decides what comes next.
struct Maker<'a> {
    data: &'a [u8],
}

impl Maker<'_> {
    fn byte(&mut self) -> u8 {
        match self.data.split_first() {
            Some((first, rest)) => {
                self.data = rest;
                *first
            }
            None => 0,
        }
    }

    fn eight(&mut self) -> [u8; 8] {
        core::array::from_fn(|_| self.byte())
    }

    fn string(&mut self) -> String {
        let length = usize::from(self.byte() % 24).min(self.data.len());
        let (text, rest) = self.data.split_at(length);
        self.data = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.byte() % if depth == 0 { 6 } else { 9 } {
            0 => Value::Null,
            1 => Value::Bool(self.byte().is_multiple_of(2)),
            2 => Value::from(i64::from_le_bytes(self.eight())),
            3 => Some(f64::from_le_bytes(self.eight()))
                .filter(|f| f.is_finite())
                .map_or(Value::Null, Value::from),
            4 | 5 => Value::from(self.string()),
            6 => (0..self.byte() % 5)
                .map(|_| self.value(depth - 1))
                .collect::<Vec<_>>()
                .into(),
            _ => {
                let entries = (0..self.byte() % 5).map(|_| (self.string(), self.value(depth - 1)));
                entries
                    .collect::<Vec<_>>()
                    .into_iter()
                    .collect::<convoy_value::Map>()
                    .into()
            }
        }
    }
}
