//! Clients of the clouds' blob stores.
//!
//! What the URL says comes first, then the [`Environment`]: static keys, files of keys, tokens of workload identity, and
//! at last the metadata service of the machine, as each cloud's own tools look for them.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GcpCredential, GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig, StaticCredentialProvider};
use url::Url;

use crate::bounds::Bounds;
use crate::environment::Environment;
use crate::error::OpenError;
use crate::location::{Azure, Google, S3};
use crate::requests::Counting;

/// What every client of a cloud is built with.
pub(crate) struct Settings<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) bounds: &'a Bounds,
    pub(crate) requests: Counting,
}

/// The account and key that every emulator of Azure has.
const EMULATOR_ACCOUNT: &str = "devstoreaccount1";
const EMULATOR_KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

impl Settings<'_> {
    /// One request ends well before its call does, so that there is time for another.
    fn client(&self, plain_http: bool) -> ClientOptions {
        let most = self.bounds.call_timeout;
        ClientOptions::new()
            .with_timeout(most)
            .with_connect_timeout((most / 4).min(Duration::from_secs(5)))
            .with_read_timeout(most / 2)
            .with_allow_http(plain_http)
    }

    /// The call's own time bounds all tries together; what it does not bound is tried again by the next reconcile.
    fn retries(&self) -> RetryConfig {
        RetryConfig {
            backoff: BackoffConfig {
                init_backoff: Duration::from_millis(100),
                max_backoff: Duration::from_secs(2),
                base: 2.0,
            },
            max_retries: 3,
            retry_timeout: self.bounds.call_timeout / 2,
        }
    }

    pub(crate) fn s3(&self, place: &S3) -> Result<Arc<dyn ObjectStore>, OpenError> {
        let mut builder = AmazonS3Builder::new();
        for (name, value) in self.environment.starting_with("AWS_") {
            if let Ok(key) = name.parse::<AmazonS3ConfigKey>() {
                builder = builder.with_config(key, value);
            }
        }
        builder = builder
            .with_bucket_name(&place.bucket)
            .with_virtual_hosted_style_request(!place.path_style);
        if let Some(region) = &place.region {
            builder = builder.with_region(region);
        }
        let mut plain_http = false;
        if let Some(endpoint) = &place.endpoint {
            plain_http = endpoint.scheme() == "http";
            let endpoint = if place.path_style {
                endpoint.clone()
            } else {
                below(endpoint, &place.bucket)?
            };
            builder = builder.with_config(AmazonS3ConfigKey::S3Endpoint, endpoint.as_str().trim_end_matches('/'));
        }
        if place.anonymous {
            builder = builder.with_skip_signature(true);
        }
        if let Some((kind, key)) = &place.encryption {
            builder = match (kind.as_str(), key) {
                ("aws:kms", Some(key)) => builder.with_sse_kms_encryption(key),
                ("aws:kms:dsse", Some(key)) => builder.with_dsse_kms_encryption(key),
                (kind, _) => match "aws_server_side_encryption".parse::<AmazonS3ConfigKey>() {
                    Ok(name) => builder.with_config(name, kind),
                    Err(_) => builder,
                },
            };
        }
        let builder = builder
            .with_client_options(self.client(plain_http))
            .with_retry(self.retries());
        built(builder.with_http_connector(self.requests.clone()).build())
    }

    pub(crate) fn google(&self, place: &Google) -> Result<Arc<dyn ObjectStore>, OpenError> {
        let mut builder = GoogleCloudStorageBuilder::new();
        for (name, value) in self.environment.starting_with("GOOGLE_") {
            if let Ok(key) = name.parse::<GoogleConfigKey>() {
                builder = builder.with_config(key, value);
            }
        }
        builder = builder.with_bucket_name(&place.bucket);
        let emulator = self
            .environment
            .get("STORAGE_EMULATOR_HOST")
            .map(emulator_url)
            .transpose()?;
        if let Some(url) = &emulator {
            builder = builder.with_base_url(url.as_str().trim_end_matches('/'));
        }
        if place.anonymous || emulator.is_some() {
            // The library asks for a token before it writes even then.
            let nobody = StaticCredentialProvider::new(GcpCredential { bearer: String::new() });
            builder = builder.with_skip_signature(true).with_credentials(Arc::new(nobody));
        }
        let plain_http = emulator.is_some_and(|url| url.scheme() == "http");
        let builder = builder
            .with_client_options(self.client(plain_http))
            .with_retry(self.retries());
        built(builder.with_http_connector(self.requests.clone()).build())
    }

    pub(crate) fn azure(&self, place: &Azure) -> Result<Arc<dyn ObjectStore>, OpenError> {
        let mut builder = MicrosoftAzureBuilder::new();
        for (name, value) in self.environment.starting_with("AZURE_") {
            if let Ok(key) = name.parse::<AzureConfigKey>() {
                builder = builder.with_config(key, value);
            }
        }
        // The names that Go's driver has for three of them.
        for (name, key) in [
            ("AZURE_STORAGE_ACCOUNT", AzureConfigKey::AccountName),
            ("AZURE_STORAGE_KEY", AzureConfigKey::AccessKey),
            ("AZURE_STORAGE_SAS_TOKEN", AzureConfigKey::SasKey),
        ] {
            if let Some(value) = self.environment.get(name) {
                builder = builder.with_config(key, value.trim_start_matches('?'));
            }
        }
        if let Some(endpoint) = self.environment.get("IDENTITY_ENDPOINT") {
            builder = builder.with_msi_endpoint(endpoint);
        }
        let named = place.account.as_deref();
        let named = named.or_else(|| self.environment.get("AZURE_STORAGE_ACCOUNT"));
        let named = named.or_else(|| self.environment.get("AZURE_STORAGE_ACCOUNT_NAME"));
        let account = match named {
            Some(account) => account,
            None if place.emulator => EMULATOR_ACCOUNT,
            None => return Err(OpenError::NoAccount),
        };
        if place.emulator && account == EMULATOR_ACCOUNT && self.environment.get("AZURE_STORAGE_KEY").is_none() {
            builder = builder.with_access_key(EMULATOR_KEY);
        }
        let builder = builder
            .with_account(account)
            .with_container_name(&place.container)
            .with_endpoint(azure_endpoint(place, account))
            .with_client_options(self.client(place.plain_http))
            .with_retry(self.retries());
        built(builder.with_http_connector(self.requests.clone()).build())
    }
}

