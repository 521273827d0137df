//! Installs the custom resource definitions.

use std::time::Duration;

use futures::future::try_join_all;
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
    // All at a time: the definitions know nothing of each other, and a server spends its time in checking them.
    try_join_all(
        definitions()
            .iter()
            .map(|definition| install(&writes, &reads, definition)),
    )
    .await?;
    Ok(())
}

async fn install(
    writes: &Api<DynamicObject>,
    reads: &Api<CustomResourceDefinition>,
    definition: &Value,
) -> Result<(), InstallError> {
    let name = definition
        .pointer("/metadata/name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let params = PatchParams::apply(FIELD_MANAGER).force();
    let written = writes.patch(name, &params, &Patch::Apply(definition)).await;
    written.map_err(|source| refused(name, source))?;
    established(reads, name).await
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
