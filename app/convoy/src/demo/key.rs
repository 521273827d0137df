//! The installation key of a demo. Its API server forgets everything when it ends; a kept directory keeps the key, so
//! that the passwords of its charts stay as they are.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use convoy_domain::entropy::{EntropyKey, KEY_ENTRY};
use convoy_domain::id::NamespacedName;
use convoy_domain::secret::Secret;
use convoy_ports::{ControlPlane, Entropy as _};
use convoy_runtime::Settings;
use convoy_system::SystemEntropy;

use crate::failure::Failure;

/// File of the state directory that holds the key.
const FILE: &str = "entropy-key";

/// Puts the key of the directory, made if there is none, where the controller looks for it.
pub(super) async fn install(
    control_plane: &dyn ControlPlane,
    settings: &Settings,
    state: &Path,
) -> Result<(), Failure> {
    let failed = || Failure::new("cannot set up the installation key of the demo");
    let key = key(&state.join(FILE))?;
    let id = NamespacedName::new(&settings.own_namespace, &settings.entropy_secret)
        .map_err(|error| failed().because(&error))?;
    let entries = BTreeMap::from([(KEY_ENTRY.to_string(), Secret::new(key))]);
    let created = control_plane.create_secret(&id, &entries).await;
    created.map(drop).map_err(|error| failed().because(&error))
}

fn key(file: &Path) -> Result<Vec<u8>, Failure> {
    let failed = || Failure::new(format!("cannot keep the installation key in `{}`", file.display()));
    match fs::read(file) {
        Ok(key) => return Ok(key),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed().because(&error)),
    }
    let mut key = vec![0; EntropyKey::BYTES];
    SystemEntropy.fill(&mut key).map_err(|error| failed().because(&error))?;
    let mut options = OpenOptions::new();
    let opened = options.write(true).create_new(true).mode(0o600).open(file);
    opened
        .and_then(|mut file| file.write_all(&key))
        .map_err(|error| failed().because(&error))?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_directory_keeps_its_key_from_others() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(FILE);
        let first = key(&file).unwrap();
        assert_eq!(first.len(), EntropyKey::BYTES);
        assert_eq!(key(&file).unwrap(), first);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_ne!(key(&dir.path().join("other")).unwrap(), first);
    }
}
