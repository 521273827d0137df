//! A case through our engine.

use std::sync::Arc;

use convoy_sprig::{Draw, Entropy, Randomness};
use convoy_template::value::{Base, Elem, Heap, Time};
use convoy_template::{Context, Functions, Limits, MissingKey, TemplateSet, Value};
use serde_json::Value as Json;

use super::{Answer, Case, spec};
use crate::encoding::base64;

/// Seeds that are always the same.
struct Fixed;

impl Entropy for Fixed {
    fn seed(&mut self, draw: &Draw<'_>) -> [u8; 32] {
        [u8::try_from(draw.ordinal % 256).unwrap_or(0); 32]
    }
}

/// Sprig's functions on top of Go's.
#[must_use]
pub fn functions() -> Functions {
    let mut functions = Functions::builtins();
    convoy_sprig::register(&mut functions);
    functions
}

/// The data of all cases, ready to be shared.
///
/// # Panics
/// When the data is no JSON.
#[must_use]
pub fn data() -> (Arc<Base>, Value) {
    let json: Json = serde_json::from_str(spec::DATA).expect("the data is JSON");
    let mut heap = Heap::default();
    let value = import(&mut heap, &json);
    (heap.freeze(), value)
}

fn import(heap: &mut Heap, json: &Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(number) => Value::Float(number.as_f64().expect("a number is a float")),
        Json::String(text) => Value::string(text.as_str()),
        Json::Array(items) => {
            let items = items.iter().map(|item| import(heap, item)).collect();
            Value::List(heap.list(items).expect("it fits"))
        }
        Json::Object(entries) => {
            if let Some(value) = typed(heap, entries) {
                return value;
            }
            let map = heap.map().expect("it fits");
            for (key, value) in entries {
                let value = import(heap, value);
                heap.insert(map, key.as_str(), value).expect("it fits");
            }
            Value::Map(map)
        }
    }
}

/// `{"@int": "3"}` and its kin, as the oracle reads them.
fn typed(heap: &mut Heap, entries: &serde_json::Map<String, Json>) -> Option<Value> {
    let (key, inner) = entries.iter().next().filter(|_| entries.len() == 1)?;
    let text = inner.as_str().unwrap_or("");
    Some(match key.as_str() {
        "@int" => Value::int(text.parse().ok()?),
        "@int64" => Value::int64(text.parse().ok()?),
        "@uint64" => Value::Uint(convoy_template::value::UintKind::Uint64, text.parse().ok()?),
        "@bytes" => Value::Bytes(text.into()),
        "@time" => Value::from(Time::parse("2006-01-02T15:04:05Z07:00", text).ok()?),
        "@duration" => Value::Duration(text.strip_suffix('s')?.parse::<i64>().ok()? * 1_000_000_000),
        "@strings" => {
            let items = inner
                .as_array()?
                .iter()
                .map(|item| Value::string(item.as_str().unwrap_or("")));
            let items = items.collect();
            Value::List(heap.list_of(Elem::String, items).ok()?)
        }
        "@stringmap" => {
            let map = heap.map_of(Elem::String).ok()?;
            for (key, value) in inner.as_object()? {
                heap.insert(map, key.as_str(), Value::string(value.as_str().unwrap_or("")))
                    .ok()?;
            }
            Value::Map(map)
        }
        _ => return None,
    })
}

/// What our engine makes of a case.
#[must_use]
pub fn render(case: &Case, functions: &Functions, base: &Arc<Base>, data: &Value) -> Answer {
    let missing = match case.missing.as_str() {
        "zero" => MissingKey::Zero,
        "error" => MissingKey::Error,
        _ => MissingKey::Default,
    };
    let mut set = TemplateSet::new(functions.clone()).missing_key(missing);
    if let Err(error) = set.parse("x", &case.template) {
        return Answer::Parse(error.to_string());
    }
    let limits = Limits {
        nesting: 2_000,
        templates: 100,
        ..Limits::default()
    };
    let mut context = Context::new(Arc::new(set), base.clone(), limits);
    context.put_state(Randomness::new(Time::unix(1_700_000_000, 0), Fixed));
    match context.execute("x", data.clone()) {
        Ok(text) => Answer::Ok(base64(&text)),
        Err(error) => Answer::Error(error.to_string()),
    }
}
