//! Regular expressions with the syntax and the answers of Go's `regexp`.

mod expand;
mod shared;
mod size;
mod translate;

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Deref, Range};

use convoy_template::value::{Elem, ListRef};
use convoy_template::{CallError, Characters, Context, Functions, Limit, Str};
use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use shared::Shared;

type Result<T> = core::result::Result<T, CallError>;

/// Bytes of one compiled expression.
const MAX_COMPILED: usize = 48 << 20;
/// States of an expression that are compiled in a step.
const STATES_IN_A_STEP: u64 = 4;
/// Expressions that are kept compiled in one rendering.
const MAX_KEPT: usize = 256;
/// Bytes of what one search of one expression may keep for the next.
const MAX_SEARCH: usize = 512 << 10;

pub(crate) fn register(functions: &mut Functions) {
    let shared = Arc::new(Shared::default());
    let (for_match, for_must_match) = (shared.clone(), shared.clone());
    functions
        .add(
            "regexMatch",
            move |context: &mut Context, pattern: Str, text: Str| -> Result<bool> {
                match is_match(context, &for_match, &pattern, &text) {
                    Err(error) if error.limit().is_none() => Ok(false),
                    other => other,
                }
            },
        )
        .add(
            "mustRegexMatch",
            move |context: &mut Context, pattern: Str, text: Str| is_match(context, &for_must_match, &pattern, &text),
        )
        .add("regexQuoteMeta", |_: &mut Context, text: Str| quote_meta(&text));
    for must in [false, true] {
        let name = |name: &str| {
            if must {
                alloc::format!("mustR{name}")
            } else {
                alloc::format!("r{name}")
            }
        };
        let share = || shared.clone();
        let (finds, finds_all, replaces, replaces_literal, splits) = (share(), share(), share(), share(), share());
        functions
            .add(
                &name("egexFind"),
                move |context: &mut Context, pattern: Str, text: Str| find(context, &finds, &pattern, &text, must),
            )
            .add(
                &name("egexFindAll"),
                move |context: &mut Context, pattern: Str, text: Str, count: isize| {
                    find_all(context, &finds_all, &pattern, (&text, count), must)
                },
            )
            .add(
                &name("egexReplaceAll"),
                move |context: &mut Context, pattern: Str, text: Str, new: Str| {
                    replace(context, &replaces, &pattern, (&text, &new, false), must)
                },
            )
            .add(
                &name("egexReplaceAllLiteral"),
                move |context: &mut Context, pattern: Str, text: Str, new: Str| {
                    replace(context, &replaces_literal, &pattern, (&text, &new, true), must)
                },
            )
            .add(
                &name("egexSplit"),
                move |context: &mut Context, pattern: Str, text: Str, count: isize| {
                    split(context, &splits, &pattern, (&text, count), must)
                },
            );
    }
}

/// Compiled expressions of this rendering.
#[derive(Default)]
struct Compiled(BTreeMap<Str, Arc<Expression>>);

/// Compiles `pattern`, or finds it compiled. Where Go panics, the message names the function. A rendering pays for
/// compiling whether another one has done it or not, so that what it costs depends on nothing else.
fn compile(context: &mut Context, shared: &Shared, pattern: &Str, must: bool) -> Result<Arc<Expression>> {
    if context.state::<Compiled>().is_none() {
        context.put_state(Compiled::default());
    }
    if let Some(known) = context.state::<Compiled>().and_then(|compiled| compiled.0.get(pattern)) {
        return Ok(known.clone());
    }
    context.spend(1_000 + pattern.len() as u64 * 16)?;
    let compiled = match shared.get(pattern) {
        Some(known) => {
            context.spend(known.cost())?;
            Arc::clone(known)
        }
        None => compile_new(context, pattern, must).map(Arc::new)?,
    };
    shared.keep(pattern, &compiled);
    if let Some(kept) = context.state::<Compiled>() {
        if kept.0.len() >= MAX_KEPT {
            kept.0.clear();
        }
        kept.0.insert(pattern.clone(), compiled.clone());
    }
    Ok(compiled)
}

/// A compiled expression.
struct Expression {
    regex: Regex,
    /// About, as counted before it was compiled.
    states: u64,
}

impl Expression {
    /// Steps for compiling it.
    fn cost(&self) -> u64 {
        self.states / STATES_IN_A_STEP
    }
}

impl Deref for Expression {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        &self.regex
    }
}

fn compile_new(context: &mut Context, pattern: &Str, must: bool) -> Result<Expression> {
    let refused = |message: String| {
        if must {
            return CallError::new(message);
        }
        let shown = pattern.to_text();
        let quoted = if shown.contains('`') {
            convoy_template::go_quote(pattern)
        } else {
            alloc::format!("`{shown}`")
        };
        CallError::new(alloc::format!("regexp: Compile({quoted}): {message}"))
    };
    let text = pattern.to_text();
    if pattern.as_str().is_none() {
        return Err(refused(alloc::format!("error parsing regexp: invalid UTF-8: `{text}`")));
    }
    let (translated, states) = translate::translate(&text).map_err(refused)?;
    // Compiling cannot be interrupted, and is paid for before.
    context.spend(states / STATES_IN_A_STEP)?;
    let compiled = Regex::builder()
        .configure(
            Regex::config()
                .utf8_empty(true)
                .nfa_size_limit(Some(MAX_COMPILED))
                .onepass_size_limit(Some(1 << 20))
                .hybrid_cache_capacity(MAX_SEARCH),
        )
        .syntax(syntax::Config::new().utf8(false).nest_limit(2_500))
        .build(&translated);
    match compiled {
        Ok(regex) => Ok(Expression { regex, states }),
        Err(error) if error.size_limit().is_some() => Err(Limit::Expression(MAX_COMPILED).into()),
        Err(_) => Err(refused(alloc::format!(
            "error parsing regexp: invalid expression: `{text}`"
        ))),
    }
}

