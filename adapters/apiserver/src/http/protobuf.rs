//! Bodies in the binary format, which kubectl's typed commands send: read into JSON by the numbers in the type table.

use serde_json::{Map, Value, json};

use crate::types::{Field, Scalar, Type, View};
use crate::validate::builtin::encode_base64;

/// What each body starts with.
const MAGIC: &[u8] = b"k8s\0";

/// Deeper messages are refused.
const MAX_DEPTH: usize = 64;

/// Why a body was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WireError {
    #[error("the body does not start as a message does")]
    Magic,
    #[error("a message ends early")]
    Truncated,
    #[error("a field has an unknown wire type")]
    WireType,
    #[error("messages are nested deeper than {MAX_DEPTH}")]
    Depth,
    #[error("a string is not UTF-8")]
    Text,
    #[error("a field has another type than its number says")]
    Mismatch,
}

/// One field of a message.
#[derive(Debug, Clone, Copy)]
enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// Reads an object; `ty` is the type that the path names.
pub(crate) fn parse(bytes: &[u8], ty: &Type) -> Result<Value, WireError> {
    let body = bytes.strip_prefix(MAGIC).ok_or(WireError::Magic)?;
    let (mut version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    for field in fields(body) {
        match field? {
            (1, Wire::Bytes(meta)) => {
                for field in fields(meta) {
                    match field? {
                        (1, Wire::Bytes(name)) => version = text(name)?,
                        (2, Wire::Bytes(name)) => kind = text(name)?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let mut object = message(ty, raw, 0)?;
    object["apiVersion"] = json!(version);
    object["kind"] = json!(kind);
    Ok(object)
}

fn text(bytes: &[u8]) -> Result<String, WireError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| WireError::Text)
}

fn varint(bytes: &mut &[u8]) -> Result<u64, WireError> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().ok_or(WireError::Truncated)?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(WireError::Truncated)
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], WireError> {
    let (head, rest) = bytes.split_at_checked(count).ok_or(WireError::Truncated)?;
    *bytes = rest;
    Ok(head)
}

/// The fields of a message, by number, in order.
fn fields(mut bytes: &[u8]) -> impl Iterator<Item = Result<(u32, Wire<'_>), WireError>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let field = one(&mut bytes);
        if field.is_err() {
            bytes = &[];
        }
        Some(field)
    })
}

fn one<'a>(bytes: &mut &'a [u8]) -> Result<(u32, Wire<'a>), WireError> {
    let tag = varint(bytes)?;
    let number = u32::try_from(tag >> 3).map_err(|_| WireError::WireType)?;
    let value = match tag & 7 {
        0 => Wire::Number(varint(bytes)?),
        1 => Wire::Number(little_endian(take(bytes, 8)?)),
        2 => {
            let length = usize::try_from(varint(bytes)?).map_err(|_| WireError::Truncated)?;
            Wire::Bytes(take(bytes, length)?)
        }
        5 => Wire::Number(little_endian(take(bytes, 4)?)),
        _ => return Err(WireError::WireType),
    };
    Ok((number, value))
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, byte| (value << 8) | u64::from(*byte))
}

fn message(ty: &Type, bytes: &[u8], depth: usize) -> Result<Value, WireError> {
    if depth > MAX_DEPTH {
        return Err(WireError::Depth);
    }
    let mut out = Map::new();
    if let View::Map(map) = ty.view(None)
        && let Some(known) = map.fields
    {
        let known: Vec<(&str, &Field)> = known.iter().map(|(name, field)| (name.as_str(), field)).collect();
        fill(&mut out, &known, &[], bytes, depth)?;
    }
    Ok(Value::Object(out))
}

/// Reads a message into `out`; structs that JSON inlines are messages of their own here, found by their path.
fn fill(
    out: &mut Map<String, Value>,
    known: &[(&str, &Field)],
    prefix: &[u32],
    bytes: &[u8],
    depth: usize,
) -> Result<(), WireError> {
    if depth > MAX_DEPTH {
        return Err(WireError::Depth);
    }
    for field in fields(bytes) {
        let (number, wire) = field?;
        let path = [prefix, &[number]].concat();
        if let Some((name, field)) = known.iter().find(|(_, field)| field.wire == path) {
            add(out, name, &field.ty, wire, depth)?;
        } else if let Wire::Bytes(inner) = wire
            && known.iter().any(|(_, field)| field.wire.starts_with(&path))
        {
            fill(out, known, &path, inner, depth + 1)?;
        }
    }
    Ok(())
}

fn add(out: &mut Map<String, Value>, name: &str, ty: &Type, wire: Wire<'_>, depth: usize) -> Result<(), WireError> {
    match ty {
        Type::List { element, .. } => {
            let value = value_of(element, wire, depth)?;
            let list = out.entry(name.to_owned()).or_insert_with(|| json!([]));
            list.as_array_mut().ok_or(WireError::Mismatch)?.push(value);
        }
        Type::Map { element, .. } => {
            let Wire::Bytes(entry) = wire else {
                return Err(WireError::Mismatch);
            };
            let (mut key, mut value) = (String::new(), json!(""));
            for field in fields(entry) {
                match field? {
                    (1, Wire::Bytes(bytes)) => key = text(bytes)?,
                    (2, wire) => value = value_of(element, wire, depth)?,
                    _ => {}
                }
            }
            let map = out.entry(name.to_owned()).or_insert_with(|| json!({}));
            map.as_object_mut().ok_or(WireError::Mismatch)?.insert(key, value);
        }
        Type::Scalar(_) | Type::Any { .. } | Type::Struct(_) | Type::Named { .. } => {
            let value = value_of(ty, wire, depth)?;
            if !value.is_null() {
                out.insert(name.to_owned(), value);
            }
        }
    }
    Ok(())
}

