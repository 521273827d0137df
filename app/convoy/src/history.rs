//! `convoy history`: the renders that a Release has applied.

use convoy_domain::history::HistoryEntry;
use convoy_domain::id::ReleaseId;
use convoy_domain::release::Release;
use convoy_domain::render_ref::RenderRef;
use convoy_kube::KubeControlPlane;
use convoy_ports::ControlPlane as _;
use convoy_runtime::render_store::RenderStore;
use convoy_value::{Map, Value};

use crate::args::{ClusterArgs, NamespaceArgs, Output};
use crate::connect::{Connection, connect};
use crate::failure::Failure;
use crate::get::age;
use crate::render_store::{self, Access, StoreUrlArgs};
use crate::style::{Style, Tone};
use crate::table::{Cell, table};
use crate::{documents, print};

/// Lists the renders that a Release has applied, newest first.
///
/// Reads the render store. Marks (current, healthy, pinned) come from the Release; where its API server does not
/// answer, the list is printed without them and a note says so.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy history bookshelf --render-store-url file:///var/lib/convoy\n  \
    convoy history bookshelf -n web -o json")]
pub(crate) struct Args {
    /// Name of the Release
    name: String,
    #[command(flatten)]
    namespace: NamespaceArgs,
    /// How the history is printed; `name` gives the renderRefs
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
    #[command(flatten)]
    store: StoreUrlArgs,
    #[command(flatten)]
    cluster: ClusterArgs,
}

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    refuse_memory(args.store.url())?;
    let connection = connect(&args.cluster).await;
    let store = render_store::open_with_secret(args.store.url(), None, Access::Read, connection.as_ref()).await?;
    if matches!(store, RenderStore::Disabled) {
        return Err(Failure::usage("there is no history without a render store")
            .hint("name the controller's with `--render-store-url` or $CONVOY_RENDER_STORE_URL"));
    }
    let namespace = match (&args.namespace.namespace, &connection) {
        (Some(namespace), _) => namespace.clone(),
        (None, Ok(connection)) => connection.namespace(None),
        (None, Err(_)) => "default".to_string(),
    };
    let id = ReleaseId::new(&namespace, &args.name)
        .map_err(|error| Failure::usage("there can be no such Release").because(&error))?;
    let release = match connection {
        Ok(connection) => read(&connection, &id).await,
        Err(failure) => Err(failure),
    };
    let mut entries = store
        .list_history(&id)
        .await
        .map_err(|error| Failure::new(format!("cannot read the history of Release `{id}`")).because(&error))?;
    entries.reverse();
    let release = match release {
        Ok(None) if entries.is_empty() => {
            return Err(Failure::new(format!(
                "there is no Release `{id}`, and the store has no history of it"
            ))
            .hint("`convoy get releases -A` lists all"));
        }
        Ok(release) => release,
        Err(failure) => {
            print::err_line(&format!("note: without marks, since {}", failure.line()));
            None
        }
    };
    if entries.is_empty() && matches!(args.output, Output::Table | Output::Name) {
        print::err_line(&format!("no render of Release {id} was fully applied yet"));
        return Ok(());
    }
    print::out(&show(&entries, &Marks::of(release.as_ref()), args.output))
}

/// No other process can read a store in memory.
pub(crate) fn refuse_memory(url: &str) -> Result<(), Failure> {
    if in_memory(url) {
        return Err(
            Failure::new("cannot read it: a `mem://` render store is private to the process that opened it")
                .hint("give the controller a `file://` store; `convoy get releases` shows what is current"),
        );
    }
    Ok(())
}

/// Whether a URL is that of a store in memory: schemes have no case, and parsers pass over space around a URL.
fn in_memory(url: &str) -> bool {
    url.trim()
        .split_once(':')
        .is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("mem"))
}

async fn read(connection: &Connection, id: &ReleaseId) -> Result<Option<Release>, Failure> {
    KubeControlPlane::new(connection.client.clone())
        .release(id)
        .await
        .map_err(|error| Failure::new(format!("Release `{id}` cannot be read")).because(&error))
}

/// What a Release says of its renders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Marks {
    current: Option<RenderRef>,
    healthy: Option<RenderRef>,
    pinned: Option<RenderRef>,
}

