//! Installs the custom resource definitions.

use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DynamicObject, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::control_plane::FIELD_MANAGER;
use crate::crd::definitions;

/// How long a definition may take until it is served.
const ESTABLISHED_WITHIN: Duration = Duration::from_mins(1);

/// How often that is asked.
const POLL: Duration = Duration::from_millis(50);

/// Why the definitions are not installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The server refused a call.
    #[error("cannot install the definition `{name}`")]
    Refused {
        /// Name of the definition.
        name: String,
        /// What was said.
        #[source]
        source: Box<kube::Error>,
    },
    /// The server took it, but does not serve it.
    #[error("the definition `{name}` is not established after {} s: {why}", ESTABLISHED_WITHIN.as_secs())]
    NotEstablished {
        /// Name of the definition.
        name: String,
        /// What its conditions say.
        why: String,
    },
}

/// Applies all definitions and waits until each is served.
///
/// # Errors
/// [`InstallError`] for the first definition that cannot be installed.
pub async fn install_crds(client: &Client) -> Result<(), InstallError> {
    let kind = kube::api::ApiResource::erase::<CustomResourceDefinition>(&());
    let writes: Api<DynamicObject> = Api::all_with(client.clone(), &kind);
    let reads: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definitions = definitions();
    let mut names = Vec::with_capacity(definitions.len());
    for definition in &definitions {
        let name = definition
            .pointer("/metadata/name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        writes
            .patch(
                name,
                &PatchParams::apply(FIELD_MANAGER).force(),
                &Patch::Apply(definition),
            )
            .await
            .map_err(|source| refused(name, source))?;
        names.push(name);
    }
    for name in names {
        established(&reads, name).await?;
    }
    Ok(())
}

async fn established(definitions: &Api<CustomResourceDefinition>, name: &str) -> Result<(), InstallError> {
    let deadline = Instant::now() + ESTABLISHED_WITHIN;
    loop {
        let found = definitions.get(name).await.map_err(|source| refused(name, source))?;
        let conditions = found.status.and_then(|status| status.conditions).unwrap_or_default();
        if conditions
            .iter()
            .any(|condition| condition.type_ == "Established" && condition.status == "True")
        {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let said: Vec<&str> = conditions
                .iter()
                .filter_map(|condition| condition.message.as_deref())
                .collect();
            return Err(InstallError::NotEstablished {
                name: name.to_owned(),
                why: said.join("; "),
            });
        }
        sleep(POLL).await;
    }
}

fn refused(name: &str, source: kube::Error) -> InstallError {
    InstallError::Refused {
        name: name.to_owned(),
        source: Box::new(source),
    }
}
