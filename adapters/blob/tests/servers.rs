//! What only stores at servers do: credentials, faults of the network, requests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use convoy_blob::{Bounds, Environment, Options, open_with};
use convoy_ports::{BlobError, BlobStore};
use convoy_testkit_controlplane::BlobServer;
use convoy_testkit_faultproxy::{Fault, FaultProxy};

fn opened(url: &str, variables: Vec<(String, String)>) -> Arc<dyn BlobStore> {
    let options = Options {
        environment: Environment::default().with(variables),
        bounds: Bounds {
            call_timeout: Duration::from_secs(4),
            ..Bounds::default()
        },
        ..Options::default()
    };
    open_with(url, &options)
        .expect("the store opens")
        .expect("the URL names a store")
}

fn wrong(server: &BlobServer, name: &str, value: &str) -> Vec<(String, String)> {
    let mut variables = server.variables();
    for (own, text) in &mut variables {
        if own == name {
            value.clone_into(text);
        }
    }
    variables
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_keys_are_denied_and_never_repeated() {
    let servers = [
        (BlobServer::amazon(), "AWS_SECRET_ACCESS_KEY", "hunter2hunter2"),
        (BlobServer::azure(), "AZURE_STORAGE_KEY", "aHVudGVyMmh1bnRlcjI="),
    ];
    for (server, name, value) in servers {
        let Some(server) = server else { return };
        let store = opened(&server.url(""), wrong(&server, name, value));
        for error in [
            store.put("a/key", vec![1]).await.unwrap_err(),
            store.get("a/key").await.unwrap_err(),
            store.list("").await.unwrap_err(),
        ] {
            assert!(matches!(error, BlobError::Denied { .. }), "{error}");
            assert!(!error.to_string().contains(value), "{error}");
        }
        assert!(!format!("{store:?}").contains(value), "a store shows no key");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_few_and_counted() {
    let Some(server) = BlobServer::amazon() else { return };
    let store = opened(&server.url("counted/"), server.variables());
    let requests = async |act: &str| {
        let before = store.calls().requests;
        match act {
            "put" => store.put("a/key", vec![1; 1_000]).await.unwrap(),
            "create" => drop(store.put_if_absent("a/other", vec![1]).await.unwrap()),
            "get" => drop(store.get("a/key").await.unwrap()),
            "exists" => drop(store.exists("a/key").await.unwrap()),
            "list" => drop(store.list("a/").await.unwrap()),
            _ => assert_eq!(
                store
                    .delete_many(vec!["a/key".into(), "a/other".into(), "a/none".into()])
                    .await,
                []
            ),
        }
        store.calls().requests - before
    };
    for act in ["put", "create", "get", "exists", "list", "delete"] {
        assert_eq!(requests(act).await, 1, "{act}");
    }
    let calls = store.calls();
    assert_eq!(
        (
            calls.of("put"),
            calls.of("get"),
            calls.of("delete_many"),
            calls.of("delete")
        ),
        (1, 1, 1, 0)
    );
    let get = calls.totals[&("get", "ok")];
    assert_eq!((get.calls, get.bytes), (1, 1_000));
    assert!(get.time > Duration::ZERO);
    assert!(matches!(store.get("a/key").await, Err(BlobError::NotFound { .. })));
    assert_eq!(store.calls().totals[&("get", "not_found")].calls, 1);
}

const UNAVAILABLE: &[u8] = b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_gone_or_stalls_is_a_transient_error_in_time() {
    let Some(server) = BlobServer::amazon() else { return };
    let proxy = FaultProxy::start(server.port());
    // A client for each fault: a connection that is kept alive was made before it.
    let store = || opened(&server.url_through(proxy.port(), "faults/"), server.variables());
    store().put("a/key", vec![7; 100_000]).await.unwrap();
    for fault in [
        Fault::StallAfter(0),
        Fault::CutAfter(0),
        Fault::CutAfter(20_000),
        Fault::StallAfter(20_000),
        Fault::Refuse,
        Fault::Answer(UNAVAILABLE.into()),
    ] {
        let told = format!("{fault:?}");
        proxy.set(fault);
        let started = Instant::now();
        let error = store().get("a/key").await.unwrap_err();
        assert!(error.is_transient(), "{told}: {error}");
        assert!(
            started.elapsed() < Duration::from_secs(8),
            "{told}: {:?}",
            started.elapsed()
        );
    }
    proxy.set(Fault::None);
    let store = store();
    assert_eq!(store.get("a/key").await.unwrap().len(), 100_000);
    drop(proxy);
    drop(server);
    assert!(store.exists("a/key").await.unwrap_err().is_transient());
}
