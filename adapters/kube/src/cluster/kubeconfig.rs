//! Kubeconfigs from Secrets: anybody who may write a Secret writes them, so that nothing in one may run a program or
//! read a file of ours.
//!
//! # Invariant
//! No text of this module repeats anything of a kubeconfig but the names of its fields.

use kube::Config;
use kube::config::{AuthInfo, Cluster, KubeConfigOptions, Kubeconfig};

/// Largest kubeconfig, in bytes.
const MAX_BYTES: usize = 256 * 1024;

/// Why a kubeconfig cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    /// It is too large.
    #[error("it has more than {MAX_BYTES} bytes")]
    TooLarge,
    /// It is no text, no YAML or no kubeconfig.
    #[error("it is not a kubeconfig in YAML")]
    Unreadable,
    /// It names no context, or one that is not there.
    #[error("`{0}` is missing or names nothing")]
    Missing(&'static str),
    /// A field that would run a program, read a file or go elsewhere.
    #[error("`{0}` is not allowed in a kubeconfig from a Secret")]
    NotAllowed(&'static str),
    /// The server's address is none.
    #[error("`server` is not an http or https URL")]
    Server,
    /// Certificates or keys are damaged.
    #[error("its certificates or keys are damaged")]
    Damaged,
}

/// Reads a kubeconfig and the cluster and user of its current context.
pub(super) async fn read(bytes: &[u8]) -> Result<Config, Refusal> {
    let kubeconfig = selected(bytes)?;
    let options = KubeConfigOptions::default();
    let mut config = Config::from_custom_kubeconfig(kubeconfig, &options)
        .await
        .map_err(|_| Refusal::Damaged)?;
    // Proxies of our own environment are for our own calls.
    config.proxy_url = None;
    Ok(config)
}

/// The kubeconfig with nothing but the current context, its cluster and its user, all of which are allowed.
fn selected(bytes: &[u8]) -> Result<Kubeconfig, Refusal> {
    if bytes.len() > MAX_BYTES {
        return Err(Refusal::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Refusal::Unreadable)?;
    let all = Kubeconfig::from_yaml(text).map_err(|_| Refusal::Unreadable)?;
    let name = all.current_context.ok_or(Refusal::Missing("current-context"))?;
    let context = all
        .contexts
        .into_iter()
        .find(|context| context.name == name)
        .ok_or(Refusal::Missing("current-context"))?;
    let names = context.context.as_ref().ok_or(Refusal::Missing("context"))?;
    let cluster = all
        .clusters
        .into_iter()
        .find(|cluster| cluster.name == names.cluster)
        .ok_or(Refusal::Missing("context.cluster"))?;
    check_cluster(cluster.cluster.as_ref().ok_or(Refusal::Missing("cluster"))?)?;
    let user_name = names.user.clone().unwrap_or_default();
    let user = all
        .auth_infos
        .into_iter()
        .find(|user| user.name == user_name)
        .ok_or(Refusal::Missing("context.user"))?;
    check_user(user.auth_info.as_ref().ok_or(Refusal::Missing("user"))?)?;
    Ok(Kubeconfig {
        current_context: Some(name),
        contexts: vec![context],
        clusters: vec![cluster],
        auth_infos: vec![user],
        ..Kubeconfig::default()
    })
}

fn check_cluster(cluster: &Cluster) -> Result<(), Refusal> {
    refuse(cluster.certificate_authority.is_some(), "certificate-authority")?;
    refuse(cluster.proxy_url.is_some(), "proxy-url")?;
    let server = cluster.server.as_deref().unwrap_or_default();
    let uri: http::Uri = server.parse().map_err(|_| Refusal::Server)?;
    let is_http = matches!(uri.scheme_str(), Some("https" | "http"));
    // A name and password in the URL would be shown wherever the URL is.
    let has_credentials = uri
        .authority()
        .is_some_and(|authority| authority.as_str().contains('@'));
    if !is_http || uri.host().is_none_or(str::is_empty) || has_credentials {
        return Err(Refusal::Server);
    }
    Ok(())
}

fn check_user(user: &AuthInfo) -> Result<(), Refusal> {
    refuse(user.exec.is_some(), "exec")?;
    refuse(user.auth_provider.is_some(), "auth-provider")?;
    refuse(user.token_file.is_some(), "tokenFile")?;
    refuse(user.client_certificate.is_some(), "client-certificate")?;
    refuse(user.client_key.is_some(), "client-key")
}

fn refuse(set: bool, field: &'static str) -> Result<(), Refusal> {
    if set { Err(Refusal::NotAllowed(field)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kubeconfig(cluster: &str, user: &str) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: c\n\
             contexts: [{{name: c, context: {{cluster: k, user: u}}}}]\n\
             clusters: [{{name: k, cluster: {{{cluster}}}}}]\n\
             users: [{{name: u, user: {{{user}}}}}]\n"
        )
    }

    const SERVER: &str = "server: 'https://cluster.invalid:6443'";

    #[test]
    fn what_runs_a_program_or_reads_a_file_is_refused_by_name() {
        let check = |cluster: &str, user: &str, field: &'static str| {
            let found = selected(kubeconfig(cluster, user).as_bytes()).map(|_| ());
            assert_eq!(found, Err(Refusal::NotAllowed(field)), "{cluster} {user}");
        };
        check(
            SERVER,
            "exec: {apiVersion: client.authentication.k8s.io/v1, command: sh}",
            "exec",
        );
        check(SERVER, "auth-provider: {name: gcp, config: {}}", "auth-provider");
        check(
            SERVER,
            "tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token",
            "tokenFile",
        );
        check(SERVER, "token: t, tokenFile: /etc/shadow", "tokenFile");
        check(SERVER, "client-certificate: /tmp/a", "client-certificate");
        check(SERVER, "client-key: /tmp/a", "client-key");
        check(
            &format!("{SERVER}, certificate-authority: /tmp/a"),
            "token: t",
            "certificate-authority",
        );
        check(
            &format!("{SERVER}, proxy-url: 'http://p.invalid'"),
            "token: t",
            "proxy-url",
        );
    }

    #[test]
    fn only_http_servers_without_credentials_are_called() {
        for server in [
            "",
            "server: 'file:///etc/passwd'",
            "server: 'unix:/run/x'",
            "server: 'https://a:b@c.invalid'",
            "server: 'c.invalid'",
        ] {
            let found = selected(kubeconfig(server, "token: t").as_bytes()).map(|_| ());
            assert_eq!(found, Err(Refusal::Server), "{server}");
        }
    }

    #[test]
    fn what_is_damaged_is_refused_and_not_repeated() {
        let check = |text: &[u8], expect: Refusal| {
            let refusal = selected(text).map(|_| ()).unwrap_err();
            assert!(!refusal.to_string().contains("hunter2"));
            assert_eq!(refusal, expect);
        };
        check(b"users: [{name: hunter2, user: [hunter2", Refusal::Unreadable);
        check(&[0xff, 0xfe], Refusal::Unreadable);
        check(b"current-context: hunter2\n", Refusal::Missing("current-context"));
        check(b"kind: Config\n", Refusal::Missing("current-context"));
        check(&vec![b'a'; MAX_BYTES + 1], Refusal::TooLarge);
        let other = kubeconfig(SERVER, "token: t").replace("user: u}", "user: w}");
        check(other.as_bytes(), Refusal::Missing("context.user"));
    }

    #[test]
    fn a_plugin_of_a_context_that_is_not_used_does_no_harm() {
        let text = kubeconfig(SERVER, "token: t").replace(
            "users: [",
            "users: [{name: other, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: sh}}}, ",
        );
        let kept = selected(text.as_bytes()).unwrap();
        assert_eq!(kept.auth_infos.len(), 1);
        assert_eq!(kept.auth_infos[0].name, "u");
    }

    #[tokio::test]
    async fn the_token_and_the_switch_for_certificates_are_kept() {
        let text = kubeconfig(&format!("{SERVER}, insecure-skip-tls-verify: true"), "token: t");
        let config = read(text.as_bytes()).await.unwrap();
        assert!(config.accept_invalid_certs && config.auth_info.token.is_some());
        assert_eq!(config.cluster_url.to_string(), "https://cluster.invalid:6443/");
        let secure = read(kubeconfig(SERVER, "token: t").as_bytes()).await.unwrap();
        assert!(!secure.accept_invalid_certs && secure.proxy_url.is_none());
        let damaged = kubeconfig(SERVER, "client-certificate-data: '%%%', client-key-data: '%%%'");
        let built = read(damaged.as_bytes()).await;
        assert!(built.is_ok(), "keys are read when a client is made");
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics_or_is_taken_with_a_program(text in "\\PC{0,200}", line in 0..6_usize) {
            let whole = kubeconfig(SERVER, "exec: {apiVersion: client.authentication.k8s.io/v1, command: sh}");
            let mut lines: Vec<&str> = whole.lines().collect();
            lines.insert(line.min(lines.len()), &text);
            let taken = selected(lines.join("\n").as_bytes());
            let runs = taken.iter().flat_map(|config| &config.auth_infos).any(|user| {
                user.auth_info.as_ref().is_some_and(|user| user.exec.is_some())
            });
            proptest::prop_assert!(!runs);
        }
    }
}
