//! An object taken apart: what was signed, and the signature.

use gix::ObjectId;
use gix::bstr::ByteSlice as _;

use super::{Flaw, openpgp, sshsig};

/// What a signature is about.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Signed {
    pub(super) payload: Vec<u8>,
    pub(super) signature: Vec<u8>,
    /// When the object says it was made, seconds since 1970.
    pub(super) time: Option<i64>,
}

/// A commit: its signature stands in the header `gpgsig`, whose further lines begin with a space; all headers of that
/// name's family are left out of what is signed, as git leaves them out.
pub(super) fn commit(content: &[u8]) -> Result<Signed, Flaw> {
    let mut signed = Signed {
        payload: Vec::with_capacity(content.len()),
        signature: Vec::new(),
        time: None,
    };
    let mut in_head = true;
    let mut in_signature = false;
    let mut in_other = false;
    for line in content.lines_with_terminator() {
        if !in_head {
            signed.payload.extend_from_slice(line);
            continue;
        }
        match line.strip_prefix(b" ") {
            Some(more) if in_signature => signed.signature.extend_from_slice(more),
            Some(_) if in_other => {}
            _ => {
                in_signature = false;
                in_other = false;
                if let Some(first) = line.strip_prefix(b"gpgsig ") {
                    if !signed.signature.is_empty() {
                        return Err(Flaw::Twice);
                    }
                    in_signature = true;
                    signed.signature.extend_from_slice(first);
                } else if line.starts_with(b"gpgsig") {
                    in_other = true;
                } else {
                    in_head = line != b"\n";
                    if let Some(committer) = line.strip_prefix(b"committer ") {
                        signed.time = time(committer);
                    }
                    signed.payload.extend_from_slice(line);
                }
            }
        }
    }
    if signed.signature.is_empty() {
        return Err(Flaw::Unsigned);
    }
    Ok(signed)
}

/// A tag `name` of `commit`: its signature stands at its end.
pub(super) fn tag(content: &[u8], commit: &ObjectId, name: &str) -> Result<Signed, Flaw> {
    let field = |key: &str| {
        let head = content.lines().take_while(|line| !line.is_empty());
        let mut values = head.filter_map(|line| line.strip_prefix(key.as_bytes()));
        let first = values.next();
        // A second line of a name would leave open which one counts.
        first.filter(|_| values.next().is_none())
    };
    // A tag that is put under another name, or a tag of a tag, says nothing of this commit.
    if field("object ") != Some(commit.to_string().as_bytes()) || field("type ") != Some(b"commit") {
        return Err(Flaw::OtherObject("the tag's target is another one"));
    }
    if field("tag ") != Some(name.as_bytes()) {
        return Err(Flaw::OtherObject("the tag has another name"));
    }
    let begins = |line: &[u8]| {
        [
            openpgp::SIGNATURE_BEGINNING,
            sshsig::BEGINNING,
            "-----BEGIN SIGNED MESSAGE-----",
        ]
        .iter()
        .any(|beginning| line.starts_with(beginning.as_bytes()))
    };
    let mut at = 0;
    let mut found = None;
    for line in content.lines_with_terminator() {
        if begins(line) {
            found = Some(at);
        }
        at += line.len();
    }
    let (payload, signature) = content.split_at(found.ok_or(Flaw::Unsigned)?);
    Ok(Signed {
        payload: payload.to_vec(),
        signature: signature.to_vec(),
        time: field("tagger ").and_then(time),
    })
}

/// The seconds of `Name <address> seconds zone`.
fn time(who: &[u8]) -> Option<i64> {
    let (_, time) = who.to_str().ok()?.rsplit_once('>')?;
    time.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commits_signature_is_taken_out_of_it() {
        let content = b"tree 1\nauthor A <a@b> 5 +0000\ncommitter C <c@d> 7 +0100\ngpgsig BEGIN\n a\n \n END\ngpgsig-sha256 x\n y\nencoding u\n\nmessage\ngpgsig not a header\n";
        let signed = commit(content).unwrap();
        assert_eq!(signed.signature.as_bstr(), "BEGIN\na\n\nEND\n");
        let expect =
            "tree 1\nauthor A <a@b> 5 +0000\ncommitter C <c@d> 7 +0100\nencoding u\n\nmessage\ngpgsig not a header\n";
        assert_eq!(signed.payload.as_bstr(), expect);
        assert_eq!(signed.time, Some(7));
        assert_eq!(commit(b"tree 1\n\ngpgsig BEGIN\n"), Err(Flaw::Unsigned));
        assert_eq!(commit(b"tree 1\ngpgsig A\ngpgsig B\n\n"), Err(Flaw::Twice));
        assert_eq!(commit(b""), Err(Flaw::Unsigned));
    }

    #[test]
    fn a_tag_is_of_its_commit_and_has_its_name() {
        let id = ObjectId::from_bytes_or_panic(&[1; 20]);
        let tag_of = |object: &str, kind: &str, name: &str| {
            format!(
                "object {object}\ntype {kind}\ntag {name}\ntagger A <a@b> 9 +0000\n\ntext\n-----BEGIN SSH SIGNATURE-----\nx\n"
            )
        };
        let check = |content: String, expect: Result<(), Flaw>| {
            assert_eq!(tag(content.as_bytes(), &id, "v1").map(drop), expect, "{content}");
        };
        let own = id.to_string();
        check(tag_of(&own, "commit", "v1"), Ok(()));
        let target = || Err(Flaw::OtherObject("the tag's target is another one"));
        check(tag_of(&"2".repeat(40), "commit", "v1"), target());
        check(tag_of(&own, "tag", "v1"), target());
        check(
            tag_of(&own, "commit", "v2"),
            Err(Flaw::OtherObject("the tag has another name")),
        );
        check(tag_of(&own, "commit\nobject 2", "v1"), target());
        check(
            format!("object {own}\ntype commit\ntag v1\n\ntext\n"),
            Err(Flaw::Unsigned),
        );
        let signed = tag(tag_of(&own, "commit", "v1").as_bytes(), &id, "v1").unwrap();
        assert_eq!(signed.signature.as_bstr(), "-----BEGIN SSH SIGNATURE-----\nx\n");
        assert_eq!(signed.time, Some(9));
    }
}
