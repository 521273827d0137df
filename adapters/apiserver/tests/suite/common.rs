//! What the tests of the server share.
use std::time::Duration;

use convoy_apiserver::{ApiServer, Builder, Running};
use http::{Method, Request};
use kube::Client;
use kube::client::Body;
use serde_json::Value;

/// An answer: code, body (JSON, or text as a string), warnings.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: Value,
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn builder() -> Builder {
    ApiServer::builder().ready_after(Duration::from_millis(200))
}

pub(crate) async fn start() -> (Running, Client) {
    started(builder()).await
}

pub(crate) async fn started(builder: Builder) -> (Running, Client) {
    let server = builder.start().await.unwrap();
    let client = client(&server.url());
    (server, client)
}

pub(crate) fn client(url: &str) -> Client {
    let mut config = kube::Config::new(url.parse().unwrap());
    // What the server says is looked at as it is.
    config.default_retry = false;
    Client::try_from(config).unwrap()
}

pub(crate) async fn call(client: &Client, method: &str, path: &str, media_type: &str, body: Vec<u8>) -> Answer {
    let request = Request::builder()
        .method(Method::from_bytes(method.as_bytes()).unwrap())
        .uri(path)
        .header("Accept", "application/json")
        .header("User-Agent", "difftest/1.0")
        .header("Content-Type", media_type)
        .body(Body::from(body))
        .unwrap();
    let response = client.send(request).await.unwrap();
    let code = response.status().as_u16();
    let warnings = response.headers().get_all("Warning").iter();
    let warnings = warnings.map(|value| value.to_str().unwrap().to_owned()).collect();
    let bytes = response.into_body().collect_bytes().await.unwrap();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answer { code, body, warnings }
}

pub(crate) async fn json(client: &Client, method: &str, path: &str, body: &Value) -> Answer {
    call(client, method, path, "application/json", body.to_string().into_bytes()).await
}

pub(crate) async fn get(client: &Client, path: &str) -> Answer {
    call(client, "GET", path, "application/json", Vec::new()).await
}

/// Asks until the answer is as wanted.
pub(crate) async fn until(client: &Client, path: &str, what: &str, wanted: impl Fn(&Answer) -> bool) -> Answer {
    for _ in 0..200 {
        let answer = get(client, path).await;
        if wanted(&answer) {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{what}: {:?}", get(client, path).await);
}
