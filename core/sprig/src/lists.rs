//! Lists. Every function makes a new one, or a view of one.

use alloc::string::ToString as _;
use alloc::vec::Vec;

use convoy_template::value::{Elem, ListRef, Type, kind_of};
use convoy_template::{CallError, Context, Function, Functions, Rest, Str, Value};

use crate::coerce::{elements, list, list_or, text_of, texts, to_int};
use crate::defaults::is_empty;
use crate::equal::deep_equal;

type Result<T> = core::result::Result<T, CallError>;

pub(crate) fn register(functions: &mut Functions) {
    for name in ["list", "tuple"] {
        functions.insert(Function::over(
            name,
            alloc::vec![Type::Any],
            true,
            |context: &mut Context, items: &mut [Value]| {
                let items = items.iter_mut().map(core::mem::take).collect();
                list(context, items)
            },
        ));
    }
    for name in ["append", "push", "mustAppend", "mustPush"] {
        functions.add(name, append);
    }
    for (names, function) in [
        (
            ["first", "mustFirst"],
            first as fn(&mut Context, Value) -> Result<Value>,
        ),
        (["last", "mustLast"], last),
        (["rest", "mustRest"], rest),
        (["initial", "mustInitial"], initial),
        (["reverse", "mustReverse"], reverse),
        (["compact", "mustCompact"], compact),
        (["uniq", "mustUniq"], uniq),
    ] {
        for name in names {
            functions.add(name, function);
        }
    }
    for prefix in ["", "must"] {
        let named = |name: &str| {
            let (head, tail) = name.split_at(1);
            if prefix.is_empty() {
                name.to_string()
            } else {
                alloc::format!("must{}{tail}", head.to_uppercase())
            }
        };
        functions.add(&named("prepend"), prepend);
        functions.add(&named("chunk"), chunk);
        functions.add(&named("without"), without);
        functions.add(&named("has"), has);
        functions.add(&named("slice"), slice);
    }
    functions.add("concat", concat).add("sortAlpha", sort_alpha);
}

/// Appending to a list of anything shares its elements.
fn append(context: &mut Context, value: Value, item: Value) -> Result<Value> {
    if let Value::List(items) = value
        && context.heap().list_elem(items) == Elem::Any
    {
        return Ok(Value::List(context.heap_mut().append(items, item)?));
    }
    let mut items = list_or(context, &value, "Cannot push on type")?;
    items.push(item);
    Ok(Value::List(list(context, items)?))
}

fn prepend(context: &mut Context, value: Value, item: Value) -> Result<ListRef> {
    let mut items = list_or(context, &value, "Cannot prepend on type")?;
    items.insert(0, item);
    list(context, items)
}

fn first(context: &mut Context, value: Value) -> Result<Value> {
    Ok(list_or(context, &value, "Cannot find first on type")?
        .into_iter()
        .next()
        .unwrap_or_default())
}

fn last(context: &mut Context, value: Value) -> Result<Value> {
    Ok(list_or(context, &value, "Cannot find last on type")?
        .pop()
        .unwrap_or_default())
}

/// What Go returns for an empty list: a nil one.
fn nil_list(context: &mut Context) -> Result<Value> {
    Ok(Value::List(context.heap_mut().nil_list(Elem::Any)?))
}

/// A part of a list; shared if it is a list of anything.
fn part(context: &mut Context, value: &Value, items: &[Value], start: usize, end: usize) -> Result<Value> {
    if let Value::List(whole) = value
        && context.heap().list_elem(*whole) == Elem::Any
        && let Some(part) = context.heap().slice(*whole, start, end)
    {
        return Ok(Value::List(part));
    }
    let items = items.get(start..end).unwrap_or(&[]).to_vec();
    Ok(Value::List(list(context, items)?))
}

fn rest(context: &mut Context, value: Value) -> Result<Value> {
    let items = list_or(context, &value, "Cannot find rest on type")?;
    if items.is_empty() {
        return nil_list(context);
    }
    part(context, &value, &items, 1, items.len())
}

fn initial(context: &mut Context, value: Value) -> Result<Value> {
    let items = list_or(context, &value, "Cannot find initial on type")?;
    if items.is_empty() {
        return nil_list(context);
    }
    part(context, &value, &items, 0, items.len() - 1)
}

fn reverse(context: &mut Context, value: Value) -> Result<Value> {
    let mut items = list_or(context, &value, "Cannot find reverse on type")?;
    items.reverse();
    Ok(Value::List(list(context, items)?))
}