impl Marks {
    fn of(release: Option<&Release>) -> Self {
        let Some(release) = release else {
            return Self::default();
        };
        Self {
            current: release
                .status
                .last_successful
                .as_ref()
                .map(|applied| applied.render_ref),
            healthy: release.status.last_healthy.as_ref().map(|healthy| healthy.render_ref),
            pinned: release.pin.as_ref().map(|pin| pin.render_ref),
        }
    }

    /// The marks of one render, in words.
    fn words(self, render: RenderRef) -> Vec<&'static str> {
        [
            (self.current, "current"),
            (self.healthy, "healthy"),
            (self.pinned, "pinned"),
        ]
        .into_iter()
        .filter(|(marked, _)| *marked == Some(render))
        .map(|(_, word)| word)
        .collect()
    }
}

fn show(entries: &[HistoryEntry], marks: &Marks, output: Output) -> String {
    match output {
        Output::Name => print::lines(entries.iter().map(|entry| entry.key.render().to_string())),
        Output::Json => documents::to_json(&records(entries, *marks)),
        Output::Yaml => documents::to_yaml(&records(entries, *marks)),
        Output::Table => {
            let now = jiff::Timestamp::now();
            let rows: Vec<Vec<Cell>> = entries
                .iter()
                .map(|entry| {
                    vec![
                        Cell::new(format!("{:.0}", entry.key.time())),
                        Cell::new(age(entry.key.time(), now)),
                        Cell::new(entry.key.render().short()),
                        Cell::toned(Tone::Good, marks.words(entry.key.render()).join(",")),
                        Cell::new(&entry.summary),
                    ]
                })
                .collect();
            table(&["SYNCED", "AGE", "RENDER", "MARKS", "SUMMARY"], &rows, Style::stdout())
        }
    }
}

fn records(entries: &[HistoryEntry], marks: Marks) -> Value {
    let records: Vec<Value> = entries
        .iter()
        .map(|entry| {
            let words: Vec<Value> = marks.words(entry.key.render()).into_iter().map(Value::from).collect();
            Value::Object(Map::from_iter([
                ("renderRef", Value::from(entry.key.render().to_string())),
                ("syncedAt", entry.synced_at().into()),
                ("summary", entry.summary.clone().into()),
                ("marks", words.into()),
            ]))
        })
        .collect();
    Value::from(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use convoy_domain::history::HistoryKey;

    fn render(byte: u8) -> RenderRef {
        RenderRef::from_digest([byte; 32])
    }

    fn entry(second: i64, byte: u8) -> HistoryEntry {
        let time = jiff::Timestamp::from_second(second).unwrap();
        HistoryEntry::new(HistoryKey::new(time, render(byte)).unwrap(), "manifests at main")
    }

    #[test]
    fn each_entry_shows_its_marks() {
        let marks = Marks {
            current: Some(render(2)),
            healthy: Some(render(2)),
            pinned: Some(render(1)),
        };
        let text = show(
            &[entry(1_800_000_001, 2), entry(1_800_000_000, 1)],
            &marks,
            Output::Json,
        );
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value[0]["marks"], serde_json::json!(["current", "healthy"]));
        assert_eq!(value[0]["syncedAt"], "2027-01-15T08:00:01.000000000Z");
        assert_eq!(value[1]["marks"], serde_json::json!(["pinned"]));
        let names = show(&[entry(1, 2)], &Marks::default(), Output::Name);
        assert_eq!(names, format!("{}\n", render(2)));
    }

    #[test]
    fn a_store_in_memory_is_known_by_its_scheme() {
        for url in ["mem://", "MEM://", " mem://?prefix=a", "mem:x"] {
            assert!(in_memory(url), "{url}");
        }
        for url in ["", "file:///mem:", "memory://", "mem"] {
            assert!(!in_memory(url), "{url}");
        }
    }

    #[test]
    fn the_table_shows_times_without_fractions() {
        let text = show(&[entry(1_800_000_000, 1)], &Marks::default(), Output::Table);
        assert!(text.contains("2027-01-15T08:00:00Z"), "{text}");
    }
}
