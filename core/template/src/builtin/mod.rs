//! Go's built-in functions, and the methods of its types.

mod compare;
mod escape;
mod index;
mod methods;

use alloc::vec::Vec;

pub(crate) use methods::{duration_methods, time_methods};

use crate::exec::{Slot, is_true};
use crate::function::Special;
use crate::value::Type;
use crate::{CallError, Context, Function, Rest, Value, gofmt};

pub use escape::{html_escape, js_escape, query_escape};

/// All of them.
pub(crate) fn functions() -> Vec<Function> {
    alloc::vec![
        Function::reflect("and", 1, true, first).special(Special::And),
        Function::reflect("or", 1, true, first).special(Special::Or),
        Function::reflect("call", 1, true, first).special(Special::Call),
        Function::reflect("index", 1, true, index::index),
        Function::reflect("slice", 1, true, index::slice),
        Function::reflect("len", 1, false, index::len),
        Function::reflect("not", 1, false, not),
        Function::reflect("eq", 1, true, compare::eq),
        Function::reflect("ne", 2, false, compare::ne),
        Function::reflect("lt", 2, false, compare::lt),
        Function::reflect("le", 2, false, compare::le),
        Function::reflect("gt", 2, false, compare::gt),
        Function::reflect("ge", 2, false, compare::ge),
        Function::over("print", alloc::vec![Type::Any], true, print),
        Function::new("println", println),
        Function::over("printf", alloc::vec![Type::String, Type::Any], true, printf),
        Function::new("html", html),
        Function::new("js", js),
        Function::new("urlquery", urlquery),
    ]
}

/// What the engine does instead is in [`Special`].
#[expect(clippy::unnecessary_wraps, reason = "all built-in functions have one type")]
fn first(_: &mut Context, operands: &mut [Value], _: u64) -> Result<Slot, CallError> {
    Ok(Slot::plain(operands.first().cloned().unwrap_or_default()))
}

#[expect(clippy::unnecessary_wraps, reason = "all built-in functions have one type")]
fn not(context: &mut Context, operands: &mut [Value], _: u64) -> Result<Slot, CallError> {
    let truth = operands.first().is_some_and(|value| is_true(value, &context.heap));
    Ok(Slot::plain(Value::Bool(!truth)))
}

fn print(context: &mut Context, values: &mut [Value]) -> Result<Vec<u8>, CallError> {
    Ok(gofmt::print(&context.heap, values, context.limits().text)?)
}

fn println(context: &mut Context, Rest(values): Rest<Value>) -> Result<Vec<u8>, CallError> {
    Ok(gofmt::println(&context.heap, &values, context.limits().text)?)
}

fn printf(context: &mut Context, operands: &mut [Value]) -> Result<Vec<u8>, CallError> {
    let [Value::String(format), values @ ..] = &*operands else {
        return Ok(Vec::new());
    };
    let text = gofmt::printf(&context.heap, format, values, context.limits().text)?;
    context.afford_text(text.len())?;
    Ok(text)
}

/// Operands as one text, as the escapers take them.
fn joined(context: &Context, values: &[Value]) -> Result<Vec<u8>, CallError> {
    if let [Value::String(text)] = values {
        return Ok(text.to_vec());
    }
    Ok(gofmt::shown(&context.heap, values, context.limits().text)?)
}

fn html(context: &mut Context, Rest(values): Rest<Value>) -> Result<Vec<u8>, CallError> {
    Ok(html_escape(&joined(context, &values)?))
}

fn js(context: &mut Context, Rest(values): Rest<Value>) -> Result<Vec<u8>, CallError> {
    Ok(js_escape(&joined(context, &values)?))
}

fn urlquery(context: &mut Context, Rest(values): Rest<Value>) -> Result<Vec<u8>, CallError> {
    Ok(query_escape(&joined(context, &values)?))
}
