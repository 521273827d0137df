//! The functions of charts: Go's, Sprig's, and Helm's own.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the types of its operands are the signature of a function"
)]

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_template::{CallError, Context, Functions, MissingKey, Str, TemplateSet, Value, go_quote};

use super::{message, toml_read, toml_write, without_no_value, yaml_json};

/// Gives a context what one rendering needs: the clock and the generator of Sprig's functions, a flag that ends it.
#[derive(Clone)]
pub struct Setup(Option<Arc<dyn Fn(Context) -> Context + Send + Sync>>);

impl Setup {
    /// Runs `prepare` for each rendering.
    #[must_use]
    pub fn new(prepare: impl Fn(Context) -> Context + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(prepare)))
    }

    pub(super) fn prepare(&self, context: Context) -> Context {
        match &self.0 {
            Some(prepare) => prepare(context),
            None => context,
        }
    }
}

impl Default for Setup {
    /// Nothing is given.
    fn default() -> Self {
        Self(None)
    }
}

impl core::fmt::Debug for Setup {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Setup").finish_non_exhaustive()
    }
}

/// The templates that are being included, outermost first.
#[derive(Debug, Default)]
struct Included(Vec<Str>);

/// Includes of one template within itself, as Helm counts them.
const RECURSION: usize = 1_000;

/// Texts of `tpl` that were parsed, by the templates below them.
#[derive(Default)]
struct Parsed(BTreeMap<(usize, Str), (Arc<TemplateSet>, Arc<TemplateSet>)>);

/// Texts of `tpl` that are kept parsed.
const PARSED: usize = 4_096;

/// All functions that a template can call.
pub(crate) fn functions() -> Functions {
    let mut functions = Functions::builtins();
    convoy_sprig::register(&mut functions);
    functions.remove("env").remove("expandenv");
    functions
        .add("include", include)
        .add("tpl", tpl)
        .add("required", required)
        .add("fail", |_: &mut Context, text: Str| {
            Err::<Value, CallError>(said(&text))
        })
        .add("lookup", |context: &mut Context, _: Str, _: Str, _: Str, _: Str| {
            context.heap_mut().map()
        })
        .add("getHostByName", |_: &mut Context, _: Str| "")
        .add("toYaml", yaml_json::to_yaml)
        .add("mustToYaml", yaml_json::must_to_yaml)
        .add("toYamlPretty", yaml_json::to_yaml_pretty)
        .add("fromYaml", yaml_json::from_yaml)
        .add("fromYamlArray", yaml_json::from_yaml_array)
        .add("toJson", yaml_json::to_json)
        .add("mustToJson", yaml_json::must_to_json)
        .add("fromJson", yaml_json::from_json)
        .add("fromJsonArray", yaml_json::from_json_array)
        .add("toToml", toml_write::to_toml)
        .add("mustToToml", toml_write::must_to_toml)
        .add("fromToml", toml_read::from_toml);
    functions
}

fn said(text: &Str) -> CallError {
    CallError::new(format!("{}{}{}", message::START, text.to_text(), message::END))
}

fn required(_: &mut Context, warning: Str, value: Value) -> Result<Value, CallError> {
    let missing = value.is_nil() || value.as_str().is_some_and(|text| text.is_empty());
    if missing { Err(said(&warning)) } else { Ok(value) }
}

fn include(context: &mut Context, name: Str, data: Value) -> Result<Value, CallError> {
    let text = name.to_text();
    let Some(tree) = context.set().lookup(&text).cloned() else {
        let name = go_quote(&name);
        return Err(CallError::new(format!(
            "template: no template {name} associated with template \"gotpl\""
        )));
    };
    if context.state::<Included>().is_none() {
        context.put_state(Included::default());
    }
    if let Some(Included(names)) = context.state::<Included>() {
        // Counted only when there can be so many.
        let is_nested = names.len() > RECURSION && names.iter().filter(|within| **within == name).count() > RECURSION;
        if is_nested {
            return Err(CallError::new(format!(
                "rendering template has a nested reference name: {name}: unable to execute template"
            )));
        }
        names.push(name.clone());
    }
    let result = context.execute_tree(&tree, data);
    if let Some(Included(names)) = context.state::<Included>() {
        names.pop();
    }
    Ok(context.string(result?)?)
}

/// The name under which Helm parses the text of `tpl`.
pub(super) const TPL: &str = "gotpl";

fn tpl(context: &mut Context, source: Str, data: Value) -> Result<Value, CallError> {
    if !source.windows(2).any(|pair| pair == b"{{") {
        return Ok(match without_no_value(&source) {
            Cow::Borrowed(_) => Value::String(source),
            Cow::Owned(text) => Value::from(text),
        });
    }
    let set = parsed(context, &source)?;
    let out = context.with_set(set, |context| Ok(context.execute(TPL, data)?));
    let out = out.map_err(|error| wrap(&error, &source))?;
    Ok(match without_no_value(&out) {
        Cow::Borrowed(_) => context.string(out)?,
        Cow::Owned(text) => context.string(text)?,
    })
}

fn wrap(error: &CallError, source: &Str) -> CallError {
    if let Some(limit) = error.limit() {
        return limit.into();
    }
    CallError::new(format!(
        "error during tpl function execution for {}: {error}",
        go_quote(source)
    ))
}

/// The set in which a text of `tpl` is executed: it sees what is below, and nothing below sees it.
fn parsed(context: &mut Context, source: &Str) -> Result<Arc<TemplateSet>, CallError> {
    let below = Arc::clone(context.set());
    let key = (Arc::as_ptr(&below).addr(), source.clone());
    if context.state::<Parsed>().is_none() {
        context.put_state(Parsed::default());
    }
    if let Some((_, set)) = context.state::<Parsed>().and_then(|Parsed(known)| known.get(&key)) {
        return Ok(Arc::clone(set));
    }
    context.spend(source.len() as u64 / 8 + 16)?;
    let text: Arc<[u8]> = source.as_bytes().into();
    let cannot = |error| CallError::new(format!("cannot parse template {}: {error}", go_quote(source)));
    let mut set = TemplateSet::on(&below).missing_key(MissingKey::Zero);
    set.parse_shared(TPL, &text).map_err(cannot)?;
    if !set.names().any(|name| name == TPL) {
        // Nothing but blanks and definitions: the text of an outer `tpl` must not be executed in its place.
        set = TemplateSet::new(set.functions().clone()).missing_key(MissingKey::Zero);
        set.parse_shared(TPL, &text).map_err(cannot)?;
    }
    let set = Arc::new(set);
    if let Some(Parsed(known)) = context.state::<Parsed>()
        && known.len() < PARSED
    {
        known.insert(key, (below, Arc::clone(&set)));
    }
    Ok(set)
}

impl core::fmt::Debug for Parsed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Parsed").field("texts", &self.0.len()).finish()
    }
}
