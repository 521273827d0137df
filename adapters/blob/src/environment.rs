//! Where credentials come from: names and values, as a process has them, and those of a Secret before them.

use std::collections::BTreeMap;
use std::fmt;

/// Variables by name. Values are credentials: they are printed nowhere.
#[derive(Clone, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The variables of this process; those that are no UTF-8 are left out.
    #[must_use]
    pub fn of_process() -> Self {
        let texts =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self(texts.collect())
    }

    /// These variables, and before them those of a Secret, whose keys are names of variables.
    #[must_use]
    pub fn with(mut self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        self.0.extend(variables);
        self
    }

    /// A variable that is set to something.
    #[must_use]
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The variables whose names start with `prefix`, names in lower case.
    pub(crate) fn starting_with<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (String, &'a str)> {
        let all = self
            .0
            .iter()
            .filter(move |(name, value)| name.starts_with(prefix) && !value.is_empty());
        all.map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(variables: [(&str, &str); N]) -> Self {
        let owned = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self(owned.into_iter().collect())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Environment({} variables)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_comes_before_the_process_and_nothing_is_printed() {
        let environment = Environment::from([
            ("AWS_REGION", "eu-1"),
            ("AWS_SECRET_ACCESS_KEY", "old"),
            ("AWS_EMPTY", ""),
        ])
        .with([("AWS_SECRET_ACCESS_KEY".to_owned(), "hunter2".to_owned())]);
        assert_eq!(environment.get("AWS_SECRET_ACCESS_KEY"), Some("hunter2"));
        assert_eq!(environment.get("AWS_EMPTY"), None);
        let all: Vec<_> = environment.starting_with("AWS_").collect();
        assert_eq!(
            all,
            [
                ("aws_region".to_owned(), "eu-1"),
                ("aws_secret_access_key".to_owned(), "hunter2")
            ]
        );
        assert!(!format!("{environment:?}").contains("hunter2"));
    }
}
