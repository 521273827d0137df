//! Ours against the list of what `kubectl kustomize` made of public kustomizations, where their repositories are at hand.

use std::fs;
use std::path::Path;

use convoy_testkit_golden::corpus::{self, List};
use convoy_testkit_golden::kustomize_build as kustomize;

fn list() -> List {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/kustomize-corpus/list.txt");
    List::read(&fs::read_to_string(path).expect("the list is there"))
}

#[test]
fn the_list_is_long_and_of_the_tool_that_we_follow() {
    let list = list();
    assert_eq!(list.tool, kustomize::TOOL);
    assert!(list.len() >= 800, "{} cases", list.len());
    assert!(
        list.repositories.len() >= 50,
        "{} repositories",
        list.repositories.len()
    );
}

#[test]
fn public_kustomizations_build_as_the_tool_built_them() {
    let Some(folder) = corpus::folder() else {
        println!("skipped: CONVOY_CORPORA names no folder of repositories");
        return;
    };
    let report = corpus::check(
        &list(),
        &folder,
        kustomize::disk::Disk::open,
        kustomize::ours_of_case,
        |_, _, _| String::new(),
    )
    .expect("trees can be laid");
    println!("{}", report.text());
    assert!(report.differences.is_empty(), "{}", report.text());
}