fn compact(context: &mut Context, value: Value) -> Result<Value> {
    let mut items = list_or(context, &value, "Cannot compact on type")?;
    items.retain(|item| !is_empty(context.heap(), item));
    Ok(Value::List(list(context, items)?))
}

/// Whether `needle` is among `items`.
fn contains(context: &mut Context, items: &[Value], needle: &Value) -> Result<bool> {
    context.spend(items.len() as u64 / 4)?;
    for item in items {
        if deep_equal(context, needle, item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn uniq(context: &mut Context, value: Value) -> Result<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for item in list_or(context, &value, "Cannot find uniq on type")? {
        if !contains(context, &kept, &item)? {
            kept.push(item);
        }
    }
    Ok(Value::List(list(context, kept)?))
}

fn without(context: &mut Context, value: Value, Rest(omitted): Rest<Value>) -> Result<ListRef> {
    let mut kept = Vec::new();
    for item in list_or(context, &value, "Cannot find without on type")? {
        if !contains(context, &omitted, &item)? {
            kept.push(item);
        }
    }
    list(context, kept)
}

fn has(context: &mut Context, needle: Value, haystack: Value) -> Result<bool> {
    if haystack.is_nil() {
        return Ok(false);
    }
    let items = list_or(context, &haystack, "Cannot find has on type")?;
    contains(context, &items, &needle)
}

fn slice(context: &mut Context, value: Value, Rest(indices): Rest<Value>) -> Result<Value> {
    let items = list_or(context, &value, "list should be type of slice or array but")?;
    if items.is_empty() {
        return Ok(Value::Nil);
    }
    let start = indices.first().map_or(0, to_int);
    let end = indices
        .get(1)
        .map_or(i64::try_from(items.len()).unwrap_or(i64::MAX), to_int);
    let bounds = (usize::try_from(start).ok(), usize::try_from(end).ok());
    let (Some(start), Some(end)) = bounds else {
        return Err(OUT_OF_BOUNDS.into());
    };
    if start > end || end > items.len() {
        return Err(OUT_OF_BOUNDS.into());
    }
    match &value {
        Value::List(whole) => Ok(context.heap().slice(*whole, start, end).map_or(Value::Nil, Value::List)),
        Value::Bytes(bytes) => Ok(Value::Bytes(bytes.get(start..end).unwrap_or(&[]).into())),
        _ => Ok(Value::Nil),
    }
}

const OUT_OF_BOUNDS: &str = "reflect.Value.Slice: slice index out of bounds";

/// A `[][]interface {}`; Go's arithmetic decides what odd sizes give.
fn chunk(context: &mut Context, size: isize, value: Value) -> Result<ListRef> {
    let items = list_or(context, &value, "Cannot chunk type")?;
    let Some(size) = usize::try_from(size).ok().filter(|size| *size > 0) else {
        // A negative size gives no chunk, if the list is not so long that Go would make fewer than none.
        let few = items
            .len()
            .checked_sub(1)
            .is_some_and(|last| last <= size.unsigned_abs() && (last > 0 && size < 0));
        if few {
            return Ok(context.heap_mut().list_of(Elem::List, Vec::new())?);
        }
        return Err("runtime error: makeslice: len out of range".into());
    };
    let mut chunks = Vec::new();
    for part in items.chunks(size) {
        chunks.push(Value::List(list(context, part.to_vec())?));
    }
    Ok(context.heap_mut().list_of(Elem::List, chunks)?)
}

fn concat(context: &mut Context, Rest(lists): Rest<Value>) -> Result<Value> {
    let mut items = Vec::new();
    for value in &lists {
        if value.is_nil() {
            return Err(crate::NIL_DEREFERENCE.into());
        }
        let Some(more) = elements(context, value) else {
            return Err(alloc::format!("Cannot concat type {} as list", kind_of(value)).into());
        };
        // A list that grows has room for as many again.
        context.heap().afford_list(2 * (items.len() + more.len()))?;
        items.extend(more);
    }
    if items.is_empty() {
        return nil_list(context);
    }
    Ok(Value::List(list(context, items)?))
}

fn sort_alpha(context: &mut Context, value: Value) -> Result<ListRef> {
    let mut sorted: Vec<Str> = if elements(context, &value).is_some() {
        texts(context, &value)?
    } else {
        alloc::vec![text_of(context, &value)?]
    };
    context.heap().afford_list(sorted.len())?;
    context.spend(sorted.len() as u64)?;
    sorted.sort();
    Ok(context.heap_mut().strings(sorted)?)
}
