//! A render from beginning to end, and its text as `helm template` prints it.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;

use convoy_sprig::semver::is_compatible;
use convoy_template::{Context, Limits, lossy};
use convoy_value::Map;

use crate::capabilities::KubeVersion;
use crate::chart::{Chart, has_extension};
use crate::coalesce::{self, Mode};
use crate::dependencies;
use crate::engine::{self, Parsed, Setup, Texts};
use crate::error::Error;
use crate::manifest::{self, Hook, Manifest};
use crate::path_match;
use crate::reason::Reason;
use crate::schema;
use crate::tables::Tree;

/// What a chart is rendered for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `.Release.Name`.
    pub release_name: String,
    /// `.Release.Namespace`.
    pub namespace: String,
    /// What the user gives: see [`layers`](crate::layers).
    pub values: Map,
    /// Texts of `values` that stand for bytes which are no UTF-8, as a file of `--set-file` may hold them: templates see
    /// the bytes.
    pub bytes: BTreeMap<String, Vec<u8>>,
    /// API versions in addition to Helm's own.
    pub api_versions: Vec<String>,
    /// Whether `api_versions` stand in place of Helm's own.
    pub replaces_api_versions: bool,
    /// `.Capabilities.KubeVersion`.
    pub kube_version: KubeVersion,
    /// `.Release.IsUpgrade`, the opposite of `.Release.IsInstall`.
    pub is_upgrade: bool,
    /// Whether values are checked against the charts' schemas.
    pub validates_schema: bool,
    /// Bounds on the templates.
    pub limits: Limits,
    /// What functions need, and what may end the render.
    pub setup: Setup,
}

impl Default for Settings {
    /// `release-name` in `default`, Helm's own capabilities, no values.
    fn default() -> Self {
        Self {
            release_name: "release-name".into(),
            namespace: "default".into(),
            values: Map::new(),
            bytes: BTreeMap::new(),
            api_versions: Vec::new(),
            replaces_api_versions: false,
            kube_version: KubeVersion::default(),
            is_upgrade: false,
            validates_schema: true,
            limits: Limits::default(),
            setup: Setup::default(),
        }
    }
}

/// The result of a render.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendered {
    /// Files of `crds/`, of subcharts too, as they are.
    pub crds: Vec<Manifest>,
    /// Manifests in the order of installation.
    pub manifests: Vec<Manifest>,
    /// Hooks in the order of installation.
    pub hooks: Vec<Hook>,
    /// What `NOTES.txt` of the chart wrote.
    pub notes: String,
    /// Values that were passed over, because one side has a table where the other has none.
    pub warnings: Vec<Reason>,
}

/// What of a render is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Files of `crds/` come first.
    pub include_crds: bool,
    /// Hooks that are tests are left out.
    pub skip_tests: bool,
    /// All hooks are left out.
    pub no_hooks: bool,
}

/// A chart that is rendered more than once: its templates are parsed already.
///
/// It can be shared between threads. Rendering it gives what [`render`] gives for its chart.
#[derive(Debug)]
pub struct CompiledChart {
    chart: Chart,
    parsed: Parsed,
}

impl CompiledChart {
    /// Parses the templates of a chart. A template that is malformed is an error of the renders that need it: values
    /// may disable the chart that it is in.
    #[must_use]
    pub fn new(chart: Chart) -> Self {
        let mut renamed = chart.clone();
        dependencies::rename_all(&mut renamed);
        let parsed = Parsed::new(&renamed);
        Self { chart, parsed }
    }

    /// The chart.
    #[must_use]
    pub fn chart(&self) -> &Chart {
        &self.chart
    }

    /// As [`render`].
    ///
    /// # Errors
    /// As [`render`].
    pub fn render(&self, settings: &Settings) -> Result<Rendered, Error> {
        render_with(self.chart.clone(), settings, Some(&self.parsed)).map(|(rendered, _)| rendered)
    }
}

/// Renders a chart once; [`CompiledChart`] is for more than one render.
///
/// # Errors
/// Where `helm template` fails, and when a limit is passed.
pub fn render(chart: &Chart, settings: &Settings) -> Result<Rendered, Error> {
    render_with(chart.clone(), settings, None).map(|(rendered, _)| rendered)
}

