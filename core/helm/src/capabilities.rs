//! What Helm 4.2.3 says about a cluster that it does not ask: `.Capabilities`.

use alloc::format;
use alloc::string::{String, ToString as _};

use crate::error::Error;

/// The version of Helm that convoy follows.
pub const HELM_VERSION: &str = "v4.2.3";
/// The commit of that version, as its own `.Capabilities.HelmVersion` says.
pub const GIT_COMMIT: &str = "43e8b7feece8beb0fcba47059ec9b522fd929a64";
/// The Go that the release was built with.
pub const GO_VERSION: &str = "go1.26.5";
/// The client library of the release.
pub const KUBE_CLIENT_VERSION: &str = "v1.36";

/// The API versions of Helm's default, in its order.
pub const API_VERSIONS: [&str; 55] = [
    "v1",
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "apps/v1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "batch/v1beta1",
    "certificates.k8s.io/v1",
    "certificates.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "networking.k8s.io/v1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1",
    "resource.k8s.io/v1beta2",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha2",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
];

/// A version of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeVersion {
    /// As given, with a `v` before it.
    pub version: String,
    /// Without what follows the numbers; what constraints look at, and what printing it shows.
    pub normalized: String,
    /// The first number.
    pub major: String,
    /// The second number.
    pub minor: String,
}

impl Default for KubeVersion {
    /// Helm's: v1.36.0.
    fn default() -> Self {
        Self {
            version: "v1.36.0".into(),
            normalized: "v1.36.0".into(),
            major: "1".into(),
            minor: "36".into(),
        }
    }
}

impl KubeVersion {
    /// Reads the text of `--kube-version`: two numbers or more.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let invalid = |reason: String| Error::InvalidKubeVersion {
            version: text.into(),
            reason,
        };
        let trimmed = text.trim_start();
        let trimmed = trimmed.strip_prefix('v').unwrap_or(trimmed);
        let end = numbers_end(trimmed);
        if end == 0 {
            return Err(invalid(format!("could not parse {text:?} as version")));
        }
        let components = trimmed[..end].split('.');
        if components.clone().count() < 2 {
            return Err(invalid(format!("illegal version string {text:?}")));
        }
        let mut numbers = alloc::vec::Vec::new();
        for (index, component) in components.enumerate() {
            if index == 0 && component.starts_with('0') && component != "0" {
                return Err(invalid(format!(
                    "illegal zero-prefixed version component {component:?} in {text:?}"
                )));
            }
            let number: u64 = component.parse().map_err(|_| {
                invalid(format!(
                    "illegal non-numeric version component {component:?} in {text:?}: strconv.ParseUint: parsing {component:?}: value out of range"
                ))
            })?;
            numbers.push(number.to_string());
        }
        let version = if text.starts_with('v') {
            text.to_string()
        } else {
            format!("v{text}")
        };
        Ok(Self {
            version,
            normalized: format!("v{}", numbers.join(".")),
            major: numbers[0].clone(),
            minor: numbers[1].clone(),
        })
    }
}

/// Where the numbers with dots between them end.
fn numbers_end(text: &str) -> usize {
    let mut end = 0;
    for part in text.split('.') {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            break;
        }
        end += digits + usize::from(end > 0);
        if digits < part.len() {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_clusters_are_read_leniently() {
        let check = |text: &str, expect: Result<(&str, &str, &str), &str>| {
            let got = KubeVersion::parse(text).map(|v| (v.version, v.normalized, v.minor));
            let expect = expect.map(|(a, b, c)| (a.to_string(), b.to_string(), c.to_string()));
            assert_eq!(got.map_err(|e| e.to_string()), expect.map_err(Into::into), "{text}");
        };
        check("1.30", Ok(("v1.30", "v1.30", "30")));
        check("v1.33.4-gke.1245000", Ok(("v1.33.4-gke.1245000", "v1.33.4", "33")));
        check("1", Err("invalid kube version '1': illegal version string \"1\""));
        check("x", Err("invalid kube version 'x': could not parse \"x\" as version"));
    }
}
