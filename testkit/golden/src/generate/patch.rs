//! Documents and patches, as the oracle's questions.

use convoy_value::{Limits, json};

use super::Random;

/// Keys and indices that meet each other often.
const PARTS: &[&str] = &["a", "b", "c", "0", "1", "-1", "-", "01", "x~1y", "m~0n", ""];

fn document(random: &mut Random, depth: usize) -> String {
    match random.below(if depth == 0 { 4 } else { 8 }) {
        0 => "null".into(),
        1 => random.pick(&["true", "1", "-1", "1.5"]).into(),
        2 | 3 => format!("\"{}\"", random.pick(&["s", "t", ""])),
        4 | 5 => {
            let items: Vec<String> = (0..random.below(4)).map(|_| document(random, depth - 1)).collect();
            format!("[{}]", items.join(","))
        }
        _ => {
            let keys = ["a", "b", "c", "0", "x/y", "m~n", ""];
            let members: Vec<String> = (0..random.below(5))
                .map(|_| format!("\"{}\":{}", random.pick(&keys), document(random, depth - 1)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

fn path(random: &mut Random) -> String {
    let parts: Vec<&str> = (0..random.below(4)).flat_map(|_| ["/", random.pick(PARTS)]).collect();
    parts.concat()
}

fn question(document: &str, patch: &str) -> String {
    let text = format!("{{\"document\":{document},\"patch\":{patch}}}");
    json::parse(text, &Limits::default())
        .map(|value| json::to_canonical(&value))
        .unwrap_or_default()
}

/// A question for `json-patch`: operations on paths that are there, nearly there, or not.
pub fn json_patch(random: &mut Random) -> String {
    let operations: Vec<String> = (0..=random.below(3)).map(|_| operation(random)).collect();
    let root = if random.one_in(2) { "{" } else { "[" };
    let mut root_document = document(random, 3);
    while !root_document.starts_with(root) {
        root_document = document(random, 3);
    }
    question(&root_document, &format!("[{}]", operations.join(",")))
}

fn operation(random: &mut Random) -> String {
    let op = random.pick(&["add", "add", "remove", "replace", "move", "copy", "test", "other"]);
    let (path, from, value) = (path(random), path(random), document(random, 2));
    match op {
        "move" | "copy" => format!(r#"{{"op":"{op}","from":"{from}","path":"{path}"}}"#),
        "remove" => format!(r#"{{"op":"remove","path":"{path}"}}"#),
        _ => format!(r#"{{"op":"{op}","path":"{path}","value":{value}}}"#),
    }
}

/// A question for `merge-patch`.
pub fn merge_patch(random: &mut Random) -> String {
    let (document, patch) = (document(random, 3), document(random, 3));
    question(&document, &patch)
}
