//! The columns of each table.

use convoy_domain::url::without_credentials;
use convoy_value::Value;
use jiff::Timestamp;

use super::age::age;
use crate::style::Tone;
use crate::table::Cell;
use crate::tree::health_tone;

/// Longest message in a table; `-o yaml` shows all of it.
const MESSAGE: usize = 100;

/// One column: its title and how it reads an object.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) cell: fn(&Value, Timestamp) -> Cell,
}

const fn column(title: &'static str, cell: fn(&Value, Timestamp) -> Cell) -> Column {
    Column { title, cell }
}

pub(super) const RELEASES: &[Column] = &[
    column("NAME", name),
    column("READY", ready),
    column("PHASE", |object, _| {
        let phase = text(object, &["status", "lastAttempted", "phase"]);
        Cell::toned(health_tone(phase), phase)
    }),
    column("REVISION", |object, _| {
        Cell::new(shortened(text(object, &["status", "lastAttempted", "revision"])))
    }),
    column("RENDER", |object, _| {
        Cell::new(shortened(text(object, &["status", "lastAttempted", "renderRef"])))
    }),
    column("AGE", created),
    column("MESSAGE", message),
];

pub(super) const SOURCES: &[Column] = &[
    column("KIND", |object, _| Cell::new(text(object, &["kind"]))),
    column("NAME", name),
    column("READY", ready),
    column("URL", |object, _| {
        Cell::new(without_credentials(text(object, &["spec", "url"])))
    }),
    column("VERIFIED", |object, now| {
        since(text(object, &["status", "lastVerifiedAt"]), now)
    }),
    column("AGE", created),
    column("MESSAGE", message),
];

pub(super) const CLUSTERS: &[Column] = &[
    column("NAME", name),
    column("READY", ready),
    column("VERSION", |object, _| Cell::new(text(object, &["status", "version"]))),
    column("NODES", |object, _| {
        let nodes = object.at(&["status", "nodes"]).and_then(Value::as_i64);
        Cell::new(nodes.map(|n| n.to_string()).unwrap_or_default())
    }),
    column("AGE", created),
    column("MESSAGE", message),
];

fn text<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    object.at(path).and_then(Value::as_str).unwrap_or_default()
}

fn name(object: &Value, _: Timestamp) -> Cell {
    Cell::new(text(object, &["metadata", "name"]))
}

/// A condition of `status.conditions`.
pub(crate) fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    let conditions = object.at(&["status", "conditions"]).and_then(Value::as_array)?;
    conditions.iter().find(|condition| text(condition, &["type"]) == kind)
}

fn ready(object: &Value, _: Timestamp) -> Cell {
    let status = condition(object, "Ready").map_or("Unknown", |condition| text(condition, &["status"]));
    Cell::toned(health_tone(status), status)
}

/// Why it is not ready: reason and message of the Ready condition, cut; nothing when it is ready.
fn message(object: &Value, _: Timestamp) -> Cell {
    let Some(condition) = condition(object, "Ready").filter(|condition| text(condition, &["status"]) != "True") else {
        return Cell::default();
    };
    let (reason, message) = (text(condition, &["reason"]), text(condition, &["message"]));
    let whole = if message.is_empty() {
        reason.to_string()
    } else {
        format!("{reason}: {message}")
    };
    Cell::toned(Tone::Faint, cut(&whole))
}

fn cut(whole: &str) -> String {
    match whole.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", &whole[..end]),
        None => whole.to_string(),
    }
}

fn created(object: &Value, now: Timestamp) -> Cell {
    since(text(object, &["metadata", "creationTimestamp"]), now)
}

fn since(time: &str, now: Timestamp) -> Cell {
    Cell::new(time.parse().map(|then| age(then, now)).unwrap_or_default())
}

/// Twelve digits of a commit or a renderRef, which are enough for people; other revisions as they are.
pub(crate) fn shortened(revision: &str) -> &str {
    let digits = revision.strip_prefix("sha256:").unwrap_or(revision);
    if digits.len() >= 40 && digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        &digits[..12]
    } else {
        revision
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hashes_are_shortened() {
        let check = |revision: &str, expect: &str| assert_eq!(shortened(revision), expect);
        check("0123456789abcdef0123456789abcdef01234567", "0123456789ab");
        check(&format!("sha256:{}", "ab".repeat(32)), "abababababab");
        check("podinfo-6.14.0", "podinfo-6.14.0");
        check("", "");
    }

    #[test]
    fn a_long_message_is_cut_at_a_character() {
        let cutted = cut(&"é".repeat(200));
        assert_eq!(cutted.chars().count(), MESSAGE + 1);
        assert!(cutted.ends_with('…'));
        assert_eq!(cut("short"), "short");
    }
}
