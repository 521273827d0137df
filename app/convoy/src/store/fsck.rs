//! `convoy store fsck`: looks at every key.

use convoy_blob::{Leftover, LeftoverKind};
use convoy_runtime::render_store::{Finding, Inspection, RenderStore};
use convoy_value::{Map, Value};

use super::progress::Progress;
use super::{count, size};
use crate::args::{ClusterArgs, Output};
use crate::connect::connect;
use crate::failure::Failure;
use crate::history::refuse_memory;
use crate::render_store::{self, Access, StoreArgs};
use crate::style::{Style, Tone};
use crate::table::{Cell, table};
use crate::{documents, print};

/// Reads every blob and entry of a render store and lists what is wrong.
///
/// A blob is read to its end and its hash compared with its name; an entry is compared with its key. In a `file://`
/// store the directory is walked too, for what is no blob. Nothing is changed, unless `--clean` asks for it, and a
/// controller may go on working.
///
/// Damage makes the exit code 1:
///   corrupt        the bytes are not the render that the key names
///   unknown-key    the blob is sealed with a key that is not in the key file
///   damaged-entry  the entry of the history is not what its key says
///   no-blob        the entry names a render that is not stored
///
/// The rest is told, and no damage:
///   orphan         no entry names the blob: a sync that stopped halfway left it, and the Release may point to it
///   foreign        convoy writes no such key
///   temporary      half a write; after an hour its writer is dead, and `--clean` or the next start removes it
///   no-file        a link or the like in the directory
///
/// A corrupt blob of the present render is written anew by the next sync that reads it; delete one of an earlier render,
/// or leave it: it is never served.
#[derive(Debug, clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "Examples:\n  \
    convoy store fsck --render-store-url file:///var/lib/convoy --clean\n  \
    convoy store fsck web/bookshelf/ --render-store-url 's3://renders?region=eu-central-1' -o json"
)]
pub(crate) struct Args {
    /// Only keys that start with this text: `NAMESPACE/`, `NAMESPACE/NAME/`
    #[arg(default_value = "")]
    prefix: String,
    /// Removes temporary files of dead writers from a `file://` store
    #[arg(long)]
    clean: bool,
    /// How findings are printed; `name` gives their keys
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    cluster: ClusterArgs,
}

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    let url = args.store.url();
    refuse_memory(url)?;
    let connection = connect(&args.cluster).await;
    let store = render_store::open_with_secret(url, args.store.keys(), Access::Read, connection.as_ref()).await?;
    if matches!(store, RenderStore::Disabled) {
        return Err(Failure::usage("there is no render store to check")
            .hint("name one with `--render-store-url` or $CONVOY_RENDER_STORE_URL"));
    }
    let cannot = || Failure::new("cannot check the render store");
    let progress = Progress::new("checked");
    let inspected = store.inspect(&args.prefix, &|done, all| progress.show(done, all)).await;
    progress.end();
    let inspection = inspected.map_err(|error| cannot().because(&error))?;
    let removed = if args.clean {
        convoy_blob::remove_stale(url).map_err(|error| cannot().because(&error))?
    } else {
        0
    };
    let leftovers = convoy_blob::leftovers(url).map_err(|error| cannot().because(&error))?;
    print::out(&show(&inspection, &leftovers, args.output))?;
    print::err_line(&summary(&inspection));
    if removed > 0 {
        print::err_line(&format!(
            "removed {}",
            count(removed, "temporary file", "temporary files")
        ));
    }
    let damaged = inspection
        .findings
        .iter()
        .filter(|finding| finding.problem.is_damage())
        .count();
    if damaged == 0 {
        return Ok(());
    }
    let what = count(
        damaged,
        "key of the render store is damaged",
        "keys of the render store are damaged",
    );
    Err(Failure::new(what))
}

fn summary(inspection: &Inspection) -> String {
    let mut text = format!(
        "{} of {}, {} of history, {}",
        count(inspection.blobs, "render", "renders"),
        size(inspection.bytes),
        count(inspection.entries, "entry", "entries"),
        count(inspection.releases, "Release", "Releases"),
    );
    for (key, blobs) in &inspection.sealed {
        let sealed = count(*blobs, "render", "renders");
        text.extend([", ", &sealed, " sealed with key ", &key.to_string()]);
    }
    text
}

/// One line of the list.
struct Line {
    key: String,
    problem: &'static str,
    text: String,
    tone: Tone,
}

fn show(inspection: &Inspection, leftovers: &[Leftover], output: Output) -> String {
    let findings = inspection.findings.iter().map(of_finding);
    let lines: Vec<Line> = findings.chain(leftovers.iter().map(of_leftover)).collect();
    match output {
        Output::Name => print::lines(lines.into_iter().map(|line| line.key)),
        Output::Json => documents::to_json(&record(inspection, lines)),
        Output::Yaml => documents::to_yaml(&record(inspection, lines)),
        Output::Table if lines.is_empty() => String::new(),
        Output::Table => {
            let cells = |line: &Line| {
                vec![
                    Cell::toned(line.tone, line.problem),
                    Cell::new(&line.key),
                    Cell::new(&line.text),
                ]
            };
            let rows: Vec<Vec<Cell>> = lines.iter().map(cells).collect();
            table(&["PROBLEM", "KEY", "WHY"], &rows, Style::stdout())
        }
    }
}

fn of_finding(finding: &Finding) -> Line {
    let tone = if finding.problem.is_damage() {
        Tone::Bad
    } else {
        Tone::Plain
    };
    Line {
        key: finding.key.clone(),
        problem: finding.problem.name(),
        text: finding.problem.text(),
        tone,
    }
}

fn of_leftover(leftover: &Leftover) -> Line {
    let (problem, text) = match leftover.kind {
        LeftoverKind::Temporary { age } => ("temporary", format!("half a write, {} s old", age.as_secs())),
        LeftoverKind::NotAFile => ("no-file", "neither a file nor a directory".to_owned()),
        LeftoverKind::NoText => ("foreign", "its name is no text".to_owned()),
    };
    Line {
        key: leftover.path.display().to_string(),
        problem,
        text,
        tone: Tone::Plain,
    }
}

fn record(inspection: &Inspection, lines: Vec<Line>) -> Value {
    let number = |number: usize| Value::from(i64::try_from(number).unwrap_or(i64::MAX));
    let findings: Vec<Value> = lines
        .into_iter()
        .map(|line| {
            Value::Object(Map::from_iter([
                ("key", Value::from(line.key)),
                ("problem", Value::from(line.problem)),
                ("why", Value::from(line.text)),
            ]))
        })
        .collect();
    let sealed: Map = inspection
        .sealed
        .iter()
        .map(|(key, blobs)| (key.to_string(), number(*blobs)))
        .collect();
    Value::Object(Map::from_iter([
        ("releases", number(inspection.releases)),
        ("renders", number(inspection.blobs)),
        (
            "bytes",
            Value::from(i64::try_from(inspection.bytes).unwrap_or(i64::MAX)),
        ),
        ("entries", number(inspection.entries)),
        ("sealed", Value::Object(sealed)),
        ("findings", Value::from(findings)),
    ]))
}
