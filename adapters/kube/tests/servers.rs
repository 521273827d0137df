//! The adapter on a real kube-apiserver and on the embedded one: the contract suites of its ports, each rule of the
//! definitions, and the watch loops. One server serves all checks, since its start takes longer than they do.

#![expect(clippy::unwrap_used, reason = "a check ends where something is not as it must be")]

mod server;

use server::Server;

#[tokio::test(flavor = "multi_thread")]
async fn the_adapter_works_on_a_real_server() {
    if let Some(server) = Server::real().await {
        server::check_all(server).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_adapter_works_on_the_embedded_server() {
    server::check_all(Server::embedded().await).await;
}
