//! Server-side apply.

use serde_json::{Value, json};

use super::admit;
use super::create::{ignored, nothing};
use super::update::without_managers;
use super::{Core, Target, Write, Written};
use crate::apply::{self, Conflict, Manager, Managers, Operation, Refusal, Scope};
use crate::clock::now_text;
use crate::fields::FieldSet;
use crate::status::{ApiError, FieldError};

/// The manager that owns what was there before anybody's ownership was recorded.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// What `kubectl apply` remembers of a client-side apply.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

impl Core {
    /// `PATCH` with a configuration.
    ///
    /// # Errors
    /// What a Kubernetes API server would answer; 409 with one cause for each field that others own.
    pub(super) fn apply(&mut self, target: &Target, mut config: Value, write: &Write) -> Result<Written, ApiError> {
        check_request(target, &config, write)?;
        let strict = Write {
            validation: super::Validation::Strict,
            ..write.clone()
        };
        let place = place(target, &config);
        if let Some(why) = crate::types::decode::untyped(&target.resource.ty, &config) {
            return Err(ApiError::new(
                500,
                "",
                format!("failed to create typed patch object ({place}): {why}"),
            ));
        }
        admit::decode(target, &mut config, &strict).map_err(|error| undeclared(&place, error))?;
        if config["metadata"]
            .get("managedFields")
            .is_some_and(|entries| !entries.is_null())
        {
            return Err(ApiError::bad_request("metadata.managedFields must be nil"));
        }
        let live = match self.current(target) {
            Ok(live) => Some(live),
            Err(error) if target.subresource.is_empty() && error.code == 404 => None,
            Err(error) => return Err(error),
        };
        match live {
            Some(live) => self.apply_over(target, &live, &config, write, &place),
            None => self.apply_new(target, &config, write, &place),
        }
    }

    fn apply_new(&mut self, target: &Target, config: &Value, write: &Write, place: &str) -> Result<Written, ApiError> {
        let resource = &target.resource;
        if config["metadata"]["uid"].as_str().is_some_and(|uid| !uid.is_empty()) {
            let why = format!(
                "uid mismatch: the provided object specified uid {}, and no existing object was found",
                config["metadata"]["uid"].as_str().unwrap_or("")
            );
            return Err(ApiError::conflict(
                &resource.group,
                &resource.plural,
                &target.name,
                &why,
            ));
        }
        let (ignored, now, version) = (ignored(target), now_text(), resource.api_version());
        let scope = Scope {
            ty: &resource.ty,
            ignored: &ignored,
            now: &now,
        };
        let manager = Manager::new(Operation::Apply, &write.manager, &version, "");
        let applied = apply::apply(
            &scope,
            &nothing(target),
            config,
            Managers::default(),
            &manager,
            &version,
            write.force,
        );
        let (mut object, managers) = applied.map_err(|refusal| refused(place, refusal))?;
        let _ = crate::types::decode::prune(&resource.ty, &mut object, resource.custom.is_none());
        self.create_decoded(target, object, write, Some(managers), Vec::new())
    }

    fn apply_over(
        &mut self,
        target: &Target,
        live: &Value,
        config: &Value,
        write: &Write,
        place: &str,
    ) -> Result<Written, ApiError> {
        let resource = &target.resource;
        let (ignored, now, version) = (ignored(target), now_text(), resource.api_version());
        let scope = Scope {
            ty: &resource.ty,
            ignored: &ignored,
            now: &now,
        };
        let manager = Manager::new(Operation::Apply, &write.manager, &version, &target.subresource);
        let plain = without_managers(live);
        let mut managers = Managers::decode(live["metadata"].get("managedFields")).unwrap_or_default();
        if managers.0.is_empty() {
            let before = Manager::new(Operation::Update, BEFORE_FIRST_APPLY, &version, "");
            managers = apply::update(&scope, &nothing(target), &plain, managers, &before, &version);
        }
        let run = |force| apply::apply(&scope, &plain, config, managers.clone(), &manager, &version, force);
        let outcome = match run(write.force) {
            Err(Refusal::Conflicts(conflicts)) if write.manager == "kubectl" => {
                let allowed = last_applied(target, &plain);
                let left: Vec<Conflict> = conflicts
                    .into_iter()
                    .filter(|conflict| !allowed.has(&conflict.path))
                    .collect();
                if left.is_empty() {
                    run(true)
                } else {
                    Err(Refusal::Conflicts(left))
                }
            }
            other => other,
        };
        let (mut object, managers) = outcome.map_err(|refusal| refused(place, refusal))?;
        let _ = crate::types::decode::prune(&resource.ty, &mut object, resource.custom.is_none());
        if !object["metadata"].is_object() {
            object["metadata"] = live["metadata"].clone();
        }
        object["metadata"]["name"] = json!(target.name);
        self.finish(target, live, object, Some(managers), write, Vec::new())
    }
}

