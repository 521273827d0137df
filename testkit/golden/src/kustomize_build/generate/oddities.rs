//! Files as people write them: other line ends, marks, comments, anchors, JSON; and files that are broken.

use convoy_value::{Limits, json, yaml};

use super::Maker;

/// Rewrites some files of a tree.
pub(super) fn rewrite(maker: &mut Maker<'_>) {
    let rewrites = if maker.one_in(4) { 1 + maker.random.below(2) } else { 0 };
    for _ in 0..rewrites {
        let paths: Vec<String> = maker.tree.keys().cloned().collect();
        let path = &paths[maker.random.below(paths.len())];
        if maker.mistakes > 0 && maker.one_in(12) {
            maker.tree.remove(path);
            continue;
        }
        let text = maker.tree[path].clone();
        let rewritten = if maker.mistakes > 0 && maker.one_in(2) {
            break_text(maker, &text)
        } else {
            restyle(maker, path, &text)
        };
        maker.tree.insert(path.clone(), rewritten);
    }
}

/// The same content in another form.
fn restyle(maker: &mut Maker<'_>, path: &str, text: &str) -> String {
    match maker.random.below(9) {
        0 => text.replace('\n', "\r\n"),
        1 if text.starts_with('\u{feff}') => text.to_owned(),
        1 => format!("\u{feff}{text}"),
        2 => format!(
            "# a comment: {{\n{}",
            text.replace("\nspec:", " # about the name\n\n# about it\nspec: # here")
        ),
        3 => format!("---\n{text}"),
        4 => format!("{}\n---\n", text.trim_end()),
        5 => format!("%YAML 1.1\n---\n{text}"),
        6 => text
            .replace(": web\n", ": &name web\n")
            .replace("app: web", "app: \"web\""),
        7 => text
            .replace("name: main", "\"name\": 'main'")
            .replace("image:", "image: !!str"),
        _ if path.ends_with("yaml") => yaml::kustomize::parse(text.as_bytes(), &Limits::default())
            .map_or_else(|_| text.to_owned(), |value| json::to_canonical(&value)),
        _ => text.to_owned(),
    }
}

/// One line that is not as it should be.
fn break_text(maker: &mut Maker<'_>, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return "\n".into();
    }
    let at = maker.random.below(lines.len());
    let line = lines[at].clone();
    let key = line.split(':').next().unwrap_or_default().to_owned();
    match maker.random.below(10) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, line),
        2 => lines[at] = format!("{key}: null"),
        3 => lines[at] = format!("{key}: [1, x]"),
        4 => lines[at] = format!("{key}: {{a: 1}}"),
        5 => lines[at] = format!("{key}: 1.5"),
        6 => lines[at] = format!("{key}: \"text\""),
        7 => lines[at] = format!("\t{line}"),
        8 => lines[at] = format!(" {line}"),
        _ => lines[at] = line.replace(['{', '['], ""),
    }
    lines.join("\n") + "\n"
}
