//! `Chart.yaml`: what a chart says about itself.
//!
//! # Invariant
//! A [`Metadata`] in a loaded chart has been through [`Metadata::validate`].

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use convoy_sprig::semver::Version;
use convoy_value::{Map, Value};

use crate::decode::{self, Place};
use crate::error::Error;
use crate::reason::Reason;

/// Who maintains a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Maintainer {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) url: String,
}

/// A chart that another depends on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) repository: String,
    pub(crate) condition: String,
    pub(crate) tags: Option<Vec<String>>,
    pub(crate) enabled: bool,
    pub(crate) import_values: Vec<Value>,
    pub(crate) alias: String,
}

/// What `Chart.yaml` (and `requirements.yaml`) hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    pub(crate) name: String,
    pub(crate) home: String,
    pub(crate) sources: Vec<String>,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) keywords: Vec<String>,
    pub(crate) maintainers: Vec<Option<Maintainer>>,
    pub(crate) icon: String,
    pub(crate) api_version: String,
    pub(crate) condition: String,
    pub(crate) tags: String,
    pub(crate) app_version: String,
    pub(crate) deprecated: bool,
    pub(crate) annotations: Option<Vec<(String, String)>>,
    pub(crate) kube_version: String,
    pub(crate) dependencies: Vec<Option<Dependency>>,
    /// Whether a list of dependencies is there, be it empty.
    pub(crate) lists_dependencies: bool,
    pub(crate) kind: String,
}

const METADATA: &str = "Metadata";

impl Metadata {
    /// The name of the chart.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whether it is marked as deprecated.
    #[must_use]
    pub fn is_deprecated(&self) -> bool {
        self.deprecated
    }

    /// Reads a text over what is known already, as a second file does.
    pub(crate) fn read(&mut self, text: &[u8]) -> Result<(), Reason> {
        let value = decode::read(text)?;
        let Some(map) = decode::structure(&value, Place::new(METADATA, ""), "v2.Metadata")? else {
            return Ok(());
        };
        let fields: [(&str, &mut String); 11] = [
            ("name", &mut self.name),
            ("home", &mut self.home),
            ("version", &mut self.version),
            ("description", &mut self.description),
            ("icon", &mut self.icon),
            ("apiVersion", &mut self.api_version),
            ("condition", &mut self.condition),
            ("tags", &mut self.tags),
            ("appVersion", &mut self.app_version),
            ("kubeVersion", &mut self.kube_version),
            ("type", &mut self.kind),
        ];
        for (name, target) in fields {
            decode::text(map, name, METADATA, name, target)?;
        }
        if let Some(sources) = decode::texts(map, "sources", METADATA, "sources")? {
            self.sources = sources;
        }
        if let Some(keywords) = decode::texts(map, "keywords", METADATA, "keywords")? {
            self.keywords = keywords;
        }
        if let Some(deprecated) = decode::boolean(map, "deprecated", METADATA, "deprecated")? {
            self.deprecated = deprecated;
        }
        if let Some(annotations) = decode::text_map(map, "annotations", METADATA, "annotations")? {
            self.annotations = Some(annotations);
        }
        if let Some(items) = decode::list(map, "maintainers", METADATA, "maintainers", "[]*v2.Maintainer")? {
            self.maintainers = items.iter().map(read_maintainer).collect::<Result<_, _>>()?;
        }
        if let Some(items) = decode::list(map, "dependencies", METADATA, "dependencies", "[]*v2.Dependency")? {
            self.dependencies = items.iter().map(read_dependency).collect::<Result<_, _>>()?;
            self.lists_dependencies = true;
        }
        Ok(())
    }

    /// Settles the spaces and refuses what Helm refuses.
    pub(crate) fn validate(&mut self) -> Result<(), Error> {
        let texts = [
            &mut self.name,
            &mut self.description,
            &mut self.home,
            &mut self.icon,
            &mut self.condition,
            &mut self.tags,
            &mut self.app_version,
            &mut self.kube_version,
        ];
        for text in texts.into_iter().chain(&mut self.sources).chain(&mut self.keywords) {
            sanitize(text);
        }
        self.validate_fields().map_err(Error::Validation)
    }

