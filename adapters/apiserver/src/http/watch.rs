//! Watches: streams of what happens to a selection.
//!
//! A watch reads the store's log from its own position and sleeps until the revision moves, so a slow client costs
//! nothing but its own place; one that falls behind the log is told to list again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::stream;
use http::header::{CONTENT_TYPE, HeaderValue};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use super::dispatch::Shared;
use super::negotiate::Form;
use super::query::Params;
use super::table::{self, Include};
use crate::ops::{ListOptions, Target};
use crate::resource::shown_as;
use crate::status::{ApiError, FieldError};
use crate::store::{Change, Event};

/// Events written in one piece.
const BATCH: usize = 500;
/// How often an idle watch that wants bookmarks gets one.
const BOOKMARK_EVERY: Duration = Duration::from_mins(1);
/// A watch without a timeout of its own ends after this.
const LONGEST: Duration = Duration::from_hours(1);

/// What a watch shows, and how.
struct Watch {
    shared: Arc<Shared>,
    target: Target,
    options: ListOptions,
    form: Form,
    include: Include,
    /// The last revision that the client has seen.
    position: u64,
    /// What to send before anything else.
    opening: Option<Opening>,
    bookmarks: bool,
    next_bookmark: Instant,
    ends: Instant,
    changes: watch::Receiver<u64>,
    shutdown: watch::Receiver<bool>,
    over: bool,
    _open: Open,
}

enum Opening {
    /// The present objects, and the bookmark that ends them.
    Objects {
        bookmark: bool,
    },
    Error(ApiError),
}

/// Counts an open watch.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(count: &Arc<AtomicUsize>, max: usize) -> Result<Self, ApiError> {
        if count.fetch_add(1, Ordering::Relaxed) >= max {
            count.fetch_sub(1, Ordering::Relaxed);
            let mut error = ApiError::new(
                429,
                "TooManyRequests",
                format!("too many watches: this server keeps at most {max} open"),
            );
            error.details = json!({"retryAfterSeconds": 1});
            return Err(error);
        }
        Ok(Self(count.clone()))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Starts a watch.
