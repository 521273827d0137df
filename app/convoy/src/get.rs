//! `convoy get`: a look at Releases, sources and Clusters.

mod age;
mod columns;

pub(crate) use age::age;
pub(crate) use columns::shortened;

use clap::ValueEnum;
use convoy_value::{Map, Value};
use kube::api::{GetParams, ListParams};
use kube::core::Request;

use crate::args::{ClusterArgs, NamespaceArgs, Output};
use crate::connect::{Connection, connect};
use crate::failure::Failure;
use crate::style::Style;
use crate::table::{Cell, table};
use crate::{documents, print};

/// Lists Releases, sources or Clusters.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    convoy get releases -A\n  \
    convoy get release bookshelf -n default -o yaml\n  \
    convoy get sources --server http://127.0.0.1:8001")]
pub(crate) struct Args {
    /// What to list
    #[arg(value_enum)]
    what: What,
    /// Names; without one, all are listed
    names: Vec<String>,
    /// In all namespaces
    #[arg(short = 'A', long, conflicts_with_all = ["namespace", "names"])]
    all_namespaces: bool,
    #[command(flatten)]
    namespace: NamespaceArgs,
    /// How the result is printed
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
    /// Keeps `metadata.managedFields` in YAML and JSON
    #[arg(long)]
    show_managed_fields: bool,
    #[command(flatten)]
    cluster: ClusterArgs,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    /// Releases
    #[value(alias = "release")]
    Releases,
    #[expect(clippy::doc_markdown, reason = "this is the text of --help")]
    /// GitRepositories, HelmRegistries and OCIRegistries
    #[value(alias = "source")]
    Sources,
    /// Clusters
    #[value(alias = "cluster")]
    Clusters,
}

/// One kind, as its URLs and outputs name it.
#[derive(Clone, Copy, Debug)]
struct Kind {
    group: &'static str,
    plural: &'static str,
    singular: &'static str,
}

impl What {
    const fn kinds(self) -> &'static [Kind] {
        const CORE: &str = "core.convoy.kumodo.io";
        const SOURCE: &str = "source.convoy.kumodo.io";
        const fn kind(group: &'static str, plural: &'static str, singular: &'static str) -> Kind {
            Kind {
                group,
                plural,
                singular,
            }
        }
        match self {
            Self::Releases => const { &[kind(CORE, "releases", "release")] },
            Self::Clusters => const { &[kind(CORE, "clusters", "cluster")] },
            Self::Sources => {
                const {
                    &[
                        kind(SOURCE, "gitrepositories", "gitrepository"),
                        kind(SOURCE, "helmregistries", "helmregistry"),
                        kind(SOURCE, "ociregistries", "ociregistry"),
                    ]
                }
            }
        }
    }

    const fn plural(self) -> &'static str {
        match self {
            Self::Releases => "releases",
            Self::Sources => "sources",
            Self::Clusters => "clusters",
        }
    }
}

/// Objects that one request answers at most.
const PAGE: u32 = 500;

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    let connection = connect(&args.cluster).await?;
    let namespace = (!args.all_namespaces).then(|| connection.namespace(args.namespace.namespace.as_deref()));
    let mut found = if args.names.is_empty() {
        let mut found = Vec::new();
        for kind in args.what.kinds() {
            for object in list(&connection, *kind, namespace.as_deref()).await? {
                found.push((*kind, object));
            }
        }
        found
    } else {
        named(&connection, &args, namespace.as_deref().unwrap_or("default")).await?
    };
    if !args.show_managed_fields {
        for (_, object) in &mut found {
            without_managed_fields(object);
        }
    }
    if found.is_empty() && matches!(args.output, Output::Table | Output::Name) {
        let place = namespace.map_or_else(String::new, |name| format!(" in namespace {name}"));
        print::err_line(&format!("no {} found{place}", args.what.plural()));
        return Ok(());
    }
    print::out(&show(&args, found))
}

/// Reads the objects that are named; each must exist.
async fn named(connection: &Connection, args: &Args, namespace: &str) -> Result<Vec<(Kind, Value)>, Failure> {
    let mut found = Vec::new();
    for name in &args.names {
        let before = found.len();
        for kind in args.what.kinds() {
            if let Some(object) = get(connection, *kind, namespace, name).await? {
                found.push((*kind, object));
            }
        }
        if found.len() == before {
            let what = args.what.plural().trim_end_matches('s');
            return Err(Failure::new(format!("no {what} `{name}` in namespace `{namespace}`"))
                .hint(format!("`convoy get {} -A` lists all", args.what.plural())));
        }
    }
    Ok(found)
}

