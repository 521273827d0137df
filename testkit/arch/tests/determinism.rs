//! The same input gives the same bytes in another process, under another environment and in another folder.

use std::process::Command;

fn render(arguments: &[&str], zone: &str, language: &str) -> Vec<u8> {
    let folder = std::env::temp_dir();
    let output = Command::new(env!("CARGO_BIN_EXE_render_once"))
        .args(arguments)
        .env_clear()
        .env("TZ", zone)
        .env("LANG", language)
        .env("HOME", &folder)
        .current_dir(folder)
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn two_processes_render_the_same_bytes_whatever_the_order_of_files() {
    for seed in ["1", "2", "77"] {
        for engine in ["--manifests", "--helm", "--kustomize"] {
            let first = render(&[seed, engine], "UTC", "C");
            let second = render(&[seed, engine, "--backwards"], "Asia/Kathmandu", "tr_TR.UTF-8");
            assert_eq!(
                String::from_utf8_lossy(&first),
                String::from_utf8_lossy(&second),
                "seed {seed} {engine}"
            );
            assert!(first.len() > 100_000, "the render is large enough to show an order");
        }
    }
    assert_ne!(
        render(&["1"], "UTC", "C"),
        render(&["2"], "UTC", "C"),
        "the seed decides"
    );
}

/// The same program with a map of random order in its way.
#[test]
fn a_map_with_random_order_is_seen() {
    let breach = ["1", "--random-order"];
    assert_ne!(render(&breach, "UTC", "C"), render(&breach, "UTC", "C"));
}