///
/// # Errors
/// 422 for parameters that do not go together, 429 when too many watches are open.
pub(crate) fn start(shared: &Arc<Shared>, target: Target, params: &Params, form: Form) -> Result<Response, ApiError> {
    let mut options = params.list(&target)?;
    if let (Some(name), true) = (options.fields.name(), target.name.is_empty()) {
        tracing::trace!(name, "a watch of one object");
    }
    if !target.name.is_empty() {
        options.fields = crate::select::FieldSelector::parse(&format!("metadata.name={}", target.name), "", &[])?;
    }
    let bookmarks = params.flag("allowWatchBookmarks");
    let initial = params.get("sendInitialEvents");
    if initial.is_some() && params.get("resourceVersionMatch") != Some("NotOlderThan") {
        let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        let error = FieldError::forbidden("resourceVersionMatch", why);
        return Err(ApiError::invalid("meta.k8s.io", "ListOptions", "", &[error]));
    }
    let open = Open::new(&shared.watches, shared.max_watches)?;
    let timeout = params
        .number("timeoutSeconds")?
        .filter(|seconds| *seconds > 0)
        .map_or(LONGEST, Duration::from_secs);
    let asked = options.revision.unwrap_or(0);
    let (changes, opening, position) = {
        let core = shared.core();
        let (now, compacted) = (core.store.revision(), core.store.compacted());
        let (opening, position) = if initial == Some("true") {
            (Some(Opening::Objects { bookmark: bookmarks }), now)
        } else if asked == 0 && initial.is_none() {
            (Some(Opening::Objects { bookmark: false }), now)
        } else if asked != 0 && asked < compacted {
            let why = format!("too old resource version: {asked} ({compacted})");
            (Some(Opening::Error(ApiError::expired(why))), now)
        } else {
            (None, if asked == 0 { now } else { asked })
        };
        (core.store.subscribe(), opening, position)
    };
    let now = Instant::now();
    let watch = Watch {
        shared: shared.clone(),
        target,
        options,
        form,
        include: Include::parse(params.get("includeObject")),
        position,
        opening,
        bookmarks,
        next_bookmark: now + BOOKMARK_EVERY,
        ends: now + timeout.min(LONGEST),
        changes,
        shutdown: shared.shutdown.subscribe(),
        over: false,
        _open: open,
    };
    let chunks = stream::unfold(watch, |mut watch| async move {
        let chunk = watch.next().await?;
        Some((Ok::<_, std::convert::Infallible>(chunk), watch))
    });
    let mut response = Response::new(Body::from_stream(chunks));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

impl Watch {
    async fn next(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        if let Some(opening) = self.opening.take() {
            return Some(self.open(&opening));
        }
        loop {
            self.changes.borrow_and_update();
            let mut out = String::new();
            match self.read(&mut out) {
                Ok(_) if !out.is_empty() => return Some(out.into()),
                Ok(more) if more => continue,
                Ok(_) => {}
                Err(error) => return Some(self.fail(&error)),
            }
            let wake = if self.bookmarks {
                self.next_bookmark.min(self.ends)
            } else {
                self.ends
            };
            tokio::select! {
                changed = self.changes.changed() => {
                    if changed.is_err() {
                        return None;
                    }
                }
                () = async { let _ = self.shutdown.wait_for(|over| *over).await; } => return None,
                () = tokio::time::sleep_until(wake) => {
                    let ended = Instant::now() >= self.ends;
                    self.over = ended;
                    self.next_bookmark = Instant::now() + BOOKMARK_EVERY;
                    if self.bookmarks {
                        return Some(self.bookmark(false).into());
                    }
                    if ended {
                        return None;
                    }
                }
            }
        }
    }

    fn open(&mut self, opening: &Opening) -> Bytes {
        match opening {
            Opening::Error(error) => self.fail(error),
            Opening::Objects { bookmark } => {
                let mut out = String::new();
                let listed = {
                    let core = self.shared.core();
                    let plain = ListOptions {
                        revision: None,
                        limit: 0,
                        from: String::new(),
                        exact: false,
                        ..self.options.clone()
                    };
                    core.list(
                        &Target {
                            name: String::new(),
                            ..self.target.clone()
                        },
                        &plain,
                    )
                };
                match listed {
                    Ok(listed) => {
                        self.position = listed.revision;
                        for item in &listed.items {
                            self.line("ADDED", item, &mut out);
                        }
                        if *bookmark {
                            out.push_str(&self.bookmark(true));
                        }
                    }
                    Err(error) => return self.fail(&error),
                }
                out.into()
            }
        }
    }

    fn fail(&mut self, error: &ApiError) -> Bytes {
        self.over = true;
        format!("{}\n", json!({"type": "ERROR", "object": error.to_status()})).into()
    }

    /// Writes what happened since; answers whether there may be more at once.
    fn read(&mut self, out: &mut String) -> Result<bool, ApiError> {
        let events = {
            let core = self.shared.core();
            let (position, compacted) = (self.position, core.store.compacted());
            core.store
                .since(position, BATCH)
                .ok_or_else(|| ApiError::expired(format!("too old resource version: {position} ({compacted})")))?
        };
        let more = events.len() == BATCH;
        for event in events {
            self.position = self.position.max(event.revision);
            self.event(&event, out);
        }
        Ok(more)
    }

    fn event(&self, event: &Event, out: &mut String) {
        let target = &self.target;
        let elsewhere = !target.namespace.is_empty() && event.key.namespace != target.namespace;
        if event.key.storage != target.resource.storage || elsewhere {
            return;
        }
        let object = shown_as(&target.resource, &event.object.value);
        let before = event
            .previous
            .as_ref()
            .map(|stored| shown_as(&target.resource, &stored.value));
        let was = before.as_ref().is_some_and(|before| self.options.selects(before));
        let is = event.change != Change::Deleted && self.options.selects(&object);
        match (was, is) {
            (false, true) => self.line("ADDED", &object, out),
            (true, true) => self.line("MODIFIED", &object, out),
            (true, false) => {
                let mut last = if event.change == Change::Deleted {
                    object
                } else {
                    before.unwrap_or(object)
                };
                last["metadata"]["resourceVersion"] = json!(event.revision.to_string());
                self.line("DELETED", &last, out);
            }
            (false, false) => {}
        }
    }

    fn line(&self, kind: &str, object: &Value, out: &mut String) {
        let shown = match self.form {
            Form::Plain | Form::Aggregated => object.clone(),
            Form::Partial => table::partial(object),
            Form::Table => {
                let metadata = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
                table::table(
                    &self.target.resource,
                    std::slice::from_ref(object),
                    &metadata,
                    self.include,
                )
            }
        };
        out.push_str(&json!({"type": kind, "object": shown}).to_string());
        out.push('\n');
    }

    fn bookmark(&self, initial_end: bool) -> String {
        let mut metadata = json!({"resourceVersion": self.position.to_string()});
        if initial_end {
            metadata["annotations"] = json!({"k8s.io/initial-events-end": "true"});
        }
        let resource = &self.target.resource;
        let object = match self.form {
            Form::Plain | Form::Aggregated => {
                let mut object =
                    json!({"kind": resource.kind, "apiVersion": resource.api_version(), "metadata": metadata});
                object["metadata"]["creationTimestamp"] = Value::Null;
                object
            }
            Form::Partial => {
                json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})
            }
            Form::Table => json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
                "columnDefinitions": null, "rows": []}),
        };
        format!("{}\n", json!({"type": "BOOKMARK", "object": object}))
    }
}
