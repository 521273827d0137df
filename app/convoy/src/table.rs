//! Aligned columns.

use crate::style::{Style, Tone, plain};
use crate::terminal;

/// Spaces between two columns.
const GAP: usize = 3;

/// One cell: a text on one line and what it means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) tone: Tone,
}

impl Cell {
    /// A cell of plain text; control characters are taken out.
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        Self::toned(Tone::Plain, text)
    }

    /// A cell with a meaning.
    pub(crate) fn toned(tone: Tone, text: impl AsRef<str>) -> Self {
        Self {
            text: plain(text.as_ref()),
            tone,
        }
    }

    fn width(&self) -> usize {
        terminal::width(&self.text)
    }
}

/// The width of each column.
pub(crate) fn widths<'a>(rows: impl Iterator<Item = &'a [Cell]>) -> Vec<usize> {
    rows.fold(Vec::new(), |mut widths: Vec<usize>, row| {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
        widths
    })
}

/// One row without its line end; nothing follows its last text.
pub(crate) fn line(row: &[Cell], widths: &[usize], style: Style) -> String {
    let mut line = String::new();
    let last = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |i| i + 1);
    for (i, (cell, width)) in row.iter().zip(widths).enumerate().take(last) {
        line.push_str(&style.paint(cell.tone, &cell.text));
        if i + 1 < last {
            line.extend(std::iter::repeat_n(' ', width - cell.width() + GAP));
        }
    }
    line
}

/// A table with a header.
pub(crate) fn table(header: &[&str], rows: &[Vec<Cell>], style: Style) -> String {
    let header: Vec<Cell> = header.iter().map(|title| Cell::toned(Tone::Strong, title)).collect();
    let all = || std::iter::once(header.as_slice()).chain(rows.iter().map(Vec::as_slice));
    let widths = widths(all());
    all().fold(String::new(), |mut text, row| {
        text.push_str(&line(row, &widths, style));
        text.push('\n');
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_end_with_text() {
        let rows = [
            vec![Cell::new("a"), Cell::new("long one"), Cell::new("x")],
            vec![Cell::new("longer"), Cell::new("b"), Cell::new("")],
        ];
        assert_eq!(
            table(&["NAME", "WHAT", "WHY"], &rows, Style::without_colour()),
            "NAME     WHAT       WHY\n\
             a        long one   x\n\
             longer   b\n"
        );
    }

    #[test]
    fn wide_characters_keep_columns_aligned() {
        let rows = [
            vec![Cell::new("漢字"), Cell::new("x")],
            vec![Cell::new("abcd"), Cell::new("y")],
        ];
        assert_eq!(
            table(&["A", "B"], &rows, Style::without_colour()),
            "A      B\n漢字   x\nabcd   y\n"
        );
    }
}
