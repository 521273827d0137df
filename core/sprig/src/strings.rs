//! Strings, byte by byte as Go has them.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_template::value::{Elem, ListRef, MapRef, Type};
use convoy_template::{CallError, Characters, Context, Function, Functions, Str, Value, go_quote};

use crate::coerce::{text_of, texts};

type Result<T> = core::result::Result<T, CallError>;

pub(crate) fn register(functions: &mut Functions) {
    functions
        .add("trim", |_: &mut Context, text: Str| Str::from(trim_space(&text)))
        .add("trimall", trim_all)
        .add("trimAll", trim_all)
        .add("trimSuffix", |_: &mut Context, suffix: Str, text: Str| {
            text.strip_suffix(suffix.as_bytes())
                .map_or_else(|| text.clone(), Str::from)
        })
        .add("trimPrefix", |_: &mut Context, prefix: Str, text: Str| {
            text.strip_prefix(prefix.as_bytes())
                .map_or_else(|| text.clone(), Str::from)
        })
        .add("trunc", trunc)
        .add("substr", substr)
        .add("repeat", repeat)
        .add("contains", |_: &mut Context, part: Str, text: Str| {
            find(&text, &part).is_some()
        })
        .add("hasPrefix", |_: &mut Context, prefix: Str, text: Str| {
            text.starts_with(&prefix)
        })
        .add("hasSuffix", |_: &mut Context, suffix: Str, text: Str| {
            text.ends_with(&suffix)
        })
        .insert(Function::over("quote", alloc::vec![Type::Any], true, quote))
        .insert(Function::over("squote", alloc::vec![Type::Any], true, squote))
        .insert(Function::over("cat", alloc::vec![Type::Any], true, cat))
        .add("indent", |context: &mut Context, spaces: isize, text: Str| {
            indent(context, spaces, &text, "")
        })
        .add("nindent", |context: &mut Context, spaces: isize, text: Str| {
            indent(context, spaces, &text, "\n")
        })
        .add("replace", replace)
        .add(
            "plural",
            |_: &mut Context, one: Str, many: Str, count: isize| if count == 1 { one } else { many },
        )
        .add("toString", |context: &mut Context, value: Value| {
            text_of(context, &value)
        })
        .add("toStrings", |context: &mut Context, value: Value| -> Result<ListRef> {
            let texts = texts(context, &value)?;
            Ok(context.heap_mut().strings(texts)?)
        })
        .add("join", join)
        .add("split", |context: &mut Context, separator: Str, text: Str| {
            split_map(context, &separator, &text, -1)
        })
        .add(
            "splitn",
            |context: &mut Context, separator: Str, count: isize, text: Str| {
                split_map(context, &separator, &text, count)
            },
        )
        .add(
            "splitList",
            |context: &mut Context, separator: Str, text: Str| -> Result<ListRef> {
                afford_parts(context, &text, &separator, -1)?;
                Ok(context.heap_mut().strings(split(&text, &separator, -1))?)
            },
        );
}

/// Without white space at both ends.
fn trim_space(text: &[u8]) -> &[u8] {
    trim(text, char::is_whitespace)
}

/// Without characters for which `cut` holds at both ends.
fn trim(text: &[u8], cut: impl Fn(char) -> bool) -> &[u8] {
    let characters = Characters::new(text);
    let rest = characters.text().trim_start_matches(&cut);
    let start = characters.text().len() - rest.len();
    let end = start + rest.trim_end_matches(&cut).len();
    text.get(characters.place(start)..characters.place(end)).unwrap_or(&[])
}

fn trim_all(_: &mut Context, cut: Str, text: Str) -> Str {
    let cut = cut.to_text();
    trim(&text, |c| cut.contains(c)).into()
}

fn trunc(_: &mut Context, count: isize, text: Str) -> Str {
    if let Ok(count) = usize::try_from(count) {
        return text.get(..count).map_or_else(|| text.clone(), Str::from);
    }
    match text.len().checked_sub(count.unsigned_abs()) {
        Some(start) if start > 0 => text.get(start..).map_or_else(|| text.clone(), Str::from),
        _ => text,
    }
}

