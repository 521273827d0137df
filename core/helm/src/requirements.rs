//! Which charts another needs that are not shipped with it, and how fetched ones are put beside it.
//!
//! What `helm dependency build` and `helm dependency update` do, but for the fetching: the lock file decides versions
//! where there is one, else the constraint does.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use convoy_sprig::semver::is_compatible;

use crate::archive::Limits;
use crate::chart::{Chart, Files};
use crate::decode;
use crate::error::Error;
use crate::metadata::{Dependency, Metadata, read_dependency};
use crate::reason::Reason;

/// A chart that is fetched for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its name.
    pub name: String,
    /// The version that the lock file names, else the constraint of `Chart.yaml`; empty for any.
    pub version: String,
    /// Where it is, as `Chart.yaml` says it: a URL, `@name`, `alias:name`.
    pub repository: String,
}

/// The requirements of the chart in a folder, each once. Dependencies without a repository are in `charts/`, and are
/// none.
///
/// # Errors
/// When `Chart.yaml` or the lock file cannot be read, or the lock file is not that of these dependencies.
pub fn requirements(files: &Files) -> Result<Vec<Requirement>, Error> {
    let metadata = metadata(files)?;
    let lock = lock(files, &metadata)?;
    let mut found: Vec<Requirement> = Vec::new();
    for dependency in metadata.dependencies() {
        if dependency.repository.is_empty() {
            continue;
        }
        let version = match &lock {
            Some(locked) => locked_version(locked, dependency)?,
            None => dependency.version.clone(),
        };
        let requirement = Requirement {
            name: dependency.name.clone(),
            version,
            repository: dependency.repository.clone(),
        };
        // One chart under two aliases.
        if !found.contains(&requirement) {
            found.push(requirement);
        }
    }
    Ok(found)
}

/// The files of a chart with `fetched` in its folder `charts/`, in place of what is there of the same name.
///
/// # Errors
/// When `fetched` is no chart, or another one than `requirement`.
pub fn supply(files: &mut Files, requirement: &Requirement, fetched: &Files, limits: &Limits) -> Result<(), Error> {
    let chart = Chart::load_within(fetched, limits)?;
    let (name, version) = (chart.metadata().name(), chart.metadata().version());
    let fits = requirement.version.is_empty() || is_compatible(&requirement.version, version);
    if name != requirement.name || !fits {
        return Err(Error::Requirement(format!(
            "`{}` {} is needed, and {name} {version} was found in `{}`",
            requirement.name, requirement.version, requirement.repository
        )));
    }
    // Another version of the same chart may be needed, too.
    let folder = format!("charts/{name}-{version}");
    let folders = [format!("charts/{name}/"), format!("{folder}/")];
    let goes = |path: &String| folders.iter().any(|folder| path.starts_with(folder)) || is_archive_of(path, name);
    files.retain(|path, _| !goes(path));
    for (path, content) in fetched {
        files.insert(format!("{folder}/{path}"), content.clone());
    }
    Ok(())
}

/// Whether a file of `charts/` is an archive of the chart, of any version.
fn is_archive_of(path: &str, name: &str) -> bool {
    let version = path
        .strip_prefix("charts/")
        .and_then(|file| file.strip_suffix(".tgz"))
        .and_then(|file| file.strip_prefix(name))
        .and_then(|rest| rest.strip_prefix('-'));
    version.is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit() || c == 'v'))
}

fn metadata(files: &Files) -> Result<Metadata, Error> {
    let mut metadata = Metadata::default();
    for file in ["Chart.yaml", "requirements.yaml"] {
        let Some(text) = files.get(file) else { continue };
        let read = metadata.read(text);
        read.map_err(|reason| Error::File { file, reason })?;
    }
    if !files.contains_key("Chart.yaml") {
        return Err(Error::NoChartYaml);
    }
    if metadata.api_version.is_empty() {
        metadata.api_version = "v1".into();
    }
    metadata.validate()?;
    Ok(metadata)
}

/// The dependencies of the lock file, if there is one.
fn lock(files: &Files, metadata: &Metadata) -> Result<Option<Vec<Dependency>>, Error> {
    let names: [&'static str; 2] = if metadata.api_version == "v1" {
        ["requirements.lock", "Chart.lock"]
    } else {
        ["Chart.lock", "requirements.lock"]
    };
    for file in names {
        let Some(text) = files.get(file) else { continue };
        let cannot = |reason: Reason| Error::File { file, reason };
        let value = decode::read(text).map_err(cannot)?;
        let map = decode::structure(&value, decode::Place::new("Lock", ""), "v2.Lock");
        let Some(map) = map.map_err(|reason| cannot(reason.into()))? else {
            return Ok(Some(Vec::new()));
        };
        let items = decode::list(map, "dependencies", "Lock", "dependencies", "[]*v2.Dependency");
        let items = items.map_err(|reason| cannot(reason.into()))?.unwrap_or_default();
        let read: Result<Vec<_>, String> = items.iter().map(read_dependency).collect();
        let read = read.map_err(|reason| cannot(reason.into()))?;
        return Ok(Some(read.into_iter().flatten().collect()));
    }
    Ok(None)
}

