//! The render store that a command works with: its URL, its credentials, its keys.
//!
//! Credentials are the process's variables, or a Secret beside the controller that the URL names with `secret=`, whose
//! keys are names of such variables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use convoy_blob::{Environment, Options};
use convoy_domain::id::NamespacedName;
use convoy_domain::secret::Secret;
use convoy_domain::url::without_credentials;
use convoy_kube::KubeControlPlane;
use convoy_ports::ControlPlane as _;
use convoy_runtime::Settings;
use convoy_runtime::render_store::{Keyring, RenderStore};
use convoy_system::SystemEntropy;

use crate::connect::Connection;
use crate::disk;
use crate::failure::Failure;

/// Which store a command works with.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Render store")]
pub(crate) struct StoreUrlArgs {
    /// Render store of the controller
    #[arg(long, value_name = "URL", env = "CONVOY_RENDER_STORE_URL")]
    render_store_url: Option<String>,
}

impl StoreUrlArgs {
    /// The URL; empty when there is none.
    pub(crate) fn url(&self) -> &str {
        self.render_store_url.as_deref().unwrap_or_default()
    }
}

/// Which store a command reads renders of.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Render store")]
pub(crate) struct StoreArgs {
    #[command(flatten)]
    place: StoreUrlArgs,
    /// File with the keys that renders are sealed with, when they are
    #[arg(long, value_name = "FILE", env = "CONVOY_RENDER_STORE_ENCRYPTION_KEY_FILE")]
    render_store_encryption_key_file: Option<PathBuf>,
}

impl StoreArgs {
    /// The URL; empty when there is none.
    pub(crate) fn url(&self) -> &str {
        self.place.url()
    }

    /// The file of keys.
    pub(crate) fn keys(&self) -> Option<&Path> {
        self.render_store_encryption_key_file.as_deref()
    }
}

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nothing is made, and no permission to write is needed.
    Read,
    /// Everything.
    Write,
}

/// Variables of a Secret.
type Variables = BTreeMap<String, Secret<Vec<u8>>>;

/// Opens the render store of a URL whose credentials are the process's; an empty URL is no store.
pub(crate) fn open(url: &str, keys: Option<&Path>, access: Access) -> Result<RenderStore, Failure> {
    if let Some(name) = secret_of(url)? {
        return Err(Failure::new(format!(
            "cannot read Secret `{name}` of the render store without a cluster"
        )));
    }
    open_with(url, keys, access, Variables::new())
}

/// As [`open`]; when the URL names a Secret, its credentials are read from the cluster.
pub(crate) async fn open_with_secret(
    url: &str,
    keys: Option<&Path>,
    access: Access,
    connection: Result<&Connection, &Failure>,
) -> Result<RenderStore, Failure> {
    let variables = match secret_of(url)? {
        None => Variables::new(),
        Some(name) => secret(&name, connection.map_err(Clone::clone)?).await?,
    };
    open_with(url, keys, access, variables)
}

fn open_with(url: &str, keys: Option<&Path>, access: Access, secret: Variables) -> Result<RenderStore, Failure> {
    let keys = keys.map(keyring).transpose()?;
    let text = |value: Secret<Vec<u8>>| String::from_utf8(value.expose().clone()).ok();
    let texts = secret
        .into_iter()
        .filter_map(|(name, value)| Some((name, text(value)?.trim().to_owned())));
    let options = Options {
        environment: Environment::of_process().with(texts),
        read_only: access == Access::Read,
        ..Options::default()
    };
    let blobs = convoy_blob::open_with(url, &options).map_err(|error| cannot_open(url, &error))?;
    let store = RenderStore::from(blobs);
    Ok(match keys {
        Some(keys) => store.sealed(keys, Arc::new(SystemEntropy)),
        None => store,
    })
}

fn secret_of(url: &str) -> Result<Option<String>, Failure> {
    convoy_blob::secret_of(url).map_err(|error| cannot_open(url, &error))
}

fn cannot_open(url: &str, error: &convoy_blob::OpenError) -> Failure {
    Failure::new(format!("cannot open the render store `{}`", without_credentials(url)))
        .because(error)
        .hint(
            "write `file:///DIR?create_dir=true`, `s3://BUCKET?region=…`, `gs://BUCKET`, \
             `azblob://CONTAINER?storage_account=…`, `mem://`, or nothing for no store",
        )
}

/// The Secret beside the controller.
async fn secret(name: &str, connection: &Connection) -> Result<Variables, Failure> {
    let namespace = std::env::var("POD_NAMESPACE").unwrap_or(Settings::default().own_namespace);
    let what = || format!("cannot read Secret `{namespace}/{name}` of the render store");
    let id = NamespacedName::new(&namespace, name).map_err(|error| Failure::usage(what()).because(&error))?;
    let read = KubeControlPlane::new(connection.client.clone()).secret(&id).await;
    read.map_err(|error| Failure::new(what()).because(&error))?
        .ok_or_else(|| Failure::new(what()).because_text("there is none"))
}

/// Most bytes of a file of keys.
const KEY_FILE_BYTES: u64 = 64 * 1024;

/// Reads a file of keys, of which no message shows anything.
pub(crate) fn keyring(path: &Path) -> Result<Keyring, Failure> {
    let what = || format!("cannot read the keys of the render store from `{}`", path.display());
    disk::check_readable(path, KEY_FILE_BYTES)?;
    let text = std::fs::read_to_string(path).map_err(|error| Failure::new(what()).because(&error))?;
    Keyring::parse(&text).map_err(|error| {
        Failure::new(what())
            .because(&error)
            .hint("one key a line: `openssl rand -base64 32` makes one; the first seals, all of them open")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_credentials_of_a_store_are_shown() {
        let text = format!(
            "{:?}",
            open("s3://user:hunter2@bucket", None, Access::Write).unwrap_err()
        );
        assert!(text.contains("s3://bucket") && !text.contains("hunter2"), "{text}");
    }

    #[test]
    fn a_file_that_holds_no_keys_is_told_by_its_line_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("keys");
        std::fs::write(&path, "# key\nhunter2\n").unwrap();
        let text = format!("{:?}", keyring(&path).unwrap_err());
        assert!(text.contains("line 2 is no key") && !text.contains("hunter2"), "{text}");
        assert!(keyring(&dir.path().join("absent")).is_err());
    }
}
