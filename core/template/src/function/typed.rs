//! From Rust functions to template functions, by their types.
//!
//! | Rust | Go |
//! |---|---|
//! | [`Value`] | `interface {}` |
//! | [`Reflected`] | `reflect.Value` |
//! | `bool`, `f64` | `bool`, `float64` |
//! | `isize` | `int` |
//! | `i64` | `int64` |
//! | [`Str`] | `string` |
//! | [`ListRef`] | `[]interface {}` |
//! | [`MapRef`] | `map[string]interface {}` |
//! | [`Arc<Time>`](Time) | `time.Time` |
//! | [`Rest<T>`], last | `...T` |

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::slice::IterMut;

use super::{Body, Function, Special};
use crate::value::{Elem, IntKind, ListRef, MapRef, Time, Type};
use crate::{CallError, Context, Limit, Str, Value};

/// A parameter's type.
pub trait Parameter: Sized {
    /// Whether it takes all operands that are left.
    const VARIADIC: bool = false;
    /// Its Go type.
    fn go_type() -> Type;
    /// Takes the next operand, which the engine has checked to be of that type.
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self>;
}

/// What a function may return.
pub trait Answer {
    /// As a value, or an error.
    ///
    /// # Errors
    /// What the function failed with, or a limit.
    fn answer(self, context: &mut Context) -> Result<Value, CallError>;
}

/// A Rust function that can be called from templates: `fn(&mut Context, …) -> R` with up to six parameters.
pub trait Callable<M> {
    /// As a [`Function`].
    fn into_function(self, name: &str) -> Function;
}

/// An operand of any type, declared as `reflect.Value`: unlike a [`Value`], it may be no value at all.
#[derive(Clone, Debug)]
pub struct Reflected(pub Value);

/// All operands that are left.
#[derive(Clone, Debug)]
pub struct Rest<T>(pub Vec<T>);

fn next(operands: &mut IterMut<'_, Value>) -> Option<Value> {
    operands.next().map(core::mem::take)
}

impl Parameter for Value {
    fn go_type() -> Type {
        Type::Any
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        next(operands)
    }
}

impl Parameter for Reflected {
    fn go_type() -> Type {
        Type::Reflect
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        next(operands).map(Self)
    }
}

impl Parameter for bool {
    fn go_type() -> Type {
        Type::Bool
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        if let Value::Bool(b) = next(operands)? {
            Some(b)
        } else {
            None
        }
    }
}

impl Parameter for isize {
    fn go_type() -> Type {
        Type::Int(IntKind::Int)
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        if let Value::Int(_, i) = next(operands)? {
            isize::try_from(i).ok()
        } else {
            None
        }
    }
}

impl Parameter for i64 {
    fn go_type() -> Type {
        Type::Int(IntKind::Int64)
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        if let Value::Int(_, i) = next(operands)? {
            Some(i)
        } else {
            None
        }
    }
}

impl Parameter for f64 {
    fn go_type() -> Type {
        Type::Float
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        if let Value::Float(f) = next(operands)? {
            Some(f)
        } else {
            None
        }
    }
}

impl Parameter for Str {
    fn go_type() -> Type {
        Type::String
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        if let Value::String(text) = next(operands)? {
            Some(text)
        } else {
            None
        }
    }
}

impl Parameter for ListRef {
    fn go_type() -> Type {
        Type::List(Elem::Any)
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        next(operands)?.as_list()
    }
}

impl Parameter for MapRef {
    fn go_type() -> Type {
        Type::Map(Elem::Any)
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        next(operands)?.as_map()
    }
}

impl Parameter for Arc<Time> {
    fn go_type() -> Type {
        Type::Time
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        if let Value::Time(time) = next(operands)? {
            Some(time)
        } else {
            None
        }
    }
}

impl<T: Parameter> Parameter for Rest<T> {
    const VARIADIC: bool = true;
    fn go_type() -> Type {
        T::go_type()
    }
    fn take(operands: &mut IterMut<'_, Value>) -> Option<Self> {
        let mut rest = Vec::with_capacity(operands.len());
        while operands.len() > 0 {
            rest.push(T::take(operands)?);
        }
        Some(Self(rest))
    }
}

impl<T: Into<Value>> Answer for T {
    fn answer(self, context: &mut Context) -> Result<Value, CallError> {
        let value = self.into();
        if let Value::String(text) | Value::Bytes(text) = &value {
            if text.len() > context.limits().text {
                return Err(Limit::Text(context.limits().text).into());
            }
            context.heap_mut().charge(text.len())?;
        }
        Ok(value)
    }
}

impl<T: Into<Value>, E: Into<CallError>> Answer for Result<T, E> {
    fn answer(self, context: &mut Context) -> Result<Value, CallError> {
        self.map_err(Into::into)?.answer(context)
    }
}

/// The engine checks operands before it calls, so that this is never seen.
fn mismatch() -> CallError {
    CallError::new("reflect: Call using value of wrong type")
}

fn plain(
    name: &str,
    params: Vec<Type>,
    variadic: bool,
    body: impl Fn(&mut Context, &mut [Value]) -> Result<Value, CallError> + Send + Sync + 'static,
) -> Function {
    Function {
        name: name.into(),
        params,
        variadic,
        special: Special::None,
        body: Body::Plain(Box::new(body)),
    }
}

macro_rules! callable {
    ($variadic:expr, $($param:ident),*) => {
        impl<F, R, $($param),*> Callable<(R, $($param,)*)> for F
        where
            F: Fn(&mut Context, $($param),*) -> R + Send + Sync + 'static,
            R: Answer,
            $($param: Parameter,)*
        {
            fn into_function(self, name: &str) -> Function {
                plain(name, alloc::vec![$($param::go_type()),*], $variadic, move |context, operands| {
                    #[allow(unused_mut, unused_variables, reason = "there may be no operand")]
                    let mut operands = operands.iter_mut();
                    self(context, $($param::take(&mut operands).ok_or_else(mismatch)?),*).answer(context)
                })
            }
        }
    };
}

callable!(false,);
callable!(A::VARIADIC, A);
callable!(B::VARIADIC, A, B);
callable!(C::VARIADIC, A, B, C);
callable!(D::VARIADIC, A, B, C, D);
callable!(E::VARIADIC, A, B, C, D, E);
callable!(G::VARIADIC, A, B, C, D, E, G);

impl From<()> for Value {
    fn from((): ()) -> Self {
        Self::Nil
    }
}

impl From<Option<Value>> for Value {
    fn from(value: Option<Value>) -> Self {
        value.unwrap_or_default()
    }
}

/// A text that is no error, for functions that return Go's `string` in every case.
impl From<Box<str>> for Value {
    fn from(text: Box<str>) -> Self {
        Self::String(String::from(text).into())
    }
}