    fn validate_fields(&mut self) -> Result<(), String> {
        let required = |field: &str| Err(format!("chart.metadata.{field} is required"));
        if self.api_version.is_empty() {
            return required("apiVersion");
        }
        if self.name.is_empty() {
            return required("name");
        }
        if self.name == "." || self.name == ".." {
            return Err(format!("chart.metadata.name {:?} is not allowed", self.name));
        }
        // Helm compares with the last part of the name as a path.
        if self.name.contains('/') {
            return Err(format!("chart.metadata.name {:?} is invalid", self.name));
        }
        if self.version.is_empty() {
            return required("version");
        }
        if Version::parse(&self.version).is_err() {
            return Err(format!("chart.metadata.version {:?} is invalid", self.version));
        }
        if !matches!(self.kind.as_str(), "" | "application" | "library") {
            return Err("chart.metadata.type must be application or library".into());
        }
        for maintainer in &mut self.maintainers {
            let Some(maintainer) = maintainer else {
                return Err("maintainers must not contain empty or null nodes".into());
            };
            sanitize(&mut maintainer.name);
            sanitize(&mut maintainer.email);
            sanitize(&mut maintainer.url);
        }
        self.validate_dependencies()
    }

    fn validate_dependencies(&mut self) -> Result<(), String> {
        let mut seen: Vec<String> = Vec::new();
        for dependency in &mut self.dependencies {
            let Some(dependency) = dependency else {
                return Err("dependencies must not contain empty or null nodes".into());
            };
            dependency.sanitize();
            let legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if !dependency.alias.chars().all(legal) {
                return Err(format!(
                    "dependency {:?} has disallowed characters in the alias",
                    dependency.name
                ));
            }
            let key = dependency.visible_name();
            if seen.iter().any(|known| known == key) {
                return Err(format!("more than one dependency with name or alias {key:?}"));
            }
            seen.push(key.to_string());
        }
        Ok(())
    }

    /// The dependencies; after validation none is null.
    pub(crate) fn dependencies(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().flatten()
    }

    /// As [`Metadata::dependencies`], to change.
    pub(crate) fn dependencies_mut(&mut self) -> impl Iterator<Item = &mut Dependency> {
        self.dependencies.iter_mut().flatten()
    }

    /// Whether this is a library, in any case of letters.
    pub(crate) fn is_library(&self) -> bool {
        self.kind.eq_ignore_ascii_case("library")
    }
}

impl Dependency {
    /// The alias, else the name.
    pub(crate) fn visible_name(&self) -> &str {
        if self.alias.is_empty() { &self.name } else { &self.alias }
    }

    fn sanitize(&mut self) {
        let texts = [
            &mut self.name,
            &mut self.version,
            &mut self.repository,
            &mut self.condition,
        ];
        for text in texts.into_iter().chain(self.tags.iter_mut().flatten()) {
            sanitize(text);
        }
    }
}

fn read_maintainer(value: &Value) -> Result<Option<Maintainer>, String> {
    let place = Place::new(METADATA, "maintainers");
    let Some(map) = decode::structure(value, place, "v2.Maintainer")? else {
        return Ok(None);
    };
    let mut maintainer = Maintainer::default();
    let fields: [(&str, &str, &mut String); 3] = [
        ("name", "maintainers.name", &mut maintainer.name),
        ("email", "maintainers.email", &mut maintainer.email),
        ("url", "maintainers.url", &mut maintainer.url),
    ];
    for (name, path, target) in fields {
        decode::text(map, name, METADATA, path, target)?;
    }
    Ok(Some(maintainer))
}