fn substr(_: &mut Context, start: isize, end: isize, text: Str) -> Result<Str> {
    let out_of_range =
        |range: String| CallError::new(alloc::format!("runtime error: slice bounds out of range {range}"));
    let len = text.len();
    let (Ok(from), to) = (usize::try_from(start), usize::try_from(end)) else {
        return match usize::try_from(end) {
            Ok(to) if to <= len => Ok(text.get(..to).unwrap_or(&[]).into()),
            Ok(to) => Err(out_of_range(alloc::format!("[:{to}] with length {len}"))),
            Err(_) => Err(out_of_range(alloc::format!("[:{end}]"))),
        };
    };
    let to = match to {
        Ok(to) if to <= len => to,
        _ => {
            let tail = text
                .get(from..)
                .ok_or_else(|| out_of_range(alloc::format!("[{from}:{len}]")))?;
            return Ok(tail.into());
        }
    };
    text.get(from..to)
        .map(Str::from)
        .ok_or_else(|| out_of_range(alloc::format!("[{from}:{to}]")))
}

/// `text` so many times, if that is affordable.
fn repeated(context: &mut Context, text: &[u8], count: isize) -> Result<Vec<u8>> {
    let Ok(count) = usize::try_from(count) else {
        return Err("strings: negative Repeat count".into());
    };
    context.afford_text(text.len().saturating_mul(count))?;
    Ok(text.repeat(count))
}

fn repeat(context: &mut Context, count: isize, text: Str) -> Result<Vec<u8>> {
    repeated(context, &text, count)
}

/// Where `part` is in `text` first.
pub(crate) fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    let first = part.first()?;
    let mut start = 0;
    while let Some(rest) = text.get(start..) {
        let place = rest.iter().position(|byte| byte == first)?;
        if rest.get(place..)?.starts_with(part) {
            return Some(start + place);
        }
        start += place + 1;
    }
    None
}

/// The values that are not nil, written one by one with spaces between.
fn spaced(values: &[Value], mut write: impl FnMut(&Value, &mut Vec<u8>) -> Result<()>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for (place, value) in values.iter().filter(|value| !value.is_nil()).enumerate() {
        if place > 0 {
            out.push(b' ');
        }
        write(value, &mut out)?;
    }
    Ok(out)
}

fn quote(context: &mut Context, values: &mut [Value]) -> Result<Vec<u8>> {
    if let [Value::String(text)] = &*values {
        return Ok(go_quote(text).into_bytes());
    }
    spaced(values, |value, out| {
        out.extend_from_slice(go_quote(&text_of(context, value)?).as_bytes());
        Ok(())
    })
}

fn squote(context: &mut Context, values: &mut [Value]) -> Result<Vec<u8>> {
    spaced(values, |value, out| {
        out.push(b'\'');
        out.extend_from_slice(&printed(context, value)?);
        out.push(b'\'');
        Ok(())
    })
}

fn cat(context: &mut Context, values: &mut [Value]) -> Result<Vec<u8>> {
    spaced(values, |value, out| {
        out.extend_from_slice(&printed(context, value)?);
        Ok(())
    })
}

/// As `%v` prints it.
fn printed(context: &Context, value: &Value) -> Result<Str> {
    match value {
        Value::String(text) => Ok(text.clone()),
        _ => Ok(context.to_text(value)?.into()),
    }
}

fn indent(context: &mut Context, spaces: isize, text: &[u8], before: &str) -> Result<Vec<u8>> {
    let Ok(spaces) = usize::try_from(spaces) else {
        return Err("strings: negative Repeat count".into());
    };
    let lines = text.split(|byte| *byte == b'\n').count();
    context.afford_text(text.len().saturating_add(spaces.saturating_mul(lines)))?;
    let mut out = Vec::with_capacity(before.len() + text.len() + spaces * lines);
    out.extend_from_slice(before.as_bytes());
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        out.resize(out.len() + spaces, b' ');
        out.extend_from_slice(line);
    }
    // An empty last line is indented too.
    if text.last().is_none_or(|byte| *byte == b'\n') {
        out.resize(out.len() + spaces, b' ');
    }
    Ok(out)
}