fn check_request(target: &Target, config: &Value, write: &Write) -> Result<(), ApiError> {
    if write.manager.is_empty() {
        let error = FieldError::required("fieldManager", "is required for apply patch");
        return Err(ApiError::invalid("meta.k8s.io", "PatchOptions", "", &[error]));
    }
    let text = |field: &str| config.get(field).and_then(Value::as_str).unwrap_or("").to_owned();
    let (version, kind) = (text("apiVersion"), text("kind"));
    if version.is_empty() || kind.is_empty() {
        let version = if version.is_empty() { "/".to_owned() } else { version };
        return Err(ApiError::bad_request(format!(
            "invalid object type: {version}, Kind={kind}"
        )));
    }
    if target.subresource == "scale" {
        return Err(ApiError::new(
            415,
            "UnsupportedMediaType",
            "this server does not apply to the scale subresource: patch it",
        ));
    }
    let given = config["metadata"]["name"].as_str().unwrap_or("");
    if !given.is_empty() && given != target.name {
        let url = &target.name;
        let why = format!("the name of the object ({given}) does not match the name on the URL ({url})");
        return Err(ApiError::bad_request(why));
    }
    Ok(())
}

/// A configuration as errors about its type name it.
fn place(target: &Target, config: &Value) -> String {
    let metadata = &config["metadata"];
    let name = metadata["name"].as_str().unwrap_or(&target.name);
    let space = metadata["namespace"].as_str().unwrap_or("");
    format!(
        "{space}/{name}; {}, Kind={}",
        target.resource.api_version(),
        target.resource.kind
    )
}

/// Unknown fields in a configuration are refused whatever `fieldValidation` says.
fn undeclared(place: &str, error: ApiError) -> ApiError {
    let Some((_, list)) = error.message.split_once("strict decoding error: ") else {
        return error;
    };
    let fields = list.split(", ").map(|part| {
        let path = part.trim_start_matches("unknown field ").trim_matches('"');
        format!(".{path}: field not declared in schema")
    });
    let fields: Vec<String> = fields.collect();
    let why = if fields.len() == 1 {
        fields.concat()
    } else {
        let lines: Vec<String> = fields.iter().map(|field| format!("\n  {field}")).collect();
        format!("errors:{}", lines.concat())
    };
    ApiError::new(500, "", format!("failed to create typed patch object ({place}): {why}"))
}

/// Fields that a client-side apply wrote and nobody changed since: `kubectl` may take them over.
fn last_applied(target: &Target, live: &Value) -> FieldSet {
    let text = live["metadata"]["annotations"][LAST_APPLIED].as_str().unwrap_or("");
    let Ok(last) = serde_json::from_str::<Value>(text) else {
        return FieldSet::default();
    };
    if last["apiVersion"] != live["apiVersion"] {
        return FieldSet::default();
    }
    let ty = &target.resource.ty;
    let comparison = apply::compare(ty, &last, live);
    apply::field_set(ty, &last)
        .difference(&comparison.modified)
        .difference(&comparison.added)
        .difference(&comparison.removed)
}

fn refused(place: &str, refusal: Refusal) -> ApiError {
    match refusal {
        Refusal::Conflicts(conflicts) => conflict_status(&conflicts),
        Refusal::Merge(error) => ApiError::new(
            500,
            "",
            format!("failed to create typed patch object ({place}): {error}"),
        ),
    }
}

fn conflict_status(conflicts: &[Conflict]) -> ApiError {
    let causes: Vec<Value> = conflicts
        .iter()
        .map(|conflict| {
            json!({"reason": "FieldManagerConflict", "message": format!("conflict with {}", conflict.manager.show()),
                "field": conflict.field()})
        })
        .collect();
    let message = if let [one] = conflicts {
        format!(
            "Apply failed with 1 conflict: conflict with {}: {}",
            one.manager.show(),
            one.field()
        )
    } else {
        let mut lines = Vec::new();
        let mut last = None;
        for conflict in conflicts {
            if last != Some(&conflict.manager) {
                lines.push(format!("conflicts with {}:", conflict.manager.show()));
                last = Some(&conflict.manager);
            }
            lines.push(format!("- {}", conflict.field()));
        }
        format!("Apply failed with {} conflicts: {}", conflicts.len(), lines.join("\n"))
    };
    ApiError {
        details: json!({"causes": causes}),
        ..ApiError::new(409, "Conflict", message)
    }
}
