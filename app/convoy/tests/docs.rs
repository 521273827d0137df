//! The documentation holds together: links lead somewhere, and pages are in the index.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository is there")
}

fn pages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"]
        .iter()
        .map(|name| root().join(name))
        .collect();
    for dir in ["docs", "docs/how-to", "docs/reference"] {
        let entries = fs::read_dir(root().join(dir)).expect("the directory is there");
        found.extend(
            entries
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.extension().is_some_and(|e| e == "md")),
        );
    }
    found
}

fn text(page: &Path) -> String {
    fs::read_to_string(page).expect("the page can be read")
}

/// The targets of `[…](target)` that are files of the repository.
fn links(page: &str) -> Vec<&str> {
    page.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
        .map(|target| target.split_once('#').map_or(target, |(file, _)| file))
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}

#[test]
fn every_link_leads_to_a_file() {
    let mut checked = 0;
    for page in pages() {
        let content = text(&page);
        for link in links(&content) {
            let target = page.parent().expect("a page is in a directory").join(link);
            assert!(target.exists(), "{} links to `{link}`", page.display());
            checked += 1;
        }
    }
    assert!(checked > 10, "the links were found: {checked}");
}

#[test]
fn every_page_of_the_book_is_in_its_index() {
    let index_page = root().join("docs/README.md");
    let content = text(&index_page);
    let listed: Vec<PathBuf> = links(&content)
        .iter()
        .map(|link| root().join("docs").join(link))
        .collect();
    for page in pages()
        .iter()
        .filter(|page| page.starts_with(root().join("docs")) && **page != index_page)
    {
        assert!(listed.contains(page), "{} is not in docs/README.md", page.display());
    }
}
