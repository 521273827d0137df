//! The suite of [`Cluster`].
//!
//! Objects are `ConfigMap`s, Secrets and Namespaces, which every implementation serves, and Deployments, which are read
//! only by kind.

use std::sync::Arc;

use async_trait::async_trait;
use convoy_domain::id::{Gvk, ObjectId};
use convoy_domain::names::{annotation, label};
use convoy_domain::object::{Object, Scope};
use convoy_ports::{ApplyRequest, Cluster, ClusterError, DeleteRequest, Deleted};
use convoy_value::{Limits, Value, json};

use crate::case;

/// What others do to a cluster.
#[async_trait]
pub trait World: Send + Sync {
    /// The port under test.
    fn port(&self) -> Arc<dyn Cluster>;
    /// A namespace that exists, is empty and is used by nobody else.
    fn namespace(&self) -> &str;
    /// Creates an object as a client-side tool does: by a plain create with this field manager.
    async fn create(&self, object: &Object, manager: &str);
}

type Target = Arc<dyn World>;

const MANAGER: &str = "convoy-0123456789abcdef";
const OTHER: &str = "somebody-else";

macro_rules! cases {
    ($make:ident: $($name:ident),+ $(,)?) => { $( case(stringify!($name), $name($make().await)).await; )+ };
}

/// Runs every case, each on a world of its own that `make` gives.
///
/// # Panics
/// With the name of the case that does not hold.
pub async fn run<F: Future<Output = Arc<dyn World>>>(make: impl Fn() -> F) {
    cases! { make:
        a_cluster_says_who_it_is,
        all_that_is_served_is_known,
        kinds_are_known_with_their_scope,
        what_is_absent_reads_as_none,
        an_applied_object_is_there,
        a_dry_run_changes_nothing,
        a_field_that_leaves_the_object_is_gone,
        a_field_of_another_manager_is_a_conflict_without_force,
        a_namespace_that_is_missing_is_told,
        an_unknown_kind_is_told,
        an_invalid_object_is_refused,
        a_field_that_cannot_change_is_told,
        a_refused_secret_shows_no_value,
        an_object_is_found_under_another_version,
        only_the_meant_incarnation_is_deleted,
        only_the_meant_copy_is_deleted,
        fields_of_client_side_tools_are_taken_over,
        an_object_without_client_side_fields_needs_no_take_over,
        released_objects_keep_their_content,
    }
}

fn object(text: &str) -> Object {
    let value = json::parse(text, &Limits::default()).expect("JSON of the suite");
    Object::new(value).expect("an object of the suite")
}

/// A `ConfigMap` of the world's namespace with these members of `data`.
fn config_map(world: &Target, name: &str, data: &str) -> Object {
    object(&format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}","namespace":"{}"}},"data":{data}}}"#,
        world.namespace()
    ))
}

fn id(world: &Target, name: &str) -> ObjectId {
    ObjectId {
        group: String::new(),
        kind: "ConfigMap".to_owned(),
        namespace: world.namespace().to_owned(),
        name: name.to_owned(),
    }
}

async fn apply_as(world: &Target, object: &Object, manager: &str, force: bool) -> Result<Object, ClusterError> {
    let request = ApplyRequest {
        object,
        manager,
        force,
        dry_run: false,
    };
    world.port().apply(request).await
}

async fn applied(world: &Target, object: &Object) -> Object {
    apply_as(world, object, MANAGER, false).await.expect("apply")
}

async fn live(world: &Target, name: &str) -> Option<Object> {
    world.port().get(&id(world, name), "v1").await.expect("get")
}

fn data<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.at(&["data", key]).and_then(Value::as_str)
}

async fn a_cluster_says_who_it_is(world: Target) {
    let facts = world.port().facts().await.expect("facts");
    assert!(facts.version.starts_with('v'), "{facts:?}");
    assert!(!facts.cluster_id.is_empty());
    assert_eq!(world.port().facts().await.expect("facts").cluster_id, facts.cluster_id);
}