pub(crate) fn read_dependency(value: &Value) -> Result<Option<Dependency>, String> {
    let place = Place::new(METADATA, "dependencies");
    let Some(map) = decode::structure(value, place, "v2.Dependency")? else {
        return Ok(None);
    };
    let mut dependency = Dependency::default();
    let fields: [(&str, &str, &mut String); 5] = [
        ("name", "dependencies.name", &mut dependency.name),
        ("version", "dependencies.version", &mut dependency.version),
        ("repository", "dependencies.repository", &mut dependency.repository),
        ("condition", "dependencies.condition", &mut dependency.condition),
        ("alias", "dependencies.alias", &mut dependency.alias),
    ];
    for (name, path, target) in fields {
        decode::text(map, name, METADATA, path, target)?;
    }
    dependency.tags = decode::texts(map, "tags", METADATA, "dependencies.tags")?;
    dependency.enabled = decode::boolean(map, "enabled", METADATA, "dependencies.enabled")?.unwrap_or_default();
    dependency.import_values = import_values(map)?;
    Ok(Some(dependency))
}

fn import_values(map: &Map) -> Result<Vec<Value>, String> {
    let path = "dependencies.import-values";
    let items = decode::list(map, "import-values", METADATA, path, "[]interface {}")?;
    Ok(items.unwrap_or_default().to_vec())
}

/// White space becomes a space, what cannot be printed goes.
pub(crate) fn sanitize(text: &mut String) {
    let clean = |c: char| (' '..='~').contains(&c);
    if !text.chars().all(clean) {
        *text = text
            .chars()
            .map(|c| if c.is_whitespace() { ' ' } else { c })
            .filter(|c| is_print(*c))
            .collect();
    }
}

/// Nearly Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the space.
fn is_print(c: char) -> bool {
    let format = matches!(
        c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e007f}' | '\u{f0000}'..='\u{10ffff}'
    );
    !c.is_control() && !format
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Metadata, String> {
        let mut metadata = Metadata::default();
        let read = metadata.read(text.as_bytes());
        read.map_err(|reason| reason.go_text().to_string())?;
        metadata.validate().map_err(|error| error.to_string())?;
        Ok(metadata)
    }

    #[test]
    fn what_helm_refuses_is_refused() {
        let check = |text: &str, expect: &str| assert_eq!(load(text).unwrap_err(), expect, "{text}");
        check("name: a", "validation: chart.metadata.apiVersion is required");
        check("apiVersion: v2", "validation: chart.metadata.name is required");
        check(
            "apiVersion: v2\nname: a",
            "validation: chart.metadata.version is required",
        );
        check(
            "apiVersion: v2\nname: a/b\nversion: 1.0.0",
            "validation: chart.metadata.name \"a/b\" is invalid",
        );
        check(
            "apiVersion: v2\nname: ..\nversion: 1.0.0",
            "validation: chart.metadata.name \"..\" is not allowed",
        );
        check(
            "apiVersion: v2\nname: a\nversion: x",
            "validation: chart.metadata.version \"x\" is invalid",
        );
        check(
            "apiVersion: v2\nname: a\nversion: 1.0.0\ntype: app",
            "validation: chart.metadata.type must be application or library",
        );
        check(
            "apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies: [{name: b}, {name: c, alias: b}]",
            "validation: more than one dependency with name or alias \"b\"",
        );
        check(
            "apiVersion: v2\nname: a\nversion: 1.0.0\nkeywords: a",
            "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field Metadata.keywords of type []string",
        );
    }

    #[test]
    fn numbers_are_text_where_text_is_wanted() {
        let metadata = load("apiVersion: v2\nname: a\nversion: 1.20\nappVersion: 2\nannotations: {a: true}").unwrap();
        assert_eq!(metadata.version, "1.2");
        assert_eq!(metadata.app_version, "2");
        assert_eq!(metadata.annotations.unwrap(), [("a".to_string(), "true".to_string())]);
    }
}