/// As [`render`], in less memory, since the chart is used up; with what is left: a process that ends after the render
/// can spare itself taking that apart.
///
/// # Errors
/// As [`render`].
pub fn render_last(chart: Chart, settings: &Settings) -> Result<(Rendered, Remains), Error> {
    render_with(chart, settings, None)
}

/// The chart, values and parsed templates of a render that is done.
#[derive(Debug)]
pub struct Remains(#[expect(dead_code, reason = "it is held, not looked at")] (Chart, Context));

fn render_with(mut chart: Chart, settings: &Settings, parsed: Option<&Parsed>) -> Result<(Rendered, Remains), Error> {
    chart.check_installable()?;
    check_release_name(&settings.release_name)?;
    let given = Tree::from_map(settings.values.clone());
    dependencies::process(&mut chart, &given)?;
    let (tables, values) =
        coalesce::values_of(&chart, &given, Mode::Coalesce).map_err(|mismatch| Error::TypeMismatch {
            stage: "",
            key: mismatch.key,
            value: Reason::hiding(mismatch.value, coalesce::NO_MAP),
        })?;
    if settings.validates_schema && has_schema(&chart) {
        schema::validate_chart(&chart, &tables.value(values)).map_err(Error::Schema)?;
    }
    let wanted = &chart.metadata.kube_version;
    if !wanted.is_empty() && !is_compatible(wanted, &settings.kube_version.normalized) {
        return Err(Error::KubeVersion {
            constraint: wanted.clone(),
            version: settings.kube_version.version.clone(),
        });
    }
    let warnings = tables.warnings().to_vec();
    let (mut texts, context) = engine::render(&mut chart, (tables, values), settings, parsed)?;
    let notes = take_notes(&mut texts, chart.name());
    let (manifests, hooks) = manifest::sort(texts)?;
    let mut crds = Vec::new();
    collect_crds(&chart, chart.name(), &mut crds);
    let rendered = Rendered {
        crds,
        manifests,
        hooks,
        notes,
        warnings,
    };
    Ok((rendered, Remains((chart, context))))
}

fn has_schema(chart: &Chart) -> bool {
    chart.schema.is_some() || chart.dependencies.iter().any(has_schema)
}

/// The longest name of a release.
const MAX_NAME: usize = 53;

fn check_release_name(name: &str) -> Result<(), Error> {
    let part = |part: &str| {
        let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        !part.is_empty() && part.bytes().all(inner) && !part.starts_with('-') && !part.ends_with('-')
    };
    let refused = |reason| {
        Err(Error::ReleaseName {
            name: name.into(),
            reason,
        })
    };
    if name.is_empty() {
        return refused("no name provided");
    }
    if name.len() > MAX_NAME || !name.split('.').all(part) {
        return refused(
            "invalid release name, must match regex ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ and the length must not be longer than 53",
        );
    }
    Ok(())
}

/// Takes the notes out of the texts; those of subcharts are not shown.
fn take_notes(texts: &mut Texts, chart: &str) -> String {
    const SUFFIX: &str = "NOTES.txt";
    let notes = texts.remove(&format!("{chart}/templates/{SUFFIX}"));
    texts.retain(|name, _| !name.ends_with(SUFFIX));
    notes.map_or_else(String::new, |notes| {
        notes.unwrap_or_else(|error| lossy(error.as_bytes()).into_owned())
    })
}

fn collect_crds(chart: &Chart, path: &str, crds: &mut Vec<Manifest>) {
    let is_manifest = |name: &str| {
        [".yaml", ".yml", ".json"]
            .iter()
            .any(|extension| has_extension(name, extension))
    };
    for file in chart
        .files
        .iter()
        .filter(|file| file.name.starts_with("crds/") && is_manifest(&file.name))
    {
        crds.push(Manifest {
            source: format!("{path}/{}", file.name),
            content: lossy(&file.data).into_owned(),
            kind: "CustomResourceDefinition".into(),
        });
    }
    for sub in &chart.dependencies {
        collect_crds(sub, &format!("{path}/charts/{}", sub.name()), crds);
    }
}

impl Rendered {
    /// The text that `helm template` prints.
    #[must_use]
    pub fn text(&self, selection: Selection) -> String {
        let mut text = String::new();
        let whole: Result<(), Infallible> = self.write_text(selection, |part| {
            text.push_str(part);
            Ok(())
        });
        match whole {
            Ok(()) => text,
            Err(never) => match never {},
        }
    }

    /// The text that `helm template` prints, in parts of some KiB.
    ///
    /// # Errors
    /// Those of `write`, which ends the text.
    pub fn write_text<E>(&self, selection: Selection, mut write: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        const PART: usize = 32 << 10;
        let mut part = String::with_capacity(PART);
        let crds = self.crds.iter().filter(|_| selection.include_crds);
        let mut before_hooks = crds.chain(&self.manifests).peekable();
        while let Some(manifest) = before_hooks.next() {
            push(&mut part, manifest);
            // The last one stays: what blanks it ends with go.
            if part.len() >= PART && before_hooks.peek().is_some() {
                write(&part)?;
                part.clear();
            }
        }
        // It begins with a separator, if there is anything.
        part.truncate(part.trim_end().len());
        part.push('\n');
        for hook in self.selected_hooks(selection) {
            push(&mut part, &hook.manifest);
            if part.len() >= PART {
                write(&part)?;
                part.clear();
            }
        }
        write(&part)
    }

    fn selected_hooks(&self, selection: Selection) -> impl Iterator<Item = &Hook> {
        self.hooks
            .iter()
            .filter(move |hook| !(selection.no_hooks || selection.skip_tests && hook.is_test()))
    }

    /// The text that `helm template --show-only` prints for these patterns of paths below the chart.
    ///
    /// # Errors
    /// When a pattern selects nothing.
    pub fn show_only(&self, selection: Selection, patterns: &[String]) -> Result<String, Error> {
        let text = self.text(selection);
        let documents = manifest::split(&text);
        let mut shown = String::new();
        for pattern in patterns {
            let chosen = documents.iter().filter(|document| {
                let path = source_below_chart(document);
                path.is_some_and(|path| path_match::matches(pattern, path) == Ok(true))
            });
            let before = shown.len();
            for document in chosen {
                shown.push_str(&format!("---\n{document}\n"));
            }
            if shown.len() == before {
                return Err(Error::NoSuchTemplate(pattern.clone()));
            }
        }
        Ok(shown)
    }

    /// The files that `helm template --output-dir` writes, in the order in which it writes them: path, text, and
    /// whether the text is added to a file that was written before.
    #[must_use]
    pub fn files(&self, selection: Selection) -> Vec<(String, String, bool)> {
        let crds = self.crds.iter().filter(|_| selection.include_crds);
        let hooks = self.selected_hooks(selection).map(|hook| &hook.manifest);
        let mut files: Vec<(String, String, bool)> = Vec::new();
        for manifest in crds.chain(&self.manifests).chain(hooks) {
            let mut text = String::new();
            push(&mut text, manifest);
            let again = files.iter().any(|(path, ..)| *path == manifest.source);
            files.push((manifest.source.clone(), text, again));
        }
        files
    }

    /// Everything that a Release applies: CRDs if they are asked for, manifests, and hooks that are no tests.
    pub fn objects(&self, include_crds: bool) -> impl Iterator<Item = &Manifest> {
        let hooks = self
            .hooks
            .iter()
            .filter(|hook| !hook.is_test())
            .map(|hook| &hook.manifest);
        self.crds
            .iter()
            .filter(move |_| include_crds)
            .chain(&self.manifests)
            .chain(hooks)
    }
}

fn push(text: &mut String, manifest: &Manifest) {
    text.push_str("---\n# Source: ");
    text.push_str(&manifest.source);
    text.push('\n');
    text.push_str(&manifest.content);
    text.push('\n');
}

/// What follows the chart's name in the first line that says where a document comes from.
fn source_below_chart(document: &str) -> Option<&str> {
    document.match_indices("# Source: ").find_map(|(at, mark)| {
        let line = document[at + mark.len()..].lines().next()?;
        let (chart, path) = line.split_once('/')?;
        (!chart.is_empty() && !path.is_empty()).then_some(path)
    })
}
