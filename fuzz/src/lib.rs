//! What the fuzz targets do with their bytes: plain functions, so that a test can run them too.

pub mod helm;
pub mod kustomize;
pub mod registry;
pub mod store;
pub mod template;
pub mod value;

/// Every target: its name, and its body.
pub const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("store_keys", store::store_keys),
    ("gc_plan", store::gc_plan),
    ("template_lexer", template::template_lexer),
    ("template_parser", template::template_parser),
    ("template_exec", template::template_exec),
    ("semver", helm::semver),
    ("helm_values", helm::helm_values),
    ("chart_archive", helm::chart_archive),
    ("helm_index", helm::helm_index),
    ("helm_template", helm::helm_template),
    ("yaml_helm", value::yaml_helm),
    ("yaml_kustomize", value::yaml_kustomize),
    ("json", value::json),
    ("yaml_roundtrip", value::yaml_roundtrip),
    ("json_patch", value::json_patch),
    ("kustomization", kustomize::kustomization),
    ("kustomize_patch", kustomize::kustomize_patch),
    ("kustomize_replacements", kustomize::kustomize_replacements),
    ("kustomize_paths", kustomize::kustomize_paths),
    ("oci_reference", registry::oci_reference),
    ("oci_challenge", registry::oci_challenge),
    ("oci_manifest", registry::oci_manifest),
];
