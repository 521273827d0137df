//! Variables, configurations of transformers, and descriptions of types.

use std::fmt::Write as _;

use super::{Maker, Place, patches::block};

const FIELD_PATHS: &[&str] = &[
    "",
    "    fieldref: {fieldpath: metadata.name}\n",
    "    fieldref: {fieldpath: metadata.namespace}\n",
    "    fieldref: {fieldpath: data.a}\n",
    "    fieldref: {fieldpath: spec.replicas}\n",
    "    fieldref: {fieldPath: \"spec.ports[0].port\"}\n",
    "    fieldref: {fieldPath: \"spec.template.spec.containers[0].image\"}\n",
    "    fieldref: {fieldPath: spec.none}\n",
    "    fieldref: {fieldPath: spec.size}\n",
    "    fieldref: {fieldPath: spec.selector}\n",
];

const OBJECTS: &[(&str, &str)] = &[
    ("Service", "apiVersion: v1"),
    ("ConfigMap", "apiVersion: v1"),
    ("Deployment", "apiVersion: apps/v1"),
    ("Widget", "apiVersion: example.com/v1"),
    ("ServiceAccount", ""),
];

pub(super) fn vars(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    let mut out = "vars:\n".to_owned();
    // A variable of one name is an error in two places.
    let name = match place.folder {
        "top" => "VALUE",
        "base0" => "OTHER",
        _ if maker.mistakes > 0 => "VALUE",
        _ => return String::new(),
    };
    let (kind, version) = OBJECTS[maker.random.below(OBJECTS.len())];
    if !maker.has(kind) {
        return String::new();
    }
    let object = maker.known(kind);
    let namespace = if maker.mistakes > 0 && maker.one_in(3) {
        ", namespace: one"
    } else {
        ""
    };
    let comma = if version.is_empty() { "" } else { ", " };
    let path = maker.choose(FIELD_PATHS, 3);
    let _ = write!(
        out,
        "  - name: {name}\n    objref: {{kind: {kind}, name: {object}{comma}{version}{namespace}}}\n{path}"
    );
    out
}

/// What a file of configurations may say.
const CONFIGURATIONS: &[&str] = &[
    "varReference:\n- {path: spec/externalName, kind: Service}\n- {path: stringData, kind: Secret}\n- {path: metadata/annotations}\n",
    "varReference:\n- {path: spec/template/spec/containers/image}\n- {path: spec/items, kind: Gadget}\n",
    "nameReference:\n- kind: ConfigMap\n  version: v1\n  fieldSpecs:\n  - {path: spec/ref/name, kind: Widget}\n  - {path: spec/configMap, kind: Gadget}\n",
    "nameReference:\n- kind: Deployment\n  fieldSpecs: [{path: spec/ref, kind: Widget}]\n- {kind: Gadget, fieldSpecs: [{path: metadata/annotations/note}]}\n",
    "nameReference:\n- kind: Widget\n  group: example.com\n  fieldSpecs: [{path: spec/configMap, kind: Gadget, group: example.com, version: v1}]\n",
    "commonLabels:\n- {path: spec/labels, kind: Widget, create: true}\n- {path: spec/labels, kind: postgresql, create: true}\n",
    "labels: [{path: spec/labels, create: true, kind: Widget}]\n",
    "templateLabels: [{path: spec/labels, create: true, kind: Gadget}]\n",
    "commonAnnotations: [{path: spec/notes, kind: Widget, create: true}]\n",
    "namePrefix: [{path: spec/ref/name, kind: Widget}]\n",
    "namePrefix: [{path: metadata/name, kind: Widget}]\n",
    "nameSuffix: [{path: spec/externalName, kind: Service}, {path: metadata/name, kind: ConfigMap}]\n",
    "namespace: [{path: spec/namespace, kind: Widget, create: true}, {path: metadata/namespace, kind: Gadget}]\n",
    "namespace: [{path: metadata/name, kind: Namespace, create: true}]\n",
    "images: [{path: spec/image, kind: Widget}, {path: \"spec/deep\", kind: Gadget}]\n",
    "images:\n- path: spec/template/spec/containers[]/image\n  kind: Widget\n",
    "replicas: [{path: spec/count, kind: Gadget, create: true}, {path: spec/numberOfInstances, kind: postgresql}]\n",
    "commonLabels: [{path: metadata/labels, create: false}]\n",
    "replicas: [{path: spec/replicas, kind: Deployment, create: false}]\n",
    "unknown: []\n",
    "namespace: {path: x}\n",
    "commonLabels: [{path: spec/template/metadata/labels, create: true, kind: Widget, extra: 1}]\n",
    "commonLabels: [{kind: Widget}]\n",
    "namespace: [{path: subjects, kind: RoleBinding, group: rbac.authorization.k8s.io}]\n",
    "",
    "# nothing\n",
];

