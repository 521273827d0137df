//! Whether a kind lives in a namespace, when discovery is not at hand.
//!
//! Rendering needs identities (no two documents may be one object) before any cluster is asked. The kinds of
//! Kubernetes itself are known; a custom kind is looked up in the CRDs of the same render; any other is taken for
//! namespaced, which errs towards telling two objects apart only when they also name different namespaces.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};

use crate::id::ObjectId;
use crate::object::{Object, Scope};

/// The cluster-scoped kinds of Kubernetes 1.36, by group and kind.
pub const CLUSTER_SCOPED: &[(&str, &str)] = &[
    ("", "ComponentStatus"),
    ("", "Namespace"),
    ("", "Node"),
    ("", "PersistentVolume"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
    ("authentication.k8s.io", "SelfSubjectReview"),
    ("authentication.k8s.io", "TokenReview"),
    ("authorization.k8s.io", "SelfSubjectAccessReview"),
    ("authorization.k8s.io", "SelfSubjectRulesReview"),
    ("authorization.k8s.io", "SubjectAccessReview"),
    ("certificates.k8s.io", "CertificateSigningRequest"),
    ("certificates.k8s.io", "ClusterTrustBundle"),
    ("core.convoy.kumodo.io", "GlobalHealthRuleSet"),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"),
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
    ("internal.apiserver.k8s.io", "StorageVersion"),
    ("networking.k8s.io", "IPAddress"),
    ("networking.k8s.io", "IngressClass"),
    ("networking.k8s.io", "ServiceCIDR"),
    ("node.k8s.io", "RuntimeClass"),
    ("policy", "PodSecurityPolicy"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("resource.k8s.io", "DeviceClass"),
    ("resource.k8s.io", "DeviceTaintRule"),
    ("resource.k8s.io", "ResourceSlice"),
    ("scheduling.k8s.io", "PriorityClass"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "StorageClass"),
    ("storage.k8s.io", "VolumeAttachment"),
    ("storage.k8s.io", "VolumeAttributesClass"),
    ("storagemigration.k8s.io", "StorageVersionMigration"),
];

/// Scopes of the kinds that a render itself defines, over those of Kubernetes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(BTreeMap<(String, String), Scope>);

impl Scopes {
    /// Reads the scopes of every CRD in a render.
    pub fn of<'a>(objects: impl IntoIterator<Item = &'a Object>) -> Self {
        let mut scopes = BTreeMap::new();
        for object in objects {
            if !is_crd(object) {
                continue;
            }
            let scope = match object.text(&["spec", "scope"]) {
                "Cluster" => Scope::Cluster,
                _ => Scope::Namespaced,
            };
            let group = object.text(&["spec", "group"]).to_string();
            let kind = object.text(&["spec", "names", "kind"]).to_string();
            scopes.insert((group, kind), scope);
        }
        Self(scopes)
    }

    /// The scope of a kind: what the render says, else what Kubernetes has, else namespaced.
    #[must_use]
    pub fn scope(&self, group: &str, kind: &str) -> Scope {
        self.0
            .get(&(group.to_string(), kind.to_string()))
            .copied()
            .unwrap_or_else(|| built_in(group, kind))
    }

    /// The identity that an object has with these scopes.
    #[must_use]
    pub fn id(&self, object: &Object) -> ObjectId {
        let gvk = object.gvk();
        object.id(self.scope(&gvk.group, &gvk.kind))
    }
}

/// Whether an object is a `CustomResourceDefinition`.
#[must_use]
pub fn is_crd(object: &Object) -> bool {
    object.kind() == "CustomResourceDefinition" && object.gvk().group == "apiextensions.k8s.io"
}

/// The scope of a kind of Kubernetes; any other is taken for namespaced.
#[must_use]
pub fn built_in(group: &str, kind: &str) -> Scope {
    if CLUSTER_SCOPED.binary_search(&(group, kind)).is_ok() {
        Scope::Cluster
    } else {
        Scope::Namespaced
    }
}

#[cfg(test)]
mod tests {
    use convoy_value::{Limits, json};

    use super::*;

    fn object(text: &str) -> Object {
        Object::new(json::parse(text, &Limits::default()).unwrap()).unwrap()
    }

    #[test]
    fn the_table_is_sorted_so_that_it_can_be_searched() {
        assert!(CLUSTER_SCOPED.is_sorted());
    }

    #[test]
    fn kinds_have_the_scope_of_kubernetes_or_of_their_crd() {
        let crd = object(
            r#"{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
                "spec":{"group":"x.io","scope":"Cluster","names":{"kind":"Wide"}}}"#,
        );
        let scopes = Scopes::of([&crd]);
        for (group, kind, expect) in [
            ("", "Namespace", Scope::Cluster),
            ("other.io", "Namespace", Scope::Namespaced),
            ("apps", "Deployment", Scope::Namespaced),
            ("rbac.authorization.k8s.io", "ClusterRole", Scope::Cluster),
            ("rbac.authorization.k8s.io", "Role", Scope::Namespaced),
            ("x.io", "Wide", Scope::Cluster),
            ("x.io", "Narrow", Scope::Namespaced),
        ] {
            assert_eq!(scopes.scope(group, kind), expect, "{group} {kind}");
        }
    }

    #[test]
    fn an_object_without_namespace_is_identified_in_default() {
        let scopes = Scopes::default();
        let namespaced = scopes.id(&object(
            r#"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}}"#,
        ));
        assert_eq!(namespaced.namespace, "default");
        let wide = scopes.id(&object(
            r#"{"apiVersion":"v1","kind":"Node","metadata":{"name":"a","namespace":"x"}}"#,
        ));
        assert_eq!(wide.namespace, "");
    }
}