/// Where the account's blobs are.
fn azure_endpoint(place: &Azure, account: &str) -> String {
    let protocol = if place.plain_http { "http" } else { "https" };
    let domain = place.domain.as_deref();
    match (place.emulator, place.cdn) {
        (true, _) => format!("{protocol}://{}/{account}", domain.unwrap_or("127.0.0.1:10000")),
        (false, true) => format!("{protocol}://{}", domain.unwrap_or("blob.core.windows.net")),
        (false, false) => format!("{protocol}://{account}.{}", domain.unwrap_or("blob.core.windows.net")),
    }
}

/// The endpoint with the bucket as the first part of its host.
fn below(endpoint: &Url, bucket: &str) -> Result<Url, OpenError> {
    let mut url = endpoint.clone();
    let host = format!("{bucket}.{}", endpoint.host_str().unwrap_or_default());
    url.set_host(Some(&host)).map_err(|_| OpenError::InvalidParameter {
        name: "endpoint",
        rule: "the bucket cannot stand before its host: add `s3ForcePathStyle=true`",
    })?;
    Ok(url)
}

/// Go's clients take a host, and a URL.
fn emulator_url(text: &str) -> Result<Url, OpenError> {
    let whole = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    Url::parse(&whole).map_err(|_| OpenError::InvalidVariable {
        name: "STORAGE_EMULATOR_HOST",
        rule: "expected a host and port, or a URL",
    })
}

fn built<S: ObjectStore>(answer: object_store::Result<S>) -> Result<Arc<dyn ObjectStore>, OpenError> {
    let refused = |error: object_store::Error| OpenError::Backend {
        why: crate::error::innermost(&error),
    };
    answer.map(|store| Arc::new(store) as _).map_err(refused)
}
