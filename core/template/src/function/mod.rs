//! Functions: what templates call by name.

mod table;
mod typed;

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

pub use table::Functions;
pub use typed::{Answer, Callable, Parameter, Reflected, Rest};

use crate::exec::Slot;
use crate::value::Type;
use crate::{CallError, Context, Value};

/// What the engine does itself instead of calling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// Nothing: it calls.
    None,
    /// `and`, which stops at the first false operand.
    And,
    /// `or`, which stops at the first true operand.
    Or,
    /// `call`.
    Call,
    /// It refuses with this: Go's method has results that no template can take.
    Refuse(&'static str),
}

type Plain = dyn Fn(&mut Context, &mut [Value]) -> Result<Value, CallError> + Send + Sync;

/// A function of the engine that sees whether a value is no value or a nil one: bit `n` of the last argument says
/// that operand `n` is declared as an interface.
type Reflect = fn(&mut Context, &mut [Value], u64) -> Result<Slot, CallError>;

pub(crate) enum Body {
    Plain(Box<Plain>),
    Reflect(Reflect),
}

/// A function with its signature, which the engine checks before it calls.
pub struct Function {
    name: Box<str>,
    params: Vec<Type>,
    variadic: bool,
    pub(crate) special: Special,
    pub(crate) body: Body,
}

impl Function {
    /// A function of Rust types: see [`Parameter`] and [`Answer`] for which ones. The first parameter is the
    /// [`Context`].
    #[must_use]
    pub fn new<M>(name: &str, function: impl Callable<M>) -> Self {
        function.into_function(name)
    }

    /// A function of any signature; if `variadic`, the last parameter may come any number of times.
    #[must_use]
    pub fn dynamic(
        name: &str,
        params: Vec<Type>,
        variadic: bool,
        body: impl Fn(&mut Context, &mut [Value]) -> Result<Value, CallError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            params,
            variadic,
            special: Special::None,
            body: Body::Plain(Box::new(body)),
        }
    }

    /// A function of any signature that reads its operands where they are: what [`Function::new`] makes of a function
    /// with [`Rest`], without a list of them.
    #[must_use]
    pub fn over<R: Answer>(
        name: &str,
        params: Vec<Type>,
        variadic: bool,
        body: impl Fn(&mut Context, &mut [Value]) -> R + Send + Sync + 'static,
    ) -> Self {
        Self::dynamic(name, params, variadic, move |context, operands| {
            body(context, operands).answer(context)
        })
    }

    /// A function over anything, with `fixed` parameters and perhaps more.
    pub(crate) fn reflect(name: &str, fixed: usize, variadic: bool, body: Reflect) -> Self {
        Self {
            name: name.into(),
            params: core::iter::repeat_n(Type::Reflect, fixed + usize::from(variadic)).collect(),
            variadic,
            special: Special::None,
            body: Body::Reflect(body),
        }
    }

    pub(crate) fn special(mut self, special: Special) -> Self {
        self.special = special;
        self
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The declared parameters.
    #[must_use]
    pub fn params(&self) -> &[Type] {
        &self.params
    }

    /// Whether the last parameter may come any number of times.
    #[must_use]
    pub fn is_variadic(&self) -> bool {
        self.variadic
    }

    /// The type of operand `place`.
    pub(crate) fn param(&self, place: usize) -> &Type {
        let last = self.params.len().saturating_sub(1);
        let place = if self.variadic { place.min(last) } else { place };
        self.params.get(place).unwrap_or(&Type::Any)
    }

    /// Parameters that must be there.
    pub(crate) fn fixed(&self) -> usize {
        self.params.len() - usize::from(self.variadic)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .field("params", &self.params)
            .field("variadic", &self.variadic)
            .finish_non_exhaustive()
    }
}

impl From<Function> for Value {
    fn from(function: Function) -> Self {
        Self::Function(Arc::new(function))
    }
}
