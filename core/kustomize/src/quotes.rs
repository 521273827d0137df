//! Which texts of several lines kyaml writes in quotes though a block was asked for.

/// Whether something in the text cannot stand in a block: spaces at the end of a line, or what is not printed.
pub(crate) fn are_needed(text: &str) -> bool {
    let printed = |c: char| matches!(c, '\t' | '\n' | ' '..='~' | '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}');
    text.contains(" \n") || text.ends_with(' ') || !text.chars().all(printed)
}
