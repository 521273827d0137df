//! Parameters of requests.

use axum::extract::Query;
use http::Uri;

use crate::ops::{ListOptions, Target, Validation, Write};
use crate::select::{FieldSelector, LabelSelector};
use crate::status::{ApiError, FieldError};

/// A manager's longest name.
const MAX_MANAGER_BYTES: usize = 128;

/// The parameters of one request.
#[derive(Debug, Default)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    pub(crate) fn of(uri: &Uri) -> Result<Self, ApiError> {
        let parsed = Query::<Vec<(String, String)>>::try_from_uri(uri);
        parsed
            .map(|Query(pairs)| Self(pairs))
            .map_err(|error| ApiError::bad_request(error.to_string()))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some("true" | "1" | "True" | "t"))
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, ApiError> {
        let Some(text) = self.get(name) else { return Ok(None) };
        text.parse()
            .map(Some)
            .map_err(|_| ApiError::bad_request(format!("strconv.ParseInt: parsing {text:?}: invalid syntax")))
    }

    pub(crate) fn dry_run(&self) -> Result<bool, ApiError> {
        match self.get("dryRun") {
            None => Ok(false),
            Some("All") => Ok(true),
            Some(other) => {
                let error = FieldError::not_supported("dryRun", &serde_json::json!([other]), &["All".to_owned()]);
                Err(ApiError::invalid("meta.k8s.io", "CreateOptions", "", &[error]))
            }
        }
    }

    /// How to write; without a named manager the client's program is the manager.
    pub(crate) fn write(&self, user_agent: &str, apply: bool) -> Result<Write, ApiError> {
        let validation = match self.get("fieldValidation") {
            None | Some("Warn") => Validation::Warn,
            Some("Strict") => Validation::Strict,
            Some("Ignore") => Validation::Ignore,
            Some(other) => {
                let allowed = ["", "Ignore", "Strict", "Warn"].map(str::to_owned);
                let error = FieldError::not_supported("fieldValidation", &other.into(), &allowed);
                return Err(ApiError::invalid("meta.k8s.io", "CreateOptions", "", &[error]));
            }
        };
        let program = user_agent.split('/').next().unwrap_or("").trim();
        let program = if program.is_empty() { "unknown" } else { program };
        let manager = match self.get("fieldManager") {
            Some(name) if name.len() > MAX_MANAGER_BYTES => {
                let error = FieldError::too_long("fieldManager", MAX_MANAGER_BYTES as u64);
                return Err(ApiError::invalid("meta.k8s.io", "PatchOptions", "", &[error]));
            }
            Some(name) => name.to_owned(),
            None if apply => String::new(),
            None => program.chars().take(MAX_MANAGER_BYTES).collect(),
        };
        if self.get("force").is_some() && !apply {
            let error = FieldError::forbidden("force", "may not be specified for non-apply patch");
            return Err(ApiError::invalid("meta.k8s.io", "PatchOptions", "", &[error]));
        }
        Ok(Write {
            dry_run: self.dry_run()?,
            manager,
            force: self.flag("force"),
            validation,
            unconditional: false,
            duplicates: Vec::new(),
        })
    }

    pub(crate) fn list(&self, target: &Target) -> Result<ListOptions, ApiError> {
        let selectable = target
            .resource
            .custom
            .as_ref()
            .map_or(&[][..], |custom| custom.selectable.as_slice());
        let fields = self.get("fieldSelector").unwrap_or("");
        let fields = if &*target.resource.storage == "events" && target.resource.group == "events.k8s.io" {
            fields
                .replace("regarding.", "involvedObject.")
                .replace("reportingController", "reportingComponent")
        } else {
            fields.to_owned()
        };
        Ok(ListOptions {
            labels: LabelSelector::parse(self.get("labelSelector").unwrap_or(""))?,
            fields: FieldSelector::parse(&fields, &target.resource.storage, selectable)?,
            limit: self
                .number("limit")?
                .map_or(0, |limit| usize::try_from(limit).unwrap_or(usize::MAX)),
            from: self.get("continue").unwrap_or("").to_owned(),
            revision: self.number("resourceVersion")?,
            exact: self.get("resourceVersionMatch") == Some("Exact"),
        })
    }
}
