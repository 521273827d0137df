//! JSON as Go writes and reads it.

use alloc::string::{String, ToString as _};

use convoy_template::value::PlainError;
use convoy_template::{CallError, Context, Functions, Str, Value};
use convoy_value::{Limits, Numbers, json};

type Result<T> = core::result::Result<T, CallError>;

pub(crate) fn register(functions: &mut Functions) {
    functions
        .add("fromJson", |context: &mut Context, text: Str| -> Result<Value> {
            Ok(match from_json(context, &text)? {
                Ok((value, _)) => value,
                Err(_) => Value::Nil,
            })
        })
        .add("mustFromJson", |context: &mut Context, text: Str| -> Result<Value> {
            match from_json(context, &text)? {
                Ok((value, None)) => Ok(value),
                Ok((_, Some(reason))) | Err(reason) => Err(CallError::new(reason)),
            }
        })
        .add("toJson", |context: &mut Context, value: Value| {
            swallow(to_json(context, &value), String::new())
        })
        .add("mustToJson", |context: &mut Context, value: Value| {
            to_json(context, &value)
        })
        .add("toPrettyJson", |context: &mut Context, value: Value| {
            swallow(to_json(context, &value).map(|text| indented(&text)), String::new())
        })
        .add("mustToPrettyJson", |context: &mut Context, value: Value| {
            to_json(context, &value).map(|text| indented(&text))
        });
    for name in ["toRawJson", "mustToRawJson"] {
        functions.add(name, |context: &mut Context, value: Value| {
            to_json(context, &value).map(|text| raw(&text))
        });
    }
}

/// Without its error, but for limits.
fn swallow<T>(result: Result<T>, default: T) -> Result<T> {
    match result {
        Err(error) if error.limit().is_none() => Ok(default),
        other => other,
    }
}

/// What could be read, and why a part of it could not; or why nothing could.
type Read = core::result::Result<(Value, Option<String>), String>;

fn from_json(context: &mut Context, text: &Str) -> Result<Read> {
    context.spend(text.len() as u64 / 16)?;
    let limits = Limits {
        bytes: context.limits().text,
        ..Limits::default()
    };
    Ok(match json::parse_in_part(&text[..], &limits, Numbers::Float) {
        Ok((plain, beyond)) => {
            let beyond = beyond.map(|error| alloc::format!("json: {}", error.message()));
            Ok((context.heap_mut().import(&plain)?, beyond))
        }
        Err(error) => Err(String::from(error.message())),
    })
}

fn to_json(context: &mut Context, value: &Value) -> Result<String> {
    context.json(value).map_err(|error| match error {
        PlainError::Limit(limit) => limit.into(),
        other => CallError::new(other.to_string()),
    })
}

/// With two spaces for each level.
fn indented(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0;
    let mut in_string = false;
    let mut escaped = false;
    let newline = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(core::iter::repeat_n("  ", depth));
    };
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '{' | '[' => {
                out.push(c);
                if matches!(chars.peek(), Some('}' | ']')) {
                    out.extend(chars.next());
                } else {
                    depth += 1;
                    newline(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth -= 1;
                newline(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                newline(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

/// With `<`, `>` and `&` as they are.
fn raw(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find('\\') {
        let (before, from) = rest.split_at(place);
        out.push_str(before);
        let (shown, len) = match from.get(..6) {
            Some("\\u003c") => ("<", 6),
            Some("\\u003e") => (">", 6),
            Some("\\u0026") => ("&", 6),
            _ => (from.get(..2).unwrap_or(from), 2),
        };
        out.push_str(shown);
        rest = from.get(len..).unwrap_or("");
    }
    out.push_str(rest);
    out
}
