//! Types and kinds by name.

use alloc::string::{String, ToString as _};

use convoy_template::value::{Type, kind_of};
use convoy_template::{Context, Functions, Limit, Str, Value};

use crate::equal::deep_equal;

pub(crate) fn register(functions: &mut Functions) {
    functions
        .add("typeOf", |context: &mut Context, value: Value| type_of(context, &value))
        .add("typeIs", |context: &mut Context, name: Str, value: Value| {
            name == *type_of(context, &value)
        })
        .add("typeIsLike", |context: &mut Context, name: Str, value: Value| {
            let actual = type_of(context, &value);
            name == *actual || actual.strip_prefix('*').is_some_and(|actual| name == *actual)
        })
        .add("kindOf", |_: &mut Context, value: Value| kind_of(&value))
        .add("kindIs", |_: &mut Context, name: Str, value: Value| {
            name == *kind_of(&value)
        })
        .add(
            "deepEqual",
            |context: &mut Context, a: Value, b: Value| -> Result<bool, Limit> { deep_equal(context, &a, &b) },
        );
}

fn type_of(context: &Context, value: &Value) -> String {
    Type::of(value, context.heap()).to_string()
}
