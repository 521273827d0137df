//! From a request to its answer.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Request, State};
use axum::response::Response;
use http::header::USER_AGENT;
use http::{HeaderMap, Method};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::body;
use super::negotiate::{self, Form};
use super::query::Params;
use super::route::{self, Path, Route};
use super::table::{self, Include};
use super::{answer, discovery, openapi};
use crate::ops::{Core, DeleteOptions, ListOptions, PatchKind, Target, Written};
use crate::status::ApiError;
use crate::types::Type;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    core: Mutex<Core>,
    pub(crate) address: String,
    pub(crate) watches: Arc<AtomicUsize>,
    pub(crate) max_watches: usize,
    pub(crate) shutdown: watch::Sender<bool>,
}

impl Shared {
    pub(crate) fn new(core: Core, address: String) -> Self {
        let max_watches = core.store.limits().watches;
        Self {
            core: Mutex::new(core),
            address,
            watches: Arc::default(),
            max_watches,
            shutdown: watch::Sender::new(false),
        }
    }

    /// The state. Held for the time of one operation, never across an await.
    pub(crate) fn core(&self) -> MutexGuard<'_, Core> {
        // A panic inside an operation leaves the store as it was before or after one write.
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers one request.
pub(crate) async fn handle(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    match answer_to(&shared, request).await {
        Ok(response) => response,
        Err(error) => answer::refusal(&error),
    }
}

async fn answer_to(shared: &Arc<Shared>, request: Request) -> Result<Response, ApiError> {
    let route = route::route(request.uri().path())?;
    if let Route::Objects(path) = route {
        return objects(shared, request, path).await;
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Err(ApiError::method_not_allowed());
    }
    documents(shared, request.headers(), &route)
}

fn documents(shared: &Shared, headers: &HeaderMap, route: &Route) -> Result<Response, ApiError> {
    let core = shared.core();
    let registry = &core.registry;
    let aggregated = |core_group| {
        answer::typed(
            200,
            http::HeaderValue::from_static("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
            discovery::aggregated(registry, core_group).to_string(),
        )
    };
    let value = match route {
        Route::Health => return Ok(answer::text(200, "ok")),
        Route::Version => discovery::version(),
        Route::Root => {
            json!({"paths": ["/api", "/apis", "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"]})
        }
        Route::CoreVersions if negotiate::form(headers)? == Form::Aggregated => return Ok(aggregated(true)),
        Route::CoreVersions => discovery::core_versions(&shared.address),
        Route::Groups if negotiate::form(headers)? == Form::Aggregated => return Ok(aggregated(false)),
        Route::Groups => discovery::groups(registry),
        Route::Group(name) => discovery::group(registry, name).ok_or_else(ApiError::no_such_resource)?,
        Route::Resources { group, version } => match discovery::resources(registry, group, version) {
            Some(value) => value,
            None => return Ok(answer::text(404, "404 page not found\n")),
        },
        Route::OpenApiV2 if negotiate::wants_binary_openapi(headers) => {
            return Ok(answer::typed(200, openapi::BINARY, openapi::v2_binary()));
        }
        Route::OpenApiV2 => {
            negotiate::form(headers)?;
            openapi::v2()
        }
        Route::OpenApiV3 => openapi::index(registry, core.registry_changes),
        Route::OpenApiV3Of { group, version } => {
            openapi::document(registry, group, version).ok_or_else(ApiError::no_such_resource)?
        }
        Route::Objects(_) | Route::Unknown => return Ok(answer::text(404, "404 page not found\n")),
    };
    Ok(answer::json(200, &value))
}

fn target_of(shared: &Shared, path: Path) -> Result<Target, ApiError> {
    let core = shared.core();
    let resource = core
        .registry
        .get(&path.group, &path.version, &path.plural)
        .cloned()
        .ok_or_else(ApiError::no_such_resource)?;
    if !path.namespace.is_empty() && !resource.namespaced {
        return Err(ApiError::no_such_resource());
    }
    if !path.subresource.is_empty() && resource.subresource(&path.subresource).is_none() {
        return Err(ApiError::no_such_resource());
    }
    if resource.namespaced && path.namespace.is_empty() && !path.name.is_empty() {
        return Err(ApiError::no_such_resource());
    }
    Ok(Target {
        resource,
        namespace: path.namespace,
        name: path.name,
        subresource: path.subresource,
    })
}

async fn objects(shared: &Arc<Shared>, request: Request, path: Path) -> Result<Response, ApiError> {
    if shared
        .core()
        .registry
        .in_version(&path.group, &path.version)
        .next()
        .is_none()
    {
        return Ok(answer::text(404, "404 page not found\n"));
    }
    let target = target_of(shared, path)?;
    let (parts, body) = request.into_parts();
    let params = Params::of(&parts.uri)?;
    let user_agent = parts
        .headers
        .get(USER_AGENT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("");
    let method = &parts.method;
    if *method == Method::GET || *method == Method::HEAD {
        return get(shared, target, &params, &parts.headers);
    }
    let form = negotiate::form(&parts.headers)?;
    allowed(&target, method)?;
    let media = body::media_type(&parts.headers);
    let bytes = body::read(body).await?;
    let written = if *method == Method::DELETE {
        let options = delete_options(&params, &media, &bytes)?;
        let mut core = shared.core();
        let value = if target.name.is_empty() {
            let selection = ListOptions {
                revision: None,
                ..params.list(&target)?
            };
            core.delete_collection(&target, &selection, &options)?
        } else {
            core.delete(&target, &options)?
        };
        return Ok(answer::json(200, &value));
    } else if *method == Method::POST {
        post(shared, &target, &params, user_agent, &media, &bytes)?
    } else if *method == Method::PUT {
        let (object, duplicates) = body::decode(&media, &bytes, body_type(&target))?;
        let mut write = params.write(user_agent, false)?;
        write.duplicates = duplicates;
        shared.core().replace(&target, object, &write)?
    } else {
        let kind = patch_kind(&media)?;
        let mut write = params.write(user_agent, kind == PatchKind::Apply)?;
        let (changes, duplicates) = body::decode_patch(kind == PatchKind::Apply, &bytes)?;
        write.duplicates = duplicates;
        shared.core().patch(&target, kind, &changes, &write)?
    };
    Ok(shown(&target, &params, form, &written))
}

fn allowed(target: &Target, method: &Method) -> Result<(), ApiError> {
    let verb = match (method.as_str(), target.name.is_empty()) {
        ("POST", _) => "create",
        ("PUT", false) => "update",
        ("PATCH", false) => "patch",
        ("DELETE", false) => "delete",
        ("DELETE", true) => "deletecollection",
        _ => return Err(ApiError::method_not_allowed()),
    };
    let verbs = match target.resource.subresource(&target.subresource) {
        Some(sub) => &sub.verbs,
        None => &target.resource.verbs,
    };
    if !verbs.iter().any(|known| known == verb) {
        return Err(ApiError::method_not_allowed());
    }
    let served = matches!(
        target.subresource.as_str(),
        "" | "status" | "scale" | "finalize" | "eviction" | "resize" | "ephemeralcontainers"
    );
    if !served {
        let why = format!(
            "the subresource `{}` is not served by this embedded server",
            target.subresource
        );
        return Err(ApiError::new(501, "NotImplemented", why));
    }
    // Objects of a namespaced kind are written in a namespace.
    if target.resource.namespaced && target.namespace.is_empty() {
        return Err(ApiError::method_not_allowed());
    }
    Ok(())
}

fn post(
    shared: &Shared,
    target: &Target,
    params: &Params,
    user_agent: &str,
    media: &str,
    bytes: &bytes::Bytes,
) -> Result<Written, ApiError> {
    let (object, duplicates) = body::decode(media, bytes, body_type(target))?;
    if target.resource.is_review() {
        return Ok(Written {
            object: Core::review(target, object),
            created: true,
            warnings: Vec::new(),
        });
    }
    if target.subresource == "eviction" {
        let plain = Target {
            subresource: String::new(),
            ..target.clone()
        };
        shared.core().delete(
            &plain,
            &DeleteOptions {
                dry_run: params.dry_run()?,
                ..DeleteOptions::default()
            },
        )?;
        let object = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
        return Ok(Written {
            object,
            created: true,
            warnings: Vec::new(),
        });
    }
    if !target.name.is_empty() || !target.subresource.is_empty() {
        return Err(ApiError::method_not_allowed());
    }
    let mut write = params.write(user_agent, false)?;
    write.duplicates = duplicates;
    shared.core().create(target, object, &write)
}

fn get(shared: &Arc<Shared>, target: Target, params: &Params, headers: &HeaderMap) -> Result<Response, ApiError> {
    if !matches!(target.subresource.as_str(), "" | "status" | "scale") {
        let why = format!(
            "the subresource `{}` is not served by this embedded server",
            target.subresource
        );
        return Err(ApiError::new(501, "NotImplemented", why));
    }
    let form = negotiate::form(headers)?;
    let watching = params.flag("watch");
    let verb = if watching {
        "watch"
    } else if target.name.is_empty() {
        "list"
    } else {
        "get"
    };
    if target.subresource.is_empty() && !target.resource.can(verb) {
        return Err(ApiError::method_not_allowed());
    }
    if watching {
        return super::watch::start(shared, target, params, form);
    }
    if !target.name.is_empty() {
        let object = shared.core().read(&target)?;
        let written = Written {
            object,
            created: false,
            warnings: Vec::new(),
        };
        return Ok(shown(&target, params, form, &written));
    }
    let options = params.list(&target)?;
    let listed = shared.core().list(&target, &options)?;
    let value = match form {
        Form::Plain | Form::Aggregated => listed.to_value(&target.resource),
        Form::Partial => table::partial_list(&listed.items, &listed.metadata()),
        Form::Table => {
            let include = Include::parse(params.get("includeObject"));
            table::table(&target.resource, &listed.items, &listed.metadata(), include)
        }
    };
    Ok(answer::json(200, &value))
}

/// One object in the form that the client wants.
fn shown(target: &Target, params: &Params, form: Form, written: &Written) -> Response {
    let code = if written.created { 201 } else { 200 };
    let object = &written.object;
    let is_status = object["kind"] == "Status" || target.subresource == "scale";
    let value: Value = match form {
        Form::Partial if !is_status => table::partial(object),
        Form::Table if !is_status => {
            let metadata = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
            let include = Include::parse(params.get("includeObject"));
            table::table(&target.resource, std::slice::from_ref(object), &metadata, include)
        }
        Form::Plain | Form::Aggregated | Form::Partial | Form::Table => object.clone(),
    };
    let mut response = answer::json(code, &value);
    answer::warn(&mut response, &written.warnings);
    response
}

/// The type of bodies; those of other subresources are only read as JSON.
fn body_type(target: &Target) -> &Type {
    if matches!(target.subresource.as_str(), "" | "status") {
        &target.resource.ty
    } else {
        &crate::types::ANY
    }
}

fn patch_kind(media: &str) -> Result<PatchKind, ApiError> {
    match media {
        "application/json-patch+json" => Ok(PatchKind::Json),
        "application/merge-patch+json" => Ok(PatchKind::Merge),
        "application/strategic-merge-patch+json" => Ok(PatchKind::Strategic),
        "application/apply-patch+yaml" | "application/apply-patch+json" => Ok(PatchKind::Apply),
        _ => Err(ApiError {
            details: json!({}),
            ..ApiError::new(415, "UnsupportedMediaType", "415: Unsupported Media Type")
        }),
    }
}

fn delete_options(params: &Params, media: &str, bytes: &bytes::Bytes) -> Result<DeleteOptions, ApiError> {
    let mut options = DeleteOptions {
        dry_run: params.dry_run()?,
        ..DeleteOptions::default()
    };
    options.propagation = params.get("propagationPolicy").map(str::to_owned);
    if params.flag("orphanDependents") {
        options.propagation = Some("Orphan".to_owned());
    }
    if bytes.is_empty() {
        return Ok(options);
    }
    let (body, _) = body::decode(media, bytes, &crate::types::builtin::named("DeleteOptions"))?;
    let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    options.uid = text("/preconditions/uid");
    options.revision = text("/preconditions/resourceVersion");
    options.propagation = text("/propagationPolicy").or(options.propagation);
    if body["orphanDependents"] == json!(true) {
        options.propagation = Some("Orphan".to_owned());
    }
    if body["dryRun"]
        .as_array()
        .is_some_and(|list| list.contains(&json!("All")))
    {
        options.dry_run = true;
    }
    Ok(options)
}