pub(super) fn configurations(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    let mut names = Vec::new();
    for index in 0..=maker.random.below(2) {
        let mut text = maker.choose(CONFIGURATIONS, CONFIGURATIONS.len() - 9).to_owned();
        let more = maker.choose(CONFIGURATIONS, CONFIGURATIONS.len() - 9);
        if maker.one_in(2) && more.split(':').next() != text.split(':').next() {
            text.push_str(more);
        }
        names.push(maker.file(place, &format!("config{index}.yaml"), text));
    }
    format!("configurations: [{}]\n", names.join(", "))
}

const CRDS: &[&str] = &[
    r#"{"x/v1.Widget": {"Schema": {"properties": {"kind": {"type": "string"}, "apiVersion": {"type": "string"}, "metadata": {"type": "object"}, "spec": {"$ref": "x/v1.Spec"}}}},
 "x/v1.Spec": {"Schema": {"properties": {"ref": {"x-kubernetes-object-ref-api-version": "v1", "x-kubernetes-object-ref-kind": "ConfigMap"},
  "labels": {"x-kubernetes-label-selector": ""}, "notes": {"x-kubernetes-annotation": ""}, "image": {"x-kubernetes-identity": ""}}}}}"#,
    "x/v1.Gadget:\n  Schema:\n    properties:\n      kind: {type: string}\n      apiVersion: {type: string}\n      metadata: {type: object}\n      spec: {$ref: x/v1.Spec}\nx/v1.Spec:\n  Schema:\n    properties:\n      configMap:\n        x-kubernetes-object-ref-api-version: v1\n        x-kubernetes-object-ref-kind: ConfigMap\n        x-kubernetes-object-ref-name-key: name\n",
    "{}",
    "[]",
    "x: 1",
];

pub(super) fn crds(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    let text = maker.choose(CRDS, 3).to_owned();
    let file = maker.file(place, "crd.json", text);
    format!("crds: [{file}]\n")
}

const DESCRIPTIONS: &[&str] = &[
    r##"{"definitions": {"v1.Widget": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
 "list": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}, "x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge"},
 "template": {"$ref": "#/definitions/io.k8s.api.core.v1.PodTemplateSpec"}}}},
 "x-kubernetes-group-version-kind": [{"group": "example.com", "kind": "Widget", "version": "v1"}]},
 "io.k8s.api.core.v1.PodTemplateSpec": {"type": "object", "properties": {"spec": {"$ref": "#/definitions/io.k8s.api.core.v1.PodSpec"}}},
 "io.k8s.api.core.v1.PodSpec": {"type": "object", "properties": {"containers": {"type": "array", "items": {"$ref": "#/definitions/c"},
 "x-kubernetes-patch-merge-key": "image", "x-kubernetes-patch-strategy": "merge"}}}, "c": {"type": "object", "properties": {}}}}"##,
    "definitions:\n  w:\n    properties:\n      spec:\n        properties:\n          list:\n            type: array\n            items: {type: object}\n            x-kubernetes-list-map-keys: [name, v]\n            x-kubernetes-patch-strategy: merge\n    x-kubernetes-group-version-kind:\n    - {group: example.com, kind: Widget, version: v1}\n",
    r#"{"paths": {"/apis/example.com/v1/widgets": {"get": {"x-kubernetes-group-version-kind": {"group": "example.com", "kind": "Widget", "version": "v1"}}},
 "/apis/example.com/v1/namespaces/{namespace}/gadgets": {"get": {"x-kubernetes-group-version-kind": {"group": "example.com", "kind": "Gadget", "version": "v1"}}}}}"#,
    "{}",
    "definitions: {}\n",
];

pub(super) fn openapi(maker: &mut Maker<'_>, place: &Place<'_>) -> String {
    if maker.one_in(4) {
        let version = maker.choose(&["v1.21.2", "\"\"", "v1.20.4"], 2);
        return format!("openapi: {{version: {version}}}\n");
    }
    let text = maker.pick(DESCRIPTIONS).to_owned();
    let file = maker.file(place, "description.json", text);
    let mut out = format!("openapi: {{path: {file}}}\n");
    if maker.has("Widget") {
        let name = maker.known("Widget");
        let patch = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: NAME}\nspec: {list: [{name: b, v: 9}, {name: q}], template: {spec: {containers: [{name: c, image: z}]}}}\n";
        let patch = block("", &patch.replace("NAME", &name), 2);
        let _ = write!(out, "patchesStrategicMerge:\n-{}", &patch[1..]);
    }
    out
}
