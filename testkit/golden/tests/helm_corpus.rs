//! Public charts against the recorded digests of what `helm template` printed, where their repositories are at hand.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use convoy_testkit_golden::corpus;
use convoy_testkit_golden::helm_corpus::{Expect, List, check};

fn list() -> List {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/helm-corpus/list.tsv");
    List::read(&fs::read_to_string(path).expect("the list is there"))
}

#[test]
fn the_list_has_many_publishers_and_charts() {
    let list = list();
    let publishers: BTreeSet<&str> = list
        .repositories
        .iter()
        .filter_map(|repository| repository.name.split('/').next())
        .collect();
    let charts: BTreeSet<(&str, &str)> = list
        .repositories
        .iter()
        .flat_map(|repository| repository.cases.iter().map(|case| (&*repository.name, &*case.path)))
        .collect();
    let refused = list.cases().filter(|case| case.expect == Expect::Refused).count();
    assert!(publishers.len() >= 60, "{} publishers", publishers.len());
    assert!(charts.len() >= 600, "{} charts", charts.len());
    assert!(list.cases().count() >= 900, "{} cases", list.cases().count());
    assert!(refused >= 50, "{refused} refused");
}

/// `CONVOY_CORPORA` names the folder; `CONVOY_CORPORA_REPOSITORY` one repository in place of all.
#[test]
fn public_charts_render_as_recorded() {
    let Some(folder) = corpus::folder() else {
        println!("skipped: CONVOY_CORPORA names no folder of repositories");
        return;
    };
    let mut list = list();
    if let Ok(only) = std::env::var("CONVOY_CORPORA_REPOSITORY") {
        list.repositories.retain(|repository| repository.name == only);
    }
    let report = check::check(&list, &folder).unwrap();
    println!("{}", report.text());
    assert!(
        report.repositories > 0,
        "no repository of the list is below {}",
        folder.display()
    );
    assert!(report.differences.is_empty(), "{}", report.text());
}
