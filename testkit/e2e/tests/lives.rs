//! Lives of Releases on the embedded API server and on a real kube-apiserver: the same scenarios on both.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod scenarios;

use convoy_testkit_e2e::{Controller, Server, World};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lives_on_the_embedded_server() {
    Box::pin(lives(&Server::embedded().await)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lives_on_a_real_server() {
    if let Some(server) = Server::real().await {
        Box::pin(lives(&server)).await;
    }
}

/// Runs every scenario against one controller, each in a namespace of its own.
async fn lives(server: &Server) {
    let files = tempfile::tempdir().unwrap();
    let store = files.path().join("renders");
    let binary = env!("CARGO_BIN_EXE_controller-under-test");
    let log = files.path().join("effects");
    let mut controller = Controller::start(binary, server.kubeconfig(), &World::store_url(&store), log, None);
    futures::join!(
        scenarios::a_commit_reaches_the_cluster(server, &store),
        scenarios::waves_wait_for_their_gates(server),
        scenarios::the_oldest_entry_goes_and_protected_blobs_stay(server, &store),
        scenarios::a_pin_brings_an_old_render_back(server, &store),
        scenarios::a_failed_gate_stops_the_waves_after_it(server),
        scenarios::a_release_does_not_apply_itself(server),
        scenarios::a_wave_that_times_out_says_so_until_it_is_healthy(server),
        scenarios::an_emptied_inventory_orphans_nothing(server),
        scenarios::bad_input_touches_nothing(server),
        scenarios::what_is_missing_is_named(server),
        scenarios::nobody_elses_objects_are_taken(server),
        scenarios::orphans_are_pruned_when_asked(server),
        scenarios::drift_is_corrected(server),
        scenarios::without_permission_differences_wait(server),
        scenarios::deletion_leaves_nothing(server, &store),
        scenarios::a_chart_lives(server, &store),
        scenarios::a_broken_chart_touches_nothing(server),
        scenarios::a_password_outlives_its_release(server),
        scenarios::a_kustomization_lives(server),
        scenarios::a_chart_of_a_repository_lives(server),
        scenarios::a_chart_of_a_registry_lives(server),
        scenarios::what_a_chart_needs_is_fetched(server),
    );
    assert!(controller.is_running(), "the controller stays up");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_key_stops_charts() {
    let server = Server::embedded().await;
    let world = World::new(&server.client, "lost").await;
    let binary = env!("CARGO_BIN_EXE_controller-under-test");
    let store = World::store_url(&world.file("renders"));
    let _controller = Controller::start(binary, server.kubeconfig(), &store, world.file("effects"), None);
    Box::pin(scenarios::a_lost_key_stops_charts(&world)).await;
}