/// The version that the lock file gives a dependency: of its name, and within its constraint.
fn locked_version(locked: &[Dependency], dependency: &Dependency) -> Result<String, Error> {
    let fits = |entry: &&Dependency| {
        entry.name == dependency.name
            && (dependency.version.is_empty() || is_compatible(&dependency.version, &entry.version))
    };
    let entry = locked.iter().find(fits).ok_or_else(|| {
        Error::Requirement(format!(
            "the lock file is out of sync with the dependencies: it has no version of `{}` that fits `{}`",
            dependency.name, dependency.version
        ))
    })?;
    Ok(entry.version.clone())
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;
    use alloc::sync::Arc;
    use alloc::vec;

    use super::*;

    fn files(entries: &[(&str, &str)]) -> Files {
        let entry = |(path, text): &(&str, &str)| (path.to_string(), Arc::from(text.as_bytes()));
        entries.iter().map(entry).collect()
    }

    fn chart(dependencies: &str) -> (&'static str, String) {
        (
            "Chart.yaml",
            format!("apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies: {dependencies}\n"),
        )
    }

    fn of(dependencies: &str, lock: Option<&str>) -> Result<Vec<(String, String)>, String> {
        let (name, text) = chart(dependencies);
        let mut entries = vec![(name, text.as_str())];
        entries.extend(lock.map(|lock| ("Chart.lock", lock)));
        let found = requirements(&files(&entries)).map_err(|error| error.to_string())?;
        Ok(found.into_iter().map(|one| (one.name, one.version)).collect())
    }

    fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, version)| (name.to_string(), version.to_string()))
            .collect()
    }

    #[test]
    fn the_lock_file_decides_else_the_constraint() {
        let two = "[{name: a, version: ^1, repository: 'https://h'}, {name: b, version: '>=2', repository: 'oci://h'}]";
        assert_eq!(of(two, None), Ok(named(&[("a", "^1"), ("b", ">=2")])));
        let lock = "dependencies: [{name: b, version: 2.3.4, repository: x}, {name: a, version: 1.2.3}]";
        assert_eq!(of(two, Some(lock)), Ok(named(&[("a", "1.2.3"), ("b", "2.3.4")])));
        assert_eq!(of("[]", None), Ok(vec![]));
    }

    #[test]
    fn a_lock_file_of_other_dependencies_is_refused() {
        let one = "[{name: a, version: ^1, repository: 'https://h'}]";
        for lock in [
            "dependencies: [{name: a, version: 2.0.0}]",
            "dependencies: []",
            "{}",
            "",
        ] {
            let found = of(one, Some(lock));
            let error = found.unwrap_err();
            assert!(
                error.contains("out of sync") && error.contains("`a` that fits `^1`"),
                "{lock}: {error}"
            );
        }
        assert!(of(one, Some("dependencies: {}")).unwrap_err().contains("Chart.lock"));
    }

    #[test]
    fn what_is_shipped_is_not_required_and_aliases_share() {
        let all = "[{name: shipped, version: 1}, {name: a, version: 1, repository: r}, \
                   {name: a, version: 1, repository: r, alias: again}, {name: a, version: 2, repository: r, alias: newer}]";
        assert_eq!(of(all, None), Ok(named(&[("a", "1"), ("a", "2")])));
    }

    #[test]
    fn charts_of_the_first_version_have_files_of_their_own() {
        let old = files(&[
            ("Chart.yaml", "name: app\nversion: 1.0.0"),
            (
                "requirements.yaml",
                "dependencies: [{name: a, version: 1.x, repository: r}]",
            ),
            (
                "requirements.lock",
                "dependencies: [{name: a, version: 1.5.0, repository: r}]",
            ),
        ]);
        assert_eq!(requirements(&old).unwrap()[0].version, "1.5.0");
        assert!(requirements(&Files::new()).is_err());
    }

    fn required(name: &str, version: &str) -> Requirement {
        Requirement {
            name: name.into(),
            version: version.into(),
            repository: "https://h".into(),
        }
    }

    fn sub(name: &str, version: &str) -> Files {
        files(&[(
            "Chart.yaml",
            &format!("apiVersion: v2\nname: {name}\nversion: {version}"),
        )])
    }

    #[test]
    fn what_is_fetched_takes_the_place_of_what_was_there() {
        let mut tree = files(&[
            ("Chart.yaml", "x"),
            ("charts/a/Chart.yaml", "old"),
            ("charts/a-0.9.0.tgz", "old"),
            ("charts/a-team-1.0.0.tgz", "another chart"),
            ("charts/b/Chart.yaml", "stays"),
        ]);
        supply(&mut tree, &required("a", "^1"), &sub("a", "1.2.3"), &Limits::default()).unwrap();
        let names: Vec<&str> = tree.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "Chart.yaml",
                "charts/a-1.2.3/Chart.yaml",
                "charts/a-team-1.0.0.tgz",
                "charts/b/Chart.yaml"
            ]
        );
        supply(&mut tree, &required("a", "2.x"), &sub("a", "2.0.0"), &Limits::default()).unwrap();
        assert!(tree.contains_key("charts/a-1.2.3/Chart.yaml") && tree.contains_key("charts/a-2.0.0/Chart.yaml"));
    }

    #[test]
    fn another_chart_or_version_is_refused() {
        for (name, version) in [("b", "1.2.3"), ("a", "2.0.0")] {
            let mut tree = Files::new();
            let error = supply(&mut tree, &required("a", "^1"), &sub(name, version), &Limits::default()).unwrap_err();
            assert!(
                error.to_string().contains(&format!("{name} {version} was found")),
                "{error}"
            );
            assert!(tree.is_empty());
        }
        assert!(supply(&mut Files::new(), &required("a", ""), &Files::new(), &Limits::default()).is_err());
    }
}
