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
mod templates;
mod toml_read;
mod toml_write;
mod values_type;
mod yaml_json;

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use convoy_template::value::{Heap, MapRef, Named};
use convoy_template::{Context, Limits, Value};
use convoy_value::yaml;

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

/// Renders all templates of a chart whose dependencies are settled: name to text, and what they were executed in.
/// The values are copied into what templates see, and then given up: templates are parsed where they were.
pub(crate) fn render(
    chart: &mut Chart,
    values: (Tables, TableId),
    settings: &Settings,
    parsed: Option<&Parsed>,
) -> Result<(BTreeMap<String, String>, Context), Error> {
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

fn execute(jobs: &[Job], context: &mut Context, values_type: &Arc<Named>) -> Result<BTreeMap<String, String>, Error> {
    // Each text is copied out of this, so that none keeps the room in which it grew.
    let mut out = Vec::new();
    let mut texts = BTreeMap::new();
    let mut written = 0_usize;
    let mut not_utf8 = None;
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
        let text = core::str::from_utf8(&out).map_or_else(|_| String::from_utf8_lossy(&out), Cow::Borrowed);
        if not_utf8.is_none() && !job.name.ends_with("NOTES.txt") {
            not_utf8 = refused_bytes(job, &out, &text);
        }
        texts.insert(job.name.clone(), without_no_value(&text));
    }
    // Helm reads manifests when all templates are executed.
    not_utf8.map_or(Ok(texts), Err)
}

/// Why what a template wrote is no YAML, if it or, for what was written as it stands, the template is not UTF-8.
fn refused_bytes(job: &Job, out: &[u8], text: &str) -> Option<Error> {
    let source = &job.text[..];
    let (bytes, error) = match (core::str::from_utf8(out), core::str::from_utf8(source)) {
        (Err(error), _) => (out, error),
        (Ok(_), Err(error)) if text.contains('\u{fffd}') => (source, error),
        (Ok(_), _) => return None,
    };
    // A line break in front, lest the bytes be taken for a byte order mark.
    let broken = [b"\n", &bytes[error.valid_up_to()..]].concat();
    let error = yaml::helm::parse(broken, &convoy_value::Limits::default()).err()?;
    Some(Error::Manifest {
        file: job.name.clone(),
        reason: crate::decode::refused(&error),
    })
}

/// Whether a template of the chart holds a text as a literal.
fn is_constant(jobs: &[Job], text: &str) -> bool {
    let (quoted, raw) = (convoy_template::go_quote(text.as_bytes()), alloc::format!("`{text}`"));
    jobs.iter().any(|job| {
        let source = String::from_utf8_lossy(&job.text);
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
fn without_no_value(text: &str) -> String {
    const NO_VALUE: &str = "<no value>";
    // Most texts have no `<` at all, and one byte is found much faster than ten.
    if text.as_bytes().contains(&b'<') && text.contains(NO_VALUE) {
        text.replace(NO_VALUE, "")
    } else {
        text.into()
    }
}

fn limit(limit: convoy_template::Limit) -> Error {
    Error::Limit {
        limit: alloc::format!("{limit}"),
    }
}