fn replace(context: &mut Context, old: Str, new: Str, text: Str) -> Result<Vec<u8>> {
    afford_parts(context, &text, &old, -1)?;
    let pieces = if old.is_empty() {
        let mut pieces = alloc::vec![Vec::new()];
        pieces.extend(explode(&text));
        pieces.push(Vec::new());
        // Between, before and after all characters.
        if text.is_empty() {
            pieces = alloc::vec![Vec::new(), Vec::new()];
        }
        pieces
    } else {
        split(&text, &old, -1)
    };
    let separators = pieces.len().saturating_sub(1);
    context.afford_text(text.len().saturating_add(new.len().saturating_mul(separators)))?;
    Ok(pieces.join(new.as_bytes()))
}

fn join(context: &mut Context, separator: Str, value: Value) -> Result<Vec<u8>> {
    let texts = texts(context, &value)?;
    let bytes: usize = texts.iter().map(|text| text.len() + separator.len()).sum();
    context.afford_text(bytes)?;
    Ok(texts
        .iter()
        .map(Str::as_bytes)
        .collect::<Vec<_>>()
        .join(separator.as_bytes()))
}

/// Characters one by one.
fn explode(text: &[u8]) -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for chunk in text.utf8_chunks() {
        out.extend(chunk.valid().chars().map(|c| c.to_string().into_bytes()));
        out.extend(chunk.invalid().iter().map(|byte| alloc::vec![*byte]));
    }
    out
}

/// As `strings.SplitN`: at most `count` parts, all if that is negative.
pub(crate) fn split(text: &[u8], separator: &[u8], count: isize) -> Vec<Vec<u8>> {
    let most = usize::try_from(count).unwrap_or(usize::MAX);
    if most == 0 {
        return Vec::new();
    }
    if separator.is_empty() {
        let mut parts = explode(text);
        if parts.len() > most {
            let rest = parts.split_off(most - 1).concat();
            parts.push(rest);
        }
        return parts;
    }
    let mut parts = Vec::new();
    let mut rest = text;
    while parts.len() + 1 < most {
        let Some(place) = find(rest, separator) else { break };
        parts.push(rest.get(..place).unwrap_or(&[]).to_vec());
        rest = rest.get(place + separator.len()..).unwrap_or(&[]);
    }
    parts.push(rest.to_vec());
    parts
}

/// Refuses to split a text into more parts than there is memory for, before it is split.
fn afford_parts(context: &mut Context, text: &[u8], separator: &[u8], count: isize) -> Result<()> {
    /// A part in its own buffer, and the value that it becomes.
    const PART: usize = 96;
    context.spend(text.len() as u64 / 16)?;
    let (mut parts, mut rest) = (1_usize, text);
    if separator.is_empty() {
        parts = text.len();
    } else {
        while let Some(place) = find(rest, separator) {
            parts += 1;
            rest = rest.get(place + separator.len()..).unwrap_or(&[]);
        }
    }
    let parts = parts.min(usize::try_from(count).unwrap_or(usize::MAX));
    Ok(context.heap().afford(parts.saturating_mul(PART))?)
}

fn split_map(context: &mut Context, separator: &[u8], text: &[u8], count: isize) -> Result<MapRef> {
    afford_parts(context, text, separator, count)?;
    let map = context.heap_mut().map_of(Elem::String)?;
    for (place, part) in split(text, separator, count).into_iter().enumerate() {
        context
            .heap_mut()
            .insert(map, alloc::format!("_{place}"), Value::from(part))?;
    }
    Ok(map)
}
