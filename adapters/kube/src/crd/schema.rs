//! Pieces of schemas that many fields share: Kubernetes' own rules for names, and texts with a bound.
//!
//! Every text and list has a bound, because the API server estimates the cost of a CEL rule from the bounds and
//! refuses a definition whose rules could become too dear.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

/// A DNS-1123 label: namespaces, service accounts' namespaces.
const LABEL: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/// A DNS-1123 subdomain: most names.
const SUBDOMAIN: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";

/// A rule of `x-kubernetes-validations`.
pub(super) fn cel(rule: &str, message: &str) -> Value {
    json!({ "rule": rule, "message": message })
}

/// The rule that a block is set exactly when `type` names it, for a list of (`type`, block) pairs.
pub(super) fn block_matches_type(pairs: &[(&str, &str)]) -> Value {
    let rule = pairs
        .iter()
        .map(|(kind, block)| format!("(self.type == '{kind}') == has(self.{})", in_cel(block)))
        .collect::<Vec<_>>()
        .join(" && ");
    cel(&rule, "exactly the block that `type` names must be set")
}

/// A field's name in CEL, which reserves some words.
fn in_cel(field: &str) -> &str {
    match field {
        "namespace" => "__namespace__",
        other => other,
    }
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident = $max:literal, $pattern:expr;)+) => {
        $($(#[$doc])*
        pub(super) fn $name(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "type": "string", "minLength": 1, "maxLength": $max, "pattern": $pattern })
        })+
    };
}

texts! {
    /// Namespace.
    namespace = 63, LABEL;
    /// Name of an object.
    name = 253, SUBDOMAIN;
    /// Name of a hook, a group, a Helm release: it becomes a part of other names.
    short_name = 53, SUBDOMAIN;
    /// Key of a `ConfigMap` or Secret.
    data_key = 253, "^[-._a-zA-Z0-9]+$";
    /// renderRef.
    render_ref = 71, "^sha256:[0-9a-f]{64}$";
    /// Digest of an OCI artifact.
    digest = 71, "^sha256:[0-9a-f]{64}$";
    /// Commit of a git repository, SHA-1 or SHA-256.
    commit = 64, "^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$";
    /// Branch or tag: what git refuses in every ref name is refused, and a leading `-`.
    git_ref = 255, r"^[^-\x00-\x20\x7f~^:?*\[\\][^\x00-\x20\x7f~^:?*\[\\]*$";
    /// Constraint on versions.
    constraint = 255, r"^[^\x00-\x1f\x7f]+$";
    /// Chart of a Helm repository.
    chart = 253, "^[a-zA-Z0-9][-._a-zA-Z0-9]*$";
    /// Repository path of a chart below an OCI registry.
    oci_chart = 253, "^[a-z0-9]+([._/-]+[a-z0-9]+)*$";
    /// Path inside a source.
    path = 4096, r"^[^\x00]+$";
    /// Group of an API, with `*` for any.
    any_group = 253, r"^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$";
    /// Version of an API, with `*` for any.
    any_version = 63, r"^(\*|v[a-z0-9]+)$";
    /// Kind, with `*` for any.
    any_kind = 63, r"^(\*|[A-Za-z][A-Za-z0-9]*)$";
    /// Name of any object, RBAC's with `:` too, with `*` for any.
    any_name = 253, r"^[^/%\x00-\x20\x7f]+$";
    /// URL of a git repository.
    git_url = 2048, r"^(https?|ssh|file)://[^\s\x00-\x1f\x7f]+$";
    /// URL of a Helm repository.
    http_url = 2048, r"^https?://[^\s\x00-\x1f\x7f]+$";
    /// URL of an OCI registry.
    oci_url = 2048, r"^oci://[^\s\x00-\x1f\x7f]+$";
    /// URL of a proxy.
    proxy_url = 2048, r"^https?://[^\s\x00-\x1f\x7f]+$";
    /// CEL expression of a user.
    expression = 4096, r"^[^\x00]+$";
    /// JSON pointer.
    json_pointer = 1024, r"^/([^~]|~[01])*$";
    /// Selector in the syntax of `kubectl -l`.
    selector_text = 1024, r"^[^\x00-\x1f\x7f]+$";
    /// Duration, or the word `approval`.
    pause = 64, r"^(approval|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*)$";
}

/// The empty text names the core group, so that it has no least length.
pub(super) fn group_or_core(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = any_group(generator);
    schema.remove("minLength");
    schema
}

/// A text for people.
pub(super) fn prose(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "maxLength": 1024 })
}

/// Any value at all, kept as it is.
pub(super) fn anything(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
}

/// A mapping whose members are kept as they are.
pub(super) fn any_mapping(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

/// A whole Kubernetes object.
pub(super) fn any_object(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "x-kubernetes-embedded-resource": true,
        "x-kubernetes-preserve-unknown-fields": true,
    })
}

/// A number, or a percentage.
pub(super) fn count_or_percent(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "x-kubernetes-int-or-string": true, "pattern": "^(100|[1-9]?[0-9])%$", "minimum": 1 })
}

/// A moment in RFC 3339.
pub(super) fn time(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "date-time" })
}

/// Labels or annotations.
pub(super) fn text_map(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "maxProperties": 100,
        "additionalProperties": { "type": "string", "maxLength": 4096 },
    })
}

/// Labels that a selector asks for.
pub(super) fn label_map(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "maxProperties": 32,
        "additionalProperties": { "type": "string", "maxLength": 63 },
    })
}

/// Paths inside a source.
pub(super) fn paths(generator: &mut SchemaGenerator) -> Schema {
    let item = path(generator);
    json_schema!({ "type": "array", "minItems": 1, "maxItems": 256, "items": item })
}

/// JSON pointers.
pub(super) fn json_pointers(generator: &mut SchemaGenerator) -> Schema {
    let item = json_pointer(generator);
    json_schema!({ "type": "array", "maxItems": 100, "items": item })
}

/// Short texts: names of managers, values of a label, keys.
pub(super) fn short_texts(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "maxItems": 100,
        "items": { "type": "string", "minLength": 1, "maxLength": 317 },
    })
}