async fn all_that_is_served_is_known(world: Target) {
    let api = world.port().api().await.expect("api");
    assert_eq!(api.version, world.port().facts().await.expect("facts").version);
    for served in ["v1", "v1/ConfigMap", "apps/v1", "apps/v1/Deployment"] {
        assert!(
            api.api_versions.contains(served),
            "{served} is not in {:?}",
            api.api_versions
        );
    }
    assert!(!api.api_versions.contains("apps/v1beta1"));
}

async fn kinds_are_known_with_their_scope(world: Target) {
    for (api_version, kind, plural, scope) in [
        ("v1", "ConfigMap", "configmaps", Scope::Namespaced),
        ("v1", "Namespace", "namespaces", Scope::Cluster),
        ("apps/v1", "Deployment", "deployments", Scope::Namespaced),
    ] {
        let gvk = Gvk::from_api_version(api_version, kind);
        let found = world.port().kind(&gvk).await.expect("kind");
        assert_eq!((found.gvk, found.plural.as_str(), found.scope), (gvk, plural, scope));
    }
}

async fn what_is_absent_reads_as_none(world: Target) {
    assert_eq!(live(&world, "absent").await, None);
    let mut unknown = id(&world, "absent");
    "nobody.example".clone_into(&mut unknown.group);
    "Widget".clone_into(&mut unknown.kind);
    assert_eq!(world.port().get(&unknown, "v1").await, Ok(None));
}