fn value_of(ty: &Type, wire: Wire<'_>, depth: usize) -> Result<Value, WireError> {
    match (ty, wire) {
        (Type::Scalar(scalar), wire) => scalar_of(*scalar, wire),
        (Type::Any { .. }, Wire::Bytes(bytes)) => raw(bytes),
        (Type::Struct(_) | Type::Named { .. }, Wire::Bytes(bytes)) => message(ty, bytes, depth + 1),
        (Type::List { .. } | Type::Map { .. }, _) | (_, Wire::Number(_)) => Err(WireError::Mismatch),
    }
}

/// Free-form values are JSON text in a message of one field.
fn raw(bytes: &[u8]) -> Result<Value, WireError> {
    for field in fields(bytes) {
        if let (1, Wire::Bytes(text)) = field? {
            return serde_json::from_slice(text).map_err(|_| WireError::Mismatch);
        }
    }
    Ok(Value::Null)
}

fn scalar_of(scalar: Scalar, wire: Wire<'_>) -> Result<Value, WireError> {
    let value = match (scalar, wire) {
        (Scalar::String | Scalar::Untyped, Wire::Bytes(bytes)) => json!(text(bytes)?),
        (Scalar::Bytes, Wire::Bytes(bytes)) => json!(encode_base64(bytes)),
        (Scalar::Bool, Wire::Number(number)) => json!(number != 0),
        (Scalar::Int32 | Scalar::Int64, Wire::Number(number)) => json!(number.cast_signed()),
        (Scalar::Number, Wire::Number(number)) => json!(f64::from_bits(number)),
        (Scalar::Quantity, Wire::Bytes(bytes)) => parts(bytes)?.1,
        (Scalar::IntOrString, Wire::Bytes(bytes)) => int_or_string(bytes)?,
        (Scalar::Time, Wire::Bytes(bytes)) => time(bytes)?,
        (_, Wire::Bytes(_) | Wire::Number(_)) => return Err(WireError::Mismatch),
    };
    Ok(value)
}

/// The numbers in fields 1 and 2, and the text in field 1.
fn parts(bytes: &[u8]) -> Result<((i64, i64), Value), WireError> {
    let (mut numbers, mut string) = ((0, 0), Value::Null);
    for field in fields(bytes) {
        match field? {
            (1, Wire::Number(number)) => numbers.0 = number.cast_signed(),
            (2, Wire::Number(number)) => numbers.1 = number.cast_signed(),
            (1, Wire::Bytes(bytes)) => string = json!(text(bytes)?),
            _ => {}
        }
    }
    Ok((numbers, string))
}

fn int_or_string(bytes: &[u8]) -> Result<Value, WireError> {
    let (mut is_text, mut number, mut string) = (false, 0, String::new());
    for field in fields(bytes) {
        match field? {
            (1, Wire::Number(kind)) => is_text = kind == 1,
            (2, Wire::Number(value)) => number = value.cast_signed(),
            (3, Wire::Bytes(bytes)) => string = text(bytes)?,
            _ => {}
        }
    }
    Ok(if is_text { json!(string) } else { json!(number) })
}

/// A time; none when nothing is set. Times with a fraction have six digits, as `MicroTime` has.
fn time(bytes: &[u8]) -> Result<Value, WireError> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let ((seconds, nanos), _) = parts(bytes)?;
    let nanos = i32::try_from(nanos).map_err(|_| WireError::Mismatch)?;
    let time = jiff::Timestamp::new(seconds, nanos).map_err(|_| WireError::Mismatch)?;
    Ok(json!(if nanos == 0 {
        time.to_string()
    } else {
        format!("{time:.6}")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::builtin::named;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat()
    }

    fn object(kind: &str, raw: &[u8]) -> Vec<u8> {
        let meta = [field(1, b"v1"), field(2, kind.as_bytes())].concat();
        [MAGIC, &field(1, &meta), &field(2, raw)].concat()
    }

    #[test]
    fn a_config_map_is_read() {
        let raw = [
            field(1, &field(1, b"one")),
            field(2, &[field(1, b"a"), field(2, b"1")].concat()),
        ]
        .concat();
        let value = parse(&object("ConfigMap", &raw), &named("ConfigMap")).unwrap();
        let expect = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": {"a": "1"}});
        assert_eq!(value, expect);
    }

    #[test]
    fn structs_that_json_inlines_are_found() {
        // A volume's source is a message of its own: volume.volumeSource.secret.secretName.
        let volume = [field(1, b"v"), field(2, &field(6, &field(1, b"s")))].concat();
        let raw = field(2, &field(1, &volume));
        let value = parse(&object("Pod", &raw), &named("Pod")).unwrap();
        assert_eq!(
            value["spec"]["volumes"],
            json!([{"name": "v", "secret": {"secretName": "s"}}])
        );
    }

    #[test]
    fn broken_messages_are_refused() {
        let ty = named("Pod");
        for (bytes, expect) in [
            (b"{}".to_vec(), WireError::Magic),
            (b"k8s\0\x0a\xff".to_vec(), WireError::Truncated),
            (b"k8s\0\x0b".to_vec(), WireError::WireType),
            (object("Pod", &field(1, &field(1, b"\xff"))), WireError::Text),
            (object("Pod", &[0x08, 0x01]), WireError::Mismatch),
        ] {
            assert_eq!(parse(&bytes, &ty).unwrap_err(), expect);
        }
    }
}