fn show(args: &Args, found: Vec<(Kind, Value)>) -> String {
    match args.output {
        Output::Name => print::lines(found.iter().map(|(kind, object)| {
            let name = object
                .at(&["metadata", "name"])
                .and_then(Value::as_str)
                .unwrap_or_default();
            format!("{}.{}/{name}", kind.singular, kind.group)
        })),
        Output::Json => documents::to_json(&one_or_list(args, found)),
        Output::Yaml => documents::to_yaml(&one_or_list(args, found)),
        Output::Table => {
            let now = jiff::Timestamp::now();
            let columns = match args.what {
                What::Releases => columns::RELEASES,
                What::Sources => columns::SOURCES,
                What::Clusters => columns::CLUSTERS,
            };
            let mut header: Vec<&str> = columns.iter().map(|column| column.title).collect();
            let mut rows: Vec<Vec<Cell>> = found
                .iter()
                .map(|(_, object)| columns.iter().map(|column| (column.cell)(object, now)).collect())
                .collect();
            if args.all_namespaces {
                header.insert(0, "NAMESPACE");
                for (row, (_, object)) in rows.iter_mut().zip(&found) {
                    let namespace = object.at(&["metadata", "namespace"]).and_then(Value::as_str);
                    row.insert(0, Cell::new(namespace.unwrap_or_default()));
                }
            }
            table(&header, &rows, Style::stdout())
        }
    }
}

/// One named object as itself, anything else as a List, as kubectl prints them.
fn one_or_list(args: &Args, mut found: Vec<(Kind, Value)>) -> Value {
    if args.names.len() == 1 && found.len() == 1 {
        return found.remove(0).1;
    }
    let items: Vec<Value> = found.into_iter().map(|(_, object)| object).collect();
    Value::Object(Map::from_iter([
        ("apiVersion", Value::from("v1")),
        ("items", Value::from(items)),
        ("kind", Value::from("List")),
        ("metadata", Value::Object(Map::from_iter([("resourceVersion", "")]))),
    ]))
}

fn without_managed_fields(object: &mut Value) {
    let metadata = object.as_object_mut().and_then(|object| object.get_mut("metadata"));
    if let Some(metadata) = metadata.and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
}

fn path(kind: Kind, namespace: Option<&str>) -> String {
    let scope = namespace.map_or_else(String::new, |name| format!("/namespaces/{name}"));
    format!("/apis/{}/v1alpha1{scope}/{}", kind.group, kind.plural)
}

/// All objects of a kind, page by page.
async fn list(connection: &Connection, kind: Kind, namespace: Option<&str>) -> Result<Vec<Value>, Failure> {
    let place = namespace.map_or_else(|| "all namespaces".to_string(), |name| format!("namespace `{name}`"));
    let what = || format!("cannot list {} in {place}", kind.plural);
    let request = Request::new(path(kind, namespace));
    let mut params = ListParams::default().limit(PAGE);
    let mut items = Vec::new();
    loop {
        let call = request
            .list(&params)
            .map_err(|error| Failure::new(what()).because(&error))?;
        let page: Value = connection
            .client
            .request(call)
            .await
            .map_err(|error| connection.failure(what(), &error))?;
        let header = |name| page.get(name).and_then(Value::as_str).map(ToString::to_string);
        let (version, list_kind) = (header("apiVersion"), header("kind"));
        for item in page.get("items").and_then(Value::as_array).unwrap_or_default() {
            items.push(typed(item, version.as_deref(), list_kind.as_deref()));
        }
        let next = page
            .at(&["metadata", "continue"])
            .and_then(Value::as_str)
            .unwrap_or_default();
        if next.is_empty() {
            return Ok(items);
        }
        params = params.continue_token(next);
    }
}

/// An item of a list with `apiVersion` and `kind` first, which a server may leave to the list.
fn typed(item: &Value, version: Option<&str>, list_kind: Option<&str>) -> Value {
    let mut object = Map::new();
    object.insert("apiVersion", version.unwrap_or_default());
    object.insert("kind", list_kind.unwrap_or_default().trim_end_matches("List"));
    if let Some(members) = item.as_object() {
        object.extend(members.iter().map(|(key, value)| (key, value.clone())));
    }
    Value::Object(object)
}

async fn get(connection: &Connection, kind: Kind, namespace: &str, name: &str) -> Result<Option<Value>, Failure> {
    let what = || format!("cannot read {} `{namespace}/{name}`", kind.singular);
    let call = Request::new(path(kind, Some(namespace)))
        .get(name, &GetParams::default())
        .map_err(|error| Failure::new(what()).because(&error))?;
    match connection.client.request(call).await {
        Ok(object) => Ok(Some(object)),
        // The answer for a kind that is not served names no object.
        Err(kube::Error::Api(status)) if status.code == 404 && status.message.contains(name) => Ok(None),
        Err(error) => Err(connection.failure(what(), &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_names_its_kind_even_where_the_list_does_it_for_all() {
        let item = Value::Object(Map::from_iter([("metadata", Value::Object(Map::new()))]));
        let object = typed(&item, Some("core.convoy.kumodo.io/v1alpha1"), Some("ReleaseList"));
        assert_eq!(object.get("kind"), Some(&Value::from("Release")));
        assert_eq!(
            object.get("apiVersion"),
            Some(&Value::from("core.convoy.kumodo.io/v1alpha1"))
        );
        assert!(object.get("metadata").is_some());
    }

    #[test]
    fn urls_follow_the_scope() {
        let kind = What::Releases.kinds()[0];
        assert_eq!(path(kind, None), "/apis/core.convoy.kumodo.io/v1alpha1/releases");
        assert_eq!(
            path(kind, Some("web")),
            "/apis/core.convoy.kumodo.io/v1alpha1/namespaces/web/releases"
        );
    }
}
