//! A tree with aligned columns: the first column is drawn with its branches, the others line up.

use crate::style::{Style, Tone};
use crate::table::{Cell, line, widths};

/// A node: its cells, and what hangs below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) cells: Vec<Cell>,
    pub(crate) children: Vec<Node>,
}

impl Node {
    /// A node without children.
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        Self {
            cells,
            children: Vec::new(),
        }
    }
}

/// Draws the tree.
pub(crate) fn draw(root: &Node, style: Style) -> String {
    let mut rows = Vec::new();
    flatten(root, "", "", &mut rows);
    let cells: Vec<Vec<Cell>> = rows
        .iter()
        .map(|(branch, node)| {
            let mut cells = node.cells.clone();
            if let Some(first) = cells.first_mut() {
                first.text.insert_str(0, branch);
            }
            cells
        })
        .collect();
    let widths = widths(cells.iter().map(Vec::as_slice));
    cells.iter().fold(String::new(), |mut text, row| {
        text.push_str(&line(row, &widths, style));
        text.push('\n');
        text
    })
}

/// Lists nodes top down, each with the branch that leads to it.
fn flatten<'a>(node: &'a Node, branch: &str, below: &str, rows: &mut Vec<(String, &'a Node)>) {
    rows.push((branch.to_string(), node));
    for (i, child) in node.children.iter().enumerate() {
        let (fork, rest) = if i + 1 == node.children.len() {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        flatten(child, &format!("{below}{fork}"), &format!("{below}{rest}"), rows);
    }
}

/// What a word of health means to the reader.
pub(crate) fn health_tone(health: &str) -> Tone {
    match health {
        "Healthy" | "True" | "Succeeded" => Tone::Good,
        "Degraded" | "Missing" | "False" | "Failed" => Tone::Bad,
        _ => Tone::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_lead_to_children_and_columns_line_up() {
        let leaf = |name: &str, health: &str| Node::new(vec![Cell::new(name), Cell::new(health)]);
        let root = Node {
            cells: vec![Cell::new("Release a"), Cell::new("Healthy")],
            children: vec![
                Node {
                    children: vec![leaf("ConfigMap b", "Healthy"), leaf("Deployment c", "Degraded")],
                    ..leaf("wave 0", "")
                },
                Node {
                    children: vec![leaf("Service d", "Healthy")],
                    ..leaf("wave 1", "")
                },
            ],
        };
        assert_eq!(
            draw(&root, Style::without_colour()),
            "Release a            Healthy\n\
             ├─ wave 0\n\
             │  ├─ ConfigMap b    Healthy\n\
             │  └─ Deployment c   Degraded\n\
             └─ wave 1\n   \
                └─ Service d      Healthy\n"
        );
    }
}