/// A text that is searched: to an expression each byte that is no UTF-8 is U+FFFD, as in Go.
struct Haystack<'t> {
    bytes: &'t [u8],
    characters: Characters<'t>,
}

impl<'t> Haystack<'t> {
    fn new(bytes: &'t [u8]) -> Self {
        let characters = Characters::new(bytes);
        Self { bytes, characters }
    }

    fn searched(&self) -> &[u8] {
        self.characters.text().as_bytes()
    }

    /// The place in the bytes of what was found.
    fn place(&self, found: Range<usize>) -> Range<usize> {
        self.characters.place(found.start)..self.characters.place(found.end)
    }

    /// The bytes of what was found.
    fn part(&self, found: Range<usize>) -> &'t [u8] {
        self.bytes.get(self.place(found)).unwrap_or(&[])
    }
}

/// A search costs in proportion to the text.
fn pay(context: &mut Context, text: &[u8]) -> Result<()> {
    Ok(context.spend(1 + text.len() as u64 / 16)?)
}

fn is_match(context: &mut Context, shared: &Shared, pattern: &Str, text: &Str) -> Result<bool> {
    let regex = compile(context, shared, pattern, true)?;
    pay(context, text)?;
    Ok(regex.is_match(Haystack::new(text).searched()))
}

fn find(context: &mut Context, shared: &Shared, pattern: &Str, text: &Str, must: bool) -> Result<Str> {
    let regex = compile(context, shared, pattern, must)?;
    pay(context, text)?;
    let haystack = Haystack::new(text);
    let found = regex.find(Input::new(haystack.searched()));
    Ok(found.map_or_else(Str::default, |found| Str::from(haystack.part(found.range()))))
}

/// Steps and bytes that one match costs, about.
const MATCH: (u64, usize) = (8, 96);

/// Places of matches, at most `count` of them; all if that is negative.
fn places(context: &mut Context, regex: &Regex, text: &[u8], count: isize) -> Result<Vec<Range<usize>>> {
    let most = usize::try_from(count).unwrap_or(usize::MAX);
    let room = context.heap().room() / MATCH.1;
    let mut places = Vec::new();
    let haystack = Haystack::new(text);
    for found in regex.find_iter(haystack.searched()).take(most) {
        context.spend(MATCH.0)?;
        if places.len() >= room {
            return Err(Limit::Heap(context.limits().heap).into());
        }
        places.push(haystack.place(found.range()));
    }
    Ok(places)
}

fn find_all(
    context: &mut Context,
    shared: &Shared,
    pattern: &Str,
    (text, count): (&Str, isize),
    must: bool,
) -> Result<ListRef> {
    let regex = compile(context, shared, pattern, must)?;
    pay(context, text)?;
    let found: Vec<Str> = places(context, &regex, text, count)?
        .into_iter()
        .map(|range| text.get(range).unwrap_or(&[]).into())
        .collect();
    if found.is_empty() {
        return Ok(context.heap_mut().nil_list(Elem::String)?);
    }
    Ok(context.heap_mut().strings(found)?)
}

fn replace(
    context: &mut Context,
    shared: &Shared,
    pattern: &Str,
    (text, new, literal): (&Str, &Str, bool),
    must: bool,
) -> Result<Vec<u8>> {
    let regex = compile(context, shared, pattern, must)?;
    pay(context, text)?;
    let mut out = Vec::with_capacity(text.len());
    let mut end = 0;
    let haystack = Haystack::new(text);
    for found in regex.captures_iter(haystack.searched()) {
        let Some(whole) = found.get_match().map(|whole| haystack.place(whole.range())) else {
            continue;
        };
        let before = out.len();
        context.spend(MATCH.0)?;
        out.extend_from_slice(text.get(end..whole.start).unwrap_or(&[]));
        if literal {
            out.extend_from_slice(new);
        } else {
            expand::expand(&mut out, new, (&haystack, &found), context.limits().text);
        }
        end = whole.end;
        if out.len() > context.limits().text {
            return Err(Limit::Text(context.limits().text).into());
        }
        context.spend((out.len() - before) as u64 / 64)?;
    }
    out.extend_from_slice(text.get(end..).unwrap_or(&[]));
    Ok(out)
}

fn split(
    context: &mut Context,
    shared: &Shared,
    pattern: &Str,
    (text, count): (&Str, isize),
    must: bool,
) -> Result<ListRef> {
    let regex = compile(context, shared, pattern, must)?;
    pay(context, text)?;
    if count == 0 {
        return Ok(context.heap_mut().nil_list(Elem::String)?);
    }
    if !pattern.is_empty() && text.is_empty() {
        return Ok(context.heap_mut().strings([""])?);
    }
    let mut parts: Vec<Str> = Vec::new();
    let (mut start, mut end) = (0, 0);
    for range in places(context, &regex, text, count)? {
        if count > 0 && parts.len() + 1 == count.unsigned_abs() {
            break;
        }
        end = range.start;
        if range.end != 0 {
            parts.push(text.get(start..end).unwrap_or(&[]).into());
        }
        start = range.end;
    }
    if end != text.len() {
        parts.push(text.get(start..).unwrap_or(&[]).into());
    }
    Ok(context.heap_mut().strings(parts)?)
}

fn quote_meta(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if b"\\.+*?()|[]{}^$".contains(byte) {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out
}
