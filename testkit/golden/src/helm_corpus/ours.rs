//! Our answer for a chart that is laid out.

use std::fs;
use std::path::Path;

use convoy_helm::layers::{self, Layer};
use convoy_helm::{Chart, Files, KeyedEntropy, Selection, Settings, Setup, render};
use convoy_sprig::Randomness;
use convoy_template::value::Time;

/// What random functions draw from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Seconds since 1970.
    pub now: i64,
    /// The key of the draws.
    pub key: &'static [u8],
}

/// What we make of `helm template rel CHART -n ns [-f VALUES]`.
///
/// # Errors
/// When we refuse it, or the chart cannot be read.
pub fn render_laid(chart: &Path, values: Option<&str>, moment: Moment) -> Result<String, String> {
    let mut files = Files::new();
    collect(chart, "", &mut files, 0)?;
    let given = match values {
        Some(name) => Some(fs::read(chart.join(name)).map_err(|error| error.to_string())?),
        None => None,
    };
    let layer = given.as_deref().map(|text| Layer::File("values", text));
    let run = || -> Result<String, convoy_helm::Error> {
        let values = layers::apply(layer.as_slice(), &mut |_| Err("no file".into()))?;
        let settings = Settings {
            release_name: "rel".into(),
            namespace: "ns".into(),
            values,
            setup: setup(moment),
            ..Settings::default()
        };
        Ok(render(&Chart::load(&files)?, &settings)?.text(Selection::default()))
    };
    run().map_err(|error| error.go_text())
}

fn setup(moment: Moment) -> Setup {
    Setup::new(move |mut context| {
        let entropy = KeyedEntropy::new(moment.key, "ns", "rel", 0);
        context.put_state(Randomness::new(Time::unix(moment.now, 0), entropy));
        context
    })
}

/// Links are followed; one that leads nowhere is an error, as it is for Helm.
fn collect(folder: &Path, base: &str, files: &mut Files, depth: usize) -> Result<(), String> {
    let problem = |error: std::io::Error| format!("{base}: {error}");
    if depth > 40 {
        return Err(format!("{base}: too deep"));
    }
    for entry in fs::read_dir(folder).map_err(problem)? {
        let entry = entry.map_err(problem)?;
        let Some(name) = entry.file_name().to_str().map(|name| format!("{base}{name}")) else {
            continue;
        };
        let path = entry.path();
        if fs::metadata(&path).map_err(problem)?.is_dir() {
            collect(&path, &format!("{name}/"), files, depth + 1)?;
        } else {
            files.insert(name, fs::read(&path).map_err(problem)?.into());
        }
    }
    Ok(())
}