async fn an_applied_object_is_there(world: Target) {
    let desired = config_map(&world, "a", r#"{"color":"green","empty":""}"#);
    let answer = applied(&world, &desired).await;
    assert!(!answer.uid().is_empty() && !answer.resource_version().is_empty());
    let found = live(&world, "a").await.expect("exists");
    assert_eq!(found.uid(), answer.uid());
    assert_eq!(
        (data(&found, "color"), data(&found, "empty")),
        (Some("green"), Some(""))
    );
    let again = applied(&world, &desired).await;
    assert_eq!(
        again.resource_version(),
        answer.resource_version(),
        "the same again changes nothing"
    );
}

async fn a_dry_run_changes_nothing(world: Target) {
    let request = |object| ApplyRequest {
        object,
        manager: MANAGER,
        force: false,
        dry_run: true,
    };
    let desired = config_map(&world, "a", r#"{"color":"green"}"#);
    let answer = world.port().apply(request(&desired)).await.expect("dry run");
    assert_eq!(data(&answer, "color"), Some("green"));
    assert_eq!(live(&world, "a").await, None);
    let before = applied(&world, &desired).await;
    let changed = config_map(&world, "a", r#"{"color":"red"}"#);
    let answer = world.port().apply(request(&changed)).await.expect("dry run");
    assert_eq!(data(&answer, "color"), Some("red"));
    let after = live(&world, "a").await.expect("exists");
    assert_eq!(data(&after, "color"), Some("green"));
    assert_eq!(after.resource_version(), before.resource_version());
}

async fn a_field_that_leaves_the_object_is_gone(world: Target) {
    applied(&world, &config_map(&world, "a", r#"{"one":"1","two":"2"}"#)).await;
    applied(&world, &config_map(&world, "a", r#"{"one":"1"}"#)).await;
    let found = live(&world, "a").await.expect("exists");
    assert_eq!((data(&found, "one"), data(&found, "two")), (Some("1"), None));
}

async fn a_field_of_another_manager_is_a_conflict_without_force(world: Target) {
    let theirs = config_map(&world, "a", r#"{"color":"green","size":"1"}"#);
    apply_as(&world, &theirs, OTHER, false).await.expect("apply");
    let ours = config_map(&world, "a", r#"{"color":"red"}"#);
    let answer = apply_as(&world, &ours, MANAGER, false).await;
    match answer {
        Err(ClusterError::Conflict { object, why }) => {
            assert!(object.contains("ConfigMap") && object.ends_with("/a"), "{object}");
            assert!(why.contains(OTHER), "{why}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(data(&live(&world, "a").await.expect("exists"), "color"), Some("green"));
    let forced = apply_as(&world, &ours, MANAGER, true).await.expect("forced");
    assert_eq!(
        (data(&forced, "color"), data(&forced, "size")),
        (Some("red"), Some("1"))
    );
}

async fn a_namespace_that_is_missing_is_told(world: Target) {
    let lost = object(
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"no-such-namespace"},"data":{}}"#,
    );
    for dry_run in [true, false] {
        let request = ApplyRequest {
            object: &lost,
            manager: MANAGER,
            force: false,
            dry_run,
        };
        let answer = world.port().apply(request).await;
        assert!(
            matches!(answer, Err(ClusterError::NamespaceMissing { .. })),
            "{answer:?}"
        );
    }
}

async fn an_unknown_kind_is_told(world: Target) {
    let widget = object(&format!(
        r#"{{"apiVersion":"nobody.example/v1","kind":"Widget","metadata":{{"name":"a","namespace":"{}"}}}}"#,
        world.namespace()
    ));
    let answer = apply_as(&world, &widget, MANAGER, false).await;
    assert!(matches!(answer, Err(ClusterError::UnknownKind { .. })), "{answer:?}");
    let gvk = Gvk::from_api_version("v1", "NoSuchKind");
    let answer = world.port().kind(&gvk).await;
    assert!(matches!(answer, Err(ClusterError::UnknownKind { .. })), "{answer:?}");
}

async fn an_invalid_object_is_refused(world: Target) {
    let wrong_type = config_map(&world, "a", r#"{"one":["not","a","text"]}"#);
    let wrong_name = config_map(&world, "A_b", "{}");
    for wrong in [wrong_type, wrong_name] {
        let answer = apply_as(&world, &wrong, MANAGER, false).await;
        assert!(matches!(answer, Err(ClusterError::Refused { .. })), "{answer:?}");
        assert!(answer.is_err_and(|error| !error.is_transient()));
    }
}

async fn a_field_that_cannot_change_is_told(world: Target) {
    let fixed = |color: &str| {
        object(&format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a","namespace":"{}"}},"immutable":true,"data":{{"color":"{color}"}}}}"#,
            world.namespace()
        ))
    };
    applied(&world, &fixed("green")).await;
    let answer = apply_as(&world, &fixed("red"), MANAGER, false).await;
    assert!(matches!(answer, Err(ClusterError::Immutable { .. })), "{answer:?}");
}

async fn a_refused_secret_shows_no_value(world: Target) {
    let secret = object(&format!(
        r#"{{"apiVersion":"v1","kind":"Secret","metadata":{{"name":"a","namespace":"{}"}},"data":{{"key":["hunter2"]}}}}"#,
        world.namespace()
    ));
    let error = apply_as(&world, &secret, MANAGER, false)
        .await
        .expect_err("a list is no text");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
}

async fn an_object_is_found_under_another_version(world: Target) {
    let before = applied(&world, &config_map(&world, "a", r#"{"color":"green"}"#)).await;
    let found = world.port().get(&id(&world, "a"), "v0alpha1").await.expect("get");
    assert_eq!(
        found.map(|found| found.uid().to_owned()).as_deref(),
        Some(before.uid()),
        "a version that is no longer served does not make an object vanish"
    );
}

fn deletion(world: &Target, name: &str, uid: &str, resource_version: &str) -> DeleteRequest {
    DeleteRequest {
        id: id(world, name),
        version: "v1".to_owned(),
        uid: uid.to_owned(),
        resource_version: resource_version.to_owned(),
    }
}

async fn only_the_meant_incarnation_is_deleted(world: Target) {
    let port = world.port();
    let first = applied(&world, &config_map(&world, "a", "{}")).await;
    let other = deletion(&world, "a", "7a1c2f0e-0000-4000-8000-000000000000", "");
    assert_eq!(port.delete(&other).await, Ok(Deleted::Absent));
    assert!(live(&world, "a").await.is_some());
    let meant = deletion(&world, "a", first.uid(), "");
    assert_eq!(port.delete(&meant).await, Ok(Deleted::Requested));
    assert_eq!(live(&world, "a").await, None);
    assert_eq!(port.delete(&meant).await, Ok(Deleted::Absent));
    let second = applied(&world, &config_map(&world, "a", "{}")).await;
    assert_ne!(first.uid(), second.uid());
    assert_eq!(port.delete(&meant).await, Ok(Deleted::Absent));
    assert!(live(&world, "a").await.is_some(), "the second incarnation is not meant");
}

async fn only_the_meant_copy_is_deleted(world: Target) {
    let port = world.port();
    let old = applied(&world, &config_map(&world, "a", r#"{"one":"1"}"#)).await;
    let new = applied(&world, &config_map(&world, "a", r#"{"one":"2"}"#)).await;
    let answer = port
        .delete(&deletion(&world, "a", old.uid(), old.resource_version()))
        .await;
    assert!(matches!(answer, Err(ClusterError::Stale { .. })), "{answer:?}");
    let answer = port
        .delete(&deletion(&world, "a", new.uid(), new.resource_version()))
        .await;
    assert_eq!(answer, Ok(Deleted::Requested));
}

async fn fields_of_client_side_tools_are_taken_over(world: Target) {
    for (name, manager) in [("a", "kubectl-client-side-apply"), ("b", "helm")] {
        world
            .create(&config_map(&world, name, r#"{"one":"1","two":"2"}"#), manager)
            .await;
        let before = live(&world, name).await.expect("exists");
        let taken = world.port().take_over(&before, MANAGER).await.expect("take over");
        assert_eq!((taken.uid(), data(&taken, "two")), (before.uid(), Some("2")));
        let stale = world.port().take_over(&before, MANAGER).await;
        assert!(matches!(stale, Err(ClusterError::Stale { .. })), "{stale:?}");
        let after = applied(&world, &config_map(&world, name, r#"{"one":"other"}"#)).await;
        assert_eq!(
            (data(&after, "one"), data(&after, "two")),
            (Some("other"), None),
            "{manager}"
        );
    }
}

async fn an_object_without_client_side_fields_needs_no_take_over(world: Target) {
    let before = applied(&world, &config_map(&world, "a", r#"{"one":"1"}"#)).await;
    let after = world.port().take_over(&before, MANAGER).await.expect("take over");
    assert_eq!(after.resource_version(), before.resource_version());
}

async fn released_objects_keep_their_content(world: Target) {
    let mut ours = config_map(&world, "a", r#"{"one":"1"}"#);
    ours.set_label(label::RELEASE_UID, "uid-1");
    ours.set_label("app", "web");
    ours.set_annotation(annotation::RELEASE, "apps/web");
    ours.set_annotation(annotation::INSTALLATION, "here");
    let before = applied(&world, &ours).await;
    world.port().release_ownership(&before, MANAGER).await.expect("release");
    let after = live(&world, "a").await.expect("exists");
    assert_eq!(after.label(label::RELEASE_UID), None);
    assert_eq!(after.annotation(annotation::RELEASE), None);
    assert_eq!(after.annotation(annotation::INSTALLATION), None);
    assert_eq!((after.label("app"), data(&after, "one")), (Some("web"), Some("1")));
    let found = world
        .port()
        .take_over(&after, OTHER)
        .await
        .expect("its next owner takes it over");
    assert_eq!(data(&found, "one"), Some("1"));
    let next = config_map(&world, "a", r#"{"one":"2"}"#);
    let next = apply_as(&world, &next, OTHER, false)
        .await
        .expect("and meets no conflict then");
    assert_eq!(data(&next, "one"), Some("2"));
    world
        .port()
        .release_ownership(&after, MANAGER)
        .await
        .expect_err("an old copy");
    let found = live(&world, "a").await.expect("exists");
    world
        .port()
        .delete(&deletion(&world, "a", found.uid(), ""))
        .await
        .expect("delete");
    world
        .port()
        .release_ownership(&found, MANAGER)
        .await
        .expect("what is gone is no error");
}
