//! The templates of a chart, parsed: once for one render, or ahead of many.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Reverse;

use convoy_template::{MissingKey, ParseError, TemplateSet};

use super::{functions, message};
use crate::archive::File;
use crate::chart::Chart;
use crate::error::Error;

/// A text and the name under which it is parsed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'c> {
    pub(super) name: &'c str,
    pub(super) text: &'c Arc<[u8]>,
}

/// A text, and what it defines.
type Read = (Arc<[u8]>, Result<TemplateSet, ParseError>);

/// Templates that were parsed ahead.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// No templates, all functions.
    functions: Arc<TemplateSet>,
    /// By name: the text, and what it defines. A text that is malformed is one only when it is needed.
    files: BTreeMap<String, Read>,
    /// All of the files, if none is malformed: what most renders need.
    all: Option<Arc<TemplateSet>>,
}

/// Where a file stands in the order in which files are parsed and executed: the deepest first, then by name from the
/// end.
pub(super) fn key(name: &str) -> Reverse<(usize, String)> {
    let depth = name.bytes().filter(|byte| *byte == b'/').count();
    Reverse((depth, name.into()))
}

/// The templates of a chart and of those below it.
pub(super) fn of_chart<'c>(chart: &'c Chart, path: &str) -> impl Iterator<Item = (String, &'c File)> {
    let library = chart.metadata.is_library();
    chart
        .templates
        .iter()
        .filter(move |file| {
            let base = file.name.rsplit('/').next().unwrap_or(&file.name);
            !library || base.starts_with('_')
        })
        .map(move |file| (alloc::format!("{path}/{}", file.name), file))
}

impl Parsed {
    /// Parses all templates of a chart and of those below it, whatever values may disable later.
    pub(crate) fn new(chart: &Chart) -> Self {
        let functions = Arc::new(TemplateSet::new(functions()).missing_key(MissingKey::Zero));
        let mut files = BTreeMap::new();
        let mut charts = Vec::from([(String::from(chart.name()), chart)]);
        while let Some((path, chart)) = charts.pop() {
            for (name, file) in of_chart(chart, &path) {
                let mut set = TemplateSet::on(&functions);
                let parsed = set.parse_shared(&name, &file.data).map(|()| set);
                files.insert(name, (Arc::clone(&file.data), parsed));
            }
            let below = chart.dependencies.iter();
            charts.extend(below.map(|sub| (alloc::format!("{path}/charts/{}", sub.name()), sub)));
        }
        let mut parsed = Self {
            functions,
            files,
            all: None,
        };
        let mut names: Vec<&String> = parsed.files.keys().collect();
        names.sort_by_cached_key(|name| key(name));
        let mut all = TemplateSet::on(&parsed.functions);
        let complete = names.into_iter().all(|name| match parsed.files.get(name) {
            Some((_, Ok(set))) => {
                all.extend(set);
                true
            }
            Some((_, Err(_))) | None => false,
        });
        parsed.all = complete.then(|| Arc::new(all));
        parsed
    }

    /// The set of these files, in their order, each of which was parsed ahead or is parsed now.
    fn set<'c>(&self, sources: impl ExactSizeIterator<Item = Source<'c>>) -> Result<Arc<TemplateSet>, Error> {
        let mut set = TemplateSet::on(&self.functions);
        let mut known = 0;
        let total = sources.len();
        let mut parts = Vec::with_capacity(total);
        for source in sources {
            match self.files.get(source.name) {
                Some((text, parsed)) if Arc::ptr_eq(text, source.text) => {
                    known += 1;
                    parts.push((source, Some(parsed)));
                }
                Some(_) | None => parts.push((source, None)),
            }
        }
        if let Some(all) = self
            .all
            .as_ref()
            .filter(|_| known == total && total == self.files.len())
        {
            return Ok(Arc::clone(all));
        }
        for (source, parsed) in parts {
            match parsed {
                Some(Ok(parsed)) => set.extend(parsed),
                Some(Err(error)) => return Err(message::parse_error(source.name, error)),
                None => parse(&mut set, &source)?,
            }
        }
        Ok(Arc::new(set))
    }
}

/// The set of these files, in their order.
pub(super) fn set<'c>(
    sources: impl ExactSizeIterator<Item = Source<'c>>,
    parsed: Option<&Parsed>,
) -> Result<Arc<TemplateSet>, Error> {
    if let Some(parsed) = parsed {
        return parsed.set(sources);
    }
    let mut set = TemplateSet::new(functions()).missing_key(MissingKey::Zero);
    for source in sources {
        parse(&mut set, &source)?;
    }
    Ok(Arc::new(set))
}

fn parse(set: &mut TemplateSet, source: &Source<'_>) -> Result<(), Error> {
    set.parse_shared(source.name, source.text)
        .map_err(|error| message::parse_error(source.name, &error))
}
