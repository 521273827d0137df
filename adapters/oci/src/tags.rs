//! Lists of tags, page by page, and the version among them that a constraint selects.

use convoy_domain::source::OciContent;
use convoy_sprig::semver::{Constraint, Version};
use serde::Deserialize;

use crate::reference::{is_tag, version_of};

/// Bytes of one page that are read.
pub const PAGE_BYTES: u64 = 4 * 1024 * 1024;

/// Pages that are read of one list.
pub const PAGES: usize = 1_000;

/// Tags that are read of one repository.
pub const TAGS: usize = 200_000;

#[derive(Deserialize)]
struct Page {
    // `null` where a repository has lost its last tag.
    tags: Option<Vec<String>>,
}

/// Reads one page of tags. What cannot be a tag is left out.
///
/// # Errors
/// When it is none.
pub fn parse(bytes: &[u8]) -> Result<Vec<String>, serde_json::Error> {
    let page: Page = serde_json::from_slice(bytes)?;
    let tags = page.tags.unwrap_or_default();
    Ok(tags.into_iter().filter(|tag| is_tag(tag)).collect())
}

/// The target of a `Link` header with `rel="next"` (RFC 8288), or of one without any `rel`, as some registries write it.
#[must_use]
pub fn next(header: &str) -> Option<&str> {
    let mut rest = header;
    for _ in 0..8 {
        let (target, behind) = rest.split_once('<')?.1.split_once('>')?;
        let end = behind.find('<').unwrap_or(behind.len());
        let mut parameters = behind[..end]
            .split([';', ','])
            .filter_map(|parameter| parameter.split_once('='));
        match parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("rel")) {
            None => return Some(target),
            Some((_, value)) if value.trim().trim_matches('"').eq_ignore_ascii_case("next") => return Some(target),
            Some(_) => rest = &behind[end..],
        }
    }
    None
}

/// A tag, and the version that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tagged {
    /// As it is in the registry.
    pub tag: String,
    /// As it is shown.
    pub version: String,
}

/// The tag with the highest version that `constraint` lets through. Of a chart's tags Helm takes whole versions only;
/// other artifacts may have a `v` before theirs, or fewer numbers, as Flux takes them.
#[must_use]
pub fn highest(tags: &[String], constraint: &Constraint, content: OciContent) -> Option<Tagged> {
    let versions = tags.iter().filter_map(|tag| {
        let text = version_of(tag);
        let version = Version::parse(&text).ok()?;
        let counts = match content {
            OciContent::Chart => is_whole(&text),
            OciContent::Files => true,
        };
        (counts && constraint.check(&version)).then_some((version, tag, text))
    });
    // Of versions that differ in their build only, the one that a sorted list has first, which Helm takes too.
    let highest = versions.max_by(|(a, tag, _), (b, other, _)| a.compare(b).then_with(|| other.cmp(tag)));
    highest.map(|(_, tag, version)| Tagged {
        tag: tag.clone(),
        version,
    })
}

/// Whether a version is written out: three numbers without zeros before them, and no `v`.
fn is_whole(version: &str) -> bool {
    let numbers = version.split(['-', '+']).next().unwrap_or(version);
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        digits && (text == "0" || !text.starts_with('0'))
    };
    numbers.split('.').count() == 3 && numbers.split('.').all(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_tags() {
        let check = |text: &str, expect: Option<&[&str]>| {
            let found = parse(text.as_bytes()).ok();
            let expect = expect.map(|tags| tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>());
            assert_eq!(found, expect, "{text}");
        };
        check(r#"{"name":"a","tags":["1.0.0","latest"]}"#, Some(&["1.0.0", "latest"]));
        check(r#"{"tags":null}"#, Some(&[]));
        check("{}", Some(&[]));
        check(r#"{"tags":["../x","a b","","ok"]}"#, Some(&["ok"]));
        check(r#"{"tags":[1]}"#, None);
        check("[]", None);
        check("<html>", None);
    }

    #[test]
    fn the_next_page_is_behind_a_link() {
        let check = |header: &str, expect: Option<&str>| assert_eq!(next(header), expect, "{header}");
        check(
            "</v2/a/tags/list?n=2&last=b>; rel=\"next\"",
            Some("/v2/a/tags/list?n=2&last=b"),
        );
        check("</a>;rel=next", Some("/a"));
        check("</a>", Some("/a"));
        check("</a>; rel=\"last\"", None);
        check("</a>; rel=\"last\", </b>; REL=\"Next\"", Some("/b"));
        check("/a", None);
        check("<a", None);
        check("", None);
        check(&"</a>; rel=x,".repeat(10_000), None);
    }

    #[test]
    fn constraints_select_as_helm_does() {
        let tags = [
            "1.2.3",
            "1.10.0",
            "v1.11.0",
            "1.12",
            "2.0.0-rc.1",
            "1.10.0-beta",
            "01.99.0",
            "latest",
            "1.10.0_b",
            "1.10.0_a",
            "sha-0123",
            "3.0.0_x",
        ];
        let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let check = |constraint: &str, chart: Option<&str>, files: Option<&str>| {
            let constraint = Constraint::parse(constraint).unwrap();
            let found = |content| highest(&tags, &constraint, content);
            assert_eq!(
                found(OciContent::Chart).map(|found| found.tag).as_deref(),
                chart,
                "{constraint}"
            );
            assert_eq!(
                found(OciContent::Files).map(|found| found.tag).as_deref(),
                files,
                "{constraint}"
            );
        };
        check("*", Some("3.0.0_x"), Some("3.0.0_x"));
        check("^1", Some("1.10.0"), Some("01.99.0"));
        check("~1.2", Some("1.2.3"), Some("1.2.3"));
        check("~1.11", None, Some("v1.11.0"));
        check("~1.12", None, Some("1.12"));
        check(">=2.0.0-0 <3.0.0-0", Some("2.0.0-rc.1"), Some("2.0.0-rc.1"));
        check("^4", None, None);
        let found = highest(&tags, &Constraint::parse("^3").unwrap(), OciContent::Chart).unwrap();
        assert_eq!(found.version, "3.0.0+x");
    }
}
