//! From the templates of a chart and its values to the texts that they write.
//!
//! Templates are parsed and executed from the deepest folder up, in the reverse order of their names: what one of
//! them changes in a map, those after it see. Nothing is executed that begins with `_`.

#![expect(clippy::wildcard_enum_match_arm, reason = "most kinds of value are not looked into")]

mod data;
mod files;
mod functions;
mod message;
mod pretty;
mod shape;
mod templates;
mod toml_read;
mod toml_write;
mod values_type;
mod yaml_json;

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::{FromUtf8Error, String};
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_template::value::{Heap, MapRef, Named};
use convoy_template::{Context, Limits, Value, lossy};

use crate::chart::Chart;
use crate::error::Error;
use crate::render::Settings;
use crate::tables::{Heap as Tables, TableId};
use templates::Source;

pub use functions::Setup;
pub(crate) use functions::functions;
pub(crate) use templates::Parsed;

/// A template and what it is executed with.
struct Job {
    name: String,
    text: Arc<[u8]>,
    data: MapRef,
    folder: Arc<str>,
}

/// What templates wrote, by name; bytes that are no UTF-8 are an error of whoever reads them.
pub(crate) type Texts = BTreeMap<String, Result<String, FromUtf8Error>>;

/// Renders all templates of a chart whose dependencies are settled, with what they were executed in.
/// The values are copied into what templates see, and then given up: templates are parsed where they were.
pub(crate) fn render(
    chart: &mut Chart,
    values: (Tables, TableId),
    settings: &Settings,
    parsed: Option<&Parsed>,
) -> Result<(Texts, Context), Error> {
    let mut heap = Heap::new(Arc::default(), settings.limits.heap);
    let mut jobs = Vec::new();
    let values_type = values_type::named();
    let mut builder = data::Builder::new(&mut heap, settings, &values.0, &values_type).map_err(limit)?;
    builder.chart(chart, values.1, &mut jobs).map_err(limit)?;
    drop(values);
    chart.give_up_values();
    jobs.sort_by_cached_key(|job| templates::key(&job.name));
    // Two templates of one name: the later chart's wins, as in a map.
    jobs.dedup_by(|later, earlier| later.name == earlier.name);
    let sources = jobs.iter().map(|job| Source {
        name: &job.name,
        text: &job.text,
    });
    let set = templates::set(sources, parsed)?;
    let limits = Limits {
        templates: bound_on_templates(&settings.limits),
        ..settings.limits
    };
    let mut context = Context::new(set, Arc::default(), limits);
    // The limit is on what templates make.
    *context.heap_mut() = heap.settled();
    let mut context = settings.setup.prepare(context);
    let texts = execute(&jobs, &mut context, &values_type)?;
    Ok((texts, context))
}

fn execute(jobs: &[Job], context: &mut Context, values_type: &Arc<Named>) -> Result<Texts, Error> {
    // Each text is copied out of this, so that none keeps the room in which it grew.
    let mut out = Vec::new();
    let mut texts = BTreeMap::new();
    let mut written = 0_usize;
    for job in jobs {
        let base = job.name.rsplit('/').next().unwrap_or(&job.name);
        if base.starts_with('_') {
            continue;
        }
        data::template(context.heap_mut(), job, values_type).map_err(limit)?;
        out.clear();
        context
            .execute_into(&job.name, Value::Map(job.data), &mut out)
            .map_err(|error| message::exec_error(&job.name, &error, &|text| is_constant(jobs, text)))?;
        written += out.len();
        if written > context.limits().output {
            return Err(limit(convoy_template::Limit::Output(context.limits().output)));
        }
        texts.insert(job.name.clone(), String::from_utf8(without_no_value(&out).into_owned()));
    }
    Ok(texts)
}

/// Whether a template of the chart holds a text as a literal.
fn is_constant(jobs: &[Job], text: &str) -> bool {
    let (quoted, raw) = (convoy_template::go_quote(text.as_bytes()), alloc::format!("`{text}`"));
    jobs.iter().any(|job| {
        let source = lossy(&job.text);
        source.contains(&quoted) || source.contains(&raw)
    })
}

/// Templates within templates: Helm counts to 1,000 itself and has its own words for it, so that the default leaves it
/// room; another bound is taken as it is.
fn bound_on_templates(limits: &Limits) -> usize {
    const ROOM: usize = 2_000;
    if limits.templates == Limits::default().templates {
        ROOM
    } else {
        limits.templates
    }
}

/// What Go writes for an absent value is left out.
fn without_no_value(text: &[u8]) -> Cow<'_, [u8]> {
    const NO_VALUE: &[u8] = b"<no value>";
    let mut kept = Vec::new();
    let (mut copied, mut from) = (0, 0);
    while let Some(at) = text[from..].iter().position(|byte| *byte == b'<').map(|at| from + at) {
        if text[at..].starts_with(NO_VALUE) {
            kept.extend_from_slice(&text[copied..at]);
            copied = at + NO_VALUE.len();
            from = copied;
        } else {
            from = at + 1;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.extend_from_slice(&text[copied..]);
    Cow::Owned(kept)
}

fn limit(limit: convoy_template::Limit) -> Error {
    Error::Limit {
        limit: alloc::format!("{limit}"),
    }
}
